/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_check_test.c - what a secret of a certain type must have.
 */
#include "server/secret_check.h"

#include "unit/server/writing.h"

#define SECRETS DEFAULT "/secrets"
#define SECRET(type, rest)                                                                         \
    "{\"metadata\":{\"name\":\"s\"},\"type\":\"kubernetes.io/" type "\",\"stringData\":{" rest "}" \
    "}"
#define REDACTED "Invalid value: \\\"\\u003csecret contents redacted\\u003e\\\": "

/* As seen on kube-apiserver 1.36.3. */
TEST(secret_check, asks_for_what_the_type_has)
{
    static const struct {
        const char *body, *says; /* NULL: it is taken */
    } cases[] = {
        { SECRET("tls", ""), "[data[tls.crt]: Required value, data[tls.key]: Required value]" },
        { SECRET("tls", "\"tls.key\":\"\""), "is invalid: data[tls.crt]: Required value" },
        { SECRET("tls", "\"tls.crt\":\"\",\"tls.key\":\"\""), NULL },
        { SECRET("basic-auth", "\"a\":\"b\""),
          "[data[username]: Required value, data[password]: Required value]" },
        { SECRET("basic-auth", "\"username\":\"\""), NULL },
        { SECRET("basic-auth", "\"password\":\"b\""), NULL },
        { SECRET("ssh-auth", "\"ssh-privatekey\":\"\""), "data[ssh-privatekey]: Required value" },
        { SECRET("ssh-auth", "\"ssh-privatekey\":\"k\""), NULL },
        { SECRET("dockercfg", ""), "is invalid: data[.dockercfg]: Required value" },
        { SECRET("dockercfg", "\".dockercfg\":\"\""),
          "data[.dockercfg]: " REDACTED "unexpected end of JSON input" },
        { SECRET("dockercfg", "\".dockercfg\":\"[]\""),
          "data[.dockercfg]: " REDACTED "json: cannot unmarshal array into Go value of type "
          "map[string]interface {}" },
        { SECRET("dockercfg", "\".dockercfg\":\"null\""), NULL },
        { SECRET("dockerconfigjson", "\".dockercfg\":\"{}\""),
          "is invalid: data[.dockerconfigjson]: Required value" },
        { SECRET("dockerconfigjson", "\".dockerconfigjson\":\"{} x\""),
          "data[.dockerconfigjson]: " REDACTED "invalid character 'x' after top-level value" },
        { SECRET("dockerconfigjson", "\".dockerconfigjson\":\"{\\\"auths\\\":{}}\""), NULL },
        { SECRET("service-account-token", "\"a\":\"b\""),
          "is invalid: metadata.annotations[kubernetes.io/service-account.name]: Required value" },
        { "{\"metadata\":{\"name\":\"s\",\"annotations\":{\"kubernetes.io/service-account.name\":"
          "\"a\"}},\"type\":\"kubernetes.io/service-account-token\"}",
          NULL },
        { "{\"metadata\":{\"name\":\"s\"},\"type\":\"bootstrap.kubernetes.io/token\"}", NULL },
    };
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ASSERT_ANSWER(&s, "POST", SECRETS "?dryRun=All", JSON, cases[i].body,
                      cases[i].says == NULL ? 201 : 422,
                      cases[i].says == NULL ? "\"name\":\"s\"" : cases[i].says);
    }
    scene_close(&s);
}

TEST(secret_check, asks_again_when_it_changes)
{
    scene s;
    kin_error err;

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_EQ(ask(&s, "POST", SECRETS, JSON, SECRET("basic-auth", "\"username\":\"u\"")), 201);
    ASSERT_ANSWER(&s, "PATCH", SECRETS "/s", MERGE, "{\"data\":{\"username\":null}}", 422,
                  "data[username]: Required value");
    scene_close(&s);
}

TEST_FAILING_ALLOC(secret_check, survives_every_lack_of_memory)
{
    static const char *const bodies[] = { SECRET("tls", ""),
                                          SECRET("dockercfg", "\".dockercfg\":\"[]\"") };
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);

    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0] && code == KIN_OK; i++) {
        int status = ask(&s, "POST", SECRETS, JSON, bodies[i]);
        code = status == 0 ? KIN_ERR_NO_MEMORY : status == 422 ? KIN_OK : KIN_ERR_USAGE;
    }
    scene_close(&s);
    return code;
}
