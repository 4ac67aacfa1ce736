/* SPDX-License-Identifier: MIT */
/*
 * Writes the kernels of a litmus program. See kernel.h.
 *
 * clear_words sets the words of all instances; play makes them; judge_instances evaluates the condition, or looks whether
 * an assert failed, and counts.
 * Instance i of location l is word(l, i): locations of an instance are far apart, and neighbours of one location are not
 * neighbours of the next. Work-group `home` + a multiple of `shift` plays group g of instances of `home`: all groups of an
 * instance in the same step of the loop, on different work-groups. Where the host plays too, home is one of as many groups
 * as the program has, and all play one instance in a step.
 */
#include "kernel.h"

#include "kernel_code.h"

#include <stdlib.h>

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
    fprintf(out, "        case %u: if (!lives) break; {\n", kernel_role_of(program, thread));
    while (*at < t->n_code && t->code[*at].op != HRF_BARRIER) {
        if (is_target(t, *at))
            fprintf(out, "at%u_%u:;\n", thread, *at);
        fputs("            ", out);
        kernel_put_instruction(out, program, thread, &t->code[(*at)++], end);
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
            if (kernel_group_of(program, t) != group)
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

/* Whether all have come to a step. Groups wait longer for the host, which may not have its core. */
static void put_meeting(FILE *out, const struct kernel_shape *shape)
{
    fprintf(out,
            "#define MEET_POLLS %s\n"
            "uint load_meeting(global atomic_uint *word)\n"
            "{ return atomic_load_explicit(word, memory_order_relaxed, %s); }\n"
            "bool all_are_at(global atomic_uint *meeting, uint number, uint n_home)\n"
            "{\n    return load_meeting(meeting) >= number * n_home",
            shape->n_host ? "32768u" : "512u", shape->n_host ? "SCOPE_SYS" : "memory_scope_device");
    for (uint32_t h = 1; h <= shape->n_host; h++)
        fprintf(out, "\n        && load_meeting(meeting + %uu) >= number",
                h * KERNEL_MEETING_STRIDE);
    fputs(";\n}\n", out);
}

static void put_head(FILE *out, const struct kernel_shape *shape, bool has_all_devices_scope)
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
    put_meeting(out, shape);
}

static void put_clear(FILE *out, const struct hrf_program *program)
{
    fputs("kernel void clear_words(global uint *words, global uint *marks, uint n)\n"
          "{\n    uint i = get_global_id(0);\n",
          out);
    for (uint32_t l = 0; l < program->n_locations; l++)
        fprintf(out, "    words[word(%u, i, n)] = %uu;\n", l, program->locations[l].initial);
    fputs("    marks[i] = 0;\n}\n", out);
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
    fputs("kernel void play(global atomic_uint *words, global uint *results, global atomic_uint "
          "*marks,\n"
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
            "    uint patience = MEET_POLLS;\n"
            "    for (uint round = 0; round < rounds; round++)\n"
            "    for (uint step = 0; step < %uu; step++) {\n"
            "        const uint g = (group + step) %% %uu;\n"
            "        const uint home = (group + g * %uu) %% n_home;\n"
            "        const uint i = (round * n_home + home) * each + sub;\n"
            "        uint lives = 1, fails = 0, r[%u] = {0};\n",
            shape->n_groups, shape->n_groups, shape->n_groups - 1, most_registers(program));
    for (uint32_t l = 0; l < program->n_locations; l++)
        if (program->locations[l].region == HRF_LOCAL)
            fprintf(out,
                    "        if (role == 0) atomic_store_explicit(&l%u[sub], %uu, "
                    "memory_order_relaxed, memory_scope_work_group);\n",
                    l, program->locations[l].initial);
    fprintf(out,
            "        if (item == 0) {\n"
            "            const uint number = round * STEPS + step + 1u;\n"
            "            uint k = 0;\n"
            "            atomic_fetch_add_explicit(meeting, 1u, memory_order_relaxed, %s);\n"
            "            while (k < patience && !all_are_at(meeting, number, n_home)) k++;\n"
            "%s        }\n",
            shape->n_host ? "SCOPE_SYS" : "memory_scope_device",
            shape->n_host
                ? "            patience = k < patience ? MEET_POLLS : max(patience / 2u, 64u);\n"
                : "");
    fputs("        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
          "        for (uint k = mixed(seed ^ (i * 31u + role)) & 15u; k; k--)\n"
          "            (void)*(volatile global uint *)&noise[k];\n",
          out);
}

static void put_play(FILE *out, const struct hrf_program *program, const struct kernel_shape *shape)
{
    fprintf(out, "#define STEPS %uu\n", shape->n_groups);
    put_play_head(out, program, shape);
    for (uint32_t g = 0; g < shape->n_groups; g++) { /* else-ifs end PoCL 5.0's compiler */
        fprintf(out, "        if (g == %uu) {\n", g);
        put_group(out, program, shape, g);
        fputs("        }\n", out);
    }
    fprintf(
        out,
        "        if (!lives || fails) /* relaxed: the launch's end orders it */\n"
        "            atomic_fetch_or_explicit(&marks[i], lives ? %uu : %uu, memory_order_relaxed, "
        "memory_scope_device);\n",
        KERNEL_FAILED, KERNEL_GIVEN_UP);
    fputs("        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
          "    }\n}\n",
          out);
}

/* Bins are counted in local memory, and added to the device's at the end. */
static void put_judge_head(FILE *out, const struct kernel_shape *shape, uint32_t n_bins)
{
    fprintf(out,
            "kernel void judge_instances(global const uint *words, global const uint *results, "
            "global const uint *marks,\n"
            "    global atomic_uint *bins, global atomic_uint *counts, uint n, uint n_instances)\n"
            "{\n"
            "    local atomic_uint found[%u];\n"
            "    uint last = 0, n_last = 0, n_held = 0, n_dead = 0;\n"
            "    for (uint b = get_local_id(0); b < %uu; b += get_local_size(0))\n"
            "        atomic_store_explicit(&found[b], 0u, memory_order_relaxed, "
            "memory_scope_work_group);\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
            "    for (uint i = get_global_id(0); i < n_instances; i += get_global_size(0)) {\n"
            "        uint bin = 0, mark = marks[i];\n",
            n_bins, n_bins);
    for (uint32_t h = 0; h < shape->n_host; h++)
        fprintf(out, "        mark |= results[(ulong)%u * n + i];\n", shape->n_watched + h);
    fprintf(out, "        if (mark & %uu) { n_dead++; continue; }\n", KERNEL_GIVEN_UP);
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
    const uint32_t n_digits =
        shape->n_watched ? shape->n_watched : 1; /* PoCL 3.1 dies of one bin */
    const uint32_t n_bins = 1u << 2 * n_digits;
    put_judge_head(out, shape, n_bins);
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *e = &program->expressions[shape->watched[w]];
        if (e->operator_ == HRF_FINAL_REGISTER)
            fprintf(out, "        const uint t%u_r%u = results[(ulong)%u * n + i];\n", e->a, e->b,
                    w);
        else
            fprintf(out, "        const uint m%u = words[word(%u, i, n)];\n", e->a, e->a);
        fputs("        bin = bin * 4u + min((", out);
        kernel_put_expression(out, program, (int32_t)shape->watched[w]);
        fputs("), 3u);\n", out);
    }
    fputs("        n_held += (", out);
    if (program->exists >= 0)
        kernel_put_expression(out, program, program->exists);
    else
        fprintf(out, "mark & %uu", KERNEL_FAILED);
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
    put_head(out, shape, has_all_devices_scope);
    put_clear(out, program);
    put_play(out, program, shape);
    put_judge(out, program, shape);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
