/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.c - the form of an answer.
 *
 * Two parts of a real server look at Accept.  The router of built-in resources wants to see one of
 * its media types by name; custom resources do not go through it.  Then the handler goes by
 * quality.  Each refuses with words of its own.
 */
#include "server/form.h"

#include "base/str.h"

#define MEDIA_STREAMS                                                                              \
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"

static bool allows(const void *context, kin__form_encoding encoding, const kin__wish *wish);
static kin__form_shape shape_of(kin_str as);
static bool wants_pretty(const kin__wish *wish, kin_str user_agent, kin__tristate pretty);
static bool wants_gzip(kin_str accept_encoding);
static kin__form form_of_path(kin_str accept, kin_str user_agent, kin__tristate pretty);
static kin_str go_package(kin_str group);

bool kin__form_choose(const kin__served *served, kin__deed deed, kin_str accept,
                      kin_str accept_encoding, kin_str user_agent, const kin__params *params,
                      kin__form *out, kin__refusal *no)
{
    static const char *const named[] = { KIN__MEDIA_JSON, KIN__MEDIA_PROTOBUF, NULL };
    kin__form form = { 0 };
    kin__wish wish;

    if (served == NULL) {
        *out = form_of_path(accept, user_agent, params->pretty);
        out->wants_gzip = wants_gzip(accept_encoding);
        return true;
    }
    if ((served->traits & KIN__IS_CUSTOM) == 0 && !kin__accept_names(accept, named)) {
        bool has_streams = deed == KIN__DEED_LIST || deed == KIN__DEED_WATCH;
        return kin__refuse_media_of(no, has_streams ? KIN__MEDIA_ALL ", " MEDIA_STREAMS
                                                    : KIN__MEDIA_ALL);
    }
    if (!kin__accept_negotiate(accept, allows, served, &form.encoding, &wish)) {
        return kin__refuse_media(no);
    }
    form.shape = wish.has_convert ? shape_of(wish.as) : KIN__SHAPE_PLAIN;
    form.is_v1beta1 = wish.has_convert && kin__str_equal(wish.version, STR("v1beta1"));
    form.is_pretty = wants_pretty(&wish, user_agent, params->pretty);
    form.wants_gzip = wants_gzip(accept_encoding);
    *out = form;
    return true;
}

kin__form kin__form_of_refusal(kin_str accept, kin_str user_agent, kin__tristate pretty)
{
    kin__form form = { 0 };
    kin__wish wish;

    if (!kin__accept_negotiate(accept, kin__accept_plain, NULL, &form.encoding, &wish)) {
        return (kin__form){ .is_pretty = true };
    }
    form.is_pretty = wants_pretty(&wish, user_agent, pretty);
    return form;
}

bool kin__form_check_shape(const kin__form *form, const kin__served *served, bool is_list,
                           kin__refusal *no)
{
    bool is_custom = (served->traits & KIN__IS_CUSTOM) != 0;
    kin_str package = is_custom ? STR("unstructured") : go_package(served->group);
    kin_str kind = is_custom ? STR("Unstructured") : served->kind;

    if (form->shape == KIN__SHAPE_PARTIAL && is_list) {
        return kin__refuse(no, 406, "NotAcceptable",
                           "you requested PartialObjectMetadata, but the requested object is a "
                           "list (*%.*s.%.*sList)",
                           KIN_STR_ARG(package), KIN_STR_ARG(kind));
    }
    if (form->shape != KIN__SHAPE_PARTIAL_LIST || is_list) {
        return true;
    }
    if (is_custom) {
        return kin__refuse(no, 500, "", "content is not a list");
    }
    return kin__refuse(no, 406, "NotAcceptable",
                       "you requested PartialObjectMetadataList, but the requested object is not "
                       "a list (*%.*s.%.*s)",
                       KIN_STR_ARG(package), KIN_STR_ARG(kind));
}

bool kin__refuse_media(kin__refusal *no)
{
    return kin__refuse(no, 406, "NotAcceptable",
                       "only the following media types are accepted: " KIN__MEDIA_ALL);
}

bool kin__refuse_media_of(kin__refusal *no, const char *types)
{
    (void) kin__refuse(no, 406, "NotAcceptable",
                       "406: Not Acceptable\n\nAvailable representations: %s", types);
    no->has_details = !no->has_no_memory;
    return false;
}

/* RequestScope.AllowsMediaTypeTransform() and its like. */
static bool allows(const void *context, kin__form_encoding encoding, const kin__wish *wish)
{
    const kin__served *served = context;

    if (wish->stream.len > 0 && !kin__str_equal(wish->stream, STR("watch"))) {
        return false;
    }
    if (!wish->has_convert) {
        return encoding == KIN__FORM_JSON || (served->traits & KIN__IS_CUSTOM) == 0;
    }
    if (!kin__str_equal(wish->group, STR("meta.k8s.io")) ||
        (!kin__str_equal(wish->version, STR("v1")) &&
         !kin__str_equal(wish->version, STR("v1beta1")))) {
        return false;
    }
    kin__form_shape shape = shape_of(wish->as);
    bool has_tables = encoding == KIN__FORM_JSON && (served->traits & KIN__IS_VIRTUAL) == 0;
    return shape != KIN__SHAPE_PLAIN && (shape != KIN__SHAPE_TABLE || has_tables);
}

/* PLAIN: none that is known. */
static kin__form_shape shape_of(kin_str as)
{
    if (kin__str_equal(as, STR("PartialObjectMetadata"))) {
        return KIN__SHAPE_PARTIAL;
    }
    if (kin__str_equal(as, STR("PartialObjectMetadataList"))) {
        return KIN__SHAPE_PARTIAL_LIST;
    }
    return kin__str_equal(as, STR("Table")) ? KIN__SHAPE_TABLE : KIN__SHAPE_PLAIN;
}

static bool wants_pretty(const kin__wish *wish, kin_str user_agent, kin__tristate pretty)
{
    if (wish->is_pretty) {
        return true;
    }
    if (pretty != KIN__UNSET) {
        return pretty == KIN__TRUE;
    }
    return kin__str_starts_with(user_agent, STR("curl")) ||
           kin__str_starts_with(user_agent, STR("Wget")) ||
           kin__str_starts_with(user_agent, STR("Mozilla/5.0"));
}

/* One of the words, blanks aside, is exactly "gzip". */
static bool wants_gzip(kin_str accept_encoding)
{
    size_t start = 0;

    if (accept_encoding.len == 0) {
        return false;
    }
    for (size_t at = 0; at <= accept_encoding.len; at++) {
        if (at < accept_encoding.len && accept_encoding.data[at] != ',') {
            continue;
        }
        size_t from = start;
        size_t to = at;
        while (from < to &&
               (accept_encoding.data[from] == ' ' || accept_encoding.data[from] == '\t')) {
            from++;
        }
        while (to > from &&
               (accept_encoding.data[to - 1] == ' ' || accept_encoding.data[to - 1] == '\t')) {
            to--;
        }
        if (kin__str_equal(kin__str(accept_encoding.data + from, to - from), STR("gzip"))) {
            return true;
        }
        start = at + 1;
    }
    return false;
}

static kin__form form_of_path(kin_str accept, kin_str user_agent, kin__tristate pretty)
{
    kin__form form = { 0 };
    kin__wish wish = { 0 };

    if (!kin__accept_negotiate(accept, kin__accept_plain, NULL, &form.encoding, &wish)) {
        form.encoding = KIN__FORM_JSON;
    }
    form.is_pretty = wants_pretty(&wish, user_agent, pretty);
    return form;
}

/* In which kube-apiserver has its own types of a group. */
static kin_str go_package(kin_str group)
{
    const char *dot = group.len == 0 ? NULL : memchr(group.data, '.', group.len);
    kin_str word = dot == NULL ? group : kin__str(group.data, (size_t) (dot - group.data));

    if (word.len == 0 || kin__str_equal(word, STR("events"))) {
        return STR("core");
    }
    return kin__str_equal(word, STR("internal")) ? STR("apiserverinternal") : word;
}
