/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a flow call. A program of gravel_flow_build gets this with gravel.cl.h.
 *
 *     GRAVEL_RECORD(fib)
 *     GRAVEL_RECORD(sum)
 *     kernel void fib_flow(GRAVEL_ARENA, GRAVEL_FLOW)
 *     {
 *         GRAVEL_FLOW_OPEN(f);
 *         GRAVEL_ROUNDS(f) {
 *             GRAVEL_NODE(f, fib) fib_task(f, f.active, gravel_read_fib_wi(f));
 *             GRAVEL_NODE(f, sum) sum_task(f, f.active, gravel_read_sum_wi(f));
 *         }
 *     }
 *
 * A *channel* is a bounded queue of channel elements (CEs), records that the channel's *node* processes. A round takes
 * CEs of one channel and level, one for each work-item; what it makes is processed in later rounds. Every work-item of
 * the group runs the node: f.active is 0 for those without a CE, f.level is the round's level, and f.group sends
 * messages. With GRAVEL_GROUP_NODE a whole group has one CE, and its node may use local memory, which the kernel
 * declares, and gravel_barrier_wg.
 *
 * The suffix S is wg, wg_if or wi, as in gravel.cl.h, or sg or sg_if where the device has sub-groups; _wi calls that
 * reserve are slower. For each channel, whose name and record is NAME:
 *
 *     struct NAME gravel_read_NAME_wi(f)                          the work-item's CE; anything without one
 *     gravel_ce gravel_spawn_NAME_S(f, [active,] record)          a CE of a stack of tasks, one level deeper
 *     gravel_ce gravel_sync_NAME_S(f, [active,] record)           a continuation, of this level: it runs when all
 *                                                                 that was spawned below has ended
 *     gravel_ce gravel_push_NAME_S(f, [active,] record)           a CE of a stream or output
 *     gravel_write_NAME_wi(f, channel, ce, record)                write a CE that talloc or fork reserved
 *     gravel_write_NAME_wg_if(f, active, channel, ce, record)     every work-item of the group
 *
 * In steps, for any number of CEs; `channel`, `after` and `into` are GRAVEL_CHANNEL(NAME), the same for the whole
 * group:
 *
 *     gravel_ce gravel_talloc_S(f, [active,] channel, n)          reserve n CEs, each work-item its own n; except for
 *                                                                 _wi below 2^31 / GRAVEL_MAX_GROUP. The i-th is ce + i
 *     gravel_enq_S(f, channel)                                    they are written; each talloc needs its enq
 *     struct gravel_fork gravel_fork_S(f, [active,] after, into, n)
 *                                                                 spawn and sync, faster: a continuation, .after, and
 *                                                                 its n tasks from .first on, enqueued, for the node
 *                                                                 to write; none if n is 0. S: wg, wg_if, sg, sg_if
 *
 * Elements of a held channel wait for arrivals, and stay until they are freed:
 *
 *     gravel_hold_NAME_S(f, [active,] ce, joins, record)          write a CE that talloc reserved; the last of `joins`
 *                                                                 arrivals (at most GRAVEL_MOST_JOINS) enqueues it,
 *                                                                 the call itself if they are 0
 *     gravel_arrive_S(f, [active,] channel, ce)                   one arrival
 *     gravel_ce gravel_deq_wi(f, channel)                         the work-item's CE
 *     struct NAME gravel_peek_NAME_wi(f, ce)                      any CE that has not been freed
 *     gravel_tfree_S(f, [active,] channel, ce)                    free an enqueued CE, once; no later round reads it
 *
 * A gravel_ce of a held channel is a word for records. In the round that makes a CE only its maker arrives at it. What
 * an arrival brings is returned to a slot before: a word of a continuation or held CE, or of the caller's result. TYPE
 * is int, uint or float, and without add also long or ulong:
 *
 *     gravel_slot GRAVEL_SLOT(f, ce, NAME, field)                 of a continuation of this round, or of a held CE
 *     gravel_return_TYPE_S(f, [active,] slot, value)              store a result
 *     gravel_return_add_TYPE_S(f, [active,] slot, value)          add to it
 *
 * These end the run with GRAVEL_EKERNEL, and nothing is overwritten: more CEs than the graph's edge declares, a spawn
 * at the last level, a slot that does not exist, a talloc without enq, an arrival at a held CE that waits for none,
 * too many joins, and a tfree of a CE that waits or has been freed. A divergent `if` or loop that is first or last in
 * a node needs a gravel_barrier_wg next to it; _wg_if calls do not.
 *
 * Path:    the user's nodes -> this -> device/, in the order round, channel.
 * Memory:  all that a round did is visible to later rounds. A result is a plain store, or a relaxed addition, that the
 *          continuation's round reads later (K4).
 * Source:  Orr 2016, sections 4.1 (table 4-1) to 4.3 (spawn, sync, figures 4-6 to 4-9).
 */
#ifndef GRAVEL_FLOW_CL_H
#define GRAVEL_FLOW_CL_H

#include "round.cl.h"

#ifdef GRAVELP_FLOW_SIGN

/* ---- a flow's kernel --------------------------------------------------------------------------- */

/* The kernel argument after GRAVEL_ARENA; the host sets both. */
#define GRAVEL_FLOW global struct gravelp_flow *gravel_flow_

/* Declares `f` and the group's local memory: in the outermost scope of the kernel, once. */
#define GRAVEL_FLOW_OPEN(f)                                        \
    GRAVEL_OPEN(gravel_group_);                                    \
    GRAVELP_LOCAL(gravelp_flow_scratch, gravelp_flow_local, flow); \
    struct gravel_flow_group f = gravelp_round_open(gravel_group_, gravel_flow_, gravelp_flow_local)

/* Declares `f`, as the first statement of a producer's kernel, to push, and to spawn at level 0. */
#define GRAVEL_FLOW_PRODUCE(f)                                     \
    GRAVEL_OPEN(gravel_group_);                                    \
    GRAVELP_LOCAL(gravelp_flow_scratch, gravelp_flow_local, flow); \
    struct gravel_flow_group f = gravelp_round_none(gravel_group_, gravel_flow_, gravelp_flow_local)

/*
 * The rounds of this launch: once, around all nodes; the statement after GRAVEL_NODE is the channel's node.
 */
#ifdef GRAVELP_FLOW_LOOP /* all nodes for each chunk, all except one without a CE */
#define GRAVEL_ROUNDS(f) for (; (f).scratch->goes_on; gravelp_chunk_next(&(f)))
#else
#define GRAVEL_ROUNDS(f)
#endif
#if defined(GRAVELP_ONE_THREAD) && (defined(GRAVELP_FLOW_LOOP) || defined(GRAVELP_LATER_LLVM))
#define GRAVEL_NODE(f, name)                                   \
    GRAVELP_LATER_BARRIER();                                   \
    (f).active = gravelp_chunk_is_of(f, GRAVEL_CHANNEL(name)); \
    (f).is_on = (f).channel == GRAVEL_CHANNEL(name);
#else /* not where PoCL 3.1 and 6.0 lose variables over barriers under a condition in a loop */
#define GRAVEL_NODE(f, name) if ((f).channel == GRAVEL_CHANNEL(name))
#endif

/* The number of the channel `name`; another name does not build. */
#define GRAVEL_CHANNEL(name) GRAVEL_CHANNEL_##name

/* ---- held channels ----------------------------------------------------------------------------- */

/*
 * A held CE is named by its free-running index, so that a name that is kept too long differs from the name of the CE
 * that has its column in a later lap. All is relaxed (K8, K9): what arrivals stored is read by the CE's node, and the
 * room of freed CEs is used, in later rounds.
 */
GRAVELP_INLINE uint gravelp_state_of(uint channel, gravel_ce ce, uint joins)
{
    return gravelp_held_state(gravelp_channels[channel].width, ce, joins);
}
GRAVELP_INLINE global uint *gravelp_held_states(struct gravel_flow_group f, uint channel)
{
    return gravelp_rows(f) + gravelp_channels[channel].states;
}

/* An entry of the ring of those that are enqueued. */
GRAVELP_INLINE global uint *gravelp_held_entry(struct gravel_flow_group f, uint channel, uint index)
{
    return gravelp_held_states(f, channel) + gravelp_channels[channel].width +
           gravelp_column(channel, index);
}

/* A work-item that has reserved a CE: how many arrivals it waits for. */
GRAVELP_INLINE void gravelp_held_begin(struct gravel_flow_group f, uint channel, gravel_ce ce,
                                       uint joins)
{
    if (joins > GRAVEL_MOST_JOINS)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_JOINS, channel, joins, GRAVEL_MOST_JOINS);
    else if (ce < GRAVELP_NO_CE)
        gravelp_device_store_relaxed(gravelp_held_states(f, channel) + gravelp_column(channel, ce),
                                     gravelp_state_of(channel, ce, joins)); /* K8 */
}

/* Any work-item: one arrival. @return whether it is the last, so that the CE is to be enqueued. */
GRAVELP_INLINE bool gravelp_held_arrive(struct gravel_flow_group f, uint channel, gravel_ce ce)
{
    global uint *state = gravelp_held_states(f, channel) + gravelp_column(channel, ce);
    uint last = gravelp_state_of(channel, ce, 1);
    if (ce >= GRAVELP_NO_CE)
        return false;
    uint left = gravelp_device_fetch_add_relaxed(state, 0xffffffffu); /* K8 */
    if (left - last >= GRAVEL_MOST_JOINS)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_JOIN, channel, left, last);
    return left == last;
}

/* Any work-item: free a CE that has been enqueued. */
GRAVELP_INLINE void gravelp_held_free(struct gravel_flow_group f, uint channel, gravel_ce ce)
{
    uint width = gravelp_channels[channel].width, enqueued = gravelp_state_of(channel, ce, 0);
    if (ce >= GRAVELP_NO_CE)
        return;
    uint state = gravelp_device_fetch_add_relaxed(gravelp_held_states(f, channel) +
                                                      gravelp_column(channel, ce),
                                                  GRAVELP_JOINS_FREED); /* K9 */
    if (state != enqueued)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_FREE, channel, state, enqueued);
    else
        gravelp_device_fetch_add_relaxed(
            gravelp_flow_words(f.flow, f.flow->done_at + gravelp_channels[channel].done +
                                           gravelp_held_done_of(width, ce)),
            1); /* K9 */
}

/* ---- calls of a group, a sub-group, or a work-item ---------------------------------------------- */

/*
 * What is written once for the three, `by` wg, sg or wi. Work-items that run a node idly (not IS_ON) take no part; one
 * that leads does something for all, behind BEGIN; a call whose last part is an `if` has END behind it, or at least
 * KEEP.
 */
#define GRAVELP_IS_ON_wg(f) (f).is_on
#define GRAVELP_LEADS_wg() gravelp_is_leader()
#define GRAVELP_BEGIN_wg(f) gravelp_group_meet_apart((f).group.arena)
#define GRAVELP_END_wg(f) gravelp_predicate_end((f).group.arena)
#define GRAVELP_KEEP_wg(f) gravelp_block_keep((f).group.arena)
#define GRAVELP_IS_ON_sg(f) (f).is_on
#define GRAVELP_LEADS_sg() (gravelp_sg_lane() == 0)
#define GRAVELP_BEGIN_sg(f)
#define GRAVELP_END_sg(f)
#define GRAVELP_KEEP_sg(f)
#define GRAVELP_IS_ON_wi(f) 1
#define GRAVELP_LEADS_wi() true
#define GRAVELP_BEGIN_wi(f)
#define GRAVELP_END_wi(f)
#define GRAVELP_KEEP_wi(f)
#ifdef GRAVEL_HAS_SUBGROUPS
#define GRAVELP_BY_SG(calls) calls
#else
#define GRAVELP_BY_SG(calls)
#endif

/*
 * gravel_talloc reserves CEs, to be written by gravel_write_NAME_wi, and gravel_enq says that they are. gravel_arrive
 * is one of the arrivals that a held CE waits for.
 */
#define GRAVELP_DEFINE_CALLS_BY(by)                                                                \
    GRAVELP_INLINE gravel_ce gravel_talloc_##by(struct gravel_flow_group f, uint channel, uint n)  \
    {                                                                                              \
        gravel_ce ce = gravelp_reserve_##by(f, channel, GRAVELP_IS_ON_##by(f) ? n : 0);            \
        if (GRAVELP_LEADS_##by())                                                                  \
            gravelp_count_unenqueued(f, channel, (int)GRAVELP_IS_ON_##by(f));                      \
        GRAVELP_END_##by(f);                                                                       \
        return ce;                                                                                 \
    }                                                                                              \
    GRAVELP_INLINE void gravel_enq_##by(struct gravel_flow_group f, uint channel)                  \
    {                                                                                              \
        GRAVELP_BEGIN_##by(f);                                                                     \
        if (GRAVELP_LEADS_##by())                                                                  \
            gravelp_count_unenqueued(f, channel, -(int)GRAVELP_IS_ON_##by(f));                     \
        GRAVELP_END_##by(f);                                                                       \
    }                                                                                              \
    GRAVELP_INLINE void gravelp_enqueue_##by(struct gravel_flow_group f, uint channel,             \
                                             gravel_ce ce, uint is_ready)                          \
    {                                                                                              \
        uint position = gravelp_take_##by(f, channel, is_ready != 0, true);                        \
        if (is_ready)                                                                              \
            GRAVELP_ROW_STORE(gravelp_held_entry(f, channel, position),                            \
                              ce &GRAVELP_CE_MASK); /* K8 */                                       \
        GRAVELP_END_##by(f);                                                                       \
    }                                                                                              \
    GRAVELP_INLINE void gravel_arrive_##by##_if(struct gravel_flow_group f, uint active,           \
                                                uint channel, gravel_ce ce)                        \
    {                                                                                              \
        uint is_ready = 0;                                                                         \
        if (active)                                                                                \
            is_ready = gravelp_held_arrive(f, channel, ce);                                        \
        gravelp_enqueue_##by(f, channel, ce, is_ready);                                            \
    }                                                                                              \
    GRAVELP_INLINE void gravel_arrive_##by(struct gravel_flow_group f, uint channel, gravel_ce ce) \
    {                                                                                              \
        gravel_arrive_##by##_if(f, GRAVELP_IS_ON_##by(f), channel, ce);                            \
    }
GRAVELP_DEFINE_CALLS_BY(wg)
GRAVELP_DEFINE_CALLS_BY(wi)
GRAVELP_BY_SG(GRAVELP_DEFINE_CALLS_BY(sg))
#define gravel_talloc_wg_if(f, active, channel, n) gravel_talloc_wg(f, channel, (active) ? (n) : 0)
#define gravel_talloc_sg_if(f, active, channel, n) gravel_talloc_sg(f, channel, (active) ? (n) : 0)

/* ---- records ----------------------------------------------------------------------------------- */

/* Any work-item: its CE of the round; of a held channel the name by which it is freed. */
GRAVELP_INLINE gravel_ce gravel_deq_wi(struct gravel_flow_group f, uint channel)
{
    return gravelp_channels[channel].kind == GRAVEL_HELD
               ? GRAVELP_ROW_LOAD(gravelp_held_entry(f, channel, f.index)) /* K8 */
               : gravelp_column(channel, f.index);
}

/*
 * A record by word, in straight code: where a compiler turns a group into a loop over its work-items (PoCL), an array
 * with a changing index stays in memory that all of them share, and is taken for memory that each has of its own.
 */
#define GRAVELP_WORDS_OF(name) (sizeof(struct name) / sizeof(uint))
#define GRAVELP_RECORD_UNION(name)                          \
    union {                                                 \
        struct name record;                                 \
        uint word[GRAVEL_RECORD_MOST_BYTES / sizeof(uint)]; \
    }
#define GRAVELP_FOUR_WORDS(X, name, i) X(name, i) X(name, i + 1) X(name, i + 2) X(name, i + 3)
#define GRAVELP_EACH_WORD(X, name)  \
    GRAVELP_FOUR_WORDS(X, name, 0)  \
    GRAVELP_FOUR_WORDS(X, name, 4)  \
    GRAVELP_FOUR_WORDS(X, name, 8)  \
    GRAVELP_FOUR_WORDS(X, name, 12) \
    GRAVELP_FOUR_WORDS(X, name, 16) \
    GRAVELP_FOUR_WORDS(X, name, 20) \
    GRAVELP_FOUR_WORDS(X, name, 24) \
    GRAVELP_FOUR_WORDS(X, name, 28)
#define GRAVELP_WRITE_WORD(name, i)                                                                \
    if (GRAVELP_WORDS_OF(name) > i && ce < GRAVELP_NO_CE && i < gravelp_channels[channel].n_words) \
        GRAVELP_ROW_STORE(gravelp_word_of(f, channel, level, ce, i), words.word[i]);
#define GRAVELP_READ_WORD(name, i)  \
    if (GRAVELP_WORDS_OF(name) > i) \
        words.word[i] = GRAVELP_ROW_LOAD(gravelp_word_of(f, GRAVEL_CHANNEL(name), f.level, ce, i));

/* The calls that make a CE and write its record. */
#define GRAVELP_MAKE_CALLS(by, verb, name)                                                       \
    GRAVELP_INLINE gravel_ce gravel_##verb##_##name##_##by##_if(struct gravel_flow_group f,      \
                                                                uint active, struct name record) \
    {                                                                                            \
        gravel_ce ce = gravelp_reserve_##by(f, GRAVEL_CHANNEL(name), active != 0);               \
        if (active)                                                                              \
            gravel_write_##name##_wi(f, GRAVEL_CHANNEL(name), ce, record);                       \
        GRAVELP_KEEP_##by(f);                                                                    \
        return ce;                                                                               \
    }                                                                                            \
    GRAVELP_INLINE gravel_ce gravel_##verb##_##name##_##by(struct gravel_flow_group f,           \
                                                           struct name record)                   \
    {                                                                                            \
        return gravel_##verb##_##name##_##by##_if(f, GRAVELP_IS_ON_##by(f), record);             \
    }

/* Those that write a held CE that gravel_talloc reserved, and say how many arrivals it waits for; without any it is
 * enqueued. */
#define GRAVELP_RECORD_CALLS_BY(by, name)                                                      \
    GRAVELP_MAKE_CALLS(by, spawn, name)                                                        \
    GRAVELP_MAKE_CALLS(by, sync, name)                                                         \
    GRAVELP_MAKE_CALLS(by, push, name)                                                         \
    GRAVELP_INLINE void gravel_hold_##name##_##by##_if(                                        \
        struct gravel_flow_group f, uint active, gravel_ce ce, uint joins, struct name record) \
    {                                                                                          \
        if (active) {                                                                          \
            gravel_write_##name##_wi(f, GRAVEL_CHANNEL(name), ce, record);                     \
            gravelp_held_begin(f, GRAVEL_CHANNEL(name), ce, joins);                            \
        }                                                                                      \
        gravelp_enqueue_##by(f, GRAVEL_CHANNEL(name), ce,                                      \
                             ce < GRAVELP_NO_CE && joins == 0 && active);                      \
    }                                                                                          \
    GRAVELP_INLINE void gravel_hold_##name##_##by(struct gravel_flow_group f, gravel_ce ce,    \
                                                  uint joins, struct name record)              \
    {                                                                                          \
        gravel_hold_##name##_##by##_if(f, GRAVELP_IS_ON_##by(f), ce, joins, record);           \
    }

/*
 * Defines the calls of the channel `name`: after `struct name`, in the program's outermost scope.
 */
#define GRAVEL_RECORD(name)                                                                      \
    typedef char gravelp_record_##name##_has_record_bytes_of_its_channel                         \
        [sizeof(struct name) == GRAVELP_RECORD_BYTES_##name ? 1 : -1];                           \
    GRAVELP_INLINE void gravel_write_##name##_wi(struct gravel_flow_group f, uint channel,       \
                                                 gravel_ce ce, struct name record)               \
    {                                                                                            \
        GRAVELP_RECORD_UNION(name) words;                                                        \
        uint level = gravelp_level_into(f, channel);                                             \
        words.record = record;                                                                   \
        GRAVELP_EACH_WORD(GRAVELP_WRITE_WORD, name)                                              \
    }                                                                                            \
    GRAVELP_INLINE void gravel_write_##name##_wg_if(                                             \
        struct gravel_flow_group f, uint active, uint channel, gravel_ce ce, struct name record) \
    {                                                                                            \
        if (active)                                                                              \
            gravel_write_##name##_wi(f, channel, ce, record);                                    \
        gravelp_predicate_end(f.group.arena);                                                    \
    }                                                                                            \
    GRAVELP_INLINE struct name gravel_peek_##name##_wi(struct gravel_flow_group f, gravel_ce ce) \
    {                                                                                            \
        GRAVELP_RECORD_UNION(name) words;                                                        \
        GRAVELP_EACH_WORD(GRAVELP_READ_WORD, name)                                               \
        return words.record;                                                                     \
    }                                                                                            \
    GRAVELP_INLINE struct name gravel_read_##name##_wi(struct gravel_flow_group f)               \
    {                                                                                            \
        return gravel_peek_##name##_wi(f, gravel_deq_wi(f, GRAVEL_CHANNEL(name)));               \
    }                                                                                            \
    GRAVELP_RECORD_CALLS_BY(wg, name)                                                            \
    GRAVELP_RECORD_CALLS_BY(wi, name)                                                            \
    GRAVELP_BY_SG(GRAVELP_RECORD_CALLS_BY(sg, name))

/* A continuation and its n children at once: one prefix sum and one step of the leader. All of them are enqueued. */
GRAVELP_INLINE struct gravel_fork gravel_fork_wg(struct gravel_flow_group f, uint after, uint into,
                                                 uint n)
{
    n = f.is_on ? n : 0;
    gravelp_scan_forks(f, gravelp_asked(f, into, n));
    if (gravelp_is_leader()) {
        f.scratch->after = gravelp_reserve_wi(f, after, f.scratch->n_forks);
        f.scratch->ce = gravelp_reserve_wi(f, into, f.group.scratch->n_active);
    }
    gravelp_group_meet(f.group.arena); /* G1: the first CEs are known */
    return (struct gravel_fork){
        gravelp_given(n, f.scratch->after + f.scratch->forks[gravelp_lane_index()]),
        gravelp_given(n, f.scratch->ce + f.group.scratch->lanes[gravelp_lane_index()])};
}
#define gravel_fork_wg_if(f, active, after, into, n) \
    gravel_fork_wg(f, after, into, (active) ? (n) : 0)
#ifdef GRAVEL_HAS_SUBGROUPS
GRAVELP_INLINE struct gravel_fork gravel_fork_sg(struct gravel_flow_group f, uint after, uint into,
                                                 uint n)
{
    gravel_ce own = gravelp_reserve_sg(f, after, f.is_on && n);
    return (struct gravel_fork){own, gravelp_reserve_sg(f, into, f.is_on ? n : 0)};
}
#define gravel_fork_sg_if(f, active, after, into, n) \
    gravel_fork_sg(f, after, into, (active) ? (n) : 0)
#endif

/* Defines the group calls and sub-group calls of gravel_CALL_wi, which takes `a` and `b`. */
#define GRAVELP_GROUP_CALLS_BY(by, call, type_a, type_b) /* by: wg, sg */                    \
    GRAVELP_INLINE void gravel_##call##_##by##_if(struct gravel_flow_group f, uint active,   \
                                                  type_a a, type_b b)                        \
    {                                                                                        \
        if (active)                                                                          \
            gravel_##call##_wi(f, a, b);                                                     \
        GRAVELP_END_##by(f);                                                                 \
    }                                                                                        \
    GRAVELP_INLINE void gravel_##call##_##by(struct gravel_flow_group f, type_a a, type_b b) \
    {                                                                                        \
        gravel_##call##_##by##_if(f, f.is_on, a, b);                                         \
    }
#define GRAVELP_GROUP_CALLS(call, type_a, type_b)    \
    GRAVELP_GROUP_CALLS_BY(wg, call, type_a, type_b) \
    GRAVELP_BY_SG(GRAVELP_GROUP_CALLS_BY(sg, call, type_a, type_b))

/* Frees a held CE, in its round or later: no node reads it in a later round. So do _wg, _wg_if, _sg and _sg_if. */
GRAVELP_INLINE void gravel_tfree_wi(struct gravel_flow_group f, uint channel, gravel_ce ce)
{
    gravelp_held_free(f, channel, ce);
}
GRAVELP_GROUP_CALLS(tfree, uint, gravel_ce)

/* ---- results ----------------------------------------------------------------------------------- */

/* The slot that is a word of a continuation made at this level, or of a held CE. */
GRAVELP_INLINE uint gravelp_ce_slot(struct gravel_flow_group f, uint after, gravel_ce ce, uint word)
{
    uint slot = gravelp_rows_at(after, f.level) + word * gravelp_channels[after].width +
                gravelp_column(after, ce);
    return ce < GRAVELP_NO_CE ? slot : GRAVELP_NO_SLOT;
}

GRAVELP_INLINE bool gravelp_slot_is_held(gravel_slot slot)
{
    return slot - GRAVELP_FLOW_HELD_AT < GRAVELP_FLOW_HELD_WORDS;
}

/*
 * Words between the two halves of a long: all continuations are of one width, and so are held CEs; the caller's result
 * has no columns.
 */
GRAVELP_INLINE uint gravelp_slot_stride(gravel_slot slot)
{
    if (slot < GRAVEL_RESULT_WORDS)
        return 1;
    return gravelp_slot_is_held(slot) ? GRAVELP_FLOW_HELD_STRIDE : GRAVELP_FLOW_SLOT_STRIDE;
}

/* Returns whether there is such a slot; a fault if not. */
GRAVELP_INLINE bool gravelp_has_slot(struct gravel_flow_group f, gravel_slot slot)
{
    uint in_levels = slot - GRAVELP_FLOW_LEVELS_AT;
    if (slot < GRAVEL_RESULT_WORDS || gravelp_slot_is_held(slot) ||
        (in_levels < f.flow->n_level_words &&
         in_levels % GRAVELP_FLOW_LEVEL_WORDS < GRAVELP_FLOW_AFTER_WORDS))
        return true;
    gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_SLOT, f.channel, slot, 0);
    return false;
}

GRAVELP_INLINE void gravelp_return_word(struct gravel_flow_group f, gravel_slot slot, uint value)
{
    if (gravelp_has_slot(f, slot))
        GRAVELP_ROW_STORE(gravelp_rows(f) + slot, value); /* K4 */
}
GRAVELP_INLINE void gravelp_return_words(struct gravel_flow_group f, gravel_slot slot, ulong value)
{
    gravelp_return_word(f, slot, (uint)value);
    gravelp_return_word(f, slot + gravelp_slot_stride(slot), (uint)(value >> 32));
}
GRAVELP_INLINE void gravelp_return_add_word(struct gravel_flow_group f, gravel_slot slot,
                                            uint value)
{
    if (gravelp_has_slot(f, slot))
        gravelp_device_fetch_add_relaxed(gravelp_rows(f) + slot, value); /* K4 */
}

/* Sums of float by compare and swap: n work-items that add to one slot need n rounds of those that are left. */
GRAVELP_INLINE void gravelp_return_add_real(struct gravel_flow_group f, gravel_slot slot,
                                            float value)
{
    volatile global uint *word = gravelp_rows(f) + slot;
    uint adds = gravelp_has_slot(f, slot), seen = adds ? *word : 0;
    while (adds) {
        uint old = seen;
        seen = atomic_cmpxchg(word, old, as_uint(as_float(old) + value)); /* K4 */
        adds = seen != old;
    }
}

/* Any work-item: the slot of a field of the continuation `ce`, which this round has made, or of a held CE. */
#define GRAVEL_SLOT(f, ce, name, field)            \
    gravelp_ce_slot(f, GRAVEL_CHANNEL(name), (ce), \
                    (uint)(__builtin_offsetof(struct name, field) / sizeof(uint)))

#define GRAVELP_DEFINE_RETURN(call, type, store, bits)                                   \
    GRAVELP_INLINE void gravel_##call##_wi(struct gravel_flow_group f, gravel_slot slot, \
                                           type value)                                   \
    {                                                                                    \
        store(f, slot, bits(value));                                                     \
    }                                                                                    \
    GRAVELP_GROUP_CALLS(call, gravel_slot, type)
GRAVELP_DEFINE_RETURN(return_int, int, gravelp_return_word, (uint))
GRAVELP_DEFINE_RETURN(return_uint, uint, gravelp_return_word, (uint))
GRAVELP_DEFINE_RETURN(return_float, float, gravelp_return_word, as_uint)
GRAVELP_DEFINE_RETURN(return_long, long, gravelp_return_words, (ulong))
GRAVELP_DEFINE_RETURN(return_ulong, ulong, gravelp_return_words, (ulong))
GRAVELP_DEFINE_RETURN(return_add_int, int, gravelp_return_add_word, (uint))
GRAVELP_DEFINE_RETURN(return_add_uint, uint, gravelp_return_add_word, (uint))
GRAVELP_DEFINE_RETURN(return_add_float, float, gravelp_return_add_real, (float))

#endif

#endif
