/* SPDX-License-Identifier: MIT */
/*
 * Makes deques: what the caller leaves open is chosen for the device, and all of it lies in one allocation.
 *
 * Path:    gravel_steal_create -> this -> opencl/region.c.
 */
#include "base/error.h"
#include "base/growing.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "settings/settings.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <stdlib.h>

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
 * Makes head, deques and memory, which is copied beside kernels on step pump, on the node's queue of copies. Offsets
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
