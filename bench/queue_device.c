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
#include "bench_thread.h"
#include "memory/arena.h"
#include "opencl/program.h"
#include "self_test/self_test.h"
#include "device/shared.h"
#include "memory/package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t global_size = n_messages, local_size = self->measured.work_group;
    cl_int error = clEnqueueNDRangeKernel(self->device.queue, self->kernel, 1, NULL, &global_size,
                                          &local_size, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = clFinish(self->device.queue);
    if (error != CL_SUCCESS) {
        fprintf(stderr, "bench-queue: launch of %zu work-items in groups of %zu: OpenCL error %d\n",
                global_size, local_size, error);
        exit(EXIT_FAILURE);
    }
}

/* Sum of the words of a package: rows of n messages, stride apart. */
static uint64_t package_sum(const struct gravelp_package *package, uint32_t n_words)
{
    const uint64_t *words = (const uint64_t *)(package + 1);
    uint64_t sum = 0;
    for (uint32_t row = 0; row < n_words; row++)
        sum += queue_message_sum(words + (size_t)row * package->stride, package->n_messages);
    return sum;
}

/* The next package; ends the program if the kernel reports a fault, since its messages are then
 * dropped. */
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
        gravel_package_release(&self->packages);
    }
    return sum;
}

static void device_close(struct queue *queue)
{
    struct device_queue *self = (struct device_queue *)queue;
    if (self->kernel)
        clReleaseKernel(self->kernel);
    if (self->program)
        clReleaseProgram(self->program);
    gravel_shared_free(&self->device, self->arena);
    gravel_device_close(&self->device);
    free(self);
}

/* An arena whose queue holds QUEUE_RING_BYTES of payload, in slots that just hold a work-group's.
 */
static int create_arena(struct device_queue *self, const struct gravel_config *config,
                        uint32_t group)
{
    uint32_t payload_bytes = GRAVELP_PACKAGE_STRIDE(group) * self->measured.message_bytes;
    if (payload_bytes < GRAVELP_SLOT_MIN_BYTES - GRAVELP_NODE_ROW)
        payload_bytes = GRAVELP_SLOT_MIN_BYTES - GRAVELP_NODE_ROW;
    uint32_t slot_bytes = GRAVELP_NODE_ROW + payload_bytes;
    struct gravel_arena_shape shape = {.n_nodes = 1,
                                       .n_heaps = 1,
                                       .n_queues = 1,
                                       .queue_bytes = (uint64_t)(QUEUE_RING_BYTES / payload_bytes) *
                                                      slot_bytes,
                                       .slot_bytes = slot_bytes,
                                       .heap_bytes = 4096,
                                       .wait_ms = config->timeout_ms,
                                       .look_ns = 1,
                                       .huge_pages = config->huge_pages};
    int code = gravel_arena_create(&self->device, &shape, &self->arena);
    if (code)
        return code;
    self->packages = (struct gravel_package_queue){.words = gravel_arena_queue(self->arena, 0),
                                                   .slots = gravel_arena_slots(self->arena, 0),
                                                   .n_slots = self->arena->n_slots,
                                                   .slot_bytes = self->arena->slot_bytes};
    self->queue.ring_bytes = (uint64_t)self->arena->n_slots * self->arena->slot_bytes;
    return 0;
}

static int create_kernel(struct device_queue *self, const struct gravel_config *config,
                         const char *kernel_name)
{
    char options[64];
    snprintf(options, sizeof options, "-DWORDS=%u", self->measured.message_bytes / 8);
    struct gravel_program_request request = {.name = "bench_queue.cl",
                                             .source = bench_queue_cl,
                                             .options = options,
                                             .extra_options = config->build_options};
    int code = gravel_device_build(&self->device, &request, &self->program);
    if (code)
        return code;
    cl_int error;
    self->kernel = clCreateKernel(self->program, kernel_name, &error);
    if (error == CL_SUCCESS)
        error = gravel_shared_set_argument(&self->device, self->kernel, 0, self->arena);
    return error == CL_SUCCESS ? 0 : GRAVEL_ECL;
}

static struct queue *open_kernel(const char *kernel_name, uint32_t columns,
                                 const struct queue_case *measured)
{
    struct device_queue *self = calloc(1, sizeof *self);
    struct gravel_config config;
    if (!self) {
        fprintf(stderr, "%s: out of memory\n", kernel_name);
        return NULL;
    }
    self->queue.produce = device_produce;
    self->queue.consume = device_consume;
    self->queue.close = device_close;
    self->measured = *measured;
    bench_avoid(QUEUE_CONSUMER_CORE); /* a CPU driver's threads, made at first use, inherit it */
    int code = gravel_config_load(&config, sizeof config);
    code = code ? code : gravel_device_open(&self->device, &config, NULL, NULL);
    code = code ? code : gravel_self_test(&self->device, 1, NULL); /* may waiting leaders yield? */
    code = code ? code : create_arena(self, &config, columns);
    code = code ? code : create_kernel(self, &config, kernel_name);
    bench_unpin();
    if (code) {
        fprintf(stderr, "%s: %s: %s\n", kernel_name, gravel_strerror(code), gravel_last_error());
        device_close(&self->queue);
        return NULL;
    }
    return &self->queue;
}

static struct queue *open_work_group(const struct queue_variant *variant,
                                     const struct queue_case *measured)
{
    (void)variant;
    return open_kernel("work_group", measured->work_group, measured);
}

static struct queue *open_work_item(const struct queue_variant *variant,
                                    const struct queue_case *measured)
{
    (void)variant;
    return open_kernel("work_item", 1, measured);
}

const struct queue_variant queue_device_variants[] = {
    {.name = "work-group", .open = open_work_group},
    {.name = "work-item", .open = open_work_item},
    {.name = NULL}};
