/* SPDX-License-Identifier: MIT */
/*
 * Runs a flow in the caller's thread or in one of its own, and calls one as a function.
 *
 * Path:    gravel/flow.h -> run.c -> host.c.
 */
#include "flow/flow.h"

#include "base/error.h"
#include "base/thread.h"

#include <string.h>

static int check_run(const struct gravel_flow *flow, const char *call)
{
    int code = gravel_flow_check_idle(flow, call);
    return code || flow->kernel
               ? code
               : gravel_fail(GRAVEL_EINVAL, "%s: the flow has no kernel yet", call);
}

static int end_run(struct gravel_flow *flow, int code)
{
    flow->is_running = false;
    flow->failed = code == GRAVEL_ESTUCK ? 0 : code;
    return code;
}

int gravel_flow_run(struct gravel_flow *flow)
{
    GRAVEL_TRY(check_run(flow, "gravel_flow_run"));
    flow->is_running = true;
    return end_run(flow, gravel_flow_schedule_on_host(flow));
}

static void *run_beside(void *user)
{
    struct gravel_flow *flow = user;
    gravel_thread_begin("gravel-flow");
    flow->outcome = gravel_keep(gravel_flow_schedule_on_host(flow));
    return NULL;
}

int gravel_flow_start(struct gravel_flow *flow)
{
    GRAVEL_TRY(check_run(flow, "gravel_flow_start"));
    int error = pthread_create(&flow->runner, NULL, run_beside, flow);
    if (error)
        return gravel_fail(GRAVEL_ESYSTEM, "gravel_flow_start: a thread: %s", strerror(error));
    flow->is_running = flow->has_runner = true;
    return 0;
}

int gravel_flow_wait(struct gravel_flow *flow)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_wait", GRAVEL_WAITS));
    if (!flow->has_runner)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_wait: no run of the flow is under way");
    pthread_join(flow->runner, NULL);
    flow->has_runner = false;
    return end_run(flow, flow->outcome.code) ? gravel_fail_again(&flow->outcome) : 0;
}

static int check_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                      void *result, size_t bytes, uint32_t *c)
{
    GRAVEL_TRY(gravel_flow_check_idle(flow, "gravel_flow_call"));
    GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_call", channel, false, c));
    GRAVEL_TRY(gravel_require("gravel_flow_call", "record", record));
    GRAVEL_TRY(gravel_require("gravel_flow_call", "result", result));
    size_t record_bytes = 4 * flow->graph.channels[*c].n_words;
    if (to % 4 || to + 4 > record_bytes || bytes == 0 || bytes % 4 ||
        bytes > 4 * GRAVEL_RESULT_WORDS)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_flow_call: slot at byte %zu of a record of %zu, result of %zu "
                           "bytes, of %u at most",
                           to, record_bytes, bytes, 4 * GRAVEL_RESULT_WORDS);
    return 0;
}

int gravel_flow_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                     void *result, size_t bytes)
{
    static const uint32_t zeros[GRAVEL_RESULT_WORDS];
    const gravel_slot slot = 0; /* the result's first word */
    uint32_t c;
    GRAVEL_TRY(check_call(flow, channel, record, to, result, bytes, &c));
    memcpy((unsigned char *)record + to, &slot, sizeof slot);
    GRAVEL_TRY(gravel_flow_memory_write(&flow->memory, slot, zeros, GRAVEL_RESULT_WORDS));
    GRAVEL_TRY(gravel_flow_add(flow, c, record, 1));
    GRAVEL_TRY(gravel_flow_run(flow));
    return gravel_flow_memory_read(&flow->memory, slot, result, bytes / 4);
}
