/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets_test.c - that secrets stay where they belong: in no message, no line of the log, and in
 * no memory that is released.
 */
#include <stdlib.h>

#include "config/credentials.h"
#include "kin/sys/allocator.h"
#include "unit/config/making.h"

/* Each secret holds this; in base64 its middle is PLANTED64, as every secret begins with it. */
#define PLANTED "PLANTEDSECRET"
#define PLANTED64 "UExBTlRFRFNFQ1JFV"
#define V1 "client.authentication.k8s.io/v1"

#define SECRET_KEY64 PLANTED64 "C0tLS0tQkVHSU4gWC0tLS0tRU5EIFg="

#define SECRET_USER(rest)                                                                          \
    "apiVersion: v1\nkind: Config\ncurrent-context: here\n"                                        \
    "contexts:\n- name: here\n  context: {cluster: c, user: u, namespace: ns}\n"                   \
    "clusters:\n- name: c\n  cluster:\n    server: https://s\n"                                    \
    "    proxy-url: http://me:" PLANTED "@p\n"                                                     \
    "    extensions:\n    - name: client.authentication.k8s.io/exec\n"                             \
    "      extension: {secret: " PLANTED "}\n"                                                     \
    "users:\n- name: u\n  user:\n" rest "- name: other\n  user:\n    token: '" PLANTED             \
    "'\n    client-key-data: " SECRET_KEY64 "\n"

static const char exec_user[] =
    SECRET_USER("    as: a\n    exec:\n      command: plug\n      args: [x]\n"
                "      env:\n      - name: A\n        value: " PLANTED "\n"
                "      apiVersion: " V1 "\n      interactiveMode: Never\n"
                "      provideClusterInfo: true\n");
static const char basic_user[] =
    SECRET_USER("    username: me\n    password: " PLANTED "\n"
                "    client-certificate-data: " PEM64 "\n    client-key-data: " SECRET_KEY64 "\n");
static const char token_user[] = SECRET_USER("    token: \"" PLANTED "\"\n    tokenFile: t\n");

/* Either half will do: a test may have broken the other one. */
static bool holds_secret(const char *bytes, size_t len)
{
    static const char *const parts[] = { "PLANTED", "SECRET", PLANTED64 };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (memmem(bytes, len, parts[i], strlen(parts[i])) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- an allocator that looks at what is given back ---------------------------------------- */

typedef struct block {
    size_t size;
    size_t padding;
} block;

static int dirty_blocks;

static void *looking_alloc(void *context, size_t bytes)
{
    (void) context;
    block *made = malloc(sizeof *made + bytes);
    if (made == NULL) {
        return NULL;
    }
    made->size = bytes;
    memset(made + 1, 0, bytes);
    return made + 1;
}

static void looking_release(void *context, void *memory)
{
    (void) context;
    block *old = (block *) memory - 1;
    if (holds_secret(memory, old->size)) {
        dirty_blocks++;
    }
    free(old);
}

/* As if the block always moved: what it held stays behind. */
static void *looking_realloc(void *context, void *memory, size_t bytes)
{
    char *made = looking_alloc(context, bytes);
    if (made != NULL && memory != NULL) {
        size_t size = ((block *) memory - 1)->size;
        memcpy(made, memory, size < bytes ? size : bytes);
        looking_release(context, memory);
    }
    return made;
}

static void use_looking_allocator(void)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    allocator.alloc = looking_alloc;
    allocator.realloc = looking_realloc;
    allocator.release = looking_release;
    ASSERT_OK(kin_allocator_set(&allocator, NULL));
}

/* ---- a life, from the file to the last request -------------------------------------------- */

static virtual_machine m;
static text said; /* all messages and lines of the log */

static void note(void *context, kin_log_level level, const char *component, const char *message)
{
    (void) level;
    (void) component;
    text_append(context, "%s|", message);
}

static void run_plugin(kin__credentials *credentials)
{
    static const char *const outputs[] = {
        PLANTED,
        "{\"kind\":\"" PLANTED "\"}",
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" PLANTED "\"}",
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" PLANTED
        "\\n\"}}",
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" PLANTED
        "\",\"clientKeyData\":\"" PLANTED "\"}}",
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" PLANTED
        "\\u0041\",\"clientKeyData\":\"" PLANTED "-----BEGIN X-----END \","
        "\"clientCertificateData\":\"-----BEGIN X-----END \"}}",
    };
    static size_t turn;
    kin__plugin_command command;
    kin_error err;
    bool is_ours;

    ASSERT_OK(kin__credentials_plugin(credentials, &is_ours, &command, &err));
    kin__credentials_plugin_ended(credentials, NULL, 0, kin_str_of(outputs[turn++ % 6]), STR("e"));
}

static void live(const char *yaml)
{
    kin__virtual_clock clock;
    kin_logger logger = { sizeof logger, &said, note, KIN_LOG_DEBUG, 0 };
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin__credentials *credentials = NULL;
    kin_config *config = NULL;
    kin__credential credential;
    kin_error err;
    virtual_machine_init(&m);
    set_file(&m, "/k/config", yaml);
    set_file(&m, "/k/t", PLANTED " 1\n");
    options.path = "/k/config";
    kin__virtual_clock_init(&clock, 0, (kin_time){ 0, 0 });
    ASSERT_OK(kin__config_load(&m.machine, &options, &config, &err));
    ASSERT_OK(kin__credentials_new(config, &clock.clock, &logger, &credentials, &err));
    (void) kin_config_unref(config);

    for (int round = 0; round < 14; round++) {
        kin__credentials_state state = kin__credentials_get(credentials, &credential, &err);
        if (state == KIN__CREDENTIALS_PLUGIN) {
            run_plugin(credentials);
            state = kin__credentials_get(credentials, &credential, &err);
        }
        if (state == KIN__CREDENTIALS_FAILED) {
            text_append(&said, "%s|", err.message);
        } else {
            ASSERT_EQ(state, KIN__CREDENTIALS_READY);
            ASSERT_TRUE(credential.headers[0] != NULL);
            (void) kin__credentials_refused(credentials, credential.version);
        }
        set_file(&m, "/k/t", round % 2 == 0 ? PLANTED "\n2" : PLANTED " 3");
        kin__virtual_clock_advance(&clock, 50000);
    }
    kin__credentials_free(credentials);
}

static void expect_clean_life(const char *yaml)
{
    dirty_blocks = 0;
    text_clear(&said);
    use_looking_allocator();

    live(yaml);

    use_test_allocator();
    ASSERT_EQ(dirty_blocks, 0);
    ASSERT_FALSE(holds_secret(said.chars, said.len));
}

TEST(secrets, the_allocator_of_this_test_sees_what_is_left_behind)
{
    dirty_blocks = 0;
    char *memory = looking_alloc(NULL, 100);
    memcpy(memory, PLANTED, sizeof PLANTED);

    looking_release(NULL, memory);

    ASSERT_EQ(dirty_blocks, 1);
}

TEST(secrets, are_overwritten_before_their_memory_is_released)
{
    expect_clean_life(exec_user);
    ASSERT_CONTAINS(said.chars, "its answer is no JSON");
    expect_clean_life(basic_user);
    expect_clean_life(token_user);
    ASSERT_CONTAINS(said.chars, "a line break or control character is in it");
}

/* Any byte of a kubeconfig may be wrong, and the message says so without a secret. */
static void expect_clean_messages(const char *yaml)
{
    static const char wrong[] = "\n\"':{}[]&*!|-#? \\x\t\0\xff";
    size_t len = strlen(yaml);
    char *copy = malloc(len);
    ASSERT_TRUE(copy != NULL);
    virtual_machine_init(&m);

    for (size_t at = 0; at < len; at++) {
        for (size_t i = 0; i < sizeof wrong; i++) {
            kin_config *config = NULL;
            kin_error err;
            memcpy(copy, yaml, len);
            copy[at] = wrong[i];
            size_t part = i + 1 == sizeof wrong ? at : len; /* the last one cuts the text short */
            if (kin__config_from_text(&m.machine, kin__str(copy, part), NULL, &no_options, &config,
                                      &err) != KIN_OK &&
                holds_secret(err.message, strlen(err.message))) {
                FAIL("%s", err.message);
            }
            (void) kin_config_unref(config);
        }
    }
    free(copy);
}

TEST(secrets, are_in_no_message_whichever_byte_of_a_kubeconfig_is_wrong)
{
    expect_clean_messages(exec_user);
    expect_clean_messages(basic_user);
    expect_clean_messages(token_user);
}

TEST(secrets, given_as_options_are_in_no_message)
{
    static const kin_config_options wishes[] = {
        { .size = sizeof(kin_config_options), .token = PLANTED "\n" },
        { .size = sizeof(kin_config_options), .server = "https://me:" PLANTED "@s" },
        { .size = sizeof(kin_config_options), .server = "ftp://me:" PLANTED "@s" },
        { .size = sizeof(kin_config_options), .server = "https://s/ " PLANTED },
    };
    virtual_machine_init(&m);

    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        kin_config *config = NULL;
        kin_error err;
        ASSERT_ERR(kin__config_from_text(&m.machine, STR(USER("token: t")), NULL, &wishes[i],
                                         &config, &err),
                   KIN_ERR_USAGE);
        ASSERT_FALSE(holds_secret(err.message, strlen(err.message)));
    }
}
