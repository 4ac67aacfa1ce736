/* SPDX-License-Identifier: MIT */
/*
 * A node's part of the graph, which edges stay, and what they weigh.
 *
 * Path: an application -> this -> part.c
 * Owner: see part.h.
 * Threads: main's, and its own, which it joins.
 */
#include "graph/node_part.h"
#include "frame/die.h"
#include "graph/rows.h"

#include <stdlib.h>

void node_survey(struct node *node, struct graph_part *part, uint64_t seed, struct part_wish wish)
{
    part_survey(part, seed, wish);
    if (part->options.source == GRAPH_FROM_FILE)
        node->input = (struct node_input){part->options.file, part->survey.print};
}

static void check_edges(uint64_t n_edges)
{
    if (n_edges > NODE_PART_MAX_EDGES)
        die("%llu edges of a node are more than %llu: use more nodes", (unsigned long long)n_edges,
            (unsigned long long)NODE_PART_MAX_EDGES);
}

void node_part_of_process(struct node *node, struct graph_part *part)
{
    if (!part->wish.is_undirected) /* where edges that are there twice stay */
        check_edges((part->survey.n_edges + node->n_processes - 1) / node->n_processes);
    part_open(part, node->n_processes, node->n_processes == 1 ? 0 : node->number);
    check_edges(part->rows.n_edges);
}

void node_part(struct node *node, struct graph_part *part)
{
    if (node->n_processes != node->n_nodes)
        die("loop-back nodes would have no part of the graph: unset GRAVEL_LOOPBACK");
    node_part_of_process(node, part);
}

static void swap_edges(struct graph *rows, uint64_t a, uint64_t b)
{
    uint32_t neighbour = rows->neighbours[a];
    rows->neighbours[a] = rows->neighbours[b];
    rows->neighbours[b] = neighbour;
    if (rows->weights) {
        union graph_weight weight = rows->weights[a];
        rows->weights[a] = rows->weights[b];
        rows->weights[b] = weight;
    }
}

static uint64_t split_row(struct graph_part *part, uint64_t u)
{
    uint64_t split = part->rows.offsets[u];
    for (uint64_t e = split; e < part->rows.offsets[u + 1]; e++)
        if (partition_has(&part->partition, part->node, part->rows.neighbours[e]))
            swap_edges(&part->rows, e, split++);
    return split;
}

struct split {
    struct graph_part *part;
    uint32_t *splits;
    bool sends_own;
};

static void split_rows(void *context, struct graph_rows rows)
{
    const struct split *split = context;
    for (uint64_t u = rows.first; u < rows.last; u++)
        split->splits[u] =
            (uint32_t)(split->sends_own ? split->part->rows.offsets[u] : split_row(split->part, u));
}

uint32_t *node_part_split(struct graph_part *part, bool sends_own)
{
    struct split split = {
        part, app_array(part->rows.n_vertices, sizeof(uint32_t), "a list of edges"), sends_own};
    graph_rows_side_by_side(&part->rows, split_rows, &split);
    return split.splits;
}

struct gravel_mirror *node_part_mirror(struct node *node, const struct ghosts *ghosts,
                                       uint64_t offset, uint32_t type, bool adds)
{
    const struct partition *partition = &ghosts->part->partition;
    struct gravel_mirror *mirror;
    if (node_sum(node, ghosts->n) == 0)
        return NULL;
    uint64_t *n_words = app_array(node->n_nodes, sizeof *n_words, "a plan");
    uint32_t *indices = app_array(ghosts->n, sizeof *indices, "a plan");
    for (uint64_t i = 0; i < ghosts->n; i++) {
        n_words[partition_owner(partition, ghosts->vertices[i])]++;
        indices[i] = (uint32_t)partition_index(partition, ghosts->vertices[i]);
    }
    const struct gravel_words words = GRAVEL_WORDS(offset, type, n_words, indices);
    TRY(adds ? gravel_mirror_create_slots(&mirror, node->gravel, GRAVEL_ADD, &words)
             : gravel_mirror_create(&mirror, node->gravel, &words));
    free(n_words);
    free(indices);
    return mirror;
}

/* ---- the mean weight ------------------------------------------------------------------------- */

/* Weights are summed in units of this part of the heaviest, as integers, whose sum is the same in any order. */
#define UNITS 0x1p24

static double greater(double a, double b)
{
    return a > b ? a : b;
}

struct weighed {
    const struct graph *graph;
    double heaviest;
    struct {
        double heaviest;
        uint64_t sum; /* [units] */
    } parts[SIDE_BY_SIDE_MOST];
};

static void find_heaviest_of_rows(void *context, struct graph_rows rows)
{
    struct weighed *weighed = context;
    double heaviest = 0;
    for (uint64_t e = rows.first_edge; e < rows.last_edge; e++)
        heaviest = greater(heaviest, graph_weight(weighed->graph, e));
    weighed->parts[rows.part].heaviest = heaviest;
}

static void sum_rows(void *context, struct graph_rows rows)
{
    struct weighed *weighed = context;
    uint64_t sum = 0;
    for (uint64_t e = rows.first_edge; e < rows.last_edge; e++)
        sum += (uint64_t)(graph_weight(weighed->graph, e) / weighed->heaviest * UNITS);
    weighed->parts[rows.part].sum = sum;
}

static void find_heaviest(struct node *node, struct weighed *weighed)
{
    graph_rows_side_by_side(weighed->graph, find_heaviest_of_rows, weighed);
    for (uint32_t i = 0; i < SIDE_BY_SIDE_MOST; i++)
        weighed->heaviest = greater(weighed->heaviest, weighed->parts[i].heaviest);
    TRY(gravel_reduce(node->gravel, GRAVEL_MAX, GRAVEL_DOUBLE, &weighed->heaviest, 1));
}

double node_part_mean_weight(struct node *node, const struct graph_part *part)
{
    struct weighed weighed = {.graph = &part->rows};
    find_heaviest(node, &weighed);
    if (weighed.heaviest > 0)
        graph_rows_side_by_side(weighed.graph, sum_rows, &weighed);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SIDE_BY_SIDE_MOST; i++)
        sum += weighed.parts[i].sum;
    sum = node_sum(node, sum);
    return weighed.heaviest * (double)sum / UNITS / greater((double)part->survey.n_edges, 1);
}
