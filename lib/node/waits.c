/* SPDX-License-Identifier: MIT */
/*
 * What host code waits for on an open node: its kernels, its messages, all nodes.
 *
 * Path:    gravel.h -> waits.c -> launches.c, pump.c, aggregator.c, job.c.
 * Threads: any but a handler's.
 */
#include "base/clock.h"
#include "node/object.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int gravel_node_wait_for_kernel(struct gravel *gravel, cl_kernel kernel, cl_event event)
{
    return gravel_launches_wait_for(kernel, event, gravel_node_kernel_limit(gravel));
}

/* What a wait remembers of its beginning: what was sent before, it covers. */
struct mark {
    struct gravel_launch_counts launched;
    struct gravel_pump_mark pump; /* if there is one */
};

/* Notes that all that was sent before is applied. */
static void note_applied(struct gravel *gravel, const struct mark *mark)
{
    gravel_checked_note(gravel, &mark->launched, true);
    if (gravel->pump)
        gravel_pump_note_applied(gravel->pump, &mark->pump);
}

/* Waits for our kernels, and sees to it that everything sent so far has been shipped. @param mark  [out] */
static int drain(struct gravel *gravel, struct mark *mark)
{
    struct gravel_pump *pump = gravel->pump;
    mark->launched = gravel_checked_read(gravel);
    if (pump)
        gravel_pump_begin_wait(pump, &mark->pump);
    uint32_t n = gravel->config.n_aggregators, flushes[GRAVEL_MAX_AGGREGATORS];
    int code = gravel_launches_wait(&gravel->launches, gravel_node_kernel_limit(gravel));
    if (code)
        gravel_log(gravel, "%s", gravel_last_error()); /* the call may return an earlier cause */
    if (pump)
        atomic_fetch_add_explicit(&gravel->network.n_draining, 1, memory_order_relaxed); /* U13 */
    if (pump && !code && !(code = gravel_pump_drain(pump, &mark->pump)))
        gravel_pump_note_drained(pump, &mark->pump);
    if (!code)
        gravel_checked_note(gravel, &mark->launched, false);
    for (uint32_t i = 0; i < n; i++)
        flushes[i] = gravel_aggregator_flush(&gravel->aggregators[i]);
    for (uint32_t i = 0; i < n; i++)
        gravel_aggregator_flush_wait(&gravel->aggregators[i], flushes[i]);
    if (pump)
        atomic_fetch_sub_explicit(&gravel->network.n_draining, 1, memory_order_relaxed); /* U13 */
    return gravel_first_failure(code, gravel_node_flush_host(gravel));
}

int gravel_node_drain(struct gravel *gravel)
{
    struct mark mark;
    return drain(gravel, &mark);
}

/* Flushes the node's objects. @return 0; what the first failed with; as gravel_objects_enter, and nothing is flushed */
static int flush_objects(struct gravel *gravel)
{
    int code = 0;
    GRAVEL_TRY(gravel_objects_enter(gravel));
    for (struct gravel_object *object = gravel->objects; object; object = object->next)
        if (object->kind->flush)
            code = gravel_first_failure(code, object->kind->flush(object));
    gravel_objects_leave(gravel);
    return code;
}

int gravel_fence(struct gravel *gravel)
{
    GRAVEL_TRY(gravel_enter(gravel, "gravel_fence", GRAVEL_WAITS));
    const uint64_t begin_ns = gravel_clock_ns();
    int flushed = flush_objects(gravel);
    int code = gravel_node_drain(gravel);
    struct gravel_network *network = &gravel->network;
    struct gravel_job job = {.kind = GRAVEL_JOB_FENCE};
    if (!code && gravel_counter_load(&network->n_handler_calls) != /* U12 */
                     gravel_counter_load(&network->n_handler_shipped))
        code = gravel_network_run(network, &job); /* what handlers have sent leaves, too */
    gravel_trace_span(gravel->trace, "fence", begin_ns, gravel_clock_ns());
    return gravel_leave_wait(gravel, gravel_first_failure(code, flushed));
}

int gravel_quiet(struct gravel *gravel)
{
    GRAVEL_TRY(gravel_enter(gravel, "gravel_quiet", GRAVEL_WAITS));
    uint64_t begin_ns = gravel_clock_ns();
    int flushed = flush_objects(gravel);
    struct mark mark;
    int code = drain(gravel, &mark);
    uint64_t *targets = calloc(gravel_n_nodes(gravel), sizeof *targets);
    if (!targets && !code)
        code = gravel_fail_memory("gravel_quiet", gravel_n_nodes(gravel) * sizeof *targets);
    struct gravel_job job = {.kind = GRAVEL_JOB_QUIET, .targets = targets};
    int waited = targets ? gravel_network_run(&gravel->network, &job) : code;
    free(targets);
    gravel_trace_span(gravel->trace, "quiet", begin_ns, gravel_clock_ns());
    code = gravel_first_failure(code, waited);
    if (!code)
        note_applied(gravel, &mark);
    return gravel_leave_wait(gravel, gravel_first_failure(code, flushed));
}

/* Runs a barrier. What accumulators refuse, or cannot send yet, is noted with other refusals. */
static int barrier(struct gravel *gravel, struct gravel_job *job)
{
    uint64_t begin_ns = gravel_clock_ns();
    int flushed = flush_objects(gravel);
    if (flushed && !gravel_node_has_failed(gravel))
        gravel_report(gravel, flushed, false, gravel_last_error());
    struct mark mark;
    int code = drain(gravel, &mark);
    int waited = gravel_network_run(&gravel->network, job);
    gravel_trace_span(gravel->trace, "barrier", begin_ns, gravel_clock_ns());
    GRAVEL_TRY(gravel_first_failure(code, waited));
    note_applied(gravel, &mark);
    return 0;
}

int gravel_node_barrier(struct gravel *gravel, const struct gravel_collective_call *call,
                        bool is_rest)
{
    struct gravel_job job = {.kind = GRAVEL_JOB_BARRIER, .call = *call, .is_rest = is_rest};
    return gravel_leave(gravel, barrier(gravel, &job));
}

int gravel_barrier(struct gravel *gravel)
{
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_BARRIER};
    GRAVEL_TRY(gravel_enter(gravel, "gravel_barrier", GRAVEL_WAITS));
    return gravel_leave_wait(gravel, gravel_node_barrier(gravel, &call, false));
}

/* Meets all other nodes in a call of one round that this node refuses: theirs ends with EMISMATCH. @return code */
static int refuse_together(struct gravel *gravel, uint32_t kind, int code)
{
    const struct gravel_kept met = gravel_keep(code);
    struct gravel_job job = {
        .call = {.kind = kind, .arguments = {GRAVEL_CALL_REFUSED, GRAVEL_CALL_REFUSED}},
        .op = GRAVEL_MIN,
        .type = GRAVEL_ULONG};
    gravel_node_run_reduction(gravel, &job);
    return gravel_fail_again(&met);
}

int gravel_barrier_sum(struct gravel *gravel, uint64_t offset, uint32_t n, uint64_t *own,
                       uint64_t *sums)
{
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    int code = gravel_require(__func__, "sums", sums);
    if (!code && (n == 0 || n > GRAVEL_MAX_COUNTERS || offset % sizeof(cl_uint)))
        code = gravel_fail(GRAVEL_EINVAL,
                           "%s: %u counters at offset %" PRIu64
                           "; 1 to %u allowed, at a multiple of 4",
                           __func__, n, offset, GRAVEL_MAX_COUNTERS);
    if (!code)
        code = gravel_node_refuse_bytes(gravel, __func__, offset, n * sizeof(cl_uint));
    if (code)
        return refuse_together(gravel, GRAVEL_CALL_BARRIER_SUM, code);
    struct gravel_tally tally = {.offset = offset, .n = n, .own = own, .sums = sums};
    struct gravel_job job = {
        .kind = GRAVEL_JOB_BARRIER,
        .call = {.kind = GRAVEL_CALL_BARRIER_SUM, .arguments = {offset, n}},
        .tally = &tally,
    };
    return gravel_leave_wait(gravel, barrier(gravel, &job));
}

int gravel_node_run_reduction(struct gravel *gravel, struct gravel_job *job)
{
    GRAVEL_TRY(gravel_leave(gravel, 0)); /* else it could still succeed, alone */
    if (gravel_transport_is_alone(gravel->network.transport))
        return 0; /* a reduction orders no messages, so there is nothing to wait for */
    job->kind = GRAVEL_JOB_REDUCE;
    int code = gravel_network_run(&gravel->network, job);
    return code ? gravel_leave(gravel, code) : 0;
}

/* Values of 4 bytes are reduced as those of 8 that hold them all: sums of integers wrap when they are cut. */
union narrow {
    int32_t *ints;
    uint32_t *uints;
    float *floats;
};

static uint32_t widen(uint64_t *wide, uint32_t type, void *values, uint32_t n)
{
    const union narrow from = {values};
    for (uint32_t i = 0; i < n; i++) {
        const double real = type == GRAVEL_FLOAT ? (double)from.floats[i] : 0;
        if (type == GRAVEL_FLOAT)
            memcpy(&wide[i], &real, sizeof real);
        else
            wide[i] = type == GRAVEL_INT ? (uint64_t)(int64_t)from.ints[i] : from.uints[i];
    }
    return type == GRAVEL_INT ? GRAVEL_LONG : type == GRAVEL_UINT ? GRAVEL_ULONG : GRAVEL_DOUBLE;
}

static void narrow(void *values, uint32_t type, const uint64_t *wide, uint32_t n)
{
    const union narrow to = {values};
    for (uint32_t i = 0; i < n; i++) {
        double real;
        memcpy(&real, &wide[i], sizeof real);
        if (type == GRAVEL_FLOAT)
            to.floats[i] = (float)real;
        else
            to.uints[i] = (uint32_t)wide[i];
    }
}

int gravel_node_reduce(struct gravel *gravel, const struct gravel_collective_call *call,
                       uint32_t op, uint32_t type, void *values, uint32_t n)
{
    const bool is_narrow = GRAVEL_TYPE_BYTES(type) == 4;
    uint64_t wide[GRAVEL_ROUND_VALUES];
    uint32_t done = 0;
    do { /* a round; of no values, too */
        const uint32_t left = n - done,
                       part = left < GRAVEL_ROUND_VALUES ? left : GRAVEL_ROUND_VALUES;
        void *at = n ? (unsigned char *)values + (size_t)done * GRAVEL_TYPE_BYTES(type) : values;
        struct gravel_job job = {.call = *call,
                                 .is_rest = done > 0,
                                 .op = op,
                                 .type = is_narrow ? widen(wide, type, at, part) : type,
                                 .values = is_narrow ? wide : at,
                                 .n = part};
        GRAVEL_TRY(gravel_node_run_reduction(gravel, &job));
        if (is_narrow)
            narrow(at, type, wide, part);
        done += part;
    } while (done < n);
    return 0;
}

int gravel_reduce(struct gravel *gravel, uint32_t op, uint32_t type, void *values, uint32_t n)
{
    char named[GRAVEL_NAMED_BYTES];
    GRAVEL_TRY(gravel_enter(gravel, "gravel_reduce", GRAVEL_WAITS));
    int code = gravel_require("gravel_reduce", "values", values);
    if (!code &&
        ((op != GRAVEL_ADD && op != GRAVEL_MIN && op != GRAVEL_MAX) || type > GRAVEL_DOUBLE))
        code = gravel_fail(GRAVEL_EINVAL,
                           "gravel_reduce: there is no %s; add, min and max of int to double",
                           gravel_name_operation(named, op, type));
    if (!code && n == 0)
        code = gravel_fail(GRAVEL_EINVAL, "gravel_reduce: 0 values");
    if (code)
        return refuse_together(gravel, GRAVEL_CALL_REDUCE, code);
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_REDUCE,
                                                .arguments = {(uint64_t)op << 8 | type, n}};
    return gravel_node_reduce(gravel, &call, op, type, values, n);
}
