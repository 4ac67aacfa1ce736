/* SPDX-License-Identifier: MIT */
/*
 * What nodes do until one of them dies at a point of its own calls: between the copy of a frame that the device has binned and
 * its note, or between the note and the upload; between parts of a round that it posts or reads, or as messages of the round
 * are applied; or sends a note that cannot be right. See die.h.
 *
 * The linker sends the calls here (--wrap).
 *
 * Path: die.c -> this -> lib/transport/handover.c, lib/resolve/resolver.c, lib/network/exchange.c, lib/rounds/nodes.c
 */
#include "node/node.h"
#include "resolve/on_device/ring.h"
#include "transport/handover.h"

#include "die.h"
#include "wrapped.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- points --------------------------------------------------------------------------------------- */

static enum point point;  /* of this node */
static uint32_t n_before; /* that are passed until then */

static void pass(enum point here)
{
    if (point == here && n_before-- == 0)
        raise(SIGKILL);
}

void arm(enum point here, uint32_t n)
{
    n_before = n;
    point = here;
}

WRAPPED(struct gravel_buffer *, gravel_handover_note, const struct gravel_handover *handover,
        const struct gravel_buffer *buffer)
{
    if (buffer->frame->bytes >=
        GRAVEL_STRAIGHT_BYTES) /* the device's: a host thread has no such run */
        pass(COPY);
    struct gravel_buffer *note = __real_gravel_handover_note(handover, buffer);
    if (note && point == SPOILT_NOTE)
        ((struct gravel_note_frame *)note->frame)->offset += 8;
    return note;
}

WRAPPED(int, gravel_ring_keep, struct gravel_resolver *resolver, const void *frame,
        const struct gravel_received *received, const struct gravel_expect *expect,
        uint64_t heap_offset, bool *is_kept, struct gravel_refusal *refusal)
{
    /* A long frame that is not a part that never left the device. */
    if (!received->rows && received->bytes >= GRAVEL_STRAIGHT_BYTES)
        pass(NOTE);
    return __real_gravel_ring_keep(resolver, frame, received, expect, heap_offset, is_kept,
                                   refusal);
}

WRAPPED(struct gravel_post *, gravel_exchange_post, const struct gravel_network *network,
        const struct gravel_pinned *outbox, uint32_t to, uint64_t number)
{
    pass(PART);
    return __real_gravel_exchange_post(network, outbox, to, number);
}

/* On step svm a round's messages are applied by a barrier, on step pump behind the answer, by the kernel. */
WRAPPED(int, gravel_node_barrier, struct gravel *here, const struct gravel_collective_call *call,
        bool is_rest)
{
    pass(APPLY);
    return __real_gravel_node_barrier(here, call, is_rest);
}

WRAPPED(void, gravel_pump_watch, struct gravel_pump *pump, cl_event event)
{
    pass(APPLY);
    __real_gravel_pump_watch(pump, event);
}

/* ---- works ---------------------------------------------------------------------------------------- */

static cl_kernel kernel;
static uint64_t words; /* 64 KiB in each heap */

static void begin_words(const char *body)
{
    gravel = open_default(NULL);
    words = alloc_or_die(gravel, 1 << 16);
    if (body)
        kernel = body_kernel(gravel, body, (const uint64_t[3]){words, words});
    OK(gravel_barrier(gravel));
}

/* Every work-item sends 64 messages to the next node: long runs of one destination. */
static void begin_sending_runs(void)
{
    begin_words("for (uint n = 0; n < 64; n++) gravel_inc_uint_wg(g, a, (i + n) % 1024, "
                "(gravel_node(g) + 1) % gravel_n_nodes(g));");
}

static int go_on_sending_runs(void)
{
    return run_kernel(gravel, kernel, 65536, 256);
}

static void begin_putting(void)
{
    begin_words(NULL);
}

static int go_on_putting(void)
{
    static unsigned char data[50000];
    int code = rank == 0 ? gravel_put(gravel, words, data, sizeof data, 1) : 0;
    return code ? code : gravel_barrier(gravel);
}

const struct work sending_runs = {begin_sending_runs, go_on_sending_runs, NULL, NULL};
const struct work putting = {begin_putting, go_on_putting, NULL, NULL};
