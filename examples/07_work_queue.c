/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 07_work_queue.c - a controller's work queue, without a cluster.
 *
 * A handler says which objects have changed; workers bring each to where it should be.  Here the
 * changes are made up, one worker is this thread, and then two others work until all is done.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kin/queue.h"

static void fail(const kin_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* ---- the handler: what an informer would call -------------------------------------------------
 */

static void changed(void *context, const kin_notification *n)
{
    kin_queue *queue = context;
    kin_error err;

    if (kin_queue_add_notification(queue, n, &err) != KIN_OK) {
        fail(&err);
    }
}

static void tell(kin_queue *queue, const char *key, bool is_initial)
{
    kin_notification n = {
        KIN_NOTIFICATION_ADDED, { NULL, 0 }, NULL, NULL, is_initial, false, false
    };

    n.key = kin_str_of(key);
    changed(queue, &n);
}

/* ---- the worker -------------------------------------------------------------------------------
 */

/* The database is slow to come up: it works the third time. */
static bool reconcile(const kin_queue_item *item)
{
    bool is_right = !kin_str_equal(item->key, kin_str_of("shop/database")) || item->failures == 2;

    printf("%.*s: %s\n", KIN_STR_ARG(item->key), is_right ? "done" : "failed");
    return is_right;
}

/* Takes `count` keys, those that come again included. */
static void work(kin_queue *queue, int count)
{
    kin_queue_item item;
    kin_error err;

    for (int i = 0; i < count; i++) {
        if (kin_queue_take(queue, NULL, 10000, &item, &err) != KIN_OK) {
            fail(&err);
        }
        if (reconcile(&item)) {
            kin_queue_forget(queue, item.key);
            kin_queue_done(queue, &item);
        } else {
            kin_queue_retry(queue, &item);
        }
    }
}

/* Works until the queue is shut down. */
static void *work_to_the_end(void *context)
{
    kin_queue *queue = context;
    kin_queue_item item;

    while (kin_queue_take(queue, NULL, -1, &item, NULL) == KIN_OK) {
        kin_queue_done(queue, &item);
    }
    return NULL;
}

int main(void)
{
    kin_queue *queue = NULL;
    kin_queue_options options = KIN_QUEUE_OPTIONS_INIT;
    kin_queue_status status = KIN_QUEUE_STATUS_INIT;
    pthread_t workers[2];
    kin_error err;

    options.name = "shop";
    if (kin_queue_new(&options, &queue, &err) != KIN_OK) {
        fail(&err);
    }

    /* What is there already; then two changes, one of them twice.  They go first. */
    tell(queue, "shop/web", true);
    tell(queue, "shop/cache", true);
    tell(queue, "shop/database", false);
    tell(queue, "shop/web", false);
    tell(queue, "shop/web", false);
    printf("%zu keys wait\n", kin_queue_length(queue));
    work(queue, 5);

    /* Many keys, two workers, and an end when all of it is done. */
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&workers[i], NULL, work_to_the_end, queue) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 1000; i++) {
        char key[32];
        snprintf(key, sizeof key, "shop/web-%d", i);
        tell(queue, key, false);
    }
    if (kin_queue_drain(queue, 10000, &err) != KIN_OK ||
        kin_queue_get_status(queue, &status, &err) != KIN_OK) {
        fail(&err);
    }
    printf("%d keys were taken, %zu are left\n", (int) status.taken, status.held);

    for (int i = 0; i < 2; i++) {
        pthread_join(workers[i], NULL);
    }
    kin_queue_free(queue);
    return 0;
}
