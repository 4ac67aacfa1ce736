/* SPDX-License-Identifier: MIT */
/*
 * Expressions and instructions of a litmus program in OpenCL C. See kernel_code.h.
 */
#include "kernel_code.h"

/* ---- expressions ----------------------------------------------------------------------------- */

void kernel_put_expression(FILE *out, const struct hrf_program *program, int32_t number)
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
        kernel_put_expression(out, program, (int32_t)e->a);
        break;
    case HRF_REMAINDER:
        fputs("remainder_of(", out);
        kernel_put_expression(out, program, (int32_t)e->a);
        fputs(", ", out);
        kernel_put_expression(out, program, (int32_t)e->b);
        break;
    default:
        fputs("(uint)(", out);
        kernel_put_expression(out, program, (int32_t)e->a);
        fprintf(out, " %s ", signs[e->operator_]);
        kernel_put_expression(out, program, (int32_t)e->b);
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
        kernel_put_expression(out, program, i->value);
    }
    fprintf(out, ", %s, %s)", order_text(i->order), scope_text(i->level));
}

static void put_cas(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i)
{
    fputs("{ uint e = ", out);
    kernel_put_expression(out, program, i->expected);
    fputs("; atomic_compare_exchange_strong_explicit(", out);
    put_place(out, program, i->location);
    fputs(", &e, ", out);
    kernel_put_expression(out, program, i->value);
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
    kernel_put_expression(out, program, i->value);
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
        kernel_put_expression(out, program, i->value);
    }
    fputs(";\n", out);
}

void kernel_put_instruction(FILE *out, const struct hrf_program *program, uint32_t thread,
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
        kernel_put_expression(out, program, i->value);
        fputs(";\n", out);
        return;
    case HRF_BRANCH:
        fputs("if (!", out);
        kernel_put_expression(out, program, i->value);
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
        fputs("fails |= !(", out);
        kernel_put_expression(out, program, i->value);
        fputs(");\n", out);
        return;
    default:
        if (i->reg >= 0)
            fprintf(out, "r[%d] = ", i->reg);
        put_atomic(out, program, i);
        fputs(";\n", out);
    }
}
