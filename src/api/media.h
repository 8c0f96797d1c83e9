/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/media.h - what a Content-Type says.
 */
#ifndef KIN_API_MEDIA_H
#define KIN_API_MEDIA_H

#include "kin/common.h"

#define KIN__MEDIA_JSON_NAME "application/json"
#define KIN__MEDIA_PROTOBUF_NAME "application/vnd.kubernetes.protobuf"

typedef enum kin__media {
    KIN__MEDIA_NONE, /* nothing was said */
    KIN__MEDIA_JSON,
    KIN__MEDIA_PROTOBUF,
    KIN__MEDIA_TEXT, /* plain */
    KIN__MEDIA_HTML,
    KIN__MEDIA_OTHER
} kin__media;

/* Without regard to case and to parameters ("; charset=utf-8", ";stream=watch"). */
kin__media kin__media_of(kin_str content_type);

#endif /* KIN_API_MEDIA_H */
