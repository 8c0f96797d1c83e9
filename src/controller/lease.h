/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller/lease.h - who holds a Lease and since when: its spec, read and written.
 *
 * coordination.k8s.io/v1.  Everything else that is in the object is left as it was read, known or
 * not.
 *
 * Threading: pure functions.
 */
#ifndef KIN_CONTROLLER_LEASE_H
#define KIN_CONTROLLER_LEASE_H

#include "kin/object.h"

#define KIN__LEASE_HOLDER_MAX 255 /* bytes of a name that are kept */

/* The holder's name.  A longer one is cut, and told from others of the same beginning by its length
 * and hash. */
typedef struct kin__lease_holder {
    size_t len; /* 0: nobody */
    uint64_t hash;
    char name[KIN__LEASE_HOLDER_MAX + 1]; /* terminated */
} kin__lease_holder;

typedef struct kin__lease_record {
    kin__lease_holder holder;
    int64_t duration_s;  /* 0: the Lease does not say */
    int64_t transitions; /* how often it has changed hands */
    kin_time acquired;   /* both by the holder's clock; all zero: the Lease does not say */
    kin_time renewed;
} kin__lease_record;

kin__lease_holder kin__lease_holder_of(kin_str name);
bool kin__lease_holder_equal(const kin__lease_holder *a, const kin__lease_holder *b);

/* Whether nothing was written in between: a holder that renews writes another time. */
bool kin__lease_record_equal(const kin__lease_record *a, const kin__lease_record *b);

/* Absent and null fields are zero.  Fails with MALFORMED (which field; a number that the API does
 * not allow is one), NO_MEMORY. */
kin_err kin__lease_read(const kin_object *lease, kin__lease_record *out,
                        kin_error *err) KIN_MUST_CHECK;

/* A Lease that does not exist yet.  `out` is shared.  Fails with NO_MEMORY, MALFORMED (a name that
 * is no UTF-8). */
kin_err kin__lease_make(const char *ns, const char *name, const kin__lease_record *record,
                        kin_object **out, kin_error *err) KIN_MUST_CHECK;

/* `lease` with this record in it; its version too, so that the server refuses it when another has
 * written meanwhile.  `out` is shared.  Fails with NO_MEMORY, and as kin_edit_set_str(). */
kin_err kin__lease_write(const kin_object *lease, const kin__lease_record *record, kin_object **out,
                         kin_error *err) KIN_MUST_CHECK;

#endif /* KIN_CONTROLLER_LEASE_H */
