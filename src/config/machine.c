/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - environment variables and files of the system.
 *
 * A file is read into vaults from the first byte on.  Its size is only a guess of how much will
 * come: it may grow meanwhile, and pipes have none.
 */
#include "config/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

#define FIRST_BYTES ((size_t) 4096) /* read where the size is not known */

static const char *real_variable(void *context, const char *name);
static const char *const *real_variables(void *context);
static kin_err real_directory(void *context, kin__vault *vault, const char **out, kin_error *err);
static kin_err real_read(void *context, const char *path, size_t max, kin__vault *vault,
                         kin_str *out, kin_error *err);
static kin_err real_state(void *context, const char *path, kin__file_state *out, kin_error *err);
static kin_err read_all(int fd, size_t max, kin__vault *vault, kin_str *out, kin_error *err);
static kin_err read_some(int fd, char *into, size_t size, size_t *out_len, kin_error *err);
static kin_err failed(int number, const char *verb, kin_error *err);

const kin__machine *kin__machine_real(void)
{
    static const kin__machine machine = { .context = NULL,
                                          .variable = real_variable,
                                          .variables = real_variables,
                                          .directory = real_directory,
                                          .read = real_read,
                                          .state = real_state };
    return &machine;
}

const char *kin__machine_variable(const kin__machine *machine, const char *name)
{
    const char *value = machine->variable(machine->context, name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

kin_err kin__machine_read(const kin__machine *machine, const char *path, size_t max,
                          kin__vault *vault, kin_str *out, kin_error *err)
{
    return machine->read(machine->context, path, max, vault, out, err);
}

kin_err kin__machine_state(const kin__machine *machine, const char *path, kin__file_state *out,
                           kin_error *err)
{
    return machine->state(machine->context, path, out, err);
}

static const char *real_variable(void *context, const char *name)
{
    (void) context;
    return getenv(name);
}

static const char *const *real_variables(void *context)
{
    static const char *const none[] = { NULL };

    (void) context;
    return environ != NULL ? (const char *const *) environ : none;
}

static kin_err real_directory(void *context, kin__vault *vault, const char **out, kin_error *err)
{
    char path[PATH_MAX];

    (void) context;
    if (getcwd(path, sizeof path) == NULL) {
        return kin__error_system(err, errno, "find the working directory");
    }
    const char *copy = kin__vault_copy(vault, kin_str_of(path));
    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    *out = copy;
    return KIN_OK;
}

static kin_err real_read(void *context, const char *path, size_t max, kin__vault *vault,
                         kin_str *out, kin_error *err)
{
    (void) context;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return failed(errno, "open", err);
    }
    kin_err code = read_all(fd, max, vault, out, err);
    (void) close(fd); /* nothing was written */
    return code;
}

static kin_err real_state(void *context, const char *path, kin__file_state *out, kin_error *err)
{
    struct stat state;

    (void) context;
    if (stat(path, &state) != 0) {
        return failed(errno, "look at", err);
    }
    *out = (kin__file_state){ .device = (uint64_t) state.st_dev,
                              .inode = (uint64_t) state.st_ino,
                              .size = (int64_t) state.st_size,
                              .changed_s = (int64_t) state.st_mtim.tv_sec,
                              .changed_ns = (int64_t) state.st_mtim.tv_nsec,
                              .is_regular = S_ISREG(state.st_mode) };
    return KIN_OK;
}

static kin_err read_all(int fd, size_t max, kin__vault *vault, kin_str *out, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault own = { 0 };
    struct stat state;
    char *bytes = NULL;
    size_t size = FIRST_BYTES;
    size_t len = 0;
    bool is_full = true;

    if (fstat(fd, &state) == 0 && S_ISREG(state.st_mode) && state.st_size > 0) {
        size = (uintmax_t) state.st_size > max ? max + 1 : (size_t) state.st_size + 1;
    }
    while (is_full) {
        char *larger = kin__vault_alloc(&own, size + 1);
        if (larger == NULL) {
            return kin__error_no_memory(err);
        }
        if (len != 0) {
            memcpy(larger, bytes, len);
        }
        bytes = larger;
        size_t more = 0;
        if (read_some(fd, bytes + len, size - len, &more, err) != KIN_OK) {
            return err->code;
        }
        len += more;
        if (len > max) {
            return kin__error_set(err, KIN_ERR_LIMIT, "larger than %zu bytes", max);
        }
        is_full = len == size;
        size *= 2;
    }
    bytes[len] = '\0';
    kin__vault_move(vault, &own);
    *out = kin__str(bytes, len);
    return KIN_OK;
}

/* Until `size` bytes have come, or all there are. */
static kin_err read_some(int fd, char *into, size_t size, size_t *out_len, kin_error *err)
{
    size_t len = 0;

    while (len < size) {
        ssize_t got = read(fd, into + len, size - len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return kin__error_system(err, errno, "read");
        }
        if (got == 0) {
            break;
        }
        len += (size_t) got;
    }
    *out_len = len;
    return KIN_OK;
}

static kin_err failed(int number, const char *verb, kin_error *err)
{
    (void) kin__error_system(err, number, "%s", verb);
    if (number == ENOENT || number == ENOTDIR) {
        (void) kin__error_set(err, KIN_ERR_NOT_FOUND, "no such file");
    }
    return err->code;
}
