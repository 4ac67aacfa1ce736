/* SPDX-License-Identifier: MIT */
/*
 * Rounds of --schedule: all vertices are tasks, in every round.
 *
 * Path:    sssp.c -> this -> scheduled.cl
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's.
 * Source:  Che, Beckmann, Reinhardt, Skadron, Pannotia, 2013; Orr et al. 2015, section 5.3.
 */
#include "sssp/sssp.h"

extern const char sssp_scheduled_cl[];

static void prepare(struct sssp *sssp)
{
    struct node *node = &sssp->node;
    node_build(node, "scheduled.cl", sssp_scheduled_cl, sssp_define(sssp));
    tasks_open_stretches(&sssp->tasks, node, sssp_n_own(sssp));
    sssp->counts = node_array(node, 2 * sizeof(cl_uint), NULL);
    sssp->relax = node_kernel(node, "relax_tasks");
    NODE_SET(sssp->relax, 1, UINT(sssp_n_own(sssp)), ARRAY(sssp->offsets), ARRAY(sssp->slots),
             ARRAY(sssp->weights), ARRAY(sssp->settled), ARRAY(sssp->best), ARRAY(sssp->counts));
}

static void reset(struct sssp *sssp)
{
    TRY(gravel_steal_stats_reset(sssp->tasks.steal));
}

static void search(struct sssp *sssp)
{
    cl_uint counts[2]; /* came nearer, reached for the first time */
    do {
        node_fill(&sssp->node, sssp->counts, 0, sizeof counts);
        tasks_run(&sssp->tasks, sssp->relax);
        node_read(&sssp->node, sssp->counts, sizeof counts, counts);
        sssp->n_rounds++;
        sssp->n_reached += counts[1];
    } while (counts[0]);
    sssp->n_buckets = 1;
}

const struct way sssp_scheduled = {prepare, reset, search};
