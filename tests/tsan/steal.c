/* SPDX-License-Identifier: MIT */
/*
 * Work stealing as C11 threads, under ThreadSanitizer: each task runs once, and sees what was written for it before it was
 * pushed. Words behind tasks are plain, so that an order that is missing is a race.
 *
 * Groups begin with one full deque among empty ones, in rings that wrap, and tasks push more: owners give, take back and
 * refill, and thieves copy.
 *
 * Path:    this -> cl/steal.cl.h, compiled as C11 through host_c11.h; -DGRAVELP_STEAL_POLICY as the device's compiler.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include "gravel.cl.h"
#include "steal.cl.h"

#include "lanes.h"

#include "fail.h"

#define N_GROUPS 3u
#define N_LANES 3u
#define CAPACITY 64u
#define N_FILLED 30u
#define N_TASKS 900u
#define N_ROUNDS 12u

struct test {
    struct gravelp_steal *steal;
    uint32_t payload[N_TASKS]; /* written before the task is pushed */
    uint32_t ledger[N_TASKS];  /* how often it has run */
    uint32_t round;
};

static uint32_t payload_of(const struct test *test, uint64_t task)
{
    return (uint32_t)task * 0x9e3779b9u + test->round;
}

/* Task t pushes up to N_LANES tasks: a tree over all numbers from N_FILLED on. */
static void run_tasks(struct gravelp_arena *arena, const void *arguments)
{
    struct test *test = (struct test *)(uintptr_t)arguments;
    struct gravelp_steal *gravel_steal_ = test->steal;
    (void)arena;
    GRAVEL_STEAL_OPEN(s);
    GRAVEL_STEAL_EACH (s, task) {
        uint32_t lane = (uint32_t)get_local_id(0);
        uint64_t child = N_FILLED + N_LANES * task + lane;
        bool has = child < N_TASKS;
        if (test->payload[task] != payload_of(test, task))
            fail("task %llu is not whole", (unsigned long long)task);
        if (has)
            test->payload[child] = payload_of(test, child);
        if (task % 3)
            gravel_steal_push_wg_if(s, has, child);
        else if (has)
            gravel_steal_push_wi(s, child);
        if (task % 5 == 0)
            gravel_steal_look_wg(s);
        if (lane == 0)
            test->ledger[task]++;
        sched_yield(); /* so that others come to steal */
    }
}

/* Lays it out as lib/steal/create.c does. */
static struct gravelp_steal *make(void)
{
    const uint64_t blocks = N_GROUPS * GRAVELP_STEAL_BLOCK, slots = N_GROUPS * CAPACITY;
    struct gravelp_steal head = {.magic = GRAVELP_STEAL_MAGIC,
                                 .policy = GRAVELP_STEAL_POLICY,
                                 .n_groups = N_GROUPS,
                                 .capacity = CAPACITY,
                                 .task_bytes = sizeof(uint64_t),
                                 .wait_ms = 60000,
                                 .poll_ns = 1};
    head.deques_offset = sizeof head;
    head.blocks_offset = head.deques_offset + N_GROUPS * sizeof(struct gravelp_deque);
    head.rings_offset = head.blocks_offset + blocks * sizeof(uint64_t);
    struct gravelp_steal *steal = calloc(1, head.rings_offset + slots * sizeof(uint64_t));
    if (!steal)
        fail("no memory for deques");
    *steal = head;
    for (uint32_t i = 0; i < N_GROUPS; i++) {
        struct gravelp_deque *deque = gravelp_deque(steal, i);
        deque->head = deque->tail = UINT32_MAX - 10 * i;
    }
    return steal;
}

/* Into one deque. */
static void fill(struct test *test, uint32_t group)
{
    struct gravelp_deque *deque = gravelp_deque(test->steal, group);
    for (uint32_t task = 0; task < N_FILLED; task++) {
        test->payload[task] = payload_of(test, task);
        *gravelp_slot(test->steal, group, deque->tail++) = task;
    }
}

static void check(const struct test *test, uint64_t *n_stolen)
{
    uint64_t n_done = 0;
    if (test->steal->fault)
        fail("fault %u", test->steal->fault);
    for (uint32_t task = 0; task < N_TASKS; task++)
        if (test->ledger[task] != test->round + 1)
            fail("task %u ran %u times in %u rounds", task, test->ledger[task], test->round + 1);
    *n_stolen = 0;
    for (uint32_t i = 0; i < N_GROUPS; i++) {
        const struct gravelp_deque *deque = gravelp_deque(test->steal, i);
        n_done += deque->counts.done;
        *n_stolen += deque->counts.stolen;
        if (deque->n_begun != deque->n_ended)
            fail("group %u has not ended", i);
    }
    if (n_done != (uint64_t)N_TASKS * (test->round + 1))
        fail("%llu tasks are counted", (unsigned long long)n_done);
}

int main(void)
{
    static struct test test;
    uint64_t n_stolen = 0;
    test.steal = make();
    for (; test.round < N_ROUNDS; test.round++) {
        test.steal->n_started = test.steal->n_idle = 0;
        fill(&test, test.round % N_GROUPS);
        lanes_launch(run_tasks, NULL, &test, N_GROUPS, N_LANES);
        check(&test, &n_stolen);
    }
    if (n_stolen == 0 && GRAVELP_STEAL_IS_PROMOTED)
        fail("nothing was stolen");
    free(test.steal);
    return 0;
}
