/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demo_test.c - kin demo, where there is no terminal.
 */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "kin/testing/server.h"
#include "unit/cli/script.h"

TEST(demo, shows_a_cluster_that_lives)
{
    until = " changes, watching)";

    ASSERT_EQ(run("demo --duration 0 --pods 20 --nodes 3 --rate 200 --seed 1"), 0);

    ASSERT_STR_EQ(err_chars, "");
    ASSERT_CONTAINS(out_chars, "informers of a simulated cluster https://127.0.0.1:");
    ASSERT_CONTAINS(out_chars, "memory of all ");
}

TEST(demo, shows_what_changes)
{
    until = "pods        MODIFIED";

    ASSERT_EQ(run("demo --duration 0 --pods 20 --nodes 3 --rate 500 --seed 1"), 0);
}

TEST(demo, ends_by_itself)
{
    setenv("DEMO_SECONDS", "0.3", 1);

    ASSERT_EQ(run("demo --pods 5"), 0);
}

TEST(demo, refuses_a_time_that_is_none)
{
    setenv("DEMO_SECONDS", "soon", 1);

    expect("demo", 2, "",
           "kin: DEMO_SECONDS is \"soon\", and should be a number\nkin: see kin demo --help\n");
}

TEST(demo, says_at_once_that_there_is_no_cluster)
{
    setenv("KIN_DEMO_CLUSTER", "1", 1);
    setenv("KUBECONFIG", "/nowhere", 1);

    expect("demo", 1, "",
           "kin: no configuration: KUBECONFIG (\"/nowhere\") names no file that says anything, and "
           "this is no pod\n");
}

TEST(demo, says_at_once_that_nobody_answers)
{
    int closed = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof address;
    char path[64];
    char want[128];
    ASSERT_EQ(bind(closed, (struct sockaddr *) &address, sizeof address), 0);
    ASSERT_EQ(getsockname(closed, (struct sockaddr *) &address, &len), 0);
    int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    int port = ntohs(address.sin_port);
    ASSERT_TRUE(
        dprintf(fd,
                "{\"current-context\": \"c\", \"contexts\": [{\"name\": \"c\", \"context\": "
                "{\"cluster\": \"c\"}}], \"clusters\": [{\"name\": \"c\", \"cluster\": "
                "{\"server\": \"http://127.0.0.1:%d\"}}]}",
                port) > 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    setenv("KIN_DEMO_CLUSTER", "1", 1);
    setenv("KUBECONFIG", path, 1);
    snprintf(want, sizeof want,
             "kin: http://127.0.0.1:%d: cannot connect to 127.0.0.1: Connection refused\n", port);

    expect("demo", 1, "", want);
    close(fd);
    close(closed);
}

TEST(demo, says_at_once_what_is_forbidden)
{
    kin_server *server = NULL;
    kin_error err;
    char path[64];
    int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    ASSERT_OK(kin_server_start(NULL, &server, &err));
    ASSERT_OK(kin_server_forbid(server, kin_str_of("[{\"resources\":[\"nodes\"]}]"), &err));
    ASSERT_TRUE(dprintf(fd, "%s", kin_server_kubeconfig(server)) > 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    setenv("KIN_DEMO_CLUSTER", "1", 1);
    setenv("KUBECONFIG", path, 1);

    ASSERT_EQ(run("demo"), 1);

    ASSERT_STR_EQ(out_chars, "");
    ASSERT_CONTAINS(err_chars, "kin: nodes is forbidden: User \"kin\" cannot ");
    kin_server_stop(server);
    close(fd);
}
