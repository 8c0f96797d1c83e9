/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wish.c - what is asked of a factory, as bytes that can be compared.
 */
#include "informer/wish.h"

#include <string.h>

#include "api/builtin.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/str.h"
#include "kin/selector.h"

static kin_err write_namespaces(const kin_informer_options *options, kin__buf *out, kin_error *err);
static int compare_names(const void *context, const void *a, const void *b);
static kin_err write_selectors(const kin_informer_options *options, kin__buf *out, kin_error *err);
static void write_text(kin__buf *out, const char *text);
static void write_resource(const kin_resource *resource, kin__buf *out);
static bool is_equal(const kin__buf *a, const kin__buf *b);

kin_err kin__wish_make(const kin_informer_options *options, kin__wish *out, kin_error *err)
{
    bool has_context = options->transform != NULL || options->key != NULL;
    const void *context = has_context ? options->context : NULL;
    kin__buf *rest = &out->rest;

    out->of = kin_resource_ref(options->of);
    if (options->resource != NULL) {
        kin__buf_append(&out->words, options->resource, strlen(options->resource) + 1);
    }
    if (write_namespaces(options, rest, err) != KIN_OK ||
        write_selectors(options, rest, err) != KIN_OK) {
        return err->code;
    }
    kin__buf_append(rest, (const char *) &options->mask, sizeof options->mask);
    kin__buf_append(rest, (const char *) &options->transform, sizeof options->transform);
    kin__buf_append(rest, (const char *) &options->key, sizeof options->key);
    kin__buf_append(rest, (const char *) &context, sizeof context);
    kin__buf_append(rest, (const char *) &options->keep_deleted_ms,
                    sizeof options->keep_deleted_ms);
    kin__buf_append(rest, (const char *) &options->keep_deleted_max,
                    sizeof options->keep_deleted_max);
    kin__buf_append_byte(rest, options->metadata_only ? 'm' : 'w');
    kin__buf_append_byte(rest, (char) ('0' + options->encoding));
    if ((options->resource != NULL && options->of != NULL) ||
        (options->ns != NULL && options->namespaces != NULL)) {
        kin__buf_append_byte(rest, '!'); /* what makes no sense is as nothing else */
    }
    return kin__buf_failed(rest) || kin__buf_failed(&out->words) ? kin__error_no_memory(err)
                                                                 : KIN_OK;
}

void kin__wish_fini(kin__wish *wish)
{
    kin__buf_fini(&wish->words);
    kin__buf_fini(&wish->rest);
    wish->of = kin_resource_unref(wish->of);
}

bool kin__wish_has_words_of(const kin__wish *wish, const kin__wish *other)
{
    return wish->of == NULL && other->of == NULL && is_equal(&wish->words, &other->words) &&
           is_equal(&wish->rest, &other->rest);
}

bool kin__wish_has_rest_of(const kin__wish *wish, const kin__wish *other)
{
    return is_equal(&wish->rest, &other->rest);
}

void kin__wish_write_meaning(const kin__wish *wish, kin__directory *directory, kin__buf *out)
{
    kin__builtin builtin;

    if (wish->of != NULL) {
        write_resource(wish->of, out);
        return;
    }
    kin_str words = kin_str_of(wish->words.data);
    kin_resource *known = kin__directory_look(directory, words);
    if (known != NULL) {
        write_resource(known, out);
        kin_resource_unref(known);
    } else if (kin__builtin_find(words, &builtin)) {
        kin__buf_append_format(out, "%.*s/%.*s/%s", KIN_STR_ARG(builtin.group),
                               KIN_STR_ARG(builtin.version), builtin.name);
    } else {
        kin__buf_append_byte(out, '?');
        kin__buf_append_str(out, words);
    }
}

/* Sorted: their order means nothing.  An empty one stands for all. */
static kin_err write_namespaces(const kin_informer_options *options, kin__buf *out, kin_error *err)
{
    size_t count = 0;

    if (options->ns != NULL && options->ns[0] != '\0') {
        write_text(out, options->ns);
    }
    while (options->namespaces != NULL && options->namespaces[count] != NULL) {
        count++;
    }
    if (count != 0) {
        const char **names = kin__alloc_zero(count, sizeof *names);
        if (names == NULL) {
            return kin__error_no_memory(err);
        }
        memcpy(names, options->namespaces, count * sizeof *names);
        kin__sort(names, count, sizeof *names, compare_names, NULL);
        for (size_t i = 0; i < count; i++) {
            write_text(out, names[i]);
        }
        kin__free(names);
    }
    write_text(out, NULL);
    return KIN_OK;
}

static int compare_names(const void *context, const void *a, const void *b)
{
    (void) context;
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* One that matches everything is as none. */
static kin_err write_selectors(const kin_informer_options *options, kin__buf *out, kin_error *err)
{
    kin_selector *labels = NULL;
    kin_field_selector *fields = NULL;
    kin_err code = kin_selector_parse(options->label_selector, &labels, err);

    if (code == KIN_ERR_NO_MEMORY) {
        return code;
    }
    write_text(out, code == KIN_OK ? kin_selector_text(labels) : options->label_selector);
    code = kin_field_selector_parse(options->field_selector, &fields, err);
    if (code != KIN_ERR_NO_MEMORY) {
        write_text(out, code == KIN_OK ? kin_field_selector_text(fields) : options->field_selector);
    }
    kin_selector_free(labels);
    kin_field_selector_free(fields);
    return code == KIN_ERR_NO_MEMORY ? code : KIN_OK;
}

/* None is not the same as an empty one. */
static void write_text(kin__buf *out, const char *text)
{
    kin__buf_append_byte(out, text != NULL ? '+' : '-');
    kin__buf_append_str(out, kin_str_of(text));
    kin__buf_append_byte(out, '\0');
}

static void write_resource(const kin_resource *resource, kin__buf *out)
{
    kin__buf_append_format(out, "%s/%s/%s", kin_resource_group(resource),
                           kin_resource_version(resource), kin_resource_name(resource));
}

static bool is_equal(const kin__buf *a, const kin__buf *b)
{
    return kin__str_equal(kin__str(a->data, a->len), kin__str(b->data, b->len));
}
