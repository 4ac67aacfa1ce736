/* SPDX-License-Identifier: MIT */
/*
 * A node that is killed with a frame half-way that the device has binned: between the copy of its messages to memory that
 * the other node has mapped and the note of it; or, of the other node, between the note and the upload. Those that live
 * end within their limits, and name it.
 *
 * usage: mpirun ... killed_between copy | note      what the last frame of node 1 has behind it; fault.sh counts
 *
 * The linker sends the calls here (--wrap): before either returns, node 1 is dead.
 *
 * Path: fault.sh -> mpirun -> this -> lib/transport/handover.c, lib/resolve/on_device/lent.c
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bodies.h"
#include "resolve/on_device/device_resolver.h"
#include "resolve/on_device/lent.h"
#include "transport/handover.h"

#define N_BEFORE 3 /* frames of this kind that go their way */

static const char *end_of; /* "copy" or "note" on node 1; NULL elsewhere */
static int n_seen;

static void die_at(const char *point)
{
    if (end_of && !strcmp(end_of, point) && n_seen++ == N_BEFORE)
        raise(SIGKILL);
}

struct gravel_buffer *__real_gravel_handover_note(const struct gravel_handover *handover,
                                                  const struct gravel_buffer *buffer);
struct gravel_buffer *__wrap_gravel_handover_note(const struct gravel_handover *handover,
                                                  const struct gravel_buffer *buffer);
struct gravel_buffer *__wrap_gravel_handover_note(const struct gravel_handover *handover,
                                                  const struct gravel_buffer *buffer)
{
    if (buffer->frame->bytes >=
        GRAVEL_STRAIGHT_BYTES) /* the device's: a host thread has no such run */
        die_at("copy");
    return __real_gravel_handover_note(handover, buffer);
}

int __real_gravel_lent_take(struct gravel_lent *lent, const void *frame,
                            const struct gravel_plan *plan, const struct gravel_loan *loan,
                            uint64_t heap_offset);
int __wrap_gravel_lent_take(struct gravel_lent *lent, const void *frame,
                            const struct gravel_plan *plan, const struct gravel_loan *loan,
                            uint64_t heap_offset);
int __wrap_gravel_lent_take(struct gravel_lent *lent, const void *frame,
                            const struct gravel_plan *plan, const struct gravel_loan *loan,
                            uint64_t heap_offset)
{
    if (!loan->rows) /* not a part that never left the device */
        die_at("note");
    return __real_gravel_lent_take(lent, frame, plan, loan, heap_offset);
}

/* Every work-item sends 64 messages to the next node: long runs of one destination. */
static cl_kernel long_runs(struct gravel *gravel, uint64_t words)
{
    return body_kernel(
        gravel,
        "for (uint n = 0; n < 64; n++)\n"
        "    gravel_inc_uint_wg(g, a, (i + n) % 1024, (gravel_node(g) + 1) % gravel_n_nodes(g));",
        (const uint64_t[3]){words});
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    watch(45, argv[1]);
    struct gravel *gravel = open_default(NULL);
    uint64_t words = alloc_or_die(gravel, 4096);
    cl_kernel kernel = long_runs(gravel, words);
    OK(gravel_barrier(gravel));
    if (gravel_node(gravel) == 1)
        end_of = argv[1];
    int code = 0;
    while (!code) {
        code = run_kernel(gravel, kernel, 65536, 256);
        if (!code)
            code = gravel_barrier(gravel);
    }
    MUST(code == GRAVEL_EPEER);
    MUST(strstr(gravel_last_error(), "node 1 "));
    printf("node %u: as expected: %s\n", gravel_node(gravel), gravel_last_error());
    fflush(stdout);
    MUST(gravel_quiet(gravel) == GRAVEL_EPEER);
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    _exit(0);
}
