/* SPDX-License-Identifier: MIT */
/*
 * Joining of arrivals. See check.h.
 */
#include "aggregate/check.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls that are being made --------------------------------------------------------------- */

struct checked_call {
    struct gravelp_arrival arrival; /* the first one; group and call are the key */
    uint32_t n_arrived;             /* members that have */
    bool is_wrong;                  /* and has been reported */
    struct gravel_columns columns;  /* the messages that they bring */
    uint64_t rows[];                /* those, with room for all members; the text */
};

static int compare(const void *a, const void *b)
{
    const struct gravelp_arrival *x = &((const struct checked_call *)a)->arrival;
    const struct gravelp_arrival *y = &((const struct checked_call *)b)->arrival;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

/* Returns where a row of n elements begins. @param at  [in, out] where the next one does. */
static void *lay_out(uint64_t **at, size_t n, size_t bytes)
{
    void *row = *at;
    *at += (n * bytes + sizeof **at - 1) / sizeof **at;
    return row;
}

static struct checked_call *make_call(const struct gravelp_package *header,
                                      const struct gravel_run_key *key)
{
    const uint32_t command = key->command, n_rows = 2 + GRAVELP_N_VALUES(command);
    const size_t members = GRAVELP_ARRIVAL_MEMBERS(header->arrival.site);
    const size_t text_bytes = GRAVELP_TEXT_BYTES(command);
    const size_t rows_bytes = members * GRAVELP_COLUMN_BYTES(command) + n_rows * sizeof(uint64_t);
    struct checked_call *call = calloc(1, sizeof *call + rows_bytes + text_bytes);
    if (!call)
        return NULL;
    uint64_t *at = call->rows;
    call->arrival = header->arrival;
    call->columns.key = *key;
    call->columns.nodes = lay_out(&at, members, sizeof *call->columns.nodes);
    call->columns.index = lay_out(&at, members, GRAVELP_INDEX_BYTES(command));
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++)
        call->columns.values[row] = lay_out(&at, members, GRAVELP_VALUE_BYTES(command));
    if (text_bytes)
        call->columns.key.text = memcpy(at, key->text, text_bytes);
    return call;
}

/* Finds the call of an arrival, or makes it if it is the first there; NULL without memory. */
static struct checked_call *find_call(struct gravel_check *check,
                                      const struct gravelp_package *header,
                                      const struct gravel_run_key *key)
{
    const struct checked_call wanted = {.arrival = header->arrival};
    void *found = tfind(&wanted, &check->calls, compare);
    if (found)
        return *(struct checked_call **)found;
    struct checked_call *call = make_call(header, key);
    if (call && tsearch(call, &check->calls, compare))
        return call;
    free(call);
    return NULL;
}

static void add_message(struct gravel_columns *columns, const struct gravel_columns *arrived)
{
    const uint32_t command = columns->key.command, i = columns->n++;
    const size_t index_bytes = GRAVELP_INDEX_BYTES(command), bytes = GRAVELP_VALUE_BYTES(command);
    memcpy((void *)(columns->nodes + i), arrived->nodes, sizeof *arrived->nodes);
    memcpy((void *)(columns->index + i * index_bytes), arrived->index, index_bytes);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++)
        memcpy((void *)(columns->values[row] + i * bytes), arrived->values[row], bytes);
}

/* ---- names of kernels ------------------------------------------------------------------------ */

/* Returns the number that kernels and handlers say instead of a name, which ends at a semicolon or a 0. */
static uint32_t hash_of(const char *name)
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

/* ---- reports --------------------------------------------------------------------------------- */

void gravel_check_write_group(struct gravel_check *check, const struct gravelp_arrival *arrival,
                              char *text, size_t bytes)
{
    char kernel[96] = "a kernel", y_z[48] = "", sub_group[32] = "";
    const unsigned most = GRAVELP_ARRIVAL_MOST, x = (unsigned)arrival->item;
    const unsigned y = (unsigned)(arrival->item >> 32 & most), z = (unsigned)(arrival->item >> 48);
    pthread_mutex_lock(&check->names->lock);
    for (const char *name = check->names->list; name && *name; name += strcspn(name, ";") + 1)
        if (hash_of(name) == arrival->name)
            snprintf(kernel, sizeof kernel, "kernel %.*s", (int)strcspn(name, ";"), name);
    pthread_mutex_unlock(&check->names->lock);
    if (y || z) /* which are cut to 16 bits */
        snprintf(y_z, sizeof y_z, ", %u%s, %u%s", y, y == most ? " or more" : "", z,
                 z == most ? " or more" : "");
    if (GRAVELP_ARRIVAL_SCOPE(arrival->call))
        snprintf(sub_group, sizeof sub_group, ", sub-group %u",
                 GRAVELP_ARRIVAL_SCOPE(arrival->call) - 1);
    snprintf(text, bytes, "%s, work-group at (%u%s)%s", kernel, x, y_z, sub_group);
}

/* Describes what an arrival differs in from the first at its call. @return false: in nothing */
static bool describe_difference(struct gravel_check *check, const struct checked_call *call,
                                const struct gravelp_arrival *arrival,
                                const struct gravel_run_key *key, char *text, size_t bytes)
{
    const struct gravel_run_key *known = &call->columns.key;
    const uint32_t a = known->command, b = key->command, known_site = call->arrival.site;
    const bool are_records = GRAVELP_IS_RECORD(a) && GRAVELP_IS_RECORD(b);
    const uint32_t text_bytes = GRAVELP_TEXT_BYTES(a); /* 0 without one: the texts are NULL then */
    const bool have_texts = text_bytes && text_bytes == GRAVELP_TEXT_BYTES(b);
    const struct {
        const char *what;
        uint64_t first, second;
    } pairs[] = {
        {NULL, GRAVELP_ARRIVAL_LINE(known_site), GRAVELP_ARRIVAL_LINE(arrival->site)},
        {"operation", GRAVELP_COMMAND_OP(a), GRAVELP_COMMAND_OP(b)},
        {"type", GRAVELP_COMMAND_TYPE(a), GRAVELP_COMMAND_TYPE(b)},
        {"stream", are_records ? GRAVELP_RECORD_STREAM(a) : 0,
         are_records ? GRAVELP_RECORD_STREAM(b) : 0},
        {"number of words", are_records ? GRAVELP_RECORD_WORDS(a) : 0,
         are_records ? GRAVELP_RECORD_WORDS(b) : 0},
        {"text's room", GRAVELP_TEXT_BYTES(a), GRAVELP_TEXT_BYTES(b)},
        {"text", 0, have_texts && memcmp(known->text, key->text, text_bytes) != 0},
        {"handler", are_records ? 0 : GRAVELP_COMMAND_HANDLER(a),
         are_records ? 0 : GRAVELP_COMMAND_HANDLER(b)},
        {"number of arguments", are_records ? 0 : GRAVELP_COMMAND_N_ARGS(a),
         are_records ? 0 : GRAVELP_COMMAND_N_ARGS(b)},
        {"base", known->base, key->base},
        {are_records ? "list of argument types" : "result of the reply", known->result,
         key->result},
        {"signal", known->signal, key->signal},
        {"number of members", GRAVELP_ARRIVAL_MEMBERS(known_site),
         GRAVELP_ARRIVAL_MEMBERS(arrival->site)},
    };
    char group[224];
    size_t i = 0;
    while (i < sizeof pairs / sizeof *pairs && pairs[i].first == pairs[i].second)
        i++;
    if (i == sizeof pairs / sizeof *pairs)
        return false;
    gravel_check_write_group(check, &call->arrival, group, sizeof group);
    if (!pairs[i].what)
        snprintf(text, bytes,
                 "%s: where some work-items make the call of line %" PRIu64
                 ", others make that of line %" PRIu64 "; none of it was sent",
                 group, pairs[i].first, pairs[i].second);
    else if (!strcmp(pairs[i].what, "text"))
        snprintf(text, bytes,
                 "%s, line %u: the text differs between work-items; none of the call was sent",
                 group, GRAVELP_ARRIVAL_LINE(known_site));
    else
        snprintf(text, bytes,
                 "%s, line %u: the %s differs between work-items, %" PRIu64 " and %" PRIu64
                 "; none of the call was sent",
                 group, GRAVELP_ARRIVAL_LINE(known_site), pairs[i].what, pairs[i].first,
                 pairs[i].second);
    return true;
}

/* ---- interface ------------------------------------------------------------------------------- */

const struct gravel_columns *gravel_check_take(struct gravel_check *check,
                                               const struct gravelp_package *header,
                                               const struct gravel_columns *arrived, int *code,
                                               char *text, size_t bytes)
{
    free(check->finished);
    check->finished = NULL;
    struct checked_call *call = find_call(check, header, &arrived->key);
    *code = call ? 0 : GRAVEL_ENOMEM;
    if (!call) {
        snprintf(text, bytes, "no memory for a checked call");
        return NULL;
    }
    if (!call->is_wrong &&
        describe_difference(check, call, &header->arrival, &arrived->key, text, bytes)) {
        call->is_wrong = true;
        *code = GRAVEL_EKERNEL;
    }
    if (arrived->n && !call->is_wrong)
        add_message(&call->columns, arrived);
    if (++call->n_arrived < GRAVELP_ARRIVAL_MEMBERS(call->arrival.site))
        return NULL;
    tdelete(call, &check->calls, compare);
    check->finished = call;
    return call->is_wrong ? NULL : &call->columns;
}

bool gravel_check_end(struct gravel_check *check, char *text, size_t bytes)
{
    struct checked_call *first = NULL;
    free(check->finished);
    check->finished = NULL;
    while (check->calls) {
        struct checked_call *call = *(struct checked_call **)check->calls; /* the root's key */
        const bool is_first = !call->is_wrong && (!first || compare(call, first) < 0);
        tdelete(call, &check->calls, compare);
        free(is_first ? first : call);
        first = is_first ? call : first;
    }
    const bool is_reported = first;
    if (first) {
        char group[224];
        gravel_check_write_group(check, &first->arrival, group, sizeof group);
        snprintf(text, bytes,
                 "%s, line %u: %u of %u work-items made the call, which all must make; none of it "
                 "was sent (is it in a branch or a loop that some leave out, or behind a return? "
                 "Or does the kernel still run, on a queue of the program's?)",
                 group, GRAVELP_ARRIVAL_LINE(first->arrival.site), first->n_arrived,
                 GRAVELP_ARRIVAL_MEMBERS(first->arrival.site));
    }
    free(first);
    return is_reported;
}
