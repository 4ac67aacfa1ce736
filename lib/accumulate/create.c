/* SPDX-License-Identifier: MIT */
/*
 * Makes accumulators: checks the range, lays the shadow out, builds the kernels. Where one node cannot, all refuse.
 *
 * Path:    gravel_accumulator_create -> this -> flush.c.
 */
#include "accumulate/accumulate.h"

#include "settings/defaults.h"
#include "opencl/objects.h"
#include "opencl/parameter.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const char gravel_accumulate_cl[];

static const char create_call[] = "gravel_accumulator_create";

/* ---- checks ------------------------------------------------------------------------------------ */

static bool is_operation(uint32_t op, uint32_t type)
{
    return type <= GRAVEL_ULONG ? op >= GRAVEL_ADD && op <= GRAVEL_XOR : op == GRAVEL_ADD;
}

static int check_kind(const struct gravel_accumulator *accumulator)
{
    const struct gravel_capability *capability = &accumulator->gravel->device.capability;
    const struct gravelp_accumulator *head = &accumulator->head;
    uint32_t word_bytes = GRAVEL_TYPE_BYTES(head->word_type % 8);
    char named[GRAVEL_NAMED_BYTES];
    if (head->word_type > GRAVEL_DOUBLE)
        return gravel_fail(GRAVEL_EINVAL, "%s: there is no type %u", create_call, head->word_type);
    if (!is_operation(head->op, head->word_type))
        return gravel_fail(GRAVEL_EINVAL, "%s: there is no %s", create_call,
                           gravel_name_operation(named, head->op, head->word_type));
    if (head->offset % word_bytes)
        return gravel_fail(GRAVEL_EINVAL, "%s: offset %" PRIu64 " is no multiple of %u bytes",
                           create_call, head->offset, word_bytes);
    if (head->word_type == GRAVEL_DOUBLE && !capability->has_double)
        return gravel_fail(GRAVEL_ECAPABILITY, "%s: %s has no double", create_call,
                           capability->name);
    if (word_bytes == 8 && !capability->has_long_atomics)
        return gravel_fail(GRAVEL_ECAPABILITY, "%s: %s has no atomics of 64 bits", create_call,
                           capability->name);
    return 0;
}

/* Of one that is of the node's list. */
static struct gravel_accumulator *of_flush(struct gravel_flush *flush)
{
    return (struct gravel_accumulator *)((char *)flush -
                                         offsetof(struct gravel_accumulator, flush));
}

/* On the device. */
static uint64_t all_bytes(const struct gravel_accumulator *accumulator)
{
    return accumulator->bytes + accumulator->packed_bytes;
}

static uint64_t range_end(const struct gravelp_accumulator *head)
{
    return head->offset + head->n * GRAVEL_TYPE_BYTES(head->word_type);
}

/* What the node's other accumulators have. @return bytes of theirs; *other [out] one that has words of the range. */
static uint64_t look_at_others(const struct gravel_accumulator *accumulator,
                               const struct gravelp_accumulator **other)
{
    const struct gravelp_accumulator *own = &accumulator->head;
    uint64_t bytes = 0;
    *other = NULL;
    if (gravel_flushes_enter(accumulator->gravel))
        return 0; /* the node has failed */
    for (struct gravel_flush *at = accumulator->gravel->flushes; at; at = at->next) {
        const struct gravelp_accumulator *head = &of_flush(at)->head;
        bytes += all_bytes(of_flush(at));
        if (head->offset < range_end(own) && own->offset < range_end(head))
            *other = head;
    }
    gravel_flushes_leave(accumulator->gravel);
    return bytes;
}

static int check_range(const struct gravel_accumulator *accumulator)
{
    const struct gravelp_accumulator *head = &accumulator->head, *other;
    uint64_t word_bytes = GRAVEL_TYPE_BYTES(head->word_type);
    if (head->n == 0)
        return gravel_fail(GRAVEL_EINVAL, "%s: a range of 0 elements", create_call);
    if (head->n > UINT64_MAX / word_bytes)
        return gravel_fail(GRAVEL_ERANGE, "%s: %" PRIu64 " elements", create_call, head->n);
    int code = gravel_node_refuse_bytes(accumulator->gravel, create_call, head->offset,
                                        head->n * word_bytes);
    if (code)
        return code;
    look_at_others(accumulator, &other);
    return other ? gravel_fail(GRAVEL_EINVAL,
                               "%s: the %" PRIu64 " elements at offset %" PRIu64
                               " have words of the accumulator of %" PRIu64 " at offset %" PRIu64,
                               create_call, head->n, head->offset, other->n, other->offset)
                 : 0;
}

/* Bits of what changes no word. */
static uint64_t neutral(uint32_t op, uint32_t type)
{
    static const int64_t least[] = {INT32_MIN, 0, INT64_MIN, 0},
                         most[] = {INT32_MAX, UINT32_MAX, INT64_MAX, -1};
    return op == GRAVEL_MIN   ? (uint64_t)most[type]
           : op == GRAVEL_MAX ? (uint64_t)least[type]
           : op == GRAVEL_AND ? UINT64_MAX
                              : 0;
}

/* ---- memory ------------------------------------------------------------------------------------ */

static uint64_t take(uint64_t *end, uint64_t bytes)
{
    uint64_t at = *end;
    *end += (bytes + GRAVELP_CACHELINE - 1) / GRAVELP_CACHELINE * GRAVELP_CACHELINE;
    return at;
}

/* Of a message. */
static uint64_t packed_word_bytes(const struct gravelp_accumulator *head)
{
    return head->index_bytes + GRAVEL_TYPE_BYTES(head->word_type);
}

/* Memory for the words of so many blocks as are packed at once. */
static void lay_packed_out(struct gravel_accumulator *accumulator, uint64_t n_blocks)
{
    struct gravelp_accumulator *head = &accumulator->head;
    const uint64_t block_bytes = packed_word_bytes(head) * GRAVELP_ACCUMULATOR_BLOCK,
                   fit = GRAVEL_ROWS_MOST_BYTES / block_bytes;
    accumulator->pack_blocks = (uint32_t)(n_blocks < fit ? n_blocks : fit);
    accumulator->packed_bytes = accumulator->pack_blocks * block_bytes;
    head->packed_values_at =
        (uint64_t)accumulator->pack_blocks * GRAVELP_ACCUMULATOR_BLOCK * head->index_bytes;
}

static void lay_out(struct gravel_accumulator *accumulator)
{
    struct gravelp_accumulator *head = &accumulator->head;
    uint64_t n_blocks_a_part =
        head->n / GRAVELP_ACCUMULATOR_BLOCK + (head->n % GRAVELP_ACCUMULATOR_BLOCK != 0);
    head->part_words = n_blocks_a_part * GRAVELP_ACCUMULATOR_BLOCK;
    head->index_bytes = head->n - 1 > UINT32_MAX ? 8 : 4;
    uint64_t n_words = head->part_words * head->n_parts,
             n_blocks = n_words / GRAVELP_ACCUMULATOR_BLOCK;
    accumulator->n_block_words = (uint32_t)((n_blocks + 31) / 32);
    accumulator->bytes = sizeof *head;
    take(&accumulator->bytes, head->n_parts * sizeof(struct gravelp_accumulator_tally));
    head->few_at =
        take(&accumulator->bytes, GRAVELP_ACCUMULATOR_FEW * (4 + packed_word_bytes(head)));
    accumulator->seen_at = offsetof(struct gravelp_accumulator, n_few);
    accumulator->seen_bytes = accumulator->bytes - accumulator->seen_at;
    head->words_at = take(&accumulator->bytes, n_words * GRAVEL_TYPE_BYTES(head->word_type));
    head->bits_at = take(&accumulator->bytes, n_words / 8);
    head->blocks_at = take(&accumulator->bytes, (uint64_t)accumulator->n_block_words * 4);
    head->list_at = take(&accumulator->bytes, n_blocks * 4);
    lay_packed_out(accumulator, n_blocks);
}

/* A range lies in a heap, so nothing here is near 2^64. */
static int check_memory(const struct gravel_accumulator *accumulator)
{
    const struct gravelp_accumulator *head = &accumulator->head, *other;
    uint64_t most = accumulator->gravel->config.accumulate_bytes,
             others = look_at_others(accumulator, &other), bytes = all_bytes(accumulator);
    if (bytes <= most && others <= most - bytes)
        return 0;
    return gravel_fail(GRAVEL_ENOMEM,
                       "%s: a shadow of %" PRIu64 " bytes, %u nodes' parts of %" PRIu64
                       " elements, beside %" PRIu64
                       " of others: GRAVEL_ACCUMULATE_MEMORY is %" PRIu64,
                       create_call, bytes, head->n_parts, head->n, others, most);
}

/* A CPU device's buffer is memory of the process, and has no pages yet. */
static int advise(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->gravel;
    cl_event mapped = NULL;
    cl_int error = CL_SUCCESS;
    if (!gravel->device.capability.is_cpu || !gravel->config.huge_pages)
        return 0;
    void *start = clEnqueueMapBuffer(gravel->device.queue, accumulator->memory, CL_FALSE,
                                     CL_MAP_WRITE_INVALIDATE_REGION, 0, accumulator->bytes, 0, NULL,
                                     &mapped, &error);
    int code = gravel_wait_command(&gravel->device, gravel->device.queue, error, mapped,
                                   "accumulator: mapping its memory");
    if (code)
        return code;
    gravel_ask_for_huge_pages(start, accumulator->bytes);
    return gravel_check_cl(
        "accumulator: clEnqueueUnmapMemObject",
        clEnqueueUnmapMemObject(gravel->device.queue, accumulator->memory, start, 0, NULL, NULL));
}

static int write_head(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->gravel;
    cl_event copied = NULL;
    cl_int error =
        clEnqueueWriteBuffer(gravel->device.queue, accumulator->memory, CL_FALSE, 0,
                             sizeof accumulator->head, &accumulator->head, 0, NULL, &copied);
    return gravel_wait_command(&gravel->device, gravel->device.queue, error, copied,
                               "accumulator: copying its head");
}

static const void *seen_of(const struct gravel_accumulator *accumulator, uint64_t at)
{
    return accumulator->staging.begin + (at - accumulator->seen_at);
}
#define SEEN(member) seen_of(accumulator, offsetof(struct gravelp_accumulator, member))

/* Where a flush finds what it reads. */
static void point_seen(struct gravel_accumulator *accumulator)
{
    const struct gravelp_accumulator *head = &accumulator->head;
    const unsigned char *few = seen_of(accumulator, head->few_at);
    accumulator->seen = (struct gravel_accumulator_seen){
        .n_few = SEEN(n_few),
        .n_refused = SEEN(n_refused),
        .refused_type = SEEN(refused_type),
        .refused_index = SEEN(refused_index),
        .refused_node = SEEN(refused_node),
        .tallies = seen_of(accumulator, sizeof *head),
        .nodes = few,
        .indices = few + 4 * GRAVELP_ACCUMULATOR_FEW,
        .values = few + (4 + head->index_bytes) * GRAVELP_ACCUMULATOR_FEW};
}

static int make_staging(struct gravel_accumulator *accumulator)
{
    const struct gravel *gravel = accumulator->gravel;
    int code = gravel_pinned_create(&accumulator->staging, &gravel->device, gravel->copies,
                                    create_call, NULL, accumulator->seen_bytes);
    if (!code)
        point_seen(accumulator);
    return code;
}

/* Where the device checks indices, of 4 bytes, and applies messages: headers of a part of each node of this process. */
static int make_headers(struct gravel_accumulator *accumulator)
{
    const struct gravel *gravel = accumulator->gravel;
    const struct gravel_pool_shape shape = {.buffer_bytes = GRAVELP_CACHELINE,
                                            .n_buffers = gravel->n_heaps};
    if (gravel->n_pump_buffers == 0 || accumulator->head.index_bytes != 4)
        return 0;
    gravel_pool_init(&accumulator->staying, &shape, NULL);
    for (uint32_t i = 0; i < shape.n_buffers; i++) {
        struct gravel_buffer *buffer = gravel_pool_take(&accumulator->staying);
        if (!buffer)
            return gravel_fail(GRAVEL_ENOMEM, "%s: headers of %u parts", create_call, i + 1);
        buffer->next = accumulator->spare;
        accumulator->spare = buffer;
    }
    return 0;
}

static int make_memory(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->gravel;
    int code = gravel_cl_buffer_create(&gravel->device, create_call, accumulator->bytes,
                                       &accumulator->memory);
    if (!code && accumulator->packed_bytes)
        code = gravel_cl_buffer_create(&gravel->device, create_call, accumulator->packed_bytes,
                                       &accumulator->packed);
    if (!code)
        code = advise(accumulator);
    if (!code)
        code = write_head(accumulator);
    if (!code)
        code = make_staging(accumulator);
    return code ? code : make_headers(accumulator);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static int build(struct gravel_accumulator *accumulator)
{
    bool is_wide = GRAVEL_TYPE_BYTES(accumulator->head.word_type) == 8;
    const struct gravel_program_request request = {
        .name = "accumulate.cl",
        .source = gravel_accumulate_cl,
        .options = is_wide ? "-DGRAVELP_INTERNAL -DGRAVELP_ACCUMULATE_BITS=ulong"
                           : "-DGRAVELP_INTERNAL -DGRAVELP_ACCUMULATE_BITS=uint"};
    return gravel_node_build(accumulator->gravel, &request, &accumulator->program);
}

static int make_kernels(struct gravel_accumulator *accumulator)
{
    static const char *const names[] = {"clear", "collect", "pack"};
    const struct gravel_device *device = &accumulator->gravel->device;
    cl_kernel *kernels[] = {&accumulator->clear, &accumulator->collect, &accumulator->pack};
    int code = build(accumulator);
    accumulator->group = gravel_derive_group_size(device);
    for (cl_uint i = 0; i < 3 && !code; i++) {
        code = gravel_cl_kernel_create(device, accumulator->program, names[i], &accumulator->group,
                                       kernels[i]);
        if (!code)
            code = gravel_kernel_set_accumulator(accumulator, *kernels[i], 0);
    }
    return code;
}

/* ---- create and destroy ------------------------------------------------------------------------ */

/* A kernel may keep the last copy to the staging from its end, also when the node has failed. */
static bool may_be_copied_to(const struct gravel_accumulator *accumulator)
{
    return accumulator->copied && !gravel_cl_event_has_ended(accumulator->copied);
}

/* What the device may still use stays. The node's queue of copies does, too: a flush begins the unmapping there. */
static void free_all(struct gravel_accumulator *accumulator)
{
    const struct gravel *gravel = accumulator->gravel;
    if (gravel_node_is_stuck(gravel) || may_be_copied_to(accumulator) ||
        !gravel_wait_is_done(&gravel->device, gravel->copies, "copies of accumulators"))
        return;
    const cl_kernel kernels[] = {accumulator->clear, accumulator->collect, accumulator->pack};
    gravel_cl_kernels_release(kernels, 3);
    gravel_cl_program_release(accumulator->program);
    gravel_cl_event_release(accumulator->copied);
    gravel_pinned_destroy(&accumulator->staging);
    gravel_cl_flush(gravel->copies, CL_SUCCESS);
    gravel_cl_buffer_release(accumulator->packed);
    gravel_cl_buffer_release(accumulator->memory);
    for (struct gravel_buffer *buffer = accumulator->spare, *next; buffer; buffer = next) {
        next = buffer->next;
        gravel_buffer_destroy(buffer);
    }
    gravel_pool_destroy(&accumulator->staying);
    free(accumulator);
}

/* All nodes make one kind of accumulator, of one range. */
static int agree_on_kind(const struct gravel_accumulator *accumulator)
{
    const struct gravelp_accumulator *head = &accumulator->head;
    struct gravel_collective_call call = {
        .kind = GRAVEL_CALL_ACCUMULATOR,
        .arguments = {(uint64_t)head->op << 8 | head->word_type, head->offset}};
    snprintf(call.name, sizeof call.name, "%" PRIu64 " elements", head->n);
    return gravel_node_agree(accumulator->gravel, &call);
}

static int make_parts(struct gravel_accumulator *accumulator)
{
    int code = make_memory(accumulator);
    if (!code)
        code = make_kernels(accumulator);
    return code ? code : gravel_accumulator_clear(accumulator, false);
}

static int make(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->gravel;
    int code = check_kind(accumulator);
    if (!code)
        code = check_range(accumulator);
    if (!code) {
        accumulator->head.neutral = neutral(accumulator->head.op, accumulator->head.word_type);
        lay_out(accumulator);
        code = check_memory(accumulator);
    }
    code = gravel_node_agree_on_code(gravel, GRAVEL_CALL_ACCUMULATOR, create_call, code);
    if (!code)
        code = agree_on_kind(accumulator);
    if (code)
        return code;
    code = make_parts(accumulator);
    return gravel_node_agree_on_code(gravel, GRAVEL_CALL_ACCUMULATOR, create_call, code);
}

int gravel_accumulator_create(struct gravel_accumulator **out, struct gravel *gravel,
                              uint64_t offset, uint64_t n, uint32_t op, uint32_t type)
{
    if (gravel_require(create_call, "out", out))
        return GRAVEL_EINVAL;
    *out = NULL;
    if (gravel_node_refuse_wait(gravel, create_call))
        return GRAVEL_EINVAL;
    struct gravel_accumulator *accumulator = calloc(1, sizeof *accumulator);
    if (!accumulator)
        return gravel_node_agree_on_code(
            gravel, GRAVEL_CALL_ACCUMULATOR, create_call,
            gravel_fail(GRAVEL_ENOMEM, "%s: %zu bytes", create_call, sizeof *accumulator));
    uint32_t n_nodes = gravel_n_nodes(gravel);
    bool is_alone = n_nodes == 1 && !gravel->config.check;
    accumulator->gravel = gravel;
    accumulator->flush.run = gravel_accumulator_send;
    accumulator->head = (struct gravelp_accumulator){.op = op == GRAVEL_INC ? GRAVEL_ADD : op,
                                                     .word_type = type,
                                                     .n_nodes = n_nodes,
                                                     .n_parts = is_alone ? 0 : n_nodes,
                                                     .offset = offset,
                                                     .n = n};
    int code = make(accumulator);
    if (code) {
        char text[GRAVEL_ERROR_BYTES];
        snprintf(text, sizeof text, "%s", gravel_last_error());
        free_all(accumulator);
        return gravel_fail(code, "%s", text);
    }
    accumulator->guard = (struct gravel_guard){.object = "accumulator",
                                               .begin = offset,
                                               .end = range_end(&accumulator->head),
                                               .is_exclusive = true};
    gravel_guards_add(&gravel->guards, &accumulator->guard);
    code = gravel_flushes_add(gravel, &accumulator->flush);
    *out = code ? NULL : accumulator;
    return code;
}

int gravel_kernel_set_accumulator(const struct gravel_accumulator *accumulator, cl_kernel kernel,
                                  cl_uint index)
{
    static const char call[] = "gravel_kernel_set_accumulator";
    if (gravel_require(call, "accumulator", accumulator) || gravel_require(call, "kernel", kernel))
        return GRAVEL_EINVAL;
    if (gravel_node_refuse(accumulator->gravel, call) ||
        gravel_parameter_check(call, kernel, index, GRAVEL_PARAMETER_ACCUMULATOR))
        return GRAVEL_EINVAL;
    return gravel_check_cl(
        call, clSetKernelArg(kernel, index, sizeof accumulator->memory, &accumulator->memory));
}

/* Whether words wait here. */
static int check_empty(struct gravel_accumulator *accumulator)
{
    uint64_t n_blocks = 0;
    int code = gravel_flushes_enter(accumulator->gravel);
    if (code)
        return code;
    code = gravel_accumulator_count(accumulator, &n_blocks);
    gravel_flushes_leave(accumulator->gravel);
    if (!code)
        code = gravel_accumulator_report_refused(accumulator);
    if (code || n_blocks == 0)
        return code;
    return gravel_fail(GRAVEL_EINVAL,
                       "gravel_accumulator_destroy: words wait, in %" PRIu64
                       " blocks of %u: call gravel_accumulator_flush first",
                       n_blocks, GRAVELP_ACCUMULATOR_BLOCK);
}

int gravel_accumulator_destroy(struct gravel_accumulator *accumulator)
{
    static const char call[] = "gravel_accumulator_destroy";
    if (!accumulator)
        return 0;
    struct gravel *gravel = accumulator->gravel;
    if (gravel_node_refuse_wait(gravel, call))
        return GRAVEL_EINVAL;
    const struct gravel_collective_call collective = {.kind = GRAVEL_CALL_ACCUMULATOR_DESTROY,
                                                      .arguments = {accumulator->head.offset}};
    int code = gravel_node_agree(gravel, &collective);
    if (!code)
        code = gravel_node_agree_on_code(gravel, collective.kind, call, check_empty(accumulator));
    if (code && !gravel_node_has_failed(gravel))
        return code;
    bool is_home = !gravel_accumulator_come_home(accumulator);
    is_home = !gravel_flushes_remove(gravel, &accumulator->flush) && is_home;
    gravel_guards_remove(&gravel->guards, &accumulator->guard);
    if (is_home)
        free_all(accumulator);
    return code;
}
