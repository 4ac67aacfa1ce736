/* SPDX-License-Identifier: MIT */
/*
 * Sorts by merging the ascending stretches that are there: plans are lists of each node, one behind the other, most of
 * them ascending.
 *
 * Source:  Knuth, The Art of Computer Programming, volume 3, section 5.2.4 (natural merge sort).
 */
#include "mirror/mirror.h"

#include <string.h>

static bool is_before(const struct gravel_mirror_item *a, const struct gravel_mirror_item *b)
{
    return a->index < b->index || (a->index == b->index && a->place < b->place);
}

/* @return where the ascending stretch that begins at `begin` ends. */
static uint64_t find_end(const struct gravel_mirror_item *items, uint64_t begin, uint64_t n)
{
    uint64_t end = begin + 1;
    while (end < n && is_before(&items[end - 1], &items[end]))
        end++;
    return end < n ? end : n;
}

static void merge(struct gravel_mirror_item *to, const struct gravel_mirror_item *from,
                  uint64_t begin, uint64_t middle, uint64_t end)
{
    uint64_t left = begin, right = middle;
    for (uint64_t i = begin; i < end; i++) {
        bool is_left = right == end || (left < middle && !is_before(&from[right], &from[left]));
        to[i] = from[is_left ? left++ : right++];
    }
}

/* Merge stretches two by two. @return whether there was one alone. */
static bool merge_pairs(struct gravel_mirror_item *to, const struct gravel_mirror_item *from,
                        uint64_t n)
{
    uint64_t middle = find_end(from, 0, n);
    if (middle == n)
        return true;
    for (uint64_t begin = 0, end; begin < n; begin = end) {
        middle = find_end(from, begin, n);
        end = middle < n ? find_end(from, middle, n) : n;
        merge(to, from, begin, middle, end);
    }
    return false;
}

struct gravel_mirror_item *gravel_mirror_sort(struct gravel_mirror_item *items,
                                              struct gravel_mirror_item *scratch, uint64_t n)
{
    while (n > 0 && !merge_pairs(scratch, items, n)) {
        struct gravel_mirror_item *sorted = scratch;
        scratch = items;
        items = sorted;
    }
    return items;
}
