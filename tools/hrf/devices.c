/* SPDX-License-Identifier: MIT */
/*
 * Playing programs on a device. See devices.h.
 *
 * On a CPU two groups walk the instances side by side, one instance at a time: groups of many work-items would play one
 * role of all of them before the next role begins. On a GPU as many groups as fit play, and an eighth more make noise.
 */
#include "devices.h"

#include "base/clock.h"
#include "device/choose.h"
#include "gravel/gravel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE_WORDS 65536u
#define GPU_GROUP 256u
#define GPU_INSTANCES (1u << 22) /* of a launch */
#define CPU_INSTANCES (1u << 18)
#define LAUNCHES_A_LOOK 4u
#define JUDGES 64u /* of a group */

struct devices {
    struct gravel_candidate candidate;
    cl_context context;
    cl_command_queue queue;
};

/* What one program needs. */
struct play {
    struct devices *devices;
    cl_program program;
    cl_kernel clear, run, judge;
    cl_mem words, results, dead, meeting, noise, bins, counts;
    cl_uint n_home, n_groups, rounds, each, n_instances, n, group_items;
};

static int fail_cl(char *why, unsigned n_bytes, const char *what, cl_int error)
{
    snprintf(why, n_bytes, "%s: OpenCL error %d", what, error);
    return -1;
}

int devices_open(const struct devices_wish *wish, struct devices **out, char *why, unsigned n_bytes)
{
    static struct gravel_candidate candidates[GRAVEL_MAX_DEVICES];
    struct devices *devices = calloc(1, sizeof *devices);
    struct gravel_choice choice;
    unsigned n = 0;
    cl_int error = CL_SUCCESS;
    *out = NULL;
    if (!devices || gravel_device_list_named(wish->name, candidates, &n) ||
        gravel_device_choose(wish->name, "auto", 0, candidates, n, &choice)) {
        snprintf(why, n_bytes, "%s", devices ? gravel_last_error() : "out of memory");
        free(devices);
        return -1;
    }
    devices->candidate = *choice.taken;
    devices->context = clCreateContext(NULL, 1, &devices->candidate.device, NULL, NULL, &error);
    if (!error)
        devices->queue = clCreateCommandQueueWithProperties(
            devices->context, devices->candidate.device, NULL, &error);
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

static int build(struct play *play, const char *source, char *why, unsigned n_bytes)
{
    const struct gravel_candidate *candidate = &play->devices->candidate;
    cl_int error;
    char options[32], log[400] = "";
    play->program = clCreateProgramWithSource(play->devices->context, 1, &source, NULL, &error);
    if (error)
        return fail_cl(why, n_bytes, "clCreateProgramWithSource", error);
    snprintf(options, sizeof options, "-cl-std=%s", candidate->capability.c_std);
    error = clBuildProgram(play->program, 1, &candidate->device, options, NULL, NULL);
    if (error) {
        size_t bytes = 0;
        clGetProgramBuildInfo(play->program, candidate->device, CL_PROGRAM_BUILD_LOG,
                              sizeof log - 1, log, &bytes);
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

/* Groups, rounds and instances that suit the device. */
static void choose_size(struct play *play, const struct kernel_shape *shape)
{
    const struct gravel_capability *c = &play->devices->candidate.capability;
    const uint32_t units = c->compute_units, unit = shape->n_groups * shape->n_groups;
    const uint32_t instances = c->is_cpu ? CPU_INSTANCES : GPU_INSTANCES;
    play->each = c->is_cpu ? 1 : GPU_GROUP / shape->n_roles;
    play->n_home = c->is_cpu ? shape->n_groups : (4 * units + unit - 1) / unit * unit;
    play->n_groups = c->is_cpu ? play->n_home : play->n_home + play->n_home / 8 + 1;
    play->rounds = instances / (play->n_home * play->each) + 1;
    play->n_instances = play->rounds * play->n_home * play->each;
    play->group_items = play->each * shape->n_roles;
    for (play->n = 1; play->n < play->n_instances;)
        play->n *= 2;
}

static cl_int make_buffer(struct play *play, size_t n_words, cl_mem *out)
{
    cl_int error;
    *out = clCreateBuffer(play->devices->context, CL_MEM_READ_WRITE, n_words * sizeof(cl_uint),
                          NULL, &error);
    return error;
}

static int make_buffers(struct play *play, const struct hrf_program *program,
                        const struct kernel_shape *shape, char *why, unsigned n_bytes)
{
    const size_t n = play->n, n_locations = program->n_locations ? program->n_locations : 1;
    cl_int error = make_buffer(play, n * n_locations, &play->words);
    error = error ? error : make_buffer(play, n * (shape->n_watched + 1), &play->results);
    error = error ? error : make_buffer(play, n, &play->dead);
    error = error ? error : make_buffer(play, 1, &play->meeting);
    error = error ? error : make_buffer(play, NOISE_WORDS, &play->noise);
    error = error ? error : make_buffer(play, KERNEL_BINS, &play->bins);
    error = error ? error : make_buffer(play, 2, &play->counts);
    return error ? fail_cl(why, n_bytes, "buffers of the instances", error) : 0;
}

static cl_int set_zero(struct play *play, cl_mem buffer, size_t n_words)
{
    const cl_uint zero = 0;
    return clEnqueueFillBuffer(play->devices->queue, buffer, &zero, sizeof zero, 0,
                               n_words * sizeof zero, 0, NULL, NULL);
}

static cl_int set_arguments(struct play *play)
{
    const cl_mem clear[] = {play->words, play->dead};
    const cl_mem run[] = {play->words, play->results, play->dead, play->meeting, play->noise};
    const cl_mem judge[] = {play->words, play->results, play->dead, play->bins, play->counts};
    const cl_uint sizes[] = {play->n, play->n_home, play->rounds, play->each};
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < 2; i++)
        error |= clSetKernelArg(play->clear, i, sizeof clear[i], &clear[i]);
    error |= clSetKernelArg(play->clear, 2, sizeof play->n, &play->n);
    for (cl_uint i = 0; i < 5; i++) {
        error |= clSetKernelArg(play->run, i, sizeof run[i], &run[i]);
        error |= clSetKernelArg(play->judge, i, sizeof judge[i], &judge[i]);
    }
    for (cl_uint i = 0; i < 4; i++)
        error |= clSetKernelArg(play->run, 5 + i, sizeof sizes[i], &sizes[i]);
    error |= clSetKernelArg(play->judge, 5, sizeof play->n, &play->n);
    return error | clSetKernelArg(play->judge, 6, sizeof play->n_instances, &play->n_instances);
}

/* All instances once. @param n_counts  [2, in, out] held and dead, which the device adds up. */
static cl_int play_once(struct play *play, cl_uint seed)
{
    const size_t all = play->n, items = (size_t)play->n_groups * play->group_items;
    const size_t group = play->group_items, judges = play->n < 65536 ? play->n : 65536;
    const size_t judge_group = judges < JUDGES ? judges : JUDGES;
    cl_command_queue queue = play->devices->queue;
    cl_int error = set_zero(play, play->meeting, 1);
    error |= clSetKernelArg(play->run, 9, sizeof seed, &seed);
    error |= clEnqueueNDRangeKernel(queue, play->clear, 1, NULL, &all, NULL, 0, NULL, NULL);
    error |= clEnqueueNDRangeKernel(queue, play->run, 1, NULL, &items, &group, 0, NULL, NULL);
    return error | clEnqueueNDRangeKernel(queue, play->judge, 1, NULL, &judges, &judge_group, 0,
                                          NULL, NULL);
}

/* Add up what the device has counted, and start again from 0. */
static cl_int collect(struct play *play, struct devices_outcome *outcome)
{
    cl_uint bins[KERNEL_BINS], counts[2];
    cl_command_queue queue = play->devices->queue;
    cl_int error =
        clEnqueueReadBuffer(queue, play->bins, CL_TRUE, 0, sizeof bins, bins, 0, NULL, NULL);
    error |=
        clEnqueueReadBuffer(queue, play->counts, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL);
    if (error)
        return error;
    for (uint32_t b = 0; b < KERNEL_BINS; b++)
        outcome->bins[b] += bins[b];
    outcome->n_held += counts[0];
    outcome->n_dead += counts[1];
    return set_zero(play, play->bins, KERNEL_BINS) | set_zero(play, play->counts, 2);
}

static cl_int play_on(struct play *play, const struct devices_wish *wish,
                      struct devices_outcome *outcome)
{
    const uint64_t begin_ns = gravel_clock_ns();
    cl_uint seed = wish->seed;
    cl_int error = set_arguments(play) | set_zero(play, play->bins, KERNEL_BINS) |
                   set_zero(play, play->counts, 2) | set_zero(play, play->noise, NOISE_WORDS);
    while (!error && outcome->seconds < wish->seconds) {
        for (uint32_t k = 0; k < LAUNCHES_A_LOOK && !error; k++) {
            error = play_once(play, seed++);
            outcome->n_played += play->n_instances;
        }
        error = error ? error : collect(play, outcome);
        outcome->seconds = (double)(gravel_clock_ns() - begin_ns) * 1e-9;
    }
    return error;
}

static void release(struct play *play)
{
    cl_mem buffers[] = {play->words, play->results, play->dead,  play->meeting,
                        play->noise, play->bins,    play->counts};
    cl_kernel kernels[] = {play->clear, play->run, play->judge};
    clFinish(play->devices->queue);
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
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
    const struct gravel_capability *c = &devices->candidate.capability;
    struct play play = {.devices = devices};
    *outcome = (struct devices_outcome){.n_played = 0};
    const char *refused = kernel_refuse(program, &outcome->shape);
    if (!refused && !c->has_c11_atomics &&
        !c->may_have_c11_atomics) /* its compiler may know better */
        refused = "the device has no atomics with acquire and release at device scope";
    char *source =
        refused ? NULL : kernel_source(program, &outcome->shape, c->has_all_devices_scope);
    if (!source) {
        snprintf(why, n_bytes, "%s", refused ? refused : "out of memory");
        return -1;
    }
    snprintf(outcome->device, sizeof outcome->device, "%s", c->name);
    snprintf(outcome->driver, sizeof outcome->driver, "%s", c->driver);
    int code = build(&play, source, why, n_bytes);
    free(source);
    choose_size(&play, &outcome->shape);
    if (!code)
        code = make_buffers(&play, program, &outcome->shape, why, n_bytes);
    cl_int error = code ? CL_SUCCESS : play_on(&play, wish, outcome);
    release(&play);
    return error ? fail_cl(why, n_bytes, "playing the program", error) : code;
}
