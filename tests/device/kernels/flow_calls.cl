/* SPDX-License-Identifier: MIT */
/*
 * Every call of flows in every form. by_wg, by_wg_if, by_wi, by_sg, by_fork: sync, spawn and push in that form; by_sg as
 * by_wg_if without sub-groups. leaf: each return to a word of its own, by all forms of it. sums: checks all of them, and
 * adds 1 to the result if they are right. loop: counts down, and gives its number when it is there. whole: a group adds up
 * what its work-items make of one number. by_wg_if and leaf break the rule that `fault` names.
 *
 * _wg needs a full group: all elements of a channel are pushed together, a group's worth.
 *
 * Path: test_flow.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

enum fault { NONE, MANY, NO_EDGE, DEEP, BAD_SLOT, TASK_SLOT, OPEN };

/* A channel of elements that call. */
#define CALLS(name)     \
    struct name {       \
        uint n;         \
        gravel_slot to; \
    };                  \
    GRAVEL_RECORD(name)
CALLS(by_wg)
CALLS(by_wg_if)
CALLS(by_wi)
CALLS(by_sg)
CALLS(by_fork)

struct leaf {
    uint n;
    gravel_slot i, u, f, l, ul;
};

struct sums {
    uint n;
    gravel_slot to;
    int i, i_if, i_wi;
    uint u, u_if, u_wi;
    float f, f_if, f_wi;
    long l;
    ulong ul;
};

struct out {
    uint n;
};

struct loop {
    uint n, number;
};

struct whole {
    uint n;
};

GRAVEL_RECORD(leaf)
GRAVEL_RECORD(sums)
GRAVEL_RECORD(out)
GRAVEL_RECORD(loop)
GRAVEL_RECORD(whole)

struct sums sums_of(uint n, gravel_slot to)
{
    return (struct sums){n, to, 1, 2, 3, 4, 5, 6, 0.25f, 0.5f, 0.75f, 7, 8};
}

struct leaf leaf_of(struct gravel_flow_group f, uint n, gravel_ce s)
{
    return (struct leaf){n,
                         GRAVEL_SLOT(f, s, sums, i),
                         GRAVEL_SLOT(f, s, sums, u),
                         GRAVEL_SLOT(f, s, sums, f),
                         GRAVEL_SLOT(f, s, sums, l),
                         GRAVEL_SLOT(f, s, sums, ul)};
}

void by_wg_task(struct gravel_flow_group f, struct by_wg it)
{
    gravel_ce s = gravel_sync_sums_wg(f, sums_of(it.n, it.to));
    gravel_spawn_leaf_wg(f, leaf_of(f, it.n, s));
    gravel_push_out_wg(f, (struct out){it.n});
}

void break_rule(struct gravel_flow_group f, uint active, gravel_ce s, uint row, uint fault)
{
    gravel_push_out_wg_if(f, active && fault == MANY, (struct out){7});
    gravel_push_loop_wg_if(f, active && fault == NO_EDGE, (struct loop){0, 7});
    gravel_return_uint_wg_if(f, active && fault == BAD_SLOT, 0xfffffff0u, 1);
    gravel_return_uint_wg_if(f, active && fault == TASK_SLOT,
                             GRAVEL_SLOT(f, s, sums, n) + sizeof(struct sums) / 4 * row, 1);
    if (fault == OPEN)
        gravel_talloc_wg_if(f, active, GRAVEL_CHANNEL(out), 0);
}

void by_wg_if_task(struct gravel_flow_group f, uint active, struct by_wg_if it, uint row,
                   uint fault)
{
    gravel_ce s = gravel_sync_sums_wg_if(f, active, sums_of(it.n, it.to));
    gravel_spawn_leaf_wg_if(f, active, leaf_of(f, it.n, s));
    gravel_push_out_wg_if(f, active, (struct out){it.n});
    break_rule(f, active, s, row, fault);
}

void by_wi_task(struct gravel_flow_group f, uint active, struct by_wi it)
{
    gravel_barrier_wg(f.group);
    if (active) {
        gravel_ce s = gravel_sync_sums_wi(f, sums_of(it.n, it.to));
        gravel_spawn_leaf_wi(f, leaf_of(f, it.n, s));
        gravel_push_out_wi(f, (struct out){it.n});
    }
    gravel_barrier_wg(f.group);
}

#ifdef GRAVEL_HAS_SUBGROUPS
#define BY_SG(call, ...) call##_sg_if(__VA_ARGS__)
#define ENQ_BY_SG gravel_enq_sg
#else
#define BY_SG(call, ...) call##_wg_if(__VA_ARGS__)
#define ENQ_BY_SG gravel_enq_wg
#endif

void by_sg_task(struct gravel_flow_group f, uint active, struct by_sg it)
{
    gravel_ce s = BY_SG(gravel_sync_sums, f, active, sums_of(it.n, it.to));
    BY_SG(gravel_spawn_leaf, f, active, leaf_of(f, it.n, s));
    gravel_ce ce = BY_SG(gravel_talloc, f, active, GRAVEL_CHANNEL(out), 1);
    gravel_write_out_wg_if(f, active, GRAVEL_CHANNEL(out), ce, (struct out){it.n});
    ENQ_BY_SG(f, GRAVEL_CHANNEL(out));
}

void by_fork_task(struct gravel_flow_group f, uint active, struct by_fork it)
{
    struct gravel_fork fork =
        gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(sums), GRAVEL_CHANNEL(leaf), 1);
    gravel_write_sums_wg_if(f, active, GRAVEL_CHANNEL(sums), fork.after, sums_of(it.n, it.to));
    gravel_write_leaf_wg_if(f, active, GRAVEL_CHANNEL(leaf), fork.first,
                            leaf_of(f, it.n, fork.after));
    gravel_ce ce = gravel_talloc_wg_if(f, active, GRAVEL_CHANNEL(out), 1);
    gravel_write_out_wg_if(f, active, GRAVEL_CHANNEL(out), ce, (struct out){it.n});
    gravel_enq_wg(f, GRAVEL_CHANNEL(out));
}

/* Slots of neighbouring fields are a row apart. */
void leaf_task(struct gravel_flow_group f, uint active, struct leaf it, uint row, uint fault)
{
    gravel_spawn_leaf_wg_if(f, active && fault == DEEP, it);
    gravel_return_int_wg_if(f, active, it.i, -(int)it.n);
    gravel_return_add_int_wg_if(f, active, it.i + row, -1);
    gravel_return_uint_wg(f, it.u, it.n + 1);
    gravel_return_add_uint_wg_if(f, active, it.u + row, it.n);
    gravel_return_float_wg_if(f, active, it.f, 0.5f * it.n);
    gravel_return_add_float_wg(f, it.f + row, 2.5f);
    gravel_return_long_wg(f, it.l, -(long)it.n << 33);
    gravel_return_ulong_wg(f, it.ul, (ulong)it.n << 34 | 5);
    if (active) {
        gravel_return_int_wi(f, it.i + 2 * row, (int)it.n);
        gravel_return_add_uint_wi(f, it.u + 2 * row, 9);
        gravel_return_add_float_wi(f, it.f + 2 * row, -0.5f);
    }
    gravel_barrier_wg(f.group);
}

void sums_task(struct gravel_flow_group f, uint active, struct sums it)
{
    uint is_right = it.i == -(int)it.n && it.i_if == 1 && it.i_wi == (int)it.n &&
                    it.u == it.n + 1 && it.u_if == 5 + it.n && it.u_wi == 15 &&
                    it.f == 0.5f * it.n && it.f_if == 3.0f && it.f_wi == 0.25f &&
                    it.l == -(long)it.n << 33 && it.ul == ((ulong)it.n << 34 | 5);
    gravel_return_add_uint_wg_if(f, active, it.to, is_right ? 1 : 1000);
}

void loop_task(struct gravel_flow_group f, uint active, struct loop it)
{
    gravel_push_loop_wg_if(f, active && it.n, (struct loop){it.n - 1, it.number});
    gravel_push_out_wg_if(f, active && !it.n, (struct out){it.number});
}

void whole_task(struct gravel_flow_group f, uint active, struct whole it, local uint *sums)
{
    uint lane = get_local_id(0), n_lanes = get_local_size(0), sum = 0;
    sums[lane] = active ? it.n + lane : 0;
    gravel_barrier_wg(f.group);
    for (uint i = 0; i < n_lanes; i++)
        sum += sums[i];
    gravel_barrier_wg(f.group);
    gravel_push_out_wg_if(f, active && lane + 1 == n_lanes, (struct out){sum});
}

kernel void calls(GRAVEL_ARENA, GRAVEL_FLOW, uint row, uint fault)
{
    local uint sums[7];
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, by_wg)
            by_wg_task(f, gravel_read_by_wg_wi(f));
        GRAVEL_NODE (f, by_wg_if)
            by_wg_if_task(f, f.active, gravel_read_by_wg_if_wi(f), row, fault);
        GRAVEL_NODE (f, by_wi)
            by_wi_task(f, f.active, gravel_read_by_wi_wi(f));
        GRAVEL_NODE (f, by_sg)
            by_sg_task(f, f.active, gravel_read_by_sg_wi(f));
        GRAVEL_NODE (f, by_fork)
            by_fork_task(f, f.active, gravel_read_by_fork_wi(f));
        GRAVEL_NODE (f, leaf)
            leaf_task(f, f.active, gravel_read_leaf_wi(f), row, fault);
        GRAVEL_NODE (f, sums)
            sums_task(f, f.active, gravel_read_sums_wi(f));
        GRAVEL_NODE (f, loop)
            loop_task(f, f.active, gravel_read_loop_wi(f));
        GRAVEL_NODE (f, whole)
            whole_task(f, f.active, gravel_read_whole_wi(f), sums);
    }
}
