/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 03_informer_and_index.c - knows all pods, and which are on which node.
 *
 * An informer lists the pods once, watches them from there on, and keeps what it learns in a store.
 * Reading that asks nobody: it takes some nanoseconds, and is up to date.
 */
#include <kin/kin.h>
#include <stdio.h>

static void print_nodes(const kin_store *store)
{
    kin_view view = kin_store_read(store);
    kin_index_iter nodes = { 0 };

    printf("%zu pods\n", kin_view_count(&view));
    while (kin_view_next_value(&view, "node", &nodes)) {
        kin_view_iter pods = kin_view_by_index(&view, "node", nodes.value);

        printf("%.*s: %zu\n", KIN_STR_ARG(nodes.value), nodes.count);
        while (kin_view_next(&pods)) {
            printf("  %.*s\n", KIN_STR_ARG(pods.key));
        }
    }
    kin_store_done(&view);
}

int main(void)
{
    kin_client *client = NULL;
    kin_informer *informer = NULL;
    kin_error err;

    kin_index_options by_node = KIN_INDEX_OPTIONS_INIT;
    by_node.name = "node";
    by_node.path = "spec.nodeName";

    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.resource = "pods";
    options.indexes = &by_node;
    options.index_count = 1;

    kin_err code = kin_client_new(NULL, NULL, &client, &err);
    if (code == KIN_OK) {
        code = kin_informer_new(client, &options, &informer, &err);
    }
    if (code == KIN_OK) {
        code = kin_informer_start(informer, &err);
    }
    if (code == KIN_OK) {
        code = kin_informer_wait_synced(informer, 30000, &err);
    }
    if (code == KIN_OK) {
        print_nodes(kin_informer_store(informer));
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    kin_informer_free(informer);
    kin_client_free(client);
    return code == KIN_OK ? 0 : 1;
}
