/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/recorder.h - what a recorder is made of.
 *
 * Whoever tells something locks, writes it into the book and posts a job.  On the loop the job
 * takes what is to be written out of the book, a few at a time, and sends it.
 */
#ifndef KIN_CONTROLLER_RECORDER_H
#define KIN_CONTROLLER_RECORDER_H

#include "api/client.h"
#include "base/lock.h"
#include "controller/book.h"
#include "controller/recorder_metrics.h"

#define KIN__RECORDER_CALLS 8 /* at once; client-go has as many workers */

/* Something on its way to the server. */
typedef struct kin__recorder_call {
    kin_recorder *recorder;
    kin__event_series *series; /* SENT; NULL: none */
    kin_call *call;            /* owned; NULL: it has not begun */
} kin__recorder_call;

/* Somebody who waits until all is written, on the stack of a thread. */
typedef struct kin__recorder_flush {
    kin__link link;
    kin_recorder *recorder;
    int64_t deadline_ms; /* from the beginning; below 0: none */
    uint64_t ticket;     /* of the book */
    kin__job job;
    kin__timer timer;
    kin_error error;
    _Atomic bool is_done;
} kin__recorder_flush;

struct kin_recorder {
    kin_client *client; /* borrowed */
    kin_loop *loop;     /* the client's */
    kin_resource *events;
    kin_logger logger;
    char *controller;
    char *instance;

    kin__mutex lock;
    kin__book book GUARDED_BY(lock);
    kin_recorder_status status GUARDED_BY(lock); /* but for `waiting`, which is the book's */
    kin__recorder_metrics metrics GUARDED_BY(lock);

    kin__job work_job;

    /* On the loop. */
    kin__recorder_call calls[KIN__RECORDER_CALLS];
    size_t call_count;
    int64_t resume_ms;  /* nothing is sent before: the last one found no server */
    uint64_t random;    /* state of cache/jitter.h */
    bool is_in_trouble; /* the last one was dropped, and that was logged */
    kin__timer timer;
    kin__list flushes;
    bool is_closing;

    kin__job close_job;
    bool is_left;           /* nobody waits for its end */
    _Atomic bool is_closed; /* nothing of it is on the loop any more */
};

/* ---- on the loop (recorder_send.c) ----------------------------------------------------------- */

void kin__recorder_on_work(kin__job *job, void *context);
void kin__recorder_on_timer(kin__timer *timer, void *context);
void kin__recorder_on_flush(kin__job *job, void *context);

/* Ends all of it; sets is_closed, or releases the recorder when nobody waits for that. */
void kin__recorder_on_close(kin__job *job, void *context);

/* Memory, and nothing else. */
void kin__recorder_release(kin_recorder *recorder);

#endif /* KIN_CONTROLLER_RECORDER_H */
