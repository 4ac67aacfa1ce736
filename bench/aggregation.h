/* SPDX-License-Identifier: MIT */
/*
 * What the variants of bench-aggregation share: the device, the messages of a case, and a sink for
 * node buffers; and the variants.
 *
 * Path:    bench_aggregation.c <-> aggregation_path.c, aggregation_direct.c.
 */
#ifndef GRAVEL_BENCH_AGGREGATION_H
#define GRAVEL_BENCH_AGGREGATION_H

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "memory/memory.h"

#define AGGREGATION_MAX_NODES 64u
#define AGGREGATION_GROUP 256u
#define AGGREGATION_COMMAND GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG)
#define AGGREGATION_BUFFER_BYTES (256u << 10)

/* The receiver of node buffers: counts them, or adds up every index, and returns them at once. */
struct aggregation_sink {
    bool adds;
    uint64_t counts[AGGREGATION_MAX_NODES], sums[AGGREGATION_MAX_NODES];
};

struct aggregation_case {
    struct gravel_device device;
    cl_program program;
    uint32_t n_nodes, n_groups, rounds; /* rounds: messages of a work-item */
    struct gravel_failure failure;
    uint64_t counts[AGGREGATION_MAX_NODES], sums[AGGREGATION_MAX_NODES]; /* what must arrive */
};

/** A sender whose buffers go to the sink. */
struct gravel_sender *aggregation_sender(struct aggregation_case *common,
                                         struct aggregation_sink *sink);

/* Variants host and device: by way of the queue. */
struct aggregation_path {
    struct aggregation_case *common;
    struct gravel_memory memory;
    struct gravel_pump *pump;
    struct gravel_aggregator aggregator;
    struct aggregation_sink sink;
    cl_kernel kernel;
};

/** @param aggregation  GRAVEL_DEVICE_AGGREGATION's value. */
void aggregation_path_open(struct aggregation_path *path, struct aggregation_case *common,
                           const char *aggregation);
/** Send every message of the case, until the last one is in a node buffer that has left. */
void aggregation_path_run(struct aggregation_path *path);
void aggregation_path_close(struct aggregation_path *path);

/* Variant simt-direct: kernels bin, the host copies regions and appends them. */
struct aggregation_direct;
struct aggregation_direct *aggregation_direct_open(struct aggregation_case *common);
/** Send every message of the case. @return false if a buffer overflowed. */
bool aggregation_direct_run(struct aggregation_direct *direct);
struct aggregation_sink *aggregation_direct_sink(struct aggregation_direct *direct);
void aggregation_direct_close(struct aggregation_direct *direct);

#endif
