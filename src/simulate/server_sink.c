/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_sink.c - the embedded server as a sink.
 */
#include "simulate/server_sink.h"

#include <string.h>

#define LIST_BYTES ((size_t) 1 << 20)

static kin_err put(void *context, kin_str json, kin_error *err);
static kin_err remove_one(void *context, const char *api_version, const char *kind, const char *ns,
                          const char *name, kin_error *err);
static kin_err gather(kin__server_sink *self, kin_str json, kin_error *err);
static kin_err flush(kin__server_sink *self, kin_error *err);
static void add(kin__sim_text *text, const char *words);

kin__sink kin__server_sink_of(kin__server_sink *self)
{
    return (kin__sink){ .context = self, .put = put, .remove = remove_one };
}

void kin__server_sink_begin(kin__server_sink *self)
{
    self->is_gathering = true;
}

kin_err kin__server_sink_end(kin__server_sink *self, kin_error *err)
{
    kin_err code = flush(self, err);

    self->is_gathering = false;
    kin__sim_text_fini(&self->list);
    return code;
}

void kin__server_sink_fini(kin__server_sink *self)
{
    kin__sim_text_fini(&self->list);
}

static kin_err put(void *context, kin_str json, kin_error *err)
{
    kin__server_sink *self = context;

    return self->is_gathering ? gather(self, json, err)
                              : kin_server_put(self->server, json, NULL, err);
}

/* A removal comes after all that was put before it.  What somebody else has removed is gone. */
static kin_err remove_one(void *context, const char *api_version, const char *kind, const char *ns,
                          const char *name, kin_error *err)
{
    kin__server_sink *self = context;
    kin_err code = flush(self, err);

    if (code == KIN_OK) {
        code = kin_server_remove(self->server, api_version, kind, ns, name, NULL, err);
    }
    return code == KIN_ERR_NOT_FOUND ? KIN_OK : code;
}

static kin_err gather(kin__server_sink *self, kin_str json, kin_error *err)
{
    add(&self->list, self->list.len == 0
                         ? "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":["
                         : ",");
    kin__sim_text_add(&self->list, json);
    return self->list.len < LIST_BYTES && !self->list.has_failed ? KIN_OK : flush(self, err);
}

static kin_err flush(kin__server_sink *self, kin_error *err)
{
    kin_str list;

    if (self->list.len == 0 && !self->list.has_failed) {
        return KIN_OK;
    }
    add(&self->list, "]}");
    kin_err code = kin__sim_text_get(&self->list, &list, err);
    if (code == KIN_OK) {
        code = kin_server_put_list(self->server, list, NULL, err);
    }
    kin__sim_text_clear(&self->list);
    return code;
}

static void add(kin__sim_text *text, const char *words)
{
    kin__sim_text_add(text, (kin_str){ words, strlen(words) });
}
