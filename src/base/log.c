/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - one line, formatted on the stack.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

#define LINE_SIZE 1024

static bool is_wanted(const kin_logger *logger, kin_log_level level);

const char *kin_log_level_name(kin_log_level level)
{
    switch (level) {
    case KIN_LOG_ERROR:
        return "error";
    case KIN_LOG_WARNING:
        return "warning";
    case KIN_LOG_INFO:
        return "info";
    case KIN_LOG_DEBUG:
        return "debug";
    }
    return "unknown";
}

void kin__log(const kin_logger *logger, kin_log_level level, const char *component,
              const char *format, ...)
{
    char line[LINE_SIZE];
    va_list args;

    if (!is_wanted(logger, level)) {
        return;
    }
    va_start(args, format);
    (void) vsnprintf(line, sizeof line, format, args); /* cut is fine */
    va_end(args);
    kin__utf8_clean_line(line);
    logger->log(logger->context, level, component, line);
}

static bool is_wanted(const kin_logger *logger, kin_log_level level)
{
    if (logger == NULL || logger->log == NULL) {
        return false;
    }
    int32_t wanted = logger->level == 0 ? KIN_LOG_WARNING : logger->level;
    return (int32_t) level <= wanted;
}
