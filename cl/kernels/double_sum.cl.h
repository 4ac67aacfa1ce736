/* SPDX-License-Identifier: MIT */
/*
 * The sum of two doubles by integers, for devices without double.
 *
 * IEEE 754: rounds to nearest, ties to even; subnormal numbers, infinities and NaN included.
 *
 * Path:    the build joins it with resolve.cl; test_double_sum.c compiles it as C11.
 */
#ifndef GRAVEL_DOUBLE_SUM_CL_H
#define GRAVEL_DOUBLE_SUM_CL_H

#define DOUBLE_SIGN 0x8000000000000000ul
#define DOUBLE_INFINITY 0x7ff0000000000000ul
#define DOUBLE_QUIET 0x0008000000000000ul /* bit of a NaN */
#define DOUBLE_FIRST 0x0010000000000000ul /* the bit that a normal number does not store */
#define EXTRA_BITS 3 /* below the last, to round by: two, and whether there was more */

/* Returns the exponent of a number without its sign; a subnormal one has that of the smallest normal one. */
static inline int double_exponent(ulong bits)
{
    return bits < DOUBLE_FIRST ? 1 : (int)(bits >> 52);
}

static inline ulong double_digits(ulong bits)
{
    ulong stored = bits & (DOUBLE_FIRST - 1);
    return (bits < DOUBLE_FIRST ? stored : stored | DOUBLE_FIRST) << EXTRA_BITS;
}

/* Shifts to the right; the last bit of the result is set if bits were lost. */
static inline ulong shift_right(ulong digits, int shift)
{
    if (shift == 0)
        return digits;
    return shift > 63 ? digits != 0 : digits >> shift | (digits << (64 - shift) != 0);
}

/* @param exponent  of a number whose digits begin at bit 52 + EXTRA_BITS. */
static inline ulong round_double(ulong digits, int exponent)
{
    ulong last = digits >> EXTRA_BITS & 1;
    ulong rounded = (digits + 3 + last) >> EXTRA_BITS;
    return exponent > 2046 ? DOUBLE_INFINITY : ((ulong)(exponent - 1) << 52) + rounded;
}

/* @param greater, less  bits of doubles without their signs, neither of them NaN or infinite. */
static inline ulong sum_magnitudes(ulong greater, ulong less, bool is_difference)
{
    int exponent = double_exponent(greater);
    ulong digits = double_digits(greater);
    ulong other = shift_right(double_digits(less), exponent - double_exponent(less));
    digits = is_difference ? digits - other : digits + other;
    if (digits == 0)
        return 0;
    int shift = (int)clz(digits) - (63 - 52 - EXTRA_BITS);
    if (shift < 0)
        return round_double(shift_right(digits, 1), exponent + 1);
    shift = shift < exponent ? shift : exponent - 1; /* or the number is subnormal */
    return round_double(digits << shift, exponent - shift);
}

/* The bits of a + b, given those of a and b. */
static inline ulong sum_doubles(ulong a, ulong b)
{
    bool is_ordered = (a & ~DOUBLE_SIGN) >= (b & ~DOUBLE_SIGN);
    ulong sign = (is_ordered ? a : b) & DOUBLE_SIGN;
    ulong greater = (is_ordered ? a : b) & ~DOUBLE_SIGN, less = (is_ordered ? b : a) & ~DOUBLE_SIGN;
    bool is_difference = ((a ^ b) & DOUBLE_SIGN) != 0;
    if (greater > DOUBLE_INFINITY)
        return sign | greater | DOUBLE_QUIET;
    if (greater == DOUBLE_INFINITY)
        return is_difference && less == greater ? DOUBLE_INFINITY | DOUBLE_QUIET : sign | greater;
    if (is_difference && less == greater)
        return 0;
    return sign | sum_magnitudes(greater, less, is_difference);
}

#endif
