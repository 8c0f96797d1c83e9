/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinformer.c - follows the ConfigMaps of some namespaces with an informer each, and writes a line
 * for each thing that its handler is told; the lines are those of client-go/main.go.
 *
 *     peer-kinformer KUBECONFIG NAMESPACE ...
 *
 * It ends with its standard input.
 */
#include <stdio.h>
#include <unistd.h>

#include <kin/kin.h>

#define NAMESPACES_MAX 8
#define SYNC_MS 30000

static void note(void *context, const kin_notification *n)
{
    static const char *const types[] = { "?", "added", "updated", "deleted" };
    kin_str uid = kin_str_of("-");
    kin_str version = kin_str_of("0");

    (void) context;
    if (n->type == KIN_NOTIFICATION_UPDATED && n->before != NULL) {
        uid = kin_object_uid(n->before);
        version = kin_object_resource_version(n->before);
    }
    (void) printf("%s %.*s %.*s %.*s %.*s %.*s\n", types[n->type], KIN_STR_ARG(n->key),
                  KIN_STR_ARG(kin_object_uid(n->object)),
                  KIN_STR_ARG(kin_object_resource_version(n->object)), KIN_STR_ARG(uid),
                  KIN_STR_ARG(version));
    (void) fflush(stdout);
}

static kin_err follow(kin_client *client, const char *ns, kin_informer **out,
                      kin_registration **registration, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_registration_options handler = KIN_REGISTRATION_OPTIONS_INIT;
    kin_err code;

    options.resource = "configmaps";
    options.ns = ns;
    handler.on_add = handler.on_update = handler.on_delete = note;
    if ((code = kin_informer_new(client, &options, out, err)) != KIN_OK ||
        (code = kin_informer_add_handler(*out, &handler, registration, err)) != KIN_OK ||
        (code = kin_informer_start(*out, err)) != KIN_OK) {
        return code;
    }
    return kin_informer_wait_synced(*out, SYNC_MS, err);
}

static kin_err connect_with(const char *kubeconfig, kin_client **out, kin_error *err)
{
    kin_config_options from = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;

    from.path = kubeconfig;
    kin_err code = kin_config_load(&from, &config, err);
    if (code == KIN_OK) {
        code = kin_client_new(config, NULL, out, err);
        kin_config_unref(config);
    }
    return code;
}

static void wait_for_the_end_of_input(void)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
}

int main(int argc, char **argv)
{
    kin_client *client = NULL;
    kin_informer *informers[NAMESPACES_MAX] = { NULL };
    kin_registration *registrations[NAMESPACES_MAX] = { NULL };
    kin_error err;

    if (argc < 3 || argc - 2 > NAMESPACES_MAX) {
        (void) fprintf(stderr, "usage: peer-kinformer KUBECONFIG NAMESPACE ...\n");
        return 2;
    }
    kin_err code = connect_with(argv[1], &client, &err);
    for (int i = 0; code == KIN_OK && i < argc - 2; i++) {
        code = follow(client, argv[i + 2], &informers[i], &registrations[i], &err);
    }
    if (code == KIN_OK) {
        (void) printf("synced\n");
        (void) fflush(stdout);
        wait_for_the_end_of_input();
    } else {
        (void) fprintf(stderr, "peer-kinformer: %s\n", err.message);
    }
    for (int i = 0; i < argc - 2; i++) {
        kin_informer_free(informers[i]);
        kin_registration_free(registrations[i]);
    }
    kin_client_free(client);
    return code == KIN_OK ? 0 : 1;
}
