/* SPDX-License-Identifier: MIT */
/**
 * @file flow.h
 * Channels and channel-flow graphs: kernels that make work for kernels.
 *
 * A graph has channels, bounded queues of records, and a node for each, the function that processes it; gravel.cl.h has
 * the device's part. A flow is a graph with its memory on one node's device: it runs until no record is left that a
 * node processes. Its memory is allocated when it is created. No kernel waits for room: a round of channel elements
 * begins when all that it can make fits, and that is why each edge says how much one element makes at most.
 *
 * Nothing here is collective, and a flow knows nothing of other nodes. One thread at a time makes the calls of a flow,
 * except for gravel_flow_post.
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
    const char *into; /**< name of a channel */
    uint32_t at_most; /**< elements of it that one element makes, at most */
};

/** A channel. Later versions add members at the end; struct gravel_channel_graph has the size. */
struct gravel_channel {
    const char *name;      /**< a C identifier, as the record's struct */
    uint32_t record_bytes; /**< size of the struct, 4-byte words */
    uint32_t kind;  /**< GRAVEL_STREAM, _OUTPUT, _SPAWN, _AFTER or _HELD, and flags (channel.h) */
    uint32_t width; /**< elements it holds, of each level: a power of two; 0 derives it */
    uint32_t n_into;
    const struct gravel_edge *into; /**< [n_into] none of an output */
};

/** A graph. Made by GRAVEL_CHANNEL_GRAPH; members that are 0 are derived. Later versions add members at the end. */
struct gravel_channel_graph {
    size_t bytes;                          /**< sizeof(struct gravel_channel_graph) */
    size_t channel_bytes;                  /**< sizeof(struct gravel_channel) */
    const struct gravel_channel *channels; /**< [n_channels] */
    uint32_t n_channels;
    uint32_t depth;     /**< levels of its stacks: how deep tasks spawn, plus 1 */
    uint64_t max_bytes; /**< of its memory on the device; 0: what the device allocates in a piece */
    uint32_t group_items; /**< work-items of a group; 0: 256 */
    uint32_t n_messages;
    /**< messages that one element's node sends at most; 0: the nodes send none */
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
 * Make a flow: check the graph, and allocate its memory.
 *
 * @param flow   [out] NULL on failure.
 * @param graph  copied.
 * @return       0; GRAVEL_EINVAL, which names the channel and what is wrong with it, or a size that no version has;
 *               GRAVEL_ENOMEM with the bytes of
 *               each channel and the width that would fit; GRAVEL_ECAPABILITY if GRAVEL_SCHEDULER is resident and the
 *               device does not prove that it can: what was seen; GRAVEL_ECL.
 *
 * Source:  Orr 2016, section 4.2.2.
 */
int gravel_flow_create(struct gravel_flow **flow, struct gravel *gravel,
                       const struct gravel_channel_graph *graph);

/**
 * Wait for a run of gravel_flow_start to end, and free the flow and its kernel. NULL is allowed. Before gravel_close.
 *
 * @return  0; what that run came to, if no gravel_flow_wait has returned it: the flow is gone either way; GRAVEL_EINVAL
 *          if a handler or a child of fork calls: the flow stays.
 */
int gravel_flow_destroy(struct gravel_flow *flow);

/**
 * Build the flow's program, which includes "gravel.cl.h", and make its kernel. Once.
 *
 * @param name      of the program, for the compiler's messages.
 * @param source    OpenCL C.
 * @param options   of the compiler, or NULL.
 * @param function  name of the kernel whose arguments begin with GRAVEL_ARENA, GRAVEL_FLOW.
 * @return          0; GRAVEL_EBUILD with the compiler's log, also if a record is not as large as the graph says;
 *                  GRAVEL_EINVAL; GRAVEL_ECL. On failure the flow is not built, and may be built again.
 */
int gravel_flow_build(struct gravel_flow *flow, const char *name, const char *source,
                      const char *options, const char *function);

/**
 * Set an argument of the flow's kernel, as clSetKernelArg does. Not during a run.
 *
 * @param index  from 2 on.
 * @param bytes  of the value.
 * @return       0; GRAVEL_EINVAL; GRAVEL_ECL.
 */
int gravel_flow_set_argument(struct gravel_flow *flow, cl_uint index, size_t bytes,
                             const void *value);

/**
 * Add elements to a stream, or tasks of level 0 to a stack. Not during a run. A stream that feeds itself keeps room for
 * what it makes: a quarter of its width, or as many elements as a group has work-items, whichever is less.
 *
 * @param records  [n][record_bytes] copied before the call returns.
 * @return         0; GRAVEL_EINVAL (no such channel, not one to push to, or a run is under way); GRAVEL_ERANGE if there
 *                 is no room for n; GRAVEL_ENOMEM; GRAVEL_ECL. On failure none is added.
 */
int gravel_flow_push(struct gravel_flow *flow, const char *channel, const void *records,
                     uint32_t n);

/**
 * Add elements as gravel_flow_push does, but from any thread, also a handler of active messages, and also during a run:
 * so the nodes of a job send each other tasks. They wait on the host, in memory that grows; a run
 * adds them between two rounds, as their channel has room. What comes when a run has ended waits for the next.
 *
 * @return  0; GRAVEL_EINVAL (no such channel, or not one to push to); GRAVEL_ENOMEM.
 */
int gravel_flow_post(struct gravel_flow *flow, const char *channel, const void *records,
                     uint32_t n);

/**
 * Make another kernel of the flow's program, for gravel_flow_produce. The caller sets its arguments from 2 on, and
 * releases it before the flow is destroyed.
 *
 * @param function  whose arguments begin with GRAVEL_ARENA, GRAVEL_FLOW, and that opens with GRAVEL_FLOW_PRODUCE.
 * @return          0; GRAVEL_EINVAL; GRAVEL_ECL (no such function).
 */
int gravel_flow_kernel(struct gravel_flow *flow, const char *function, cl_kernel *kernel);

/**
 * Launch a producer, a kernel whose work-items add elements to streams or tasks of level 0 to stacks, and wait for its
 * end. Not during a run.
 *
 * @param n_items  work-items, in groups as the flow's.
 * @param into     [n_into] what one work-item makes at most.
 * @return         0; GRAVEL_ERANGE if there is no room for what all could make, and then it is not launched;
 *                 GRAVEL_EKERNEL if it made more, and the flow is of no use after it; as gravel_flow_run.
 */
int gravel_flow_produce(struct gravel_flow *flow, cl_kernel kernel, size_t n_items,
                        const struct gravel_edge *into, uint32_t n_into);

/**
 * Process elements until none is left but in outputs.
 *
 * @return  0; GRAVEL_EKERNEL if a node made more than its edge declares, spawned at the last level, named a slot that
 *          does not exist, did not enqueue what it reserved, or arrived at or freed a held element too often: channel,
 *          level and counts, and the flow is of no use after it; GRAVEL_ESTUCK with a table of the channels if elements
 *          are left and none can be processed, because outputs are full, or a channel that GRAVEL_MAY_FILL marks: take
 *          from the outputs, and run again; or held elements wait for arrivals, or were not freed;
 *          GRAVEL_ETIMEOUT, with how many, if some work-groups of a resident launch have ended a round and the rest has
 *          not for GRAVEL_TIMEOUT; GRAVEL_EINVAL; GRAVEL_ECL; what ended the node. After an error of a run that has
 *          begun, GRAVEL_ESTUCK excepted, all calls but gravel_flow_destroy return it again.
 *
 * Memory:  what the nodes stored is visible to later kernels, and to gravel_flow_take.
 */
int gravel_flow_run(struct gravel_flow *flow);

/**
 * Run as gravel_flow_run does, concurrently with the caller, by a thread of the flow's: until gravel_flow_wait no calls
 * but those that post, or read counters, may be made; counters are then a moment old.
 *
 * @return  0; GRAVEL_EINVAL; GRAVEL_ESYSTEM.
 */
int gravel_flow_start(struct gravel_flow *flow);

/** Wait for a run of gravel_flow_start to end. @return as gravel_flow_run; GRAVEL_EINVAL without a start. */
int gravel_flow_wait(struct gravel_flow *flow);

/**
 * Call a function as Cilk does: push one task whose result goes to the caller, run, read the result.
 *
 * @param record  [in, out] the task; its slot is set.
 * @param to      offset of the slot in the record [bytes].
 * @param result  [out] [bytes] what was returned to the slot; 0 before.
 * @param bytes   a multiple of 4, up to 4 * GRAVEL_RESULT_WORDS.
 * @return        as gravel_flow_push and gravel_flow_run.
 *
 * Source:  Orr 2016, section 4.3.
 */
int gravel_flow_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                     void *result, size_t bytes);

/**
 * Take the oldest elements of an output. Not during a run.
 *
 * @param records  [out] [capacity][record_bytes]
 * @param n        [out] how many were taken.
 * @return         0; GRAVEL_EINVAL; GRAVEL_ECL.
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

/** Read what a flow counted. Any thread, also during a run. @param bytes  sizeof *stats. @return 0; GRAVEL_EINVAL. */
int gravel_flow_stats_read(struct gravel_flow *flow, struct gravel_flow_stats *stats, size_t bytes);

/**
 * Start the counters at 0 again, but `bytes`. Any thread, also during a run: rounds since the last one that a reader
 * has seen count on one side or the other.
 *
 * @return  0; GRAVEL_EINVAL.
 */
int gravel_flow_stats_reset(struct gravel_flow *flow);

/**
 * Read what a channel held at most. Any thread, also during a run.
 *
 * @param width  [out] elements that a level holds; or NULL.
 * @param peak   [out] most elements that a level held between two rounds; or NULL.
 * @return       0; GRAVEL_EINVAL (no such channel).
 */
int gravel_flow_channel_read(struct gravel_flow *flow, const char *channel, uint32_t *width,
                             uint32_t *peak);

#ifdef __cplusplus
}
#endif

#endif
