/* SPDX-License-Identifier: MIT */
/**
 * @file flow.h
 * Channels and channel-flow graphs: kernels that make work for kernels.
 *
 * A graph has channels, bounded queues of records, and for each a *node*, the function that processes its elements. A
 * flow is a graph with its memory on one Gravel node's device; it runs until no element is left that a node processes.
 * No kernel waits for room: a round of elements begins when all that it can make fits, so each edge says how much one
 * element makes at most.
 *
 * No call is collective. During a run any thread may call gravel_flow_post, and read or reset counters; besides these
 * only gravel_flow_wait and gravel_flow_destroy. An unknown channel is GRAVEL_EINVAL.
 *
 * Source:  Orr 2016, chapter 4.
 */
#ifndef GRAVEL_FLOW_H
#define GRAVEL_FLOW_H

#include "channel.h"
#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A channel-flow graph with its memory. Opaque; made by gravel_flow_create. */
struct gravel_flow;

/** What the node of a channel makes. Never grows. */
struct gravel_edge {
    const char *into; /**< a channel */
    uint32_t at_most; /**< elements that one element makes */
};

/** A channel; struct gravel_channel_graph has its size. */
struct gravel_channel {
    const char *name;      /**< of the record's struct */
    uint32_t record_bytes; /**< of the struct, 4-byte words */
    uint32_t kind;  /**< GRAVEL_STREAM, _OUTPUT, _SPAWN, _AFTER or _HELD, and flags (channel.h) */
    uint32_t width; /**< elements of a level, a power of two */
    uint32_t n_into;
    const struct gravel_edge *into; /**< [n_into] */
};

/** A graph. Made by GRAVEL_CHANNEL_GRAPH; 0 derives a member. */
struct gravel_channel_graph {
    size_t bytes;
    size_t channel_bytes;
    const struct gravel_channel *channels; /**< [n_channels] */
    uint32_t n_channels;
    uint32_t depth;       /**< how deep tasks spawn, plus 1 */
    uint64_t max_bytes;   /**< of the device; 0: what it allocates in a piece */
    uint32_t group_items; /**< work-items of a group; 0: 256 */
    uint32_t n_messages;  /**< that an element's node sends at most */
};

/**
 * Initialises struct gravel_channel_graph, its sizes included:
 *
 *     struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(.channels = channels, .n_channels = 2, .depth = 20);
 */
#define GRAVEL_CHANNEL_GRAPH(...)                                   \
    {                                                               \
        .bytes = sizeof(struct gravel_channel_graph),               \
        .channel_bytes = sizeof(struct gravel_channel), __VA_ARGS__ \
    }

/**
 * Checks a graph and allocates its memory.
 *
 * @param graph  copied.
 * @return       0; GRAVEL_EINVAL (the channel and what is wrong; a size of no version); GRAVEL_ENOMEM (each channel's
 *               bytes, and the width that would fit); GRAVEL_ECAPABILITY (GRAVEL_SCHEDULER is resident, and the device
 *               fails its self-test).
 *
 * Source:  Orr 2016, section 4.2.2.
 */
int gravel_flow_create(struct gravel_flow **flow, struct gravel *gravel,
                       const struct gravel_channel_graph *graph);

/**
 * Waits for a run of gravel_flow_start, and frees the flow and its kernel, also after an error.
 *
 * @return  0; the error of that run, if gravel_flow_wait has not returned it.
 */
int gravel_flow_destroy(struct gravel_flow *flow);

/**
 * Builds the flow's program, which includes "gravel.cl.h", and makes its kernel. Once; after an error, again.
 *
 * @param name      file name for the compiler's messages.
 * @param options   of the compiler, or NULL.
 * @param function  a kernel whose arguments begin with GRAVEL_ARENA, GRAVEL_FLOW.
 * @return          0; GRAVEL_EBUILD (the compiler's log; a record of another size than the graph's).
 */
int gravel_flow_build(struct gravel_flow *flow, const char *name, const char *source,
                      const char *options, const char *function);

/**
 * Sets an argument of the flow's kernel, as clSetKernelArg.
 *
 * @param index  from 2 on.
 */
int gravel_flow_set_argument(struct gravel_flow *flow, cl_uint index, size_t bytes,
                             const void *value);

/**
 * Adds elements to a stream, or tasks of level 0 to a stack; all or, after an error, none. A stream that feeds itself
 * keeps room for what it makes: a quarter of its width, or the work-items of a group if they are fewer.
 *
 * @param records  [n][record_bytes] copied before the call returns.
 * @return         0; GRAVEL_ERANGE (no room for n).
 */
int gravel_flow_push(struct gravel_flow *flow, const char *channel, const void *records,
                     uint32_t n);

/**
 * Adds elements as gravel_flow_push, by any thread, in a handler and during a run, too. They wait in memory of the
 * host until their channel has room between two rounds.
 */
int gravel_flow_post(struct gravel_flow *flow, const char *channel, const void *records,
                     uint32_t n);

/**
 * Makes another kernel of the flow's program, for gravel_flow_produce. The caller sets its arguments from 2 on, and
 * releases it before the flow is destroyed.
 *
 * @param function  a kernel whose arguments begin with GRAVEL_ARENA, GRAVEL_FLOW, and that opens with
 *                  GRAVEL_FLOW_PRODUCE.
 */
int gravel_flow_kernel(struct gravel_flow *flow, const char *function, cl_kernel *kernel);

/**
 * Launches a producer, whose work-items add elements to streams or tasks of level 0 to stacks, and waits for it.
 *
 * @param n_items  work-items, in groups as the flow's.
 * @param into     [n_into] what one work-item makes at most.
 * @return         0; GRAVEL_ERANGE (no room for what all could make: not launched); GRAVEL_EKERNEL (it made more: the
 *                 flow is unusable); as gravel_flow_run.
 */
int gravel_flow_produce(struct gravel_flow *flow, cl_kernel kernel, size_t n_items,
                        const struct gravel_edge *into, uint32_t n_into);

/**
 * Processes elements until none is left except in outputs.
 *
 * @return  0; GRAVEL_EKERNEL (channel, level and counts of a node that broke flow.cl.h's terms); GRAVEL_ESTUCK (a
 *          table of the channels: outputs or a GRAVEL_MAY_FILL channel are full: take from them and run again; or held
 *          elements lack arrivals or were not freed); GRAVEL_ETIMEOUT (how many groups of a resident launch have not
 *          ended a round for GRAVEL_TIMEOUT). After another error than GRAVEL_ESTUCK all calls except
 *          gravel_flow_destroy return it again.
 *
 * Memory:  later kernels and gravel_flow_take see what the nodes stored.
 */
int gravel_flow_run(struct gravel_flow *flow);

/**
 * Starts a run on a thread of the flow, until gravel_flow_wait. Counters are a moment old then.
 *
 * @return  0; GRAVEL_ESYSTEM.
 */
int gravel_flow_start(struct gravel_flow *flow);

/**
 * Waits for a run of gravel_flow_start to end. @return as gravel_flow_run; GRAVEL_EINVAL without a start.
 */
int gravel_flow_wait(struct gravel_flow *flow);

/**
 * Calls a function as Cilk does: pushes one task whose result goes to the caller, runs, reads the result.
 *
 * @param record  [in, out] the task; its slot is set.
 * @param to      offset of the slot in the record [bytes].
 * @param result  [out] [bytes] what was returned to the slot; 0 if nothing was.
 * @param bytes   a multiple of 4, up to 4 * GRAVEL_RESULT_WORDS.
 * @return        as gravel_flow_push and gravel_flow_run.
 *
 * Source:  Orr 2016, section 4.3.
 */
int gravel_flow_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                     void *result, size_t bytes);

/**
 * Takes the oldest elements of an output.
 *
 * @param records  [out] [capacity][record_bytes]
 * @param n        [out] how many were taken.
 */
int gravel_flow_take(struct gravel_flow *flow, const char *channel, void *records,
                     uint32_t capacity, uint32_t *n);

/* X(field, unit, help): what a flow counted since it was made, or since gravel_flow_stats_reset. */
#define GRAVEL_FLOW_STATS_FIELDS(X)                                                             \
    X(rounds, "count", "rounds of elements")                                                    \
    X(small_rounds, "count", "of rounds, those of one work-group")                              \
    X(elements, "count", "elements processed")                                                  \
    X(lanes, "count",                                                                           \
      "work-items of the groups that processed them, or of a group node 1; elements over this " \
      "is how full groups were")                                                                \
    X(run_ns, "nanoseconds", "time of runs")                                                    \
    X(scheduler_ns, "nanoseconds", "of it, time when no round ran")                             \
    X(bytes, "bytes", "of the flow's memory on the device")                                     \
    X(runs, "count", "runs that have begun")                                                    \
    X(launches, "count", "of the flow's kernel; one processes one round or several")

#define GRAVEL_FLOW_STATS_FIELD(field, unit, help) uint64_t field;
/** From version 1.0 on, new counters are added at the end. */
struct gravel_flow_stats {
    GRAVEL_FLOW_STATS_FIELDS(GRAVEL_FLOW_STATS_FIELD)
};
#undef GRAVEL_FLOW_STATS_FIELD

/** Reads what a flow counted. */
int gravel_flow_stats_read(struct gravel_flow *flow, struct gravel_flow_stats *stats, size_t bytes);

/** Sets the counters to 0, except `bytes`. During a run, recent rounds count before or after it. */
int gravel_flow_stats_reset(struct gravel_flow *flow);

/**
 * Reads how full a channel was.
 *
 * @param width  [out] elements that a level holds; or NULL.
 * @param peak   [out] most that a level held between two rounds; or NULL.
 */
int gravel_flow_channel_read(struct gravel_flow *flow, const char *channel, uint32_t *width,
                             uint32_t *peak);

#ifdef __cplusplus
}
#endif

#endif
