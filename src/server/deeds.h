/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/deeds.h - what requests do, in the words of authorization.
 */
#ifndef KIN_SERVER_DEEDS_H
#define KIN_SERVER_DEEDS_H

typedef enum kin__deed {
    KIN__DEED_PATH, /* no resource: "/version", "/healthz", discovery */
    KIN__DEED_GET,
    KIN__DEED_LIST,
    KIN__DEED_WATCH,
    KIN__DEED_CREATE,
    KIN__DEED_UPDATE,
    KIN__DEED_PATCH,
    KIN__DEED_DELETE,
    KIN__DEED_DELETE_COLLECTION,
    KIN__DEED_NONE /* a method that is none of these */
} kin__deed;

const char *kin__deed_name(kin__deed deed); /* "deletecollection"; "" for the others */

#endif /* KIN_SERVER_DEEDS_H */
