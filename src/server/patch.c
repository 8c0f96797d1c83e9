/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.c - PATCH: a change of the object that is there.
 *
 * The patch is applied to the object as a client of this version would see it, the result is
 * decoded like a body, and then it is an update.  A resource version in the patch is a
 * precondition, as in an update; without one there is nothing that could have come in between.
 *
 * Server-side apply has its place in the switch of apply().
 */
#include "server/codec_sorted.h"
#include "server/conversion.h"
#include "server/custom.h"
#include "server/field.h"
#include "server/json_patch.h"
#include "server/merge_patch.h"
#include "server/prune.h"
#include "server/quote.h"
#include "server/record_version.h"
#include "server/scale.h"
#include "server/strategic_patch.h"
#include "server/strategy.h"
#include "server/write_options.h"

static bool check_type(kin__body_type type, const kin__served *served, kin__refusal *no);
static bool patch_object(kin__asked *asked, kin__write *write, const kin__write_options *options,
                         kin__answer *answer, kin__refusal *no);
static bool patch_scale(kin__asked *asked, kin__write *write, const kin__write_options *options,
                        kin__answer *answer, kin__refusal *no);
static bool apply(kin__asked *asked, const kin__codec_kind *kind, const kin__write_options *options,
                  kin__node **tree, kin__codec_warnings *warnings, kin__refusal *no);
static kin__node *shown_tree(const kin__write *write);
static bool prune_custom(const kin__write *write, kin__field_validation validation,
                         kin__codec_warnings *warnings, kin__refusal *no);

bool kin__serve_patch(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__write_fini) kin__write write = { 0 };
    kin__route *route = &asked->route;
    kin__write_options options;
    kin__body_type type = kin__body_type_of(asked->content_type);

    if (!check_type(type, route->served, no) ||
        !kin__patch_options_read(&asked->params, false, &options, no)) {
        return false;
    }
    kin__write_init(&write, asked->engine, route->served);
    write.is_dry = options.is_dry;
    write.sub = route->sub;
    if (!kin__write_load(&write, route->ns, route->name, no)) {
        return false;
    }
    if (write.before == NULL) {
        return kin__refuse_not_found(no, write.served, route->name);
    }
    return kin__str_equal(route->sub, STR("scale"))
               ? patch_scale(asked, &write, &options, answer, no)
               : patch_object(asked, &write, &options, answer, no);
}

/* The real server's router knows the four types; which of them a resource takes is asked later. */
static bool check_type(kin__body_type type, const kin__served *served, kin__refusal *no)
{
    bool is_custom = (served->traits & KIN__IS_CUSTOM) != 0;

    if (type == KIN__BODY_JSON_PATCH || type == KIN__BODY_MERGE_PATCH ||
        (type == KIN__BODY_STRATEGIC_PATCH && !is_custom)) {
        return true;
    }
    if (is_custom) {
        return kin__refuse(no, 415, "UnsupportedMediaType",
                           "the body of the request was in an unknown format - accepted media "
                           "types include: application/json-patch+json, "
                           "application/merge-patch+json, application/apply-patch+yaml");
    }
    (void) kin__refuse(no, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
    no->has_details = !no->has_no_memory;
    return false;
}

static bool patch_object(kin__asked *asked, kin__write *write, const kin__write_options *options,
                         kin__answer *answer, kin__refusal *no)
{
    const kin__codec_kind kind = kin__codec_kind_of(write->served);
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__record_unref) kin__record *after = NULL;

    write->object = shown_tree(write);
    if (write->object == NULL) {
        return kin__refuse_no_memory(no);
    }
    return apply(asked, &kind, options, &write->object, &warnings, no) &&
           prune_custom(write, options->validation, &warnings, no) &&
           kin__answer_warn_all(answer, &warnings, no) &&
           kin__write_dedup_owners(write->object, answer, no) &&
           (kin__convert_to_stored(write->served, write->object) || kin__refuse_no_memory(no)) &&
           kin__write_match(write, asked->route.ns, asked->route.name, no) &&
           kin__update_check(write, false, no) && kin__update(write, &after, no) &&
           kin__answer_object(asked, after, 200, answer, no);
}

/* What is there in the version of the request.  NULL when there is no memory. */
static kin__node *shown_tree(const kin__write *write)
{
    AUTO(kin__record_unref) kin__record *shown = kin__record_for(write->served, write->before);

    return shown == write->before ? kin__tree_copy(write->old)
           : shown == NULL        ? NULL
                                  : kin__tree_of(kin__record_text(shown));
}

static bool patch_scale(kin__asked *asked, kin__write *write, const kin__write_options *options,
                        kin__answer *answer, kin__refusal *no)
{
    const kin__codec_kind kind = kin__scale_kind();
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__node_free) kin__node *scale = kin__scale_of(write->served, write->old);

    if (scale == NULL) {
        return kin__refuse_no_memory(no);
    }
    return apply(asked, &kind, options, &scale, &warnings, no) &&
           kin__answer_warn_all(answer, &warnings, no) &&
           kin__scale_write(asked, write, scale, answer, no);
}

static bool apply(kin__asked *asked, const kin__codec_kind *kind, const kin__write_options *options,
                  kin__node **tree, kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    kin__field_validation validation = options->validation;
    kin_str patch = asked->body;
    bool is_applied = false;

    switch (kin__body_type_of(asked->content_type)) {
    case KIN__BODY_JSON_PATCH:
        is_applied = kin__json_patch_apply(tree, patch, validation, warnings, no);
        break;
    case KIN__BODY_MERGE_PATCH:
        is_applied = kin__merge_patch_apply(tree, patch, validation, warnings, no);
        break;
    default:
        is_applied =
            kin__strategic_patch_apply(kind, tree, patch, validation, &shown, warnings, no);
        break;
    }
    return is_applied &&
           kin__prune(kind, tree, validation, kin__str(shown.data, shown.len), warnings, no);
}

/* In strict validation, what the schema does not know is a fault of the patch: 422, with the object
 * that would have come of it. */
static bool prune_custom(const kin__write *write, kin__field_validation validation,
                         kin__codec_warnings *warnings, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    AUTO(kin__buf_fini) kin__buf why = { 0 };
    kin_error err;

    if ((write->served->traits & KIN__IS_CUSTOM) == 0) {
        return true;
    }
    if (validation == KIN__FIELDS_STRICT &&
        kin__codec_sorted(write->object, &why, &err) != KIN_OK) {
        return kin__refuse_no_memory(no);
    }
    if (!kin__custom_prune(write, write->object, validation, warnings, no)) {
        return false;
    }
    if (validation != KIN__FIELDS_STRICT || warnings->count == 0) {
        return true;
    }
    kin__quote_append(kin__str(why.data, why.len), &shown);
    kin__buf_clear(&why);
    kin__codec_strict_error(warnings, &why);
    if (kin__buf_failed(&shown) || kin__buf_failed(&why)) {
        return kin__refuse_no_memory(no);
    }
    kin__refusal_begin_invalid(no, STR(""), STR(""), STR(""));
    kin__refusal_add_invalid(no, "FieldValueInvalid", "patch", "Invalid value: %.*s: %.*s",
                             (int) shown.len, shown.data, (int) why.len, why.data);
    return kin__refusal_end_invalid(no);
}
