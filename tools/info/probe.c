/* SPDX-License-Identifier: MIT */
/*
 * The probe of one device. See info.h.
 */
#include "info.h"

#include "child.h"
#include "settings/defaults.h"
#include "device/cores.h"
#include "settings/scheduler.h"
#include "self_test/self_test.h"
#include "base/error.h"
#include "members.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEST_ROUNDS 2000u /* hand-overs of the self-test */

static json_t *describe_settings(const struct gravel_config *config,
                                 const struct gravel_device *device)
{
    struct gravel_config derived = *config;
    const struct gravel_surroundings place = {device, 1, gravel_cores_of_node(1)};
    gravel_derive(&derived, &place);
    return json_sprintf("aggregators: %u, queues of %g MiB, slots of %" PRIu64
                        " bytes, %u node buffers of %g kiB",
                        derived.n_aggregators, (double)derived.queue_bytes / (1u << 20),
                        derived.slot_bytes, derived.n_buffers, (double)derived.buffer_bytes / 1024);
}

/* The self-test meet runs also where the scheduler does not need it. */
static json_t *describe_flows(const struct gravel_config *config,
                              const struct gravel_device *device)
{
    struct gravel_scheduling flows;
    info_child_stage("choosing the scheduler of flows");
    int code = gravel_scheduling_choose(&flows, device, config, false);
    const char *scheduler = code ? "none" : gravel_scheduler_name(flows.scheduler);
    if (!code && !flows.has_met)
        code = gravel_self_test_meet(device, flows.n_groups, 2, &flows.meeting);
    return code ? json_sprintf("scheduler %s; %s", scheduler, gravel_last_error())
                : json_sprintf("scheduler %s; %u of %u work-groups of a launch met %u times, "
                               "%.4g us each",
                               scheduler, flows.meeting.n_members, flows.n_groups,
                               flows.meeting.n_rounds, flows.meeting.round_us);
}

static json_t *describe_proof(const struct gravel_device *device,
                              const struct gravel_self_test *result)
{
    char rounds[64] = "";
    if (result->n_rounds)
        snprintf(rounds, sizeof rounds, "%u hand-overs (%.4g us each), ", result->n_rounds,
                 result->round_us);
    return json_sprintf("%s%s%u exact increments", rounds,
                        gravel_step_is_pumped(device->step) ? "a kernel next to one that waits, "
                                                            : "",
                        result->n_increments);
}

static int test_device(const struct gravel_config *config, json_t *answer)
{
    struct gravel_device device;
    struct gravel_self_test result;
    info_child_stage("opening the device");
    GRAVEL_TRY(gravel_device_open(&device, config, NULL, NULL));
    info_child_stage("running the self-test");
    int code = gravel_self_test(&device, config->self_test_rounds, &result);
    struct gravel_capability found = device.capability; /* with what the compiler takes */
    found.compute_units = device.units; /* kernels may get fewer than the device has */
    json_object_set_new(answer, "cores", json_string(device.cores));
    info_describe_steps(answer, &found, gravel_step_name(device.step));
    if (!code) {
        json_object_set_new(answer, "settings", describe_settings(config, &device));
        json_object_set_new(answer, "flows", describe_flows(config, &device));
        json_object_set_new(answer, "proved", describe_proof(&device, &result));
    }
    gravel_device_close(&device);
    return code;
}

/* ---- messages: each adds its work-item's number to a sum ----------------------------------------- */

#define N_NODES 2u
#define N_ITEMS 8192u
#define HOST_VALUE 0x01234567u

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "kernel void send_numbers(GRAVEL_ARENA, ulong sums)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    uint item = (uint)get_global_id(0);\n"
                             "    gravel_add_uint_wg(g, sums, 0, item, item % 2);\n"
                             "}\n";

static int send_from_kernel(struct gravel *gravel, uint64_t at)
{
    const size_t n_items = N_ITEMS, n_group = 64;
    cl_program program;
    cl_int error;
    GRAVEL_TRY(gravel_program_build(gravel, "send_numbers.cl", source, "", &program));
    cl_kernel kernel = clCreateKernel(program, "send_numbers", &error);
    clReleaseProgram(program);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("clCreateKernel", error);
    clSetKernelArg(kernel, 1, sizeof at, &at);
    int code = gravel_kernel_set_arena(gravel, kernel, 0);
    if (!code)
        code = gravel_launch(gravel, kernel, 1, &n_items, &n_group, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}

/* Sends from a kernel and from the host to two nodes of this process. What is open behind an error ends with the process. */
static int test_node(struct gravel_config *config, json_t *answer)
{
    const uint32_t half = N_ITEMS / N_NODES, value = HOST_VALUE;
    struct gravel *gravel;
    uint32_t sums[2]; /* of kernels, of the host */
    uint64_t at;
    info_child_stage("sending messages");
    strcpy(config->transport, "self");
    config->loopback_nodes = N_NODES;
    config->heap_bytes = 1u << 20;
    config->trace[0] = '\0';
    config->stats = false;
    GRAVEL_TRY(gravel_open(&gravel, config, NULL));
    GRAVEL_TRY(gravel_alloc(gravel, sizeof sums, &at));
    GRAVEL_TRY(send_from_kernel(gravel, at));
    for (uint32_t node = 0; node < N_NODES; node++)
        GRAVEL_TRY(gravel_put(gravel, at + sizeof value, &value, sizeof value, node));
    GRAVEL_TRY(gravel_barrier(gravel));
    for (uint32_t node = 0; node < N_NODES; node++) {
        const uint32_t expected = half * (half - 1) + node * half;
        GRAVEL_TRY(gravel_get(gravel, at, sums, sizeof sums, node));
        if (sums[0] != expected || sums[1] != value)
            return gravel_fail(GRAVEL_ECORRUPT,
                               "messages to node %u add up to %u and %u instead of %u and %u", node,
                               sums[0], sums[1], expected, value);
    }
    json_object_set_new(
        answer, "proved",
        json_sprintf("%s, %u messages", info_text(answer, "proved"), N_ITEMS + N_NODES));
    return gravel_close(gravel);
}

/* ---- the child ------------------------------------------------------------------------------- */

/* What a child is asked. */
struct order {
    const char *device; /* as GRAVEL_DEVICE takes it */
    bool is_test;
};

/* In the child. */
static json_t *probe_here(const void *argument)
{
    const struct order *order = argument;
    struct gravel_config config;
    json_t *answer = json_object();
    int code = info_config(&config, order->device);
    if (order->is_test)
        config.self_test_rounds = TEST_ROUNDS;
    if (!code)
        code = test_device(&config, answer);
    if (!code && order->is_test)
        code = test_node(&config, answer);
    if (code)
        json_object_set_new(answer, "error", json_string(gravel_last_error()));
    return answer;
}

bool info_probe(json_t *device, bool is_test, unsigned limit_s)
{
    const struct order order = {info_text(device, "number"), is_test};
    json_t *probe = info_child_run(probe_here, &order, limit_s),
           *error = json_object_get(probe, "error");
    json_object_update(device, probe);
    json_object_set_new(device, "passed", json_boolean(!error));
    if (error)
        json_array_append_new(
            json_object_get(device, "cannot"),
            json_sprintf("step %s: %s", info_text(device, "step"), json_string_value(error)));
    else
        json_object_set_new(device, "can", json_sprintf("step %s", info_text(device, "step")));
    if (error) {
        json_object_set(device, "reason", error);
        json_object_set_new(device, "step", json_null());
    }
    json_decref(probe);
    return json_is_true(json_object_get(device, "passed"));
}
