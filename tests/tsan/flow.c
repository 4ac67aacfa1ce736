/* SPDX-License-Identifier: MIT */
/*
 * A flow's kernel in its form with a loop, as C11 threads under ThreadSanitizer: fib by several members, which choose
 * rounds, wait for each other and process them; in launches that are cut short too. The result, and that every element
 * that was made was consumed. And a member that does not come back: the other one gives up.
 *
 * Path:    this -> cl/flow.cl.h, cl/device/round.cl.h, compiled as C11 through host_c11.h; flow_launch.h, flow_memory.c.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What lib/flow/layout.c writes for this graph; make_flow checks it. */
#define WIDTH 16u
#define GRAVELP_FLOW_SIGN flow_sign
#define GRAVELP_FLOW_N_CHANNELS 2u
#define GRAVELP_FLOW_N_FLAT 0u
#define GRAVELP_FLOW_SLOT_STRIDE WIDTH
#define GRAVELP_FLOW_ROWS_AT flow_rows_at
#define GRAVELP_FLOW_HELD_AT 16u
#define GRAVELP_FLOW_HELD_WORDS 0u
#define GRAVELP_FLOW_HELD_STRIDE 0u
#define GRAVELP_FLOW_LEVELS_AT 16u
#define GRAVELP_FLOW_LEVEL_WORDS (5 * WIDTH)
#define GRAVELP_FLOW_AFTER_WORDS (3 * WIDTH)
#define GRAVELP_FLOW_CHANNELS                                              \
    {GRAVEL_SPAWN, 2, WIDTH, 0, 16 + 3 * WIDTH, 5 * WIDTH, 0, 2, 0, 0, 0}, \
    {                                                                      \
        GRAVEL_AFTER, 3, WIDTH, 0, 16, 5 * WIDTH, 2, 0, 0, 0, 0            \
    }
#define GRAVELP_FLOW_LOOP
#define GRAVEL_CHANNEL_fib 0u
#define GRAVEL_CHANNEL_sum 1u
#define GRAVELP_RECORD_BYTES_fib 8u
#define GRAVELP_RECORD_BYTES_sum 12u
static unsigned flow_sign, flow_rows_at;

#include "gravel.cl.h"
#include "flow.cl.h"
#include "flow_launch.h"

struct fib {
    uint n;
    gravel_slot to;
};
struct sum {
    uint x, y;
    gravel_slot to;
};
GRAVEL_RECORD(fib)
GRAVEL_RECORD(sum)

_Static_assert(sizeof(struct gravelp_flow_scratch) <= LANES_FLOW_BYTES, "local memory of a flow");

#define ABORTS 1001u       /* a task during which the node fails */
#define LATE 1000u         /* a task that ends after another member has given up */
#define LATE_LOOKS 100000u /* or after so many tenths of a millisecond */

static void wait_for_fault(struct gravel_flow_group f)
{
    for (uint i = 0; i < LATE_LOOKS; i++) {
        if (gravelp_device_load_relaxed(&gravelp_flow_faults(f.flow)->claim) ||
            gravelp_device_load_relaxed(&gravelp_flow_launch(f.flow)->members.n) == 1)
            return;
        usleep(100);
    }
}

static void fib_task(struct gravel_flow_group f, uint active, struct fib task)
{
    uint is_leaf = task.n < 2 || task.n >= LATE, goes_on = active && !is_leaf;
    if (active && task.n == LATE)
        wait_for_fault(f);
    if (active && task.n == ABORTS)
        gravelp_store_relaxed(&f.group.arena->abort, 1);
    gravel_return_uint_wg_if(f, active && is_leaf, task.to, task.n);
    struct gravel_fork fork =
        gravel_fork_wg_if(f, goes_on, GRAVEL_CHANNEL(sum), GRAVEL_CHANNEL(fib), 2);
    struct fib x = {task.n - 1, GRAVEL_SLOT(f, fork.after, sum, x)};
    struct fib y = {task.n - 2, GRAVEL_SLOT(f, fork.after, sum, y)};
    struct sum sum = {0, 0, task.to};
    gravel_write_sum_wg_if(f, goes_on, GRAVEL_CHANNEL(sum), fork.after, sum);
    gravel_write_fib_wg_if(f, goes_on, GRAVEL_CHANNEL(fib), fork.first, x);
    gravel_write_fib_wg_if(f, goes_on, GRAVEL_CHANNEL(fib), fork.first + 1, y);
}

static void fib_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    struct gravelp_flow *gravel_flow_ = *(struct gravelp_flow *const *)arguments;
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, fib)
            fib_task(f, f.active, gravel_read_fib_wi(f));
        GRAVEL_NODE (f, sum) {
            struct sum task = gravel_read_sum_wi(f);
            gravel_return_uint_wg_if(f, f.active, task.to, task.x + task.y);
        }
    }
}

/* ---- the host's part --------------------------------------------------------------------------- */

static uint32_t fib_of(uint32_t n)
{
    return n < 2 ? n : fib_of(n - 1) + fib_of(n - 2);
}

static void run(uint32_t n, uint32_t n_groups, uint32_t local_size, uint32_t most_elements)
{
    struct gravelp_flow *flow = make_flow(FLOW_FIB, n + 1, WIDTH);
    struct gravelp_arena *arena = make_arena();
    struct gravelp_view view = gravelp_view_of(flow);
    uint32_t *rows = (uint32_t *)flow + GRAVELP_FLOW_ROWS_AT, n_launches = 0;
    rows[gravelp_channels[0].base] = n; /* its slot, the next word's row, is 0: the result */
    view.tails[0] = 1;
    struct gravelp_round round;
    for (; (round = gravelp_view_choose(view)).n; n_launches++)
        launch(fib_kernel, flow, arena, round, n_groups, local_size, most_elements),
            check_faults(flow);
    for (uint32_t layer = 0; layer < flow->n_layers; layer++)
        if (view.heads[layer] != view.tails[layer])
            fail("layer %u: %u made, %u consumed", layer, view.tails[layer], view.heads[layer]);
    if (rows[0] != fib_of(n))
        fail("%u groups of %u: fib(%u) is %u", n_groups, local_size, n, rows[0]);
    printf("%u groups of %u: fib(%u) = %u in %u launches\n", n_groups, local_size, n, rows[0],
           n_launches);
    free(arena);
    free(flow);
}

/* Two groups' worth of leaves, of which the second group's is `task`. */
static void launch_leaves(struct gravelp_flow *flow, struct gravelp_arena *arena, uint32_t task)
{
    uint32_t *rows = (uint32_t *)flow + GRAVELP_FLOW_ROWS_AT + gravelp_channels[0].base;
    for (uint32_t i = 0; i < 8; i++) {
        rows[i] = i == 5 ? task : 0;
        rows[WIDTH + i] = i;
    }
    gravelp_view_of(flow).tails[0] = 8;
    launch(fib_kernel, flow, arena, gravelp_view_choose(gravelp_view_of(flow)), 2, 4, UINT32_MAX);
}

/*
 * One of two members is late, which the other reports.
 *
 * @return whether it was reported, the other having come: one member has nothing to wait for, and on a busy machine both
 *         may be late, or the other may wait too short a time.
 */
static bool run_late(void)
{
    flow_wait_ms = 1;
    struct gravelp_flow *flow = make_flow(FLOW_FIB, 3, WIDTH);
    struct gravelp_arena *arena = make_arena();
    const struct gravelp_flow_fault *fault = gravelp_flow_faults(flow);
    launch_leaves(flow, arena, LATE);
    const bool is_reported = gravelp_flow_launch(flow)->members.n == 2 && fault->fault,
               has_come = fault->value != 0;
    flow_wait_ms = PATIENT_MS;
    if (is_reported &&
        (fault->fault != GRAVELP_FLOW_FAULT_MEET || fault->value > 1 || fault->bound != 2))
        fail("a late member: fault %u, %u of %u", fault->fault, fault->value, fault->bound);
    if (is_reported && gravelp_flow_launch(flow)->goes_on)
        fail("after a late member the launch continues");
    free(arena);
    free(flow);
    return is_reported && has_come;
}

/* The node fails while members may wait for each other: the launch ends, and no member is at fault. */
static void run_aborted(void)
{
    struct gravelp_flow *flow = make_flow(FLOW_FIB, 3, WIDTH);
    struct gravelp_arena *arena = make_arena();
    launch_leaves(flow, arena, ABORTS);
    check_faults(flow);
    free(arena);
    free(flow);
}

int main(void)
{
    uint32_t n_tries = 0;
    while (!run_late())
        if (++n_tries == 1000)
            fail("two groups never started together");
    for (uint32_t i = 0; i < 20; i++)
        run_aborted();
    run(9, 1, 4, UINT32_MAX);
    run(9, 3, 4, UINT32_MAX);
    run(8, 2, 3, UINT32_MAX);
    run(8, 3, 2, 20); /* several launches */
    return 0;
}
