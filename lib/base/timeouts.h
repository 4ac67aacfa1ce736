/* SPDX-License-Identifier: MIT */
/*
 * The limits of all waits. docs/reference.py writes them to docs/design/failure.md; the test "waits without a limit"
 * finds one that the code does not use, and a time that is made of GRAVEL_TIMEOUT elsewhere.
 *
 * Path:    gravel_config.timeout_ms -> timeouts.h -> every wait.
 */
#ifndef GRAVEL_BASE_TIMEOUTS_H
#define GRAVEL_BASE_TIMEOUTS_H

#include "base/clock.h"

/* X(name, eighths of GRAVEL_TIMEOUT, what the limit is besides, what waits, whose clock, error, test); 0 eighths: the
 * text has it all. */
/* clang-format off */
#define GRAVEL_LIMITS(X) \
    X(HEARTBEAT, 8, "", "a node, for the heartbeat of its left neighbour", "the network thread", \
      "`GRAVEL_EPEER`, that node", "`mpi fault killed_while_idle`") \
    X(PEERS, 12, " without progress", "quiet, get, for other nodes", "the network thread", "`GRAVEL_ETIMEOUT`", "") \
    X(PACKAGES, 0, "1.5 T, T in one process", "the host, for packages that kernels reserved", \
      "the aggregator or the thread that fetches them", "`GRAVEL_EKERNEL`: queue, ticket, slot", \
      "`device stuck` on every step; `mpi fault one_fails_by_a_stuck_ticket`") \
    X(DEVICE, 8, "", "the host, for a copy or a kernel of Gravel (pump, drain)", "the thread that waits", \
      "`GRAVEL_ETIMEOUT`: for what", "`device stalled` on every step") \
    X(OPENING, 80, ", and 20 s more for kernels of the self-test", \
      "the same, while the node opens", "the thread that waits", "`GRAVEL_ETIMEOUT`: for what", "") \
    X(DRIVER, 8, "; while a node opens or a program is built 10 T, a minute at least", \
      "any thread, in a call of the driver", "`gravel-watch`", \
      "`GRAVEL_ETIMEOUT`: the thread and the [call](progress.md#calls-of-the-driver)", \
      "`device stalled` on every step") \
    X(FAILED, 8, " once the node has failed; before that none, or `GRAVEL_KERNEL_LIMIT`", \
      "a call, for a kernel of the program", "the thread that waits", \
      "`GRAVEL_EKERNEL`, the kernel", "`device endless` on every step") \
    X(CHECKED, 32, " as `GRAVEL_KERNEL_LIMIT`, unless it is set", "the same, in checked mode", \
      "the thread that waits", "`GRAVEL_EKERNEL`, the kernel", "") \
    X(LIST, 8, "", "a launch, for an event of its list that has not begun", "the thread that waits", \
      "`GRAVEL_ETIMEOUT`, the event's index", "`device caller` on every step") \
    X(ROOM, 0, "2 T; without the host's clock at least 8 times as long", "a leader, for room", \
      "the queue's consumer; its own polls", "`GRAVEL_EKERNEL`", "`device step`") \
    X(WORD, 0, "T, anew while functions that block answer its node; on drain a number of polls", \
      "a kernel, for a word or at a fine-grain barrier", "the queue's consumer; its own polls", "`GRAVEL_EKERNEL`", \
      "`device stuck`, `device answer`") \
    X(HANDLER, 4, "", "a handler in OpenCL C", "the network thread", "`GRAVEL_EKERNEL`, the handler", \
      "`device opencl_handler` on every step") \
    X(CHAIN, 600, " by default: `GRAVEL_CHAIN_LIMIT`", "a barrier, while handlers keep sending", "the network thread", \
      "`GRAVEL_ETIMEOUT`, the number of frames", "`device handler` on every step") \
    X(CREDIT, 0, "none while it lives and writes", "records without credit, for the node that writes them", \
      "that node's network thread, as the next row", "that row's, and `GRAVEL_EPEER` with it at the other nodes", \
      "`mpi fault reader_stopped` on every step") \
    X(RECORDS, 8, "; for the system, in which not a byte is written", \
      "unwritten records, for a function or the system", "the network thread", \
      "`GRAVEL_ETIMEOUT`: the stream, bindings.print, standard output", \
      "`device append`, `device lines`, `mpi fault reader_stopped`") \
    X(APPLIED, 8, " in which it ends no frame, and enters or leaves no function of the host", \
      "a flush, for parts that the network thread applies", "the thread that waits", \
      "`GRAVEL_ETIMEOUT`, the handler; without one as for a copy", "`device packed`") \
    X(QUESTION, 0, "T a call", "a question, for a function that blocks", "the network thread", \
      "`GRAVEL_ETIMEOUT`, the handler", "`device answer`") \
    X(WRITER, 0, "T without a byte written, and T once the node has failed; then the thread stays", \
      "closing, for the writer", "the closing thread", "", "`device lines`") \
    X(LOG, 8, " and a second; then the node's memory stays", "closing, for a log function that `gravel_abort` calls", \
      "the closing thread", "", "`device abort`") \
    X(BARRIER, 0, "none", "a barrier, for nodes that live", "", "", "") \
    X(OPEN, 0, "`GRAVEL_OPEN_TIMEOUT`", "`gravel_open`, for all processes and MPI", "the opening thread", \
      "`GRAVEL_EMPI`: the call, host and addresses", \
      "`mpi fault killed_while_others_open`, `mpi fault one_never_opens`") \
    X(LEAVING, 32, "", "a node that is closing, while frames for it are in flight", "the network thread", \
      "logged; MPI is not finalised then", "`mpi late_beats 3`")
/* clang-format on */

enum gravel_limit_name {
#define GRAVEL_LIMIT(name, eighths, ...) GRAVEL_LIMIT_##name,
    GRAVEL_LIMITS(GRAVEL_LIMIT)
#undef GRAVEL_LIMIT
};

/** Returns a limit, of GRAVEL_TIMEOUT. */
static inline uint64_t gravel_limit_ns(enum gravel_limit_name name, uint64_t timeout_ms)
{
    static const uint64_t eighths[] = {
#define GRAVEL_LIMIT(name, eighths, ...) eighths,
        GRAVEL_LIMITS(GRAVEL_LIMIT)
#undef GRAVEL_LIMIT
    };
    return timeout_ms * eighths[name] * (GRAVEL_NS_PER_MS / 8);
}

#endif
