/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_test.c - kin server, from its first line to Ctrl-C.
 */
#include <sys/stat.h>

#include "kin/config.h"
#include "kin/testing/server.h"
#include "unit/cli/script.h"

/* The path after "export KUBECONFIG=". */
static const char *kubeconfig_path(void)
{
    static char path[256];
    const char *at = strstr(out_chars, "KUBECONFIG=");

    ASSERT_TRUE(at != NULL);
    snprintf(path, sizeof path, "%.*s", (int) strcspn(at + 11, "\n"), at + 11);
    return path;
}

TEST(server, says_where_it_is_and_ends_on_ctrl_c)
{
    until = "ready at https://127.0.0.1:";

    ASSERT_EQ(run("server"), 0);

    ASSERT_STR_EQ(err_chars, "");
    ASSERT_TRUE(access(kubeconfig_path(), F_OK) != 0); /* it was a temporary one */
}

TEST(server, leaves_the_kubeconfig_where_it_was_wanted_to_its_owner_only)
{
    char directory[] = "/tmp/kin-cli-XXXXXX";
    char line[128];
    char path[64];
    struct stat about;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_error err;
    ASSERT_TRUE(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/config", directory);
    snprintf(line, sizeof line, "server --kubeconfig-out %s --insecure-http --history 10", path);
    until = "ready at http://127.0.0.1:";

    ASSERT_EQ(run(line), 0);

    ASSERT_STR_EQ(kubeconfig_path(), path);
    ASSERT_EQ(stat(path, &about), 0);
    ASSERT_EQ(about.st_mode & 0777, 0600);
    options.path = path;
    ASSERT_OK(kin_config_load(&options, &config, &err));
    ASSERT_CONTAINS(out_chars, kin_config_server(config));
    kin_config_unref(config);
    unlink(path);
    rmdir(directory);
}

/* What was put into it, shown by the other commands. */
TEST(server, is_one_that_the_other_commands_understand)
{
    static const char pod[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
        "\"namespace\":\"shop\"},\"spec\":{\"containers\":[{\"name\":\"c\","
        "\"image\":\"i\"}]},\"status\":{\"phase\":\"Running\"}}";
    kin_server *server = NULL;
    kin_error err;
    ASSERT_OK(kin_server_start(NULL, &server, &err));
    ASSERT_OK(kin_server_put(server, kin_str_of(pod), NULL, &err));
    int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
    kin_str text_of_config = kin_str_of(kin_server_kubeconfig(server));
    ASSERT_EQ(write(fd, text_of_config.data, text_of_config.len), text_of_config.len);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    setenv("KUBECONFIG", path, 1);

    ASSERT_EQ(run("get pods -A --no-headers"), 0);
    ASSERT_CONTAINS(out_chars, "shop   a   0/1   Running   0   ");
    expect("get pods -n shop -o status.phase", 0, "Running\n", "");
    expect("watch po -n shop -o name --once", 0, "ADDED    pod/a\n", "");
    expect("get pod b", 1, "", "kin: pods \"b\" not found\n");
    close(fd);
    kin_server_stop(server);
}

TEST(server, fails_when_it_cannot_listen_or_write)
{
    ASSERT_EQ(run("server --address nowhere"), 1);
    ASSERT_CONTAINS(err_chars, "kin: ");
    expect("server --kubeconfig-out /nowhere/config", 1, "",
           "kin: /nowhere/config cannot be written: No such file or directory\n");
}
