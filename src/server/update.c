/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update.c - PUT: an object in the place of the one that is there.
 *
 * A uid and a resource version in the object are preconditions.  What only the server says stays as
 * it was, and an update that takes away the last thing a deletion waited for is that deletion.
 */
#include <inttypes.h>
#include <stdio.h>

#include "server/field.h"
#include "server/metadata_check.h"
#include "server/quote.h"
#include "server/scale.h"
#include "server/strategy.h"
#include "server/write_options.h"

static bool create_instead(kin__asked *asked, kin__write *write, kin__answer *answer,
                           kin__refusal *no);
static bool check_uid(const kin__write *write, kin_str ns, kin_str name, kin_str uid,
                      kin__refusal *no);
static void append_storage_key(const kin__served *served, kin_str ns, kin_str name, kin__buf *out);
static bool check_version(kin__write *write, kin_str version, kin__refusal *no);
static bool read_version(kin_str text, uint64_t *out, kin__refusal *no);
static bool keep_metadata(kin__write *write);
static bool keep_managers(kin__node *metadata, const kin__node *old);
static bool check(kin__write *write, kin__refusal *no);
static bool is_deletion(const kin__write *write);

bool kin__serve_update(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__write_fini) kin__write write = { 0 };
    AUTO(kin__record_unref) kin__record *made = NULL;
    kin__write_options options;
    kin__route *route = &asked->route;

    if (!kin__write_options_read(&asked->params, "UpdateOptions", &options, no)) {
        return false;
    }
    if (kin__str_equal(route->sub, STR("scale"))) {
        return kin__serve_scale_update(asked, &options, answer, no);
    }
    kin__write_init(&write, asked->engine, route->served);
    write.is_dry = options.is_dry;
    write.sub = route->sub;
    if (!kin__write_decode(asked, &write, options.validation, answer, no) ||
        !kin__write_match(&write, route->ns, route->name, no) ||
        !kin__write_load(&write, route->ns, route->name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return create_instead(asked, &write, answer, no);
    }
    return kin__update_check(&write, true, no) && kin__update(&write, &made, no) &&
           kin__answer_object(asked, made, 200, answer, no);
}

bool kin__update_check(kin__write *write, bool has_uid_precondition, kin__refusal *no)
{
    const kin__node *metadata = kin__field(write->object, "metadata");
    kin_str uid = kin__field_text(metadata, "uid");

    if (has_uid_precondition && uid.len > 0 &&
        !check_uid(write, kin__field_text(metadata, "namespace"), kin__field_text(metadata, "name"),
                   uid, no)) {
        return false;
    }
    return check_version(write, kin__field_text(metadata, "resourceVersion"), no);
}

bool kin__update(kin__write *write, kin__record **out, kin__refusal *no)
{
    if (!keep_metadata(write) || !kin__strategy_update(write)) {
        return kin__refuse_no_memory(no);
    }
    if (!check(write, no)) {
        return false;
    }
    if (is_deletion(write)) {
        return kin__write_remove(write, write->before->revision, out, no);
    }
    return kin__write_commit(write, out, no);
}

static bool create_instead(kin__asked *asked, kin__write *write, kin__answer *answer,
                           kin__refusal *no)
{
    AUTO(kin__record_unref) kin__record *made = NULL;
    kin__route *route = &asked->route;

    if ((write->served->traits & KIN__CREATES_ON_UPDATE) == 0 || write->sub.len > 0) {
        return kin__refuse_not_found(no, write->served, route->name);
    }
    kin_str uid = kin__field_text(kin__field(write->object, "metadata"), "uid");
    if (uid.len > 0) {
        return check_uid(write, route->ns, route->name, uid, no);
    }
    kin__field_remove(kin__field(write->object, "metadata"), "resourceVersion");
    return kin__namespace_check(asked->engine, write->served, route->ns, route->name, no) &&
           kin__create(write, &made, no) && kin__answer_object(asked, made, 201, answer, no);
}

/* The storage's own words, key and all, which kube-apiserver lets through. */
static bool check_uid(const kin__write *write, kin_str ns, kin_str name, kin_str uid,
                      kin__refusal *no)
{
    kin_str known = kin__field_text(kin__field(write->old, "metadata"), "uid");
    AUTO(kin__buf_fini) kin__buf key = { 0 };

    if (kin__str_equal(uid, known)) {
        return true;
    }
    append_storage_key(write->served, ns, name, &key);
    if (kin__buf_failed(&key)) {
        return kin__refuse_no_memory(no);
    }
    return kin__refuse_conflict(no, write->served, name,
                                "StorageError: invalid object, Code: 4, Key: %.*s, "
                                "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID "
                                "in precondition: %.*s, UID in object meta: %.*s",
                                (int) key.len, key.data, KIN_STR_ARG(uid), KIN_STR_ARG(known));
}

/* Where kube-apiserver keeps an object in etcd: some kinds have names there that are older than
 * their resource's. */
static void append_storage_key(const kin__served *served, kin_str ns, kin_str name, kin__buf *out)
{
    static const struct {
        const char *resource, *place;
    } old_places[] = {
        { "services", "services/specs" },
        { "endpoints", "services/endpoints" },
        { "nodes", "minions" },
        { "ingresses", "ingress" },
        { "replicationcontrollers", "controllers" },
    };
    kin_str place = served->resource;

    for (size_t i = 0; i < sizeof old_places / sizeof old_places[0]; i++) {
        if (kin__str_equal(place, kin_str_of(old_places[i].resource)) &&
            (served->traits & KIN__IS_CUSTOM) == 0) {
            place = kin_str_of(old_places[i].place);
            break;
        }
    }
    (void) kin__buf_append_str(out, STR("/registry/"));
    if ((served->traits & KIN__IS_CUSTOM) != 0 ||
        kin__str_equal(served->group, STR("apiextensions.k8s.io"))) {
        (void) kin__buf_append_str(out, served->group);
        (void) kin__buf_append_byte(out, '/');
    }
    (void) kin__buf_append_str(out, place);
    (void) kin__buf_append_byte(out, '/');
    (void) kin__key_append(out, served->is_namespaced ? ns : STR(""), name);
}

static bool check_version(kin__write *write, kin_str version, kin__refusal *no)
{
    const kin__served *served = write->served;
    kin_str name = kin__field_text(kin__field(write->old, "metadata"), "name");
    uint64_t wanted = 0;

    if (!read_version(version, &wanted, no)) {
        return false;
    }
    if (wanted == 0) {
        if ((served->traits & (KIN__UPDATES_ONLY_BY_VERSION | KIN__IS_CUSTOM)) == 0) {
            return true;
        }
        kin__refusal_begin_invalid(no, served->group, served->resource, name);
        kin__refusal_add_invalid(no, "FieldValueInvalid", "metadata.resourceVersion",
                                 "Invalid value: 0: must be specified for an update");
        return kin__refusal_end_invalid(no);
    }
    if (wanted != write->before->revision) {
        return kin__refuse_conflict(no, served, name,
                                    "the object has been modified; please apply your changes to "
                                    "the latest version and try again");
    }
    return true;
}

static bool read_version(kin_str text, uint64_t *out, kin__refusal *no)
{
    uint64_t value = 0;
    const char *why = NULL;

    for (size_t i = 0; i < text.len && why == NULL; i++) {
        unsigned digit = (unsigned) (text.data[i] - '0');
        if (digit > 9) {
            why = "invalid syntax";
        } else if (value > (UINT64_MAX - digit) / 10) {
            why = "value out of range";
        } else {
            value = value * 10 + digit;
        }
    }
    if (why != NULL) {
        AUTO(kin__buf_fini) kin__buf quoted = { 0 };
        kin__quote_append(text, &quoted);
        return kin__refuse(no, 500, "", "strconv.ParseUint: parsing %.*s: %s", (int) quoted.len,
                           quoted.data, why);
    }
    *out = value;
    return true;
}

/* What the server said once stays.  A deletion's fields may be repeated; other ones are refused
 * when the metadata is checked. */
static bool keep_metadata(kin__write *write)
{
    kin__node *metadata = kin__write_metadata(write);
    const kin__node *old = kin__field(write->old, "metadata");

    if (metadata == NULL) {
        return false;
    }
    kin__field_remove(metadata, "selfLink");
    if (!kin__field_copy(metadata, old, "generation") ||
        (kin__field_text(metadata, "uid").len == 0 && !kin__field_copy(metadata, old, "uid"))) {
        return false;
    }
    if (write->is_direct) {
        return (kin__field(metadata, "creationTimestamp") != NULL ||
                kin__field_copy(metadata, old, "creationTimestamp")) &&
               keep_managers(metadata, old);
    }
    if (!kin__field_copy(metadata, old, "creationTimestamp")) {
        return false;
    }
    if (kin__field(old, "deletionTimestamp") != NULL &&
        !kin__field_copy(metadata, old, "deletionTimestamp")) {
        return false;
    }
    if (kin__field(metadata, "deletionGracePeriodSeconds") == NULL &&
        !kin__field_copy(metadata, old, "deletionGracePeriodSeconds")) {
        return false;
    }
    return keep_managers(metadata, old);
}

/* managedFields are kept as they come: nobody here keeps the books.  Left out they stay, and an
 * entry without a manager takes them away. */
static bool keep_managers(kin__node *metadata, const kin__node *old)
{
    kin__node *managers = kin__field(metadata, "managedFields");

    if (managers == NULL) {
        return kin__field_copy(metadata, old, "managedFields");
    }
    const kin__node *first = kin__node_element(managers, 0);
    if (kin__node_count(managers) == 0 ||
        (kin__node_count(managers) == 1 && kin__node_count(first) == 0)) {
        kin__field_remove(metadata, "managedFields");
    }
    return true;
}

static bool check(kin__write *write, kin__refusal *no)
{
    const kin__node *metadata = kin__field(write->object, "metadata");
    kin_str kind = kin__field_text(write->object, "kind");

    kin__refusal_begin_invalid(no, write->stored->group, kind, kin__field_text(metadata, "name"));
    if (write->is_direct) {
        kin__metadata_check(write->served, metadata, no);
    } else {
        kin__metadata_check_update(write->served, metadata, kin__field(write->old, "metadata"), no);
    }
    kin__strategy_check(write, no);
    return kin__refusal_end_invalid(no);
}

static bool is_deletion(const kin__write *write)
{
    const kin__node *old = kin__field(write->old, "metadata");
    const kin__node *finalizers = kin__field(kin__field(write->object, "metadata"), "finalizers");
    int64_t grace = 0;

    if (write->is_direct || kin__field(old, "deletionTimestamp") == NULL ||
        (finalizers != NULL && kin__node_count(finalizers) > 0)) {
        return false;
    }
    return (!kin__field_int64(old, "deletionGracePeriodSeconds", &grace) || grace == 0) &&
           kin__strategy_is_finished(write);
}
