/* SPDX-License-Identifier: MIT */
/*
 * For the kernels around handlers written in OpenCL C, whose text lib/serve/text.c writes; and the bounds that
 * handlers and kernels ask for in checked mode.
 *
 * Path:    lib/serve/text.c -> this -> the user's handler, which gets a struct gravel_call.
 */
#ifndef GRAVELP_CALL_CL_H
#define GRAVELP_CALL_CL_H

#include "check.cl.h"
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

/* Heads of a statement that calls a handler: without a key; with one, where groups share the messages; with two, where
 * the kernel is one group. `number` is the message's. */
#define GRAVELP_CALL_EACH(number)                   \
    (void)answers_at;                               \
    const size_t number = (size_t)get_global_id(0); \
    if (number < n_messages)
#define GRAVELP_CALL_SERVED(number) \
    (void)answers_at;               \
    GRAVELP_SERVICE;                \
    GRAVELP_SERVE(number, GRAVELP_KEYS(GRAVELP_CALL_ROW(0)), n_messages)
#define GRAVELP_CALL_PAIRS(number) \
    (void)answers_at;              \
    GRAVELP_TRANSACTIONS;          \
    GRAVELP_SERVE_PAIRS(number, GRAVELP_CALL_ROW(0), GRAVELP_CALL_ROW(1), n_messages)

#if defined(GRAVEL_NODE_OF)
/* Any work-item, of a transaction for a node: whether both its keys are of that node; ends the node if not. */
GRAVELP_INLINE bool gravelp_has_both_keys(global struct gravelp_arena *arena, uint node,
                                          uint n_nodes, ulong first, ulong second,
                                          GRAVELP_LITERAL *name, uint name_bytes)
{
    const ulong of_first = gravelp_node_of(first, n_nodes);
    const ulong of_second = gravelp_node_of(second, n_nodes);
    if (of_first == node && of_second == node)
        return true;
    gravelp_fault_in(arena, gravelp_origin_of_item(), name, name_bytes, GRAVELP_FAULT_KEYS, node,
                     of_first, of_second, 0);
    return false;
}
#else
#define gravelp_has_both_keys(arena, node, n_nodes, first, second, name, name_bytes) true
#endif

/* Returns which of `spans`, by rising offset, has an offset; n_spans if none has. */
GRAVELP_INLINE uint gravelp_span_find(global const struct gravelp_bounds_span *spans, uint n_spans,
                                      ulong offset)
{
    uint low = 0, high = n_spans;
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (spans[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 && offset - spans[low - 1].offset < spans[low - 1].bytes ? low - 1 : n_spans;
}

#if defined(GRAVEL_CHECK) && GRAVEL_CHECK
/* The origin that a fault of a handler's message names: the node that the message is for. */
#define GRAVELP_ORIGIN_OF_NODE(node) ((struct gravelp_origin){1, {(node), 0, 0}})

/*
 * Any work-item: returns the address of an element of `bytes` [bytes] in a heap. One that is outside of the base's
 * allocation, or of the heap if the table is not filled, ends the node, with `fault`, and becomes a spare one.
 */
GRAVELP_INLINE global void *gravelp_element_at(global struct gravelp_arena *arena,
                                               global uchar *heap, ulong base, ulong index,
                                               ulong bytes, uint fault,
                                               struct gravelp_origin origin, GRAVELP_LITERAL *name,
                                               uint name_bytes, uint line)
{
    if (arena->bounds_offset == 0)
        return heap + base + index * bytes;
    global struct gravelp_bounds *bounds =
        (global struct gravelp_bounds *)((global uchar *)arena + arena->bounds_offset);
    const uint table = gravelp_load_acquire(&bounds->current); /* V2, pairs with V1 */
    const bool is_filled = bounds->n[table] <= GRAVELP_BOUNDS_MOST;
    const uint n = is_filled ? bounds->n[table] : 0;
    const uint i = gravelp_span_find(bounds->spans[table], n, base);
    struct gravelp_bounds_span span = {0, is_filled ? 0 : arena->heap_bytes};
    if (i < n)
        span = bounds->spans[table][i];
    const ulong room = span.bytes ? span.bytes - (base - span.offset) : 0;
    const ulong most = base < arena->heap_bytes && bytes ? room / bytes : 0;
    if (index < most)
        return heap + base + index * bytes;
    gravelp_fault_in(arena, origin, name, name_bytes, fault, line, index, most, base);
    return bytes <= GRAVELP_SPARE_BYTES ? bounds->spare : heap;
}
#define GRAVELP_ELEMENT_AT(...) gravelp_element_at(__VA_ARGS__, __func__, sizeof __func__, __LINE__)
#else
#define GRAVELP_ELEMENT_AT(arena, heap, base, index, bytes, fault, origin) \
    ((global void *)((heap) + (ulong)(base) + (ulong)(index) * (ulong)(bytes)))
#endif

#endif
