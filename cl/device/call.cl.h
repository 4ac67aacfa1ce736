/* SPDX-License-Identifier: MIT */
/*
 * For the kernels around handlers written in OpenCL C, whose text lib/serve/call_program.c writes; and the bounds that
 * handlers and kernels ask for in checked mode.
 *
 * Path:    lib/serve/call_program.c -> this -> the user's handler, which gets a struct gravel_call.
 */
#ifndef GRAVELP_CALL_CL_H
#define GRAVELP_CALL_CL_H

#include "by_key.cl.h"
#include "check.cl.h"
#include "inboxes.cl.h"
#include "layout/bounds.h"
#include "transaction.cl.h"

/* rows: the run's arguments, row after row, from `rows_at` of the frame on [bytes], and the row of its answers from
 * `answers_at` on, or GRAVELP_NO_ANSWERS; heap: in the arena [bytes]. */
#define GRAVELP_CALL_RUN                                                               \
    GRAVEL_ARENA, global uchar *frame, uint rows_at, uint answers_at, uint n_messages, \
        uint source, uint node, ulong heap
#define GRAVELP_CALL                                                                               \
    ((struct gravel_call){(global uchar *)gravel_arena_ + heap, gravel_arena_->heap_bytes, node,   \
                          gravel_arena_->n_nodes, source, gravel_arena_->constants, gravel_arena_, \
                          0})
#define GRAVELP_CALL_NUMBER ((size_t)get_global_id(0))
/* Of the handler's arguments and answer; the text before a kernel says it. */
#ifndef GRAVELP_CALL_WORD
#define GRAVELP_CALL_WORD ulong
#endif
#define GRAVELP_CALL_ROW(row) \
    ((global const GRAVELP_CALL_WORD *)(frame + rows_at) + (size_t)(row)*n_messages)
#define GRAVELP_CALL_ARGUMENT(row, number) (GRAVELP_CALL_ROW(row)[number])
/* What an answering handler returned for a message. */
#define GRAVELP_CALL_ANSWER(number, answer)                                       \
    do {                                                                          \
        const GRAVELP_CALL_WORD answer_ = (answer);                               \
        if (answers_at != GRAVELP_NO_ANSWERS)                                     \
            ((global GRAVELP_CALL_WORD *)(frame + answers_at))[number] = answer_; \
    } while (0)

/*
 * What stands before the call, a statement, in the kernel of a handler without a key, and of one with a key, whose
 * work-groups share out the keys. `number` is the message's.
 */
#define GRAVELP_CALL_EACH(number)              \
    (void)answers_at;                          \
    const size_t number = GRAVELP_CALL_NUMBER; \
    if (number < n_messages)
#define GRAVELP_CALL_SERVED(number) \
    (void)answers_at;               \
    GRAVELP_SERVICE;                \
    GRAVELP_SERVE(number, GRAVELP_KEYS(GRAVELP_CALL_ROW(0)), n_messages)

/* Of a handler with two keys, whose kernel is one group. */
#define GRAVELP_CALL_PAIRS(number) \
    (void)answers_at;              \
    GRAVELP_TRANSACTIONS;          \
    GRAVELP_SERVE_PAIRS(number, GRAVELP_CALL_ROW(0), GRAVELP_CALL_ROW(1), n_messages)

/* Names a function in a fault that this work-item has claimed. */
GRAVELP_INLINE void gravelp_fault_set_name(global struct gravelp_arena *arena,
                                           GRAVELP_LITERAL *name, uint name_bytes)
{
    for (uint i = 0; i < GRAVELP_FAULT_FILE_BYTES; i++)
        arena->fault_file[i] =
            i < name_bytes && i + 1 < GRAVELP_FAULT_FILE_BYTES ? (uchar)name[i] : 0;
}

#if defined(GRAVEL_NODE_OF)
/* Any work-item: ends the node, for a transaction's keys are not both of the node that it came to. */
GRAVELP_OUT_OF_LINE void gravelp_keys_tell(global struct gravelp_arena *arena, uint node,
                                           ulong of_first, ulong of_second, GRAVELP_LITERAL *name,
                                           uint name_bytes)
{
    if (arena->servers_offset)
        gravelp_store_relaxed(&gravelp_servers(arena)->is_broken,
                              1); /* relaxed: the kernel's end orders it */
    if (!gravelp_fault_claim(arena))
        return;
    gravelp_fault_set_name(arena, name, name_bytes);
    arena->fault_queue = node;
    arena->fault_ticket = (uint)of_first;
    arena->fault_value = (uint)of_second;
    arena->fault_high[0] = arena->fault_high[1] = 0;
    gravelp_fault_publish(arena, gravelp_origin_of_item(), GRAVELP_FAULT_KEYS);
}

/* Any work-item, of a transaction for a node: whether both its keys are of that node. */
GRAVELP_INLINE bool gravelp_has_both_keys(global struct gravelp_arena *arena, uint node,
                                          uint n_nodes, ulong first, ulong second,
                                          GRAVELP_LITERAL *name, uint name_bytes)
{
    const ulong of_first = gravelp_node_of(first, n_nodes);
    const ulong of_second = gravelp_node_of(second, n_nodes);
    const bool has_both = of_first == node && of_second == node;
    if (!has_both)
        gravelp_keys_tell(arena, node, of_first, of_second, name, name_bytes);
    return has_both;
}
#else
#define gravelp_has_both_keys(arena, node, n_nodes, first, second, name, name_bytes) true
#endif

#if defined(GRAVEL_CHECK) && GRAVEL_CHECK
/* A handler, or a kernel, asks for an element. */
struct gravelp_element {
    ulong base, index, bytes;
    uint node, name, line; /* as in struct gravelp_bounds_fault */
};

#define GRAVELP_BOUNDS_OF(arena) \
    ((global struct gravelp_bounds *)((global uchar *)(arena) + (arena)->bounds_offset))

/* Any work-item: the allocation that has an offset; of no bytes if none has. Of an unfilled table, the heap. */
GRAVELP_INLINE struct gravelp_bounds_span gravelp_bounds_find(global struct gravelp_arena *arena,
                                                              global struct gravelp_bounds *bounds,
                                                              ulong offset)
{
    const uint table = gravelp_load_acquire(&bounds->current); /* V2, pairs with V1 */
    global const struct gravelp_bounds_span *spans = bounds->spans[table];
    uint first = 0, end = bounds->n[table];
    if (end > GRAVELP_BOUNDS_MOST)
        return (struct gravelp_bounds_span){0, arena->heap_bytes};
    while (first < end) {
        const uint middle = first + (end - first) / 2;
        if (offset < spans[middle].offset)
            end = middle;
        else if (offset - spans[middle].offset < spans[middle].bytes)
            return spans[middle];
        else
            first = middle + 1;
    }
    return (struct gravelp_bounds_span){0, 0};
}

/* Any work-item: tell the host of an index outside. The first one stays. */
GRAVELP_OUT_OF_LINE void gravelp_bounds_tell(global struct gravelp_bounds_fault *fault,
                                             struct gravelp_element element,
                                             struct gravelp_bounds_span span)
{
    if (gravelp_device_fetch_add_relaxed(&fault->claim, 1) != 0) /* V3 */
        return;
    fault->name = element.name; /* the kernel's end orders these for the host */
    fault->line = element.line;
    fault->node = element.node;
    fault->base = element.base;
    fault->index = element.index;
    fault->bytes = element.bytes;
    fault->span = span;
}

/*
 * Any work-item: looks an element up. @return its address in a heap; NULL if it is outside, of the allocation in *span,
 * in which the base has *most elements before it ends
 */
GRAVELP_INLINE global uchar *gravelp_element_inside(global struct gravelp_arena *arena,
                                                    global uchar *heap,
                                                    struct gravelp_element element,
                                                    struct gravelp_bounds_span *span, ulong *most)
{
    global uchar *place = heap + element.base + element.index * element.bytes;
    if (arena->bounds_offset == 0)
        return place;
    *span = gravelp_bounds_find(arena, GRAVELP_BOUNDS_OF(arena), element.base);
    const ulong room = span->bytes ? span->bytes - (element.base - span->offset) : 0;
    *most = element.base < arena->heap_bytes && element.bytes ? room / element.bytes : 0;
    return element.index < *most ? place : 0;
}

/* Any work-item: what takes the place of an element outside. */
GRAVELP_INLINE global uchar *gravelp_element_spare(global struct gravelp_arena *arena,
                                                   global uchar *heap, ulong bytes)
{
    return bytes <= GRAVELP_SPARE_BYTES ? GRAVELP_BOUNDS_OF(arena)->spare : heap;
}

/* Any work-item of a handler: where the element is in a heap, or a spare one. */
GRAVELP_INLINE global uchar *gravelp_element_at(global struct gravelp_arena *arena,
                                                global uchar *heap, struct gravelp_element element)
{
    struct gravelp_bounds_span span;
    ulong most;
    global uchar *inside = gravelp_element_inside(arena, heap, element, &span, &most);
    if (inside)
        return inside;
    gravelp_bounds_tell(&GRAVELP_BOUNDS_OF(arena)->fault, element, span);
    return gravelp_element_spare(arena, heap, element.bytes);
}

/* Any work-item of a kernel: ends the node with the name of the function that asks, if this is its first fault. */
GRAVELP_OUT_OF_LINE void gravelp_local_tell(global struct gravelp_arena *arena,
                                            struct gravelp_element element, ulong most,
                                            GRAVELP_LITERAL *name, uint name_bytes)
{
    if (!gravelp_fault_claim(arena))
        return;
    gravelp_fault_set_name(arena, name, name_bytes);
    arena->fault_queue = element.line;
    arena->fault_offset = element.base;
    arena->fault_ticket = (uint)element.index;
    arena->fault_high[0] = (uint)(element.index >> 32);
    arena->fault_value = (uint)most;
    arena->fault_high[1] = (uint)(most >> 32);
    gravelp_fault_publish(arena, gravelp_origin_of_item(), GRAVELP_FAULT_BOUNDS);
}

/* Any work-item of a kernel: where the element is in the node's part of the heap, or a spare one. */
GRAVELP_INLINE global void *gravelp_local_at(struct gravel_group g, ulong base, ulong index,
                                             ulong bytes, GRAVELP_LITERAL *name, uint name_bytes,
                                             uint line)
{
    const struct gravelp_element element = {base, index, bytes, 0, 0, line};
    struct gravelp_bounds_span span;
    ulong most;
    global uchar *heap = gravelp_heap(g.arena, 0);
    global uchar *inside = gravelp_element_inside(g.arena, heap, element, &span, &most);
    if (inside)
        return inside;
    gravelp_local_tell(g.arena, element, most, name, name_bytes);
    return gravelp_element_spare(g.arena, heap, bytes);
}
#endif

#endif
