/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 08_controller.c - a controller: every ConfigMap has a Secret that says the same.
 *
 * The program says what it is about (ConfigMaps), what these own (Secrets), and how to put one of
 * them right; when to do it, and again when it fails, is the controller's business.  Here it works
 * on a server inside the program.  Link with libkin-testing beside libkin.
 */
#include <kin/kin.h>
#include <kin/testing/server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct app {
    kin_informer *maps;
    kin_informer *secrets;
} app;

static void check(kin_err code, const kin_error *err)
{
    if (code != KIN_OK) {
        fprintf(stderr, "%s\n", err->message);
        exit(1);
    }
}

/* ---- putting one right ---------------------------------------------------------------------- */

/* From the local copy, with a reference; NULL: it is not there. */
static kin_object *find_secret(const app *a, kin_reconcile *r)
{
    kin_view view = kin_store_read(kin_informer_store(a->secrets));
    kin_object *secret = kin_object_ref(kin_view_get(&view, kin_reconcile_key(r)));

    kin_store_done(&view);
    return secret;
}

static kin_str value_of(const kin_object *object, const char *path)
{
    kin_str value = { "", 0 };

    if (kin_value_str(kin_object_at(object, path), NULL, 0, &value) != KIN_OK) {
        value.len = 0;
    }
    return value;
}

static kin_err create(kin_reconcile *r, const kin_object *map, kin_error *err)
{
    static const char form[] = "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{"
                               "\"namespace\":\"%.*s\",\"name\":\"%.*s\"}}";
    char json[1024];
    kin_object *empty = NULL;
    kin_object *secret = NULL;
    kin_edit *edit = NULL;

    int len = snprintf(json, sizeof json, form, KIN_STR_ARG(kin_reconcile_namespace(r)),
                       KIN_STR_ARG(kin_reconcile_name(r)));
    kin_err code = kin_object_from_json(json, (size_t) len, NULL, &empty, err);
    if (code == KIN_OK) {
        code = kin_object_edit(empty, &edit, err);
    }
    if (code == KIN_OK) {
        code = kin_edit_set_str(edit, "metadata.annotations.says", value_of(map, "data.says"), err);
    }
    if (code == KIN_OK) {
        code = kin_edit_set_controller(edit, map, err);
    }
    if (code == KIN_OK) {
        code = kin_edit_object(edit, &secret, err);
    }
    if (code == KIN_OK) {
        code = kin_reconcile_create(r, secret, NULL, err);
    }
    kin_object_unref(secret);
    kin_edit_free(edit);
    kin_object_unref(empty);
    return code;
}

static kin_err correct(kin_reconcile *r, const kin_object *map, const kin_object *secret,
                       kin_error *err)
{
    kin_edit *edit = NULL;
    kin_err code = kin_object_edit(secret, &edit, err);

    if (code == KIN_OK) {
        code = kin_edit_set_str(edit, "metadata.annotations.says", value_of(map, "data.says"), err);
    }
    if (code == KIN_OK) {
        code = kin_reconcile_patch(r, edit, NULL, NULL, err); /* nothing, if nothing changed */
    }
    kin_edit_free(edit);
    return code;
}

/* Made here, for a ConfigMap of that name; it may be gone (NULL).  Others' Secrets are left alone.
 */
static bool is_ours(const kin_object *secret, const kin_object *map, kin_str name)
{
    kin_value owner = kin_object_controller_owner(secret);
    kin_str kind;
    kin_str its_name;

    if (map != NULL) {
        return kin_object_is_controlled_by(secret, map);
    }
    return kin_value_str(kin_value_member(owner, kin_str_of("kind")), NULL, 0, &kind) == KIN_OK &&
           kin_value_str(kin_value_member(owner, kin_str_of("name")), NULL, 0, &its_name) ==
               KIN_OK &&
           kin_str_equal(kind, kin_str_of("ConfigMap")) && kin_str_equal(its_name, name);
}

static kin_err reconcile(void *context, kin_reconcile *r, kin_error *err)
{
    const kin_object *map = kin_reconcile_object(r);
    kin_object *secret = find_secret(context, r);
    kin_err code = KIN_OK;

    if (secret != NULL && !is_ours(secret, map, kin_reconcile_name(r))) {
        kin_object_unref(secret);
        return KIN_OK;
    }
    if (map == NULL && secret != NULL) {
        code = kin_reconcile_delete(r, secret, NULL, err);
    } else if (map != NULL && secret == NULL) {
        code = create(r, map, err);
    } else if (map != NULL) {
        code = correct(r, map, secret, err);
    }
    kin_object_unref(secret);
    return code;
}

/* ---- what happens --------------------------------------------------------------------------- */

static void wait_for(kin_informer *informer, uint64_t revision)
{
    char version[24];
    kin_error err;

    snprintf(version, sizeof version, "%llu", (unsigned long long) revision);
    check(kin_informer_wait_for(informer, kin_str_of("default/web"), kin_str_of(version), 10000,
                                &err),
          &err);
}

static uint64_t put_map(kin_server *server, const char *says)
{
    char json[256];
    uint64_t revision;
    kin_error err;

    snprintf(json, sizeof json,
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
             "\"default\",\"name\":\"web\"},\"data\":{\"says\":\"%s\"}}",
             says);
    check(kin_server_put(server, kin_str_of(json), &revision, &err), &err);
    return revision;
}

static uint64_t take_away(kin_server *server, const char *kind)
{
    uint64_t revision;
    kin_error err;

    check(kin_server_remove(server, "v1", kind, "default", "web", &revision, &err), &err);
    return revision;
}

static void show(const app *a, kin_controller *controller, const char *when)
{
    kin_error err;

    check(kin_controller_wait_idle(controller, 10000, &err), &err);
    kin_view view = kin_store_read(kin_informer_store(a->secrets));
    const kin_object *secret = kin_view_get(&view, kin_str_of("default/web"));
    if (secret == NULL) {
        printf("%s: no Secret\n", when);
    } else {
        kin_str says = value_of(secret, "metadata.annotations.says");
        printf("%s: the Secret says %.*s\n", when, KIN_STR_ARG(says));
    }
    kin_store_done(&view);
}

static kin_informer *follow(kin_client *client, const char *resource)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;
    kin_error err;

    options.resource = resource;
    check(kin_informer_new(client, &options, &informer, &err), &err);
    check(kin_informer_start(informer, &err), &err);
    return informer;
}

int main(void)
{
    kin_server *server = NULL;
    kin_config *config = NULL;
    kin_client *client = NULL;
    kin_controller *controller = NULL;
    kin_error err;
    app a;

    check(kin_server_start(NULL, &server, &err), &err);
    put_map(server, "hello");
    const char *kubeconfig = kin_server_kubeconfig(server);
    check(kin_config_from_text(kubeconfig, strlen(kubeconfig), NULL, NULL, &config, &err), &err);
    check(kin_client_new(config, NULL, &client, &err), &err);
    a.maps = follow(client, "configmaps");
    a.secrets = follow(client, "secrets");

    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;
    options.name = "echo";
    options.reconcile = reconcile;
    options.context = &a;
    check(kin_controller_new(client, &options, &controller, &err), &err);
    check(kin_controller_about(controller, a.maps, NULL, &err), &err);
    check(kin_controller_owns(controller, a.secrets, NULL, &err), &err);
    check(kin_controller_start(controller, &err), &err);
    show(&a, controller, "at first");

    wait_for(a.maps, put_map(server, "good day"));
    show(&a, controller, "after a change");
    wait_for(a.secrets, take_away(server, "Secret"));
    show(&a, controller, "after somebody took it away");
    wait_for(a.maps, take_away(server, "ConfigMap"));
    show(&a, controller, "without its ConfigMap");

    kin_controller_free(controller);
    kin_informer_free(a.maps);
    kin_informer_free(a.secrets);
    kin_client_free(client);
    kin_config_unref(config);
    kin_server_stop(server);
    return 0;
}
