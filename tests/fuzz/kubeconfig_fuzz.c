/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfig_fuzz.c - any text as a kubeconfig.
 *
 * What is taken has a server, a namespace, and headers and variables that are whole; what is not
 * has a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/check.h"
#include "config/config.h"
#include "config/exec_plugin.h"
#include "config/headers.h"
#include "json/scanner.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_server(const kin_config *config)
{
    const char *server = kin_config_server(config);
    const char *start = config->is_https ? "https://" : "http://";
    size_t len = strlen(server);

    CHECK(strncmp(server, start, strlen(start)) == 0 && len > strlen(start));
    CHECK(server[len - 1] != '/' && strpbrk(server, " \r\n\t?#@") == NULL);
    CHECK(kin__is_namespace(kin_config_namespace(config)));
}

static void check_headers(const kin_config *config)
{
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    const char *const *headers;
    kin_error err;

    CHECK(kin__headers_make(config, config->user.token, &vault, &headers, &err) == KIN_OK);
    for (; *headers != NULL; headers++) {
        CHECK(kin__is_header_value(kin_str_of(*headers)));
        CHECK(strstr(*headers, ": ") != NULL);
        CHECK(config->is_https || strncmp(*headers, "Impersonate-", 12) == 0);
    }
}

static void check_plugin(const kin_config *config)
{
    static const char *const inherited[] = { "PATH=/bin", "HOME=/", NULL };
    static const char info[] = "KUBERNETES_EXEC_INFO=";
    AUTO(kin__vault_fini) kin__vault vault = { 0 };
    kin__exec_cluster cluster = { .server = config->server,
                                  .tls_server_name = config->cluster.tls_server_name,
                                  .proxy_url = config->cluster.proxy_url,
                                  .ca = config->cluster.ca_data,
                                  .config = config->cluster.exec_config };
    const char *const *list;
    kin_error err;

    CHECK(kin__exec_arguments(config->user.exec, &vault, &list, &err) == KIN_OK);
    CHECK(list[0] != NULL && list[0][0] != '\0');
    CHECK(kin__exec_variables(config->user.exec, &cluster, inherited, &vault, &list, &err) ==
          KIN_OK);
    while (list[1] != NULL) {
        list++;
    }
    CHECK(strncmp(*list, info, strlen(info)) == 0);
    CHECK(kin__json_check(kin_str_of(*list + strlen(info)), &err) == KIN_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin_config *config = NULL;
    kin_error err;

    kin_err code = kin_config_from_text((const char *) data, size, "/dir", NULL, &config, &err);
    if (code != KIN_OK) {
        CHECK(config == NULL && err.code == code && err.message[0] != '\0');
        CHECK(code == KIN_ERR_NOT_FOUND || code == KIN_ERR_MALFORMED || code == KIN_ERR_USAGE ||
              code == KIN_ERR_LIMIT);
        return 0;
    }
    check_server(config);
    check_headers(config);
    if (config->needs_plugin) {
        check_plugin(config);
    }
    (void) kin_config_unref(config);
    return 0;
}
