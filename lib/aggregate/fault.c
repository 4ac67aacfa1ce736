/* SPDX-License-Identifier: MIT */
/*
 * Texts of faults, and of packages that are not sent on. See aggregator.h.
 */
#include "aggregate/aggregator.h"

#include "base/error.h"
#include "memory/allocations.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* [by GRAVELP_FAULT_*] Fields that gravel_fault_describe fills are in braces; `drained`: where no kernel waits. */
static const struct {
    const char *text, *drained;
} texts[] = {
    [GRAVELP_FAULT_STALLED] =
        {.text = "{group} waited for room in queue {queue} (ticket {ticket}), of "
                 "which the host has taken no package from ticket {value} on for "
                 "{room_waits} s",
         .drained = "{group} found queue {queue} full ({slots} slots, ticket {ticket}), "
                    "and no kernel waits on step drain: raise GRAVEL_QUEUE, send fewer "
                    "messages from each work-group (GRAVEL_FOR_SHARED_WG shares out "
                    "uneven work), or lower GRAVEL_SLICE if it is above 1"},
    [GRAVELP_FAULT_GROUP] =
        {.text = "{group} has {value} work-items, more than GRAVEL_MAX_GROUP: launch "
                 "groups of 256, or build the program with -DGRAVEL_MAX_GROUP={value}"},
    [GRAVELP_FAULT_QUEUE] = {.text =
                                 "{group} needs {value} slots for one call and queue {queue} has "
                                 "{slots}; raise GRAVEL_QUEUE or GRAVEL_SLOT"},
    [GRAVELP_FAULT_WAIT] =
        {.text = "{group} waited for the word at heap offset {offset} to be {sign} "
                 "{ticket}; it has been {value} for {waits} s",
         .drained = "{group} waits for the word at heap offset {offset} (it is {value}) to "
                    "be {sign} {ticket}, and no kernel waits on step drain: read it in the "
                    "next launch"},
    [GRAVELP_FAULT_FBAR] =
        {.text = "{group} waited at a fine-grain barrier at which {queue} of {value} "
                 "sub-groups had arrived: does this device run a group's sub-groups at "
                 "the same time (gravel_fbar_rounds_wg)?"},
    [GRAVELP_FAULT_INBOX] =
        {.text = "{group} sends to server {queue}, whose inbox of {ticket} slots has "
                 "no room: {value} were needed. Clients end when an inbox is nearly "
                 "full, and this one's work-items send several messages each; raise "
                 "GRAVEL_INBOX"},
    [GRAVELP_FAULT_ROLE] =
        {.text = "{group} is of a kernel with GRAVEL_SERVE, and gravel_server_launch "
                 "did not launch it"},
    [GRAVELP_FAULT_ALONE] =
        {.text = "{group} serves as number {queue} of {ticket}, and for {room_waits} s "
                 "none of {value} groups of clients has begun: does this device run "
                 "work-groups at the same time? GRAVEL_SERVER_MODE=phases does not "
                 "need that"},
    [GRAVELP_FAULT_SILENT] =
        {.text = "{group} waited for room in the inbox of server {queue} (ticket "
                 "{ticket}), which has taken none from ticket {value} on for "
                 "{room_waits} s: a handler that takes so long, or a server that has "
                 "stopped"},
    [GRAVELP_FAULT_SPILL] =
        {.text = "{group} has a handler that sends to server {queue}, where more "
                 "messages wait than the {ticket} that its ring has room for: raise "
                 "max_pending of the handlers that send"},
    [GRAVELP_FAULT_SENDER] =
        {.text = "{group} has a handler that sends to handler {queue} and may not: "
                 "it is registered with max_pending 0"},
    [GRAVELP_FAULT_RECORD] =
        {.text = "{group} sends a record of {value} bytes, text and header included, "
                 "and a slot has {ticket}: raise GRAVEL_SLOT"},
    [GRAVELP_FAULT_ASSERT] = {.text = "{item} of node {node}: {file}, line {value}: {text}"},
    [GRAVELP_FAULT_POOL] =
        {.text = "{item} of node {node} frees heap offset {offset}, which is {block} of "
                 "the pool at {ticket}"},
    [GRAVELP_FAULT_BOUNDS] = {.text =
                                  "{item} of node {node}: {file}, line {queue}: gravel_local_at of "
                                  "index {ticket} at base {offset}, {bound}"},
    [GRAVELP_FAULT_CALL_BOUNDS] =
        {.text =
             "handler {file}, line {queue}, at node {served}: gravel_call_at of index {ticket} at "
             "base {offset}, {bound}"},
    [GRAVELP_FAULT_KEYS] =
        {.text = "handler {file}: its keys are of nodes {ticket} and {value} (GRAVEL_NODE_OF), and "
                 "the message is for node {queue}; a transaction has both data at one node: lock "
                 "the data of two nodes by requests (docs/guide/servers.md, Data of two nodes)"},
    [GRAVELP_FAULT_MEET] = {.text =
                                "{group} waited in round {ticket} for the other groups of its "
                                "launch, of which {queue} of {value} had ended their phase, for "
                                "{waits} s"},
};
static const char other_version[] =
    "the program was built with another gravel.cl.h (arena version {value}, here {version})";

/* Replaces {name}: by a text, or by a number if there is none. */
struct field {
    const char *name, *text;
    uint64_t number;
};

/* Writes a format with the fields that it names. */
static void fill(const char *format, const struct field *fields, char *text, size_t bytes)
{
    size_t n = 0;
    while (*format && n + 1 < bytes) {
        const size_t plain = strcspn(format, "{"), name = strcspn(format, "}");
        const struct field *field = fields;
        int written;
        if (plain) {
            written = snprintf(text + n, bytes - n, "%.*s", (int)plain, format);
            format += plain;
        } else {
            while (strncmp(field->name, format + 1, name - 1) || field->name[name - 1])
                field++;
            written = field->text ? snprintf(text + n, bytes - n, "%s", field->text)
                                  : snprintf(text + n, bytes - n, "%" PRIu64, field->number);
            format += name + 1;
        }
        n += (size_t)written;
    }
}

/* Writes whose fault it is, by its first work-item: "work-group at (128, 7)". */
static void name_origin(const struct gravelp_arena *arena, const char *what, char *text,
                        size_t bytes)
{
    snprintf(text, bytes, "%s at (%" PRIu64, what, arena->fault_item[0]);
    for (uint32_t d = 1; d < 3 && d < arena->fault_dimensions; d++)
        gravel_append(text, bytes, ", %" PRIu64, arena->fault_item[d]);
    gravel_append(text, bytes, ")");
}

static uint64_t join(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

void gravel_fault_describe(const struct gravelp_arena *arena, uint32_t fault, char *text,
                           size_t bytes)
{
    static const char *const signs[] = {"==", "!=", ">", "<=", "<", ">="};
    const uint64_t ticket = join(arena->fault_high[0], arena->fault_ticket),
                   value = join(arena->fault_high[1], arena->fault_value);
    const bool is_cut = !memchr(arena->fault_text, 0, sizeof arena->fault_text);
    char group[96], item[96], waits[24], room_waits[24], bound[80],
        file[GRAVELP_FAULT_FILE_BYTES + 1], why[GRAVELP_FAULT_TEXT_BYTES + sizeof "..."];
    const struct field fields[] = {
        {.name = "group", .text = group},
        {.name = "item", .text = item},
        {.name = "file", .text = file},
        {.name = "text", .text = why},
        {.name = "waits", .text = waits},
        {.name = "room_waits", .text = room_waits},
        {.name = "sign",
         .text = arena->fault_queue < 6 ? signs[arena->fault_queue] : "(no comparison)"},
        {.name = "block", .text = value ? "a free block" : "no block"},
        {.name = "bound", .text = value ? bound : "which is in no allocation"},
        {.name = "node", .number = arena->node},
        {.name = "served", .number = arena->fault_item[0]},
        {.name = "queue", .number = arena->fault_queue},
        {.name = "slots", .number = arena->n_slots},
        {.name = "ticket", .number = ticket},
        {.name = "value", .number = value},
        {.name = "offset", .number = arena->fault_offset},
        {.name = "version", .number = arena->version},
    };
    name_origin(arena, "work-group", group, sizeof group);
    name_origin(arena, "work-item", item, sizeof item);
    snprintf(file, sizeof file, "%.*s", (int)sizeof arena->fault_file,
             (const char *)arena->fault_file);
    snprintf(why, sizeof why, "%.*s%s", (int)sizeof arena->fault_text,
             (const char *)arena->fault_text, is_cut ? "..." : "");
    snprintf(waits, sizeof waits, "%.1f", arena->wait_ms * 1e-3);
    snprintf(room_waits, sizeof room_waits, "%.1f", GRAVELP_ROOM_WAITS * arena->wait_ms * 1e-3);
    snprintf(bound, sizeof bound, "of an allocation in which it must be below %" PRIu64, value);
    const uint32_t number = fault & ~GRAVELP_FAULT_CUT_OFF;
    const char *format = number < sizeof texts / sizeof *texts ? texts[number].text : NULL;
    if (format && arena->wait_ms == 0 && texts[number].drained)
        format = texts[number].drained;
    fill(format ? format : other_version, fields, text, bytes);
    const size_t end = strlen(text);
    if (fault & GRAVELP_FAULT_CUT_OFF && arena->wait_ms)
        snprintf(text + end, bytes - end,
                 "; by the count of polls, because the host's clock did not advance in the "
                 "kernel's memory");
}

/* ---- packages that are not sent on ----------------------------------------------------------- */

/* Finds the allocation of a base. @return its elements from there on; 0 if there is none */
static uint64_t find_elements(struct gravel_heap *heap, uint32_t command, uint64_t base,
                              struct gravel_span *span)
{
    gravel_heap_lock_shared(heap);
    bool is_known = gravel_heap_span(heap, base, span);
    gravel_heap_unlock_shared(heap);
    return is_known ? (span->bytes - (base - span->offset)) / GRAVELP_VALUE_BYTES(command) : 0;
}

static void describe(struct gravel_heap *heap, const struct gravel_run_key *key, bool is_reply,
                     uint64_t number, char *text, size_t bytes)
{
    const struct gravel_element element = {is_reply ? "position" : "index", number,
                                           is_reply ? "result" : "base",
                                           is_reply ? key->result : key->base};
    struct gravel_span span;
    const bool is_known = find_elements(heap, key->command, element.base, &span);
    gravel_write_element(text, bytes, key->command, &element, is_known ? &span : NULL);
}

bool gravel_refuse_outside(struct gravel_heap *heap, const struct gravel_columns *columns,
                           char *text, size_t bytes)
{
    const struct gravel_run_key *key = &columns->key;
    const bool has_index = !GRAVELP_IS_CALL(key->command), asks = GRAVELP_IS_REQUEST(key->command);
    if (!heap || !columns->n || GRAVELP_IS_RECORD(key->command) || (!has_index && !asks))
        return false;
    struct gravel_span span;
    const uint64_t n_indices = has_index ? find_elements(heap, key->command, key->base, &span) : 0;
    const uint64_t n_answers = asks ? find_elements(heap, key->command, key->result, &span) : 0;
    for (uint32_t i = 0; i < columns->n; i++) {
        if (columns->nodes[i] == GRAVELP_NODE_FAR) /* which its index is */
            continue;
        const struct gravelp_far_request element =
            gravel_element_at(key->command, columns->index, i);
        const bool is_reply = asks && element.position >= n_answers;
        if (is_reply || (has_index && element.index >= n_indices)) {
            describe(heap, key, is_reply, is_reply ? element.position : element.index, text, bytes);
            return true;
        }
    }
    return false;
}

void gravel_refuse_describe(struct gravel_heap *heap, const struct gravelp_package *header,
                            const struct gravel_columns *columns, uint32_t node, uint32_t n_nodes,
                            char *text, size_t bytes)
{
    const size_t index_bytes = GRAVELP_INDEX_BYTES(header->command);
    uint32_t what = GRAVELP_FAR_NODE; /* is too large; or GRAVELP_FAR_INDEX, GRAVELP_FAR_POSITION */
    uint64_t number = node;
    if (node == GRAVELP_NODE_FAR && !(header->command & GRAVELP_COMMAND_FAR)) {
        what = header->arrival.call;
        number = header->arrival.item;
    }
    for (uint32_t i = 0; header->command & GRAVELP_COMMAND_FAR && i < columns->n; i++)
        if (node == GRAVELP_NODE_FAR && columns->nodes[i] == GRAVELP_NODE_FAR)
            memcpy(&number, columns->index + i * index_bytes, sizeof number);
    if (what == GRAVELP_FAR_NODE)
        snprintf(text, bytes,
                 "destination %" PRIu64 " of a package of %u messages does not exist (there are %u "
                 "nodes)",
                 number, columns->n, n_nodes);
    else
        describe(heap, &columns->key, what == GRAVELP_FAR_POSITION, number, text, bytes);
}
