/* SPDX-License-Identifier: MIT */
/*
 * Copies of the heap are cut where words end.
 *
 * Path:    node/messages.c, network/get.c, opencl/copier.c -> piece.h.
 */
#ifndef GRAVEL_BASE_PIECE_H
#define GRAVEL_BASE_PIECE_H

#include <stdint.h>

/** Bytes of a copy's next piece, from `at` on: `left` if that is no more than `most`, or it ends at a multiple of 8. */
static inline uint64_t gravel_piece_bytes(uint64_t at, uint64_t left, uint64_t most)
{
    return left <= most ? left : most - (at + most) % 8;
}

#endif
