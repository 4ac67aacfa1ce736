/* SPDX-License-Identifier: MIT */
/*
 * The part of files that one process counts, packed for the kernel.
 *
 * Path: sequence.h -> this -> mer.c -> kmers.cl.h, which describes the layout
 * Owner: pack_free frees what pack_file made.
 * Threads: one at a time.
 *
 * Sequences are cut into pieces of at most PACK_PIECE k-mers, which go to the processes in turn.
 * Every process reads all files, and keeps no more of it than its pieces and the sequence at
 * hand.
 */
#ifndef APPS_PACK_H
#define APPS_PACK_H

#include <stdbool.h>
#include <stdint.h>

#define PACK_PIECE 4096

struct pack {
    uint64_t *bases;  /* [places / 32 + 4] */
    uint64_t *starts; /* [places / 64 + 3] */
    uint64_t *valid;  /* the same */
    uint64_t n_places;
    uint64_t capacity;  /* places there is room for */
    uint64_t n_kmers;   /* set bits of starts */
    uint64_t n_pieces;  /* of all files so far, and of all processes */
    uint64_t n_records; /* of the same */
    uint64_t n_bases;   /* of the same, unknown ones too */
};

struct pack_share {
    uint32_t number, n_processes;
    unsigned k;
    unsigned least_quality;
};

/** Read a file and add this process's share; *pack is zeroed before the first. @return  what was read. */
uint64_t pack_file(struct pack *pack, const char *path, const struct pack_share *share);

/** Words of `bases`, and of the two others [count]. */
static inline uint64_t pack_base_words(const struct pack *pack)
{
    return pack->n_places / 32 + 4;
}
static inline uint64_t pack_bit_words(const struct pack *pack)
{
    return pack->n_places / 64 + 3;
}

/** Free the arrays and zero the struct. */
void pack_free(struct pack *pack);

#endif
