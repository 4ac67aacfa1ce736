/* SPDX-License-Identifier: MIT */
/* Things that all nodes make together. See object.h. */
#include "node/object.h"

#include "node/enqueue.h"
#include "settings/defaults.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Frees what there is of an object, as all nodes do. What the heap then says is noted for the next wait. */
static void drop(struct gravel_object *object)
{
    struct gravel *gravel = object->gravel;
    const char *call = gravel_call_name(object->kind->destroy);
    int code = object->memory_bytes && !gravel_node_has_failed(gravel)
                   ? gravel_node_release(gravel, call, object->memory)
                   : 0;
    if (code)
        gravel_report(gravel, code, false, gravel_last_error());
    gravel_guards_remove(&gravel->guards, &object->guard);
    gravel_guards_remove(&gravel->guards, &object->range);
    if (gravel_objects_enter(gravel))
        return; /* another thread may still flush it */
    struct gravel_object **link = &gravel->objects;
    while (*link && *link != object)
        link = &(*link)->next;
    if (*link)
        *link = object->next;
    gravel_objects_leave(gravel);
    if (object->kind->free && !object->kind->free(object))
        return;
    gravel_cl_kernels_release(object->kernels, GRAVEL_OBJECT_KERNELS);
    gravel_cl_program_release(object->program);
    free(object);
}

int gravel_object_create(void *out, struct gravel *gravel, uint32_t create,
                         const struct gravel_object_kind *kind, const void *request)
{
    const struct gravel_collective_call any = {.kind = create};
    const char *call = gravel_call_name(create);
    struct gravel_object *object = NULL;
    if (out)
        memcpy(out, &object, sizeof object);
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    object = calloc(1, kind->bytes);
    int code = gravel_require(call, "out", out);
    if (!code && !object)
        code = gravel_fail_memory(call, kind->bytes);
    if (object) {
        object->kind = kind;
        object->gravel = gravel;
        object->name = call;
        object->call.kind = create;
    }
    if (!code)
        code = kind->check(object, request);
    code = gravel_node_agree_on(gravel, &any, false, code);
    if (!code) {
        object->call.arguments[0] = object->range.begin;
        code = gravel_node_agree_on(gravel, &object->call, true, 0);
    }
    if (!code)
        code = gravel_node_agree_on(gravel, &object->call, true, kind->make(object, request));
    if (!code && !(code = gravel_objects_enter(gravel))) {
        object->next = gravel->objects;
        gravel->objects = object;
        gravel_objects_leave(gravel);
        object->guard.begin = object->memory;
        object->guard.end = object->memory + object->memory_bytes;
        object->guard.object = object->range.object = kind->name;
        gravel_guards_add(&gravel->guards, &object->guard);
        gravel_guards_add(&gravel->guards, &object->range);
        memcpy(out, &object, sizeof object);
        return 0;
    }
    if (!object)
        return code;
    const struct gravel_kept met = gravel_keep(code);
    drop(object);
    return gravel_fail_again(&met);
}

int gravel_object_check_words(const struct gravel_object *object, bool combines, uint32_t op,
                              uint32_t type, uint64_t offset)
{
    const struct gravel_capability *capability = &object->gravel->device.capability;
    char named[GRAVEL_NAMED_BYTES];
    if (!gravel_has_operation(op, type) || (combines && op < GRAVEL_ADD))
        return gravel_fail(GRAVEL_EINVAL, "%s: there is no %s", object->name,
                           gravel_name_operation(named, op, type));
    if (offset % GRAVEL_TYPE_BYTES(type))
        return gravel_fail(GRAVEL_EINVAL, "%s: offset %" PRIu64 " is not a multiple of %u bytes",
                           object->name, offset, GRAVEL_TYPE_BYTES(type));
    if (combines && type == GRAVEL_DOUBLE && !capability->has_double)
        return gravel_fail(GRAVEL_ECAPABILITY, "%s: %s has no double", object->name,
                           capability->name);
    return 0;
}

int gravel_object_refuse(const void *made, const char *name, const char *call)
{
    const struct gravel_object *object = made;
    GRAVEL_TRY(gravel_require(call, name, object));
    GRAVEL_TRY(gravel_enter(object->gravel, call, GRAVEL_WAITS));
    return gravel_leave(object->gravel, 0);
}

uint64_t gravel_object_neutral(uint32_t op, uint32_t type)
{
    static const int64_t least[] = {INT32_MIN, 0, INT64_MIN, 0},
                         most[] = {INT32_MAX, UINT32_MAX, INT64_MAX, -1};
    return op == GRAVEL_MIN   ? (uint64_t)most[type]
           : op == GRAVEL_MAX ? (uint64_t)least[type]
           : op == GRAVEL_AND ? UINT64_MAX
                              : 0;
}

int gravel_object_write(const struct gravel_object *object, cl_mem buffer, const void *from,
                        uint64_t bytes)
{
    const struct gravel_device *device = &object->gravel->device;
    cl_event copied = NULL;
    cl_int error =
        clEnqueueWriteBuffer(device->queue, buffer, CL_FALSE, 0, bytes, from, 0, NULL, &copied);
    return gravel_wait_command(device, device->queue, error, copied, object->name);
}

int gravel_object_alloc(struct gravel_object *object, uint64_t bytes)
{
    if (object->memory_bytes) {
        int code = gravel_node_release(object->gravel, object->name, object->memory);
        object->memory_bytes = 0;
        GRAVEL_TRY(gravel_node_agree_on(object->gravel, &object->call, true, code));
    }
    GRAVEL_TRY(gravel_alloc(object->gravel, bytes, &object->memory));
    object->memory_bytes = bytes;
    return 0;
}

int gravel_object_build(struct gravel_object *object, const struct gravel_program_request *request,
                        const char *const *names, cl_mem memory)
{
    struct gravel *gravel = object->gravel;
    object->group = gravel_derive_group_size(&gravel->device);
    GRAVEL_TRY(gravel_node_build(gravel, request, &object->program));
    GRAVEL_TRY(gravel_cl_kernels_create(&gravel->device, object->program, names,
                                        GRAVEL_OBJECT_KERNELS, &object->group, object->kernels));
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < GRAVEL_OBJECT_KERNELS && error == CL_SUCCESS; i++)
        error = memory ? clSetKernelArg(object->kernels[i], 0, sizeof memory, &memory)
                       : gravel_memory_set_argument(&gravel->memory, object->kernels[i], 0);
    return gravel_check_cl(object->name, error);
}

int gravel_object_run(const struct gravel_object *object, uint32_t kernel,
                      const struct gravel_argument *arguments, size_t n, uint64_t n_items)
{
    struct gravel *gravel = object->gravel;
    const size_t group = object->group, global = (n_items + group - 1) / group * group;
    const bool changes_heap = object->kind->changes_heap;
    const struct gravel_command command = {.call = object->kind->name,
                                           .kernel = object->kernels[kernel],
                                           .n_dimensions = 1,
                                           .global = &global,
                                           .local = &group,
                                           .is_remembered = changes_heap};
    cl_event end = NULL;
    GRAVEL_TRY(gravel_check_cl(
        command.call, gravel_cl_kernel_set(&gravel->device, command.kernel, 1, arguments, n)));
    if (n_items == 0)
        return 0;
    if (changes_heap)
        gravel_checked_begin_launch(gravel);
    int code = gravel_node_enqueue(gravel, &command, &end);
    if (changes_heap)
        gravel_checked_end_launch(gravel, end ? command.kernel : NULL);
    cl_int flushed = clFlush(gravel->device.queue);
    gravel_cl_event_release(end);
    GRAVEL_TRY(code);
    return gravel_check_cl("clFlush", flushed);
}

int gravel_object_destroy(struct gravel_object *object)
{
    if (!object)
        return 0;
    struct gravel *gravel = object->gravel;
    const struct gravel_object_kind *kind = object->kind;
    const uint64_t at = object->memory_bytes ? object->memory : object->range.begin;
    const struct gravel_collective_call call = {.kind = kind->destroy, .arguments = {at}};
    int code = 0;
    GRAVEL_TRY(gravel_enter(gravel, gravel_call_name(call.kind), GRAVEL_WAITS));
    if (!gravel_node_has_failed(gravel))
        code =
            kind->check_end ? kind->check_end(object) : gravel_node_barrier(gravel, &call, false);
    code = gravel_node_agree_on(gravel, &call, !kind->check_end, code);
    if (!code || gravel_node_has_failed(gravel))
        drop(object);
    return code;
}
