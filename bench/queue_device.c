/* SPDX-License-Identifier: MIT */
/*
 * Gravel's producer/consumer queue between a kernel and a host thread, without aggregator and
 * network: `work-group` reserves once a work-group, `work-item` once a message.
 *
 * Path:    bench_queue.c -> queue_device.c -> bench_queue.cl -> lib/memory/package.h ->
 *          queue_device.c.
 * Memory:  a queue owns its device, its arena (with an empty heap) and its kernel.
 * Threads: the producer launches and waits; the device's threads write; one consumer.
 * Source:  Orr 2016, section 5.4.1.
 */
#include "queue_variant.h"
#include "bench_gravel.h"
#include "bench_thread.h"
#include "memory/arena.h"
#include "opencl/program.h"
#include "self_test/self_test.h"
#include "device/device.h"
#include "memory/package.h"

#include <stdio.h>
#include <stdlib.h>

/* Text of bench_queue.cl; made by the build. */
extern const char bench_queue_cl[];

struct device_queue {
    struct queue queue;
    struct queue_case measured;
    struct gravel_device device;
    struct gravelp_arena *arena;
    struct gravel_package_queue packages;
    cl_program program;
    cl_kernel kernel;
};

static void device_produce(struct queue *queue, uint64_t n_messages)
{
    struct device_queue *self = (struct device_queue *)queue;
    clReleaseEvent(
        bench_enqueue(self->device.queue, self->kernel, n_messages, self->measured.work_group));
    must_cl(clFinish(self->device.queue), "clFinish");
}

/* Sums the words of a package: rows of n messages, stride apart. */
static uint64_t package_sum(const struct gravelp_package *package, uint32_t n_words)
{
    const uint64_t *words = (const uint64_t *)(package + 1);
    uint64_t sum = 0;
    for (uint32_t row = 0; row < n_words; row++)
        sum += queue_message_sum(words + (size_t)row * package->stride, package->n_messages);
    return sum;
}

/* Returns the next package; ends the program if the kernel reports a fault, since its messages are
 * then dropped. */
static const struct gravelp_package *wait_for_package(struct device_queue *self)
{
    struct bench_wait_state wait = {0};
    const struct gravelp_package *package;
    while (!(package = gravel_package_peek(&self->packages))) {
        uint32_t fault = gravel_word_load(&self->arena->fault, memory_order_acquire); /* F2 */
        if (fault != GRAVELP_FAULT_NONE) {
            fprintf(stderr, "bench-queue: kernel fault %u, ticket %u, value %u\n", fault,
                    self->arena->fault_ticket, self->arena->fault_value);
            exit(EXIT_FAILURE);
        }
        bench_wait(&wait, "a package from the kernel");
    }
    return package;
}

static uint64_t device_consume(struct queue *queue, uint64_t n_messages)
{
    struct device_queue *self = (struct device_queue *)queue;
    uint32_t n_words = self->measured.message_bytes / 8;
    uint64_t sum = 0;
    for (uint64_t taken = 0; taken < n_messages;) {
        const struct gravelp_package *package = wait_for_package(self);
        sum += package_sum(package, n_words);
        taken += package->n_messages;
        gravel_package_release(&self->packages, 1);
    }
    return sum;
}

static void device_close(struct queue *queue)
{
    struct device_queue *self = (struct device_queue *)queue;
    clReleaseKernel(self->kernel);
    clReleaseProgram(self->program);
    gravel_shared_free(&self->device, self->arena);
    gravel_device_close(&self->device);
    free(self);
}

/* Makes an arena whose queue holds QUEUE_RING_BYTES of payload, in slots that just hold `columns` messages. */
static void create_arena(struct device_queue *self, const struct gravel_config *config,
                         uint32_t columns)
{
    uint32_t payload_bytes = GRAVELP_PACKAGE_STRIDE(columns) * self->measured.message_bytes;
    if (payload_bytes < GRAVELP_SLOT_MIN_BYTES - GRAVELP_NODE_ROW)
        payload_bytes = GRAVELP_SLOT_MIN_BYTES - GRAVELP_NODE_ROW;
    const uint32_t slot_bytes = GRAVELP_NODE_ROW + payload_bytes;
    const struct gravel_arena_shape shape = {
        .n_nodes = 1,
        .n_heaps = 1,
        .n_queues = 1,
        .queue_bytes = (uint64_t)(QUEUE_RING_BYTES / payload_bytes) * slot_bytes,
        .slot_bytes = slot_bytes,
        .heap_bytes = 4096,
        .wait_ms = config->timeout_ms,
        .poll_ns = 1,
        .huge_pages = config->huge_pages};
    must(gravel_arena_create(&self->device, &shape, &self->arena), "arena");
    self->packages = (struct gravel_package_queue){.words = gravel_arena_queue(self->arena, 0),
                                                   .slots = gravel_arena_slots(self->arena, 0),
                                                   .n_slots = self->arena->n_slots,
                                                   .slot_bytes = self->arena->slot_bytes};
    self->queue.ring_bytes = (uint64_t)self->arena->n_slots * self->arena->slot_bytes;
}

static void create_kernel(struct device_queue *self, const struct gravel_config *config,
                          const char *kernel_name)
{
    char options[64];
    snprintf(options, sizeof options, "-DWORDS=%u", self->measured.message_bytes / 8);
    const struct gravel_program_request request = {.name = "bench_queue.cl",
                                                   .source = bench_queue_cl,
                                                   .options = options,
                                                   .extra_options = config->build_options};
    must(gravel_device_build(&self->device, &request, &self->program), "bench_queue.cl");
    self->kernel = bench_plain_kernel(self->program, kernel_name);
    must_cl(gravel_shared_set_argument(&self->device, self->kernel, 0, self->arena),
            "the arena as an argument");
}

static struct queue *device_open(const struct queue_variant *variant,
                                 const struct queue_case *measured)
{
    const bool is_item = variant->batch == 1;
    struct device_queue *self = calloc(1, sizeof *self);
    struct gravel_config config;
    must(self ? 0 : GRAVEL_ENOMEM, variant->name);
    self->queue.produce = device_produce;
    self->queue.consume = device_consume;
    self->queue.close = device_close;
    self->measured = *measured;
    bench_avoid(QUEUE_CONSUMER_CORE); /* a CPU driver's threads, made at first use, inherit it */
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    must(gravel_device_open(&self->device, &config, NULL, NULL), "device");
    must(gravel_self_test(&self->device, 1, NULL), "device"); /* may waiting leaders yield? */
    create_arena(self, &config, is_item ? 1 : measured->work_group);
    create_kernel(self, &config, is_item ? "work_item" : "work_group");
    bench_unpin();
    return &self->queue;
}

const struct queue_variant queue_device_variants[] = {
    {.name = "work-group", .open = device_open},
    {.name = "work-item", .open = device_open, .batch = 1},
    {.name = NULL}};
