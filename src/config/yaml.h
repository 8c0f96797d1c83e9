/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/yaml.h - a YAML document as a tree to read from.
 *
 * Of several documents in one text the first counts, as for kubectl.  Anchors and aliases work:
 * an alias is the very node of its anchor, so that nothing is copied, and what all of them would
 * amount to is limited.  Merge keys ("<<"), tags other than those of JSON's types, and encodings
 * other than UTF-8 are refused.
 *
 * libyaml does the scanning and takes its own memory from malloc: it is not counted by the
 * library's allocator, and what it copies of a secret on the way is overwritten as far as it can be
 * reached (its events and its buffers).
 *
 * Threading: a tree is immutable.
 */
#ifndef KIN_CONFIG_YAML_H
#define KIN_CONFIG_YAML_H

#include "config/vault.h"
#include "config/yaml_scalar.h"

#define KIN__YAML_DEPTH_MAX 100                 /* containers inside one another */
#define KIN__YAML_NODES_MAX ((size_t) 1 << 20)  /* in the text; aliases not followed */
#define KIN__YAML_WEIGHT_MAX ((size_t) 1 << 25) /* with aliases followed */

typedef struct kin__yaml {
    kin__yaml_type type;
    uint32_t line;                      /* from 1 */
    uint32_t height;                    /* containers inside one another, its own included */
    size_t weight;                      /* 4 for each node, and the bytes of all text, below it */
    kin_str text;                       /* of a scalar, terminated */
    const struct kin__yaml_item *items; /* of a list or a map, in their order */
} kin__yaml;

typedef struct kin__yaml_item {
    const struct kin__yaml_item *next;
    kin_str key; /* terminated; empty in a list */
    const kin__yaml *value;
} kin__yaml_item;

/*
 * `out` lies in `vault`.  A text without a document is a null.  Fails with MALFORMED (no YAML; a
 * key twice in one map), LIMIT, NO_MEMORY; the message says the line, and quotes nothing.
 */
kin_err kin__yaml_parse(kin_str text, kin__vault *vault, const kin__yaml **out,
                        kin_error *err) KIN_MUST_CHECK;

/* "a string", "a number", ... for messages. */
const char *kin__yaml_type_name(kin__yaml_type type);

/* As JSON, of at most 6 * weight bytes.  Fails with MALFORMED for numbers JSON does not have;
 * memory failures stay in the buffer. */
kin_err kin__yaml_write_json(const kin__yaml *node, kin__json_writer *w,
                             kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONFIG_YAML_H */
