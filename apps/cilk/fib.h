/* SPDX-License-Identifier: MIT */
/*
 * Records of fib's channels, for host and kernel.
 */
#ifndef APPS_FIB_H
#define APPS_FIB_H

struct fib {
    uint n;
    gravel_slot to;
};

/* What is after the sync: the sum of both results. */
struct sum {
    uint x, y;
    gravel_slot to;
};

#endif
