/* SPDX-License-Identifier: MIT */
/*
 * Measures what the formula of docs/guide/performance.md is made of, on the nodes of the job: all make the same calls,
 * as often. See info.h.
 *
 * Path:    gravel-info.c -> this -> measure.cl.
 */
#include "info.h"

#include "base/clock.h"
#include "base/error.h"
#include "node/node.h"

#include <gravel/rounds.h>

#include <inttypes.h>
#include <string.h>

#define N_WORDS (1u << 20)
#define N_ITEMS (1u << 16) /* of a launch that sends */
#define N_FEW 256u         /* messages of a round */
#define LEAST_S 0.2        /* of a measurement that counts */
#define MOST_TIMES (1u << 24)

extern const char measure_cl[];

enum kernel { NOTHING, SEND, SEND_ALONE, ASK, N_KERNELS };

struct meter {
    struct gravel *gravel;
    cl_ulong words; /* heap offset of uint [N_WORDS] */
    cl_uint next;   /* node that gets messages */
    uint64_t n_senders;
    cl_kernel kernels[N_KERNELS], stay;
    struct gravel_rounds *rounds;
};

/* ---- what is timed, n times ------------------------------------------------------------------ */

static int launch(const struct meter *meter, enum kernel kernel, size_t n_items, cl_uint n)
{
    const size_t group = gravel_group_size(meter->gravel),
                 local = n_items < group ? n_items : group;
    GRAVEL_TRY(
        gravel_check_cl("clSetKernelArg", clSetKernelArg(meter->kernels[kernel], 3, sizeof n, &n)));
    return gravel_launch(meter->gravel, meter->kernels[kernel], 1, &n_items, &local, 0, NULL, NULL);
}

static int send_messages(const struct meter *meter, uint32_t n)
{
    GRAVEL_TRY(launch(meter, SEND, N_ITEMS, n));
    return gravel_barrier(meter->gravel);
}

static int send_slots(const struct meter *meter, uint32_t n)
{
    GRAVEL_TRY(launch(meter, SEND_ALONE, N_ITEMS, n));
    return gravel_barrier(meter->gravel);
}

static int flush(const struct meter *meter, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        GRAVEL_TRY(gravel_update(meter->gravel, GRAVEL_INC, GRAVEL_UINT, meter->words + 4, NULL,
                                 meter->next));
        GRAVEL_TRY(gravel_fence(meter->gravel));
    }
    return gravel_barrier(meter->gravel);
}

static int flush_and_wait(const struct meter *meter, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        GRAVEL_TRY(gravel_update(meter->gravel, GRAVEL_INC, GRAVEL_UINT, meter->words + 4, NULL,
                                 meter->next));
        GRAVEL_TRY(gravel_quiet(meter->gravel));
    }
    return gravel_barrier(meter->gravel);
}

static int ask(const struct meter *meter, uint32_t n)
{
    GRAVEL_TRY(launch(meter, ASK, 1, n));
    return gravel_barrier(meter->gravel);
}

static int launch_alone(const struct meter *meter, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        GRAVEL_TRY(launch(meter, NOTHING, N_FEW, 0));
        GRAVEL_TRY(gravel_fence(meter->gravel));
    }
    return 0;
}

static int meet(const struct meter *meter, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        GRAVEL_TRY(gravel_barrier(meter->gravel));
    return 0;
}

static int launch_round(const struct meter *meter, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t sum = 1;
        GRAVEL_TRY(launch(meter, SEND, N_FEW, 1));
        GRAVEL_TRY(gravel_barrier(meter->gravel));
        GRAVEL_TRY(gravel_reduce(meter->gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1));
    }
    return 0;
}

static int stay(const struct meter *meter, uint32_t n)
{
    struct gravel_rounds_ended ended;
    GRAVEL_TRY(gravel_rounds_run(meter->rounds, GRAVEL_UNTIL_MOST, n, &ended, sizeof ended));
    const uint64_t due = N_FEW * meter->n_senders;
    return ended.sum == due
               ? 0
               : gravel_fail(GRAVEL_ECORRUPT, "the sum of a round is %" PRIu64 ", not %" PRIu64,
                             ended.sum, due);
}

/* In the order of the page. */
static const struct row {
    const char *name;
    int (*run)(const struct meter *meter, uint32_t n);
    enum { ONCE, EACH_ITEM, EACH_GROUP } per;
    bool waits; /* a kernel does: not where a node has step drain */
} rows[] = {
    {"a message of 8 bytes, until it is applied", send_messages, EACH_ITEM, false},
    {"a slot of the queue, with one message", send_slots, EACH_GROUP, false},
    {"a buffer with one message, until it is sent (fence)", flush, ONCE, false},
    {"and until it is applied (quiet)", flush_and_wait, ONCE, false},
    {"a request and its answer", ask, ONCE, true},
    {"a launch, and the wait for it", launch_alone, ONCE, false},
    {"a barrier", meet, ONCE, false},
    {"a round: launch, 256 messages, barrier, sum", launch_round, ONCE, false},
    {"a round that stays, 256 messages", stay, ONCE, false},
};

/* ---- the measurement ------------------------------------------------------------------------- */

/* Times a row: more often until it takes long enough at some node. @param seconds  [out] of what it is per */
static int measure(const struct meter *meter, const struct row *row, double *seconds)
{
    const uint32_t group = gravel_group_size(meter->gravel);
    double took = 0;
    uint32_t n = 1;
    for (bool is_first = true; took < LEAST_S && n < MOST_TIMES; is_first = false) {
        n = is_first ? 1 : took > LEAST_S / 16 ? (uint32_t)(n * 1.3 * LEAST_S / took) + 1 : 4 * n;
        GRAVEL_TRY(gravel_barrier(meter->gravel));
        const uint64_t begin_ns = gravel_clock_ns();
        GRAVEL_TRY(row->run(meter, n));
        took = (double)(gravel_clock_ns() - begin_ns) * 1e-9;
        took = is_first ? 0 : took; /* it has compiled kernels */
        GRAVEL_TRY(gravel_reduce(meter->gravel, GRAVEL_MAX, GRAVEL_DOUBLE, &took, 1));
    }
    *seconds = took / n /
               (row->per == EACH_ITEM    ? N_ITEMS
                : row->per == EACH_GROUP ? N_ITEMS / group
                                         : 1);
    return 0;
}

static int make_kernels(struct meter *meter)
{
    static const char *const names[N_KERNELS] = {"nothing", "send", "send_alone", "ask"};
    cl_program program;
    GRAVEL_TRY(gravel_program_build(meter->gravel, "measure.cl", measure_cl, "", &program));
    int code = 0;
    for (uint32_t i = 0; i < N_KERNELS && !code; i++) {
        cl_int error;
        meter->kernels[i] = clCreateKernel(program, names[i], &error);
        code = gravel_check_cl("clCreateKernel", error);
        if (!code)
            code = gravel_kernel_set_arena(meter->gravel, meter->kernels[i], 0);
        if (!code) {
            clSetKernelArg(meter->kernels[i], 1, sizeof meter->words, &meter->words);
            clSetKernelArg(meter->kernels[i], 2, sizeof meter->next, &meter->next);
        }
    }
    clReleaseProgram(program);
    return code;
}

static int make_rounds(struct meter *meter)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "measure.cl", .source = measure_cl, .function = "stay");
    const cl_uint n = N_FEW;
    GRAVEL_TRY(gravel_rounds_create(&meter->rounds, meter->gravel, &program));
    GRAVEL_TRY(gravel_rounds_kernel(meter->rounds, &meter->stay));
    clSetKernelArg(meter->stay, 2, sizeof meter->words, &meter->words);
    clSetKernelArg(meter->stay, 3, sizeof meter->next, &meter->next);
    clSetKernelArg(meter->stay, 4, sizeof n, &n);
    return 0;
}

static int run(struct meter *meter, json_t *report)
{
    struct gravel *gravel = meter->gravel;
    json_t *all = json_array();
    uint64_t may_wait = strcmp(gravel_step(gravel), "drain") != 0; /* steps of nodes may differ */
    json_object_set_new(report, "rows", all);
    json_object_set_new(report, "node", json_integer(gravel_node(gravel)));
    json_object_set_new(report, "nodes", json_integer(gravel_n_nodes(gravel)));
    json_object_set_new(report, "device", json_string(gravel->device.capability.name));
    json_object_set_new(report, "step", json_string(gravel_step(gravel)));
    meter->next = (gravel_node(gravel) + 1) % gravel_n_nodes(gravel);
    meter->n_senders = 1; /* of loop-back nodes one is */
    GRAVEL_TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &meter->n_senders, 1));
    GRAVEL_TRY(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, &may_wait, 1));
    GRAVEL_TRY(gravel_alloc(gravel, N_WORDS * sizeof(cl_uint), &meter->words));
    GRAVEL_TRY(make_kernels(meter));
    GRAVEL_TRY(make_rounds(meter));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds;
        if (rows[i].waits && !may_wait)
            continue;
        GRAVEL_TRY(measure(meter, &rows[i], &seconds));
        json_array_append_new(all,
                              json_pack("{s:s, s:f}", "what", rows[i].name, "seconds", seconds));
    }
    return 0;
}

int info_measure(const char *device, json_t *report)
{
    struct gravel_config config;
    struct meter meter = {.gravel = NULL};
    GRAVEL_TRY(info_config(&config, device));
    GRAVEL_TRY(gravel_open(&meter.gravel, &config, NULL));
    const struct gravel_kept ran = gravel_keep(run(&meter, report));
    if (meter.stay)
        clReleaseKernel(meter.stay);
    const int ended = meter.rounds && !ran.code ? gravel_rounds_destroy(meter.rounds) : 0;
    for (uint32_t i = 0; i < N_KERNELS; i++)
        if (meter.kernels[i])
            clReleaseKernel(meter.kernels[i]);
    const int closed = gravel_close(meter.gravel);
    return ran.code ? gravel_fail_again(&ran) : gravel_first_failure(ended, closed);
}
