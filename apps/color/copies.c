/* SPDX-License-Identifier: MIT */
/*
 * Where the colours of own vertices have copies: at which nodes, and at which of their slots.
 *
 * A vertex is a ghost wherever one of its neighbours lives, for every edge stands in both rows. A node's ghosts are in the
 * order of owners and of their vertices, so an owner knows the slots of its own vertices there once it knows where they
 * begin.
 *
 * Path:    ordered.c -> this -> publish in ordered.cl
 * Owner:   the node's arrays, which node_close releases.
 * Threads: main's.
 */
#include "color.h"

#include <stdlib.h>

/* Tell every owner at which slot its vertices begin here. */
static void tell_begins(struct color *color, uint64_t begins)
{
    struct node *node = &color->node;
    uint64_t slot = color_n_own(color), n_slots = ghosts_n_slots(&color->ghosts);
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

/* The nodes other than this one where vertex u has neighbours. `marks` has node -> last u + 1. */
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
    for (uint64_t u = 0; u < color_n_own(color); u++) {
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

void color_upload_copies(struct color *color)
{
    uint64_t *begins = learn_begins(color);
    uint32_t *starts = app_array(color_n_own(color) + 1, sizeof *starts, "a list of edges");
    list_copies(color, begins, starts, NULL);
    uint64_t n = 2 * (uint64_t)starts[color_n_own(color)];
    uint32_t *copies = app_array(n, sizeof *copies, "a list of edges");
    list_copies(color, begins, starts, copies);
    color->ordered.copy_starts = color_upload(color, color_n_own(color) + 1, starts);
    color->ordered.copies = color_upload(color, n, copies);
    free(begins);
}
