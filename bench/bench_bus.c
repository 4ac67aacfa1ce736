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

static const struct variant {
    const char *name;
    bool goes[N_WAYS];
} variants[] = {{"to device", {[TO_DEVICE] = true}},
                {"from device", {[FROM_DEVICE] = true}},
                {"both ways", {true, true}}};
#define N_VARIANTS ((uint32_t)(sizeof variants / sizeof *variants))

static size_t copy_bytes(const struct bus *bus)
{
    return (size_t)bus->mib << 20;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void enqueue(const struct bus *bus, enum way way, cl_bool waits)
{
    cl_command_queue queue = bus->queues[way];
    size_t bytes = copy_bytes(bus);
    if (way == TO_DEVICE)
        must_cl(clEnqueueWriteBuffer(queue, bus->device[way], waits, 0, bytes, bus->host[way], 0,
                                     NULL, NULL),
                "clEnqueueWriteBuffer");
    else
        must_cl(clEnqueueReadBuffer(queue, bus->device[way], waits, 0, bytes, bus->host[way], 0,
                                    NULL, NULL),
                "clEnqueueReadBuffer");
}

/* Both queues are full before either is waited for. */
static void copy(const struct bus *bus, const bool goes[N_WAYS])
{
    for (uint32_t i = 0; i < bus->n_copies; i++)
        for (uint32_t way = 0; way < N_WAYS; way++)
            if (goes[way])
                enqueue(bus, way, CL_FALSE);
    for (uint32_t way = 0; way < N_WAYS; way++)
        must_cl(clFlush(bus->queues[way]), "clFlush");
    for (uint32_t way = 0; way < N_WAYS; way++)
        must_cl(clFinish(bus->queues[way]), "clFinish");
}

/* What each end has before a run: a byte of its own on every node. */
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

/* What went to the device comes back by the other pinned buffer, after what that was read for has been compared. */
static bool holds(struct bus *bus, const bool goes[N_WAYS], unsigned char mark)
{
    bool is_right = !goes[FROM_DEVICE] || is_all(bus, bus->host[FROM_DEVICE], (unsigned char)~mark);
    if (goes[TO_DEVICE]) {
        must_cl(clEnqueueReadBuffer(bus->queues[TO_DEVICE], bus->device[TO_DEVICE], CL_TRUE, 0,
                                    copy_bytes(bus), bus->host[FROM_DEVICE], 0, NULL, NULL),
                "clEnqueueReadBuffer");
        is_right = is_right && is_all(bus, bus->host[FROM_DEVICE], mark);
    }
    uint64_t n_wrong = !is_right;
    must(gravel_reduce(bus->gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_wrong, 1), "gravel_reduce");
    return n_wrong == 0;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct bus *bus = context;
    const bool *goes = variants[subject].goes;
    unsigned char mark = (unsigned char)(1 + 16 * subject + gravel_node(bus->gravel) % 16);
    fill(bus, mark);
    must(gravel_barrier(bus->gravel), "gravel_barrier");
    double begin_s = bench_now();
    copy(bus, goes);
    must(gravel_barrier(bus->gravel), "gravel_barrier");
    double bytes = (double)copy_bytes(bus) * bus->n_copies * (goes[TO_DEVICE] + goes[FROM_DEVICE]);
    *rate = bytes * gravel_n_nodes(bus->gravel) / (bench_now() - begin_s);
    return holds(bus, goes, mark);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cl_mem make_buffer(const struct bus *bus, cl_mem_flags flags)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(gravel_cl_context(bus->gravel), flags, copy_bytes(bus), NULL, &error);
    must_cl(error, "clCreateBuffer");
    return buffer;
}

static void open_bus(struct bus *bus)
{
    must(gravel_open(&bus->gravel, NULL, NULL), "gravel_open");
    for (uint32_t way = 0; way < N_WAYS; way++) {
        cl_int error;
        bus->queues[way] = clCreateCommandQueueWithProperties(
            gravel_cl_context(bus->gravel), gravel_cl_device(bus->gravel), NULL, &error);
        must_cl(error, "clCreateCommandQueueWithProperties");
        bus->device[way] = make_buffer(bus, CL_MEM_READ_WRITE);
        bus->pinned[way] = make_buffer(bus, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
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

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"mib", 'm', "Size of a copy (64)", BENCH_COUNT(struct bus, mib, 1, 1024)},
        {"copies", 'c', "Copies of a run (16)", BENCH_COUNT(struct bus, n_copies, 1, 1000)},
        {0}};
    static struct bench_subject subjects[N_VARIANTS];
    static struct bus bus = {.mib = 64, .n_copies = 16};
    struct bench_options options = BENCH_OPTIONS_INIT;
    bench_parse(argc, argv, "What the buses of all ranks' devices carry at once.", own, &bus,
                &options);
    open_bus(&bus);
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        subjects[i] = (struct bench_subject){.variant = variants[i].name};
    bench_rounds(subjects, N_VARIANTS, options.runs, run, &bus);
    bool is_valid = true;
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        is_valid = is_valid && subjects[i].is_valid;
        if (gravel_node(bus.gravel) == 0 && bench_variant_is_wanted(&options, variants[i].name))
            bench_report(&options, "bench-bus", "bytes/s", &subjects[i],
                         json_pack("{si si}", "nodes", (int)gravel_n_nodes(bus.gravel), "mib",
                                   (int)bus.mib));
    }
    close_bus(&bus);
    return is_valid ? 0 : 1;
}
