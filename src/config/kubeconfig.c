/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfig.c - one kubeconfig file read.
 *
 * Names and types of members: client-go, tools/clientcmd/api/v1/types.go.
 */
#include "config/kubeconfig.h"

#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/str.h"
#include "config/field.h"

#define AT(type, member) offsetof(type, member)
#define NAME_SHOWN 128 /* bytes of a name that a message quotes */

/* What a user's or cluster's table cannot say. */
typedef struct user_draft {
    kin__user user;
    const kin__yaml *extras;
    const kin__yaml *auth_provider;
    const kin__yaml *exec;
} user_draft;

typedef struct cluster_draft {
    kin__cluster cluster;
    const kin__yaml *extensions;
} cluster_draft;

typedef struct exec_draft {
    kin__exec exec;
    const kin__yaml *variables;
} exec_draft;

typedef struct top_level {
    const char *api_version;
    const char *kind;
    const char *current_context;
    const kin__yaml *clusters;
    const kin__yaml *users;
    const kin__yaml *contexts;
} top_level;

typedef struct named {
    const char *name;
    const kin__yaml *value;
} named;

typedef kin_err (*read_fn)(const kin__yaml *node, const kin__field_home *home, const void **out,
                           kin_error *err);

static const kin__field top_fields[] = {
    { "apiVersion", KIN__FIELD_TEXT, AT(top_level, api_version) },
    { "kind", KIN__FIELD_TEXT, AT(top_level, kind) },
    { "current-context", KIN__FIELD_TEXT, AT(top_level, current_context) },
    { "clusters", KIN__FIELD_NODE, AT(top_level, clusters) },
    { "users", KIN__FIELD_NODE, AT(top_level, users) },
    { "contexts", KIN__FIELD_NODE, AT(top_level, contexts) },
    { NULL, KIN__FIELD_TEXT, 0 },
};

static const kin__field cluster_fields[] = {
    { "server", KIN__FIELD_TEXT, AT(cluster_draft, cluster.server) },
    { "tls-server-name", KIN__FIELD_TEXT, AT(cluster_draft, cluster.tls_server_name) },
    { "certificate-authority", KIN__FIELD_PATH, AT(cluster_draft, cluster.ca_path) },
    { "certificate-authority-data", KIN__FIELD_DATA, AT(cluster_draft, cluster.ca_data) },
    { "proxy-url", KIN__FIELD_TEXT, AT(cluster_draft, cluster.proxy_url) },
    { "insecure-skip-tls-verify", KIN__FIELD_FLAG, AT(cluster_draft, cluster.is_insecure) },
    { "disable-compression", KIN__FIELD_FLAG, AT(cluster_draft, cluster.disables_compression) },
    { "extensions", KIN__FIELD_NODE, AT(cluster_draft, extensions) },
    { NULL, KIN__FIELD_TEXT, 0 },
};

static const kin__field user_fields[] = {
    { "client-certificate", KIN__FIELD_PATH, AT(user_draft, user.certificate_path) },
    { "client-certificate-data", KIN__FIELD_DATA, AT(user_draft, user.certificate_data) },
    { "client-key", KIN__FIELD_PATH, AT(user_draft, user.key_path) },
    { "client-key-data", KIN__FIELD_DATA, AT(user_draft, user.key_data) },
    { "token", KIN__FIELD_TEXT, AT(user_draft, user.token) },
    { "tokenFile", KIN__FIELD_PATH, AT(user_draft, user.token_path) },
    { "username", KIN__FIELD_TEXT, AT(user_draft, user.username) },
    { "password", KIN__FIELD_TEXT, AT(user_draft, user.password) },
    { "as", KIN__FIELD_TEXT, AT(user_draft, user.as) },
    { "as-uid", KIN__FIELD_TEXT, AT(user_draft, user.as_uid) },
    { "as-groups", KIN__FIELD_TEXTS, AT(user_draft, user.as_groups) },
    { "as-user-extra", KIN__FIELD_NODE, AT(user_draft, extras) },
    { "auth-provider", KIN__FIELD_NODE, AT(user_draft, auth_provider) },
    { "exec", KIN__FIELD_NODE, AT(user_draft, exec) },
    { NULL, KIN__FIELD_TEXT, 0 },
};

static const kin__field exec_fields[] = {
    { "command", KIN__FIELD_TEXT, AT(exec_draft, exec.command) },
    { "args", KIN__FIELD_TEXTS, AT(exec_draft, exec.arguments) },
    { "env", KIN__FIELD_NODE, AT(exec_draft, variables) },
    { "apiVersion", KIN__FIELD_TEXT, AT(exec_draft, exec.api_version) },
    { "installHint", KIN__FIELD_TEXT, AT(exec_draft, exec.install_hint) },
    { "interactiveMode", KIN__FIELD_TEXT, AT(exec_draft, exec.interactive_mode) },
    { "provideClusterInfo", KIN__FIELD_FLAG, AT(exec_draft, exec.wants_cluster) },
    { NULL, KIN__FIELD_TEXT, 0 },
};

static const kin__field context_fields[] = {
    { "cluster", KIN__FIELD_TEXT, AT(kin__context, cluster) },
    { "user", KIN__FIELD_TEXT, AT(kin__context, user) },
    { "namespace", KIN__FIELD_TEXT, AT(kin__context, ns) },
    { NULL, KIN__FIELD_TEXT, 0 },
};

static kin_err read_text(kin_str text, const char *directory, kin__kubeconfig *out, kin_error *err);
static kin_err check_version(const top_level *top, kin_error *err);
static kin_err read_entries(const kin__yaml *list, const char *noun, const char *member,
                            read_fn read, const kin__field_home *home, const kin__entry **out,
                            kin_error *err);
static kin_err read_entry(const kin__yaml *node, const char *noun, const char *member, read_fn read,
                          const kin__field_home *home, kin__entry *out, kin_error *err);
static kin_err read_cluster(const kin__yaml *node, const kin__field_home *home, const void **out,
                            kin_error *err);
static kin_err read_user(const kin__yaml *node, const kin__field_home *home, const void **out,
                         kin_error *err);
static kin_err read_context(const kin__yaml *node, const kin__field_home *home, const void **out,
                            kin_error *err);
static kin_err read_extensions(const kin__yaml *list, const kin__field_home *home, kin_str *out,
                               kin_error *err);
static kin_err to_json(const kin__yaml *node, kin__vault *vault, kin_str *out, kin_error *err);
static kin_err read_extras(const kin__yaml *map, const kin__field_home *home, kin__user *out,
                           kin_error *err);
static int compare_extras(const void *context, const void *a, const void *b);
static kin_err read_auth_provider(const kin__yaml *node, const kin__field_home *home,
                                  const char **out, kin_error *err);
static kin_err read_exec(const kin__yaml *node, const kin__field_home *home, const kin__exec **out,
                         kin_error *err);
static kin_err read_variables(const kin__yaml *list, const kin__field_home *home, kin__exec *out,
                              kin_error *err);
static kin_err copy_extras(const kin__user *from, kin__vault *vault, kin__user *out,
                           kin_error *err);
static kin_err copy_exec(const kin__exec *from, kin__vault *vault, const kin__exec **out,
                         kin_error *err);
static kin_err copy_text(const char *text, kin__vault *vault, const char **out, kin_error *err);
static size_t count_items(const kin__yaml *node);
static kin_err expect(const kin__yaml *node, kin__yaml_type type, const char *what, kin_error *err);

void kin__kubeconfig_fini(kin__kubeconfig *kubeconfig)
{
    kin__vault_fini(&kubeconfig->vault);
    *kubeconfig = (kin__kubeconfig){ 0 };
}

kin_err kin__kubeconfig_read(kin_str text, const char *path, const char *directory,
                             kin__kubeconfig *out, kin_error *err)
{
    static const char format[] = "kubeconfig \"%s\"";
    AUTO(kin__kubeconfig_fini) kin__kubeconfig made = { 0 };
    AUTO(kin__buf_fini) kin__buf title = { 0 };

    if (path != NULL) {
        (void) kin__buf_append_format(&title, format, path); /* the buffer remembers */
    } else {
        (void) kin__buf_append_str(&title, STR("kubeconfig"));
    }
    made.title = kin__vault_copy(&made.vault, kin__str(title.data, title.len));
    if (made.title == NULL || kin__buf_failed(&title)) {
        return kin__error_no_memory(err);
    }
    kin_err code = KIN_OK;
    if (text.len > KIN__KUBECONFIG_BYTES_MAX) {
        code =
            kin__error_set(err, KIN_ERR_LIMIT, "larger than %zu bytes", KIN__KUBECONFIG_BYTES_MAX);
    } else {
        code = read_text(text, directory, &made, err);
    }
    if (code != KIN_OK) {
        return kin__error_prefix(err, "%s", made.title);
    }
    *out = made;
    made = (kin__kubeconfig){ 0 };
    return KIN_OK;
}

bool kin__kubeconfig_is_empty(const kin__kubeconfig *kubeconfig)
{
    return kubeconfig->clusters == NULL && kubeconfig->users == NULL &&
           kubeconfig->contexts == NULL && kubeconfig->current_context == NULL;
}

const void *kin__entry_find(const kin__entry *entries, const char *name)
{
    for (; entries != NULL; entries = entries->next) {
        if (strcmp(entries->name, name) == 0) {
            return entries->value;
        }
    }
    return NULL;
}

kin_err kin__cluster_copy(const kin__cluster *from, kin__vault *vault, kin__cluster *out,
                          kin_error *err)
{
    cluster_draft draft = { 0 };
    cluster_draft source = { .cluster = *from };

    if (kin__fields_copy(&source, cluster_fields, vault, &draft, err) != KIN_OK) {
        return err->code;
    }
    const char *config = kin__vault_copy(vault, from->exec_config);
    if (config == NULL) {
        return kin__error_no_memory(err);
    }
    draft.cluster.exec_config = kin__str(config, from->exec_config.len);
    *out = draft.cluster;
    return KIN_OK;
}

kin_err kin__user_copy(const kin__user *from, kin__vault *vault, kin__user *out, kin_error *err)
{
    user_draft draft = { 0 };
    user_draft source = { .user = *from };

    if (kin__fields_copy(&source, user_fields, vault, &draft, err) != KIN_OK ||
        copy_text(from->auth_provider, vault, &draft.user.auth_provider, err) != KIN_OK ||
        copy_extras(from, vault, &draft.user, err) != KIN_OK ||
        copy_exec(from->exec, vault, &draft.user.exec, err) != KIN_OK) {
        return err->code;
    }
    *out = draft.user;
    return KIN_OK;
}

static kin_err read_text(kin_str text, const char *directory, kin__kubeconfig *out, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault scratch = { 0 };
    kin__field_home home = { &out->vault, directory };
    const kin__yaml *root;
    top_level top = { 0 };

    if (kin__yaml_parse(text, &scratch, &root, err) != KIN_OK ||
        kin__fields_read(root, top_fields, &home, &top, err) != KIN_OK ||
        check_version(&top, err) != KIN_OK) {
        return err->code;
    }
    out->current_context = top.current_context;
    if (read_entries(top.clusters, "cluster", "cluster", read_cluster, &home, &out->clusters,
                     err) != KIN_OK ||
        read_entries(top.users, "user", "user", read_user, &home, &out->users, err) != KIN_OK ||
        read_entries(top.contexts, "context", "context", read_context, &home, &out->contexts,
                     err) != KIN_OK) {
        return err->code;
    }
    return KIN_OK;
}

static kin_err check_version(const top_level *top, kin_error *err)
{
    if (top->kind != NULL && strcmp(top->kind, "Config") != 0) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "its kind is not \"Config\"");
    }
    if (top->api_version != NULL && strcmp(top->api_version, "v1") != 0) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "its apiVersion is not \"v1\"");
    }
    return KIN_OK;
}

/* A list of { name: ..., MEMBER: ... }. */
static kin_err read_entries(const kin__yaml *list, const char *noun, const char *member,
                            read_fn read, const kin__field_home *home, const kin__entry **out,
                            kin_error *err)
{
    AUTO(kin__map_clear) kin__map names = { 0 };
    kin__entry *last = NULL;

    if (list == NULL) {
        return KIN_OK;
    }
    if (list->type != KIN__YAML_LIST) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "line %u: %ss: expected a list, found %s",
                              (unsigned) list->line, noun, kin__yaml_type_name(list->type));
    }
    for (const kin__yaml_item *item = list->items; item != NULL; item = item->next) {
        kin__entry *entry = kin__vault_alloc(home->vault, sizeof *entry);
        void *before = NULL;
        if (entry == NULL) {
            return kin__error_no_memory(err);
        }
        if (read_entry(item->value, noun, member, read, home, entry, err) != KIN_OK ||
            kin__map_put(&names, kin_str_of(entry->name), entry, &before, err) != KIN_OK) {
            return err->code;
        }
        if (before != NULL) {
            return kin__error_set(err, KIN_ERR_MALFORMED,
                                  "line %u: %ss: duplicate name \"%.*s\" in list",
                                  (unsigned) item->value->line, noun, NAME_SHOWN, entry->name);
        }
        if (last == NULL) {
            *out = entry;
        } else {
            last->next = entry;
        }
        last = entry;
    }
    return KIN_OK;
}

static kin_err read_entry(const kin__yaml *node, const char *noun, const char *member, read_fn read,
                          const kin__field_home *home, kin__entry *out, kin_error *err)
{
    const kin__field fields[] = {
        { "name", KIN__FIELD_TEXT, AT(named, name) },
        { member, KIN__FIELD_NODE, AT(named, value) },
        { NULL, KIN__FIELD_TEXT, 0 },
    };
    named entry = { 0 };

    if (kin__fields_read(node, fields, home, &entry, err) != KIN_OK) {
        return kin__error_prefix(err, "%ss", noun);
    }
    out->name = entry.name != NULL ? entry.name : "";
    if (read(entry.value, home, &out->value, err) != KIN_OK) {
        return kin__error_prefix(err, "%s \"%.*s\"", noun, NAME_SHOWN, out->name);
    }
    return KIN_OK;
}

static kin_err read_cluster(const kin__yaml *node, const kin__field_home *home, const void **out,
                            kin_error *err)
{
    cluster_draft *draft = kin__vault_alloc(home->vault, sizeof *draft);

    if (draft == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__fields_read(node, cluster_fields, home, draft, err) != KIN_OK ||
        read_extensions(draft->extensions, home, &draft->cluster.exec_config, err) != KIN_OK) {
        return err->code;
    }
    *out = &draft->cluster;
    return KIN_OK;
}

static kin_err read_user(const kin__yaml *node, const kin__field_home *home, const void **out,
                         kin_error *err)
{
    user_draft *draft = kin__vault_alloc(home->vault, sizeof *draft);

    if (draft == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__fields_read(node, user_fields, home, draft, err) != KIN_OK ||
        read_extras(draft->extras, home, &draft->user, err) != KIN_OK ||
        read_auth_provider(draft->auth_provider, home, &draft->user.auth_provider, err) != KIN_OK ||
        read_exec(draft->exec, home, &draft->user.exec, err) != KIN_OK) {
        return err->code;
    }
    *out = &draft->user;
    return KIN_OK;
}

static kin_err read_context(const kin__yaml *node, const kin__field_home *home, const void **out,
                            kin_error *err)
{
    kin__context *context = kin__vault_alloc(home->vault, sizeof *context);

    if (context == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__fields_read(node, context_fields, home, context, err) != KIN_OK) {
        return err->code;
    }
    *out = context;
    return KIN_OK;
}

/* The one extension that means something to us: what exec plugins are told of the cluster. */
static kin_err read_extensions(const kin__yaml *list, const kin__field_home *home, kin_str *out,
                               kin_error *err)
{
    static const kin__field fields[] = {
        { "name", KIN__FIELD_TEXT, AT(named, name) },
        { "extension", KIN__FIELD_NODE, AT(named, value) },
        { NULL, KIN__FIELD_TEXT, 0 },
    };

    if (list == NULL) {
        return KIN_OK;
    }
    if (expect(list, KIN__YAML_LIST, "extensions", err) != KIN_OK) {
        return err->code;
    }
    for (const kin__yaml_item *item = list->items; item != NULL; item = item->next) {
        named entry = { 0 };
        if (kin__fields_read(item->value, fields, home, &entry, err) != KIN_OK) {
            return kin__error_prefix(err, "extensions");
        }
        if (entry.name != NULL && strcmp(entry.name, "client.authentication.k8s.io/exec") == 0 &&
            entry.value != NULL && to_json(entry.value, home->vault, out, err) != KIN_OK) {
            return kin__error_prefix(err, "extensions");
        }
    }
    return KIN_OK;
}

/* The buffer has room for all of it from the start, so that growing leaves no copy behind. */
static kin_err to_json(const kin__yaml *node, kin__vault *vault, kin_str *out, kin_error *err)
{
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    kin__json_writer w = { &json, false };

    if (!kin__buf_reserve(&json, 6 * node->weight)) {
        return kin__error_no_memory(err);
    }
    kin_err code = kin__yaml_write_json(node, &w, err);
    if (code == KIN_OK) {
        const char *copy = kin__vault_copy(vault, kin__str(json.data, json.len));
        if (copy == NULL || kin__buf_failed(&json)) {
            code = kin__error_no_memory(err);
        } else {
            *out = kin__str(copy, json.len);
        }
    }
    explicit_bzero(json.data, json.len);
    return code;
}

static kin_err read_extras(const kin__yaml *map, const kin__field_home *home, kin__user *out,
                           kin_error *err)
{
    size_t count = 0;

    if (map == NULL) {
        return KIN_OK;
    }
    if (expect(map, KIN__YAML_MAP, "as-user-extra", err) != KIN_OK) {
        return err->code;
    }
    kin__extra *extras = kin__vault_alloc(home->vault, count_items(map) * sizeof *extras);
    if (extras == NULL) {
        return kin__error_no_memory(err);
    }
    for (const kin__yaml_item *item = map->items; item != NULL; item = item->next) {
        static const char *const none[] = { NULL };
        kin__extra *extra = &extras[count++];
        extra->values = none;
        if (memchr(item->key.data, '\0', item->key.len) != NULL) {
            return kin__error_set(err, KIN_ERR_MALFORMED, "as-user-extra: a key with a NUL in it");
        }
        extra->key = kin__vault_copy(home->vault, item->key);
        if (extra->key == NULL) {
            return kin__error_no_memory(err);
        }
        if (item->value->type != KIN__YAML_NULL &&
            kin__field_texts(item->value, "as-user-extra", home->vault, &extra->values, err) !=
                KIN_OK) {
            return err->code;
        }
    }
    kin__sort(extras, count, sizeof *extras, compare_extras, NULL);
    out->extras = extras;
    out->extra_count = count;
    return KIN_OK;
}

static int compare_extras(const void *context, const void *a, const void *b)
{
    (void) context;
    return strcmp(((const kin__extra *) a)->key, ((const kin__extra *) b)->key);
}

static kin_err read_auth_provider(const kin__yaml *node, const kin__field_home *home,
                                  const char **out, kin_error *err)
{
    static const kin__field fields[] = {
        { "name", KIN__FIELD_TEXT, AT(named, name) },
        { NULL, KIN__FIELD_TEXT, 0 },
    };
    named provider = { 0 };

    if (node == NULL) {
        return KIN_OK;
    }
    if (kin__fields_read(node, fields, home, &provider, err) != KIN_OK) {
        return kin__error_prefix(err, "auth-provider");
    }
    *out = provider.name != NULL ? provider.name : "";
    return KIN_OK;
}

static kin_err read_exec(const kin__yaml *node, const kin__field_home *home, const kin__exec **out,
                         kin_error *err)
{
    if (node == NULL) {
        return KIN_OK;
    }
    exec_draft *draft = kin__vault_alloc(home->vault, sizeof *draft);
    if (draft == NULL) {
        return kin__error_no_memory(err);
    }
    kin__exec *exec = &draft->exec;
    if (kin__fields_read(node, exec_fields, home, draft, err) != KIN_OK ||
        read_variables(draft->variables, home, exec, err) != KIN_OK) {
        return kin__error_prefix(err, "exec");
    }
    /* A bare name is searched in PATH; what has a slash is relative to the file. */
    if (exec->command != NULL && strchr(exec->command, '/') != NULL) {
        exec->command = kin__path_from(home->directory, exec->command, home->vault);
        if (exec->command == NULL) {
            return kin__error_no_memory(err);
        }
    }
    *out = exec;
    return KIN_OK;
}

static kin_err read_variables(const kin__yaml *list, const kin__field_home *home, kin__exec *out,
                              kin_error *err)
{
    static const kin__field fields[] = {
        { "name", KIN__FIELD_TEXT, AT(kin__variable, name) },
        { "value", KIN__FIELD_TEXT, AT(kin__variable, value) },
        { NULL, KIN__FIELD_TEXT, 0 },
    };
    size_t count = 0;

    if (list == NULL) {
        return KIN_OK;
    }
    if (expect(list, KIN__YAML_LIST, "env", err) != KIN_OK) {
        return err->code;
    }
    kin__variable *variables = kin__vault_alloc(home->vault, count_items(list) * sizeof *variables);
    if (variables == NULL) {
        return kin__error_no_memory(err);
    }
    for (const kin__yaml_item *item = list->items; item != NULL; item = item->next) {
        kin__variable *variable = &variables[count++];
        if (kin__fields_read(item->value, fields, home, variable, err) != KIN_OK) {
            return kin__error_prefix(err, "env");
        }
        variable->name = variable->name != NULL ? variable->name : "";
        variable->value = variable->value != NULL ? variable->value : "";
    }
    out->variables = variables;
    out->variable_count = count;
    return KIN_OK;
}

static kin_err copy_extras(const kin__user *from, kin__vault *vault, kin__user *out, kin_error *err)
{
    kin__extra *extras = kin__vault_alloc(vault, from->extra_count * sizeof *extras);

    if (extras == NULL) {
        return kin__error_no_memory(err);
    }
    for (size_t i = 0; i < from->extra_count; i++) {
        if (copy_text(from->extras[i].key, vault, &extras[i].key, err) != KIN_OK ||
            kin__texts_copy(from->extras[i].values, vault, &extras[i].values, err) != KIN_OK) {
            return err->code;
        }
    }
    out->extras = extras;
    out->extra_count = from->extra_count;
    return KIN_OK;
}

static kin_err copy_exec(const kin__exec *from, kin__vault *vault, const kin__exec **out,
                         kin_error *err)
{
    if (from == NULL) {
        return KIN_OK;
    }
    exec_draft source = { .exec = *from };
    exec_draft *copy = kin__vault_alloc(vault, sizeof *copy);
    kin__variable *variables = kin__vault_alloc(vault, from->variable_count * sizeof *variables);
    if (copy == NULL || variables == NULL) {
        return kin__error_no_memory(err);
    }
    if (kin__fields_copy(&source, exec_fields, vault, copy, err) != KIN_OK) {
        return err->code;
    }
    for (size_t i = 0; i < from->variable_count; i++) {
        if (copy_text(from->variables[i].name, vault, &variables[i].name, err) != KIN_OK ||
            copy_text(from->variables[i].value, vault, &variables[i].value, err) != KIN_OK) {
            return err->code;
        }
    }
    copy->exec.variables = variables;
    copy->exec.variable_count = from->variable_count;
    *out = &copy->exec;
    return KIN_OK;
}

static kin_err copy_text(const char *text, kin__vault *vault, const char **out, kin_error *err)
{
    const char *copy = text != NULL ? kin__vault_copy(vault, kin_str_of(text)) : NULL;

    if (text != NULL && copy == NULL) {
        return kin__error_no_memory(err);
    }
    *out = copy;
    return KIN_OK;
}

static size_t count_items(const kin__yaml *node)
{
    size_t count = 0;

    for (const kin__yaml_item *item = node->items; item != NULL; item = item->next) {
        count++;
    }
    return count;
}

static kin_err expect(const kin__yaml *node, kin__yaml_type type, const char *what, kin_error *err)
{
    if (node->type == type) {
        return KIN_OK;
    }
    return kin__error_set(err, KIN_ERR_MALFORMED, "line %u: %s: expected %s, found %s",
                          (unsigned) node->line, what, kin__yaml_type_name(type),
                          kin__yaml_type_name(node->type));
}
