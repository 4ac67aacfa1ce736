/* SPDX-License-Identifier: MIT */
/*
 * Vertices in the order of their parts, and of their numbers.
 *
 * Path: part.c, partition_metis.c -> this
 * Owner: see partition.h.
 * Threads: any; one at a time per partition.
 */
#include "graph/partition.h"

#include "frame/random.h"

#include <errno.h>
#include <stdlib.h>

void partition_close(struct partition *partition)
{
    free(partition->starts);
    free(partition->places);
    *partition = (struct partition){0};
}

static void find_starts(struct partition *partition, partition_part *part, const void *context)
{
    for (uint64_t v = 0; v < partition->n_vertices; v++)
        partition->starts[part(context, v, partition->n_nodes) + 1]++;
    partition->block = 0;
    for (uint32_t i = 0; i < partition->n_nodes; i++) {
        uint64_t n_part = partition->starts[i + 1];
        partition->block = n_part > partition->block ? n_part : partition->block;
        partition->starts[i + 1] += partition->starts[i];
    }
}

static int find_places(struct partition *partition, partition_part *part, const void *context)
{
    uint64_t *next = calloc(partition->n_nodes, sizeof *next);
    if (!next)
        return -ENOMEM;
    for (uint32_t i = 0; i < partition->n_nodes; i++)
        next[i] = partition->starts[i];
    for (uint64_t v = 0; v < partition->n_vertices; v++)
        partition->places[v] = (uint32_t)next[part(context, v, partition->n_nodes)]++;
    free(next);
    return 0;
}

int partition_parts(struct partition *partition, uint64_t n_vertices, uint32_t n_nodes,
                    partition_part *part, const void *context)
{
    int status = -ENOMEM;
    *partition = (struct partition){.n_vertices = n_vertices, .n_nodes = n_nodes};
    partition->starts = calloc(n_nodes + (uint64_t)1, sizeof *partition->starts);
    partition->places = calloc(n_vertices ? n_vertices : 1, sizeof *partition->places);
    if (partition->starts && partition->places) {
        find_starts(partition, part, context);
        status = find_places(partition, part, context);
    }
    if (status)
        partition_close(partition);
    return status;
}

/* ---- a hash ---------------------------------------------------------------------------------- */

#define KEY UINT64_C(0x5ca1ab1e) /* of no other random numbers */

static uint32_t hashed_part(const void *context, uint64_t v, uint32_t n_nodes)
{
    (void)context;
    return (uint32_t)((random_at(KEY, v) >> 32) * n_nodes >> 32);
}

int partition_hash(struct partition *partition, uint64_t n_vertices, uint32_t n_nodes)
{
    *partition = partition_blocks(n_vertices, n_nodes);
    return n_nodes > 1 ? partition_parts(partition, n_vertices, n_nodes, hashed_part, NULL) : 0;
}
