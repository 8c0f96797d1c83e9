/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/log.h - what the library would like to tell, and to whom.
 *
 * The library never prints.  What it has to say beside the errors it returns goes to
 * the logger given to the object that says it; without one it is silent.  There is no
 * global logger, so two users of the library in one process do not meet.
 *
 *     static void log_line(void *context, kin_log_level level, const char *component,
 *                          const char *message)
 *     {
 *         fprintf(stderr, "%s: %s: %s\n", kin_log_level_name(level), component, message);
 *     }
 *
 *     kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
 *     options.logger.log = log_line;
 *     options.logger.level = KIN_LOG_INFO;
 *     kin_client_new(NULL, &options, &client, &err);
 *
 * A client's own loop has the client's logger, and so has all that is made of it (informers,
 * controllers, leaders, recorders) and is given none.
 *
 * Threading: a logger is copied by whoever receives it and called from any thread, also
 * from several at once.
 */
#ifndef KIN_LOG_H
#define KIN_LOG_H

#include "kin/common.h"

KIN_BEGIN_DECLS

typedef enum kin_log_level {
    KIN_LOG_ERROR = 1,   /* something the program asked for will not happen */
    KIN_LOG_WARNING = 2, /* something failed and the library goes on; the text says how */
    KIN_LOG_INFO = 3,    /* rare milestones */
    KIN_LOG_DEBUG = 4    /* what a developer of the library wants to know */
} kin_log_level;

/*
 * Receives one line of valid UTF-8 without control characters, at most 1,023 bytes, borrowed for
 * the call.  `component` is the part that speaks ("informer").  No lock of the library is held; it
 * may block, and then holds up the thread that speaks.  It must not call back into the object that
 * speaks.
 */
typedef void (*kin_log_fn)(void *context, kin_log_level level, const char *component,
                           const char *message);

typedef struct kin_logger {
    size_t size; /* set by KIN_LOGGER_INIT */
    void *context;
    kin_log_fn log; /* NULL: silence */
    int32_t level;  /* a kin_log_level: what is less severe is not formatted; 0: WARNING */
    int32_t reserved;
} kin_logger;

#define KIN_LOGGER_INIT                                                                            \
    {                                                                                              \
        sizeof(kin_logger), NULL, NULL, 0, 0                                                       \
    }

/* "error", "warning", "info", "debug"; "unknown" for a number that is none. */
KIN_API const char *kin_log_level_name(kin_log_level level);

KIN_END_DECLS
#endif /* KIN_LOG_H */
