/* SPDX-License-Identifier: MIT */
/*
 * This node's part on its device. If vertices choose in order: for each own vertex the neighbours that choose before it,
 * and the nodes that have a copy of its colour.
 *
 * A vertex is a ghost wherever one of its neighbours lives, for every edge stands in both rows. A
 * node's ghosts are in the order of owners and of their vertices, so an owner knows the slots of
 * its own vertices there once it knows where they begin.
 *
 * Path: color.c -> this, guess.c -> rounds.c
 * Owner: see color.h.
 * Threads: main's.
 */
#include "color.h"

#include <stdio.h>
#include <stdlib.h>

/* Room for what nodes tell each other first: 32 bytes a node [bytes]. */
#define BEGINS_BYTES 65536

static cl_mem upload(struct color *color, uint64_t n, uint32_t *list)
{
    cl_mem array = node_array(&color->node, n * sizeof *list, list);
    free(list);
    return array;
}

/* ---- neighbours that choose before ----------------------------------------------------------- */

static void upload_higher(struct color *color)
{
    uint64_t n_own = color->part.rows.n_vertices;
    uint32_t *slots = color_list_slots(color);
    uint32_t *starts = color_count_higher(color, slots);
    uint32_t *higher = color_list_higher(color, slots, starts);
    color->higher = upload(color, starts[n_own], higher);
    color->starts = upload(color, n_own + 1, starts);
    color->slots = upload(color, n_own, slots);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Tell every owner at which slot its vertices begin here. */
static void tell_begins(struct color *color, uint64_t begins)
{
    struct node *node = &color->node;
    uint64_t slot = color->part.rows.n_vertices, n_slots = ghosts_n_slots(&color->ghosts);
    while (slot < n_slots) {
        uint32_t owner = ghosts_owner(&color->ghosts, slot);
        uint64_t place = begins + node->number * sizeof slot;
        TRY(gravel_put(node->gravel, place, &slot, sizeof slot, owner));
        while (slot < n_slots && ghosts_owner(&color->ghosts, slot) == owner)
            slot++;
    }
}

/* At which slot this node's vertices begin at each node. @return [n_nodes], to be freed. */
static uint64_t *learn_begins(struct color *color)
{
    struct node *node = &color->node;
    size_t bytes = node->n_nodes * sizeof(uint64_t);
    uint64_t *begins = app_array(node->n_nodes, sizeof *begins, "a list of nodes");
    uint64_t offset;
    TRY(gravel_alloc(node->gravel, bytes, &offset));
    tell_begins(color, offset);
    TRY(gravel_barrier(node->gravel));
    TRY(gravel_get(node->gravel, offset, begins, bytes, node->number));
    TRY(gravel_free(node->gravel, offset));
    return begins;
}

/* The nodes other than this one where vertex u has neighbours. `mark` has node + 1 -> last u + 1.
 */
static uint32_t list_nodes(const struct color *color, uint64_t u, uint64_t *marks, uint32_t *nodes)
{
    const struct graph *rows = &color->part.rows;
    uint32_t n = 0;
    for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
        uint32_t owner = partition_owner(&color->part.partition, rows->neighbours[e]);
        if (owner != color->node.number && marks[owner] != u + 1)
            nodes[n++] = owner;
        marks[owner] = u + 1;
    }
    return n;
}

/* Fill `starts`, and `copies` too unless it is NULL: node and slot, twice the starts' numbers. */
static void list_copies(const struct color *color, uint64_t *begins, uint32_t *starts,
                        uint32_t *copies)
{
    uint32_t n_nodes = color->node.n_nodes, n_copies = 0;
    uint64_t *marks = app_array(n_nodes, sizeof *marks, "a list of nodes");
    uint32_t *nodes = app_array(n_nodes, sizeof *nodes, "a list of nodes");
    for (uint64_t u = 0; u < color->part.rows.n_vertices; u++) {
        uint32_t n = list_nodes(color, u, marks, nodes);
        for (uint32_t i = 0; copies && i < n; i++) {
            copies[2 * (n_copies + i)] = nodes[i];
            copies[2 * (n_copies + i) + 1] = (uint32_t)begins[nodes[i]]++;
        }
        n_copies += n;
        starts[u + 1] = n_copies;
    }
    free(marks);
    free(nodes);
}

static void upload_copies(struct color *color)
{
    uint64_t n_own = color->part.rows.n_vertices, *begins = learn_begins(color);
    uint32_t *starts = app_array(n_own + 1, sizeof *starts, "a list of edges");
    list_copies(color, begins, starts, NULL);
    uint64_t n = 2 * (uint64_t)starts[n_own];
    uint32_t *copies = app_array(n, sizeof *copies, "a list of edges");
    list_copies(color, begins, starts, copies);
    color->copy_starts = upload(color, n_own + 1, starts);
    color->copies = upload(color, n, copies);
    free(begins);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void build(struct color *color)
{
    extern const char color_cl[];
    char defines[64];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u%s", color->node.group_items,
             color->node.schedule ? " -DHAS_TASKS" : "");
    node_build(&color->node, "color.cl", color_cl, defines);
    if (color->node.schedule)
        color->color_tasks = node_kernel_without_arena(&color->node, "color_tasks");
}

static void make_kernels(struct color *color)
{
    color->reset = node_kernel(&color->node, "reset");
    color->choose = node_kernel(&color->node, "choose");
    color->publish = node_kernel(&color->node, "publish");
}

static void set_arguments(struct color *color)
{
    cl_uint n_own = (cl_uint)color->part.rows.n_vertices;
    NODE_SET(color->reset, 2, cl_ulong, color->colors);
    NODE_SET(color->reset, 3, cl_uint, n_own);
    NODE_SET(color->reset, 4, cl_mem, color->starts);
    NODE_SET(color->reset, 5, cl_mem, color->cursors);
    NODE_SET(color->reset, 6, cl_mem, color->taken);
    NODE_SET(color->reset, 7, cl_mem, color->lists[0]);
    NODE_SET(color->reset, 8, cl_mem, color->high);
    NODE_SET(color->choose, 3, cl_ulong, color->colors);
    NODE_SET(color->choose, 4, cl_uint, n_own);
    NODE_SET(color->choose, 7, cl_mem, color->slots);
    NODE_SET(color->choose, 8, cl_mem, color->starts);
    NODE_SET(color->choose, 9, cl_mem, color->higher);
    NODE_SET(color->choose, 10, cl_mem, color->cursors);
    NODE_SET(color->choose, 11, cl_mem, color->taken);
    NODE_SET(color->choose, 12, cl_mem, color->ready);
    NODE_SET(color->choose, 14, cl_mem, color->counts);
    NODE_SET(color->choose, 15, cl_mem, color->high);
    NODE_SET(color->publish, 3, cl_ulong, color->colors);
    NODE_SET(color->publish, 4, cl_mem, color->ready);
    NODE_SET(color->publish, 5, cl_mem, color->copy_starts);
    NODE_SET(color->publish, 6, cl_mem, color->copies);
}

static void open_ordered(struct color *color)
{
    struct node *node = &color->node;
    upload_higher(color);
    upload_copies(color);
    /* All nodes have room for the most that any needs. */
    TRY(gravel_alloc(node->gravel,
                     node_most(node, ghosts_n_slots(&color->ghosts)) * sizeof(cl_uint),
                     &color->colors));
    uint64_t n_own = color->part.rows.n_vertices;
    color->cursors = node_array(node, n_own * sizeof(cl_uint), NULL);
    color->taken = node_array(node, n_own * sizeof(cl_ulong4), NULL);
    color->lists[0] = node_array(node, n_own * sizeof(cl_uint), NULL);
    color->lists[1] = node_array(node, n_own * sizeof(cl_uint), NULL);
    color->ready = node_array(node, n_own * sizeof(cl_uint2), NULL);
    color->counts = node_array(node, 2 * sizeof(cl_uint), NULL);
}

/* A node knows no more vertices than there are. Guessed colours: own ones, those of ghosts twice, those sent. */
static uint64_t heap_bytes(const struct color *color)
{
    uint64_t bytes = color->part.survey.n_vertices * sizeof(cl_uint);
    return (color->is_ordered ? bytes : 4 * bytes) + BEGINS_BYTES;
}

void color_open(void *self)
{
    struct color *color = self;
    struct node *node = &color->node;
    color->is_ordered |= node->schedule || node->model != model_gravel;
    node_survey(&color->node, &color->part, color->options.seed,
                (struct part_wish){.is_undirected = true});
    node_open(node, heap_bytes(color));
    color->is_ordered |= node->n_nodes == 1; /* no other node to guess about */
    node_part(node, &color->part);
    color->n_edges = node_sum(node, color->part.rows.n_edges);
    ghosts_open(&color->ghosts, &color->part);
    color->high = node_array(node, (color->part.rows.n_edges / 64 + 1) * sizeof(cl_ulong), NULL);
    if (color->is_ordered)
        open_ordered(color);
    else
        color_guess_open(color);
    part_forget_edges(&color->part);
    build(color);
    if (!color->is_ordered) {
        color_guess_kernels(color);
        return;
    }
    make_kernels(color);
    set_arguments(color);
    if (node->schedule)
        color_schedule_open(color);
}

void color_close(void *self)
{
    struct color *color = self;
    if (color->node.schedule)
        tasks_close(&color->tasks);
    color_guess_close(color);
    ghosts_close(&color->ghosts);
    part_close(&color->part);
    node_close(&color->node);
}
