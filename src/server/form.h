/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/form.h - the form of an answer: its encoding, its shape, and how it is laid out.
 *
 * YAML and CBOR are not served: to this server they are media types like any unknown one.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_FORM_H
#define KIN_SERVER_FORM_H

#include "server/accept.h"
#include "server/params.h"
#include "server/served.h"

typedef enum kin__form_shape {
    KIN__SHAPE_PLAIN,
    KIN__SHAPE_PARTIAL,      /* as=PartialObjectMetadata */
    KIN__SHAPE_PARTIAL_LIST, /* as=PartialObjectMetadataList */
    KIN__SHAPE_TABLE
} kin__form_shape;

typedef struct kin__form {
    kin__form_encoding encoding;
    kin__form_shape shape;
    bool is_v1beta1; /* of meta.k8s.io: Tables may be asked for as such */
    bool is_pretty;  /* indented, and no newline at the end */
    bool wants_gzip;
} kin__form;

/*
 * From Accept (all of its lines joined by commas; empty: none), Accept-Encoding, User-Agent and
 * pretty=.  False with 406.  `served` NULL for paths: then nothing is refused, the shape is plain,
 * and what is asked for in vain is JSON, because what can be had differs from path to path.
 *
 * That a list was asked for as PartialObjectMetadata, or an object as the list, is not refused
 * here: a real server sees that only when it has the answer.
 */
bool kin__form_choose(const kin__served *served, kin__deed deed, kin_str accept,
                      kin_str accept_encoding, kin_str user_agent, const kin__params *params,
                      kin__form *out, kin__refusal *no);

/*
 * The form of a refusal's Status, for the same headers; `pretty` is the parameter's.  A Status is
 * never transformed: where Accept lists nothing but transformed or unknown media types, it is JSON
 * and indented, whatever else was said.  Protobuf may be said to be pretty, and never is.
 */
kin__form kin__form_of_refusal(kin_str accept, kin_str user_agent, kin__tristate pretty);

/*
 * False where a list is asked for as PartialObjectMetadata, or an object as a list of them.
 *
 * is_list  what the answer is
 */
bool kin__form_check_shape(const kin__form *form, const kin__served *served, bool is_list,
                           kin__refusal *no);

/* 406 "only the following media types are accepted: ..."; and the router's, which lists `types`. */
bool kin__refuse_media(kin__refusal *no);
bool kin__refuse_media_of(kin__refusal *no, const char *types);

/* What a real server has, in its messages. */
#define KIN__MEDIA_ALL "application/json, application/yaml, application/vnd.kubernetes.protobuf"

#endif /* KIN_SERVER_FORM_H */
