/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the k-mer counter share.
 *
 * Path:    mer.c (options, trials) -> pack.c (input) -> count.c (this node's part) -> reference.c
 *          (check)
 * Owner:   mer_open makes what mer_close frees.
 * Threads: main's; tables are the network thread's between a launch and the next barrier.
 */
#ifndef APPS_MER_H
#define APPS_MER_H

#include "table.h"
#include "frame/app.h"
#include "frame/each.h"

#define MAX_K 63

struct mer {
    struct options options;
    const char *path;
    const char *output; /* NULL for none */
    uint64_t k;
    uint64_t least_quality;
    uint64_t per_item; /* places of a work-item; 0 until mer_open if it is to be derived */
    struct node node;

    uint64_t n_places;                    /* of this process's text */
    uint64_t n_kmers, n_records, n_bases; /* of the whole file */
    uint64_t n_distinct;                  /* of all nodes */
    double read_s;                        /* reading and packing took [s] */
    struct table *tables;                 /* [n_nodes]; empty for nodes of other processes */
    struct node_kernels count;
    cl_mem bases, starts, valid;
};

/** Open the node and read this process's share of the file. */
app_step mer_open;

/** Empty tables. */
app_step mer_reset;

/** Count all k-mers. */
app_step mer_count;

/** Set n_distinct. Collective. */
void mer_sum(struct mer *mer);

/** Write this process's tables to OUTPUT.NUMBER, or die. */
void mer_write(const struct mer *mer);

/** Free what mer_open made. */
app_step mer_close;

/**
 * Compare the tables of this process with all its k-mers sorted.
 *
 * @param serial_s  [out] reading, sorting and counting took [s].
 * @return          k-mers that are wrong [count].
 */
uint64_t mer_check(const struct mer *mer, double *serial_s);

#endif
