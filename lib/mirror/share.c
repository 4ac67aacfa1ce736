/* SPDX-License-Identifier: MIT */
/*
 * One exchange: pack, send, wait for all nodes, combine.
 *
 * Path:    gravel_mirror_begin -> kernel gather, or the array or slots -> gravel_node_put_heap -> the other end's
 *          heap -> gravel_mirror_end -> kernel combine.
 */
#include "mirror/mirror.h"

#include "node/enqueue.h"

static uint64_t in_arena(const struct gravel_mirror *mirror, uint32_t heap, uint64_t offset)
{
    return gravel_memory_heap_offset(&mirror->object.gravel->memory, heap) + offset;
}

static uint32_t parity_of(const struct gravel_mirror *mirror)
{
    return (uint32_t)(mirror->n_shared % 2);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

/* Packs, or combines, the given words of a local heap. */
static int run_given(struct gravel_mirror *mirror, uint32_t heap)
{
    const struct gravel_mirror_owner *owner = &mirror->owners[heap];
    const cl_ulong array = in_arena(mirror, heap, mirror->array);
    const cl_ulong block = in_arena(mirror, heap, mirror->given_at[parity_of(mirror)]);
    const cl_uint n = (cl_uint)owner->n_targets;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(array), GRAVEL_ARGUMENT(block),
                                                GRAVEL_ARGUMENT(owner->lists), GRAVEL_ARGUMENT(n),
                                                GRAVEL_ARGUMENT(owner->n_given)};
    return mirror->is_read
               ? gravel_object_run(&mirror->object, GRAVEL_MIRROR_GATHER, arguments, 4, n)
               : GRAVEL_OBJECT_RUN(&mirror->object, GRAVEL_MIRROR_COMBINE, arguments, n);
}

int gravel_mirror_clear(struct gravel_mirror *mirror)
{
    const cl_ulong slots = in_arena(mirror, gravel_mirror_own_heap(mirror), mirror->near_at[0]);
    const cl_uint n = (cl_uint)mirror->n_near;
    const uint64_t neutral = gravel_object_neutral(mirror->op, mirror->type);
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(slots), GRAVEL_ARGUMENT(neutral),
                                                GRAVEL_ARGUMENT(n)};
    return GRAVEL_OBJECT_RUN(&mirror->object, GRAVEL_MIRROR_CLEAR, arguments, n);
}

/* ---- begin ------------------------------------------------------------------------------------- */

/* Waits for kernels, whose ends order what they stored before copies, or this thread, read it (V4). */
static int wait_for_kernels(struct gravel *gravel)
{
    int code = gravel_node_wait_until_idle(gravel, "before words travel");
    return code ? gravel_leave(gravel, code) : 0;
}

/* Sends each node its block, of those of a local heap, to words at `to` there. */
static int send_blocks(struct gravel_mirror *mirror, uint32_t heap,
                       const struct gravel_mirror_block *blocks, uint64_t to)
{
    const uint64_t bytes = mirror->word_bytes;
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->object.gravel); node++)
        GRAVEL_TRY(gravel_node_put_heap(mirror->object.gravel, heap, blocks[node].from,
                                        to + blocks[node].there * bytes, blocks[node].n * bytes,
                                        node));
    return 0;
}

int gravel_mirror_begin(struct gravel_mirror *mirror)
{
    GRAVEL_TRY(gravel_object_refuse(mirror, "mirror", "gravel_mirror_begin"));
    const uint32_t parity = parity_of(mirror), n_heaps = mirror->object.gravel->n_heaps;
    if (mirror->state == GRAVEL_MIRROR_BEGUN)
        return gravel_fail(GRAVEL_EINVAL, "gravel_mirror_begin: gravel_mirror_end has not been "
                                          "called since the last one");
    if (mirror->state != GRAVEL_MIRROR_SENT) {
        mirror->state = GRAVEL_MIRROR_BROKEN;
        for (uint32_t heap = 0; heap < n_heaps; heap++)
            if (mirror->owners[heap].is_packed)
                GRAVEL_TRY(run_given(mirror, heap));
        GRAVEL_TRY(wait_for_kernels(mirror->object.gravel));
        for (uint32_t heap = 0; mirror->is_read && heap < n_heaps; heap++)
            GRAVEL_TRY(
                send_blocks(mirror, heap, mirror->owners[heap].given, mirror->near_at[parity]));
        if (!mirror->is_read)
            GRAVEL_TRY(send_blocks(mirror, gravel_mirror_own_heap(mirror), mirror->near,
                                   mirror->given_at[parity]));
    }
    mirror->state = GRAVEL_MIRROR_SENT;
    if (!mirror->is_read)
        GRAVEL_TRY(gravel_mirror_clear(mirror));
    mirror->state = GRAVEL_MIRROR_BEGUN;
    return 0;
}

/* ---- end --------------------------------------------------------------------------------------- */

/* Checks that this node can end its exchange. Copies wait for all kernels, which may read what comes next. */
static int check_end(struct gravel_mirror *mirror)
{
    struct gravel *gravel = mirror->object.gravel;
    if (mirror->state != GRAVEL_MIRROR_BEGUN)
        return gravel_fail(GRAVEL_EINVAL, "gravel_mirror_end: gravel_mirror_begin has not "
                                          "succeeded: call it again, then gravel_mirror_end at all "
                                          "nodes");
    return mirror->is_read
               ? wait_for_kernels(gravel)
               : gravel_launches_wait(&gravel->launches, gravel_node_kernel_limit(gravel));
}

int gravel_mirror_end(struct gravel_mirror *mirror)
{
    GRAVEL_TRY(gravel_object_refuse(mirror, "mirror", "gravel_mirror_end"));
    if (mirror->state == GRAVEL_MIRROR_ENDED)
        return gravel_fail(GRAVEL_EINVAL, "gravel_mirror_end: gravel_mirror_begin has not been "
                                          "called since the last one");
    const struct gravel_kept met = gravel_keep(check_end(mirror));
    /* A node that cannot end it differs from all other nodes, so none ends it. */
    const struct gravel_collective_call call = {
        .kind = GRAVEL_CALL_SHARE,
        .arguments = {mirror->object.memory, met.code ? GRAVEL_SHARE_NONE : mirror->n_shared}};
    int waited = gravel_node_barrier(mirror->object.gravel, &call, false);
    const bool has_failed = gravel_node_has_failed(mirror->object.gravel);
    if (met.code && !has_failed)
        return gravel_fail_again(&met);
    if (has_failed || waited == GRAVEL_EMISMATCH)
        return gravel_first_failure(waited, met.code);
    /* All other nodes have ended it too, so this one does, whatever its kernels still do. */
    int combined = 0;
    for (uint32_t heap = 0; !mirror->is_read && heap < mirror->object.gravel->n_heaps && !combined;
         heap++)
        combined = run_given(mirror, heap);
    mirror->n_shared++;
    mirror->state = GRAVEL_MIRROR_ENDED;
    return gravel_first_failure(waited, combined);
}

int gravel_mirror_share(struct gravel_mirror *mirror)
{
    GRAVEL_TRY(gravel_object_refuse(mirror, "mirror", "gravel_mirror_share"));
    GRAVEL_TRY(gravel_mirror_begin(mirror));
    return gravel_mirror_end(mirror);
}

/* Copies that arrived last; before the first ones, those that come second, which are 0. */
uint64_t gravel_mirror_offset(const struct gravel_mirror *mirror)
{
    if (gravel_require("gravel_mirror_offset", "mirror", mirror))
        return 0;
    return mirror->near_at[(mirror->n_shared + 1) % 2];
}
