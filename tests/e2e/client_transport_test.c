/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_transport_test.c - the ways to a real server: HTTP/2 and 1.1, credentials of all kinds,
 * and servers that are not who they should be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/client.h"
#include "e2e/support/calls.h"

#define NS "kin-transport"
#define WATCHES 5

static cluster c;
static kin_client *admin;
static text config;        /* the newest kubeconfig of a test's own */
static char dir[PATH_MAX]; /* of the test */
static char file[PATH_MAX + 64];

static void open_session(void)
{
    cluster_use_shared(&c);
    admin = connect_as(&c, NULL, NULL);
    make_namespace(admin, NS);
    (void) snprintf(dir, sizeof dir, "/tmp/kin-transport-XXXXXX");
    ASSERT_TRUE(mkdtemp(dir) != NULL);
}

static void close_session(void)
{
    char command[PATH_MAX + 16];

    (void) snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ASSERT_EQ(system(command), 0);
    kin_client_free(admin);
    cluster_stop(&c);
}

static const char *path_of(const char *name)
{
    (void) snprintf(file, sizeof file, "%s/%s", dir, name);
    return file;
}

static void write_file(const char *name, const char *content, mode_t mode)
{
    FILE *out = fopen(path_of(name), "w");

    ASSERT_TRUE(out != NULL);
    ASSERT_TRUE(fputs(content, out) >= 0);
    ASSERT_EQ(fclose(out), 0);
    ASSERT_EQ(chmod(file, mode), 0);
}

/* `cluster_entry` and `user_entry` are members in YAML's flow style, `cluster_entry` with a comma
 * before it. */
static const char *kubeconfig(const char *cluster_entry, const char *user_entry)
{
    text_clear(&config);
    text_append(&config,
                "clusters: [{name: c, cluster: {server: \"%s\"%s}}]\n"
                "users: [{name: u, user: {%s}}]\n"
                "contexts: [{name: x, context: {cluster: c, user: u, namespace: " NS "}}]\n"
                "current-context: x\n",
                c.server, cluster_entry, user_entry);
    return config.chars;
}

static const char *trusting(void)
{
    static char entry[PATH_MAX + 64];

    (void) snprintf(entry, sizeof entry, ", certificate-authority: \"%s\"",
                    cluster_path(&c, "ca.crt"));
    return entry;
}

/* Whom the server takes us for. */
static void must_be_user(kin_client *client, const char *want)
{
    kin_str name = { NULL, 0 };
    kin_object *review = must_run(
        client,
        &(kin_request){ REQUEST, .verb = KIN_VERB_CREATE, .resource = "selfsubjectreviews",
                        .encoding = KIN_ENCODING_JSON, .body = kin_str_of("{\"metadata\":{}}") });

    ASSERT_OK(kin_value_str(kin_object_at(review, "status.userInfo.username"), NULL, 0, &name));
    ASSERT_SLICE_EQ(name, want);
    kin_object_unref(review);
}

static void read_and_write(kin_client *client)
{
    recorder watch;
    kin_reply reply = KIN_REPLY_INIT;
    kin_request get = { REQUEST, .verb = KIN_VERB_GET, .resource = "cm", .ns = NS, .name = "core" };
    kin_request list = { REQUEST,          .verb = KIN_VERB_LIST,
                         .resource = "cm", .ns = NS,
                         .limit = 1,       .field_selector = "metadata.name!=kube-root-ca.crt" };

    recorder_start(&watch, client,
                   &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = "cm", .ns = NS,
                                   .initial_events = 1 });
    recorder_wait(&watch, "BOOKMARK end");
    write_map(client, NS, "core", "1");
    write_map(client, NS, "more", "1");
    kin_object_unref(must_run(client, &get));
    label_map(client, NS, "core", "2");
    must_run_to(client, &list, NULL, &reply);
    ASSERT_EQ(reply.count, 2);
    ASSERT_EQ(reply.attempts, 2);
    kin_reply_fini(&reply);
    delete_map(client, NS, "core");
    delete_map(client, NS, "more");
    recorder_wait(&watch, "DELETED more");
    kin_call_cancel(watch.call);
    recorder_fini(&watch);
    ASSERT_STR_EQ(watch.lines.chars, "open\nBOOKMARK end\nADDED core\nADDED more\nMODIFIED core\n"
                                     "DELETED core\nDELETED more\ndone KIN_ERR_CANCELLED\n");
}

typedef struct count {
    const kin_client *client;
    uint32_t connections;
    bool is_counted;
} count;

static void count_connections(void *context)
{
    count *counted = context;

    counted->connections = kin__http_count(counted->client->wire.http).connections;
    __atomic_store_n(&counted->is_counted, true, __ATOMIC_RELEASE);
}

static uint32_t connections_of(const kin_client *client)
{
    kin_error err = { 0 };
    count counted = { .client = client };

    ASSERT_OK(kin_loop_post(kin_client_loop(client), count_connections, &counted, &err));
    while (!__atomic_load_n(&counted.is_counted, __ATOMIC_ACQUIRE)) {
        (void) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return counted.connections;
}

/* Streams share a connection in HTTP/2 and have one each in HTTP/1.1. */
static uint32_t connections_of_watches(kin_client *client)
{
    static recorder watches[WATCHES];

    for (int i = 0; i < WATCHES; i++) {
        recorder_start(
            &watches[i], client,
            &(kin_request){ REQUEST, .verb = KIN_VERB_WATCH, .resource = "cm", .ns = NS });
    }
    for (int i = 0; i < WATCHES; i++) {
        recorder_wait(&watches[i], "open");
    }
    uint32_t connections = connections_of(client);
    for (int i = 0; i < WATCHES; i++) {
        kin_call_cancel(watches[i].call);
        recorder_fini(&watches[i]);
    }
    return connections;
}

TEST(client_transport, reads_and_writes_over_http_2)
{
    open_session();
    kin_client *client = connect_as(&c, NULL, NULL);

    read_and_write(client);

    ASSERT_TRUE(connections_of_watches(client) < WATCHES);
    kin_client_free(client);
    close_session();
}

TEST(client_transport, reads_and_writes_over_http_1)
{
    open_session();
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    options.http1_only = true;
    kin_client *client = connect_as(&c, NULL, &options);

    read_and_write(client);

    ASSERT_TRUE(connections_of_watches(client) >= WATCHES);
    kin_client_free(client);
    close_session();
}

/* Every credential, over both versions of HTTP. */
static void use(const char *entries, const char *name)
{
    for (int i = 0; i < 2; i++) {
        kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
        options.http1_only = i == 1;
        kin_client *client = connect_with_text(entries, &options);

        must_be_user(client, name);
        read_and_write(client);
        kin_client_free(client);
    }
}

TEST(client_transport, knows_us_by_a_token)
{
    char user[128];
    open_session();
    (void) snprintf(user, sizeof user, "token: \"%s\"", c.token);

    use(kubeconfig(trusting(), user), "admin");

    close_session();
}

TEST(client_transport, knows_us_by_a_certificate)
{
    open_session();
    (void) cluster_command(&c, "user carl *:configmaps@" NS);
    kin_client *client = connect_as(&c, "users/carl/kubeconfig-certificate", NULL);
    must_be_user(client, "carl");
    kin_client_free(client);
    char certificate[PATH_MAX];
    char user[3 * PATH_MAX];
    (void) snprintf(certificate, sizeof certificate, "%s",
                    cluster_path(&c, "users/carl/client.crt"));
    (void) snprintf(user, sizeof user, "client-certificate: \"%s\", client-key: \"%s\"",
                    certificate, cluster_path(&c, "users/carl/client.key"));

    use(kubeconfig(trusting(), user), "carl");

    close_session();
}

/* It says how often it ran by the length of a file. */
static void write_plugin(const char *name, const char *expiry)
{
    text script = { 0 };

    text_append(&script,
                "#!/bin/sh\nprintf x >>'%s/runs'\n"
                "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\","
                "\"kind\":\"ExecCredential\",\"status\":{\"expirationTimestamp\":\"%%s\","
                "\"token\":\"%%s\"}}' \"$(date -u -d '%s' +%%Y-%%m-%%dT%%H:%%M:%%SZ)\" "
                "\"$(cat '%s')\"\n",
                dir, expiry, cluster_path(&c, name));
    write_file("plugin", script.chars, 0700);
    write_file("runs", "", 0600);
}

static long runs_of_plugin(void)
{
    struct stat about;

    ASSERT_EQ(stat(path_of("runs"), &about), 0);
    return (long) about.st_size;
}

static const char *with_plugin(void)
{
    static char entry[sizeof file + 256];

    (void) snprintf(entry, sizeof entry,
                    "exec: {apiVersion: client.authentication.k8s.io/v1, command: \"%s\", "
                    "interactiveMode: Never}",
                    path_of("plugin"));
    return entry;
}

TEST(client_transport, knows_us_by_what_a_plugin_says)
{
    open_session();
    (void) cluster_command(&c, "user paula *:configmaps@" NS);
    write_plugin("users/paula/token", "1 hour");

    use(kubeconfig(trusting(), with_plugin()), "paula");

    ASSERT_EQ(runs_of_plugin(), 2);
    close_session();
}

/* Ahead of the time that the plugin names it is run again. */
TEST(client_transport, runs_the_plugin_again_when_its_credential_expires)
{
    open_session();
    (void) cluster_command(&c, "user paul *:configmaps@" NS);
    write_plugin("users/paul/token", "3 seconds");
    kin_client *client = connect_with_text(kubeconfig(trusting(), with_plugin()), NULL);

    must_be_user(client, "paul");
    long before = runs_of_plugin();
    (void) nanosleep(&(struct timespec){ .tv_sec = 4 }, NULL);
    must_be_user(client, "paul");

    ASSERT_TRUE(runs_of_plugin() > before);
    kin_client_free(client);
    close_session();
}

TEST(client_transport, tells_a_plugin_that_fails)
{
    open_session();
    write_file("plugin", "#!/bin/sh\necho 'nobody is logged in' >&2\nexit 3\n", 0700);
    kin_client *client = connect_with_text(kubeconfig(trusting(), with_plugin()), NULL);
    kin_request list = { REQUEST, .verb = KIN_VERB_LIST, .resource = "cm", .ns = NS };

    must_just_fail(client, &list,
                   (failure){ .code = KIN_ERR_UNAUTHORIZED, .message = "nobody is logged in" });
    must_just_fail(client, &list, (failure){ .code = KIN_ERR_UNAUTHORIZED, .message = "list cm" });

    kin_client_free(client);
    close_session();
}

/* A call with a deadline does not wait longer for a plugin. */
TEST(client_transport, waits_for_a_plugin_until_the_deadline)
{
    open_session();
    write_file("plugin", "#!/bin/sh\nexec sleep 20\n", 0700);
    kin_client *client = connect_with_text(kubeconfig(trusting(), with_plugin()), NULL);
    kin_resource *maps = NULL;
    kin_error err = { 0 };
    ASSERT_OK(kin_resource_new("", "v1", "configmaps", "ConfigMap", true, &maps, &err));
    kin_request list = { REQUEST, .verb = KIN_VERB_LIST, .of = maps, .ns = NS, .deadline_ms = 500 };

    int64_t began_ms = now_ms();
    must_just_fail(client, &list,
                   (failure){ .code = KIN_ERR_TIMEOUT,
                              .message = "list configmaps in " NS ": no credentials before the "
                                         "deadline" });

    ASSERT_TRUE(now_ms() - began_ms < 5000);
    kin_client_free(client);
    kin_resource_unref(maps);
    close_session();
}

static void copy_token(const char *user)
{
    char name[64];
    char token[128] = "";

    (void) snprintf(name, sizeof name, "users/%s/token", user);
    FILE *in = fopen(cluster_path(&c, name), "r");
    ASSERT_TRUE(in != NULL && fgets(token, sizeof token, in) != NULL);
    (void) fclose(in);
    write_file("token", token, 0600);
}

/* The server takes the old token for ten seconds more. */
TEST(client_transport, goes_on_with_new_tokens_when_the_old_ones_are_refused)
{
    open_session();
    (void) cluster_command(&c, "user rita *:configmaps@" NS);
    (void) cluster_command(&c, "user rolf *:configmaps@" NS);
    write_plugin("users/rita/token", "1 hour");
    copy_token("rolf");
    char user[sizeof file + 64];
    (void) snprintf(user, sizeof user, "tokenFile: \"%s\"", path_of("token"));
    kin_client *by_plugin = connect_with_text(kubeconfig(trusting(), with_plugin()), NULL);
    kin_client *by_file = connect_with_text(kubeconfig(trusting(), user), NULL);
    must_be_user(by_plugin, "rita");
    must_be_user(by_file, "rolf");
    ASSERT_EQ(runs_of_plugin(), 1);

    (void) cluster_command(&c, "token rita");
    (void) cluster_command(&c, "token rolf");
    copy_token("rolf");
    (void) nanosleep(&(struct timespec){ .tv_sec = 12 }, NULL);

    must_be_user(by_plugin, "rita");
    must_be_user(by_file, "rolf");
    ASSERT_EQ(runs_of_plugin(), 2);
    read_and_write(by_plugin);
    read_and_write(by_file);
    ASSERT_EQ(runs_of_plugin(), 2);
    kin_client_free(by_plugin);
    kin_client_free(by_file);
    close_session();
}

TEST(client_transport, speaks_for_another)
{
    open_session();
    kin_error err = { 0 };
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    options.as = "somebody";
    options.as_groups = (const char *[]){ "first", "second", NULL };
    options.path = cluster_path(&c, "kubeconfig");
    kin_config *other = NULL;
    must_be_ok(kin_config_load(&options, &other, &err), &err);
    kin_client *client = NULL;
    must_be_ok(kin_client_new(other, NULL, &client, &err), &err);
    kin_config_unref(other);
    kin_request list = { REQUEST, .verb = KIN_VERB_LIST, .resource = "cm", .ns = NS };

    must_just_fail(client, &list,
                   (failure){ KIN_ERR_FORBIDDEN, 403, "Forbidden",
                              "User \"somebody\" cannot list resource \"configmaps\"" });
    kin_client_free(client);

    (void) cluster_command(&c, "user speaker get:configmaps@" NS);
    options.path = cluster_path(&c, "users/speaker/kubeconfig");
    must_be_ok(kin_config_load(&options, &other, &err), &err);
    must_be_ok(kin_client_new(other, NULL, &client, &err), &err);
    kin_config_unref(other);
    must_just_fail(
        client, &list,
        (failure){ KIN_ERR_FORBIDDEN, 403, "Forbidden", "User \"speaker\" cannot impersonate" });
    kin_client_free(client);
    close_session();
}

static void must_not_trust(const char *cluster_entry, const char *why)
{
    char user[128];
    (void) snprintf(user, sizeof user, "token: \"%s\"", c.token);
    kin_client *client = connect_with_text(kubeconfig(cluster_entry, user), NULL);
    kin_request list = { REQUEST, .verb = KIN_VERB_LIST, .resource = "cm", .ns = NS };

    must_just_fail(client, &list, (failure){ .code = KIN_ERR_TLS, .message = why });
    kin_client_free(client);
}

TEST(client_transport, talks_to_the_right_server_only)
{
    char entry[2 * PATH_MAX];
    char user[128];
    open_session();
    (void) snprintf(user, sizeof user, "token: \"%s\"", c.token);

    must_not_trust("", "list cm in " NS ": GET https://127.0.0.1:");
    (void) snprintf(entry, sizeof entry, ", certificate-authority: \"%s\"",
                    cluster_path(&c, "users/admin/client.crt"));
    must_not_trust(entry, "list cm in " NS ": GET https://127.0.0.1:");
    (void) snprintf(entry, sizeof entry, "%s, tls-server-name: wrong.example", trusting());
    must_not_trust(entry, "wrong.example");

    (void) snprintf(entry, sizeof entry, "%s, tls-server-name: kubernetes.default.svc", trusting());
    use(kubeconfig(entry, user), "admin");
    use(kubeconfig(", insecure-skip-tls-verify: true", user), "admin");
    close_session();
}

TEST(client_transport, tells_a_server_that_speaks_tls_where_plain_text_is_wanted)
{
    open_session();
    char plain[sizeof c.server + 8];
    (void) snprintf(plain, sizeof plain, "http%.*s", (int) sizeof c.server,
                    c.server + strlen("https"));
    kubeconfig("", "");
    char *url = strstr(config.chars, "https://");
    size_t len = strlen(c.server);
    memmove(url + len - 1, url + len, strlen(url + len) + 1);
    memcpy(url, plain, len - 1);
    kin_client *client = connect_with_text(config.chars, NULL);
    kin_request list = { REQUEST, .verb = KIN_VERB_LIST, .resource = "cm", .ns = NS };

    must_just_fail(
        client, &list,
        (failure){ KIN_ERR_INVALID, 400, "", "Client sent an HTTP request to an HTTPS server" });
    kin_client_free(client);
    close_session();
}

TEST(client_transport, knows_the_version_of_the_server)
{
    open_session();
    kin_error err = { 0 };
    char *version = NULL;

    must_be_ok(kin_client_server_version(admin, &version, &err), &err);

    ASSERT_CONTAINS(version, "v1.");
    kin_free(version);
    close_session();
}
