/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_watch.c - a reflector on the API client.
 *
 * The reflector is made when the resource is known, because the encoding that its objects come in
 * decides how the first state is fetched; it then stays for the driver's life, over stops and
 * starts.
 */
#include "informer/list_watch.h"

#include "api/target.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/kept_error.h"
#include "cache/failure.h"

#define AWAY_CAP_MS 1500 /* as the reflector's */

struct kin__list_watch {
    kin__list_watch_options options;
    kin__reflector *reflector; /* NULL: the resource is not known yet */
    kin__timer timer; /* the reflector's wait, or that until the resource is asked for again */
    kin__job job;     /* in the timer's stead, when there is no memory for that */
    bool is_started;
    bool has_stopped;

    /* Finding out what the resource is. */
    kin__directory_wait question;
    const kin_resource *resource; /* shared */
    bool is_doubtful;             /* the server has said 404 of it */
    kin__backoff away;
    kin__backoff refused;
    kin_informer_state state; /* while there is no reflector */
    kin__kept_error error;
    int64_t error_at; /* -1: never */
    uint64_t failures;

    /* The call under way. */
    kin_call *call;    /* NULL: none is */
    kin__action later; /* what is to be called when the resource was asked for anew */
    bool is_open;
    bool is_watch;
    int64_t called_at;
    int64_t opened_at;
    int64_t heard_at;
};

static void resolve(kin__list_watch *d);
static void on_resource(kin__directory_wait *question, const kin_resource *resource,
                        const kin_error *err);
static kin_err begin(kin__list_watch *d, const kin_resource *resource, kin_error *err);
static void rest(kin__list_watch *d, const kin_error *err);
static kin_informer_state state_of_error(const kin_error *err);
static void follow(kin__list_watch *d);
static void wait_until(kin__list_watch *d, int64_t due_ms);
static void on_timer(kin__timer *timer, void *context);
static void on_job(kin__job *job, void *context);
static void look_again(kin__list_watch *d);
static kin_request request_of_list(const kin__list_watch *d, const kin__list_ask *ask);
static kin_request request_of_watch(const kin__list_watch *d, const kin__watch_ask *ask);
static void call(kin__list_watch *d, const kin__action *action);
static void make_call(kin__list_watch *d, const kin__action *action);
static void ask_anew(kin__list_watch *d, const kin__action *action);
static void on_resource_anew(kin__list_watch *d, const kin_resource *resource,
                             const kin_error *err);
static void cancel(kin__list_watch *d);
static kin_object *on_known(void *context, kin_str ns, kin_str name, kin_str uid,
                            kin_str resource_version);
static bool on_object(void *context, kin_object *object);
static bool on_event(void *context, const kin_event *event);
static bool on_open(void *context);
static void on_done(void *context, const kin_reply *reply, const kin_error *err);
static kin_informer_state state_of_reflector(kin__reflector_state state);
static int64_t now_of(const kin__list_watch *d);
static void tell_changed(const kin__list_watch *d);

kin_err kin__list_watch_new(const kin__list_watch_options *options, kin__list_watch **out,
                            kin_error *err)
{
    kin__list_watch *d = kin__alloc_zero(1, sizeof *d);

    if (d == NULL) {
        return kin__error_no_memory(err);
    }
    kin__backoff_options away = options->reflector.away;
    away.cap_ms = away.cap_ms != 0 ? away.cap_ms : AWAY_CAP_MS;
    d->options = *options;
    d->timer.fire = on_timer;
    d->timer.context = d;
    d->job = (kin__job){ .run = on_job, .context = d };
    d->question.tell = on_resource;
    d->question.name = options->request->resource;
    d->has_stopped = true;
    d->state = KIN_INFORMER_NEW;
    d->error_at = d->heard_at = -1;
    kin__backoff_init(&d->away, &away, options->reflector.seed + 3);
    kin__backoff_init(&d->refused, &options->reflector.refused, options->reflector.seed + 4);
    *out = d;
    return KIN_OK;
}

void kin__list_watch_free(kin__list_watch *driver)
{
    if (driver == NULL) {
        return;
    }
    kin__timer_clear(driver->options.loop, &driver->timer);
    (void) kin__loop_cancel_job(driver->options.loop, &driver->job);
    kin__directory_stop(&driver->question);
    kin__reflector_free(driver->reflector);
    kin__kept_error_clear(&driver->error);
    kin_resource_unref(driver->resource);
    kin__free(driver);
}

void kin__list_watch_start(kin__list_watch *driver)
{
    if (driver->is_started) {
        return;
    }
    driver->is_started = true;
    driver->has_stopped = false;
    if (driver->reflector != NULL) {
        kin__reflector_start(driver->reflector, now_of(driver));
        follow(driver);
    } else {
        resolve(driver);
    }
}

void kin__list_watch_stop(kin__list_watch *driver)
{
    if (!driver->is_started) {
        return;
    }
    driver->is_started = false;
    if (driver->reflector != NULL) {
        kin__reflector_stop(driver->reflector, now_of(driver));
        follow(driver);
        return;
    }
    kin__directory_stop(&driver->question);
    kin__timer_clear(driver->options.loop, &driver->timer);
    driver->has_stopped = true;
    tell_changed(driver);
}

bool kin__list_watch_has_stopped(const kin__list_watch *driver)
{
    return driver->has_stopped;
}

const kin_resource *kin__list_watch_resource(const kin__list_watch *driver)
{
    return driver->resource;
}

kin__list_watch_status kin__list_watch_look(const kin__list_watch *driver)
{
    kin__list_watch_status status = {
        .state = driver->has_stopped && driver->state != KIN_INFORMER_NEW ? KIN_INFORMER_STOPPED
                                                                          : driver->state,
        .error = kin__kept_error_get(&driver->error),
        .error_at_ms = driver->error_at,
        .heard_at_ms = driver->is_open ? driver->heard_at : -1,
        .opened_at_ms = driver->is_open ? driver->opened_at : -1,
        .failures = driver->failures,
    };

    if (driver->reflector != NULL) {
        status.reflector = kin__reflector_look(driver->reflector);
        status.state = state_of_reflector(status.reflector.state);
        status.failures += status.reflector.failures;
        if (status.reflector.error != NULL) {
            status.error = status.reflector.error;
            status.error_at_ms = status.reflector.error_at_ms;
        }
    }
    return status;
}

/* ---- what the resource is ------------------------------------------------------------------- */

/* A state that an attempt met shows until one works. */
static void resolve(kin__list_watch *d)
{
    if (d->state == KIN_INFORMER_NEW) {
        d->state = KIN_INFORMER_RESOLVING;
    }
    if (d->options.request->of != NULL) {
        on_resource(&d->question, d->options.request->of, NULL);
    } else {
        d->options.caller.resolve(d->options.caller.context, &d->question);
    }
    tell_changed(d);
}

static void on_resource(kin__directory_wait *question, const kin_resource *resource,
                        const kin_error *err)
{
    kin__list_watch *d = KIN__OWNER(question, kin__list_watch, question);
    kin_error mine;

    if (d->reflector != NULL) {
        on_resource_anew(d, resource, err);
    } else if (resource == NULL) {
        rest(d, err);
    } else if (begin(d, resource, &mine) != KIN_OK) {
        rest(d, &mine);
    } else {
        kin__reflector_start(d->reflector, now_of(d));
        follow(d);
    }
}

static kin_err begin(kin__list_watch *d, const kin_resource *resource, kin_error *err)
{
    kin__reflector_options options = d->options.reflector;

    if (d->options.needs_namespaces && !kin_resource_is_namespaced(resource)) {
        return kin__error_set(err, KIN_ERR_USAGE,
                              "follow %s in several namespaces: it has no namespaces",
                              kin_resource_name(resource));
    }
    if (kin__target_wants_protobuf(d->options.request, resource, &options.is_protobuf, err) !=
            KIN_OK ||
        kin__reflector_new(&options, &d->reflector, err) != KIN_OK) {
        return err->code;
    }
    d->resource = kin_resource_ref(resource);
    return KIN_OK;
}

static void rest(kin__list_watch *d, const kin_error *err)
{
    const kin__reflector_sink *sink = &d->options.reflector.sink;
    int64_t now = now_of(d);
    kin__failure kind = kin__failure_of(err, NULL);
    kin__backoff *backoff =
        kind == KIN__FAILURE_AWAY || kind == KIN__FAILURE_LOCAL ? &d->away : &d->refused;
    uint32_t wait_ms = err->retry_after_ms != 0 ? kin__backoff_asked(backoff, err->retry_after_ms)
                                                : kin__backoff_failed(backoff, now);

    kin__kept_error_set(&d->error, err);
    d->error_at = now;
    d->failures++;
    d->state = state_of_error(err);
    wait_until(d, now + wait_ms);
    if (sink->trouble != NULL) {
        kin__reflector_trouble trouble = { err, KIN__REFLECTOR_LISTING, false, now + wait_ms };
        sink->trouble(sink->context, &trouble);
    }
    tell_changed(d);
}

static kin_informer_state state_of_error(const kin_error *err)
{
    switch (err->code) {
    case KIN_ERR_NOT_FOUND:
        return KIN_INFORMER_NOT_FOUND;
    case KIN_ERR_UNAUTHORIZED:
        return KIN_INFORMER_UNAUTHORIZED;
    case KIN_ERR_FORBIDDEN:
        return KIN_INFORMER_FORBIDDEN;
    default:
        return kin__failure_of(err, NULL) == KIN__FAILURE_AWAY ? KIN_INFORMER_UNREACHABLE
                                                               : KIN_INFORMER_FAILING;
    }
}

/* ---- what the reflector wants --------------------------------------------------------------- */

static void follow(kin__list_watch *d)
{
    for (;;) {
        kin__action action = kin__reflector_next(d->reflector, now_of(d));

        switch (action.type) {
        case KIN__ACTION_LIST:
        case KIN__ACTION_WATCH:
            call(d, &action);
            break;
        case KIN__ACTION_CANCEL:
            cancel(d);
            break;
        case KIN__ACTION_WAIT:
            wait_until(d, action.until_ms);
            tell_changed(d);
            return;
        case KIN__ACTION_STOPPED:
            kin__timer_clear(d->options.loop, &d->timer);
            d->has_stopped = true;
            tell_changed(d);
            return;
        }
    }
}

static void wait_until(kin__list_watch *d, int64_t due_ms)
{
    kin_error err;

    if (due_ms == KIN__NEVER) {
        kin__timer_clear(d->options.loop, &d->timer);
    } else if (kin__timer_set(d->options.loop, &d->timer, due_ms, &err) != KIN_OK) {
        kin__loop_post_job(d->options.loop, &d->job);
    }
}

static void on_timer(kin__timer *timer, void *context)
{
    (void) timer;
    look_again(context);
}

static void on_job(kin__job *job, void *context)
{
    (void) job;
    look_again(context);
}

static void look_again(kin__list_watch *d)
{
    if (d->has_stopped) {
        return;
    }
    if (d->reflector != NULL) {
        follow(d);
    } else if (!kin__link_is_on(&d->question.link)) {
        resolve(d);
    }
}

/* ---- calls ---------------------------------------------------------------------------------- */

static kin_request request_of_list(const kin__list_watch *d, const kin__list_ask *ask)
{
    kin_request request = *d->options.request;

    request.verb = KIN_VERB_LIST;
    request.resource_version = ask->resource_version;
    request.resource_version_match = ask->match;
    request.continue_token = ask->continue_token;
    request.limit = ask->limit;
    request.one_page = true;
    return request;
}

static kin_request request_of_watch(const kin__list_watch *d, const kin__watch_ask *ask)
{
    kin_request request = *d->options.request;

    request.verb = KIN_VERB_WATCH;
    request.resource_version = ask->resource_version;
    request.resource_version_match = ask->match;
    request.timeout_seconds = ask->timeout_seconds;
    request.initial_events = ask->initial_events ? 1 : 0;
    request.idle_ms = ask->idle_ms;
    return request;
}

static void call(kin__list_watch *d, const kin__action *action)
{
    if (d->is_doubtful) {
        ask_anew(d, action);
    } else {
        make_call(d, action);
    }
}

/* What fails at once is told as any other end. */
static void make_call(kin__list_watch *d, const kin__action *action)
{
    bool is_watch = action->type == KIN__ACTION_WATCH;
    kin_request request =
        is_watch ? request_of_watch(d, &action->watch) : request_of_list(d, &action->list);
    kin_handler handler = { sizeof handler, d, on_object, on_event, on_open, on_done };
    bool asks_known = !action->list.is_probe && d->options.known != NULL &&
                      kin__reflector_look(d->reflector).replaces != 0;
    kin__call_options options = { .known = asks_known ? on_known : NULL, .no_retry = true };
    kin_error err;

    request.resource = NULL;
    request.of = d->resource;
    d->is_watch = is_watch;
    d->called_at = now_of(d);
    if (d->options.caller.start(d->options.caller.context, &request, &handler, &options, &d->call,
                                &err) != KIN_OK) {
        kin__reflector_end(d->reflector, &(kin__call_end){ .error = &err }, now_of(d));
    }
}

/* The strings of the action are the reflector's until its next input, which is the end of this
 * call. */
static void ask_anew(kin__list_watch *d, const kin__action *action)
{
    d->later = *action;
    d->question.needs_fresh = true;
    d->options.caller.resolve(d->options.caller.context, &d->question);
}

static void on_resource_anew(kin__list_watch *d, const kin_resource *resource, const kin_error *err)
{
    if (resource == NULL) {
        kin__reflector_end(d->reflector, &(kin__call_end){ .error = err }, now_of(d));
    } else {
        kin_resource_unref(d->resource);
        d->resource = kin_resource_ref(resource);
        d->is_doubtful = false;
        make_call(d, &d->later);
    }
    follow(d);
}

static void cancel(kin__list_watch *d)
{
    kin_error err;

    if (d->call != NULL) {
        d->options.caller.cancel(d->call);
        return;
    }
    kin__directory_stop(&d->question);
    kin__error_set(&err, KIN_ERR_CANCELLED, "cancelled");
    kin__reflector_end(d->reflector, &(kin__call_end){ .error = &err }, now_of(d));
}

static kin_object *on_known(void *context, kin_str ns, kin_str name, kin_str uid,
                            kin_str resource_version)
{
    const kin__list_watch *d = context;

    return d->options.known(d->options.context, ns, name, uid, resource_version);
}

static bool on_object(void *context, kin_object *object)
{
    kin__list_watch *d = context;

    kin__reflector_object(d->reflector, object, now_of(d));
    return true;
}

static bool on_event(void *context, const kin_event *event)
{
    kin__list_watch *d = context;

    d->heard_at = now_of(d);
    kin__reflector_event(d->reflector, event, now_of(d));
    follow(d);
    return true;
}

static bool on_open(void *context)
{
    kin__list_watch *d = context;

    d->heard_at = d->opened_at = now_of(d);
    d->is_open = true;
    kin__reflector_opened(d->reflector, now_of(d));
    follow(d);
    return true;
}

static void on_done(void *context, const kin_reply *reply, const kin_error *err)
{
    kin__list_watch *d = context;
    kin__call_end end = {
        .error = err,
        .cause = reply->cause,
        .resource_version = reply->resource_version,
        .continue_token = reply->continue_token,
    };

    d->options.caller.release(d->call);
    d->call = NULL;
    d->is_open = false;
    if (d->options.ended != NULL) {
        d->options.ended(d->options.context, d->is_watch, now_of(d) - d->called_at);
    }
    d->is_doubtful = err != NULL && err->code == KIN_ERR_NOT_FOUND && d->question.name != NULL;
    kin__reflector_end(d->reflector, &end, now_of(d));
    follow(d);
}

/* ---- small things --------------------------------------------------------------------------- */

static kin_informer_state state_of_reflector(kin__reflector_state state)
{
    switch (state) {
    case KIN__REFLECTOR_NEW:
    case KIN__REFLECTOR_LISTING:
    case KIN__REFLECTOR_STREAMING:
        return KIN_INFORMER_LISTING;
    case KIN__REFLECTOR_WATCHING:
    case KIN__REFLECTOR_RESUMING:
        return KIN_INFORMER_WATCHING;
    case KIN__REFLECTOR_UNREACHABLE:
        return KIN_INFORMER_UNREACHABLE;
    case KIN__REFLECTOR_UNAUTHORIZED:
        return KIN_INFORMER_UNAUTHORIZED;
    case KIN__REFLECTOR_FORBIDDEN:
        return KIN_INFORMER_FORBIDDEN;
    case KIN__REFLECTOR_NOT_FOUND:
        return KIN_INFORMER_NOT_FOUND;
    case KIN__REFLECTOR_STOPPED:
        return KIN_INFORMER_STOPPED;
    default:
        return KIN_INFORMER_FAILING;
    }
}

static int64_t now_of(const kin__list_watch *d)
{
    return kin__loop_now_ms(d->options.loop);
}

static void tell_changed(const kin__list_watch *d)
{
    if (d->options.changed != NULL) {
        d->options.changed(d->options.context);
    }
}
