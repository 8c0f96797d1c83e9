/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_body_test.c - a list as pieces.
 */
#include "server/list_body.h"

#include "proto/envelope.h"
#include "proto/render.h"
#include "unit/server/reading.h"

#define MANY 500
#define HEAD (sizeof "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"," - 1)

static desk d;

static void open_with_many(void)
{
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    for (size_t i = 0; i < MANY; i++) {
        char json[256];
        (void) snprintf(json, sizeof json,
                        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                        "\"c-%04zu\",\"uid\":\"%zu\",\"resourceVersion\":\"%%llu\"},\"data\":{"
                        "\"k\":\"%0*d\"}}",
                        i, i, (int) (i % 100), 0);
        desk_put(&d, desk_served(&d, "", "v1", "configmaps"), json);
    }
}

static void take_all(kin__listing *listing)
{
    const kin__range all = { 0 };
    kin_error err;
    ASSERT_OK(kin__collection_list(desk_served(&d, "", "v1", "configmaps")->collection, &all,
                                   listing, &err));
}

static kin__body open_body(kin__listing *listing, const kin__form *form)
{
    const kin__list_meta meta = { .resource_version = STR("77") };
    const kin__list_body_options options = { desk_served(&d, "", "v1", "configmaps"), form, &meta };
    AUTO(kin__refusal_fini) kin__refusal no = { 0 };
    kin__body body;

    ASSERT_TRUE(kin__list_body_new(&options, listing, &body, &no));
    return body;
}

static void read_all(kin__body *body, kin__buf *out)
{
    kin__body_state state = KIN__BODY_MORE;
    while (state == KIN__BODY_MORE) {
        kin__body_pieces pieces = { .count = 0 };
        state = body->next(body->context, &pieces);
        ASSERT_TRUE(pieces.count > 0 && pieces.count <= KIN__BODY_PIECES);
        for (size_t i = 0; i < pieces.count; i++) {
            ASSERT_TRUE(kin__buf_append_str(out, pieces.pieces[i]));
        }
    }
    ASSERT_EQ(state, KIN__BODY_END);
}

TEST(list_body, sends_items_from_where_they_lie)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    kin__form form = { .encoding = KIN__FORM_JSON };
    open_with_many();
    take_all(&listing);
    kin__record *second = listing.records[1];
    kin__body body = open_body(&listing, &form);

    kin__body_pieces pieces = { .count = 0 };
    ASSERT_EQ(body.next(body.context, &pieces), KIN__BODY_MORE);

    ASSERT_SLICE_EQ(pieces.pieces[1], "{");
    ASSERT_SLICE_EQ(pieces.pieces[3], ",{");
    kin_str whole = kin__record_text(second);
    ASSERT_TRUE(pieces.pieces[4].data + pieces.pieces[4].len == whole.data + whole.len);
    ASSERT_TRUE(pieces.pieces[4].data == strstr(whole.data, "\"metadata\""));
    body.release(body.context);
    desk_close(&d);
}

TEST(list_body, has_all_items_in_order)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    AUTO(kin__buf_fini) kin__buf got = { 0 };
    AUTO(kin__buf_fini) kin__buf want = { 0 };
    kin__form form = { .encoding = KIN__FORM_JSON };
    open_with_many();
    take_all(&listing);
    (void) kin__buf_append_format(&want, "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\","
                                         "\"metadata\":{\"resourceVersion\":\"77\"},\"items\":[");
    for (size_t i = 0; i < listing.count; i++) {
        kin_str whole = kin__record_text(listing.records[i]);
        (void) kin__buf_append_format(&want, "%s{%.*s", i > 0 ? "," : "", (int) (whole.len - 38),
                                      whole.data + 38);
    }
    (void) kin__buf_append_format(&want, "]}\n");

    kin__body body = open_body(&listing, &form);
    read_all(&body, &got);

    ASSERT_TRUE(kin__str_equal(kin__str(got.data, got.len), kin__str(want.data, want.len)));
    body.release(body.context);
    desk_close(&d);
}

TEST(list_body, says_the_same_in_protobuf)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    AUTO(kin__buf_fini) kin__buf proto = { 0 };
    AUTO(kin__buf_fini) kin__buf json = { 0 };
    AUTO(kin__buf_fini) kin__buf back = { 0 };
    kin__form form = { .encoding = KIN__FORM_PROTO };
    kin__pb_rendering rendering = { .kind = STR("ConfigMapList"),
                                    .api_version = STR("v1"),
                                    .is_list_answer = true };
    kin__pb_envelope envelope = { 0 };
    kin_error err;
    open_with_many();

    take_all(&listing);
    kin__body body = open_body(&listing, &form);
    read_all(&body, &proto);
    body.release(body.context);
    form.encoding = KIN__FORM_JSON;
    take_all(&listing);
    body = open_body(&listing, &form);
    read_all(&body, &json);
    body.release(body.context);

    ASSERT_OK(kin__pb_envelope_parse(kin__str(proto.data, proto.len), 0, &envelope, &err));
    ASSERT_SLICE_EQ(envelope.kind, "ConfigMapList");
    ASSERT_SLICE_EQ(envelope.api_version, "v1");
    ASSERT_OK(kin__pb_render(kin__pb_message_of(STR("v1"), STR("ConfigMapList")), envelope.message,
                             &rendering, &back, &err));
    ASSERT_TRUE(kin__buf_append_byte(&back, '\n'));
    ASSERT_TRUE(kin__str_equal(kin__str(back.data, back.len), kin__str(json.data, json.len)));
    desk_close(&d);
}

/* Recorded from a real server but for the version. */
TEST(list_body, of_no_items_is_what_a_real_server_sends)
{
    static const char want[] = "k8s\0\n\x13\n\x02v1\x12\rConfigMapList\x12\n\n\x08\n\0\x12\x02"
                               "77\x1a\0\x1a\0\"";
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    AUTO(kin__buf_fini) kin__buf got = { 0 };
    AUTO(kin__buf_fini) kin__buf partial = { 0 };
    kin__form form = { .encoding = KIN__FORM_PROTO };
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));

    kin__body body = open_body(&listing, &form);
    read_all(&body, &got);
    body.release(body.context);
    ASSERT_TRUE(kin__str_equal(kin__str(got.data, got.len), kin__str(want, sizeof want)));

    form = (kin__form){ .shape = KIN__SHAPE_PARTIAL_LIST };
    body = open_body(&listing, &form);
    read_all(&body, &partial);
    body.release(body.context);
    ASSERT_SLICE_EQ(kin__str(partial.data, partial.len),
                    "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                    "\"metadata\":{\"resourceVersion\":\"77\"},\"items\":null}\n");
    desk_close(&d);
}

TEST(list_body, of_metadata_has_whole_items)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    AUTO(kin__buf_fini) kin__buf got = { 0 };
    kin__form form = { .shape = KIN__SHAPE_PARTIAL_LIST };
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    desk_put(&d, desk_served(&d, "", "v1", "configmaps"), CONFIG_MAP("a", "1"));
    take_all(&listing);

    kin__body body = open_body(&listing, &form);
    read_all(&body, &got);

    ASSERT_SLICE_EQ(kin__str(got.data, got.len),
                    "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                    "\"metadata\":{\"resourceVersion\":\"77\"},\"items\":[{\"kind\":"
                    "\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
                    "\"name\":\"a\",\"namespace\":\"demo\",\"resourceVersion\":\"2\",\"labels\":{"
                    "\"n\":\"1\"}}}]}\n");
    body.release(body.context);
    desk_close(&d);
}

TEST(list_body, keeps_its_records_until_it_is_released)
{
    AUTO(kin__listing_fini) kin__listing listing = { 0 };
    kin__form form = { .encoding = KIN__FORM_JSON };
    kin_error err;
    ASSERT_OK(desk_open(&d, &err));
    const kin__served *maps = desk_served(&d, "", "v1", "configmaps");
    desk_put(&d, maps, CONFIG_MAP("a", "1"));
    take_all(&listing);
    kin__record *record = kin__record_ref(listing.records[0]);

    kin__body body = open_body(&listing, &form);
    ASSERT_EQ(listing.count, 0);
    ASSERT_OK(kin__collection_remove(maps->collection, STR("demo/a"), &err));
    kin__storage_compact(d.s.storage, kin__storage_revision(d.s.storage));
    ASSERT_EQ(record->refs, 2);
    body.release(body.context); /* before a single piece was taken */

    ASSERT_EQ(record->refs, 1);
    kin__record_unref(record);
    desk_close(&d);
}
