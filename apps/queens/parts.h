/* SPDX-License-Identifier: MIT */
/*
 * What queens' files share.
 */
#ifndef APPS_QUEENS_PARTS_H
#define APPS_QUEENS_PARTS_H

#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

struct app_queens {
    struct options options;
    struct node node;
    bool is_plain;
    uint32_t n;
    uint32_t base; /* rows that one work-item fills, of the flow */
    uint32_t deal; /* rows after which the flow deals boards to all nodes; 0: it does not */
    struct gravel_flow *flow;
    cl_kernel solve; /* of the form without a flow */
    uint64_t result; /* of all nodes */
};

extern const struct flow_form queens_flow, queens_plain;

/** Bits of all places of a row; of those of the first row that are this node's. */
uint32_t queens_full_row(const struct app_queens *app);
uint32_t queens_first_places(const struct app_queens *app);

#endif
