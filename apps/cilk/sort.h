/* SPDX-License-Identifier: MIT */
/*
 * Records of sort's channels, for host and kernel: parts of the array of keys.
 */
#ifndef APPS_SORT_H
#define APPS_SORT_H

/* Keys yet to be sorted: divided, or by one work-group. */
struct split {
    uint from, n;
};
struct leaf {
    uint from, n;
};

/* What is after a split: its sorted quarters become two halves, and these the whole. */
struct halves {
    uint from, n;
};
struct whole {
    uint from, n;
};

/* Two sorted runs that become one, at `to` of the other array: divided, or by one work-group. */
struct merge {
    uint a, n_a, b, n_b, to;
    uint is_back; /* from the spare array to the keys */
};
struct join {
    uint a, n_a, b, n_b, to;
    uint is_back;
};

#endif
