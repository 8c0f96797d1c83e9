/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leader_make.c - a leader of its options: copied, checked, put together.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/registrar.h"
#include "base/utf8.h"
#include "controller/leader_state.h"
#include "kin/config.h"

#define LEASE_MS 15000
#define RENEW_MS 10000
#define RETRY_MS 2000
#define MS_MAX (1000u * 86400 * 20) /* so that all sums fit */
#define HOST_MAX 63                 /* bytes of the host's name that go into an identity */
#define RANDOM_BYTES 16

static kin_err check(kin_leader_options *options, kin_error *err);
static kin_err check_times(const kin_leader_options *options, kin_error *err);
static kin_err furnish(kin_leader *leader, const kin_leader_options *options, kin_error *err);
static kin_err copy_text(const char *text, char **out, kin_error *err);
static kin_err identify(kin_leader *leader, const kin_leader_options *options, kin_error *err);
static kin_err make_identity(char out[KIN__LEASE_HOLDER_MAX + 1], kin_error *err);
static kin_err make_metrics(kin_leader *leader, kin_error *err);
static void show_status(void *context);
static void make_election(kin_leader *leader);
static uint64_t new_seed(void);

kin_err kin_leader_new(kin_client *client, const kin_leader_options *options, kin_leader **out,
                       kin_error *err)
{
    kin_error unwanted;

    err = kin__error_or(err, &unwanted);
    if (client == NULL) {
        return kin__error_set(err, KIN_ERR_USAGE, "make a leader: there is no client");
    }
    kin__leader_parts parts = {
        .loop = client->loop,
        .caller = kin__caller_of_client(client),
        .logger = client->logger,
        .ns = kin_config_namespace(client->config),
        .seed = new_seed(),
    };
    return kin__leader_make(&parts, options, out, err);
}

kin_err kin__leader_make(const kin__leader_parts *parts, const kin_leader_options *options,
                         kin_leader **out, kin_error *err)
{
    kin_leader_options ours;

    if (kin__options_read(&ours, sizeof ours, options, "kin_leader_options", err) != KIN_OK ||
        check(&ours, err) != KIN_OK) {
        return kin__error_prefix(err, "make a leader");
    }
    if (kin__loop_is_forked(parts->loop)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "make a leader: not of a client from before a fork");
    }
    kin_leader *leader = kin__alloc_zero(1, sizeof *leader);
    if (leader == NULL) {
        kin__error_no_memory(err);
        return kin__error_prefix(err, "make a leader");
    }
    leader->parts = *parts;
    leader->clock = kin__loop_clock(parts->loop);
    if (ours.logger.size != 0 && ours.logger.log != NULL) {
        leader->parts.logger = ours.logger;
    }
    kin__mutex_init(&leader->lock);
    kin__cond_init(&leader->news);
    kin__leader_prepare(leader);
    if (furnish(leader, &ours, err) != KIN_OK ||
        kin__thread_start(&leader->teller, "kin-leader", kin__leader_tell, leader, err) != KIN_OK) {
        kin__leader_release(leader);
        return kin__error_prefix(err, "make a leader");
    }
    *out = leader;
    return KIN_OK;
}

void kin__leader_release(kin_leader *leader)
{
    kin__refresher_fini(&leader->refresher);
    kin__gauge_add(&leader->status_gauge, -leader->status_shown);
    kin__gauge_fini(&leader->status_gauge);
    kin__counter_fini(&leader->slow_counter);
    kin_object_unref(leader->base);
    kin_resource_unref(leader->leases);
    kin__free(leader->ns);
    kin__free(leader->name);
    kin__cond_fini(&leader->news);
    kin__mutex_fini(&leader->lock);
    kin__free(leader);
}

/* ---- options -------------------------------------------------------------------------------- */

static kin_err check(kin_leader_options *options, kin_error *err)
{
    options->lease_ms = options->lease_ms == 0 ? LEASE_MS : options->lease_ms;
    options->renew_ms = options->renew_ms == 0 ? RENEW_MS : options->renew_ms;
    options->retry_ms = options->retry_ms == 0 ? RETRY_MS : options->retry_ms;
    if (options->name == NULL || options->name[0] == '\0') {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_leader_options: `name` must be given");
    }
    if (options->ns != NULL && options->ns[0] == '\0') {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_leader_options: `ns` is empty");
    }
    size_t len = options->identity == NULL ? 1 : strlen(options->identity);
    if (len == 0 || len > KIN__LEASE_HOLDER_MAX) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_leader_options: `identity` has %zu bytes, and must have 1 to %d",
                              len, KIN__LEASE_HOLDER_MAX);
    }
    if (options->identity != NULL && !kin__utf8_is_valid(kin_str_of(options->identity))) {
        return kin__error_set(err, KIN_ERR_USAGE, "kin_leader_options: `identity` is no UTF-8");
    }
    return check_times(options, err);
}

static kin_err check_times(const kin_leader_options *options, kin_error *err)
{
    uint64_t retry_ms = options->retry_ms;

    if (options->lease_ms > MS_MAX) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_leader_options: `lease_ms` is more than 20 days");
    }
    if (options->lease_ms % 1000 != 0) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_leader_options: `lease_ms` is %u: no whole seconds",
                              (unsigned) options->lease_ms);
    }
    if (options->lease_ms <= options->renew_ms) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_leader_options: `lease_ms` must be more than `renew_ms`");
    }
    if ((uint64_t) options->renew_ms * 10 <= retry_ms * 12) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "kin_leader_options: `renew_ms` must be more than 1.2 x `retry_ms`");
    }
    return KIN_OK;
}

static kin_err furnish(kin_leader *leader, const kin_leader_options *options, kin_error *err)
{
    const char *ns = options->ns != NULL ? options->ns : leader->parts.ns;

    leader->options = *options;
    if (copy_text(ns, &leader->ns, err) != KIN_OK ||
        copy_text(options->name, &leader->name, err) != KIN_OK ||
        identify(leader, options, err) != KIN_OK ||
        kin_resource_new("coordination.k8s.io", "v1", "leases", "Lease", true, &leader->leases,
                         err) != KIN_OK) {
        return err->code;
    }
    leader->options.ns = leader->ns;
    leader->options.name = leader->name;
    leader->options.identity = leader->identity;
    make_election(leader);
    return make_metrics(leader, err);
}

static kin_err copy_text(const char *text, char **out, kin_error *err)
{
    size_t size = strlen(text) + 1;
    char *copy = kin__alloc(size);

    if (copy == NULL) {
        return kin__error_no_memory(err);
    }
    *out = memcpy(copy, text, size);
    return KIN_OK;
}

static kin_err identify(kin_leader *leader, const kin_leader_options *options, kin_error *err)
{
    if (options->identity == NULL) {
        return make_identity(leader->identity, err);
    }
    memcpy(leader->identity, options->identity, strlen(options->identity) + 1);
    return KIN_OK;
}

/* A host's name is of the system's choice: what is no plain letter, digit, '-' or '.' becomes '-'.
 * The random part tells processes of one host, and of one pod after the other, apart. */
static kin_err make_identity(char out[KIN__LEASE_HOLDER_MAX + 1], kin_error *err)
{
    static const char digits[] = "0123456789abcdef";
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    unsigned char bytes[RANDOM_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes) {
        return kin__error_system(err, errno, "get random bytes for an identity");
    }
    memset(out, 0, KIN__LEASE_HOLDER_MAX + 1);
    if (gethostname(out, HOST_MAX + 1) != 0 || out[0] == '\0') {
        memcpy(out, "host", 5);
    }
    out[HOST_MAX] = '\0';
    size_t len = strlen(out);
    for (size_t i = 0; i < len; i++) {
        out[i] = strchr(plain, out[i]) != NULL ? out[i] : '-';
    }
    out[len++] = '_';
    for (size_t i = 0; i < sizeof bytes; i++) {
        out[len++] = digits[bytes[i] >> 4];
        out[len++] = digits[bytes[i] & 15];
    }
    out[len] = '\0';
    return KIN_OK;
}

static void make_election(kin_leader *leader)
{
    const kin_leader_options *options = &leader->options;
    kin__election_options election = {
        .identity = kin_str_of(leader->identity),
        .lease_ms = options->lease_ms,
        .renew_ms = options->renew_ms,
        .retry_ms = options->retry_ms,
        .keeps_on_stop = options->keep_on_stop,
        .seed = leader->parts.seed,
    };

    kin__election_init(&leader->election, &election);
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Names as in component-base, metrics/prometheus/clientgo/leaderelection.  The texts are ours. */
static kin_err make_metrics(kin_leader *leader, kin_error *err)
{
    kin_metrics *registry = leader->options.metrics;
    kin__label label = { "name", leader->name };
    kin__registrar r = { .registry = registry, .labels = &label, .label_count = 1, .err = err };

    kin__registrar_add_gauge(&r, &leader->status_gauge, KIN__UNIT_ONE,
                             "leader_election_master_status",
                             "1 while this process leads, else 0.");
    kin__registrar_add_counter(&r, &leader->slow_counter, "leader_election_slowpath_total",
                               "Renewals for which the Lease had to be read first.");
    if (r.code == KIN_OK && registry != NULL) {
        kin__refresher_init(&leader->refresher, registry, show_status, leader);
    }
    return r.code;
}

/* It ends by the clock alone: whoever reads the numbers looks at it. */
static void show_status(void *context)
{
    kin_leader *leader = context;
    int64_t status = kin_leader_is_leading(leader) ? 1 : 0;

    kin__gauge_add(&leader->status_gauge, status - leader->status_shown);
    leader->status_shown = status;
}

static uint64_t new_seed(void)
{
    static _Atomic uint64_t count;
    uint64_t number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);

    return kin__hash(&number, sizeof number, kin__hash_seed() + 1);
}
