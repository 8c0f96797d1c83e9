/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile_write_test.c - what a reconcile writes.
 */
#include "unit/controller/workshop.h"

#include "kin/path.h"

/* What one reconcile does, of the object it is about. */
typedef kin_err (*act_fn)(workshop *w, kin_reconcile *r, const kin_object *object, kin_error *err);

typedef struct desk {
    workshop w;
    act_fn act;
} desk;

static kin_err act_once(void *context, kin_reconcile *r, kin_error *err)
{
    desk *d = context;
    act_fn act = d->act;

    d->act = NULL;
    if (act != NULL) {
        kin_err code = act(&d->w, r, kin_reconcile_object(r), err);
        note(&d->w, "%s", kin_err_name(code));
    }
    return KIN_OK;
}

/* Has `act` done to the ConfigMap default/a; what it noted is compared. */
static void expect(kin_informer_options options, act_fn act, const char *seen)
{
    desk d = { .act = act };

    workshop_open(&d.w);
    kin_informer_free(d.w.maps);
    options.resource = "configmaps";
    d.w.maps = make_informer(&d.w, options);
    d.w.options.reconcile = act_once;
    d.w.options.context = &d;
    make_controller_about_maps(&d.w);
    put_map(&d.w, "a", "1");
    start(&d.w);
    await_idle(&d.w);
    expect_seen(&d.w, seen);
    workshop_close(&d.w);
}

static const kin_informer_options plain = KIN_INFORMER_OPTIONS_INIT;

/* ---- creating ------------------------------------------------------------------------------- */

static kin_err create_twice(workshop *w, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    kin_object *wanted = map_of("b", "1");
    kin_object *made = NULL;

    (void) object;
    ASSERT_OK(kin_reconcile_create(r, wanted, &made, err));
    ASSERT_TRUE(kin_object_uid(made).len > 0);
    kin_object_unref(made);
    kin_err code = kin_reconcile_create(r, wanted, NULL, err);
    note(w, "%s", err->reason);
    kin_object_unref(wanted);
    return code;
}

TEST(reconcile_write, creates_what_is_not_there_yet)
{
    expect(plain, create_twice, "AlreadyExists KIN_ERR_CONFLICT");
}

/* ---- patching ------------------------------------------------------------------------------- */

static kin_err patch(kin_reconcile *r, const kin_object *object, const char *value,
                     kin_object **out, kin_error *err)
{
    kin_edit *edit = NULL;

    ASSERT_OK(kin_object_edit(object, &edit, err));
    if (value != NULL) {
        ASSERT_OK(kin_edit_set_str(edit, "data.value", kin_str_of(value), err));
    }
    kin_err code = kin_reconcile_patch(r, edit, NULL, out, err);
    kin_edit_free(edit);
    return code;
}

static void note_value(workshop *w, const kin_object *object)
{
    char scratch[64];
    kin_str value = kin_str_of("none");

    (void) !kin_value_str(kin_object_at(object, "data.value"), scratch, sizeof scratch, &value);
    note(w, "%.*s", KIN_STR_ARG(value));
}

static kin_err patch_twice(workshop *w, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    kin_object *now = NULL;

    ASSERT_OK(patch(r, object, "2", &now, err));
    note_value(w, now);
    kin_object_unref(now);
    return patch(r, object, "3", NULL, err); /* it is not as it was read any more */
}

TEST(reconcile_write, runs_over_nobody_with_a_patch)
{
    expect(plain, patch_twice, "2 KIN_ERR_CONFLICT");
}

static kin_err patch_nothing(workshop *w, kin_reconcile *r, const kin_object *object,
                             kin_error *err)
{
    kin_server_counts before;
    kin_server_counts after;
    kin_object *same = NULL;

    kin_server_get_counts(w->server, &before);
    kin_err code = patch(r, object, NULL, &same, err);
    kin_server_get_counts(w->server, &after);
    note(w, "%s %d", same == object ? "same" : "other", (int) (after.requests - before.requests));
    kin_object_unref(same);
    return code;
}

TEST(reconcile_write, sends_nothing_when_nothing_was_changed)
{
    expect(plain, patch_nothing, "same 0 KIN_OK");
}

/* ---- deleting ------------------------------------------------------------------------------- */

static kin_err delete_twice(workshop *w, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    kin_object *another = map_of("a", "1");

    ASSERT_ERR(kin_reconcile_delete(r, another, NULL, err), KIN_ERR_USAGE);
    note(w, "%s", err->message);
    kin_object_unref(another);
    ASSERT_OK(kin_reconcile_delete(r, object, "Background", err));
    return kin_reconcile_delete(r, object, NULL, err); /* gone already */
}

TEST(reconcile_write, deletes_what_is_gone_already_without_a_failure)
{
    expect(plain, delete_twice, "delete default/a: the object has no uid KIN_OK");
}

static kin_err delete_another(workshop *w, kin_reconcile *r, const kin_object *object,
                              kin_error *err)
{
    remove_map(w, "a");
    put_map(w, "a", "1");
    return kin_reconcile_delete(r, object, NULL, err);
}

TEST(reconcile_write, does_not_delete_another_one_of_the_same_name)
{
    expect(plain, delete_another, "KIN_ERR_CONFLICT");
}

/* ---- partial objects ------------------------------------------------------------------------ */

static kin_err update(workshop *w, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = KIN_VERB_UPDATE;
    request.object = object;
    ASSERT_ERR(kin_client_update(w->client, object, NULL, err), KIN_ERR_PARTIAL);
    return kin_reconcile_run(r, &request, NULL, err);
}

static kin_err patch_partial(workshop *w, kin_reconcile *r, const kin_object *object,
                             kin_error *err)
{
    kin_edit *edit = NULL;
    kin_object *now = NULL;

    ASSERT_OK(kin_object_edit(object, &edit, err));
    ASSERT_OK(kin_edit_set_str(edit, "metadata.labels.app", kin_str_of("web"), err));
    kin_err code = kin_reconcile_patch(r, edit, NULL, &now, err);
    if (code == KIN_OK) {
        note_value(w, now); /* what the object lacked is still there */
    }
    kin_object_unref(now);
    kin_edit_free(edit);
    return code;
}

TEST(reconcile_write, sends_no_partial_object_back)
{
    static const char *const paths[] = { "metadata" };
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_mask *mask = NULL;

    ASSERT_OK(kin_mask_new(KIN_MASK_KEEP, paths, 1, &mask, NULL));
    options.mask = mask;
    expect(options, update, "KIN_ERR_PARTIAL");
    expect(options, patch_partial, "1 KIN_OK");
    kin_mask_free(mask);
}

static kin_err delete_it(workshop *w, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    note(w, "%.*s", KIN_STR_ARG(kin_object_kind(object)));
    return kin_reconcile_delete(r, object, NULL, err);
}

TEST(reconcile_write, knows_what_metadata_are_of)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.metadata_only = true;
    expect(options, patch_partial, "1 KIN_OK");
    expect(options, delete_it, "PartialObjectMetadata KIN_OK");
}

/* ---- any other call ------------------------------------------------------------------------- */

static kin_err get_and_nonsense(workshop *w, kin_reconcile *r, const kin_object *object,
                                kin_error *err)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_reply reply = KIN_REPLY_INIT;

    (void) object;
    request.verb = KIN_VERB_GET;
    request.resource = "cm";
    request.ns = "default";
    request.name = "a";
    ASSERT_OK(kin_reconcile_run(r, &request, &reply, err));
    note_value(w, reply.object);
    kin_reply_fini(&reply);
    request.name = NULL;
    ASSERT_ERR(kin_reconcile_run(r, &request, NULL, err), KIN_ERR_USAGE);
    request.size = 0;
    return kin_reconcile_run(r, &request, NULL, err);
}

TEST(reconcile_write, runs_any_other_call)
{
    expect(plain, get_and_nonsense, "1 KIN_ERR_USAGE");
}
