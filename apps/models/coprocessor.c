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
 * Source: Orr 2016, sections 3.1 and 5.5.
 */
#include "frame/die.h"
#include "frame/node.h"
#include "boxes.h"

#include <stdio.h>
#include <stdlib.h>

#define APPLY_ITEMS 256u /* work-items that apply one queue */

extern const char apply_cl[];

struct coprocessor {
    struct node *node;
    uint64_t outbox;     /* heap offsets */
    uint64_t inboxes[2]; /* in turn: one is filled while a slow node applies the other */
    uint32_t queue_bytes, n_rounds;
    cl_kernel apply;
};

/* ---- open and close -------------------------------------------------------------------------- */

/* Returns room for the most ranks, as their number is not known before the heap is there. */
uint64_t coprocessor_heap_bytes(uint32_t queue_bytes, uint32_t n_local)
{
    const uint32_t n_destinations = n_local > 1 ? n_local : BOX_MOST_NODES;
    const uint32_t n_sources = n_local > 1 ? 1 : BOX_MOST_NODES;
    return BOX_QUEUE(n_destinations, queue_bytes) + 2 * BOX_QUEUE(n_sources, queue_bytes);
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
    TRY(gravel_alloc(node->gravel, BOX_QUEUE(node->n_nodes, queue_bytes), &coprocessor->outbox));
    for (int i = 0; i < 2; i++)
        TRY(gravel_alloc(node->gravel, BOX_QUEUE(node->n_processes, queue_bytes),
                         &coprocessor->inboxes[i]));
    cl_program program;
    TRY(gravel_program_build(node->gravel, "apply.cl", apply_cl, "-DGRAVELP_APPLIES", &program));
    coprocessor->apply = node_kernel_of(node, program, "apply");
    clReleaseProgram(program); /* its kernel holds it */
    NODE_SET(coprocessor->apply, 3, UINT(queue_bytes));
    snprintf(options, bytes, " -DMODEL_OUTBOX=%lluul -DMODEL_QUEUE_BYTES=%uu",
             (unsigned long long)coprocessor->outbox, queue_bytes);
    return coprocessor;
}

/* ---- exchange -------------------------------------------------------------------------------- */

/* Sends the outbox, and empties it. */
static void exchange(struct coprocessor *coprocessor, uint64_t inbox)
{
    const struct node *node = coprocessor->node;
    const uint32_t from = node->number, room = coprocessor->queue_bytes, zero = 0;
    void *box;
    TRY(gravel_map(node->gravel, coprocessor->outbox, BOX_QUEUE(node->n_nodes, room), CL_MAP_READ,
                   from, &box));
    for (uint32_t to = 0; to < node->n_nodes; to++) {
        const uint32_t *n_bytes = (const uint32_t *)box + to;
        if (*n_bytes > room)
            die("the queue for node %u has %u bytes, and work-items sent %u: more than they may",
                to, room, *n_bytes);
        TRY(gravel_put(node->gravel, inbox + from * sizeof *n_bytes, n_bytes, sizeof *n_bytes, to));
        TRY(gravel_put(node->gravel, inbox + BOX_QUEUE(from, room),
                       (const char *)box + BOX_QUEUE(to, room), *n_bytes, to));
    }
    TRY(gravel_unmap(node->gravel, box));
    TRY(gravel_fill(node->gravel, coprocessor->outbox, BOX_HEAD_BYTES, &zero, sizeof zero, from));
    TRY(gravel_barrier(node->gravel));
}

/* ---- apply ----------------------------------------------------------------------------------- */

/* Calls the application's one handler for each message of a run. */
static void call_run(const struct node *node, uint32_t from, const struct box_run *run)
{
    const struct gravel_handler *handler = node->bindings.handlers;
    const uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    uint64_t args[GRAVEL_AM_MAX_ARGS] = {0};
    for (uint32_t i = 0; i < run->n; i++) {
        for (uint32_t arg = 0; arg < n_args; arg++)
            args[arg] =
                ((const uint64_t *)((const char *)run + BOX_VALUES(run->command, run->n, arg)))[i];
        if (handler->function(node->gravel, handler->user, from, args))
            die("a message's handler failed");
    }
}

/* Calls it for all of an inbox of node `number`. */
static void apply_calls(const struct coprocessor *coprocessor, uint32_t number, uint64_t inbox)
{
    const struct node *node = coprocessor->node;
    const uint32_t room = coprocessor->queue_bytes;
    void *box;
    TRY(gravel_map(node->gravel, inbox, BOX_QUEUE(node->n_processes, room), CL_MAP_READ, number,
                   &box));
    for (uint32_t from = 0; from < node->n_processes; from++)
        for (uint32_t at = 0; at < ((const uint32_t *)box)[from];) {
            const struct box_run *run = (const void *)((char *)box + BOX_QUEUE(from, room) + at);
            call_run(node, from, run);
            at += BOX_RUN_BYTES(run->command, run->n);
        }
    TRY(gravel_unmap(node->gravel, box));
}

/* Applies the inbox at each node of this process: handlers' messages on the host, others on the device. */
static void apply(struct coprocessor *coprocessor, uint64_t inbox)
{
    struct node *node = coprocessor->node;
    for (uint32_t heap = 0; heap < node->n_local; heap++) {
        if (node->bindings.n_handlers) {
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
    return bound.n_messages * (BOX_RUN_EXTRA_BYTES + n * bound.message_bytes);
}

void coprocessor_send(struct coprocessor *coprocessor, cl_kernel kernel, uint64_t n_items,
                      struct node_bound bound)
{
    struct node *node = coprocessor->node;
    uint64_t group = node->group_items; /* of the largest group whose messages fit a queue */
    while (group && group_bytes(group, bound) > coprocessor->queue_bytes)
        group--;
    if (group == 0)
        die("--model %s: a work-item sends up to %llu messages, and a queue has %u bytes",
            node->model->name, (unsigned long long)bound.n_messages, coprocessor->queue_bytes);
    uint64_t piece = coprocessor->queue_bytes / group_bytes(group, bound) * group;
    uint64_t n_rounds = node_most(node, (n_items + piece - 1) / piece);
    for (uint64_t round = 0; round < n_rounds; round++) {
        uint64_t first = round * piece < n_items ? round * piece : n_items;
        uint64_t inbox = coprocessor->inboxes[coprocessor->n_rounds++ % 2];
        node_start(node, kernel, first, n_items - first < piece ? n_items - first : piece, group,
                   true);
        node_finish(node);
        exchange(coprocessor, inbox);
        apply(coprocessor, inbox);
    }
}
