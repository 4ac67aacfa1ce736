/* SPDX-License-Identifier: MIT */
/*
 * Writes what kernels.cl lacks of a litmus program: definitions, and the threads' code. See kernel.h.
 */
#include "run/kernel.h"

#include "run/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP "PROGRAM;"

extern const char hrf_kernels_cl[];

/* ---- definitions ----------------------------------------------------------------------------- */

static uint32_t most_registers(const struct hrf_program *program)
{
    uint32_t most = 1;
    for (uint32_t t = 0; t < program->n_threads; t++)
        if (most < program->threads[t].n_registers)
            most = program->threads[t].n_registers;
    return most;
}

static void put_sizes(FILE *out, const struct hrf_program *program, const struct shape *shape)
{
    const struct {
        const char *name;
        uint32_t value;
    } sizes[] = {{"N_GROUPS", shape->n_groups},
                 {"N_HOST", shape->n_host},
                 {"N_LOCATIONS", program->n_locations},
                 {"N_LOCALS", code_n_locals(program, program->n_locations)},
                 {"N_REGISTERS", most_registers(program)},
                 {"N_WATCHED", shape->n_watched},
                 /* PoCL 3.1 dies of one bin */
                 {"N_BINS", 1u << 2 * (shape->n_watched ? shape->n_watched : 1)},
                 {"GIVEN_UP", KERNEL_GIVEN_UP},
                 {"FAILED", KERNEL_FAILED},
                 {"COUNT_HELD", KERNEL_HELD},
                 {"COUNT_DEAD", KERNEL_DEAD},
                 {"COUNT_HAS_SYS", KERNEL_HAS_SYS},
                 {"NOISE_WORDS", KERNEL_NOISE_WORDS},
                 {"MOST_EACH", KERNEL_MOST_EACH},
                 {"MEETING_STRIDE", KERNEL_MEETING_STRIDE}};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        fprintf(out, "#define %s %uu\n", sizes[k].name, sizes[k].value);
}

static void put_initial(FILE *out, const struct hrf_program *program, const char *name,
                        uint8_t regions)
{
    fprintf(out, "constant uint %s[] = {", name);
    for (uint32_t l = 0; l < program->n_locations; l++)
        if (program->locations[l].region & regions)
            fprintf(out, "%uu, ", program->locations[l].initial);
    fputs("0u};\n", out); /* without locations too */
}

/* The values of the condition as the kernel that judges has them, as one number, and the condition. */
static void put_condition(FILE *out, const struct hrf_program *program, const struct shape *shape)
{
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *e = &program->expressions[shape->watched[w]];
        if (e->operator_ == HRF_FINAL_REGISTER)
            fprintf(out, "#define t%u_r%u results[(ulong)%u * n + i]\n", e->a, e->b, w);
        else
            fprintf(out, "#define m%u words[word(%u, i, n)]\n", e->a, e->a);
    }
    fputs("#define BIN (0u", out);
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        fputs(" | min(", out);
        code_put_expression(out, program, shape->watched[w]);
        fprintf(out, ", %uu) << %u", SHAPE_VALUES - 1, 2 * (shape->n_watched - 1 - w));
    }
    fputs(")\n#define HELD (", out);
    if (program->exists >= 0)
        code_put_expression(out, program, program->exists);
    else
        fputs("(mark & FAILED)", out);
    fputs(" != 0u)\n", out);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void put_label_of_target(FILE *out, const struct hrf_program *program, uint32_t thread,
                                uint32_t number)
{
    const struct hrf_thread *t = &program->threads[thread];
    bool is_target = false;
    for (uint32_t k = 0; k < t->n_code; k++)
        is_target |= (t->code[k].op == HRF_BRANCH || t->code[k].op == HRF_JUMP) &&
                     t->code[k].target == number;
    if (is_target)
        fprintf(out, "at%u_%u:;\n", thread, number);
}

static void put_results(FILE *out, const struct hrf_program *program, const struct shape *shape,
                        uint32_t thread)
{
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *e = &program->expressions[shape->watched[w]];
        if (e->operator_ == HRF_FINAL_REGISTER && e->a == thread)
            fprintf(out, "results[(ulong)%u * n + i] = r[%u];\n", w, e->b);
    }
}

/* Writes a thread's code from `at` to its next barrier. Returns where it continues. */
static uint32_t put_segment(FILE *out, const struct hrf_program *program, const struct shape *shape,
                            uint32_t thread, uint32_t at)
{
    const struct hrf_thread *t = &program->threads[thread];
    char end[32];
    snprintf(end, sizeof end, "end%u_%u", thread, at);
    fprintf(out, "case %u: if (!lives) break; {\n", shape->role[thread]);
    for (; at < t->n_code && t->code[at].op != HRF_BARRIER; at++) {
        put_label_of_target(out, program, thread, at);
        code_put_instruction(out, program, thread, &t->code[at], end);
    }
    put_label_of_target(out, program, thread, at);
    at += at < t->n_code; /* the barrier */
    if (at == t->n_code)
        put_results(out, program, shape, thread);
    fprintf(out, "}\n%s: break;\n", end);
    return at;
}

/* Writes one group's threads, segment by segment: all work-items are at each barrier. */
static void put_group(FILE *out, const struct hrf_program *program, const struct shape *shape,
                      uint32_t group)
{
    uint32_t at[HRF_MAX_THREADS] = {0};
    bool is_left = true;
    while (is_left) {
        is_left = false;
        fputs("switch (role) {\n", out);
        for (uint32_t t = 0; t < program->n_threads; t++) {
            if (shape->group[t] != group || at[t] == program->threads[t].n_code)
                continue;
            at[t] = put_segment(out, program, shape, t, at[t]);
            is_left |= at[t] < program->threads[t].n_code;
        }
        fputs("}\n", out);
        if (is_left)
            fputs("barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n", out);
    }
}

char *kernel_source(const struct hrf_program *program, const struct shape *shape)
{
    const char *gap = strstr(hrf_kernels_cl, GAP);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    put_sizes(out, program, shape);
    put_initial(out, program, "initial", HRF_ALL_REGIONS);
    put_initial(out, program, "initial_local", HRF_LOCAL);
    put_condition(out, program, shape);
    fwrite(hrf_kernels_cl, 1, (size_t)(gap - hrf_kernels_cl), out);
    for (uint32_t g = 0; g < shape->n_groups; g++) { /* else-ifs end PoCL 5.0's compiler */
        fprintf(out, "if (g == %uu) {\n", g);
        put_group(out, program, shape, g);
        fputs("}\n", out);
    }
    fputs(gap + strlen(GAP), out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
