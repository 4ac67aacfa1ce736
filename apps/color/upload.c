/* SPDX-License-Identifier: MIT */
/*
 * Arrays of a node's device, and those that more than one way has.
 *
 * Path:    guessed.c, ordered.c, scheduled.c -> this -> colors.cl.h
 * Owner:   the node's, which node_close releases.
 * Threads: main's.
 */
#include "color.h"

#include <stdlib.h>

cl_mem color_array(struct color *color, uint64_t n, size_t bytes)
{
    return node_array(&color->node, n * bytes, NULL);
}

cl_mem color_upload(struct color *color, uint64_t n, uint32_t *list)
{
    cl_mem array = node_array(&color->node, n * sizeof *list, list);
    free(list);
    return array;
}

void color_upload_higher(struct color *color)
{
    uint32_t *slots = color_list_slots(color);
    uint32_t *starts = color_count_higher(color, slots);
    uint32_t *higher = color_list_higher(color, slots, starts);
    color->higher = color_upload(color, starts[color_n_own(color)], higher);
    color->starts = color_upload(color, color_n_own(color) + 1, starts);
    color->slots = color_upload(color, color_n_own(color), slots);
}
