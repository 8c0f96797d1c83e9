/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_test.c - OpenSSL at the end of a process.
 */
#include "net/openssl.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/http.h"
#include "support/test.h"

/* What has taken itself down refuses to begin again. */
static void tell_whether_it_works(void)
{
    _exit(OPENSSL_init_crypto(0, NULL) == 1 ? 0 : 1);
}

/* Registered first, and so called last. */
static void end_with_a_client(void)
{
    kin_loop *loop = NULL;
    kin__http *http = NULL;

    ASSERT_EQ(atexit(tell_whether_it_works), 0);
    ASSERT_OK(kin_loop_new(NULL, &loop, NULL));
    ASSERT_OK(kin__http_new(&(kin__http_options){ .loop = loop, .base = "https://127.0.0.1:1" },
                            &http, &(kin_error){ 0 }));
    ASSERT_EQ(OPENSSL_init_crypto(0, NULL), 1);
    exit(2);
}

TEST(openssl, is_libcurls_own)
{
    ASSERT_TRUE(kin__openssl_is_shared());
}

TEST(openssl, works_until_the_process_is_gone)
{
    int status = 0;

    pid_t child = fork();
    if (child == 0) {
        end_with_a_client();
    }

    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
}
