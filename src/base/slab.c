/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slab.c - pieces in blocks, blocks in regions.
 *
 *     region  [ header | blocks of 16 KB, each on a multiple of 16 KB ]
 *     block   [ header, 64 bytes | pieces of one size ]
 *
 * A piece finds its block by its address.  Invariants
 *   - a block with free pieces and used ones is on one of its size's lists, by its region's age and
 *     by how full it is
 *   - a full block is on no list; an empty one has gone back to its region
 *   - a region without a used block has gone back to base/alloc.h, but for one that is kept as
 *     long as it is at most a quarter of what is held: else work at a border would fetch and
 *     return one again and again
 *
 * Pieces that are not in use are poisoned for AddressSanitizer.
 */
#include "base/slab.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/list.h"
#include "base/lock.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#if defined(HAS_ASAN)
#include <sanitizer/asan_interface.h>
#define POISON(memory, bytes) __asan_poison_memory_region(memory, bytes)
#define UNPOISON(memory, bytes) __asan_unpoison_memory_region(memory, bytes)
#else
#define POISON(memory, bytes) ((void) 0)
#define UNPOISON(memory, bytes) ((void) 0)
#endif

#define BLOCK_BYTES ((size_t) 16 * 1024)
#define REGION_MIN ((size_t) 64 * 1024)
#define REGION_MAX ((size_t) 8 * 1024 * 1024)
#define HUGE_PAGE ((size_t) 2 * 1024 * 1024)
#define SIZES 33     /* 64 bytes to 2112: the largest holds a table's page of 256 leaves */
#define FULLNESSES 4 /* lists of a size: up to a quarter used, up to a half, ... */

/* Regions from before the last gathering are old. */
enum { YOUNG, OLD, AGES };

typedef struct region {
    kin__link link;     /* on `regions` */
    size_t bytes;       /* of all blocks */
    size_t used;        /* blocks */
    size_t fresh;       /* blocks that were never used begin with this one */
    char *first;        /* block */
    uint64_t gathering; /* how many had begun when it came */
    kin__list returned; /* blocks */
} region;

typedef struct block {
    kin__link link;
    region *home;
    void *returned;    /* pieces; each begins with the next */
    uint16_t size;     /* of a piece, in units of KIN__SLAB_ALIGN */
    uint16_t capacity; /* in pieces */
    uint16_t used;
    uint16_t fresh; /* pieces that were never used begin with this one */
    uint16_t list;  /* of its size's lists, the one it is on; FULLNESSES: none */
} block;

_Static_assert(sizeof(block) <= KIN__SLAB_ALIGN, "pieces begin behind the header");

static kin__mutex lock = { PTHREAD_MUTEX_INITIALIZER };
static kin__list regions GUARDED_BY(lock);
static kin__list partial[AGES][SIZES + 1][FULLNESSES] GUARDED_BY(lock); /* by size in units */
static size_t held GUARDED_BY(lock);
static size_t held_young GUARDED_BY(lock);
static uint64_t gatherings GUARDED_BY(lock); /* that ever began */
static size_t gathering GUARDED_BY(lock);    /* at the moment */
static bool is_each_apart;

static void *alloc_large(size_t bytes);
static void free_large(void *memory);
static block *partial_block_locked(size_t units) REQUIRES(lock);
static block *new_block_locked(size_t units) REQUIRES(lock);
static int age_locked(const region *r) REQUIRES(lock);
static region *region_with_room_locked(void) REQUIRES(lock);
static region *new_region_locked(void) REQUIRES(lock);
static void *take_piece(block *b);
static void file_block_locked(block *b) REQUIRES(lock);
static void return_block_locked(block *b) REQUIRES(lock);
static void release_spares_locked(void) REQUIRES(lock);
static void release_region_locked(region *r) REQUIRES(lock);
static void *align_up(void *memory, size_t alignment);

void *kin__slab_alloc(size_t bytes)
{
    if (bytes > SIZES * KIN__SLAB_ALIGN || is_each_apart) {
        return alloc_large(bytes);
    }
    size_t units = bytes == 0 ? 1 : (bytes + KIN__SLAB_ALIGN - 1) / KIN__SLAB_ALIGN;
    void *piece = NULL;
    kin__mutex_lock(&lock);
    block *b = partial_block_locked(units);
    if (b == NULL) {
        b = new_block_locked(units);
    }
    if (b != NULL) {
        piece = take_piece(b);
        file_block_locked(b);
    }
    kin__mutex_unlock(&lock);
    return piece;
}

void kin__slab_free(void *memory, size_t bytes)
{
    if (memory == NULL) {
        return;
    }
    if (bytes > SIZES * KIN__SLAB_ALIGN || is_each_apart) {
        free_large(memory);
        return;
    }
    block *b = (block *) (void *) ((char *) memory - (uintptr_t) memory % BLOCK_BYTES);
    kin__mutex_lock(&lock);
    memcpy(memory, &b->returned, sizeof b->returned);
    b->returned = memory;
    b->used--;
    POISON(memory, (size_t) b->size * KIN__SLAB_ALIGN);
    file_block_locked(b);
    kin__mutex_unlock(&lock);
}

size_t kin__slab_held(void)
{
    kin__mutex_lock(&lock);
    size_t bytes = held;
    kin__mutex_unlock(&lock);
    return bytes;
}

void kin__slab_begin_gathering(void)
{
    kin__mutex_lock(&lock);
    gatherings++;
    gathering++;
    held_young = 0;
    for (size_t size = 1; size <= SIZES; size++) {
        for (size_t i = 0; i < FULLNESSES; i++) {
            kin__list_move_all(&partial[OLD][size][i], &partial[YOUNG][size][i]);
        }
    }
    kin__mutex_unlock(&lock);
}

void kin__slab_end_gathering(void)
{
    kin__mutex_lock(&lock);
    gathering--;
    kin__mutex_unlock(&lock);
}

void kin__slab_set_apart(bool is_apart)
{
    is_each_apart = is_apart;
}

UNCHECKED_LOCKS void kin__slab_before_fork(void)
{
    kin__mutex_lock(&lock);
}

UNCHECKED_LOCKS void kin__slab_after_fork(void)
{
    kin__mutex_unlock(&lock);
}

/* Where the memory really begins stands before the piece. */
static void *alloc_large(size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    char *memory = kin__alloc(bytes + KIN__SLAB_ALIGN + sizeof memory);
    if (memory == NULL) {
        return NULL;
    }
    char *piece = align_up(memory + sizeof memory, KIN__SLAB_ALIGN);
    memcpy(piece - sizeof memory, &memory, sizeof memory);
    return piece;
}

static void free_large(void *piece)
{
    void *memory;
    memcpy(&memory, (char *) piece - sizeof memory, sizeof memory);
    kin__free(memory);
}

static block *partial_block_locked(size_t units)
{
    for (int age = YOUNG; age < (gathering > 0 ? OLD : AGES); age++) {
        for (size_t i = FULLNESSES; i-- > 0;) {
            kin__link *link = kin__list_first(&partial[age][units][i]);
            if (link != NULL) {
                return KIN__OWNER(link, block, link);
            }
        }
    }
    return NULL;
}

static int age_locked(const region *r)
{
    return r->gathering == gatherings ? YOUNG : OLD;
}

static block *new_block_locked(size_t units)
{
    region *home = region_with_room_locked();
    if (home == NULL && (home = new_region_locked()) == NULL) {
        return NULL;
    }
    block *b;
    kin__link *link = kin__list_first(&home->returned);
    if (link != NULL) {
        kin__list_remove(link);
        b = KIN__OWNER(link, block, link);
    } else {
        b = (block *) (void *) (home->first + home->fresh++ * BLOCK_BYTES);
    }
    home->used++;
    size_t size = units * KIN__SLAB_ALIGN;
    size_t capacity = (BLOCK_BYTES - KIN__SLAB_ALIGN) / size;
    *b = (block){ .home = home, .size = (uint16_t) units, .capacity = (uint16_t) capacity };
    b->list = FULLNESSES;
    POISON((char *) b + KIN__SLAB_ALIGN, BLOCK_BYTES - KIN__SLAB_ALIGN);
    return b;
}

/* The fullest, so that the others may become empty. */
static region *region_with_room_locked(void)
{
    region *best = NULL;
    for (kin__link *l = kin__list_first(&regions); l != NULL; l = kin__list_next(&regions, l)) {
        region *r = KIN__OWNER(l, region, link);
        size_t room = r->bytes / BLOCK_BYTES - r->used;
        if (gathering > 0 && age_locked(r) == OLD) {
            continue;
        }
        if (room > 0 && (best == NULL || room < best->bytes / BLOCK_BYTES - best->used)) {
            best = r;
        }
    }
    return best;
}

/* A quarter of what is held, so that no more than that is waste: a huge page takes all of its
 * memory at once, and comes when 8 MB are held.  What lies in small pages is slower to reach, but
 * so little of it is not. */
static region *new_region_locked(void)
{
    size_t beside = gathering > 0 ? held_young : held;
    size_t bytes = REGION_MIN;
    while (bytes < REGION_MAX && bytes * 2 <= beside / 4) {
        bytes *= 2;
    }
    size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : BLOCK_BYTES;
    region *r = kin__alloc(sizeof *r + alignment + bytes);
    if (r == NULL) {
        return NULL;
    }
    *r = (region){ .bytes = bytes, .gathering = gatherings };
    r->first = align_up(r + 1, alignment);
    if (alignment == HUGE_PAGE) {
        (void) madvise(r->first, bytes, MADV_HUGEPAGE); /* a wish */
    }
    held += bytes;
    held_young += bytes;
    kin__list_push(&regions, &r->link);
    return r;
}

static void *take_piece(block *b)
{
    size_t bytes = (size_t) b->size * KIN__SLAB_ALIGN;
    void *piece = b->returned;

    if (piece == NULL) {
        piece = (char *) b + KIN__SLAB_ALIGN + b->fresh++ * bytes;
        UNPOISON(piece, bytes);
    } else {
        UNPOISON(piece, bytes);
        memcpy(&b->returned, piece, sizeof b->returned);
    }
    b->used++;
    return piece;
}

/* Puts the block where it belongs by now. */
static void file_block_locked(block *b)
{
    uint16_t list = (uint16_t) (b->used * FULLNESSES / b->capacity);

    if (b->used > 0 && list == b->list) {
        return;
    }
    kin__list_remove(&b->link);
    b->list = list;
    if (b->used == 0) {
        return_block_locked(b);
    } else if (list < FULLNESSES) {
        kin__list_push(&partial[age_locked(b->home)][b->size][list], &b->link);
    }
}

static void return_block_locked(block *b)
{
    region *home = b->home;

    UNPOISON(b, BLOCK_BYTES);
    kin__list_push(&home->returned, &b->link);
    if (--home->used == 0) {
        release_spares_locked();
    }
}

/* Keeps one region without used blocks, the smallest, while it is small beside the others. */
static void release_spares_locked(void)
{
    region *spare = NULL;
    for (kin__link *l = kin__list_first(&regions), *next; l != NULL; l = next) {
        next = kin__list_next(&regions, l);
        region *r = KIN__OWNER(l, region, link);
        if (r->used > 0) {
            continue;
        }
        region *worse = spare == NULL || r->bytes < spare->bytes ? spare : r;
        spare = worse == r ? spare : r;
        if (worse != NULL) {
            release_region_locked(worse);
        }
    }
    if (spare != NULL && spare->bytes > held / 4) {
        release_region_locked(spare);
    }
}

static void release_region_locked(region *r)
{
    held -= r->bytes;
    held_young -= age_locked(r) == YOUNG ? r->bytes : 0;
    kin__list_remove(&r->link);
    kin__free(r);
}

static void *align_up(void *memory, size_t alignment)
{
    size_t beyond = (uintptr_t) memory % alignment;
    return beyond == 0 ? memory : (char *) memory + (alignment - beyond);
}
