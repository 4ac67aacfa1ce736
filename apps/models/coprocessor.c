/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the host's half: launch what fits the queues, wait, exchange them, have them applied, again.
 *
 * A queue that may not overflow must hold whatever a launch may send to one node, so the application has to know a bound
 * for what a work-item sends. A node's round of launch and exchange is every node's: those that have no more work-items
 * take part with empty queues.
 *
 * Path: node_send -> launches -> outbox -> gravel_put -> inbox of the owner -> apply.cl, or the
 * application's handler
 * Owner: its boxes lie in the symmetric heap.
 * Threads: main's.
 * Source: Orr 2016, sections 3.1 and 5.5.
 */
#include "frame/die.h"
#include "frame/node.h"
#include "boxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLY_ITEMS 256u /* work-items that apply one queue, where they do so together */

extern const char apply_cl[];

struct coprocessor {
    struct node *node;
    uint64_t outbox;     /* heap offsets */
    uint64_t inboxes[2]; /* in turn: one is filled while a slow node applies the other */
    uint32_t queue_bytes, n_rounds;
    cl_kernel apply;
};

/* ---- open and close -------------------------------------------------------------------------- */

static uint64_t box_bytes(uint32_t n_queues, uint32_t queue_bytes)
{
    return BOX_BYTES(n_queues, queue_bytes);
}

/* Returns room for the most ranks, as their number is not known before the heap is there. */
uint64_t coprocessor_heap_bytes(uint32_t queue_bytes, uint32_t n_local)
{
    uint32_t n_destinations = n_local > 1 ? n_local : BOX_MOST_NODES;
    uint32_t n_sources = n_local > 1 ? 1 : BOX_MOST_NODES;
    return box_bytes(n_destinations, queue_bytes) + 2 * box_bytes(n_sources, queue_bytes);
}

struct coprocessor *coprocessor_open(struct node *node, char *options, size_t bytes)
{
    struct coprocessor *coprocessor = app_array(1, sizeof *coprocessor, "the coprocessor model");
    uint32_t queue_bytes = node->model->queue_bytes;
    if (node->n_nodes > BOX_MOST_NODES)
        die("--model %s: %u nodes are more than %u", node->model->name, node->n_nodes,
            BOX_MOST_NODES);
    coprocessor->node = node;
    coprocessor->queue_bytes = queue_bytes;
    TRY(gravel_alloc(node->gravel, box_bytes(node->n_nodes, queue_bytes), &coprocessor->outbox));
    for (int i = 0; i < 2; i++)
        TRY(gravel_alloc(node->gravel, box_bytes(node->n_processes, queue_bytes),
                         &coprocessor->inboxes[i]));
    cl_program program;
    TRY(gravel_program_build(node->gravel, "apply.cl", apply_cl, "-DGRAVELP_APPLIES", &program));
    coprocessor->apply = node_kernel_of(node, program, "apply");
    clReleaseProgram(program); /* its kernel holds it */
    NODE_SET(coprocessor->apply, 3, UINT(node->n_processes), UINT(queue_bytes));
    snprintf(options, bytes, " -DMODEL_OUTBOX=%lluul -DMODEL_QUEUE_BYTES=%uu",
             (unsigned long long)coprocessor->outbox, queue_bytes);
    return coprocessor;
}

/* ---- exchange -------------------------------------------------------------------------------- */

/* Send what one queue of the outbox holds, and how much that is. */
static void put_queue(struct coprocessor *coprocessor, uint32_t to, uint64_t inbox,
                      uint32_t n_bytes)
{
    struct gravel *gravel = coprocessor->node->gravel;
    uint32_t from = coprocessor->node->number;
    if (n_bytes > coprocessor->queue_bytes)
        die("the queue for node %u has %u bytes, and work-items sent %u: more than they may", to,
            coprocessor->queue_bytes, n_bytes);
    TRY(gravel_put(gravel, inbox + from * sizeof n_bytes, &n_bytes, sizeof n_bytes, to));
    if (n_bytes == 0)
        return;
    uint64_t source = coprocessor->outbox + BOX_QUEUE(to, coprocessor->queue_bytes);
    void *queue;
    TRY(gravel_map(gravel, source, n_bytes, CL_MAP_READ, from, &queue));
    TRY(gravel_put(gravel, inbox + BOX_QUEUE(from, coprocessor->queue_bytes), queue, n_bytes, to));
    TRY(gravel_unmap(gravel, queue));
}

/* Send the outbox, and empty it. */
static void exchange(struct coprocessor *coprocessor, uint64_t inbox)
{
    struct node *node = coprocessor->node;
    void *head;
    TRY(gravel_map(node->gravel, coprocessor->outbox, BOX_HEAD_BYTES, CL_MAP_READ | CL_MAP_WRITE,
                   node->number, &head));
    const uint32_t *n_bytes = head;
    for (uint32_t to = 0; to < node->n_nodes; to++)
        put_queue(coprocessor, to, inbox, n_bytes[to]);
    memset(head, 0, BOX_HEAD_BYTES);
    TRY(gravel_unmap(node->gravel, head));
    TRY(gravel_barrier(node->gravel));
}

/* ---- apply ----------------------------------------------------------------------------------- */

/* Call the application's handler for each message of a run. */
static void call_run(const struct node *node, uint32_t number, const unsigned char *run)
{
    const struct box_run *head = (const struct box_run *)run;
    uint32_t n_args = GRAVELP_COMMAND_N_ARGS(head->command);
    uint64_t args[GRAVEL_AM_MAX_ARGS] = {0};
    for (uint32_t i = 0; i < head->n; i++) {
        for (uint32_t arg = 0; arg < n_args; arg++)
            args[arg] = ((const uint64_t *)(run + BOX_VALUES(head->command, head->n, arg)))[i];
        if (node->call(node->call_user, number, args))
            die("a message's handler failed");
    }
}

static void call_queue(struct coprocessor *coprocessor, uint32_t number, uint64_t offset,
                       uint32_t n_bytes)
{
    struct node *node = coprocessor->node;
    if (n_bytes == 0)
        return;
    void *queue;
    TRY(gravel_map(node->gravel, offset, n_bytes, CL_MAP_READ, number, &queue));
    for (uint32_t at = 0; at < n_bytes;) {
        const unsigned char *run = (const unsigned char *)queue + at;
        const struct box_run *head = (const struct box_run *)run;
        if (GRAVELP_COMMAND_OP(head->command) == GRAVEL_AM)
            call_run(node, number, run);
        at += BOX_RUN_BYTES(head->command, head->n);
    }
    TRY(gravel_unmap(node->gravel, queue));
}

static void apply_calls(struct coprocessor *coprocessor, uint32_t number, uint64_t inbox)
{
    struct node *node = coprocessor->node;
    void *head;
    TRY(gravel_map(node->gravel, inbox, BOX_HEAD_BYTES, CL_MAP_READ, number, &head));
    for (uint32_t from = 0; from < node->n_processes; from++)
        call_queue(coprocessor, number, inbox + BOX_QUEUE(from, coprocessor->queue_bytes),
                   ((const uint32_t *)head)[from]);
    TRY(gravel_unmap(node->gravel, head));
}

/* At each node of this process. */
static void apply(struct coprocessor *coprocessor, uint64_t inbox)
{
    struct node *node = coprocessor->node;
    for (uint32_t heap = 0; heap < node->n_local; heap++) {
        if (node->call) {
            apply_calls(coprocessor, node->number + heap, inbox);
        } else {
            NODE_SET(coprocessor->apply, 1, UINT(heap), ULONG(inbox));
            node_enqueue(node, coprocessor->apply, node->n_processes * APPLY_ITEMS, APPLY_ITEMS);
            node_finish(node);
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The most that a group of n work-items puts into one queue [bytes]. What is known of any group
 * is not known to be sent in few runs. */
static uint64_t group_bytes(uint64_t n, struct node_bound bound)
{
    if (bound.is_of_group)
        return bound.n_messages * (BOX_RUN_EXTRA_BYTES + bound.message_bytes);
    return bound.n_messages * (BOX_RUN_EXTRA_BYTES + n * bound.message_bytes);
}

/* Work-items of the largest group whose messages fit a queue. */
static uint64_t group_that_fits(const struct coprocessor *coprocessor, struct node_bound bound)
{
    uint64_t n = coprocessor->node->group_items;
    while (n && group_bytes(n, bound) > coprocessor->queue_bytes)
        n--;
    if (n == 0)
        die("--model %s: a work-%s sends up to %llu messages, and a queue has %u bytes",
            coprocessor->node->model->name, bound.is_of_group ? "group" : "item",
            (unsigned long long)bound.n_messages, coprocessor->queue_bytes);
    return n;
}

void coprocessor_send(struct coprocessor *coprocessor, cl_kernel kernel, uint64_t n_items,
                      struct node_bound bound)
{
    struct node *node = coprocessor->node;
    uint64_t group = group_that_fits(coprocessor, bound);
    uint64_t piece = coprocessor->queue_bytes / group_bytes(group, bound) * group;
    uint64_t n_rounds = node_most(node, (n_items + piece - 1) / piece);
    for (uint64_t round = 0; round < n_rounds; round++) {
        uint64_t first = round * piece < n_items ? round * piece : n_items;
        uint64_t inbox = coprocessor->inboxes[coprocessor->n_rounds++ % 2];
        node_run_groups(node, kernel, first, n_items - first < piece ? n_items - first : piece,
                        group);
        node_finish(node);
        exchange(coprocessor, inbox);
        apply(coprocessor, inbox);
    }
}
