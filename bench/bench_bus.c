/* SPDX-License-Identifier: MIT */
/*
 * bench-bus: what the buses of a machine's devices carry, all at once: the limit of messages between their ranks.
 *
 *     mpirun --bind-to none -np 4 bench-bus --runs 5
 *
 * Between two barriers every rank copies pinned host memory to its device, from it, or both ways at once, by two command
 * queues. The rate is that of all ranks together, both ways added. After each run the host must have read back what the
 * device was given before.
 *
 * Path:    options -> rounds over the variants, all nodes together -> node 0 reports.
 * Memory:  two buffers of the device's and two pinned ones of --mib each, for the length of the process.
 * Threads: the main thread, and the library's own, which rest during copies.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <string.h>

enum way { TO_DEVICE, FROM_DEVICE, N_WAYS };

struct bus {
    struct gravel *gravel;
    uint32_t mib, n_copies; /* of a copy; copies of a run, each way */
    cl_command_queue queues[N_WAYS];
    cl_mem device[N_WAYS], pinned[N_WAYS];
    unsigned char *host[N_WAYS]; /* `pinned`, mapped */
};

static const struct bench_variant variants[] = {
    {"to device", "bytes/s"}, {"from device", "bytes/s"}, {"both ways", "bytes/s"}};
enum { N_VARIANTS = sizeof variants / sizeof *variants };
static const bool goes[N_VARIANTS][N_WAYS] = {
    {[TO_DEVICE] = true}, {[FROM_DEVICE] = true}, {true, true}};

static size_t copy_bytes(const struct bus *bus)
{
    return (size_t)bus->mib << 20;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void enqueue(const struct bus *bus, enum way way)
{
    cl_command_queue queue = bus->queues[way];
    size_t bytes = copy_bytes(bus);
    if (way == TO_DEVICE)
        must_cl(clEnqueueWriteBuffer(queue, bus->device[way], CL_FALSE, 0, bytes, bus->host[way], 0,
                                     NULL, NULL),
                "clEnqueueWriteBuffer");
    else
        must_cl(clEnqueueReadBuffer(queue, bus->device[way], CL_FALSE, 0, bytes, bus->host[way], 0,
                                    NULL, NULL),
                "clEnqueueReadBuffer");
}

/* Copies; both queues are full before either is waited for. */
static void copy(const struct bus *bus, uint32_t variant)
{
    for (uint32_t i = 0; i < bus->n_copies; i++)
        for (uint32_t way = 0; way < N_WAYS; way++)
            if (goes[variant][way])
                enqueue(bus, way);
    for (uint32_t way = 0; way < N_WAYS; way++)
        must_cl(clFlush(bus->queues[way]), "clFlush");
    for (uint32_t way = 0; way < N_WAYS; way++)
        must_cl(clFinish(bus->queues[way]), "clFinish");
}

/* Fills both ends before a run, each with a byte of its own on every node. */
static void fill(const struct bus *bus, unsigned char mark)
{
    memset(bus->host[TO_DEVICE], mark, copy_bytes(bus));
    memset(bus->host[FROM_DEVICE], 0, copy_bytes(bus));
    const unsigned char other = (unsigned char)~mark;
    must_cl(clEnqueueFillBuffer(bus->queues[FROM_DEVICE], bus->device[FROM_DEVICE], &other, 1, 0,
                                copy_bytes(bus), 0, NULL, NULL),
            "clEnqueueFillBuffer");
    must_cl(clFinish(bus->queues[FROM_DEVICE]), "clFinish");
}

static bool is_all(const struct bus *bus, const unsigned char *bytes, unsigned char mark)
{
    return bytes[0] == mark && !memcmp(bytes, bytes + 1, copy_bytes(bus) - 1);
}

/* Compares what was read from the device, then has what went there come back to the same pinned buffer. */
static bool holds(struct bus *bus, uint32_t variant, unsigned char mark)
{
    bool is_right =
        !goes[variant][FROM_DEVICE] || is_all(bus, bus->host[FROM_DEVICE], (unsigned char)~mark);
    if (goes[variant][TO_DEVICE]) {
        bench_read(bus->queues[TO_DEVICE], bus->device[TO_DEVICE], copy_bytes(bus),
                   bus->host[FROM_DEVICE]);
        is_right = is_right && is_all(bus, bus->host[FROM_DEVICE], mark);
    }
    return bench_add_up(bus->gravel, !is_right) == 0;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct bus *bus = context;
    unsigned char mark = (unsigned char)(1 + 16 * variant + gravel_node(bus->gravel) % 16);
    fill(bus, mark);
    must(gravel_barrier(bus->gravel), "gravel_barrier");
    double begin_s = bench_now();
    copy(bus, variant);
    must(gravel_barrier(bus->gravel), "gravel_barrier");
    const int n_ways = goes[variant][TO_DEVICE] + goes[variant][FROM_DEVICE];
    *rate = (double)copy_bytes(bus) * bus->n_copies * n_ways * gravel_n_nodes(bus->gravel) /
            (bench_now() - begin_s);
    return holds(bus, variant, mark);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_bus(struct bus *bus)
{
    must(gravel_open(&bus->gravel, NULL, NULL), "gravel_open");
    const cl_context context = gravel_cl_context(bus->gravel);
    for (uint32_t way = 0; way < N_WAYS; way++) {
        cl_int error;
        bus->queues[way] = bench_queue(context, gravel_cl_device(bus->gravel), 0);
        bus->device[way] = bench_buffer(context, 0, copy_bytes(bus));
        bus->pinned[way] = bench_buffer(context, CL_MEM_ALLOC_HOST_PTR, copy_bytes(bus));
        bus->host[way] = clEnqueueMapBuffer(bus->queues[way], bus->pinned[way], CL_TRUE,
                                            CL_MAP_READ | CL_MAP_WRITE, 0, copy_bytes(bus), 0, NULL,
                                            NULL, &error);
        must_cl(error, "clEnqueueMapBuffer");
    }
}

static void close_bus(struct bus *bus)
{
    for (uint32_t way = 0; way < N_WAYS; way++) {
        clEnqueueUnmapMemObject(bus->queues[way], bus->pinned[way], bus->host[way], 0, NULL, NULL);
        clFinish(bus->queues[way]);
        clReleaseMemObject(bus->pinned[way]);
        clReleaseMemObject(bus->device[way]);
        clReleaseCommandQueue(bus->queues[way]);
    }
    must(gravel_close(bus->gravel), "gravel_close");
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct bus *bus = context;
    (void)variant, (void)median;
    return json_pack("{si si}", "nodes", (int)gravel_n_nodes(bus->gravel), "mib", (int)bus->mib);
}

static const struct bench_contest contest = {.name = "bench-bus",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"mib", 'm', "N", "Size of a copy (64)", OPTION_NUMBER(struct bus, mib, 1, 1024)},
        {"copies", 'c', "N", "Copies of a run (16)", OPTION_NUMBER(struct bus, n_copies, 1, 1000)},
        {0}};
    static struct bus bus = {.mib = 64, .n_copies = 16};
    bench_parse(argc, argv, "What the buses of all ranks' devices carry at once.", own, &bus);
    open_bus(&bus);
    const bool is_valid = bench_hold(&contest, &bus, gravel_node(bus.gravel) == 0);
    close_bus(&bus);
    return is_valid ? 0 : 1;
}
