/* SPDX-License-Identifier: MIT */
/*
 * Properties of what is drawn at random: each is tried with many seeds, of sizes that grow. A failure names the seed and the
 * least size, by halving, that still fails.
 *
 *     static const char *sums_are_whole(struct draws *draws)
 *     {
 *         uint32_t n = draw_below(draws, draws->size);   0 to size - 1
 *         HOLDS(sum(n) == n);
 *         return NULL;
 *     }
 *     TEST(sums) { expect_property(sums_are_whole, 1000, 64); }
 *
 * Path:    cases.h, a test's property -> this.
 * Threads: any, each with draws of its own.
 */
#ifndef GRAVEL_TESTS_DRAWS_H
#define GRAVEL_TESTS_DRAWS_H

#include <stdint.h>
#include <stdio.h>

#include "cases.h"

struct draws {
    uint64_t state;
    uint32_t size; /* of what is drawn, as the property means it; 1 at least */
};

/** Returns the draws of a seed. */
static inline struct draws draws_of(uint64_t seed, uint32_t size)
{
    return (struct draws){seed * UINT64_C(0x9e3779b97f4a7c15) + 1, size};
}

/** Returns a number less than n, which is not 0. */
static inline uint32_t draw_below(struct draws *draws, uint32_t n)
{
    draws->state = draws->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((draws->state >> 33) % n);
}

/** Ends a property that does not hold, with what does not. */
#define HOLDS(condition)       \
    do {                       \
        if (!(condition))      \
            return #condition; \
    } while (0)

/** Says what does not hold of what the draws make; NULL if all does. */
typedef const char *property(struct draws *draws);

static inline const char *try_property(property *holds, uint64_t seed, uint32_t size)
{
    struct draws draws = draws_of(seed, size);
    return holds(&draws);
}

/** Tries a property with n seeds, of sizes up to `most`, and fails with the first that does not hold. */
static inline void expect_property(property *holds, uint64_t n, uint32_t most)
{
    for (uint64_t seed = 0; seed < n; seed++) {
        uint32_t size = 1 + (uint32_t)(seed % most);
        const char *failure = try_property(holds, seed, size), *smaller;
        if (!failure)
            continue;
        while (size > 1 && (smaller = try_property(holds, seed, size / 2)))
            failure = smaller, size /= 2;
        fail_msg("seed %llu, size %u: not true: %s", (unsigned long long)seed, size, failure);
    }
}

#endif
