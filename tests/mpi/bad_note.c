/* SPDX-License-Identifier: MIT */
/*
 * A node that tells of a frame where none can be: who receives the note ends, and says whose it was; all others end with it.
 *
 * usage: mpirun ... bad_note MODE    (any mode) fault.sh counts the nodes that print "as expected"
 *
 * Path: fault.sh -> mpirun -> this -> lib/transport/handover.c, lib/network/network.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "transport/handover.h"

static bool is_spoiling;

struct gravel_buffer *__real_gravel_handover_note(const struct gravel_handover *handover,
                                                  const struct gravel_buffer *buffer);
struct gravel_buffer *__wrap_gravel_handover_note(const struct gravel_handover *handover,
                                                  const struct gravel_buffer *buffer);

struct gravel_buffer *__wrap_gravel_handover_note(const struct gravel_handover *handover,
                                                  const struct gravel_buffer *buffer)
{
    struct gravel_buffer *note = __real_gravel_handover_note(handover, buffer);
    if (note && is_spoiling)
        ((struct gravel_note_frame *)note->frame)->offset += 8;
    return note;
}

/* Put until the node has failed: not in the first rounds, which bring all nodes here. @return the code. */
static int put_until_failure(struct gravel *gravel, uint64_t memory)
{
    static unsigned char data[50000];
    int code = 0;
    for (uint32_t round = 0; !code; round++) {
        is_spoiling = round >= 3;
        if (gravel_node(gravel) == 0)
            code = gravel_put(gravel, memory, data, sizeof data, 1);
        if (!code)
            code = gravel_barrier(gravel);
    }
    return code;
}

int main(void)
{
    watch(40, "a bad note");
    struct gravel *gravel = open_default(NULL);
    uint32_t node = gravel_node(gravel);
    uint64_t memory = alloc_or_die(gravel, 1 << 16);
    int code = put_until_failure(gravel, memory);
    MUST(code == (node == 1 ? GRAVEL_ECORRUPT : GRAVEL_EPEER));
    MUST(strstr(gravel_last_error(), "note from node 0: 50"));
    MUST(node == 1 || strstr(gravel_last_error(), "node 1 gave up"));
    printf("node %u: as expected: %s\n", node, gravel_last_error());
    fflush(stdout);
    MUST(gravel_close(gravel) == code);
    _exit(0);
}
