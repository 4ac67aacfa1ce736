/* SPDX-License-Identifier: MIT */
/*
 * The check of an incoming node buffer, from the outside in: header, each run's command, its arrays, its words. See
 * decode.h.
 *
 * Every number is checked against what is left of the buffer before it is used in arithmetic, so no sum or product here
 * can overflow: a frame has at most 2^26 bytes, and offsets are compared by difference inside an allocation.
 */
#include "resolve/decode.h"

#include "base/error.h"
#include "transport/names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NO_PLAN 1 /* no code of an error: the frame is to be checked without a plan */

/* A number in a frame that has one right value there. */
struct field {
    const char *name;
    uint64_t found, expected;
};

struct check {
    const struct gravel_expect *expect;
    struct gravel_refusal *refusal;
    struct gravel_plan *plan; /* NULL: indices are read here */
    uint32_t run_number;      /* 0: the frame's header */
    uint64_t at;              /* of the run in the frame [bytes] */
};

/* Notes why the frame is refused, and where in it. */
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

/* Refuses the first of the fields that has not its expected value. */
static int check_fields(const struct check *check, const struct field *fields, size_t n)
{
    for (const struct field *field = fields; field < fields + n; field++)
        if (field->found != field->expected)
            return refuse(check, GRAVEL_ECORRUPT, "%s is %" PRIu64 ", expected %" PRIu64,
                          field->name, field->found, field->expected);
    return 0;
}
#define CHECK_FIELDS(check, fields) check_fields(check, fields, sizeof(fields) / sizeof *(fields))

static int check_header(const struct check *check, const struct gravel_frame *frame, uint64_t bytes)
{
    const struct field fields[] = {
        {"magic", frame->magic, GRAVEL_FRAME_MAGIC},
        {"version", frame->version, GRAVEL_FRAME_VERSION},
        {"kind", frame->kind,
         check->expect->are_records ? GRAVEL_FRAME_RECORDS : GRAVEL_FRAME_MESSAGES},
        {"source", frame->source, check->expect->source},
        {"destination", frame->destination, check->expect->destination},
        {"length", frame->bytes, bytes},
        {"sequence", frame->sequence, check->expect->sequence},
    };
    GRAVEL_TRY(CHECK_FIELDS(check, fields));
    return frame->n_messages > GRAVEL_FRAME_MAX_MESSAGES
               ? refuse(check, GRAVEL_ECORRUPT,
                        "%" PRIu32 " messages are more than a frame may hold", frame->n_messages)
               : 0;
}

static int check_active_message(const struct check *check, const struct gravel_run *run)
{
    const bool asks = GRAVELP_COMMAND_OP(run->command) == GRAVEL_ASK;
    const uint32_t type = GRAVELP_COMMAND_TYPE(run->command);
    uint32_t handler = GRAVELP_COMMAND_HANDLER(run->command);
    uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    if (n_args > (asks ? GRAVEL_ASK_MAX_ARGS : GRAVEL_AM_MAX_ARGS) ||
        (type != GRAVEL_ULONG && type != GRAVEL_UINT) || run->command & GRAVELP_COMMAND_RESERVED ||
        (!asks && run->command & GRAVELP_COMMAND_FAR))
        return refuse(check, GRAVEL_ECORRUPT, "command 0x%08" PRIx32 " is malformed", run->command);
    const struct gravel_endpoints *endpoints = check->expect->endpoints;
    if (handler >= endpoints->n_handlers)
        return refuse(check, GRAVEL_EHANDLER, "no handler %" PRIu32 " among %" PRIu32, handler,
                      endpoints->n_handlers);
    const struct gravel_handler *known = &endpoints->handlers[handler];
    char why[192];
    why[0] = '\0';
    if (known->n_args != n_args)
        snprintf(why, sizeof why, "takes %" PRIu32 " arguments, the message has %" PRIu32,
                 known->n_args, n_args);
    else if ((type == GRAVEL_UINT) != gravel_handler_is_narrow(known))
        snprintf(why, sizeof why, "takes arguments of %u bytes, the message has them of %u",
                 gravel_handler_is_narrow(known) ? 4u : 8u, GRAVEL_TYPE_BYTES(type));
    else if (asks && !known->n_answers)
        snprintf(why, sizeof why, "is asked, and does not answer: its n_answers is 0");
    else if (known->blocks != check->expect->are_records)
        snprintf(why, sizeof why, "%s",
                 known->blocks ? "blocks: kernels ask it, and send it nothing"
                               : "is asked among records, and does not block");
    else if (known->serve.max_pending)
        snprintf(why, sizeof why,
                 "may send, for its max_pending is %" PRIu64
                 ": only kernels of gravel_server_launch send to it, on their own node, by _wg "
                 "calls, and not in checked mode",
                 known->serve.max_pending);
    return why[0] ? refuse(check, GRAVEL_EHANDLER, "handler %" PRIu32 " (%s) %s", handler,
                           known->name ? known->name : "?", why)
                  : 0;
}

static int check_command(const struct check *check, const struct gravel_run *run)
{
    const uint32_t known =
        GRAVELP_COMMAND(GRAVELP_COMMAND_OP(run->command), GRAVELP_COMMAND_TYPE(run->command));
    if (GRAVELP_IS_CALL(run->command) && run->base)
        return refuse(check, GRAVEL_ECORRUPT, "base is %" PRIu64 " in a run that has none",
                      run->base);
    if (GRAVELP_IS_CALL(run->command))
        return check_active_message(check, run);
    return gravel_operation_name(run->command) && (run->command & ~GRAVELP_COMMAND_FAR) == known
               ? 0
               : refuse(check, GRAVEL_ECORRUPT, "command 0x%08" PRIx32 " is unknown", run->command);
}

/* Checks that a run's arrays fit into what is left of the frame and end in zeros; finds its length. */
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
    for (uint64_t i = end; i < *run_bytes && !check->expect->is_header; i++)
        if (start[i])
            return refuse(check, GRAVEL_ECORRUPT, "padding at byte %" PRIu64 " is not zero", i);
    return 0;
}

/* Finds the words from `base` on to the end of its allocation; `what` names it. */
static int find_words(const struct check *check, const struct gravel_run *run, const char *what,
                      uint64_t base, struct gravel_span *span, uint64_t *n_words)
{
    uint32_t size = GRAVELP_VALUE_BYTES(run->command);
    if (base % size)
        return refuse(check, GRAVEL_ERANGE, "%s %" PRIu64 " of %s is not a multiple of %" PRIu32,
                      what, base, gravel_type_name(run->command), size);
    if (!gravel_heap_span(check->expect->heap, base, span))
        return refuse(check, GRAVEL_ERANGE,
                      "%s %" PRIu64 " of %s is in no allocation; " GRAVEL_CHECK_NAMES, what, base,
                      gravel_type_name(run->command));
    *n_words = (span->bytes - (base - span->offset)) / size;
    return 0;
}

/* Refuses a message, for an index, or an answer's position, is beyond the allocation of its base. */
static int refuse_element(const struct check *check, const struct gravel_run *run, uint32_t message,
                          struct gravel_element element, const struct gravel_span *span)
{
    char text[GRAVEL_REFUSAL_BYTES], name[32];
    snprintf(name, sizeof name, "message %" PRIu32 ", %s", message, element.name);
    element.name = name;
    gravel_write_element(text, sizeof text, run->command, &element, span);
    return refuse(check, GRAVEL_ERANGE, "%s; " GRAVEL_CHECK_NAMES, text);
}

static int refuse_index(const struct check *check, const struct gravel_run *run, uint32_t message,
                        uint64_t index, const struct gravel_span *span)
{
    return refuse_element(check, run, message,
                          (struct gravel_element){"index", index, "base", run->base}, span);
}

/* Notes a run that the device checks. @return 0; NO_PLAN: the plan has no room for it. */
static int plan_run(const struct check *check, const struct gravel_run *run,
                    const struct gravel_span *span, uint64_t n_words)
{
    struct gravel_plan *plan = check->plan;
    if (plan->n_runs == GRAVEL_PLAN_RUNS)
        return NO_PLAN;
    plan->runs[plan->n_runs++] = (struct gravel_planned_run){
        .run = *run,
        .at = check->at,
        .first = plan->n_messages,
        .n_words = n_words,
        .span = *span,
    };
    plan->n_messages += run->n_messages;
    return 0;
}

static int check_indices(const struct check *check, const struct gravel_run *run,
                         const uint32_t *indices)
{
    struct gravel_span span;
    uint64_t n_words = 0;
    uint32_t largest = 0, first = 0;
    GRAVEL_TRY(find_words(check, run, "base", run->base, &span, &n_words));
    if (check->plan)
        return plan_run(check, run, &span, n_words);
    for (uint32_t i = 0; i < run->n_messages; i++) /* the compiler makes it a vector loop */
        largest = indices[i] > largest ? indices[i] : largest;
    if (largest < n_words)
        return 0;
    while (first + 1 < run->n_messages && indices[first] < n_words) /* they may change now */
        first++;
    return refuse_index(check, run, first, indices[first], &span);
}

/* Checks a run of requests, or of far indices. Answers go to the source's heap, whose allocations are the same as ours.
 * An active message addresses no word. */
static int check_elements(const struct check *check, const struct gravel_run *run, uint64_t result,
                          const void *indices)
{
    const bool has_words = !GRAVELP_IS_CALL(run->command);
    struct gravel_span words, answers;
    uint64_t n_words = 1, n_answers = UINT64_MAX;
    if (has_words)
        GRAVEL_TRY(find_words(check, run, "base", run->base, &words, &n_words));
    if (GRAVELP_IS_REQUEST(run->command))
        GRAVEL_TRY(find_words(check, run, "result", result, &answers, &n_answers));
    for (uint32_t i = 0; i < run->n_messages; i++) {
        const struct gravelp_far_request one = gravel_element_at(run->command, indices, i);
        if (one.index >= n_words && !has_words)
            return refuse(check, GRAVEL_ECORRUPT,
                          "index is %" PRIu64 " in an active message, which has none", one.index);
        if (one.index >= n_words)
            return refuse_index(check, run, i, one.index, &words);
        if (one.position >= n_answers)
            return refuse_element(
                check, run, i, (struct gravel_element){"position", one.position, "result", result},
                &answers);
    }
    return 0;
}

/* Checks what a run of signals or requests has in its header beyond other runs. */
static int check_signal(const struct check *check, const struct gravel_signal_run *run)
{
    struct gravel_span span;
    const uint64_t signal = run->signal;
    if (signal != GRAVEL_NO_SIGNAL && signal % 4)
        return refuse(check, GRAVEL_ERANGE, "signal at %" PRIu64 " is not a multiple of 4", signal);
    if (signal != GRAVEL_NO_SIGNAL && (!gravel_heap_span(check->expect->heap, signal, &span) ||
                                       span.bytes - (signal - span.offset) < 4))
        return refuse(check, GRAVEL_ERANGE, "signal at %" PRIu64 " is in no allocation", signal);
    if (run->result && !GRAVELP_IS_REQUEST(run->run.command))
        return refuse(check, GRAVEL_ECORRUPT, "result is %" PRIu64 " in a run that has none",
                      run->result);
    return 0;
}

static int check_run(const struct check *check, const struct gravel_run *run,
                     const unsigned char *start, uint64_t left, uint64_t *run_bytes)
{
    const uint32_t command = run->command, index_bytes = GRAVELP_INDEX_BYTES(command);
    const void *indices = start + GRAVEL_RUN_INDICES(command);
    struct gravel_signal_run whole = {.result = 0};
    GRAVEL_TRY(check_command(check, run));
    if (check->plan && (index_bytes != 4 || GRAVELP_HAS_SIGNAL(command)))
        return NO_PLAN; /* no update or put with indices */
    GRAVEL_TRY(check_extent(check, run, start, left, run_bytes));
    if (GRAVELP_HAS_SIGNAL(command)) {
        memcpy(&whole, start, sizeof whole);
        GRAVEL_TRY(check_signal(check, &whole));
    }
    if (index_bytes == 0)
        return 0;
    if (index_bytes == 4)
        return check_indices(check, run, indices);
    return check_elements(check, run, whole.result, indices);
}

/* Checks that the arguments of a line fill its words behind the tag. */
static int check_line(const struct check *check, const struct gravel_signal_run *run)
{
    const uint32_t n_words = GRAVELP_RECORD_WORDS(run->run.command);
    uint64_t types = run->result, due = GRAVELP_TAG_WORDS;
    for (; (types & 0xf) &&
           ((types & 0xf) <= GRAVELP_ARGUMENT_STRING || (types & 0xf) == GRAVELP_ARGUMENT_POINTER);
         types >>= 4)
        due += GRAVELP_ARGUMENT_WORDS(types & 0xf);
    if (types)
        return refuse(check, GRAVEL_ECORRUPT, "types of arguments are 0x%" PRIx64, run->result);
    const struct field fields[] = {{"number of words", n_words, due}};
    return CHECK_FIELDS(check, fields);
}

static int check_records(const struct check *check, const struct gravel_run *run,
                         const unsigned char *start, uint64_t left, uint64_t *run_bytes)
{
    struct gravel_signal_run whole;
    if (!GRAVELP_IS_SANE_RECORD(run->command))
        return refuse(check, GRAVEL_ECORRUPT, "command 0x%08" PRIx32 " is not a record's",
                      run->command);
    const uint32_t number = GRAVELP_RECORD_STREAM(run->command);
    const struct gravel_stream *stream = gravel_stream_at(check->expect->endpoints, number);
    if (number != GRAVELP_LINES && !stream)
        return refuse(check, GRAVEL_ECORRUPT, "there is no stream %" PRIu32, number);
    GRAVEL_TRY(check_extent(check, run, start, left, run_bytes));
    memcpy(&whole, start, sizeof whole);
    const struct field every[] = {{"base", run->base, 0},
                                  {"signal", whole.signal, GRAVEL_NO_SIGNAL}};
    int code = CHECK_FIELDS(check, every);
    GRAVEL_TRY(code);
    if (!stream)
        return check_line(check, &whole);
    const struct field appended[] = {
        {"bytes of a record", 4 * GRAVELP_RECORD_WORDS(run->command), stream->record_bytes},
        {"bytes of text", GRAVELP_TEXT_BYTES(run->command), 0},
        {"types of arguments", whole.result, 0},
    };
    return CHECK_FIELDS(check, appended);
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
        const bool asks = check->expect->heap && GRAVELP_COMMAND_OP(run.command) == GRAVEL_ASK;
        code = check->expect->are_records && !asks
                   ? check_records(check, &run, start, left, &run_bytes)
                   : check_run(check, &run, start, left, &run_bytes);
        n_messages += run.n_messages;
    }
    check->run_number = 0;
    const struct field sum[] = {{"number of messages", header.n_messages, n_messages}};
    GRAVEL_TRY(code);
    return CHECK_FIELDS(check, sum);
}

int gravel_decode_check(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                        struct gravel_plan *plan, struct gravel_refusal *refusal)
{
    struct check check = {.expect = expect, .refusal = refusal, .plan = plan};
    if (plan)
        plan->n_runs = plan->n_messages = 0;
    const int code = check_frame(&check, frame, bytes);
    if (code != NO_PLAN)
        return code;
    plan->n_runs = 0;
    return 0;
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
