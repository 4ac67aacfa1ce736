/* SPDX-License-Identifier: MIT */
/* Ranges that belong to accumulators. See guard.h. */
#include "aggregate/guard.h"

#include "layout/package.h"
#include "transport/names.h"
#include "transport/wire.h"

#include <inttypes.h>
#include <stdio.h>

void gravel_guards_add(struct gravel_guards *guards, struct gravel_guard *guard)
{
    pthread_mutex_lock(&guards->lock);
    guard->next = guards->first;
    guards->first = guard;
    pthread_mutex_unlock(&guards->lock);
}

void gravel_guards_remove(struct gravel_guards *guards, const struct gravel_guard *guard)
{
    pthread_mutex_lock(&guards->lock);
    struct gravel_guard **place = &guards->first;
    while (*place && *place != guard)
        place = &(*place)->next;
    if (*place)
        *place = guard->next;
    pthread_mutex_unlock(&guards->lock);
}

/* The guard of a range with one of these bytes; NULL: none. The lock is held. */
static struct gravel_guard *find(struct gravel_guards *guards, uint64_t begin, uint64_t bytes)
{
    struct gravel_guard *guard = guards->first;
    while (guard && (begin >= guard->end || begin + bytes <= guard->begin))
        guard = guard->next;
    return guard;
}

bool gravel_guards_have(struct gravel_guards *guards, uint64_t begin, uint64_t bytes)
{
    pthread_mutex_lock(&guards->lock);
    bool has = find(guards, begin, bytes);
    pthread_mutex_unlock(&guards->lock);
    return has;
}

void gravel_guards_touch(struct gravel_guards *guards, uint64_t begin, uint64_t bytes,
                         const char *what)
{
    pthread_mutex_lock(&guards->lock);
    struct gravel_guard *guard = bytes ? find(guards, begin, bytes) : NULL;
    if (guard && !guard->is_touched) {
        guard->is_touched = true;
        snprintf(guard->text, sizeof guard->text, "%s", what);
    }
    pthread_mutex_unlock(&guards->lock);
}

/* Element of message i. */
static uint64_t index_of(const struct gravel_columns *columns, uint32_t i)
{
    const uint32_t command = columns->key.command;
    if (GRAVELP_IS_REQUEST(command))
        return gravel_request_at(command, columns->index, i).index;
    return GRAVELP_INDEX_BYTES(command) == 8 ? ((const uint64_t *)columns->index)[i]
                                             : ((const uint32_t *)columns->index)[i];
}

void gravel_guards_touch_columns(struct gravel_guards *guards, const struct gravel_columns *columns,
                                 const char *who)
{
    const uint32_t command = columns->key.command, word_bytes = GRAVELP_VALUE_BYTES(command);
    const char *operation = gravel_operation_name(command);
    char text[sizeof guards->first->text];
    if (GRAVELP_IS_CALL(command))
        return;
    for (uint32_t i = 0; i < columns->n; i++) {
        uint64_t index = index_of(columns, i);
        snprintf(text, sizeof text, "%s of %s, index %" PRIu64 " at base %" PRIu64 ", by %s",
                 operation ? operation : "a message", gravel_type_name(command), index,
                 columns->key.base, who);
        gravel_guards_touch(guards, columns->key.base + index * word_bytes, word_bytes, text);
    }
}

bool gravel_guard_take(struct gravel_guards *guards, struct gravel_guard *guard, char *text,
                       size_t bytes)
{
    pthread_mutex_lock(&guards->lock);
    bool is_touched = guard->is_touched;
    if (is_touched)
        snprintf(text, bytes, "%s", guard->text);
    guard->is_touched = false;
    pthread_mutex_unlock(&guards->lock);
    return is_touched;
}
