/* SPDX-License-Identifier: MIT */
/*
 * What strassen's files share.
 */
#ifndef APPS_STRASSEN_PARTS_H
#define APPS_STRASSEN_PARTS_H

#include <sys/types.h>

#include "frame/app.h"
#include "frame/flow.h"

#define STRASSEN_PART 1024u     /* elements whose sums one work-group makes */
#define STRASSEN_MOST_PARTS 16u /* that a range divides itself into */

struct app_strassen {
    struct options options;
    struct node node;
    bool is_plain;
    uint32_t n;      /* rows of a matrix */
    uint32_t base;   /* rows of a tile, which a work-group multiplies */
    uint32_t ways;   /* 7 or 8 */
    uint32_t levels; /* of divisions: n is base * 2^levels */
    float *drawn;    /* [2][n][n] a and b */
    cl_mem all;      /* a, b, c, and what the form needs */
    struct gravel_flow *flow;
    cl_kernel multiply; /* of the form without a flow */
};

extern const struct flow_form strassen_flow, strassen_plain;

/** Elements behind a, b and c that the flow needs. */
uint64_t strassen_n_sums(const struct app_strassen *app);

#define STRASSEN_OPTIONS_BYTES 128
/** Write the compiler's options for all programs. */
void strassen_write_options(const struct app_strassen *app, char options[STRASSEN_OPTIONS_BYTES]);

#endif
