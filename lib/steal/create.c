/* SPDX-License-Identifier: MIT */
/*
 * Makes deques, and puts tasks into them: what the caller leaves open is chosen for the device, and all of it lies in
 * one allocation.
 *
 * Path:    gravel_steal_create, gravel_steal_fill -> this -> opencl/region.c.
 */
#include "base/error.h"
#include "base/growing.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "settings/settings.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CAPACITY 4096u
#define DEFAULT_TASK_BYTES 8u
#define MOST_GROUPS (1u << 20)
#define GROUPS_A_UNIT 4u /* of a GPU: of 256 work-items each they fill half of what a unit keeps */

static const struct gravel_growing of_options =
    GRAVEL_GROWING("options.bytes", gravel_steal_options, "GRAVEL_STEAL_OPTIONS()", task_bytes);

static void choose(const struct gravel_device *device, struct gravel_steal_options *options)
{
    const bool is_cpu = device->capability.is_cpu;
    const bool keeps_one = gravel_device_leaves_unit(device) && device->units > 1;
    if (options->n_groups == 0)
        options->n_groups = is_cpu ? device->units - keeps_one : device->units * GROUPS_A_UNIT;
    if (options->group_size == 0)
        options->group_size = is_cpu ? 64 : 256;
    if (options->capacity == 0)
        options->capacity = DEFAULT_CAPACITY;
    if (options->task_bytes == 0)
        options->task_bytes = DEFAULT_TASK_BYTES;
}

static int check(const struct gravel *gravel, const struct gravel_steal_options *options)
{
    uint32_t capacity = options->capacity, task_bytes = options->task_bytes;
    size_t most = gravel->device.capability.max_group;
    if (capacity & (capacity - 1) || capacity > GRAVELP_STEAL_MOST_CAPACITY)
        return gravel_fail(GRAVEL_EINVAL, "capacity = %u: not a power of two up to %u", capacity,
                           GRAVELP_STEAL_MOST_CAPACITY);
    if (task_bytes % 4 || task_bytes > GRAVELP_STEAL_MOST_TASK_BYTES)
        return gravel_fail(GRAVEL_EINVAL, "task_bytes = %u: not a multiple of 4 from %u to %u",
                           task_bytes, GRAVELP_STEAL_LEAST_TASK_BYTES,
                           GRAVELP_STEAL_MOST_TASK_BYTES);
    if (options->group_size > most)
        return gravel_fail(GRAVEL_EINVAL, "group_size = %u: the device has groups of %zu at most",
                           options->group_size, most);
    if (options->n_groups > MOST_GROUPS)
        return gravel_fail(GRAVEL_EINVAL, "n_groups = %u: more than %u", options->n_groups,
                           MOST_GROUPS);
    return 0;
}

/*
 * Makes head, deques and memory, which is copied while kernels run on step pump, on the node's queue of copies. Offsets
 * are multiples of a cache line, as tasks of any type need.
 */
static int make(struct gravel_steal *steal)
{
    const struct gravel_steal_options *options = &steal->options;
    const struct gravel_device *device = &steal->gravel->device;
    const uint64_t n = options->n_groups, most = device->capability.max_alloc;
    struct gravelp_steal *head = &steal->head;
    *head = (struct gravelp_steal){.magic = GRAVELP_STEAL_MAGIC,
                                   .policy = GRAVEL_CHOICE(&steal->gravel->config, steal_policy),
                                   .n_groups = options->n_groups,
                                   .capacity = options->capacity,
                                   .task_bytes = options->task_bytes,
                                   .wait_ms = steal->gravel->config.timeout_ms,
                                   .poll_ns = device->poll_ns,
                                   .deques_offset = sizeof *head};
    head->blocks_offset = head->deques_offset + n * sizeof(struct gravelp_deque);
    head->rings_offset = head->blocks_offset + n * GRAVELP_STEAL_BLOCK * options->task_bytes;
    steal->bytes = head->rings_offset + n * options->capacity * options->task_bytes;
    if (head->policy < GRAVELP_STEAL_PRIVATE && !device->capability.has_c11_atomics)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "GRAVEL_STEAL_POLICY=%s: %s has no acquire and release at device scope; "
                           "private and counter need none",
                           steal->gravel->config.steal_policy, device->capability.name);
    if (steal->bytes > most)
        return gravel_fail(GRAVEL_ENOMEM,
                           "deques of %u groups, %u tasks of %u bytes each: %" PRIu64
                           " bytes, and the device allocates %" PRIu64 " at most",
                           options->n_groups, options->capacity, options->task_bytes, steal->bytes,
                           most);
    steal->deques = calloc(options->n_groups, sizeof *steal->deques);
    if (!steal->deques)
        return gravel_fail(GRAVEL_ENOMEM, "%u deques", options->n_groups);
    steal->queue = gravel_step_is_shared(device->step) ? NULL : steal->gravel->copies;
    GRAVEL_TRY(gravel_region_create(&steal->region, device, steal->queue, "deques", steal->bytes));
    return gravel_steal_write_deques(steal);
}

int gravel_steal_create(struct gravel_steal **out, struct gravel *gravel,
                        const struct gravel_steal_options *options)
{
    struct gravel_steal_options chosen = {0};
    GRAVEL_TRY(gravel_require("gravel_steal_create", "out", out));
    *out = NULL;
    GRAVEL_TRY(gravel_enter(gravel, "gravel_steal_create", GRAVEL_WAITS));
    int code = options ? gravel_growing_read(&of_options, &chosen, options, options->bytes, 1) : 0;
    if (!code) {
        choose(&gravel->device, &chosen);
        code = check(gravel, &chosen);
    }
    struct gravel_steal *steal = code ? NULL : calloc(1, sizeof *steal);
    GRAVEL_TRY(code);
    if (!steal)
        return gravel_fail_memory("gravel_steal_create", sizeof *steal);
    steal->gravel = gravel;
    steal->options = chosen;
    code = gravel_node_hold_launches(gravel, "before memory of deques");
    if (!code) {
        code = make(steal);
        gravel_node_let_launches(gravel);
    }
    if (code) {
        gravel_steal_destroy(steal);
        return code;
    }
    *out = steal;
    return 0;
}

uint32_t gravel_steal_n_groups(const struct gravel_steal *steal)
{
    static const char call[] = "gravel_steal_n_groups";
    if (gravel_require(call, "steal", steal) || gravel_enter(steal->gravel, call, GRAVEL_ANYWHERE))
        return 0;
    return steal->options.n_groups;
}

int gravel_steal_destroy(struct gravel_steal *steal)
{
    if (!steal)
        return 0;
    GRAVEL_TRY(gravel_steal_enter(steal, "gravel_steal_destroy"));
    int code = gravel_steal_join(steal);
    if (steal->kernel && !gravel_cl_event_has_ended(steal->end))
        return code; /* a kernel may still use all of it */
    gravel_steal_forget_launch(steal);
    const struct gravel_device *device = &steal->gravel->device;
    if (gravel_wait_is_done(device, steal->queue, "copies of deques")) {
        gravel_region_destroy(&steal->region);
        gravel_wait_is_done(device, steal->queue, "unmapping copies of deques");
    }
    free(steal->deques);
    free(steal);
    return code;
}

/* ---- tasks, while no kernel runs ------------------------------------------------------------------ */

/* Tasks that one call adds: evenly to neighbours. */
struct fill {
    const unsigned char *tasks; /* [n] NULL if there are none */
    uint64_t n;
    uint32_t first, n_groups; /* deques that get them */
};

/* Returns the first task of a group's share. @param i  of the groups that get some */
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

/* Moves the ends of the deques over the tasks, or back. */
static void move_ends(struct gravel_steal *steal, const struct fill *fill, bool is_back)
{
    for (uint32_t i = 0; i < fill->n_groups; i++) {
        const uint32_t n = (uint32_t)(share_of(fill, i + 1) - share_of(fill, i));
        steal->deques[fill->first + i].tail += is_back ? 0 - n : n;
    }
}

/* Adds all tasks or none: only what has been written lies before the ends. */
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
