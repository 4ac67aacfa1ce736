/* SPDX-License-Identifier: MIT */
/*
 * One thread, step by step: what its next event is, and what follows from the value it reads.
 *
 * Path:    explore.c -> machine.c -> expression.c.
 * Owner:   the engine has the threads' locals and copies them as it likes.
 */
#ifndef GRAVEL_HRF_MACHINE_H
#define GRAVEL_HRF_MACHINE_H

#include "checker/program.h"

struct hrf_locals {
    uint16_t at;          /* instruction: an event, or the end of the code */
    bool is_cut;          /* by a loop with too many rounds */
    uint32_t failed_line; /* of the first assert that did not hold, or 0 */
    uint32_t registers[HRF_MAX_REGISTERS];
};

struct hrf_event;

/** Goes to the thread's first event. */
void hrf_locals_init(const struct hrf_program *program, uint32_t thread, struct hrf_locals *locals);

/** Returns the instruction of the thread's next event, or NULL at its end. */
static inline const struct hrf_instruction *
hrf_next_event(const struct hrf_program *program, uint32_t thread, const struct hrf_locals *locals)
{
    const struct hrf_thread *code = &program->threads[thread];
    return locals->at < code->n_code && !locals->is_cut ? &code->code[locals->at] : 0;
}

/** Returns whether an await takes a value; anything else takes all. */
bool hrf_accepts(const struct hrf_program *program, const struct hrf_instruction *instruction,
                 const struct hrf_locals *locals, uint32_t value);

/**
 * The thread's next event, if what it reads is `old`. Source and position are left to the engine.
 *
 * @param old  ignored if it reads nothing.
 */
void hrf_make_event(const struct hrf_program *program, uint32_t thread,
                    const struct hrf_locals *locals, uint32_t old, struct hrf_event *event);

/** Continues behind the next event, which read `old`, to the one after it. */
void hrf_step(const struct hrf_program *program, uint32_t thread, struct hrf_locals *locals,
              uint32_t old);

/** Returns whether all threads that meet at the barrier of a thread are there. */
bool hrf_barrier_is_met(const struct hrf_program *program, const struct hrf_locals *locals,
                        uint32_t thread);

#endif
