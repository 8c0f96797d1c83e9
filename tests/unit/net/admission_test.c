/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission_test.c - who gets a place, without a socket.
 */
#include "net/admission.h"

#include "support/random.h"
#include "support/test.h"

#define TICKETS 4000
#define LANES 1200

/* An admission with the lanes it has opened, and connections that come up when told. */
typedef struct house {
    kin__admission admission;
    kin__ticket tickets[TICKETS];
    kin__seats lanes[LANES];
    int lane_count;
    uint32_t server_streams; /* what the server allows on a connection; 0: any number */
    bool is_http1;           /* what it speaks */
    bool is_slow;            /* it does not answer by itself */
} house;

static house h;

static void open_house(uint32_t streams, uint32_t connections, kin__protocol protocol)
{
    kin__admission_init(&h.admission, streams, connections, protocol);
}

static kin__ticket *wait_as(int number, kin__http_class class_)
{
    kin__ticket *ticket = &h.tickets[number];
    ticket->class_ = class_;
    kin__admission_wait(&h.admission, ticket);
    return ticket;
}

/* A connection that is up takes a request or refuses it. */
static void put(kin__ticket *ticket, kin__seats *seats, bool was_up)
{
    uint32_t limit = h.is_http1 ? 1 : h.server_streams != 0 ? h.server_streams : UINT32_MAX;
    if (was_up && !seats->is_pool && seats->taken > limit) {
        kin__admission_refused(&h.admission, ticket);
    } else if (was_up || seats->is_pool) {
        kin__admission_placed(&h.admission, ticket);
    }
}

/* Does all that can be done before a connection comes up. */
static void settle(void)
{
    for (;;) {
        kin__admission_answer answer = kin__admission_next(&h.admission);
        if (answer.step == KIN__ADMIT_NONE) {
            return;
        }
        if (answer.step == KIN__ADMIT_OPEN) {
            ASSERT_TRUE(h.lane_count < LANES);
            kin__admission_add(&h.admission, &h.lanes[h.lane_count++], &answer);
        } else {
            ASSERT_TRUE(answer.ticket->seats == answer.seats);
            put(answer.ticket, answer.seats, answer.seats->placed != 0);
        }
    }
}

static void come_up(kin__ticket *ticket)
{
    kin__admission_placed(&h.admission, ticket);
    settle();
    if (!h.is_slow && ticket->seats != NULL) {
        kin__admission_answered(&h.admission, ticket, !h.is_http1);
        settle();
    }
}

/* Lets connections come up until nothing changes any more. */
static void run(int count)
{
    settle();
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int i = 0; i < count; i++) {
            if (h.tickets[i].seats != NULL && !h.tickets[i].is_placed) {
                come_up(&h.tickets[i]);
                is_changed = true;
            }
        }
    }
}

static uint32_t count_used_lanes(void)
{
    uint32_t count = 0;
    for (const kin__seats *seats = h.admission.first_lane; seats != NULL; seats = seats->next) {
        count += seats->taken != 0;
    }
    return count;
}

TEST(admission, opens_a_lane_for_the_first_request)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    kin__ticket *first = wait_as(0, KIN__HTTP_READ);

    kin__admission_answer answer = kin__admission_next(&h.admission);

    ASSERT_EQ(answer.step, KIN__ADMIT_OPEN);
    ASSERT_FALSE(answer.is_pool);
    ASSERT_TRUE(answer.ticket == first);
    ASSERT_TRUE(first->is_waiting);
    kin__admission_add(&h.admission, &h.lanes[0], &answer);
    answer = kin__admission_next(&h.admission);
    ASSERT_EQ(answer.step, KIN__ADMIT_PUT);
    ASSERT_TRUE(answer.seats == &h.lanes[0]);
    ASSERT_FALSE(first->is_waiting);
    ASSERT_EQ(kin__admission_next(&h.admission).step, KIN__ADMIT_NONE);
}

TEST(admission, lets_others_wait_while_the_protocol_is_not_known)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    for (int i = 0; i < 200; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }

    settle();

    ASSERT_EQ(h.lane_count, 1);
    ASSERT_EQ(h.lanes[0].taken, 1);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 199);
}

TEST(admission, takes_a_second_place_on_a_connection_for_http2)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.is_slow = true;
    for (int i = 0; i < 3; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    settle();

    come_up(&h.tickets[0]);

    ASSERT_EQ(h.admission.protocol, KIN__PROTOCOL_HTTP2);
    ASSERT_EQ(h.lanes[0].taken, 3);
    ASSERT_EQ(h.lane_count, 1);
}

TEST(admission, takes_a_refused_second_place_for_http1)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.is_slow = true;
    h.is_http1 = true;
    for (int i = 0; i < 3; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    settle();

    come_up(&h.tickets[0]);

    ASSERT_EQ(h.admission.protocol, KIN__PROTOCOL_HTTP1);
    ASSERT_EQ(h.lane_count, 1);
    ASSERT_TRUE(h.lanes[0].is_pool);
    ASSERT_EQ(h.lanes[0].taken, 3);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 0);
}

TEST(admission, learns_nothing_of_the_protocol_from_a_place_that_was_lost)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.is_slow = true;
    kin__ticket *first = wait_as(0, KIN__HTTP_READ);
    settle();
    come_up(first);

    kin__admission_refused(&h.admission, first);

    ASSERT_EQ(h.admission.protocol, KIN__PROTOCOL_UNKNOWN);
    ASSERT_TRUE(first->is_waiting);
    settle();
    ASSERT_EQ(h.lane_count, 1);
    ASSERT_FALSE(h.lanes[0].is_pool);
    ASSERT_TRUE(first->seats == &h.lanes[0]);
}

TEST(admission, has_one_pool_when_several_lanes_turn_out_to_be_http1)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.is_http1 = true;
    (void) wait_as(0, KIN__HTTP_READ);
    (void) wait_as(1, KIN__HTTP_WRITE);
    (void) wait_as(2, KIN__HTTP_WATCH);
    run(3);
    ASSERT_EQ(h.lane_count, 3);

    for (int i = 3; i < 20; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    run(20);

    ASSERT_EQ(h.lane_count, 3);
    ASSERT_EQ(h.lanes[0].taken, 18);
    ASSERT_FALSE(h.lanes[1].is_pool || h.lanes[2].is_pool);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 0);
}

TEST(admission, believes_the_answer_more_than_its_guess)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.is_slow = true;
    h.is_http1 = true;
    (void) wait_as(0, KIN__HTTP_READ);
    (void) wait_as(1, KIN__HTTP_READ);
    settle();
    come_up(&h.tickets[0]);

    kin__admission_answered(&h.admission, &h.tickets[1], true);

    ASSERT_EQ(h.admission.protocol, KIN__PROTOCOL_HTTP2);
}

TEST(admission, has_a_thousand_watches_a_list_and_a_write_on_twelve_lanes)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    for (int i = 0; i < 1500; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(1500);
    ASSERT_EQ(h.lane_count, 10);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 500);

    kin__ticket *read = wait_as(1500, KIN__HTTP_READ);
    kin__ticket *write = wait_as(1501, KIN__HTTP_WRITE);
    run(1502);

    ASSERT_TRUE(read->is_placed);
    ASSERT_TRUE(write->is_placed);
    ASSERT_EQ(h.lane_count, 12);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 500);
}

TEST(admission, keeps_a_lane_for_writes_when_there_are_very_many_reads)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    for (int i = 0; i < 2000; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    run(2000);
    ASSERT_EQ(h.lane_count, 11);

    kin__ticket *write = wait_as(2000, KIN__HTTP_WRITE);
    run(2001);

    ASSERT_TRUE(write->is_placed);
    ASSERT_EQ(h.lane_count, 12);
}

TEST(admission, opens_no_more_lanes_than_are_wanted)
{
    open_house(0, 0, KIN__PROTOCOL_HTTP2);
    h.is_slow = true;
    for (int i = 0; i < 250; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }

    settle();

    ASSERT_EQ(h.lane_count, 3); /* at once, not one after the other */
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 247);
}

TEST(admission, puts_few_on_a_connection_that_has_not_answered)
{
    open_house(0, 0, KIN__PROTOCOL_HTTP2);
    h.is_slow = true;
    for (int i = 0; i < 50; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    settle();

    come_up(&h.tickets[0]);
    ASSERT_EQ(h.lanes[0].taken, KIN__STREAMS_EARLY);
    kin__admission_answered(&h.admission, &h.tickets[0], true);
    settle();

    ASSERT_EQ(h.lanes[0].taken, 50);
}

TEST(admission, gives_a_free_place_to_who_waits_longest)
{
    open_house(2, 3, KIN__PROTOCOL_HTTP2);
    for (int i = 0; i < 5; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(5);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 3);

    kin__admission_leave(&h.admission, &h.tickets[0]);
    run(5);

    ASSERT_TRUE(h.tickets[2].seats != NULL);
    ASSERT_TRUE(h.tickets[3].is_waiting);
}

TEST(admission, forgets_who_leaves_the_queue)
{
    open_house(1, 3, KIN__PROTOCOL_HTTP2);
    for (int i = 0; i < 4; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(4);

    kin__admission_leave(&h.admission, &h.tickets[2]);
    kin__admission_leave(&h.admission, &h.tickets[1]);
    kin__admission_leave(&h.admission, &h.tickets[0]);
    run(4);

    ASSERT_TRUE(h.tickets[3].is_placed);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 0);
}

TEST(admission, keeps_places_for_writes_and_reads_on_a_single_connection)
{
    open_house(16, 1, KIN__PROTOCOL_HTTP2);
    for (int i = 0; i < 30; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(30);
    ASSERT_EQ(h.lane_count, 1);
    ASSERT_EQ(h.lanes[0].taken, 14);

    for (int i = 30; i < 40; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    run(40);
    ASSERT_EQ(h.lanes[0].taken, 15);
    kin__ticket *write = wait_as(40, KIN__HTTP_WRITE);
    run(41);

    ASSERT_TRUE(write->is_placed);
    ASSERT_EQ(h.lane_count, 1);
}

TEST(admission, keeps_watches_apart_on_two_connections)
{
    open_house(4, 2, KIN__PROTOCOL_HTTP2);
    for (int i = 0; i < 10; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(10);
    ASSERT_EQ(h.lane_count, 1);
    kin__ticket *read = wait_as(10, KIN__HTTP_READ);
    kin__ticket *write = wait_as(11, KIN__HTTP_WRITE);
    run(12);

    ASSERT_TRUE(read->is_placed && write->is_placed);
    ASSERT_TRUE(read->seats == write->seats);
    ASSERT_EQ(h.lane_count, 2);
}

TEST(admission, opens_more_lanes_where_the_server_allows_fewer_streams)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.server_streams = 20;
    for (int i = 0; i < 1000; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }

    run(1000);

    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 0);
    ASSERT_EQ(h.lane_count, 50);
    for (int i = 0; i < h.lane_count; i++) {
        ASSERT_EQ(h.lanes[i].taken, 20);
    }
}

TEST(admission, tries_a_lane_again_that_was_full)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    h.server_streams = 20;
    for (int i = 0; i < 20; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(20);
    (void) wait_as(20, KIN__HTTP_WATCH);
    run(21);
    ASSERT_EQ(h.lane_count, 2);

    kin__admission_leave(&h.admission, &h.tickets[0]);
    (void) wait_as(0, KIN__HTTP_WATCH);
    run(21);

    ASSERT_TRUE(h.tickets[0].seats == &h.lanes[0]);
    ASSERT_FALSE(h.lanes[0].is_draining);
}

TEST(admission, leaves_a_lane_alone_that_refuses_again_until_it_is_empty)
{
    open_house(0, 0, KIN__PROTOCOL_UNKNOWN);
    for (int i = 0; i < 5; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(5);
    h.server_streams = 1; /* the server has had enough */
    for (int i = 5; i < 7; i++) {
        kin__admission_leave(&h.admission, &h.tickets[i - 5]);
        (void) wait_as(i, KIN__HTTP_WATCH);
        settle();
    }
    h.server_streams = 0;
    run(7);

    ASSERT_TRUE(h.lanes[0].is_draining);
    ASSERT_EQ(h.lanes[0].taken, 3);
    ASSERT_TRUE(h.tickets[5].is_placed && h.tickets[6].is_placed);
    for (int i = 2; i < 5; i++) {
        kin__admission_leave(&h.admission, &h.tickets[i]);
    }
    ASSERT_FALSE(h.lanes[0].is_draining);
    ASSERT_EQ(h.lanes[0].capacity, 100);
}

TEST(admission, gives_an_empty_lane_to_another_class)
{
    open_house(2, 4, KIN__PROTOCOL_HTTP2);
    for (int i = 0; i < 6; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    run(6);
    ASSERT_EQ(h.lane_count, 3);
    for (int i = 0; i < 6; i++) {
        kin__admission_leave(&h.admission, &h.tickets[i]);
    }

    for (int i = 10; i < 14; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    run(14);

    ASSERT_EQ(h.lane_count, 3);
    ASSERT_EQ(count_used_lanes(), 2);
    ASSERT_EQ(kin__admission_count_waiting(&h.admission), 0);
}

TEST(admission, puts_nothing_on_a_retired_lane)
{
    open_house(0, 0, KIN__PROTOCOL_HTTP2);
    (void) wait_as(0, KIN__HTTP_WATCH);
    run(1);
    h.lanes[0].is_retired = true;

    (void) wait_as(1, KIN__HTTP_WATCH);
    run(2);

    ASSERT_EQ(h.lanes[0].taken, 1);
    ASSERT_EQ(h.lanes[1].taken, 1);
    kin__admission_leave(&h.admission, &h.tickets[0]);
    kin__admission_remove(&h.admission, &h.lanes[0]);
    ASSERT_EQ(h.admission.lane_count, 1);
    ASSERT_TRUE(h.admission.first_lane == &h.lanes[1]);
}

TEST(admission, has_one_pool_for_http1_with_places_kept_for_writes_and_reads)
{
    open_house(0, 0, KIN__PROTOCOL_HTTP1);
    for (int i = 0; i < 1024; i++) {
        (void) wait_as(i, KIN__HTTP_WATCH);
    }
    settle();
    ASSERT_EQ(h.lane_count, 1);
    ASSERT_EQ(h.lanes[0].taken, 1024 - 128);

    for (int i = 1024; i < 1124; i++) {
        (void) wait_as(i, KIN__HTTP_READ);
    }
    settle();
    ASSERT_EQ(h.lanes[0].taken, 1024 - 64);
    for (int i = 1124; i < 1224; i++) {
        (void) wait_as(i, KIN__HTTP_WRITE);
    }
    settle();

    ASSERT_EQ(h.lanes[0].taken, 1024);
    ASSERT_EQ(h.lane_count, 1);
}

TEST(admission, lets_everybody_through_a_single_connection_of_http1)
{
    open_house(0, 1, KIN__PROTOCOL_HTTP1);
    (void) wait_as(0, KIN__HTTP_WATCH);
    (void) wait_as(1, KIN__HTTP_WRITE);
    settle();
    ASSERT_TRUE(h.tickets[1].seats != NULL);

    kin__admission_leave(&h.admission, &h.tickets[1]);
    settle();

    ASSERT_TRUE(h.tickets[0].seats != NULL);
}

/* Requests come and go in all classes; connections come up, refuse and drain. */
TEST(admission, never_loses_anybody_nor_takes_too_much)
{
    uint64_t random = random_start(20261116);
    static const kin__http_class classes[] = { KIN__HTTP_READ, KIN__HTTP_WATCH, KIN__HTTP_WRITE };
    open_house(10, 6, KIN__PROTOCOL_UNKNOWN);
    h.server_streams = 7;

    for (int round = 0; round < 20000; round++) {
        kin__ticket *ticket = &h.tickets[random_below(&random, 100)];
        if (!ticket->is_waiting && ticket->seats == NULL) {
            ticket->class_ = classes[random_below(&random, 3)];
            kin__admission_wait(&h.admission, ticket);
        } else {
            kin__admission_leave(&h.admission, ticket);
        }
        settle();
        kin__ticket *other = &h.tickets[random_below(&random, 100)];
        if (other->seats != NULL && !other->is_placed) {
            come_up(other);
        }
        uint32_t taken = 0;
        uint32_t waiting = 0;
        for (int i = 0; i < 100; i++) {
            taken += h.tickets[i].seats != NULL;
            waiting += h.tickets[i].is_waiting;
        }
        for (const kin__seats *seats = h.admission.first_lane; seats != NULL; seats = seats->next) {
            ASSERT_TRUE(seats->taken <= 7);
            ASSERT_TRUE(seats->placed <= seats->taken);
            taken -= seats->taken;
        }
        ASSERT_EQ(taken, 0);
        ASSERT_EQ(kin__admission_count_waiting(&h.admission), waiting);
    }
    run(100);
    uint32_t writes = 0;
    for (int i = 0; i < 100; i++) {
        writes += h.tickets[i].seats != NULL && h.tickets[i].class_ == KIN__HTTP_WRITE;
    }
    ASSERT_TRUE(h.admission.waiting[KIN__HTTP_WRITE].count == 0 || writes >= 7);
}
