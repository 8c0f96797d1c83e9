/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - kin get: shows what there is.
 *
 * Of each resource all is gathered as text before it is written, so that a list that turns out to
 * be out of date half-way can begin again, and columns get their widths.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/fault.h"
#include "cli/output.h"
#include "cli/pretty.h"
#include "cli/row.h"
#include "cli/target.h"

#define PAGE 500 /* objects, as kubectl asks for them */
#define LIST_HEAD "{\n    \"apiVersion\": \"v1\",\n    \"items\": ["

typedef struct get {
    kin__cli *cli;
    kin_client *client;
    kin_mask *mask;
    kin__cli_output output;
    kin__cli_targets targets;
    bool is_list;        /* JSON: of several objects, or what might be several */
    bool is_terminal;    /* that reads the output */
    bool has_namespaced; /* one of the resources is */
    int status;
    size_t shown; /* objects so far, of all targets */

    /* Of the target that is being shown. */
    kin_resource *resource;
    kin__cli_rows rows;
    kin__cli_printer printer;
    kin__cli_text text;
    size_t count;
} get;

static kin_err begin(get *g, kin_error *err);
static kin_err check(const get *g, kin_error *err);
static void end(get *g);
static void show_all(get *g);
static void show(get *g, const kin__cli_target *target);
static void start_rows(get *g);
static kin_err list(get *g, kin_error *err);
static kin_err list_pages(get *g, int64_t page, kin_error *err);
static void get_named(get *g, const char *name);
static bool add(void *context, kin_object *object);
static void add_json(get *g, const kin_object *object);
static void forget(get *g);
static void write_target(get *g);
static void write_json_end(get *g);
static void say_nothing_found(get *g);
static void warn(get *g, const kin_reply *reply);

int kin__cli_get(kin__cli *cli)
{
    get g = { .cli = cli };
    kin_error err;

    if (cli->options.is_watch) {
        return kin__cli_watch(cli);
    }
    kin_err code = kin__cli_output_parse(cli->options.output, &g.output, &err);
    if (code == KIN_OK) {
        code = kin__cli_targets_parse(cli->words, &g.targets, &err);
    }
    if (code == KIN_OK) {
        code = check(&g, &err);
    }
    if (code != KIN_OK) {
        g.status = kin__cli_misuse(cli, &err);
    } else if (begin(&g, &err) != KIN_OK) {
        g.status = kin__cli_fail(cli, &err);
    } else {
        show_all(&g);
    }
    end(&g);
    return g.status;
}

static kin_err check(const get *g, kin_error *err)
{
    const kin__cli_options *options = &g->cli->options;
    bool has_names = g->targets.list[0].name_count > 0;
    bool has_selector = options->label_selector != NULL || options->field_selector != NULL;

    if (options->is_once || options->timeout_ms > 0) {
        return kin__cli_refuse(err, "--once and --timeout are for kin watch");
    }
    if (has_names && has_selector) {
        return kin__cli_refuse(err, "names and selectors do not go together");
    }
    if (has_names && options->has_all_namespaces) {
        return kin__cli_refuse(err, "a name is in one namespace: -A does not go with it");
    }
    return KIN_OK;
}

static kin_err begin(get *g, kin_error *err)
{
    static const char *const dropped[] = { "metadata.managedFields" };
    kin_err code = KIN_OK;

    g->is_terminal = isatty(fileno(g->cli->out)) == 1;
    g->is_list = g->targets.count > 1 || g->targets.list[0].name_count != 1;
    if (!g->cli->options.has_managed_fields) {
        code = kin_mask_new(KIN_MASK_DROP, dropped, 1, &g->mask, err);
    }
    return code == KIN_OK ? kin__cli_connect(g->cli, &g->client, err) : code;
}

static void end(get *g)
{
    kin_client_free(g->client);
    kin_mask_free(g->mask);
    kin__cli_output_fini(&g->output);
    kin__cli_targets_fini(&g->targets);
    kin__cli_text_fini(&g->text);
}

static void show_all(get *g)
{
    for (size_t i = 0; i < g->targets.count; i++) {
        show(g, &g->targets.list[i]);
    }
    if (g->output.form == KIN__CLI_JSON && g->is_list) {
        write_json_end(g);
    }
    if (g->output.form == KIN__CLI_TABLE && g->shown == 0 && g->status == KIN__CLI_DONE) {
        say_nothing_found(g);
    }
}

static void show(get *g, const kin__cli_target *target)
{
    kin_error err;

    if (kin_client_resource(g->client, target->resource, &g->resource, &err) != KIN_OK) {
        g->status = kin__cli_fail(g->cli, &err);
        return;
    }
    start_rows(g);
    if (target->name_count == 0 && list(g, &err) != KIN_OK) {
        g->status = kin__cli_fail(g->cli, &err);
        forget(g);
    }
    for (size_t i = 0; i < target->name_count; i++) {
        get_named(g, target->names[i]);
    }
    write_target(g);
    kin__cli_printer_fini(&g->printer);
    g->resource = kin_resource_unref(g->resource);
}

static void start_rows(get *g)
{
    const kin__cli_options *options = &g->cli->options;
    bool is_namespaced = kin_resource_is_namespaced(g->resource);

    g->count = 0;
    g->has_namespaced = g->has_namespaced || is_namespaced;
    g->rows.resource = g->resource;
    g->rows.columns =
        kin__cli_columns_of(kin_resource_group(g->resource), kin_resource_kind(g->resource));
    g->rows.has_namespace = options->has_all_namespaces && is_namespaced;
    g->rows.has_kind = g->targets.count > 1;
    g->rows.now = (int64_t) time(NULL);
    kin__cli_printer_init(&g->printer, kin__cli_rows_width(&g->rows));
    if (!options->has_no_headers) {
        kin__cli_rows_add_headings(&g->rows, &g->printer);
    }
}

/* In pages; when the server has forgotten the state that the first one was of, all at once. */
static kin_err list(get *g, kin_error *err)
{
    kin_err code = list_pages(g, PAGE, err);

    if (code == KIN_ERR_EXPIRED) {
        forget(g);
        start_rows(g);
        code = list_pages(g, 0, err);
    }
    return code;
}

static kin_err list_pages(get *g, int64_t page, kin_error *err)
{
    const kin__cli_options *options = &g->cli->options;
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_reply reply = KIN_REPLY_INIT;
    bool is_named = g->output.form == KIN__CLI_NAME;

    request.verb = KIN_VERB_LIST;
    request.of = g->resource;
    request.ns =
        options->has_all_namespaces ? NULL : kin_config_namespace(kin_client_config(g->client));
    request.label_selector = options->label_selector;
    request.field_selector = options->field_selector;
    request.limit = page;
    request.mask = is_named ? NULL : g->mask;
    request.metadata_only = is_named;
    handler.context = g;
    handler.on_object = add;
    kin_err code = kin_client_run(g->client, &request, &handler, &reply, err);
    warn(g, &reply);
    kin_reply_fini(&reply);
    return code;
}

static void get_named(get *g, const char *name)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_handler handler = KIN_HANDLER_INIT;
    kin_reply reply = KIN_REPLY_INIT;
    kin_error err;

    request.verb = KIN_VERB_GET;
    request.of = g->resource;
    request.name = name;
    request.mask = g->mask;
    handler.context = g;
    handler.on_object = add;
    if (kin_client_run(g->client, &request, &handler, &reply, &err) != KIN_OK) {
        g->status = kin__cli_fail(g->cli, &err);
    }
    warn(g, &reply);
    kin_reply_fini(&reply);
}

/* On the loop, while this thread waits for it. */
static bool add(void *context, kin_object *object)
{
    get *g = context;

    if (g->output.form == KIN__CLI_TABLE) {
        kin__cli_rows_add(&g->rows, object, &g->printer);
    } else if (g->output.form == KIN__CLI_JSON) {
        add_json(g, object);
    } else if (g->output.form == KIN__CLI_NAME) {
        kin__cli_text name = { 0 };
        kin__cli_row_name(g->resource, object, &name);
        kin__cli_text_safe(&g->text, kin__cli_text_str(&name));
        kin__cli_text_append(&g->text, kin_str_of("\n"));
        kin__cli_text_fini(&name);
    } else {
        kin__cli_row_path(g->output.path, object, g->is_terminal, &g->text);
        kin__cli_text_append(&g->text, kin_str_of("\n"));
    }
    g->count++;
    return true;
}

/* A member of a list is two levels deep. */
static void add_json(get *g, const kin_object *object)
{
    char *json = NULL;
    size_t len = 0;
    kin_error err;

    if (kin_object_json(object, &json, &len, &err) != KIN_OK) {
        g->status = kin__cli_fail(g->cli, &err);
        return;
    }
    if (g->is_list) {
        bool is_first = g->shown + g->count == 0;
        kin__cli_text_append(&g->text, kin_str_of(is_first ? "\n        " : ",\n        "));
    }
    kin__cli_pretty((kin_str){ json, len }, g->is_list ? 2 : 0, &g->text);
    if (!g->is_list) {
        kin__cli_text_append(&g->text, kin_str_of("\n"));
    }
    kin_free(json);
}

/* What was gathered of the target. */
static void forget(get *g)
{
    kin__cli_text_clear(&g->text);
    kin__cli_printer_fini(&g->printer);
    g->count = 0;
}

static void write_target(get *g)
{
    if (g->count == 0) {
        return;
    }
    if (g->output.form == KIN__CLI_TABLE) {
        kin__cli_text_append(&g->text, kin_str_of(g->shown > 0 ? "\n" : ""));
        kin__cli_printer_write(&g->printer, &g->text);
    } else if (g->output.form == KIN__CLI_JSON && g->is_list && g->shown == 0) {
        fputs(LIST_HEAD, g->cli->out);
    }
    kin__cli_print(g->cli, &g->text);
    g->shown += g->count;
}

/* A list without any member is one too, unless that is because something failed. */
static void write_json_end(get *g)
{
    if (g->shown == 0 && g->status != KIN__CLI_DONE) {
        return;
    }
    if (g->shown == 0) {
        fputs(LIST_HEAD, g->cli->out);
    }
    fprintf(g->cli->out,
            "%s],\n    \"kind\": \"List\",\n    \"metadata\": {\n"
            "        \"resourceVersion\": \"\"\n    }\n}\n",
            g->shown > 0 ? "\n    " : "");
}

static void say_nothing_found(get *g)
{
    const char *ns = kin_config_namespace(kin_client_config(g->client));

    if (g->has_namespaced && !g->cli->options.has_all_namespaces) {
        fprintf(g->cli->err, "No resources found in %s namespace.\n", ns);
    } else {
        fputs("No resources found\n", g->cli->err);
    }
}

static void warn(get *g, const kin_reply *reply)
{
    const char *at = reply->warnings;

    while (at != NULL && *at != '\0') {
        size_t len = strcspn(at, "\n");
        kin__cli_text safe = { 0 };
        kin__cli_text_safe(&safe, (kin_str){ at, len });
        fprintf(g->cli->err, "Warning: %s\n", kin__cli_text_chars(&safe));
        kin__cli_text_fini(&safe);
        at += len + (at[len] == '\n' ? 1 : 0);
    }
}
