/* SPDX-License-Identifier: MIT */
/*
 * Rounds in a kernel: which channel element (CE) each work-item processes.
 *
 * A flow's program is built in two forms. Plain: a launch is one round, work-item i of the launch has the round's i-th
 * CE, and no loop is around the nodes. GRAVELP_FLOW_LOOP: a launch processes rounds, a group chunk by chunk, until
 * there is none or one that is left to the host; a chunk is a group's worth of CEs. The groups that take part are the
 * launch's *members* (members.cl.h); the last member out of a round chooses the next one.
 *
 * Of a channel with GRAVEL_GROUP_NODE a group's worth is one CE, which all its work-items have.
 *
 * Path:    GRAVEL_FLOW_OPEN, GRAVEL_ROUNDS and GRAVEL_NODE of flow.cl.h -> this -> channel.cl.h, members.cl.h.
 * Memory:  plain: the round was written before the launch. Loop: K5, K6, K7.
 * Source:  Orr 2016, section 4.2 (channel-flow graphs).
 */
#ifndef GRAVELP_ROUND_CL_H
#define GRAVELP_ROUND_CL_H

#include "channel.cl.h"
#include "layout/choose.h"
#include "members.cl.h"
#include "queue.cl.h"

#ifdef GRAVELP_FLOW_SIGN

/* CEs of a chunk of a round; groups of a round. */
GRAVELP_INLINE uint gravelp_round_share(struct gravelp_round round)
{
    return gravelp_channel_share(gravelp_channels[round.channel], gravelp_n_lanes());
}
GRAVELP_INLINE uint gravelp_round_groups(struct gravelp_round round)
{
    return gravelp_channel_groups(gravelp_channels[round.channel], gravelp_n_lanes(), round.n);
}

/*
 * The CE of a work-item; one without reads the round's first, as what is behind the round may be written in it. Where a
 * group is one thread it reads that: PoCL 3.1 would let all work-items take a leader's branch.
 */
GRAVELP_INLINE uint gravelp_round_index(struct gravelp_round round, uint item)
{
#if defined(GRAVELP_ONE_THREAD)
    return round.first + item;
#else
    return round.first + (item < round.n ? item : 0);
#endif
}

/* Leader: whether the kernel was built for this graph; a fault if not. */
GRAVELP_INLINE bool gravelp_round_fits(global struct gravelp_flow *flow)
{
    if (flow->version == GRAVELP_FLOW_VERSION && flow->sign == GRAVELP_FLOW_SIGN)
        return true;
    gravelp_flow_fault(flow, GRAVELP_FLOW_FAULT_SIGN, 0, flow->sign, GRAVELP_FLOW_SIGN);
    return false;
}

/* Any work-item of a producer: one level above the first, so that what it spawns is of that. */
GRAVELP_INLINE struct gravel_flow_group
gravelp_round_none(struct gravel_group group, global struct gravelp_flow *flow,
                   local struct gravelp_flow_scratch *scratch)
{
    return (struct gravel_flow_group){group,       flow, scratch, GRAVELP_FLOW_N_CHANNELS,
                                      0xffffffffu, 0,    0,       1};
}

#ifndef GRAVELP_FLOW_LOOP

/* Every work-item: its part of the round. A kernel of another graph has none. */
GRAVELP_INLINE struct gravel_flow_group
gravelp_round_open(struct gravel_group group, global struct gravelp_flow *flow,
                   local struct gravelp_flow_scratch *scratch)
{
    bool is_known = flow->version == GRAVELP_FLOW_VERSION && flow->sign == GRAVELP_FLOW_SIGN;
    bool is_by_group = is_known && gravelp_channels[flow->round.channel].is_by_group;
    uint item = (uint)(is_by_group ? get_global_id(0) / gravelp_n_lanes() : get_global_id(0));
    if (!is_known &&
        gravelp_is_leader()) /* by all: PoCL 3.1 loses elements of graphs with two nodes */
        gravelp_round_fits(flow);
    return (struct gravel_flow_group){group,
                                      flow,
                                      scratch,
                                      is_known ? flow->round.channel : GRAVELP_FLOW_N_CHANNELS,
                                      flow->round.level,
                                      gravelp_round_index(flow->round, item),
                                      is_known && item < flow->round.n,
                                      1};
}

/* Any work-item of a group that is one thread: whether it has a CE of the channel. */
GRAVELP_INLINE uint gravelp_chunk_is_of(struct gravel_flow_group f, uint channel)
{
    return f.channel == channel && f.index - f.flow->round.first < f.flow->round.n;
}

#else

#define GRAVELP_ENROL_POLLS 64u  /* without a newcomer, before the list of members is closed */
#define GRAVELP_MEMBER_POLLS 64u /* at a word, before a member asks whether to continue */

/* ---- members ---------------------------------------------------------------------------------- */

/*
 * Leader: wait until a word is not `value`. After polls without a change it asks whether to continue, by the host's
 * clock in queue 0.
 *
 * @return  false, after a fault, if that takes too long.
 */
GRAVELP_INLINE bool gravelp_member_wait(struct gravel_flow_group f, global uint *word, uint value)
{
    global struct gravelp_arena *arena = f.group.arena;
    global struct gravelp_flow_launch *launch = gravelp_flow_launch(f.flow);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    for (uint polls = 1; gravelp_device_load_acquire(word) == value; polls++) { /* K6, K7 */
        patience.least_ns += gravelp_pause(polls, false);
        if (polls % GRAVELP_MEMBER_POLLS)
            continue;
        uint out = gravelp_device_load_relaxed(&launch->members.out);
        uint verdict =
            gravelp_wait_ask(arena, gravelp_queue_words(arena, 0), out, launch->wait_ms, &patience);
        patience.least_ns += (ulong)arena->poll_ns * GRAVELP_MEMBER_POLLS;
        if (verdict & GRAVELP_WAIT_IS_LATE)
            gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_MEET, f.scratch->round.channel, out,
                               gravelp_device_load_relaxed(&launch->members.enrolled) &
                                   ~GRAVELP_MEMBERS_CLOSED);
        if (verdict != GRAVELP_WAITS_ON)
            return false;
    }
    return true;
}

/* Leader: become a member, if the list is not closed. */
GRAVELP_INLINE void gravelp_member_enrol(struct gravel_flow_group f)
{
    global struct gravelp_flow_launch *launch = gravelp_flow_launch(f.flow);
    uint me = gravelp_members_enrol(&launch->members, launch->n_groups, GRAVELP_ENROL_POLLS);
    f.scratch->member = f.scratch->chunk = me;
    f.scratch->phase = 0;
    f.scratch->round = (struct gravelp_round){0, 0, 0, 0};
    bool is_member =
        me < GRAVELP_MEMBERS_CLOSED && gravelp_member_wait(f, &launch->members.n, 0); /* K7 */
    if (is_member) { /* the members' chooser may be writing the next one */
        f.scratch->n_members = gravelp_device_load_relaxed(&launch->members.n);
        f.scratch->round = launch->round;
    }
    f.scratch->goes_on = is_member && gravelp_round_fits(f.flow);
}

/* ---- the next round --------------------------------------------------------------------------- */

/* Chooser: the round has ended; its CEs are free. @return whether another may follow. */
GRAVELP_INLINE bool gravelp_round_account(struct gravel_flow_group f, struct gravelp_view view)
{
    global struct gravelp_flow_launch *launch = gravelp_flow_launch(f.flow);
    struct gravelp_round round = f.scratch->round;
    uint n_chunks = gravelp_round_groups(round);
    global uint *unenqueued = gravelp_flow_words(f.flow, f.flow->unenqueued_at);
    gravelp_view_end_round(view, round);
    launch->n_rounds++;
    launch->n_small += n_chunks == 1;
    launch->n_elements += round.n;
    launch->n_lanes += n_chunks * gravelp_round_share(round);
    for (uint c = 0; c < GRAVELP_FLOW_N_CHANNELS; c++)
        if (gravelp_device_load_relaxed(unenqueued + c))
            gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_OPEN, c,
                               gravelp_device_load_relaxed(unenqueued + c), 0);
    return gravelp_device_load_relaxed(&gravelp_flow_faults(f.flow)->claim) == 0;
}

/* Chooser: publish the choice. A node that has been given up has no next round here. */
GRAVELP_INLINE void gravelp_round_publish(struct gravel_flow_group f, struct gravelp_view view,
                                          struct gravelp_round round, bool may_follow)
{
    global struct gravelp_flow_launch *launch = gravelp_flow_launch(f.flow);
    if (may_follow) { /* else the host is to know which round was at fault */
        launch->round = round;
        for (uint c = 0; round.n && c < GRAVELP_FLOW_N_CHANNELS; c++)
            *(gravelp_flow_words(f.flow, f.flow->limits_at) + c) =
                gravelp_view_limit(view, round, c);
    }
    launch->goes_on = may_follow && round.n &&
                      (launch->n_groups > 1 || gravelp_round_groups(round) == 1) &&
                      launch->n_elements < launch->most_elements &&
                      !gravelp_load_relaxed(&f.group.arena->abort);  /* H1 */
    gravelp_members_advance(&launch->members, f.scratch->phase + 1); /* K6 */
}

#if defined(GRAVELP_ONE_THREAD)

/* Leader: choose alone. */
GRAVELP_INLINE void gravelp_round_choose(struct gravel_flow_group f)
{
    struct gravelp_view view = gravelp_view_of(f.flow);
    bool may_follow = gravelp_round_account(f, view);
    gravelp_round_publish(f, view, gravelp_view_choose(view), may_follow);
}

#else

/* Every work-item of the group: choose together, each among every n-th layer. */
GRAVELP_INLINE void gravelp_round_choose(struct gravel_flow_group f)
{
    struct gravelp_view view = gravelp_view_of(f.flow);
    struct gravelp_round best = {0, 0, 0, 0};
    uint lane = (uint)gravelp_lane_id(), n_lanes = gravelp_n_lanes(), n_layers = f.flow->n_layers;
    if (gravelp_is_leader()) {
        f.scratch->may_follow = gravelp_round_account(f, view);
        f.scratch->depth = f.scratch->most = f.scratch->key = 0;
    }
    gravelp_group_meet(f.group.arena); /* G1: heads are known, and nothing is found yet */
    for (uint layer = lane; layer < n_layers; layer += n_lanes)
        gravelp_local_max_relaxed(&f.scratch->depth, gravelp_view_depth(view, layer));
    gravelp_group_meet(f.group.arena); /* G1: the depth is known */
    for (uint layer = lane; layer < n_layers; layer += n_lanes) {
        struct gravelp_round round = gravelp_view_admit(view, layer, f.scratch->depth);
        best = gravelp_round_is_before(round, best) ? round : best;
    }
    gravelp_local_max_relaxed(&f.scratch->most, best.n);
    gravelp_group_meet(f.group.arena); /* G1: how many CEs the largest has */
    uint key = best.level * GRAVELP_FLOW_N_CHANNELS + GRAVELP_FLOW_N_CHANNELS - best.channel;
    if (best.n && best.n == f.scratch->most)
        gravelp_local_max_relaxed(&f.scratch->key, key);
    gravelp_group_meet(f.group.arena); /* G1: which of the largest it is */
    if (best.n ? key == f.scratch->key && best.n == f.scratch->most
               : f.scratch->most == 0 && gravelp_is_leader())
        gravelp_round_publish(f, view, best, f.scratch->may_follow);
    gravelp_group_meet(f.group.arena); /* G1: the leader does not wait for a work-item of its own */
}

#endif

/* ---- chunks ----------------------------------------------------------------------------------- */

/* Leader: this chunk is done. @return whether the group is the last member out of the round, and chooses the next. */
GRAVELP_INLINE bool gravelp_chunk_end(struct gravel_flow_group f)
{
    f.scratch->chunk += f.scratch->n_members;
    if (f.scratch->chunk < gravelp_round_groups(f.scratch->round))
        return false;
    return gravelp_members_leave(&gravelp_flow_launch(f.flow)->members, f.scratch->n_members);
}

/* Leader: waits for the next round, if its chunks of this one are done. */
GRAVELP_INLINE void gravelp_chunk_begin(struct gravel_flow_group f)
{
    global struct gravelp_flow_launch *launch = gravelp_flow_launch(f.flow);
    if (f.scratch->chunk < gravelp_round_groups(f.scratch->round))
        return;
    bool is_chosen = gravelp_member_wait(f, &launch->members.phase, f.scratch->phase); /* K6 */
    f.scratch->phase++;
    f.scratch->chunk = f.scratch->member;
    f.scratch->goes_on = 0;
    if (is_chosen) { /* else a late chooser may be writing the next one */
        f.scratch->round = launch->round;
        f.scratch->goes_on = launch->goes_on;
    }
}

/* Any work-item: the number of its CE in the round; without one, n or more. */
GRAVELP_INLINE uint gravelp_chunk_item(struct gravel_flow_group f)
{
    uint share = gravelp_round_share(f.scratch->round);
    return f.scratch->chunk * share + (share == 1 ? 0 : (uint)gravelp_lane_id());
}

/* Every work-item, when the leader has set the chunk: its CE. */
GRAVELP_INLINE void gravelp_chunk_take(struct gravel_flow_group *f)
{
    uint item = gravelp_chunk_item(*f), n_groups = gravelp_round_groups(f->scratch->round);
    f->channel = f->scratch->chunk < n_groups ? f->scratch->round.channel : GRAVELP_FLOW_N_CHANNELS;
    f->level = f->scratch->round.level;
    f->active = item < f->scratch->round.n;
    f->index = gravelp_round_index(f->scratch->round, item);
    f->is_on = 1;
}

/* Any work-item: whether it has a CE of the channel in this chunk. */
GRAVELP_INLINE uint gravelp_chunk_is_of(struct gravel_flow_group f, uint channel)
{
    return f.channel == channel && gravelp_chunk_item(f) < f.scratch->round.n;
}

GRAVELP_INLINE struct gravel_flow_group
gravelp_round_open(struct gravel_group group, global struct gravelp_flow *flow,
                   local struct gravelp_flow_scratch *scratch)
{
    struct gravel_flow_group f = {group, flow, scratch, 0, 0, 0, 0, 0};
    if (gravelp_is_leader())
        gravelp_member_enrol(f);
    gravelp_group_meet(group.arena); /* G1: the group's first chunk is known */
    gravelp_chunk_take(&f);
    return f;
}

/* Every work-item: the chunk is done; the next one. */
GRAVELP_INLINE void gravelp_chunk_next(struct gravel_flow_group *f)
{
    gravelp_group_meet_apart(
        f->group.arena); /* G2: what the group did is done; with K5 it reaches the chooser */
#if defined(GRAVELP_ONE_THREAD)
    if (gravelp_is_leader()) {
        if (gravelp_chunk_end(*f))
            gravelp_round_choose(*f);
        gravelp_chunk_begin(*f);
    }
#else
    if (gravelp_is_leader())
        f->scratch->chooses = gravelp_chunk_end(*f);
    gravelp_group_meet(f->group.arena); /* G1: whether this group chooses */
    if (f->scratch->chooses)
        gravelp_round_choose(*f);
    if (gravelp_is_leader())
        gravelp_chunk_begin(*f);
#endif
    gravelp_group_meet(f->group.arena); /* G4: what the leader has acquired is the whole group's */
    gravelp_chunk_take(f);
}

#endif

#endif

#endif
