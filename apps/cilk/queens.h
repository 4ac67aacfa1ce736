/* SPDX-License-Identifier: MIT */
/*
 * Records of queens' channels, for host and kernel.
 */
#ifndef APPS_QUEENS_H
#define APPS_QUEENS_H

/* A board whose first rows have a queen each; a bit for each place of the next row that they attack. */
struct queens {
    uint columns, left, right;
    gravel_slot to;
};

/* A board whose last rows one work-item fills. */
struct solve {
    uint columns, left, right;
    gravel_slot to;
};

/* Solutions of all boards that follow from one. */
struct total {
    uint n;
    gravel_slot to;
};

#endif
