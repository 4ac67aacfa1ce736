/* SPDX-License-Identifier: MIT */
/*
 * Packages that are applied where they lie: the kernel that takes a queue's next few, and what it checks them by.
 *
 * It stands on the resolver's command queue, so that one kernel at a time changes heap words. The allocations are
 * copied to the device when they have changed.
 *
 * Path:    lib/pump/in_place.c -> resolver.h -> packages.h -> cl/kernels/in_place.cl.
 * Owner:   its kernel and table; queue and program are the runs'.
 * Threads: one at a time: who has the pump's lock.
 */
#ifndef GRAVEL_RESOLVE_ON_DEVICE_PACKAGES_H
#define GRAVEL_RESOLVE_ON_DEVICE_PACKAGES_H

#include "layout/bounds.h"
#include "memory/heap_books.h"
#include "opencl/pinned.h"
#include "resolve/on_device/runs.h"

struct gravel_in_place {
    const struct gravel_device_runs *runs;
    struct gravel_heap *heap; /* the node's books */
    cl_kernel kernel;
    size_t group;                /* [work-items] */
    cl_mem spans;                /* [GRAVELP_BOUNDS_MOST] struct gravelp_bounds_span */
    struct gravel_pinned staged; /* what they are copied from */
    uint64_t n_changes;          /* of the books, as of the last copy */
    uint32_t n_spans;            /* copied; 0 before the first copy, and where there are too many */
};

/** @param in_place  [out] to be destroyed, also on failure. @return 0; GRAVEL_ECL; GRAVEL_ENOMEM. */
int gravel_in_place_create(struct gravel_in_place *in_place, const struct gravel_device_runs *runs,
                           struct gravel_heap *heap);
/** The device is done with its commands. A zero-filled one is allowed. */
void gravel_in_place_destroy(struct gravel_in_place *in_place);

/**
 * Enqueue the kernel for each queue of packages, to the runs' queue; the last call's commands have ended. The
 * allocations are copied once before them, so that either all queues have their kernel or none has.
 *
 * @param tickets  [n_queues] the next that the host would take of each queue of packages.
 * @param has      [out] false if there are no allocations, or too many to check by: nothing is enqueued.
 * @return         0; GRAVEL_ECL.
 */
int gravel_in_place_enqueue(struct gravel_in_place *in_place, const uint32_t *tickets,
                            uint32_t n_queues, bool *has);

#endif
