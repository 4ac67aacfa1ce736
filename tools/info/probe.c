/* SPDX-License-Identifier: MIT */
/*
 * The probe of one device. See info.h.
 */
#include "info.h"

#include "child.h"
#include "base/error.h"
#include "members.h"
#include "node/node.h"
#include "settings/scheduler.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEST_ROUNDS 2000u /* hand-overs of the self-test */

/* Returns what a node derives for the settings that are 0. */
static json_t *describe_settings(const struct gravel_config *config)
{
    return json_sprintf("aggregators: %u, queues of %g MiB, slots of %" PRIu64
                        " bytes, %u node buffers of %g kiB",
                        config->n_aggregators, (double)config->queue_bytes / (1u << 20),
                        config->slot_bytes, config->n_buffers, (double)config->buffer_bytes / 1024);
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

/* Sends from a kernel and from the host to two nodes of this process. */
static int test_messages(struct gravel *gravel)
{
    const uint32_t half = N_ITEMS / N_NODES, value = HOST_VALUE;
    uint32_t sums[2]; /* of kernels, of the host */
    uint64_t at;
    info_child_stage("sending messages");
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
    return 0;
}

/* ---- the child ------------------------------------------------------------------------------- */

/* What a child is asked. */
struct order {
    const char *device; /* as GRAVEL_DEVICE takes it */
    bool is_test;
};

/* Opens a node, which proves the step of its device. What is open behind an error ends with the process. */
static int probe(const struct order *order, json_t *answer)
{
    struct gravel_config config;
    struct gravel *gravel;
    GRAVEL_TRY(info_config(&config, order->device));
    strcpy(config.transport, "self");
    config.loopback_nodes = order->is_test ? N_NODES : 1;
    config.heap_bytes = 1u << 20;
    config.trace[0] = '\0';
    config.stats = false;
    if (order->is_test)
        config.self_test_rounds = TEST_ROUNDS;
    info_child_stage("opening a node");
    GRAVEL_TRY(gravel_open(&gravel, &config, NULL));
    const struct gravel_device *device = &gravel->device;
    struct gravel_capability found = device->capability; /* with what the compiler takes */
    found.compute_units = device->units; /* kernels may get fewer than the device has */
    info_describe_steps(answer, &found, gravel_step_name(device->step));
    json_object_set_new(answer, "cores", json_string(device->cores));
    json_object_set_new(answer, "settings", describe_settings(gravel_config_of(gravel)));
    json_object_set_new(answer, "flows", describe_flows(gravel_config_of(gravel), device));
    char rounds[32] = "";
    if (gravel_step_may_wait(device->step))
        snprintf(rounds, sizeof rounds, "%u hand-overs, ", config.self_test_rounds);
    json_object_set_new(
        answer, "proved",
        json_sprintf(order->is_test ? "%sexact increments, %u messages" : "%sexact increments",
                     rounds, N_ITEMS + N_NODES));
    if (order->is_test)
        GRAVEL_TRY(test_messages(gravel));
    info_child_stage("closing a node");
    return gravel_close(gravel);
}

/* In the child. */
static json_t *probe_here(const void *argument)
{
    json_t *answer = json_object();
    if (probe(argument, answer))
        json_object_set_new(answer, "error", json_string(gravel_last_error()));
    return answer;
}

bool info_probe(json_t *device, bool is_test, unsigned limit_s)
{
    const struct order order = {info_text(device, "number"), is_test};
    json_t *probe = info_child_run(probe_here, &order, limit_s);
    if (!probe)
        probe = json_pack("{s:s}", "error", "out of memory");
    json_t *error = json_object_get(probe, "error");
    json_object_update(device, probe);
    json_object_set_new(device, "passed", json_boolean(!error));
    if (error) {
        json_array_append_new(
            json_object_get(device, "cannot"),
            json_sprintf("step %s: %s", info_text(device, "step"), json_string_value(error)));
        json_object_set(device, "reason", error);
        json_object_set_new(device, "step", json_null());
    } else {
        json_object_set_new(device, "can", json_sprintf("step %s", info_text(device, "step")));
    }
    json_decref(probe);
    return json_is_true(json_object_get(device, "passed"));
}
