/* SPDX-License-Identifier: MIT */
/*
 * What sort's files share.
 */
#ifndef APPS_SORT_PARTS_H
#define APPS_SORT_PARTS_H

#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

#include "graph.h"

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

static inline struct sort_size sort_size_of(const struct app_sort *app)
{
    return (struct sort_size){app->n, app->base, app->node.group_items};
}

#endif
