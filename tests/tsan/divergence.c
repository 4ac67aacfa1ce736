/* SPDX-License-Identifier: MIT */
/*
 * Loops of diverged groups as C11 threads, under ThreadSanitizer: shared loops take every turn once, and fine-grain barriers
 * keep what they say: members wait for members, leavers for none, and a wait that fails ends and is reported.
 *
 * Messages through sub-groups and fine-grain barriers are device_queue.c's, whose kernel uses them where there are any.
 *
 * Path:    this -> cl/gravel.cl.h, cl/device/fbar.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gravel.cl.h"
#include "lanes.h"
#include "subgroup.cl.h"

#include "fail.h"

#define N_GROUPS 2u
#define NEVER_MS 100000000u /* wait, in looks, for members that are sure to come */
#define MOST 9u             /* turns of a work-item */

struct test {
    uint32_t n_items;
    uint32_t (*turns)(uint32_t item); /* of a work-item */
    unsigned char *taken;             /* [n_items * MOST] */
    uint32_t plain[N_GROUPS]; /* written and read without atomics, in turns that a barrier orders */
};

/* Control block and one queue's words: nothing is sent. */
static struct gravelp_arena *make_arena(uint32_t wait_ms)
{
    struct gravelp_arena *arena = calloc(1, sizeof *arena + sizeof(struct gravelp_queue_words));
    if (!arena)
        fail("no memory for an arena");
    arena->n_queues = 1;
    arena->queues_offset = sizeof *arena;
    arena->wait_ms = wait_ms;
    arena->poll_ns = 1000000; /* there is no clock: waits are cut off */
    return arena;
}

/* ---- shared loops ---------------------------------------------------------------------------- */

static uint32_t no_turns(uint32_t item)
{
    (void)item;
    return 0;
}
static uint32_t all_turns(uint32_t item)
{
    (void)item;
    return MOST;
}
static uint32_t some_turns(uint32_t item)
{
    uint32_t x = (item + 1) * 0x9e3779b9u;
    return (x >> 28) < 6 ? x % (MOST + 1) : 0;
}
static uint32_t last_turns(uint32_t item)
{
    return item % 5 == 4 ? MOST : 0;
}

/* Two loops in order share local memory. */
static void share_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const struct test *test = arguments;
    GRAVEL_OPEN(g);
    GRAVEL_SHARES(shares);
    uint32_t item = (uint32_t)get_global_id(0), first = item - (uint32_t)get_local_id(0);
    for (int loop = 0; loop < 2; loop++)
        GRAVEL_FOR_SHARED_WG (g, shares, turn, test->turns(item)) {
            if (turn.active) /* a plain store: a turn that two take is a race */
                test->taken[(first + turn.lane) * MOST + turn.i]++;
        }
}

static void run_share(uint32_t local_size, uint32_t (*turns)(uint32_t item))
{
    struct test test = {.n_items = N_GROUPS * local_size, .turns = turns};
    struct gravelp_arena *arena = make_arena(0);
    test.taken = calloc(test.n_items, MOST);
    lanes_launch(share_kernel, arena, &test, N_GROUPS, local_size);
    for (uint32_t item = 0; item < test.n_items; item++)
        for (uint32_t i = 0; i < MOST; i++)
            if (test.taken[item * MOST + i] != (i < turns(item) ? 2 : 0))
                fail("groups of %u: turn %u of %u of item %u was taken %u times", local_size, i,
                     turns(item), item, test.taken[item * MOST + i]);
    free(test.taken);
    free(arena);
}

/* ---- fine-grain barriers --------------------------------------------------------------------- */
#ifdef GRAVEL_HAS_SUBGROUPS

/* Waits, and has the one with the claim take a note; returns whether it got through. */
static bool note(struct gravel_group g, struct gravel_fbar *f, uint32_t *plain, uint32_t value)
{
    uint found = gravelp_fbar_wait(g, f, gravelp_fbar_arrive(f));
    if (found == GRAVELP_FBAR_CLAIMED) {
        *plain = value;
        gravelp_fbar_advance(f);
    }
    return found != GRAVELP_FBAR_WAITS;
}

/* A sub-group's work-item 0. What is noted in the first phase is seen in the second, and not overwritten before all have
 * seen it. */
static void go_round(struct gravel_group g, struct gravel_fbar *f, uint32_t *plain, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!note(g, f, plain, 7))
            fail("a member did not get through");
        if (*plain != 7)
            fail("what the first phase left is not seen: %u", *plain);
        if (!note(g, f, plain, 9))
            fail("a member did not get through");
    }
    gravel_fbar_leave_sg(f);
}

/* Twice, with a barrier made anew: sub-group s makes 3 * (s + 1) rounds of two phases, and joins for 5 rounds more
 * when it has left. */
static void barrier_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    struct test *test = (struct test *)(uintptr_t)arguments;
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    uint32_t *plain = &test->plain[get_group_id(0)];
    for (uint32_t loop = 0; loop < 2; loop++) {
        gravelp_fbar_init(f, gravelp_n_sgs());
        if (gravelp_sg_lane() == 0) {
            go_round(g, f, plain, 3 * (get_sub_group_id() + 1));
            gravel_fbar_join_sg(g, f);
            if (*plain != 9) /* no member completes a phase before it arrives */
                fail("a joining member does not see the last phase: %u", *plain);
            go_round(g, f, plain, 5);
        }
    }
    gravelp_barrier_group();
    if (gravelp_is_leader() && GRAVELP_FBAR_MEMBERS(f->state) != 0)
        fail("%u members are left", GRAVELP_FBAR_MEMBERS(f->state));
}

static void run_barrier(uint32_t local_size)
{
    struct test test = {.n_items = N_GROUPS * local_size};
    struct gravelp_arena *arena = make_arena(NEVER_MS);
    lanes_launch(barrier_kernel, arena, &test, N_GROUPS, local_size);
    if (arena->fault)
        fail("fault %u", arena->fault);
    free(arena);
}

static void rounds_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)gravel_arena_;
    (void)arguments;
    GRAVEL_FBAR(f);
    uint32_t n = gravel_fbar_rounds_wg(f, 100, 1u << 30);
    if (n != 100)
        fail("sub-groups that run concurrently get through %u of 100 rounds", n);
}

/* One member never arrives: the probe and the waits of all others end. */
static void absent_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    gravelp_fbar_init(f, gravelp_n_sgs() + 1);
    if (gravelp_sg_lane() == 0 &&
        gravelp_fbar_wait(g, f, gravelp_fbar_arrive(f)) != GRAVELP_FBAR_WAITS)
        fail("a sub-group went on without a member");
}

static void run_absent(void)
{
    struct test test = {.n_items = 8};
    struct gravelp_arena *arena = make_arena(0);
    lanes_launch(absent_kernel, arena, &test, 1, 8); /* two sub-groups */
    if (arena->fault != (GRAVELP_FAULT_FBAR | GRAVELP_FAULT_CUT_OFF) || arena->fault_value != 3)
        fail("fault %u with %u members", arena->fault, arena->fault_value);
    free(arena);
}

static void run_barriers(void)
{
    static const uint32_t sizes[] = {1, 4, 6, 19, 64};
    struct test test = {.n_items = 0};
    struct gravelp_arena *arena = make_arena(0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        run_barrier(sizes[i]);
    lanes_launch(rounds_kernel, arena, &test, N_GROUPS, 19);
    free(arena);
    run_absent();
}

#else
static void run_barriers(void)
{
}
#endif

int main(void)
{
    static const uint32_t sizes[] = {1, 5, 17, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        run_share(sizes[i], no_turns);
        run_share(sizes[i], all_turns);
        run_share(sizes[i], some_turns);
        run_share(sizes[i], last_turns);
    }
    run_barriers();
    printf("diverged groups as C11: every turn once, barriers hold, waits end\n");
    return 0;
}
