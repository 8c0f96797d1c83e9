/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.c - what kind of failure an error of a list or watch is.
 */
#include "cache/failure.h"

#include <string.h>

static bool is_too_large(const kin_error *err, const char *cause);
static kin__failure of_server_error(const kin_error *err);

kin__failure kin__failure_of(const kin_error *err, const char *cause)
{
    if (is_too_large(err, cause)) {
        return KIN__FAILURE_TOO_LARGE;
    }
    if (strcmp(err->reason, "Expired") == 0 || strcmp(err->reason, "Gone") == 0) {
        return KIN__FAILURE_EXPIRED;
    }
    switch (err->code) {
    case KIN_ERR_EXPIRED:
        return KIN__FAILURE_EXPIRED;
    case KIN_ERR_CANCELLED:
    case KIN_ERR_TIMEOUT:
    case KIN_ERR_CONNECT:
    case KIN_ERR_TLS:
    case KIN_ERR_CLOSED:
        return KIN__FAILURE_AWAY;
    case KIN_ERR_THROTTLED:
        return KIN__FAILURE_THROTTLED;
    case KIN_ERR_UNAUTHORIZED:
    case KIN_ERR_FORBIDDEN:
    case KIN_ERR_NOT_FOUND:
        return KIN__FAILURE_DENIED;
    case KIN_ERR_CONFLICT:
    case KIN_ERR_INVALID:
    case KIN_ERR_REFUSED:
        return KIN__FAILURE_UNFIT;
    case KIN_ERR_SERVER:
        return of_server_error(err);
    case KIN_ERR_NO_MEMORY:
    case KIN_ERR_SYSTEM:
        return KIN__FAILURE_LOCAL;
    default:
        return KIN__FAILURE_BROKEN;
    }
}

/* Servers since 1.18.6 name the cause; 1.17.0 to 1.18.5 said it in the cause's message and those
 * before in the Status's, which has the words in all of them (client-go, tools/cache/reflector.go,
 * isTooLargeResourceVersionError). */
static bool is_too_large(const kin_error *err, const char *cause)
{
    if (cause != NULL && strcmp(cause, "ResourceVersionTooLarge") == 0) {
        return true;
    }
    return err->code == KIN_ERR_SERVER &&
           strstr(err->message, "Too large resource version") != NULL;
}

static kin__failure of_server_error(const kin_error *err)
{
    switch (err->http_status) {
    case 502:
    case 503:
    case 504:
        return KIN__FAILURE_AWAY;
    default:
        return KIN__FAILURE_BROKEN;
    }
}
