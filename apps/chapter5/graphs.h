/* SPDX-License-Identifier: MIT */
/*
 * What color, pagerank and sssp share: the main, which goes through a program's steps; the graph, the rounds, the check.
 *
 * Path:    NAME.c defines graphs_program -> graphs.c, which has main -> frame/app.h
 * Owner:   the graph, arrays and tasks are graphs.c's.
 */
#ifndef APPS_CHAPTER5_GRAPHS_H
#define APPS_CHAPTER5_GRAPHS_H

#include "frame/app.h"
#include "graph/part.h"

/* The one program's. */
struct graphs {
    struct options options;
    uint64_t n_iterations; /* -i, of a program that has it */
    const char *schedule;  /* --schedule, on one node, for GRAVEL_STEAL_POLICY; NULL: not */
    struct node node;
    struct graph_part part;
    uint64_t block;  /* vertices of a node: v is element v % block of node v / block */
    uint64_t n_most; /* messages of a work-item: a program with more than 1 says so */
    uint64_t
        words; /* heap offset of what messages change: 4 bytes a vertex of a block, or an edge */
    cl_mem offsets, count; /* rows of edges; a uint that kernels raise */
    cl_mem result;         /* [own vertices] 4 bytes each, made by the program */
    uint64_t n_rounds;     /* so far, of the last trial */
};
extern struct graphs graphs;

struct graphs_program {
    const char *name, *doc; /* as struct app has them */
    const char *source;     /* of the kernels, built with HAS_TASKS where vertices are tasks */
    struct part_wish wish;  /* of an undirected graph words are of edges */
    bool has_iterations;    /* -i */
    void (*open)(void);     /* make kernels and arrays; the node has its rows of the graph */
    void (*reset)(void);
    bool (*step)(void); /* a round. Collective. @return  false: there was no work for it */
    void (*describe)(struct trials *trials); /* may be NULL */
    const char *method;
    uint64_t (*check)(const void *found); /* by it, the results. @return  what is wrong [count] */
};
/** The program that graphs.c is linked with. */
extern const struct graphs_program graphs_program;

/** Launch a kernel that sends, and wait for what all nodes send; or, with --schedule, run it for all tasks. */
void graphs_send(cl_kernel kernel, uint64_t n_items);

#endif
