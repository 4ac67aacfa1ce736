/* SPDX-License-Identifier: MIT */
/* Texts of indices outside. See call_bounds.h. */
#include "serve/call_bounds.h"

#include "aggregate/check.h"
#include "base/error.h"
#include "memory/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Whose call it is; the function may be one that handlers call. */
static const char *name_of(const struct gravel_handler *handlers, uint32_t n_handlers,
                           uint32_t hash)
{
    for (uint32_t i = 0; i < n_handlers; i++)
        if (gravel_kernel_names_hash(handlers[i].name) == hash)
            return handlers[i].name;
    return "(a function that a handler calls)";
}

static int fail(const char *name, const struct gravelp_bounds_fault *fault)
{
    char bound[128] = "which is in no allocation";
    const uint64_t room = fault->span.bytes - (fault->base - fault->span.offset);
    if (fault->span.bytes)
        snprintf(bound, sizeof bound,
                 "in an allocation of %" PRIu64 " bytes at %" PRIu64 ": it must be below %" PRIu64,
                 fault->span.bytes, fault->span.offset, room / (fault->bytes + !fault->bytes));
    return gravel_fail(GRAVEL_EKERNEL,
                       "handler %s, line %u, at node %u: gravel_call_at of index %" PRIu64
                       ", of elements of %" PRIu64 " bytes, at base %" PRIu64 ", %s",
                       name, fault->line, fault->node, fault->index, fault->bytes, fault->base,
                       bound);
}

int gravel_call_bounds_report(const struct gravel_memory *memory,
                              const struct gravel_handler *handlers, uint32_t n_handlers)
{
    struct gravelp_bounds_fault fault;
    if (!memory->arena->bounds_offset)
        return 0;
    int code = gravel_bounds_read_fault(memory, &fault);
    return code || !fault.claim ? code : fail(name_of(handlers, n_handlers, fault.name), &fault);
}
