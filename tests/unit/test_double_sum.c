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
#include "draws.h"
#include "double_sum.cl.h"

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

static const double ends[] = {
    0.0,
    0x1p-1074,
    0x1.ffffffffffffep-1023,
    0x1p-1022,
    0x1.0000000000001p-1022,
    0x1p-1021,
    1.0,
    3.0,
    0x1.fffffffffffffp0,
    0x1p53,
    0x1.0000000000001p53,
    0x1.8p53,
    0x1p54,
    0x1p969,
    0x1.fffffffffffffp969,
    0x1p970,
    0x1p1023,
    0x1.fffffffffffffp1023,
    INFINITY,
    NAN,
};
#define N_ENDS ((uint32_t)(sizeof ends / sizeof *ends))

static uint64_t draw_bits(struct draws *draws)
{
    return (uint64_t)draw_below(draws, 1u << 31) << 33 ^
           (uint64_t)draw_below(draws, 1u << 31) << 16 ^ draw_below(draws, 1u << 31);
}

/* Ends of the range, each with each; any pairs, of which most have exponents so near that digits meet, and some few digits, so
 * that sums are exact, ties, or nothing is left. */
static const char *sums_are_the_processors(struct draws *draws)
{
    uint64_t a = draw_bits(draws), b = draw_bits(draws);
    const uint32_t how = draw_below(draws, 8), at = draw_below(draws, N_ENDS * N_ENDS);
    if (how == 0) {
        a = bits_of(ends[at / N_ENDS]) | a >> 63 << 63;
        b = bits_of(ends[at % N_ENDS]) | b >> 63 << 63;
    } else {
        if (how < 3) {
            a &= ~(uint64_t)0 << 50;
            b &= ~(uint64_t)0 << draw_below(draws, 53);
        }
        uint64_t near = ((a >> 52) + draw_below(draws, 128) - 64) & 0x7ff;
        if (how != 7)
            b = (b & ~((uint64_t)0x7ff << 52)) | near << 52;
    }
    volatile double x = value_of(a), y = value_of(b);
    const double sum = x + y;
    const uint64_t found = sum_doubles(a, b);
    HOLDS(isnan(sum) ? isnan(value_of(found)) : found == bits_of(sum));
    return NULL;
}

TEST(sums_are_rounded_as_the_processor_does)
{
    expect_property(sums_are_the_processors, 5000000, 1);
}
