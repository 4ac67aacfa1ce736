/* SPDX-License-Identifier: MIT */
/*
 * The kernel of the C11 tests, and what it sends. See traffic.h.
 */
#include "traffic.h"

#include "gravel.cl.h"
#include "mix.h"
#include "subgroup.cl.h"

static uint64_t hash(enum traffic_site site, uint32_t number, uint32_t what)
{
    return mix((uint64_t)number << 8 | (uint64_t)site << 4 | what);
}

/* Iterations that a work-item wants of the uneven loop. */
static uint32_t degree(uint32_t turn)
{
    return (uint32_t)(mix(turn) % (TRAFFIC_MAX_DEGREE + 1));
}

uint32_t traffic_numbers(const struct traffic *traffic, enum traffic_site site)
{
    return traffic->n_rounds * traffic->n_items * (site == TRAFFIC_PUT ? TRAFFIC_MAX_DEGREE : 1);
}

bool traffic_is_sent(const struct traffic *traffic, enum traffic_site site, uint32_t number)
{
    (void)traffic;
    if (site == TRAFFIC_PUT)
        return number % TRAFFIC_MAX_DEGREE < degree(number / TRAFFIC_MAX_DEGREE);
    return site == TRAFFIC_INC || site == TRAFFIC_AM || hash(site, number, 0) % 3 == 0;
}

uint32_t traffic_node(const struct traffic *traffic, enum traffic_site site, uint32_t number)
{
    return (uint32_t)(hash(site, number, 1) % traffic->n_nodes);
}

uint64_t traffic_value(enum traffic_site site, uint32_t number, uint32_t row)
{
    return hash(site, number, 2 + row);
}

#ifdef GRAVEL_HAS_SUBGROUPS
/* By sub-groups, and by those of them that have something to say. */
#define SEND_INC(g, base, index, node) gravel_inc_uint_sg_if(g, 1, base, index, node)
#define SEND_ADD gravel_add_ulong_sg_if
#define SEND_AM(g, ...) gravel_am4_sg_if(g, 1, __VA_ARGS__)
#define FOR_PUTS(g, f, i, n) GRAVEL_FOR_FBAR (g, f, i, active, n)
#define SEND_PUT(g, f, ...) gravel_put_uint_fbar_if(g, f, __VA_ARGS__)
/* Between two turns a member may leave, miss some that others take, and come back. */
static void go_and_return(struct gravel_group g, struct gravel_fbar *f)
{
    if (gravelp_sg_lane() != 0)
        return;
    gravel_fbar_leave_sg(f);
    gravelp_pause(0, false);
    gravel_fbar_join_sg(g, f);
}
#else
#define SEND_INC gravel_inc_uint_wg
#define SEND_ADD gravel_add_ulong_wg_if
#define SEND_AM gravel_am4_wg
#define FOR_PUTS(g, f, i, n) GRAVEL_FOR_WG (g, i, active, n)
#define SEND_PUT(g, f, ...) gravel_put_uint_wg_if(g, __VA_ARGS__)
#define GRAVEL_FBAR(f)
#define go_and_return(g, f) (void)0
#endif

static void send_arguments(struct gravel_group g, const struct traffic *t, uint32_t turn)
{
    SEND_AM(g, t->am_handler, turn, traffic_value(TRAFFIC_AM, turn, 1),
            traffic_value(TRAFFIC_AM, turn, 2), traffic_value(TRAFFIC_AM, turn, 3),
            traffic_node(t, TRAFFIC_AM, turn));
    if (traffic_is_sent(t, TRAFFIC_AM_WI, turn))
        gravel_am4_wi(g, t->am_wi_handler, turn, traffic_value(TRAFFIC_AM_WI, turn, 1),
                      traffic_value(TRAFFIC_AM_WI, turn, 2), traffic_value(TRAFFIC_AM_WI, turn, 3),
                      traffic_node(t, TRAFFIC_AM_WI, turn));
}

void traffic_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const struct traffic *t = arguments;
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    uint32_t item = (uint32_t)get_global_id(0);
    for (uint32_t round = 0; round < t->n_rounds; round++) {
        uint32_t turn = round * t->n_items + item;
        SEND_INC(g, t->inc_base, turn, traffic_node(t, TRAFFIC_INC, turn));
        SEND_ADD(g, traffic_is_sent(t, TRAFFIC_ADD, turn), t->add_base, turn,
                 traffic_value(TRAFFIC_ADD, turn, 0), traffic_node(t, TRAFFIC_ADD, turn));
        uint32_t n = degree(turn), no_turns = 0;
        FOR_PUTS(g, f, none, no_turns) /* two loops back to back share local memory */
        {
            SEND_PUT(g, f, active, t->put_base, none, 0, 0);
        }
        FOR_PUTS(g, f, e, n)
        {
            uint32_t number = turn * TRAFFIC_MAX_DEGREE + e;
            SEND_PUT(g, f, active, t->put_base, number,
                     (uint32_t)traffic_value(TRAFFIC_PUT, number, 0),
                     traffic_node(t, TRAFFIC_PUT, number));
            if (e == 0)
                go_and_return(g, f);
        }
        send_arguments(g, t, turn);
    }
}
