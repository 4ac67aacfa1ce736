/* SPDX-License-Identifier: MIT */
/*
 * A number that differs when bytes do (FNV-1a, 64 bits).
 */
#ifndef GRAVEL_BASE_HASH_H
#define GRAVEL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define GRAVEL_HASH_BEGIN UINT64_C(14695981039346656037)

/** Hashes one more word, usually a byte. */
static inline uint64_t gravel_hash_step(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(1099511628211);
}

static inline uint64_t gravel_hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    for (const unsigned char *byte = data; bytes--; byte++)
        hash = gravel_hash_step(hash, *byte);
    return hash;
}

#endif
