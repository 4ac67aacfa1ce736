/* SPDX-License-Identifier: MIT */
/*
 * Expressions: read with the precedence of C, and evaluated in 32 bits.
 *
 * Path:    statement.c -> expression.c -> machine.c.
 */
#include "checker/expression.h"

#include "checker/parser.h"

#include <string.h>

/* Binary operators, those that bind least first. */
static const struct {
    const char *sign;
    enum hrf_operator operator_;
    uint32_t level;
} operators[] = {
    {"||", HRF_OR_ELSE, 0}, {"&&", HRF_AND_THEN, 1}, {"==", HRF_EQUAL, 2},  {"!=", HRF_UNEQUAL, 2},
    {"<", HRF_LESS, 2},     {"<=", HRF_AT_MOST, 2},  {">", HRF_GREATER, 2}, {">=", HRF_AT_LEAST, 2},
    {"+", HRF_PLUS, 3},     {"-", HRF_MINUS, 3},     {"*", HRF_TIMES, 4},   {"%", HRF_REMAINDER, 4},
};
#define N_OPERATORS (sizeof operators / sizeof *operators)
#define N_LEVELS 5u
#define MAX_NODES 1024u /* of an expression, which is evaluated recursively */

int32_t hrf_add_expression(struct hrf_parser *parser, enum hrf_operator operator_, uint32_t a,
                           uint32_t b)
{
    struct hrf_program *program = parser->program;
    struct hrf_expression *grown = hrf_grow(parser, program->expressions, program->n_expressions,
                                            sizeof *program->expressions);
    if (!grown)
        return 0;
    program->expressions = grown;
    grown[program->n_expressions] = (struct hrf_expression){operator_, a, b};
    return (int32_t)program->n_expressions++;
}

enum hrf_operator hrf_parse_comparison(struct hrf_parser *parser)
{
    for (unsigned i = 0; i < N_OPERATORS; i++)
        if (operators[i].level == 2 && hrf_take(&parser->lexer, operators[i].sign))
            return operators[i].operator_;
    hrf_expected(&parser->lexer, "==, !=, <, <=, > or >=");
    return HRF_EQUAL;
}

const char *hrf_operator_sign(enum hrf_operator operator_)
{
    unsigned i = 0;
    while (operators[i].operator_ != operator_)
        i++;
    return operators[i].sign;
}

/* In `exists`: thread:register, or a location's last value. */
static int32_t parse_final(struct hrf_parser *parser)
{
    struct hrf_program *program = parser->program;
    struct hrf_lexer *lexer = &parser->lexer;
    int32_t location = hrf_find_location(parser);
    if (location >= 0) {
        hrf_next(lexer);
        return hrf_add_expression(parser, HRF_FINAL_LOCATION, (uint32_t)location, 0);
    }
    for (uint32_t t = 0; t < program->n_threads; t++) {
        const struct hrf_thread *thread = &program->threads[t];
        if (!hrf_take(lexer, thread->name))
            continue;
        hrf_need(lexer, ":");
        int32_t reg = hrf_find_register(lexer, thread);
        if (reg < 0)
            hrf_expected(lexer, "a register of the thread");
        hrf_next(lexer);
        return hrf_add_expression(parser, HRF_FINAL_REGISTER, t, (uint32_t)(reg < 0 ? 0 : reg));
    }
    hrf_expected(lexer, "a location, or thread:register");
    return 0;
}

static int32_t parse_name(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    if (!parser->thread)
        return parse_final(parser);
    int32_t reg = hrf_find_register(lexer, parser->thread);
    if (hrf_find_location(parser) >= 0)
        hrf_fail(lexer, "location '%.*s' in an expression, expected 'register = %.*s;' before it",
                 (int)lexer->n, lexer->text, (int)lexer->n, lexer->text);
    else if (reg < 0)
        hrf_expected(lexer, "a number, or a register that was assigned before");
    hrf_next(lexer);
    return hrf_add_expression(parser, HRF_REGISTER, (uint32_t)(reg < 0 ? 0 : reg), 0);
}

static int32_t parse_level(struct hrf_parser *parser, uint32_t level);

static int32_t parse_operand(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    if (hrf_take(lexer, "!"))
        return hrf_add_expression(parser, HRF_NOT, (uint32_t)parse_level(parser, N_LEVELS), 0);
    if (hrf_take(lexer, "(")) {
        int32_t inner = parse_level(parser, 0);
        hrf_need(lexer, ")");
        return inner;
    }
    if (lexer->kind == HRF_NUMBER) {
        uint32_t value = lexer->value;
        hrf_next(lexer);
        return hrf_add_expression(parser, HRF_CONSTANT, value, 0);
    }
    if (lexer->kind == HRF_WORD)
        return parse_name(parser);
    hrf_expected(lexer, "a number, a register or '('");
    return 0;
}

/* The operator of this level that the token is. @return N_OPERATORS if it is none. */
static unsigned operator_here(const struct hrf_lexer *lexer, uint32_t level)
{
    unsigned i = 0;
    while (i < N_OPERATORS && !(operators[i].level == level && hrf_is(lexer, operators[i].sign)))
        i++;
    return i;
}

static int32_t parse_level(struct hrf_parser *parser, uint32_t level)
{
    if (level == N_LEVELS) {
        if (++parser->n_brackets > HRF_MAX_DEPTH)
            hrf_fail(&parser->lexer, "brackets, expected at most %u within each other",
                     HRF_MAX_DEPTH);
        int32_t operand = parse_operand(parser);
        parser->n_brackets--;
        return operand;
    }
    int32_t left = parse_level(parser, level + 1);
    for (;;) {
        unsigned i = operator_here(&parser->lexer, level);
        if (i == N_OPERATORS)
            return left;
        hrf_next(&parser->lexer);
        int32_t right = parse_level(parser, level + 1);
        left = hrf_add_expression(parser, operators[i].operator_, (uint32_t)left, (uint32_t)right);
    }
}

int32_t hrf_parse_expression(struct hrf_parser *parser)
{
    const uint32_t before = parser->program->n_expressions;
    int32_t expression = parse_level(parser, 0);
    if (parser->program->n_expressions - before > MAX_NODES)
        hrf_fail(&parser->lexer, "an expression, expected one of at most %u operations", MAX_NODES);
    return expression;
}

uint32_t hrf_apply(enum hrf_operator operator_, uint32_t a, uint32_t b)
{
    switch (operator_) {
    case HRF_OR_ELSE:
        return a || b;
    case HRF_AND_THEN:
        return a && b;
    case HRF_EQUAL:
        return a == b;
    case HRF_UNEQUAL:
        return a != b;
    case HRF_LESS:
        return a < b;
    case HRF_AT_MOST:
        return a <= b;
    case HRF_GREATER:
        return a > b;
    case HRF_AT_LEAST:
        return a >= b;
    case HRF_PLUS:
        return a + b;
    case HRF_MINUS:
        return a - b;
    case HRF_TIMES:
        return a * b;
    case HRF_REMAINDER:
        return b ? a % b : 0;
    default:
        return !a;
    }
}

uint32_t hrf_evaluate(const struct hrf_program *program, int32_t number,
                      const struct hrf_values *values)
{
    const struct hrf_expression *e = &program->expressions[number];
    switch (e->operator_) {
    case HRF_CONSTANT:
        return e->a;
    case HRF_REGISTER:
        return values->registers[e->a];
    case HRF_FINAL_REGISTER:
        return values->locals[e->a].registers[e->b];
    case HRF_FINAL_LOCATION:
        return values->memory[e->a];
    case HRF_NOT:
        return !hrf_evaluate(program, (int32_t)e->a, values);
    default:
        return hrf_apply(e->operator_, hrf_evaluate(program, (int32_t)e->a, values),
                         hrf_evaluate(program, (int32_t)e->b, values));
    }
}
