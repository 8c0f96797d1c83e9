/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_test.c - whom a change concerns.
 */
#include "controller/reconcile.h"
#include "unit/controller/workshop.h"

/* About ConfigMaps (or what the test says) that own Secrets. */
typedef struct household {
    workshop w;
    kin_informer *about;
    kin_informer *secrets;
} household;

static void household_open(household *h, const char *about, kin_transform_fn transform)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    workshop_open(&h->w);
    h->about = make_informer_of(&h->w, about);
    options.resource = "secrets";
    options.transform = transform;
    h->secrets = make_informer(&h->w, options);
    make_controller(&h->w);
    ASSERT_OK(kin_controller_about(h->w.controller, h->about, NULL, &h->w.err));
}

static void household_start(household *h)
{
    ASSERT_OK(kin_informer_start(h->about, &h->w.err));
    ASSERT_OK(kin_informer_start(h->secrets, &h->w.err));
    ASSERT_OK(kin_controller_start(h->w.controller, &h->w.err));
    await_idle(&h->w);
}

static void household_close(household *h)
{
    set_holding(&h->w, false);
    kin_controller_free(h->w.controller);
    h->w.controller = NULL;
    kin_informer_free(h->about);
    kin_informer_free(h->secrets);
    workshop_close(&h->w);
}

/* A Secret in "default" with these ownerReferences; returns when all of it has been dealt with. */
static void put_secret(household *h, const char *name, const char *owners)
{
    char key[64];
    uint64_t revision =
        put(&h->w,
            "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"default\","
            "\"name\":\"%s\",\"ownerReferences\":[%s]}}",
            name, owners);

    (void) snprintf(key, sizeof key, "default/%s", name);
    await_version(&h->w, h->secrets, key, revision);
    await_idle(&h->w);
}

#define OWNER(api, kind, name, more)                                                               \
    "{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"u\"" more "}"
#define CONTROLLER ",\"controller\":true"

TEST(watch, queues_the_owner_of_what_is_owned)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, NULL, &h.w.err));
    household_start(&h);

    put_secret(&h, "s", OWNER("v1", "ConfigMap", "a", CONTROLLER));
    expect_seen(&h.w, "default/a");
    put_secret(&h, "s", OWNER("v1", "ConfigMap", "b", CONTROLLER)); /* both */
    expect_seen(&h.w, "default/b default/a");
    put_secret(&h, "s", "");
    expect_seen(&h.w, "default/b");
    put_secret(&h, "t", OWNER("v1", "ConfigMap", "c", CONTROLLER));
    ASSERT_OK(kin_server_remove(h.w.server, "v1", "Secret", "default", "t", NULL, &h.w.err));
    await_seen(&h.w, "default/c default/c");
    household_close(&h);
}

TEST(watch, does_not_care_for_owners_of_another_kind_or_that_are_no_controllers)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, NULL, &h.w.err));
    household_start(&h);

    put_secret(&h, "s", OWNER("v1", "Service", "a", CONTROLLER));
    put_secret(&h, "s", OWNER("example.com/v1", "ConfigMap", "a", CONTROLLER));
    put_secret(&h, "s", OWNER("v1", "ConfigMap", "a", ""));
    put_secret(&h, "s", OWNER("v1", "ConfigMap", "a", ",\"controller\":false"));
    expect_seen(&h.w, "");
    put_secret(&h, "s", OWNER("v9", "ConfigMap", "a", CONTROLLER)); /* another version will do */
    expect_seen(&h.w, "default/a");
    household_close(&h);
}

TEST(watch, does_not_look_for_an_owner_with_a_namespace_where_there_is_none)
{
    household h;

    household_open(&h, "configmaps", NULL);
    kin_informer *nodes = make_informer_of(&h.w, "nodes");
    ASSERT_OK(kin_controller_owns(h.w.controller, nodes, NULL, &h.w.err));
    put(&h.w, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\","
              "\"ownerReferences\":[" OWNER("v1", "ConfigMap", "a", CONTROLLER) "]}}");
    ASSERT_OK(kin_informer_start(nodes, &h.w.err));

    household_start(&h);

    expect_seen(&h.w, "");
    kin_controller_free(h.w.controller);
    h.w.controller = NULL;
    kin_informer_free(nodes);
    household_close(&h);
}

TEST(watch, names_an_owner_without_a_namespace_by_its_name_alone)
{
    household h;

    household_open(&h, "namespaces", NULL);
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, NULL, &h.w.err));
    household_start(&h);
    text_clear(&h.w.seen);

    put_secret(&h, "s", OWNER("v1", "Namespace", "default", CONTROLLER));

    expect_seen(&h.w, "default");
    household_close(&h);
}

/* Before the start too: what is there when the controller comes. */
TEST(watch, queues_the_owners_of_what_was_there)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, NULL, &h.w.err));
    put(&h.w,
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"default\","
        "\"name\":\"s\",\"ownerReferences\":[" OWNER("v1", "ConfigMap", "a", CONTROLLER) "]}}");

    household_start(&h);

    expect_seen(&h.w, "default/a");
    household_close(&h);
}

/* What the server would not take; the annotation "owners" says how they are to look. */
static kin_err make_hostile(void *context, const kin_object *object, kin_object **out,
                            kin_error *err)
{
    char owners[2048];
    char json[4096];
    kin_str text_;

    (void) context;
    if (kin_value_str(kin_object_annotation(object, kin_str_of("owners")), owners, sizeof owners,
                      &text_) != KIN_OK) {
        *out = kin_object_ref(object);
        return KIN_OK;
    }
    (void) snprintf(json, sizeof json,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
                    "\"default\",\"name\":\"s\",\"uid\":\"%.*s\",\"resourceVersion\":\"%.*s\","
                    "\"ownerReferences\":%.*s}}",
                    KIN_STR_ARG(kin_object_uid(object)),
                    KIN_STR_ARG(kin_object_resource_version(object)), KIN_STR_ARG(text_));
    return kin_object_from_json(json, strlen(json), NULL, out, err);
}

static void put_hostile(household *h, const char *owners)
{
    uint64_t revision = put(&h->w,
                            "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{"
                            "\"namespace\":\"default\",\"name\":\"s\",\"annotations\":{\"owners\":"
                            "\"%s\"}}}",
                            owners);

    await_version(&h->w, h->secrets, "default/s", revision);
    await_idle(&h->w);
}

TEST(watch, takes_no_harm_from_owners_that_make_no_sense)
{
    household h;
    char longer[1200];

    household_open(&h, "configmaps", make_hostile);
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, NULL, &h.w.err));
    household_start(&h);
#define Q(s) "\\\"" s "\\\""
#define HEAD                                                                                       \
    "{" Q("controller") ":true," Q("apiVersion") ":" Q("v1") "," Q("kind") ":" Q("ConfigMap")
    put_hostile(&h, "7");
    put_hostile(&h, "[7," Q("x") ",null,[]]");
    put_hostile(&h, "{}");
    put_hostile(&h, "[{" Q("controller") ":true}]");
    put_hostile(&h, "[" HEAD "}]");
    put_hostile(&h, "[" HEAD "," Q("name") ":7}]");
    put_hostile(&h, "[" HEAD "," Q("name") ":" Q("") "}]");
    put_hostile(&h, "[" HEAD "," Q("name") ":" Q("a/b") "}]");
    (void) snprintf(longer, sizeof longer, "[" HEAD "," Q("name") ":" Q("%0*d") "}]", 254, 7);
    put_hostile(&h, longer);
    expect_seen(&h.w, "");
    ASSERT_EQ(status_of(&h.w).succeeded, 0);

    put_hostile(&h, "[" HEAD "," Q("name") ":" Q("a") "}]");
    expect_seen(&h.w, "default/a");
    household_close(&h);
}

/* ---- by a function -------------------------------------------------------------------------- */

/* The annotation "for" names whom it concerns. */
static void map_annotation(void *context, const kin_object *object, kin_concerned *concerned)
{
    char scratch[64];
    kin_str key;

    ASSERT_STR_EQ(context, "of the map");
    if (kin_value_str(kin_object_annotation(object, kin_str_of("for")), scratch, sizeof scratch,
                      &key) == KIN_OK) {
        kin_concerned_add(concerned, key);
    }
}

static uint64_t put_for(household *h, const char *key)
{
    uint64_t revision = put(&h->w,
                            "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{"
                            "\"namespace\":\"default\",\"name\":\"s\",\"annotations\":{\"for\":"
                            "\"%s\"}}}",
                            key);

    await_version(&h->w, h->secrets, "default/s", revision);
    await_idle(&h->w);
    return revision;
}

TEST(watch, asks_a_map_of_what_was_and_of_what_is)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_maps(h.w.controller, h.secrets, NULL, map_annotation,
                                  (char *) "of the map", &h.w.err));
    household_start(&h);

    put_for(&h, "x/1");
    expect_seen(&h.w, "x/1");
    put_for(&h, "x/2");
    expect_seen(&h.w, "x/1 x/2");
    ASSERT_OK(kin_server_remove(h.w.server, "v1", "Secret", "default", "s", NULL, &h.w.err));
    await_seen(&h.w, "x/2");
    await_idle(&h.w);
    expect_seen(&h.w, "x/2");
    household_close(&h);
}

/* Gives the worker the time to serve the key before it is named again. */
static void map_and_wait(void *context, const kin_object *object, kin_concerned *concerned)
{
    (void) object;
    kin_concerned_add(concerned, kin_str_of("x/1"));
    await_seen(context, "x/1");
}

TEST(watch, queues_a_key_once_that_both_of_what_was_and_what_is_concern)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_maps(h.w.controller, h.secrets, NULL, map_and_wait, &h.w, &h.w.err));
    household_start(&h);
    put_for(&h, "first");
    expect_seen(&h.w, "x/1");

    put_for(&h, "second");

    expect_seen(&h.w, "x/1");
    household_close(&h);
}

static void map_too_long(void *context, const kin_object *object, kin_concerned *concerned)
{
    static char bytes[70000];

    (void) context;
    (void) object;
    memset(bytes, 'x', sizeof bytes);
    kin_concerned_add(concerned, (kin_str){ bytes, sizeof bytes });
    kin_concerned_add(concerned, kin_str_of("x/1"));
}

TEST(watch, drops_a_key_that_is_too_long_and_goes_on)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_maps(h.w.controller, h.secrets, NULL, map_too_long, NULL, &h.w.err));
    household_start(&h);

    put_for(&h, "x");

    expect_seen(&h.w, "x/1");
    household_close(&h);
}

/* ---- predicates ----------------------------------------------------------------------------- */

static bool has_even_value(const void *context, const kin_notification *n)
{
    char scratch[16];
    kin_str value;

    ASSERT_STR_EQ(context, "of the predicate");
    return kin_value_str(kin_object_at(n->object, "data.value"), scratch, sizeof scratch, &value) ==
               KIN_OK &&
           (value.data[value.len - 1] - '0') % 2 == 0;
}

TEST(watch, passes_only_what_matters)
{
    const kin_predicate matters = { has_even_value, "of the predicate" };
    workshop w;

    workshop_open(&w);
    make_controller(&w);
    ASSERT_OK(kin_controller_about(w.controller, w.maps, &matters, &w.err));
    put_map(&w, "a", "1");
    put_map(&w, "b", "2");
    start(&w);
    await_idle(&w);
    expect_seen(&w, "default/b");

    settle_map(&w, "a", "3");
    expect_seen(&w, "");
    settle_map(&w, "a", "4");
    expect_seen(&w, "default/a");
    workshop_close(&w);
}

static kin_err note_priority(void *context, kin_reconcile *r, kin_error *err)
{
    (void) err;
    note(context, "%d", (int) r->item->priority);
    return KIN_OK;
}

/* As what was there before. */
TEST(watch, queues_a_resync_behind_what_has_changed)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    workshop w;

    workshop_open(&w);
    options.resource = "configmaps";
    options.resync_ms = 20;
    kin_informer *again = make_informer(&w, options);
    w.options.reconcile = note_priority;
    make_controller(&w);
    ASSERT_OK(kin_controller_about(w.controller, again, NULL, &w.err));
    put_map(&w, "a", "1");
    ASSERT_OK(kin_informer_start(again, &w.err));
    ASSERT_OK(kin_controller_start(w.controller, &w.err));

    await_seen(&w, "-1 -1");

    kin_controller_free(w.controller);
    w.controller = NULL;
    kin_informer_free(again);
    workshop_close(&w);
}

/* ---- a handler that is behind --------------------------------------------------------------- */

#define BOUND 1024 /* of what waits for a handler by itself */

/* What comes after them is merged. */
static uint64_t put_crowd(household *h)
{
    uint64_t revision = 0;

    for (int i = 0; i < BOUND + 1; i++) {
        revision = put(&h->w,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
                       "\"default\",\"name\":\"other-%d\"}}",
                       i);
    }
    return revision;
}

/* The store shows it; the handler has yet to be told. */
static void show_secret(household *h, const char *label, const char *owner)
{
    uint64_t revision =
        put(&h->w,
            "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"default\","
            "\"name\":\"s\",\"labels\":{\"is\":\"%s\"},\"ownerReferences\":[" OWNER(
                "v1", "ConfigMap", "%s", CONTROLLER) "]}}",
            label, owner);

    await_version(&h->w, h->secrets, "default/s", revision);
}

static bool hold_labels(const void *context, const kin_notification *n)
{
    hold((workshop *) (uintptr_t) context);
    return kin_labels_changed(NULL, n);
}

/* Owns Secrets by a predicate that does not return, and has a crowd of changes to be asked of. */
static void household_fall_behind(household *h, kin_predicate *matters)
{
    household_open(h, "configmaps", NULL);
    *matters = (kin_predicate){ hold_labels, &h->w };
    ASSERT_OK(kin_controller_owns(h->w.controller, h->secrets, matters, &h->w.err));
    household_start(h);
    set_holding(&h->w, true);
    await_version(&h->w, h->secrets, "default/other-0", put_crowd(h));
    await_held(&h->w, 1);
}

TEST(watch, queues_the_owner_of_what_came_and_went_while_it_was_behind)
{
    household h;
    kin_predicate matters;

    household_fall_behind(&h, &matters);
    show_secret(&h, "x", "a");
    ASSERT_OK(kin_server_remove(h.w.server, "v1", "Secret", "default", "s", NULL, &h.w.err));

    await_seen(&h.w, "default/a");

    household_close(&h);
}

TEST(watch, queues_every_owner_that_something_had_while_it_was_behind)
{
    household h;
    kin_predicate matters;

    household_fall_behind(&h, &matters);
    show_secret(&h, "x", "a");
    show_secret(&h, "x", "b");
    show_secret(&h, "x", "c");

    await_seen(&h.w, "default/a");
    await_seen(&h.w, "default/b");
    await_seen(&h.w, "default/c");

    household_close(&h);
}

/* What went may have had another owner when the handler was told of it last. */
TEST(watch, queues_the_former_owner_of_what_was_given_away_and_went_while_it_was_behind)
{
    household h;
    kin_predicate matters;

    household_open(&h, "configmaps", NULL);
    matters = (kin_predicate){ hold_labels, &h.w };
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, &matters, &h.w.err));
    household_start(&h);
    show_secret(&h, "x", "a");
    await_idle(&h.w);
    expect_seen(&h.w, "default/a");
    set_holding(&h.w, true);
    put_crowd(&h);
    show_secret(&h, "x", "b");
    ASSERT_OK(kin_server_remove(h.w.server, "v1", "Secret", "default", "s", NULL, &h.w.err));

    await_seen(&h.w, "default/a");
    await_seen(&h.w, "default/b");

    household_close(&h);
}

/* A reconcile may have seen what was in between. */
TEST(watch, takes_what_changed_and_changed_back_while_it_was_behind_to_matter)
{
    household h;
    kin_predicate matters;

    household_open(&h, "configmaps", NULL);
    matters = (kin_predicate){ hold_labels, &h.w };
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, &matters, &h.w.err));
    household_start(&h);
    show_secret(&h, "x", "a");
    await_idle(&h.w);
    expect_seen(&h.w, "default/a");
    set_holding(&h.w, true);
    put_crowd(&h);
    show_secret(&h, "y", "a");
    show_secret(&h, "x", "a");

    await_seen(&h.w, "default/a");

    household_close(&h);
}

static void map_and_hold(void *context, const kin_object *object, kin_concerned *concerned)
{
    hold(context);
    map_annotation((char *) "of the map", object, concerned);
}

/* Whom the states in between concern only the map could say: the store does not show them. */
TEST(watch, has_the_informer_rest_while_a_map_is_behind)
{
    household h;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_maps(h.w.controller, h.secrets, NULL, map_and_hold, &h.w, &h.w.err));
    household_start(&h);
    set_holding(&h.w, true);
    await_version(&h.w, h.secrets, "default/other-0", put_crowd(&h));
    uint64_t revision = put(&h.w, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{"
                                  "\"namespace\":\"default\",\"name\":\"s\",\"annotations\":{"
                                  "\"for\":\"x/1\"}}}");

    while (status.state != KIN_INFORMER_BLOCKED) {
        ASSERT_OK(kin_informer_get_status(h.secrets, &status, &h.w.err));
        (void) sched_yield();
    }
    set_holding(&h.w, false);
    await_version(&h.w, h.secrets, "default/s", revision);
    await_idle(&h.w);

    expect_seen(&h.w, "x/1");
    household_close(&h);
}

TEST(watch, looks_only_at_what_it_reads)
{
    household h;

    household_open(&h, "configmaps", NULL);
    ASSERT_OK(kin_controller_reads(h.w.controller, h.secrets, &h.w.err));
    household_start(&h);

    put_secret(&h, "s", OWNER("v1", "ConfigMap", "a", CONTROLLER));

    expect_seen(&h.w, "");
    household_close(&h);
}

/* ---- an informer that drops its handlers ---------------------------------------------------- */

TEST(watch, is_told_of_changes_again_after_its_informer_dropped_its_handler)
{
    workshop w;

    workshop_open(&w);
    make_controller_about_maps(&w);
    put_map(&w, "a", "1");
    start(&w);
    await_idle(&w);
    expect_seen(&w, "default/a");

    ASSERT_OK(kin_informer_stop_and_drop(w.maps, -1, &w.err));
    await_idle(&w);
    expect_seen(&w, "default/a"); /* something may have been dropped */
    ASSERT_OK(kin_informer_start(w.maps, &w.err));
    settle_map(&w, "b", "1");

    expect_seen(&w, "default/b");
    workshop_close(&w);
}

/* Whom it concerned nobody knows any more. */
TEST(watch, has_all_keys_come_after_what_was_pending_was_dropped)
{
    household h;
    kin_predicate matters;

    household_open(&h, "configmaps", NULL);
    matters = (kin_predicate){ hold_labels, &h.w };
    ASSERT_OK(kin_controller_owns(h.w.controller, h.secrets, &matters, &h.w.err));
    put_map(&h.w, "a", "1");
    household_start(&h);
    expect_seen(&h.w, "default/a");
    set_holding(&h.w, true);
    show_secret(&h, "x", "none");
    await_held(&h.w, 1);
    show_secret(&h, "x", "a"); /* pending, as is the next */
    ASSERT_OK(kin_server_remove(h.w.server, "v1", "Secret", "default", "s", NULL, &h.w.err));

    ASSERT_ERR(kin_informer_stop_and_drop(h.secrets, 0, &h.w.err), KIN_OK);
    set_holding(&h.w, false);

    await_seen(&h.w, "default/a");
    household_close(&h);
}
