/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 04_two_handlers.c - two parts of a program that share one informer: 04_two_handlers [SECONDS]
 *
 * One is told of every pod, the other only of those with the label app=web.  Each is called on a
 * thread of the library, one call after the other, and a slow one does not hold up the other.
 */
#include <kin/kin.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print_change(void *context, const kin_notification *n)
{
    static const char *const words[] = { "", "added", "updated", "deleted" };

    printf("%s: %s %.*s%s\n", (const char *) context, words[n->type], KIN_STR_ARG(n->key),
           n->is_initial ? ", was there already" : "");
    fflush(stdout);
}

static kin_err add_printer(kin_informer *informer, char *name, const char *label_selector,
                           kin_registration **out, kin_error *err)
{
    kin_registration_options options = KIN_REGISTRATION_OPTIONS_INIT;

    options.name = name;
    options.context = name;
    options.label_selector = label_selector;
    options.on_add = options.on_update = options.on_delete = print_change;
    return kin_informer_add_handler(informer, &options, out, err);
}

int main(int argc, char **argv)
{
    unsigned seconds = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 10) : 60;
    char all_name[] = "all";
    char web_name[] = "web";
    kin_client *client = NULL;
    kin_informer *informer = NULL;
    kin_registration *all = NULL;
    kin_registration *web = NULL;
    kin_error err;

    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    options.resource = "pods";

    kin_err code = kin_client_new(NULL, NULL, &client, &err);
    if (code == KIN_OK) {
        code = kin_informer_new(client, &options, &informer, &err);
    }
    if (code == KIN_OK) {
        code = add_printer(informer, all_name, NULL, &all, &err);
    }
    if (code == KIN_OK) {
        code = add_printer(informer, web_name, "app=web", &web, &err);
    }
    if (code == KIN_OK) {
        code = kin_informer_start(informer, &err);
    }
    if (code == KIN_OK) {
        sleep(seconds);
        code = kin_informer_stop(informer, 1000, &err);
    }
    if (code != KIN_OK) {
        fprintf(stderr, "%s\n", err.message);
    }
    kin_registration_free(all);
    kin_registration_free(web);
    kin_informer_free(informer);
    kin_client_free(client);
    return code == KIN_OK ? 0 : 1;
}
