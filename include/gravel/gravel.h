/* SPDX-License-Identifier: MIT */
/**
 * @file gravel.h
 * The host interface of Gravel: open a node, give kernels its arena, wait for their messages.
 *
 * A node is one process of a job (a rank), or one of several loop-back nodes of a single process.
 * Calls return 0 or a negative GRAVEL_E... code; gravel_strerror() names the code and
 * gravel_last_error() says what exactly went wrong. Once a node has failed, its calls return the error that ended it.
 *
 * Any host thread may make any call. In a handler a call that waits returns GRAVEL_EINVAL, and the text names it:
 * gravel_open, gravel_close, collective calls, gravel_quiet, gravel_fence, gravel_get, both of sessions, builds of
 * programs, gravel_launch on steps pump and drain, gravel_map and gravel_unmap where maps are copies, and all of
 * work stealing, mirrors, servers and flows but gravel_flow_post and what reads counters. Every node makes the
 * *collective* calls in the same order. Offsets are in bytes from the start of a node's part of the symmetric
 * heap.
 *
 * NULL for a node, a flow, deques, a kernel, or an argument that is not said to be optional is GRAVEL_EINVAL, and the
 * text names the call and the argument; calls that return no code return 0 or NULL then.
 *
 * A node stays with the process that opened it. In a child of fork() every call that returns a code returns
 * GRAVEL_EINVAL, "after fork", gravel_open included; exec ends that.
 *
 * Memory:  what a quiet or barrier covers is visible to the calling thread when the call returns (J1).
 * Source:  Orr, Communication and Coordination Paradigms for Highly-Parallel Accelerators, 2016, chapters 3 and 5.
 */
#ifndef GRAVEL_GRAVEL_H
#define GRAVEL_GRAVEL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "config.h"
#include "operation.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's soversion is GRAVEL_API_MAJOR while that is not 0, else 0.GRAVEL_API_MINOR. */
#define GRAVEL_API_MAJOR 0
#define GRAVEL_API_MINOR 3
#define GRAVEL_API_PATCH 0

/** X(code, number, text): every error. */
#define GRAVEL_ERRORS(X)                                                \
    X(GRAVEL_EINVAL, -1, "invalid argument")                            \
    X(GRAVEL_ENOMEM, -2, "out of memory")                               \
    X(GRAVEL_ECONFIG, -3, "invalid setting")                            \
    X(GRAVEL_EDEVICE, -4, "no such device")                             \
    X(GRAVEL_ECAPABILITY, -5, "device lacks a capability")              \
    X(GRAVEL_EBUILD, -6, "kernel program does not build")               \
    X(GRAVEL_ECL, -7, "OpenCL call failed")                             \
    X(GRAVEL_EMPI, -8, "MPI call failed")                               \
    X(GRAVEL_EHEAP, -9, "symmetric heap exhausted")                     \
    X(GRAVEL_ERANGE, -10, "destination, index or offset out of range")  \
    X(GRAVEL_EHANDLER, -11, "unknown or failed active-message handler") \
    X(GRAVEL_ECORRUPT, -12, "corrupt node buffer")                      \
    X(GRAVEL_EMISMATCH, -13, "nodes disagree")                          \
    X(GRAVEL_EPEER, -14, "another node failed")                         \
    X(GRAVEL_ETIMEOUT, -15, "no progress within the time limit")        \
    X(GRAVEL_EKERNEL, -16, "a kernel reported a fault")                 \
    X(GRAVEL_ESYSTEM, -17, "operating system call failed")              \
    X(GRAVEL_EABORT, -18, "this node was aborted")                      \
    X(GRAVEL_ESTUCK, -19, "a flow cannot continue")

enum gravel_error {
#define GRAVEL_ERROR(code, number, text) code = number,
    GRAVEL_ERRORS(GRAVEL_ERROR)
#undef GRAVEL_ERROR
};

/** One node of a job. Opaque; made by gravel_open. */
struct gravel;

/**
 * An active-message handler, run at the destination by the thread that resolves messages.
 *
 * @param gravel  the destination node; the handler may call gravel_update, gravel_put and gravel_am on it
 *                (they never block there), gravel_map where the host addresses the heap, and nothing that waits.
 * @param user    the pointer registered with the handler.
 * @param source  node that sent the message.
 * @param args    the arguments [GRAVEL_AM_MAX_ARGS]; those not sent are 0.
 * @return        0, or any other value to report GRAVEL_EHANDLER at this node and at the sender.
 *
 * Memory:  handlers and other messages for one node are applied one at a time, so plain loads and stores suffice among
 *          handlers.
 * Source:  Orr 2016, section 5.2.3.
 */
typedef int gravel_handler_function(struct gravel *gravel, void *user, uint32_t source,
                                    const uint64_t args[GRAVEL_AM_MAX_ARGS]);

/**
 * An active-message handler that answers, as gravel_handler_function in all else; if it blocks, see struct
 * gravel_handler.
 *
 * @param args    the arguments [GRAVEL_ASK_MAX_ARGS]; those not sent are 0.
 * @param answer  [out] is 0 before; travels to the node that asked (gravel_askN of cl/gravel.cl.h), of a handler with
 *                arg_bytes 4 the lower 32 bits. Of an active message that does not ask it is dropped.
 * @return        as gravel_handler_function; nevertheless the answer travels.
 */
typedef int gravel_answer_function(struct gravel *gravel, void *user, uint32_t source,
                                   const uint64_t *args, uint64_t *answer);

/**
 * What servers do for a handler with keys (cl/server.cl.h). All 0 for a handler without. Never grows.
 *
 * With one key, handlers with equal keys never run at once.
 *
 * With two keys it is a transaction over two data of one node: `void name(struct gravel_call call, ulong *first, ulong
 * *second, ulong a2, ...)` gets private copies of both, which are stored when it returns. Functions of device_code move
 * them: `void datum_load(struct gravel_call call, ulong key, ulong *words)` and `void datum_store(struct gravel_call
 * call, ulong key, const ulong *words)`. If the keys are equal there is one copy, and both point to it. Where
 * device_code defines GRAVEL_NODE_OF(key, n), a message whose keys are not both of its node ends the node with
 * GRAVEL_EKERNEL, which names handler and nodes.
 *
 * With one key and max_pending it may send messages to servers of its own device (gravel_serve_amN of cl/server.cl.h).
 * Such a handler is served in launches of gravel_server_launch alone: messages to it that come another way are refused
 * with GRAVEL_EHANDLER. The memory for what waits is made when the node opens: for each server, 8 bytes and as many
 * again for each argument times the sum of all max_pending and 1024, rounded up to a power of two.
 */
struct gravel_serve {
    uint32_t n_keys;      /**< how many of the first arguments are keys: 0 to 2 */
    uint32_t datum_words; /**< with 2 keys: 64-bit words of a datum, 1 to GRAVEL_DATUM_MAX_WORDS */
    const char *datum;    /**< with 2 keys: device_code has functions datum_load and datum_store */
    uint64_t max_pending;
    /**< with 1 key: if not 0 the handler may send, by gravel_serve_amN, and so many of its messages at most wait at one
         server at once */
};

/**
 * An entry of the table of handlers, which is equal, in the same order, at every node.
 *
 * The host's: function or answer, and user. If both are NULL, the destination's device runs the handler, which is
 * OpenCL C in device_code of the bindings: `void name(struct gravel_call call, ulong a0, ...)`, with n_args arguments.
 * cl/gravel.cl.h says what it may do. It alone can have keys.
 *
 * With arg_bytes 4 every `ulong` is a `uint`: of what kernels give a call, the lower 32 bits travel. A function of the
 * host gets them widened.
 *
 * With n_answers 1 it is `ulong name(struct gravel_call call, ulong a0, ...)`, and kernels may ask it (gravel_askN):
 * what it returns travels back, as the answer of a request does. What it returns for an active message is dropped. It
 * has GRAVEL_ASK_MAX_ARGS arguments and 1 key at most, and does not send. With `answer` a function of the host answers;
 * n_answers is 1 then, whatever it was.
 *
 * A function of the host runs in the network thread, and must not block. With `blocks` the thread that runs the
 * functions of streams runs `answer`, under their rules; what it sends to the node that asked is applied there before
 * its answer. Kernels ask it alone (no active messages, no gravel_am), without an order with their other messages.
 * Each call has GRAVEL_TIMEOUT to return, or its node fails; no wait of a kernel runs out while a question of its
 * node's is not answered, however many calls are before it.
 */
struct gravel_handler {
    const char *name; /**< a C identifier; kernels name it GRAVEL_HANDLER(name) */
    uint32_t n_args;  /**< arguments it takes, 0 to GRAVEL_AM_MAX_ARGS */
    uint32_t arg_bytes;
    /**< of an argument, and of the answer: 0 or 8: ulong; 4: uint, half as much to send; with 2 keys 8 */
    gravel_handler_function *function; /**< NULL, and answer too: the device runs it */
    void *user;                        /**< handed to either; NULL if the device runs it */
    uint32_t n_answers;                /**< 0 or 1: ulongs it returns (arg_bytes 4: uints) */
    struct gravel_serve serve;         /**< keys */
    gravel_answer_function *answer; /**< instead of function: of the host, and kernels may ask it */
    uint32_t blocks; /**< 1: answer may block, as in a read of a file, and is asked alone; else 0 */
};

/**
 * Handles records that kernels append to a stream (gravel_append_S of cl/print.cl.h), at the node that they
 * name.
 *
 * @param gravel   the node; the function may call gravel_update, gravel_put and gravel_am on it, and nothing that
 *                 waits.
 * @param user     the pointer registered with the stream.
 * @param source   node that sent the records.
 * @param records  [n][record_bytes] as the kernel had them; they stay until the function returns.
 * @param n        at least 1.
 * @return         0, or any other value to report GRAVEL_EHANDLER at this node and at the sender.
 *
 * One thread of the node, not the network thread, runs all functions of streams, one at a time, and writes the lines of
 * kernels too. So a function may block, as in a write, and kernels that append wait while GRAVEL_SPOOL bytes are on
 * their way. It may not block for GRAVEL_TIMEOUT: the node fails then, with the stream's name.
 */
typedef int gravel_stream_function(struct gravel *gravel, void *user, uint32_t source,
                                   const void *records, uint32_t n);

/** An entry of the table of streams, which is equal, in the same order, at every node. Never grows. */
struct gravel_stream {
    const char *name;      /**< a C identifier; kernels name it in gravel_append_S */
    uint32_t record_bytes; /**< of a record: a multiple of 4, at most GRAVEL_RECORD_MAX_BYTES */
    gravel_stream_function *function;
    void *user; /**< handed to it */
};

/**
 * Takes lines that kernels print, instead of standard output, at the node that GRAVEL_PRINT says.
 *
 * @param user   the pointer registered with it.
 * @param text   [bytes] whole lines, each behind its node and work-item (GRAVEL_PRINT_TAGS), without a 0 behind them;
 *               they stay until the function returns.
 * @return       0, or any other value: these lines and all that follow are lost, and the next gravel_quiet or
 *               gravel_barrier of this node returns GRAVEL_EHANDLER with their count.
 *
 * The thread that runs the functions of streams calls it, in turn with them, under their rules.
 */
typedef int gravel_print_function(void *user, const char *text, size_t bytes);

/**
 * Log callback: gets a line of what the node does or runs into while no call is there to return it, without a newline.
 * Any library thread may call it. With GRAVEL_LOG set to 1 the same lines go to standard error; without it, and without
 * such a function, those that say what makes a job slow or keeps it waiting.
 */
typedef void gravel_log_function(void *user, const char *text);

/** A text of OpenCL C. NULL members are left out. Never grows. */
struct gravel_device_code {
    const char *source;  /**< the text itself */
    const char *name;    /**< its file name for messages of the compiler, e.g. "tally.cl" */
    const char *options; /**< options of the compiler */
};

/**
 * The caller's OpenCL objects, handlers and log. Made by GRAVEL_BINDINGS; every member but the two sizes is optional.
 *
 * Later versions add members, here and to struct gravel_handler, at the end. The sizes show the library which members
 * the caller's header has: it takes members that the caller does not have as 0, and refuses to open if the caller sets
 * a member that the library does not have.
 *
 * With a context, device must be set too and is used as it is; a queue needs both. With a device alone Gravel makes the
 * context and, of a CPU device, the sub-device that leaves GRAVEL_HOST_CORES free.
 */
struct gravel_bindings {
    size_t bytes;           /**< sizeof(struct gravel_bindings) */
    size_t handler_bytes;   /**< sizeof(struct gravel_handler); anything if n_handlers is 0 */
    cl_context context;     /**< the caller's */
    cl_device_id device;    /**< the caller's, instead of GRAVEL_DEVICE's */
    cl_command_queue queue; /**< the caller's, in order, for gravel_launch; made if NULL */
    const struct gravel_handler *handlers; /**< [n_handlers] copied by gravel_open */
    uint32_t n_handlers;
    gravel_log_function *log;
    void *log_user;
    struct gravel_device_code device_code;
    /**< of the handlers without a function; used until gravel_open returns */
    const void *mpi_comm;
    /**< points to the caller's MPI_Comm; MPI_COMM_WORLD if NULL. See gravel_open */
    const struct gravel_stream *streams; /**< [n_streams] copied by gravel_open */
    uint32_t n_streams;                  /**< at most GRAVEL_MAX_STREAMS */
    gravel_print_function *print;        /**< takes lines of kernels; NULL: standard output */
    void *print_user;                    /**< handed to it */
};

/**
 * Initialises struct gravel_bindings, its sizes included:
 *
 *     struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2);
 */
#define GRAVEL_BINDINGS(...)                                                                     \
    {                                                                                            \
        .bytes = sizeof(struct gravel_bindings), .handler_bytes = sizeof(struct gravel_handler), \
        __VA_ARGS__                                                                              \
    }

/* ---- texts ----------------------------------------------------------------------------------- */

/**
 * The version of the library that runs, which may be later than GRAVEL_API_MAJOR, _MINOR and _PATCH of the header.
 *
 * @param numbers  [out] [3] major, minor, patch; or NULL.
 * @return         e.g. "1.0.2".
 */
const char *gravel_version(uint32_t numbers[3]);

/** The text of an error code; never NULL. */
const char *gravel_strerror(int code);

/** Return why the calling thread's last failed Gravel call failed; "" if none did. Valid until its next call. */
const char *gravel_last_error(void);

/**
 * Set what gravel_last_error returns to the calling thread: for a library on top of this one, whose calls fail as this
 * one's do.
 *
 * @param text  copied, and cut at 16 kB; NULL for "".
 * @return      code, as it is: `return gravel_set_error(GRAVEL_EINVAL, text);`.
 */
int gravel_set_error(int code, const char *text);

/* ---- open and close -------------------------------------------------------------------------- */

/**
 * Fill a configuration with the defaults and the GRAVEL_* environment variables. Needs no node.
 *
 * @param config  [out] [bytes] set fields afterwards, directly or by gravel_config_set, to override the environment.
 * @param bytes   sizeof *config: later versions have more fields. A caller that does not know the structure may give
 *                any size from it to 65536, a multiple of sizeof(void *), and set fields by name.
 * @return        0; GRAVEL_EINVAL; GRAVEL_ECONFIG if a variable is malformed or out of range, with its name.
 */
int gravel_config_load(struct gravel_config *config, size_t bytes);

/**
 * Set a field by its name. One thread at a time on one config.
 *
 * @param name  as in config.h and docs/reference/settings.md, e.g. "heap_bytes".
 * @param text  as the variable takes it, e.g. "64M".
 * @return      0; GRAVEL_ECONFIG (no such setting: the nearest names; a bad value: the range), and config is unchanged;
 *              GRAVEL_EINVAL (config is not from gravel_config_load).
 */
int gravel_config_set(struct gravel_config *config, const char *name, const char *text);

/**
 * The i-th setting: count i from 0 until GRAVEL_ERANGE.
 *
 * @param name  [out] valid as long as the library is loaded.
 * @param text  [out] [text_bytes] the value, numbers in full; GRAVEL_CONFIG_STRING_BYTES are enough.
 * @return      0; GRAVEL_ERANGE; GRAVEL_EINVAL.
 */
int gravel_config_get(const struct gravel_config *config, uint32_t i, const char **name, char *text,
                      size_t text_bytes);

/**
 * Open this process's node: device, arena, queues, aggregators, network. Collective.
 *
 * @param out       [out] the node, or NULL on failure, which leaves nothing behind.
 * @param config    settings from gravel_config_load; NULL for them unchanged.
 * @param bindings  the caller's OpenCL objects, handlers and log; NULL for none. What it points to must stay until
 *                  gravel_open returns; log and log_user, contexts and queues until gravel_close.
 * @return          0; GRAVEL_EINVAL (bindings: which member, and its value; config.bytes); GRAVEL_ECONFIG;
 *                  GRAVEL_EDEVICE (unknown or ambiguous device: candidates are listed); GRAVEL_ECAPABILITY (what the
 *                  device lacks); GRAVEL_EBUILD (device_code: the compiler's log, with the caller's file name and
 *                  lines); GRAVEL_EMISMATCH (which setting nodes disagree on); GRAVEL_EMPI; GRAVEL_ENOMEM; GRAVEL_ECL;
 *                  GRAVEL_ESYSTEM. Other nodes return GRAVEL_EPEER, unless the sizes in bindings or config are of no
 *                  version: then this node leaves at once.
 *
 * With transport mpi, Gravel initialises MPI unless the caller has. Then it asks for MPI_THREAD_MULTIPLE, accepts
 * less, and finalises MPI when the process ends, not in gravel_close: nodes may be opened one after the other, and the
 * caller may use MPI from then on, as MPI_Query_thread says. A caller that initialises MPI asks for
 * MPI_THREAD_MULTIPLE, and finalises it, after gravel_close. If the program calls MPI_Finalize while a node is open,
 * the node ends there as in gravel_close, and each of its later calls fails with GRAVEL_EMPI; gravel_close still frees
 * it.
 *
 * The processes of bindings->mpi_comm, or of MPI_COMM_WORLD, are the nodes of the job, numbered by their ranks in it.
 * gravel_open duplicates the communicator, and is collective over it; jobs of disjoint communicators have nothing to do
 * with each other. Transport auto takes mpi then; transport self ignores it.
 *
 * Source:  Orr 2016, section 5.2 (queue, aggregator, network thread of a node).
 */
int gravel_open(struct gravel **out, const struct gravel_config *config,
                const struct gravel_bindings *bindings);

/**
 * Close a node: barrier, stop its threads, free everything. Collective. NULL is allowed.
 *
 * @return  0; the failure that ended the node, or else its first error that no other call has returned yet: the node is
 *          closed either way, also with GRAVEL_ESYSTEM if the file of GRAVEL_TRACE is not whole; GRAVEL_EINVAL if a
 *          handler or a child of fork calls: the node stays open.
 *
 * Kernels that use the node must have ended, and no other thread may be in a call but gravel_abort. Gravel waits for
 * kernels of gravel_launch; of what is on another queue it cannot know, and frees the memory that such a kernel
 * addresses, also under one that is enqueued later with this node's GRAVEL_ARENA. Memory that is mapped stays until it
 * is unmapped.
 */
int gravel_close(struct gravel *gravel);

/**
 * Give the node up, and with it the job: for a program that cannot continue and must not keep the other nodes waiting.
 *
 * Not collective. Any thread may call it, also while another waits in a call or closes the node, and handlers and the
 * log may. All calls that wait end: here with GRAVEL_EABORT and the text, at the other nodes with GRAVEL_EPEER, this
 * node's number and the text; leaders of kernels give up. Returns when the text is on its way, or after a second, so
 * the process may end then, with or without gravel_close, which waits for no other node after it.
 *
 * @param text  why, for people: 400 bytes of it reach the other nodes. NULL or "" for none.
 * @return      0, also if the node had failed before: then its first failure stays the one that its calls return;
 *              GRAVEL_EINVAL, also if the node is closed, and as long as no other one has its address.
 */
int gravel_abort(struct gravel *gravel, const char *text);

/** This node's number, 0 <= node < gravel_n_nodes(); in a handler the node that the message is for. */
uint32_t gravel_node(const struct gravel *gravel);
/** Nodes of the job. */
uint32_t gravel_n_nodes(const struct gravel *gravel);
/** The settings in force, with derived values. */
const struct gravel_config *gravel_config_of(const struct gravel *gravel);
/** The step of the capability ladder in use: "svm", "usm", "pump" or "drain". */
const char *gravel_step(const struct gravel *gravel);
/**
 * Work-items of a work-group that suit the device, a power of two: calls of so many make the fewest and fullest
 * packages that it sends at its best rate. For programs that may choose; kernels may allow fewer.
 */
uint32_t gravel_group_size(const struct gravel *gravel);
/**
 * Cores for this node's threads and kernels, at least 1: its share of those that the process and other nodes of its
 * host may run on. For programs that compute with threads of their own.
 */
uint32_t gravel_cores(const struct gravel *gravel);
/** The OpenCL objects in use; the node owns them unless they come from the bindings. */
cl_context gravel_cl_context(const struct gravel *gravel);
cl_device_id gravel_cl_device(const struct gravel *gravel);
cl_command_queue gravel_cl_queue(const struct gravel *gravel);

/* ---- the symmetric heap ---------------------------------------------------------------------- */

/**
 * Allocate zero-filled symmetric memory. Collective, with a barrier.
 *
 * @param bytes   size [bytes], the same at every node, not 0.
 * @param offset  [out] [bytes] the same at every node; a multiple of 64, never 0. Kernels take it as `ulong`.
 * @return        0; GRAVEL_EINVAL; GRAVEL_EHEAP, with the sizes asked, free and total; GRAVEL_ENOMEM; GRAVEL_EMISMATCH
 *                if sizes differ; else as gravel_barrier. If one node fails, all do, and nothing is allocated.
 *
 * Source:  Orr 2016, section 5.2 (partitioned global address space); OpenSHMEM 1.5, section 9.3.
 */
int gravel_alloc(struct gravel *gravel, uint64_t bytes, uint64_t *offset);

/**
 * Allocate as gravel_alloc, with a name that all nodes must give: if nodes make allocations of one size in different
 * orders, they are refused, instead of one node's counters being another's distances. Collective, with a barrier.
 *
 * @param name  of the allocation, for texts; 1 to 47 characters, the same at every node.
 * @return      as gravel_alloc; GRAVEL_EINVAL also for the name; GRAVEL_EMISMATCH also if names differ.
 */
int gravel_alloc_named(struct gravel *gravel, const char *name, uint64_t bytes, uint64_t *offset);

/**
 * Free symmetric memory. Collective, with a barrier: messages to it must have been sent before the call.
 *
 * @return  0; GRAVEL_EINVAL if offset is not the start of an allocation, or an accumulator, a mirror or a block pool
 *          uses it, which then stays; GRAVEL_EMISMATCH if offsets differ; else as gravel_barrier.
 */
int gravel_free(struct gravel *gravel, uint64_t offset);

/** Returns whether a node lives in this process: this node, and every loop-back node of transport self. */
bool gravel_is_local(const struct gravel *gravel, uint32_t node);

/**
 * Gives this process its share of n things: lines of an input, work-items of a launch. Shares differ by one at most,
 * and follow each other in the order of nodes. Loop-back nodes of transport self are one process: it gets all.
 *
 * @param first  [out] the number of the share's first thing, 0 to n.
 * @param count  [out] things of the share, 0 to n.
 * @return       0; GRAVEL_EINVAL.
 */
int gravel_share(const struct gravel *gravel, uint64_t n, uint64_t *first, uint64_t *count);

/**
 * Return where a part of a local node's heap lies, for OpenCL code without Gravel, such as a library's kernels.
 *
 * On steps pump and drain it is in a buffer; on step svm in shared virtual memory, for clSetKernelArgSVMPointer, on
 * step usm for clSetKernelArgMemPointerINTEL. It lies there until it is freed, or the node closed: nothing is retained.
 *
 * That code runs in the node's queue behind a gravel_quiet or gravel_barrier, or in another queue between two of them.
 * Messages to the part that come while it runs may be lost.
 *
 * @param offset   heap offset [bytes]; [offset, offset + bytes) lies in one allocation.
 * @param node     a local node.
 * @param buffer   [out] it is in; NULL on steps svm and usm, and on failure.
 * @param first    [out] of the part's first byte in the buffer [bytes], a multiple of 64 if offset is; else 0.
 * @param pointer  [out] of the part's first byte; NULL on steps pump and drain, and on failure.
 * @return         0; GRAVEL_ERANGE (not a local node, or not one allocation); GRAVEL_EINVAL.
 *
 * Memory:  the code sees what a quiet or barrier before it has completed. What it stored is seen by kernels behind it
 *          in the queue, and by maps and messages from its end on.
 */
int gravel_heap_part(struct gravel *gravel, uint64_t offset, uint64_t bytes, uint32_t node,
                     cl_mem *buffer, uint64_t *first, void **pointer);

/**
 * Make a part of a local node's heap readable or writable by the host, on every step of the ladder.
 *
 * Where the host addresses the heap, the pointer is into the heap; elsewhere it is to a copy, which gravel_unmap writes
 * back. Messages to the part between the two calls may be lost: call gravel_barrier or gravel_quiet before.
 *
 * What is mapped stays readable after gravel_close, until it is unmapped: the heap is freed by the last gravel_unmap. A
 * map that is never unmapped keeps the heap of a closed node until the process ends.
 *
 * @param offset   heap offset [bytes]; [offset, offset + bytes) lies in one allocation.
 * @param flags    CL_MAP_READ, CL_MAP_WRITE, both, or CL_MAP_WRITE_INVALIDATE_REGION (nothing is read).
 * @param node     a local node.
 * @param pointer  [out] to the part's first byte, aligned to 64 bytes if offset is; NULL on failure.
 * @return         0; GRAVEL_ERANGE (not a local node, or not one allocation); GRAVEL_EINVAL, in checked mode also if a
 *                 kernel of gravel_launch came after the last quiet or barrier; GRAVEL_ENOMEM; GRAVEL_ECL.
 */
int gravel_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, cl_map_flags flags,
               uint32_t node, void **pointer);

/**
 * End a map: each pointer as often as gravel_map gave it. Later kernels and messages see what was written. This call
 * alone may follow gravel_close, which drops what is written then.
 *
 * @param pointer  as gravel_map gave it; NULL is allowed.
 * @return         0; GRAVEL_EINVAL (not mapped, or no longer, or inside a map): all maps stay as they are;
 *                 GRAVEL_EINVAL (the allocation was freed while it was mapped): the map ends, and nothing is written;
 *                 GRAVEL_ECL.
 */
int gravel_unmap(struct gravel *gravel, void *pointer);

/**
 * Fill a part of a local node's heap with copies of a pattern, and wait, on every step of the ladder: what gravel_map
 * for writing, stores and gravel_unmap do, without memory for a copy. Messages to the part during the call may be lost:
 * call gravel_barrier or gravel_quiet before. Handlers may call it where the host addresses the heap.
 *
 * @param offset         heap offset [bytes], a multiple of pattern_bytes; [offset, offset + bytes) lies in one
 *                       allocation.
 * @param bytes          a multiple of pattern_bytes; 0 is allowed.
 * @param pattern        [pattern_bytes]
 * @param pattern_bytes  a power of two up to 128, as of clEnqueueFillBuffer.
 * @param node           a local node.
 * @return               0; GRAVEL_ERANGE (not a local node, or not one allocation); GRAVEL_EINVAL (the pattern's size,
 *                       and what is no multiple of it), in checked mode also if a kernel of gravel_launch came after
 *                       the last quiet or barrier; GRAVEL_ENOMEM; GRAVEL_ECL.
 *
 * Memory:  later kernels and messages see the pattern; no aligned word of 4 or 8 bytes is torn.
 */
int gravel_fill(struct gravel *gravel, uint64_t offset, uint64_t bytes, const void *pattern,
                uint64_t pattern_bytes, uint32_t node);

/* ---- kernels --------------------------------------------------------------------------------- */

/**
 * Build an OpenCL program whose text includes "gravel.cl.h" directly, not by a file that it includes.
 *
 * @param name     file name for the compiler's messages, e.g. "count.cl".
 * @param source   text of the program, up to its first zero byte.
 * @param options  compiler options, or NULL.
 * @param program  [out] to be released by the caller.
 * @return         0; GRAVEL_EINVAL; GRAVEL_EBUILD, and gravel_last_error() holds the compiler's log with the caller's
 *                 file name and lines; GRAVEL_ENOMEM; GRAVEL_ECL.
 *
 * On pump it waits for kernels under way if the program's need more private memory than any before.
 *
 * Defined for the program: GRAVEL_HANDLER(name) for every registered handler; GRAVEL_HAS_DOUBLE.
 */
int gravel_program_build(struct gravel *gravel, const char *name, const char *source,
                         const char *options, cl_program *program);

/**
 * Build as gravel_program_build, from a file: the compiler's messages name the file by `path`.
 *
 * @param path  of a regular file of OpenCL C. What it includes, except Gravel's headers, is found by -I of options.
 * @return      as gravel_program_build; GRAVEL_ESYSTEM (the file cannot be read: its path, and why).
 */
int gravel_program_build_file(struct gravel *gravel, const char *path, const char *options,
                              cl_program *program);

/**
 * Set a kernel's GRAVEL_ARENA argument. Needed before any launch; one thread at a time on one kernel, as
 * clSetKernelArg.
 *
 * @param index  position of the argument [count from 0].
 * @return       0; GRAVEL_EINVAL, also if GRAVEL_ARENA is another argument, which the text names; GRAVEL_ECL.
 */
int gravel_kernel_set_arena(struct gravel *gravel, cl_kernel kernel, cl_uint index);

/* What a kernel takes as an argument. */
#define GRAVEL_PARAMETER_UNKNOWN UINT32_C(0) /* the driver does not say */
#define GRAVEL_PARAMETER_VALUE UINT32_C(1)
#define GRAVEL_PARAMETER_OBJECT UINT32_C(2) /* buffer, image, sampler */
#define GRAVEL_PARAMETER_LOCAL UINT32_C(3)  /* local memory */
#define GRAVEL_PARAMETER_ARENA UINT32_C(4)
#define GRAVEL_PARAMETER_ACCUMULATOR UINT32_C(5)

/** A parameter of a kernel. */
struct gravel_parameter {
    uint32_t kind;        /**< GRAVEL_PARAMETER_... */
    uint32_t value_bytes; /**< of a value [bytes]; 0: the compiler does not say */
    char name[128];       /**< up to 127 bytes of it, as of the type */
    char type[128];       /**< "uint" also of a typedef of uint; "struct pair", "uint*" */
};

/**
 * Read the parameters of a kernel, against which arguments can be compared before clSetKernelArg: a driver may read
 * behind an argument that is too small, or take a number for the address of a buffer.
 *
 * Builds a second program, once for each call, if a value is of a type that the program defines.
 *
 * @param kernel      of a program of gravel_program_build.
 * @param parameters  [out] [most] the first of them.
 * @param bytes       sizeof *parameters.
 * @param n           [out] how many the kernel has.
 * @return            0; GRAVEL_EINVAL; GRAVEL_ENOMEM; GRAVEL_ECL.
 */
int gravel_kernel_parameters(struct gravel *gravel, cl_kernel kernel,
                             struct gravel_parameter *parameters, size_t bytes, uint32_t most,
                             uint32_t *n);

/**
 * Enqueue a kernel on the node's command queue, as clEnqueueNDRangeKernel does, without a global offset.
 *
 * On steps svm and usm, launching a kernel by clEnqueueNDRangeKernel on any queue of the same context works as well;
 * this call also starts the aggregators at once and shows the kernel in traces. On pump and drain only this call cuts
 * the launch into slices: on pump it returns when the last slices are enqueued, on drain when the kernel has ended.
 * A kernel that needs more private memory than any before is enqueued on pump when those under way have ended.
 * With handlers written in OpenCL C, launches on svm and usm may be sliced as on pump (docs/design/progress.md).
 *
 * All sizes are checked before anything is enqueued. A launch without a work-item succeeds, and its event completes.
 *
 * @param kernel        of the node's context.
 * @param n_dimensions  1 to 3.
 * @param global_size   [n_dimensions] work-items; 0 is none.
 * @param local_size    [n_dimensions] work-items of a group, or NULL: what the kernel requires, or else a divisor of
 *                      the first dimension that suits the device and calls of groups, 1024 at most.
 * @param wait          [n_wait] events of the node's context that hold up the kernel. On drain, and on pump if the
 *                      launch has many slices, the call waits for them: for one that has not begun while no kernel of
 *                      gravel_launch runs, as where no other thread sets the user event that holds it up, at most
 *                      GRAVEL_TIMEOUT, or GRAVEL_KERNEL_LIMIT if that is longer.
 * @param event         [out] of the kernel's end, to be released by the caller, NULL on failure; or NULL.
 * @return              0; GRAVEL_EINVAL (dimensions, sizes; a kernel or an event of another context, with its
 *                      index; n_wait without wait); GRAVEL_ECL; on pump and drain also GRAVEL_EKERNEL and
 *                      GRAVEL_ETIMEOUT (an event that has not begun: its index; nothing is sent).
 *
 * Memory:  what was mapped for writing and unmapped before, and what a quiet or barrier covered, is visible to the
 *          kernel.
 */
int gravel_launch(struct gravel *gravel, cl_kernel kernel, cl_uint n_dimensions,
                  const size_t *global_size, const size_t *local_size, cl_uint n_wait,
                  const cl_event *wait, cl_event *event);

/* ---- completion ------------------------------------------------------------------------------ */

/**
 * Wait until every message this node issued before the call has been applied at its owner, and the answers to
 * its requests have arrived.
 *
 * Waits for kernels that gravel_launch enqueued. Messages of other kernels count as issued before the call if the
 * kernel has ended before it.
 *
 * @return  0; GRAVEL_ERANGE, GRAVEL_EHANDLER, GRAVEL_ECORRUPT if messages were refused: the text says which,
 *          where and why; GRAVEL_EKERNEL; GRAVEL_EPEER; GRAVEL_ETIMEOUT.
 *
 * Source:  OpenSHMEM 1.5, section 9.10 (shmem_quiet).
 */
int gravel_quiet(struct gravel *gravel);

/**
 * Order messages: those issued before the call, also by handlers that this node has run, are applied before those
 * issued after it, destination by destination. Waits for this node's kernels and queues, not for other nodes.
 *
 * @return  as gravel_quiet.
 *
 * Memory:  words are applied in order, each with release (R1): a flag put after a fence is not seen before the data.
 * Source:  OpenSHMEM 1.5, section 9.10 (shmem_fence).
 */
int gravel_fence(struct gravel *gravel);

/**
 * Wait until every node has called and every message issued before, also by handlers of such messages, has been
 * applied. Collective.
 *
 * @return  as gravel_quiet; GRAVEL_ETIMEOUT also if handlers keep sending for GRAVEL_CHAIN_LIMIT; GRAVEL_EMISMATCH if
 *          another node is in another collective call: the node has failed.
 */
int gravel_barrier(struct gravel *gravel);

#define GRAVEL_MAX_COUNTERS 32u /* of one gravel_barrier_sum */

/**
 * gravel_barrier, which also sums counters in the heap over all nodes and sets them to 0: whether any node has found
 * something, and how much, by one wait instead of three (a barrier, a read, a reduction). Collective.
 *
 * Messages and handlers of any node add to a counter between two calls, or the own node's kernels by atomics; not both,
 * for where the host applies messages it loads and stores. Kernels that gravel_launch did not enqueue have ended before
 * the call.
 *
 * @param offset  heap offset of the counters, cl_uint [n] in one allocation [bytes, a multiple of 4]. A counter of
 *                one node wraps at 2^32.
 * @param n       counters, 1 to GRAVEL_MAX_COUNTERS (32); offset and n are the same at every node.
 * @param own     [out] [n] what this node's counters came to, of loop-back nodes those of gravel_node; or NULL.
 * @param sums    [out] [n] over all nodes, without wrapping.
 * @return        as gravel_barrier; GRAVEL_EINVAL (n, offset, sums); GRAVEL_ERANGE (not one allocation);
 *                GRAVEL_EMISMATCH if offset or n differ, or another node refuses them. After these own, sums and
 *                counters stay as they are. If messages were refused or a handler failed, own and sums are there
 *                nevertheless; if the node has failed, counters are undefined.
 *
 * Memory:  a node's counters are zeroed before any node returns: what is added from then on counts for the next call.
 */
int gravel_barrier_sum(struct gravel *gravel, uint64_t offset, uint32_t n, uint64_t *own,
                       uint64_t *sums);

/**
 * Combine a small array over all nodes, element by element; every node gets the result. Collective. Orders
 * no messages: use gravel_barrier. Of floats and doubles, a NaN is both the least and the most, and -0 is less than 0.
 * Sums of integers wrap; those of floats are made of doubles, and rounded once.
 *
 * @param op      GRAVEL_ADD, GRAVEL_MIN or GRAVEL_MAX.
 * @param type    GRAVEL_INT to GRAVEL_DOUBLE.
 * @param values  [in, out] [n] elements of the type; op, type and n are the same at every node.
 * @param n       elements, at least 1; each 64 take a round over all nodes.
 * @return        0; GRAVEL_EINVAL; GRAVEL_EMISMATCH if op, type or n differ, or another node refuses them, and
 *                values stay as they are, or as gravel_barrier; GRAVEL_EPEER.
 */
int gravel_reduce(struct gravel *gravel, uint32_t op, uint32_t type, void *values, uint32_t n);

/* ---- sessions -------------------------------------------------------------------------------- */

/**
 * Begin a session: until it ends, node buffers of this node do not age, so that fewer and fuller ones are sent. For a
 * part of a program whose messages no node waits for before its quiet, fence or barrier: kernels that send in bursts,
 * or to many nodes.
 *
 * In a session a node buffer of kernels' or host calls' messages leaves when it is full, at gravel_fence, gravel_quiet
 * and gravel_barrier, at the end of the last session, and ahead of what is waited for: requests, puts with a signal,
 * and bytes of gravel_put to its node. None stays open for longer than an eighth of GRAVEL_TIMEOUT (or for GRAVEL_FLUSH
 * if that is longer), so messages of a session that is never ended come late, but before waits of other nodes for them
 * fail. What handlers send, lines and records leave as outside of sessions.
 *
 * Sessions of all threads count together: buffers age when each has been ended. A session is one of this node alone,
 * and completes and orders nothing.
 *
 * @return  0; GRAVEL_EINVAL (a handler calls); the node's failure.
 *
 * Memory:  orders nothing (A7).
 * Source:  OpenSHMEM 1.6, shmem_session_start with SHMEM_CTX_SESSION_BATCH.
 */
int gravel_session_begin(struct gravel *gravel);

/**
 * End a session: if it was the last one, what has been sent so far leaves. Does not wait for that, nor for kernels:
 * gravel_quiet and gravel_barrier do, and a session that is to cover a kernel is ended behind one of them.
 *
 * @return  0; GRAVEL_EINVAL (no session has been begun; a handler calls); the node's failure.
 */
int gravel_session_end(struct gravel *gravel);

/* ---- messages from the host ------------------------------------------------------------------ */

/**
 * Store bytes at another node (or this one). Complete after gravel_quiet or gravel_barrier. Handlers may call it.
 *
 * @param offset  heap offset [bytes]; [offset, offset + bytes) lies in one allocation.
 * @param data    [bytes], copied before the call returns.
 * @param node    destination.
 * @return        0; GRAVEL_ERANGE (no such node, or not one allocation): nothing is sent; GRAVEL_EINVAL; GRAVEL_ENOMEM.
 *
 * Memory:  bytes are applied in pieces of up to a node buffer, in the order of their addresses; no aligned word of 4 or
 *          8 bytes in them is torn.
 */
int gravel_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
               uint32_t node);

/**
 * Load bytes from a node and wait for them. Sees messages that this node's earlier quiet or barrier covers.
 *
 * @param offset  heap offset [bytes]; [offset, offset + bytes) lies in one allocation.
 * @param data    [out] [bytes]
 * @param node    any node.
 * @return        0; GRAVEL_ERANGE (no such node, or not one allocation); GRAVEL_EINVAL; GRAVEL_EPEER; GRAVEL_ETIMEOUT.
 */
int gravel_get(struct gravel *gravel, uint64_t offset, void *data, uint64_t bytes, uint32_t node);

/**
 * Update one word of a node atomically with respect to all other messages. Handlers may call it.
 *
 * @param op      GRAVEL_PUT to GRAVEL_XOR; PUT or ADD for GRAVEL_FLOAT and GRAVEL_DOUBLE.
 * @param type    GRAVEL_INT to GRAVEL_DOUBLE.
 * @param offset  heap offset of the word [bytes], aligned to the type.
 * @param value   points to the operand; NULL for GRAVEL_INC.
 * @param node    destination.
 * @return        0; GRAVEL_ERANGE (no such node); GRAVEL_EINVAL, also if the operation does not exist for the type;
 *                GRAVEL_ENOMEM. The owner checks the offset: the next quiet or barrier returns GRAVEL_ERANGE.
 */
int gravel_update(struct gravel *gravel, uint32_t op, uint32_t type, uint64_t offset,
                  const void *value, uint32_t node);

/**
 * Set a constant that handlers written in OpenCL C read as call.constants[i]: a heap offset, a size. Collective: when
 * the call returns, all nodes have it.
 *
 * @param i      less than GRAVEL_N_CONSTANTS.
 * @param value  the same at every node.
 * @return       0; GRAVEL_ERANGE; GRAVEL_EMISMATCH if values differ, or another node returns GRAVEL_ERANGE: then it is
 *               what it was at every node; GRAVEL_EINVAL (a handler calls); GRAVEL_ECL; as gravel_reduce.
 */
int gravel_set_constant(struct gravel *gravel, uint32_t i, uint64_t value);

/**
 * Send an active message. Handlers may call it.
 *
 * @param handler  its position in the table of handlers [count from 0].
 * @param args     [n_args] copied before the call returns.
 * @param n_args   as registered.
 * @param node     destination.
 * @return         0; GRAVEL_ERANGE (no such node); GRAVEL_EHANDLER (no such handler); GRAVEL_EINVAL (other arguments
 *                 than registered); GRAVEL_ENOMEM.
 *
 * Source:  Orr 2016, section 5.2.3.
 */
int gravel_am(struct gravel *gravel, uint32_t handler, const uint64_t *args, uint32_t n_args,
              uint32_t node);

/* ---- observation ----------------------------------------------------------------------------- */

#define GRAVEL_ALL_NODES 0xffffffffu /* of gravel_stats_read: no single destination */

/**
 * Counters of this node, or of what it has sent to one destination. Exact after gravel_quiet, a moment old otherwise.
 *
 * @param stats  [out] [bytes] for one destination sent_messages, sent_buffers and buffer_bytes; the rest is 0.
 * @param bytes  sizeof *stats: later versions have more counters. Those that the library does not have are 0.
 * @param node   destination, or GRAVEL_ALL_NODES.
 * @return       0; GRAVEL_EINVAL (no such node).
 */
int gravel_stats_read(struct gravel *gravel, struct gravel_stats *stats, size_t bytes,
                      uint32_t node);

/**
 * The i-th counter of this node, by name: count i from 0 until GRAVEL_ERANGE.
 *
 * @param name   [out] as in stats.h; valid as long as the library is loaded.
 * @param value  [out] as gravel_stats_read with GRAVEL_ALL_NODES; two calls read at two moments.
 * @return       0; GRAVEL_ERANGE; GRAVEL_EINVAL.
 */
int gravel_stats_get(struct gravel *gravel, uint32_t i, const char **name, uint64_t *value);

/**
 * Start the counters of this node at 0 again. Messages that are under way count on one side or the other.
 *
 * @return  0; GRAVEL_EINVAL.
 */
int gravel_stats_reset(struct gravel *gravel);

#ifdef __cplusplus
}
#endif

#endif
