/* SPDX-License-Identifier: MIT */
/*
 * Writes the kernels of a litmus program. See kernel.h.
 *
 * clear_words sets the words of all instances; play makes them; judge_instances evaluates the condition and counts.
 * Instance i of location l is word(l, i): locations of an instance are far apart, and neighbours of one location are not
 * neighbours of the next. Work-group `home` + a multiple of `shift` plays group g of instances of `home`: all groups of an
 * instance in the same step of the loop, on different work-groups.
 */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be run ------------------------------------------------------------------------- */

/* The number of a thread's group among the program's, in the order of threads. */
static uint32_t group_of(const struct hrf_program *program, uint32_t thread)
{
    uint32_t number = 0;
    for (uint32_t t = 0; t < thread; t++) {
        const uint32_t mask = program->instances[program->threads[t].instances[HRF_WG]].mask;
        if (mask >> thread & 1)
            return group_of(program, t);
        number += (uint32_t)__builtin_ctz(mask) == t;
    }
    return number;
}

/* The number of a thread among those of its group. */
static uint32_t role_of(const struct hrf_program *program, uint32_t thread)
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

const char *kernel_refuse(const struct hrf_program *program, struct kernel_shape *shape)
{
    *shape = (struct kernel_shape){.n_roles = 1};
    if (program->exists < 0)
        return "it has no `exists`, whose outcomes are counted";
    if (!watch(program, (uint32_t)program->exists, shape))
        return "its `exists` names more than 6 registers and locations";
    for (uint32_t t = 0; t < program->n_threads; t++) {
        if (program->threads[t].device != program->threads[0].device)
            return "it has threads of two devices; one is run";
        if (shape->n_groups < group_of(program, t) + 1)
            shape->n_groups = group_of(program, t) + 1;
        if (shape->n_roles < role_of(program, t) + 1)
            shape->n_roles = role_of(program, t) + 1;
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const char *why = refuse_instruction(program, t, k);
            if (why)
                return why;
        }
    }
    return NULL;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void put_expression(FILE *out, const struct hrf_program *program, int32_t number)
{
    static const char *const signs[] = {
        [HRF_OR_ELSE] = "||", [HRF_AND_THEN] = "&&", [HRF_EQUAL] = "==",  [HRF_UNEQUAL] = "!=",
        [HRF_LESS] = "<",     [HRF_AT_MOST] = "<=",  [HRF_GREATER] = ">", [HRF_AT_LEAST] = ">=",
        [HRF_PLUS] = "+",     [HRF_MINUS] = "-",     [HRF_TIMES] = "*"};
    const struct hrf_expression *e = &program->expressions[number];
    switch (e->operator_) {
    case HRF_CONSTANT:
        fprintf(out, "%uu", e->a);
        return;
    case HRF_REGISTER:
        fprintf(out, "r[%u]", e->a);
        return;
    case HRF_FINAL_REGISTER:
        fprintf(out, "t%u_r%u", e->a, e->b);
        return;
    case HRF_FINAL_LOCATION:
        fprintf(out, "m%u", e->a);
        return;
    case HRF_NOT:
        fputs("(uint)!(", out);
        put_expression(out, program, (int32_t)e->a);
        break;
    case HRF_REMAINDER:
        fputs("remainder_of(", out);
        put_expression(out, program, (int32_t)e->a);
        fputs(", ", out);
        put_expression(out, program, (int32_t)e->b);
        break;
    default:
        fputs("(uint)(", out);
        put_expression(out, program, (int32_t)e->a);
        fprintf(out, " %s ", signs[e->operator_]);
        put_expression(out, program, (int32_t)e->b);
    }
    fputc(')', out);
}

/* ---- operations ------------------------------------------------------------------------------ */

static const char *order_text(uint8_t order)
{
    return order == HRF_ACQ_REL   ? "memory_order_acq_rel"
           : order == HRF_SEQ_CST ? "memory_order_seq_cst"
           : order == HRF_ACQUIRE ? "memory_order_acquire"
           : order == HRF_RELEASE ? "memory_order_release"
                                  : "memory_order_relaxed";
}

static const char *scope_text(uint8_t level)
{
    return level == HRF_WG    ? "memory_scope_work_group"
           : level == HRF_DEV ? "memory_scope_device"
                              : "SCOPE_SYS";
}

static void put_place(FILE *out, const struct hrf_program *program, int32_t location)
{
    if (program->locations[location].region == HRF_LOCAL)
        fprintf(out, "&l%d[sub]", location);
    else
        fprintf(out, "&words[word(%d, i, n)]", location);
}

static void put_atomic(FILE *out, const struct hrf_program *program,
                       const struct hrf_instruction *i)
{
    static const char *const names[] = {
        [HRF_LOAD] = "load",     [HRF_AWAIT] = "load",    [HRF_STORE] = "store",
        [HRF_ADD] = "fetch_add", [HRF_SUB] = "fetch_sub", [HRF_AND] = "fetch_and",
        [HRF_OR] = "fetch_or",   [HRF_XOR] = "fetch_xor", [HRF_MIN] = "fetch_min",
        [HRF_MAX] = "fetch_max", [HRF_XCHG] = "exchange"};
    fprintf(out, "atomic_%s_explicit(", names[i->op]);
    put_place(out, program, i->location);
    if (i->op != HRF_LOAD && i->op != HRF_AWAIT) {
        fputs(", ", out);
        put_expression(out, program, i->value);
    }
    fprintf(out, ", %s, %s)", order_text(i->order), scope_text(i->level));
}

static void put_cas(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i)
{
    fputs("{ uint e = ", out);
    put_expression(out, program, i->expected);
    fputs("; atomic_compare_exchange_strong_explicit(", out);
    put_place(out, program, i->location);
    fputs(", &e, ", out);
    put_expression(out, program, i->value);
    fprintf(out, ", %s, %s, %s); ", order_text(i->order), order_text(i->failed_order),
            scope_text(i->level));
    if (i->reg >= 0)
        fprintf(out, "r[%d] = e; ", i->reg);
    fputs("}\n", out);
}

/* A wait has a bound: its partner may not run. */
static void put_await(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i,
                      const char *end)
{
    static const char *const signs[] = {
        [HRF_EQUAL] = "==",   [HRF_UNEQUAL] = "!=", [HRF_LESS] = "<",
        [HRF_AT_MOST] = "<=", [HRF_GREATER] = ">",  [HRF_AT_LEAST] = ">="};
    fputs("{ uint v, polls = 0; do v = ", out);
    put_atomic(out, program, i);
    fprintf(out, "; while (!(v %s ", signs[i->comparison]);
    put_expression(out, program, i->value);
    fprintf(out, ") && ++polls < MAX_POLLS); if (polls == MAX_POLLS) { lives = 0; goto %s; } ",
            end);
    if (i->reg >= 0)
        fprintf(out, "r[%d] = v; ", i->reg);
    fputs("}\n", out);
}

static void put_plain(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i)
{
    const bool is_local = program->locations[i->location].region == HRF_LOCAL;
    const char *space = is_local ? "local" : "global";
    if (i->op == HRF_READ)
        fprintf(out, "r[%d] = ", i->reg);
    fprintf(out, "*(volatile %s uint *)(", space);
    put_place(out, program, i->location);
    fputc(')', out);
    if (i->op == HRF_WRITE) {
        fputs(" = ", out);
        put_expression(out, program, i->value);
    }
    fputs(";\n", out);
}

static void put_instruction(FILE *out, const struct hrf_program *program, uint32_t thread,
                            const struct hrf_instruction *i, const char *end)
{
    switch (i->op) {
    case HRF_READ:
    case HRF_WRITE:
        put_plain(out, program, i);
        return;
    case HRF_CAS:
        put_cas(out, program, i);
        return;
    case HRF_AWAIT:
        put_await(out, program, i, end);
        return;
    case HRF_FENCE:
        fprintf(out, "atomic_work_item_fence(%s%s%s, %s, %s);\n",
                i->regions & HRF_GLOBAL ? "CLK_GLOBAL_MEM_FENCE" : "0", " | ",
                i->regions & HRF_LOCAL ? "CLK_LOCAL_MEM_FENCE" : "0", order_text(i->order),
                scope_text(i->level));
        return;
    case HRF_SET:
        fprintf(out, "r[%d] = ", i->reg);
        put_expression(out, program, i->value);
        fputs(";\n", out);
        return;
    case HRF_BRANCH:
        fputs("if (!", out);
        put_expression(out, program, i->value);
        fprintf(out, ") goto at%u_%u;\n", thread, i->target);
        return;
    case HRF_JUMP:
        fprintf(out, "goto at%u_%u;\n", thread, i->target);
        return;
    case HRF_LOOP:
        fprintf(out, "if (++r[%d] > %uu) { lives = 0; goto %s; }\n", i->reg, program->max_rounds,
                end);
        return;
    case HRF_ASSERT:
        return; /* the checker's */
    default:
        if (i->reg >= 0)
            fprintf(out, "r[%d] = ", i->reg);
        put_atomic(out, program, i);
        fputs(";\n", out);
    }
}

/* ---- roles ----------------------------------------------------------------------------------- */

static bool is_target(const struct hrf_thread *thread, uint32_t number)
{
    for (uint32_t k = 0; k < thread->n_code; k++)
        if ((thread->code[k].op == HRF_BRANCH || thread->code[k].op == HRF_JUMP) &&
            thread->code[k].target == number)
            return true;
    return false;
}

/* A thread's code between two of its barriers. @param at  [in, out] where it begins, where the next does. */
static void put_segment(FILE *out, const struct hrf_program *program, uint32_t thread, uint32_t *at,
                        const char *end)
{
    const struct hrf_thread *t = &program->threads[thread];
    fprintf(out, "        case %u: if (!lives) break; {\n", role_of(program, thread));
    while (*at < t->n_code && t->code[*at].op != HRF_BARRIER) {
        if (is_target(t, *at))
            fprintf(out, "at%u_%u:;\n", thread, *at);
        fputs("            ", out);
        put_instruction(out, program, thread, &t->code[(*at)++], end);
    }
    if (is_target(t, *at))
        fprintf(out, "at%u_%u:;\n", thread, *at);
    *at += *at < t->n_code; /* the barrier */
}

static void put_results(FILE *out, const struct hrf_program *program,
                        const struct kernel_shape *shape, uint32_t thread)
{
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *e = &program->expressions[shape->watched[w]];
        if (e->operator_ == HRF_FINAL_REGISTER && e->a == thread)
            fprintf(out, "            results[(ulong)%u * n + i] = r[%u];\n", w, e->b);
    }
}

/* One group's threads, segment by segment: all work-items are at each barrier. */
static void put_group(FILE *out, const struct hrf_program *program,
                      const struct kernel_shape *shape, uint32_t group)
{
    uint32_t at[HRF_MAX_THREADS] = {0};
    bool is_left = true;
    for (uint32_t segment = 0; is_left; segment++) {
        is_left = false;
        if (segment)
            fputs("        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n", out);
        fputs("        switch (role) {\n", out);
        for (uint32_t t = 0; t < program->n_threads; t++) {
            if (group_of(program, t) != group)
                continue;
            char end[32];
            snprintf(end, sizeof end, "end%u_%u", t, segment);
            put_segment(out, program, t, &at[t], end);
            bool is_last = at[t] >= program->threads[t].n_code;
            if (is_last)
                put_results(out, program, shape, t);
            fprintf(out, "            }\n%s:  break;\n", end);
            is_left |= !is_last;
        }
        fputs("        }\n", out);
    }
}

static void put_head(FILE *out, bool has_all_devices_scope)
{
    fprintf(out,
            "#define SCOPE_SYS %s\n"
            "#define MAX_POLLS 4096u\n"
            "uint remainder_of(uint a, uint b) { return b ? a %% b : 0u; }\n"
            "uint mixed(uint x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu;"
            " return x ^ x >> 16; }\n"
            "/* Odd factors permute instances; a power of two of them. */\n"
            "ulong word(uint l, uint i, uint n)\n"
            "{ return (ulong)l * n + ((i * (2u * (l * 7919u) + 1u) + l * 12289u) & (n - 1u)); }\n",
            has_all_devices_scope ? "memory_scope_all_svm_devices" : "memory_scope_device");
}

static void put_clear(FILE *out, const struct hrf_program *program)
{
    fputs("kernel void clear_words(global uint *words, global uint *dead, uint n)\n"
          "{\n    uint i = get_global_id(0);\n",
          out);
    for (uint32_t l = 0; l < program->n_locations; l++)
        fprintf(out, "    words[word(%u, i, n)] = %uu;\n", l, program->locations[l].initial);
    fputs("    dead[i] = 0;\n}\n", out);
}

static uint32_t most_registers(const struct hrf_program *program)
{
    uint32_t most = 1;
    for (uint32_t t = 0; t < program->n_threads; t++)
        if (most < program->threads[t].n_registers)
            most = program->threads[t].n_registers;
    return most;
}

/* A meeting of all groups, with a bound: they need not run at once. Groups beyond n_home make noise. */
static void put_play_head(FILE *out, const struct hrf_program *program,
                          const struct kernel_shape *shape)
{
    fputs("kernel void play(global atomic_uint *words, global uint *results, global uint *dead,\n"
          "    global atomic_uint *meeting, global uint *noise, uint n, uint n_home, uint rounds,\n"
          "    uint each, uint seed)\n{\n",
          out);
    for (uint32_t l = 0; l < program->n_locations; l++)
        if (program->locations[l].region == HRF_LOCAL)
            fprintf(out, "    local atomic_uint l%u[1024];\n", l);
    fprintf(out,
            "    const uint group = get_group_id(0), item = get_local_id(0);\n"
            "    const uint role = item / each, sub = item %% each;\n"
            "    if (group >= n_home) {\n"
            "        for (uint k = 0; k < rounds * 64u; k++)\n"
            "            noise[mixed(seed + k * 977u + item) & 65535u] += k;\n"
            "        return;\n    }\n"
            "    for (uint round = 0; round < rounds; round++)\n"
            "    for (uint step = 0; step < %uu; step++) {\n"
            "        const uint g = (group + step) %% %uu;\n"
            "        const uint home = (group + g * %uu) %% n_home;\n"
            "        const uint i = (round * n_home + home) * each + sub;\n"
            "        uint lives = 1, r[%u] = {0};\n",
            shape->n_groups, shape->n_groups, shape->n_groups - 1, most_registers(program));
    for (uint32_t l = 0; l < program->n_locations; l++)
        if (program->locations[l].region == HRF_LOCAL)
            fprintf(out,
                    "        if (role == 0) atomic_store_explicit(&l%u[sub], %uu, "
                    "memory_order_relaxed, memory_scope_work_group);\n",
                    l, program->locations[l].initial);
    fputs("        if (item == 0) {\n"
          "            const uint wanted = (round * STEPS + step + 1u) * n_home;\n"
          "            atomic_fetch_add_explicit(meeting, 1u, memory_order_relaxed, "
          "memory_scope_device);\n"
          "            for (uint k = 0; k < 512u && atomic_load_explicit(meeting, "
          "memory_order_relaxed, memory_scope_device) < wanted; k++) ;\n"
          "        }\n"
          "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
          "        for (uint k = mixed(seed ^ (i * 31u + role)) & 15u; k; k--)\n"
          "            (void)*(volatile global uint *)&noise[k];\n",
          out);
}

static void put_play(FILE *out, const struct hrf_program *program, const struct kernel_shape *shape)
{
    fprintf(out, "#define STEPS %uu\n", shape->n_groups);
    put_play_head(out, program, shape);
    for (uint32_t g = 0; g < shape->n_groups; g++) {
        fprintf(out, "        %sif (g == %uu) {\n", g ? "else " : "", g);
        put_group(out, program, shape, g);
        fputs("        }\n", out);
    }
    fputs("        if (!lives) dead[i] = 1;\n"
          "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
          "    }\n}\n",
          out);
}

/* Bins are counted in local memory, and added to the device's at the end. */
static void put_judge_head(FILE *out, uint32_t n_bins)
{
    fprintf(out,
            "kernel void judge_instances(global const uint *words, global const uint *results, "
            "global const uint *dead,\n"
            "    global atomic_uint *bins, global atomic_uint *counts, uint n, uint n_instances)\n"
            "{\n"
            "    local atomic_uint found[%u];\n"
            "    uint last = 0, n_last = 0, n_held = 0, n_dead = 0;\n"
            "    for (uint b = get_local_id(0); b < %uu; b += get_local_size(0))\n"
            "        atomic_store_explicit(&found[b], 0u, memory_order_relaxed, "
            "memory_scope_work_group);\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "    for (uint i = get_global_id(0); i < n_instances; i += get_global_size(0)) {\n"
            "        if (dead[i]) { n_dead++; continue; }\n        uint bin = 0;\n",
            n_bins, n_bins);
}

static void put_judge_end(FILE *out, uint32_t n_bins)
{
    fprintf(out,
            "        if (bin != last && n_last) {\n"
            "            atomic_fetch_add_explicit(&found[last], n_last, memory_order_relaxed, "
            "memory_scope_work_group);\n"
            "            n_last = 0;\n        }\n"
            "        last = bin; n_last++;\n    }\n"
            "    if (n_last) atomic_fetch_add_explicit(&found[last], n_last, memory_order_relaxed, "
            "memory_scope_work_group);\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "    for (uint b = get_local_id(0); b < %uu; b += get_local_size(0)) {\n"
            "        uint n_found = atomic_load_explicit(&found[b], memory_order_relaxed, "
            "memory_scope_work_group);\n"
            "        if (n_found) atomic_fetch_add_explicit(&bins[b], n_found, "
            "memory_order_relaxed, memory_scope_device);\n    }\n"
            "    if (n_held) atomic_fetch_add_explicit(&counts[0], n_held, memory_order_relaxed, "
            "memory_scope_device);\n"
            "    if (n_dead) atomic_fetch_add_explicit(&counts[1], n_dead, memory_order_relaxed, "
            "memory_scope_device);\n}\n",
            n_bins);
}

static void put_judge(FILE *out, const struct hrf_program *program,
                      const struct kernel_shape *shape)
{
    const uint32_t n_bins = 1u << 2 * shape->n_watched;
    put_judge_head(out, n_bins);
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *e = &program->expressions[shape->watched[w]];
        if (e->operator_ == HRF_FINAL_REGISTER)
            fprintf(out, "        const uint t%u_r%u = results[(ulong)%u * n + i];\n", e->a, e->b,
                    w);
        else
            fprintf(out, "        const uint m%u = words[word(%u, i, n)];\n", e->a, e->a);
        fputs("        bin = bin * 4u + min((", out);
        put_expression(out, program, (int32_t)shape->watched[w]);
        fputs("), 3u);\n", out);
    }
    fputs("        n_held += (", out);
    put_expression(out, program, program->exists);
    fputs(") != 0u;\n", out);
    put_judge_end(out, n_bins);
}

char *kernel_source(const struct hrf_program *program, const struct kernel_shape *shape,
                    bool has_all_devices_scope)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    put_head(out, has_all_devices_scope);
    put_clear(out, program);
    put_play(out, program, shape);
    put_judge(out, program, shape);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
