/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell.c - makes a ConfigMap and tells what happened to it.
 *
 *     events-tell KUBECONFIG NAMESPACE NAME
 *
 * Once that it was made, and a thousand times that something is wrong with it.  Says "told" when
 * all of it is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kin/kin.h"

static kin_error err;

static void must(kin_err code)
{
    if (code != KIN_OK) {
        (void) fprintf(stderr, "%s: %s\n", kin_err_name(code), err.message);
        exit(1);
    }
}

static kin_client *connect_with(const char *path)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;

    options.path = path;
    must(kin_config_load(&options, &config, &err));
    must(kin_client_new(config, NULL, &client, &err));
    kin_config_unref(config);
    return client;
}

static kin_object *make_map(kin_client *client, const char *ns, const char *name)
{
    char json[1024];
    kin_object *map = NULL;
    kin_object *made = NULL;

    (void) snprintf(json, sizeof json,
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
                    "\"namespace\":\"%s\"}}",
                    name, ns);
    must(kin_object_from_json(json, strlen(json), NULL, &map, &err));
    must(kin_client_create(client, map, &made, &err));
    (void) kin_object_unref(map);
    return made;
}

int main(int count, char **arguments)
{
    kin_recorder_options options = KIN_RECORDER_OPTIONS_INIT;
    kin_recorder *recorder = NULL;

    if (count != 4) {
        (void) fprintf(stderr, "usage: events-tell KUBECONFIG NAMESPACE NAME\n");
        return 2;
    }
    kin_client *client = connect_with(arguments[1]);
    kin_object *map = make_map(client, arguments[2], arguments[3]);
    options.controller = "kinformer.example/teller";
    must(kin_recorder_new(client, &options, &recorder, &err));
    kin_recorder_tell(recorder, map, NULL, KIN_SEVERITY_NORMAL, "Made", "Make", "made %s",
                      arguments[3]);
    for (int i = 0; i < 1000; i++) {
        kin_recorder_tell(recorder, map, NULL, KIN_SEVERITY_WARNING, "Empty", "Look",
                          "nothing is in it");
    }
    must(kin_recorder_flush(recorder, 30000, &err));
    kin_recorder_free(recorder);
    (void) kin_object_unref(map);
    kin_client_free(client);
    (void) printf("told\n");
    return 0;
}
