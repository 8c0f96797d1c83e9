/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.c - runs the plugin that the credentials ask for.
 */
#include "api/identity.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "net/process.h"

struct kin__identity {
    kin_loop *loop;
    kin__credentials *credentials;
    kin__process *plugin; /* NULL: it does not run */
    kin__list waiting;
    kin__list waking; /* those who wait and have not been woken yet since it ended */
};

static kin_err run_plugin(kin__identity *identity, kin_error *err);
static void on_plugin_end(void *context, const kin__process_end *end);
static void describe_end(const kin__process_end *end, kin_error *err);
static void wake_all(kin__identity *identity);

kin_err kin__identity_new(kin_loop *loop, const kin_config *config, const kin_logger *logger,
                          kin__identity **out, kin_error *err)
{
    kin__identity *identity = kin__alloc_zero(1, sizeof *identity);

    if (identity == NULL) {
        return kin__error_no_memory(err);
    }
    identity->loop = loop;
    if (kin__credentials_new(config, kin__loop_clock(loop), logger, &identity->credentials, err) !=
        KIN_OK) {
        kin__free(identity);
        return err->code;
    }
    *out = identity;
    return KIN_OK;
}

void kin__identity_free(kin__identity *identity)
{
    if (identity != NULL) {
        kin__process_free(identity->plugin);
        kin__credentials_free(identity->credentials);
        kin__free(identity);
    }
}

kin_err kin__identity_get(kin__identity *identity, kin__identity_wait *wait, bool *out_is_there,
                          kin__credential *out, kin_error *err)
{
    switch (kin__credentials_get(identity->credentials, out, err)) {
    case KIN__CREDENTIALS_READY:
        *out_is_there = true;
        return KIN_OK;
    case KIN__CREDENTIALS_PLUGIN:
        if (run_plugin(identity, err) != KIN_OK) {
            return err->code;
        }
        kin__list_push(&identity->waiting, &wait->link);
        *out_is_there = false;
        return KIN_OK;
    case KIN__CREDENTIALS_FAILED:
        break;
    }
    if (err->code != KIN_ERR_NO_MEMORY) {
        err->code = KIN_ERR_UNAUTHORIZED;
    }
    return err->code;
}

void kin__identity_stop_waiting(kin__identity_wait *wait)
{
    kin__list_remove(&wait->link);
}

bool kin__identity_refused(kin__identity *identity, uint64_t version)
{
    return kin__credentials_refused(identity->credentials, version);
}

/* A plugin that cannot be started has ended, as far as the credentials go: they make the error that
 * is told, hold it, and say when to try again. */
static kin_err run_plugin(kin__identity *identity, kin_error *err)
{
    kin__plugin_command command;
    bool is_mine = false;

    if (kin__credentials_plugin(identity->credentials, &is_mine, &command, err) != KIN_OK) {
        return err->code;
    }
    if (!is_mine) {
        return KIN_OK;
    }
    kin__process_options options = {
        .arguments = command.arguments,
        .environment = command.environment,
        .timeout_ms = command.timeout_ms,
        .on_end = on_plugin_end,
        .context = identity,
    };
    kin__process_free(STEAL(identity->plugin));
    if (kin__process_start(identity->loop, &options, &identity->plugin, err) != KIN_OK) {
        kin__credential none;

        kin__credentials_plugin_ended(identity->credentials, err, -1, (kin_str){ NULL, 0 },
                                      (kin_str){ NULL, 0 });
        (void) kin__credentials_get(identity->credentials, &none, err);
        return err->code;
    }
    return KIN_OK;
}

static void on_plugin_end(void *context, const kin__process_end *end)
{
    kin__identity *identity = context;
    kin_error err;

    describe_end(end, &err);
    kin__credentials_plugin_ended(identity->credentials, end->code == KIN_OK ? NULL : &err,
                                  end->status, end->output, end->errors);
    wake_all(identity);
}

static void describe_end(const kin__process_end *end, kin_error *err)
{
    switch (end->code) {
    case KIN_ERR_TIMEOUT:
        kin__error_set(err, end->code, "it did not end in time and was killed");
        break;
    case KIN_ERR_LIMIT:
        kin__error_set(err, end->code, "it wrote more than %u bytes", KIN__PROCESS_OUTPUT_MAX);
        break;
    default:
        kin__error_set(err, end->code, "its output could not be read");
        break;
    }
}

/* Whoever is woken may wait again, or free others: each is taken off before it is called. */
static void wake_all(kin__identity *identity)
{
    kin__list_move_all(&identity->waking, &identity->waiting);
    for (kin__link *link; (link = kin__list_first(&identity->waking)) != NULL;) {
        kin__identity_wait *wait = KIN__OWNER(link, kin__identity_wait, link);

        kin__list_remove(link);
        wait->wake(wait);
    }
}
