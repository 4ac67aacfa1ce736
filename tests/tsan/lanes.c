/* SPDX-License-Identifier: MIT */
/*
 * Work-items as threads. See lanes.h.
 */
#include "lanes.h"

#include "fbar.cl.h"
#include "outbox.cl.h"
#include "transaction.cl.h"
#include "schedule.cl.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local struct gravelp_lane *gravelp_lane;

struct lane {
    struct gravelp_lane place;
    pthread_t thread;
    lanes_kernel *body;
    struct gravelp_arena *arena;
    const void *arguments;
};

struct group {
    group_barrier barrier;
    struct gravelp_scratch scratch;
    struct gravelp_scratch shares;
    union {
        struct gravelp_outbox outbox;
        struct gravelp_service service;
    } role; /* one after the other, as in cl/device/serving.cl.h */
    struct gravelp_pairs pairs;
    struct gravelp_own own;
    _Alignas(64) unsigned char flow[LANES_FLOW_BYTES];
    struct gravelp_wave waves[GRAVEL_MAX_GROUP / GRAVELP_WAVE_ITEMS + 1];
#ifdef GRAVEL_HAS_SUBGROUPS
    struct gravel_fbar fbar;
#endif
};

static _Atomic size_t
    n_to_start; /* work-items of the launch that lanes_start_together has not seen */
#define START_MS 60000u

void lanes_start_together(void)
{
    atomic_fetch_sub_explicit(&n_to_start, 1, memory_order_relaxed);
    for (uint ms = 0; atomic_load_explicit(&n_to_start, memory_order_relaxed); ms++) {
        if (ms == START_MS) {
            fprintf(stderr, "a work-item has not started\n");
            exit(1);
        }
        usleep(1000);
    }
}

static void *lane_main(void *argument)
{
    struct lane *lane = argument;
    gravelp_lane = &lane->place;
    lane->body(lane->arena, lane->arguments);
    return NULL;
}

static void *allocate(size_t n, size_t bytes)
{
    void *memory = calloc(n, bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu work-items or groups\n", n);
        exit(1);
    }
    return memory;
}

static void start(struct lane *lane)
{
    int error = pthread_create(&lane->thread, NULL, lane_main, lane);
    if (error) {
        fprintf(stderr, "work-item thread: %s\n", strerror(error));
        exit(1);
    }
}

void lanes_launch(lanes_kernel *body, struct gravelp_arena *arena, const void *arguments,
                  size_t n_groups, size_t local_size)
{
    struct group *groups = allocate(n_groups, sizeof *groups);
    struct lane *lanes = allocate(n_groups * local_size, sizeof *lanes);
    atomic_store_explicit(&n_to_start, n_groups * local_size, memory_order_relaxed);
    for (size_t g = 0; g < n_groups; g++)
        group_barrier_init(&groups[g].barrier, (uint32_t)local_size);
    for (size_t i = 0; i < n_groups * local_size; i++) {
        struct group *group = &groups[i / local_size];
        lanes[i] = (struct lane){
            .place = {.local_id = i % local_size,
                      .local_size = local_size,
                      .group_id = i / local_size,
                      .n_groups = n_groups,
                      .barrier = &group->barrier,
                      .waves = group->waves,
                      .scratch = &group->scratch,
                      .shares = &group->shares,
                      .outbox = &group->role.outbox,
                      .service = &group->role.service,
                      .pairs = &group->pairs,
                      .own = &group->own,
                      .flow = group->flow},
            .body = body,
            .arena = arena,
            .arguments = arguments,
        };
#ifdef GRAVEL_HAS_SUBGROUPS
        lanes[i].place.fbar = &group->fbar;
#endif
        start(&lanes[i]);
    }
    for (size_t i = 0; i < n_groups * local_size; i++)
        pthread_join(lanes[i].thread, NULL);
    free(lanes);
    free(groups);
}
