/* SPDX-License-Identifier: MIT */
/*
 * The shape of a litmus program's kernel, and what no device can run. See shape.h.
 */
#include "run/shape.h"

#include <stddef.h>

static const char *refuse_barrier(const struct hrf_thread *thread, uint32_t number)
{
    if (thread->code[number].level != HRF_WG)
        return "barriers of sub-groups are not run";
    for (uint32_t k = 0; k < thread->n_code; k++)
        if ((thread->code[k].op == HRF_BRANCH || thread->code[k].op == HRF_JUMP) &&
            (k < number) != (thread->code[k].target <= number))
            return "a barrier in a branch is not run";
    return NULL;
}

static const char *refuse_instruction(const struct hrf_program *program, const struct shape *shape,
                                      uint32_t thread, uint32_t number)
{
    const struct hrf_instruction *i = &program->threads[thread].code[number];
    const bool is_on_host = shape->group[thread] == SHAPE_ON_HOST;
    if (i->is_remote)
        return "no device has remote operations";
    if (hrf_is_sync(i->op) && (i->level == HRF_SG || i->level == HRF_WI))
        return "OpenCL C has no atomics of that scope that every device takes";
    if (is_on_host && i->op == HRF_BARRIER)
        return "the host has no barriers";
    if (is_on_host && i->location >= 0 && program->locations[i->location].region == HRF_LOCAL)
        return "the host has no local memory";
    return i->op == HRF_BARRIER ? refuse_barrier(&program->threads[thread], number) : NULL;
}

static bool is_watched(const struct hrf_program *program, const struct shape *shape,
                       const struct hrf_expression *value)
{
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *other = &program->expressions[shape->watched[w]];
        if (other->operator_ == value->operator_ && other->a == value->a && other->b == value->b)
            return true;
    }
    return false;
}

/* Adds the registers and locations of a condition. Returns false if there are too many. */
static bool watch(const struct hrf_program *program, int32_t expression, struct shape *shape)
{
    const struct hrf_expression *e = &program->expressions[expression];
    if (e->operator_ == HRF_CONSTANT)
        return true;
    if (e->operator_ >= HRF_NOT)
        return watch(program, (int32_t)e->a, shape) &&
               (e->operator_ == HRF_NOT || watch(program, (int32_t)e->b, shape));
    if (is_watched(program, shape, e))
        return true;
    if (shape->n_watched == SHAPE_MAX_WATCHED)
        return false;
    shape->watched[shape->n_watched++] = expression;
    return true;
}

bool shape_counts_asserts(const struct hrf_program *program)
{
    bool has_assert = false;
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++)
            has_assert |= program->threads[t].code[k].op == HRF_ASSERT;
    return has_assert && program->exists < 0;
}

/* Numbers groups of the device, and threads within them; all other threads are the host's. */
static void assign_threads(const struct hrf_program *program, struct shape *shape)
{
    uint32_t device = UINT32_MAX;
    for (uint32_t t = 0; t < program->n_threads; t++)
        if (device > program->threads[t].place.device)
            device = program->threads[t].place.device;
    for (uint32_t t = 0; t < program->n_threads; t++) {
        const struct hrf_thread *thread = &program->threads[t];
        const uint32_t mask = program->instances[thread->instances[HRF_WG]].mask;
        const uint32_t first = (uint32_t)__builtin_ctz(mask);
        if (thread->place.device != device) {
            shape->group[t] = SHAPE_ON_HOST;
            shape->host[shape->n_host++] = t;
            continue;
        }
        shape->group[t] = first == t ? shape->n_groups++ : shape->group[first];
        shape->role[t] = (uint32_t)__builtin_popcount(mask & ((UINT32_C(1) << t) - 1));
        if (shape->n_roles < shape->role[t] + 1)
            shape->n_roles = shape->role[t] + 1;
    }
}

const char *shape_find(const struct hrf_program *program, struct shape *shape)
{
    *shape = (struct shape){.n_groups = 0};
    assign_threads(program, shape);
    if (program->exists < 0 && !shape_counts_asserts(program))
        return "it has neither an `exists` nor an assert, whose outcomes are counted";
    if (program->exists >= 0 && !watch(program, program->exists, shape))
        return "its `exists` names more than 6 registers and locations";
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const char *why = refuse_instruction(program, shape, t, k);
            if (why)
                return why;
        }
    return NULL;
}
