/* SPDX-License-Identifier: MIT */
/*
 * What accumulators refuse to kernels and to callers, at all nodes alike.
 *
 * Path: test_accumulator.c -> this -> accumulator_adds.c
 * Threads: main's.
 */
#include "accumulator.h"

#include <stdio.h>
#include <string.h>

static void expect(int code, int expected, const char *part)
{
    if (code != expected || !strstr(gravel_last_error(), part))
        die(__FILE__, __LINE__, "node %u got %d (%s), expected %d naming \"%s\"", node, code,
            gravel_last_error(), expected, part);
}

void kernels_are_refused_what_is_not_there(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    struct gravel_accumulator *floats = create(offset, 8, GRAVEL_ADD, GRAVEL_FLOAT),
                              *accumulator = create(offset + 32, 16, GRAVEL_ADD, GRAVEL_UINT);
    add_one(accumulator, UINT64_C(1) << 40, 1, 0, 2);
    expect(gravel_accumulator_flush(accumulator), GRAVEL_ERANGE,
           "index 1099511627776 at node 0, and 1 more");
    OK(gravel_accumulator_flush(accumulator));
    add_one(accumulator, 16, 1, 0, 1);
    expect(gravel_quiet(gravel), GRAVEL_ERANGE, "index 16 at node 0");
    add_one(accumulator, 15, 1, n_nodes, 1);
    expect(gravel_fence(gravel), GRAVEL_ERANGE, "16 elements of each of");
    add_one(floats, 1, 1, 0, 1);
    expect(gravel_barrier(gravel), GRAVEL_EINVAL, "type uint");
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_accumulator_destroy(floats));
    const uint32_t *words = read_map(gravel, node, offset, 64 * 4);
    for (uint32_t i = 0; i < 64; i++)
        MUST(words[i] == 0);
    unmap(gravel, words);
    OK(gravel_free(gravel, offset));
}

static void expect_no(uint64_t offset, uint64_t n, uint32_t op, uint32_t type, int expected,
                      const char *part)
{
    struct gravel_accumulator *accumulator = (void *)&accumulator;
    expect(gravel_accumulator_create(&accumulator, gravel, offset, n, op, type), expected, part);
    MUST(accumulator == NULL);
}

void create_refuses(void)
{
    uint64_t offset = alloc_or_die(gravel, N_WORDS * 8);
    struct gravel_accumulator *accumulator;
    expect_no(offset, 8, GRAVEL_PUT, GRAVEL_UINT, GRAVEL_EINVAL, "put on uint");
    expect_no(offset, 8, GRAVEL_FETCH_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "fetch_add on uint");
    expect_no(offset, 8, GRAVEL_MIN, GRAVEL_FLOAT, GRAVEL_EINVAL, "min on float");
    expect_no(offset, 8, GRAVEL_ADD, 6, GRAVEL_EINVAL, "type 6");
    expect_no(offset + 2, 8, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "no multiple of 4");
    expect_no(offset, 0, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "0 elements");
    expect_no(offset, 2 * N_WORDS + 64, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_ERANGE, "");
    expect_no(offset, UINT64_MAX, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_ERANGE, "elements");
    expect(gravel_accumulator_create(node == 0 ? NULL : &accumulator, gravel, offset, 8, GRAVEL_ADD,
                                     GRAVEL_UINT),
           GRAVEL_EINVAL, node == 0 ? "out" : "node 0 cannot");
    OK(gravel_accumulator_create(&accumulator, gravel, offset, 8, GRAVEL_ADD, GRAVEL_UINT));
    expect_no(offset + 28, 8, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "accumulator of 8");
    expect(gravel_kernel_set_accumulator(accumulator, one, 99), GRAVEL_ECL, "");
    expect(gravel_free(gravel, offset), GRAVEL_EINVAL, "gravel_accumulator_destroy");
    OK(gravel_accumulator_destroy(accumulator));
    if (n_adders > 1)
        expect_no(offset, 8 + (node == 0), GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EMISMATCH, "elements");
    OK(gravel_free(gravel, offset));
}

void memory_is_limited(void)
{
    uint64_t most = gravel_config_of(gravel)->accumulate_bytes, n = most / 4,
             offset = alloc_or_die(gravel, n * 4);
    struct gravel_accumulator *accumulator;
    int code = gravel_accumulator_create(&accumulator, gravel, offset, n, GRAVEL_ADD, GRAVEL_UINT);
    if (has_shadow())
        expect(code, GRAVEL_ENOMEM, "GRAVEL_ACCUMULATE_MEMORY");
    else
        OK(code);
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

void destroy_refuses_while_words_wait(void)
{
    uint64_t offset = alloc_or_die(gravel, 64);
    struct gravel_accumulator *accumulator = create(offset, 16, GRAVEL_ADD, GRAVEL_UINT);
    if (node == 0 && has_shadow())
        add_one(accumulator, 3, 5, 0, 1);
    if (has_shadow())
        expect(gravel_accumulator_destroy(accumulator), GRAVEL_EINVAL,
               node == 0 ? "gravel_accumulator_flush" : "node 0 cannot");
    OK(gravel_accumulator_begin(accumulator));
    if (has_shadow())
        expect(gravel_accumulator_destroy(accumulator), GRAVEL_EINVAL,
               node == 0 ? "gravel_accumulator_flush" : "node 0 cannot");
    OK(gravel_barrier(gravel));
    if (node == 0 && has_shadow())
        MUST(word32(gravel, 0, offset + 12) == 5);
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* While words wait, checked mode refuses what else is sent for the range; not before, nor behind the flush. */
void a_range_is_its_accumulators(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    uint32_t value = 7, to = (node + 1) % n_nodes;
    struct gravel_accumulator *accumulator = create(offset + 32, 16, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_put(gravel, offset + 36, &value, 4, to));
    OK(gravel_barrier(gravel));
    if (gravel_config_of(gravel)->check) {
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_put(gravel, offset, &value, 4, to)); /* beside the range */
        OK(gravel_accumulator_flush(accumulator));
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_put(gravel, offset + 36, &value, 4, to));
        expect(gravel_quiet(gravel), GRAVEL_EINVAL, "touched by another call: gravel_put");
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_get(gravel, offset + 28, &value, 8, to));
        expect(gravel_fence(gravel), GRAVEL_EINVAL, "gravel_get");
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, offset + 92, NULL, to));
        expect(gravel_fence(gravel), GRAVEL_EINVAL, "gravel_update");
        add_one(accumulator, 3, 5, to, 1);
        expect(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, b, 0);"), 4, 4, offset, 9, 0),
               GRAVEL_EINVAL, "inc of uint, index 9 at base");
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}
