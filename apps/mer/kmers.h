/* SPDX-License-Identifier: MIT */
/*
 * K-mers of sequences: the text that they are in, and how often each occurs.
 *
 * Path:    mer.c, chapter5/mer.c -> this: kmers.c
 * Owner:   kmers_free frees what kmers_read and kmers_add made.
 * Source:  Chapman et al., Meraculous: de novo genome assembly with short paired-end reads, 2011.
 */
#ifndef APPS_KMERS_H
#define APPS_KMERS_H

#include "frame/app.h"
#include "frame/random.h"

#define MAX_K 31

/* Text is packed in blocks of 64 places. Place 0 is no base, nor is one between sequences, and behind the last there are
 * TEXT_PAD places more, to be read past the end. mer.cl has the same. */
struct text_block {
    uint64_t valid;    /* places with a base, the first in the lowest bit */
    uint64_t bases[2]; /* two bits each, the first in the highest */
};
#define TEXT_PAD 128

/* A k-mer of either strand, whichever is less, and what is next to it in that strand. */
struct kmer_count {
    uint64_t kmer; /* two bits a base, A 0, C 1, G 2, T 3, the last base in the lowest */
    uint32_t counts
        [9]; /* how often A, C, G, T or no base is before it; how often A, C, G, T is after it */
};

struct kmers {
    const char *path;
    uint64_t k;
    struct options options;
    struct node node;

    uint64_t print; /* the file's fingerprint */
    struct text_block *text;
    uint64_t n_places, room; /* of the text, without TEXT_PAD; room in blocks */
    uint64_t n_kmers, n_records, n_bases, n_known; /* bases in a row so far */

    /* [n_counts] the k-mers whose owners are nodes of this process, in any order; the check sorts them */
    struct kmer_count *counts;
    uint64_t n_counts, counts_room;
};

/** Run a program that counts k-mers. @param app  its doc, options and steps, of which describe and check are set here.
 * @param kmers  the application's struct begins with it */
int kmers_main(struct app app, struct kmers *kmers, int argc, char **argv);

/** Returns the hash of a k-mer, as mer.cl: its upper half chooses the owner, its lower half the slot. */
static inline uint64_t kmer_hash(uint64_t kmer)
{
    return random_mix(kmer);
}

/** Read the file; or die. */
void kmers_read(struct kmers *kmers);

/** Returns the bytes of the text, TEXT_PAD included. */
static inline uint64_t kmers_text_bytes(const struct kmers *kmers)
{
    return (kmers->n_places + TEXT_PAD + 63) / 64 * sizeof(struct text_block);
}

/** Die unless all nodes have read the same; and build mer.cl. Collective. @param options  the compiler's, besides -DK. */
void kmers_build(struct kmers *kmers, const char *options);

/** Add a k-mer to `counts`. */
void kmers_add(struct kmers *kmers, const struct kmer_count *count);

/** Say what was read and counted. Collective. */
void kmers_result(struct kmers *kmers, struct trials *trials);

/** Free the text and `counts`. */
app_step kmers_free;

#endif
