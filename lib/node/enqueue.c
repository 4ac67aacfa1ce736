/* SPDX-License-Identifier: MIT */
/*
 * The door to the caller's command queue. See enqueue.h.
 *
 * A driver's pool of private memory grows only when no kernel runs: opencl/objects.h says why. The lock is held while a
 * kernel waits for that, so that no other launch begins in between.
 */
#include "node/enqueue.h"

#include "opencl/objects.h"
#include "opencl/wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Keeps the pump awake, for which the commands may wait. */
int gravel_node_wait_until_idle(struct gravel *gravel, const char *what)
{
    struct gravel_device device = gravel->device;
    cl_event all = NULL;
    cl_int error = gravel_wait_mark(&device, device.queue, &all);
    if (gravel->pump && error == CL_SUCCESS)
        gravel_pump_watch(gravel->pump, all);
    device.limit = gravel_node_kernel_limit(gravel);
    return gravel_wait_command(&device, device.queue, error, all, what);
}

static const char locked[] = "another launch, whose kernel waits for the device";

int gravel_node_hold_launches(struct gravel *gravel, const char *what)
{
    struct gravel_private *pool = &gravel->private_memory;
    if (!pool->is_pooled)
        return 0;
    GRAVEL_TRY(gravel_node_lock(gravel, &pool->lock, locked));
    int code = gravel_node_wait_until_idle(gravel, what);
    if (code)
        pthread_mutex_unlock(&pool->lock);
    return code;
}

void gravel_node_let_launches(struct gravel *gravel)
{
    if (gravel->private_memory.is_pooled)
        pthread_mutex_unlock(&gravel->private_memory.lock);
}

/* Lists what the kernel takes, "0 gravel_arena_, 1 table"; which of them is not set no driver says. */
static int fail_arguments(const struct gravel_command *command, const char *name, cl_int error)
{
    char list[512] = "";
    cl_uint n = 0;
    clGetKernelInfo(command->kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
    for (cl_uint i = 0; i < n; i++) {
        char taken[128] = "";
        clGetKernelArgInfo(command->kernel, i, CL_KERNEL_ARG_NAME, sizeof taken - 1, taken, NULL);
        gravel_append(list, sizeof list, "%s%u %s%s", i ? ", " : "", i, taken,
                      strcmp(taken, "gravel_arena_") ? "" : " by gravel_kernel_set_arena");
    }
    return gravel_fail(GRAVEL_ECL, "%s: kernel %s: an argument is not set; it takes %s: %s (%d)",
                       command->call, name, list, gravel_cl_error(error), (int)error);
}

static int enqueue(struct gravel *gravel, const struct gravel_command *command, cl_event *event)
{
    char name[GRAVEL_KERNEL_NAME_BYTES], what[256];
    cl_int error =
        clEnqueueNDRangeKernel(gravel->device.queue, command->kernel, command->n_dimensions,
                               command->offset, command->global, command->local, command->n_wait,
                               command->n_wait ? command->wait : NULL, event);
    if (error == CL_SUCCESS)
        return 0;
    *event = NULL;
    gravel_cl_kernel_name(command->kernel, name);
    if (error == CL_INVALID_WORK_GROUP_SIZE) /* what node/sizes.c cannot know */
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: the device does not run kernel %s in groups of this size "
                           "(CL_INVALID_WORK_GROUP_SIZE)",
                           command->call, name);
    if (error == CL_INVALID_KERNEL_ARGS)
        return fail_arguments(command, name, error);
    snprintf(what, sizeof what, "%s: kernel %s: clEnqueueNDRangeKernel", command->call, name);
    return gravel_fail_cl(what, error);
}

/* Enqueues a kernel where there is a pool: alone on the device, if it needs more than the pool has. */
static int enqueue_pooled(struct gravel *gravel, const struct gravel_command *command,
                          cl_event *event)
{
    struct gravel_private *pool = &gravel->private_memory;
    const uint64_t bytes = gravel_private_bytes(&gravel->device, command->kernel);
    GRAVEL_TRY(gravel_node_lock(gravel, &pool->lock, locked));
    const bool grows = bytes > pool->bytes;
    int code =
        grows ? gravel_node_wait_until_idle(gravel, "before one that needs more private memory")
              : 0;
    if (!code)
        code = enqueue(gravel, command, event);
    if (!code && grows) {
        clFlush(
            gravel->device.queue); /* early; what enqueued it flushes again, and gets the error */
        pool->bytes = bytes;
    }
    pthread_mutex_unlock(&pool->lock);
    return code;
}

int gravel_node_enqueue(struct gravel *gravel, const struct gravel_command *command,
                        cl_event *event)
{
    *event = NULL;
    if (command->is_remembered)
        GRAVEL_TRY(gravel_launches_reserve(&gravel->launches));
    int code =
        (gravel->private_memory.is_pooled ? enqueue_pooled : enqueue)(gravel, command, event);
    if (command->is_remembered)
        gravel_launches_fill(&gravel->launches, command->kernel, *event);
    return code;
}

/* ---- more than any kernel has needed ------------------------------------------------------------- */

/* Makes a kernel that needs so much private memory and does nothing: an array whose indices only the arguments say
 * stays in memory; n is 0, so none of it is touched. */
static int make_kernel(const struct gravel_device *device, uint64_t bytes, cl_kernel *kernel)
{
    const cl_uint none = 0;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(device->probe_word),
                                                GRAVEL_ARGUMENT(none)};
    const uint64_t n_words = (bytes + 255) / 256 * 64;
    char text[512], name[48];
    const struct gravel_program_request request = {.name = "private memory", .source = text};
    cl_program program;
    snprintf(name, sizeof name, "gravelp_private_%" PRIu64, 4 * n_words);
    snprintf(text, sizeof text,
             "kernel void %s(global uint *out, uint n)\n"
             "{\n"
             "    uint words[%" PRIu64 "], at = n;\n"
             "    for (uint i = 0; i < n; i++)\n"
             "        words[(at = at * 1664525u + i) %% %" PRIu64 "u] = i;\n"
             "    for (uint i = 0; i < n; i++)\n"
             "        at += words[at %% %" PRIu64 "u];\n"
             "    if (n)\n"
             "        out[0] = at;\n"
             "}\n",
             name, n_words, n_words, n_words);
    *kernel = NULL;
    GRAVEL_TRY(gravel_device_build(device, &request, &program));
    int code = gravel_cl_kernel_create(device, program, name, NULL, kernel);
    clReleaseProgram(program); /* the kernel keeps it */
    GRAVEL_TRY(code);
    return gravel_check_cl("private memory: clSetKernelArg",
                           GRAVEL_CL_KERNEL_SET(device, *kernel, 0, arguments));
}

/* Runs a kernel on all of the device, so that a driver that counts groups makes its pool as large as for any kernel. */
static int run_alone(struct gravel *gravel, cl_kernel kernel)
{
    const size_t local = 64, global = local * gravel->device.units;
    const struct gravel_command command = {.call = "private memory",
                                           .kernel = kernel,
                                           .n_dimensions = 1,
                                           .global = &global,
                                           .local = &local};
    cl_event end;
    GRAVEL_TRY(gravel_node_enqueue(gravel, &command, &end));
    int code =
        gravel_wait_event(&gravel->device, end, "private memory: a kernel that does nothing");
    clReleaseEvent(end);
    return code;
}

void gravel_node_provide_private(struct gravel *gravel, uint64_t bytes)
{
    struct gravel_private *pool = &gravel->private_memory;
    const uint64_t wanted = atomic_load_explicit(&pool->wanted, memory_order_relaxed); /* a hint */
    cl_kernel kernel;
    bytes = bytes > wanted ? bytes : wanted;
    if (!pool->is_pooled || gravel_node_lock(gravel, &pool->lock, locked))
        return; /* without the lock: no kernel runs again */
    const bool is_enough = bytes <= pool->bytes;
    pthread_mutex_unlock(&pool->lock);
    if (is_enough)
        return;
    int code = make_kernel(&gravel->device, bytes, &kernel);
    if (!code)
        code = run_alone(gravel, kernel);
    gravel_cl_kernel_release(kernel);
    if (code)
        gravel_log(gravel, "no private memory of %" PRIu64 " bytes a work-item: %s", bytes,
                   gravel_last_error());
}
