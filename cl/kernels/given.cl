/* SPDX-License-Identifier: MIT */
/*
 * Applies a short frame of one run that comes as an argument: one command, where an upload and a kernel are two, and
 * the second waits for the first.
 *
 * Path:    lib/resolve/on_device/runs.c enqueues this, instead of apply_each.
 * Memory:  as resolve.cl. A barrier hands the frame's bytes from the work-items that store them to their readers.
 */
#include "resolve.cl"

#include "layout/given.h"

/* One work-group of any size. Any command of apply_each but a request. n_words: of the frame. */
kernel void apply_given(RUN, struct gravelp_given given, uint n_words)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    (void)refused, (void)record, (void)first;
    for (uint w = lane; w < n_words; w += n_lanes)
        ((global uint *)frame)[w] = given.words[w];
    gravelp_barrier_group();
    for (uint i = lane; i < n_messages; i += n_lanes)
        apply_one(arena, frame, kind, n_messages, values_at, i,
                  word_at(frame + indices_at, kind, is_wide, base, i),
                  bits_of(frame + values_at, kind, i));
}
