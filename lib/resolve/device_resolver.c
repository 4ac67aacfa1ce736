/* SPDX-License-Identifier: MIT */
/*
 * Uploads a frame, enqueues its runs and waits. See device_resolver.h.
 *
 * A frame is one upload, from pinned memory. Everything goes to one in-order queue of the
 * resolver's own, so that nothing waits behind the caller's kernels.
 */
#include "device_resolver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device_runs.h"
#include "error.h"

struct gravel_device_resolver {
    struct gravel_device_runs runs;
    uint64_t max_frame_bytes;
    cl_command_queue queue;
    cl_mem staging; /* [max_frame_bytes] pinned, mapped all the time at `staged` */
    void *staged;
};

/* A frame that is being applied. */
struct pass {
    struct gravel_device_resolver *resolver;
    const struct gravel_apply *apply;
    const struct gravel_frame *frame;
    uint64_t heap_offset;
    bool is_uploaded; /* nothing is enqueued before */
};

static int make_queue(struct gravel_device_resolver *resolver, const struct gravel_device *device)
{
    cl_int error;
    resolver->queue = clCreateCommandQueueWithProperties(device->context, device->id, NULL, &error);
    if (resolver->queue)
        return 0;
    return gravel_fail_cl("resolver: clCreateCommandQueueWithProperties", error);
}

static int make_staging(struct gravel_device_resolver *resolver, const struct gravel_device *device)
{
    cl_int error;
    uint64_t bytes = resolver->max_frame_bytes;
    resolver->staging = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                       bytes, NULL, &error);
    if (!resolver->staging)
        return gravel_fail_cl("resolver: clCreateBuffer", error);
    resolver->staged =
        clEnqueueMapBuffer(resolver->queue, resolver->staging, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                           0, bytes, 0, NULL, NULL, &error);
    return resolver->staged ? 0 : gravel_fail_cl("resolver: clEnqueueMapBuffer", error);
}

int gravel_device_resolver_create(struct gravel_device_resolver **out,
                                  const struct gravel_device *device, cl_mem arena,
                                  uint64_t max_frame_bytes)
{
    *out = NULL;
    struct gravel_device_resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver)
        return gravel_fail(GRAVEL_ENOMEM, "device resolver");
    resolver->max_frame_bytes = max_frame_bytes;
    int code = make_queue(resolver, device);
    if (!code)
        code = make_staging(resolver, device);
    if (!code)
        code = gravel_device_runs_create(&resolver->runs, device, resolver->queue, arena,
                                         max_frame_bytes);
    if (code) {
        gravel_device_resolver_destroy(resolver);
        return code;
    }
    *out = resolver;
    return 0;
}

void gravel_device_resolver_destroy(struct gravel_device_resolver *resolver)
{
    if (!resolver)
        return;
    if (resolver->staged)
        clEnqueueUnmapMemObject(resolver->queue, resolver->staging, resolver->staged, 0, NULL,
                                NULL);
    if (resolver->queue)
        clFinish(resolver->queue);
    gravel_device_runs_destroy(&resolver->runs);
    if (resolver->staging)
        clReleaseMemObject(resolver->staging);
    if (resolver->queue)
        clReleaseCommandQueue(resolver->queue);
    free(resolver);
}

static int upload(struct pass *pass)
{
    const struct gravel_device_resolver *resolver = pass->resolver;
    memcpy(resolver->staged, pass->frame, pass->frame->bytes);
    pass->is_uploaded = true;
    cl_int error = clEnqueueWriteBuffer(resolver->queue, resolver->runs.frame, CL_FALSE, 0,
                                        pass->frame->bytes, resolver->staged, 0, NULL, NULL);
    return error == CL_SUCCESS ? 0 : gravel_fail_cl("resolver: clEnqueueWriteBuffer", error);
}

/* Wait until all that was enqueued is done; `staged` is free then. */
static int finish(const struct pass *pass)
{
    cl_int error = pass->is_uploaded ? clFinish(pass->resolver->queue) : CL_SUCCESS;
    return error == CL_SUCCESS ? 0 : gravel_fail_cl("resolver: clFinish", error);
}

static int apply_words(struct pass *pass, const struct gravel_run *run)
{
    int code = pass->is_uploaded ? 0 : upload(pass);
    if (code)
        return code;
    return gravel_device_runs_enqueue(&pass->resolver->runs, pass->frame, run, pass->heap_offset);
}

/* Active messages: as a frame of this run alone, which apply.c can do. */
static int apply_calls(const struct pass *pass, const struct gravel_run *run,
                       struct gravel_applied *applied)
{
    int code = finish(pass);
    if (code)
        return code;
    uint64_t run_bytes = GRAVEL_RUN_BYTES(run->command, run->n_messages);
    struct gravel_frame *alone = pass->resolver->staged;
    struct gravel_applied calls;
    const struct gravel_apply apply = {
        .shard = {0, 1}, .call = pass->apply->call, .context = pass->apply->context};
    *alone = *pass->frame;
    alone->bytes = (uint32_t)(sizeof *alone + run_bytes);
    memcpy(alone + 1, run, run_bytes);
    gravel_apply_frame(&apply, alone, &calls);
    if (!applied->n_failed) {
        applied->result = calls.result;
        applied->handler = calls.handler;
    }
    applied->n_failed += calls.n_failed;
    return 0;
}

int gravel_device_resolver_apply(struct gravel_device_resolver *resolver,
                                 const struct gravel_apply *apply, uint64_t heap_offset,
                                 const void *frame, struct gravel_applied *applied)
{
    struct pass pass = {resolver, apply, frame, heap_offset, false};
    int code = 0;
    assert(heap_offset % 8 == 0);
    *applied = (struct gravel_applied){0};
    if (pass.frame->bytes > resolver->max_frame_bytes)
        return gravel_fail(GRAVEL_EINVAL, "frame of %u bytes, the device resolver takes %llu",
                           pass.frame->bytes, (unsigned long long)resolver->max_frame_bytes);
    for (uint64_t at = sizeof *pass.frame; !code && at < pass.frame->bytes;) {
        const struct gravel_run *run = (const void *)((const char *)frame + at);
        code = GRAVEL_COMMAND_OP(run->command) == GRAVEL_AM ? apply_calls(&pass, run, applied)
                                                            : apply_words(&pass, run);
        applied->n_messages += code ? 0 : run->n_messages;
        at += GRAVEL_RUN_BYTES(run->command, (gravel_u64)run->n_messages);
    }
    int ended = finish(&pass);
    return code ? code : ended;
}
