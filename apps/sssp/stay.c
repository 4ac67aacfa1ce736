/* SPDX-License-Identifier: MIT */
/*
 * The search of --stay: one kernel of rounds, which stays on the device.
 *
 * Path:    sssp.c -> this -> stay.cl
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's.
 */
#include "sssp/sssp.h"

extern const char sssp_stay_cl[];

/* Words of struct stay in stay.cl: of rounds n_front, limit, turn; of lists that wait n_far, low; n_reached. */
enum { LIMIT = 3, TURN = 6, LOW = 12, REACHED = 15, STAY_WORDS };

/* Fronts are narrow, and every work-item reads what is known of the round. */
#define FRONT_ITEMS 64

static void prepare(struct sssp *sssp)
{
    struct node *node = &sssp->node;
    struct stay *stay = &sssp->stay;
    const size_t bytes = sssp_n_own(sssp) * sizeof(cl_uint);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "stay.cl", .source = sssp_stay_cl,
                              .options = sssp_define(sssp), .function = "stay",
                              .group_items = FRONT_ITEMS);
    cl_kernel kernel;
    if (node->n_nodes > 1)
        die("--stay: run it on one node, not on %u", node->n_nodes);
    TRY(gravel_rounds_create(&stay->rounds, node->gravel, &program));
    TRY(gravel_rounds_kernel(stay->rounds, &kernel));
    stay->limit = sssp_bucket_end(sssp->is_float, sssp->delta, 0);
    stay->fronts = node_array(node, 2 * bytes, NULL);
    stay->far = node_array(node, 3 * bytes, NULL);
    stay->on = node_array(node, 2 * bytes, NULL);
    stay->known = node_array(node, STAY_WORDS * sizeof(cl_uint), NULL);
    NODE_SET(kernel, 2, UINT(sssp_n_own(sssp)), UINT(stay->limit), ARRAY(sssp->offsets),
             ARRAY(sssp->slots), ARRAY(sssp->weights), ARRAY(sssp->best), ARRAY(sssp->settled),
             ARRAY(stay->fronts), ARRAY(stay->far), ARRAY(stay->on), ARRAY(stay->known));
    node_check_cl(clReleaseKernel(kernel), "clReleaseKernel");
}

/* The source is the front of round 0. */
static void reset(struct sssp *sssp)
{
    struct stay *stay = &sssp->stay;
    const cl_uint source = (cl_uint)partition_index(&sssp->part.partition, sssp->source);
    const cl_uint known[STAY_WORDS] = {
        1, [LIMIT] = stay->limit, [LOW] = UINT32_MAX, UINT32_MAX, UINT32_MAX, [REACHED] = 1};
    node_fill(&sssp->node, stay->on, 0, 2 * sssp_n_own(sssp) * sizeof(cl_uint));
    node_write(&sssp->node, stay->fronts, 0, sizeof source, &source);
    node_write(&sssp->node, stay->known, 0, sizeof known, known);
}

static void search(struct sssp *sssp)
{
    struct gravel_rounds_ended ended;
    cl_uint known[STAY_WORDS];
    TRY(gravel_rounds_run(sssp->stay.rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, &ended, sizeof ended));
    node_read(&sssp->node, sssp->stay.known, sizeof known, known);
    sssp->n_rounds = ended.n_rounds;
    sssp->n_buckets = known[TURN + ended.n_rounds % 3];
    sssp->n_reached = known[REACHED];
}

const struct way sssp_stay = {prepare, reset, search};
