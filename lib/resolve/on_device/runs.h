/* SPDX-License-Identifier: MIT */
/*
 * The kernels of cl/kernels/resolve.cl, and which of them a run needs.
 *
 * A run of updates or requests takes one kernel. A run of puts takes a fill and two, by way of a hash table, or
 * one that goes through it message by message on CPU devices. All are enqueued in order.
 *
 * Path:    ring.c, copied.c -> runs.h -> cl/kernels/resolve.cl.
 * Owner:   the struct's; queue and arena outlive it.
 * Threads: one at a time.
 */
#ifndef GRAVEL_RESOLVE_ON_DEVICE_RUNS_H
#define GRAVEL_RESOLVE_ON_DEVICE_RUNS_H

#include "device/device.h"
#include "layout/bounds.h"
#include "memory/heap_books.h"
#include "opencl/region.h"
#include "resolve/decode.h"

#define GRAVEL_RUN_KERNELS 9u

struct gravel_device_runs {
    const struct gravel_device *device;
    bool is_serial; /* a CPU device: the plain loop is the fastest, and no table is needed */
    bool has_int64_atomics;
    bool takes_given; /* the device bears a short frame as an argument */
    size_t group;     /* [work-items] */
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[GRAVEL_RUN_KERNELS];
    cl_mem arena;
    cl_mem last;
    /* find_last's table for the longest run of puts, in a frame or a block; NULL if is_serial */
    cl_mem passed; /* a record of no index refused: of frames that the host has checked */

    /* Packages in place, if `heap` is there; of one thread at a time, who has the pump's lock. */
    struct gravel_heap *heap;    /* the node's books, or NULL */
    cl_mem spans;                /* [GRAVELP_BOUNDS_MOST] struct gravelp_bounds_span: allocations */
    struct gravel_pinned staged; /* what they are copied from */
    uint64_t n_changes;          /* of the books, as of the last copy */
    uint32_t n_spans;            /* copied; 0 before the first copy, and where there are too many */
};

/* A run on the device. The caller sets `refused`, `record`, `first` and n_words if the device checks the indices. */
struct gravel_device_run {
    const struct gravel_run *run;   /* its header on the host; used until the call returns */
    cl_mem frame;                   /* what its rows lie in; requests get their answers there */
    uint32_t indices_at, values_at; /* [bytes] in `frame` */
    uint32_t kind, is_wide;         /* the command's parts, as resolve.cl has them */
    uint64_t heap_offset, base;     /* of the node's heap, of index 0 in the arena [bytes] */
    cl_mem refused;                 /* see resolve.cl; at first the record of a checked frame */
    uint32_t record;                /* its number in `refused` */
    uint32_t first;                 /* messages of the frame before it */
    uint64_t n_words; /* as gravel_decode_plan tells; 0: the host has checked the indices */
};

/**
 * Build the kernels; allocate the table.
 *
 * @param runs   [out] to be destroyed, also on failure; a zero-filled one may be too.
 * @param queue  in order; of the device.
 * @param heap   the node's books, if packages are applied in place; or NULL.
 * @return       0; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_device_runs_create(struct gravel_device_runs *runs, const struct gravel_device *device,
                              cl_command_queue queue, cl_mem arena, uint64_t max_frame_bytes,
                              struct gravel_heap *heap);
void gravel_device_runs_destroy(struct gravel_device_runs *runs);

/**
 * Enqueue the comparison of a run's indices with n_words. All runs of a frame are checked before one of them is
 * applied.
 *
 * @return  0; GRAVEL_ECL.
 */
int gravel_device_runs_check(const struct gravel_device_runs *runs,
                             const struct gravel_device_run *run);

/** A run whose rows follow its header. @param at  of the run in the frame [bytes]. */
struct gravel_device_run gravel_device_run_of(const struct gravel_device_runs *runs,
                                              const struct gravel_run *run, cl_mem frame,
                                              uint64_t at, uint64_t heap_offset);

/** Enqueue a run that addresses words, and its signal. @return 0; GRAVEL_ECL. */
int gravel_device_runs_enqueue(const struct gravel_device_runs *runs,
                               const struct gravel_device_run *run);

/** Whether a frame of one run may go with the launch, and needs no upload. */
bool gravel_device_runs_can_give(const struct gravel_device_runs *runs,
                                 const struct gravel_run *run, uint32_t frame_bytes);

/**
 * Enqueue such a frame. run->frame, which it is stored in, is not read after its kernel.
 *
 * @param frame  used until the call returns.
 * @return       0; GRAVEL_ECL.
 */
int gravel_device_runs_give(const struct gravel_device_runs *runs,
                            const struct gravel_device_run *run, const void *frame,
                            uint32_t frame_bytes);

/**
 * Enqueue every kernel that the device needs on nothing, so that whatever a driver puts off to a kernel's or a
 * buffer's first use is done: later, beside a kernel that waits for the resolver, it might wait for that kernel
 * (NVIDIA's does).
 *
 * @return  0; GRAVEL_ECL.
 */
int gravel_device_runs_warm_up(const struct gravel_device_runs *runs, cl_mem uploaded);

/**
 * Enqueue that each queue's next few packages are applied where they lie; the last call's commands have ended. The
  * allocations are copied to the device, if they have changed, before the kernels: either all queues have theirs or
 * none.
 *
 * @param tickets  [n_queues] the next that the host would take of each queue of packages.
 * @param has      [out] false if there are no allocations, or too many to check by: nothing is enqueued.
 * @return         0; GRAVEL_ECL.
 */
int gravel_device_runs_in_place(struct gravel_device_runs *runs, const uint32_t *tickets,
                                uint32_t n_queues, bool *has);

#endif
