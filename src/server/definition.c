/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition.c - CustomResourceDefinitions: what they say, and that it comes true.
 */
#include "server/definition.h"

#include "server/condition.h"
#include "server/deprecation.h"
#include "server/field.h"
#include "server/identity.h"
#include "server/namespaces.h"
#include "server/watch.h"

#define CLEANUP "customresourcecleanup.apiextensions.k8s.io"
#define ALL_VERBS                                                                                  \
    (KIN__VERB_GET | KIN__VERB_LIST | KIN__VERB_WATCH | KIN__VERB_CREATE | KIN__VERB_UPDATE |      \
     KIN__VERB_PATCH | KIN__VERB_DELETE | KIN__VERB_DELETE_COLLECTION)
#define SUB_VERBS (KIN__VERB_GET | KIN__VERB_UPDATE | KIN__VERB_PATCH)

static bool default_names(kin__node *names);
static bool note_stored_version(kin__write *write);
static const kin__node *storage_version(const kin__node *spec);
static bool serve_version(kin__engine *engine, kin__record *definition, const kin__node *spec,
                          const kin__node *version);
static bool is_built_in(const kin__engine *engine, kin_str group, kin_str resource);
static void fill_names(const kin__node *list, size_t max, kin__buf *words, const char **out);
static void drop_old_versions(kin__engine *engine, const kin__node *spec);
static void tell_watches(kin__engine *engine);
static const kin__node *version_named(const kin__node *spec, kin_str name);
static bool establish(kin__engine *engine, kin__record *definition, bool *waits);
static bool clean_up(kin__engine *engine, kin__record *definition, const kin__node *tree,
                     size_t *budget, bool *waits);
static kin__served *find_custom(const kin__engine *engine, kin_str group, kin_str resource);
static bool set_condition(kin__engine *engine, kin__node *object, const char *type,
                          const char *status, const char *reason, const char *message);
static bool begin(kin__engine *engine, kin__record *definition, const char *sub, kin__write *write);
static bool finish(kin__write *write);

bool kin__definition_prepare(kin__write *write)
{
    kin__node *spec = kin__field_make(write->object, "spec", KIN_TYPE_OBJECT);
    kin__node *names = spec == NULL ? NULL : kin__field_make(spec, "names", KIN_TYPE_OBJECT);

    return names != NULL && default_names(names) &&
           kin__field_default_json(spec, "conversion", "{\"strategy\":\"None\"}") &&
           note_stored_version(write);
}

bool kin__definition_mark(kin__write *write)
{
    char now[KIN__PB_TIME_MAX];

    write->object = kin__tree_copy(write->old);
    kin__node *metadata = write->object == NULL ? NULL : kin__write_metadata(write);
    if (metadata == NULL) {
        return false;
    }
    if (kin__field(metadata, "deletionTimestamp") != NULL) {
        return true;
    }
    kin__node *finalizers = kin__field_make(metadata, "finalizers", KIN_TYPE_ARRAY);
    return finalizers != NULL && kin__field_append_text(finalizers, STR(CLEANUP)) &&
           kin__field_set_text(metadata, "deletionTimestamp",
                               kin__identity_time(write->engine, 0, now)) &&
           set_condition(write->engine, write->object, "Terminating", "True",
                         "InstanceDeletionPending",
                         "CustomResourceDefinition marked for deletion; CustomResource deletion "
                         "will begin soon");
}

bool kin__definition_serve(kin__engine *engine, kin__record *definition)
{
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin__record_text(definition));
    const kin__node *spec = kin__field(tree, "spec");
    const kin__node *versions = kin__field(spec, "versions");
    kin__node_iter iter = { 0 };
    bool is_well = tree != NULL;

    if (is_built_in(engine, kin__field_text(spec, "group"),
                    kin__field_text(kin__field(spec, "names"), "plural"))) {
        return true;
    }
    while (is_well && versions != NULL && kin__node_next(versions, &iter)) {
        if (kin__field_is_true(iter.value, "served")) {
            is_well = serve_version(engine, definition, spec, iter.value);
        }
    }
    if (is_well) {
        drop_old_versions(engine, spec);
    }
    return is_well;
}

void kin__definition_end(kin__engine *engine, kin__record *definition)
{
    /* The name is plural.group. */
    kin_str name = kin_object_name(definition->object);
    const char *dot = name.len == 0 ? NULL : memchr(name.data, '.', name.len);

    if (dot != NULL) {
        size_t len = (size_t) (dot - name.data);
        kin__shelf_remove(engine->shelf, kin__str(dot + 1, name.len - len - 1),
                          kin__str(name.data, len));
        tell_watches(engine);
    }
}

bool kin__definition_is_settled(const kin__record *definition)
{
    const kin_object *object = definition->object;
    kin_value conditions = kin_object_at(object, "status.conditions");
    bool has_its_names = false;
    kin_time unused;

    return !kin_object_deletion_time(object, &unused) &&
           kin_value_type(conditions) == KIN_TYPE_ARRAY && kin_value_count(conditions) > 0 &&
           kin_value_equal(kin_object_at(object, "spec.names"),
                           kin_object_at(object, "status.acceptedNames"),
                           &has_its_names) == KIN_OK &&
           has_its_names;
}

bool kin__definition_tend(kin__engine *engine, kin__record *definition, size_t *budget, bool *waits)
{
    kin_time unused;

    if (kin__definition_is_settled(definition)) {
        return false;
    }
    if (!kin_object_deletion_time(definition->object, &unused)) {
        return kin__definition_serve(engine, definition) && establish(engine, definition, waits);
    }
    AUTO(kin__node_free) kin__node *tree = kin__tree_of(kin__record_text(definition));
    return tree != NULL && clean_up(engine, definition, tree, budget, waits);
}

static bool default_names(kin__node *names)
{
    kin_str kind = kin__field_text(names, "kind");
    AUTO(kin__buf_fini) kin__buf text = { 0 };

    if (kind.len == 0) {
        return true;
    }
    if (kin__field_text(names, "singular").len == 0) {
        (void) kin__buf_append_str(&text, kind);
        for (size_t i = 0; i < text.len; i++) {
            char c = text.data[i];
            text.data[i] = c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
        }
        if (kin__buf_failed(&text) ||
            !kin__field_set_text(names, "singular", kin__str(text.data, text.len))) {
            return false;
        }
    }
    if (kin__field_text(names, "listKind").len == 0) {
        kin__buf_clear(&text);
        (void) kin__buf_append_str(&text, kind);
        (void) kin__buf_append_str(&text, STR("List"));
        return !kin__buf_failed(&text) &&
               kin__field_set_text(names, "listKind", kin__str(text.data, text.len));
    }
    return true;
}

/* Every version that objects were ever kept in. */
static bool note_stored_version(kin__write *write)
{
    const kin__node *storage = storage_version(kin__field(write->object, "spec"));
    kin_str version = kin__field_text(storage, "name");
    kin__node *status = kin__field_make(write->object, "status", KIN_TYPE_OBJECT);
    kin__node_iter iter = { 0 };

    if (status == NULL || storage == NULL) {
        return status != NULL;
    }
    kin__node *stored = kin__field_make(status, "storedVersions", KIN_TYPE_ARRAY);
    while (stored != NULL && kin__node_next(stored, &iter)) {
        if (kin__str_equal(kin__node_text(iter.value), version)) {
            return true;
        }
    }
    return stored != NULL && kin__field_append_text(stored, version) &&
           kin__field_default_json(status, "acceptedNames", "{\"plural\":\"\",\"kind\":\"\"}");
}

/* The first that is stored; NULL: none is. */
static const kin__node *storage_version(const kin__node *spec)
{
    const kin__node *versions = kin__field(spec, "versions");
    kin__node_iter iter = { 0 };

    while (versions != NULL && kin__node_next(versions, &iter)) {
        if (kin__field_is_true(iter.value, "storage")) {
            return iter.value;
        }
    }
    return NULL;
}

static bool serve_version(kin__engine *engine, kin__record *definition, const kin__node *spec,
                          const kin__node *version)
{
    const kin__node *names = kin__field(spec, "names");
    const kin__node *subresources = kin__field(version, "subresources");
    bool has_status = kin__field(subresources, "status") != NULL;
    bool has_scale = kin__field(subresources, "scale") != NULL;
    kin__served_sub subs[3] = { { 0 } };
    AUTO(kin__buf_fini) kin__buf words = { 0 };
    AUTO(kin__buf_fini) kin__buf warning = { 0 };
    size_t count = 0;
    kin_error err;

    if (has_status) {
        subs[count++] = (kin__served_sub){ "status", "", "", "", SUB_VERBS };
    }
    if (has_scale) {
        subs[count++] = (kin__served_sub){ "scale", "autoscaling", "v1", "Scale", SUB_VERBS };
    }
    kin__deprecation_append(spec, version, &warning);
    kin__served served = {
        .group = kin__field_text(spec, "group"),
        .version = kin__field_text(version, "name"),
        .resource = kin__field_text(names, "plural"),
        .singular = kin__field_text(names, "singular"),
        .kind = kin__field_text(names, "kind"),
        .list_kind = kin__field_text(names, "listKind"),
        .is_namespaced = kin__str_equal(kin__field_text(spec, "scope"), STR("Namespaced")),
        .is_stored = kin__field_is_true(version, "storage"),
        .verbs = ALL_VERBS,
        .traits = KIN__IS_CUSTOM | KIN__HAS_GENERATION | KIN__UPDATES_ONLY_BY_VERSION |
                  (has_status ? KIN__HAS_STATUS : 0u) | (has_scale ? KIN__HAS_SCALE : 0u),
        .name_rule = KIN__NAME_SUBDOMAIN,
        .message = KIN__PB_NO_MESSAGE,
        .warning = kin__str(warning.data, warning.len),
        .storage_hash = "",
        .subs = count == 0 ? NULL : subs,
    };
    (void) kin__buf_reserve(&words, 1024); /* what points into it must not move */
    fill_names(kin__field(names, "shortNames"), KIN__SERVED_SHORT_NAMES, &words,
               served.short_names);
    fill_names(kin__field(names, "categories"), KIN__SERVED_CATEGORIES, &words, served.categories);
    return !kin__buf_failed(&words) && !kin__buf_failed(&warning) &&
           kin__shelf_add(engine->shelf, &served, definition, &err) == KIN_OK;
}

/* Then a definition of that name changes nothing: the server's own resource is found first. */
static bool is_built_in(const kin__engine *engine, kin_str group, kin_str resource)
{
    const kin__served *served;

    for (size_t i = 0; (served = kin__shelf_at(engine->shelf, i)) != NULL; i++) {
        if ((served->traits & KIN__IS_CUSTOM) == 0 && kin__str_equal(served->group, group) &&
            kin__str_equal(served->resource, resource)) {
            return true;
        }
    }
    return false;
}

/* Those beyond `max`, and what does not fit, are not told. */
static void fill_names(const kin__node *list, size_t max, kin__buf *words, const char **out)
{
    kin__node_iter iter = { 0 };
    size_t count = 0;

    while (list != NULL && count < max && kin__node_next(list, &iter)) {
        kin_str name = kin__node_text(iter.value);
        if (words->capacity - words->len <= name.len) {
            return;
        }
        out[count++] = words->data + words->len;
        (void) kin__buf_append_str(words, name);
        (void) kin__buf_append_byte(words, '\0');
    }
}

static void drop_old_versions(kin__engine *engine, const kin__node *spec)
{
    kin_str group = kin__field_text(spec, "group");
    kin_str plural = kin__field_text(kin__field(spec, "names"), "plural");

    for (size_t i = 0; kin__shelf_at(engine->shelf, i) != NULL;) {
        kin__served *served = kin__shelf_at(engine->shelf, i);
        if ((served->traits & KIN__IS_CUSTOM) != 0 && kin__str_equal(served->group, group) &&
            kin__str_equal(served->resource, plural) &&
            !kin__field_is_true(version_named(spec, served->version), "served")) {
            kin__served *held = kin__served_ref(served); /* its texts are the arguments */
            kin__shelf_remove_version(engine->shelf, group, held->version, plural);
            kin__served_unref(held);
        } else {
            i++;
        }
    }
    tell_watches(engine);
}

/* Those of a resource that is gone end. */
static void tell_watches(kin__engine *engine)
{
    if (engine->watchers != NULL) {
        kin__watchers_look(engine->watchers);
    }
}

static const kin__node *version_named(const kin__node *spec, kin_str name)
{
    const kin__node *versions = kin__field(spec, "versions");
    kin__node_iter iter = { 0 };

    while (versions != NULL && kin__node_next(versions, &iter)) {
        if (kin__str_equal(kin__field_text(iter.value, "name"), name)) {
            return iter.value;
        }
    }
    return NULL;
}

/* The two steps of the real controllers in one: all names are accepted, even those that another
 * definition of the group has.  False: nothing is left to do. */
static bool establish(kin__engine *engine, kin__record *definition, bool *waits)
{
    AUTO(kin__write_fini) kin__write write = { 0 };

    if (!begin(engine, definition, "status", &write)) {
        *waits = true;
        return false;
    }
    kin__node *status = kin__field_make(write.object, "status", KIN_TYPE_OBJECT);
    const kin__node *names = kin__field_at(write.object, "spec", "names");
    if (status == NULL || names == NULL ||
        !kin__field_set(status, "acceptedNames", kin__tree_copy(names)) ||
        !set_condition(engine, write.object, "NamesAccepted", "True", "NoConflicts",
                       "no conflicts found") ||
        !set_condition(engine, write.object, "Established", "True", "InitialNamesAccepted",
                       "the initial names have been accepted") ||
        !finish(&write)) {
        *waits = true;
    }
    return false;
}

static bool clean_up(kin__engine *engine, kin__record *definition, const kin__node *tree,
                     size_t *budget, bool *waits)
{
    const kin__node *spec = kin__field(tree, "spec");
    const kin__node *terminating = kin__condition_of(tree, "Terminating");
    kin_str group = kin__field_text(spec, "group");
    kin_str plural = kin__field_text(kin__field(spec, "names"), "plural");
    AUTO(kin__write_fini) kin__write write = { 0 };
    size_t left = 0;

    if (!kin__str_equal(kin__field_text(terminating, "reason"),
                        STR("InstanceDeletionInProgress"))) {
        return begin(engine, definition, "status", &write) &&
               set_condition(engine, write.object, "Terminating", "True",
                             "InstanceDeletionInProgress",
                             "CustomResource deletion is in progress") &&
               finish(&write);
    }
    kin__served *served = find_custom(engine, group, plural);
    if (served != NULL && !kin__collection_empty(engine, served, STR(""), budget, &left)) {
        return false;
    }
    if (left > 0) {
        *waits = *budget > 0;
        return *budget == 0;
    }
    if (!begin(engine, definition, "", &write)) {
        return false;
    }
    kin__node *finalizers = kin__field_at(write.object, "metadata", "finalizers");
    for (size_t i = finalizers == NULL ? 0 : kin__node_count(finalizers); i-- > 0;) {
        if (kin__str_equal(kin__node_text(kin__node_element(finalizers, i)), STR(CLEANUP))) {
            kin__node_remove_element(finalizers, i);
        }
    }
    (void) finish(&write);
    return false;
}

/* Any version, served or stowed away; NULL: none ever was. */
static kin__served *find_custom(const kin__engine *engine, kin_str group, kin_str resource)
{
    kin__served *served = NULL;

    for (size_t i = 0; (served = kin__shelf_at(engine->shelf, i)) != NULL; i++) {
        if ((served->traits & KIN__IS_CUSTOM) != 0 && kin__str_equal(served->group, group) &&
            kin__str_equal(served->resource, resource)) {
            return served;
        }
    }
    while ((served = kin__shelf_stowed(engine->shelf, served)) != NULL) {
        if (kin__str_equal(served->group, group) && kin__str_equal(served->resource, resource)) {
            return served;
        }
    }
    return NULL;
}

static bool set_condition(kin__engine *engine, kin__node *object, const char *type,
                          const char *status, const char *reason, const char *message)
{
    const kin__condition condition = { type, status, reason, message };

    return kin__condition_set(engine, object, &condition);
}

/* A write of a definition that is there, beginning with what it is. */
static bool begin(kin__engine *engine, kin__record *definition, const char *sub, kin__write *write)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__served *served = kin__shelf_find(engine->shelf, STR("apiextensions.k8s.io"), STR("v1"),
                                          STR("customresourcedefinitions"));

    if (served == NULL) {
        return false;
    }
    kin__write_init(write, engine, served);
    write->sub = kin_str_of(sub);
    if (!kin__write_load(write, STR(""), kin_object_name(definition->object), &no) ||
        write->before == NULL) {
        return false;
    }
    write->object = kin__tree_copy(write->old);
    return write->object != NULL;
}

static bool finish(kin__write *write)
{
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    AUTO(kin__record_unref) kin__record *after = NULL;

    return kin__update(write, &after, &no);
}
