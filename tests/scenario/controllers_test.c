/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controllers_test.c - the example controllers and the embedded server: one of ReplicaSets in this
 * process, the sample controller as the program that it is.  What happens to them under churn and
 * with a real server is in tests/e2e/controllers-run.
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replicaset_controller/controller.h"
#include "scenario/world.h"

#define SETS "/apis/apps/v1/namespaces/default/replicasets"
#define FOOS "/apis/samples.kinformer.example.com/v1/namespaces/default/foos"

static world w;
static kin_error err;

static void must(kin_err code)
{
    if (code != KIN_OK) {
        FAIL("%s: %s", kin_err_name(code), err.message);
    }
}

/* Shared; NULL: it is not there. */
static kin_object *find(const char *resource, const char *name)
{
    kin_object *found = NULL;
    kin_err code = kin_client_get(w.client, resource, "default", name, &found, &err);

    if (code != KIN_ERR_NOT_FOUND) {
        must(code);
    }
    return found;
}

static bool is_there(const char *resource, const char *name)
{
    kin_object *found = find(resource, name);
    bool is = found != NULL;

    kin_object_unref(found);
    return is;
}

static int64_t number_at(const char *resource, const char *name, const char *path)
{
    kin_object *found = find(resource, name);
    int64_t number = -1;

    if (found == NULL || kin_value_int64(kin_object_at(found, path), &number) != KIN_OK) {
        number = -1;
    }
    kin_object_unref(found);
    return number;
}

/* ---- ReplicaSets ---------------------------------------------------------------------------- */

static bool count_pod(void *context, kin_object *pod)
{
    kin_time at;

    *(int64_t *) context += kin_object_deletion_time(pod, &at) ? 0 : 1;
    return true;
}

static int64_t pods(void)
{
    int64_t count = 0;

    must(kin_client_list(w.client, "pods", "default", count_pod, &count, &err));
    return count;
}

/* The status is asked first, because it is small. */
static void await_pods(int64_t count)
{
    AWAIT(&w, number_at("replicasets.apps", "web", "status.replicas") == count && pods() == count)
}

static size_t owners_of(const char *name)
{
    kin_object *pod = find("pods", name);
    size_t count = kin_value_count(kin_object_owners(pod));

    kin_object_unref(pod);
    return count;
}

static bool has_failure(const char *reason)
{
    kin_object *set = find("replicasets.apps", "web");
    kin_str found = { NULL, 0 };
    kin_err code =
        kin_value_str(kin_object_at(set, "status.conditions[0].reason"), NULL, 0, &found);
    bool is = code == KIN_OK ? kin_str_equal(found, kin_str_of(reason)) : reason[0] == '\0';

    kin_object_unref(set);
    return is;
}

/* `more` is put into the template's spec. */
static void put_set_with(int replicas, const char *more)
{
    char body[512];

    (void) snprintf(
        body, sizeof body,
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"name\":\"web\"},"
        "\"spec\":{\"replicas\":%d,\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"template\":{"
        "\"metadata\":{\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
        "\"image\":\"i\"}]%s}}}}",
        replicas, more);
    tell(&w, "POST", SETS, body, 201);
}

static void put_set(int replicas)
{
    put_set_with(replicas, "");
}

static void scale(const char *patch)
{
    kin_object *changed = NULL;

    must(kin_client_patch(w.client, "replicasets.apps", "default", "web", kin_str_of(patch),
                          &changed, &err));
    kin_object_unref(changed);
}

TEST(scenario_controllers, replica_sets_get_their_pods_and_say_why_not)
{
    rs_options options = { 0 };
    rs_controller *controller = NULL;

    world_open(&w, NULL, REAL);
    put_set(3);
    must(rs_controller_start(w.client, &options, &controller, &err));
    await_pods(3);

    uint64_t id = fault(&w, "{\"do\":\"status\",\"verb\":\"create\",\"resource\":\"pods\","
                            "\"code\":403,\"reason\":\"Forbidden\",\"message\":\"enough\","
                            "\"skip\":4,\"times\":0}");
    scale("{\"spec\":{\"replicas\":10}}");
    AWAIT(&w, has_failure("FailedCreate"))
    AWAIT(&w, met(&w, id) > 1)
    ASSERT_EQ(pods(), 7);

    end_faults(&w);
    await_pods(10);
    AWAIT(&w, has_failure(""))
    scale("{\"spec\":{\"replicas\":600}}"); /* more than are made in one go */
    await_pods(600);
    scale("{\"spec\":{\"replicas\":1}}");
    await_pods(1);
    must(rs_controller_wait_idle(controller, PATIENCE_MS, &err));

    must(rs_controller_stop(controller, PATIENCE_MS, &err));
    rs_controller_free(controller);
    world_close(&w);
}

/* The controller knows a set that is gone, and another one has its name: the orphan is not for the
 * first.  The delay counts how often the server is asked for the set. */
TEST(scenario_controllers, a_replica_set_that_is_gone_adopts_no_pods)
{
    rs_options options = { 0 };
    rs_controller *controller = NULL;

    world_open(&w, NULL, REAL);
    put_set(0);
    must(rs_controller_start(w.client, &options, &controller, &err));
    AWAIT(&w, number_at("replicasets.apps", "web", "status.observedGeneration") == 1)

    fault(&w,
          "{\"do\":\"stall\",\"verb\":\"watch\",\"resource\":\"replicasets.apps\",\"now\":true}");
    uint64_t id = fault(&w, "{\"do\":\"delay\",\"ms\":1,\"verb\":\"get\","
                            "\"resource\":\"replicasets.apps\",\"times\":0}");
    tell(&w, "DELETE", SETS "/web", NULL, 200);
    put_set(1);
    tell(&w, "POST", "/api/v1/namespaces/default/pods",
         "{\"metadata\":{\"name\":\"orphan\",\"labels\":{\"app\":\"web\"}},"
         "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
         201);
    AWAIT(&w, met(&w, id) > 1)
    ASSERT_EQ(owners_of("orphan"), 0);

    end_faults(&w);
    fault(&w, "{\"do\":\"cut-all\"}"); /* a watch that stalls does so to its end */
    AWAIT(&w, owners_of("orphan") == 1)
    must(rs_controller_wait_idle(controller, PATIENCE_MS, &err));
    ASSERT_EQ(pods(), 1);

    must(rs_controller_stop(controller, PATIENCE_MS, &err));
    rs_controller_free(controller);
    world_close(&w);
}

static uint64_t watches(void)
{
    kin_server_counts counts;

    kin_server_get_counts(w.server, &counts);
    return counts.watches;
}

/* A set for which no pod is wanted yet, and its controller, which hears nothing more of pods. */
static rs_controller *start_deaf(void)
{
    rs_options options = { 0 };
    rs_controller *controller = NULL;

    world_open(&w, NULL, REAL);
    put_set(0);
    must(rs_controller_start(w.client, &options, &controller, &err));
    AWAIT(&w, number_at("replicasets.apps", "web", "status.observedGeneration") == 1)
    AWAIT(&w, watches() == 2)
    fault(&w, "{\"do\":\"stall\",\"verb\":\"watch\",\"resource\":\"pods\",\"now\":true}");
    return controller;
}

static void end_controller(rs_controller *controller)
{
    must(rs_controller_wait_idle(controller, PATIENCE_MS, &err));
    must(rs_controller_stop(controller, PATIENCE_MS, &err));
    rs_controller_free(controller);
    world_close(&w);
}

/* The pod is there, the answer is not, and the store does not show it: nothing but what the
 * controller expects keeps it from making another one in its place.  The delays count. */
TEST(scenario_controllers, a_pod_whose_answer_was_lost_is_not_made_twice)
{
    rs_controller *controller = start_deaf();
    uint64_t lost = fault(&w, "{\"do\":\"cut\",\"verb\":\"create\",\"resource\":\"pods\","
                              "\"after_bytes\":20}");
    uint64_t asked = fault(&w, "{\"do\":\"delay\",\"ms\":1,\"verb\":\"get\",\"resource\":"
                               "\"pods\",\"times\":0}");
    uint64_t removed = fault(&w, "{\"do\":\"delay\",\"ms\":1,\"verb\":\"delete\",\"resource\":"
                                 "\"pods\",\"times\":0}");

    scale("{\"spec\":{\"replicas\":3}}");
    AWAIT(&w, met(&w, lost) == 1)
    AWAIT(&w, met(&w, asked) == 1)
    must(rs_controller_wait_idle(controller, PATIENCE_MS, &err));
    ASSERT_EQ(pods(), 1);

    fault(&w, "{\"do\":\"cut-all\"}"); /* a watch that stalls does so to its end */
    await_pods(3);
    ASSERT_EQ(met(&w, removed), 0);
    end_controller(controller);
}

/* Nothing but the connection was lost: to wait for that pod would be in vain. */
TEST(scenario_controllers, a_pod_that_was_never_made_is_not_waited_for)
{
    rs_controller *controller = start_deaf();
    uint64_t lost = fault(&w, "{\"do\":\"drop\",\"verb\":\"create\",\"resource\":\"pods\"}");

    scale("{\"spec\":{\"replicas\":1}}");
    AWAIT(&w, met(&w, lost) == 1)
    AWAIT(&w, pods() == 1)
    fault(&w, "{\"do\":\"cut-all\"}");
    await_pods(1);

    end_controller(controller);
}

/* The names of pods that are to go. */
typedef struct going {
    char names[8][64];
    size_t count;
} going;

static bool note_if_going(void *context, kin_object *pod)
{
    going *g = context;
    kin_time at;

    if (kin_object_deletion_time(pod, &at)) {
        ASSERT_TRUE(g->count < 8);
        (void) snprintf(g->names[g->count++], sizeof g->names[0], "%.*s",
                        KIN_STR_ARG(kin_object_name(pod)));
    }
    return true;
}

static void remove_going(void)
{
    going g = { 0 };
    char path[300];

    must(kin_client_list(w.client, "pods", "default", note_if_going, &g, &err));
    for (size_t i = 0; i < g.count; i++) {
        (void) snprintf(path, sizeof path,
                        "/api/v1/namespaces/default/pods/%s?gracePeriodSeconds=0", g.names[i]);
        tell(&w, "DELETE", path, NULL, 200);
    }
}

/* Pods with a node are gone when its kubelet says so. */
TEST(scenario_controllers, a_replica_set_says_how_many_pods_are_going)
{
    rs_options options = { 0 };
    rs_controller *controller = NULL;

    world_open(&w, NULL, REAL);
    put_set_with(3, ",\"nodeName\":\"n\"");
    must(rs_controller_start(w.client, &options, &controller, &err));
    await_pods(3);
    ASSERT_EQ(number_at("replicasets.apps", "web", "status.terminatingReplicas"), 0);

    scale("{\"spec\":{\"replicas\":1}}");
    await_pods(1);
    AWAIT(&w, number_at("replicasets.apps", "web", "status.terminatingReplicas") == 2)
    remove_going();
    AWAIT(&w, number_at("replicasets.apps", "web", "status.terminatingReplicas") == 0)

    end_controller(controller);
}

/* ---- with leaders ---------------------------------------------------------------------------- */

/* A process that may lead: a client, a candidate, and what works while it leads. */
typedef struct candidate {
    kin_client *client;
    kin_leader *leader;
    rs_controller *controller;
} candidate;

static kin_leader *make_leader(kin_client *client)
{
    kin_leader_options options = KIN_LEADER_OPTIONS_INIT;
    kin_leader *leader = NULL;

    options.ns = "default";
    options.name = "scenario";
    options.lease_ms = 3000;
    options.renew_ms = 2000;
    options.retry_ms = 100;
    must(kin_leader_new(client, &options, &leader, &err));
    must(kin_leader_start(leader, &err));
    return leader;
}

static void candidate_start(candidate *c)
{
    rs_options options = { 0 };

    must(kin_client_new(kin_client_config(w.client), NULL, &c->client, &err));
    c->leader = make_leader(c->client);
    options.leader = c->leader;
    must(rs_controller_start(c->client, &options, &c->controller, &err));
}

static void candidate_end(candidate *c)
{
    must(rs_controller_stop(c->controller, PATIENCE_MS, &err));
    must(kin_leader_stop(c->leader, PATIENCE_MS, &err));
    rs_controller_free(c->controller);
    kin_leader_free(c->leader);
    kin_client_free(c->client);
}

/* The standby's store does not show what the leader made last: it must not make that again. */
TEST(scenario_controllers, a_handover_makes_no_pod_twice)
{
    candidate first;
    candidate second;

    world_open(&w, NULL, REAL);
    put_set(0);
    candidate_start(&first);
    AWAIT(&w, number_at("replicasets.apps", "web", "status.observedGeneration") == 1)
    candidate_start(&second);
    AWAIT(&w, watches() == 4)
    fault(&w, "{\"do\":\"stall\",\"verb\":\"watch\",\"resource\":\"pods\",\"now\":true}");
    uint64_t id = fault(&w, "{\"do\":\"delay\",\"ms\":1,\"verb\":\"create\",\"resource\":\"pods\","
                            "\"times\":0}");
    scale("{\"spec\":{\"replicas\":10}}");
    AWAIT(&w, pods() == 10)

    candidate_end(&first);
    AWAIT(&w, kin_leader_is_leading(second.leader))
    ASSERT_ERR(rs_controller_wait_idle(second.controller, 500, &err), KIN_ERR_TIMEOUT);
    fault(&w, "{\"do\":\"cut-all\"}"); /* a watch that stalls does so to its end */
    await_pods(10);

    ASSERT_EQ(met(&w, id), 10);
    candidate_end(&second);
    world_close(&w);
}

typedef struct labour {
    _Atomic int cancelled;
    _Atomic int done;
} labour;

static kin_err make_pod(void *context, kin_reconcile *r, kin_error *why)
{
    static const char json[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                               "\"p\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{"
                               "\"name\":\"c\",\"image\":\"i\"}]}}";
    labour *l = context;
    kin_object *pod = NULL;
    kin_err code = kin_object_from_json(json, sizeof json - 1, NULL, &pod, why);

    if (code == KIN_OK) {
        code = kin_reconcile_create(r, pod, NULL, why);
    }
    kin_object_unref(pod);
    l->cancelled += code == KIN_ERR_CANCELLED && kin_reconcile_is_over(r);
    l->done += code == KIN_OK;
    return code;
}

/* Somebody else writes a name into the Lease while a call is under way. */
TEST(scenario_controllers, a_lease_that_is_lost_ends_what_runs_until_it_is_had_again)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_controller_options wanted = KIN_CONTROLLER_OPTIONS_INIT;
    kin_informer *sets = NULL;
    kin_controller *controller = NULL;
    labour l = { 0 };

    world_open(&w, NULL, REAL);
    put_set(0);
    options.resource = "replicasets.apps";
    must(kin_informer_new(w.client, &options, &sets, &err));
    must(kin_informer_start(sets, &err));
    kin_leader *leader = make_leader(w.client);
    wanted.name = "labour";
    wanted.reconcile = make_pod;
    wanted.context = &l;
    wanted.leader = leader;
    must(kin_controller_new(w.client, &wanted, &controller, &err));
    must(kin_controller_about(controller, sets, NULL, &err));
    uint64_t id = fault(&w, "{\"do\":\"delay\",\"ms\":600000,\"verb\":\"create\",\"resource\":"
                            "\"pods\",\"times\":0}");
    must(kin_controller_start(controller, &err));
    AWAIT(&w, met(&w, id) == 1)

    kin_object *lease = NULL;
    must(kin_client_patch(w.client, "leases.coordination.k8s.io", "default", "scenario",
                          kin_str_of("{\"spec\":{\"holderIdentity\":\"another\"}}"), &lease, &err));
    kin_object_unref(lease);
    AWAIT(&w, l.cancelled == 1)
    ASSERT_FALSE(kin_leader_is_leading(leader));
    ASSERT_FALSE(is_there("pods", "p"));
    end_faults(&w);
    AWAIT(&w, l.done == 1) /* the other one does not renew it */

    ASSERT_TRUE(is_there("pods", "p"));
    kin_controller_free(controller);
    kin_leader_free(leader);
    kin_informer_free(sets);
    world_close(&w);
}

/* ---- the sample controller ------------------------------------------------------------------- */

extern char **environ;

static pid_t start_sample(char *kubeconfig)
{
    char *arguments[] = { (char[]){ SAMPLE_CONTROLLER }, (char[]){ "--install-crd" },
                          (char[]){ SAMPLE_CRD }, (char[]){ "--leader-elect" }, NULL };
    const char *content = kin_server_kubeconfig(w.server);
    int file = mkstemp(kubeconfig);
    pid_t pid = 0;

    ASSERT_TRUE(file >= 0);
    ASSERT_EQ(write(file, content, strlen(content)), (ssize_t) strlen(content));
    ASSERT_EQ(close(file), 0);
    ASSERT_EQ(setenv("KUBECONFIG", kubeconfig, 1), 0);
    ASSERT_EQ(posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ), 0);
    return pid;
}

static bool knows_foos(void)
{
    kin_resource *resource = NULL;
    kin_err code =
        kin_client_resource(w.client, "foos.samples.kinformer.example.com", &resource, &err);

    kin_resource_unref(resource);
    return code == KIN_OK;
}

/* The embedded server takes what a real one refuses. */
static bool is_label(const char *resource, const char *name, const char *path)
{
    kin_object *found = find(resource, name);
    kin_str value = { NULL, 0 };
    bool is_it = found != NULL &&
                 kin_value_str(kin_object_at(found, path), NULL, 0, &value) == KIN_OK &&
                 value.len > 0 && value.len <= 63;

    kin_object_unref(found);
    return is_it;
}

TEST(scenario_controllers, a_foo_has_its_deployment_until_it_goes)
{
    char kubeconfig[] = "/tmp/kin-scenario-XXXXXX";
    int status = -1;

    world_open(&w, NULL, REAL);
    pid_t pid = start_sample(kubeconfig);
    AWAIT(&w, knows_foos())
    tell(&w, "POST", FOOS,
         "{\"apiVersion\":\"samples.kinformer.example.com/v1\",\"kind\":\"Foo\",\"metadata\":{"
         "\"name\":\"foo\"},\"spec\":{\"deploymentName\":\"runs\",\"replicas\":2}}",
         201);
    AWAIT(&w, number_at("deployments.apps", "runs", "spec.replicas") == 2)
    AWAIT(&w,
          number_at("foos.samples.kinformer.example.com", "foo", "status.availableReplicas") == 0)

    tell(&w, "POST", FOOS,
         "{\"apiVersion\":\"samples.kinformer.example.com/v1\",\"kind\":\"Foo\",\"metadata\":{"
         "\"name\":\"a-foo-whose-name-is-longer-than-the-value-of-a-label-may-be-which-is-63\"},"
         "\"spec\":{\"deploymentName\":\"long\",\"replicas\":1}}",
         201);
    AWAIT(&w, number_at("deployments.apps", "long", "spec.replicas") == 1)
    ASSERT_TRUE(is_label("deployments.apps", "long", "spec.selector.matchLabels.controller"));

    tell(&w, "DELETE", FOOS "/foo", NULL, 200);
    AWAIT(&w, !is_there("foos.samples.kinformer.example.com", "foo"))
    ASSERT_FALSE(is_there("deployments.apps", "runs"));

    ASSERT_EQ(kill(pid, SIGTERM), 0);
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ASSERT_EQ(unlink(kubeconfig), 0);
    world_close(&w);
}
