/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - kin watch: shows what there is, and then what changes.
 *
 * An informer does the work; its handler is called on this thread.  Troubles are told on the
 * informer's loop, and come here through a descriptor.  What there is at the beginning is gathered
 * and written as one table; from then on each change is written when it comes.
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/change.h"
#include "cli/command.h"
#include "cli/fault.h"
#include "cli/output.h"
#include "cli/row.h"
#include "cli/signals.h"
#include "cli/target.h"
#include "kin/informer.h"

#define CHANGES_SHOWN 3
#define LOOK_MS 200 /* how often to look whether the watch is well again */

typedef struct watch {
    kin__cli *cli;
    kin_client *client;
    kin_resource *resource;
    kin_mask *mask;
    kin_informer *informer;
    kin_registration *registration;
    kin__cli_output output;
    kin__cli_targets targets;
    kin__cli_signals signals;
    kin__cli_rows rows;
    kin__cli_printer printer;
    kin__cli_text text;
    bool has_headings; /* they have been written */
    bool has_initial;  /* all that was there has been told */
    bool is_troubled;  /* and the user knows */
    bool is_over;
    int status;
    int64_t end_ms; /* on the monotonic clock; 0: none */

    pthread_mutex_t lock;
    kin_error trouble; /* the last; guarded by the lock */
    int trouble_fd;    /* readable when there is one */
} watch;

static kin_err check(const watch *w, kin_error *err);
static kin_err begin(watch *w, kin_error *err);
static kin_err make_informer(watch *w, kin_error *err);
static kin_err add_handler(watch *w, kin_error *err);
static void end(watch *w);
static void follow(watch *w);
static void wait_for_something(watch *w);
static void see_signals(watch *w);
static void see_changes(watch *w);
static void see_trouble(watch *w);
static void see_recovery(watch *w);
static void end_trouble(watch *w);
static void see_end(watch *w);
static void write_rows(watch *w);
static void on_change(void *context, const kin_notification *n);
static void on_synced(void *context);
static void on_trouble(void *context, const kin_error *err, int64_t retry_ms);
static bool is_wanted(void *context, const kin_object *object);
static void add_row(watch *w, const char *type, const kin_notification *n);
static void add_json(watch *w, const char *type, const kin_object *object);
static void add_path(watch *w, const char *type, const kin_notification *n);
static bool is_hopeless(const watch *w, kin_err code);
static int64_t now_ms(void);

int kin__cli_watch(kin__cli *cli)
{
    watch w = { .cli = cli, .trouble_fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };
    kin_error err;

    w.signals.fd = -1;
    kin_err code = kin__cli_output_parse(cli->options.output, &w.output, &err);
    if (code == KIN_OK) {
        code = kin__cli_targets_parse(cli->words, &w.targets, &err);
    }
    if (code == KIN_OK) {
        code = check(&w, &err);
    }
    if (code != KIN_OK) {
        w.status = kin__cli_misuse(cli, &err);
    } else if (begin(&w, &err) != KIN_OK) {
        w.status = kin__cli_fail(cli, &err);
    } else {
        follow(&w);
    }
    end(&w);
    return w.status;
}

static kin_err check(const watch *w, kin_error *err)
{
    const kin__cli_options *options = &w->cli->options;
    bool has_names = w->targets.list[0].name_count > 0;

    if (w->targets.count > 1) {
        return kin__cli_refuse(err, "one resource can be watched at a time");
    }
    if (has_names && (options->label_selector != NULL || options->field_selector != NULL)) {
        return kin__cli_refuse(err, "names and selectors do not go together");
    }
    if (has_names && options->has_all_namespaces) {
        return kin__cli_refuse(err, "a name is in one namespace: -A does not go with it");
    }
    return KIN_OK;
}

/* The resource is asked for before Ctrl-C is taken over: nothing has to be tidied up till then. */
static kin_err begin(watch *w, kin_error *err)
{
    kin_err code = kin__cli_connect(w->cli, &w->client, err);

    if (code == KIN_OK) {
        code = kin_client_resource(w->client, w->targets.list[0].resource, &w->resource, err);
    }
    if (code == KIN_OK) {
        code = kin__cli_signals_open(&w->signals, false, err);
    }
    if (code == KIN_OK) {
        w->trouble_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        code = make_informer(w, err);
    }
    if (code == KIN_OK) {
        code = add_handler(w, err);
    }
    return code == KIN_OK ? kin_informer_start(w->informer, err) : code;
}

static kin_err make_informer(watch *w, kin_error *err)
{
    static const char *const dropped[] = { "metadata.managedFields" };
    const kin__cli_options *own = &w->cli->options;
    const kin__cli_target *target = &w->targets.list[0];
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    char by_name[NAME_MAX + 32];
    bool is_namespaced = kin_resource_is_namespaced(w->resource);

    if (!own->has_managed_fields && kin_mask_new(KIN_MASK_DROP, dropped, 1, &w->mask, err) != 0) {
        return err->code;
    }
    options.of = w->resource;
    options.mask = w->mask;
    options.label_selector = own->label_selector;
    options.field_selector = own->field_selector;
    if (is_namespaced && !own->has_all_namespaces) {
        options.ns = kin_config_namespace(kin_client_config(w->client));
    }
    if (target->name_count == 1) {
        snprintf(by_name, sizeof by_name, "metadata.name=%s", target->names[0]);
        options.field_selector = by_name;
    }
    options.context = w;
    options.on_trouble = on_trouble;
    return kin_informer_new(w->client, &options, &w->informer, err);
}

static kin_err add_handler(watch *w, kin_error *err)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;
    const kin__cli_options *own = &w->cli->options;

    w->rows.resource = w->resource;
    w->rows.columns =
        kin__cli_columns_of(kin_resource_group(w->resource), kin_resource_kind(w->resource));
    w->rows.has_namespace = own->has_all_namespaces && kin_resource_is_namespaced(w->resource);
    kin__cli_printer_init(&w->printer, kin__cli_rows_width(&w->rows) + 2);
    w->printer.widths[0] = sizeof "MODIFIED" - 1;
    if (own->timeout_ms > 0) {
        w->end_ms = now_ms() + own->timeout_ms;
    }
    options.mode = KIN_DELIVERY_QUEUE;
    options.context = w;
    options.on_add = options.on_update = options.on_delete = on_change;
    options.on_synced = on_synced;
    if (w->targets.list[0].name_count > 1) {
        options.filter = is_wanted;
    }
    return kin_informer_add_handler(w->informer, &options, &w->registration, err);
}

static void end(watch *w)
{
    kin_registration_free(w->registration);
    kin_informer_free(w->informer);
    kin_client_free(w->client);
    kin_resource_unref(w->resource);
    kin_mask_free(w->mask);
    kin__cli_output_fini(&w->output);
    kin__cli_targets_fini(&w->targets);
    if (w->printer.widths != NULL) {
        kin__cli_printer_fini(&w->printer);
    }
    kin__cli_text_fini(&w->text);
    if (w->signals.fd >= 0) {
        kin__cli_signals_close(&w->signals);
    }
    if (w->trouble_fd >= 0) {
        close(w->trouble_fd);
    }
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void follow(watch *w)
{
    while (!w->is_over) {
        wait_for_something(w);
        see_signals(w);
        see_changes(w);
        see_trouble(w);
        see_recovery(w);
        see_end(w);
        if (fflush(w->cli->out) != 0) {
            w->is_over = true;
        }
    }
}

static void wait_for_something(watch *w)
{
    struct pollfd fds[] = {
        { w->signals.fd, POLLIN, 0 },
        { kin_registration_fd(w->registration), POLLIN, 0 },
        { w->trouble_fd, POLLIN, 0 },
    };
    int64_t left = w->end_ms > 0 ? w->end_ms - now_ms() : -1;

    left = w->end_ms > 0 && left < 0 ? 0 : left > INT_MAX ? INT_MAX : left;
    if (w->is_troubled && (left < 0 || left > LOOK_MS)) {
        left = LOOK_MS;
    }
    (void) poll(fds, sizeof fds / sizeof fds[0], (int) left);
}

static void see_signals(watch *w)
{
    if (kin__cli_signals_take(&w->signals) != 0) {
        w->is_over = true;
    }
}

static void see_changes(watch *w)
{
    size_t told = 0;
    kin_error err;

    w->rows.now = (int64_t) time(NULL);
    if (kin_registration_dispatch(w->registration, 0, &told, &err) != KIN_OK) {
        w->status = kin__cli_fail(w->cli, &err);
        w->is_over = true;
    }
    if (told > 0) { /* what came since the trouble was seen came from the server */
        end_trouble(w);
    }
    if (w->has_initial || w->is_over) {
        write_rows(w);
    }
}

static void see_trouble(watch *w)
{
    kin_error err;
    uint64_t count = 0;

    if (read(w->trouble_fd, &count, sizeof count) != (ssize_t) sizeof count) {
        return;
    }
    pthread_mutex_lock(&w->lock);
    err = w->trouble;
    pthread_mutex_unlock(&w->lock);
    if (is_hopeless(w, err.code)) {
        w->status = kin__cli_fail(w->cli, &err);
        w->is_over = true;
    } else if (!w->is_troubled) {
        kin__cli_text words = { 0 };
        kin__cli_fault_show(&err, &words);
        kin__cli_note(w->cli, "interrupted, trying again: %s", kin__cli_text_chars(&words));
        kin__cli_text_fini(&words);
        w->is_troubled = true;
    }
}

static void see_recovery(watch *w)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err;

    if (!w->is_troubled || kin_informer_get_status(w->informer, &status, &err) != KIN_OK) {
        return;
    }
    if (status.state == KIN_INFORMER_WATCHING) {
        end_trouble(w);
    }
}

static void end_trouble(watch *w)
{
    if (w->is_troubled) {
        kin__cli_note(w->cli, "watching again");
        w->is_troubled = false;
    }
}

static void see_end(watch *w)
{
    bool is_late = w->end_ms > 0 && now_ms() >= w->end_ms;
    kin_error err;

    if (w->is_over) {
        return;
    }
    if (w->cli->options.is_once && w->has_initial) {
        w->is_over = true;
    } else if (is_late) {
        w->is_over = true;
        write_rows(w);
        if (kin_informer_wait_synced(w->informer, 0, &err) != KIN_OK) {
            w->status = kin__cli_fail(w->cli, &err);
        }
    }
}

static void write_rows(watch *w)
{
    kin__cli_printer_write(&w->printer, &w->text);
    kin__cli_print(w->cli, &w->text);
}

/* ---- what the informer tells --------------------------------------------------------------- */

static void on_change(void *context, const kin_notification *n)
{
    static const char *const types[] = { "", "ADDED", "MODIFIED", "DELETED" };
    watch *w = context;
    const char *type = types[n->type];

    if (w->output.form == KIN__CLI_TABLE) {
        add_row(w, type, n);
    } else if (w->output.form == KIN__CLI_JSON) {
        add_json(w, type, n->object);
    } else if (w->output.form == KIN__CLI_NAME) {
        kin__cli_text name = { 0 };
        kin__cli_row_name(w->resource, n->object, &name);
        kin__cli_text_say(&w->text, "%-8s ", type);
        kin__cli_text_safe(&w->text, kin__cli_text_str(&name));
        kin__cli_text_append(&w->text, kin_str_of("\n"));
        kin__cli_text_fini(&name);
    } else {
        add_path(w, type, n);
    }
}

static void on_synced(void *context)
{
    watch *w = context;

    w->has_initial = true;
}

/* On the loop. */
static void on_trouble(void *context, const kin_error *err, int64_t retry_ms)
{
    watch *w = context;
    uint64_t one = 1;

    (void) retry_ms;
    pthread_mutex_lock(&w->lock);
    w->trouble = *err;
    pthread_mutex_unlock(&w->lock);
    (void) !write(w->trouble_fd, &one, sizeof one);
}

static bool is_wanted(void *context, const kin_object *object)
{
    const watch *w = context;
    const kin__cli_target *target = &w->targets.list[0];

    for (size_t i = 0; i < target->name_count; i++) {
        if (kin_str_equal(kin_object_name(object), kin_str_of(target->names[i]))) {
            return true;
        }
    }
    return false;
}

/* EVENT, the columns of the kind, and CHANGES. */
static void add_row(watch *w, const char *type, const kin_notification *n)
{
    kin__cli_text text = { 0 };

    if (!w->has_headings && !w->cli->options.has_no_headers) {
        kin__cli_printer_add(&w->printer, kin_str_of("EVENT"));
        kin__cli_rows_add_headings(&w->rows, &w->printer);
        kin__cli_printer_add(&w->printer, kin_str_of("CHANGES"));
    }
    w->has_headings = true;
    if (n->type == KIN_NOTIFICATION_UPDATED && n->before != NULL) {
        kin__cli_changes changes;
        kin__cli_changes_find(n->before, n->object, &changes);
        kin__cli_changes_show(&changes, CHANGES_SHOWN, &text);
    }
    kin__cli_printer_add(&w->printer, kin_str_of(type));
    kin__cli_rows_add(&w->rows, n->object, &w->printer);
    kin__cli_printer_add(&w->printer, kin__cli_text_str(&text));
    kin__cli_text_fini(&text);
}

/* A line each: {"type":"ADDED","object":{...}}, as the API itself has it. */
static void add_json(watch *w, const char *type, const kin_object *object)
{
    char *json = NULL;
    size_t len = 0;
    kin_error err;

    if (kin_object_json(object, &json, &len, &err) != KIN_OK) {
        w->status = kin__cli_fail(w->cli, &err);
        return;
    }
    kin__cli_text_say(&w->text, "{\"type\":\"%s\",\"object\":", type);
    kin__cli_text_json(&w->text, (kin_str){ json, len });
    kin__cli_text_say(&w->text, "}\n");
    kin_free(json);
}

/* Only when what the path leads to is another than before. */
static void add_path(watch *w, const char *type, const kin_notification *n)
{
    kin__cli_text value = { 0 };
    kin__cli_text before = { 0 };
    kin__cli_text safe = { 0 };

    kin__cli_row_path(w->output.path, n->object, false, &value);
    if (n->before != NULL) {
        kin__cli_row_path(w->output.path, n->before, false, &before);
    }
    bool is_same = kin_str_equal(kin__cli_text_str(&value), kin__cli_text_str(&before));
    if (n->type != KIN_NOTIFICATION_UPDATED || !is_same) {
        kin__cli_text_safe(&safe, w->rows.has_namespace ? kin_object_key(n->object)
                                                        : kin_object_name(n->object));
        kin__cli_text_append(&safe, kin_str_of(value.len > 0 ? " " : ""));
        kin__cli_text_safe(&safe, kin__cli_text_str(&value));
        kin__cli_text_say(&w->text, "%-8s %s\n", type, kin__cli_text_chars(&safe));
    }
    kin__cli_text_fini(&value);
    kin__cli_text_fini(&before);
    kin__cli_text_fini(&safe);
}

/* What the server refuses from the beginning it will refuse again. */
static bool is_hopeless(const watch *w, kin_err code)
{
    return !w->has_initial && (code == KIN_ERR_FORBIDDEN || code == KIN_ERR_UNAUTHORIZED ||
                               code == KIN_ERR_NOT_FOUND || code == KIN_ERR_INVALID ||
                               code == KIN_ERR_REFUSED || code == KIN_ERR_USAGE);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
