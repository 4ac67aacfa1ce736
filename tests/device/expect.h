/* SPDX-License-Identifier: MIT */
/*
 * What cmocka tests of the whole library share: that a call is refused, and that the text says why.
 *
 * Path:    support.h, bodies.h -> expect.h -> tests/device.
 */
#ifndef GRAVEL_TESTS_EXPECT_H
#define GRAVEL_TESTS_EXPECT_H

#include <string.h>

#include "scope.h"
#include "cases.h"

/** A call that must fail with this code and a text that contains `part`. */
static inline void expect_error(int code, int expected, const char *part)
{
    if (code != expected || (code && !strstr(gravel_last_error(), part)))
        fail_msg("got %d, %s: %s; expected %d, %s, naming \"%s\"", code, gravel_strerror(code),
                 gravel_last_error(), expected, gravel_strerror(expected), part);
}

/** gravel_open must fail so, and leave nothing. */
static inline void expect_no_open(const struct gravel_config *config,
                                  const struct gravel_bindings *bindings, int expected,
                                  const char *part)
{
    struct gravel *gravel = (struct gravel *)1;
    expect_error(gravel_open(&gravel, config, bindings), expected, part);
    assert_null(gravel);
}

/** The node still does what it should: every item of a kernel increments a word of node 0. */
static inline void expect_works(struct gravel *gravel)
{
    uint64_t word = alloc_or_die(gravel, 64);
    OK(run_body(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", 256, 64, word, 0, 0));
    assert_int_equal(word32(gravel, 0, word), 256);
    OK(gravel_free(gravel, word));
}

/** Statistics of all nodes. */
static inline struct gravel_stats stats_of(struct gravel *gravel)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return stats;
}

/** n words of a node's heap all have one value. */
static inline void expect_words(struct gravel *gravel, uint32_t node, uint64_t offset,
                                uint32_t value, uint32_t n)
{
    const uint32_t *words = read_map(gravel, node, offset, n * sizeof *words);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(words[i], value);
    unmap(gravel, words);
}

/** 64-byte aligned bytes of one value before and after memory under test: nobody may write them. */
struct guarded {
    uint64_t before, memory, after; /* heap offsets */
};

#define GUARD_BYTES 4096u

static inline struct guarded guarded_alloc(struct gravel *gravel, uint64_t bytes)
{
    struct guarded guarded = {.before = alloc_or_die(gravel, GUARD_BYTES)};
    guarded.memory = alloc_or_die(gravel, bytes);
    guarded.after = alloc_or_die(gravel, GUARD_BYTES);
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++) {
        if (!gravel_is_local(gravel, node))
            continue;
        fill(gravel, node, guarded.before, 0xa7, GUARD_BYTES);
        fill(gravel, node, guarded.after, 0xa7, GUARD_BYTES);
    }
    return guarded;
}

static inline void guarded_check(struct gravel *gravel, const struct guarded *guarded)
{
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++) {
        expect_words(gravel, node, guarded->before, 0xa7a7a7a7u, GUARD_BYTES / 4);
        expect_words(gravel, node, guarded->after, 0xa7a7a7a7u, GUARD_BYTES / 4);
    }
}

#endif
