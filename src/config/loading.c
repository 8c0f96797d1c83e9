/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loading.c - which kubeconfig files are read, and which of their entries count.
 *
 * Files are merged by looking a name up in one after the other: the first that has it gives the
 * whole entry.  Facts: client-go, tools/clientcmd/loader.go and client_config.go.  Unlike there, a
 * context that names a user who is nowhere is refused: it would go out as nobody.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "config/config.h"
#include "config/field.h"

typedef struct files {
    kin__kubeconfig *items; /* owned */
    size_t count;
    size_t capacity;
    kin__vault vault; /* paths, titles */
} files;

static void files_fini(files *f);
KIN__DEFINE_AUTO_FINI(files, files_fini)

static kin_err read_default_files(const kin__machine *machine, files *f, kin_error *err);
static kin_err read_listed_files(const kin__machine *machine, const char *list, files *f,
                                 kin_error *err);
static bool is_listed_before(const char *list, kin_str path);
static kin_err read_file(const kin__machine *machine, kin_str path, bool must_exist, files *f,
                         kin_error *err);
static kin_err add_file(kin__kubeconfig *consumed_file, files *f, kin_error *err);
static const char *directory_of(const char *path, kin__vault *vault);
static kin_err absolute(const kin__machine *machine, kin_str path, kin__vault *vault,
                        const char **out, kin_error *err);
static kin_err nothing_found(const kin__machine *machine, kin_error *err);
static bool are_empty(const files *f);
static bool asks_for_an_entry(const kin_config_options *options);

static kin_err make(const kin__machine *machine, files *f, const kin_config_options *options,
                    kin_config **out, kin_error *err);
static kin_err choose_context(const files *f, const kin_config_options *options,
                              const char **out_name, const kin__context **out, kin_error *err);
static kin_err choose_cluster(files *f, const kin__context *context,
                              const kin_config_options *options, kin__config_parts *parts,
                              kin_error *err);
static kin_err choose_user(files *f, const kin__context *context, const kin_config_options *options,
                           kin__config_parts *parts, kin_error *err);
static const char *title_of(files *f, const kin__kubeconfig *file, const char *noun,
                            const char *name);
static const char *first_of(const char *wish, const char *otherwise);

kin_err kin__config_load(const kin__machine *machine, const kin_config_options *options,
                         kin_config **out, kin_error *err)
{
    AUTO(files_fini) files f = { 0 };
    const char *path = first_of(options->path, NULL);

    if (path != NULL) {
        if (read_file(machine, kin_str_of(path), true, &f, err) != KIN_OK) {
            return err->code;
        }
        return make(machine, &f, options, out, err);
    }
    if (read_default_files(machine, &f, err) != KIN_OK) {
        return err->code;
    }
    if (are_empty(&f) && !asks_for_an_entry(options)) {
        if (kin__is_in_cluster(machine)) {
            return kin__config_in_cluster(machine, options, out, err);
        }
        if (first_of(options->server, NULL) == NULL) {
            return nothing_found(machine, err);
        }
    }
    return make(machine, &f, options, out, err);
}

kin_err kin__config_from_text(const kin__machine *machine, kin_str text, const char *directory,
                              const kin_config_options *options, kin_config **out, kin_error *err)
{
    AUTO(files_fini) files f = { 0 };
    AUTO(kin__kubeconfig_fini) kin__kubeconfig file = { 0 };
    const char *start;

    if (first_of(options->path, NULL) != NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "kubeconfig: a text and a path at once");
    }
    if (absolute(machine, kin_str_of(first_of(directory, ".")), &f.vault, &start, err) != KIN_OK ||
        kin__kubeconfig_read(text, NULL, start, &file, err) != KIN_OK ||
        add_file(&file, &f, err) != KIN_OK) {
        return err->code;
    }
    return make(machine, &f, options, out, err);
}

static void files_fini(files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        kin__kubeconfig_fini(&f->items[i]);
    }
    kin__free(f->items);
    kin__vault_fini(&f->vault);
}

static kin_err read_default_files(const kin__machine *machine, files *f, kin_error *err)
{
    const char *list = kin__machine_variable(machine, "KUBECONFIG");
    const char *home = kin__machine_variable(machine, "HOME");

    if (list != NULL) {
        return read_listed_files(machine, list, f, err);
    }
    if (home == NULL) {
        return KIN_OK;
    }
    const char *path = kin__path_from(home, ".kube/config", &f->vault);
    if (path == NULL) {
        return kin__error_no_memory(err);
    }
    return read_file(machine, kin_str_of(path), false, f, err);
}

/* Names between colons; empty ones and those that are there twice are passed over. */
static kin_err read_listed_files(const kin__machine *machine, const char *list, files *f,
                                 kin_error *err)
{
    for (const char *at = list; *at != '\0';) {
        kin_str path = kin__str(at, strcspn(at, ":"));
        if (path.len != 0 && !is_listed_before(list, path) &&
            read_file(machine, path, false, f, err) != KIN_OK) {
            return err->code;
        }
        at += path.len + (at[path.len] == ':' ? 1 : 0);
    }
    return KIN_OK;
}

/* `path` is a piece of `list`. */
static bool is_listed_before(const char *list, kin_str path)
{
    for (const char *at = list; at < path.data;) {
        kin_str before = kin__str(at, strcspn(at, ":"));
        if (kin__str_equal(before, path)) {
            return true;
        }
        at += before.len + 1;
    }
    return false;
}

static kin_err read_file(const kin__machine *machine, kin_str path, bool must_exist, files *f,
                         kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault content = { 0 };
    AUTO(kin__kubeconfig_fini) kin__kubeconfig file = { 0 };
    const char *whole;
    kin_str text;

    if (absolute(machine, path, &f->vault, &whole, err) != KIN_OK) {
        return err->code;
    }
    if (kin__machine_read(machine, whole, KIN__KUBECONFIG_BYTES_MAX, &content, &text, err) !=
        KIN_OK) {
        bool is_fine = err->code == KIN_ERR_NOT_FOUND && !must_exist;
        return is_fine ? KIN_OK : kin__error_prefix(err, "kubeconfig \"%s\"", whole);
    }
    const char *directory = directory_of(whole, &f->vault);
    if (directory == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__kubeconfig_read(text, whole, directory, &file, err) != KIN_OK) {
        return err->code;
    }
    return add_file(&file, f, err);
}

static kin_err add_file(kin__kubeconfig *consumed_file, files *f, kin_error *err)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity != 0 ? 2 * f->capacity : 4;
        kin__kubeconfig *items = kin__realloc(f->items, capacity * sizeof *items);
        if (items == NULL) {
            return kin__error_no_memory(err);
        }
        f->items = items;
        f->capacity = capacity;
    }
    f->items[f->count++] = *consumed_file;
    *consumed_file = (kin__kubeconfig){ 0 };
    return KIN_OK;
}

/* Of an absolute path. */
static const char *directory_of(const char *path, kin__vault *vault)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash != NULL && slash != path ? (size_t) (slash - path) : 1;

    return kin__vault_copy(vault, kin__str(path, len));
}

/* A file's own path is made absolute as well: the program may change its directory before the
 * files it names are read. */
static kin_err absolute(const kin__machine *machine, kin_str path, kin__vault *vault,
                        const char **out, kin_error *err)
{
    const char *start = "/";
    const char *text = kin__vault_copy(vault, path);

    if (text == NULL) {
        return kin__error_no_memory(err);
    }
    if (text[0] != '/' && machine->directory(machine->context, vault, &start, err) != KIN_OK) {
        return err->code;
    }
    *out = strcmp(text, ".") == 0 ? start : kin__path_from(start, text, vault);
    return *out == NULL ? kin__error_no_memory(err) : KIN_OK;
}

static kin_err nothing_found(const kin__machine *machine, kin_error *err)
{
    const char *list = kin__machine_variable(machine, "KUBECONFIG");
    const char *home = kin__machine_variable(machine, "HOME");

    if (list != NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "no configuration: KUBECONFIG (\"%s\") names no file that says "
                              "anything, and this is no pod",
                              list);
    }
    return kin__error_set(err, KIN_ERR_NOT_FOUND,
                          "no configuration: KUBECONFIG is not set, \"%s/.kube/config\" is not "
                          "there or empty, and this is no pod",
                          home != NULL ? home : "~");
}

static bool are_empty(const files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!kin__kubeconfig_is_empty(&f->items[i])) {
            return false;
        }
    }
    return true;
}

static bool asks_for_an_entry(const kin_config_options *options)
{
    return first_of(options->context, NULL) != NULL || first_of(options->cluster, NULL) != NULL ||
           first_of(options->user, NULL) != NULL;
}

static kin_err make(const kin__machine *machine, files *f, const kin_config_options *options,
                    kin_config **out, kin_error *err)
{
    kin__config_parts parts = { .machine = machine };
    const kin__context *context = NULL;

    if (choose_context(f, options, &parts.context, &context, err) != KIN_OK ||
        choose_cluster(f, context, options, &parts, err) != KIN_OK ||
        choose_user(f, context, options, &parts, err) != KIN_OK) {
        return err->code;
    }
    parts.ns = context->ns;
    return kin__config_make(&parts, options, out, err);
}

/* Without a context it is an empty one; that is enough where the options say the rest. */
static kin_err choose_context(const files *f, const kin_config_options *options,
                              const char **out_name, const kin__context **out, kin_error *err)
{
    static const kin__context none = { 0 };
    const char *name = first_of(options->context, NULL);
    const kin__context *context = NULL;

    for (size_t i = 0; i < f->count && name == NULL; i++) {
        name = f->items[i].current_context;
    }
    if (name == NULL && first_of(options->cluster, options->server) == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "%s: no context is chosen: current-context is not set",
                              f->count == 1 ? f->items[0].title : "kubeconfig");
    }
    for (size_t i = 0; i < f->count && name != NULL && context == NULL; i++) {
        context = kin__entry_find(f->items[i].contexts, name);
    }
    if (name != NULL && context == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND, "%s: context \"%.128s\" does not exist",
                              f->count == 1 ? f->items[0].title : "kubeconfig", name);
    }
    *out_name = name != NULL ? name : "";
    *out = context != NULL ? context : &none;
    return KIN_OK;
}

static kin_err choose_cluster(files *f, const kin__context *context,
                              const kin_config_options *options, kin__config_parts *parts,
                              kin_error *err)
{
    const char *name = first_of(options->cluster, context->cluster);

    if (name == NULL && first_of(options->server, NULL) != NULL) {
        return KIN_OK;
    }
    if (name == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "kubeconfig: context \"%.128s\" names no "
                              "cluster",
                              parts->context);
    }
    for (size_t i = 0; i < f->count && parts->cluster == NULL; i++) {
        parts->cluster = kin__entry_find(f->items[i].clusters, name);
        parts->cluster_title = title_of(f, &f->items[i], "cluster", name);
    }
    if (parts->cluster == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "kubeconfig: cluster \"%.128s\" does not "
                              "exist",
                              name);
    }
    return parts->cluster_title == NULL ? kin__error_no_memory(err) : KIN_OK;
}

/* No user at all is allowed: the server decides what anonymous requests may do. */
static kin_err choose_user(files *f, const kin__context *context, const kin_config_options *options,
                           kin__config_parts *parts, kin_error *err)
{
    const char *name = first_of(options->user, context->user);

    if (name == NULL) {
        return KIN_OK;
    }
    for (size_t i = 0; i < f->count && parts->user == NULL; i++) {
        parts->user = kin__entry_find(f->items[i].users, name);
        parts->user_title = title_of(f, &f->items[i], "user", name);
    }
    if (parts->user == NULL) {
        return kin__error_set(err, KIN_ERR_NOT_FOUND,
                              "kubeconfig: user \"%.128s\" does not "
                              "exist",
                              name);
    }
    return parts->user_title == NULL ? kin__error_no_memory(err) : KIN_OK;
}

/* NULL when there is no memory. */
static const char *title_of(files *f, const kin__kubeconfig *file, const char *noun,
                            const char *name)
{
    AUTO(kin__buf_fini) kin__buf title = { 0 };

    (void) kin__buf_append_format(&title, "%s: %s \"%.128s\"", file->title, noun, name);
    return kin__buf_failed(&title) ? NULL
                                   : kin__vault_copy(&f->vault, kin__str(title.data, title.len));
}

static const char *first_of(const char *wish, const char *otherwise)
{
    return wish != NULL && wish[0] != '\0' ? wish : otherwise;
}
