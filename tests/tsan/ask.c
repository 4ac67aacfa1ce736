/* SPDX-License-Identifier: MIT */
/*
 * The kernel that asks. See ask.h. Each work-item reads, by plain loads after the wait, the answer and the put of its
 * neighbour: were an edge of the way there and back missing, that would be a race.
 */
#include "ask.h"

#include "gravel.cl.h"

/* A word of 64 bits is waited for; what was put before it is there then. @return whether the neighbour's is. */
static bool wait_for_mark(struct gravel_group g, const struct ask *ask, uint32_t round)
{
    uint32_t lane = (uint32_t)get_local_id(0), neighbour = (lane + 1) % gravelp_n_lanes();
    uint64_t mark = ask->marks + (uint32_t)get_group_id(0) * sizeof(struct ask_mark);
    const struct ask_mark *seen = gravel_local(g, mark);
    uint32_t me = gravel_node(g);
    gravel_put_uint_wg(g, mark + offsetof(struct ask_mark, data), lane, round * 100 + lane, me);
    gravel_add_ulong_wg_if(g, lane == 0, mark, 0, ASK_STEP, me);
    return gravel_wait_until_ulong_wg(g, mark, GRAVEL_CMP_EQ, (round + 1) * ASK_STEP) &&
           seen->data[neighbour] == round * 100 + neighbour;
}

void ask_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const struct ask *ask = arguments;
    GRAVEL_OPEN(g);
    uint32_t lane = (uint32_t)get_local_id(0), n_lanes = gravelp_n_lanes();
    uint32_t group = (uint32_t)get_group_id(0), neighbour = (lane + 1) % n_lanes;
    uint64_t mine = 4 * (uint64_t)group * ASK_MAX_GROUP,
             signals = ask->signals + 8 * (uint64_t)group;
    struct gravel_reply reply = {ask->answers + mine, signals};
    const uint32_t *answers = gravel_local(g, reply.result);
    const uint32_t *data = gravel_local(g, ask->data + mine);
    uint32_t n_answers = 0, n_puts = 0, me = gravel_node(g);
    for (uint32_t round = 0; round < ASK_ROUNDS; round++) {
        gravel_session_begin_wg(g); /* which keeps no answer and no signal */
        n_answers += gravel_fetch_add_uint_wg(g, ask->counter, 0, 1, reply, lane,
                                              (group + round) % ask->n_nodes);
        n_puts += gravel_put_signal_uint_wg_if(g, lane != round, ask->data + mine, lane,
                                               round * 100 + lane, signals + 4, me);
        bool holds = gravel_wait_until_uint_wg(g, signals, GRAVEL_CMP_GE, n_answers) &&
                     gravel_wait_until_uint_wg(g, signals + 4, GRAVEL_CMP_EQ, n_puts);
        gravel_session_end_wg(g); /* the mark that follows leaves by age */
        uint32_t seen = neighbour == round ? round * 100 + neighbour : data[neighbour];
        holds = wait_for_mark(g, ask, round) && holds;
        uint64_t sum =
            answers[neighbour] + (holds && seen == round * 100 + neighbour ? 0 : 1u << 20);
        gravel_add_ulong_wg(g, ask->sum, 0, sum, 0);
    }
}
