/* SPDX-License-Identifier: MIT */
/*
 * bench-pump: messages a second out of a running kernel on step pump, beside plain copies of as
 * many bytes.
 *
 *     GRAVEL_DEVICE=... bench-pump --json
 *
 * One kernel fills the queue in device memory, the pump fetches packages, this thread takes them
 * from the mirror. Of every package header and one word are checked, and of the last ringful every
 * word.
 *
 * Path:    options -> cases (message size) -> rounds over variants -> reports.
 * Memory:  device, arena, pump and kernel live for one case.
 * Source:  Orr 2016, section 5.4.1 (queue throughput by message size).
 */
#include "bench.h"
#include "bench_thread.h"
#include "opencl/program.h"
#include "self_test/self_test.h"
#include "memory/package.h"
#include "pump/pump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_PER_UNIT 1024u /* half of what a GPU's unit usually bears */
#define MOST_ITEMS_OF_A_GROUP 1024u
#define RING_BYTES (64u << 20)
#define TARGET_BYTES (4ull << 30) /* of payload in one run, on a GPU */
#define CPU_TARGET_BYTES (64ull << 20)
#define COPY_BYTES (32u << 20)

extern const char bench_pump_cl[];

struct options {
    struct bench_options common;
    uint32_t message_bytes[BENCH_MAX_LIST], n_message_bytes;
    uint32_t work_groups[BENCH_MAX_LIST], n_work_groups;
};

struct contest {
    struct gravel_config config;
    struct gravel_device device;
    struct gravel_memory memory;
    struct gravel_pump *pump;
    struct gravel_package_queue queue;
    cl_program program;
    cl_kernel kernel;
    uint32_t message_bytes, group, n_groups, rounds;
    struct gravel_failure failure;
};

static void die(const char *what, int code)
{
    fprintf(stderr, "bench-pump: %s: %s: %s\n", what, gravel_strerror(code), gravel_last_error());
    exit(EXIT_FAILURE);
}

static void must(const char *what, cl_int error)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "bench-pump: %s: OpenCL error %d\n", what, error);
        exit(EXIT_FAILURE);
    }
}

/* ---- one case -------------------------------------------------------------------------------- */

/* A command whose columns are as wide as the messages, so that the pump copies just what is
 * written. */
static uint32_t command_of(uint32_t message_bytes)
{
    return message_bytes == 8    ? GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG)
           : message_bytes == 16 ? GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG)
                                 : GRAVELP_COMMAND_AM(0, GRAVEL_AM_MAX_ARGS); /* the whole slot */
}

static void report(void *context, int code, bool is_fatal, const char *text)
{
    (void)context, (void)is_fatal;
    fprintf(stderr, "bench-pump: %s: %s\n", gravel_strerror(code), text);
    exit(EXIT_FAILURE);
}

static void wake(void *context, uint32_t queue)
{
    (void)context, (void)queue;
}

/* A slot that just holds a group's messages. */
static uint32_t slot_bytes_of(const struct contest *contest)
{
    uint32_t bytes = GRAVELP_NODE_ROW + contest->group * contest->message_bytes;
    return bytes < GRAVELP_SLOT_MIN_BYTES ? GRAVELP_SLOT_MIN_BYTES : bytes;
}

static void open_memory(struct contest *contest)
{
    uint32_t group = contest->group, slot_bytes = slot_bytes_of(contest);
    const struct gravel_arena_shape shape = {.n_nodes = 1,
                                             .n_heaps = 1,
                                             .n_queues = 1,
                                             .queue_bytes = RING_BYTES / contest->message_bytes /
                                                            group * (uint64_t)slot_bytes,
                                             .slot_bytes = slot_bytes,
                                             .heap_bytes = COPY_BYTES,
                                             .wait_ms = 8000,
                                             .look_ns = 1};
    int code = gravel_memory_create(&contest->memory, &contest->device, &shape);
    if (code)
        die("arena", code);
    const struct gravel_pump_shape pump = {.memory = &contest->memory,
                                           .failure = &contest->failure,
                                           .report = report,
                                           .wake = wake,
                                           .timeout_ns = UINT64_C(8000000000)};
    code = gravel_pump_create(&contest->pump, &pump);
    if (code)
        die("pump", code);
    struct gravelp_arena *mirror = contest->memory.arena;
    contest->queue =
        (struct gravel_package_queue){.words = gravel_arena_queue(mirror, 0),
                                      .slots = gravel_arena_slots(mirror, 0),
                                      .n_slots = mirror->n_slots,
                                      .slot_bytes = mirror->slot_bytes,
                                      .arrived = gravel_pump_arrived(contest->pump, 0)};
}

static void build(struct contest *contest)
{
    char options[64];
    uint32_t command = command_of(contest->message_bytes);
    snprintf(options, sizeof options, "-DWORDS=%u", contest->message_bytes / 8);
    const struct gravel_program_request request = {
        .name = "bench_pump.cl", .source = bench_pump_cl, .options = options};
    int code = gravel_device_build(&contest->device, &request, &contest->program);
    if (code)
        die("kernel", code);
    cl_int error;
    contest->kernel = clCreateKernel(contest->program, "send_rounds", &error);
    must("clCreateKernel", error);
    must("arena argument", gravel_memory_set_argument(&contest->memory, contest->kernel, 0));
    must("clSetKernelArg", clSetKernelArg(contest->kernel, 2, sizeof command, &command));
}

static void open_case(struct contest *contest, uint32_t message_bytes, uint32_t group)
{
    int code = gravel_config_load(&contest->config, sizeof contest->config);
    strcpy(contest->config.step, "pump");
    if (!code)
        code = gravel_device_open(&contest->device, &contest->config, NULL, NULL);
    if (!code)
        code = gravel_self_test(&contest->device, 8, NULL);
    if (code)
        die("device", code);
    bool is_cpu = contest->device.capability.is_cpu;
    uint64_t bytes = is_cpu ? CPU_TARGET_BYTES : TARGET_BYTES;
    contest->message_bytes = message_bytes;
    contest->group = group;
    contest->n_groups = (contest->device.units - 1) * (is_cpu ? 1 : ITEMS_PER_UNIT / group);
    contest->rounds = (uint32_t)(bytes / message_bytes / group / contest->n_groups) + 1;
    open_memory(contest);
    build(contest);
}

static void close_case(struct contest *contest)
{
    clReleaseKernel(contest->kernel);
    clReleaseProgram(contest->program);
    gravel_pump_stop(contest->pump);
    gravel_pump_destroy(contest->pump);
    gravel_memory_destroy(&contest->memory);
    gravel_device_close(&contest->device);
}

/* ---- variants -------------------------------------------------------------------------------- */

static uint64_t word_at(const struct contest *contest, const struct gravelp_package *package,
                        uint32_t row, uint32_t column)
{
    const uint64_t *words = (const uint64_t *)(package + 1);
    return words[(size_t)row * contest->group + column];
}

static uint64_t word_of(uint32_t ticket, uint32_t row, uint32_t column)
{
    return (uint64_t)ticket << 32 | (uint64_t)column << 8 | row;
}

static bool is_right(const struct contest *contest, const struct gravelp_package *package,
                     uint32_t ticket)
{
    uint32_t column = ticket * 7 % contest->group, row = ticket % (contest->message_bytes / 8);
    return package->n_messages == contest->group && package->base == ticket &&
           word_at(contest, package, row, column) == word_of(ticket, row, column);
}

/* Every word of the packages still in the mirror. */
static bool is_ring_right(const struct contest *contest)
{
    uint32_t wrong = 0, n = contest->queue.n_slots;
    if (contest->queue.head < n)
        n = contest->queue.head;
    for (uint32_t t = contest->queue.head - n; t != contest->queue.head; t++) {
        const struct gravelp_package *package = gravel_package_slot(&contest->queue, t);
        for (uint32_t row = 0; row < contest->message_bytes / 8; row++)
            for (uint32_t column = 0; column < contest->group; column++)
                wrong += word_at(contest, package, row, column) != word_of(t, row, column);
    }
    return wrong == 0;
}

static bool run_pump(struct contest *contest, double *rate)
{
    size_t local = contest->group, global = contest->n_groups * local;
    uint64_t n_packages = (uint64_t)contest->n_groups * contest->rounds;
    struct bench_wait_state wait = {0};
    const struct gravelp_package *package;
    cl_event event;
    bool is_valid = true;
    must("clSetKernelArg",
         clSetKernelArg(contest->kernel, 1, sizeof contest->rounds, &contest->rounds));
    double start = bench_now();
    must("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(contest->device.queue, contest->kernel, 1,
                                                          NULL, &global, &local, 0, NULL, &event));
    clFlush(contest->device.queue);
    gravel_pump_watch(contest->pump, event);
    for (uint64_t taken = 0; taken < n_packages;) {
        if (!(package = gravel_package_peek(&contest->queue))) {
            bench_wait(&wait, "a package from the device");
            continue;
        }
        __builtin_prefetch(gravel_package_slot(&contest->queue, contest->queue.head + 4));
        is_valid &= is_right(contest, package, contest->queue.head);
        gravel_package_release(&contest->queue);
        wait = (struct bench_wait_state){0};
        taken++;
    }
    *rate = (double)(n_packages * contest->group) / (bench_now() - start);
    clFinish(contest->device.queue);
    clReleaseEvent(event);
    return is_valid && is_ring_right(contest);
}

/* As many messages' bytes by plain copies to the same pinned memory, two under way. */
static bool run_copy(struct contest *contest, double *rate)
{
    unsigned char *to = gravel_arena_slots(contest->memory.arena, 0);
    uint64_t from = gravel_memory_heap_offset(&contest->memory, 0);
    uint64_t bytes = contest->device.capability.is_cpu ? CPU_TARGET_BYTES : TARGET_BYTES, done = 0;
    cl_command_queue queue = contest->memory.copies;
    double start = bench_now();
    for (; done < bytes; done += COPY_BYTES)
        must("clEnqueueReadBuffer",
             clEnqueueReadBuffer(queue, contest->memory.region.buffer, CL_FALSE, from, COPY_BYTES,
                                 to, 0, NULL, NULL));
    must("clFinish", clFinish(queue));
    *rate = (double)done / contest->message_bytes / (bench_now() - start);
    return true;
}

static bool run_variant(void *context, uint32_t i, double *rate)
{
    return i == 0 ? run_pump(context, rate) : run_copy(context, rate);
}

static bool run_case(const struct options *options, uint32_t message_bytes, uint32_t group)
{
    static struct contest contest;
    struct bench_subject subjects[2] = {{.variant = "pump"}, {.variant = "copy"}};
    double rate;
    contest = (struct contest){.n_groups = 0};
    open_case(&contest, message_bytes, group);
    uint32_t rounds = contest.rounds;
    contest.rounds = 1;
    run_pump(&contest, &rate); /* warm up */
    contest.rounds = rounds;
    bench_rounds(subjects, 2, options->common.runs, run_variant, &contest);
    for (uint32_t i = 0; i < 2; i++)
        bench_report(&options->common, "bench-pump", "messages/s", &subjects[i],
                     json_pack("{s:i, s:i, s:s}", "message_bytes", (int)message_bytes, "work_group",
                               (int)group, "device", contest.device.capability.name));
    bench_report_ratio(
        &options->common, "bench-pump", &subjects[0], &subjects[1],
        json_pack("{s:i, s:i}", "message_bytes", (int)message_bytes, "work_group", (int)group));
    close_case(&contest);
    return subjects[0].is_valid;
}

static bool parse_groups(struct options *options, const char *text)
{
    options->n_work_groups =
        bench_list_parse(text, 16, MOST_ITEMS_OF_A_GROUP, options->work_groups);
    for (uint32_t i = 0; i < options->n_work_groups; i++)
        if (options->work_groups[i] & (options->work_groups[i] - 1))
            options->n_work_groups = 0;
    return options->n_work_groups > 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &options->common;
    else if (key == 'b') {
        options->n_message_bytes = bench_list_parse(text, 8, 32, options->message_bytes);
        for (uint32_t i = 0; i < options->n_message_bytes; i++)
            if (options->message_bytes[i] & (options->message_bytes[i] - 1))
                options->n_message_bytes = 0;
        if (!options->n_message_bytes)
            argp_error(state, "--bytes %s: a list of 8, 16 and 32", text);
    } else if (key == 'g') {
        if (!parse_groups(options, text))
            argp_error(state, "--group %s: a list of powers of two from 16 to %u", text,
                       MOST_ITEMS_OF_A_GROUP);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option pump_options[] = {
    {"bytes", 'b', "N,...", 0, "message sizes: 8, 16, 32 (default all)", 0},
    {"group", 'g', "N,...", 0, "work-group sizes, powers of two from 16 (default 256)", 0},
    {0}};
static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {.options = pump_options,
                                 .parser = parse,
                                 .doc = "Messages a second out of a running kernel, by copies.",
                                 .children = children};

int main(int argc, char **argv)
{
    struct options options = {.common = BENCH_OPTIONS_INIT,
                              .message_bytes = {8, 16, 32},
                              .n_message_bytes = 3,
                              .work_groups = {256},
                              .n_work_groups = 1};
    bool is_valid = true;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    for (uint32_t i = 0; i < options.n_message_bytes; i++)
        for (uint32_t j = 0; j < options.n_work_groups; j++)
            is_valid &= run_case(&options, options.message_bytes[i], options.work_groups[j]);
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
