/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scanner.c - one pass over JSON bytes as they arrive.
 *
 *     bytes --kernel--> masks of 64 bytes --text_check--> strings are right
 *                                         --grammar----> tokens are in order
 *                                              scalar--> numbers and literals are right
 *
 * Nothing is kept but a few words of state, so a chunk may end anywhere.  Each block is first
 * checked for faults inside strings; its tokens are then walked up to the first such fault, so that
 * the fault with the lowest offset is the one reported, however the bytes are cut.
 *
 * Most blocks of an API server's answers are compact, deep inside an object and without escapes:
 * those go through the grammar as a whole.  The others go token by token, and so does every block
 * that is not plainly right, because only that way is it known what is wrong.
 *
 * A container that is skipped interrupts this: the rest of the block is forgotten, the kernel looks
 * for the closing bracket in this chunk and those after it, and blocks are counted anew from there.
 */
#include "json/scanner.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "json/grammar.h"
#include "json/scalar.h"
#include "json/text_check.h"

struct kin__json_scanner {
    kin__json_scanner_options options;
    const kin__json_kernel *kernel;
    uint32_t index_depth; /* tokens up to this depth go to the index, as things stand */
    uint32_t shallow;     /* the same, or the hook's if that is deeper */

    uint64_t offset; /* in the stream, of the chunk at hand */
    kin__json_carry carry;
    kin__text_check text;
    kin__grammar grammar;
    kin__scalar scalar; /* of a scalar that goes on in the next chunk */
    size_t skipped;     /* containers to close until the skipped one is; 0: none is skipped */
    size_t skip_place;  /* in the chunk at hand: where skipping begins */

    uint64_t base; /* places in the index count from here */
    kin__json_index index;
};

/* The bytes at hand. */
typedef struct chunk {
    const char *bytes;
    size_t size;
} chunk;

static void init(kin__json_scanner *scanner, const kin__json_scanner_options *options);
static bool is_selective(const kin__json_scanner *scanner);
static void set_index_depth(kin__json_scanner *scanner, uint32_t depth);
static kin_err scan(kin__json_scanner *scanner, chunk c, size_t *place, kin_error *err);
static kin_err scan_block(kin__json_scanner *scanner, chunk c, size_t place,
                          const kin__json_masks *masks, kin_error *err);
static kin_err skip(kin__json_scanner *scanner, chunk c, size_t *place, kin_error *err);
static kin__text_fault check_text(kin__json_scanner *scanner, chunk c, size_t place,
                                  const kin__json_masks *masks);
static kin_err walk(kin__json_scanner *scanner, chunk c, size_t place, uint64_t tokens,
                    kin_error *err);
static void select_member(kin__json_scanner *scanner, chunk c, size_t at);
static kin_err follow_scalars(kin__json_scanner *scanner, chunk c, size_t place, uint64_t starts,
                              kin_error *err);
static kin_err follow_scalar(kin__json_scanner *scanner, chunk c, size_t place, kin_error *err);
static kin_err note(kin__json_scanner *scanner, char byte, uint32_t depth, uint64_t offset,
                    kin_error *err);
static kin_err refuse_token(const kin__json_scanner *scanner, kin__grammar_result result, char byte,
                            uint64_t offset, kin_error *err);
static kin_err refuse(const char *wanted, char byte, uint64_t offset, kin_error *err);

void kin__json_index_fini(kin__json_index *index)
{
    kin__free(index->places);
    *index = (kin__json_index){ 0 };
}

kin_err kin__json_scanner_new(const kin__json_scanner_options *options, kin__json_scanner **out,
                              kin_error *err)
{
    kin__json_scanner *scanner = kin__alloc_zero(1, sizeof *scanner);
    if (scanner == NULL) {
        return kin__error_no_memory(err);
    }
    init(scanner, options);
    *out = scanner;
    return KIN_OK;
}

void kin__json_scanner_free(kin__json_scanner *scanner)
{
    if (scanner != NULL) {
        kin__json_index_fini(&scanner->index);
        kin__free(scanner);
    }
}

void kin__json_scanner_reset(kin__json_scanner *scanner)
{
    scanner->offset = scanner->options.offset;
    scanner->skipped = 0;
    scanner->carry = (kin__json_carry){ 0 };
    scanner->text = (kin__text_check){ 0 };
    scanner->scalar = KIN__SCALAR_NONE;
    kin__grammar_init(&scanner->grammar, scanner->options.allows_many);
    if (is_selective(scanner)) {
        set_index_depth(scanner, scanner->options.reach.member_depth);
    }
    kin__json_scanner_mark(scanner, scanner->offset);
}

kin_err kin__json_scanner_feed(kin__json_scanner *scanner, const char *bytes, size_t len,
                               kin_error *err)
{
    chunk c = { bytes, len };
    size_t place = 0;

    if (scanner->scalar != KIN__SCALAR_NONE && follow_scalar(scanner, c, 0, err) != KIN_OK) {
        return err->code;
    }
    while (place < len) {
        kin_err code =
            scanner->skipped != 0 ? skip(scanner, c, &place, err) : scan(scanner, c, &place, err);
        if (code != KIN_OK) {
            return code;
        }
    }
    scanner->offset += len;
    return KIN_OK;
}

kin_err kin__json_scanner_finish(kin__json_scanner *scanner, kin_error *err)
{
    unsigned long long end = scanner->offset;

    if (scanner->carry.in_string != 0) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "JSON ends at byte %llu inside a string",
                              end);
    }
    if (scanner->scalar != KIN__SCALAR_NONE && !kin__scalar_is_whole(scanner->scalar)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "JSON ends at byte %llu, expected %s", end,
                              kin__scalar_wants(scanner->scalar));
    }
    if (!kin__grammar_may_end(&scanner->grammar)) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "JSON ends at byte %llu, expected %s", end,
                              kin__grammar_wants(&scanner->grammar));
    }
    return KIN_OK;
}

const kin__json_index *kin__json_scanner_index(const kin__json_scanner *scanner)
{
    return &scanner->index;
}

void kin__json_scanner_mark(kin__json_scanner *scanner, uint64_t offset)
{
    scanner->base = offset;
    scanner->index.count = 0;
}

void kin__json_scanner_skip(kin__json_scanner *scanner)
{
    kin__grammar_skip(&scanner->grammar);
    scanner->skipped = 1;
}

/* The index of one document without a reach is its first token and its last. */
kin_err kin__json_check(kin_str text, kin_error *err)
{
    const kin__json_scanner_options options = { 0 };
    uint32_t places[2];
    kin__json_scanner scanner = { .index = { .places = places, .capacity = 2 } };

    init(&scanner, &options);
    kin_err code = kin__json_scanner_feed(&scanner, text.data, text.len, err);
    return code != KIN_OK ? code : kin__json_scanner_finish(&scanner, err);
}

/* Of a scanner that is zero. */
static void init(kin__json_scanner *scanner, const kin__json_scanner_options *options)
{
    scanner->options = *options;
    scanner->offset = options->offset;
    scanner->base = options->offset;
    scanner->kernel = options->kernel != NULL ? options->kernel : kin__json_kernel_best();
    set_index_depth(scanner,
                    is_selective(scanner) ? options->reach.member_depth : options->reach.depth);
    kin__grammar_init(&scanner->grammar, options->allows_many);
}

static bool is_selective(const kin__json_scanner *scanner)
{
    const kin__json_reach *reach = &scanner->options.reach;
    return reach->member.len != 0 && reach->depth > reach->member_depth;
}

static void set_index_depth(kin__json_scanner *scanner, uint32_t depth)
{
    const kin__json_scanner_options *options = &scanner->options;

    scanner->index_depth = depth;
    scanner->shallow =
        options->hook != NULL && options->hook_depth > depth ? options->hook_depth : depth;
}

/* From `place` to the end of the chunk, or to just after the opening bracket of what is skipped. */
static kin_err scan(kin__json_scanner *scanner, chunk c, size_t *place, kin_error *err)
{
    const char *bytes = c.bytes + *place;
    size_t count = (c.size - *place) / KIN__JSON_BLOCK;
    kin__json_masks masks;
    kin_err code = KIN_OK;

    for (size_t done = 0; done < count && code == KIN_OK && scanner->skipped == 0; done++) {
        bool is_taken = false;
        if (kin__text_is_open(&scanner->text)) {
            scanner->kernel->classify(bytes + done * KIN__JSON_BLOCK, 1, &scanner->carry, &masks);
        } else {
            done += scanner->kernel->advance(bytes + done * KIN__JSON_BLOCK, count - done,
                                             &scanner->carry, &scanner->grammar, scanner->shallow,
                                             &masks, &is_taken);
            if (done == count) {
                break;
            }
        }
        size_t at = *place + done * KIN__JSON_BLOCK;
        code = is_taken ? follow_scalars(scanner, c, at, masks.scalar_starts, err)
                        : scan_block(scanner, c, at, &masks, err);
    }
    size_t at = *place + count * KIN__JSON_BLOCK;
    if (code == KIN_OK && scanner->skipped == 0 && at < c.size) {
        kin__json_classify_tail(scanner->kernel, c.bytes + at, c.size - at, &scanner->carry,
                                &masks);
        code = scan_block(scanner, c, at, &masks, err);
    }
    *place = scanner->skipped != 0 ? scanner->skip_place : c.size;
    return code;
}

static kin_err scan_block(kin__json_scanner *scanner, chunk c, size_t place,
                          const kin__json_masks *masks, kin_error *err)
{
    kin__text_fault fault = check_text(scanner, c, place, masks);
    uint64_t tokens = kin__json_tokens(masks);
    bool is_whole = c.size - place >= KIN__JSON_BLOCK;

    if (fault.what == NULL && is_whole &&
        kin__grammar_block(&scanner->grammar, masks, scanner->shallow)) {
        return follow_scalars(scanner, c, place, masks->scalar_starts, err);
    }
    if (fault.what != NULL && fault.at - place < KIN__JSON_BLOCK) {
        tokens &= ((uint64_t) 1 << (fault.at - place)) - 1;
    }
    if (walk(scanner, c, place, tokens, err) != KIN_OK) {
        return err->code;
    }
    if (scanner->skipped != 0) {
        /* All tokens stand before the fault, so it is in what is skipped. */
        scanner->carry = (kin__json_carry){ 0 };
        scanner->text = (kin__text_check){ 0 };
        return KIN_OK;
    }
    if (fault.what != NULL) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "%s at byte %llu", fault.what,
                              (unsigned long long) (scanner->offset + fault.at));
    }
    return KIN_OK;
}

/* From `place` to the bracket that closes what is skipped, or to the end of the chunk. */
static kin_err skip(kin__json_scanner *scanner, chunk c, size_t *place, kin_error *err)
{
    /* The skipped container is open already, for the grammar. */
    size_t limit = KIN__JSON_DEPTH_MAX + 1 - scanner->grammar.depth;
    const char *end = c.bytes + c.size;
    const char *border =
        scanner->kernel->skip(c.bytes + *place, end, limit, &scanner->skipped, &scanner->carry);

    *place = (size_t) (border - c.bytes);
    if (border == end) {
        return KIN_OK;
    }
    if (scanner->skipped != 0) {
        return refuse_token(scanner, KIN__GRAMMAR_TOO_DEEP, *border, scanner->offset + *place, err);
    }
    scanner->carry = (kin__json_carry){ 0 };
    return KIN_OK;
}

static kin__text_fault check_text(kin__json_scanner *scanner, chunk c, size_t place,
                                  const kin__json_masks *masks)
{
    bool has_text = (masks->controls | masks->escapes | masks->high) != 0;

    if (!has_text && !kin__text_is_open(&scanner->text)) {
        return (kin__text_fault){ 0 };
    }
    size_t len = c.size - place < KIN__JSON_BLOCK ? c.size - place : KIN__JSON_BLOCK;
    return kin__text_check_block(&scanner->text, c.bytes, c.size, place, len, scanner->offset,
                                 masks);
}

/* The depth of a token: the containers around it. */
static inline uint32_t depth_of(const kin__grammar *grammar, char byte)
{
    return grammar->depth - (byte == '{' || byte == '[');
}

static kin_err walk(kin__json_scanner *scanner, chunk c, size_t place, uint64_t tokens,
                    kin_error *err)
{
    for (; tokens != 0; tokens &= tokens - 1) {
        size_t at = place + (size_t) __builtin_ctzll(tokens);
        char byte = c.bytes[at];
        kin__grammar_result result = kin__grammar_step(&scanner->grammar, byte);

        if (result < KIN__GRAMMAR_TAKEN) {
            return refuse_token(scanner, result, byte, scanner->offset + at, err);
        }
        uint32_t depth = depth_of(&scanner->grammar, byte);
        if (depth <= scanner->shallow &&
            note(scanner, byte, depth, scanner->offset + at, err) != KIN_OK) {
            return err->code;
        }
        if (scanner->skipped != 0) {
            scanner->skip_place = at + 1;
            return KIN_OK;
        }
        if (byte == '"' && depth == scanner->options.reach.member_depth && is_selective(scanner)) {
            select_member(scanner, c, at);
        }
        if (result == KIN__GRAMMAR_SCALAR && follow_scalar(scanner, c, at, err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

/* The string at `at` may be the name of a member: from here on, how deep to look into its value. */
static void select_member(kin__json_scanner *scanner, chunk c, size_t at)
{
    const kin__json_reach *reach = &scanner->options.reach;

    if (!kin__grammar_is_name(&scanner->grammar)) {
        return;
    }
    size_t left = c.size - at - 1;
    size_t len = left < reach->member.len + 1 ? left : reach->member.len + 1;
    const char *name = c.bytes + at + 1;
    bool is_member = memchr(name, '\\', len) != NULL || len <= reach->member.len ||
                     (memcmp(name, reach->member.data, len - 1) == 0 && name[len - 1] == '"');
    set_index_depth(scanner, is_member ? reach->depth : reach->member_depth);
}

static kin_err follow_scalars(kin__json_scanner *scanner, chunk c, size_t place, uint64_t starts,
                              kin_error *err)
{
    for (; starts != 0; starts &= starts - 1) {
        if (follow_scalar(scanner, c, place + (size_t) __builtin_ctzll(starts), err) != KIN_OK) {
            return err->code;
        }
    }
    return KIN_OK;
}

/* Tokens and white space end a scalar. */
static inline bool ends_scalar(char byte)
{
    static const bool ends[256] = {
        ['{'] = true, ['}'] = true, ['['] = true,  [']'] = true,  [':'] = true,  [','] = true,
        ['"'] = true, [' '] = true, ['\t'] = true, ['\n'] = true, ['\r'] = true,
    };
    return ends[(unsigned char) byte];
}

/* From `place` on: the rest of a scalar that an earlier chunk began, or a new one. */
static kin_err follow_scalar(kin__json_scanner *scanner, chunk c, size_t place, kin_error *err)
{
    kin__scalar scalar = scanner->scalar;

    for (; place < c.size && !ends_scalar(c.bytes[place]); place++) {
        unsigned char byte = (unsigned char) c.bytes[place];
        kin__scalar next =
            scalar == KIN__SCALAR_NONE ? kin__scalar_begin(byte) : kin__scalar_next(scalar, byte);
        if (next == KIN__SCALAR_NONE) {
            const char *wanted = scalar == KIN__SCALAR_NONE ? "a value" : kin__scalar_wants(scalar);
            return refuse(wanted, c.bytes[place], scanner->offset + place, err);
        }
        scalar = next;
    }
    if (place == c.size) {
        scanner->scalar = scalar;
        return KIN_OK;
    }
    scanner->scalar = KIN__SCALAR_NONE;
    if (!kin__scalar_is_whole(scalar)) {
        return refuse(kin__scalar_wants(scalar), c.bytes[place], scanner->offset + place, err);
    }
    return KIN_OK;
}

static kin_err grow_index(kin__json_index *index, kin_error *err)
{
    size_t capacity = index->capacity == 0 ? 256 : index->capacity * 2;
    uint32_t *places = kin__realloc(index->places, capacity * sizeof *places);
    if (places == NULL) {
        return kin__error_no_memory(err);
    }
    index->places = places;
    index->capacity = capacity;
    return KIN_OK;
}

static kin_err add_to_index(kin__json_scanner *scanner, uint32_t depth, uint64_t offset,
                            kin_error *err)
{
    kin__json_index *index = &scanner->index;

    if (depth > scanner->index_depth) {
        return KIN_OK;
    }
    if (offset - scanner->base > UINT32_MAX) {
        return kin__error_set(err, KIN_ERR_LIMIT, "JSON value larger than 4 GB at byte %llu",
                              (unsigned long long) offset);
    }
    if (index->count == index->capacity && grow_index(index, err) != KIN_OK) {
        return err->code;
    }
    index->places[index->count++] = (uint32_t) (offset - scanner->base);
    return KIN_OK;
}

/* The hook sees an opening bracket before it is in the index, so that it may mark it as the first;
 * a closing one after it, so that what it closes is complete. */
static kin_err note(kin__json_scanner *scanner, char byte, uint32_t depth, uint64_t offset,
                    kin_error *err)
{
    const kin__json_scanner_options *options = &scanner->options;
    bool wants_hook = options->hook != NULL && depth <= options->hook_depth;
    bool is_closing = byte == '}' || byte == ']';

    if (wants_hook && !is_closing &&
        options->hook(options->context, byte, depth, offset, err) != KIN_OK) {
        return err->code;
    }
    if (add_to_index(scanner, depth, offset, err) != KIN_OK) {
        return err->code;
    }
    if (wants_hook && is_closing) {
        return options->hook(options->context, byte, depth, offset, err);
    }
    return KIN_OK;
}

static kin_err refuse_token(const kin__json_scanner *scanner, kin__grammar_result result, char byte,
                            uint64_t offset, kin_error *err)
{
    if (result == KIN__GRAMMAR_TOO_DEEP) {
        return kin__error_set(err, KIN_ERR_LIMIT, "JSON is nested deeper than %d at byte %llu",
                              KIN__JSON_DEPTH_MAX, (unsigned long long) offset);
    }
    return refuse(kin__grammar_wants(&scanner->grammar), byte, offset, err);
}

static kin_err refuse(const char *wanted, char byte, uint64_t offset, kin_error *err)
{
    unsigned long long at = offset;

    if (byte > ' ' && byte < 0x7f) {
        return kin__error_set(err, KIN_ERR_MALFORMED, "expected %s, found '%c' at byte %llu",
                              wanted, byte, at);
    }
    return kin__error_set(err, KIN_ERR_MALFORMED, "expected %s, found byte 0x%02x at byte %llu",
                          wanted, (unsigned char) byte, at);
}
