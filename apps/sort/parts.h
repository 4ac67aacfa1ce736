/* SPDX-License-Identifier: MIT */
/*
 * What sort's files share.
 */
#ifndef APPS_SORT_PARTS_H
#define APPS_SORT_PARTS_H

#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

#define SORT_PER_ITEM 8u /* keys that a work-item merges */

struct app_sort {
    struct options options;
    struct node node;
    bool is_plain;
    uint32_t n;
    uint32_t base;   /* keys that a work-group sorts by rank */
    uint32_t *drawn; /* [n] */
    cl_mem input;    /* [n] the same on the device */
    cl_mem keys;     /* [n] the result of a trial */
    cl_mem spare;    /* [n] */
    struct gravel_flow *flow;
    cl_kernel sort_blocks, merge_runs; /* of the form without a flow */
};

extern const struct flow_form sort_flow, sort_plain;

/** Keys that a work-group merges. */
static inline uint32_t sort_block_keys(const struct app_sort *app)
{
    return SORT_PER_ITEM * app->node.group_items;
}

#define SORT_OPTIONS_BYTES 96
/** Write the compiler's options for either program. */
void sort_write_options(const struct app_sort *app, char options[SORT_OPTIONS_BYTES]);

#endif
