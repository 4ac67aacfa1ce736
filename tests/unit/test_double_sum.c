/* SPDX-License-Identifier: MIT */
/*
 * Sums of doubles by integers, compared bit by bit with the processor's: ends of the range, and
 * random pairs whose exponents are near enough that digits meet.
 *
 * Path: meson test -> cl/kernels/double_sum.cl.h, compiled as C11.
 */
#include <math.h>
#include <string.h>

#define ulong uint64_t
#define clz __builtin_clzll
#include "cases.h"
#include "double_sum.cl.h"

#define N_PAIRS 5000000u

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void compare(uint64_t a, uint64_t b)
{
    volatile double x = value_of(a), y = value_of(b);
    double sum = x + y;
    uint64_t found = sum_doubles(a, b);
    if (isnan(sum) ? !isnan(value_of(found)) : found != bits_of(sum))
        fail_msg("%a + %a is %a, not %a", x, y, sum, value_of(found));
}

TEST(ends_of_the_range_are_summed_as_the_processor_does)
{
    static const double ends[] = {
        0.0,
        0x1p-1074,
        0x1.ffffffffffffep-1023,
        0x1p-1022,
        0x1.0000000000001p-1022,
        0x1p-1021,
        0x1.fffffffffffffp0,
        1.0,
        3.0,
        0x1p53,
        0x1p54,
        0x1.8p53,
        0x1.0000000000001p53,
        0x1p1023,
        0x1.fffffffffffffp1023,
        0x1p970,
        0x1p969,
        0x1.fffffffffffffp969,
        INFINITY,
        NAN,
    };
    const size_t n = sizeof ends / sizeof *ends;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (int signs = 0; signs < 4; signs++)
                compare(bits_of(signs & 1 ? -ends[i] : ends[i]),
                        bits_of(signs & 2 ? -ends[j] : ends[j]));
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Every fourth with few digits, so that sums are exact, ties, or nothing is left. */
TEST(random_pairs_are_summed_as_the_processor_does)
{
    uint64_t seed = 42;
    for (uint32_t i = 0; i < N_PAIRS; i++) {
        uint64_t a = random_next(&seed), b = random_next(&seed);
        if (i % 4 == 0) {
            a &= ~(uint64_t)0 << 50;
            b &= ~(uint64_t)0 << (random_next(&seed) % 53);
        }
        uint64_t near = ((a >> 52) + random_next(&seed) % 128 - 64) & 0x7ff;
        if (i % 8)
            b = (b & ~((uint64_t)0x7ff << 52)) | near << 52;
        compare(a, b);
    }
}
