/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expectations.h - what was sent for a ReplicaSet and has not been seen yet.
 *
 * Pods that are being made, by their names, and pods that are being removed, by their uids.  Each
 * is expected before the request goes out, and not any more when the watch has shown it or the
 * server has refused it.  While anything is expected the number of pods that the store shows is not
 * the number there is, and nothing may be concluded from it.  What never comes is expected for five
 * minutes, counted from the last thing that was sent.
 *
 * A creation whose answer was lost is in doubt: the server can be asked for it by its name.
 *
 * (kube-controller-manager: controller_utils.go.  There creations are counted.  A name is as good
 * as a count when nothing goes wrong; but another pod does not lower it, and one that is told twice
 * lowers it once.)
 *
 * Threading: thread-safe.
 */
#ifndef REPLICASET_CONTROLLER_EXPECTATIONS_H
#define REPLICASET_CONTROLLER_EXPECTATIONS_H

#include <kin/kin.h>

#define EXPECTATIONS_LAST_MS 300000

typedef struct expectations expectations;

/* A ReplicaSet.  Of the same key and another uid it is another one, of which nothing is expected.
 */
typedef struct expecting {
    kin_str key;
    kin_str uid;
} expecting;

typedef enum expected {
    EXPECTED_CREATION, /* by the pod's name */
    EXPECTED_DELETION  /* by its uid */
} expected;

/* NULL: no memory. */
expectations *expectations_new(void);

/* NULL is ignored. */
void expectations_free(expectations *e);

/* False: no memory; nothing is expected that was not before.  What was expected of another set of
 * this key is forgotten. */
bool expectations_add(expectations *e, expecting who, expected what, kin_str pod, int64_t now_ms);

/* It has been seen, or will never be.  True: it was the last that this set expected. */
bool expectations_lower(expectations *e, expecting who, expected what, kin_str pod);

/* For how long scaling has to wait if nothing more is seen; 0: it has not, for nothing is expected,
 * or has been for too long. */
int64_t expectations_left_ms(expectations *e, expecting who, int64_t now_ms);

/* All of this key: the set is gone, or waited long enough. */
void expectations_forget(expectations *e, kin_str key);

/* Whether the pod of this name was made is not known. */
void expectations_doubt(expectations *e, expecting who, kin_str name);

/* It was: expected as any other. */
void expectations_believe(expectations *e, expecting who, kin_str name);

/* One that is in doubt.  False: there is none. */
bool expectations_get_doubt(expectations *e, expecting who, char *out_name, size_t size);

#endif /* REPLICASET_CONTROLLER_EXPECTATIONS_H */
