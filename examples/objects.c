/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - reads Kubernetes objects, looks into them, and changes them.
 *
 *     demo [file.json ...]      without files, those in examples/objects
 *
 * You learn how to make an object of JSON, what it tells about itself, how a path leads to a
 * field, which selectors match, and how an edit becomes the patch that a server wants.
 */
#include <glob.h>
#include <inttypes.h>
#include <kin/kin.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW "  %-46s "

static void check(bool is_fine, const char *what, const char *message)
{
    if (!is_fine) {
        fprintf(stderr, "%s: %s\n", what, message);
        exit(1);
    }
}

static void print_metadata(const kin_object *object)
{
    kin_str name, value;
    printf("%.*s %.*s\n", KIN_STR_ARG(kin_object_kind(object)),
           KIN_STR_ARG(kin_object_key(object)));
    printf(ROW "%.*s\n", "uid", KIN_STR_ARG(kin_object_uid(object)));
    printf(ROW "%.*s\n", "resourceVersion", KIN_STR_ARG(kin_object_resource_version(object)));
    for (size_t i = 0; kin_object_label_at(object, i, &name, &value); i++) {
        printf("  label %-40.*s %.*s\n", KIN_STR_ARG(name), KIN_STR_ARG(value));
    }
}

/* Prints what is there, of the type that is asked for: 's'tring, 'i'nteger, 'b'ytes, 't'ime. */
static void print_field(const kin_object *object, char type, const char *path)
{
    kin_value value = kin_object_at(object, path);
    char scratch[256]; /* for a string that is written with escapes */
    kin_str text;
    int64_t number;
    kin_time when;

    if (type == 's' && kin_value_str(value, scratch, sizeof scratch, &text) == KIN_OK) {
        printf(ROW "%.*s\n", path, KIN_STR_ARG(text));
    } else if (type == 'i' && kin_value_int64(value, &number) == KIN_OK) {
        printf(ROW "%" PRId64 "\n", path, number);
    } else if (type == 'b' && kin_value_quantity(value, 0, &number) == KIN_OK) {
        printf(ROW "%" PRId64 " bytes\n", path, number);
    } else if (type == 't' && kin_value_time(value, &when) == KIN_OK) {
        printf(ROW "%" PRId64 " (Unix time)\n", path, when.seconds);
    }
}

static void print_match(const kin_object *object, const char *text)
{
    kin_selector *selector;
    kin_error err;
    check(kin_selector_parse(text, &selector, &err) == KIN_OK, text, err.message);
    printf(ROW "%s\n", text, kin_selector_matches(selector, object) ? "matches" : "no match");
    kin_selector_free(selector);
}

static void print_patch(const kin_object *object)
{
    kin_edit *edit;
    char *patch = NULL;
    size_t len;
    kin_error err;

    check(kin_object_edit(object, &edit, &err) == KIN_OK &&
              kin_edit_set_str(edit, "metadata.labels.seen", kin_str_of("yes"), &err) == KIN_OK &&
              kin_edit_remove(edit, "metadata.labels.tier", &err) == KIN_OK &&
              kin_edit_merge_patch(edit, KIN_PATCH_IF_UNCHANGED, &patch, &len, &err) == KIN_OK,
          "patch", err.message);
    printf("  patch %s\n\n", patch);
    kin_free(patch);
    kin_edit_free(edit);
}

static void show_file(const char *path)
{
    static char bytes[1024 * 1024];
    kin_object *object;
    kin_error err;
    FILE *file = fopen(path, "rb");
    check(file != NULL, path, "cannot be opened");
    size_t len = fread(bytes, 1, sizeof bytes, file);
    check(!ferror(file) && len < sizeof bytes, path, "cannot be read, or has more than 1 MB");
    fclose(file);
    check(kin_object_from_json(bytes, len, NULL, &object, &err) == KIN_OK, path, err.message);
    print_metadata(object);
    print_field(object, 't', "metadata.creationTimestamp");
    print_field(object, 's', "spec.nodeName");
    print_field(object, 'i', "spec.replicas");
    print_field(object, 'i', "spec.ports[-1].port");
    print_field(object, 'b', "spec.containers[0].resources.requests.memory");
    print_field(object, 'b', "status.allocatable.memory");
    print_field(object, 's', "status.conditions[?type==\"Ready\"].message");
    print_match(object, "app=web");
    print_match(object, "tier in (frontend,storage),!legacy");
    print_patch(object);
    kin_object_unref(object);
}

int main(int argc, char **argv)
{
    glob_t samples = { 0 };
    bool has_files = argc > 1 || glob("examples/objects/*.json", 0, NULL, &samples) == 0;
    check(has_files, "examples/objects", "there are no samples here");
    for (char **paths = argc > 1 ? argv + 1 : samples.gl_pathv; *paths != NULL; paths++) {
        show_file(*paths);
    }
    globfree(&samples);
    return 0;
}
