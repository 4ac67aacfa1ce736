/* SPDX-License-Identifier: MIT */
/*
 * What host code asks an open node, and what every call of a node asks first.
 *
 * Path:    gravel.h, and all other files here -> facts.c.
 * Threads: any, and handlers.
 */
#include "device/cores.h"
#include "node/node.h"
#include "settings/defaults.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *gravel_version(uint32_t numbers[3])
{
    if (numbers) {
        numbers[0] = GRAVEL_API_MAJOR;
        numbers[1] = GRAVEL_API_MINOR;
        numbers[2] = GRAVEL_API_PATCH;
    }
    return TEXT(GRAVEL_API_MAJOR) "." TEXT(GRAVEL_API_MINOR) "." TEXT(GRAVEL_API_PATCH);
}

/* Returns whether a call that returns no code may read the node; if not, the error text says why. */
static bool is_node(const struct gravel *gravel, const char *call)
{
    return gravel || gravel_fail(0, "%s: the node is NULL", call);
}

uint32_t gravel_node(const struct gravel *gravel)
{
    if (!is_node(gravel, "gravel_node"))
        return 0;
    return gravel_node_is_in_handler(gravel) ? gravel->network.resolving_node
                                             : gravel->network.transport->node;
}

int gravel_share(const struct gravel *gravel, uint64_t n, uint64_t *first, uint64_t *count)
{
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require(__func__, "first", first));
    GRAVEL_TRY(gravel_require(__func__, "count", count));
    const uint32_t n_nodes = gravel_n_nodes(gravel), node = gravel->network.transport->node;
    const bool is_all = gravel->network.transport->is_loopback;
    const uint64_t each = n / n_nodes, rest = n % n_nodes;
    atomic_store_explicit(&((struct gravel *)gravel)->knows_locals, true,
                          memory_order_relaxed); /* relaxed: a hint for gravel_close */
    *first = is_all ? 0 : each * node + (node < rest ? node : rest);
    *count = is_all ? n : each + (node < rest);
    return 0;
}

/* Defines a call that returns what it reads of the node, or else `none`. */
#define FACT(type, call, value, none)                   \
    type call(const struct gravel *gravel)              \
    {                                                   \
        return is_node(gravel, #call) ? (value) : none; \
    }
FACT(uint32_t, gravel_n_nodes, gravel->network.transport->n_nodes, 0)
FACT(uint32_t, gravel_group_size, gravel_derive_group_size(&gravel->device), 0)
FACT(uint32_t, gravel_cores, gravel_cores_of_node(gravel->network.transport->n_sharing), 0)
FACT(const struct gravel_config *, gravel_config_of, &gravel->config, NULL)
FACT(const char *, gravel_step, gravel_step_name(gravel->device.step), NULL)
FACT(cl_context, gravel_cl_context, gravel->device.context, NULL)
FACT(cl_device_id, gravel_cl_device, gravel->device.id, NULL)
FACT(cl_command_queue, gravel_cl_queue, gravel->device.queue, NULL)

/* ---- before a call, and at its end ---------------------------------------------------------- */

bool gravel_node_is_in_handler(const struct gravel *gravel)
{
    return gravel_in_handler_of == gravel && !gravel_in_handler_is_concurrent;
}

int gravel_enter(const struct gravel *gravel, const char *call, enum gravel_caller caller)
{
    GRAVEL_TRY(gravel_require(call, "the node", gravel));
    return gravel_caller_refuse(gravel->n_forks, call, caller);
}

int gravel_leave(struct gravel *gravel, int code)
{
    return gravel_node_has_failed(gravel) ? gravel_failure_report(&gravel->failure) : code;
}

int gravel_leave_wait(struct gravel *gravel, int code)
{
    return gravel_first_failure(gravel_failure_report(&gravel->failure), code);
}

int gravel_node_refuse_bytes(struct gravel *gravel, const char *call, uint64_t offset,
                             uint64_t bytes)
{
    char text[GRAVEL_HEAP_TEXT_BYTES];
    if (gravel_heap_has(gravel->heap, offset, bytes, text))
        return 0;
    return gravel_fail(GRAVEL_ERANGE, "%s: %s", call, text);
}
