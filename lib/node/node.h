/* SPDX-License-Identifier: MIT */
/*
 * A node: all its parts. Included by the files that make up the public interface, and by tests.
 *
 * Path:    gravel.h -> facts.c (what each call asks first) -> open.c, outbound.c, server_shape.c, agree.c, neighbours.c
 *          (open), close.c; tables.c (what the caller gives, except settings); messages.c, waits.c, heap.c, maps.c;
 *          programs.c, launch.c, launches.c, sizes.c, enqueue.c (commands); limits.c (of waits for the device), watch.c
 *          (of calls of the driver), object.c, log.c, stats.c; abort.c.
 */
#ifndef GRAVEL_NODE_NODE_H
#define GRAVEL_NODE_NODE_H

#include "base/caller.h"
#include "base/endpoints.h"
#include "base/error.h"
#include "base/timeouts.h"
#include "base/thread.h"
#include "base/trace.h"
#include "settings/scheduler.h"
#include "memory/memory.h"
#include "network/network.h"
#include "node/launches.h"
#include "node/watch.h"
#include "opencl/objects.h"
#include "pump/pump.h"
#include "opencl/program.h"
#include "serve/calls.h"
#include "serve/servers.h"

/* What the node knows of its device, in order. */
enum gravel_device_state {
    GRAVEL_DEVICE_OPENS, /* a driver puts off some work to the first use */
    GRAVEL_DEVICE_ANSWERS,
    GRAVEL_DEVICE_IS_STUCK /* a wait for it was given up: what it uses stays */
};

/* How far the node has ended, in order; maps may outlive it. */
enum gravel_end { GRAVEL_IN_USE, GRAVEL_CLOSED, GRAVEL_LEFT /* closed, and its device uses it */ };

struct gravel {
    struct gravel_config config; /* in force: derived settings filled in */
    struct gravel_endpoints endpoints;
    _Atomic uint32_t in_handler;    /* H13: whose function the network thread runs, plus 1; or 0 */
    _Atomic uint64_t handler_steps; /* H13: of that thread into a function, and out of it */
    gravel_log_function *log;       /* see log.c */
    void *log_user;

    uint32_t n_forks; /* of this process: caller.h */
    struct gravel_failure failure;

    struct gravel_device device;
    uint32_t n_sharers; /* other nodes on it */
    struct gravel_memory memory;
    cl_command_queue copies;           /* of all accumulators and deques; no kernel runs there */
    uint32_t n_heaps;                  /* in memory: one for each node of this process */
    struct gravelp_arena *arena;       /* the host's: memory.arena */
    struct gravel_pump *pump;          /* NULL where host and kernels share the arena */
    uint32_t n_pump_buffers;           /* its node buffers, for each queue */
    struct gravel_device_calls *calls; /* handlers that the device runs; NULL if none */
    uint32_t awake_us;                 /* gravel_derive_awake_us */
    bool has_n_servers;                /* GRAVEL_SERVERS was given, not derived */
    struct gravel_servers servers;
    pthread_mutex_t scheduling_lock; /* guards the next two */
    bool has_scheduling;
    struct gravel_scheduling scheduling; /* of flows */
    pthread_mutex_t objects_lock;        /* guards the next one; held by a thread that flushes */
    struct gravel_object *objects;       /* object.h */
    pthread_mutex_t drain_lock;          /* step drain: one launch at a time */
    _Atomic bool is_draining;            /* H4: that launch waits for a slice */
    _Atomic uint32_t device_state;       /* H3: enum gravel_device_state; see gravel_node_see */
    pthread_mutex_t maps_lock;           /* guards the next five */
    void *maps;                          /* maps.c: those that are out */
    uint64_t n_writable;                 /* so far, those that are not only to be read */
    uint32_t n_maps; /* of gravel_map, not yet unmapped: the heap and this struct stay until then */
    enum gravel_end end; /* changed by end_node() of close.c */
    struct gravel_heap *heap;
    struct gravel_segment *segment;
    /* node buffers that nodes of this machine may take; NULL: there is none */
    struct {
        uint64_t mark; /* GRAVEL_BYTE_ORDER; 0: node 0 could not read its own */
        struct gravel_config config;
    } shared; /* while the node opens: node 0's settings, for what this node leaves at its default */
    struct gravel_network network;
    struct gravel_aggregator *aggregators; /* [config.n_aggregators] */
    pthread_mutex_t outbound_lock;         /* guards the next one */
    bool has_outbound;
    /* arena and aggregators are whole: a failure of the node wakes waiters there */
    struct gravel_kernel_names kernel_names; /* in checked mode */
    struct gravel_guards guards;             /* in checked mode, too */
    pthread_mutex_t launched_lock;           /* guards the next one */
    struct gravel_launch_counts launched;
    struct gravel_launches launches;
    struct gravel_lived since_failure; /* of waits for kernels; guarded by launches.lock */
    struct gravel_private private_memory;
    struct gravel_built built;
    struct gravel_watch watch;
    struct gravel *next; /* of open nodes (abort.c), or of those left behind (close.c) */
    uint32_t n_aborting; /* calls of gravel_abort that are under way; of abort.c, too */
    struct gravel_trace *trace;
    _Atomic bool knows_locals; /* relaxed: the program has asked for another node of this process */

    pthread_mutex_t stats_lock;
    struct gravel_stats stats_base;        /* subtracted since the last reset */
    struct gravel_stats *destination_base; /* [n_nodes] */
};

/** log.c: print a line to standard error, behind the node's number, whatever the settings say. */
void gravel_print(const struct gravel *gravel, const char *text);
/** log.c: returns whether the log is printed, too: GRAVEL_LOG. */
bool gravel_prints_log(const struct gravel *gravel);

/** log.c: writes a line to the node's log. */
void gravel_log(struct gravel *gravel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** log.c: as gravel_log; `context` is the node. */
void gravel_log_text(void *context, const char *text);
/** log.c: logs what makes the job slow or keeps it waiting; standard error gets the line if no function does. */
void gravel_warn(void *context, const char *text);

/** Returns whether the node has failed: every call that waits or sends fails. */
static inline bool gravel_node_has_failed(const struct gravel *gravel)
{
    return gravel_failure_is_fatal(&gravel->failure);
}

/** log.c: note what a thread of the node ran into; `context` is the node. See gravel_report_function. */
void gravel_report(void *context, int code, bool is_fatal, const char *text);

/**
 * log.c: from now on a failure of the node wakes waiters in the arena and the aggregators, also one that came
 * before; or no longer. A thread of the network may report while the node opens.
 */
void gravel_report_to_outbound(struct gravel *gravel, bool has_outbound);

/* ---- waits ------------------------------------------------------------------------------------------- */

/** waits.c: wait for a part of a launch, no longer than a kernel may take. @return as gravel_launches_wait_for. */
int gravel_node_wait_for_kernel(struct gravel *gravel, cl_kernel kernel, cl_event event);

/** programs.c: build a program, of texts and options; the node's handlers and settings are filled in. @return as
 * gravel_device_build. */
int gravel_node_build(struct gravel *gravel, const struct gravel_program_request *texts,
                      cl_program *program);

/** server_shape.c: chooses servers for handlers with keys. @return 0; GRAVEL_ECONFIG; GRAVEL_ECAPABILITY: the mode. */
int gravel_node_shape_servers(struct gravel *gravel, struct gravel_servers_shape *shape);

/** launch.c: returns how many groups, of clients of servers, a launch may have on the device at once. */
uint32_t gravel_node_groups_at_once(const struct gravel *gravel);

/**
 * launch.c: launch so many groups as one command, whatever the step, and wait for its end; on step drain, also for its
 * packages.
 *
 * @param limit  of the wait; on step drain as for any kernel.
 * @param event  [in, out] the last command's, released if there is a next.
 * @return       0; GRAVEL_ECL; GRAVEL_ENOMEM; as gravel_launches_wait_for.
 */
int gravel_node_run(struct gravel *gravel, cl_kernel kernel, size_t n_groups, size_t group_items,
                    struct gravel_limit limit, cl_event *event);

/** launch.c: begin such a launch, which quiet and barriers do not wait for; not on step drain. @param event  [out] */
int gravel_node_begin(struct gravel *gravel, cl_kernel kernel, size_t n_groups, size_t group_items,
                      cl_event *event);
/** launch.c: wait for its end. If the wait is given up, the kernel is remembered: it still uses device and memory.
 * @return as gravel_launches_wait_for */
int gravel_node_end(struct gravel *gravel, cl_kernel kernel, cl_event event);

/** limits.c: returns whether a wait for the device may continue; `context` is the node. See struct gravel_limit. */
int gravel_node_check_wait(void *context, struct gravel_wait *wait);

/** limits.c: fails the node by the last error: its device is stuck, and what the device still writes is unknown.
 * @return code */
int gravel_node_give_up(struct gravel *gravel, int code);

/** limits.c: keeps what the device uses: the driver does not say whether a command has ended, as the last error says.
 * The node fails, unless it knew that the device is stuck. `context` is the node. */
void gravel_node_keep_memory(void *context);

/** limits.c: of a wait for kernels of the caller's. */
struct gravel_limit gravel_node_kernel_limit(struct gravel *gravel);

/* A wait for what the network thread is to apply. */
struct gravel_applying {
    struct gravel *gravel;
    uint64_t progress; /* of that thread, at the last poll */
};

/** limits.c: of such a wait: the device's, or what a function of the caller's may take that the thread runs. */
struct gravel_limit gravel_node_applying_limit(struct gravel_applying *applying);

/**
 * limits.c: take a lock that another thread may keep while it is in the driver, however long. No other lock is held
 * across such a call (the test "waits without a limit").
 *
 * @param what  "another thread's launch, which keeps the device".
 * @return      0; the node's failure, if that thread or the device does not come back.
 */
int gravel_node_lock(struct gravel *gravel, pthread_mutex_t *lock, const char *what);

/** Change what the node knows of its device, unless it knows more. Any thread. */
static inline void gravel_node_see(struct gravel *gravel, uint32_t state)
{
    uint32_t now = atomic_load_explicit(&gravel->device_state, memory_order_relaxed); /* H3 */
    while (now < state && !atomic_compare_exchange_weak_explicit(&gravel->device_state, &now, state,
                                                                 memory_order_relaxed, /* H3 */
                                                                 memory_order_relaxed))
        ;
}
/** Returns whether it is so far. */
static inline bool gravel_node_has_seen(const struct gravel *gravel, uint32_t state)
{
    return atomic_load_explicit(&gravel->device_state, memory_order_relaxed) >= state; /* H3 */
}
/** Returns whether a wait for the device was given up. */
static inline bool gravel_node_is_stuck(const struct gravel *gravel)
{
    return gravel_node_has_seen(gravel, GRAVEL_DEVICE_IS_STUCK);
}
/** limits.c: returns whether a kernel of the caller's may keep the device to itself, as it does on step drain. */
bool gravel_node_is_kept(void *gravel);

/** outbound.c: makes the arena, and memory for node buffers. @return 0; as gravel_memory_create. */
int gravel_node_open_arena(struct gravel *gravel);
/** outbound.c: memory for the node buffers of host calls; NULL: any memory will do. */
unsigned char *gravel_node_host_frames(const struct gravel *gravel);
/** outbound.c: starts the pump, and aggregators' threads. @return 0; GRAVEL_ENOMEM; GRAVEL_ECL; GRAVEL_ESYSTEM. */
int gravel_node_open_aggregators(struct gravel *gravel);

/** close.c: free a node, also a half-open one; what its device still uses stays, and so do maps. @return 0; as
 * gravel_trace_close. */
int gravel_node_free(struct gravel *gravel);
/** abort.c: from now on gravel_abort takes the node; takes it no longer. @return false: a call of it is still under
 * way, in the caller's log function. */
void gravel_abort_allow(struct gravel *gravel);
bool gravel_abort_refuse(struct gravel *gravel);
/** abort.c: in the program's MPI_Finalize: end all open nodes that use MPI as gravel_close does, but free nothing. */
void gravel_abort_finalising(void);
/** close.c: frees the heap and the node itself, after its last map; the rest is freed before. */
void gravel_node_free_heap(struct gravel *gravel);

/** waits.c: wait for our kernels, and until all that has been sent so far is shipped. @return as gravel_fence. */
int gravel_node_drain(struct gravel *gravel);

/** facts.c: begins a public call. @return 0; GRAVEL_EINVAL, and why: the node is NULL; as gravel_caller_refuse. */
int gravel_enter(const struct gravel *gravel, const char *call, enum gravel_caller caller);

/** facts.c: what a public call returns that met `code`: the node's failure goes first. */
int gravel_leave(struct gravel *gravel, int code);
/** Leave a call that waits for messages, as gravel_leave: refusals that the node's threads noted go first, too. */
int gravel_leave_wait(struct gravel *gravel, int code);

/** Returns whether the calling thread runs a handler of this node. */
bool gravel_node_is_in_handler(const struct gravel *gravel);

/** Returns the local heap of a node of this process. */
static inline uint32_t gravel_node_heap(const struct gravel *gravel, uint32_t node)
{
    return gravel->network.transport->is_loopback ? node : 0;
}

/** heap.c: checks whether a part of a heap lies in this process. @return 0; GRAVEL_ERANGE: no local node, or no one
 * allocation. */
int gravel_node_refuse_part(struct gravel *gravel, const char *call, uint64_t offset,
                            uint64_t bytes, uint32_t node);

/** Refuse bytes that lie in no allocation, at every node: the heap is symmetric. @return 0; GRAVEL_ERANGE, and why. */
int gravel_node_refuse_bytes(struct gravel *gravel, const char *call, uint64_t offset,
                             uint64_t bytes);

/* ---- messages.c: what host code sends, to nodes that exist. @return 0; GRAVEL_ENOMEM; the node's failure ---- */

/** Bin messages of one command. */
int gravel_node_append(struct gravel *gravel, const struct gravel_columns *columns);

/** Ship what host calls have sent. @return 0; as gravel_node_lock. */
int gravel_node_flush_host(struct gravel *gravel);

/**
 * Write bytes of a local heap to the heap of a node, by copies straight to node buffers.
 *
 * @param from, to  heap offsets, here and at `node` [bytes].
 * @return          also GRAVEL_ECL; or the wait for a copy was given up (opencl/wait.h).
 */
int gravel_node_put_heap(struct gravel *gravel, uint32_t heap, uint64_t from, uint64_t to,
                         uint64_t bytes, uint32_t node);

/* Messages of one command and one destination, in rows on the device, which are complete. */
struct gravel_packed {
    struct gravel_run_key key;
    struct gravel_rows rows;
    uint32_t n, node;
};

/**
 * Send packed messages.
 *
 * @param headers  NULL: by copies straight to node buffers, and the rows may change when the call returns; else empty,
 *                 for a node of this process, whose device applies messages, with indices of 4 bytes, from where they
 *                 are: the rows must stay until the headers are back in their pool.
 * @return         as gravel_node_put_heap.
 */
int gravel_node_send_packed(struct gravel *gravel, const struct gravel_packed *packed,
                            struct gravel_buffer *headers);

/* ---- handlers, streams, agreement ------------------------------------------------------------------ */

/** tables.c: copy the caller's bindings, by the sizes of its header, which may be older or newer than the library.
 * @param bindings  or NULL. @return 0; GRAVEL_EINVAL, and *out is zero-filled. */
int gravel_bindings_read(struct gravel_bindings *out, const struct gravel_bindings *bindings);
/** tables.c: check the caller's handlers and streams, and make a table of copies. @param bindings  gets the table's
 * handlers. @return 0; GRAVEL_EINVAL; GRAVEL_ENOMEM. */
int gravel_endpoints_take(struct gravel_endpoints *endpoints, struct gravel_bindings *bindings);
void gravel_endpoints_free(struct gravel_endpoints *endpoints);
/** tables.c: return a number that differs when a handler's name, arguments or who runs it does. Never 0. */
uint64_t gravel_endpoints_hash_handler(uint64_t hash, const struct gravel_handler *handler);
/** tables.c: add the streams' names and sizes, in their order, to a hash. */
uint64_t gravel_endpoints_hash_streams(const struct gravel_endpoints *endpoints, uint64_t hash);
/** tables.c: hash all of the table, and the source of handlers that the device runs. */
uint64_t gravel_endpoints_hash(const struct gravel_endpoints *endpoints);
/* Every exchange while a node opens. */
static const struct gravel_collective_call gravel_call_open = {.kind = GRAVEL_CALL_OPEN};

/**
 * waits.c: gravel_reduce and gravel_barrier as a part of that collective call, which all nodes make or none: refused
 * messages stay noted for the next gravel_quiet, gravel_fence or gravel_barrier of the caller's.
 *
 * @param is_rest  not its first part.
 */
int gravel_node_reduce(struct gravel *gravel, const struct gravel_collective_call *call,
                       uint32_t op, uint32_t type, void *values, uint32_t n);
int gravel_node_run_reduction(struct gravel *gravel, struct gravel_job *job);
int gravel_node_barrier(struct gravel *gravel, const struct gravel_collective_call *call,
                        bool is_rest);
/** agree.c: compare with all nodes what must be the same everywhere. Collective. @return 0; GRAVEL_EMISMATCH. */
int gravel_agree_on_settings(struct gravel *gravel);

/**
 * agree.c: all nodes succeed in a call or none, whatever each has met: what refuses a collective call comes here,
 * instead of leaving the other nodes alone in it. Collective.
 *
 * @param is_rest  not its first part.
 * @param code     what this node has met, its text set.
 * @return         code; else GRAVEL_EMISMATCH if arguments differ, what one of them met.
 */
int gravel_node_agree_on(struct gravel *gravel, const struct gravel_collective_call *call,
                         bool is_rest, int code);

/** heap.c: frees this node's part of an allocation, as all nodes do in one order. @return 0; GRAVEL_EINVAL; the node's
 * failure. */
int gravel_node_release(struct gravel *gravel, const char *call, uint64_t offset);

/** neighbours.c: logs which device this node uses, and who shares it. Collective. @return 0; GRAVEL_ENOMEM. */
int gravel_node_log_neighbours(struct gravel *gravel);

/** Print statistics for people, as GRAVEL_STATS=1 asks. */
void gravel_stats_print(struct gravel *gravel);
/** Print the job's traffic at node 0. Collective, in gravel_close. @return 0; as gravel_reduce; GRAVEL_ENOMEM */
int gravel_stats_print_job(struct gravel *gravel);

#endif
