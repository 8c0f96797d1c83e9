/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the program `kin`.
 */
#include "cli/command.h"

int main(int argc, char **argv)
{
    return kin__cli_run(argc > 0 ? argc - 1 : 0, argv + 1, stdout, stderr);
}
