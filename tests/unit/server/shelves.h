/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shelves.h - a shelf to test with, and custom resources for it.
 */
#ifndef TESTS_UNIT_SERVER_SHELVES_H
#define TESTS_UNIT_SERVER_SHELVES_H

#include "base/str.h"
#include "server/served.h"
#include "support/test.h"

typedef struct shelved {
    kin__storage *storage;
    kin__shelf *shelf;
} shelved;

static inline kin_err shelved_try(shelved *out, kin_error *err)
{
    kin__storage_options options = { .history_max = 16 };

    *out = (shelved){ NULL, NULL };
    if (kin__storage_new(&options, &out->storage, err) != KIN_OK) {
        return err->code;
    }
    if (kin__shelf_new(out->storage, &out->shelf, err) != KIN_OK) {
        kin__storage_free(out->storage);
        return err->code;
    }
    return KIN_OK;
}

static inline shelved shelved_new(void)
{
    shelved s;
    kin_error err;

    ASSERT_OK(shelved_try(&s, &err));
    return s;
}

static inline void shelved_free(shelved *s)
{
    kin__shelf_free(s->shelf);
    kin__storage_free(s->storage);
}

#define CUSTOM_VERBS                                                                               \
    (KIN__VERB_GET | KIN__VERB_LIST | KIN__VERB_WATCH | KIN__VERB_CREATE | KIN__VERB_UPDATE |      \
     KIN__VERB_PATCH | KIN__VERB_DELETE | KIN__VERB_DELETE_COLLECTION)

static const kin__served_sub custom_status[] = {
    { "status", "", "", "", KIN__VERB_GET | KIN__VERB_PATCH | KIN__VERB_UPDATE },
    { NULL, NULL, NULL, NULL, 0 },
};

/* Widgets of example.com: namespaced, with a status in v1 alone. */
static inline kin__served widget(const char *version)
{
    bool is_first = kin__str_equal(kin_str_of(version), STR("v1"));

    return (kin__served){
        .group = STR("example.com"),
        .version = kin_str_of(version),
        .resource = STR("widgets"),
        .singular = STR("widget"),
        .kind = STR("Widget"),
        .is_namespaced = true,
        .is_stored = is_first,
        .verbs = CUSTOM_VERBS,
        .traits = KIN__UPDATES_ONLY_BY_VERSION | KIN__HAS_GENERATION,
        .short_names = { "wi" },
        .categories = { "all", "toys" },
        .subs = is_first ? custom_status : NULL,
    };
}

/* The same of the whole cluster. */
static inline kin__served gadget(const char *version)
{
    kin__served served = widget(version);

    served.resource = STR("gadgets");
    served.singular = STR("gadget");
    served.kind = STR("Gadget");
    served.is_namespaced = false;
    served.short_names[0] = "ga";
    return served;
}

static inline void add_custom(shelved *s)
{
    kin__served all[] = { widget("v1beta1"), gadget("v1"), widget("v1"), gadget("v1beta1") };
    kin_error err;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ASSERT_OK(kin__shelf_add(s->shelf, &all[i], NULL, &err));
    }
}

#endif /* TESTS_UNIT_SERVER_SHELVES_H */
