/* SPDX-License-Identifier: MIT */
/*
 * Enqueues runs as kernels. See ring.h.
 */
#include "resolve/on_device/ring.h"

#include "base/error.h"
#include "layout/given.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "transport/buffer.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 256u                /* [work-items] wanted; kernels may bear fewer */
#define FEW_MESSAGES 8u           /* not worth more than one work-item */
#define MIN_PUT_BYTES 8u          /* index and value of the smallest */
#define CHECK_ITEMS 65536u        /* at most: each reads several indices */
#define APPLY_ITEMS_PER_UNIT 512u /* at most: the kernels beside this one need room */
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

static int set(const struct gravel_device_runs *runs, uint32_t kernel, cl_uint first,
               const struct gravel_argument *arguments, size_t n)
{
    return gravel_check_cl(
        "resolver: clSetKernelArg",
        gravel_cl_kernel_set(runs->device, runs->kernels[kernel], first, arguments, n));
}

/* Size of find_last's table: a power of two, at most half full. */
static uint64_t slots_for(uint64_t n_messages)
{
    uint64_t n_slots = 2;
    while (n_slots < 2 * n_messages)
        n_slots *= 2;
    return n_slots;
}

/* ---- create and destroy ---------------------------------------------------------------------- */

int gravel_device_runs_create(struct gravel_device_runs *runs, const struct gravel_device *device,
                              cl_command_queue queue, cl_mem arena, uint64_t max_frame_bytes,
                              struct gravel_heap *heap)
{
    static const char *const names[] = {"apply_serially", "apply_each",  "add_few",
                                        "find_last",      "store_last",  "check_indices",
                                        "raise_signal",   "apply_given", "apply_in_place"};
    const struct gravel_argument first[] = {GRAVEL_ARGUMENT(arena)};
    const uint64_t passed_bytes = 2 * sizeof(uint32_t);
    uint64_t longest =
        max_frame_bytes < GRAVEL_ROWS_MOST_BYTES ? GRAVEL_ROWS_MOST_BYTES : max_frame_bytes;
    size_t argument_bytes = 0;
    *runs = (struct gravel_device_runs){
        .device = device,
        .is_serial = device->capability.is_cpu,
        .has_int64_atomics = device->capability.has_long_atomics,
        .group = GROUP,
        .queue = queue,
        .arena = arena,
        .heap = heap,
    };
    runs->takes_given =
        !runs->is_serial &&
        clGetDeviceInfo(device->id, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof argument_bytes,
                        &argument_bytes, NULL) == CL_SUCCESS &&
        argument_bytes >= GRAVELP_GIVEN_LEAST;
    const struct gravel_program_request request = {
        .name = "resolve.cl",
        .source = gravel_resolve_cl,
        .options = runs->has_int64_atomics ? "-DGRAVELP_INT64_ATOMICS" : NULL,
    };
    GRAVEL_TRY(gravel_device_build(device, &request, &runs->program));
    if (!runs->is_serial)
        GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver",
                                           slots_for(longest / MIN_PUT_BYTES) * 4, &runs->last));
    GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", passed_bytes, &runs->passed));
    GRAVEL_TRY(gravel_cl_buffer_zero(queue, runs->passed, 0, passed_bytes, zeroing));
    GRAVEL_TRY(gravel_cl_kernels_create(device, runs->program, names, GRAVEL_RUN_KERNELS,
                                        &runs->group, runs->kernels));
    for (uint32_t i = 0; i < GRAVEL_RUN_KERNELS; i++)
        GRAVEL_TRY(set(runs, i, 0, first, 1));
    if (!heap)
        return 0;
    GRAVEL_TRY(gravel_cl_buffer_create(device, packages, SPANS_BYTES, &runs->spans));
    GRAVEL_TRY(gravel_cl_buffer_zero(queue, runs->spans, 0, SPANS_BYTES, zeroing));
    return gravel_pinned_create(&runs->staged, device, queue, packages, NULL, SPANS_BYTES);
}

void gravel_device_runs_destroy(struct gravel_device_runs *runs)
{
    gravel_cl_buffer_release(runs->spans);
    gravel_cl_kernels_release(runs->kernels, GRAVEL_RUN_KERNELS);
    gravel_cl_buffer_release(runs->last);
    gravel_cl_buffer_release(runs->passed);
    gravel_cl_program_release(runs->program);
}

/* ---- enqueue --------------------------------------------------------------------------------- */

struct gravel_device_run gravel_device_run_of(const struct gravel_device_runs *runs,
                                              const struct gravel_run *run, cl_mem frame,
                                              uint64_t at, uint64_t heap_offset)
{
    const uint32_t command = run->command, op = GRAVELP_COMMAND_OP(command);
    return (struct gravel_device_run){
        .run = run,
        .frame = frame,
        .indices_at = (uint32_t)(at + GRAVEL_RUN_INDICES(command)),
        .values_at = (uint32_t)(at + GRAVEL_RUN_VALUES(command, run->n_messages, 0)),
        .kind = op == GRAVEL_PUT_SIGNAL ? GRAVELP_COMMAND(GRAVEL_PUT, GRAVELP_COMMAND_TYPE(command))
                                        : command & ~(GRAVELP_COMMAND_WIDE | GRAVELP_COMMAND_FAR),
        .is_wide = command & GRAVELP_COMMAND_FAR ? 2 : (command & GRAVELP_COMMAND_WIDE) != 0,
        .heap_offset = heap_offset,
        .base = heap_offset + run->base,
        .refused = runs->passed,
    };
}

/* Sets a kernel's arguments after `first`, and enqueues it. */
static int enqueue_kernel(const struct gravel_device_runs *runs, uint32_t kernel, cl_uint first,
                          const struct gravel_argument *arguments, size_t n, size_t n_items)
{
    GRAVEL_TRY(set(runs, kernel, first, arguments, n));
    return gravel_check_cl(
        "resolver: clEnqueueNDRangeKernel",
        gravel_cl_kernel_enqueue(runs->queue, runs->kernels[kernel], n_items, runs->group, NULL));
}
#define ENQUEUE_KERNEL(runs, kernel, arguments, n_items) \
    enqueue_kernel(runs, kernel, 1, arguments, sizeof(arguments) / sizeof *(arguments), n_items)

/* Enqueues a kernel of a run: they take arena, frame, a run, and last [n] what only they need. */
static int enqueue(const struct gravel_device_runs *runs, const struct gravel_device_run *run,
                   uint32_t kernel, const struct gravel_argument *last, size_t n, size_t n_items)
{
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(run->frame),     GRAVEL_ARGUMENT(run->kind),
        GRAVEL_ARGUMENT(run->is_wide),   GRAVEL_ARGUMENT(run->run->n_messages),
        GRAVEL_ARGUMENT(run->base),      GRAVEL_ARGUMENT(run->indices_at),
        GRAVEL_ARGUMENT(run->values_at), GRAVEL_ARGUMENT(run->refused),
        GRAVEL_ARGUMENT(run->record),    GRAVEL_ARGUMENT(run->first),
    };
    const cl_uint n_first = sizeof arguments / sizeof *arguments;
    GRAVEL_TRY(set(runs, kernel, 1, arguments, n_first));
    return enqueue_kernel(runs, kernel, 1 + n_first, last, n, n_items);
}
#define ENQUEUE(runs, run, kernel, last, n_items) \
    enqueue(runs, run, kernel, last, sizeof(last) / sizeof *(last), n_items)

int gravel_device_runs_check(const struct gravel_device_runs *runs,
                             const struct gravel_device_run *run)
{
    uint32_t n = run->run->n_messages, n_items = n < CHECK_ITEMS ? n + !n : CHECK_ITEMS;
    const struct gravel_argument bound[] = {GRAVEL_ARGUMENT(run->n_words),
                                            GRAVEL_ARGUMENT(n_items)};
    return ENQUEUE(runs, run, CHECK_INDICES, bound, n_items);
}

/* Work-items that apply a run. */
static uint32_t apply_items(const struct gravel_device_runs *runs,
                            const struct gravel_device_run *run)
{
    uint32_t n = run->run->n_messages, most = runs->device->units * APPLY_ITEMS_PER_UNIT;
    return n < most ? n + !n : most;
}

static int enqueue_each(const struct gravel_device_runs *runs, const struct gravel_device_run *run)
{
    uint32_t n_items = apply_items(runs, run);
    const struct gravel_argument items[] = {GRAVEL_ARGUMENT(n_items)};
    return ENQUEUE(runs, run, APPLY_EACH, items, n_items);
}

static bool adds_to_few(const struct gravel_device_runs *runs, const struct gravel_device_run *run)
{
    uint32_t op = GRAVELP_COMMAND_OP(run->kind), type = GRAVELP_COMMAND_TYPE(run->kind);
    uint64_t n_groups = apply_items(runs, run) / runs->group + 1;
    return (op == GRAVEL_INC || op == GRAVEL_ADD) && type <= GRAVEL_ULONG && !run->is_wide &&
           run->n_words - 1 < FEW_WORDS &&
           run->run->n_messages >= FEW_SHARE * n_groups * run->n_words;
}

static int enqueue_few(const struct gravel_device_runs *runs, const struct gravel_device_run *run)
{
    uint32_t n_items = apply_items(runs, run), n_words = (uint32_t)run->n_words;
    const struct gravel_argument words[] = {GRAVEL_ARGUMENT(n_items), GRAVEL_ARGUMENT(n_words),
                                            GRAVEL_ARGUMENT_LOCAL(2 * n_words)};
    return ENQUEUE(runs, run, ADD_FEW, words, n_items);
}

static int enqueue_puts(const struct gravel_device_runs *runs, const struct gravel_device_run *run)
{
    const uint32_t n = run->run->n_messages, n_items = n + !n;
    const uint64_t n_slots = slots_for(n);
    const uint32_t mask = (uint32_t)(n_slots - 1);
    const struct gravel_argument table[] = {GRAVEL_ARGUMENT(runs->last), GRAVEL_ARGUMENT(mask)};
    GRAVEL_TRY(
        gravel_cl_buffer_zero(runs->queue, runs->last, 0, n_slots * sizeof(uint32_t), zeroing));
    GRAVEL_TRY(ENQUEUE(runs, run, FIND_LAST, table, n_items));
    return ENQUEUE(runs, run, STORE_LAST, table, n_items);
}

int gravel_device_runs_give(const struct gravel_device_runs *runs,
                            const struct gravel_device_run *run, const void *frame, uint32_t bytes)
{
    struct gravelp_given given;
    const uint32_t n_words = bytes / 4;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(given), GRAVEL_ARGUMENT(n_words)};
    memcpy(&given, frame, bytes);
    memset((unsigned char *)&given + bytes, 0, sizeof given - bytes);
    return ENQUEUE(runs, run, APPLY_GIVEN, arguments, runs->group);
}

/* @param at  of the signal in the arena [bytes]. */
static int enqueue_signal(const struct gravel_device_runs *runs, uint64_t at, uint32_t n)
{
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(at), GRAVEL_ARGUMENT(n)};
    return ENQUEUE_KERNEL(runs, RAISE_SIGNAL, arguments, 1);
}

/* Enqueues that a queue's next few packages are applied. */
static int enqueue_packages(const struct gravel_device_runs *runs, uint32_t queue, uint32_t ticket)
{
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(queue), GRAVEL_ARGUMENT(ticket),
                                                GRAVEL_ARGUMENT(runs->spans),
                                                GRAVEL_ARGUMENT(runs->n_spans)};
    return ENQUEUE_KERNEL(runs, APPLY_IN_PLACE, arguments, runs->group);
}

int gravel_device_runs_warm_up(const struct gravel_device_runs *runs, cl_mem uploaded)
{
    const struct gravel_run nothing = {.command = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)};
    struct gravel_device_run run = gravel_device_run_of(runs, &nothing, uploaded, 0, 0);
    run.n_words = 1;
    GRAVEL_TRY(enqueue(runs, &run, APPLY_SERIALLY, NULL, 0, 1));
    GRAVEL_TRY(gravel_device_runs_check(runs, &run));
    if (!runs->is_serial) {
        GRAVEL_TRY(enqueue_each(runs, &run));
        GRAVEL_TRY(enqueue_few(runs, &run));
        GRAVEL_TRY(enqueue_puts(runs, &run));
    }
    if (runs->takes_given)
        GRAVEL_TRY(gravel_device_runs_give(runs, &run, &nothing, 0));
    if (runs->heap)
        GRAVEL_TRY(enqueue_packages(runs, 0, 0)); /* without allocations none is taken */
    return enqueue_signal(runs, 0, 0);
}

/* Whether the messages are for one work-item: no atomic operation does what they ask for, or they are few. */
static bool must_be_serial(const struct gravel_device_runs *runs, const struct gravel_run *run)
{
    bool is_wide_word = GRAVELP_VALUE_BYTES(run->command) == 8;
    bool is_put = GRAVELP_COMMAND_OP(run->command) == GRAVEL_PUT ||
                  GRAVELP_COMMAND_OP(run->command) == GRAVEL_PUT_SIGNAL;
    return runs->is_serial || run->n_messages <= FEW_MESSAGES ||
           (is_wide_word && !is_put && !runs->has_int64_atomics);
}

int gravel_device_runs_enqueue(const struct gravel_device_runs *runs,
                               const struct gravel_device_run *run)
{
    const struct gravel_signal_run *with_signal = (const void *)run->run;
    int code;
    if (must_be_serial(runs, run->run))
        code = enqueue(runs, run, APPLY_SERIALLY, NULL, 0, 1);
    else if (GRAVELP_COMMAND_OP(run->kind) == GRAVEL_PUT)
        code = enqueue_puts(runs, run);
    else
        code = (adds_to_few(runs, run) ? enqueue_few : enqueue_each)(runs, run);
    if (!code && GRAVELP_COMMAND_OP(run->run->command) == GRAVEL_PUT_SIGNAL &&
        with_signal->signal != GRAVEL_NO_SIGNAL)
        code = enqueue_signal(runs, run->heap_offset + with_signal->signal, run->run->n_messages);
    return code;
}

bool gravel_device_runs_can_give(const struct gravel_device_runs *runs,
                                 const struct gravel_run *run, uint32_t frame_bytes)
{
    const uint32_t op = GRAVELP_COMMAND_OP(run->command);
    return runs->takes_given && frame_bytes <= GRAVELP_GIVEN_BYTES && frame_bytes % 4 == 0 &&
           op > GRAVEL_PUT && op < GRAVEL_AM && !must_be_serial(runs, run);
}

/* ---- packages in place ----------------------------------------------------------------------- */

/* Copies the allocations, if they have changed. */
static int copy_spans(struct gravel_device_runs *runs)
{
    struct gravel_span spans[GRAVELP_BOUNDS_MOST];
    struct gravelp_bounds_span *to = (struct gravelp_bounds_span *)(void *)runs->staged.begin;
    gravel_heap_lock_shared(runs->heap);
    const uint64_t n_changes = gravel_heap_changes(runs->heap);
    const bool are_new = n_changes != runs->n_changes;
    size_t n = are_new ? gravel_heap_copy_spans(runs->heap, spans, GRAVELP_BOUNDS_MOST) : 0;
    gravel_heap_unlock_shared(runs->heap);
    if (!are_new)
        return 0;
    runs->n_changes = n_changes;
    runs->n_spans = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : 0;
    for (uint32_t i = 0; i < runs->n_spans; i++)
        to[i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
    if (runs->n_spans == 0)
        return 0;
    cl_int error = clEnqueueWriteBuffer(runs->queue, runs->spans, CL_FALSE, 0,
                                        runs->n_spans * sizeof *to, to, 0, NULL, NULL);
    return gravel_check_cl(packages, error);
}

int gravel_device_runs_in_place(struct gravel_device_runs *runs, const uint32_t *tickets,
                                uint32_t n_queues, bool *has)
{
    int code = copy_spans(runs);
    *has = !code && runs->n_spans;
    for (uint32_t q = 0; q < n_queues && *has && !code; q++)
        code = enqueue_packages(runs, q, tickets[q]);
    return code;
}
