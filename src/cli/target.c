/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - what is to be shown.
 */
#include "cli/target.h"

#include <string.h>

#include "cli/fault.h"
#include "cli/memory.h"

static kin_err parse_pairs(const char *const *words, kin__cli_targets *out, kin_error *err);
static kin_err parse_resources(const char *const *words, kin__cli_targets *out, kin_error *err);
static kin_err check_name(const char *name, kin_error *err);
static kin__cli_target *add_target(kin__cli_targets *targets, kin_str resource);
static void add_name(kin__cli_target *target, const char *name);

kin_err kin__cli_targets_parse(const char *const *words, kin__cli_targets *out, kin_error *err)
{
    memset(out, 0, sizeof *out);
    if (words[0] == NULL || words[0][0] == '\0') {
        return kin__cli_refuse(err, "which resource? (pods, services, deployments, ...)");
    }
    return strchr(words[0], '/') != NULL ? parse_pairs(words, out, err)
                                         : parse_resources(words, out, err);
}

void kin__cli_targets_fini(kin__cli_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++) {
        kin__cli_free(targets->list[i].resource);
        kin__cli_free(targets->list[i].names);
    }
    kin__cli_free(targets->list);
    memset(targets, 0, sizeof *targets);
}

/* "pods/web-0 pods/web-1 services/web": neighbours of one resource go together. */
static kin_err parse_pairs(const char *const *words, kin__cli_targets *out, kin_error *err)
{
    kin__cli_target *target = NULL;

    for (size_t i = 0; words[i] != NULL; i++) {
        const char *slash = strchr(words[i], '/');
        if (slash == NULL || slash == words[i] || slash[1] == '\0') {
            return kin__cli_refuse(err, "\"%s\" is no RESOURCE/NAME as the other is", words[i]);
        }
        kin_str resource = { words[i], (size_t) (slash - words[i]) };
        if (check_name(slash + 1, err) != KIN_OK) {
            return err->code;
        }
        if (target == NULL || !kin_str_equal(kin_str_of(target->resource), resource)) {
            target = add_target(out, resource);
        }
        add_name(target, slash + 1);
    }
    return KIN_OK;
}

/* "pods,services [NAME ...]" */
static kin_err parse_resources(const char *const *words, kin__cli_targets *out, kin_error *err)
{
    const char *at = words[0];

    for (size_t i = 1; words[i] != NULL; i++) {
        if (check_name(words[i], err) != KIN_OK) {
            return err->code;
        }
    }
    do {
        size_t len = strcspn(at, ",");
        if (len == 0) {
            return kin__cli_refuse(err, "\"%s\" lacks a resource between its commas", words[0]);
        }
        kin__cli_target *target = add_target(out, (kin_str){ at, len });
        for (size_t i = 1; words[i] != NULL; i++) {
            add_name(target, words[i]);
        }
        at += len;
    } while (*at++ == ',');
    return KIN_OK;
}

/* What the server would have to refuse, or take for another path. */
static kin_err check_name(const char *name, kin_error *err)
{
    bool is_name = name[0] != '\0' && strpbrk(name, "/%") == NULL && strcmp(name, ".") != 0 &&
                   strcmp(name, "..") != 0;

    return is_name ? KIN_OK : kin__cli_refuse(err, "\"%s\" is no name of an object", name);
}

static kin__cli_target *add_target(kin__cli_targets *targets, kin_str resource)
{
    targets->list = kin__cli_grow(targets->list, targets->count + 1, sizeof *targets->list);
    kin__cli_target *target = &targets->list[targets->count++];
    memset(target, 0, sizeof *target);
    target->resource = kin__cli_copy(resource);
    target->names = kin__cli_alloc(1, sizeof *target->names);
    return target;
}

static void add_name(kin__cli_target *target, const char *name)
{
    target->names = kin__cli_grow(target->names, target->name_count + 2, sizeof *target->names);
    target->names[target->name_count++] = name;
    target->names[target->name_count] = NULL;
}
