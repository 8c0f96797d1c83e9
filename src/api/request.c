/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - a kin_request that outlives the call that took it.
 */
#include "api/request.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"

/* Where the strings of a request are. */
static const size_t text_places[] = {
    offsetof(kin_request, resource),
    offsetof(kin_request, ns),
    offsetof(kin_request, name),
    offsetof(kin_request, subresource),
    offsetof(kin_request, label_selector),
    offsetof(kin_request, field_selector),
    offsetof(kin_request, resource_version),
    offsetof(kin_request, resource_version_match),
    offsetof(kin_request, continue_token),
    offsetof(kin_request, field_manager),
    offsetof(kin_request, field_validation),
    offsetof(kin_request, propagation),
    offsetof(kin_request, if_uid),
    offsetof(kin_request, if_version),
};
#define TEXT_COUNT (sizeof text_places / sizeof text_places[0])

static const char **text_at(kin_request *request, size_t index);
static size_t length_of(kin_request *request);

kin_err kin__request_copy(const kin_request *request, kin__request *out, kin_error *err)
{
    kin_request ours;

    if (kin__options_read(&ours, sizeof ours, request, "kin_request", err) != KIN_OK) {
        return err->code;
    }
    char *texts = kin__alloc(length_of(&ours));
    if (texts == NULL) {
        return kin__error_no_memory(err);
    }
    char *end = texts;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const char **text = text_at(&ours, i);

        if (*text != NULL) {
            size_t bytes = strlen(*text) + 1;

            *text = memcpy(end, *text, bytes);
            end += bytes;
        }
    }
    if (ours.body.len != 0) {
        ours.body.data = memcpy(end, ours.body.data, ours.body.len);
    }
    ours.of = kin_resource_ref(ours.of);
    ours.object = kin_object_ref(ours.object);
    out->is = ours;
    out->texts = texts;
    return KIN_OK;
}

void kin__request_fini(kin__request *request)
{
    kin_resource_unref(request->is.of);
    kin_object_unref(request->is.object);
    kin__free(request->texts);
    memset(request, 0, sizeof *request);
}

static const char **text_at(kin_request *request, size_t index)
{
    return (const char **) (void *) ((char *) request + text_places[index]);
}

static size_t length_of(kin_request *request)
{
    size_t length = request->body.len;

    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const char *text = *text_at(request, i);

        length += text != NULL ? strlen(text) + 1 : 0;
    }
    return length;
}
