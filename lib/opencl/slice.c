/* SPDX-License-Identifier: MIT */
/*
 * Boxes of work-groups. See slice.h.
 */
#include "opencl/slice.h"

void gravel_slicer_init(struct gravel_slicer *slicer, uint32_t n_dimensions, const size_t *global,
                        const size_t *local)
{
    *slicer = (struct gravel_slicer){.n_dimensions = n_dimensions};
    for (uint32_t d = 0; d < 3; d++) {
        slicer->global[d] = d < n_dimensions ? global[d] : 1;
        slicer->local[d] = d < n_dimensions ? local[d] : 1;
        slicer->groups[d] = (slicer->global[d] + slicer->local[d] - 1) / slicer->local[d];
    }
}

/* Chooses how many groups the next box has in each dimension: whole planes, else whole rows, else a part of
 * a row. */
static void choose_box(const struct gravel_slicer *slicer, uint64_t max_groups, size_t box[3])
{
    uint64_t below = 1; /* groups of what box[d] counts */
    for (int d = 0; d < 3; d++) {
        uint64_t fit = max_groups / below, left = slicer->groups[d] - slicer->next[d];
        box[d] = fit < left ? (size_t)fit : (size_t)left;
        bool is_whole = box[d] == slicer->groups[d];
        for (int rest = d + 1; !is_whole && rest < 3; rest++)
            box[rest] = 1;
        if (!is_whole)
            return;
        below *= slicer->groups[d];
    }
}

bool gravel_slicer_next(struct gravel_slicer *slicer, uint64_t max_groups,
                        struct gravel_slice *slice)
{
    size_t box[3];
    if (slicer->next[2] >= slicer->groups[2])
        return false;
    choose_box(slicer, max_groups, box);
    slice->n_groups = 1;
    for (int d = 0; d < 3; d++) {
        slice->offset[d] = slicer->next[d] * slicer->local[d];
        size_t left = slicer->global[d] - slice->offset[d], size = box[d] * slicer->local[d];
        slice->size[d] = size < left ? size : left;
        slice->n_groups *= box[d];
    }
    int d = 0;
    while (d < 2 && box[d] == slicer->groups[d])
        d++; /* whole in d: the box grew in the next one */
    slicer->next[d] += box[d];
    for (; d < 2 && slicer->next[d] == slicer->groups[d]; d++) {
        slicer->next[d] = 0;
        slicer->next[d + 1]++;
    }
    return true;
}
