/* SPDX-License-Identifier: MIT */
/*
 * The check: read the files again, base by base, list the k-mers that belong to this process's tables, sort them, and
 * compare what equal ones come to with the tables. It shares only the reader and the hash with what counts.
 *
 * Path: mer.c -> this -> sequence.h, table.h
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "mer.h"
#include "sequence.h"
#include "frame/die.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 word128; /* two bits a base, the last base in the lowest */

/* A k-mer where it stands, in the strand that counts. */
struct seen {
    word128 kmer;
    uint8_t left, right;
};

struct list {
    struct seen *seen;
    uint64_t n, capacity;
};

/* Both strands of the last k bases. */
struct window {
    word128 forward, backward;
    uint64_t n_known; /* bases since the last that is none */
};

static void slide(struct window *window, uint8_t base, unsigned k)
{
    word128 mask = ((word128)1 << 2 * k) - 1;
    window->n_known = base == BASE_NONE ? 0 : window->n_known + 1;
    if (base == BASE_NONE)
        return;
    window->forward = (window->forward << 2 | base) & mask;
    window->backward = window->backward >> 2 | (word128)(3 - base) << 2 * (k - 1);
}

static uint8_t turned(uint8_t base)
{
    return base == BASE_NONE ? base : (uint8_t)(3 - base);
}

static void list_sequence(const struct mer *mer, struct list *list, const struct sequence *sequence)
{
    struct window window = {0};
    for (uint64_t i = 0; i < sequence->n_bases; i++) {
        slide(&window, sequence->bases[i], (unsigned)mer->k);
        if (window.n_known < mer->k)
            continue;
        uint8_t left = i >= mer->k ? sequence->bases[i - mer->k] : BASE_NONE;
        uint8_t right = i + 1 < sequence->n_bases ? sequence->bases[i + 1] : BASE_NONE;
        struct seen seen = {window.forward, left, right};
        if (window.backward < window.forward)
            seen = (struct seen){window.backward, turned(right), turned(left)};
        struct kmer words = {.high = (uint64_t)(seen.kmer >> 64), .low = (uint64_t)seen.kmer};
        if (kmer_owner(kmer_hash(words), mer->node.n_nodes) - mer->node.number >= mer->node.n_local)
            continue;
        list->seen =
            app_room(list->seen, list->n, &list->capacity, sizeof seen, "k-mers of the check");
        list->seen[list->n++] = seen;
    }
}

static void list_file(const struct mer *mer, struct list *list, unsigned i)
{
    struct sequence sequence;
    struct sequence_file *file = sequence_open(mer->paths.each[i], (unsigned)mer->least_quality);
    while (sequence_next(file, &sequence))
        list_sequence(mer, list, &sequence);
    if (sequence_print(file) != mer->prints[i])
        die("%s: the file has changed since it was read", mer->paths.each[i]);
    sequence_close(file);
}

static int compare_seen(const void *a, const void *b)
{
    word128 x = ((const struct seen *)a)->kmer, y = ((const struct seen *)b)->kmer;
    return (x > y) - (x < y);
}

/* What equal neighbours in the sorted list come to. */
static struct table_entry count_equal(const struct seen *seen, uint64_t n)
{
    struct table_entry entry = {.kmer = {(uint64_t)(seen->kmer >> 64), (uint64_t)seen->kmer},
                                .count = (uint32_t)n};
    for (uint64_t i = 0; i < n; i++) {
        if (seen[i].left != BASE_NONE)
            entry.left[seen[i].left]++;
        if (seen[i].right != BASE_NONE)
            entry.right[seen[i].right]++;
    }
    return entry;
}

/* Every k-mer of the list is in the tables as often, and they hold no others. */
static uint64_t compare(const struct mer *mer, const struct list *list)
{
    uint64_t n_wrong = 0, n_distinct = 0;
    for (uint64_t begin = 0, end; begin < list->n; begin = end, n_distinct++) {
        for (end = begin + 1; end < list->n && list->seen[end].kmer == list->seen[begin].kmer;)
            end++;
        struct table_entry right = count_equal(list->seen + begin, end - begin);
        const struct table_entry *entry = table_find(
            &mer->tables[kmer_owner(kmer_hash(right.kmer), mer->node.n_nodes)], right.kmer);
        n_wrong += !entry || memcmp(entry, &right, sizeof right) != 0;
    }
    uint64_t n = 0;
    for (uint32_t i = 0; i < mer->node.n_local; i++)
        n += table_n_used(&mer->tables[mer->node.number + i]);
    return n_wrong + (n > n_distinct ? n - n_distinct : n_distinct - n);
}

uint64_t reference_check(void *self, struct trials *trials)
{
    const struct mer *mer = self;
    struct list list = {0};
    double begin_s = trials_clock();
    for (unsigned i = 0; i < mer->paths.n; i++)
        list_file(mer, &list, i);
    if (list.n)
        qsort(list.seen, list.n, sizeof *list.seen, compare_seen);
    trials_add_serial(trials, "serial, of node 0's k-mers, with reading", begin_s);
    uint64_t n_wrong = compare(mer, &list);
    free(list.seen);
    return n_wrong;
}
