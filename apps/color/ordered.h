/* SPDX-License-Identifier: MIT */
/*
 * What a node has on its device to colour in order, beside what each way has.
 *
 * Path:    color.h -> this -> ordered.c, copies.c
 * Owner:   the node's, which node_close releases.
 * Threads: main's.
 */
#ifndef APPS_COLOR_ORDERED_H
#define APPS_COLOR_ORDERED_H

#include "color/way.h"
#include "frame/node.h"

struct ordered {
    cl_kernel reset, choose, publish;
    cl_mem lists[2], ready;
    cl_mem copy_starts, copies; /* of own vertices at other nodes: node and slot */
    uint64_t n_waiting;         /* of lists, before a round */
};

extern const struct way color_ordered;

/** Make copy_starts and copies. Collective. */
void color_upload_copies(struct color *color);

#endif
