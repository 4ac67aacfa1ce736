/* SPDX-License-Identifier: MIT */
/*
 * Sends what waits in a shadow: one kernel lists the blocks that have changed, another one packs their words, and the
 * host reads how many there are, with the first ones. Few are binned as host calls' messages are; of many, each part
 * is copied to node buffers, or applied from where it is.
 *
 * Path:    waits.c, gravel_accumulator_flush -> this -> cl/kernels/accumulate.cl -> messages.c.
 * Threads: one at a time: gravel_objects_enter.
 */
#include "accumulate/accumulate.h"

#include "opencl/wait.h"
#include "transport/names.h"

#include <inttypes.h>

#define CLEAR_ITEMS 65536u /* work-items that clear a shadow, at most */
#define GROUPS_PER_UNIT 4u /* that pack, at most */

/*
 * Changes the state, as no other function does. A list or a pack that is enqueued takes the other tally than the last
 * one. What a read says of words is believed in state READING alone, so each pack needs a read of its own.
 */
static void enter(struct gravel_accumulator *accumulator, enum gravel_accumulator_state state)
{
    const bool was_idle = accumulator->state == GRAVEL_ACCUMULATOR_IDLE;
    if (state == GRAVEL_ACCUMULATOR_LISTED)
        accumulator->first = was_idle ? 0 : accumulator->first + accumulator->pack_blocks;
    if (state == GRAVEL_ACCUMULATOR_LISTED && was_idle)
        accumulator->list_tally = !accumulator->list_tally;
    if (state == GRAVEL_ACCUMULATOR_PACKED)
        accumulator->pack_tally = !accumulator->pack_tally;
    accumulator->state = state;
}

int gravel_accumulator_clear(struct gravel_accumulator *accumulator, bool keeps_waiting)
{
    uint64_t n_words = accumulator->head.n_parts * accumulator->head.part_words;
    const cl_ulong n_items = n_words < CLEAR_ITEMS ? n_words : CLEAR_ITEMS;
    const cl_uint keeps = keeps_waiting;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(n_items), GRAVEL_ARGUMENT(keeps)};
    return GRAVEL_OBJECT_RUN(&accumulator->object, GRAVEL_ACCUMULATOR_CLEAR, arguments, n_items);
}

/* ---- what waits -------------------------------------------------------------------------------- */

static int list(struct gravel_accumulator *accumulator)
{
    const cl_uint n = accumulator->n_block_words, tally = !accumulator->list_tally,
                  n_parts = accumulator->head.n_parts;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(n), GRAVEL_ARGUMENT(tally)};
    GRAVEL_TRY(GRAVEL_OBJECT_RUN(&accumulator->object, GRAVEL_ACCUMULATOR_COLLECT, arguments,
                                 n > n_parts ? n : n_parts));
    enter(accumulator, GRAVEL_ACCUMULATOR_LISTED);
    return 0;
}

/*
 * Before a flush that gravel_accumulator_begin has not begun: kernels that may wait for room end. A driver may map
 * command queues to fewer channels of the hardware (NVIDIA's does), and a copy behind such a kernel keep the pump's
 * copies from it.
 */
static int wait_for_senders(struct gravel *gravel)
{
    return gravel->pump ? gravel_launches_wait(&gravel->launches, gravel_node_kernel_limit(gravel))
                        : 0;
}

/* Enqueue the read of what kernels have written, behind all of them. */
static int enqueue_read(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->object.gravel;
    cl_event copied;
    cl_int error =
        clEnqueueReadBuffer(gravel->device.queue, accumulator->memory, CL_FALSE, 0,
                            accumulator->seen_bytes, accumulator->staging.begin, 0, NULL, &copied);
    GRAVEL_TRY(gravel_check_cl("accumulator: clEnqueueReadBuffer", error));
    gravel_cl_event_release(accumulator->copied);
    accumulator->copied = copied;
    if (accumulator->state == GRAVEL_ACCUMULATOR_PACKED)
        enter(accumulator, GRAVEL_ACCUMULATOR_READING);
    int flushed = gravel_check_cl("accumulator: clFlush", clFlush(gravel->device.queue));
    if (gravel->pump)
        gravel_pump_watch(gravel->pump, copied);
    return flushed;
}

/* Wait, as long as a kernel may take, for a read behind all that is enqueued: the pack's own, or a new one. */
static int read_counts(struct gravel_accumulator *accumulator)
{
    if (accumulator->state != GRAVEL_ACCUMULATOR_READING)
        GRAVEL_TRY(enqueue_read(accumulator));
    return gravel_node_wait_for_kernel(accumulator->object.gravel,
                                       accumulator->object.kernels[GRAVEL_ACCUMULATOR_COLLECT],
                                       accumulator->copied);
}

/* Returns what was read last. */
static const struct gravelp_accumulator *seen_of(const struct gravel_accumulator *accumulator)
{
    return (const void *)accumulator->staging.begin;
}

static const struct gravelp_accumulator_tally *
tally_of(const struct gravel_accumulator *accumulator, uint32_t node)
{
    return (const struct gravelp_accumulator_tally *)(seen_of(accumulator) + 1) + node;
}

/* Counts the blocks of a node's list, as read last. */
static uint32_t count_listed(const struct gravel_accumulator *accumulator, uint32_t node)
{
    return tally_of(accumulator, node)->n_listed[accumulator->list_tally];
}

static uint64_t count_all_listed(const struct gravel_accumulator *accumulator)
{
    uint64_t n = 0;
    for (uint32_t node = 0; node < accumulator->head.n_parts; node++)
        n += count_listed(accumulator, node);
    return n;
}

/* Reports kernels' calls with what is not there, as last seen: GRAVEL_EINVAL or GRAVEL_ERANGE, once; else 0, or
 * GRAVEL_ECL. The next call that is refused is reported too. */
static int report_refused(struct gravel_accumulator *accumulator)
{
    static const cl_uint none = 0;
    const struct gravelp_accumulator *head = &accumulator->head;
    const struct gravelp_accumulator *seen = seen_of(accumulator);
    const uint32_t n_refused = seen->n_refused;
    char called[GRAVEL_NAMED_BYTES], own[GRAVEL_NAMED_BYTES];
    if (n_refused == 0)
        return 0;
    cl_int error = clEnqueueWriteBuffer(
        accumulator->object.gravel->device.queue, accumulator->memory, CL_FALSE,
        offsetof(struct gravelp_accumulator, n_refused), sizeof none, &none, 0, NULL, NULL);
    GRAVEL_TRY(gravel_check_cl("accumulator: clEnqueueWriteBuffer", error));
    if (seen->refused_type == GRAVELP_REFUSED_VALUE)
        return gravel_fail(
            GRAVEL_ERANGE,
            "gravel_accumulate_fixed: value out of range (below 2^(63 - bits), bits 0 to 62), for "
            "index %" PRIu64 " at node %" PRIu64 ", and %u more that are refused",
            seen->refused_index, seen->refused_node, n_refused - 1);
    if (seen->refused_type != head->word_type)
        return gravel_fail(
            GRAVEL_EINVAL,
            "gravel_accumulate: a call of type %s, and %u more that are refused: the "
            "accumulator at offset %" PRIu64 " is of type %s",
            gravel_name_type(called, seen->refused_type), n_refused - 1, head->offset,
            gravel_name_type(own, head->word_type));
    return gravel_fail(GRAVEL_ERANGE,
                       "gravel_accumulate: index %" PRIu64 " at node %" PRIu64
                       ", and %u more that are refused: the accumulator at offset %" PRIu64
                       " has %" PRIu64 " elements of each of %u nodes",
                       seen->refused_index, seen->refused_node, n_refused - 1, head->offset,
                       head->n, head->n_nodes);
}

/* Counts blocks that wait, behind all kernels on the queue: what a flush that has begun lists; if that is none, of a
 * list made now. */
static int count_waiting(struct gravel_accumulator *accumulator, uint64_t *n_blocks)
{
    bool is_new;
    *n_blocks = 0;
    do {
        is_new = accumulator->state == GRAVEL_ACCUMULATOR_IDLE;
        if (is_new)
            GRAVEL_TRY(wait_for_senders(accumulator->object.gravel));
        if (is_new)
            GRAVEL_TRY(list(accumulator));
        GRAVEL_TRY(read_counts(accumulator));
        *n_blocks = count_all_listed(accumulator);
        if (*n_blocks == 0)
            enter(accumulator, GRAVEL_ACCUMULATOR_IDLE);
    } while (*n_blocks == 0 && !is_new);
    return 0;
}

int gravel_accumulator_check_end(struct gravel_object *object)
{
    struct gravel_accumulator *accumulator = (struct gravel_accumulator *)object;
    uint64_t n_blocks = 0;
    GRAVEL_TRY(gravel_objects_enter(object->gravel));
    int code = count_waiting(accumulator, &n_blocks);
    gravel_objects_leave(object->gravel);
    if (!code)
        code = report_refused(accumulator);
    if (code || n_blocks == 0)
        return code;
    return gravel_fail(GRAVEL_EINVAL,
                       "gravel_accumulator_destroy: words wait, in %" PRIu64
                       " blocks of %u: call gravel_accumulator_flush first",
                       n_blocks, GRAVELP_ACCUMULATOR_BLOCK);
}

/* Checks, in checked mode, for messages of kernels that the guard of the range has seen while words wait. */
static int check_guard(struct gravel_accumulator *accumulator, bool has_words)
{
    const struct gravelp_accumulator *head = &accumulator->head;
    struct gravel *gravel = accumulator->object.gravel;
    char who[sizeof accumulator->object.range.text];
    if (!gravel->config.check ||
        !gravel_guard_take(&gravel->guards, &accumulator->object.range, who, sizeof who) ||
        !has_words)
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "accumulator of %" PRIu64 " elements at offset %" PRIu64
                       ": words of it wait for a flush, and it has been touched by another call: "
                       "%s",
                       head->n, head->offset, who);
}

/* ---- packed words ------------------------------------------------------------------------------ */

int gravel_accumulator_wait_applied(struct gravel_accumulator *accumulator)
{
    struct gravel_applying applying = {.gravel = accumulator->object.gravel};
    struct gravel_wait wait = {.limit = gravel_node_applying_limit(&applying),
                               .what = "applying what was packed"};
    while (!gravel_pool_is_whole(&accumulator->headers)) /* their words have been applied */
        GRAVEL_TRY(gravel_wait_pause(&wait));
    return 0;
}

/* Packs the words of the next indices, as many as fit, when all that was packed before has been applied. */
static int pack(struct gravel_accumulator *accumulator)
{
    const cl_uint first_index = (cl_uint)accumulator->first, n = accumulator->pack_blocks,
                  listed = accumulator->list_tally, tally = !accumulator->pack_tally;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(accumulator->packed),
                                                GRAVEL_ARGUMENT(first_index), GRAVEL_ARGUMENT(n),
                                                GRAVEL_ARGUMENT(listed), GRAVEL_ARGUMENT(tally)};
    const uint64_t most = (uint64_t)GROUPS_PER_UNIT * accumulator->object.gravel->device.units;
    GRAVEL_TRY(gravel_accumulator_wait_applied(accumulator));
    GRAVEL_TRY(GRAVEL_OBJECT_RUN(&accumulator->object, GRAVEL_ACCUMULATOR_PACK, arguments,
                                 (n < most ? n : most) * accumulator->object.group));
    enter(accumulator, GRAVEL_ACCUMULATOR_PACKED);
    return 0;
}

static struct gravel_run_key key_of(const struct gravelp_accumulator *head)
{
    const uint32_t far = head->index_bytes == 8 ? GRAVELP_COMMAND_FAR : 0;
    return (struct gravel_run_key){.command = GRAVELP_COMMAND(head->op, head->word_type) | far,
                                   .base = head->offset};
}

static int send_few(struct gravel_accumulator *accumulator, uint32_t n)
{
    const struct gravelp_accumulator *head = &accumulator->head;
    const unsigned char *nodes = accumulator->staging.begin + head->few_at,
                        *indices = nodes + 4 * GRAVELP_ACCUMULATOR_FEW;
    const struct gravel_columns columns = {
        .key = key_of(head),
        .n = n,
        .nodes = (const uint32_t *)(const void *)nodes,
        .index = indices,
        .values = {indices + head->index_bytes * GRAVELP_ACCUMULATOR_FEW}};
    return n ? gravel_node_append(accumulator->object.gravel, &columns) : 0;
}

/* Send the packed words of one node. @param before  blocks of earlier nodes' lists. */
static int send_part(struct gravel_accumulator *accumulator, uint32_t node, uint64_t before)
{
    const struct gravelp_accumulator *head = &accumulator->head;
    const uint64_t first = accumulator->first,
                   start = (before > first ? before - first : 0) * GRAVELP_ACCUMULATOR_BLOCK;
    const struct gravel_packed part = {
        .key = key_of(head),
        .rows = {.memory = accumulator->packed,
                 .indices = start * head->index_bytes,
                 .values = head->packed_values_at + start * GRAVEL_TYPE_BYTES(head->word_type)},
        .n = tally_of(accumulator, node)->n_packed[accumulator->pack_tally],
        .node = node};
    const struct gravel_transport *transport = accumulator->object.gravel->network.transport;
    const bool stays =
        accumulator->headers.n_buffers && (transport->is_loopback || node == transport->node);
    return part.n == 0
               ? 0
               : gravel_node_send_packed(accumulator->object.gravel, &part,
                                         stays ? gravel_pool_take(&accumulator->headers) : NULL);
}

/* Sends what is packed. It is nowhere else, so the node fails if it cannot be sent. */
static int send_packed(struct gravel_accumulator *accumulator)
{
    const uint32_t n = seen_of(accumulator)->n_few[accumulator->pack_tally];
    const bool are_few = n <= GRAVELP_ACCUMULATOR_FEW;
    uint64_t before = 0;
    int code = are_few ? send_few(accumulator, n) : 0;
    for (uint32_t node = 0; node < accumulator->head.n_parts && !are_few && !code; node++) {
        code = send_part(accumulator, node, before);
        before += count_listed(accumulator, node);
    }
    if (code)
        gravel_report(accumulator->object.gravel, code, true, gravel_last_error());
    return code;
}

/* ---- flushes ----------------------------------------------------------------------------------- */

/* List what waits, and pack the words of the first blocks. */
static int begin(struct gravel_accumulator *accumulator)
{
    if (accumulator->state == GRAVEL_ACCUMULATOR_IDLE)
        GRAVEL_TRY(list(accumulator));
    return accumulator->state == GRAVEL_ACCUMULATOR_LISTED ? pack(accumulator) : 0;
}

/*
 * Send what has been listed, or is now. Continues a flush that has stopped, as its wait was too short.
 *
 * @param n_blocks  [in, out] increased by those that had words.
 */
static int send_lists(struct gravel_accumulator *accumulator, uint64_t *n_blocks)
{
    if (accumulator->state == GRAVEL_ACCUMULATOR_IDLE)
        GRAVEL_TRY(wait_for_senders(accumulator->object.gravel));
    do {
        GRAVEL_TRY(begin(accumulator));
        GRAVEL_TRY(read_counts(accumulator));
        GRAVEL_TRY(send_packed(accumulator));
        enter(accumulator, GRAVEL_ACCUMULATOR_LISTED);
    } while (accumulator->first < count_all_listed(accumulator));
    enter(accumulator, GRAVEL_ACCUMULATOR_IDLE);
    *n_blocks += count_all_listed(accumulator);
    return 0;
}

int gravel_accumulator_send(struct gravel_object *object)
{
    struct gravel_accumulator *accumulator = (struct gravel_accumulator *)object;
    struct gravel *gravel = object->gravel;
    uint64_t n_blocks = 0;
    GRAVEL_TRY(gravel_leave(gravel, 0));
    int drained = gravel->config.check ? gravel_node_drain(gravel) : 0;
    if (accumulator->head.n_parts && accumulator->state != GRAVEL_ACCUMULATOR_IDLE)
        GRAVEL_TRY(send_lists(accumulator, &n_blocks)); /* what was added since waits, too */
    GRAVEL_TRY(accumulator->head.n_parts ? send_lists(accumulator, &n_blocks)
                                         : read_counts(accumulator));
    int refused = report_refused(accumulator);
    int touched = check_guard(accumulator, n_blocks > 0);
    GRAVEL_TRY(drained);
    GRAVEL_TRY(refused);
    return touched;
}

/* Begins a public call for an accumulator and enters the node's objects. @return 0: call leave() at the end */
static int enter_call(const struct gravel_accumulator *accumulator, const char *call)
{
    GRAVEL_TRY(gravel_object_refuse(accumulator, "accumulator", call));
    return gravel_objects_enter(accumulator->object.gravel);
}

/* @return what the call returns that met `code` */
static int leave(const struct gravel_accumulator *accumulator, int code)
{
    gravel_objects_leave(accumulator->object.gravel);
    return code ? gravel_leave(accumulator->object.gravel, code) : 0;
}

int gravel_accumulator_flush(struct gravel_accumulator *accumulator)
{
    GRAVEL_TRY(enter_call(accumulator, "gravel_accumulator_flush"));
    int code = gravel_accumulator_send(&accumulator->object);
    gravel_objects_leave(accumulator->object.gravel);
    return gravel_leave_wait(accumulator->object.gravel, code);
}

int gravel_accumulator_begin(struct gravel_accumulator *accumulator)
{
    GRAVEL_TRY(enter_call(accumulator, "gravel_accumulator_begin"));
    int code = accumulator->head.n_parts ? begin(accumulator) : 0;
    if (!code && accumulator->state == GRAVEL_ACCUMULATOR_PACKED)
        code = enqueue_read(accumulator);
    return leave(accumulator, code);
}

int gravel_accumulator_reset(struct gravel_accumulator *accumulator)
{
    GRAVEL_TRY(enter_call(accumulator, "gravel_accumulator_reset"));
    return leave(accumulator, gravel_accumulator_clear(accumulator, true));
}
