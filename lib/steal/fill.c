/* SPDX-License-Identifier: MIT */
/*
 * Puts tasks into deques while no kernel runs.
 *
 * Path:    gravel_steal_fill -> this -> memory.c.
 */
#include "base/error.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t head_of(const struct gravel_steal *steal, const struct gravelp_deque *deque)
{
    return gravel_steal_is_abp(steal) ? deque->top : deque->head;
}

static uint32_t tail_of(const struct gravel_steal *steal, const struct gravelp_deque *deque)
{
    return gravel_steal_is_abp(steal) ? deque->bottom : deque->tail;
}

static int check_room(const struct gravel_steal *steal, uint32_t group, uint64_t n)
{
    const struct gravelp_deque *deque = &steal->deques[group];
    uint32_t has = tail_of(steal, deque) - head_of(steal, deque);
    if (n <= steal->options.capacity - has)
        return 0;
    return gravel_fail(GRAVEL_ERANGE,
                       "%" PRIu64 " tasks for the deque of group %u, which has %u of %u", n, group,
                       has, steal->options.capacity);
}

/* Where the ring wraps, two pieces. */
static int put(struct gravel_steal *steal, uint32_t group, const unsigned char *tasks, uint64_t n)
{
    struct gravelp_deque *deque = &steal->deques[group];
    uint64_t capacity = steal->options.capacity, bytes = steal->options.task_bytes;
    uint64_t at = tail_of(steal, deque) & (capacity - 1), left = capacity - at;
    uint64_t ring = steal->head.rings_offset + group * capacity * bytes;
    uint64_t first = n < left ? n : left;
    int code =
        first ? gravel_region_write(&steal->region, ring + at * bytes, tasks, first * bytes) : 0;
    if (!code && n > first)
        code =
            gravel_region_write(&steal->region, ring, tasks + first * bytes, (n - first) * bytes);
    deque->tail = deque->bottom = tail_of(steal, deque) + (uint32_t)n;
    return code;
}

/* First task of a group's share. */
static uint64_t share_of(const struct gravel_steal *steal, uint64_t group, uint64_t n)
{
    uint64_t n_groups = steal->options.n_groups;
    return n / n_groups * group + (n % n_groups * group + n_groups - 1) / n_groups;
}

/* Each deque its share. @param tasks  NULL if there are none. */
static int put_each(struct gravel_steal *steal, const unsigned char *tasks, uint64_t n)
{
    int code = 0;
    for (uint32_t group = 0; n && group < steal->options.n_groups && !code; group++) {
        uint64_t first = share_of(steal, group, n), last = share_of(steal, group + 1, n);
        code = put(steal, group, tasks + first * steal->options.task_bytes, last - first);
    }
    return code;
}

/* Where copies have to be made, one for all rings, if those are empty. */
static int put_all(struct gravel_steal *steal, const unsigned char *tasks, uint64_t n)
{
    uint64_t capacity = steal->options.capacity, task_bytes = steal->options.task_bytes;
    uint64_t bytes = steal->options.n_groups * capacity * task_bytes;
    unsigned char *rings = calloc(1, bytes);
    if (!rings)
        return gravel_fail(GRAVEL_ENOMEM, "%" PRIu64 " tasks to be copied", n);
    for (uint32_t group = 0; group < steal->options.n_groups; group++) {
        struct gravelp_deque *deque = &steal->deques[group];
        uint64_t last = share_of(steal, group + 1, n);
        uint32_t tail = tail_of(steal, deque);
        for (uint64_t i = share_of(steal, group, n); i < last; i++, tail++)
            memcpy(rings + (group * capacity + (tail & (capacity - 1))) * task_bytes,
                   tasks + i * task_bytes, task_bytes);
        deque->tail = deque->bottom = tail;
    }
    int code = gravel_region_write(&steal->region, steal->head.rings_offset, rings, bytes);
    free(rings);
    return code;
}

static bool are_empty(const struct gravel_steal *steal)
{
    for (uint32_t group = 0; group < steal->options.n_groups; group++)
        if (head_of(steal, &steal->deques[group]) != tail_of(steal, &steal->deques[group]))
            return false;
    return true;
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
    int code = n ? gravel_region_write(&steal->region, steal->head.rings_offset + has * bytes,
                                       tasks, n * bytes)
                 : 0;
    if (!code)
        steal->head.n_tasks += (uint32_t)n;
    return code;
}

static int begin(struct gravel_steal *steal, const void *tasks, uint64_t n, const char *call)
{
    if (gravel_steal_refuse(steal, call) || (n && gravel_require(call, "tasks", tasks)))
        return GRAVEL_EINVAL;
    return gravel_steal_settle(steal);
}

int gravel_steal_fill(struct gravel_steal *steal, const void *tasks, uint64_t n)
{
    int code = begin(steal, tasks, n, "gravel_steal_fill");
    if (code)
        return code;
    if (gravel_steal_is_list(steal))
        return put_in_list(steal, tasks, n);
    for (uint32_t i = 0; i < steal->options.n_groups && !code; i++)
        code = check_room(steal, i, share_of(steal, i + 1, n) - share_of(steal, i, n));
    if (!code && !steal->region.shared && are_empty(steal))
        code = put_all(steal, tasks, n);
    else
        code = code ? code : put_each(steal, tasks, n);
    return code ? code : gravel_steal_write_deques(steal);
}
int gravel_steal_fill_at(struct gravel_steal *steal, uint32_t group, const void *tasks, uint64_t n)
{
    int code = begin(steal, tasks, n, "gravel_steal_fill_at");
    if (code)
        return code;
    if (group >= steal->options.n_groups)
        return gravel_fail(GRAVEL_EINVAL, "gravel_steal_fill_at: group %u of %u", group,
                           steal->options.n_groups);
    if (gravel_steal_is_list(steal))
        return put_in_list(steal, tasks, n);
    code = check_room(steal, group, n);
    if (!code)
        code = put(steal, group, tasks, n);
    return code ? code : gravel_steal_write_deques(steal);
}
