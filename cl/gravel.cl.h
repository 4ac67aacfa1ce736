/* SPDX-License-Identifier: MIT */
/*
 * What a kernel calls to send messages, and what a handler gets.
 *
 *     kernel void count(GRAVEL_ARENA, ulong counters, global const uint *keys, uint n_nodes)
 *     {
 *         GRAVEL_OPEN(g);
 *         uint key = keys[get_global_id(0)];
 *         gravel_inc_uint_wg(g, counters, key / n_nodes, key % n_nodes);
 *     }
 *
 * The suffix S of a name says which work-items make the call:
 *
 *     _wg      every work-item of the work-group, as OpenCL's work_group_ functions; a message each
 *     _wg_if   every work-item of the work-group; those whose `active` is 0 send nothing
 *     _wi      any work-item, in any divergent code; one message, slower
 *
 * A work-group call that some work-items skip, by a branch or `return`, loses messages, sends wrong ones or hangs.
 * GRAVEL_CHECK=1 in the environment makes it an error that names kernel, line, group and what differs.
 *
 * OP is put, add, min, max, and, or or xor (float and double: put and add); TYPE is int, uint, long, ulong, float or
 * double (where GRAVEL_HAS_DOUBLE is defined); inc is for integers:
 *
 *     gravel_OP_TYPE_S(g, [active,] base, index, value, node)
 *     gravel_inc_TYPE_S(g, [active,] base, index, node)
 *
 * `base` is a heap offset, `index` counts elements of the type from it, `node` is below gravel_n_nodes(g). All
 * work-items that make a call together give one base (_wi: each its own). Indices of 64 bits, for more than 2^32
 * elements, make messages longer.
 *
 * A message is sent when the call returns, and applied later: gravel_quiet and gravel_barrier on the host wait for
 * that, and report refused messages, whose node or index does not exist. Messages of one work-group to one node are
 * applied in order.
 *
 * Names that begin with gravelp_ or GRAVELP_ are private, as the p says. Parameters and members have short names of
 * small letters: define a macro with such a name after the include.
 *
 * Path:    the user's kernel -> this -> device/, in the order send, queue; then lib/memory/package.h on the host.
 * Memory:  the host sees stores to global memory before a call when it sees the message (P2); what was applied before
 *          a word that a wait returned for is visible after the wait (Q2).
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

/* ---- requests and waits ------------------------------------------------------------------------ */

/*
 * A request's answer, the word's old value, arrives later in this node's heap, at element `position` after
 * reply.result; then the uint at reply.signal grows by one. `reply` is a struct gravel_reply: heap offsets of answers
 * and signal (GRAVEL_NO_SIGNAL, 0: none), one for all work-items that make the call together:
 *
 *     gravel_get_TYPE_S(g, [active,] base, index, reply, position, node)
 *     gravel_swap_TYPE_S(g, [active,] base, index, value, reply, position, node)
 *     gravel_fetch_OP_TYPE_S(g, [active,] base, index, value, reply, position, node)  OP: add, min, max, and, or, xor
 *     gravel_cas_TYPE_S(g, [active,] base, index, expected, value, reply, position, node)  stores value if as expected
 *
 * get, swap and fetch_add take all six types, other requests integers. A put with a signal adds one to the uint at the
 * destination's heap offset `signal`:
 *
 *     gravel_put_signal_TYPE_S(g, [active,] base, index, value, signal, node)
 *
 * Active messages have 0 to 4 arguments, ulong, or uint if registered with arg_bytes 4; an ask has 0 to 3, and gets
 * what the handler returns. All work-items that make the call together name one handler:
 *
 *     gravel_amN_S(g, [active,] GRAVEL_HANDLER(name), argument..., node)
 *     gravel_askN_S(g, [active,] GRAVEL_HANDLER(name), argument..., reply, position, node)
 *
 * Requests, puts with a signal and asks return how many messages the group (_wi: the work-item) sent. The owner checks
 * all offsets of a buffer before it applies anything.
 *
 * Waits are for words of this node's heap. TYPE is int, uint, long or ulong (64 bits where GRAVEL_HAS_LONG_WAITS is
 * defined), compare GRAVEL_CMP_EQ, _NE, _GT, _LE, _LT or _GE:
 *
 *     gravel_wait_until_TYPE_wg(g, offset, compare, value)        also _wi
 *     gravel_wait_until_all_TYPE_wg(g, offset, n, status, compare, value)
 *     gravel_wait_until_any_TYPE_wg(g, offset, n, status, compare, value)
 *     gravel_wait_until_some_TYPE_wg(g, offset, n, indices, status, compare, value)
 *
 * A wait returns true once the word compares so with value; everything applied before it is visible then. It returns
 * false if the node has failed, as after GRAVEL_TIMEOUT without a change of the word. Wait only for what needs no other
 * work-group of the launch, at no node (answers, puts before other nodes wait): groups need not run at the same time.
 * On step drain no kernel waits: read the answers in the next launch.
 *
 * Waits for several words, n from offset on, are as OpenSHMEM's: for those whose status, a `global const uint *` of n,
 * is 0, or for all if it is NULL. _all returns true once each of them has held, seen in order; _any the index of one
 * that holds; _some how many hold, and stores their indices in a `global uint *` of n. If there is no word to wait for,
 * _all returns true, _any n and _some 0, at once; if the wait has failed, false, n and 0.
 */

/* ---- a kernel ---------------------------------------------------------------------------------- */

/* The kernel argument that the host sets by gravel_kernel_set_arena. */
#define GRAVEL_ARENA global struct gravelp_arena *gravel_arena_

/* Declares `g`, a struct gravel_group, and the group's local memory: in the outermost scope of a kernel, once. */
#define GRAVEL_OPEN(g)                                        \
    GRAVELP_LOCAL(gravelp_scratch, gravelp_scratch, scratch); \
    GRAVELP_OPEN(g, gravel_arena_, gravelp_scratch);          \
    gravelp_open(g)

/* The number of the handler registered as `name`; another name does not build. */
#define GRAVEL_HANDLER(name) GRAVEL_HANDLER_##name

/* Any work-item: returns this node's number, and the number of nodes. */
GRAVELP_INLINE uint gravel_node(struct gravel_group g)
{
    return GRAVELP_NODE(g.arena);
}
GRAVELP_INLINE uint gravel_n_nodes(struct gravel_group g)
{
    return GRAVELP_N_NODES(g.arena);
}

/* Any work-item: returns the address of a heap offset in this node's part, unchecked. */
GRAVELP_INLINE global void *gravel_local(struct gravel_group g, ulong offset)
{
    return gravelp_heap(g.arena, offset);
}

/*
 * Any work-item: the address of element `index`, of `bytes` [bytes], of the array at heap offset `offset` in this
 * node's part. With GRAVEL_CHECK=1 an element outside the allocation ends the node with GRAVEL_EKERNEL (kernel, line,
 * index, bound), and the work-item gets a spare one, as of gravel_call_at.
 */
#define gravel_local_at(g, offset, index, bytes)                                          \
    GRAVELP_ELEMENT_AT((g).arena, gravelp_heap((g).arena, 0), (offset), (index), (bytes), \
                       GRAVELP_FAULT_BOUNDS, gravelp_origin_of_item())

/*
 * Every work-item of the group: a barrier of global and local memory, instead of OpenCL's inside an `if` or a loop.
 * PoCL 3.1 needs one next to a divergent `if` that is first or last there.
 */
#define gravel_barrier_wg(g) gravelp_group_meet_apart((g).arena)

/* ---- loops in divergent code: n iterations of each work-item, a uint without side effects -------- */

/*
 * Every work-item of the group iterates as often, the largest n. The loop declares `active`, the predicate for _wg_if
 * calls: 1 where i < n. No break, no return.
 */
#define GRAVEL_FOR_WG(g, i, active, n)                                                \
    for (uint i = 0, gravelp_end_##i = gravelp_group_max((g), (n)), active = 0 < (n); \
         i < gravelp_end_##i; i++, active = i < (n))

/*
 * GRAVEL_FOR_SHARED_WG, where work-items of a group share their iterations: T of a group take T / group size rounds,
 * and all packages except the last are full.
 *
 *     GRAVEL_SHARES(shares);                              in the kernel's outermost scope
 *     GRAVEL_FOR_SHARED_WG(g, shares, turn, n) {
 *         ulong key = key_of(first + turn.lane, turn.i);
 *         gravel_inc_ulong_wg_if(g, turn.active, base, index_of(key), node_of(key));
 *     }
 *
 * Any work-item may run an iteration, so what it does follows from its work-item's number in the group (turn.lane) and
 * its own (turn.i). Iterations of one work-item have no order.
 *
 * Source:  Orr 2016, section 5.3 (work-group-granularity control flow, which is hardware's there).
 */
/* What a work-item does in one iteration. */
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

/* Declares memory for shared loops; every work-item of the group iterates, as above. */
#define GRAVEL_SHARES(turns) GRAVELP_LOCAL(gravelp_scratch, turns, shares)
#define GRAVEL_FOR_SHARED_WG(g, shares, turn, n)                                     \
    for (struct gravel_turn turn =                                                   \
             gravelp_share_take((shares), 0, gravelp_share_out((g), (shares), (n))); \
         turn.round < turn.n_turns; turn = gravelp_share_next((shares), turn))

/* ---- sessions ------------------------------------------------------------------------------------ */

/*
 * Every work-item of the group begins, or ends, a session, as gravel_session_begin and gravel_session_end of the host.
 * All groups share an aggregator's buffers, which age again after the last session. Sessions nest, and a group ends
 * each that it began. One that is open at a gravel_fence, gravel_quiet or gravel_barrier, or at the end of the host's
 * last session, ends there; GRAVEL_CHECK=1 makes it, and an end without a beginning, GRAVEL_EKERNEL. On drain use the
 * host's calls.
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
 * A handler runs on the device of the node that an active message is for.
 *
 *     // Message: one more of `key`, in the table of n_keys counters at heap offset `table`.
 *     void tally(struct gravel_call call, ulong table, ulong key)
 *     {
 *         atomic_inc((global uint *)gravel_call_at(call, table, key, sizeof(uint)));
 *     }
 *
 * It has the name, and as many ulong arguments, as registered (struct gravel_handler). Every message is a work-item,
 * without a work-group: no barrier, no local memory. It must end, and sends nothing, except by gravel_serve_amN. It
 * sees every message applied before its run; the messages of a run (many, from one node to one handler) may run at
 * once and in any order, so they share words by atomics.
 *
 * With one key, the first argument, messages of one node with equal keys never run at once, for whichever handlers
 * with keys, and have no order: what only they touch needs no atomics. GRAVEL_OWNER(key, n), defined before the
 * include, says which of the n work-groups that serve has a key, 0 to n - 1. With two keys a handler is a transaction
 * over two data of the message's node (struct gravel_serve).
 *
 * GRAVEL_NODE_OF(key, n), defined before the include, says which of n nodes has a key. Kernels of gravel_server_build
 * may then give the node GRAVEL_BY_KEY to handlers with keys: the message goes to the node of its first key. A
 * transaction whose keys are not both of its node ends the node with GRAVEL_EKERNEL, which names both nodes.
 *
 * Memory:  what it stores is visible after a quiet or barrier that covers its message.
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

/* Returns the address of a heap offset in the node's part, unchecked. */
GRAVELP_INLINE global void *gravel_call_local(struct gravel_call call, ulong offset)
{
    return call.heap + offset;
}

#include "call.cl.h"
#include "server.cl.h"
#include "slots.cl.h"

/*
 * The address of element `index`, of `bytes` [bytes], of the array at heap offset `base` in the node's part. With
 * GRAVEL_CHECK=1 an element outside the allocation is GRAVEL_EKERNEL of this node's quiet or barrier (handler, line,
 * base, index, bound), and the handler gets a spare one of 1024 bytes (a larger one: the beginning of the heap).
 */
#define gravel_call_at(call, base, index, bytes)                            \
    GRAVELP_ELEMENT_AT((call).arena, (call).heap, (base), (index), (bytes), \
                       GRAVELP_FAULT_CALL_BOUNDS, GRAVELP_ORIGIN_OF_NODE((call).node))

#endif
