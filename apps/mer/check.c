/* SPDX-License-Identifier: MIT */
/*
 * The check: go through the text base by base, list the k-mers of this process's owners, sort them, and compare what equal
 * ones come to with what was counted. It shares only the text and the hash with what counts.
 *
 * Path: mer.c, chapter5/mer.c -> this
 */
#include "kmers.h"

#include <stdlib.h>
#include <string.h>

#define NO_BASE 4

/* A k-mer at its place in the text, in the strand that counts. */
struct seen {
    uint64_t kmer;
    uint8_t left, right;
};

struct list {
    struct seen *seen;
    uint64_t n, room;
};

static uint8_t base_at(const struct kmers *kmers, uint64_t i)
{
    const struct text_block *block = &kmers->text[i / 64];
    const uint8_t base = block->bases[i / 32 % 2] >> (62 - i % 32 * 2) & 3;
    return block->valid >> i % 64 & 1 ? base : NO_BASE;
}

static uint8_t turned(uint8_t base)
{
    return base == NO_BASE ? base : (uint8_t)(3 - base);
}

/* Keeps both strands of the last k bases. */
static void list_all(const struct kmers *kmers, struct list *list)
{
    const unsigned k = (unsigned)kmers->k;
    const uint64_t mask = (UINT64_C(1) << 2 * k) - 1;
    uint64_t forward = 0, backward = 0;
    for (uint64_t i = 1, n_known = 0; i < kmers->n_places; i++) {
        const uint8_t base = base_at(kmers, i);
        n_known = base == NO_BASE ? 0 : n_known + 1;
        if (n_known == 0)
            continue;
        forward = (forward << 2 | base) & mask;
        backward = backward >> 2 | (uint64_t)(3 - base) << 2 * (k - 1);
        if (n_known < k)
            continue;
        const uint8_t left = base_at(kmers, i - k), right = base_at(kmers, i + 1);
        const struct seen seen = backward < forward
                                     ? (struct seen){backward, turned(right), turned(left)}
                                     : (struct seen){forward, left, right};
        if (kmer_owner(kmer_hash(seen.kmer), kmers->n_owners) - kmers->first >= kmers->n_own)
            continue;
        list->seen = app_room(list->seen, list->n, &list->room, sizeof seen, "k-mers of the check");
        list->seen[list->n++] = seen;
    }
}

/* Both structs begin with it. */
static int compare_kmers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Walks both lists in order: every k-mer of one is in the other, as often, and none is there twice. */
static uint64_t compare(const struct kmers *kmers, const struct list *list)
{
    uint64_t n_wrong = 0, at = 0;
    for (uint64_t i = 0; i < list->n;) {
        struct kmer_count right = {.kmer = list->seen[i].kmer};
        for (; i < list->n && list->seen[i].kmer == right.kmer; i++) {
            right.counts[list->seen[i].left]++;
            if (list->seen[i].right != NO_BASE)
                right.counts[5 + list->seen[i].right]++;
        }
        for (; at < kmers->n_counts && kmers->counts[at].kmer < right.kmer; at++)
            n_wrong++;
        const bool is_there = at < kmers->n_counts && kmers->counts[at].kmer == right.kmer;
        n_wrong +=
            !is_there || memcmp(kmers->counts[at].counts, right.counts, sizeof right.counts) != 0;
        at += is_there;
    }
    return n_wrong + (kmers->n_counts - at);
}

uint64_t kmers_check(void *self, struct trials *trials)
{
    struct kmers *kmers = self;
    struct list list = {0};
    (void)trials;
    list_all(kmers, &list);
    if (list.n)
        qsort(list.seen, list.n, sizeof *list.seen, compare_kmers);
    if (kmers->n_counts)
        qsort(kmers->counts, kmers->n_counts, sizeof *kmers->counts, compare_kmers);
    const uint64_t n_wrong = compare(kmers, &list);
    free(list.seen);
    return n_wrong;
}
