/* SPDX-License-Identifier: MIT */
/*
 * The words of a history: kinds, operations on them, and what a value that was seen tells. This is the model that Gravel
 * is checked against, so it shares nothing with the library but the numbers of operations and types.
 *
 * Path: generate.c, order.c, check.c -> this.
 */
#include "history.h"

#define FETCHED(OP) GRAVEL_##OP, GRAVEL_FETCH_##OP, GRAVEL_GET

const struct cell history_cells[HISTORY_CELLS] = {
    {REGISTER, GRAVEL_UINT, {GRAVEL_PUT, GRAVEL_PUT, GRAVEL_PUT_SIGNAL, GRAVEL_GET}},
    {REGISTER, GRAVEL_UINT, {GRAVEL_PUT, GRAVEL_PUT, GRAVEL_PUT_SIGNAL, GRAVEL_GET}},
    {REGISTER, GRAVEL_ULONG, {GRAVEL_PUT, GRAVEL_PUT_SIGNAL, GRAVEL_SWAP, GRAVEL_CAS, GRAVEL_GET}},
    {REGISTER, GRAVEL_ULONG, {GRAVEL_PUT, GRAVEL_PUT_SIGNAL, GRAVEL_SWAP, GRAVEL_CAS, GRAVEL_GET}},
    {SUM, GRAVEL_UINT, {FETCHED(ADD)}},
    {ORS, GRAVEL_UINT, {FETCHED(OR)}},
    {XORS, GRAVEL_ULONG, {FETCHED(XOR)}},
    {ANDS, GRAVEL_ULONG, {FETCHED(AND)}},
    {MAXS, GRAVEL_UINT, {FETCHED(MAX)}},
    {MINS, GRAVEL_ULONG, {FETCHED(MIN)}},
    {MIXED,
     GRAVEL_UINT,
     {GRAVEL_INC, GRAVEL_INC, GRAVEL_PUT, GRAVEL_ADD, GRAVEL_FETCH_ADD, GRAVEL_FETCH_OR,
      GRAVEL_GET}},
    {MIXED,
     GRAVEL_ULONG,
     {GRAVEL_PUT, GRAVEL_AND, GRAVEL_XOR, GRAVEL_SWAP, GRAVEL_CAS, GRAVEL_FETCH_MIN, GRAVEL_GET}},
    [HISTORY_TOTAL] = {SUM, GRAVEL_UINT, {HISTORY_ADDED}},
    [HISTORY_MOST] = {MAXS, GRAVEL_UINT, {HISTORY_MAXED}},
    [HISTORY_SLOTTED] = {SUM, GRAVEL_UINT, {HISTORY_SLOT}},
    [HISTORY_MIRRORED] = {REGISTER, GRAVEL_UINT, {GRAVEL_PUT}},
    [HISTORY_COUNTER] = {COUNTS, GRAVEL_UINT, {GRAVEL_INC}},
    [HISTORY_RECORDS] = {LOG, GRAVEL_UINT, {GRAVEL_APPEND}},
    [HISTORY_LOG] = {LOG, GRAVEL_ULONG, {GRAVEL_AM}},
};

uint64_t cell_first(uint32_t cell)
{
    enum cell_kind kind = history_cells[cell].kind;
    return kind == ANDS || kind == MINS ? UINT64_MAX : 0;
}

static uint64_t combined(uint32_t op, uint64_t word, uint64_t value)
{
    switch (op) {
    case GRAVEL_ADD:
    case HISTORY_ADDED:
    case HISTORY_SLOT:
        return word + value;
    case GRAVEL_MIN:
        return word < value ? word : value;
    case GRAVEL_MAX:
    case HISTORY_MAXED:
        return word > value ? word : value;
    case GRAVEL_AND:
        return word & value;
    case GRAVEL_OR:
        return word | value;
    case GRAVEL_XOR:
        return word ^ value;
    default: /* put, put_signal, swap, cas */
        return value;
    }
}

static uint64_t word_of_64(const struct event *event, uint64_t word)
{
    if (is_reading(event) || (event->op == GRAVEL_CAS && word != event->expected))
        return word;
    if (event->op == GRAVEL_INC || event->op == GRAVEL_AM || event->op == GRAVEL_APPEND)
        return word + 1;
    if (event->op >= GRAVEL_FETCH_ADD && event->op <= GRAVEL_FETCH_XOR)
        return combined(event->op - GRAVEL_FETCH, word, event->value);
    return combined(event->op, word, event->value);
}

uint64_t word_after(const struct event *event, uint64_t word)
{
    uint64_t after = word_of_64(event, word);
    return history_cells[event->cell].type == GRAVEL_UINT ? (uint32_t)after : after;
}

/* ---- what is told ------------------------------------------------------------------------------ */

static enum told if_before(bool is_before)
{
    return is_before ? TOLD_BEFORE : TOLD_AFTER;
}

/* Each value is stored once, and the first one never. */
static enum told told_by_register(uint64_t seen, const struct event *other)
{
    if (seen == other->value)
        return TOLD_BEFORE;
    return seen == 0 ? TOLD_AFTER : TOLD_NOTHING;
}

static enum told told_by_extreme(uint64_t seen, uint64_t value, bool is_better)
{
    if (seen == value)
        return TOLD_BEFORE;
    return is_better ? TOLD_AFTER : TOLD_NOTHING;
}

enum told what_is_told(const struct event *event, const struct event *other)
{
    const uint64_t seen = event->seen, value = other->value;
    if (!is_seeing(event) || event->op == HISTORY_COLLECT || is_reading(other))
        return TOLD_NOTHING;
    switch (history_cells[event->cell].kind) {
    case REGISTER:
        return told_by_register(seen, other);
    case SUM:
    case ORS:
    case XORS:
        return if_before(seen & value);
    case ANDS:
        return if_before(!(seen & ~value));
    case MAXS:
        return told_by_extreme(seen, value, value > seen);
    case MINS:
        return told_by_extreme(seen, value, value < seen);
    case LOG:
        return if_before(other->seen < seen);
    default:
        return TOLD_NOTHING;
    }
}
