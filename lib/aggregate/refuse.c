/* SPDX-License-Identifier: MIT */
/*
 * Texts of packages that are not sent on. See refuse.h.
 */
#include "aggregate/refuse.h"

#include "memory/heap_books.h"
#include "transport/names.h"
#include "transport/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A number that is too large, and which of the message's it is. */
struct far_number {
    uint32_t what; /* GRAVELP_FAR_INDEX, _PLACE or _NODE */
    uint64_t value;
};

static struct far_number number_of_far(const struct gravel_columns *columns)
{
    const uint32_t bytes = GRAVELP_INDEX_BYTES(columns->key.command);
    struct far_number number = {.what = GRAVELP_FAR_NODE, .value = GRAVELP_NODE_FAR};
    for (uint32_t i = 0; i < columns->n; i++)
        if (columns->nodes[i] == GRAVELP_NODE_FAR)
            memcpy(&number.value, columns->index + (size_t)i * bytes, sizeof number.value);
    return number;
}

static const char *operation_of(uint32_t command)
{
    const char *name = gravel_operation_name(command);
    return name                                        ? name
           : GRAVELP_IS_RECORD(command)                ? "record"
           : GRAVELP_COMMAND_OP(command) == GRAVEL_ASK ? "ask"
                                                       : "am";
}

static void tell_element(struct gravel_heap *heap, const struct gravel_run_key *key,
                         struct far_number number, char *text, size_t bytes)
{
    const bool is_place = number.what == GRAVELP_FAR_PLACE;
    const uint64_t base = is_place ? key->result : key->base;
    struct gravel_span span;
    int n = snprintf(text, bytes, "%s: %s %" PRIu64 " of %s at %s %" PRIu64,
                     operation_of(key->command), is_place ? "place" : "index", number.value,
                     gravel_type_name(key->command), is_place ? "result" : "base", base);
    gravel_heap_lock_shared(heap);
    bool is_known = gravel_heap_span(heap, base, &span);
    gravel_heap_unlock_shared(heap);
    if (is_known)
        snprintf(text + n, bytes - (size_t)n,
                 " is beyond its allocation of %" PRIu64 " bytes at %" PRIu64
                 "; it must be below %" PRIu64,
                 span.bytes, span.offset,
                 (span.bytes - (base - span.offset)) / GRAVELP_VALUE_BYTES(key->command));
    else
        snprintf(text + n, bytes - (size_t)n, ", which is in no allocation");
}

/* How many elements the allocation of a base has from there on. */
static uint64_t elements_from(struct gravel_heap *heap, uint32_t command, uint64_t base)
{
    struct gravel_span span;
    gravel_heap_lock_shared(heap);
    bool is_known = gravel_heap_span(heap, base, &span);
    gravel_heap_unlock_shared(heap);
    return is_known ? (span.bytes - (base - span.offset)) / GRAVELP_VALUE_BYTES(command) : 0;
}

/* Index and place of message i; of an active message, which has none, 0. */
static struct gravelp_far_request element_of(const struct gravel_columns *columns, uint32_t i)
{
    const uint32_t command = columns->key.command;
    if (GRAVELP_IS_REQUEST(command))
        return gravel_request_at(command, columns->index, i);
    return (struct gravelp_far_request){.index = GRAVELP_INDEX_BYTES(command) == 8
                                                     ? ((const uint64_t *)columns->index)[i]
                                                     : ((const uint32_t *)columns->index)[i]};
}

bool gravel_refuse_outside(struct gravel_heap *heap, const struct gravel_columns *columns,
                           char *text, size_t bytes)
{
    const struct gravel_run_key *key = &columns->key;
    const bool has_index = !GRAVELP_IS_CALL(key->command),
               has_place = GRAVELP_IS_REQUEST(key->command);
    if (!heap || !columns->n || GRAVELP_IS_RECORD(key->command) ||
        key->command & GRAVELP_COMMAND_WIDE || (!has_index && !has_place))
        return false;
    const uint64_t n_indices = has_index ? elements_from(heap, key->command, key->base) : 0;
    const uint64_t n_places = has_place ? elements_from(heap, key->command, key->result) : 0;
    for (uint32_t i = 0; i < columns->n; i++) {
        if (columns->nodes[i] == GRAVELP_NODE_FAR) /* which its index is */
            continue;
        const struct gravelp_far_request element = element_of(columns, i);
        struct far_number number = {GRAVELP_FAR_INDEX, element.index};
        if (has_place && element.place >= n_places)
            number = (struct far_number){GRAVELP_FAR_PLACE, element.place};
        else if (!has_index || element.index < n_indices)
            continue;
        tell_element(heap, key, number, text, bytes);
        return true;
    }
    return false;
}

void gravel_refuse_tell(struct gravel_heap *heap, const struct gravelp_package *header,
                        const struct gravel_columns *columns, uint32_t node, uint32_t n_nodes,
                        char *text, size_t bytes)
{
    struct far_number number = {GRAVELP_FAR_NODE, node};
    if (node == GRAVELP_NODE_FAR)
        number = header->command & GRAVELP_COMMAND_FAR
                     ? number_of_far(columns)
                     : (struct far_number){header->arrival.call, header->arrival.item};
    if (number.what == GRAVELP_FAR_NODE)
        snprintf(text, bytes,
                 "destination %" PRIu64 " of a package of %u messages does not exist (there are %u "
                 "nodes)",
                 number.value, columns->n, n_nodes);
    else
        tell_element(heap, &columns->key, number, text, bytes);
}
