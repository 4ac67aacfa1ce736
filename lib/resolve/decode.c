/* SPDX-License-Identifier: MIT */
/*
 * The check of an incoming node buffer, from the outside in: header, each run's command, its
 * arrays, its words.
 *
 * Every number is checked against what is left of the buffer before it is used in arithmetic, so no
 * sum or product here can overflow: a frame has at most 2^26 bytes, and offsets are compared by
 * difference inside an allocation.
 *
 * Path:    lib/network -> decode.c -> apply.c.
 * Owner:   the caller; see decode.h.
 * Threads: any; no state.
 */
#include "resolve/decode.h"

#include "base/handler.h"
#include "transport/names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NO_PLAN 1 /* no code of an error: the frame is for gravel_decode_check */

struct check {
    const struct gravel_expect *expect;
    const struct gravel_streams *streams; /* of a frame of records */
    const struct gravel_heap *heap;
    struct gravel_refusal *refusal;
    struct gravel_plan *plan; /* NULL: indices are looked at here */
    uint16_t kind;            /* GRAVEL_FRAME_MESSAGES or _RECORDS */
    bool is_header;           /* of a frame of one run, whose messages are elsewhere */
    uint32_t run_number;
    uint64_t at; /* of the run in the frame [bytes] */
};

/* Note why; a run number of 0 stands for the header. */
__attribute__((format(printf, 3, 4))) static int refuse(const struct check *check, int code,
                                                        const char *format, ...)
{
    struct gravel_refusal *refusal = check->refusal;
    refusal->code = code;
    int n = snprintf(refusal->text, sizeof refusal->text, "frame %" PRIu64 " from node %" PRIu32,
                     check->expect->sequence, check->expect->source);
    if (check->run_number)
        n += snprintf(refusal->text + n, sizeof refusal->text - (size_t)n, ", run %" PRIu32,
                      check->run_number);
    n += snprintf(refusal->text + n, sizeof refusal->text - (size_t)n, ": ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->text + n, sizeof refusal->text - (size_t)n, format, arguments);
    va_end(arguments);
    return code;
}

static int check_equal(const struct check *check, const char *what, uint64_t found, uint64_t due)
{
    if (found == due)
        return 0;
    return refuse(check, GRAVEL_ECORRUPT, "%s is %" PRIu64 ", expected %" PRIu64, what, found, due);
}

static int check_header(const struct check *check, const struct gravel_frame *frame, uint64_t bytes)
{
    int code = check_equal(check, "magic", frame->magic, GRAVEL_FRAME_MAGIC);
    if (!code)
        code = check_equal(check, "version", frame->version, GRAVEL_FRAME_VERSION);
    if (!code)
        code = check_equal(check, "kind", frame->kind, check->kind);
    if (!code)
        code = check_equal(check, "source", frame->source, check->expect->source);
    if (!code)
        code = check_equal(check, "destination", frame->destination, check->expect->destination);
    if (!code)
        code = check_equal(check, "length", frame->bytes, bytes);
    if (!code)
        code = check_equal(check, "sequence", frame->sequence, check->expect->sequence);
    if (!code && frame->n_messages > GRAVEL_FRAME_MAX_MESSAGES)
        code = refuse(check, GRAVEL_ECORRUPT, "%" PRIu32 " messages are more than a frame may hold",
                      frame->n_messages);
    return code;
}

static int check_active_message(const struct check *check, const struct gravel_run *run)
{
    const bool asks = GRAVELP_COMMAND_OP(run->command) == GRAVEL_ASK;
    const uint32_t type = GRAVELP_COMMAND_TYPE(run->command);
    uint32_t handler = GRAVELP_COMMAND_HANDLER(run->command);
    uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    if (n_args > (asks ? GRAVEL_ASK_MAX_ARGS : GRAVEL_AM_MAX_ARGS) ||
        (type != GRAVEL_ULONG && type != GRAVEL_UINT) || run->command & GRAVELP_COMMAND_WIDE ||
        (!asks && run->command & GRAVELP_COMMAND_FAR))
        return refuse(check, GRAVEL_ECORRUPT, "command 0x%08" PRIx32 " is malformed", run->command);
    if (handler >= check->expect->n_handlers ||
        !gravel_handler_is_host(&check->expect->handlers[handler]))
        return refuse(check, GRAVEL_EHANDLER, "no handler %" PRIu32 " among %" PRIu32, handler,
                      check->expect->n_handlers);
    const struct gravel_handler *known = &check->expect->handlers[handler];
    if (known->n_args != n_args)
        return refuse(check, GRAVEL_EHANDLER,
                      "handler %" PRIu32 " (%s) takes %" PRIu32
                      " arguments, the message has %" PRIu32,
                      handler, known->name ? known->name : "?", known->n_args, n_args);
    if ((type == GRAVEL_UINT) != gravel_handler_is_narrow(known))
        return refuse(check, GRAVEL_EHANDLER,
                      "handler %" PRIu32 " (%s) takes arguments of %u bytes, the message has "
                      "them of %u",
                      handler, known->name ? known->name : "?",
                      gravel_handler_is_narrow(known) ? 4u : 8u, GRAVEL_TYPE_BYTES(type));
    if (asks && !known->n_answers)
        return refuse(check, GRAVEL_EHANDLER,
                      "handler %" PRIu32 " (%s) is asked, and does not answer: its n_answers is 0",
                      handler, known->name ? known->name : "?");
    if (known->blocks != (check->kind == GRAVEL_FRAME_RECORDS))
        return refuse(check, GRAVEL_EHANDLER,
                      known->blocks
                          ? "handler %" PRIu32 " (%s) blocks: kernels ask it, and send it nothing"
                          : "handler %" PRIu32 " (%s) is asked among records, and does not block",
                      handler, known->name ? known->name : "?");
    if (known->serve.max_pending)
        return refuse(
            check, GRAVEL_EHANDLER,
            "handler %" PRIu32 " (%s) may send, for its max_pending is %" PRIu64
            ": only kernels of gravel_server_launch send to it, on their own node, by _wg "
            "calls, and not in checked mode",
            handler, known->name ? known->name : "?", known->serve.max_pending);
    return 0;
}

static int check_command(const struct check *check, const struct gravel_run *run)
{
    uint32_t op = GRAVELP_COMMAND_OP(run->command);
    uint32_t type = GRAVELP_COMMAND_TYPE(run->command);
    const uint32_t both = GRAVELP_COMMAND_WIDE | GRAVELP_COMMAND_FAR, width = run->command & both;
    if (GRAVELP_IS_CALL(run->command)) {
        int code = check_active_message(check, run);
        if (code)
            return code;
    } else if (!gravel_operation_name(run->command) ||
               run->command != (GRAVELP_COMMAND(op, type) | width) || width == both ||
               (GRAVELP_HAS_SIGNAL(run->command) && run->command & GRAVELP_COMMAND_WIDE)) {
        return refuse(check, GRAVEL_ECORRUPT, "command 0x%08" PRIx32 " is unknown", run->command);
    }
    if (run->base && (GRAVELP_IS_CALL(run->command) || run->command & GRAVELP_COMMAND_WIDE))
        return refuse(check, GRAVEL_ECORRUPT, "base is %" PRIu64 " in a run that has none",
                      run->base);
    return 0;
}

/* Check that a run's arrays fit into what is left of the frame and end in zeros; tell its length.
 */
static int check_extent(const struct check *check, const struct gravel_run *run,
                        const unsigned char *start, uint64_t left, uint64_t *run_bytes)
{
    uint64_t message_bytes = GRAVELP_MESSAGE_BYTES(run->command);
    uint64_t header = GRAVEL_RUN_INDICES(run->command), room = left < header ? 0 : left - header;
    uint64_t most = message_bytes ? room / message_bytes : GRAVEL_FRAME_MAX_MESSAGES;
    if (!run->n_messages || run->n_messages > most)
        return refuse(check, GRAVEL_ECORRUPT,
                      "%" PRIu32 " messages of %" PRIu64 " bytes do not fit in %" PRIu64
                      " bytes, or are none",
                      run->n_messages, message_bytes, room);
    uint64_t n = run->n_messages, n_values = GRAVELP_N_VALUES(run->command);
    uint64_t end = n_values ? GRAVEL_RUN_VALUES(run->command, n, n_values)
                            : header + n * GRAVELP_INDEX_BYTES(run->command);
    *run_bytes = GRAVEL_RUN_BYTES(run->command, n);
    if (*run_bytes > left)
        return refuse(check, GRAVEL_ECORRUPT, "%" PRIu64 " bytes of run, %" PRIu64 " bytes left",
                      *run_bytes, left);
    for (uint64_t i = end; i < *run_bytes && !check->is_header; i++)
        if (start[i])
            return refuse(check, GRAVEL_ECORRUPT, "padding at byte %" PRIu64 " is not zero", i);
    return 0;
}

/* A plain maximum, so that the compiler makes it a vector loop. */
static uint32_t largest(const uint32_t *indices, uint32_t n)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < n; i++)
        result = indices[i] > result ? indices[i] : result;
    return result;
}

/* The words from `base` on to the end of its allocation; `what` names it. */
static int find_words(const struct check *check, const struct gravel_run *run, const char *what,
                      uint64_t base, struct gravel_span *span, uint64_t *n_words)
{
    uint32_t size = GRAVELP_VALUE_BYTES(run->command);
    if (base % size)
        return refuse(check, GRAVEL_ERANGE, "%s %" PRIu64 " of %s is not a multiple of %" PRIu32,
                      what, base, gravel_type_name(run->command), size);
    if (!gravel_heap_span(check->heap, base, span))
        return refuse(check, GRAVEL_ERANGE,
                      "%s %" PRIu64 " of %s is in no allocation; " GRAVEL_CHECK_NAMES, what, base,
                      gravel_type_name(run->command));
    *n_words = (span->bytes - (base - span->offset)) / size;
    return 0;
}

static int refuse_element(const struct check *check, const struct gravel_run *run, const char *what,
                          uint64_t base, const char *element, uint64_t index,
                          const struct gravel_span *span)
{
    const char *operation = gravel_operation_name(run->command);
    return refuse(check, GRAVEL_ERANGE,
                  "%s: %s %" PRIu64 " of %s at %s %" PRIu64 " is beyond its allocation of %" PRIu64
                  " bytes at %" PRIu64 "; it must be below %" PRIu64 "; " GRAVEL_CHECK_NAMES,
                  operation ? operation : "ask", element, index, gravel_type_name(run->command),
                  what, base, span->bytes, span->offset,
                  (span->bytes - (base - span->offset)) / GRAVELP_VALUE_BYTES(run->command));
}

/* Whether element `index` after `base` is a word of an allocation; `what` and `element` name them. */
static int check_element(const struct check *check, const struct gravel_run *run, const char *what,
                         uint64_t base, const char *element, uint64_t index)
{
    struct gravel_span span;
    uint64_t n_words = 0;
    int code = find_words(check, run, what, base, &span, &n_words);
    if (!code && index >= n_words)
        code = refuse_element(check, run, what, base, element, index, &span);
    return code;
}

static int refuse_index(const struct check *check, const struct gravel_run *run, uint32_t message,
                        uint64_t index, const struct gravel_span *span)
{
    char element[32];
    snprintf(element, sizeof element, "message %" PRIu32 ", index", message);
    return refuse_element(check, run, "base", run->base, element, index, span);
}

/* Note a run that the device checks; false if a plan has no room for it. */
static bool plan_run(const struct check *check, const struct gravel_run *run,
                     const struct gravel_span *span, uint64_t n_words)
{
    struct gravel_plan *plan = check->plan;
    if (plan->n_runs == GRAVEL_PLAN_RUNS)
        return false;
    plan->runs[plan->n_runs++] = (struct gravel_planned_run){
        .run = *run,
        .at = check->at,
        .first = plan->n_messages,
        .n_words = n_words,
        .span = *span,
    };
    plan->n_messages += run->n_messages;
    return true;
}

static int check_indices(const struct check *check, const struct gravel_run *run,
                         const uint32_t *indices)
{
    struct gravel_span span;
    uint64_t n_words = 0;
    uint32_t i = 0;
    int code = find_words(check, run, "base", run->base, &span, &n_words);
    if (code)
        return code;
    if (check->plan)
        return plan_run(check, run, &span, n_words) ? 0 : NO_PLAN;
    if (largest(indices, run->n_messages) < n_words)
        return 0;
    while (i + 1 < run->n_messages && indices[i] < n_words) /* another thread may change them now */
        i++;
    return refuse_index(check, run, i, indices[i], &span);
}

static int check_far_indices(const struct check *check, const struct gravel_run *run,
                             const uint64_t *indices)
{
    struct gravel_span span;
    uint64_t n_words = 0;
    int code = find_words(check, run, "base", run->base, &span, &n_words);
    for (uint32_t i = 0; i < run->n_messages && !code; i++)
        if (indices[i] >= n_words)
            code = refuse_index(check, run, i, indices[i], &span);
    return code;
}

static int check_signal(const struct check *check, uint64_t signal)
{
    struct gravel_span span;
    if (signal == GRAVEL_NO_SIGNAL)
        return 0;
    if (signal % 4)
        return refuse(check, GRAVEL_ERANGE, "signal at %" PRIu64 " is not a multiple of 4", signal);
    if (!gravel_heap_span(check->heap, signal, &span) || span.bytes - (signal - span.offset) < 4)
        return refuse(check, GRAVEL_ERANGE, "signal at %" PRIu64 " is in no allocation", signal);
    return 0;
}

/* An active message addresses no word. @param index  the greatest of the run's. */
static int check_words(const struct check *check, const struct gravel_run *run, uint64_t index)
{
    if (!GRAVELP_IS_CALL(run->command))
        return check_element(check, run, "base", run->base, "index", index);
    return index ? refuse(check, GRAVEL_ECORRUPT,
                          "index is %" PRIu64 " in an active message, which has none", index)
                 : 0;
}

/* The answers go to the source's heap, whose books are the same as ours. */
static int check_requests(const struct check *check, const struct gravel_signal_run *run,
                          const void *requests)
{
    uint64_t index = 0, place = 0;
    for (uint32_t i = 0; i < run->run.n_messages; i++) {
        const struct gravelp_far_request one = gravel_request_at(run->run.command, requests, i);
        index = one.index > index ? one.index : index;
        place = one.place > place ? one.place : place;
    }
    int code = check_words(check, &run->run, index);
    return code ? code : check_element(check, &run->run, "result", run->result, "place", place);
}

/* Runs of commands that tell a signal. */
static int check_signal_run(const struct check *check, const unsigned char *start)
{
    struct gravel_signal_run run;
    memcpy(&run, start, sizeof run);
    int code = check_signal(check, run.signal);
    if (code)
        return code;
    if (GRAVELP_IS_REQUEST(run.run.command))
        return check_requests(check, &run, start + sizeof run);
    if (run.result)
        return refuse(check, GRAVEL_ECORRUPT, "result is %" PRIu64 " in a run that has none",
                      run.result);
    return (run.run.command & GRAVELP_COMMAND_FAR)
               ? check_far_indices(check, &run.run, (const void *)(start + sizeof run))
               : check_indices(check, &run.run, (const void *)(start + sizeof run));
}

/* Whether a word lies in a span as a whole. The empty span {0, 0} holds none. */
static bool holds(const struct gravel_span *span, uint64_t offset, uint32_t size)
{
    return offset >= span->offset && span->bytes >= size &&
           offset - span->offset <= span->bytes - size;
}

static int check_offsets(const struct check *check, const struct gravel_run *run,
                         const uint64_t *offsets)
{
    uint32_t size = GRAVELP_VALUE_BYTES(run->command);
    struct gravel_span span = {.bytes = 0};
    for (uint32_t i = 0; i < run->n_messages; i++) {
        if (offsets[i] & (size - 1)) /* size is 4 or 8 */
            return refuse(check, GRAVEL_ERANGE,
                          "offset %" PRIu64 " of %s is not a multiple of %" PRIu32, offsets[i],
                          gravel_type_name(run->command), size);
        if (holds(&span, offsets[i], size))
            continue;
        if (!gravel_heap_span(check->heap, offsets[i], &span) || !holds(&span, offsets[i], size))
            return refuse(check, GRAVEL_ERANGE, "offset %" PRIu64 " of %s is in no allocation",
                          offsets[i], gravel_type_name(run->command));
    }
    return 0;
}

/* An update or a put with indices. */
static bool is_plain(uint32_t command)
{
    return GRAVELP_INDEX_BYTES(command) == 4 && !GRAVELP_HAS_SIGNAL(command);
}

static int check_run(const struct check *check, const struct gravel_run *run,
                     const unsigned char *start, uint64_t left, uint64_t *run_bytes)
{
    int code = check_command(check, run);
    if (!code && check->plan && !is_plain(run->command))
        return NO_PLAN;
    if (!code)
        code = check_extent(check, run, start, left, run_bytes);
    if (code)
        return code;
    if (GRAVELP_HAS_SIGNAL(run->command))
        return check_signal_run(check, start);
    switch (GRAVELP_INDEX_BYTES(run->command)) {
    case 4:
        return check_indices(check, run, (const void *)(start + sizeof *run));
    case 8:
        return run->command & GRAVELP_COMMAND_FAR
                   ? check_far_indices(check, run, (const void *)(start + sizeof *run))
                   : check_offsets(check, run, (const void *)(start + sizeof *run));
    default:
        return 0;
    }
}

/* The arguments of a line fill its words behind the tag. */
static int check_line(const struct check *check, const struct gravel_signal_run *run)
{
    const uint32_t n_words = GRAVELP_RECORD_WORDS(run->run.command);
    uint64_t types = run->result, due = GRAVELP_TAG_WORDS;
    for (; types & 0xf; types >>= 4) {
        if ((types & 0xf) > GRAVELP_ARGUMENT_STRING && (types & 0xf) != GRAVELP_ARGUMENT_POINTER)
            return refuse(check, GRAVEL_ECORRUPT, "types of arguments are 0x%" PRIx64, run->result);
        due += GRAVELP_ARGUMENT_WORDS(types & 0xf);
    }
    if (types)
        return refuse(check, GRAVEL_ECORRUPT, "types of arguments are 0x%" PRIx64, run->result);
    return check_equal(check, "number of words", n_words, due);
}

/* A stream's records have its size, and nothing else. */
static int check_appended(const struct check *check, const struct gravel_signal_run *run,
                          const struct gravel_stream *stream)
{
    int code = check_equal(check, "bytes of a record", 4 * GRAVELP_RECORD_WORDS(run->run.command),
                           stream->record_bytes);
    if (!code)
        code = check_equal(check, "bytes of text", GRAVELP_TEXT_BYTES(run->run.command), 0);
    return code ? code : check_equal(check, "types of arguments", run->result, 0);
}

static int check_records(const struct check *check, const struct gravel_run *run,
                         const unsigned char *start, uint64_t left, uint64_t *run_bytes)
{
    struct gravel_signal_run whole;
    if (!GRAVELP_IS_SANE_RECORD(run->command))
        return refuse(check, GRAVEL_ECORRUPT, "command 0x%08" PRIx32 " is no record's",
                      run->command);
    const uint32_t number = GRAVELP_RECORD_STREAM(run->command);
    const struct gravel_stream *stream = gravel_stream_at(check->streams, number);
    if (number != GRAVELP_LINES && !stream)
        return refuse(check, GRAVEL_ECORRUPT, "there is no stream %" PRIu32, number);
    int code = check_extent(check, run, start, left, run_bytes);
    if (code)
        return code;
    memcpy(&whole, start, sizeof whole);
    code = check_equal(check, "base", run->base, 0);
    if (!code)
        code = check_equal(check, "signal", whole.signal, GRAVEL_NO_SIGNAL);
    if (code)
        return code;
    return stream ? check_appended(check, &whole, stream) : check_line(check, &whole);
}

static int check_frame(struct check *check, const void *frame, uint64_t bytes)
{
    assert((uintptr_t)frame % 8 == 0);
    struct gravel_frame header;
    *check->refusal = (struct gravel_refusal){.code = 0};
    if (bytes < sizeof header || bytes > GRAVEL_FRAME_MAX_BYTES)
        return refuse(check, GRAVEL_ECORRUPT, "%" PRIu64 " bytes are no frame", bytes);
    memcpy(&header, frame, sizeof header);
    int code = check_header(check, &header, bytes);
    uint64_t n_messages = 0, run_bytes = 0;
    for (check->at = sizeof header; !code && check->at < bytes; check->at += run_bytes) {
        const unsigned char *start = (const unsigned char *)frame + check->at;
        uint64_t left = bytes - check->at;
        struct gravel_run run;
        check->run_number++;
        if (left < sizeof run)
            return refuse(check, GRAVEL_ECORRUPT, "cut off after %" PRIu64 " bytes", left);
        memcpy(&run, start, sizeof run);
        const bool asks = check->heap && GRAVELP_COMMAND_OP(run.command) == GRAVEL_ASK;
        code = check->kind == GRAVEL_FRAME_RECORDS && !asks
                   ? check_records(check, &run, start, left, &run_bytes)
                   : check_run(check, &run, start, left, &run_bytes);
        n_messages += run.n_messages;
    }
    check->run_number = 0;
    return code ? code : check_equal(check, "number of messages", header.n_messages, n_messages);
}

int gravel_decode_check(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                        const struct gravel_heap *heap, struct gravel_refusal *refusal)
{
    struct check check = {
        .expect = expect, .heap = heap, .refusal = refusal, .kind = GRAVEL_FRAME_MESSAGES};
    return check_frame(&check, frame, bytes);
}

int gravel_decode_records(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                          const struct gravel_streams *streams, const struct gravel_heap *heap,
                          struct gravel_refusal *refusal)
{
    struct check check = {.expect = expect,
                          .streams = streams,
                          .heap = heap,
                          .refusal = refusal,
                          .kind = GRAVEL_FRAME_RECORDS};
    return check_frame(&check, frame, bytes);
}

int gravel_decode_plan(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                       const struct gravel_heap *heap, bool is_header, struct gravel_plan *plan,
                       struct gravel_refusal *refusal)
{
    struct check check = {
        .expect = expect,
        .heap = heap,
        .refusal = refusal,
        .plan = plan,
        .kind = GRAVEL_FRAME_MESSAGES,
        .is_header = is_header,
    };
    plan->n_runs = plan->n_messages = 0;
    int code = check_frame(&check, frame, bytes);
    if (code == NO_PLAN)
        plan->n_runs = 0;
    return code == NO_PLAN ? 0 : code;
}

int gravel_decode_refuse_index(const struct gravel_plan *plan, const struct gravel_expect *expect,
                               uint32_t message, uint32_t index, struct gravel_refusal *refusal)
{
    struct check check = {.expect = expect, .refusal = refusal, .run_number = 1};
    const struct gravel_planned_run *planned = plan->runs;
    while (check.run_number < plan->n_runs && message >= planned[1].first) {
        planned++;
        check.run_number++;
    }
    return refuse_index(&check, &planned->run, message - planned->first, index, &planned->span);
}
