/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache/delta_line.h - keys that stand in line in the order of their first delta, and the deltas of
 * each.
 *
 * All zero is an empty line.  A key with one delta costs its place in one array (48 bytes) and 5 to
 * 11 bytes of a table; keys are borrowed from the objects.  Memory goes back when nothing waits any
 * more.
 *
 * Threading: confined.
 */
#ifndef KIN_CACHE_DELTA_LINE_H
#define KIN_CACHE_DELTA_LINE_H

#include "base/cleanup.h"
#include "kin/object.h"

/* What happened to an object. */
typedef enum kin__delta_type {
    KIN__DELTA_ADDED,
    KIN__DELTA_UPDATED,
    KIN__DELTA_DELETED,
    KIN__DELTA_REPLACED, /* it was in the whole state that came */
    KIN__DELTA_SYNC      /* nothing: it is to be told again */
} kin__delta_type;

typedef struct kin__delta {
    kin_object *object; /* owned; NULL: a tombstone of which only the key is known */
    kin__delta_type type;
    bool is_tombstone; /* DELETED: nobody saw it happen; the object is the last known state */
} kin__delta;

/* A key and what happened to it, or a gap (count 0).  Moves when others come. */
typedef struct kin__deltas {
    const char *key;
    uint32_t len;  /* of the key */
    uint32_t hash; /* of the key: its lower half */
    uint32_t count;
    uint32_t capacity : 30; /* of `many`; 0: `one` is meant */
    uint32_t owns_key : 1;  /* else it is borrowed from the first delta's object */
    uint32_t is_initial : 1;
    uint32_t mark; /* the user's own, as `kept`; 0 at first */
    uint32_t kept;
    union {
        kin__delta one;
        kin__delta *many; /* owned */
    };
} kin__deltas;

typedef struct kin__delta_line {
    kin__deltas *keys; /* owned */
    size_t first;      /* those before are gone */
    size_t len;
    size_t capacity;
    size_t gaps; /* between `first` and `len` */
    size_t delta_count;
    uint32_t *slots;   /* owned; places in `keys`, counted from 1; 0: free */
    size_t slot_count; /* 0 or a power of two */
    uint64_t seed;     /* 0: none was chosen yet */
} kin__delta_line;

static inline kin_str kin__deltas_key(const kin__deltas *deltas)
{
    return (kin_str){ deltas->key, deltas->len };
}

/* `count` of them, the oldest first. */
static inline kin__delta *kin__deltas_all(kin__deltas *deltas)
{
    return deltas->capacity == 0 ? &deltas->one : deltas->many;
}

static inline kin__delta *kin__deltas_newest(kin__deltas *deltas)
{
    return &kin__deltas_all(deltas)[deltas->count - 1];
}

/* Drops them; leaves a gap. */
void kin__deltas_fini(kin__deltas *deltas);

/* Drops everything. */
void kin__delta_line_clear(kin__delta_line *line);
KIN__DEFINE_AUTO_FINI(kin__delta_line, kin__delta_line_clear)

/* How many keys stand in line. */
static inline size_t kin__delta_line_count(const kin__delta_line *line)
{
    return line->len - line->first - line->gaps;
}

/* Room for that many more keys, and no more than needed; false when there is no memory.  Keys may
 * move. */
bool kin__delta_line_reserve(kin__delta_line *line, size_t more) KIN_MUST_CHECK;

/* NULL when it is not there. */
kin__deltas *kin__delta_line_find(const kin__delta_line *line, kin_str key);

/*
 * Puts a delta behind the others of its key; `deltas` is what kin__delta_line_find() said.  When
 * that is NULL, the key goes to the end of the line: copied if `copies_key`, else borrowed from the
 * delta's object.  Consumes the delta, unless it fails: NULL when there is no memory.
 */
kin__deltas *kin__delta_line_push(kin__delta_line *line, kin__deltas *deltas, kin_str key,
                                  bool copies_key, kin__delta delta) KIN_MUST_CHECK;

/* Only the first `count` deltas stay; with none, the key leaves the line. */
void kin__delta_line_truncate(kin__delta_line *line, kin__deltas *deltas, size_t count);

/* `few` (1 or 2, borrowed, with objects that the key has) take the place of all that the key has,
 * which are as many or more. */
void kin__delta_line_exchange(kin__delta_line *line, kin__deltas *deltas, const kin__delta *few,
                              size_t count);

/* `delta`, consumed, takes the place of the newest. */
void kin__delta_line_exchange_newest(kin__deltas *deltas, kin__delta delta);

/* The next one at or behind place `*at`, which is moved behind it; NULL at the end.  Begin with
 * 0. */
kin__deltas *kin__delta_line_next(const kin__delta_line *line, size_t *at);

/* The first one leaves the line and becomes the caller's: released with kin__deltas_fini().  False
 * when there is none. */
bool kin__delta_line_pop(kin__delta_line *line, kin__deltas *out);

/* Moves everything to `out`, which is overwritten, and in which nothing can be found or pushed. */
void kin__delta_line_take(kin__delta_line *line, kin__delta_line *out);

/* Clears `taken`; its memory is used again if it is little. */
void kin__delta_line_give_back(kin__delta_line *line, kin__delta_line *taken);

#endif /* KIN_CACHE_DELTA_LINE_H */
