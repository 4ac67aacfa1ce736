/* SPDX-License-Identifier: MIT */
/*
 * The shape of a litmus program's kernel, and what no device can run. See kernel_shape.h.
 */
#include "kernel_shape.h"

#include <stddef.h>

bool kernel_is_on_host(const struct hrf_program *program, uint32_t thread)
{
    for (uint32_t t = 0; t < program->n_threads; t++)
        if (program->threads[t].device < program->threads[thread].device)
            return true;
    return false;
}

uint32_t kernel_group_of(const struct hrf_program *program, uint32_t thread)
{
    uint32_t number = 0;
    if (kernel_is_on_host(program, thread))
        return KERNEL_NO_GROUP;
    for (uint32_t t = 0; t < thread; t++) {
        const uint32_t mask = program->instances[program->threads[t].instances[HRF_WG]].mask;
        if (mask >> thread & 1)
            return kernel_group_of(program, t);
        number += !kernel_is_on_host(program, t) && (uint32_t)__builtin_ctz(mask) == t;
    }
    return number;
}

uint32_t kernel_role_of(const struct hrf_program *program, uint32_t thread)
{
    const uint32_t mask = program->instances[program->threads[thread].instances[HRF_WG]].mask;
    return (uint32_t)__builtin_popcount(mask & ((UINT32_C(1) << thread) - 1));
}

static const char *refuse_instruction(const struct hrf_program *program, uint32_t thread,
                                      uint32_t number)
{
    const struct hrf_thread *t = &program->threads[thread];
    const struct hrf_instruction *i = &t->code[number];
    if (i->is_remote)
        return "no device has remote operations";
    if (hrf_is_sync(i->op) && (i->level == HRF_SG || i->level == HRF_WI))
        return "OpenCL C has no atomics of that scope that every device takes";
    if (kernel_is_on_host(program, thread)) {
        const bool is_local =
            i->location >= 0 && program->locations[i->location].region == HRF_LOCAL;
        return i->op == HRF_BARRIER ? "the host has no barriers"
               : is_local           ? "the host has no local memory"
                                    : NULL;
    }
    if (i->op != HRF_BARRIER)
        return NULL;
    if (i->level != HRF_WG)
        return "barriers of sub-groups are not run";
    for (uint32_t k = 0; k < t->n_code; k++)
        if ((t->code[k].op == HRF_BRANCH || t->code[k].op == HRF_JUMP) &&
            (k < number) != (t->code[k].target <= number))
            return "a barrier in a branch is not run";
    return NULL;
}

static bool is_watched(const struct hrf_program *program, const struct kernel_shape *shape,
                       const struct hrf_expression *value)
{
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *other = &program->expressions[shape->watched[w]];
        if (other->operator_ == value->operator_ && other->a == value->a && other->b == value->b)
            return true;
    }
    return false;
}

/* The registers and locations in a condition. @return false if there are too many. */
static bool watch(const struct hrf_program *program, uint32_t expression,
                  struct kernel_shape *shape)
{
    const struct hrf_expression *e = &program->expressions[expression];
    if (e->operator_ == HRF_CONSTANT)
        return true;
    if (e->operator_ == HRF_NOT)
        return watch(program, e->a, shape);
    if (e->operator_ > HRF_NOT)
        return watch(program, e->a, shape) && watch(program, e->b, shape);
    if (is_watched(program, shape, e))
        return true;
    if (shape->n_watched == KERNEL_MAX_WATCHED)
        return false;
    shape->watched[shape->n_watched++] = expression;
    return true;
}

bool kernel_counts_asserts(const struct hrf_program *program)
{
    bool has_assert = false;
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++)
            has_assert |= program->threads[t].code[k].op == HRF_ASSERT;
    return has_assert && program->exists < 0;
}

static void add_role(const struct hrf_program *program, struct kernel_shape *shape, uint32_t thread)
{
    const uint32_t group = kernel_group_of(program, thread);
    const uint32_t role = kernel_role_of(program, thread);
    if (shape->n_groups < group + 1)
        shape->n_groups = group + 1;
    if (shape->n_roles < role + 1)
        shape->n_roles = role + 1;
}

const char *kernel_refuse(const struct hrf_program *program, struct kernel_shape *shape)
{
    *shape = (struct kernel_shape){.n_roles = 1};
    if (program->exists < 0 && !kernel_counts_asserts(program))
        return "it has neither an `exists` nor an assert, whose outcomes are counted";
    if (program->exists >= 0 && !watch(program, (uint32_t)program->exists, shape))
        return "its `exists` names more than 6 registers and locations";
    for (uint32_t t = 0; t < program->n_threads; t++) {
        if (kernel_is_on_host(program, t))
            shape->host[shape->n_host++] = t;
        else
            add_role(program, shape, t);
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const char *why = refuse_instruction(program, t, k);
            if (why)
                return why;
        }
    }
    return NULL;
}
