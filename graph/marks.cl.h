/* SPDX-License-Identifier: MIT */
/*
 * Which slots other nodes have sent words of: a bit for 64 slots side by side, which the first of them in a round sends.
 * So a round looks at what has come, and not at all slots.
 *
 * Path:    sssp.cl, peel.cl -> this
 * Memory:  words of the heap, [2][MARK_WORDS] by round % 2: what a round sends the next one takes, and clears behind that,
 *          when no message is for it. `marked` [MARK_WORDS] is what this node has sent in a round.
 */
#include "gravel.cl.h"

#if N_NODES > 1
#define MARK_WORDS(n_slots) ((n_slots) / 2048 + 1) /* as graph.h has it */
/* Slots that a work-item takes at a time. */
#define MARK_SLOTS (LANES == 1 ? 64u : 4u)

/* Returns the words that messages of a round are for. */
static global uint *marks_of(struct gravel_round_group r, ulong marks, uint n_slots, uint number)
{
    return (global uint *)gravel_local(r.group, marks) + number % 2 * MARK_WORDS(n_slots);
}

static bool is_marked(global const uint *words, uint slot)
{
    return words[slot / 2048] >> slot / 64 % 32 & 1;
}

/* Marks an own slot at all other nodes. */
static void mark(struct gravel_round_group r, ulong marks, uint n_slots,
                 volatile global uint *marked, uint slot)
{
    const uint word = slot / 2048, bit = 1u << slot / 64 % 32,
               at = (uint)gravel_round_number(r) % 2 * MARK_WORDS(n_slots) + word;
    if (marked[word] & bit || atomic_or(marked + word, bit) & bit)
        return;
    for (uint node = 0; node < N_NODES; node++)
        if (node != gravel_node(r.group))
            gravel_or_uint_wi(r.group, marks, at, bit, node);
}
#endif
