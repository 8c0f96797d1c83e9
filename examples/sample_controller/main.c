/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a sample controller: each Foo has a Deployment of the size it says.
 *
 * A Foo (foos.json) names a Deployment and says how many replicas it is to have.  This program
 * makes the Deployment, keeps its size, tells in the Foo's status how many replicas are available,
 * and removes the Deployment before the Foo goes.  It is meant to be copied: README.md says how to
 * build it, docs/guide/controllers.md goes through it step by step.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <kin/kin.h>

#define FOOS "foos.samples.kinformer.example.com"
#define FINALIZER "samples.kinformer.example.com/deployment"
#define LOOK_AGAIN_MS 10000 /* for what no event tells us of */
#define PATIENCE_MS 10000   /* at the beginning and at the end */

/* All that lives as long as the program. */
typedef struct app {
    const char *crd_path; /* --install-crd; NULL: it is there */
    bool elects_leader;   /* --leader-elect */

    kin_client *client;
    kin_informer *foos;
    kin_informer *deployments;
    kin_recorder *recorder;
    kin_leader *leader;
    kin_controller *controller;
} app;

/* ---- one Foo --------------------------------------------------------------------------------- */

/* What is in a text that we send must be JSON, whatever a name consists of: so nothing is printed
 * into this one.  It is edited. */
static const char TEMPLATE[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"template\"},"
    "\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"nginx\"}},\"template\":{"
    "\"metadata\":{\"labels\":{\"app\":\"nginx\"}},"
    "\"spec\":{\"containers\":[{\"name\":\"nginx\",\"image\":\"nginx:latest\"}]}}}}";

/* The Deployment that a Foo is to have, as it is sent to be created. */
static kin_err new_deployment(const kin_object *foo, kin_str name, int64_t replicas,
                              kin_object **out, kin_error *err)
{
    kin_object *template = NULL;
    kin_edit *edit = NULL;
    kin_str owner = kin_object_uid(foo);
    bool is_made =
        kin_object_from_json(TEMPLATE, sizeof TEMPLATE - 1, NULL, &template, err) == KIN_OK &&
        kin_object_edit(template, &edit, err) == KIN_OK &&
        kin_edit_set_str(edit, "metadata.namespace", kin_object_namespace(foo), err) == KIN_OK &&
        kin_edit_set_str(edit, "metadata.name", name, err) == KIN_OK &&
        kin_edit_set_int64(edit, "spec.replicas", replicas, err) == KIN_OK &&
        /* Pods of two Foos must not be mixed up: the Foo's uid is part of the selector.  (Its name
         * may be longer than the value of a label.) */
        kin_edit_set_str(edit, "spec.selector.matchLabels.controller", owner, err) == KIN_OK &&
        kin_edit_set_str(edit, "spec.template.metadata.labels.controller", owner, err) == KIN_OK &&
        /* By this reference kin_controller_owns() finds the Foo, and the cluster's garbage
         * collector knows that the Deployment goes with it. */
        kin_edit_set_controller(edit, foo, err) == KIN_OK &&
        kin_edit_object(edit, out, err) == KIN_OK;

    kin_edit_free(edit);
    kin_object_unref(template);
    return is_made ? KIN_OK : err->code;
}

/* What is missing, or not what it should be, reads as `otherwise`. */
static int64_t number_at(const kin_object *object, const char *path, int64_t otherwise)
{
    int64_t number;

    return kin_value_int64(kin_object_at(object, path), &number) == KIN_OK ? number : otherwise;
}

/* The Deployment that the Foo names, from our copy: the server is not asked.  Shared; NULL: there
 * is none.  A read section is short, so the object is kept by a reference instead. */
static kin_object *find_deployment(const app *a, const kin_object *foo, kin_str name)
{
    kin_str ns = kin_object_namespace(foo);
    char key[512];
    int len = snprintf(key, sizeof key, "%.*s/%.*s", KIN_STR_ARG(ns), KIN_STR_ARG(name));

    if (len < 0 || (size_t) len >= sizeof key) {
        return NULL; /* longer than any name that a server accepts */
    }
    kin_view view = kin_store_read(kin_informer_store(a->deployments));
    kin_object *found = kin_object_ref(kin_view_get(&view, kin_str_of(key)));
    kin_store_done(&view);
    return found;
}

static kin_err create(const app *a, kin_reconcile *r, const kin_object *foo, kin_str name,
                      int64_t replicas, kin_object **out, kin_error *err)
{
    kin_object *wanted = NULL;
    bool is_created = new_deployment(foo, name, replicas, &wanted, err) == KIN_OK &&
                      kin_reconcile_create(r, wanted, out, err) == KIN_OK;

    if (is_created) {
        kin_recorder_tell(a->recorder, foo, *out, KIN_SEVERITY_NORMAL, "Created",
                          "CreateDeployment", "created deployment %.*s with %d replicas",
                          KIN_STR_ARG(name), (int) replicas);
    }
    kin_object_unref(wanted);
    return is_created ? KIN_OK : err->code;
}

/* Only the number is ours: whatever else somebody has changed in the Deployment stays. */
static kin_err scale(const app *a, kin_reconcile *r, const kin_object *foo,
                     const kin_object *deployment, int64_t replicas, kin_error *err)
{
    int64_t has = number_at(deployment, "spec.replicas", 1);
    kin_edit *edit = NULL;

    if (has == replicas) {
        return KIN_OK;
    }
    bool is_scaled = kin_object_edit(deployment, &edit, err) == KIN_OK &&
                     kin_edit_set_int64(edit, "spec.replicas", replicas, err) == KIN_OK &&
                     kin_reconcile_patch(r, edit, NULL, NULL, err) == KIN_OK;
    if (is_scaled) {
        kin_recorder_tell(a->recorder, foo, deployment, KIN_SEVERITY_NORMAL, "Scaled",
                          "ScaleDeployment", "scaled deployment %.*s from %d to %d",
                          KIN_STR_ARG(kin_object_name(deployment)), (int) has, (int) replicas);
    }
    kin_edit_free(edit);
    return is_scaled ? KIN_OK : err->code;
}

/* Through the subresource: so we cannot change the spec by mistake, and need no right to.  Nothing
 * is sent when the number is there already. */
static kin_err write_status(kin_reconcile *r, const kin_object *foo, const kin_object *deployment,
                            kin_error *err)
{
    int64_t available = number_at(deployment, "status.availableReplicas", 0);
    kin_edit *edit = NULL;
    bool is_written =
        kin_object_edit(foo, &edit, err) == KIN_OK &&
        kin_edit_set_int64(edit, "status.availableReplicas", available, err) == KIN_OK &&
        kin_reconcile_patch(r, edit, "status", NULL, err) == KIN_OK;
    kin_edit_free(edit);
    return is_written ? KIN_OK : err->code;
}

/* What must happen before a Foo may go.  The garbage collector would remove the Deployment as well,
 * but some time after; this way, who sees that the Foo is gone knows that the Deployment is. */
static kin_err clean_up(void *context, kin_reconcile *r, const kin_object *foo, kin_error *err)
{
    const app *a = context;
    kin_str name;

    if (kin_value_str(kin_object_at(foo, "spec.deploymentName"), NULL, 0, &name) != KIN_OK) {
        return KIN_OK;
    }
    kin_object *deployment = find_deployment(a, foo, name);
    kin_err code = KIN_OK;
    if (deployment != NULL && kin_object_is_controlled_by(deployment, foo)) {
        code = kin_reconcile_delete(r, deployment, "Background", err);
        if (code == KIN_OK) {
            kin_recorder_tell(a->recorder, foo, deployment, KIN_SEVERITY_NORMAL, "Deleted",
                              "DeleteDeployment", "deleted deployment %.*s", KIN_STR_ARG(name));
        }
    }
    kin_object_unref(deployment);
    return code;
}

/* Looks at what is and makes it what it should be.  It is not told what has changed, and does not
 * want to know: so it also puts right what happened while the program did not run. */
static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
{
    const app *a = context;
    const kin_object *foo = kin_reconcile_object(r);
    bool is_done = false;
    kin_str name;

    if (foo == NULL) {
        return KIN_OK; /* gone, and cleaned up before */
    }
    kin_err code = kin_reconcile_finalize(r, foo, FINALIZER, clean_up, context, &is_done, err);
    if (code != KIN_OK || is_done) {
        return code;
    }
    /* The definition of Foo sees to it that there is a name.  Were there none, trying again would
     * not help: a change of the Foo will bring it back here. */
    if (kin_value_str(kin_object_at(foo, "spec.deploymentName"), NULL, 0, &name) != KIN_OK) {
        return KIN_OK;
    }
    int64_t replicas = number_at(foo, "spec.replicas", 1);
    kin_object *deployment = find_deployment(a, foo, name);
    if (deployment == NULL) {
        code = create(a, r, foo, name, replicas, &deployment, err);
    }
    if (code == KIN_OK && !kin_object_is_controlled_by(deployment, foo)) {
        /* Somebody else's.  Nobody tells us when it goes, for it is not ours: we look again. */
        kin_recorder_tell(a->recorder, foo, deployment, KIN_SEVERITY_WARNING, "ErrResourceExists",
                          "CreateDeployment",
                          "deployment \"%.*s\" already exists and is not managed by Foo",
                          KIN_STR_ARG(name));
        kin_reconcile_again(r, LOOK_AGAIN_MS);
        kin_object_unref(deployment);
        return KIN_OK;
    }
    if (code == KIN_OK) {
        code = scale(a, r, foo, deployment, replicas, err);
    }
    if (code == KIN_OK) {
        code = write_status(r, foo, deployment, err);
    }
    kin_object_unref(deployment);
    return code;
}

/* ---- the program around it ------------------------------------------------------------------- */

static void print_log(void *context, kin_log_level level, const char *component,
                      const char *message)
{
    (void) context;
    fprintf(stderr, "%s: %s: %s\n", kin_log_level_name(level), component, message);
}

/* What failed comes again by itself; people may want to know. */
static void print_trouble(void *context, kin_str key, const kin_error *err, int64_t retry_ms)
{
    (void) context;
    fprintf(stderr, "%.*s: %s (again in %d ms)\n", KIN_STR_ARG(key), err->message, (int) retry_ms);
}

static kin_err read_object(const char *path, kin_object **out, kin_error *err)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return kin_error_set(err, KIN_ERR_SYSTEM, "%s: cannot be opened", path);
    }
    size_t len = fread(text, 1, sizeof text, file);
    (void) fclose(file);
    return kin_object_from_json(text, len, NULL, out, err);
}

/* Creates the definition unless it is there, and waits until the server has the resource. */
static bool install_crd(const app *a, kin_error *err)
{
    const struct timespec pause = { 0, 100 * 1000 * 1000 };
    kin_resource *resource = NULL;
    kin_object *crd = NULL;
    kin_err code = read_object(a->crd_path, &crd, err);

    if (code == KIN_OK) {
        code = kin_client_create(a->client, crd, NULL, err);
        kin_object_unref(crd);
    }
    if (code != KIN_OK && strcmp(err->reason, "AlreadyExists") != 0) {
        return false;
    }
    for (int i = 0; i < PATIENCE_MS / 100; i++) {
        code = kin_client_resource(a->client, FOOS, &resource, err);
        if (code != KIN_ERR_NOT_FOUND) {
            break;
        }
        (void) nanosleep(&pause, NULL);
    }
    kin_resource_unref(resource);
    return code == KIN_OK;
}

static bool follow(app *a, const char *resource, kin_informer **out, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.resource = resource;
    return kin_informer_new(a->client, &options, out, err) == KIN_OK &&
           kin_informer_start(*out, err) == KIN_OK;
}

/* With --leader-elect any number of these programs may run, and one of them works. */
static bool run_for_leader(app *a, kin_error *err)
{
    kin_leader_options options = KIN_LEADER_OPTIONS_INIT;

    options.name = "sample-controller";
    return kin_leader_new(a->client, &options, &a->leader, err) == KIN_OK &&
           kin_leader_start(a->leader, err) == KIN_OK;
}

static bool start_controller(app *a, kin_error *err)
{
    /* Our own writes of the status come back as changes of the Foo.  They do not matter: what
     * people want of it is in its spec, and that has a generation; it grows too when the Foo is to
     * go. */
    static const kin_predicate spec_changed = { kin_generation_changed, NULL };
    static const kin_predicate changed = { kin_version_changed, NULL };
    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;

    options.name = "sample-controller";
    options.reconcile = reconcile;
    options.context = a;
    options.workers = 2;
    options.deadline_ms = 60000;
    options.leader = a->leader;
    options.on_trouble = print_trouble;
    return kin_controller_new(a->client, &options, &a->controller, err) == KIN_OK &&
           kin_controller_about(a->controller, a->foos, &spec_changed, err) == KIN_OK &&
           kin_controller_owns(a->controller, a->deployments, &changed, err) == KIN_OK &&
           kin_controller_start(a->controller, err) == KIN_OK;
}

static bool start(app *a, kin_error *err)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_recorder_options recorder = KIN_RECORDER_OPTIONS_INIT;

    client.logger.log = print_log;
    client.user_agent = "sample-controller";
    recorder.controller = "samples.kinformer.example.com/sample-controller";
    return kin_client_new(NULL, &client, &a->client, err) == KIN_OK &&
           (a->crd_path == NULL || install_crd(a, err)) &&
           kin_recorder_new(a->client, &recorder, &a->recorder, err) == KIN_OK &&
           follow(a, FOOS, &a->foos, err) && follow(a, "deployments.apps", &a->deployments, err) &&
           (!a->elects_leader || run_for_leader(a, err)) && start_controller(a, err);
}

/* In this order: nothing begins any more, what was told is written, and only when nothing of ours
 * is under way another one may lead.  What fails here is told and does not keep us from going. */
static void stop(app *a)
{
    kin_error err;

    if (a->controller != NULL && kin_controller_stop(a->controller, PATIENCE_MS, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    if (a->recorder != NULL && kin_recorder_flush(a->recorder, PATIENCE_MS, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    if (a->leader != NULL && kin_leader_stop(a->leader, PATIENCE_MS, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    kin_controller_free(a->controller);
    kin_leader_free(a->leader);
    kin_recorder_free(a->recorder);
    kin_informer_free(a->deployments);
    kin_informer_free(a->foos);
    kin_client_free(a->client);
}

static bool read_arguments(app *a, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--leader-elect") == 0) {
            a->elects_leader = true;
        } else if (strcmp(argv[i], "--install-crd") == 0 && i + 1 < argc) {
            a->crd_path = argv[++i];
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    app a = { 0 };
    kin_error err;
    sigset_t ends;
    int signal_number = 0;

    if (!read_arguments(&a, argc, argv)) {
        fprintf(stderr, "usage: %s [--install-crd FILE] [--leader-elect]\n", argv[0]);
        return 2;
    }
    /* Blocked before there is any other thread, and waited for by this one: so no code of ours runs
     * inside a signal. */
    (void) sigemptyset(&ends);
    (void) sigaddset(&ends, SIGTERM);
    (void) sigaddset(&ends, SIGINT);
    (void) pthread_sigmask(SIG_BLOCK, &ends, NULL);

    bool is_started = start(&a, &err);
    if (!is_started) {
        fprintf(stderr, "%s\n", err.message);
    } else {
        printf("started\n");
        (void) fflush(stdout);
        (void) sigwait(&ends, &signal_number);
    }
    stop(&a);
    return is_started ? 0 : 1;
}
