/* SPDX-License-Identifier: MIT */
/*
 * Cut sequences into pieces and write this process's as bits.
 *
 * A piece overlaps the next by the bases of a k-mer that begins before the cut, and has one base
 * more on either side: the neighbours of its first and last k-mer.
 *
 * Path: sequence.h -> this -> mer.c
 * Owner: see pack.h.
 * Threads: one at a time.
 */
#include "pack.h"
#include "sequence.h"
#include "frame/die.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY (1 << 16)

/* Makes words longer, by zeros. */
static void lengthen(uint64_t **words, uint64_t n_old, uint64_t n_new)
{
    *words = realloc(*words, n_new * sizeof **words);
    if (!*words)
        die("no memory for %llu words of the input", (unsigned long long)n_new);
    memset(*words + n_old, 0, (n_new - n_old) * sizeof **words);
}

/* Makes room for n more places. */
static void make_room(struct pack *pack, uint64_t n)
{
    if (pack->bases && pack->n_places + n <= pack->capacity)
        return;
    struct pack old = {.n_places = pack->capacity}, new = {.n_places = 2 * pack->capacity};
    while (new.n_places < pack->n_places + n)
        new.n_places += FIRST_CAPACITY;
    const uint64_t n_bits = pack->bases ? pack_bit_words(&old) : 0;
    lengthen(&pack->starts, n_bits, pack_bit_words(&new));
    lengthen(&pack->valid, n_bits, pack_bit_words(&new));
    lengthen(&pack->bases, pack->bases ? pack_base_words(&old) : 0, pack_base_words(&new));
    pack->capacity = new.n_places;
}

static void set_bit(uint64_t *bits, uint64_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void put_base(struct pack *pack, uint8_t base)
{
    uint64_t i = pack->n_places++;
    if (base == BASE_NONE)
        return;
    pack->bases[i / 32] |= (uint64_t)base << (62 - i % 32 * 2);
    set_bit(pack->valid, i);
}

/* The k-mers that begin at bases [first, last) of a sequence. */
static void put_piece(struct pack *pack, const struct sequence *sequence, unsigned k,
                      uint64_t first, uint64_t last)
{
    uint64_t begin = first ? first - 1 : 0, end = last + k;
    if (end > sequence->n_bases)
        end = sequence->n_bases;
    make_room(pack, end - begin + 1);
    put_base(pack, BASE_NONE); /* between this piece and the last */
    unsigned n_known = 0;
    for (uint64_t i = begin; i < end; i++) {
        n_known = sequence->bases[i] == BASE_NONE ? 0 : n_known + 1;
        put_base(pack, sequence->bases[i]);
        uint64_t start = i + 1 - k; /* of the k-mer that ends here */
        if (n_known < k || start < first || start >= last)
            continue;
        set_bit(pack->starts, pack->n_places - k);
        pack->n_kmers++;
    }
}

static void put_sequence(struct pack *pack, const struct sequence *sequence,
                         const struct pack_share *share)
{
    uint64_t n_starts = sequence->n_bases < share->k ? 0 : sequence->n_bases - share->k + 1;
    pack->n_records++;
    pack->n_bases += sequence->n_bases;
    for (uint64_t first = 0; first < n_starts; first += PACK_PIECE) {
        uint64_t last = first + PACK_PIECE < n_starts ? first + PACK_PIECE : n_starts;
        if (pack->n_pieces++ % share->n_processes == share->number)
            put_piece(pack, sequence, share->k, first, last);
    }
}

uint64_t pack_file(struct pack *pack, const char *path, const struct pack_share *share)
{
    struct sequence sequence;
    struct sequence_file *file = sequence_open(path, share->least_quality);
    make_room(pack, 1);
    while (sequence_next(file, &sequence))
        put_sequence(pack, &sequence, share);
    const uint64_t print = sequence_print(file);
    sequence_close(file);
    return print;
}

void pack_free(struct pack *pack)
{
    free(pack->bases);
    free(pack->starts);
    free(pack->valid);
    *pack = (struct pack){0};
}
