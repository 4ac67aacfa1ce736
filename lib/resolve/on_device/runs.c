/* SPDX-License-Identifier: MIT */
/*
 * Enqueues runs as kernels. See runs.h.
 */
#include "resolve/on_device/runs.h"

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
#define CHECK_ITEMS 65536u        /* at most: each looks at several indices */
#define APPLY_ITEMS_PER_UNIT 512u /* at most: the kernels beside this one need room */
#define FEW_WORDS 256u            /* that messages wait for, if each is an atomic operation */
#define FEW_SHARE \
    16u /* messages for each sum of each group, at least, or sums cost more than they spare */

/* Kernels take arena, frame, a run, and last what only they need. */
#define FRAME_ARGUMENT 1u
#define LAST_ARGUMENT 11u

extern const char gravel_resolve_cl[];

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
    APPLY_GIVEN
};

static int set(const struct gravel_device_runs *runs, uint32_t kernel, cl_uint first,
               const struct gravel_argument *arguments, size_t n)
{
    return gravel_check_cl(
        "resolver: clSetKernelArg",
        gravel_cl_kernel_set(runs->device, runs->kernels[kernel], first, arguments, n));
}
#define SET(runs, kernel, first, arguments) \
    set(runs, kernel, first, arguments, sizeof(arguments) / sizeof *(arguments))

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
                              cl_command_queue queue, cl_mem arena, uint64_t max_frame_bytes)
{
    static const char *const names[] = {"apply_serially", "apply_each", "add_few",
                                        "find_last",      "store_last", "check_indices",
                                        "raise_signal",   "apply_given"};
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
    };
    clRetainCommandQueue(queue);
    clRetainMemObject(arena);
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
        GRAVEL_TRY(SET(runs, i, 0, first));
    return 0;
}

void gravel_device_runs_destroy(struct gravel_device_runs *runs)
{
    gravel_cl_kernels_release(runs->kernels, GRAVEL_RUN_KERNELS);
    gravel_cl_buffer_release(runs->arena);
    gravel_cl_buffer_release(runs->last);
    gravel_cl_buffer_release(runs->passed);
    gravel_cl_program_release(runs->program);
    gravel_cl_queue_release(runs->queue);
}

/* ---- enqueue --------------------------------------------------------------------------------- */

/* Where a run lies: the arguments of every kernel after the arena. */
struct run_rows {
    cl_mem frame;
    const struct gravel_run *run;
    uint32_t kind, is_wide;         /* the command's parts, as resolve.cl has them */
    uint64_t base;                  /* [bytes] of index 0 in the arena */
    uint32_t indices_at, values_at; /* [bytes] in the frame */
    cl_mem refused;
    uint32_t record, first;
    uint64_t n_words;
};

static int enqueue_kernel(const struct gravel_device_runs *runs, uint32_t kernel, size_t n_items)
{
    return gravel_check_cl(
        "resolver: clEnqueueNDRangeKernel",
        gravel_cl_kernel_enqueue(runs->queue, runs->kernels[kernel], n_items, runs->group, NULL));
}

static int enqueue(const struct gravel_device_runs *runs, const struct run_rows *rows,
                   uint32_t kernel, size_t n_items)
{
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(rows->frame),     GRAVEL_ARGUMENT(rows->kind),
        GRAVEL_ARGUMENT(rows->is_wide),   GRAVEL_ARGUMENT(rows->run->n_messages),
        GRAVEL_ARGUMENT(rows->base),      GRAVEL_ARGUMENT(rows->indices_at),
        GRAVEL_ARGUMENT(rows->values_at), GRAVEL_ARGUMENT(rows->refused),
        GRAVEL_ARGUMENT(rows->record),    GRAVEL_ARGUMENT(rows->first),
    };
    GRAVEL_TRY(SET(runs, kernel, FRAME_ARGUMENT, arguments));
    return enqueue_kernel(runs, kernel, n_items);
}

static int enqueue_check(const struct gravel_device_runs *runs, const struct run_rows *rows)
{
    uint32_t n = rows->run->n_messages, n_items = n < CHECK_ITEMS ? n + !n : CHECK_ITEMS;
    const struct gravel_argument bound[] = {GRAVEL_ARGUMENT(rows->n_words),
                                            GRAVEL_ARGUMENT(n_items)};
    GRAVEL_TRY(SET(runs, CHECK_INDICES, LAST_ARGUMENT, bound));
    return enqueue(runs, rows, CHECK_INDICES, n_items);
}

/* Work-items that apply a run. */
static uint32_t apply_items(const struct gravel_device_runs *runs, const struct run_rows *rows)
{
    uint32_t n = rows->run->n_messages, most = runs->device->units * APPLY_ITEMS_PER_UNIT;
    return n < most ? n + !n : most;
}

static int enqueue_each(const struct gravel_device_runs *runs, const struct run_rows *rows)
{
    uint32_t n_items = apply_items(runs, rows);
    const struct gravel_argument items[] = {GRAVEL_ARGUMENT(n_items)};
    GRAVEL_TRY(SET(runs, APPLY_EACH, LAST_ARGUMENT, items));
    return enqueue(runs, rows, APPLY_EACH, n_items);
}

static bool adds_to_few(const struct gravel_device_runs *runs, const struct run_rows *rows)
{
    uint32_t op = GRAVELP_COMMAND_OP(rows->kind), type = GRAVELP_COMMAND_TYPE(rows->kind);
    uint64_t n_groups = apply_items(runs, rows) / runs->group + 1;
    return (op == GRAVEL_INC || op == GRAVEL_ADD) && type <= GRAVEL_ULONG && !rows->is_wide &&
           rows->n_words - 1 < FEW_WORDS &&
           rows->run->n_messages >= FEW_SHARE * n_groups * rows->n_words;
}

static int enqueue_few(const struct gravel_device_runs *runs, const struct run_rows *rows)
{
    uint32_t n_items = apply_items(runs, rows), n_words = (uint32_t)rows->n_words;
    const struct gravel_argument words[] = {GRAVEL_ARGUMENT(n_items), GRAVEL_ARGUMENT(n_words),
                                            GRAVEL_ARGUMENT_LOCAL(2 * n_words)};
    GRAVEL_TRY(SET(runs, ADD_FEW, LAST_ARGUMENT, words));
    return enqueue(runs, rows, ADD_FEW, n_items);
}

static int enqueue_puts(const struct gravel_device_runs *runs, const struct run_rows *rows)
{
    const uint32_t n = rows->run->n_messages;
    uint64_t n_slots = slots_for(n);
    uint32_t mask = (uint32_t)(n_slots - 1);
    const struct gravel_argument table[] = {GRAVEL_ARGUMENT(runs->last), GRAVEL_ARGUMENT(mask)};
    GRAVEL_TRY(
        gravel_cl_buffer_zero(runs->queue, runs->last, 0, n_slots * sizeof(uint32_t), zeroing));
    GRAVEL_TRY(SET(runs, FIND_LAST, LAST_ARGUMENT, table));
    GRAVEL_TRY(SET(runs, STORE_LAST, LAST_ARGUMENT, table));
    GRAVEL_TRY(enqueue(runs, rows, FIND_LAST, n ? n : 1));
    return enqueue(runs, rows, STORE_LAST, n ? n : 1);
}

static int enqueue_given(const struct gravel_device_runs *runs, const struct run_rows *rows,
                         const void *frame, uint32_t bytes)
{
    struct gravelp_given given;
    const uint32_t n_words = bytes / 4;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(given), GRAVEL_ARGUMENT(n_words)};
    memcpy(&given, frame, bytes);
    memset((unsigned char *)&given + bytes, 0, sizeof given - bytes);
    GRAVEL_TRY(SET(runs, APPLY_GIVEN, LAST_ARGUMENT, arguments));
    return enqueue(runs, rows, APPLY_GIVEN, runs->group);
}

/* @param at  of the signal in the arena [bytes]. */
static int enqueue_signal(const struct gravel_device_runs *runs, uint64_t at, uint32_t n)
{
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(at), GRAVEL_ARGUMENT(n)};
    GRAVEL_TRY(SET(runs, RAISE_SIGNAL, 1, arguments));
    return enqueue_kernel(runs, RAISE_SIGNAL, 1);
}

int gravel_device_runs_warm_up(const struct gravel_device_runs *runs, cl_mem uploaded)
{
    const struct gravel_run nothing = {.command = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)};
    const struct run_rows rows = {.frame = uploaded,
                                  .run = &nothing,
                                  .kind = nothing.command,
                                  .refused = runs->passed,
                                  .n_words = 1};
    GRAVEL_TRY(enqueue(runs, &rows, APPLY_SERIALLY, 1));
    GRAVEL_TRY(enqueue_check(runs, &rows));
    if (!runs->is_serial)
        GRAVEL_TRY(enqueue_each(runs, &rows));
    if (!runs->is_serial)
        GRAVEL_TRY(enqueue_few(runs, &rows));
    if (!runs->is_serial)
        GRAVEL_TRY(enqueue_puts(runs, &rows));
    if (runs->takes_given)
        GRAVEL_TRY(enqueue_given(runs, &rows, &nothing, 0));
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

static struct run_rows find_rows(const struct gravel_device_runs *runs,
                                 const struct gravel_device_run *run)
{
    const uint32_t command = run->run->command;
    const uint32_t op = GRAVELP_COMMAND_OP(command), type = GRAVELP_COMMAND_TYPE(command);
    return (struct run_rows){
        .frame = run->frame,
        .run = run->run,
        .kind = op == GRAVEL_PUT_SIGNAL ? GRAVELP_COMMAND(GRAVEL_PUT, type)
                                        : command & ~(GRAVELP_COMMAND_WIDE | GRAVELP_COMMAND_FAR),
        .is_wide = command & GRAVELP_COMMAND_FAR    ? 2
                   : command & GRAVELP_COMMAND_WIDE ? 1
                                                    : 0,
        .base = run->heap_offset + run->run->base,
        .indices_at = run->indices_at,
        .values_at = run->values_at,
        .refused = run->refused ? run->refused : runs->passed,
        .record = run->record,
        .first = run->first,
        .n_words = run->n_words,
    };
}

int gravel_device_runs_check(const struct gravel_device_runs *runs,
                             const struct gravel_device_run *run)
{
    const struct run_rows rows = find_rows(runs, run);
    return enqueue_check(runs, &rows);
}

int gravel_device_runs_enqueue(const struct gravel_device_runs *runs,
                               const struct gravel_device_run *run)
{
    const struct run_rows rows = find_rows(runs, run);
    const struct gravel_signal_run *with_signal = (const void *)run->run;
    int code;
    if (must_be_serial(runs, run->run))
        code = enqueue(runs, &rows, APPLY_SERIALLY, 1);
    else if (GRAVELP_COMMAND_OP(rows.kind) == GRAVEL_PUT)
        code = enqueue_puts(runs, &rows);
    else
        code = (adds_to_few(runs, &rows) ? enqueue_few : enqueue_each)(runs, &rows);
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

int gravel_device_runs_give(const struct gravel_device_runs *runs,
                            const struct gravel_device_run *run, const void *frame,
                            uint32_t frame_bytes)
{
    const struct run_rows rows = find_rows(runs, run);
    return enqueue_given(runs, &rows, frame, frame_bytes);
}
