/* SPDX-License-Identifier: MIT */
/*
 * Programs: the scope instances of their threads. See program.h.
 *
 * Path:    parse.c -> program.c -> explore.c.
 */
#include "checker/program.h"

#include <stdlib.h>

const char *const hrf_level_names[HRF_N_LEVELS] = {"wi", "sg", "wg", "dev", "sys"};

const char *hrf_order_name(uint8_t order)
{
    static const char *const names[] = {[HRF_RELAXED] = "relaxed",
                                        [HRF_ACQUIRE] = "acquire",
                                        [HRF_RELEASE] = "release",
                                        [HRF_ACQ_REL] = "acq_rel",
                                        [HRF_SEQ_CST] = "seq_cst"};
    return names[order];
}

/* Returns whether two places, of one thread if they are the same object, are in one instance of a level. */
static bool are_together(const struct hrf_place *a, const struct hrf_place *b, enum hrf_level level)
{
    if (level == HRF_SYS || a == b)
        return true;
    return level > HRF_WI && a->device == b->device &&
           (level == HRF_DEV ||
            (a->group == b->group && (level == HRF_WG || a->subgroup == b->subgroup)));
}

static uint16_t make_instance(struct hrf_program *program, uint32_t first, enum hrf_level level)
{
    struct hrf_instance *instance = &program->instances[program->n_instances];
    *instance = (struct hrf_instance){.level = level};
    for (uint32_t t = first; t < program->n_threads; t++)
        if (are_together(&program->threads[first].place, &program->threads[t].place, level))
            instance->mask |= UINT32_C(1) << t;
    return (uint16_t)program->n_instances++;
}

void hrf_program_place(struct hrf_program *program)
{
    program->n_instances = 0;
    for (int level = 0; level < HRF_N_LEVELS; level++)
        for (uint32_t t = 0; t < program->n_threads; t++) {
            struct hrf_thread *thread = &program->threads[t];
            uint32_t first = 0;
            while (!are_together(&program->threads[first].place, &thread->place,
                                 (enum hrf_level)level))
                first++;
            thread->instances[level] = first == t ? make_instance(program, t, (enum hrf_level)level)
                                                  : program->threads[first].instances[level];
        }
}

uint32_t hrf_max_events(const struct hrf_program *program)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const enum hrf_op op = program->threads[t].code[k].op;
            if (op == HRF_LOOP)
                return HRF_MAX_EVENTS;
            n += hrf_is_event(op);
        }
    return n;
}

void hrf_program_free(struct hrf_program *program)
{
    if (!program)
        return;
    for (uint32_t t = 0; t < program->n_threads; t++)
        free(program->threads[t].code);
    free(program->expressions);
    free(program->source);
    free(program);
}
