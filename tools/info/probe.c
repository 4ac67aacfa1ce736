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
#include "base/clock.h"
#include "base/error.h"
#include "members.h"

#include <stdio.h>
#include <string.h>

#define TEST_ROUNDS 2000u /* hand-overs of the self-test */

/* Adds the members of an object, which it takes over. */
static void add(json_t *answer, json_t *members)
{
    json_object_update(answer, members);
    json_decref(members);
}

static json_t *describe_settings(const struct gravel_config *config,
                                 const struct gravel_device *device)
{
    struct gravel_config derived = *config;
    const struct gravel_surroundings place = {device, 1, gravel_cores_of_node(1)};
    gravel_derive(&derived, &place);
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "aggregators", (json_int_t)derived.n_aggregators,
                     "slot_bytes", (json_int_t)derived.slot_bytes, "queue_bytes",
                     (json_int_t)derived.queue_bytes, "buffer_bytes",
                     (json_int_t)derived.buffer_bytes, "buffers", (json_int_t)derived.n_buffers);
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
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:s?}", "scheduler", scheduler, "groups",
                     (json_int_t)flows.n_groups, "members", (json_int_t)flows.meeting.n_members,
                     "meetings", (json_int_t)flows.meeting.n_rounds, "meeting_us",
                     flows.meeting.round_us, "error", code ? gravel_last_error() : NULL);
}

static int test_device(struct gravel_config *config, json_t *answer)
{
    struct gravel_device device;
    struct gravel_self_test result;
    info_child_stage("opening the device");
    int code = gravel_device_open(&device, config, NULL, NULL);
    if (code)
        return code;
    info_child_stage("running the self-test");
    code = gravel_self_test(&device, config->self_test_rounds, &result);
    add(answer,
        json_pack("{s:s, s:I, s:s, s:b, s:I, s:f, s:I}", "cores", device.cores, "kernel_units",
                  (json_int_t)device.units, "step", gravel_step_name(device.step), "can_yield",
                  (int)result.can_yield, "rounds", (json_int_t)result.n_rounds, "round_us",
                  result.round_us, "increments", (json_int_t)result.n_increments));
    struct gravel_capability found = device.capability; /* with what the compiler takes */
    found.compute_units = device.units; /* kernels may get fewer than the device has */
    if (!code)
        add(answer,
            json_pack("{s:o, s:o, s:o, s:o}", "capabilities", info_capabilities(&found), "steps",
                      info_steps(&found), "settings", describe_settings(config, &device), "flows",
                      describe_flows(config, &device)));
    gravel_device_close(&device);
    return code;
}

/* ---- messages: what must arrive is computed by one item after another ---------------------------- */

#define N_NODES 2u
#define N_ITEMS 8192u
#define N_COUNTERS 64u /* behind a word for each item */
#define N_WORDS (N_ITEMS + N_COUNTERS)
#define HOST_WORD 7u /* no kernel stores there, as it is no multiple of 3 */

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void send_by_number(GRAVEL_ARENA, ulong words)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint item = (uint)get_global_id(0), node = item % 2;\n"
    "    gravel_inc_uint_wg(g, words, 8192 + item / 2 % 64, node);\n"
    "    gravel_put_uint_wg_if(g, item % 3 == 0, words, item, 3 * item + 1, node);\n"
    "}\n";

static int send_from_kernel(struct gravel *gravel, uint64_t at)
{
    const size_t n_items = N_ITEMS, n_group = 64;
    cl_program program;
    cl_int error;
    GRAVEL_TRY(gravel_program_build(gravel, "send_by_number.cl", source, "", &program));
    cl_kernel kernel = clCreateKernel(program, "send_by_number", &error);
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

static int check_node(struct gravel *gravel, uint64_t at, uint32_t node, const uint32_t *words)
{
    static uint32_t have[N_WORDS];
    GRAVEL_TRY(gravel_get(gravel, at, have, sizeof have, node));
    for (uint32_t i = 0; i < N_WORDS; i++)
        if (have[i] != words[i])
            return gravel_fail(GRAVEL_ECORRUPT, "word %u of node %u is %u instead of %u", i, node,
                               have[i], words[i]);
    return 0;
}

/* Sends from a kernel and from the host to two nodes of this process. What is open behind an error ends with the process. */
static int test_node(const struct gravel_config *given, uint64_t *n_messages)
{
    static uint32_t words[N_NODES][N_WORDS]; /* as they must be */
    uint32_t *last = &words[N_NODES - 1][HOST_WORD];
    struct gravel_config config = *given;
    struct gravel *gravel;
    struct gravel_stats stats;
    uint64_t at;
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        words[i % N_NODES][i] = i % 3 ? 0 : 3 * i + 1;
        words[i % N_NODES][N_ITEMS + i / 2 % N_COUNTERS]++;
    }
    *last = 0x01234567;
    strcpy(config.transport, "self");
    config.loopback_nodes = N_NODES;
    config.heap_bytes = 1u << 20;
    config.trace[0] = '\0';
    config.stats = false;
    GRAVEL_TRY(gravel_open(&gravel, &config, NULL));
    GRAVEL_TRY(gravel_alloc(gravel, sizeof *words, &at));
    GRAVEL_TRY(send_from_kernel(gravel, at));
    GRAVEL_TRY(gravel_put(gravel, at + HOST_WORD * sizeof *last, last, sizeof *last, N_NODES - 1));
    GRAVEL_TRY(gravel_barrier(gravel));
    for (uint32_t node = 0; node < N_NODES; node++)
        GRAVEL_TRY(check_node(gravel, at, node, words[node]));
    GRAVEL_TRY(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    *n_messages = stats.resolved_messages;
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
    uint64_t begin_ns = gravel_clock_ns(), n_messages = 0;
    int code = gravel_config_load(&config, sizeof config);
    snprintf(config.device, sizeof config.device, "%s", order->device);
    if (order->is_test)
        config.self_test_rounds = TEST_ROUNDS;
    if (!code)
        code = test_device(&config, answer);
    if (!code && order->is_test) {
        info_child_stage("sending messages");
        code = test_node(&config, &n_messages);
        add(answer, json_pack("{s:I}", "messages", (json_int_t)n_messages));
    }
    if (code)
        add(answer, json_pack("{s:s}", "error", gravel_last_error()));
    add(answer, json_pack("{s:f}", "seconds", (double)(gravel_clock_ns() - begin_ns) * 1e-9));
    return answer;
}

bool info_probe(json_t *device, bool is_test, unsigned limit_s)
{
    static const char *const found[] = {"step", "steps", "capabilities"};
    const struct order order = {info_text(device, "number"), is_test};
    json_t *probe = info_child_run(probe_here, &order, limit_s), *step;
    json_t *error = json_object_get(probe, "error");
    size_t i;
    json_object_set_new(device, "probe", probe);
    for (i = 0; i < sizeof found / sizeof *found && !error; i++)
        json_object_set(device, found[i], json_object_get(probe, found[i]));
    if (!error)
        return probe;
    json_array_foreach(json_object_get(device, "steps"), i, step)
    {
        if (strcmp(info_text(step, "name"), info_text(device, "step")))
            continue;
        json_object_set_new(step, "possible", json_false());
        json_object_set(step, "lack", error);
    }
    json_object_set(device, "reason", error);
    json_object_set_new(device, "step", json_null());
    return false;
}
