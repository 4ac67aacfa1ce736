/* SPDX-License-Identifier: MIT */
/*
 * Applies packages where they lie: a round's few, whose messages are all for the node itself.
 *
 * One work-group reads the packages of a queue from a ticket on. It takes them as long as every message of a package
 * is an update that commutes with its like, for this node, and inside the allocation that its base lies in; the rest,
 * and what is to be refused, it leaves to the host. If there are more than a few, it takes none: they are fetched
 * together, or binned (aggregate.cl).
 *
 * Two packages may be of one work-item, and then keep their order: a barrier stands between them.
 *
 * Path:    lib/pump/settle.c -> lib/resolve/on_device/runs.c enqueues this; slots (queue.cl.h) -> the heap.
 * Memory:  K1 acquires what a leader released by P2. While this runs it is the queue's consumer instead of the host,
 *          which reads U11 by a copy behind it. Heap words: as resolve.cl, whose command queue it is on.
 * Source:  Orr 2016, section 5.2.3; there the host applies a node's messages to itself too.
 */
#include "resolve.cl"

struct found {
    ulong base;                    /* [bytes] of index 0 in the arena */
    ulong words;                   /* elements from there to the end of the allocation */
    uint kind, n_messages, stride; /* n_messages: 0 if it is not to be taken */
    uint is_wrong;                 /* some message is not for here */
};

/* An update that apply_one does on this device, and whose messages may change places. */
GRAVELP_INLINE bool is_taken(uint command)
{
    uint op = GRAVELP_COMMAND_OP(command), type = GRAVELP_COMMAND_TYPE(command);
    bool is_real = type == GRAVEL_FLOAT || type == GRAVEL_DOUBLE;
#ifdef GRAVELP_INT64_ATOMICS
    bool has_type = type <= GRAVEL_DOUBLE;
#else
    bool has_type = type <= GRAVEL_UINT || type == GRAVEL_FLOAT;
#endif
    return command == GRAVELP_COMMAND(op, type) && has_type &&
           (op == GRAVEL_ADD ||
            (!is_real && (op == GRAVEL_INC || (op >= GRAVEL_MIN && op <= GRAVEL_XOR))));
}

GRAVELP_INLINE void find_package(global struct gravelp_arena *head,
                                 global struct gravelp_package *package, uint ticket,
                                 global const struct gravelp_bounds_span *spans, uint n_spans,
                                 local struct found *found)
{
    found->n_messages = 0;
    found->is_wrong = 0;
    if (gravelp_device_load_acquire(&package->published) != ticket + 1) /* K1, pairs with P2 */
        return;
    uint command = package->command, n = package->n_messages, stride = package->stride;
    if (!is_taken(command) || n > stride || stride % 16 != 0 ||
        stride > GRAVELP_SLOT_COLUMNS(head->slot_bytes, command))
        return;
    ulong base = package->base;
    uint span = gravelp_span_find(spans, n_spans, base), bytes = GRAVELP_VALUE_BYTES(command);
    if (span == n_spans || base % bytes != 0)
        return;
    found->base = head->heap_offset + base;
    found->words = (spans[span].bytes - (base - spans[span].offset)) / bytes;
    found->kind = command;
    found->stride = stride;
    found->n_messages = n;
}

#define SLOT_AT(t) (slots + (ulong)((t) & (head->n_slots - 1)) * head->slot_bytes)

/* One work-group of any size. spans [n_spans]: all allocations, by rising offset. The queue's words tell how many. */
kernel void apply_in_place(global uchar *arena, uint queue, uint ticket,
                           global const struct gravelp_bounds_span *spans, uint n_spans)
{
    local struct found found[GRAVELP_IN_PLACE_MOST];
    local uint n_reserved, n_taken;
    global struct gravelp_arena *head = (global struct gravelp_arena *)arena;
    global struct gravelp_queue_words *words =
        (global struct gravelp_queue_words *)(arena + head->queues_offset) + queue;
    global uchar *slots =
        arena + head->slots_offset + (ulong)queue * head->n_slots * head->slot_bytes;
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    if (lane == 0) {
        /* Orders nothing: K1 tells which of them are published. */
        uint n = gravelp_device_load_relaxed(&words->reserved) - ticket;
        n_reserved = n <= GRAVELP_IN_PLACE_MOST ? n : 0;
    }
    gravelp_barrier_group();
    for (uint p = lane; p < n_reserved; p += n_lanes)
        find_package(head, (global struct gravelp_package *)SLOT_AT(ticket + p), ticket + p, spans,
                     n_spans, &found[p]);
    gravelp_barrier_group();
    for (uint p = 0; p < n_reserved; p++) {
        global const uchar *slot = SLOT_AT(ticket + p);
        global const uint *nodes = (global const uint *)(slot + GRAVELP_NODE_ROW);
        global const uint *indices =
            (global const uint *)(slot + GRAVELP_INDEX_ROW(found[p].stride));
        for (uint i = lane; i < found[p].n_messages; i += n_lanes)
            if (nodes[i] != head->node || indices[i] >= found[p].words)
                atomic_or(&found[p].is_wrong, 1u); /* of the group; the barrier hands it on */
    }
    gravelp_barrier_group();
    if (lane == 0) {
        uint n = 0, n_messages = 0;
        for (; n < n_reserved && found[n].n_messages && !found[n].is_wrong; n++)
            n_messages += found[n].n_messages;
        n_taken = n;
        words->settled_messages += n_messages;
        words->settled = ticket + n; /* U11 */
    }
    gravelp_barrier_group();
    for (uint p = 0; p < n_taken; p++) {
        const uint kind = found[p].kind, stride = found[p].stride, n = found[p].n_messages;
        global uchar *slot = SLOT_AT(ticket + p);
        const uint values_at = GRAVELP_VALUE_ROW(kind, stride, 0);
        for (uint i = lane; i < n; i += n_lanes)
            apply_one(arena, slot, kind, n, values_at, i,
                      word_at(slot + GRAVELP_INDEX_ROW(stride), kind, 0, found[p].base, i),
                      bits_of(slot + values_at, kind, i));
        gravelp_barrier_group(); /* all of it stands before the next package */
    }
}
