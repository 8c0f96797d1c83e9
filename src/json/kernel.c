/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - choosing a kernel, and the last block of a chunk.
 */
#include "json/kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "json/kernel_looks.h"

size_t kin__json_kernel_list(const kin__json_kernel *out[5])
{
    size_t count = 0;

#if defined(__x86_64__)
    __builtin_cpu_init();
    bool has_clmul = __builtin_cpu_supports("pclmul") != 0;
    if (has_clmul && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2")) {
        out[count++] = &kin__json_kernel_avx512;
    }
    if (has_clmul && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        out[count++] = &kin__json_kernel_avx2;
    }
    if (has_clmul && __builtin_cpu_supports("ssse3")) {
        out[count++] = &kin__json_kernel_sse;
    }
#elif defined(__aarch64__)
    out[count++] = &kin__json_kernel_neon;
#endif
    out[count++] = &kin__json_kernel_scalar;
    return count;
}

const kin__json_kernel *kin__json_kernel_best(void)
{
    /* Relaxed: every thread that finds none works out the same constant. */
    static _Atomic(const kin__json_kernel *) best;
    const kin__json_kernel *kernel = atomic_load_explicit(&best, memory_order_relaxed);

    if (kernel == NULL) {
        const kin__json_kernel *all[5];
        (void) kin__json_kernel_list(all); /* never empty */
        kernel = all[0];
        atomic_store_explicit(&best, kernel, memory_order_relaxed);
    }
    return kernel;
}

/*
 * The bytes are moved to the end of a block, behind filling that leaves behind what the carry
 * says: spaces continue a string and begin nothing, and before the first byte stands a backslash
 * when it is escaped, or a digit when a scalar goes on.  So the block ends where the bytes end, and
 * the carry comes out as it must.
 */
void kin__json_classify_tail(const kin__json_kernel *kernel, const char *bytes, size_t len,
                             kin__json_carry *carry, kin__json_masks *out)
{
    char block[KIN__JSON_BLOCK];

    if (len >= KIN__JSON_BLOCK) {
        kernel->classify(bytes, 1, carry, out);
        return;
    }
    size_t filling = KIN__JSON_BLOCK - len;
    memset(block, ' ', filling);
    memcpy(block + filling, bytes, len);
    kin__json_carry before = { .in_string = carry->in_string };
    if (carry->is_escaped != 0) {
        block[filling - 1] = '\\';
    } else if (carry->in_scalar != 0) {
        block[filling - 1] = '0';
    }
    kernel->classify(block, 1, &before, out);
    *carry = before;

    uint64_t *masks[] = { &out->strings,       &out->quotes,  &out->escapes, &out->escaped,
                          &out->controls,      &out->opening, &out->closing, &out->braces,
                          &out->colon,         &out->comma,   &out->spaces,  &out->scalars,
                          &out->scalar_starts, &out->high };
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        *masks[i] >>= filling;
    }
}
