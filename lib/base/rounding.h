/* SPDX-License-Identifier: MIT */
/*
 * Rounding: to powers of two, of which rings have as many slots; and to pieces: copies of the heap are cut where words
 * end, rows of messages into pieces of one size.
 */
#ifndef GRAVEL_BASE_ROUNDING_H
#define GRAVEL_BASE_ROUNDING_H

#include <stdint.h>

/** Returns the greatest power of two up to `most`, and up to 2^31; 1 for 0. */
static inline uint32_t gravel_power_to(uint64_t most)
{
    uint32_t power = 1;
    while (power < UINT32_C(1) << 31 && power <= most / 2)
        power *= 2;
    return power;
}

/** Returns the least power of two from `least` on, which is at most 2^31. */
static inline uint32_t gravel_power_from(uint64_t least)
{
    const uint32_t power = gravel_power_to(least);
    return power < least ? 2 * power : power;
}

/** Returns the bytes of a copy's next piece, from `at` on: `left` if at most `most`, else up to a multiple of 8. */
static inline uint64_t gravel_piece_bytes(uint64_t at, uint64_t left, uint64_t most)
{
    return left <= most ? left : most - (at + most) % 8;
}

/** Returns the messages of a row's next piece, if `left` are left and a buffer takes `most`: a small piece after a full
 * one would cost as much, and the resolver waits for the frames before one that is too small to be handed over. Pieces
 * but the last are even, so that the next one begins at 8 bytes too, unless a buffer takes one message. */
static inline uint32_t gravel_piece_messages(uint32_t left, uint32_t most)
{
    const uint32_t even = most > 1 ? most & ~1u : 1;
    const uint32_t n_pieces = (left + even - 1) / even, n = (left + n_pieces - 1) / n_pieces;
    return n_pieces == 1 || even == 1 ? n : (n + 1) & ~1u;
}

#endif
