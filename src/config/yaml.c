/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.c - libyaml's events made into a tree.
 *
 * By recursion, one level for each container, so that the limit of depth is the limit of the stack.
 * An anchor becomes known when its node is complete: no node can contain itself.
 *
 * Messages quote nothing at all: one wrong character can make a key or an alias of a secret.
 */
#include "config/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/map.h"
#include "base/str.h"

#define TAG_DIRECTIVES_MAX 100

typedef struct reader {
    yaml_parser_t parser;
    kin__vault *vault;
    kin__map anchors; /* names to nodes */
    size_t nodes;
    kin_error *err;
} reader;

static void reader_fini(reader *r);
KIN__DEFINE_AUTO_FINI(reader, reader_fini)
static void event_fini(yaml_event_t *event);
KIN__DEFINE_AUTO_FINI(yaml_event_t, event_fini)

static bool has_many_tag_directives(kin_str text);
static kin_err next_event(reader *r, yaml_event_t *out);
static kin_err parser_failed(reader *r);
static kin_err read_document(reader *r, const kin__yaml **out);
static kin_err read_node(reader *r, const yaml_event_t *event, size_t depth, const kin__yaml **out);
static kin_err read_scalar(reader *r, const yaml_event_t *event, kin__yaml *node);
static kin_err read_items(reader *r, size_t depth, kin__yaml *node);
static kin_err read_key(reader *r, const yaml_event_t *event, kin__map *keys, kin_str *out);
static kin_err follow_alias(reader *r, const yaml_event_t *event, const kin__yaml **out);
static kin_err note_anchor(reader *r, const yaml_char_t *anchor, const kin__yaml *node);
static kin_err add_item(reader *r, kin__yaml *node, kin__yaml_item *item);
static kin_err check_tag(reader *r, const yaml_event_t *event, const char *const *allowed);
static bool is_end(const yaml_event_t *event);
static kin_err fault(reader *r, size_t line, kin_err code, const char *words);
static size_t line_of(const yaml_event_t *event);

kin_err kin__yaml_parse(kin_str text, kin__vault *vault, const kin__yaml **out, kin_error *err)
{
    AUTO(kin__vault_fini) kin__vault own = { 0 };
    AUTO(reader_fini) reader r = { .vault = &own, .err = err };
    const kin__yaml *root;

    if (has_many_tag_directives(text)) {
        return kin__error_set(err, KIN_ERR_LIMIT, "too many %%TAG directives");
    }
    if (yaml_parser_initialize(&r.parser) == 0) {
        return kin__error_no_memory(err);
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    if (kin__str_starts_with(text, STR("\xef\xbb\xbf"))) { /* the byte order mark of UTF-8 */
        text = kin__str(text.data + 3, text.len - 3);
    }
    const char *bytes = text.len != 0 ? text.data : "";
    yaml_parser_set_input_string(&r.parser, (const unsigned char *) bytes, text.len);
    if (read_document(&r, &root) != KIN_OK) {
        return err->code;
    }
    kin__vault_move(vault, &own);
    *out = root;
    return KIN_OK;
}

const char *kin__yaml_type_name(kin__yaml_type type)
{
    switch (type) {
    case KIN__YAML_NULL:
        return "nothing";
    case KIN__YAML_BOOL:
        return "a boolean";
    case KIN__YAML_NUMBER:
        return "a number";
    case KIN__YAML_STRING:
        return "a string";
    case KIN__YAML_LIST:
        return "a list";
    case KIN__YAML_MAP:
        break;
    }
    return "a map";
}

kin_err kin__yaml_write_json(const kin__yaml *node, kin__json_writer *w, kin_error *err)
{
    switch (node->type) {
    case KIN__YAML_NULL:
        kin__json_null(w);
        return KIN_OK;
    case KIN__YAML_BOOL:
        kin__json_bool(w, kin__yaml_plain_bool(node->text));
        return KIN_OK;
    case KIN__YAML_NUMBER:
        if (!kin__yaml_plain_number(node->text, w)) {
            return kin__error_set(err, KIN_ERR_MALFORMED,
                                  "line %u: a number that JSON does not have",
                                  (unsigned) node->line);
        }
        return KIN_OK;
    case KIN__YAML_STRING:
        kin__json_string(w, node->text);
        return KIN_OK;
    case KIN__YAML_LIST:
    case KIN__YAML_MAP:
        break;
    }
    bool is_map = node->type == KIN__YAML_MAP;
    kin__json_begin(w, is_map ? '{' : '[');
    for (const kin__yaml_item *item = node->items; item != NULL; item = item->next) {
        if (is_map) {
            kin__json_key(w, item->key);
        }
        if (kin__yaml_write_json(item->value, w, err) != KIN_OK) {
            return err->code;
        }
    }
    kin__json_end(w, is_map ? '}' : ']');
    return KIN_OK;
}

/* Its buffers hold what was read last; those of the scanner's strings went with the events. */
static void reader_fini(reader *r)
{
    if (r->parser.raw_buffer.start != NULL) {
        explicit_bzero(r->parser.raw_buffer.start,
                       (size_t) (r->parser.raw_buffer.end - r->parser.raw_buffer.start));
    }
    if (r->parser.buffer.start != NULL) {
        explicit_bzero(r->parser.buffer.start,
                       (size_t) (r->parser.buffer.end - r->parser.buffer.start));
    }
    yaml_parser_delete(&r->parser);
    kin__map_clear(&r->anchors);
}

static void event_fini(yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT) {
        explicit_bzero(event->data.scalar.value, event->data.scalar.length);
    }
    yaml_event_delete(event);
}

/* libyaml compares each of them with all before it, and tells of none until it has seen them all.
 * UTF-16, where they would not be found, is not accepted. */
static bool has_many_tag_directives(kin_str text)
{
    static const char directive[] = "%TAG";
    const char *end = text.data + text.len;
    size_t count = 0;

    for (const char *at = text.data; text.len != 0; at += sizeof directive - 1) {
        at = memmem(at, (size_t) (end - at), directive, sizeof directive - 1);
        if (at == NULL || ++count > TAG_DIRECTIVES_MAX) {
            break;
        }
    }
    return count > TAG_DIRECTIVES_MAX;
}

static kin_err next_event(reader *r, yaml_event_t *out)
{
    event_fini(out);
    return yaml_parser_parse(&r->parser, out) != 0 ? KIN_OK : parser_failed(r);
}

/* libyaml's words are constants: they quote nothing of the text. */
static kin_err parser_failed(reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "it is no YAML";

    if (parser->error == YAML_MEMORY_ERROR) {
        return kin__error_no_memory(r->err);
    }
    if (parser->error == YAML_READER_ERROR) {
        return kin__error_set(r->err, KIN_ERR_MALFORMED, "byte %zu: %s", parser->problem_offset,
                              problem);
    }
    return fault(r, parser->problem_mark.line + 1, KIN_ERR_MALFORMED, problem);
}

static kin_err read_document(reader *r, const kin__yaml **out)
{
    static const kin__yaml nothing = { .type = KIN__YAML_NULL, .line = 1, .weight = 4 };
    AUTO(event_fini) yaml_event_t event = { 0 };

    do {
        if (next_event(r, &event) != KIN_OK) {
            return r->err->code;
        }
        if (event.type == YAML_STREAM_END_EVENT) {
            *out = &nothing;
            return KIN_OK;
        }
    } while (event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_START_EVENT);
    return read_node(r, &event, 0, out);
}

static kin_err read_node(reader *r, const yaml_event_t *event, size_t depth, const kin__yaml **out)
{
    static const char *const list_tags[] = { YAML_SEQ_TAG, NULL };
    static const char *const map_tags[] = { YAML_MAP_TAG, NULL };

    if (event->type == YAML_ALIAS_EVENT) {
        return follow_alias(r, event, out);
    }
    if (r->nodes++ >= KIN__YAML_NODES_MAX) {
        return fault(r, line_of(event), KIN_ERR_LIMIT, "too many values");
    }
    kin__yaml *node = kin__vault_alloc(r->vault, sizeof *node);
    if (node == NULL) {
        return kin__error_no_memory(r->err);
    }
    node->line = (uint32_t) line_of(event);
    node->weight = 4;
    const yaml_char_t *anchor = event->data.scalar.anchor;
    kin_err code;
    if (event->type == YAML_SCALAR_EVENT) {
        code = read_scalar(r, event, node);
    } else {
        bool is_map = event->type == YAML_MAPPING_START_EVENT;
        node->type = is_map ? KIN__YAML_MAP : KIN__YAML_LIST;
        node->height = 1;
        anchor = is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
        code = check_tag(r, event, is_map ? map_tags : list_tags);
        if (code == KIN_OK) {
            code = read_items(r, depth + 1, node);
        }
    }
    if (code != KIN_OK || note_anchor(r, anchor, node) != KIN_OK) {
        return r->err->code;
    }
    *out = node;
    return KIN_OK;
}

static kin_err read_scalar(reader *r, const yaml_event_t *event, kin__yaml *node)
{
    static const char *const tags[] = { YAML_STR_TAG,   YAML_NULL_TAG, YAML_BOOL_TAG,
                                        YAML_FLOAT_TAG, YAML_INT_TAG,  NULL };
    const char *value = (const char *) event->data.scalar.value;
    const char *tag = (const char *) event->data.scalar.tag;
    kin_str text = kin__str(value, event->data.scalar.length);

    if (check_tag(r, event, tags) != KIN_OK) {
        return r->err->code;
    }
    char *copy = kin__vault_copy(r->vault, text);
    if (copy == NULL) {
        return kin__error_no_memory(r->err);
    }
    node->text = kin__str(copy, text.len);
    node->weight += text.len;
    bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool is_text =
        tag == NULL ? !is_plain : strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, "!") == 0;
    node->type = is_text ? KIN__YAML_STRING : kin__yaml_plain_type(node->text);
    return KIN_OK;
}

/* What stands between the start of a list or map and its end. */
static kin_err read_items(reader *r, size_t depth, kin__yaml *node)
{
    AUTO(event_fini) yaml_event_t event = { 0 };
    AUTO(kin__map_clear) kin__map keys = { 0 };
    kin__yaml_item *last = NULL;

    if (depth > KIN__YAML_DEPTH_MAX) {
        return fault(r, node->line, KIN_ERR_LIMIT, "too deep");
    }
    while (next_event(r, &event) == KIN_OK) {
        if (is_end(&event)) {
            return KIN_OK;
        }
        kin__yaml_item *item = kin__vault_alloc(r->vault, sizeof *item);
        if (item == NULL) {
            return kin__error_no_memory(r->err);
        }
        if (node->type == KIN__YAML_MAP &&
            (read_key(r, &event, &keys, &item->key) != KIN_OK || next_event(r, &event) != KIN_OK)) {
            return r->err->code;
        }
        if (read_node(r, &event, depth, &item->value) != KIN_OK ||
            add_item(r, node, item) != KIN_OK) {
            return r->err->code;
        }
        if (last == NULL) {
            node->items = item;
        } else {
            last->next = item;
        }
        last = item;
    }
    return r->err->code;
}

static kin_err read_key(reader *r, const yaml_event_t *event, kin__map *keys, kin_str *out)
{
    static char seen;
    const kin__yaml *key = NULL;
    void *before;

    if (event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT) {
        return fault(r, line_of(event), KIN_ERR_MALFORMED, "a key that is a list or a map");
    }
    if (read_node(r, event, 0, &key) != KIN_OK) {
        return r->err->code;
    }
    if (key->height != 0) {
        return fault(r, line_of(event), KIN_ERR_MALFORMED, "a key that is a list or a map");
    }
    if (event->type == YAML_SCALAR_EVENT && event->data.scalar.plain_implicit != 0 &&
        kin__str_equal(key->text, STR("<<"))) {
        return fault(r, line_of(event), KIN_ERR_MALFORMED, "merge keys (<<) are not supported");
    }
    if (kin__map_put(keys, key->text, &seen, &before, r->err) != KIN_OK) {
        return r->err->code;
    }
    if (before != NULL) {
        return fault(r, line_of(event), KIN_ERR_MALFORMED, "a key that is there twice");
    }
    *out = key->text;
    return KIN_OK;
}

static kin_err follow_alias(reader *r, const yaml_event_t *event, const kin__yaml **out)
{
    kin_str name = kin_str_of((const char *) event->data.alias.anchor);
    const kin__yaml *node = kin__map_get(&r->anchors, name);

    if (node == NULL) {
        return fault(r, line_of(event), KIN_ERR_MALFORMED, "an alias without an anchor before it");
    }
    *out = node;
    return KIN_OK;
}

static kin_err note_anchor(reader *r, const yaml_char_t *anchor, const kin__yaml *node)
{
    if (anchor == NULL) {
        return KIN_OK;
    }
    return kin__map_put(&r->anchors, kin_str_of((const char *) anchor), (void *) (uintptr_t) node,
                        NULL, r->err);
}

/* Counts what an alias stands for as if it stood here. */
static kin_err add_item(reader *r, kin__yaml *node, kin__yaml_item *item)
{
    node->weight += 4 + item->key.len + item->value->weight;
    if (node->weight > KIN__YAML_WEIGHT_MAX) {
        return fault(r, node->line, KIN_ERR_LIMIT, "aliases amount to too much");
    }
    if (item->value->height >= node->height) {
        node->height = item->value->height + 1;
    }
    if (node->height > KIN__YAML_DEPTH_MAX) {
        return fault(r, node->line, KIN_ERR_LIMIT, "too deep");
    }
    return KIN_OK;
}

static kin_err check_tag(reader *r, const yaml_event_t *event, const char *const *allowed)
{
    const yaml_char_t *tag = event->type == YAML_SCALAR_EVENT ? event->data.scalar.tag
                             : event->type == YAML_MAPPING_START_EVENT
                                 ? event->data.mapping_start.tag
                                 : event->data.sequence_start.tag;

    if (tag == NULL || strcmp((const char *) tag, "!") == 0) {
        return KIN_OK;
    }
    for (; *allowed != NULL; allowed++) {
        if (strcmp((const char *) tag, *allowed) == 0) {
            return KIN_OK;
        }
    }
    return fault(r, line_of(event), KIN_ERR_MALFORMED, "a tag that is not supported");
}

static bool is_end(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
}

static kin_err fault(reader *r, size_t line, kin_err code, const char *words)
{
    return kin__error_set(r->err, code, "line %zu: %s", line, words);
}

static size_t line_of(const yaml_event_t *event)
{
    return event->start_mark.line + 1;
}
