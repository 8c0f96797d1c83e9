/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_test.c - which command is meant, and how it ends.
 */
#include "cli/command.h"

#include "unit/cli/script.h"

TEST(command, tells_its_version)
{
    char want[64];

    snprintf(want, sizeof want, "kin %s\n", kin_version());
    expect("version", 0, want, "");
    expect("--version", 0, want, "");
}

TEST(command, explains_itself)
{
    ASSERT_EQ(run("--help"), 0);
    ASSERT_CONTAINS(out_chars, "usage: kin COMMAND [OPTION ...]\n");
    ASSERT_CONTAINS(out_chars, "  watch      show what there is, and then what changes\n");
    ASSERT_EQ(run("get --help"), 0);
    ASSERT_CONTAINS(out_chars, "usage: kin get RESOURCE [NAME ...] [OPTION ...]\n");
    ASSERT_CONTAINS(out_chars, "  -n, --namespace NS ");
    ASSERT_EQ(run("help watch"), 0);
    ASSERT_CONTAINS(out_chars, "usage: kin watch ");
    ASSERT_STR_EQ(err_chars, "");
}

TEST(command, refuses_what_makes_no_sense_with_a_hint)
{
    expect("", 2, "", "kin: no command\nkin: see kin --help\n");
    expect("frob", 2, "", "kin: unknown command \"frob\"\nkin: see kin --help\n");
    expect("get --foo", 2, "", "kin: unknown option --foo\nkin: see kin get --help\n");
    expect("get pods --port 1", 2, "", "kin: get has no option --port\nkin: see kin get --help\n");
    expect("version x", 2, "",
           "kin: version takes no argument \"x\"\nkin: see kin version --help\n");
    expect("get", 2, "",
           "kin: which resource? (pods, services, deployments, ...)\nkin: see kin get --help\n");
    expect("help frob", 2, "", "kin: unknown command \"frob\"\nkin: see kin --help\n");
}

TEST(command, says_in_one_line_what_failed)
{
    expect("get pods --kubeconfig /nowhere/config", 1, "",
           "kin: kubeconfig \"/nowhere/config\": no such file\n");
}

TEST(command, fails_when_its_output_cannot_be_written)
{
    char *words[] = { (char[]){ "version" }, NULL };
    FILE *full = fopen("/dev/full", "we");
    size_t len = 0;
    char *said = NULL;
    FILE *err = open_memstream(&said, &len);

    ASSERT_EQ(kin__cli_run(1, words, full, err), 1);

    fclose(err);
    fclose(full);
    ASSERT_STR_EQ(said, "kin: the output could not be written: No space left on device\n");
    free(said);
}
