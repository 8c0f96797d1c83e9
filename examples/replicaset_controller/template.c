/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.c - a pod as a ReplicaSet wants it.
 */
#include "template.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "failure.h"

#define NAME_MAX_LEN 63 /* as the API server's own generated names: a pod's name is a host name */
#define SUFFIX_LEN 5

static kin_err choose_name(const kin_object *set, char out[NAME_MAX_LEN + 1], kin_error *err);
static kin_err copy(const kin_object *set, const char *from, const char *to, kin_edit *edit,
                    kin_error *err);

kin_err template_pod(const kin_object *set, kin_object **out, kin_error *err)
{
    static const char empty[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
                                "\"metadata\":{\"name\":\"pod\"}}";
    char name[NAME_MAX_LEN + 1];
    kin_object *base = NULL;
    kin_edit *edit = NULL;
    bool is_made =
        choose_name(set, name, err) == KIN_OK &&
        kin_object_from_json(empty, sizeof empty - 1, NULL, &base, err) == KIN_OK &&
        kin_object_edit(base, &edit, err) == KIN_OK &&
        kin_edit_set_str(edit, "metadata.namespace", kin_object_namespace(set), err) == KIN_OK &&
        kin_edit_set_str(edit, "metadata.name", kin_str_of(name), err) == KIN_OK &&
        copy(set, "spec.template.metadata.labels", "metadata.labels", edit, err) == KIN_OK &&
        copy(set, "spec.template.metadata.annotations", "metadata.annotations", edit, err) ==
            KIN_OK &&
        copy(set, "spec.template.metadata.finalizers", "metadata.finalizers", edit, err) ==
            KIN_OK &&
        copy(set, "spec.template.spec", "spec", edit, err) == KIN_OK &&
        kin_edit_set_controller(edit, set, err) == KIN_OK &&
        kin_edit_object(edit, out, err) == KIN_OK;

    kin_edit_free(edit);
    kin_object_unref(base);
    return is_made ? KIN_OK : err->code;
}

/* As the API server makes a name of "generateName": the set's name and "-", cut to leave room for
 * five letters that make no words. */
static kin_err choose_name(const kin_object *set, char out[NAME_MAX_LEN + 1], kin_error *err)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    unsigned char chance[SUFFIX_LEN];

    if (getrandom(chance, sizeof chance, 0) != (ssize_t) sizeof chance) {
        return failure(err, KIN_ERR_SYSTEM, "name a pod: no random bytes");
    }
    (void) snprintf(out, NAME_MAX_LEN - SUFFIX_LEN + 1, "%.*s-", KIN_STR_ARG(kin_object_name(set)));
    size_t at = strlen(out);
    for (size_t i = 0; i < SUFFIX_LEN; i++) {
        out[at++] = letters[chance[i] % (sizeof letters - 1)];
    }
    out[at] = '\0';
    return KIN_OK;
}

/* What the template does not have is left out. */
static kin_err copy(const kin_object *set, const char *from, const char *to, kin_edit *edit,
                    kin_error *err)
{
    kin_value value = kin_object_at(set, from);
    kin_str json = { NULL, 0 };
    char *text = NULL;

    if (!kin_value_exists(value)) {
        return KIN_OK;
    }
    kin_err code = kin_value_json(value, &text, &json.len, err);
    if (code == KIN_OK) {
        json.data = text;
        code = kin_edit_set_json(edit, to, json, err);
    }
    kin_free(text);
    return code;
}
