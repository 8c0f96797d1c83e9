/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual_machine.h - a machine of a few variables and files, for tests of the configuration.
 *
 * The working directory is /here.
 */
#ifndef TESTS_UNIT_CONFIG_VIRTUAL_MACHINE_H
#define TESTS_UNIT_CONFIG_VIRTUAL_MACHINE_H

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "config/machine.h"
#include "support/test.h"

#define VIRTUAL_MAX 16

typedef struct virtual_file {
    const char *path;
    const char *content; /* NULL: it may not be read */
    int64_t changed_s;
    bool is_special; /* a pipe or so */
} virtual_file;

typedef struct virtual_machine {
    kin__machine machine;
    const char *variables[VIRTUAL_MAX + 1]; /* "NAME=value" */
    virtual_file files[VIRTUAL_MAX];
    int reads; /* how often a file was read */
    int looks; /* how often one was looked at */
} virtual_machine;

static inline const char *virtual_variable(void *context, const char *name)
{
    const virtual_machine *m = context;
    size_t len = strlen(name);

    for (size_t i = 0; m->variables[i] != NULL; i++) {
        if (strncmp(m->variables[i], name, len) == 0 && m->variables[i][len] == '=') {
            return m->variables[i] + len + 1;
        }
    }
    return NULL;
}

static inline const char *const *virtual_variables(void *context)
{
    return ((const virtual_machine *) context)->variables;
}

static inline kin_err virtual_directory(void *context, kin__vault *vault, const char **out,
                                        kin_error *err)
{
    (void) context;
    *out = kin__vault_copy(vault, STR("/here"));
    return *out == NULL ? kin__error_no_memory(err) : KIN_OK;
}

/* NULL: there is none. */
static inline virtual_file *virtual_find(virtual_machine *m, const char *path)
{
    for (size_t i = 0; i < VIRTUAL_MAX; i++) {
        if (m->files[i].path != NULL && strcmp(m->files[i].path, path) == 0) {
            return &m->files[i];
        }
    }
    return NULL;
}

static inline kin_err virtual_read(void *context, const char *path, size_t max, kin__vault *vault,
                                   kin_str *out, kin_error *err)
{
    virtual_machine *m = context;
    const virtual_file *file = virtual_find(m, path);

    m->reads++;
    if (file == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "no such file");
    }
    if (file->content == NULL) {
        return kin__error_set(err, KIN_ERR_SYSTEM, "open: Permission denied");
    }
    if (strlen(file->content) > max) {
        return kin__error_set(err, KIN_ERR_LIMIT, "larger than %zu bytes", max);
    }
    const char *copy = kin__vault_copy(vault, kin_str_of(file->content));
    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    *out = kin_str_of(copy);
    return KIN_OK;
}

static inline kin_err virtual_state(void *context, const char *path, kin__file_state *out,
                                    kin_error *err)
{
    virtual_machine *m = context;
    const virtual_file *file = virtual_find(m, path);

    m->looks++;
    if (file == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "no such file");
    }
    *out = (kin__file_state){ .inode = (uint64_t) (file - m->files),
                              .size = (int64_t) kin_str_of(file->content).len,
                              .changed_s = file->changed_s,
                              .is_regular = !file->is_special };
    return KIN_OK;
}

static inline void virtual_machine_init(virtual_machine *m)
{
    memset(m, 0, sizeof *m);
    m->machine = (kin__machine){ .context = m,
                                 .variable = virtual_variable,
                                 .variables = virtual_variables,
                                 .directory = virtual_directory,
                                 .read = virtual_read,
                                 .state = virtual_state };
}

/* Borrowed. */
static inline void set_variable(virtual_machine *m, const char *variable)
{
    size_t i = 0;

    while (m->variables[i] != NULL) {
        i++;
    }
    ASSERT_TRUE(i < VIRTUAL_MAX);
    m->variables[i] = variable;
}

/* Makes the file, or another content of it with another time of change. */
static inline void set_file(virtual_machine *m, const char *path, const char *content)
{
    virtual_file *file = virtual_find(m, path);

    for (size_t i = 0; i < VIRTUAL_MAX && file == NULL; i++) {
        file = m->files[i].path == NULL ? &m->files[i] : NULL;
    }
    ASSERT_TRUE(file != NULL);
    file->path = path;
    file->content = content;
    file->changed_s++;
}

static inline void remove_file(virtual_machine *m, const char *path)
{
    virtual_file *file = virtual_find(m, path);

    ASSERT_TRUE(file != NULL);
    file->path = NULL;
}

#endif /* TESTS_UNIT_CONFIG_VIRTUAL_MACHINE_H */
