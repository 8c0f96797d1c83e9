/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 01_list_once.c - lists a resource once: 01_list_once [RESOURCE [NAMESPACE]]
 *
 * Talks to the cluster that kubectl would talk to.
 */
#include <kin/kin.h>
#include <stdio.h>

static bool print_object(void *context, kin_object *object)
{
    size_t *count = context;

    printf("%.*s\n", KIN_STR_ARG(kin_object_key(object)));
    *count += 1;
    return true;
}

int main(int argc, char **argv)
{
    const char *resource = argc > 1 ? argv[1] : "pods";
    const char *ns = argc > 2 ? argv[2] : NULL;
    kin_client *client;
    kin_error err;
    size_t count = 0;

    if (kin_client_new(NULL, NULL, &client, &err) != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    kin_err code = kin_client_list(client, resource, ns, print_object, &count, &err);
    if (code == KIN_OK) {
        printf("%zu %s\n", count, resource);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    kin_client_free(client);
    return code == KIN_OK ? 0 : 1;
}
