/* SPDX-License-Identifier: MIT */
/*
 * The probe of one device. See probe.h.
 */
#include "probe.h"

#include "child.h"
#include "settings/defaults.h"
#include "describe.h"
#include "device/cores.h"
#include "settings/scheduler.h"
#include "self_test/self_test.h"
#include "node_test.h"
#include "servers.h"
#include "base/clock.h"

#include <stdio.h>

static void note_error(json_t *answer)
{
    json_object_set_new(answer, "error", json_string(gravel_last_error()));
}

/* Kernels may get fewer compute units than the device has; the self-test finds out what the
 * compiler takes. */
static void describe_found(const struct gravel_device *device, json_t *answer)
{
    struct gravel_capability found = device->capability;
    found.compute_units = device->units;
    json_object_set_new(answer, "capabilities", info_capabilities(&found));
    json_object_set_new(answer, "steps", info_steps(&found));
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
    int code = gravel_scheduling_choose(&flows, device, config);
    const char *scheduler = code ? NULL : gravel_scheduler_name(flows.scheduler);
    if (!code && flows.scheduler != GRAVEL_SCHEDULER_RESIDENT)
        code = gravel_self_test_meet(device, flows.n_groups, &flows.meeting);
    return json_pack("{s:s?, s:I, s:I, s:I, s:f, s:s?}", "scheduler", scheduler, "groups",
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
    json_object_set_new(answer, "cores", json_string(device.cores));
    json_object_set_new(answer, "kernel_units", json_integer(device.units));
    json_object_set_new(answer, "step", json_string(gravel_step_name(device.step)));
    info_child_stage("running the self-test");
    code = gravel_self_test(&device, config->self_test_rounds, &result);
    json_object_set_new(answer, "can_yield", json_boolean(result.can_yield));
    json_object_set_new(answer, "rounds", json_integer(result.n_rounds));
    json_object_set_new(answer, "round_us", json_real(result.round_us));
    json_object_set_new(answer, "increments", json_integer(result.n_increments));
    if (!code) {
        describe_found(&device, answer);
        json_object_set_new(answer, "settings", describe_settings(config, &device));
        json_object_set_new(answer, "flows", describe_flows(config, &device));
    }
    gravel_device_close(&device);
    return code;
}

static int test_node(struct gravel_config *config, json_t *answer)
{
    uint64_t n_messages = 0;
    info_child_stage("sending messages");
    int code = info_node_test(config, &n_messages);
    json_object_set_new(answer, "messages", json_integer((json_int_t)n_messages));
    return code;
}

/* In the child. */
static json_t *probe_here(const void *argument)
{
    const struct info_probe *probe = argument;
    struct gravel_config config;
    json_t *answer = json_object();
    uint64_t begin_ns = gravel_clock_ns();
    int code = gravel_config_load(&config, sizeof config);
    snprintf(config.device, sizeof config.device, "%s", probe->device);
    if (probe->n_rounds)
        config.self_test_rounds = probe->n_rounds;
    if (!code)
        code = test_device(&config, answer);
    if (!code && probe->with_node)
        code = test_node(&config, answer);
    if (!code && probe->with_servers)
        json_object_set_new(answer, "servers", info_servers_measure(&config, &code));
    if (code)
        note_error(answer);
    double seconds = (double)(gravel_clock_ns() - begin_ns) * 1e-9;
    json_object_set_new(answer, "seconds", json_real(seconds));
    return answer;
}

json_t *info_probe_run(const struct info_probe *probe, unsigned limit_s)
{
    return info_child_run(probe_here, probe, limit_s);
}
