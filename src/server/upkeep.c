/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upkeep.c - what the server does by itself.
 *
 * There is no queue: a step looks at all namespaces and definitions for what is left to do, and
 * what it does not get done is there to be found by the next one.  Where memory runs out, a step
 * ends, and the next write that concerns it wakes it again.
 */
#include "server/upkeep.h"

#include "base/alloc.h"
#include "server/definition.h"
#include "server/field.h"
#include "server/furnish.h"
#include "server/namespaces.h"

struct kin__upkeep {
    kin__engine *engine;
    kin__job job;
    bool is_waiting; /* something is to go, and finalizers hold it */
    bool is_behind;  /* a definition could not be served as it was written */
    kin__timer aging;
    uint64_t noted; /* the revision when that last fired */
};

/* kube-apiserver's --etcd-compaction-interval */
#define AGING_MS 300000

typedef bool (*tend_fn)(kin__engine *engine, kin__record *record, size_t *budget, bool *waits);

static bool serve(kin__engine *engine, kin__record *definition, size_t *budget, bool *waits);
static void run(kin__job *job, void *context);
static void age(kin__timer *timer, void *context);
static kin_err set_aging(kin__upkeep *upkeep, kin_error *err);
static bool tend(kin__engine *engine, kin_str group, kin_str resource, tend_fn fn, size_t *budget,
                 bool *waits);

kin_err kin__upkeep_new(kin__engine *engine, kin__upkeep **out, kin_error *err)
{
    kin__upkeep *upkeep = kin__alloc_zero(1, sizeof *upkeep);

    if (upkeep == NULL) {
        return kin__error_no_memory(err);
    }
    upkeep->engine = engine;
    upkeep->job.run = run;
    upkeep->job.context = upkeep;
    upkeep->aging = (kin__timer){ .fire = age, .context = upkeep };
    if (set_aging(upkeep, err) != KIN_OK) {
        kin__free(upkeep);
        return err->code;
    }
    *out = upkeep;
    return KIN_OK;
}

void kin__upkeep_free(kin__upkeep *upkeep)
{
    if (upkeep != NULL) {
        (void) kin__loop_cancel_job(upkeep->engine->loop, &upkeep->job);
        kin__timer_clear(upkeep->engine->loop, &upkeep->aging);
        kin__free(upkeep);
    }
}

void kin__upkeep_wake(kin__engine *engine)
{
    if (engine->upkeep != NULL) {
        kin__loop_post_job(engine->loop, &engine->upkeep->job);
    }
}

void kin__upkeep_removed(kin__engine *engine)
{
    if (engine->upkeep != NULL && engine->upkeep->is_waiting) {
        kin__upkeep_wake(engine);
    }
}

void kin__upkeep_definition(kin__engine *engine, kin__record *definition)
{
    bool is_served = kin__definition_serve(engine, definition);

    if (engine->upkeep != NULL && !is_served) {
        engine->upkeep->is_behind = true;
    }
    if (!is_served || !kin__definition_is_settled(definition)) {
        kin__upkeep_wake(engine);
    }
}

bool kin__upkeep_step(kin__engine *engine)
{
    size_t budget = KIN__UPKEEP_STEP;
    bool waits = false;

    if (engine->upkeep != NULL && engine->upkeep->is_behind) {
        engine->upkeep->is_behind = false;
        (void) tend(engine, STR("apiextensions.k8s.io"), STR("customresourcedefinitions"), serve,
                    &budget, &waits);
        engine->upkeep->is_behind = waits;
    }
    bool has_more = tend(engine, STR("apiextensions.k8s.io"), STR("customresourcedefinitions"),
                         kin__definition_tend, &budget, &waits);

    has_more =
        tend(engine, STR(""), STR("namespaces"), kin__namespace_tend, &budget, &waits) || has_more;
    if (engine->is_furnished) {
        (void) tend(engine, STR(""), STR("namespaces"), kin__furnish_namespace, &budget, &waits);
    }
    if (engine->upkeep != NULL) {
        engine->upkeep->is_waiting = waits;
    }
    return has_more;
}

/* A tend_fn: brings a definition into service once more. */
static bool serve(kin__engine *engine, kin__record *definition, size_t *budget, bool *waits)
{
    (void) budget;
    *waits = !kin__definition_serve(engine, definition) || *waits;
    return false;
}

static void run(kin__job *job, void *context)
{
    kin__upkeep *upkeep = context;

    (void) job;
    if (kin__upkeep_step(upkeep->engine)) {
        kin__upkeep_wake(upkeep->engine);
    }
}

/* Without memory for the timer nothing grows old any more. */
static void age(kin__timer *timer, void *context)
{
    kin__upkeep *upkeep = context;
    kin_error unwanted;

    (void) timer;
    upkeep->engine->lists_from = upkeep->noted;
    upkeep->noted = kin__storage_revision(upkeep->engine->storage);
    (void) (set_aging(upkeep, &unwanted) == KIN_OK);
}

static kin_err set_aging(kin__upkeep *upkeep, kin_error *err)
{
    kin_loop *loop = upkeep->engine->loop;

    return kin__timer_set(loop, &upkeep->aging, kin__loop_now_ms(loop) + AGING_MS, err);
}

/* Over a list of its own, because the records change meanwhile. */
static bool tend(kin__engine *engine, kin_str group, kin_str resource, tend_fn fn, size_t *budget,
                 bool *waits)
{
    kin__served *served = kin__shelf_find(engine->shelf, group, STR("v1"), resource);
    const kin__range all = { 0 };
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    bool has_more = false;
    kin_error err;

    if (served == NULL || kin__collection_count(served->collection) == 0 ||
        kin__collection_list(served->collection, &all, &listing, &err) != KIN_OK) {
        return false;
    }
    for (size_t i = 0; i<listing.count && * budget> 0; i++) {
        has_more = fn(engine, listing.records[i], budget, waits) || has_more;
    }
    return has_more || (*budget == 0 && listing.count > 0);
}
