/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rendering.h - what a message put together by hand renders to.
 */
#ifndef TESTS_UNIT_PROTO_RENDERING_H
#define TESTS_UNIT_PROTO_RENDERING_H

#include <string.h>

#include "base/str.h"
#include "proto/render.h"
#include "support/test.h"
#include "unit/proto/wire.h"

/* The message of a kind, or of what is found in it under JSON names: "spec.ports". */
static inline kin__pb_message message_at(const char *api_version, const char *kind,
                                         const char *path)
{
    kin__pb_message message = kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind));

    while (*path != '\0') {
        size_t len = strcspn(path, ".");
        kin__pb_inlines inlines;
        const kin__pb_row *row = kin__pb_row_named(message, kin__str(path, len), &inlines);
        if (row == NULL || row->message == KIN__PB_NO_MESSAGE) {
            FAIL("%s has no message at %s", kind, path);
        }
        message = row->message;
        path += len + (path[len] == '.');
    }
    if (message == KIN__PB_NO_MESSAGE) {
        FAIL("there is no %s in %s", kind, api_version);
    }
    return message;
}

static inline kin_str bytes_of(const wire *w)
{
    return kin__str(w->bytes, w->len);
}

static inline void assert_renders(kin__pb_message message, const wire *w, const char *want)
{
    kin__buf out = { 0 };
    kin_error err = { 0 };
    kin__pb_rendering rendering = { .unknown_count = 99 };

    if (kin__pb_render(message, bytes_of(w), &rendering, &out, &err) != KIN_OK) {
        FAIL("refused: %s", err.message);
    }
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), want);
    ASSERT_EQ(rendering.unknown_count, 0);
    kin__buf_fini(&out);
}

/* What was in the buffer before stays, and nothing else. */
static inline void assert_refused(kin__pb_message message, const wire *w, kin_err code,
                                  const char *why)
{
    kin__buf out = { 0 };
    kin_error err = { 0 };
    kin__pb_rendering rendering = { .unknown_count = 99 };

    ASSERT_TRUE(kin__buf_append(&out, "before", 6));
    ASSERT_ERR(kin__pb_render(message, bytes_of(w), &rendering, &out, &err), code);
    ASSERT_MESSAGE(&err, why);
    ASSERT_SLICE_EQ(kin__str(out.data, out.len), "before");
    ASSERT_EQ(rendering.unknown_count, 99);
    kin__buf_fini(&out);
}

#endif /* TESTS_UNIT_PROTO_RENDERING_H */
