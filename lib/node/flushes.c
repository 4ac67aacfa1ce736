/* SPDX-License-Identifier: MIT */
/*
 * The node's objects, and what guards them. See object.h.
 *
 * Path:    object.c -> this; waits.c -> this -> accumulate/flush.c.
 */
#include "node/object.h"

int gravel_objects_enter(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->objects_lock,
                            "another thread, which flushes accumulators");
}

void gravel_objects_leave(struct gravel *gravel)
{
    pthread_mutex_unlock(&gravel->objects_lock);
}

int gravel_objects_flush(struct gravel *gravel)
{
    int code = 0;
    GRAVEL_TRY(gravel_objects_enter(gravel));
    for (struct gravel_object *object = gravel->objects; object; object = object->next) {
        int flushed = object->kind->flush ? object->kind->flush(object) : 0;
        code = code ? code : flushed;
    }
    gravel_objects_leave(gravel);
    return code;
}

int gravel_objects_add(struct gravel_object *object)
{
    struct gravel *gravel = object->gravel;
    GRAVEL_TRY(gravel_objects_enter(gravel));
    object->next = gravel->objects;
    gravel->objects = object;
    gravel_objects_leave(gravel);
    object->guard.begin = object->memory;
    object->guard.end = object->memory + object->memory_bytes;
    object->guard.object = object->range.object = object->kind->name;
    gravel_guards_add(&gravel->guards, &object->guard);
    gravel_guards_add(&gravel->guards, &object->range);
    return 0;
}

int gravel_objects_remove(struct gravel_object *object)
{
    struct gravel *gravel = object->gravel;
    gravel_guards_remove(&gravel->guards, &object->guard);
    gravel_guards_remove(&gravel->guards, &object->range);
    GRAVEL_TRY(gravel_objects_enter(gravel));
    struct gravel_object **link = &gravel->objects;
    while (*link && *link != object)
        link = &(*link)->next;
    if (*link)
        *link = object->next;
    gravel_objects_leave(gravel);
    return 0;
}
