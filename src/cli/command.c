/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - the command `kin`: which of its commands is meant, and how it ends.
 */
#include "cli/command.h"

#include <stdarg.h>
#include <string.h>

#include "cli/fault.h"

typedef struct command {
    const char *name;
    unsigned bit;
    int (*run)(kin__cli *cli);
    const char *form;
    const char *title;
    const char *help;
} command;

static int run_version(kin__cli *cli);

static const command commands[] = {
    { "get", KIN__CLI_GET, kin__cli_get, "RESOURCE [NAME ...]", "show what there is",
      "Shows objects: all of a resource, or those with these names.  RESOURCE is a name as "
      "kubectl\n"
      "takes it (pods, po, Pod, deployments.apps, deployments.v1.apps), or several with commas\n"
      "between them; RESOURCE/NAME is an object.\n" },
    { "watch", KIN__CLI_WATCH, kin__cli_watch, "RESOURCE [NAME ...]",
      "show what there is, and then what changes",
      "Shows objects, and then each change with what is different, until Ctrl-C.  After a\n"
      "disconnection it goes on, and nothing is missed or told twice.\n" },
    { "server", KIN__CLI_SERVER, kin__cli_server, "", "run an API server in memory, for tests",
      "Runs an API server that keeps everything in memory, until Ctrl-C.  It prints one line when "
      "it\n"
      "is ready.  With --pods, --nodes, --rate or --seed a simulated cluster lives in it.\n" },
    { "demo", KIN__CLI_DEMO, kin__cli_demo, "", "show informers at work",
      "Starts a server with a simulated cluster, and informers that follow it, and shows what "
      "they\n"
      "know.  With KIN_DEMO_CLUSTER=1 it shows the cluster of the kubeconfig instead.\n" },
    { "version", KIN__CLI_VERSION, run_version, "", "show the version", "" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int run(kin__cli *cli);
static int run_command(kin__cli *cli, const command *c);
static const command *find(const char *name);
static int show_help(kin__cli *cli, const command *c);
static void explain_all(kin__cli_text *out);
static void explain(const command *c, kin__cli_text *out);
static int finish(kin__cli *cli, int status);

int kin__cli_run(int count, char *const *words, FILE *out, FILE *err)
{
    kin__cli cli = { out, err, { 0 }, NULL, "" };
    kin_error error;
    int status = 0;

    if (kin__cli_options_parse(count, words, &cli.options, &error) != KIN_OK) {
        const command *c = cli.options.word_count > 0 ? find(cli.options.words[0]) : NULL;
        cli.name = c != NULL ? c->name : "";
        status = kin__cli_misuse(&cli, &error);
    } else {
        status = run(&cli);
    }
    status = finish(&cli, status);
    kin__cli_options_fini(&cli.options);
    return status;
}

int kin__cli_fail(kin__cli *cli, const kin_error *err)
{
    kin__cli_text words = { 0 };

    kin__cli_fault_show(err, &words);
    kin__cli_note(cli, "%s", kin__cli_text_chars(&words));
    kin__cli_text_fini(&words);
    return KIN__CLI_FAILED;
}

int kin__cli_misuse(kin__cli *cli, const kin_error *err)
{
    kin__cli_note(cli, "%s", err->message);
    kin__cli_note(cli, "see kin%s%s --help", cli->name[0] != '\0' ? " " : "", cli->name);
    return KIN__CLI_MISUSED;
}

void kin__cli_note(kin__cli *cli, const char *format, ...)
{
    va_list arguments;

    fflush(cli->out);
    va_start(arguments, format);
    fputs("kin: ", cli->err);
    vfprintf(cli->err, format, arguments);
    fputs("\n", cli->err);
    va_end(arguments);
    fflush(cli->err);
}

void kin__cli_print(kin__cli *cli, kin__cli_text *text)
{
    kin_str s = kin__cli_text_str(text);

    fwrite(s.data, 1, s.len, cli->out);
    kin__cli_text_clear(text);
}

kin_err kin__cli_connect(kin__cli *cli, kin_client **out, kin_error *err)
{
    kin_config_options config_options = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options client_options = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;
    char agent[64];

    config_options.path = cli->options.kubeconfig;
    config_options.context = cli->options.context;
    config_options.ns = cli->options.ns;
    snprintf(agent, sizeof agent, "kin/%s", kin_version());
    client_options.user_agent = agent;
    kin_err code = kin_config_load(&config_options, &config, err);
    if (code == KIN_OK) {
        code = kin_client_new(config, &client_options, out, err);
    }
    kin_config_unref(config);
    return code;
}

static int run(kin__cli *cli)
{
    const kin__cli_options *options = &cli->options;
    const char *first = options->word_count > 0 ? options->words[0] : NULL;
    kin_error err;

    if (first == NULL) {
        if (options->wants_version) {
            return run_version(cli);
        }
        if (options->wants_help) {
            return show_help(cli, NULL);
        }
        (void) kin__cli_refuse(&err, "no command");
        return kin__cli_misuse(cli, &err);
    }
    bool is_help = strcmp(first, "help") == 0;
    const char *name = is_help ? options->words[1] : first;
    const command *c = name != NULL ? find(name) : NULL;
    if (c == NULL && name != NULL) {
        (void) kin__cli_refuse(&err, "unknown command \"%s\"", name);
        return kin__cli_misuse(cli, &err);
    }
    if (is_help || options->wants_help) {
        return show_help(cli, c);
    }
    return run_command(cli, c);
}

static int run_command(kin__cli *cli, const command *c)
{
    kin_error err;

    cli->name = c->name;
    cli->words = cli->options.words + 1;
    if (kin__cli_options_check(&cli->options, c->bit, c->name, &err) != KIN_OK) {
        return kin__cli_misuse(cli, &err);
    }
    if (c->form[0] == '\0' && cli->words[0] != NULL) {
        (void) kin__cli_refuse(&err, "%s takes no argument \"%s\"", c->name, cli->words[0]);
        return kin__cli_misuse(cli, &err);
    }
    return c->run(cli);
}

static const command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int run_version(kin__cli *cli)
{
    fprintf(cli->out, "kin %s\n", kin_version());
    return KIN__CLI_DONE;
}

/* Of all when `c` is NULL. */
static int show_help(kin__cli *cli, const command *c)
{
    kin__cli_text text = { 0 };

    if (c == NULL) {
        explain_all(&text);
    } else {
        explain(c, &text);
    }
    kin__cli_print(cli, &text);
    kin__cli_text_fini(&text);
    return KIN__CLI_DONE;
}

static void explain_all(kin__cli_text *out)
{
    kin__cli_text_say(out, "usage: kin COMMAND [OPTION ...]\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        kin__cli_text_say(out, "  %-10s %s\n", commands[i].name, commands[i].title);
    }
    kin__cli_text_say(out, "\nkin COMMAND --help tells more.\n");
}

static void explain(const command *c, kin__cli_text *out)
{
    kin__cli_text_say(out, "usage: kin %s%s%s [OPTION ...]\n\n%s%s", c->name,
                      c->form[0] != '\0' ? " " : "", c->form, c->help,
                      c->help[0] != '\0' ? "\n" : "");
    kin__cli_options_explain(c->bit, out);
}

/* What could not be written is a failure, whatever else was. */
static int finish(kin__cli *cli, int status)
{
    bool is_written = fflush(cli->out) == 0 && !ferror(cli->out);
    kin_error err;

    if (!is_written) {
        (void) kin__cli_system(&err, "the output could not be written");
        kin__cli_note(cli, "%s", err.message);
        return status == KIN__CLI_DONE ? KIN__CLI_FAILED : status;
    }
    return status;
}
