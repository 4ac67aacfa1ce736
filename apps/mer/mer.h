/* SPDX-License-Identifier: MIT */
/*
 * A node's k-mers, and the places of its table.
 *
 * Path:    mer.c <-> this <-> on_host.c, on_device.c
 * Owner:   mer.c.
 * Threads: main's; tables are the network thread's between a launch and the next barrier.
 */
#ifndef APPS_MER_H
#define APPS_MER_H

#include "table.h"
#include "frame/app.h"

struct mer;

/* Where a node's table is: --table. All nodes take each step together. */
struct place {
    const char *name;

    /** Open the node with a handler that counts, and with room for what that takes; or die. */
    void (*open)(struct mer *mer);

    /** Build program and kernels: the text is on the device. */
    void (*build)(struct mer *mer);

    /** Add what only this place has to the parameters; NULL: nothing. */
    void (*describe)(const struct mer *mer, struct trials *trials);

    /** Empty what is not in mer->tables; NULL: nothing. */
    void (*reset)(struct mer *mer);

    /** Send all k-mers of this process's text, and wait until all nodes have counted theirs; or die. */
    void (*count)(struct mer *mer);

    /** Have what was counted in mer->tables; NULL: it is there. */
    void (*fetch)(struct mer *mer);
};

extern const struct place on_host, on_device;

/* What on_device.c knows of a node's table. */
struct device_table {
    uint64_t n_shards;
    uint64_t offset; /* in the heap: the entries, and the number of k-mers that found no room */
    cl_kernel count, clear;
};

struct mer {
    struct options options;
    struct option_words paths;
    uint64_t prints[OPTION_MOST_WORDS]; /* of what was read from each */
    const char *output;                 /* NULL for none */
    uint64_t k;
    uint64_t least_quality;
    uint64_t n_expected; /* different k-mers of all nodes; 0: the most that the input may have */
    const struct place *place; /* NULL until open_all if it is to be chosen */
    struct node node;

    uint64_t n_places;                    /* of this process's text */
    uint64_t n_kmers, n_records, n_bases; /* of all files */
    uint64_t n_distinct;                  /* of all nodes */
    double read_s;                        /* reading and packing took [s] */
    struct table *tables;                 /* [n_nodes]; empty for nodes of other processes */
    cl_mem bases, starts, valid;
    cl_kernel count_on_host;
    struct device_table on_device;
};

/** Set three arguments of a kernel from number `first` on: bases, starts, valid. */
void set_text(const struct mer *mer, cl_kernel kernel, cl_uint first);

/** The compiler's options for kmers.cl.h, and `more`. @return  options. */
#define MER_OPTIONS_BYTES 128
const char *compiler_options(const struct mer *mer, const char *more,
                             char options[MER_OPTIONS_BYTES]);

/** Open the process's file of the output for writing, before work is done for it; or die, naming the cause. */
void output_open(const struct mer *mer);

/** Write the tables, and give the file its name once all nodes have written theirs; or die, and nothing is left. Collective. */
void output_write(const struct mer *mer);

/** Compare this process's tables with all their k-mers sorted. @return  k-mers that are wrong [count]. */
uint64_t reference_check(void *self, struct trials *trials);

#endif
