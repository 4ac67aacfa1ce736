/* SPDX-License-Identifier: MIT */
/*
 * Assertions that fail at many work-items, as C11 threads under ThreadSanitizer: a thread of the host that sees the fault
 * sees file, line, text and work-item of one of them, and the kernel runs on.
 *
 * Path:    this -> cl/device/assert.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gravel.cl.h"
#include "assert.cl.h"
#include "lanes.h"

#include "fail.h"

#define N_GROUPS 3u
#define N_ITEMS 8u /* of a group */
#define N_TURNS 20u
#define FAILS(item) ((item) % 3 == 1)
#define LINE(item) (100u + (uint32_t)(item))

static const char file[] = "assertions.c", text[] = "assertion failed: item % 3 != 1";
static _Atomic uint32_t n_ended;

static void assert_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    const uint32_t item = (uint32_t)get_global_id(0);
    const struct gravelp_assertion assertion = {file, text, sizeof file, sizeof text, LINE(item)};
    for (uint32_t turn = 0; turn < N_TURNS; turn++)
        if (gravelp_assert(gravel_arena_, !FAILS(item), assertion) == FAILS(item))
            fail("an assertion of item %u returned the other value", item);
    atomic_fetch_add_explicit(&n_ended, 1, memory_order_relaxed); /* the launch's end orders it */
}

/* As the aggregator does. */
static void *watch_fault(void *argument)
{
    struct gravelp_arena *arena = argument;
    uint32_t fault;
    while (!(fault = atomic_load_explicit((_Atomic gravelp_u32 *)&arena->fault,
                                          memory_order_acquire))) /* F2 */
        sched_yield();
    const uint64_t item = arena->fault_item[0];
    if (fault != GRAVELP_FAULT_ASSERT || !FAILS(item) || arena->fault_value != LINE(item) ||
        arena->fault_dimensions != 1)
        fail("fault %u of item %llu, line %u", fault, (unsigned long long)item, arena->fault_value);
    if (memcmp(arena->fault_file, file, sizeof file) != 0 ||
        memcmp(arena->fault_text, text, sizeof text) != 0)
        fail("%.64s: %.128s", (const char *)arena->fault_file, (const char *)arena->fault_text);
    return NULL;
}

int main(void)
{
    struct gravelp_arena *arena = aligned_alloc(GRAVELP_CACHELINE, sizeof *arena);
    pthread_t thread;
    if (!arena)
        fail("no memory for an arena");
    memset(arena, 0, sizeof *arena);
    if (pthread_create(&thread, NULL, watch_fault, arena))
        fail("no watching thread");
    lanes_launch(assert_kernel, arena, NULL, N_GROUPS, N_ITEMS);
    pthread_join(thread, NULL);
    if (atomic_load(&n_ended) != N_GROUPS * N_ITEMS)
        fail("%u work-items ran on", atomic_load(&n_ended));
    free(arena);
    printf("assertions as C11: one is told, whole\n");
    return 0;
}
