/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/events.h - tells people what a program did: Event objects.
 *
 * What "kubectl describe" shows below an object.  To record one takes no time: it is written to the
 * server in the background, and nobody waits for it.
 *
 *     kin_recorder_options options = KIN_RECORDER_OPTIONS_INIT;
 *     options.controller = "example.com/foo";
 *     kin_recorder_new(client, &options, &recorder, &err);
 *     kin_recorder_tell(recorder, foo, NULL, KIN_SEVERITY_NORMAL, "Created", "CreateDeployment",
 *                       "created deployment %s", name);
 *
 * What it promises
 *   - The same told again makes a series of the first (its count and when it was last seen), as
 *     events.k8s.io/v1 has it, not another object.  The same is what differs in its note alone;
 *     that of the first stays, because servers do not let it be changed.
 *   - Of one object `burst` are written at once, and then one each `refill_ms`.  What is new and
 *     too much is counted and dropped; what is told again is counted to its series, which is
 *     written when it may be.  Memory is bounded: so many objects and series are remembered
 *     (4,096), so many events wait.
 *   - In order for each series; what fails for want of a connection is tried again, 12 times and 10
 *     seconds or so apart.  An event that the server has forgotten meanwhile is made anew.
 *   - Nothing that happens here is an error of the program: see the status.
 *
 * Threading: thread-safe, but for kin_recorder_free().  Telling never waits, and is allowed
 * everywhere, in handlers and on the loop too.
 */
#ifndef KIN_EVENTS_H
#define KIN_EVENTS_H

#include "kin/client.h"

KIN_BEGIN_DECLS

typedef struct kin_recorder kin_recorder;

typedef enum kin_severity { KIN_SEVERITY_NORMAL = 0, KIN_SEVERITY_WARNING = 1 } kin_severity;

/* Zero means absent or the default for every field.  Strings are copied. */
typedef struct kin_recorder_options {
    size_t size;            /* set by KIN_RECORDER_OPTIONS_INIT */
    const char *controller; /* "example.com/foo-controller": who reports, formed as the key of a
                               label; needed */
    const char *instance;   /* which one of them, up to 128 bytes; NULL: the controller and the host
                               name */
    uint32_t burst;         /* of one object; 0: 25 */
    uint32_t refill_ms;     /* of one object; 0: 300,000 */
    uint32_t series_ms;     /* how long after the last one a repetition counts to its series; 0:
                               360,000 */
    uint32_t waiting;       /* events at most that are not written yet; 0: 1,000 */
    kin_logger logger;      /* copied; without one, the client's */
    kin_metrics *metrics;   /* NULL: nothing is counted */
} kin_recorder_options;

#define KIN_RECORDER_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(kin_recorder_options), NULL, NULL, 0, 0, 0, 0, KIN_LOGGER_INIT, NULL                \
    }

/* `client` is borrowed until the recorder is freed; `out` is owned by the caller; release with
 * kin_recorder_free().  Fails with USAGE (which option), NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_recorder_new(kin_client *client,
                                                const kin_recorder_options *options,
                                                kin_recorder **out, kin_error *err);

/* What is not written yet is dropped: kin_recorder_flush() comes before, if that matters.  From
 * where waiting is not allowed it is freed when that has returned.  NULL is ignored. */
KIN_API void kin_recorder_free(kin_recorder *recorder);

/*
 * Tells that something happened.
 *
 * regarding  what the event is about; its apiVersion, kind, namespace, name and uid are taken
 * related    something else it has to do with; NULL: nothing
 * reason     why, in one word for machines: "Created", "FailedMount"; not empty
 * action     what was done or failed, in one word: "CreateDeployment"; not empty
 * format     for people, as printf has it
 *
 * The first two are cut at 128 bytes and the last at 1,024, at the border of a character: a server
 * takes no more.  What makes no event (no object, an empty word, names of more than 4 KB) is
 * dropped.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 7, 8)))
#endif
KIN_API void
kin_recorder_tell(kin_recorder *recorder, const kin_object *regarding, const kin_object *related,
                  kin_severity severity, const char *reason, const char *action, const char *format,
                  ...);

/* Waits until all that was told before is written or dropped; series that wait until they may be
 * written are written at once.  Fails with TIMEOUT (below 0: no deadline), USAGE (on a loop, in a
 * handler), NO_MEMORY. */
KIN_API KIN_MUST_CHECK kin_err kin_recorder_flush(kin_recorder *recorder, int64_t deadline_ms,
                                                  kin_error *err);

typedef struct kin_recorder_status {
    size_t size;       /* set by KIN_RECORDER_STATUS_INIT */
    uint64_t told;     /* all together */
    uint64_t created;  /* Event objects that were made ... */
    uint64_t repeated; /* ... and series that were written on */
    uint64_t merged;   /* told again before the last was written: counted, not sent */
    uint64_t limited;  /* dropped because the object had too many */
    uint64_t dropped;  /* dropped because too many waited, the server refused them or was not there
                          for too long, there was no memory, or they make no event */
    size_t waiting;
    kin_error error; /* the last; code KIN_OK: none */
} kin_recorder_status;

#define KIN_RECORDER_STATUS_INIT                                                                   \
    {                                                                                              \
        sizeof(kin_recorder_status), 0, 0, 0, 0, 0, 0, 0,                                          \
        {                                                                                          \
            KIN_OK, 0, 0, "", ""                                                                   \
        }                                                                                          \
    }

/* Fails with USAGE when `out` is not initialised. */
KIN_API KIN_MUST_CHECK kin_err kin_recorder_get_status(const kin_recorder *recorder,
                                                       kin_recorder_status *out, kin_error *err);

KIN_END_DECLS
#endif /* KIN_EVENTS_H */
