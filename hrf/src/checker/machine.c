/* SPDX-License-Identifier: MIT */
/*
 * One thread, step by step. See machine.h.
 */
#include "checker/machine.h"

#include "checker/execution.h"
#include "checker/expression.h"

#include <string.h>

static uint32_t value_of(const struct hrf_program *program, int32_t expression,
                         const struct hrf_locals *locals)
{
    const struct hrf_values values = {.registers = locals->registers};
    return expression < 0 ? 0 : hrf_evaluate(program, expression, &values);
}

/* Runs what no other thread can see. */
static void run_local(const struct hrf_program *program, uint32_t thread, struct hrf_locals *locals)
{
    const struct hrf_thread *code = &program->threads[thread];
    while (locals->at < code->n_code && !locals->is_cut) {
        const struct hrf_instruction *i = &code->code[locals->at];
        if (hrf_is_event(i->op))
            return;
        uint32_t value = value_of(program, i->value, locals);
        locals->at++;
        if (i->op == HRF_SET)
            locals->registers[i->reg] = value;
        else if (i->op == HRF_ASSERT && !value && !locals->failed_line)
            locals->failed_line = i->line;
        else if (i->op == HRF_JUMP || (i->op == HRF_BRANCH && !value))
            locals->at = (uint16_t)i->target;
        else if (i->op == HRF_LOOP)
            locals->is_cut = ++locals->registers[i->reg] > program->max_rounds;
    }
}

void hrf_locals_init(const struct hrf_program *program, uint32_t thread, struct hrf_locals *locals)
{
    memset(locals, 0, sizeof *locals);
    run_local(program, thread, locals);
}

bool hrf_accepts(const struct hrf_program *program, const struct hrf_instruction *instruction,
                 const struct hrf_locals *locals, uint32_t value)
{
    return instruction->op != HRF_AWAIT ||
           hrf_apply(instruction->comparison, value, value_of(program, instruction->value, locals));
}

/* Finds what a read-modify-write stores. Returns false if it stores nothing: a compare-and-swap that failed. */
static bool modify(const struct hrf_program *program, const struct hrf_instruction *i,
                   const struct hrf_locals *locals, uint32_t old, uint32_t *stored)
{
    const uint32_t value = value_of(program, i->value, locals);
    switch (i->op) {
    case HRF_ADD:
        *stored = old + value;
        return true;
    case HRF_SUB:
        *stored = old - value;
        return true;
    case HRF_AND:
        *stored = old & value;
        return true;
    case HRF_OR:
        *stored = old | value;
        return true;
    case HRF_XOR:
        *stored = old ^ value;
        return true;
    case HRF_MIN:
        *stored = old < value ? old : value;
        return true;
    case HRF_MAX:
        *stored = old > value ? old : value;
        return true;
    case HRF_CAS:
        *stored = value;
        return old == value_of(program, i->expected, locals);
    default: /* a store, an exchange */
        *stored = value;
        return true;
    }
}

void hrf_make_event(const struct hrf_program *program, uint32_t thread,
                    const struct hrf_locals *locals, uint32_t old, struct hrf_event *event)
{
    const struct hrf_instruction *i = hrf_next_event(program, thread, locals);
    *event = (struct hrf_event){.instruction = i,
                                .value = old,
                                .source = HRF_NONE,
                                .location = (int16_t)i->location,
                                .thread = (uint8_t)thread,
                                .order = i->order,
                                .regions = i->regions,
                                .reads = hrf_reads(i->op),
                                .is_atomic = i->op >= HRF_LOAD && i->op <= HRF_CAS,
                                .is_remote = i->is_remote,
                                .is_fence = i->op == HRF_FENCE,
                                .is_barrier = i->op == HRF_BARRIER,
                                .instance = hrf_instance_of(program, thread, i)};
    uint32_t stored = 0;
    if (!hrf_may_write(i->op))
        return;
    event->writes = modify(program, i, locals, old, &stored);
    if (event->writes)
        event->value = stored;
    else
        event->order = i->failed_order;
}

void hrf_step(const struct hrf_program *program, uint32_t thread, struct hrf_locals *locals,
              uint32_t old)
{
    const struct hrf_instruction *i = &program->threads[thread].code[locals->at++];
    if (i->reg >= 0)
        locals->registers[i->reg] = old;
    run_local(program, thread, locals);
}

bool hrf_barrier_is_met(const struct hrf_program *program, const struct hrf_locals *locals,
                        uint32_t thread)
{
    const struct hrf_instruction *barrier = hrf_next_event(program, thread, &locals[thread]);
    for (uint32_t mask = hrf_barrier_mask(program, thread, barrier); mask; mask &= mask - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(mask);
        const struct hrf_instruction *next = hrf_next_event(program, t, &locals[t]);
        if (!next || next->op != HRF_BARRIER || next->level != barrier->level)
            return false;
    }
    return true;
}
