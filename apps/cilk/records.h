/* SPDX-License-Identifier: MIT */
/*
 * Records of the channels of all four flows, for host and kernels.
 */
#if !defined(APPS_RECORDS_H) && !defined(PLAIN) /* whose kernels have no channels */
#define APPS_RECORDS_H

/* ---- fib ----------------------------------------------------------------------------------------- */

struct fib {
    uint n;
    gravel_slot to;
};

/* What is after the sync: the sum of both results. */
struct sum {
    uint x, y;
    gravel_slot to;
};

/* ---- queens -------------------------------------------------------------------------------------- */

/* A board whose first rows have a queen each; a bit for each place of the next row that they attack. */
struct queens {
    uint columns, left, right;
    gravel_slot to;
};

/* A board whose last rows one work-item fills. */
struct solve {
    struct queens board;
};

/* Solutions of all boards that follow from one. */
struct total {
    uint n;
    gravel_slot to;
};

/* ---- sort ---------------------------------------------------------------------------------------- */

/* Keys to be sorted: divided, or by one work-group. */
struct split {
    uint from, n;
};
struct block {
    struct split keys;
};

/* What is after a split: its sorted halves become one. */
struct both {
    struct split keys;
};

/* Two sorted runs that become one, at `to` of the other array: divided, or by one work-group. */
struct merge {
    uint a, n_a, b, n_b, to;
    uint is_back; /* from the spare array to the keys */
};
struct join {
    struct merge runs;
};

/* ---- strassen ------------------------------------------------------------------------------------ */

/* c = a * b, or c += a * b: first elements of matrices of SIZE columns in the one array of all three. Divided, or by one
 * work-group. */
struct product {
    uint a, b, c, adds;
};
struct leaf {
    struct product of;
};

/* After four products: the other four. */
struct second {
    struct product of;
};

#endif
