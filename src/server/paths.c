/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths.c - what is served beside resources: discovery, /version, health, OpenAPI, the list of
 * paths.
 *
 * Which of them look at the method, which at Accept, which take a slash at their end, and with what
 * words they refuse, is as kube-apiserver has it: behind each stands another part of it.
 */
#include <openssl/evp.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "proto/envelope.h"
#include "proto/parse.h"
#include "server/codec.h"
#include "server/deed.h"
#include "server/discovery.h"
#include "server/health.h"
#include "server/indent.h"

#define TEXT "text/plain; charset=utf-8"
#define NOT_FOUND_TEXT "404 page not found\n"
#define ALL_OF_V2 ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define OPENAPI_V2 "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
#define OPENAPI_V2_ASKED "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

#define DIGEST_LEN 64

/* As a release says it, with nothing of a certain build. */
#define VERSION                                                                                    \
    "{\"major\":\"1\",\"minor\":\"36\",\"emulationMajor\":\"1\",\"emulationMinor\":\"36\","        \
    "\"minCompatibilityMajor\":\"1\",\"minCompatibilityMinor\":\"35\",\"gitVersion\":\"v1.36.3\"," \
    "\"gitCommit\":\"$Format:%H$\",\"gitTreeState\":\"\",\"buildDate\":\"1970-01-01T00:00:00Z\","  \
    "\"goVersion\":\"go1.26.8\",\"compiler\":\"gc\",\"platform\":\"linux/amd64\"}"

/* A document of discovery on its way into the answer. */
typedef struct document {
    kin_str api_version;
    kin_str kind;
    kin__buf json; /* compact */
} document;

static bool serve_api(kin__asked *asked, kin_str rest, kin__answer *answer, kin__refusal *no);
static bool serve_apis(kin__asked *asked, kin_str rest, kin__answer *answer, kin__refusal *no);
static bool serve_group(kin__asked *asked, kin_str group, kin__answer *answer, kin__refusal *no);
static bool serve_version_of(kin__asked *asked, kin_str group, kin_str version, kin__answer *answer,
                             kin__refusal *no);
static bool answer_document(kin__asked *asked, document *doc, kin__answer *answer,
                            kin__refusal *no);
static bool write_encoded(const document *doc, kin__form_encoding encoding, bool is_pretty,
                          kin__answer *answer, kin__refusal *no);
static bool wants_all(const kin__asked *asked, kin__form_encoding *out);
static bool allows_all(const void *context, kin__form_encoding encoding, const kin__wish *wish);
static bool is_all(const kin__wish *wish);
static bool answer_all(kin__asked *asked, bool is_core, kin__form_encoding encoding,
                       kin__answer *answer, kin__refusal *no);
static bool set_tag(kin_str json, kin__answer *answer, kin__refusal *no);
static bool serve_version(kin__asked *asked, kin__answer *answer, kin__refusal *no);
static bool serve_health(kin__asked *asked, bool is_check, kin__answer *answer, kin__refusal *no);
static bool serve_openapi(kin__asked *asked, kin__answer *answer, kin__refusal *no);
static bool serve_openapi_v2(kin__asked *asked, kin__answer *answer, kin__refusal *no);
static bool serve_root(kin__asked *asked, kin__answer *answer, kin__refusal *no);
static void collect_paths(const kin__shelf *shelf, kin__buf *out);
static void append_path(kin__buf *out, kin_str path);
static bool write_paths(kin__buf *all, kin__buf *out);
static int compare_paths(const void *context, const void *a, const void *b);
static void add_field(kin__answer *answer, const char *name, kin_str value);
static bool check_get(const kin__asked *asked, kin__refusal *no);
static bool check_named(const kin__asked *asked, kin__refusal *no);
static kin_str behind(kin_str path, kin_str prefix);
static kin_str without_slashes(kin_str path);
static bool finish(kin__answer *answer, kin__refusal *no);

bool kin__serve_path(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    kin_str path = asked->route.path;
    kin_str bare = without_slashes(path);
    bool is_check;

    if (kin__str_equal(bare, STR("/api")) || kin__str_starts_with(path, STR("/api/"))) {
        return serve_api(asked, behind(path, STR("/api")), answer, no);
    }
    if (kin__str_equal(path, STR("/apis")) || kin__str_starts_with(path, STR("/apis/"))) {
        return serve_apis(asked, behind(path, STR("/apis")), answer, no);
    }
    if (kin__str_equal(bare, STR("/version"))) {
        return serve_version(asked, answer, no);
    }
    if (kin__health_serves(path, &is_check)) {
        return serve_health(asked, is_check, answer, no);
    }
    if (kin__str_starts_with(path, STR("/openapi/"))) {
        return serve_openapi(asked, answer, no);
    }
    if (kin__str_equal(path, STR("/")) || kin__str_equal(path, STR("/index.html"))) {
        return serve_root(asked, answer, no);
    }
    return kin__refuse_text(no, 404, NOT_FOUND_TEXT);
}

/* `rest` is what comes behind "/api", with the slash. */
static bool serve_api(kin__asked *asked, kin_str rest, kin__answer *answer, kin__refusal *no)
{
    kin_str version = without_slashes(rest);
    kin__form_encoding encoding;

    if (version.len > 0) {
        return serve_version_of(asked, STR(""), behind(version, STR("/")), answer, no);
    }
    if (!check_get(asked, no)) {
        return false;
    }
    if (wants_all(asked, &encoding)) {
        return answer_all(asked, true, encoding, answer, no);
    }
    if (!check_named(asked, no)) {
        return false;
    }
    document doc = { .api_version = STR(""), .kind = STR("APIVersions") };
    kin__discovery_write_versions(asked->engine->address, &doc.json);
    return answer_document(asked, &doc, answer, no);
}

static bool serve_apis(kin__asked *asked, kin_str rest, kin__answer *answer, kin__refusal *no)
{
    kin__form_encoding encoding;

    if (rest.len <= 1) {
        if (wants_all(asked, &encoding)) {
            return answer_all(asked, false, encoding, answer, no);
        }
        document doc = { .api_version = STR("v1"), .kind = STR("APIGroupList") };
        kin__discovery_write_groups(asked->engine->shelf, &doc.json);
        return answer_document(asked, &doc, answer, no);
    }
    kin_str names = behind(without_slashes(rest), STR("/"));
    if (names.len == 0 || names.data[0] == '/') {
        return kin__refuse_text(no, 404, NOT_FOUND_TEXT);
    }
    const char *slash = memchr(names.data, '/', names.len);
    if (slash == NULL) {
        return serve_group(asked, names, answer, no);
    }
    size_t len = (size_t) (slash - names.data);
    return serve_version_of(asked, kin__str(names.data, len),
                            kin__str(slash + 1, names.len - len - 1), answer, no);
}

static bool serve_group(kin__asked *asked, kin_str group, kin__answer *answer, kin__refusal *no)
{
    if (!kin__shelf_has_group(asked->engine->shelf, group)) {
        return kin__refuse_text(no, 404, NOT_FOUND_TEXT);
    }
    document doc = { .api_version = STR("v1"), .kind = STR("APIGroup") };
    kin__discovery_write_group(asked->engine->shelf, group, &doc.json);
    return answer_document(asked, &doc, answer, no);
}

static bool serve_version_of(kin__asked *asked, kin_str group, kin_str version, kin__answer *answer,
                             kin__refusal *no)
{
    const kin__shelf *shelf = asked->engine->shelf;
    bool is_built_in = kin__shelf_is_built_in(shelf, group);

    if (!kin__shelf_has_version(shelf, group, version)) {
        return is_built_in ? kin__refuse_unknown(no) : kin__refuse_text(no, 404, NOT_FOUND_TEXT);
    }
    if (is_built_in && (!check_get(asked, no) || !check_named(asked, no))) {
        return false;
    }
    document doc = { .api_version = group.len == 0 ? STR("") : STR("v1"),
                     .kind = STR("APIResourceList") };
    kin__discovery_write_resources(shelf, group, version, &doc.json);
    return answer_document(asked, &doc, answer, no);
}

/* In the encoding that was asked for.  The document is released. */
static bool answer_document(kin__asked *asked, document *doc, kin__answer *answer, kin__refusal *no)
{
    kin__form_encoding encoding;
    kin__wish wish;
    bool is_made = kin__accept_negotiate(asked->accept, kin__accept_plain, NULL, &encoding, &wish)
                       ? write_encoded(doc, encoding, asked->form.is_pretty, answer, no)
                       : kin__refuse_media(no);

    kin__buf_fini(&doc->json);
    if (is_made) {
        answer->content_type = encoding == KIN__FORM_PROTO ? KIN__MEDIA_PROTOBUF : KIN__MEDIA_JSON;
    }
    return is_made;
}

static bool write_encoded(const document *doc, kin__form_encoding encoding, bool is_pretty,
                          kin__answer *answer, kin__refusal *no)
{
    kin_str json = kin__str(doc->json.data, doc->json.len);
    AUTO(kin__buf_fini) kin__buf message = { 0 };
    kin_error err;

    if (kin__buf_failed(&doc->json)) {
        return kin__refuse_no_memory(no);
    }
    if (encoding == KIN__FORM_JSON) {
        if (is_pretty) {
            kin__indent_append(json, &answer->bytes);
        } else {
            (void) kin__buf_append_str(&answer->bytes, json);
            (void) kin__buf_append_byte(&answer->bytes, '\n');
        }
        return finish(answer, no);
    }
    kin__pb_message type = kin__pb_message_of(doc->api_version, doc->kind);
    if (kin__pb_from_json_in(KIN__CODEC_RELEASE, type, kin__json_of(json), &message, &err) !=
            KIN_OK ||
        !kin__pb_envelope_append(doc->api_version, doc->kind, kin__str(message.data, message.len),
                                 &answer->bytes)) {
        return kin__refuse_no_memory(no); /* the tables know all of these */
    }
    return true;
}

/* Whether the header asks for aggregated discovery first. */
static bool wants_all(const kin__asked *asked, kin__form_encoding *out)
{
    kin__wish wish;

    return kin__accept_negotiate(asked->accept, allows_all, NULL, out, &wish) && is_all(&wish);
}

static bool allows_all(const void *context, kin__form_encoding encoding, const kin__wish *wish)
{
    kin__wish rest = *wish;

    if (is_all(wish)) {
        rest.has_convert = false;
    }
    return kin__accept_plain(context, encoding, &rest);
}

static bool is_all(const kin__wish *wish)
{
    return wish->has_convert && kin__str_equal(wish->group, STR("apidiscovery.k8s.io")) &&
           kin__str_equal(wish->version, STR("v2")) &&
           kin__str_equal(wish->as, STR("APIGroupDiscoveryList"));
}

static bool answer_all(kin__asked *asked, bool is_core, kin__form_encoding encoding,
                       kin__answer *answer, kin__refusal *no)
{
    static const char head[] =
        "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",";
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    document doc = { .api_version = STR("apidiscovery.k8s.io/v2"),
                     .kind = STR("APIGroupDiscoveryList") };

    kin__discovery_write_all(asked->engine->shelf, is_core, &json);
    if (kin__buf_failed(&json)) {
        return kin__refuse_no_memory(no);
    }
    if (!set_tag(kin__str(json.data, json.len), answer, no)) {
        return false;
    }
    if (kin__str_equal(asked->if_none_match, kin__str(answer->words.data, answer->words.len))) {
        answer->status = 304;
        return true;
    }
    (void) kin__buf_append(&doc.json, head, sizeof head - 1);
    (void) kin__buf_append(&doc.json, json.data + 1, json.len - 1);
    bool is_made = write_encoded(&doc, encoding, asked->form.is_pretty, answer, no);
    kin__buf_fini(&doc.json);
    answer->content_type =
        encoding == KIN__FORM_PROTO ? KIN__MEDIA_PROTOBUF ALL_OF_V2 : KIN__MEDIA_JSON ALL_OF_V2;
    return is_made;
}

/* The headers of a body that can be kept; the tag is all that lies in the answer's words. */
static bool set_tag(kin_str json, kin__answer *answer, kin__refusal *no)
{
    unsigned char digest[DIGEST_LEN];
    size_t len = 0;

    if (EVP_Q_digest(NULL, "SHA512", NULL, json.data, json.len, digest, &len) != 1) {
        return kin__refuse_no_memory(no);
    }
    kin__buf_clear(&answer->words);
    (void) kin__buf_append_byte(&answer->words, '"');
    for (size_t i = 0; i < len; i++) {
        (void) kin__buf_append_format(&answer->words, "%02X", digest[i]);
    }
    (void) kin__buf_append_byte(&answer->words, '"');
    if (kin__buf_failed(&answer->words)) {
        return kin__refuse_no_memory(no);
    }
    add_field(answer, "Cache-Control", STR("public"));
    add_field(answer, "Etag", kin__str(answer->words.data, answer->words.len));
    add_field(answer, "Vary", STR("Accept"));
    return true;
}

static bool serve_version(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    static const char *const json[] = { KIN__MEDIA_JSON, NULL };

    if (!check_get(asked, no)) {
        return false;
    }
    if (!kin__accept_names(asked->accept, json)) {
        return kin__refuse_media_of(no, KIN__MEDIA_JSON);
    }
    kin__indent_append(STR(VERSION), &answer->bytes);
    answer->content_type = KIN__MEDIA_JSON;
    return finish(answer, no);
}

static bool serve_health(kin__asked *asked, bool is_check, kin__answer *answer, kin__refusal *no)
{
    kin__health_write(asked->route.path, asked->query, &answer->bytes);
    answer->content_type = TEXT;
    if (!is_check) {
        add_field(answer, "X-Content-Type-Options", STR("nosniff"));
    }
    return finish(answer, no);
}

/* Documents without a single path: enough for kubectl, which then takes every kind as it is. */
static bool serve_openapi(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    kin_str path = asked->route.path;

    if (kin__str_equal(path, STR("/openapi/v2"))) {
        return serve_openapi_v2(asked, answer, no);
    }
    if (kin__str_equal(path, STR("/openapi/v3"))) {
        answer->content_type = TEXT;
        (void) kin__buf_append_str(&answer->bytes, STR("{\"paths\":{}}"));
        return finish(answer, no);
    }
    if (kin__str_starts_with(path, STR("/openapi/v3/"))) {
        answer->status = 404;
        answer->content_type = "";
        return true;
    }
    return kin__refuse_text(no, 404, NOT_FOUND_TEXT);
}

static bool serve_openapi_v2(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    static const char *const types[] = { KIN__MEDIA_JSON,  "*/*", "application/*", OPENAPI_V2,
                                         OPENAPI_V2_ASKED, NULL };

    switch (kin__accept_first(asked->accept, types)) {
    case 0:
    case 1:
    case 2:
        answer->content_type = KIN__MEDIA_JSON;
        (void) kin__buf_append_str(&answer->bytes,
                                   STR("{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\","
                                       "\"version\":\"1.36\"},\"paths\":{}}"));
        break;
    case 3:
    case 4:
        answer->content_type = OPENAPI_V2;
        (void) kin__buf_append_str(&answer->bytes, STR("\x0a\x03"
                                                       "2.0"));
        break;
    default:
        answer->status = 406;
        answer->content_type = "";
    }
    return finish(answer, no);
}

static bool serve_root(kin__asked *asked, kin__answer *answer, kin__refusal *no)
{
    AUTO(kin__buf_fini) kin__buf paths = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };

    collect_paths(asked->engine->shelf, &paths);
    if (kin__buf_failed(&paths) || !write_paths(&paths, &json)) {
        return kin__refuse_no_memory(no);
    }
    kin__indent_append(kin__str(json.data, json.len), &answer->bytes);
    answer->content_type = KIN__MEDIA_JSON;
    return finish(answer, no);
}

/* Each ended by a zero; some more than once. */
static void collect_paths(const kin__shelf *shelf, kin__buf *out)
{
    append_path(out, STR("/api"));
    append_path(out, STR("/apis"));
    append_path(out, STR("/apis/"));
    append_path(out, STR("/openapi/v2"));
    append_path(out, STR("/openapi/v3"));
    append_path(out, STR("/openapi/v3/"));
    append_path(out, STR("/version"));
    for (size_t i = 0; kin__shelf_at(shelf, i) != NULL; i++) {
        const kin__served *served = kin__shelf_at(shelf, i);
        if (served->group.len > 0) {
            (void) kin__buf_append_str(out, STR("/apis/"));
            append_path(out, served->group);
        }
        (void) kin__buf_append_str(out, served->group.len == 0 ? STR("/api/") : STR("/apis/"));
        append_path(out, served->api_version);
    }
    for (size_t i = 0; kin__health_path_at(i, out); i++) {
        append_path(out, STR(""));
    }
}

static void append_path(kin__buf *out, kin_str path)
{
    (void) kin__buf_append_str(out, path);
    (void) kin__buf_append_byte(out, '\0');
}

/* In order, each once. */
static bool write_paths(kin__buf *all, kin__buf *out)
{
    kin__json_writer w = { out, false };
    size_t count = 0;
    size_t at = 0;

    for (size_t i = 0; i < all->len; i++) {
        count += all->data[i] == '\0';
    }
    kin_str *paths = kin__alloc_zero(count + 1, sizeof *paths);
    if (paths == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        paths[i] = kin_str_of(all->data + at);
        at += paths[i].len + 1;
    }
    kin__sort(paths, count, sizeof *paths, compare_paths, NULL);
    kin__json_begin(&w, '{');
    kin__json_key(&w, STR("paths"));
    kin__json_begin(&w, '[');
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !kin__str_equal(paths[i], paths[i - 1])) {
            kin__json_string(&w, paths[i]);
        }
    }
    kin__json_end(&w, ']');
    kin__json_end(&w, '}');
    kin__free(paths);
    return !kin__buf_failed(out);
}

static int compare_paths(const void *context, const void *a, const void *b)
{
    (void) context;
    return kin__str_compare(*(const kin_str *) a, *(const kin_str *) b);
}

static void add_field(kin__answer *answer, const char *name, kin_str value)
{
    if (answer->field_count < KIN__ANSWER_FIELDS) {
        answer->fields[answer->field_count++] = (kin__visit_field){ kin_str_of(name), value };
    }
}

static bool check_get(const kin__asked *asked, kin__refusal *no)
{
    return kin__str_equal(asked->method, STR("GET")) || kin__refuse_method(no);
}

/* What the router of the built-in API asks for. */
static bool check_named(const kin__asked *asked, kin__refusal *no)
{
    static const char *const types[] = { KIN__MEDIA_JSON, KIN__MEDIA_PROTOBUF, NULL };

    return kin__accept_names(asked->accept, types) || kin__refuse_media_of(no, KIN__MEDIA_ALL);
}

/* Empty when `path` does not begin with the prefix. */
static kin_str behind(kin_str path, kin_str prefix)
{
    return kin__str_starts_with(path, prefix)
               ? kin__str(path.data + prefix.len, path.len - prefix.len)
               : STR("");
}

static kin_str without_slashes(kin_str path)
{
    while (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

static bool finish(kin__answer *answer, kin__refusal *no)
{
    return !kin__buf_failed(&answer->bytes) || kin__refuse_no_memory(no);
}
