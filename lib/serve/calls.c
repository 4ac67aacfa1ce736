/* SPDX-License-Identifier: MIT */
/*
 * Runs handlers written in OpenCL C. See calls.h.
 */
#include "serve/calls.h"

#include "aggregate/aggregator.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/timeouts.h"
#include "device/device.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/region.h"
#include "opencl/wait.h"
#include "serve/servers.h"

#include <stdio.h>
#include <stdlib.h>

#define GROUP 256u            /* [work-items] wanted; kernels may support fewer */
#define MAX_UNDER_WAY 64u     /* runs enqueued and not yet waited for */
#define MESSAGES_A_SERVER 64u /* fewer are not worth another group, which reads all keys */

/* The first arguments of GRAVELP_CALL_RUN. */
enum { ARENA, FRAME };

/* A run under way. */
struct under_way {
    cl_event event;
    uint32_t handler;
};

struct gravel_device_calls {
    struct gravel_device_calls_shape shape;
    struct gravel_device device; /* that runs them */
    cl_program program;
    cl_kernel *kernels;                   /* [n_handlers] NULL: the host's */
    size_t items[GRAVEL_AM_MAX_KEYS + 1]; /* of a group, by the handler's number of keys */
    cl_command_queue queue;               /* steps svm and usm */
    /* [buffer_bytes] there: a run's arguments, shared with the device */
    struct gravel_region staged;
    uint64_t limit_ns; /* for a run: half of the time after which others miss us */
    struct under_way under_way[MAX_UNDER_WAY]; /* a ring, the oldest at `first` */
    uint32_t first, n_under_way;
    uint32_t n_keyed;
    /* of these, of handlers with keys; if there are any, the resolver has the lock */
    struct gravel_wait wait; /* for the oldest */
    bool is_stuck;           /* the oldest does not end */
};

static const struct gravel_handler *handler_of(const struct gravel_device_calls *calls,
                                               uint32_t handler)
{
    return &calls->shape.endpoints->handlers[handler];
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Makes the kernels of those handlers that the device runs. */
static int make_kernels(struct gravel_device_calls *calls)
{
    const uint32_t n = calls->shape.endpoints->n_handlers;
    char name[512];
    calls->kernels = calloc(n, sizeof(cl_kernel));
    if (!calls->kernels)
        return gravel_fail(GRAVEL_ENOMEM, "%u handlers' kernels", n);
    for (uint32_t i = 0; i < n; i++) {
        const struct gravel_handler *handler = handler_of(calls, i);
        cl_kernel *kernel = &calls->kernels[i];
        if (gravel_handler_is_host(handler))
            continue;
        snprintf(name, sizeof name, "gravel_call_%s", handler->name);
        GRAVEL_TRY(gravel_cl_kernel_create(&calls->device, calls->program, name,
                                           &calls->items[handler->serve.n_keys], kernel));
        GRAVEL_TRY(
            gravel_check_cl("a handler's arena: clSetKernelArg",
                            gravel_memory_set_argument(calls->shape.memory, *kernel, ARENA)));
    }
    return 0;
}

/* ---- the oldest run's limit --------------------------------------------------------------------- */

static cl_int oldest_status(const struct gravel_device_calls *calls)
{
    return gravel_cl_event_status(calls->under_way[calls->first].event);
}

static int fail_stuck(const struct gravel_device_calls *calls)
{
    uint32_t handler = calls->under_way[calls->first].handler;
    return gravel_fail(GRAVEL_EKERNEL,
                       "handler %s has not ended within %.1f s (half of GRAVEL_TIMEOUT)",
                       handler_of(calls, handler)->name, gravel_seconds(calls->limit_ns));
}

/*
 * The oldest run has not ended. Its time counts from when it may run: at once on svm, usm and pump, for nothing keeps
 * it out; on drain when no slice of the caller's has the device to itself, or when it runs, which NVIDIA's driver does
 * not say.
 */
static int check_oldest(void *context, struct gravel_wait *wait)
{
    struct gravel_device_calls *calls = context;
    if (calls->shape.is_kept(calls->shape.context) && oldest_status(calls) != CL_RUNNING)
        return 0;
    wait->waited.lived.step_ns = calls->limit_ns / GRAVEL_LIVED_STEPS;
    calls->is_stuck = gravel_lived_tick(&wait->waited.lived, gravel_clock_ns()) > calls->limit_ns;
    return calls->is_stuck ? fail_stuck(calls) : 0;
}

static void begin_wait(struct gravel_device_calls *calls)
{
    calls->wait = (struct gravel_wait){.limit = {.check = check_oldest, .context = calls}};
}

/* ---- create and destroy ---------------------------------------------------------------------- */

/* Steps svm and usm: a queue of our own, and room that the device addresses. */
static int make_queue(struct gravel_device_calls *calls)
{
    const struct gravel_device *device = &calls->device;
    GRAVEL_TRY(gravel_cl_queue_create(device, "handlers", &calls->queue));
    GRAVEL_TRY(gravel_region_create(&calls->staged, device, NULL, "handlers",
                                    calls->shape.config->buffer_bytes));
    GRAVEL_TRY(gravel_device_calls_warm_up(calls, calls->queue, NULL));
    return gravel_wait_queue(device, calls->queue, "first use of handlers");
}

/* Builds the program of the handlers. */
static int build(struct gravel_device_calls *calls)
{
    const struct gravel_device_calls_shape *shape = &calls->shape;
    const struct gravel_device_code *own = &shape->bindings->device_code;
    char *trailer = gravel_handlers_trailer(shape->endpoints);
    struct gravel_endpoints known = *shape->endpoints;
    known.n_streams = 0; /* handlers append nothing */
    const struct gravel_program_request request = {
        .name = own->name ? own->name : "device_code",
        .source = own->source,
        .trailer = trailer,
        .options = own->options,
        .extra_options = shape->config->build_options,
        .endpoints = &known,
        .is_checked = shape->config->check,
    };
    int code = trailer ? gravel_device_build(&calls->device, &request, &calls->program)
                       : gravel_fail(GRAVEL_ENOMEM, "text of the handlers' kernels");
    free(trailer);
    return code;
}

int gravel_device_calls_create(struct gravel_device_calls **out,
                               const struct gravel_device_calls_shape *shape)
{
    *out = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape->endpoints->n_handlers; i++)
        n += !gravel_handler_is_host(&shape->endpoints->handlers[i]);
    if (n == 0)
        return 0;
    struct gravel_device_calls *calls = calloc(1, sizeof *calls);
    if (!calls)
        return gravel_fail(GRAVEL_ENOMEM, "handlers of the device");
    calls->shape = *shape;
    calls->device = gravel_device_of_handlers(shape->device);
    calls->items[0] = GROUP;
    calls->items[1] = shape->config->server_items;
    calls->items[2] = gravel_servers_pair_items(shape->config->server_items);
    calls->limit_ns = gravel_limit_ns(GRAVEL_LIMIT_HANDLER, shape->config->timeout_ms);
    begin_wait(calls);
    int code = build(calls);
    if (!code)
        code = make_kernels(calls);
    if (!code && !shape->memory->region.buffer)
        code = make_queue(calls);
    if (code)
        gravel_device_calls_destroy(calls);
    else
        *out = calls;
    return code;
}

void gravel_device_calls_destroy(struct gravel_device_calls *calls)
{
    if (!calls)
        return;
    gravel_device_calls_wait(calls);
    if (!gravel_wait_is_done(&calls->device, calls->queue, "the last handlers"))
        return; /* it may still run, with all this */
    gravel_region_destroy(&calls->staged);
    for (uint32_t i = 0; calls->kernels && i < calls->shape.endpoints->n_handlers; i++)
        gravel_cl_kernel_release(calls->kernels[i]);
    gravel_cl_queue_release(calls->queue);
    gravel_cl_program_release(calls->program);
    free(calls->kernels);
    free(calls);
}

/* ---- enqueue --------------------------------------------------------------------------------- */

/* Where a run is, and the queue that executes it. */
struct call_target {
    cl_command_queue queue;
    cl_mem uploaded; /* the frame; NULL: `staged` has the run */
    uint32_t start;  /* of the run there [bytes] */
    uint64_t heap;   /* offset in the arena [bytes] */
};

/*
 * Enqueues a run's kernel for n_items messages. A handler without a key takes a work-item a message. One with a key is
 * served by at most n_servers groups, fewer if there are few messages: a run is alone, so that the groups of one need
 * not own what those of another did. One with two keys is served by one group.
 */
static cl_int enqueue(const struct gravel_device_calls *calls, uint32_t handler,
                      const struct call_target *target, const struct gravel_frame *frame,
                      const struct gravel_run *run, uint32_t n_items, cl_event *event)
{
    const uint32_t command = run->command, n_keys = handler_of(calls, handler)->serve.n_keys;
    const uint32_t most = n_keys == 2 ? 1 : calls->shape.config->n_servers;
    const uint64_t n = run->n_messages;
    const size_t group = calls->items[n_keys], n_servers = n_items / MESSAGES_A_SERVER + 1;
    const size_t n_keyed = (n_servers < most ? n_servers : most) * group;
    const uint32_t rows_at = target->start + (uint32_t)GRAVEL_RUN_VALUES(command, n, 0);
    const uint32_t answers_at =
        GRAVELP_IS_REQUEST(command)
            ? target->start + (uint32_t)GRAVEL_RUN_VALUES(command, n, GRAVELP_ANSWER_ROW(command))
            : GRAVELP_NO_ANSWERS;
    const struct gravel_argument uploaded = GRAVEL_ARGUMENT(target->uploaded);
    const struct gravel_argument staged = GRAVEL_ARGUMENT_SHARED(calls->staged.shared);
    const struct gravel_argument arguments[] = {
        target->uploaded ? uploaded : staged, GRAVEL_ARGUMENT(rows_at),
        GRAVEL_ARGUMENT(answers_at),          GRAVEL_ARGUMENT(run->n_messages),
        GRAVEL_ARGUMENT(frame->source),       GRAVEL_ARGUMENT(frame->destination),
        GRAVEL_ARGUMENT(target->heap),
    };
    const cl_int error =
        GRAVEL_CL_KERNEL_SET(&calls->device, calls->kernels[handler], FRAME, arguments);
    return error == CL_SUCCESS ? gravel_cl_kernel_enqueue(target->queue, calls->kernels[handler],
                                                          n_keys ? n_keyed : n_items, group, event)
                               : error;
}

int gravel_device_calls_warm_up(const struct gravel_device_calls *calls, cl_command_queue queue,
                                cl_mem uploaded)
{
    const struct call_target target = {.queue = queue, .uploaded = uploaded};
    const struct gravel_frame frame = {.source = 0};
    const struct gravel_run none = {.n_messages = 0};
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; calls && i < calls->shape.endpoints->n_handlers && error == CL_SUCCESS;
         i++) {
        if (!calls->kernels[i])
            continue;
        error = enqueue(calls, i, &target, &frame, &none, 1, NULL);
        if (error == CL_SUCCESS && !handler_of(calls, i)->serve.n_keys)
            error = enqueue(calls, i, &target, &frame, &none, (uint32_t)calls->items[0], NULL);
    }
    return gravel_check_cl("first use of handlers", error);
}

/* Keeps the lock for a run of a handler with a key, unless another thread wants it, or takes it. */
static int take_lock(struct gravel_device_calls *calls)
{
    struct gravel_key_lock *lock = calls->shape.keys;
    if (calls->n_keyed &&
        atomic_load_explicit(&lock->is_wanted[GRAVEL_KEYS_LAUNCH], memory_order_relaxed)) /* H9 */
        GRAVEL_TRY(gravel_device_calls_wait(calls)); /* releases it */
    if (calls->n_keyed)
        return 0;
    return gravel_key_lock_take(lock, GRAVEL_KEYS_RESOLVER, calls->device.limit);
}

/* Releases the lock if no run of a handler with a key is left. */
static void release_lock(struct gravel_device_calls *calls)
{
    if (calls->n_keyed == 0)
        gravel_key_lock_release(calls->shape.keys);
}

/* Adds a kernel to the runs under way, if it was enqueued. @param event  NULL: one behind what the queue has. */
static int follow(struct gravel_device_calls *calls, uint32_t handler, cl_command_queue queue,
                  cl_int error, cl_event event)
{
    struct under_way *run = &calls->under_way[(calls->first + calls->n_under_way) % MAX_UNDER_WAY];
    const char *what = "clEnqueueNDRangeKernel";
    if (error == CL_SUCCESS && !event)
        error = gravel_wait_mark(&calls->device, queue, &event);
    if (error == CL_SUCCESS) {
        *run = (struct under_way){event, handler};
        calls->n_under_way++;
        calls->n_keyed += handler_of(calls, handler)->serve.n_keys != 0;
        error = clFlush(queue);
        what = "clFlush";
    }
    return error == CL_SUCCESS
               ? 0
               : gravel_fail(GRAVEL_ECL, "handler %s: %s: %s", handler_of(calls, handler)->name,
                             what, gravel_cl_error(error));
}

static int start(struct gravel_device_calls *calls, const struct call_target *target,
                 const struct gravel_frame *frame, const struct gravel_run *run)
{
    const uint32_t handler = GRAVELP_COMMAND_HANDLER(run->command);
    const bool has_key = handler_of(calls, handler)->serve.n_keys;
    if (calls->is_stuck || calls->n_under_way == MAX_UNDER_WAY)
        GRAVEL_TRY(gravel_device_calls_wait(calls));
    if (has_key)
        GRAVEL_TRY(take_lock(calls));
    const bool by_copy = gravel_step_is_pumped(calls->device.step); /* see gravel_wait_mark */
    cl_event event = NULL;
    cl_int error =
        enqueue(calls, handler, target, frame, run, run->n_messages, by_copy ? NULL : &event);
    int code = follow(calls, handler, target->queue, error, event);
    if (code && has_key)
        release_lock(calls);
    return code;
}

/* ---- runs ------------------------------------------------------------------------------------ */

bool gravel_device_calls_can_take(const struct gravel_device_calls *calls,
                                  const struct gravel_run *run)
{
    return calls && GRAVELP_IS_CALL(run->command) &&
           calls->kernels[GRAVELP_COMMAND_HANDLER(run->command)];
}

int gravel_device_calls_enqueue(struct gravel_device_calls *calls, cl_command_queue queue,
                                cl_mem uploaded, const struct gravel_frame *frame,
                                const struct gravel_run *run, uint64_t heap_offset)
{
    const uint32_t at = (uint32_t)((const char *)run - (const char *)frame);
    const struct call_target target = {queue, uploaded, at, heap_offset};
    return start(calls, &target, frame, run);
}

int gravel_device_calls_run(struct gravel_device_calls *calls, const struct gravel_frame *frame,
                            struct gravel_run *run, uint32_t heap)
{
    const uint64_t n = run->n_messages, bytes = GRAVEL_RUN_BYTES(run->command, n);
    const struct call_target target = {
        .queue = calls->queue, .heap = gravel_memory_heap_offset(calls->shape.memory, heap)};
    if (!calls->is_stuck)
        gravel_region_write(&calls->staged, 0, run, bytes);
    GRAVEL_TRY(start(calls, &target, frame, run));
    GRAVEL_TRY(gravel_device_calls_wait(calls));
    if (!GRAVELP_IS_REQUEST(run->command))
        return 0;
    const uint64_t at = GRAVEL_RUN_VALUES(run->command, n, GRAVELP_ANSWER_ROW(run->command));
    return gravel_region_read(&calls->staged, at, (char *)run + at, bytes - at);
}

/* ---- wait ------------------------------------------------------------------------------------ */

bool gravel_device_calls_are_stuck(const struct gravel_device_calls *calls)
{
    return calls && calls->is_stuck;
}

/* Reports, in checked mode, that handlers that have ended asked for an element outside (gravel_call_at). */
static int report_fault(const struct gravel_memory *memory)
{
    struct gravelp_arena seen;
    char text[GRAVEL_ERROR_BYTES];
    if (!memory->arena->bounds_offset)
        return 0;
    int code = gravel_region_read(&memory->region, 0, &seen, sizeof seen);
    if (code || seen.fault == GRAVELP_FAULT_NONE)
        return code;
    gravel_fault_describe(&seen, seen.fault, text, sizeof text);
    return gravel_fail(GRAVEL_EKERNEL, "%s", text);
}

/* Forgets the oldest run, which has ended. */
static int take_off(struct gravel_device_calls *calls, cl_int status)
{
    const struct under_way run = calls->under_way[calls->first];
    cl_int error = clWaitForEvents(1, &run.event); /* returns at once; orders what the run stored */
    clReleaseEvent(run.event);
    calls->first = (calls->first + 1) % MAX_UNDER_WAY;
    calls->n_under_way--;
    begin_wait(calls);
    if (handler_of(calls, run.handler)->serve.n_keys && --calls->n_keyed == 0)
        release_lock(calls);
    if (error == CL_SUCCESS)
        return report_fault(calls->shape.memory);
    return gravel_fail(GRAVEL_ECL, "handler %s ended with an error: %s",
                       handler_of(calls, run.handler)->name,
                       gravel_cl_error(status < 0 ? status : error));
}

int gravel_device_calls_poll(struct gravel_device_calls *calls)
{
    int code = 0;
    while (calls && !calls->is_stuck && !code && calls->n_under_way) {
        cl_int status = oldest_status(calls);
        if (status > CL_COMPLETE)
            return gravel_wait_check(&calls->wait);
        code = take_off(calls, status);
    }
    return code;
}

int gravel_device_calls_wait(struct gravel_device_calls *calls)
{
    int code = 0;
    if (gravel_device_calls_are_stuck(calls))
        return fail_stuck(calls);
    while (calls && calls->n_under_way && !calls->is_stuck) {
        cl_int status;
        int one = 0;
        while (!one && (status = oldest_status(calls)) > CL_COMPLETE)
            one = gravel_wait_pause(&calls->wait);
        if (!one)
            one = take_off(calls, status);
        code = gravel_first_failure(code, one);
    }
    return code;
}
