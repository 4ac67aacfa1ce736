/* SPDX-License-Identifier: MIT */
/*
 * Makes accumulators: checks the range, lays the shadow out, builds the kernels. Where one node cannot, all refuse.
 *
 * Path:    gravel_accumulator_create -> this -> flush.c.
 */
#include "accumulate/accumulate.h"

#include "opencl/objects.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdio.h>

extern const char gravel_accumulate_cl[];

/* ---- checks ------------------------------------------------------------------------------------ */

static uint64_t range_end(const struct gravelp_accumulator *head)
{
    return head->offset + head->n * GRAVEL_TYPE_BYTES(head->word_type);
}

/* Checks that none of the node's accumulators has words of the range, and that their memory leaves enough for it. */
static int check_others(const struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->object.gravel;
    const struct gravelp_accumulator *own = &accumulator->head, *other = NULL;
    const uint64_t bytes = accumulator->bytes + accumulator->packed_bytes,
                   most = gravel->config.accumulate_bytes;
    uint64_t others = 0;
    GRAVEL_TRY(gravel_objects_enter(gravel));
    for (const struct gravel_object *at = gravel->objects; at; at = at->next) {
        const struct gravel_accumulator *there = (const struct gravel_accumulator *)at;
        if (at->kind != accumulator->object.kind)
            continue;
        others += there->bytes + there->packed_bytes;
        if (there->head.offset < range_end(own) && own->offset < range_end(&there->head))
            other = &there->head;
    }
    gravel_objects_leave(gravel);
    if (other)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: the %" PRIu64 " elements at offset %" PRIu64
                           " have words of the accumulator of %" PRIu64 " at offset %" PRIu64,
                           accumulator->object.name, own->n, own->offset, other->n, other->offset);
    if (bytes <= most && others <= most - bytes)
        return 0;
    return gravel_fail(GRAVEL_ENOMEM,
                       "%s: a shadow of %" PRIu64 " bytes, %u nodes' parts of %" PRIu64
                       " elements, next to %" PRIu64
                       " of others: GRAVEL_ACCUMULATE_MEMORY is %" PRIu64,
                       accumulator->object.name, bytes, own->n_parts, own->n, others, most);
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Lays a range out, which lies in a heap, so nothing here is near 2^64. */
static void lay_out(struct gravel_accumulator *accumulator)
{
    struct gravelp_accumulator *head = &accumulator->head;
    const uint64_t n_blocks_a_part =
        head->n / GRAVELP_ACCUMULATOR_BLOCK + (head->n % GRAVELP_ACCUMULATOR_BLOCK != 0);
    head->part_words = n_blocks_a_part * GRAVELP_ACCUMULATOR_BLOCK;
    head->index_bytes = head->n - 1 > UINT32_MAX ? 8 : 4;
    const uint64_t n_blocks = n_blocks_a_part * head->n_parts,
                   n_words = n_blocks * GRAVELP_ACCUMULATOR_BLOCK,
                   word_bytes = GRAVEL_TYPE_BYTES(head->word_type),
                   message_bytes = head->index_bytes + word_bytes;
    accumulator->n_block_words = (uint32_t)((n_blocks + 31) / 32);
    accumulator->bytes = sizeof *head;
    gravel_object_take(&accumulator->bytes,
                       head->n_parts * sizeof(struct gravelp_accumulator_tally));
    head->few_at =
        gravel_object_take(&accumulator->bytes, GRAVELP_ACCUMULATOR_FEW * (4 + message_bytes));
    accumulator->seen_bytes = accumulator->bytes;
    head->words_at = gravel_object_take(&accumulator->bytes, n_words * word_bytes);
    head->bits_at = gravel_object_take(&accumulator->bytes, n_words / 8);
    head->blocks_at =
        gravel_object_take(&accumulator->bytes, (uint64_t)accumulator->n_block_words * 4);
    head->list_at = gravel_object_take(&accumulator->bytes, n_blocks * 4);
    /* memory for the words of as many blocks as are packed at once */
    const uint64_t block_bytes = message_bytes * GRAVELP_ACCUMULATOR_BLOCK,
                   fit = GRAVEL_ROWS_MOST_BYTES / block_bytes;
    accumulator->pack_blocks = (uint32_t)(n_blocks < fit ? n_blocks : fit);
    accumulator->packed_bytes = accumulator->pack_blocks * block_bytes;
    head->packed_values_at =
        (uint64_t)accumulator->pack_blocks * GRAVELP_ACCUMULATOR_BLOCK * head->index_bytes;
}

/* Advises on a CPU device's buffer: memory of the process, without pages yet. */
static int advise(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->object.gravel;
    cl_event mapped = NULL;
    cl_int error = CL_SUCCESS;
    if (!gravel->device.capability.is_cpu || !gravel->config.huge_pages)
        return 0;
    void *start = clEnqueueMapBuffer(gravel->device.queue, accumulator->memory, CL_FALSE,
                                     CL_MAP_WRITE_INVALIDATE_REGION, 0, accumulator->bytes, 0, NULL,
                                     &mapped, &error);
    GRAVEL_TRY(gravel_wait_command(&gravel->device, gravel->device.queue, error, mapped,
                                   "accumulator: mapping its memory"));
    gravel_ask_for_huge_pages(start, accumulator->bytes);
    return gravel_check_cl(
        "accumulator: clEnqueueUnmapMemObject",
        clEnqueueUnmapMemObject(gravel->device.queue, accumulator->memory, start, 0, NULL, NULL));
}

static int make_memory(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->object.gravel;
    if (gravel->n_pump_buffers && accumulator->head.index_bytes == 4)
        accumulator->headers =
            (struct gravel_pool){.buffer_bytes = GRAVELP_CACHELINE, .n_buffers = gravel->n_heaps};
    GRAVEL_TRY(gravel_cl_buffer_create(&gravel->device, accumulator->object.name,
                                       accumulator->bytes, &accumulator->memory));
    if (accumulator->packed_bytes)
        GRAVEL_TRY(gravel_cl_buffer_create(&gravel->device, accumulator->object.name,
                                           accumulator->packed_bytes, &accumulator->packed));
    GRAVEL_TRY(advise(accumulator));
    GRAVEL_TRY(gravel_object_write(&accumulator->object, accumulator->memory, &accumulator->head,
                                   sizeof accumulator->head));
    return gravel_pinned_create(&accumulator->staging, &gravel->device, gravel->copies,
                                accumulator->object.name, NULL, accumulator->seen_bytes);
}

/* ---- create and destroy ------------------------------------------------------------------------ */

/* Frees an accumulator, unless the device may still use it: a kernel may keep the last copy to the staging from its
 * end, and a flush begins the unmapping on the node's queue of copies. */
static bool free_all(struct gravel_object *object)
{
    struct gravel_accumulator *accumulator = (struct gravel_accumulator *)object;
    const struct gravel *gravel = object->gravel;
    if (gravel_accumulator_wait_applied(accumulator) || gravel_node_is_stuck(gravel) ||
        (accumulator->copied && !gravel_cl_event_has_ended(accumulator->copied)) ||
        !gravel_wait_is_done(&gravel->device, gravel->copies, "copies of accumulators"))
        return false;
    gravel_cl_event_release(accumulator->copied);
    gravel_pinned_destroy(&accumulator->staging);
    gravel_cl_flush(gravel->copies, CL_SUCCESS);
    gravel_cl_buffer_release(accumulator->packed);
    gravel_cl_buffer_release(accumulator->memory);
    gravel_pool_destroy(&accumulator->headers);
    return true;
}

static int check(struct gravel_object *object, const void *requested)
{
    struct gravel_accumulator *accumulator = (struct gravel_accumulator *)object;
    struct gravelp_accumulator *head = &accumulator->head;
    const struct gravel_capability *capability = &object->gravel->device.capability;
    const uint32_t n_nodes = gravel_n_nodes(object->gravel);
    const bool is_alone = n_nodes == 1 && !object->gravel->config.check;
    char named[GRAVEL_NAMED_BYTES];
    *head = *(const struct gravelp_accumulator *)requested;
    head->op = head->op == GRAVEL_INC ? GRAVEL_ADD : head->op;
    head->n_nodes = n_nodes;
    head->n_parts = is_alone ? 0 : n_nodes;
    GRAVEL_TRY(gravel_object_check_words(object, true, head->op, head->word_type, head->offset));
    const uint64_t word_bytes = GRAVEL_TYPE_BYTES(head->word_type);
    if (word_bytes == 8 && !capability->has_long_atomics)
        return gravel_fail(GRAVEL_ECAPABILITY, "%s: %s has no atomics of 64 bits", object->name,
                           capability->name);
    if (head->n == 0)
        return gravel_fail(GRAVEL_EINVAL, "%s: a range of 0 elements", object->name);
    if (head->n > UINT64_MAX / word_bytes)
        return gravel_fail(GRAVEL_ERANGE, "%s: %" PRIu64 " elements", object->name, head->n);
    GRAVEL_TRY(
        gravel_node_refuse_bytes(object->gravel, object->name, head->offset, head->n * word_bytes));
    head->neutral = gravel_object_neutral(head->op, head->word_type);
    lay_out(accumulator);
    object->range =
        (struct gravel_guard){.begin = head->offset, .end = range_end(head), .is_exclusive = true};
    snprintf(object->call.name, sizeof object->call.name, "%" PRIu64 " elements by %s", head->n,
             gravel_name_operation(named, head->op, head->word_type));
    return check_others(accumulator);
}

static int make(struct gravel_object *object, const void *requested)
{
    struct gravel_accumulator *accumulator = (struct gravel_accumulator *)object;
    static const char *const names[] = {"clear", "collect", "pack"};
    const bool is_wide = GRAVEL_TYPE_BYTES(accumulator->head.word_type) == 8;
    const struct gravel_program_request request = {
        .name = "accumulate.cl",
        .source = gravel_accumulate_cl,
        .options = is_wide ? "-DGRAVELP_INTERNAL -DGRAVELP_ACCUMULATE_BITS=ulong"
                           : "-DGRAVELP_INTERNAL -DGRAVELP_ACCUMULATE_BITS=uint"};
    (void)requested;
    GRAVEL_TRY(make_memory(accumulator));
    GRAVEL_TRY(gravel_object_build(object, &request, names, accumulator->memory));
    return gravel_accumulator_clear(accumulator, false);
}

static const struct gravel_object_kind of_accumulators = {
    .name = "accumulator",
    .destroy = GRAVEL_CALL_ACCUMULATOR_DESTROY,
    .bytes = sizeof(struct gravel_accumulator),
    .check = check,
    .make = make,
    .flush = gravel_accumulator_send,
    .check_end = gravel_accumulator_check_end,
    .free = free_all};

int gravel_accumulator_create(struct gravel_accumulator **out, struct gravel *gravel,
                              uint64_t offset, uint64_t n, uint32_t op, uint32_t type)
{
    const struct gravelp_accumulator request = {
        .op = op, .word_type = type, .offset = offset, .n = n};
    return gravel_object_create(out, gravel, GRAVEL_CALL_ACCUMULATOR, &of_accumulators, &request);
}

int gravel_accumulator_destroy(struct gravel_accumulator *accumulator)
{
    return gravel_object_destroy((struct gravel_object *)accumulator);
}

int gravel_kernel_set_accumulator(const struct gravel_accumulator *accumulator, cl_kernel kernel,
                                  cl_uint index)
{
    GRAVEL_TRY(gravel_require(__func__, "accumulator", accumulator));
    GRAVEL_TRY(gravel_require(__func__, "kernel", kernel));
    GRAVEL_TRY(gravel_enter(accumulator->object.gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_parameter_check(__func__, kernel, index, GRAVEL_PARAMETER_ACCUMULATOR));
    return gravel_check_cl(
        __func__, clSetKernelArg(kernel, index, sizeof accumulator->memory, &accumulator->memory));
}
