/* SPDX-License-Identifier: MIT */
/*
 * Joining of arrivals. See check.h.
 */
#include "aggregate/check.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls that are being made --------------------------------------------------------------- */

struct checked_call {
    struct gravelp_arrival arrival; /* the first one; group and call are the key */
    struct gravel_run_key key;
    uint32_t n_arrived, n; /* members that have, messages that they bring */
    bool is_wrong;         /* and has been reported */
    unsigned char *rows;   /* nodes, indices, values: each with room for all members; the text */
};

static int compare(const void *a, const void *b)
{
    const struct gravelp_arrival *x = &((const struct checked_call *)a)->arrival;
    const struct gravelp_arrival *y = &((const struct checked_call *)b)->arrival;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

static void free_call(void *call)
{
    free(((struct checked_call *)call)->rows);
    free(call);
}

static unsigned char *row_of(const struct checked_call *call, uint32_t row)
{
    size_t members = GRAVELP_ARRIVAL_MEMBERS(call->arrival.place), command = call->key.command;
    if (row == 0)
        return call->rows + 8 * members; /* behind the nodes, with room to align */
    return call->rows +
           members * (8 + GRAVELP_INDEX_BYTES(command) + (row - 1) * GRAVELP_VALUE_BYTES(command));
}

static struct checked_call *make_call(const struct gravelp_package *header,
                                      const struct gravel_run_key *key)
{
    size_t members = GRAVELP_ARRIVAL_MEMBERS(header->arrival.place);
    struct checked_call *call = calloc(1, sizeof *call);
    if (!call)
        return NULL;
    *call = (struct checked_call){.arrival = header->arrival, .key = *key};
    const size_t value_bytes = GRAVELP_VALUE_BYTES(key->command);
    const size_t rows_bytes =
        members * (8 + GRAVELP_INDEX_BYTES(key->command) +
                   GRAVELP_N_VALUES(key->command) * (value_bytes < 8 ? 8 : value_bytes));
    const size_t text_bytes = GRAVELP_TEXT_BYTES(key->command);
    call->rows = malloc(rows_bytes + text_bytes + 1);
    if (call->rows && text_bytes)
        call->key.text = memcpy(call->rows + rows_bytes, key->text, text_bytes);
    if (call->rows)
        return call;
    free(call);
    return NULL;
}

/* The call of an arrival, made if it is the first there; NULL if memory is out. */
static struct checked_call *find_call(struct gravel_check *check,
                                      const struct gravelp_package *header,
                                      const struct gravel_run_key *key)
{
    const struct checked_call wanted = {.arrival = header->arrival};
    void *found = tfind(&wanted, &check->calls, compare);
    if (found)
        return *(struct checked_call **)found;
    struct checked_call *call = make_call(header, key);
    if (!call || !tsearch(call, &check->calls, compare)) {
        if (call)
            free_call(call);
        return NULL;
    }
    return call;
}

static void add_message(struct checked_call *call, const struct gravel_columns *arrived)
{
    uint32_t command = call->key.command, i = call->n++;
    size_t index_bytes = GRAVELP_INDEX_BYTES(command), bytes = GRAVELP_VALUE_BYTES(command);
    memcpy(call->rows + 4 * (size_t)i, arrived->nodes, 4);
    memcpy(row_of(call, 0) + i * index_bytes, arrived->index, index_bytes);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++)
        memcpy(row_of(call, row + 1) + i * bytes, arrived->values[row], bytes);
}

static void give_columns(const struct checked_call *call, struct gravel_columns *columns)
{
    *columns = (struct gravel_columns){.key = call->key,
                                       .n = call->n,
                                       .nodes = (const uint32_t *)call->rows,
                                       .index = row_of(call, 0)};
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(call->key.command); row++)
        columns->values[row] = row_of(call, row + 1);
}

/* ---- names of kernels ------------------------------------------------------------------------ */

uint32_t gravel_kernel_names_hash(const char *name)
{
    uint32_t hash = GRAVELP_HASH_BEGIN;
    for (; *name && *name != ';'; name++)
        hash = GRAVELP_HASH(hash, *name);
    return hash;
}

bool gravel_kernel_names_add(struct gravel_kernel_names *names, const char *list)
{
    pthread_mutex_lock(&names->lock);
    const size_t n = names->list ? strlen(names->list) : 0, bytes = strlen(list) + sizeof ";";
    char *more = realloc(names->list, n + bytes);
    if (more) {
        names->list = more;
        snprintf(more + n, bytes, "%s;", list);
    }
    pthread_mutex_unlock(&names->lock);
    return more;
}

void gravel_kernel_names_free(struct gravel_kernel_names *names)
{
    free(names->list);
    names->list = NULL;
}

/* Writes "kernel NAME" into text [bytes], by the name's hash; "a kernel" if it is none of them. */
static void write_kernel(struct gravel_kernel_names *names, uint32_t hash, char *text, size_t bytes)
{
    snprintf(text, bytes, "a kernel");
    pthread_mutex_lock(&names->lock);
    for (const char *name = names->list; name && *name; name += strcspn(name, ";") + 1)
        if (gravel_kernel_names_hash(name) == hash)
            snprintf(text, bytes, "kernel %.*s", (int)strcspn(name, ";"), name);
    pthread_mutex_unlock(&names->lock);
}

/* ---- reports --------------------------------------------------------------------------------- */

static const char *or_more(unsigned id)
{
    return id == GRAVELP_ARRIVAL_MOST ? " or more" : "";
}

void gravel_check_write_group(struct gravel_check *check, const struct gravelp_arrival *arrival,
                              char *text, size_t bytes)
{
    char kernel[96], group[96], y_z[48] = "";
    unsigned x = (unsigned)arrival->item,
             y = (unsigned)(arrival->item >> 32 & GRAVELP_ARRIVAL_MOST);
    unsigned z = (unsigned)(arrival->item >> 48), scope = GRAVELP_ARRIVAL_SCOPE(arrival->call);
    write_kernel(check->names, arrival->name, kernel, sizeof kernel);
    if (y || z)
        snprintf(y_z, sizeof y_z, ", %u%s, %u%s", y, or_more(y), z, or_more(z));
    snprintf(group, sizeof group, "work-group at (%u%s)", x, y_z);
    if (scope)
        snprintf(text, bytes, "%s, %s, sub-group %u", kernel, group, scope - 1);
    else
        snprintf(text, bytes, "%s, %s", kernel, group);
}

/* Names what two arrivals at a call differ in; NULL if in nothing. */
static const char *difference(const struct checked_call *call, const struct gravelp_package *header,
                              const struct gravel_run_key *key, uint64_t *first, uint64_t *second)
{
    const uint32_t a = call->key.command, b = key->command;
    const bool are_records = GRAVELP_IS_RECORD(a) && GRAVELP_IS_RECORD(b);
    const bool have_texts = are_records && GRAVELP_TEXT_BYTES(a) == GRAVELP_TEXT_BYTES(b);
    const struct {
        const char *what;
        uint64_t first, second;
    } pairs[] = {
        {"line", GRAVELP_ARRIVAL_LINE(call->arrival.place),
         GRAVELP_ARRIVAL_LINE(header->arrival.place)},
        {"operation", GRAVELP_COMMAND_OP(call->key.command), GRAVELP_COMMAND_OP(key->command)},
        {"type", GRAVELP_COMMAND_TYPE(call->key.command), GRAVELP_COMMAND_TYPE(key->command)},
        {"stream", are_records ? GRAVELP_RECORD_STREAM(a) : 0,
         are_records ? GRAVELP_RECORD_STREAM(b) : 0},
        {"number of words", are_records ? GRAVELP_RECORD_WORDS(a) : 0,
         are_records ? GRAVELP_RECORD_WORDS(b) : 0},
        {"text's room", GRAVELP_TEXT_BYTES(a), GRAVELP_TEXT_BYTES(b)},
        {"text", 0,
         have_texts && GRAVELP_TEXT_BYTES(a) &&
             memcmp(call->key.text, key->text, GRAVELP_TEXT_BYTES(a)) != 0},
        {"handler", are_records ? 0 : GRAVELP_COMMAND_HANDLER(a),
         are_records ? 0 : GRAVELP_COMMAND_HANDLER(b)},
        {"number of arguments", are_records ? 0 : GRAVELP_COMMAND_N_ARGS(a),
         are_records ? 0 : GRAVELP_COMMAND_N_ARGS(b)},
        {"base", call->key.base, key->base},
        {are_records ? "list of argument types" : "result of the reply", call->key.result,
         key->result},
        {"signal", call->key.signal, key->signal},
        {"number of members", GRAVELP_ARRIVAL_MEMBERS(call->arrival.place),
         GRAVELP_ARRIVAL_MEMBERS(header->arrival.place)},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].first != pairs[i].second) {
            *first = pairs[i].first, *second = pairs[i].second;
            return pairs[i].what;
        }
    return NULL;
}

static void tell_difference(struct gravel_check *check, const struct checked_call *call,
                            const char *what, const uint64_t values[2], char *text, size_t bytes)
{
    char group[224];
    gravel_check_write_group(check, &call->arrival, group, sizeof group);
    if (!strcmp(what, "line"))
        snprintf(text, bytes,
                 "%s: where some work-items make the call of line %" PRIu64
                 ", others make that of line %" PRIu64 "; none of it was sent",
                 group, values[0], values[1]);
    else if (!strcmp(what, "text"))
        snprintf(text, bytes,
                 "%s, line %u: the text differs between work-items; none of the call was sent",
                 group, GRAVELP_ARRIVAL_LINE(call->arrival.place));
    else
        snprintf(text, bytes,
                 "%s, line %u: the %s differs between work-items, %" PRIu64 " and %" PRIu64
                 "; none of the call was sent",
                 group, GRAVELP_ARRIVAL_LINE(call->arrival.place), what, values[0], values[1]);
}

static void tell_incomplete(struct gravel_check *check, const struct checked_call *call, char *text,
                            size_t bytes)
{
    char group[224];
    gravel_check_write_group(check, &call->arrival, group, sizeof group);
    snprintf(text, bytes,
             "%s, line %u: %u of %u work-items made the call, which all must make; none of it was "
             "sent (is it in a branch or a loop that some leave out, or behind a return? Or does "
             "the kernel still run, on "
             "a queue of the program's?)",
             group, GRAVELP_ARRIVAL_LINE(call->arrival.place), call->n_arrived,
             GRAVELP_ARRIVAL_MEMBERS(call->arrival.place));
}

/* ---- interface ------------------------------------------------------------------------------- */

static void forget_finished(struct gravel_check *check)
{
    if (check->finished)
        free_call(check->finished);
    check->finished = NULL;
}

/* All members have arrived. */
static void finish(struct gravel_check *check, struct checked_call *call)
{
    tdelete(call, &check->calls, compare);
    check->finished = call;
}

enum gravel_check_state gravel_check_take(struct gravel_check *check,
                                          const struct gravelp_package *header,
                                          const struct gravel_columns *arrived,
                                          struct gravel_columns *columns, char *text, size_t bytes)
{
    uint64_t values[2];
    forget_finished(check);
    struct checked_call *call = find_call(check, header, &arrived->key);
    if (!call)
        return GRAVEL_CHECK_NO_ROOM;
    const char *what = difference(call, header, &arrived->key, &values[0], &values[1]);
    bool is_news = what && !call->is_wrong;
    if (is_news)
        tell_difference(check, call, what, values, text, bytes);
    call->is_wrong |= what != NULL;
    if (arrived->n && !call->is_wrong)
        add_message(call, arrived);
    if (++call->n_arrived < GRAVELP_ARRIVAL_MEMBERS(call->arrival.place))
        return is_news ? GRAVEL_CHECK_WRONG : GRAVEL_CHECK_WAITS;
    finish(check, call);
    give_columns(call, columns);
    return is_news ? GRAVEL_CHECK_WRONG : call->is_wrong ? GRAVEL_CHECK_WAITS : GRAVEL_CHECK_WHOLE;
}

bool gravel_check_end(struct gravel_check *check, char *text, size_t bytes)
{
    struct checked_call *first = NULL;
    forget_finished(check);
    while (check->calls) {
        struct checked_call *call = *(struct checked_call **)check->calls; /* the root's key */
        bool is_first = !call->is_wrong && (!first || compare(call, first) < 0);
        tdelete(call, &check->calls, compare);
        if (is_first && first)
            free_call(first);
        if (is_first)
            first = call;
        else
            free_call(call);
    }
    if (first)
        tell_incomplete(check, first, text, bytes);
    bool is_told = first != NULL;
    if (first)
        free_call(first);
    return is_told;
}

void gravel_check_free(struct gravel_check *check)
{
    char nothing[1];
    gravel_check_end(check, nothing, 0);
}
