/* SPDX-License-Identifier: MIT */
/*
 * Has the device apply packages where they lie. See packages.h.
 */
#include "resolve/on_device/packages.h"

#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <string.h>

#define GROUP 256u /* [work-items] wanted; the kernel may bear fewer */
#define SPANS_BYTES (GRAVELP_BOUNDS_MOST * sizeof(struct gravelp_bounds_span))

static const char user[] = "packages in place";

static int enqueue(const struct gravel_in_place *in_place, uint32_t queue, uint32_t ticket)
{
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(in_place->runs->arena), GRAVEL_ARGUMENT(queue), GRAVEL_ARGUMENT(ticket),
        GRAVEL_ARGUMENT(in_place->spans), GRAVEL_ARGUMENT(in_place->n_spans)};
    cl_int error = GRAVEL_CL_KERNEL_SET(in_place->runs->device, in_place->kernel, 0, arguments);
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_enqueue(in_place->runs->queue, in_place->kernel, in_place->group,
                                         in_place->group, NULL);
    return gravel_check_cl(user, error);
}

int gravel_in_place_create(struct gravel_in_place *in_place, const struct gravel_device_runs *runs,
                           struct gravel_heap *heap)
{
    const struct gravel_device *device = runs->device;
    *in_place = (struct gravel_in_place){.runs = runs, .heap = heap, .group = GROUP};
    GRAVEL_TRY(gravel_cl_kernel_create(device, runs->program, "apply_in_place", &in_place->group,
                                       &in_place->kernel));
    GRAVEL_TRY(gravel_cl_buffer_create(device, user, SPANS_BYTES, &in_place->spans));
    GRAVEL_TRY(
        gravel_pinned_create(&in_place->staged, device, runs->queue, user, NULL, SPANS_BYTES));
    /* What a driver puts off to the first use is done now: later, a kernel of the user's may wait. Without allocations
     * no package is taken. */
    memset(in_place->staged.begin, 0, SPANS_BYTES);
    cl_int error = clEnqueueWriteBuffer(runs->queue, in_place->spans, CL_FALSE, 0, SPANS_BYTES,
                                        in_place->staged.begin, 0, NULL, NULL);
    GRAVEL_TRY(gravel_check_cl(user, error));
    GRAVEL_TRY(enqueue(in_place, 0, 0));
    return gravel_wait_queue(device, runs->queue, user);
}

void gravel_in_place_destroy(struct gravel_in_place *in_place)
{
    gravel_pinned_destroy(&in_place->staged);
    gravel_cl_buffer_release(in_place->spans);
    gravel_cl_kernel_release(in_place->kernel);
}

/* Copies the allocations, if they have changed. */
static int copy_spans(struct gravel_in_place *in_place)
{
    struct gravel_span spans[GRAVELP_BOUNDS_MOST];
    struct gravelp_bounds_span *to = (struct gravelp_bounds_span *)(void *)in_place->staged.begin;
    gravel_heap_lock_shared(in_place->heap);
    const uint64_t n_changes = gravel_heap_changes(in_place->heap);
    const bool are_new = n_changes != in_place->n_changes;
    size_t n = are_new ? gravel_heap_copy_spans(in_place->heap, spans, GRAVELP_BOUNDS_MOST) : 0;
    gravel_heap_unlock_shared(in_place->heap);
    if (!are_new)
        return 0;
    in_place->n_changes = n_changes;
    in_place->n_spans = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : 0;
    for (uint32_t i = 0; i < in_place->n_spans; i++)
        to[i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
    if (in_place->n_spans == 0)
        return 0;
    cl_int error = clEnqueueWriteBuffer(in_place->runs->queue, in_place->spans, CL_FALSE, 0,
                                        in_place->n_spans * sizeof *to, to, 0, NULL, NULL);
    return gravel_check_cl(user, error);
}

int gravel_in_place_enqueue(struct gravel_in_place *in_place, const uint32_t *tickets,
                            uint32_t n_queues, bool *has)
{
    int code = copy_spans(in_place);
    *has = !code && in_place->n_spans;
    for (uint32_t q = 0; q < n_queues && *has && !code; q++)
        code = enqueue(in_place, q, tickets[q]);
    return code;
}
