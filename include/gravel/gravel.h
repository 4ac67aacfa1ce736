/* SPDX-License-Identifier: MIT */
/**
 * @file gravel.h
 * The host interface of Gravel: open a node, give kernels its arena, wait for their messages.
 *
 * A node is one process of a job (a rank), or one of the loop-back nodes of a single process. These rules hold for all
 * calls, of other headers too:
 *
 * Errors:  A call that returns int returns 0 or a GRAVEL_E... code, and gravel_last_error() says what went wrong. Any
 *          may return GRAVEL_EINVAL (a wrong argument, named; NULL where it is not optional; a child of fork()),
 *          GRAVEL_ENOMEM (the bytes), GRAVEL_ECL, and, once the node has failed, the error that ended it; each call
 *          lists its other codes. Other calls return 0 or NULL for NULL. After an error what a call creates is NULL,
 *          and nothing is left behind.
 * Threads: Any host thread may make any call. In a handler, calls that wait return GRAVEL_EINVAL: gravel_open,
 *          gravel_close, collective calls, gravel_quiet, gravel_fence, gravel_get, sessions, builds of programs; on
 *          steps pump and drain gravel_launch; gravel_map, gravel_unmap and gravel_fill where the host does not
 *          address the heap; all calls of stealing, mirrors, servers and flows except gravel_flow_post and those that
 *          read counters.
 *
 * Every node makes the *collective* calls in the same order, with the same arguments unless the call says otherwise;
 * if they differ, or one node refuses, the call fails at all nodes (GRAVEL_EMISMATCH, or that node's code) and has
 * done nothing. Heap offsets are in bytes from the start of a node's part of the symmetric heap. A range [offset,
 * offset + bytes) outside one allocation, or a node that does not exist, is GRAVEL_ERANGE; a *local* node is one of
 * this process. `bytes` of a structure is its sizeof: later versions add members at the end. One thread at a time
 * makes calls for one object (mirror, flow, graph, ...), which is destroyed before memory that it uses is freed and
 * its node is closed. Calls that close or destroy take NULL.
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
    X(GRAVEL_ESTUCK, -19, "a flow cannot continue")                     \
    X(GRAVEL_ECANCELED, -20, "stopped by the caller")

enum gravel_error {
#define GRAVEL_ERROR(code, number, text) code = number,
    GRAVEL_ERRORS(GRAVEL_ERROR)
#undef GRAVEL_ERROR
};

/** One node of a job. Opaque; made by gravel_open. */
struct gravel;

/* ---- handlers -------------------------------------------------------------------------------- */

/**
 * A handler of active messages that the host runs, in the destination's network thread. It must not block.
 *
 * @param gravel  the destination node.
 * @param user    the registered pointer.
 * @param source  the sender.
 * @param args    [GRAVEL_AM_MAX_ARGS] those not sent are 0.
 * @return        0, or any other value, which is reported as GRAVEL_EHANDLER at this node and the sender.
 *
 * Memory:  handlers and other messages are applied one at a time: plain loads and stores suffice.
 * Source:  Orr 2016, section 5.2.3.
 */
typedef int gravel_handler_function(struct gravel *gravel, void *user, uint32_t source,
                                    const uint64_t args[GRAVEL_AM_MAX_ARGS]);

/**
 * A gravel_handler_function that also answers.
 *
 * @param args    [GRAVEL_ASK_MAX_ARGS]
 * @param answer  [out] initially 0; sent to the node that asked (gravel_askN), also after an error; with arg_bytes 4
 *                its lower 32 bits. The answer to a message that does not ask is dropped.
 */
typedef int gravel_answer_function(struct gravel *gravel, void *user, uint32_t source,
                                   const uint64_t *args, uint64_t *answer);

/**
 * Keys of a handler in OpenCL C, and what servers do for it. All 0 without keys. Never grows.
 *
 * With two keys the handler is a transaction over two data of one node: `void name(struct gravel_call call, ulong
 * *first, ulong *second, ulong a2, ...)` gets private copies of both (equal keys: one copy), stored when it returns.
 * Functions of device_code move them:
 *
 *     void datum_load(struct gravel_call call, ulong key, ulong *words)
 *     void datum_store(struct gravel_call call, ulong key, const ulong *words)
 *
 * With one key and max_pending the handler may send to servers of its own device (gravel_serve_amN). Only
 * gravel_server_launch serves it; a message that comes another way is GRAVEL_EHANDLER. gravel_open allocates for each
 * server 8 bytes, and 8 for each argument, times the sum of all max_pending and 1024, rounded up to a power of two.
 */
struct gravel_serve {
    uint32_t n_keys;      /**< keys: the first 0 to 2 arguments */
    uint32_t datum_words; /**< 2 keys: ulongs of a datum, 1 to GRAVEL_DATUM_MAX_WORDS */
    const char *datum;    /**< 2 keys: device_code has datum_load and datum_store */
    uint64_t max_pending; /**< 1 key: messages of it that may wait at a server; 0: it sends none */
};

/**
 * An entry of the table of handlers, which is the same at every node.
 *
 * The host runs `function` or `answer`. With neither, the destination's device runs OpenCL C of the bindings'
 * device_code, `void name(struct gravel_call call, ulong a0, ...)` with n_args arguments; only such a handler has
 * keys. With arg_bytes 4 each `ulong` is a `uint`: the lower 32 bits of what kernels give, which host functions get
 * widened.
 *
 * With n_answers 1, which `answer` implies, kernels may ask the handler (gravel_askN): in OpenCL C it then returns a
 * ulong, has at most GRAVEL_ASK_MAX_ARGS arguments and 1 key, and does not send.
 *
 * With `blocks` the thread and rules of streams' functions apply to `answer`, which may block for GRAVEL_TIMEOUT; then
 * the node fails. Kernels may only ask it, and such questions have no order with their other messages. What it sends
 * to the node that asked is applied there before its answer. While a node's question is unanswered, no wait of its
 * kernels times out.
 */
struct gravel_handler {
    const char *name;   /**< a C identifier; kernels name it GRAVEL_HANDLER(name) */
    uint32_t n_args;    /**< 0 to GRAVEL_AM_MAX_ARGS */
    uint32_t arg_bytes; /**< of arguments and answer: 0 or 8: ulong; 4: uint; 2 keys: 8 */
    gravel_handler_function *function; /**< NULL, with answer: the device runs it */
    void *user;                        /**< for function or answer */
    uint32_t n_answers;                /**< 0 or 1 */
    struct gravel_serve serve;
    gravel_answer_function *answer; /**< instead of function */
    uint32_t blocks;                /**< 1: answer may block */
};

/* ---- records and lines ----------------------------------------------------------------------- */

/**
 * A function that takes the records that kernels append to a stream (gravel_append_S), at the node that they name.
 *
 * One thread of the node, not the network thread, runs the functions of all streams, one at a time, and writes lines
 * of kernels. A function may call what a handler may, and block for up to GRAVEL_TIMEOUT, after which the node fails
 * with the stream's name; kernels that append wait while GRAVEL_SPOOL bytes are in flight.
 *
 * @param user     the registered pointer.
 * @param source   the sender.
 * @param records  [n][record_bytes] as the kernel had them; valid until the function returns.
 * @param n        at least 1.
 * @return         0, or any other value, which is reported as GRAVEL_EHANDLER at this node and the sender.
 */
typedef int gravel_stream_function(struct gravel *gravel, void *user, uint32_t source,
                                   const void *records, uint32_t n);

/** An entry of the table of streams, which is the same at every node. Never grows. */
struct gravel_stream {
    const char *name;      /**< a C identifier; kernels name it in gravel_append_S */
    uint32_t record_bytes; /**< a multiple of 4, at most GRAVEL_RECORD_MAX_BYTES */
    gravel_stream_function *function;
    void *user;
};

/**
 * A function that takes lines of kernels instead of standard output, at the node that GRAVEL_PRINT names. It runs as
 * functions of streams do.
 *
 * @param user  the registered pointer.
 * @param text  [bytes] whole lines, with their tags (GRAVEL_PRINT_TAGS), without a 0 at the end; valid until the
 *              function returns.
 * @return      0; after any other value these and all later lines are lost, and this node's next gravel_quiet or
 *              gravel_barrier returns GRAVEL_EHANDLER with their number.
 */
typedef int gravel_print_function(void *user, const char *text, size_t bytes);

/* ---- bindings -------------------------------------------------------------------------------- */

/**
 * A function that gets a line, without a newline, on what the node does or meets outside of calls, from any thread of
 * the library. GRAVEL_LOG says which lines go to standard error.
 */
typedef void gravel_log_function(void *user, const char *text);

/** A text of OpenCL C. NULL members are left out. Never grows. */
struct gravel_device_code {
    const char *source;
    const char *name;    /**< file name for the compiler's messages */
    const char *options; /**< of the compiler */
};

/**
 * The caller's OpenCL objects, handlers and log. Made by GRAVEL_BINDINGS; every member except the two sizes is
 * optional.
 *
 * Members that the caller's version lacks count as 0; one that the library lacks is GRAVEL_EINVAL if set. A context
 * needs its device, and a queue both. With a device alone Gravel makes the context and, of a CPU, the sub-device that
 * leaves GRAVEL_HOST_CORES free.
 */
struct gravel_bindings {
    size_t bytes;
    size_t handler_bytes; /**< sizeof(struct gravel_handler) */
    cl_context context;
    cl_device_id device;                   /**< instead of GRAVEL_DEVICE's */
    cl_command_queue queue;                /**< in order, for gravel_launch */
    const struct gravel_handler *handlers; /**< [n_handlers] copied by gravel_open */
    uint32_t n_handlers;
    gravel_log_function *log;
    void *log_user;
    struct gravel_device_code device_code; /**< of the handlers without a function */
    const void *mpi_comm;                  /**< an MPI_Comm * */
    const struct gravel_stream *streams;   /**< [n_streams] copied by gravel_open */
    uint32_t n_streams;                    /**< at most GRAVEL_MAX_STREAMS */
    gravel_print_function *print;          /**< takes lines of kernels; NULL: standard output */
    void *print_user;
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
 * Returns the version of the library that runs, e.g. "1.0.2", which may be later than the header's.
 *
 * @param numbers  [out] [3] major, minor, patch; or NULL.
 */
const char *gravel_version(uint32_t numbers[3]);

/** Returns the text of an error code; never NULL. */
const char *gravel_strerror(int code);

/** Returns why the calling thread's last failed call failed, or "". Valid until its next call. */
const char *gravel_last_error(void);

/**
 * Sets what gravel_last_error returns to the calling thread, for a library on top of this one.
 *
 * @param text  copied, and cut at 16 kB; NULL for "".
 * @return      code: `return gravel_set_error(GRAVEL_EINVAL, text);`.
 */
int gravel_set_error(int code, const char *text);

/* ---- open and close -------------------------------------------------------------------------- */

/**
 * Fills a configuration with the defaults and the GRAVEL_* environment variables. Needs no node.
 *
 * @param bytes  sizeof *config. A caller that sets fields by name alone may give a larger multiple of sizeof(void *),
 *               up to 65536.
 * @return       0; GRAVEL_ECONFIG (which variable is malformed or out of range).
 */
int gravel_config_load(struct gravel_config *config, size_t bytes);

/**
 * Sets a field by its name. One thread at a time on one config.
 *
 * @param name  as in docs/reference/settings.md, e.g. "heap_bytes".
 * @param text  as the variable takes it, e.g. "64M".
 * @return      0; GRAVEL_ECONFIG (an unknown name: the nearest ones; a bad value: the range), and config is unchanged.
 */
int gravel_config_set(struct gravel_config *config, const char *name, const char *text);

/**
 * Reads the i-th setting, from 0 until GRAVEL_ERANGE.
 *
 * @param name  [out] valid while the library is loaded.
 * @param text  [out] [text_bytes] the value; GRAVEL_CONFIG_STRING_BYTES are enough.
 * @return      0; GRAVEL_ERANGE.
 */
int gravel_config_get(const struct gravel_config *config, uint32_t i, const char **name, char *text,
                      size_t text_bytes);

/**
 * Opens this process's node. Collective.
 *
 * The processes of bindings->mpi_comm, by default MPI_COMM_WORLD, are the nodes, numbered by rank; the communicator is
 * duplicated. With transport mpi Gravel initialises MPI unless the caller has, with MPI_THREAD_MULTIPLE if possible,
 * and finalises it when the process ends, so that nodes may be opened again. A caller that initialises MPI asks for
 * MPI_THREAD_MULTIPLE, and finalises it after gravel_close. MPI_Finalize closes an open node: later calls return
 * GRAVEL_EMPI, and gravel_close frees it.
 *
 * @param config    NULL: as gravel_config_load fills it.
 * @param bindings  or NULL. What it points to is used until the call returns; log, contexts and queues until
 *                  gravel_close.
 * @return          0; GRAVEL_EINVAL (a member of bindings, config.bytes); GRAVEL_ECONFIG; GRAVEL_EDEVICE (unknown or
 *                  ambiguous: the candidates); GRAVEL_ECAPABILITY (what the device lacks); GRAVEL_EBUILD (device_code:
 *                  the compiler's log); GRAVEL_EMISMATCH (which setting differs); GRAVEL_EMPI; GRAVEL_ESYSTEM. Other
 *                  nodes return GRAVEL_EPEER, except after a size of no version: this node returns at once.
 *
 * Source:  Orr 2016, section 5.2 (queue, aggregator, network thread of a node).
 */
int gravel_open(struct gravel **out, const struct gravel_config *config,
                const struct gravel_bindings *bindings);

/**
 * Closes a node: waits as a barrier, stops its threads, frees everything. Collective.
 *
 * No other thread is in a call except gravel_abort. Only kernels of gravel_launch are waited for; others that use the
 * node have ended.
 *
 * @return  0; the failure that ended the node, or its first error that no call has returned; GRAVEL_ESYSTEM (the file
 *          of GRAVEL_TRACE is incomplete): the node is closed. GRAVEL_EINVAL in a handler or after fork: it stays
 *          open.
 */
int gravel_close(struct gravel *gravel);

/**
 * Gives the node up, and with it the job.
 *
 * Any thread, handler or log function may call it at any time. All waiting calls end: here with GRAVEL_EABORT and the
 * text, at other nodes with GRAVEL_EPEER, this node's number and the text. Kernels stop waiting. Returns when the text
 * is sent, or after a second; then the process may end without gravel_close.
 *
 * @param text  up to 400 bytes reach other nodes; or NULL.
 * @return      0, also if the node had failed: calls return its first failure. GRAVEL_EINVAL for a closed node, until
 *              a new one has its address.
 */
int gravel_abort(struct gravel *gravel, const char *text);

/** Returns this node's number; in a handler that of the message's node. */
uint32_t gravel_node(const struct gravel *gravel);
/** Returns the number of nodes of the job. */
uint32_t gravel_n_nodes(const struct gravel *gravel);
/** Returns the settings in force, with derived values. */
const struct gravel_config *gravel_config_of(const struct gravel *gravel);
/** Returns the step in use: "svm", "usm", "pump" or "drain". */
const char *gravel_step(const struct gravel *gravel);
/** Returns the best number of work-items of a work-group for the device, a power of two: its calls fill packages. */
uint32_t gravel_group_size(const struct gravel *gravel);
/**
 * Returns how many cores this node's threads and kernels may use, at least 1: its share of those that nodes of its
 * host may run on.
 */
uint32_t gravel_cores(const struct gravel *gravel);
/** Return the OpenCL objects in use, which the node owns unless the bindings gave them. */
cl_context gravel_cl_context(const struct gravel *gravel);
cl_device_id gravel_cl_device(const struct gravel *gravel);
cl_command_queue gravel_cl_queue(const struct gravel *gravel);

/* ---- the symmetric heap ---------------------------------------------------------------------- */

/**
 * Allocates zero-filled symmetric memory. Collective, with a barrier.
 *
 * @param bytes   not 0.
 * @param offset  [out] the same at every node; a multiple of 64, never 0. Kernels take it as `ulong`.
 * @return        0; GRAVEL_EHEAP (the bytes asked, free and in all); as gravel_barrier.
 *
 * Source:  Orr 2016, section 5.2 (partitioned global address space); OpenSHMEM 1.5, section 9.3.
 */
int gravel_alloc(struct gravel *gravel, uint64_t bytes, uint64_t *offset);

/**
 * Allocates as gravel_alloc, with a name that all nodes give: allocations of one size in different orders are refused.
 *
 * @param name  1 to 47 characters.
 */
int gravel_alloc_named(struct gravel *gravel, const char *name, uint64_t bytes, uint64_t *offset);

/**
 * Frees symmetric memory. Collective, with a barrier: messages to it were sent before the call.
 *
 * @return  0; GRAVEL_EINVAL (no allocation begins there, or an accumulator, a mirror or a pool uses it: it stays); as
 *          gravel_barrier.
 */
int gravel_free(struct gravel *gravel, uint64_t offset);

/** Returns whether a node is of this process, as this node and every loop-back node are. */
bool gravel_is_local(const struct gravel *gravel, uint32_t node);

/**
 * Gives this process its share of n things, such as lines of an input, in the order of nodes. Shares differ by at most
 * one. Loop-back nodes are one process, which gets all.
 *
 * @param first  [out] number of the share's first thing.
 * @param count  [out]
 */
int gravel_share(const struct gravel *gravel, uint64_t n, uint64_t *first, uint64_t *count);

/**
 * Returns where a range of a local node's heap is, for OpenCL code without Gravel: on pump and drain in a buffer; on
 * svm a pointer for clSetKernelArgSVMPointer, on usm for clSetKernelArgMemPointerINTEL. Nothing is retained. That code
 * runs in the node's queue after a quiet or barrier, or in another queue between two of them. Messages to the range
 * while it runs may be lost.
 *
 * @param buffer   [out] NULL on svm and usm.
 * @param first    [out] the range's first byte in the buffer, a multiple of 64 if offset is; else 0.
 * @param pointer  [out] NULL on pump and drain.
 *
 * Memory:  the code sees what a quiet or barrier before it covers; later kernels of the queue, and maps and messages
 *          after its end, see its stores.
 */
int gravel_heap_part(struct gravel *gravel, uint64_t offset, uint64_t bytes, uint32_t node,
                     cl_mem *buffer, uint64_t *first, void **pointer);

/**
 * Makes a range of a local node's heap readable or writable by the host: in place where the host addresses the heap,
 * elsewhere as a copy, which gravel_unmap writes back.
 *
 * Messages to the range between the two calls may be lost: call gravel_barrier or gravel_quiet before. A map stays
 * valid after gravel_close until it is unmapped, and keeps the heap's memory.
 *
 * @param flags    CL_MAP_READ, CL_MAP_WRITE, both, or CL_MAP_WRITE_INVALIDATE_REGION (nothing is read).
 * @param pointer  [out] aligned to 64 bytes if offset is.
 * @return         0; GRAVEL_EINVAL in checked mode also if a gravel_launch followed the last quiet or barrier.
 */
int gravel_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, cl_map_flags flags,
               uint32_t node, void **pointer);

/**
 * Ends a map, each pointer as often as gravel_map gave it. Later kernels and messages see what was written, unless
 * gravel_close came before.
 *
 * @param pointer  or NULL.
 * @return         0; GRAVEL_EINVAL (not mapped: all maps stay; or its allocation was freed: the map ends, nothing is
 *                 written).
 */
int gravel_unmap(struct gravel *gravel, void *pointer);

/**
 * Fills a range of a local node's heap with copies of a pattern, and waits: as gravel_map, stores and gravel_unmap,
 * without memory for a copy. Messages to the range during the call may be lost.
 *
 * @param offset         a multiple of pattern_bytes, as `bytes` is, which may be 0.
 * @param pattern_bytes  a power of two up to 128.
 * @return               as gravel_map.
 *
 * Memory:  later kernels and messages see the pattern; no aligned word of 4 or 8 bytes is torn.
 */
int gravel_fill(struct gravel *gravel, uint64_t offset, uint64_t bytes, const void *pattern,
                uint64_t pattern_bytes, uint32_t node);

/* ---- kernels --------------------------------------------------------------------------------- */

/**
 * Builds an OpenCL program whose text itself includes "gravel.cl.h", with GRAVEL_HANDLER(name) of every registered
 * handler and GRAVEL_HAS_DOUBLE defined. The first 32 texts that include no other files are built once: the next call
 * with the text and its options returns the same program. On pump the call waits for running kernels if the program's
 * need more private memory than any before.
 *
 * @param name     file name for the compiler's messages.
 * @param options  of the compiler, or NULL.
 * @param program  [out] the caller releases it.
 * @return         0; GRAVEL_EBUILD (the compiler's log, with the caller's file name and lines).
 */
int gravel_program_build(struct gravel *gravel, const char *name, const char *source,
                         const char *options, cl_program *program);

/**
 * Builds a file as gravel_program_build builds a text.
 *
 * @param path  of a regular file. -I of options finds its includes, except Gravel's.
 * @return      as gravel_program_build; GRAVEL_ESYSTEM (the file cannot be read).
 */
int gravel_program_build_file(struct gravel *gravel, const char *path, const char *options,
                              cl_program *program);

/**
 * Sets a kernel's GRAVEL_ARENA argument, before any launch. One thread at a time on one kernel.
 *
 * @param index  of the argument, from 0.
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
    uint32_t value_bytes; /**< 0: unknown */
    char name[128];       /**< up to 127 bytes */
    char type[128];       /**< "uint" also of a typedef of uint; "struct pair", "uint*" */
};

/**
 * Reads the parameters of a kernel, to check arguments before clSetKernelArg. Builds a second program if a value's
 * type is the program's own.
 *
 * @param kernel      of a program of gravel_program_build.
 * @param parameters  [out] [most] the first of them.
 * @param bytes       sizeof *parameters.
 * @param n           [out] how many the kernel has.
 */
int gravel_kernel_parameters(struct gravel *gravel, cl_kernel kernel,
                             struct gravel_parameter *parameters, size_t bytes, uint32_t most,
                             uint32_t *n);

/**
 * Enqueues a kernel on the node's queue, as clEnqueueNDRangeKernel without a global offset, after a check of all
 * sizes. A launch of no work-item succeeds, and its event completes.
 *
 * On svm and usm clEnqueueNDRangeKernel on any queue of the context works, too; this call also wakes the aggregators
 * and shows in traces. On pump and drain only this call slices the launch: it returns when the last slices are
 * enqueued (pump) or the kernel has ended (drain). With handlers in OpenCL C, svm and usm may slice as pump. On pump a
 * kernel that needs more private memory than any before waits for running ones.
 *
 * @param kernel        of the node's context.
 * @param n_dimensions  1 to 3.
 * @param local_size    of a group; NULL: what the kernel requires, or a divisor of the first dimension that suits the
 *                      device, at most 1024.
 * @param wait          [n_wait] events of the node's context. On drain, and on pump if the launch has many slices, the
 *                      call waits for them: for one that has not begun while no kernel of gravel_launch runs at most
 *                      GRAVEL_TIMEOUT, or GRAVEL_KERNEL_LIMIT if that is longer.
 * @param event         [out] of the kernel's end, released by the caller; or NULL.
 * @return              0; GRAVEL_EINVAL (also a kernel or event of another context); on pump and drain also
 *                      GRAVEL_EKERNEL, and GRAVEL_ETIMEOUT (an event has not begun: nothing is sent).
 *
 * Memory:  the kernel sees what was unmapped before, and what a quiet or barrier covered.
 */
int gravel_launch(struct gravel *gravel, cl_kernel kernel, cl_uint n_dimensions,
                  const size_t *global_size, const size_t *local_size, cl_uint n_wait,
                  const cl_event *wait, cl_event *event);

/* ---- completion ------------------------------------------------------------------------------ */

/**
 * Waits until every message that this node sent before the call is applied at its owner, and the answers to its
 * requests have arrived. Waits for kernels of gravel_launch; messages of another kernel count if it has ended.
 *
 * @return  0; GRAVEL_ERANGE, GRAVEL_EHANDLER, GRAVEL_ECORRUPT (messages were refused: which, where, why);
 *          GRAVEL_EKERNEL; GRAVEL_EPEER; GRAVEL_ETIMEOUT.
 *
 * Source:  OpenSHMEM 1.5, section 9.10 (shmem_quiet).
 */
int gravel_quiet(struct gravel *gravel);

/**
 * Orders messages, destination by destination: those sent before the call, also by handlers that this node has run,
 * are applied before those sent after it. Waits for this node's kernels and queues, not for other nodes.
 *
 * @return  as gravel_quiet.
 *
 * Memory:  words are applied in order, each with release (R1): a flag put after a fence is not seen before the data.
 * Source:  OpenSHMEM 1.5, section 9.10 (shmem_fence).
 */
int gravel_fence(struct gravel *gravel);

/**
 * Waits until every node has called and every message sent before, also by handlers of such messages, is applied.
 * Collective.
 *
 * @return  as gravel_quiet; GRAVEL_ETIMEOUT also if handlers keep sending for GRAVEL_CHAIN_LIMIT; GRAVEL_EMISMATCH
 *          (another node is in another collective call): the node has failed.
 */
int gravel_barrier(struct gravel *gravel);

#define GRAVEL_MAX_COUNTERS 32u /* of one gravel_barrier_sum */

/**
 * Waits as gravel_barrier, sums counters in the heap over all nodes, and sets them to 0. Collective.
 *
 * Between two calls either messages and handlers add to a counter, or the node's own kernels by atomics. Kernels that
 * gravel_launch did not enqueue have ended before the call.
 *
 * @param offset  of cl_uint [n], a multiple of 4. A counter of one node wraps at 2^32.
 * @param n       1 to GRAVEL_MAX_COUNTERS.
 * @param own     [out] [n] this node's counters, of loop-back nodes those of gravel_node; or NULL.
 * @param sums    [out] [n] over all nodes, without wrapping.
 * @return        as gravel_barrier. A wrong argument leaves sums and counters unchanged. If messages were refused,
 *                sums are set; if the node has failed, counters are undefined.
 *
 * Memory:  a node's counters are zeroed before any node returns: later additions count for the next call.
 */
int gravel_barrier_sum(struct gravel *gravel, uint64_t offset, uint32_t n, uint64_t *own,
                       uint64_t *sums);

/**
 * Combines an array of each process, element by element; every node gets the result. Collective. Orders no messages.
 *
 * A NaN is both the least and the greatest number, and -0 is less than 0. Sums of integers wrap; sums of floats are
 * formed in double and rounded once.
 *
 * @param op      GRAVEL_ADD, GRAVEL_MIN or GRAVEL_MAX.
 * @param type    GRAVEL_INT to GRAVEL_DOUBLE.
 * @param values  [in, out] [n]; unchanged after GRAVEL_EINVAL or GRAVEL_EMISMATCH.
 * @param n       at least 1; every 64 elements take a round trip over all nodes.
 * @return        0; GRAVEL_EPEER.
 */
int gravel_reduce(struct gravel *gravel, uint32_t op, uint32_t type, void *values, uint32_t n);

/* ---- sessions -------------------------------------------------------------------------------- */

/**
 * Begins a session, in which this node's buffers do not age, so that fewer and fuller ones are sent: for messages that
 * no node waits for before its next quiet, fence or barrier.
 *
 * A buffer of messages of kernels or host calls is then sent when it is full, at gravel_fence, gravel_quiet and
 * gravel_barrier, at the end of the last session, and ahead of requests, puts with a signal, and gravel_put to its
 * node; at the latest after an eighth of GRAVEL_TIMEOUT, or GRAVEL_FLUSH if that is longer. Messages of handlers,
 * lines and records are sent as usual. Sessions of all threads count together.
 *
 * Memory:  orders nothing (A7).
 * Source:  OpenSHMEM 1.6, shmem_session_start with SHMEM_CTX_SESSION_BATCH.
 */
int gravel_session_begin(struct gravel *gravel);

/**
 * Ends a session; the last one sends what is buffered. Waits neither for buffers nor for kernels: a session that is to
 * cover a kernel ends after a quiet or barrier.
 *
 * @return  0; GRAVEL_EINVAL (no session has begun).
 */
int gravel_session_end(struct gravel *gravel);

/* ---- messages from the host ------------------------------------------------------------------ */

/**
 * Stores bytes at any node. Complete after gravel_quiet or gravel_barrier.
 *
 * @param data  copied before the call returns.
 *
 * Memory:  pieces of up to a node buffer are applied by rising address; no aligned word of 4 or 8 bytes is torn.
 */
int gravel_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
               uint32_t node);

/**
 * Loads bytes from any node and waits for them. Sees what this node's earlier quiet or barrier covers.
 *
 * @return  0; GRAVEL_EPEER; GRAVEL_ETIMEOUT.
 */
int gravel_get(struct gravel *gravel, uint64_t offset, void *data, uint64_t bytes, uint32_t node);

/**
 * Updates one word of any node, atomically among messages. Complete after gravel_quiet or gravel_barrier.
 *
 * @param op      GRAVEL_PUT to GRAVEL_XOR; PUT or ADD for GRAVEL_FLOAT and GRAVEL_DOUBLE.
 * @param type    GRAVEL_INT to GRAVEL_DOUBLE.
 * @param offset  of the word, aligned to the type; if the owner refuses it, a later quiet or barrier returns
 *                GRAVEL_ERANGE.
 * @param value   the operand; NULL for GRAVEL_INC.
 */
int gravel_update(struct gravel *gravel, uint32_t op, uint32_t type, uint64_t offset,
                  const void *value, uint32_t node);

/* ---- active messages from the host ----------------------------------------------------------- */

/**
 * Sets a number that handlers in OpenCL C read as call.constants[i], at all nodes. Collective.
 *
 * @param i  below GRAVEL_N_CONSTANTS.
 * @return   0; GRAVEL_ERANGE; GRAVEL_EMISMATCH: unchanged at every node; as gravel_reduce.
 */
int gravel_set_constant(struct gravel *gravel, uint32_t i, uint64_t value);

/**
 * Sends an active message. Complete after gravel_quiet or gravel_barrier.
 *
 * @param handler  its position in the table, from 0.
 * @param n_args   as registered.
 * @return         0; GRAVEL_EHANDLER (no such handler).
 *
 * Source:  Orr 2016, section 5.2.3.
 */
int gravel_am(struct gravel *gravel, uint32_t handler, const uint64_t *args, uint32_t n_args,
              uint32_t node);

/* ---- observation ----------------------------------------------------------------------------- */

#define GRAVEL_ALL_NODES 0xffffffffu /* of gravel_stats_read: no single destination */

/**
 * Reads counters of this node, or of what it has sent to one. Exact after gravel_quiet, else a moment old.
 *
 * @param stats  [out] for a destination sent_messages, sent_buffers and buffer_bytes; the rest is 0.
 * @param node   destination, or GRAVEL_ALL_NODES.
 */
int gravel_stats_read(struct gravel *gravel, struct gravel_stats *stats, size_t bytes,
                      uint32_t node);

/**
 * Reads the i-th counter of this node, from 0 until GRAVEL_ERANGE.
 *
 * @param name   [out] as in stats.h; valid while the library is loaded.
 * @param value  [out]
 * @return       0; GRAVEL_ERANGE.
 */
int gravel_stats_get(struct gravel *gravel, uint32_t i, const char **name, uint64_t *value);

/** Sets this node's counters to 0. Messages in flight count before or after it. */
int gravel_stats_reset(struct gravel *gravel);

#ifdef __cplusplus
}
#endif

#endif
