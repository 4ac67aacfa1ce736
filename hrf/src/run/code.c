/* SPDX-License-Identifier: MIT */
/*
 * Expressions and instructions of a litmus program in OpenCL C. See code.h.
 */
#include "run/code.h"

#include "checker/expression.h"

uint32_t code_n_locals(const struct hrf_program *program, uint32_t location)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < location; l++)
        n += program->locations[l].region == HRF_LOCAL;
    return n;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void put_binary(FILE *out, const struct hrf_program *program, const char *begin,
                       const struct hrf_expression *e, const char *sign)
{
    fputs(begin, out);
    code_put_expression(out, program, (int32_t)e->a);
    fprintf(out, " %s ", sign);
    code_put_expression(out, program, (int32_t)e->b);
    fputc(')', out);
}

void code_put_expression(FILE *out, const struct hrf_program *program, int32_t number)
{
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
        fputs("(uint)!", out);
        code_put_expression(out, program, (int32_t)e->a);
        return;
    case HRF_REMAINDER:
        put_binary(out, program, "remainder_of(", e, ",");
        return;
    default:
        put_binary(out, program, "(uint)(", e, hrf_operator_sign(e->operator_));
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

static void put_place(FILE *out, const struct hrf_program *program, int32_t location)
{
    if (program->locations[location].region == HRF_LOCAL)
        fprintf(out, "&locals[%u][sub]", code_n_locals(program, (uint32_t)location));
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
        [HRF_MAX] = "fetch_max", [HRF_XCHG] = "exchange", [HRF_CAS] = "compare_exchange_strong"};
    fprintf(out, "atomic_%s_explicit(", names[i->op]);
    put_place(out, program, i->location);
    if (i->op == HRF_CAS)
        fputs(", &e", out);
    if (i->op != HRF_LOAD && i->op != HRF_AWAIT) {
        fputs(", ", out);
        code_put_expression(out, program, i->value);
    }
    fprintf(out, ", memory_order_%s", hrf_order_name(i->order));
    if (i->op == HRF_CAS)
        fprintf(out, ", memory_order_%s", hrf_order_name(i->failed_order));
    fprintf(out, ", SCOPE_%s)", hrf_level_names[i->level]);
}

static void put_cas(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i)
{
    fputs("{ uint e = ", out);
    code_put_expression(out, program, i->expected);
    fputs("; ", out);
    put_atomic(out, program, i);
    if (i->reg >= 0)
        fprintf(out, "; r[%d] = e", i->reg);
    fputs("; }\n", out);
}

static void put_await(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i,
                      const char *end)
{
    fputs("{ uint v, polls = 0; do v = ", out);
    put_atomic(out, program, i);
    fprintf(out, "; while (!(v %s ", hrf_operator_sign(i->comparison));
    code_put_expression(out, program, i->value);
    fprintf(out, ") && ++polls < MAX_POLLS); if (polls == MAX_POLLS) { lives = 0; goto %s; } ",
            end);
    if (i->reg >= 0)
        fprintf(out, "r[%d] = v; ", i->reg);
    fputs("}\n", out);
}

static void put_plain(FILE *out, const struct hrf_program *program, const struct hrf_instruction *i)
{
    const bool is_local = program->locations[i->location].region == HRF_LOCAL;
    fprintf(out, "*(volatile %s uint *)(", is_local ? "local" : "global");
    put_place(out, program, i->location);
    fputc(')', out);
}

static void put_assigned(FILE *out, const struct hrf_program *program, int32_t value)
{
    fputs(" = ", out);
    code_put_expression(out, program, value);
}

void code_put_instruction(FILE *out, const struct hrf_program *program, uint32_t thread,
                          const struct hrf_instruction *i, const char *end)
{
    switch (i->op) {
    case HRF_READ:
        fprintf(out, "r[%d] = ", i->reg);
        put_plain(out, program, i);
        break;
    case HRF_WRITE:
        put_plain(out, program, i);
        put_assigned(out, program, i->value);
        break;
    case HRF_CAS:
        put_cas(out, program, i);
        return;
    case HRF_AWAIT:
        put_await(out, program, i, end);
        return;
    case HRF_FENCE:
        fprintf(out, "atomic_work_item_fence(%s | %s, memory_order_%s, SCOPE_%s)",
                i->regions & HRF_GLOBAL ? "CLK_GLOBAL_MEM_FENCE" : "0",
                i->regions & HRF_LOCAL ? "CLK_LOCAL_MEM_FENCE" : "0", hrf_order_name(i->order),
                hrf_level_names[i->level]);
        break;
    case HRF_SET:
        fprintf(out, "r[%d]", i->reg);
        put_assigned(out, program, i->value);
        break;
    case HRF_BRANCH:
        fputs("if (!", out);
        code_put_expression(out, program, i->value);
        fprintf(out, ") goto at%u_%u", thread, i->target);
        break;
    case HRF_JUMP:
        fprintf(out, "goto at%u_%u", thread, i->target);
        break;
    case HRF_LOOP:
        fprintf(out, "if (++r[%d] > %uu) { lives = 0; goto %s; }", i->reg, program->max_rounds,
                end);
        break;
    case HRF_ASSERT:
        fputs("fails |= !", out);
        code_put_expression(out, program, i->value);
        break;
    default:
        if (i->reg >= 0)
            fprintf(out, "r[%d] = ", i->reg);
        put_atomic(out, program, i);
    }
    fputs(";\n", out);
}
