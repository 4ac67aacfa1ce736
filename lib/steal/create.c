/* SPDX-License-Identifier: MIT */
/*
 * Makes deques: what the caller leaves open is chosen for the device, and all of it lies in one allocation.
 *
 * Path:    gravel_steal_create -> this -> memory.c.
 */
#include "base/error.h"
#include "base/growing.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "settings/settings.h"
#include "steal/steal.h"

#include <stdlib.h>

#define DEFAULT_CAPACITY 4096u
#define DEFAULT_TASK_BYTES 8u
#define MOST_GROUPS (1u << 20)
#define GROUPS_A_UNIT 4u /* of a GPU: of 256 work-items each they fill half of what a unit keeps */

static const struct gravel_growing of_options =
    GRAVEL_GROWING("options.bytes", gravel_steal_options, "GRAVEL_STEAL_OPTIONS()", task_bytes);

static uint32_t choose_n_groups(const struct gravel *gravel)
{
    uint32_t units = gravel->device.units;
    bool keeps_one = gravel->device.is_sliced && gravel->device.step != GRAVEL_STEP_DRAIN;
    if (gravel->device.capability.is_cpu)
        return units - (keeps_one && units > 1); /* node/launch.c */
    return units * GROUPS_A_UNIT;
}

static void choose(const struct gravel *gravel, struct gravel_steal_options *options)
{
    if (options->n_groups == 0)
        options->n_groups = choose_n_groups(gravel);
    if (options->group_size == 0)
        options->group_size = gravel->device.capability.is_cpu ? 64 : 256;
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

static int check_policy(const struct gravel *gravel, uint32_t policy)
{
    if (policy >= GRAVELP_STEAL_PRIVATE || gravel->device.capability.has_c11_atomics)
        return 0;
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "GRAVEL_STEAL_POLICY=%s: %s has no acquire and release at device scope; "
                       "private and counter need none",
                       gravel->config.steal_policy, gravel->device.capability.name);
}

/* All offsets are multiples of a cache line, as tasks of any type need. */
static uint64_t lay_out(struct gravelp_steal *head, const struct gravel_steal_options *options)
{
    uint64_t n = options->n_groups, block_bytes = GRAVELP_STEAL_BLOCK * options->task_bytes;
    head->deques_offset = sizeof *head;
    head->blocks_offset = head->deques_offset + n * sizeof(struct gravelp_deque);
    head->rings_offset = head->blocks_offset + n * block_bytes;
    return head->rings_offset + n * options->capacity * options->task_bytes;
}

static int make(struct gravel_steal *steal)
{
    const struct gravel_steal_options *options = &steal->options;
    steal->head =
        (struct gravelp_steal){.magic = GRAVELP_STEAL_MAGIC,
                               .policy = GRAVEL_CHOICE(&steal->gravel->config, steal_policy),
                               .n_groups = options->n_groups,
                               .capacity = options->capacity,
                               .task_bytes = options->task_bytes,
                               .wait_ms = steal->gravel->config.timeout_ms,
                               .look_ns = steal->gravel->device.look_ns};
    int code = check_policy(steal->gravel, steal->head.policy);
    if (code)
        return code;
    steal->bytes = lay_out(&steal->head, options);
    steal->deques = calloc(options->n_groups, sizeof *steal->deques);
    if (!steal->deques)
        return gravel_fail(GRAVEL_ENOMEM, "%u deques", options->n_groups);
    code = gravel_steal_memory_create(steal);
    return code ? code : gravel_steal_write_deques(steal);
}

int gravel_steal_refuse(const struct gravel_steal *steal, const char *call)
{
    int code = gravel_require(call, "steal", steal);
    return code ? code : gravel_node_refuse_wait(steal->gravel, call);
}

int gravel_steal_create(struct gravel_steal **out, struct gravel *gravel,
                        const struct gravel_steal_options *options)
{
    struct gravel_steal_options chosen = {0};
    if (gravel_require("gravel_steal_create", "out", out))
        return GRAVEL_EINVAL;
    *out = NULL;
    if (gravel_node_refuse_wait(gravel, "gravel_steal_create"))
        return GRAVEL_EINVAL;
    int code = options ? gravel_growing_read(&of_options, &chosen, options, options->bytes) : 0;
    if (!code) {
        choose(gravel, &chosen);
        code = check(gravel, &chosen);
    }
    struct gravel_steal *steal = code ? NULL : calloc(1, sizeof *steal);
    if (!steal)
        return code ? code : gravel_fail(GRAVEL_ENOMEM, "gravel_steal_create");
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
    if (gravel_require(call, "steal", steal) || gravel_node_refuse(steal->gravel, call))
        return 0;
    return steal->options.n_groups;
}

int gravel_steal_destroy(struct gravel_steal *steal)
{
    if (!steal)
        return 0;
    if (gravel_steal_refuse(steal, "gravel_steal_destroy"))
        return GRAVEL_EINVAL;
    int code = gravel_steal_settle(steal);
    if (steal->kernel && !gravel_cl_event_has_ended(steal->end))
        return code; /* a kernel may still use all of it */
    gravel_steal_forget_launch(steal);
    gravel_steal_memory_destroy(steal);
    free(steal->deques);
    free(steal);
    return code;
}
