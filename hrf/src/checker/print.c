/* SPDX-License-Identifier: MIT */
/*
 * Executions and races as text. See print.h.
 */
#include "checker/print.h"

#include "checker/orders.h"

#include <inttypes.h>
#include <string.h>

static const char *name_of(const struct hrf_execution *execution, uint32_t event)
{
    return execution->program->threads[execution->events[event].thread].name;
}

/* A statement on one line. */
static void print_text(FILE *out, const struct hrf_instruction *instruction)
{
    bool was_blank = false;
    for (uint32_t i = 0; i < instruction->n_text; i++) {
        const char c = instruction->text[i];
        const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!is_blank)
            fputc(c == '"' ? '\'' : c, out);
        else if (!was_blank)
            fputc(' ', out);
        was_blank = is_blank;
    }
}

/* Prints an access as writer:3 "x = 1". */
static void print_event(FILE *out, const struct hrf_execution *execution, uint32_t event)
{
    const struct hrf_instruction *instruction = execution->events[event].instruction;
    fprintf(out, "%s:%u \"", name_of(execution, event), instruction->line);
    print_text(out, instruction);
    fputc('"', out);
}

/* ---- why there is a race --------------------------------------------------------------------- */

static const char *level_name(const struct hrf_execution *execution, int32_t instance)
{
    return hrf_level_names[execution->program->instances[instance].level];
}

/* Under direct: a chain of scopes that would order the pair if they combined. */
static bool print_chain(FILE *out, const struct hrf_orders *by_scope, const uint32_t pair[2])
{
    const struct hrf_execution *execution = by_scope->execution;
    for (uint32_t p = 0; p < by_scope->n_passes; p++)
        for (uint32_t q = 0; q < by_scope->n_passes; q++)
            for (uint32_t e = 0; e < execution->n; e++) {
                struct hrf_orders first = *by_scope, second = *by_scope;
                const uint64_t stride =
                    (uint64_t)by_scope->max_events * execution->program->n_threads;
                first.n_passes = second.n_passes = 1;
                first.clocks += p * stride;
                second.clocks += q * stride;
                first.passes += p;
                second.passes += q;
                if (p == q || !hrf_happens_before(&first, pair[0], e, HRF_ALL_REGIONS) ||
                    !hrf_happens_before(&second, e, pair[1], HRF_ALL_REGIONS))
                    continue;
                fprintf(out, "ordered by %s and then by %s, by neither alone",
                        level_name(execution, first.passes->instance),
                        level_name(execution, second.passes->instance));
                return true;
            }
    return false;
}

static void print_scopes(FILE *out, const struct hrf_execution *execution, const uint32_t pair[2])
{
    const struct hrf_event *a = &execution->events[pair[0]], *b = &execution->events[pair[1]];
    fprintf(out, "atomics at %s of %s and %s of %s, which do not meet, and neither happens first",
            level_name(execution, a->instance), name_of(execution, pair[0]),
            level_name(execution, b->instance), name_of(execution, pair[1]));
}

static void print_reason(FILE *out, const struct hrf_execution *execution,
                         const struct hrf_rules *rules, const uint32_t pair[2])
{
    const struct hrf_event *a = &execution->events[pair[0]], *b = &execution->events[pair[1]];
    struct hrf_orders orders;
    bool is_printed = false;
    if (a->is_atomic && b->is_atomic) {
        print_scopes(out, execution, pair);
        return;
    }
    if (rules->by_scope && !hrf_orders_init(&orders, execution->program, rules, false)) {
        hrf_order(&orders, execution);
        is_printed = print_chain(out, &orders, pair);
        hrf_orders_free(&orders);
    }
    if (!is_printed)
        fprintf(out, "neither happens before the other");
}

void hrf_print_race(FILE *out, const struct hrf_verdict *verdict, enum hrf_model model)
{
    const struct hrf_answer_of_model *of = &verdict->of[model];
    if (of->answer != HRF_HAS_RACE)
        return;
    fprintf(out, "  %s: ", hrf_rules[model].name);
    print_event(out, &of->execution, of->pair[0]);
    fputs(", ", out);
    print_event(out, &of->execution, of->pair[1]);
    fputs(": ", out);
    print_reason(out, &of->execution, &hrf_rules[model], of->pair);
    fputc('\n', out);
}

/* ---- executions ------------------------------------------------------------------------------ */

static bool is_marked(const uint32_t *marked, uint32_t n, uint32_t event)
{
    for (uint32_t i = 0; i < n; i++)
        if (marked[i] == event)
            return true;
    return false;
}

void hrf_print_execution(FILE *out, const struct hrf_execution *execution, const uint32_t *marked,
                         uint32_t n)
{
    for (uint32_t e = 0; e < execution->n; e++) {
        const struct hrf_event *event = &execution->events[e];
        fprintf(out, "    %c %-8s line %-4u ", is_marked(marked, n, e) ? '*' : ' ',
                name_of(execution, e), event->instruction->line);
        print_text(out, event->instruction);
        if (event->reads && !event->writes)
            fprintf(out, "   reads %" PRIu32, event->value);
        else if (event->reads)
            fprintf(out, "   stores %" PRIu32, event->value);
        fputc('\n', out);
    }
}

const char *hrf_fault_text(enum hrf_fault fault)
{
    static const char *const texts[] = {[HRF_NO_FAULT] = "none",
                                        [HRF_FAILED_ASSERT] = "assert failed",
                                        [HRF_DIVERGED] = "barrier divergence",
                                        [HRF_STUCK] = "stuck"};
    return texts[fault];
}

void hrf_print_fault(FILE *out, const struct hrf_verdict *verdict)
{
    if (!verdict->fault)
        return;
    fprintf(out, "  %s", hrf_fault_text(verdict->fault));
    if (verdict->fault == HRF_FAILED_ASSERT)
        fprintf(out, ": %s:%u",
                verdict->fault_execution.program->threads[verdict->fault_thread].name,
                verdict->fault_line);
    if (verdict->fault_model < HRF_N_MODELS)
        fprintf(out, ", in an execution that is not sequentially consistent, under %s",
                hrf_rules[verdict->fault_model].name);
    fputc('\n', out);
    hrf_print_execution(out, &verdict->fault_execution, NULL, 0);
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

static void print_nodes(FILE *out, const struct hrf_execution *execution, const uint32_t pair[2])
{
    for (uint32_t t = 0; t < execution->program->n_threads; t++) {
        const struct hrf_thread *thread = &execution->program->threads[t];
        fprintf(out, "  subgraph cluster_%u {\n    label=\"%s, dev %u wg %u\";\n", t, thread->name,
                thread->place.device, thread->place.group);
        for (uint32_t e = 0; e < execution->n; e++) {
            if (execution->events[e].thread != t)
                continue;
            fprintf(out, "    e%u [label=\"%u: ", e, execution->events[e].instruction->line);
            print_text(out, execution->events[e].instruction);
            fprintf(out, "\"%s];\n", is_marked(pair, 2, e) ? ", color=red, penwidth=2" : "");
        }
        fputs("  }\n", out);
    }
}

/* Returns the store that comes behind this one in coherence order. */
static int32_t behind(const struct hrf_execution *execution, uint32_t store)
{
    const struct hrf_event *event = &execution->events[store];
    int32_t next = execution->last_write[event->location];
    while (next >= 0 && execution->events[next].position != event->position + 1)
        next = execution->events[next].previous_write;
    return next;
}

static void print_edges(FILE *out, const struct hrf_execution *execution)
{
    for (uint32_t e = 0; e < execution->n; e++) {
        const struct hrf_event *event = &execution->events[e];
        if (event->previous >= 0)
            fprintf(out, "  e%d -> e%u [label=po];\n", event->previous, e);
        if (event->reads && event->source >= 0)
            fprintf(out, "  e%d -> e%u [label=rf, color=darkgreen, constraint=false];\n",
                    event->source, e);
        int32_t next = event->writes ? behind(execution, e) : HRF_NONE;
        if (next >= 0)
            fprintf(out, "  e%u -> e%d [label=co, color=brown, constraint=false];\n", e, next);
    }
}

/* Returns whether an order between threads is a nearest one: not what program order and other arrows say already. */
static bool is_direct(const struct hrf_orders *orders, uint32_t a, uint32_t b)
{
    const struct hrf_event *events = orders->execution->events;
    if (events[a].thread == events[b].thread || !hrf_happens_before(orders, a, b, HRF_ALL_REGIONS))
        return false;
    for (uint32_t e = 0; e < orders->execution->n; e++)
        if (e != a && e != b && hrf_happens_before(orders, a, e, HRF_ALL_REGIONS) &&
            hrf_happens_before(orders, e, b, HRF_ALL_REGIONS))
            return false;
    return true;
}

int hrf_print_dot(FILE *out, const struct hrf_verdict *verdict, enum hrf_model model)
{
    const struct hrf_answer_of_model *of = &verdict->of[model];
    struct hrf_orders orders;
    if (of->answer != HRF_HAS_RACE)
        return 0;
    if (hrf_orders_init(&orders, of->execution.program, &hrf_rules[model], false))
        return -1;
    hrf_order(&orders, &of->execution);
    fprintf(out, "digraph \"%s under %s\" {\n  node [shape=box];\n", of->execution.program->name,
            hrf_rules[model].name);
    print_nodes(out, &of->execution, of->pair);
    print_edges(out, &of->execution);
    for (uint32_t a = 0; a < of->execution.n; a++)
        for (uint32_t b = 0; b < of->execution.n; b++)
            if (is_direct(&orders, a, b))
                fprintf(out, "  e%u -> e%u [label=sync, color=blue, constraint=false];\n", a, b);
    fprintf(out, "  e%u -> e%u [label=race, color=red, dir=none, constraint=false];\n}\n",
            of->pair[0], of->pair[1]);
    hrf_orders_free(&orders);
    return 0;
}
