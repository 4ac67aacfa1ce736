/* SPDX-License-Identifier: MIT */
/*
 * bench-pump: messages a second out of a running kernel on step pump, and plain copies of as
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
#include "bench_gravel.h"
#include "bench_thread.h"
#include "opencl/program.h"
#include "self_test/self_test.h"
#include "memory/package.h"
#include "pump/pump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_PER_UNIT 1024u /* half of what a GPU's unit usually supports */
#define MOST_ITEMS_OF_A_GROUP 1024u
#define RING_BYTES (64u << 20)
#define TARGET_BYTES (4ull << 30) /* of payload in one run, on a GPU */
#define CPU_TARGET_BYTES (64ull << 20)
#define COPY_BYTES (32u << 20)

extern const char bench_pump_cl[];

enum { PUMP, COPY, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {{"pump", "messages/s"},
                                                          {"copy", "messages/s"}};

struct cases {
    uint32_t message_bytes[BENCH_MAX_LIST], n_message_bytes;
    uint32_t work_groups[BENCH_MAX_LIST], n_work_groups;
};

struct place {
    struct gravel_device device;
    struct gravel_memory memory;
    struct gravel_pump *pump;
    struct gravel_package_queue queue;
    cl_program program;
    cl_kernel kernel;
    uint32_t message_bytes, group, n_groups, rounds;
    struct gravel_failure failure;
};

/* ---- one case -------------------------------------------------------------------------------- */

/* Returns a command whose columns are as wide as the messages, so that the pump copies just what
 * is written. */
static uint32_t command_of(uint32_t message_bytes)
{
    return message_bytes == 8    ? GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG)
           : message_bytes == 16 ? GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG)
                                 : GRAVELP_COMMAND_AM(0, GRAVEL_AM_MAX_ARGS); /* the whole slot */
}

static void wake(void *context, uint32_t queue)
{
    (void)context, (void)queue;
}

/* Returns the length of a slot that just holds a group's messages. */
static uint32_t slot_bytes_of(const struct place *place)
{
    uint32_t bytes = GRAVELP_NODE_ROW + place->group * place->message_bytes;
    return bytes < GRAVELP_SLOT_MIN_BYTES ? GRAVELP_SLOT_MIN_BYTES : bytes;
}

static void open_memory(struct place *place)
{
    uint32_t group = place->group, slot_bytes = slot_bytes_of(place);
    const struct gravel_arena_shape shape = {.n_nodes = 1,
                                             .n_heaps = 1,
                                             .n_queues = 1,
                                             .queue_bytes = RING_BYTES / place->message_bytes /
                                                            group * (uint64_t)slot_bytes,
                                             .slot_bytes = slot_bytes,
                                             .heap_bytes = COPY_BYTES,
                                             .wait_ms = 8000,
                                             .poll_ns = 1};
    must(gravel_memory_create(&place->memory, &place->device, &shape), "arena");
    const struct gravel_pump_shape pump = {.memory = &place->memory,
                                           .failure = &place->failure,
                                           .report = bench_end,
                                           .wake = wake,
                                           .timeout_ns = UINT64_C(8000000000)};
    must(gravel_pump_create(&place->pump, &pump), "pump");
    struct gravelp_arena *mirror = place->memory.arena;
    place->queue = (struct gravel_package_queue){.words = gravel_arena_queue(mirror, 0),
                                                 .slots = gravel_arena_slots(mirror, 0),
                                                 .n_slots = mirror->n_slots,
                                                 .slot_bytes = mirror->slot_bytes};
    gravel_pump_attach(place->pump, 0, &place->queue);
}

static void build(struct place *place)
{
    char options[64];
    uint32_t command = command_of(place->message_bytes);
    snprintf(options, sizeof options, "-DWORDS=%u", place->message_bytes / 8);
    const struct gravel_program_request request = {
        .name = "bench_pump.cl", .source = bench_pump_cl, .options = options};
    must(gravel_device_build(&place->device, &request, &place->program), "bench_pump.cl");
    place->kernel = bench_plain_kernel(place->program, "send_rounds");
    must_cl(gravel_memory_set_argument(&place->memory, place->kernel, 0), "arena argument");
    bench_set_uints(place->kernel, 2, &command, 1);
}

static void open_case(struct place *place, uint32_t message_bytes, uint32_t group)
{
    struct gravel_config config;
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    strcpy(config.step, "pump");
    must(gravel_device_open(&place->device, &config, NULL, NULL), "device");
    must(gravel_self_test(&place->device, 8, NULL), "device");
    bool is_cpu = place->device.capability.is_cpu;
    uint64_t bytes = is_cpu ? CPU_TARGET_BYTES : TARGET_BYTES;
    place->message_bytes = message_bytes;
    place->group = group;
    place->n_groups = (place->device.units - 1) * (is_cpu ? 1 : ITEMS_PER_UNIT / group);
    place->rounds = (uint32_t)(bytes / message_bytes / group / place->n_groups) + 1;
    open_memory(place);
    build(place);
}

static void close_case(struct place *place)
{
    clReleaseKernel(place->kernel);
    clReleaseProgram(place->program);
    gravel_pump_stop(place->pump);
    gravel_pump_destroy(place->pump);
    gravel_memory_destroy(&place->memory);
    gravel_device_close(&place->device);
}

/* ---- variants -------------------------------------------------------------------------------- */

static uint64_t word_at(const struct place *place, const struct gravelp_package *package,
                        uint32_t row, uint32_t column)
{
    const uint64_t *words = (const uint64_t *)(package + 1);
    return words[(size_t)row * place->group + column];
}

static uint64_t word_of(uint32_t ticket, uint32_t row, uint32_t column)
{
    return (uint64_t)ticket << 32 | (uint64_t)column << 8 | row;
}

static bool is_right(const struct place *place, const struct gravelp_package *package,
                     uint32_t ticket)
{
    uint32_t column = ticket * 7 % place->group, row = ticket % (place->message_bytes / 8);
    return package->n_messages == place->group && package->base == ticket &&
           word_at(place, package, row, column) == word_of(ticket, row, column);
}

/* Compares every word of the packages that are still in the mirror. */
static bool is_ring_right(const struct place *place)
{
    uint32_t wrong = 0, n = place->queue.n_slots;
    if (place->queue.head < n)
        n = place->queue.head;
    for (uint32_t t = place->queue.head - n; t != place->queue.head; t++) {
        const struct gravelp_package *package = gravel_package_slot(&place->queue, t);
        for (uint32_t row = 0; row < place->message_bytes / 8; row++)
            for (uint32_t column = 0; column < place->group; column++)
                wrong += word_at(place, package, row, column) != word_of(t, row, column);
    }
    return wrong == 0;
}

static bool run_pump(struct place *place, double *rate)
{
    uint64_t n_packages = (uint64_t)place->n_groups * place->rounds;
    struct bench_wait_state wait = {0};
    const struct gravelp_package *package;
    bool is_valid = true;
    bench_set_uints(place->kernel, 1, &place->rounds, 1);
    double start = bench_now();
    cl_event event = bench_enqueue(place->device.queue, place->kernel,
                                   (size_t)place->n_groups * place->group, place->group);
    clFlush(place->device.queue);
    gravel_pump_watch(place->pump, event);
    for (uint64_t taken = 0; taken < n_packages;) {
        if (!(package = gravel_package_peek(&place->queue))) {
            bench_wait(&wait, "a package from the device");
            continue;
        }
        __builtin_prefetch(gravel_package_slot(&place->queue, place->queue.head + 4));
        is_valid &= is_right(place, package, place->queue.head);
        gravel_package_release(&place->queue, 1);
        wait = (struct bench_wait_state){0};
        taken++;
    }
    *rate = (double)(n_packages * place->group) / (bench_now() - start);
    clFinish(place->device.queue);
    clReleaseEvent(event);
    return is_valid && is_ring_right(place);
}

/* Copies as many messages' bytes plainly to the same pinned memory. */
static bool run_copy(struct place *place, double *rate)
{
    unsigned char *to = gravel_arena_slots(place->memory.arena, 0);
    uint64_t from = gravel_memory_heap_offset(&place->memory, 0);
    uint64_t bytes = place->device.capability.is_cpu ? CPU_TARGET_BYTES : TARGET_BYTES, done = 0;
    cl_command_queue queue = place->memory.copies;
    double start = bench_now();
    for (; done < bytes; done += COPY_BYTES)
        must_cl(clEnqueueReadBuffer(queue, place->memory.region.buffer, CL_FALSE, from, COPY_BYTES,
                                    to, 0, NULL, NULL),
                "clEnqueueReadBuffer");
    must_cl(clFinish(queue), "clFinish");
    *rate = (double)done / place->message_bytes / (bench_now() - start);
    return true;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    return variant == PUMP ? run_pump(context, rate) : run_copy(context, rate);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    json_t *fields = json_pack("{s:i, s:i}", "message_bytes", (int)place->message_bytes,
                               "work_group", (int)place->group);
    (void)variant;
    if (median > 0)
        json_object_set_new(fields, "device", json_string(place->device.capability.name));
    return fields;
}

static const struct bench_contest contest = {.name = "bench-pump",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_of_first};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"bytes", 'b', "N,...", "message sizes: 8, 16, 32 (default all)",
         BENCH_POWERS(struct cases, message_bytes, n_message_bytes, 8, 32)},
        {"group", 'g', "N,...", "work-group sizes, powers of two from 16 (default 256)",
         BENCH_POWERS(struct cases, work_groups, n_work_groups, 16, MOST_ITEMS_OF_A_GROUP)},
        {0}};
    struct cases options = {.n_message_bytes = 3,
                            .message_bytes = {8, 16, 32},
                            .n_work_groups = 1,
                            .work_groups = {256}};
    static struct place place;
    bool is_valid = true;
    bench_parse(argc, argv, "Messages a second out of a running kernel, by copies.", own, &options);
    for (uint32_t i = 0; i < options.n_message_bytes; i++)
        for (uint32_t j = 0; j < options.n_work_groups; j++) {
            place = (struct place){.n_groups = 0};
            open_case(&place, options.message_bytes[i], options.work_groups[j]);
            is_valid &= bench_hold(&contest, &place, true);
            close_case(&place);
        }
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
