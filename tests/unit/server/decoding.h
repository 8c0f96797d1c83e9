/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decoding.h - bodies decoded and encoded again, for the tests of the codec.
 */
#ifndef TESTS_UNIT_SERVER_DECODING_H
#define TESTS_UNIT_SERVER_DECODING_H

#include "base/str.h"
#include "server/codec.h"
#include "support/test.h"

static inline kin__codec_kind kind_of(const char *api_version, const char *kind)
{
    return (kin__codec_kind){ kin_str_of(api_version), kin_str_of(kind),
                              kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind)) };
}

/* What came of a body: its JSON, or what it was refused with; then the warnings. */
typedef struct decoded {
    text json;
    text warnings; /* each with a line end */
    int code;      /* 0: it was not refused */
} decoded;

static inline const char *decode_as(kin__codec_kind kind, kin__codec_body body, decoded *out)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin_error err;

    text_clear(&out->json);
    text_clear(&out->warnings);
    if (!kin__codec_decode(&kind, &body, &tree, &warnings, &no)) {
        text_append(&out->json, "%.*s", (int) no.message.len, no.message.data);
    } else {
        ASSERT_OK(kin__codec_encode(&kind, tree, &json, &err));
        text_append(&out->json, "%.*s", (int) json.len, json.data);
    }
    out->code = no.code;
    for (size_t i = 0; i < warnings.count; i++) {
        text_append(&out->warnings, "%.*s\n", KIN_STR_ARG(kin__codec_warning(&warnings, i)));
    }
    return out->json.chars;
}

static inline const char *decode(const char *api_version, const char *kind, const char *json,
                                 decoded *out)
{
    return decode_as(kind_of(api_version, kind), (kin__codec_body){ .bytes = kin_str_of(json) },
                     out);
}

/* What a body is refused with, the code 400 taken for granted. */
static inline const char *refusal_of(const char *api_version, const char *kind, const char *json,
                                     decoded *out)
{
    (void) decode(api_version, kind, json, out);
    ASSERT_EQ(out->code, 400);
    return out->json.chars;
}

#endif /* TESTS_UNIT_SERVER_DECODING_H */
