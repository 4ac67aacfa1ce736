/* SPDX-License-Identifier: MIT */
/*
 * Records of strassen's channels, for host and kernels. A matrix is the number of its first element in the one array of
 * all matrices, and the distance between its rows.
 */
#ifndef APPS_STRASSEN_H
#define APPS_STRASSEN_H

/* c = a * b. */
struct product {
    uint a, a_row, b, b_row, c, c_row;
    uint number; /* 7-way: among those of its level; 8-way: whether it adds to c */
};
struct leaf {
    struct product of;
};

/* 8-way, after four products: the other four. */
struct second {
    struct product of;
};

/* 7-way, after sums of operands: seven products; and after these: sums of products. */
struct multiply {
    struct product of;
};
struct combine {
    struct product of;
};

/* 7-way: sums for elements first to first + n of each quarter of a product's matrices; by one work-group, or divided. */
struct range {
    struct product of;
    uint level; /* of the product */
    uint is_result;
    uint first, n;
};
struct part {
    struct range of;
};

#endif
