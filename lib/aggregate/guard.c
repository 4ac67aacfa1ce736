/* SPDX-License-Identifier: MIT */
/* Ranges that objects use. See guard.h. */
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
    struct gravel_guard **link = &guards->first;
    while (*link && *link != guard)
        link = &(*link)->next;
    if (*link)
        *link = guard->next;
    pthread_mutex_unlock(&guards->lock);
}

/* @return a guard of one of these bytes; NULL: there is none. The lock is held. */
static struct gravel_guard *find(struct gravel_guards *guards, uint64_t begin, uint64_t bytes,
                                 bool is_exclusive)
{
    struct gravel_guard *guard = guards->first;
    while (guard && (begin >= guard->end || begin + bytes <= guard->begin ||
                     (is_exclusive && !guard->is_exclusive)))
        guard = guard->next;
    return guard;
}

const char *gravel_guards_object(struct gravel_guards *guards, uint64_t begin, uint64_t bytes)
{
    pthread_mutex_lock(&guards->lock);
    const struct gravel_guard *guard = find(guards, begin, bytes, false);
    const char *object = guard ? guard->object : NULL;
    pthread_mutex_unlock(&guards->lock);
    return object;
}

void gravel_guards_touch(struct gravel_guards *guards, uint64_t begin, uint64_t bytes,
                         const char *what)
{
    pthread_mutex_lock(&guards->lock);
    struct gravel_guard *guard = bytes ? find(guards, begin, bytes, true) : NULL;
    if (guard && !guard->is_touched) {
        guard->is_touched = true;
        snprintf(guard->text, sizeof guard->text, "%s", what);
    }
    pthread_mutex_unlock(&guards->lock);
}

void gravel_guards_touch_columns(struct gravel_guards *guards, const struct gravel_columns *columns,
                                 struct gravel_check *check, const struct gravelp_arrival *arrival)
{
    const uint32_t command = columns->key.command, word_bytes = GRAVELP_VALUE_BYTES(command);
    const char *operation = gravel_operation_name(command);
    pthread_mutex_lock(&guards->lock);
    const uint32_t n = guards->first && !GRAVELP_IS_CALL(command) ? columns->n : 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t index = gravel_element_at(command, columns->index, i).index;
        struct gravel_guard *guard =
            find(guards, columns->key.base + index * word_bytes, word_bytes, true);
        if (!guard || guard->is_touched) /* of most packages all: no text is written */
            continue;
        char who[240] = "a work-item alone";
        if (arrival)
            gravel_check_write_group(check, arrival, who, sizeof who);
        guard->is_touched = true;
        snprintf(guard->text, sizeof guard->text,
                 "%s of %s, index %" PRIu64 " at base %" PRIu64 ", by %s",
                 operation ? operation : "a message", gravel_type_name(command), index,
                 columns->key.base, who);
    }
    pthread_mutex_unlock(&guards->lock);
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
