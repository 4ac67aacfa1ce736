/* SPDX-License-Identifier: MIT */
/*
 * When node buffers leave. See aggregation.h.
 *
 * Memory:  none of its own; columns are a slot, a kernel's memory, so the sender checks each message again.
 */
#include "aggregate/aggregation.h"

#include "gravel/gravel.h"

/* Column i alone. */
static struct gravel_columns column_of(const struct gravel_columns *columns, size_t i)
{
    uint32_t command = columns->key.command;
    struct gravel_columns one = *columns;
    one.n = 1;
    one.nodes += i;
    one.index += i * GRAVELP_INDEX_BYTES(command);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++)
        one.values[row] += i * GRAVELP_VALUE_BYTES(command);
    return one;
}

static int append_each(struct gravel_sender *sender, const struct gravel_columns *columns,
                       uint64_t now_ns, uint32_t *refused)
{
    bool is_valid = gravel_sender_has_nodes(sender, columns->nodes, columns->n, refused);
    int code = is_valid ? 0 : GRAVEL_ERANGE;
    for (uint32_t i = 0; !code && i < columns->n; i++) {
        const struct gravel_columns one = column_of(columns, i);
        code = gravel_sender_append(sender, &one, now_ns, refused);
        gravel_sender_flush(sender);
    }
    return code;
}

int gravel_aggregation_append(enum gravel_aggregation aggregation, struct gravel_sender *sender,
                              const struct gravel_columns *columns, uint64_t now_ns,
                              uint32_t *refused)
{
    if (aggregation == GRAVEL_AGGREGATE_OFF)
        return append_each(sender, columns, now_ns, refused);
    int code = gravel_sender_append(sender, columns, now_ns, refused);
    if (aggregation == GRAVEL_AGGREGATE_GROUP)
        gravel_sender_flush(sender);
    return code;
}
