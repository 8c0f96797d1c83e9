/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finalizer_server_test.c - a controller that cleans up, and the embedded server.
 */
#include "kin/owner.h"
#include "unit/controller/workshop.h"

#define HOLD "example.com/hold"
#define MAP_PATH "/api/v1/namespaces/default/configmaps/a"

static int cleanups_that_fail;

static kin_err clean_up(void *context, kin_reconcile *r, const kin_object *object, kin_error *err)
{
    (void) r;
    note(context, "clean:%.*s", KIN_STR_ARG(kin_object_name(object)));
    if (cleanups_that_fail > 0) {
        cleanups_that_fail--;
        err->code = KIN_ERR_SERVER;
        return err->code;
    }
    return KIN_OK;
}

static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
{
    const kin_object *object = kin_reconcile_object(r);
    bool is_done = false;

    if (object == NULL) {
        note(context, "gone");
        return KIN_OK;
    }
    kin_err code = kin_reconcile_finalize(r, object, HOLD, clean_up, context, &is_done, err);
    if (code != KIN_OK) {
        note(context, "%s", kin_err_name(code));
        return code;
    }
    note(context, "%s", is_done ? "done" : "work");
    return KIN_OK;
}

static int ask(workshop *w, const char *method, const char *path, const char *body, text *out)
{
    kin_server_answer answer;

    ASSERT_OK(kin_server_ask(w->server, method, path, NULL, kin_str_of(body), &answer, &w->err));
    int status = answer.status;
    if (out != NULL) {
        text_clear(out);
        text_append(out, "%s", answer.body);
    }
    kin_server_answer_fini(&answer);
    return status;
}

static void begin(workshop *w)
{
    workshop_open(w);
    w->options.reconcile = reconcile;
}

/* Only what changes in the spec matters: a finalizer does not. */
static const kin_predicate quiet = { kin_labels_changed, NULL };

TEST(finalizer, is_put_on_first_and_the_work_follows_though_no_predicate_lets_it_pass)
{
    text got = { 0 };
    workshop w;
    begin(&w);
    make_controller(&w);
    ASSERT_OK(kin_controller_about(w.controller, w.maps, &quiet, &w.err));
    start(&w);

    settle_map(&w, "a", "1");
    await_seen(&w, "work");
    await_idle(&w);
    expect_seen(&w, "done work");
    ASSERT_EQ(ask(&w, "GET", MAP_PATH, "", &got), 200);
    ASSERT_CONTAINS(got.chars, "\"finalizers\":[\"" HOLD "\"]");
    workshop_close(&w);
}

TEST(finalizer, keeps_the_object_until_the_cleanup_succeeds)
{
    workshop w;
    begin(&w);
    make_controller_about_maps(&w);
    start(&w);
    settle_map(&w, "a", "1");
    await_seen(&w, "work");

    cleanups_that_fail = 1;
    ASSERT_EQ(ask(&w, "DELETE", MAP_PATH, "", NULL), 200);
    await_seen(&w, "clean:a KIN_ERR_SERVER");
    ASSERT_EQ(ask(&w, "GET", MAP_PATH, "", NULL), 200);
    while (ask(&w, "GET", MAP_PATH, "", NULL) == 200) {
        pass(&w, 100);
    }
    await_seen(&w, "clean:a done");
    await_seen(&w, "gone");
    workshop_close(&w);
}
