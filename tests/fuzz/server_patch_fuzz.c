/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_patch_fuzz.c - any body, and any patch of an object.
 *
 * The input is a letter, which kind of object it is ('p' a pod, 'd' a definition of resources, 'w'
 * a custom resource; capitals: strictly), and the body of a request.  Behind a zero byte a letter
 * ('j', 'm' or 's') and a patch may follow, for the object that came of the body.
 *
 * What must hold: a body that is not refused has JSON, which decodes to an object with the same
 * JSON; a patch is refused with 400, 413, 422 or 500, or what comes of it is refused by pruning, or
 * is such an object again.
 */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "server/json_patch.h"
#include "server/merge_patch.h"
#include "server/prune.h"
#include "server/strategic_patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

static kin__codec_kind kind_of(char letter)
{
    kin__codec_kind kind = { STR("v1"), STR("Pod"), KIN__PB_NO_MESSAGE };

    if (letter == 'w') {
        return (kin__codec_kind){ STR("demo.dev/v1"), STR("Widget"), KIN__PB_NO_MESSAGE };
    }
    if (letter == 'd') {
        kind.api_version = STR("apiextensions.k8s.io/v1");
        kind.kind = STR("CustomResourceDefinition");
    }
    kind.message = kin__pb_message_of(kind.api_version, kind.kind);
    return kind;
}

/* What `json` decodes to, as JSON. */
static void encode_again(const kin__codec_kind *kind, const kin__buf *json, kin__buf *out)
{
    AUTO(kin__node_free) kin__node *twin = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__codec_body body = { .bytes = { json->data, json->len }, .validation = KIN__FIELDS_STRICT };
    kin_error err;

    MUST(kin__codec_decode(kind, &body, &twin, &warnings, &no));
    MUST(kin__codec_encode(kind, twin, out, &err) == KIN_OK);
}

static bool is_same(const kin__buf *a, const kin__buf *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* The tree has JSON; decoded again, it has the same.  But an empty list of schemas becomes a null,
 * as it does in Go (JSONSchemaPropsOrArray), and that nothing. */
static void check_object(const kin__codec_kind *kind, const kin__node *tree)
{
    static const char null_items[] = "\"items\":null";
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf again = { 0 };
    AUTO(kin__buf_fini) kin__buf third = { 0 };
    kin_error err;

    MUST(kin__codec_encode(kind, tree, &json, &err) == KIN_OK);
    encode_again(kind, &json, &again);
    MUST(is_same(&json, &again) ||
         memmem(json.data, json.len, null_items, sizeof null_items - 1) != NULL);
    encode_again(kind, &again, &third);
    MUST(is_same(&again, &third));
}

static void apply_patch(const kin__codec_kind *kind, kin__node **tree, kin_str patch,
                        kin__field_validation validation)
{
    AUTO(kin__buf_fini) kin__buf shown = { 0 };
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    char letter = patch.data[0];
    bool is_done;

    patch = kin__str(patch.data + 1, patch.len - 1);
    if (letter == 'j') {
        is_done = kin__json_patch_apply(tree, patch, validation, &warnings, &no);
    } else if (letter == 'm' || kind->message == KIN__PB_NO_MESSAGE) {
        is_done = kin__merge_patch_apply(tree, patch, validation, &warnings, &no);
    } else {
        is_done = kin__strategic_patch_apply(kind, tree, patch, validation, &shown, &warnings, &no);
    }
    MUST(is_done == (no.code == 0));
    MUST(is_done || no.code == 400 || no.code == 413 || no.code == 422 || no.code == 500);
    MUST(!no.has_no_memory);
    if (is_done &&
        kin__prune(kind, tree, validation, kin__str(shown.data, shown.len), &warnings, &no)) {
        check_object(kind, *tree);
    }
    MUST(!no.has_no_memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(kin__node_free) kin__node *tree = NULL;
    AUTO(kin__codec_warnings_fini) kin__codec_warnings warnings = { 0 };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };

    if (size == 0) {
        return 0;
    }
    const char *text = (const char *) data + 1;
    const char *zero = size == 1 ? NULL : memchr(text, '\0', size - 1);
    size_t len = zero == NULL ? size - 1 : (size_t) (zero - text);
    kin__codec_kind kind = kind_of((char) (data[0] | 0x20));
    kin__codec_body body = { .bytes = { text, len },
                             .is_protobuf = len >= 4 && memcmp(text, "k8s", 3) == 0,
                             .validation = data[0] < 'a' ? KIN__FIELDS_STRICT : KIN__FIELDS_WARN };
    if (!kin__codec_decode(&kind, &body, &tree, &warnings, &no)) {
        MUST(no.code == 400 && !no.has_no_memory);
        return 0;
    }
    check_object(&kind, tree);
    if (zero != NULL && size - 2 - len != 0) {
        apply_patch(&kind, &tree, kin__str(zero + 1, size - 2 - len), body.validation);
    }
    return 0;
}
