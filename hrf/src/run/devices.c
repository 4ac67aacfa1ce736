/* SPDX-License-Identifier: MIT */
/*
 * Playing programs on a device. See devices.h.
 *
 * On a CPU two groups walk the instances side by side, one instance at a time: groups of many work-items would play one
 * role of all of them before the next role begins. On a GPU as many groups as fit play, and an eighth more make noise.
 * Where the host plays too (host.c), all walk side by side, on memory that it shares with the device.
 */
#include "run/devices.h"

#include "gravel/gravel.h"
#include "run/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GPU_INSTANCES (1u << 22) /* of a launch */
#define CPU_INSTANCES (1u << 18)
#define HOST_INSTANCES (1u << 14) /* where the host plays too */
#define LAUNCHES_A_LOOK 4u
#define JUDGES 64u /* of a group */

struct devices {
    cl_device_id device;
    bool shares_memory; /* with the host: a node takes step svm */
    bool is_cpu;
    cl_uint n_units;
    cl_context context;
    cl_command_queue queue;
};

/* Words of the device; the first three are shared with a host that plays. */
enum words { WORDS, RESULTS, MEETING, MARKS, NOISE, BINS, COUNTS, N_WORDS };

struct buffer {
    size_t bytes;
    cl_mem memory;
    cl_uint *shared; /* their address, or NULL */
};

/* What one program needs. */
struct play {
    struct devices *devices;
    const struct hrf_program *litmus;
    const struct shape *shape;
    cl_program program;
    cl_kernel clear, run, judge;
    struct buffer buffers[N_WORDS];
    cl_uint n_players, n_groups, rounds, each, n_instances, n, group_items;
};

static int fail_cl(char *why, unsigned n_bytes, const char *what, cl_int error)
{
    snprintf(why, n_bytes, "%s: OpenCL error %d", what, error);
    return -1;
}

/* Opens and closes a node, which says what device and step it took. Returns 0 or a code of Gravel. */
static int choose_device(struct devices *devices, const char *name)
{
    struct gravel_config config;
    struct gravel *node;
    int code = gravel_config_load(&config, sizeof config);
    if (!code && name)
        code = gravel_config_set(&config, "device", name);
    if (code)
        return code;
    config.heap_bytes = 1 << 20;
    config.host_cores = 0; /* the whole device */
    config.stats = false;
    strcpy(config.transport, "self");
    strcpy(config.log, "0");
    strcpy(config.trace, "");
    code = gravel_open(&node, &config, NULL);
    if (code)
        return code;
    devices->device = gravel_cl_device(node);
    devices->shares_memory = !strcmp(gravel_step(node), "svm");
    return gravel_close(node);
}

int devices_open(const struct devices_wish *wish, struct devices **out, char *why, unsigned n_bytes)
{
    struct devices *devices = calloc(1, sizeof *devices);
    cl_device_type type = 0;
    cl_int error = CL_SUCCESS;
    *out = NULL;
    if (!devices || choose_device(devices, wish->name)) {
        snprintf(why, n_bytes, "%s", devices ? gravel_last_error() : "out of memory");
        free(devices);
        return -1;
    }
    clGetDeviceInfo(devices->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(devices->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof devices->n_units,
                    &devices->n_units, NULL);
    devices->is_cpu = type & CL_DEVICE_TYPE_CPU;
    devices->context = clCreateContext(NULL, 1, &devices->device, NULL, NULL, &error);
    if (!error)
        devices->queue =
            clCreateCommandQueueWithProperties(devices->context, devices->device, NULL, &error);
    if (error) {
        devices_close(devices);
        return fail_cl(why, n_bytes, "a context and queue of the device", error);
    }
    *out = devices;
    return 0;
}
void devices_close(struct devices *devices)
{
    if (!devices)
        return;
    if (devices->queue)
        clReleaseCommandQueue(devices->queue);
    if (devices->context)
        clReleaseContext(devices->context);
    free(devices);
}

/* ---- one program ----------------------------------------------------------------------------- */

/* Compiles by the newest language that the device's compiler takes. */
static cl_int compile(struct play *play)
{
    static const char *const standards[] = {"-cl-std=CL3.0", "-cl-std=CL2.0"};
    cl_int error = CL_BUILD_PROGRAM_FAILURE;
    for (unsigned s = 0; error && s < sizeof standards / sizeof *standards; s++)
        error = clBuildProgram(play->program, 1, &play->devices->device, standards[s], NULL, NULL);
    return error;
}

static int build(struct play *play, const char *source, char *why, unsigned n_bytes)
{
    cl_int error;
    char log[400] = "";
    play->program = clCreateProgramWithSource(play->devices->context, 1, &source, NULL, &error);
    if (error)
        return fail_cl(why, n_bytes, "clCreateProgramWithSource", error);
    if (compile(play)) {
        clGetProgramBuildInfo(play->program, play->devices->device, CL_PROGRAM_BUILD_LOG,
                              sizeof log - 1, log, NULL);
        snprintf(why, n_bytes, "the device's compiler refuses the program: %.300s", log);
        return -1;
    }
    play->clear = clCreateKernel(play->program, "clear_words", &error);
    if (!error)
        play->run = clCreateKernel(play->program, "play", &error);
    if (!error)
        play->judge = clCreateKernel(play->program, "judge_instances", &error);
    return error ? fail_cl(why, n_bytes, "clCreateKernel", error) : 0;
}

/* Chooses groups, rounds and instances that suit the device, and the host if it plays. */
static void choose_size(struct play *play)
{
    const struct devices *devices = play->devices;
    const struct shape *shape = play->shape;
    const bool is_narrow = devices->is_cpu || shape->n_host;
    const uint32_t unit = shape->n_groups * shape->n_groups;
    const uint32_t instances = shape->n_host     ? HOST_INSTANCES
                               : devices->is_cpu ? CPU_INSTANCES
                                                 : GPU_INSTANCES;
    play->each = is_narrow ? 1 : KERNEL_MOST_EACH / shape->n_roles;
    play->n_players = is_narrow ? shape->n_groups : (4 * devices->n_units + unit - 1) / unit * unit;
    play->n_groups = is_narrow ? play->n_players : play->n_players + play->n_players / 8 + 1;
    play->rounds = instances / (play->n_players * play->each) + 1;
    play->n_instances = play->rounds * play->n_players * play->each;
    play->group_items = play->each * shape->n_roles;
    for (play->n = 1; play->n < play->n_instances;)
        play->n *= 2;
}

/* Makes a buffer, of memory of clSVMAlloc if it is shared, so that kernels need not know. */
static cl_int make_buffer(struct play *play, bool is_shared, struct buffer *buffer)
{
    cl_context context = play->devices->context;
    cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    cl_device_svm_capabilities svm = 0;
    cl_int error = CL_SUCCESS;
    clGetDeviceInfo(play->devices->device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    if (svm & CL_DEVICE_SVM_ATOMICS)
        flags |= CL_MEM_SVM_ATOMICS;
    if (is_shared && !(buffer->shared = clSVMAlloc(context, flags, buffer->bytes, 0)))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    buffer->memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | (is_shared ? CL_MEM_USE_HOST_PTR : 0),
                       buffer->bytes, buffer->shared, &error);
    return error;
}

static int make_buffers(struct play *play, char *why, unsigned n_bytes)
{
    const struct shape *shape = play->shape;
    const size_t n = play->n, n_locations = play->litmus->n_locations;
    const size_t n_words[] = {[WORDS] = n * (n_locations + !n_locations),
                              [RESULTS] = n * (shape->n_watched + shape->n_host + 1),
                              [MEETING] = (size_t)KERNEL_MEETING_STRIDE * (shape->n_host + 1),
                              [MARKS] = n,
                              [NOISE] = KERNEL_NOISE_WORDS,
                              [BINS] = SHAPE_BINS,
                              [COUNTS] = KERNEL_N_COUNTS};
    cl_int error = CL_SUCCESS;
    for (int b = 0; b < N_WORDS && !error; b++) {
        play->buffers[b].bytes = n_words[b] * sizeof(cl_uint);
        error = make_buffer(play, shape->n_host && b <= MEETING, &play->buffers[b]);
    }
    return error ? fail_cl(why, n_bytes, "buffers of the instances", error) : 0;
}

static cl_int set_zero(struct play *play, enum words words)
{
    const cl_uint zero = 0;
    return clEnqueueFillBuffer(play->devices->queue, play->buffers[words].memory, &zero,
                               sizeof zero, 0, play->buffers[words].bytes, 0, NULL, NULL);
}

/* Sets a kernel's arguments: buffers, then numbers. */
static cl_int set_arguments(struct play *play, cl_kernel kernel, const enum words *buffers,
                            cl_uint n_buffers, const cl_uint *numbers, cl_uint n_numbers)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < n_buffers; i++)
        error |= clSetKernelArg(kernel, i, sizeof(cl_mem), &play->buffers[buffers[i]].memory);
    for (cl_uint i = 0; i < n_numbers; i++)
        error |= clSetKernelArg(kernel, n_buffers + i, sizeof numbers[i], &numbers[i]);
    return error;
}

/* Sets all arguments except the seed. */
static cl_int prepare(struct play *play)
{
    static const enum words clear[] = {WORDS, MARKS};
    static const enum words run[] = {WORDS, RESULTS, MARKS, MEETING, NOISE};
    static const enum words judge[] = {WORDS, RESULTS, MARKS, BINS, COUNTS};
    const cl_uint sizes[] = {play->n, play->n_players, play->rounds, play->each};
    const cl_uint judged[] = {play->n, play->n_instances};
    return set_arguments(play, play->clear, clear, 2, sizes, 1) |
           set_arguments(play, play->run, run, 5, sizes, 4) |
           set_arguments(play, play->judge, judge, 5, judged, 2) | set_zero(play, NOISE) |
           set_zero(play, BINS) | set_zero(play, COUNTS);
}

static cl_int enqueue_run(struct play *play)
{
    const size_t items = (size_t)play->n_groups * play->group_items, group = play->group_items;
    return clEnqueueNDRangeKernel(play->devices->queue, play->run, 1, NULL, &items, &group, 0, NULL,
                                  NULL);
}

/* Launches while the host's threads run, which begin when memory is clear, and end when the launch has ended. */
static cl_int run_with_host(struct play *play, cl_uint seed)
{
    const struct host_memory memory = {play->buffers[WORDS].shared, play->buffers[RESULTS].shared,
                                       play->buffers[MEETING].shared, play->n, play->rounds};
    cl_int error = clFinish(play->devices->queue);
    struct host *host = error ? NULL : host_start(play->litmus, play->shape, &memory, seed);
    if (!host)
        return error ? error : CL_OUT_OF_HOST_MEMORY;
    error = enqueue_run(play);
    error = error ? error : clFinish(play->devices->queue);
    host_end(host);
    return error;
}

/* Plays all instances once. */
static cl_int play_once(struct play *play, cl_uint seed)
{
    const size_t all = play->n, judges = play->n < 65536 ? play->n : 65536;
    const size_t judge_group = judges < JUDGES ? judges : JUDGES;
    cl_command_queue queue = play->devices->queue;
    cl_int error = set_zero(play, MEETING);
    error |= clSetKernelArg(play->run, 9, sizeof seed, &seed);
    error |= clEnqueueNDRangeKernel(queue, play->clear, 1, NULL, &all, NULL, 0, NULL, NULL);
    error |= play->shape->n_host ? run_with_host(play, seed) : enqueue_run(play);
    return error | clEnqueueNDRangeKernel(queue, play->judge, 1, NULL, &judges, &judge_group, 0,
                                          NULL, NULL);
}

/* Adds up what the device has counted, and starts again from 0. */
static cl_int collect(struct play *play, struct devices_outcome *outcome)
{
    cl_uint bins[SHAPE_BINS], counts[KERNEL_N_COUNTS];
    cl_command_queue queue = play->devices->queue;
    cl_int error = clEnqueueReadBuffer(queue, play->buffers[BINS].memory, CL_TRUE, 0, sizeof bins,
                                       bins, 0, NULL, NULL);
    error |= clEnqueueReadBuffer(queue, play->buffers[COUNTS].memory, CL_TRUE, 0, sizeof counts,
                                 counts, 0, NULL, NULL);
    if (error)
        return error;
    for (uint32_t b = 0; b < SHAPE_BINS; b++)
        outcome->bins[b] += bins[b];
    outcome->n_held += counts[KERNEL_HELD];
    outcome->n_dead += counts[KERNEL_DEAD];
    outcome->has_scope_sys = counts[KERNEL_HAS_SYS];
    return set_zero(play, BINS) | set_zero(play, COUNTS);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static cl_int play_on(struct play *play, const struct devices_wish *wish,
                      struct devices_outcome *outcome)
{
    const double begin = seconds_now();
    cl_uint seed = wish->seed;
    cl_int error = prepare(play);
    while (!error && outcome->seconds < wish->seconds) {
        for (uint32_t k = 0; k < LAUNCHES_A_LOOK && !error; k++) {
            error = play_once(play, seed++);
            outcome->n_played += play->n_instances;
        }
        error = error ? error : collect(play, outcome);
        outcome->seconds = seconds_now() - begin;
    }
    return error;
}

static void release(struct play *play)
{
    cl_kernel kernels[] = {play->clear, play->run, play->judge};
    clFinish(play->devices->queue);
    for (int b = 0; b < N_WORDS; b++) {
        if (play->buffers[b].memory)
            clReleaseMemObject(play->buffers[b].memory);
        if (play->buffers[b].shared)
            clSVMFree(play->devices->context, play->buffers[b].shared);
    }
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    if (play->program)
        clReleaseProgram(play->program);
}

int devices_play(struct devices *devices, const struct hrf_program *program,
                 const struct devices_wish *wish, struct devices_outcome *outcome, char *why,
                 unsigned n_bytes)
{
    struct play play = {.devices = devices, .litmus = program, .shape = &outcome->shape};
    *outcome = (struct devices_outcome){.n_played = 0};
    const char *refused = shape_find(program, &outcome->shape);
    if (!refused && outcome->shape.n_host && !devices->shares_memory)
        refused = "it has threads of two devices, of which the host plays one on step svm alone";
    char *source = refused ? NULL : kernel_source(program, &outcome->shape);
    if (!source) {
        snprintf(why, n_bytes, "%s", refused ? refused : "out of memory");
        return -1;
    }
    clGetDeviceInfo(devices->device, CL_DEVICE_NAME, sizeof outcome->device - 1, outcome->device,
                    NULL);
    clGetDeviceInfo(devices->device, CL_DRIVER_VERSION, sizeof outcome->driver - 1, outcome->driver,
                    NULL);
    int code = build(&play, source, why, n_bytes);
    free(source);
    choose_size(&play);
    if (!code)
        code = make_buffers(&play, why, n_bytes);
    cl_int error = code ? CL_SUCCESS : play_on(&play, wish, outcome);
    release(&play);
    return error ? fail_cl(why, n_bytes, "playing the program", error) : code;
}
