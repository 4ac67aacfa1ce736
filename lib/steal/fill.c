/* SPDX-License-Identifier: MIT */
/*
 * Puts tasks into deques while no kernel runs.
 *
 * Path:    gravel_steal_fill -> this -> opencl/region.c.
 */
#include "base/error.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Tasks that one call adds: evenly to neighbours. */
struct fill {
    const unsigned char *tasks; /* [n] NULL if there are none */
    uint64_t n;
    uint32_t first, n_groups; /* deques that get them */
};

/* First task of a group's share. @param i  of the groups that get some */
static uint64_t share_of(const struct fill *fill, uint64_t i)
{
    uint64_t n = fill->n, n_groups = fill->n_groups;
    return n / n_groups * i + (n % n_groups * i + n_groups - 1) / n_groups;
}

static int check_room(const struct gravel_steal *steal, const struct fill *fill)
{
    for (uint32_t i = 0; i < fill->n_groups; i++) {
        const struct gravelp_deque *deque = &steal->deques[fill->first + i];
        const uint64_t n = share_of(fill, i + 1) - share_of(fill, i);
        uint32_t has = deque->tail - deque->head;
        if (n > steal->options.capacity - has)
            return gravel_fail(GRAVEL_ERANGE,
                               "%" PRIu64 " tasks for the deque of group %u, which has %u of %u", n,
                               fill->first + i, has, steal->options.capacity);
    }
    return 0;
}

static bool are_empty(const struct gravel_steal *steal, const struct fill *fill)
{
    for (uint32_t i = 0; i < fill->n_groups; i++)
        if (steal->deques[fill->first + i].head != steal->deques[fill->first + i].tail)
            return false;
    return true;
}

/*
 * Puts tasks into rings, behind the newest of each: where the host does not address them, into a copy of the rings,
 * which one command writes, for a GPU has hundreds of them.
 */
static int put_in_rings(struct gravel_steal *steal, const struct fill *fill)
{
    const uint64_t capacity = steal->options.capacity, task_bytes = steal->options.task_bytes;
    const uint64_t ring_bytes = capacity * task_bytes, bytes = fill->n_groups * ring_bytes;
    const uint64_t at = steal->head.rings_offset + fill->first * ring_bytes;
    unsigned char *shared = steal->region.shared, *copy = shared ? NULL : calloc(1, bytes);
    int code = 0;
    if (!shared && !copy)
        return gravel_fail(GRAVEL_ENOMEM, "%" PRIu64 " tasks to be copied: %" PRIu64 " bytes",
                           fill->n, bytes);
    if (copy && !are_empty(steal, fill))
        code = gravel_region_read(&steal->region, at, copy, bytes);
    for (uint32_t i = 0; i < fill->n_groups; i++) {
        unsigned char *ring = (shared ? shared + at : copy) + i * ring_bytes;
        const uint64_t end = share_of(fill, i + 1);
        uint32_t tail = steal->deques[fill->first + i].tail;
        for (uint64_t task = share_of(fill, i); task < end; task++, tail++)
            memcpy(ring + (tail & (capacity - 1)) * task_bytes, fill->tasks + task * task_bytes,
                   task_bytes);
    }
    if (copy && !code)
        code = gravel_region_write(&steal->region, at, copy, bytes);
    free(copy);
    return code;
}

static int put_in_list(struct gravel_steal *steal, const unsigned char *tasks, uint64_t n)
{
    uint64_t bytes = steal->options.task_bytes, has = steal->head.n_tasks;
    uint64_t most = (uint64_t)steal->options.n_groups * steal->options.capacity;
    most = most < INT32_MAX ? most : INT32_MAX; /* groups count beyond the end */
    if (n > most - has)
        return gravel_fail(GRAVEL_ERANGE,
                           "%" PRIu64 " tasks for a list that has %" PRIu64 " of %" PRIu64, n, has,
                           most);
    if (n)
        GRAVEL_TRY(gravel_region_write(&steal->region, steal->head.rings_offset + has * bytes,
                                       tasks, n * bytes));
    steal->head.n_tasks += (uint32_t)n;
    return 0;
}

/* The ends of the deques move over the tasks, or back. */
static void move_ends(struct gravel_steal *steal, const struct fill *fill, bool is_back)
{
    for (uint32_t i = 0; i < fill->n_groups; i++) {
        const uint32_t n = (uint32_t)(share_of(fill, i + 1) - share_of(fill, i));
        steal->deques[fill->first + i].tail += is_back ? 0 - n : n;
    }
}

/* All tasks or none: only what has been written lies before the ends. */
static int add(struct gravel_steal *steal, const struct fill *fill)
{
    if (gravel_steal_is_list(steal))
        return put_in_list(steal, fill->tasks, fill->n);
    GRAVEL_TRY(check_room(steal, fill));
    if (fill->n)
        GRAVEL_TRY(put_in_rings(steal, fill));
    move_ends(steal, fill, false);
    int code = gravel_steal_write_deques(steal);
    if (code)
        move_ends(steal, fill, true);
    return code;
}

static int begin(struct gravel_steal *steal, const void *tasks, uint64_t n, const char *call)
{
    GRAVEL_TRY(gravel_steal_enter(steal, call));
    if (n)
        GRAVEL_TRY(gravel_require(call, "tasks", tasks));
    return gravel_steal_join(steal);
}

int gravel_steal_fill(struct gravel_steal *steal, const void *tasks, uint64_t n)
{
    GRAVEL_TRY(begin(steal, tasks, n, "gravel_steal_fill"));
    return add(steal, &(struct fill){tasks, n, 0, steal->options.n_groups});
}

int gravel_steal_fill_at(struct gravel_steal *steal, uint32_t group, const void *tasks, uint64_t n)
{
    GRAVEL_TRY(begin(steal, tasks, n, "gravel_steal_fill_at"));
    if (group >= steal->options.n_groups)
        return gravel_fail(GRAVEL_EINVAL, "gravel_steal_fill_at: group %u of %u", group,
                           steal->options.n_groups);
    return add(steal, &(struct fill){tasks, n, group, 1});
}
