/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the kernel's half: messages go to a queue for each destination in device memory, and stay
 * there until the kernel has ended.
 *
 * A work-group reserves room with one atomic addition a destination, and its work-items fill it. Nothing waits, so a
 * queue that is full cannot be waited for either: the host cuts launches so that none fills up, whatever the kernel
 * sends. No queue of Gravel is used. The host's half is coprocessor.c.
 *
 * The host defines MODEL_OUTBOX, its heap offset, and MODEL_QUEUE_BYTES.
 *
 * Path:    calls.cl.h -> by_destination.cl.h -> this -> the outbox
 * Memory:  the host reads the outbox after the kernel has ended.
 * Source:  Orr 2016, sections 3.1 and 5.5.
 */
#define MODEL_FULL 0xffffffffu

GRAVELP_INLINE global uchar *model_run(global uchar *outbox, uint node, uint at)
{
    return outbox + BOX_QUEUE(node, MODEL_QUEUE_BYTES) + at;
}

/*
 * Room for a run of n messages to a node. If there is none, the queue's count says so to the host: it is beyond the
 * queue's end.
 */
GRAVELP_INLINE uint model_reserve(global uchar *outbox, uint node, uint command, ulong base, uint n)
{
    uint bytes = BOX_RUN_BYTES(command, n);
    uint at = atomic_add((volatile global uint *)outbox + node, bytes);
    if (at + bytes > MODEL_QUEUE_BYTES)
        return MODEL_FULL;
    *(global struct box_run *)model_run(outbox, node, at) = (struct box_run){command, n, base};
    return at;
}

/* Writes a message at its index in a run of n. */
GRAVELP_INLINE void model_write(global uchar *run, uint command, uint n, uint rank, uint index,
                                struct gravelp_values values)
{
    if (GRAVELP_INDEX_BYTES(command))
        ((global uint *)(run + BOX_INDICES))[rank] = index;
    for (uint row = 0; row < GRAVELP_N_VALUES(command); row++)
        if (GRAVELP_VALUE_BYTES(command) == 4)
            ((global uint *)(run + BOX_VALUES(command, n, row)))[rank] = (uint)values.value[row];
        else
            ((global ulong *)(run + BOX_VALUES(command, n, row)))[rank] = values.value[row];
}

GRAVELP_INLINE void model_send(struct gravel_group g, uint active, uint command, ulong base,
                               uint index, struct gravelp_values values, uint node)
{
    local struct model_scratch *scratch = model_scratch(g);
    global uchar *outbox = gravel_local(g, MODEL_OUTBOX);
    model_sort(g, active, node);
    MODEL_FOR_MY_NODES(d)
    if (scratch->n_to[d])
        scratch->at[d] = model_reserve(outbox, d, command, base, scratch->n_to[d]);
    gravelp_barrier_group(); /* the runs are known */
    if (model_rank(g) != GRAVELP_INACTIVE && scratch->at[node] != MODEL_FULL)
        model_write(model_run(outbox, node, scratch->at[node]), command, scratch->n_to[node],
                    model_rank(g), index, values);
}
