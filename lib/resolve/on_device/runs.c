/* SPDX-License-Identifier: MIT */
/*
 * Enqueues runs as kernels. See ring.h.
 */
#include "resolve/on_device/ring.h"

#include "base/error.h"
#include "layout/package.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "transport/buffer.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 256u                /* [work-items] wanted; kernels may support fewer */
#define FEW_MESSAGES 8u           /* not worth more than one work-item */
#define MIN_PUT_BYTES 8u          /* index and value of the smallest */
#define CHECK_ITEMS 65536u        /* at most: each reads several indices */
#define APPLY_ITEMS_PER_UNIT 512u /* at most: other kernels need units too */
#define FEW_WORDS 256u            /* that messages wait for, if each is an atomic operation */
#define FEW_SHARE \
    16u /* messages for each sum of each group, at least, or sums cost more than they spare */

extern const char gravel_resolve_cl[];

#define SPANS_BYTES (GRAVELP_BOUNDS_MOST * sizeof(struct gravelp_bounds_span))

static const char packages[] = "packages in place";
static const char zeroing[] = "resolver: clEnqueueFillBuffer";

/* Numbers of the kernels. */
enum {
    APPLY_SERIALLY,
    APPLY_EACH,
    ADD_FEW,
    FIND_LAST,
    STORE_LAST,
    CHECK_INDICES,
    RAISE_SIGNAL,
    APPLY_GIVEN,
    APPLY_IN_PLACE
};

static int set(const struct gravel_resolver *resolver, uint32_t kernel, cl_uint first,
               const struct gravel_argument *arguments, size_t n)
{
    return gravel_check_cl(
        "resolver: clSetKernelArg",
        gravel_cl_kernel_set(resolver->device, resolver->kernels[kernel], first, arguments, n));
}

/* Returns the size of find_last's table: a power of two, at most half full. */
static uint64_t slots_for(uint64_t n_messages)
{
    uint64_t n_slots = 2;
    while (n_slots < 2 * n_messages)
        n_slots *= 2;
    return n_slots;
}

/* ---- create and destroy ---------------------------------------------------------------------- */

int gravel_runs_create(struct gravel_resolver *resolver)
{
    static const char *const names[] = {"apply_serially", "apply_each",  "add_few",
                                        "find_last",      "store_last",  "check_indices",
                                        "raise_signal",   "apply_given", "apply_in_place"};
    const struct gravel_resolver_shape *shape = &resolver->shape;
    const struct gravel_device *device = resolver->device;
    const struct gravel_argument first[] = {GRAVEL_ARGUMENT(shape->memory->region.buffer)};
    const uint64_t passed_bytes = 2 * sizeof(uint32_t);
    const uint64_t longest = shape->max_frame_bytes < GRAVEL_ROWS_MOST_BYTES
                                 ? GRAVEL_ROWS_MOST_BYTES
                                 : shape->max_frame_bytes;
    const struct gravel_program_request request = {
        .name = "resolve.cl",
        .source = gravel_resolve_cl,
        .options = device->capability.has_long_atomics ? "-DGRAVELP_INT64_ATOMICS=1"
                                                       : "-DGRAVELP_INT64_ATOMICS=0",
    };
    size_t argument_bytes = 0;
    resolver->is_serial = device->capability.is_cpu;
    resolver->group = GROUP;
    resolver->takes_given =
        !resolver->is_serial &&
        clGetDeviceInfo(device->id, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof argument_bytes,
                        &argument_bytes, NULL) == CL_SUCCESS &&
        argument_bytes >= GRAVELP_GIVEN_LEAST;
    GRAVEL_TRY(gravel_device_build(device, &request, &resolver->program));
    if (!resolver->is_serial)
        GRAVEL_TRY(gravel_cl_buffer_create(
            device, "resolver", slots_for(longest / MIN_PUT_BYTES) * 4, &resolver->last));
    GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", passed_bytes, &resolver->passed));
    GRAVEL_TRY(gravel_cl_buffer_zero(resolver->queue, resolver->passed, 0, passed_bytes, zeroing));
    GRAVEL_TRY(gravel_cl_kernels_create(device, resolver->program, names, GRAVEL_RUN_KERNELS,
                                        &resolver->group, resolver->kernels));
    for (uint32_t i = 0; i < GRAVEL_RUN_KERNELS; i++)
        GRAVEL_TRY(set(resolver, i, 0, first, 1));
    /* A handler on the device may keep the resolver's queue; and where launches are drained, no round is short. */
    resolver->is_in_place = !shape->calls && gravel_step_is_pumped(device->step);
    if (!resolver->is_in_place)
        return 0;
    GRAVEL_TRY(gravel_cl_buffer_create(device, packages, SPANS_BYTES, &resolver->spans));
    GRAVEL_TRY(gravel_cl_buffer_zero(resolver->queue, resolver->spans, 0, SPANS_BYTES, zeroing));
    return gravel_pinned_create(&resolver->staged, device, resolver->queue, packages, NULL,
                                SPANS_BYTES);
}

void gravel_runs_destroy(struct gravel_resolver *resolver)
{
    gravel_cl_buffer_release(resolver->spans);
    gravel_cl_kernels_release(resolver->kernels, GRAVEL_RUN_KERNELS);
    gravel_cl_buffer_release(resolver->last);
    gravel_cl_buffer_release(resolver->passed);
    gravel_cl_program_release(resolver->program);
}

/* ---- enqueue --------------------------------------------------------------------------------- */

struct gravel_device_run gravel_run_of(const struct gravel_resolver *resolver,
                                       const struct gravel_run *run, cl_mem frame, uint64_t at,
                                       uint64_t heap_offset)
{
    const uint32_t command = run->command, op = GRAVELP_COMMAND_OP(command);
    return (struct gravel_device_run){
        .run = run,
        .frame = frame,
        .indices_at = (uint32_t)(at + GRAVEL_RUN_INDICES(command)),
        .values_at = (uint32_t)(at + GRAVEL_RUN_VALUES(command, run->n_messages, 0)),
        .kind = op == GRAVEL_PUT_SIGNAL ? GRAVELP_COMMAND(GRAVEL_PUT, GRAVELP_COMMAND_TYPE(command))
                                        : command & ~GRAVELP_COMMAND_FAR,
        .is_far = (command & GRAVELP_COMMAND_FAR) != 0,
        .heap_offset = heap_offset,
        .base = heap_offset + run->base,
        .refused = resolver->passed,
    };
}

/* Sets a kernel's arguments after `first`, and enqueues it. */
static int enqueue_kernel(const struct gravel_resolver *resolver, uint32_t kernel, cl_uint first,
                          const struct gravel_argument *arguments, size_t n, size_t n_items)
{
    GRAVEL_TRY(set(resolver, kernel, first, arguments, n));
    return gravel_check_cl("resolver: clEnqueueNDRangeKernel",
                           gravel_cl_kernel_enqueue(resolver->queue, resolver->kernels[kernel],
                                                    n_items, resolver->group, NULL));
}
#define ENQUEUE_KERNEL(resolver, kernel, arguments, n_items) \
    enqueue_kernel(resolver, kernel, 1, arguments, sizeof(arguments) / sizeof *(arguments), n_items)

/* Enqueues a kernel of a run: they take arena, frame, a run, and last [n] what only they need. */
static int enqueue(const struct gravel_resolver *resolver, const struct gravel_device_run *run,
                   uint32_t kernel, const struct gravel_argument *last, size_t n, size_t n_items)
{
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(run->frame),     GRAVEL_ARGUMENT(run->kind),
        GRAVEL_ARGUMENT(run->is_far),    GRAVEL_ARGUMENT(run->run->n_messages),
        GRAVEL_ARGUMENT(run->base),      GRAVEL_ARGUMENT(run->indices_at),
        GRAVEL_ARGUMENT(run->values_at), GRAVEL_ARGUMENT(run->refused),
        GRAVEL_ARGUMENT(run->record),    GRAVEL_ARGUMENT(run->first),
    };
    const cl_uint n_first = sizeof arguments / sizeof *arguments;
    GRAVEL_TRY(set(resolver, kernel, 1, arguments, n_first));
    return enqueue_kernel(resolver, kernel, 1 + n_first, last, n, n_items);
}
#define ENQUEUE(resolver, run, kernel, last, n_items) \
    enqueue(resolver, run, kernel, last, sizeof(last) / sizeof *(last), n_items)

int gravel_runs_check(const struct gravel_resolver *resolver, const struct gravel_device_run *run)
{
    uint32_t n = run->run->n_messages, n_items = n < CHECK_ITEMS ? n + !n : CHECK_ITEMS;
    const struct gravel_argument bound[] = {GRAVEL_ARGUMENT(run->n_words),
                                            GRAVEL_ARGUMENT(n_items)};
    return ENQUEUE(resolver, run, CHECK_INDICES, bound, n_items);
}

/* Work-items that apply a run. */
static uint32_t apply_items(const struct gravel_resolver *resolver,
                            const struct gravel_device_run *run)
{
    uint32_t n = run->run->n_messages, most = resolver->device->units * APPLY_ITEMS_PER_UNIT;
    return n < most ? n + !n : most;
}

static int enqueue_each(const struct gravel_resolver *resolver, const struct gravel_device_run *run)
{
    uint32_t n_items = apply_items(resolver, run);
    const struct gravel_argument items[] = {GRAVEL_ARGUMENT(n_items)};
    return ENQUEUE(resolver, run, APPLY_EACH, items, n_items);
}

static int enqueue_few(const struct gravel_resolver *resolver, const struct gravel_device_run *run)
{
    uint32_t n_items = apply_items(resolver, run), n_words = (uint32_t)run->n_words;
    const struct gravel_argument words[] = {GRAVEL_ARGUMENT(n_items), GRAVEL_ARGUMENT(n_words),
                                            GRAVEL_ARGUMENT_LOCAL(2 * n_words)};
    return ENQUEUE(resolver, run, ADD_FEW, words, n_items);
}

static int enqueue_puts(const struct gravel_resolver *resolver, const struct gravel_device_run *run)
{
    const uint32_t n = run->run->n_messages, n_items = n + !n;
    const uint64_t n_slots = slots_for(n);
    const uint32_t mask = (uint32_t)(n_slots - 1);
    const struct gravel_argument table[] = {GRAVEL_ARGUMENT(resolver->last), GRAVEL_ARGUMENT(mask)};
    GRAVEL_TRY(gravel_cl_buffer_zero(resolver->queue, resolver->last, 0, n_slots * sizeof(uint32_t),
                                     zeroing));
    GRAVEL_TRY(ENQUEUE(resolver, run, FIND_LAST, table, n_items));
    return ENQUEUE(resolver, run, STORE_LAST, table, n_items);
}

int gravel_runs_give(const struct gravel_resolver *resolver, const struct gravel_device_run *run,
                     const void *frame, uint32_t bytes)
{
    struct gravelp_given given;
    const uint32_t n_words = bytes / 4;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(given), GRAVEL_ARGUMENT(n_words)};
    memcpy(&given, frame, bytes);
    memset((unsigned char *)&given + bytes, 0, sizeof given - bytes);
    return ENQUEUE(resolver, run, APPLY_GIVEN, arguments, resolver->group);
}

/* @param at  of the signal in the arena [bytes]. */
static int enqueue_signal(const struct gravel_resolver *resolver, uint64_t at, uint32_t n)
{
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(at), GRAVEL_ARGUMENT(n)};
    return ENQUEUE_KERNEL(resolver, RAISE_SIGNAL, arguments, 1);
}

/* Enqueues that a queue's next few packages are applied. */
static int enqueue_packages(const struct gravel_resolver *resolver, uint32_t queue, uint32_t ticket)
{
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(queue), GRAVEL_ARGUMENT(ticket),
                                                GRAVEL_ARGUMENT(resolver->spans),
                                                GRAVEL_ARGUMENT(resolver->n_spans)};
    return ENQUEUE_KERNEL(resolver, APPLY_IN_PLACE, arguments, resolver->group);
}

int gravel_runs_warm_up(const struct gravel_resolver *resolver, cl_mem uploaded)
{
    const struct gravel_run nothing = {.command = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)};
    struct gravel_device_run run = gravel_run_of(resolver, &nothing, uploaded, 0, 0);
    run.n_words = 1;
    GRAVEL_TRY(enqueue(resolver, &run, APPLY_SERIALLY, NULL, 0, 1));
    GRAVEL_TRY(gravel_runs_check(resolver, &run));
    if (!resolver->is_serial) {
        GRAVEL_TRY(enqueue_each(resolver, &run));
        GRAVEL_TRY(enqueue_few(resolver, &run));
        GRAVEL_TRY(enqueue_puts(resolver, &run));
    }
    if (resolver->takes_given)
        GRAVEL_TRY(gravel_runs_give(resolver, &run, &nothing, 0));
    if (resolver->is_in_place)
        GRAVEL_TRY(enqueue_packages(resolver, 0, 0)); /* without allocations none is taken */
    return enqueue_signal(resolver, 0, 0);
}

/* Returns whether the messages are for one work-item: no atomic operation does what they ask for, or none is needed and
 * the plain loop is as fast. */
static bool must_be_serial(const struct gravel_resolver *resolver, const struct gravel_run *run)
{
    bool is_wide_word = GRAVELP_VALUE_BYTES(run->command) == 8;
    bool is_put = GRAVELP_COMMAND_OP(run->command) == GRAVEL_PUT ||
                  GRAVELP_COMMAND_OP(run->command) == GRAVEL_PUT_SIGNAL;
    if (is_put || !atomic_load_explicit(&resolver->is_shared, memory_order_relaxed)) /* U14 */
        if (resolver->is_serial || run->n_messages <= FEW_MESSAGES)
            return true;
    return is_wide_word && !is_put && !resolver->device->capability.has_long_atomics;
}

int gravel_runs_enqueue(const struct gravel_resolver *resolver, const struct gravel_device_run *run)
{
    const struct gravel_signal_run *with_signal = (const void *)run->run;
    const uint32_t op = GRAVELP_COMMAND_OP(run->kind);
    const uint64_t n_groups = apply_items(resolver, run) / resolver->group + 1;
    const bool adds_to_few = (op == GRAVEL_INC || op == GRAVEL_ADD) && !run->is_far &&
                             GRAVELP_COMMAND_TYPE(run->kind) <= GRAVEL_ULONG &&
                             run->n_words - 1 < FEW_WORDS &&
                             run->run->n_messages >= FEW_SHARE * n_groups * run->n_words;
    int code;
    if (must_be_serial(resolver, run->run))
        code = enqueue(resolver, run, APPLY_SERIALLY, NULL, 0, 1);
    else if (op == GRAVEL_PUT)
        code = enqueue_puts(resolver, run);
    else
        code = (adds_to_few ? enqueue_few : enqueue_each)(resolver, run);
    if (!code && GRAVELP_COMMAND_OP(run->run->command) == GRAVEL_PUT_SIGNAL &&
        with_signal->signal != GRAVEL_NO_SIGNAL)
        code =
            enqueue_signal(resolver, run->heap_offset + with_signal->signal, run->run->n_messages);
    return code;
}

bool gravel_runs_can_give(const struct gravel_resolver *resolver, const struct gravel_run *run,
                          uint32_t frame_bytes)
{
    const uint32_t op = GRAVELP_COMMAND_OP(run->command);
    return resolver->takes_given && frame_bytes <= GRAVELP_GIVEN_BYTES && frame_bytes % 4 == 0 &&
           op > GRAVEL_PUT && op < GRAVEL_AM && !must_be_serial(resolver, run);
}

/* ---- packages in place ----------------------------------------------------------------------- */

/* Copies the allocations, if they have changed. */
static int copy_spans(struct gravel_resolver *resolver)
{
    struct gravel_span spans[GRAVELP_BOUNDS_MOST];
    struct gravelp_bounds_span *to = (struct gravelp_bounds_span *)(void *)resolver->staged.begin;
    gravel_heap_lock_shared(resolver->shape.heap);
    const uint64_t n_changes = gravel_heap_changes(resolver->shape.heap);
    const bool are_new = n_changes != resolver->n_changes;
    size_t n =
        are_new ? gravel_heap_copy_spans(resolver->shape.heap, spans, GRAVELP_BOUNDS_MOST) : 0;
    gravel_heap_unlock_shared(resolver->shape.heap);
    if (!are_new)
        return 0;
    resolver->n_changes = n_changes;
    resolver->n_spans = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : 0;
    for (uint32_t i = 0; i < resolver->n_spans; i++)
        to[i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
    if (resolver->n_spans == 0)
        return 0;
    cl_int error = clEnqueueWriteBuffer(resolver->queue, resolver->spans, CL_FALSE, 0,
                                        resolver->n_spans * sizeof *to, to, 0, NULL, NULL);
    return gravel_check_cl(packages, error);
}

/* Applies the packages of all queues or of none: without allocations, or with too many to check by. */
int gravel_resolver_apply_in_place(struct gravel_resolver *resolver, const uint32_t *tickets,
                                   uint32_t n_queues, cl_command_queue *behind)
{
    *behind = NULL;
    if (!resolver->is_in_place)
        return 0;
    GRAVEL_TRY(copy_spans(resolver));
    for (uint32_t q = 0; q < n_queues && resolver->n_spans; q++)
        GRAVEL_TRY(enqueue_packages(resolver, q, tickets[q]));
    *behind = resolver->n_spans ? resolver->queue : NULL;
    return 0;
}
