/* SPDX-License-Identifier: MIT */
/* Things that all nodes make together. See object.h. */
#include "node/object.h"

#include <stdio.h>
#include <stdlib.h>

/* Frees what there is of an object, as all nodes do. What the heap then says is noted for the next wait. */
static void drop(struct gravel_object *object)
{
    struct gravel *gravel = object->gravel;
    const char *call = gravel_call_name(object->kind->destroy);
    gravel_guards_remove(&gravel->guards, &object->guard);
    int code = object->memory_bytes && !gravel_node_has_failed(gravel)
                   ? gravel_node_release(gravel, call, object->memory)
                   : 0;
    if (code)
        gravel_report(gravel, code, false, gravel_last_error());
    if (object->kind->free)
        object->kind->free(object);
    free(object);
}

/* Takes a request over. @param object  [out] NULL if memory is out */
static int begin(struct gravel_object **object, struct gravel *gravel,
                 const struct gravel_object_kind *kind, const void *request)
{
    *object = calloc(1, kind->bytes);
    if (!*object)
        return gravel_fail(GRAVEL_ENOMEM, "%s: out of memory (%zu bytes)",
                           gravel_call_name(kind->create), kind->bytes);
    (*object)->kind = kind;
    (*object)->gravel = gravel;
    (*object)->call.kind = kind->create;
    return kind->check(*object, request);
}

int gravel_object_create(struct gravel_object **out, struct gravel *gravel,
                         const struct gravel_object_kind *kind, const void *request)
{
    const struct gravel_collective_call refused = {.kind = kind->create};
    const char *call = gravel_call_name(kind->create);
    struct gravel_object *object = NULL;
    if (out)
        *out = NULL;
    if (gravel_node_refuse_wait(gravel, call))
        return GRAVEL_EINVAL;
    int code = gravel_require(call, "out", out);
    if (!code)
        code = begin(&object, gravel, kind, request);
    code = gravel_node_agree_on(gravel, &refused, false, code);
    if (!code)
        code = gravel_node_agree_on(gravel, &object->call, true, 0);
    if (!code)
        code = gravel_node_agree_on(gravel, &object->call, true, kind->make(object, request));
    if (code && object) {
        char text[GRAVEL_ERROR_BYTES];
        snprintf(text, sizeof text, "%s", gravel_last_error());
        drop(object);
        return gravel_fail_text(code, text);
    }
    if (!code) {
        object->guard = (struct gravel_guard){.object = kind->name,
                                              .begin = object->memory,
                                              .end = object->memory + object->memory_bytes};
        gravel_guards_add(&gravel->guards, &object->guard);
        *out = object;
    }
    return code;
}

int gravel_object_alloc(struct gravel_object *object, uint64_t bytes)
{
    int code = gravel_alloc(object->gravel, bytes, &object->memory);
    object->memory_bytes = code ? 0 : bytes;
    return code;
}

int gravel_object_destroy(struct gravel_object *object)
{
    if (!object)
        return 0;
    struct gravel *gravel = object->gravel;
    const struct gravel_collective_call call = {.kind = object->kind->destroy,
                                                .arguments = {object->memory}};
    int code = gravel_node_refuse_wait(gravel, gravel_call_name(call.kind));
    if (code)
        return code;
    code = gravel_node_barrier(gravel, &call, false);
    code = gravel_node_agree_on(gravel, &call, true, code);
    if (code && !gravel_node_has_failed(gravel))
        return code;
    drop(object);
    return code;
}
