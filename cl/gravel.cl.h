/* SPDX-License-Identifier: MIT */
/*
 * The device interface: what a kernel calls to send messages, and what a handler gets.
 *
 *     kernel void count(GRAVEL_ARENA, ulong counters, global const uint *keys, uint n_nodes)
 *     {
 *         GRAVEL_OPEN(g);
 *         uint key = keys[get_global_id(0)];
 *         gravel_inc_uint_wg(g, counters, key / n_nodes, key % n_nodes);
 *     }
 *
 * The end of a name says who makes the call. S is one of:
 *     _wg      every work-item of the work-group, as work_group_ functions of OpenCL; a message each
 *     _wg_if   every work-item of the work-group; those whose `active` is 0 send nothing
 *     _wi      any work-item, in any divergent code; one message, slower
 * subgroup.cl.h, behind this header, adds calls of sub-groups. A work-group call in a branch that some work-items do
 * not take loses messages or hangs. Behind a `return` that some work-items take, it may also send messages for these.
 * GRAVEL_CHECK=1 in the environment makes it an error that names kernel, line, group and what differs.
 *
 * Updates. OP is put, add, min, max, and, or or xor (float and double: put and add); TYPE is int, uint, long, ulong,
 * float or double (where GRAVEL_HAS_DOUBLE is defined). inc takes no value, and no float or double:
 *     gravel_OP_TYPE_S(g, [active,] base, index, value, node)
 *     gravel_inc_TYPE_S(g, [active,] base, index, node)
 * `base` [bytes] is a heap offset from gravel_alloc; `index` counts elements of the type after it, and has 64 bits, as
 * `position` has; `node` is 0 to gravel_n_nodes(g) - 1. Give an index of 64 bits where an array has more than 2^32
 * elements: its messages are longer then, and not elsewhere. All work-items that make a call together give one base
 * (_wi: each work-item's own).
 *
 * Active messages, of N = 0 to 4 arguments of type ulong, or, if the handler was registered with arg_bytes 4, uint; all
 * work-items that make the call name one handler:
 *     gravel_amN_S(g, [active,] GRAVEL_HANDLER(name), argument..., node)
 *
 * Requests. The answer, the word's old value, arrives later in this node's own heap, at element
 * `position` after reply.result. Then the uint at reply.signal grows by one for every answer. All work-items that make
 * the call together give one `reply`; `position` is each work-item's own:
 *     gravel_get_TYPE_S(g, [active,] base, index, reply, position, node)
 *     gravel_swap_TYPE_S(g, [active,] base, index, value, reply, position, node)
 *     gravel_fetch_OP_TYPE_S(g, [active,] base, index, value, reply, position, node)  OP: add, min, max, and, or, xor
 *     gravel_cas_TYPE_S(g, [active,] base, index, expected, value, reply, position, node)  stores value if as expected
 *     gravel_put_signal_TYPE_S(g, [active,] base, index, value, signal, node)           put; then the destination's
 *                                                     uint at heap offset `signal` grows by one for each message
 *     gravel_askN_S(g, [active,] GRAVEL_HANDLER(name), argument..., reply, position, node)
 *                                                     N = 0 to 3: an active message; the answer, of the
 *                                                     arguments' type, is what the handler returns, which
 *                                                     was registered with `n_answers` 1 or with `answer`
 * They return how many messages the group (_wi: the work-item) sent. `reply` is a struct gravel_reply: heap offsets of
 * the answers and of the signal [bytes], the signal 0 (GRAVEL_NO_SIGNAL) for none; `position` counts elements.
 * get, swap, fetch_add and put_signal take all six types, the other ones the four integer types. The owner checks
 * offsets before it applies anything.
 *
 * Waits, for words of this node's own heap. TYPE is int, uint, long or ulong (64 bits where GRAVEL_HAS_LONG_WAITS is
 * defined; a program that calls them elsewhere does not build); compare is GRAVEL_CMP_EQ, _NE, _GT, _LE, _LT or _GE:
 *     gravel_wait_until_TYPE_wg(g, offset, compare, value)        also _wi
 * True once the word compares so with value; everything applied before it is visible then. False if the node has
 * failed, or if the word did not change for GRAVEL_TIMEOUT, which fails the node: the host's next quiet reports it.
 * Wait only for what needs no other work-group of this launch (answers, or nodes whose kernels run), because groups
 * need not run at the same time. On step drain no kernel waits: read the answers in the next launch.
 *
 * A message is sent when the call returns, and applied at its owner some time later: gravel_quiet and gravel_barrier on
 * the host wait for that, and for answers. Messages of one work-group to one node are applied in order. A message to a
 * destination or index that does not exist is refused; the host's next quiet or barrier reports it.
 *
 * Names that begin with gravelp_ or GRAVELP_ are private. Parameters and members here have short names, of small
 * letters: a macro that has one of these is defined behind the include, or has capitals, or the program does not
 * build.
 *
 * Path:    the user's kernel -> this -> device/, in the order send, queue; then lib/memory/package.h on the host.
 * Memory:  stores to global memory before a call are visible to the host when it sees the message (P2); what was
 *          applied before a word that a wait returned for is visible after the wait (Q2).
 * Source:  Orr 2016, sections 5.2 and 5.3, appendix A. The names follow OpenSHMEM 1.5, sections 9.7 to 9.9, and
 *          OpenCL's scopes.
 */
#ifndef GRAVEL_CL_H
#define GRAVEL_CL_H

#include "send.cl.h"
#include "wait.cl.h"
#include "forms.cl.h"
#include "check.cl.h"

#if defined(GRAVELP_HOST_ARENA_VERSION) && GRAVELP_HOST_ARENA_VERSION != GRAVELP_ARENA_VERSION
#error "gravel.cl.h and the Gravel library are of different versions"
#endif

/* ---- a kernel ---------------------------------------------------------------------------------- */

/* The one kernel argument; the host sets it by gravel_kernel_set_arena. */
#define GRAVEL_ARENA global struct gravelp_arena *gravel_arena_

/* In the outermost scope of a kernel, once: declares `g`, a struct gravel_group, and the group's local memory. */
#define GRAVEL_OPEN(g)                                        \
    GRAVELP_LOCAL(gravelp_scratch, gravelp_scratch, scratch); \
    GRAVELP_OPEN(g, gravel_arena_, gravelp_scratch);          \
    gravelp_open(g)

/* The number of the handler registered as `name`; another name does not build. */
#define GRAVEL_HANDLER(name) GRAVEL_HANDLER_##name

/* Any work-item: this node's number, and the number of nodes. */
GRAVELP_INLINE uint gravel_node(struct gravel_group g)
{
    return GRAVELP_NODE(g.arena);
}
GRAVELP_INLINE uint gravel_n_nodes(struct gravel_group g)
{
    return GRAVELP_N_NODES(g.arena);
}

/* Any work-item: this node's own part of the symmetric heap at an offset [bytes], unchecked; for loads and stores. */
GRAVELP_INLINE global void *gravel_local(struct gravel_group g, ulong offset)
{
    return gravelp_heap(g.arena, offset);
}

/*
 * Any work-item: the address of element `index`, of `bytes` [bytes] each, of the array at heap offset `offset` [bytes]
 * in this node's own part: a global void *; for loads and stores. With GRAVEL_CHECK=1 an element that is not in the
 * allocation of `offset` ends the node with GRAVEL_EKERNEL, which names kernel, line, index and bound; the work-item
 * gets a spare element instead, as of gravel_call_at. Without it this is the address alone.
 */
#define gravel_local_at(g, offset, index, bytes)                                          \
    GRAVELP_ELEMENT_AT((g).arena, gravelp_heap((g).arena, 0), (offset), (index), (bytes), \
                       GRAVELP_FAULT_BOUNDS, gravelp_origin_of_item())

/*
 * Every work-item of the group: a barrier of global and local memory, instead of OpenCL's where an `if` or a loop
 * guards it. PoCL 3.1 needs one next to a divergent `if` that is first or last there (docs/guide/divergence.md).
 */
#define gravel_barrier_wg(g) gravelp_group_meet_apart((g).arena)

/* ---- loops in divergent code: n turns of the work-item's own, a uint without side effects -------------- */

/*
 * Every work-item of the group makes the same number of iterations, the largest n. `active` names the predicate that
 * the loop declares for _wg_if calls: 1 where i < n. Leave the loop only by its own condition.
 */
#define GRAVEL_FOR_WG(g, i, active, n)                                                \
    for (uint i = 0, gravelp_end_##i = gravelp_group_max((g), (n)), active = 0 < (n); \
         i < gravelp_end_##i; i++, active = i < (n))

/*
 * Work-items of a group share their turns: each takes the next turn of any of them, so that T turns of a group
 * are T / group size iterations, and all packages but the last are full.
 *
 *     GRAVEL_SHARES(shares);                              in the kernel's outermost scope
 *     GRAVEL_FOR_SHARED_WG(g, shares, turn, n) {
 *         ulong key = key_of(first + turn.lane, turn.i);
 *         gravel_inc_ulong_wg_if(g, turn.active, base, index_of(key), node_of(key));
 *     }
 *
 * Any work-item may take a turn, so what the turn does must follow from its work-item's number in the group (turn.lane)
 * and its own number (turn.i). Turns of one work-item may be taken in one round: they have no order among themselves.
 *
 * Source:  Orr 2016, section 5.3 (work-group-granularity control flow, which is hardware's there).
 */
/* What a work-item does in one round. */
struct gravel_turn {
    uint active;  /* 0: nothing, the turns have run out */
    uint lane;    /* whose turn, by number in the group */
    uint i;       /* which of its turns */
    uint round;   /* the group's number of this round's first turn; the same for the whole group */
    uint n_turns; /* of the group, the same for the whole group */
};

/*
 * Every work-item of the group: shares out its n turns. Returns how many the group has, fewer than
 * 2^32; 0, after a fault, in a group larger than GRAVEL_MAX_GROUP.
 */
GRAVELP_INLINE uint gravelp_share_out(struct gravel_group g, local struct gravelp_scratch *shares,
                                      uint n)
{
    gravelp_group_meet_apart(g.arena); /* G1: no work-item reads an earlier loop's turns */
    g.scratch = shares;
    gravelp_sums(g, n, false);
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_group_meet(g.arena); /* G1: the leader has added */
#endif
    return shares->n_active;
}

/* Any work-item, after gravelp_share_out: its turn in the round that begins with the group's turn `round` of n. */
GRAVELP_INLINE struct gravel_turn gravelp_share_take(local struct gravelp_scratch *shares,
                                                     uint round, uint n)
{
    uint turn = round + (uint)gravelp_lane_id(), low = 0;
    bool active = round < n && (uint)gravelp_lane_id() < n - round;
    for (uint left = active ? gravelp_n_lanes() : 1;
         left > 1;) { /* low: the last lane with at most `turn` before */
        uint half_down = left / 2;
        low = shares->lanes[low + half_down] <= turn ? low + half_down : low;
        left -= half_down;
    }
    return (struct gravel_turn){active, low, active ? turn - shares->lanes[low] : 0, round, n};
}

GRAVELP_INLINE struct gravel_turn gravelp_share_next(local struct gravelp_scratch *shares,
                                                     struct gravel_turn turn)
{
    uint left = turn.n_turns - turn.round,
         step = left > gravelp_n_lanes() ? gravelp_n_lanes() : left;
    return gravelp_share_take(shares, turn.round + step, turn.n_turns);
}

#define GRAVEL_SHARES(turns) GRAVELP_LOCAL(gravelp_scratch, turns, shares)
#define GRAVEL_FOR_SHARED_WG(g, shares, turn, n)                                     \
    for (struct gravel_turn turn =                                                   \
             gravelp_share_take((shares), 0, gravelp_share_out((g), (shares), (n))); \
         turn.round < turn.n_turns; turn = gravelp_share_next((shares), turn))

/* ---- sessions ------------------------------------------------------------------------------------ */

/*
 * Every work-item of the group: between the two, node buffers of this node do not age, as between gravel_session_begin
 * and gravel_session_end of the host, whose page says when they leave. For a group that sends in bursts and computes
 * in between. All groups share the buffers of an aggregator: while one of its groups is in a session, none of its
 * buffers ages, and they age again from the end of the last session on.
 *
 * A group ends each session that it has begun; sessions nest. What is open at a gravel_fence, gravel_quiet or
 * gravel_barrier of the node, or at the end of the host's last session, ends there, and until then keeps a buffer
 * for an eighth of GRAVEL_TIMEOUT at most. GRAVEL_CHECK=1 makes what a kernel leaves open GRAVEL_EKERNEL, and an
 * end without a beginning. On step drain, which sends when kernels have ended, use the host's.
 *
 * Memory:  orders nothing (A8), but each is a barrier of the group.
 * Source:  OpenSHMEM 1.6, shmem_session_start with SHMEM_CTX_SESSION_BATCH.
 */
GRAVELP_INLINE void gravel_session_begin_wg(struct gravel_group g)
{
    gravelp_session_add(g, 1u);
}
GRAVELP_INLINE void gravel_session_end_wg(struct gravel_group g)
{
    gravelp_session_add(g, 0u - 1u);
}

/* ---- a handler written in OpenCL C ----------------------------------------------------------------- */

/*
 * It runs on the device of the node that an active message is for.
 *
 *     // Message: one more of `key`, in the table of n_keys counters at heap offset `table`.
 *     void tally(struct gravel_call call, ulong table, ulong key)
 *     {
 *         atomic_inc((global uint *)gravel_call_at(call, table, key, sizeof(uint)));
 *     }
 *
 * A handler is a function with the name under which it is registered (gravel.h: struct gravel_handler). It takes a
 * struct gravel_call and as many ulong as it was registered with, 0 to 4, and returns nothing; registered with
 * `n_answers` 1, a ulong, the answer to gravel_askN (registered with arg_bytes 4: uint for ulong, everywhere).
 *
 * Every message is a work-item. A handler sees every message applied before its run; the messages of a run (many,
 * from one node to one handler) may run at once and in any order, so they share words by atomics. A handler has no
 * work-group: no barrier, no local memory. It must end. It sends nothing (the calls above do not compile); with a key
 * and max_pending it may send to servers (gravel_serve_amN).
 *
 * With n_keys = 1 a handler's first argument is a key. Messages of one node with equal keys never run at once,
 * whichever handlers with keys they are for: what only they touch needs no atomics. They run in any order. The text of
 * the handlers may say which of n work-groups that serve has a key, 0 to n - 1, by a definition of
 * GRAVEL_OWNER(key, n) before the include:
 *
 *     // Reserve up to `amount` seats of a flight, the key; how many it got.
 *     ulong reserve(struct gravel_call call, ulong flight, ulong seats, ulong amount)
 *     {
 *         global ulong *left = gravel_call_at(call, seats, flight, sizeof *left);
 *         ulong got = min(*left, amount);
 *         *left -= got;
 *         return got;
 *     }
 *
 * With n_keys = 2 the first two arguments are keys, and the handler is a transaction over both data, which are of the
 * node that the message is for: void transfer(struct gravel_call call, ulong *from, ulong *to, ulong amount). It never
 * runs concurrently with a handler that has one of its keys. It gets private copies, which are stored when it
 * returns; if the keys are equal, one copy for both. docs/guide/servers.md has the functions that load and store them.
 *
 * The text may say of which of n nodes a key is, by a definition of GRAVEL_NODE_OF(key, n) before the include. Kernels
 * of gravel_server_build name the node GRAVEL_BY_KEY then, in calls of every form, to handlers with one key or two: a
 * message goes to the node of its first key. A transaction whose keys are not both of the node that it came to ends the
 * node with GRAVEL_EKERNEL, which names both.
 *
 * Memory:  what it stores is visible after a quiet or barrier that covers its message, as with any message.
 * Source:  Orr 2016, section 5.2.3, where the network thread runs handlers; with keys: Wang, Fussell, Lin, Fast
 *          Fine-Grained Global Synchronization on GPUs, ASPLOS 2019.
 */
struct gravel_call {
    global uchar *heap; /* of the node the message is for */
    ulong heap_bytes;
    uint node; /* that node's number */
    uint n_nodes;
    uint source;                   /* node that sent the message */
    global const ulong *constants; /* [GRAVEL_N_CONSTANTS] of gravel_set_constant; else 0 */
    global struct gravelp_arena *arena;
    uint sends; /* whether the handler may send, by gravel_serve_amN of server.cl.h */
};

/* The node's own part of the symmetric heap at an offset [bytes], unchecked. */
GRAVELP_INLINE global void *gravel_call_local(struct gravel_call call, ulong offset)
{
    return call.heap + offset;
}

#include "call.cl.h"
#include "server.cl.h"
#include "slots.cl.h"

/*
 * The address of element `index`, of `bytes` [bytes] each, of the array at heap offset `base` [bytes]: a global void *
 * to the node's own part of the heap. Any work-item of a handler may call it.
 *
 * With GRAVEL_CHECK=1 an element that is not in the allocation of `base` is an error, GRAVEL_EKERNEL, of this node's
 * quiet or barrier: it names handler, line, base, index and bound. The handler gets the address of a spare element
 * instead (of 1024 bytes; of a larger one the beginning of the heap). Without it this is the address alone.
 */
#define gravel_call_at(call, base, index, bytes)                            \
    GRAVELP_ELEMENT_AT((call).arena, (call).heap, (base), (index), (bytes), \
                       GRAVELP_FAULT_CALL_BOUNDS, GRAVELP_ORIGIN_OF_NODE((call).node))

#endif
