/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_test.c - what is left of an object, against a model of it.
 *
 * The model is a tree of random members.  It is written as JSON with random white space and
 * escapes, for the library; and, compact and less what a mask leaves out, as the text that is
 * expected back.  What a mask leaves out is decided for each value by comparing its whole path
 * with each path of the mask, as kin/path.h has it.
 */
#include "object/find.h"

#include "base/str.h"
#include "object/object.h"
#include "support/random.h"
#include "unit/object/making.h"

#define DEPTH_MAX 6
#define PATHS_MAX 4
#define NODES_MAX 4096

typedef struct node {
    char type;            /* '{', '[' or 's': a scalar */
    const char *key;      /* what it means; NULL for an element */
    const char *spelling; /* of the key */
    const char *scalar;
    struct node *first;
    struct node *next;
} node;

typedef struct step {
    bool is_each;
    const char *name;
} step;

typedef struct pattern {
    size_t count;
    step steps[DEPTH_MAX];
} pattern;

typedef struct model {
    uint64_t random;
    size_t used;
    node nodes[NODES_MAX];

    kin_mask_mode mode;
    size_t pattern_count;
    pattern patterns[PATHS_MAX];

    /* The way from the root to the value at hand. */
    size_t depth;
    const node *way[DEPTH_MAX + 4];
    bool is_partial;
    bool is_partial_array;
} model;

static const char *const identity[] = { "name", "namespace", "uid", "resourceVersion" };

static const struct {
    const char *means;
    const char *spelling;
} keys[] = {
    { "a", "a" },
    { "a", "\\u0061" },
    { "b", "b" },
    { "metadata2", "metadata2" },
    { "spec", "spec" },
    { "name", "name" },
    { "managedFields", "managedFields" },
    { "quo\"te", "quo\\\"te" },
    { "", "" },
};
static const char *const scalars[] = { "0",       "-1.5e3", "\"x\"", "\"\\\"\"", "\"]\"",
                                       "\"{,:\"", "true",   "null",  "\"\"",     "false" };

static size_t below(model *m, size_t end)
{
    return random_below(&m->random, end);
}

static node *add(model *m, node *parent, char type, const char *key, const char *spelling)
{
    node *n = &m->nodes[m->used++];
    node **end = &parent->first;

    ASSERT_TRUE(m->used < NODES_MAX);
    *n = (node){ .type = type, .key = key, .spelling = spelling };
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = n;
    return n;
}

static void add_scalar(model *m, node *parent, const char *key, const char *scalar)
{
    add(m, parent, 's', key, key)->scalar = scalar;
}

static void add_random(model *m, node *parent, int depth)
{
    size_t count = below(m, 5);

    for (size_t i = 0; i < count; i++) {
        size_t key = below(m, sizeof keys / sizeof keys[0]);
        bool is_member = parent->type == '{';
        char type = depth == 0 ? 's' : "s{["[below(m, 3)];
        node *n = add(m, parent, type, is_member ? keys[key].means : NULL,
                      is_member ? keys[key].spelling : NULL);
        n->scalar = scalars[below(m, sizeof scalars / sizeof scalars[0])];
        if (type != 's') {
            add_random(m, n, depth - 1);
        }
    }
}

static void add_metadata(model *m, node *root)
{
    node *metadata = add(m, root, '{', "metadata", "metadata");

    if (below(m, 2) == 0) {
        add_scalar(m, metadata, "uid", "\"u\\u0031\"");
    }
    if (below(m, 2) == 0) {
        node *labels = add(m, metadata, '{', "labels", "labels");
        for (size_t i = below(m, 4); i > 0; i--) {
            add_scalar(m, labels, keys[below(m, 9)].means[0] == 'a' ? "a" : "b", "\"v\"");
        }
    }
    if (below(m, 2) == 0) {
        node *managed = add(m, metadata, '[', "managedFields", "managedFields");
        add_random(m, managed, 2);
    }
    add_scalar(m, metadata, "name", "\"n\"");
    if (below(m, 2) == 0) {
        add_scalar(m, metadata, "namespace", "\"ns\"");
    }
    if (below(m, 2) == 0) {
        add_scalar(m, metadata, "resourceVersion", "\"7\"");
    }
    node *annotations = add(m, metadata, '{', "annotations", "annotations");
    add_random(m, annotations, 1);
}

static node *random_root(model *m)
{
    node *root = &m->nodes[m->used++];

    *root = (node){ .type = '{' };
    add_random(m, root, 3);
    if (below(m, 3) == 0) {
        add_scalar(m, root, "kind", "\"Pod\"");
    }
    add_metadata(m, root);
    if (below(m, 8) == 0) {
        add_metadata(m, root);
    }
    add_random(m, root, 3);
    return root;
}

/* Mostly along a way that exists, so that masks often meet something. */
static void random_pattern(model *m, const node *root, pattern *p)
{
    const node *at = root;
    size_t count = 1 + below(m, DEPTH_MAX - 1);

    p->count = 0;
    while (p->count < count) {
        const node *child = at != NULL ? at->first : NULL;
        for (size_t skip = below(m, 6); skip > 0 && child != NULL && child->next != NULL; skip--) {
            child = child->next;
        }
        if (child == NULL && p->count > 0 && below(m, 4) > 0) {
            return;
        }
        step *s = &p->steps[p->count++];
        s->is_each = (child != NULL && child->key == NULL) || below(m, 6) == 0;
        s->name = child != NULL && child->key != NULL ? child->key : "b";
        at = child;
    }
}

static void append_pattern(text *t, const pattern *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const char *name = p->steps[i].name;
        if (p->steps[i].is_each) {
            text_append(t, "[*]");
        } else if (strcmp(name, "quo\"te") == 0) {
            text_append(t, "[\"quo\\\"te\"]");
        } else {
            text_append(t, "[\"%s\"]", name);
        }
    }
}

static void append_space(model *m, text *t)
{
    static const char *const spaces[] = { "", "", "", "", " ", "\n", "\t \r\n" };
    text_append(t, "%s", spaces[below(m, sizeof spaces / sizeof spaces[0])]);
}

static void append_spaced(model *m, text *t, const node *n)
{
    if (n->type == 's') {
        text_append(t, "%s", n->scalar);
        return;
    }
    text_append(t, "%c", n->type);
    append_space(m, t);
    for (const node *child = n->first; child != NULL; child = child->next) {
        if (child->spelling != NULL) {
            text_append(t, "\"%s\"", child->spelling);
            append_space(m, t);
            text_append(t, ":");
            append_space(m, t);
        }
        append_spaced(m, t, child);
        append_space(m, t);
        if (child->next != NULL) {
            text_append(t, ",");
            append_space(m, t);
        }
    }
    text_append(t, "%c", n->type + 2);
}

static bool is_named(const node *n, const char *name)
{
    return n->key != NULL && strcmp(n->key, name) == 0;
}

/* True when the first `count` steps lead along the way, from its beginning. */
static bool leads(const model *m, const pattern *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const node *n = m->way[i];
        if (!p->steps[i].is_each && !is_named(n, p->steps[i].name)) {
            return false;
        }
    }
    return true;
}

static bool is_identity(const model *m)
{
    if (m->depth == 1) {
        return is_named(m->way[0], "kind") || is_named(m->way[0], "apiVersion");
    }
    if (m->depth == 2 && is_named(m->way[0], "metadata")) {
        for (size_t i = 0; i < 4; i++) {
            if (is_named(m->way[1], identity[i])) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the value at the end of the way stays, as a whole or as a container. */
static bool stays(const model *m)
{
    const node *n = m->way[m->depth - 1];

    if (is_identity(m) || (m->depth == 1 && is_named(n, "metadata"))) {
        return true;
    }
    for (size_t i = 0; i < m->pattern_count; i++) {
        const pattern *p = &m->patterns[i];
        if (p->count <= m->depth && leads(m, p, p->count)) {
            return m->mode == KIN_MASK_KEEP;
        }
    }
    for (size_t i = 0; i < m->pattern_count && m->mode == KIN_MASK_KEEP; i++) {
        const pattern *p = &m->patterns[i];
        bool fits =
            n->type == '{' || (n->type == '[' && p->count > m->depth && p->steps[m->depth].is_each);
        if (p->count > m->depth && fits && leads(m, p, m->depth)) {
            return true;
        }
    }
    return m->mode == KIN_MASK_DROP;
}

static void note_loss(model *m)
{
    bool is_managed =
        m->depth > 1 && is_named(m->way[0], "metadata") && is_named(m->way[1], "managedFields");

    if (is_managed) {
        return;
    }
    m->is_partial = true;
    for (size_t i = 0; i + 1 < m->depth; i++) {
        m->is_partial_array = m->is_partial_array || m->way[i]->type == '[';
    }
}

static void append_expected(model *m, text *t, const node *n)
{
    bool has_one = false;

    if (n->type == 's') {
        text_append(t, "%s", n->scalar);
        return;
    }
    text_append(t, "%c", n->type);
    for (const node *child = n->first; child != NULL; child = child->next) {
        m->way[m->depth++] = child;
        if (stays(m)) {
            text_append(t, "%s", has_one ? "," : "");
            if (child->spelling != NULL) {
                text_append(t, "\"%s\":", child->spelling);
            }
            append_expected(m, t, child);
            has_one = true;
        } else {
            note_loss(m);
        }
        m->depth--;
    }
    text_append(t, "%c", n->type + 2);
}

/* That the places in the object point at what they should. */
static void check_places(const kin_object *object)
{
    static text got;
    static text want;
    kin_iter iter = kin_value_iter(kin_object_at(object, ""));

    while (kin_iter_next(&iter)) {
        char scratch[32];
        kin_str key;
        ASSERT_OK(kin_value_str(iter.key, scratch, sizeof scratch, &key));
        ASSERT_TRUE(kin_value_exists(kin_value_member(kin_object_at(object, ""), key)));
    }
    text_clear(&got);
    text_clear(&want);
    append_value(&got, kin_object_annotations(object));
    append_value(&want, kin_object_at(object, "metadata.annotations"));
    ASSERT_STR_EQ(got.chars, want.chars);
    ASSERT_SLICE_EQ(kin_object_name(object), "n");
    for (size_t i = 0; i < kin_object_label_count(object); i++) {
        kin_str key;
        kin_str value;
        ASSERT_TRUE(kin_object_label_at(object, i, &key, &value));
        ASSERT_SLICE_EQ(value, "v");
    }
    ASSERT_TRUE(kin_object_uid(object).len == 0 ||
                kin_str_equal(kin_object_uid(object), STR("u1")));
}

static void check_random(uint64_t seed, size_t pattern_count)
{
    static model m;
    static text json;
    static text whole;
    static text want;
    static text paths[PATHS_MAX];
    const char *path_texts[PATHS_MAX];
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_mask *mask = NULL;

    m.random = seed;
    m.used = 0;
    m.depth = 0;
    m.is_partial = false;
    m.is_partial_array = false;
    text_clear(&json);
    text_clear(&whole);
    text_clear(&want);
    const node *root = random_root(&m);
    m.mode = below(&m, 2) == 0 ? KIN_MASK_KEEP : KIN_MASK_DROP;
    m.pattern_count = pattern_count;
    for (size_t i = 0; i < pattern_count; i++) {
        random_pattern(&m, root, &m.patterns[i]);
        text_clear(&paths[i]);
        append_pattern(&paths[i], &m.patterns[i]);
        path_texts[i] = paths[i].chars;
    }
    append_spaced(&m, &json, root);
    append_expected(&m, &whole, root);
    options.api_version = seed % 3 == 0 ? "v1" : NULL;
    text_append(&want, "{%s%s", seed % 3 == 0 ? "\"apiVersion\":\"v1\"," : "", whole.chars + 1);

    ASSERT_OK(kin_mask_new(m.mode, path_texts, pattern_count, &mask, NULL));
    options.mask = mask;
    kin_object *object = make_with(json.chars, &options);
    ASSERT_EQ((object->flags & KIN__OBJECT_PARTIAL) != 0, m.is_partial);
    ASSERT_EQ((object->flags & KIN__OBJECT_PARTIAL_ARRAY) != 0, m.is_partial_array);
    check_places(object);
    check_json(object, want.chars);
    kin_mask_free(mask);
}

TEST(find, leaves_out_what_a_model_leaves_out)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        (void) random_start(seed);
        check_random(seed, 1 + seed % PATHS_MAX);
    }
}

TEST(find, leaves_out_nothing_where_a_model_leaves_out_nothing)
{
    const char *paths[] = { "no.such[*].place" };
    kin_mask *mask = NULL;

    ASSERT_OK(kin_mask_new(KIN_MASK_DROP, paths, 1, &mask, NULL));
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    options.mask = mask;
    kin_object *object =
        make_with("{\"metadata\":{\"name\":\"n\"},\"no\":{\"such\":{}}}", &options);
    ASSERT_FALSE(kin_object_is_partial(object));
    check_json(object, "{\"metadata\":{\"name\":\"n\"},\"no\":{\"such\":{}}}");
    kin_mask_free(mask);
}

/* A member goes with one comma: first, middle, last, neighbours, all. */
TEST(find, mends_commas)
{
    static const struct {
        const char *a;
        const char *b;
        const char *want;
    } cases[] = {
        { "x.a", NULL, "{ \"b\":2 , \"c\":3 }" },
        { "x.b", NULL, "{ \"a\":1  , \"c\":3 }" },
        { "x.c", NULL, "{ \"a\":1 , \"b\":2  }" },
        { "x.a", "x.b", "{ \"c\":3 }" },
        { "x.b", "x.c", "{ \"a\":1   }" },
        { "x.a", "x.c", "{ \"b\":2  }" },
        { "x[*]", NULL, "{  }" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        text want = { 0 };
        kin_object *object =
            make_masked("{\"x\":{ \"a\":1 , \"b\":2 , \"c\":3 },\"metadata\":{\"name\":\"n\"}}",
                        make_mask(KIN_MASK_DROP, cases[i].a, cases[i].b, NULL, NULL));
        text_append(&want, "{\"x\":%s,\"metadata\":{\"name\":\"n\"}}", cases[i].want);
        ASSERT_SLICE_EQ(kin__object_bytes(object), want.chars);
        kin_object_unref(object);
    }
}

static uint8_t flags_of(const char *json, const char *path)
{
    kin_object *object = make_masked(json, make_mask(KIN_MASK_DROP, path, NULL, NULL, NULL));
    uint8_t flags = object->flags;

    ASSERT_EQ(kin_object_is_partial(object), (flags & KIN__OBJECT_PARTIAL) != 0);
    kin_object_unref(object);
    return flags;
}

TEST(find, tells_when_an_object_is_partial)
{
    const char *json = "{\"metadata\":{\"name\":\"n\",\"managedFields\":[{\"a\":1}],\"x\":1},"
                       "\"managedFields\":1,\"list\":[{\"a\":1,\"b\":[1]}]}";

    ASSERT_EQ(flags_of(json, "absent"), 0);
    ASSERT_EQ(flags_of(json, "metadata.managedFields"), 0);
    ASSERT_EQ(flags_of(json, "metadata.managedFields[*]"), 0);
    ASSERT_EQ(flags_of(json, "metadata.managedFields[*].a"), 0);
    ASSERT_EQ(flags_of(json, "metadata.x"), KIN__OBJECT_PARTIAL);
    ASSERT_EQ(flags_of(json, "managedFields"), KIN__OBJECT_PARTIAL);
    ASSERT_EQ(flags_of(json, "list"), KIN__OBJECT_PARTIAL);
    ASSERT_EQ(flags_of(json, "list[*]"), KIN__OBJECT_PARTIAL | KIN__OBJECT_PARTIAL_ARRAY);
    ASSERT_EQ(flags_of(json, "list[*].a"), KIN__OBJECT_PARTIAL | KIN__OBJECT_PARTIAL_ARRAY);
    ASSERT_EQ(flags_of(json, "list[*].b[*]"), KIN__OBJECT_PARTIAL | KIN__OBJECT_PARTIAL_ARRAY);
}

/* What a mask leaves out is not there, so nothing can be wrong with it. */
TEST(find, does_not_check_what_is_left_out)
{
    kin_object *object =
        make_masked("{\"metadata\":{\"name\":\"n\",\"labels\":5,\"generation\":\"x\"}}",
                    make_mask(KIN_MASK_DROP, "metadata.labels", "metadata.generation", NULL, NULL));

    ASSERT_EQ(kin_object_label_count(object), 0);
    check_json(object, "{\"metadata\":{\"name\":\"n\"}}");
}

TEST(find, has_no_labels_that_were_left_out)
{
    kin_object *object = make_masked(
        "{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}}}",
        make_mask(KIN_MASK_DROP, "metadata.labels.b", NULL, NULL, NULL));
    kin_str value;

    ASSERT_EQ(kin_object_label_count(object), 2);
    ASSERT_FALSE(kin_object_label(object, STR("b"), &value));
    ASSERT_TRUE(kin_object_label(object, STR("c"), &value));
    ASSERT_SLICE_EQ(value, "3");
    check_json(object, "{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"1\",\"c\":\"3\"}}}");
}

TEST(find, tells_what_is_wrong_with_metadata_whatever_the_mask)
{
    kin_object_options options = KIN_OBJECT_OPTIONS_INIT;
    kin_mask *mask = make_mask(KIN_MASK_KEEP, "spec", NULL, NULL, NULL);
    kin_object *object = NULL;
    kin_error err;

    options.mask = mask;
    ASSERT_ERR(kin_object_from_json("{\"metadata\":5}", 14, &options, &object, &err),
               KIN_ERR_MALFORMED);
    ASSERT_MESSAGE(&err,
                   "object from JSON: metadata: expected an object, found a number at byte 12");
    kin_mask_free(mask);
}
