/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_token_test.c - tokens that are signed, and known again.
 */
#include "server/service_token.h"

#include "server/field.h"
#include "unit/server/writing.h"

/* The token of an account "bot" with that uid, in `out`. */
static bool make(scene *s, kin_str uid, kin__buf *out)
{
    AUTO(kin__node_free) kin__node *audiences = kin__tree_of(STR("[\"a\",\"b\"]"));
    const kin__service_account account = {
        .ns = STR("default"), .name = STR("bot"), .uid = uid, .audiences = audiences, .lasts_s = 60
    };

    return audiences != NULL && kin__service_token_append(&s->engine, &account, out);
}

/* Whether it is known again. */
static bool is_good(const scene *s, kin_str token)
{
    AUTO(kin__node_free) kin__node *claims = kin__service_token_read(&s->engine, token);

    return claims != NULL;
}

/* Makes the account; its uid, up to the next answer. */
static kin_str make_account(scene *s)
{
    ASSERT_EQ(ask(s, "POST", DEFAULT "/serviceaccounts", JSON, "{\"metadata\":{\"name\":\"bot\"}}"),
              201);
    return kin__str(strstr(s->body, "\"uid\":\"") + strlen("\"uid\":\""), 36);
}

TEST(service_token, claims_what_it_was_made_for)
{
    scene s;
    kin_error err;
    AUTO(kin__buf_fini) kin__buf token = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(make(&s, make_account(&s), &token));
    AUTO(kin__node_free)
    kin__node *claims = kin__service_token_read(&s.engine, kin__str(token.data, token.len));
    ASSERT_TRUE(claims != NULL);
    ASSERT_SLICE_EQ(kin__field_text(claims, "sub"), "system:serviceaccount:default:bot");
    ASSERT_SLICE_EQ(kin__field_text(claims, "iss"), KIN__SERVICE_TOKEN_AUDIENCE);
    ASSERT_EQ(kin__node_count(kin__field(claims, "aud")), 2);
    int64_t made = 0, ends = 0;
    ASSERT_TRUE(kin__field_int64(claims, "iat", &made) && kin__field_int64(claims, "exp", &ends));
    ASSERT_EQ(ends - made, 60);
    scene_close(&s);
}

TEST(service_token, is_good_only_as_it_was_made)
{
    scene s;
    kin_error err;
    AUTO(kin__buf_fini) kin__buf token = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(make(&s, make_account(&s), &token));
    ASSERT_TRUE(is_good(&s, kin__str(token.data, token.len)));
    for (size_t i = 0; i < token.len; i++) {
        char was = token.data[i];
        ASSERT_FALSE(is_good(&s, kin__str(token.data, i)));
        token.data[i] = was == 'A' ? 'Q' : 'A';
        ASSERT_FALSE(is_good(&s, kin__str(token.data, token.len)));
        token.data[i] = was;
    }
    s.engine.token_key[0] ^= 1;
    ASSERT_FALSE(is_good(&s, kin__str(token.data, token.len)));
    scene_close(&s);
}

TEST(service_token, is_of_one_account_and_of_no_other_of_its_name)
{
    scene s;
    kin_error err;
    AUTO(kin__buf_fini) kin__buf token = { 0 };

    ASSERT_OK(scene_open(&s, &err));
    ASSERT_TRUE(make(&s, STR("another"), &token));
    ASSERT_FALSE(is_good(&s, kin__str(token.data, token.len)));
    (void) make_account(&s);
    ASSERT_FALSE(is_good(&s, kin__str(token.data, token.len)));
    scene_close(&s);
}

TEST_FAILING_ALLOC(service_token, survives_every_lack_of_memory)
{
    scene s;
    kin_error err;
    kin_err code = scene_open(&s, &err);
    AUTO(kin__buf_fini) kin__buf token = { 0 };

    if (code == KIN_OK) {
        code = make(&s, STR("uid"), &token) ? KIN_OK : KIN_ERR_NO_MEMORY;
    }
    scene_close(&s);
    return code;
}
