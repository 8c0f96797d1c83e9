/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/accept.h - the header Accept, read as the API server reads it.
 *
 * Clauses are ordered by quality, and for each the media types of the server are tried in their
 * order: JSON, then protobuf (apiserver's NegotiateMediaTypeOptions; goautoneg for the order).
 * Types are compared with their case.  A quality of 0 refuses nothing.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_ACCEPT_H
#define KIN_SERVER_ACCEPT_H

#include "kin/common.h"

#define KIN__MEDIA_JSON "application/json"
#define KIN__MEDIA_PROTOBUF "application/vnd.kubernetes.protobuf"

typedef enum kin__form_encoding { KIN__FORM_JSON, KIN__FORM_PROTO } kin__form_encoding;

/* What a clause wants; texts lie in the header. */
typedef struct kin__wish {
    bool has_convert; /* as, g or v was given */
    kin_str as, group, version;
    kin_str stream;
    kin_str server_version; /* sv */
    kin_str profile;
    bool is_pretty;
} kin__wish;

/* Whether the endpoint can do that in that encoding. */
typedef bool (*kin__accept_fn)(const void *context, kin__form_encoding encoding,
                               const kin__wish *wish);

/* The first wish that `allows` agrees to; without a header that is plain JSON, and it is not asked.
 * False when there is none. */
bool kin__accept_negotiate(kin_str accept, kin__accept_fn allows, const void *context,
                           kin__form_encoding *out_encoding, kin__wish *out);

/* What holds for every answer that is no object of a resource, errors above all: no conversion, no
 * other stream than a watch. */
bool kin__accept_plain(const void *context, kin__form_encoding encoding, const kin__wish *wish);

/* Whether one of the media types in the header, parameters aside, stands for all of them or is one
 * of `types`, which ends with NULL: what the server's router asks for before anything else.  An
 * absent header names them all. */
bool kin__accept_names(kin_str accept, const char *const *types);

/* The index of the type among `types`, which ends with NULL, that the header names first, whatever
 * its quality; their number when it names none.  An absent header names the first of them. */
size_t kin__accept_first(kin_str accept, const char *const *types);

#endif /* KIN_SERVER_ACCEPT_H */
