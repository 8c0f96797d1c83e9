/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission.c - places, and who gets them.
 *
 * Invariants
 *   - a ticket is in at most one of: a queue (is_waiting), a lane (seats)
 *   - seats->taken is the number of tickets with these seats, ->placed that of the placed ones
 *   - lanes of HTTP/2 are opened only while their capacities sum up to less than
 *     http2_connections * streams; what a full or draining lane cannot carry does not count
 */
#include "net/admission.h"

#include <assert.h>

#define DEFAULT_STREAMS 100u
#define DEFAULT_HTTP2_CONNECTIONS 12u
#define DEFAULT_HTTP1_CONNECTIONS 1024u
/* Of the places that classes share, each rank above a class keeps one in so many for itself. */
#define RESERVE_SHARE 16u

static void set_protocol(kin__admission *admission, kin__protocol protocol);
static kin__admission_answer next_of_class(kin__admission *admission, kin__http_class class_);
static kin__seats *find_room(const kin__admission *admission, kin__http_class class_);
static bool has_room(const kin__admission *admission, const kin__seats *seats,
                     kin__http_class class_);
static bool has_pool_room(const kin__admission *admission, kin__http_class class_);
static bool may_open(const kin__admission *admission, kin__http_class class_);
static kin__seats *find_spare(const kin__admission *admission, uint32_t group);
static uint32_t count_waiting(const kin__admission *admission, uint32_t group);
static uint32_t count_coming(const kin__admission *admission, uint32_t group);
static uint64_t count_capacity(const kin__admission *admission);
static uint32_t count_group(const kin__admission *admission, uint32_t group);
static bool is_usable(const kin__admission *admission, const kin__seats *seats);
static uint32_t group_of(const kin__admission *admission, kin__http_class class_);
static uint32_t rank_of(kin__http_class class_);
static uint32_t reserve_for(uint32_t places, kin__http_class class_);
static void take(kin__ticket *ticket, kin__seats *seats);
static void give_back(kin__admission *admission, kin__ticket *ticket);
static void queue_remove(kin__ticket_queue *queue, kin__ticket *ticket);

void kin__admission_init(kin__admission *admission, uint32_t streams, uint32_t connections,
                         kin__protocol protocol)
{
    *admission = (kin__admission){
        .streams = streams != 0 ? streams : DEFAULT_STREAMS,
        .http2_connections = connections != 0 ? connections : DEFAULT_HTTP2_CONNECTIONS,
        .http1_connections = connections != 0 ? connections : DEFAULT_HTTP1_CONNECTIONS,
        .protocol = protocol,
    };
}

void kin__admission_wait(kin__admission *admission, kin__ticket *ticket)
{
    kin__ticket_queue *queue = &admission->waiting[ticket->class_];
    assert(!ticket->is_waiting && ticket->seats == NULL);
    ticket->next = NULL;
    ticket->previous = queue->last;
    if (queue->last != NULL) {
        queue->last->next = ticket;
    } else {
        queue->first = ticket;
    }
    queue->last = ticket;
    queue->count++;
    ticket->is_waiting = true;
}

void kin__admission_leave(kin__admission *admission, kin__ticket *ticket)
{
    if (ticket->is_waiting) {
        queue_remove(&admission->waiting[ticket->class_], ticket);
    }
    if (ticket->seats != NULL) {
        give_back(admission, ticket);
    }
}

kin__admission_answer kin__admission_next(kin__admission *admission)
{
    static const kin__http_class order[] = { KIN__HTTP_WRITE, KIN__HTTP_READ, KIN__HTTP_WATCH };
    kin__admission_answer answer = { .step = KIN__ADMIT_NONE };

    for (size_t i = 0; i < KIN__HTTP_CLASSES && answer.step == KIN__ADMIT_NONE; i++) {
        if (admission->waiting[order[i]].count != 0) {
            answer = next_of_class(admission, order[i]);
        }
    }
    return answer;
}

void kin__admission_add(kin__admission *admission, kin__seats *seats,
                        const kin__admission_answer *answer)
{
    *seats = (kin__seats){
        .is_pool = answer->is_pool,
        .group = answer->group,
        .capacity = answer->is_pool ? admission->http1_connections : admission->streams,
        .previous = admission->last_lane,
    };
    if (admission->last_lane != NULL) {
        admission->last_lane->next = seats;
    } else {
        admission->first_lane = seats;
    }
    admission->last_lane = seats;
    admission->lane_count++;
}

void kin__admission_remove(kin__admission *admission, kin__seats *seats)
{
    assert(seats->taken == 0);
    if (seats->previous != NULL) {
        seats->previous->next = seats->next;
    } else {
        admission->first_lane = seats->next;
    }
    if (seats->next != NULL) {
        seats->next->previous = seats->previous;
    } else {
        admission->last_lane = seats->previous;
    }
    admission->lane_count--;
}

void kin__admission_placed(kin__admission *admission, kin__ticket *ticket)
{
    kin__seats *seats = ticket->seats;
    if (seats == NULL || ticket->is_placed) {
        return;
    }
    ticket->is_placed = true;
    seats->placed++;
    if (admission->protocol == KIN__PROTOCOL_UNKNOWN && seats->placed > 1) {
        set_protocol(admission, KIN__PROTOCOL_HTTP2);
    }
}

/*
 * That a lane refuses a second time, with fewer on it than when it was full, means that it does not
 * fill up again: the server wants to be rid of the connection.  One that had its place and lost it
 * says nothing of the protocol.
 */
void kin__admission_refused(kin__admission *admission, kin__ticket *ticket)
{
    kin__seats *seats = ticket->seats;
    kin__ticket_queue *queue = &admission->waiting[ticket->class_];
    bool was_placed = ticket->is_placed;

    give_back(admission, ticket);
    if (admission->protocol == KIN__PROTOCOL_UNKNOWN && !was_placed) {
        set_protocol(admission, KIN__PROTOCOL_HTTP1);
    } else if (seats->taken != 0) {
        seats->is_draining = seats->refusals > 0;
        seats->refusals++;
        seats->capacity = seats->taken;
    }
    ticket->previous = NULL;
    ticket->next = queue->first;
    if (queue->first != NULL) {
        queue->first->previous = ticket;
    } else {
        queue->last = ticket;
    }
    queue->first = ticket;
    queue->count++;
    ticket->is_waiting = true;
}

void kin__admission_answered(kin__admission *admission, kin__ticket *ticket, bool is_http2)
{
    if (ticket->seats != NULL) {
        ticket->seats->is_answered = true;
        set_protocol(admission, is_http2 ? KIN__PROTOCOL_HTTP2 : KIN__PROTOCOL_HTTP1);
    }
}

uint32_t kin__admission_count_waiting(const kin__admission *admission)
{
    uint32_t count = 0;
    for (size_t i = 0; i < KIN__HTTP_CLASSES; i++) {
        count += admission->waiting[i].count;
    }
    return count;
}

/* With HTTP/1.1 the first lane becomes the pool; the others end when they are empty. */
static void set_protocol(kin__admission *admission, kin__protocol protocol)
{
    if (admission->protocol == protocol) {
        return;
    }
    admission->protocol = protocol;
    if (protocol != KIN__PROTOCOL_HTTP1) {
        return;
    }
    for (kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        if (!seats->is_retired) {
            seats->is_pool = true;
            seats->is_draining = false;
            seats->capacity = admission->http1_connections;
            return;
        }
    }
}

static kin__admission_answer next_of_class(kin__admission *admission, kin__http_class class_)
{
    kin__ticket *ticket = admission->waiting[class_].first;
    kin__admission_answer answer = { .step = KIN__ADMIT_NONE,
                                     .ticket = ticket,
                                     .is_pool = admission->protocol == KIN__PROTOCOL_HTTP1,
                                     .group = group_of(admission, class_) };

    answer.seats = find_room(admission, class_);
    if (answer.seats == NULL && !answer.is_pool) {
        answer.seats = find_spare(admission, answer.group);
    }
    if (answer.seats != NULL) {
        queue_remove(&admission->waiting[class_], ticket);
        take(ticket, answer.seats);
        answer.seats->group = answer.group;
        answer.step = KIN__ADMIT_PUT;
    } else if (may_open(admission, class_)) {
        answer.step = KIN__ADMIT_OPEN;
    }
    return answer;
}

/* Connections that are up come before those that are not: one more on them costs nothing. */
static kin__seats *find_room(const kin__admission *admission, kin__http_class class_)
{
    kin__seats *empty = NULL;

    for (kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        if (!seats->is_pool && seats->group != group_of(admission, class_)) {
            continue;
        }
        if (has_room(admission, seats, class_)) {
            if (seats->taken != 0) {
                return seats;
            }
            empty = empty != NULL ? empty : seats;
        }
    }
    bool is_coming =
        empty != NULL && !empty->is_pool &&
        count_waiting(admission, empty->group) <= count_coming(admission, empty->group);
    return is_coming ? NULL : empty;
}

static bool has_room(const kin__admission *admission, const kin__seats *seats,
                     kin__http_class class_)
{
    if (!is_usable(admission, seats)) {
        return false;
    }
    if (seats->is_pool) {
        return has_pool_room(admission, class_);
    }
    if (seats->taken == 0 || seats->placed == 0) {
        return seats->taken == 0;
    }
    uint32_t limit = seats->capacity;
    if (!seats->is_answered && limit > KIN__STREAMS_EARLY) {
        limit = KIN__STREAMS_EARLY;
    }
    if (admission->protocol == KIN__PROTOCOL_UNKNOWN && limit > seats->placed + 1) {
        limit = seats->placed + 1;
    }
    uint32_t reserve =
        admission->http2_connections < KIN__HTTP_CLASSES ? reserve_for(seats->capacity, class_) : 0;
    return seats->taken < limit && seats->taken + reserve < seats->capacity;
}

/* Requests on what were lanes of HTTP/2 have a connection each, too. */
static bool has_pool_room(const kin__admission *admission, kin__http_class class_)
{
    uint32_t taken = 0;
    for (const kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        taken += seats->taken;
    }
    return taken + reserve_for(admission->http1_connections, class_) < admission->http1_connections;
}

static bool may_open(const kin__admission *admission, kin__http_class class_)
{
    uint32_t group = group_of(admission, class_);

    if (admission->protocol == KIN__PROTOCOL_HTTP1) {
        for (const kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
            if (is_usable(admission, seats)) {
                return false;
            }
        }
        return has_pool_room(admission, class_);
    }
    if (admission->lane_count >= KIN__LANES_MAX) {
        return false;
    }
    if (admission->protocol == KIN__PROTOCOL_UNKNOWN && count_group(admission, group) != 0) {
        return false;
    }
    if (count_waiting(admission, group) <= count_coming(admission, group)) {
        return false;
    }
    uint64_t kept = 0; /* lanes of groups of higher rank that are not there yet */
    for (uint32_t other = 0; other < group; other++) {
        kept += count_group(admission, other) == 0;
    }
    return count_capacity(admission) + kept * admission->streams <
           (uint64_t) admission->http2_connections * admission->streams;
}

/* An empty lane of a group that has others. */
static kin__seats *find_spare(const kin__admission *admission, uint32_t group)
{
    if (count_waiting(admission, group) <= count_coming(admission, group)) {
        return NULL;
    }
    for (kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        if (seats->group != group && seats->taken == 0 && is_usable(admission, seats) &&
            count_group(admission, seats->group) > 1) {
            return seats;
        }
    }
    return NULL;
}

static uint32_t count_waiting(const kin__admission *admission, uint32_t group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < KIN__HTTP_CLASSES; i++) {
        count +=
            group_of(admission, (kin__http_class) i) == group ? admission->waiting[i].count : 0;
    }
    return count;
}

/* Places there will be when the lanes that have been put to use are up and have answered. */
static uint32_t count_coming(const kin__admission *admission, uint32_t group)
{
    uint32_t count = 0;
    for (const kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        if (seats->group == group && is_usable(admission, seats) && seats->taken != 0 &&
            !seats->is_answered && !seats->is_pool) {
            count += seats->capacity - seats->taken;
        }
    }
    return count;
}

static uint64_t count_capacity(const kin__admission *admission)
{
    uint64_t count = 0;
    for (const kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        count += is_usable(admission, seats) ? seats->capacity : seats->taken;
    }
    return count;
}

static uint32_t count_group(const kin__admission *admission, uint32_t group)
{
    uint32_t count = 0;
    for (const kin__seats *seats = admission->first_lane; seats != NULL; seats = seats->next) {
        count += seats->group == group && is_usable(admission, seats);
    }
    return count;
}

static bool is_usable(const kin__admission *admission, const kin__seats *seats)
{
    return !seats->is_retired && !seats->is_draining &&
           seats->is_pool == (admission->protocol == KIN__PROTOCOL_HTTP1);
}

/* The number of classes that come before it; also the number of its group. */
static uint32_t rank_of(kin__http_class class_)
{
    switch (class_) {
    case KIN__HTTP_WRITE:
        return 0;
    case KIN__HTTP_READ:
        return 1;
    case KIN__HTTP_WATCH:
        break;
    }
    return 2;
}

/* With two connections reads go with the writes, with one all go together. */
static uint32_t group_of(const kin__admission *admission, kin__http_class class_)
{
    uint32_t rank = rank_of(class_);
    switch (admission->http2_connections) {
    case 1:
        return 0;
    case 2:
        return rank == 2 ? 1 : 0;
    default:
        return rank;
    }
}

static uint32_t reserve_for(uint32_t places, kin__http_class class_)
{
    uint32_t share = places / RESERVE_SHARE;
    if (share == 0 && places >= KIN__HTTP_CLASSES) {
        share = 1;
    }
    return share * rank_of(class_);
}

static void take(kin__ticket *ticket, kin__seats *seats)
{
    seats->taken++;
    ticket->seats = seats;
    ticket->is_placed = false;
}

/* An empty lane begins anew, on a new connection or one that has room. */
static void give_back(kin__admission *admission, kin__ticket *ticket)
{
    kin__seats *seats = ticket->seats;

    seats->taken--;
    seats->placed -= ticket->is_placed;
    ticket->seats = NULL;
    ticket->is_placed = false;
    if (seats->taken == 0) {
        seats->is_draining = false;
        seats->is_answered = false;
        seats->refusals = 0;
        seats->capacity = seats->is_pool ? admission->http1_connections : admission->streams;
    }
}

static void queue_remove(kin__ticket_queue *queue, kin__ticket *ticket)
{
    if (ticket->previous != NULL) {
        ticket->previous->next = ticket->next;
    } else {
        queue->first = ticket->next;
    }
    if (ticket->next != NULL) {
        ticket->next->previous = ticket->previous;
    } else {
        queue->last = ticket->previous;
    }
    queue->count--;
    ticket->previous = NULL;
    ticket->next = NULL;
    ticket->is_waiting = false;
}
