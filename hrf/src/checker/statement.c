/* SPDX-License-Identifier: MIT */
/*
 * The statements of a thread become instructions; `if` and `while` become branches.
 *
 * Path:    parse.c -> statement.c -> machine.c.
 */
#include "checker/parser.h"

#include <string.h>

#define MAX_CODE 16384u

/* Adds an instruction without operands, from the statement that begins at the token. */
static struct hrf_instruction *add(struct hrf_parser *parser, enum hrf_op op, uint32_t line,
                                   const char *text)
{
    struct hrf_thread *thread = parser->thread;
    struct hrf_instruction *grown =
        hrf_grow(parser, thread->code, thread->n_code, sizeof *thread->code);
    if (!grown)
        return NULL;
    thread->code = grown;
    if (thread->n_code == MAX_CODE)
        hrf_fail(&parser->lexer, "thread %s, expected at most %u statements", thread->name,
                 MAX_CODE);
    else
        grown += thread->n_code++;
    *grown = (struct hrf_instruction){.op = op,
                                      .line = line,
                                      .text = text,
                                      .location = HRF_NONE,
                                      .reg = HRF_NONE,
                                      .value = HRF_NONE,
                                      .expected = HRF_NONE};
    parser->n_events += hrf_is_event(op);
    if (parser->n_events > HRF_MAX_EVENTS)
        hrf_fail(&parser->lexer, "more than %d events, expected at most that many", HRF_MAX_EVENTS);
    return grown;
}

static int32_t add_register(struct hrf_parser *parser, const char *name, uint32_t n)
{
    struct hrf_thread *thread = parser->thread;
    if (thread->n_registers == HRF_MAX_REGISTERS || n >= HRF_NAME_BYTES) {
        hrf_fail(&parser->lexer,
                 "thread %s, expected at most %d registers and loops, of %d characters",
                 thread->name, HRF_MAX_REGISTERS, HRF_NAME_BYTES - 1);
        return 0;
    }
    memcpy(thread->registers[thread->n_registers], name, n);
    thread->registers[thread->n_registers][n] = '\0';
    return (int32_t)thread->n_registers++;
}

/* Takes the register that the token names, a new one if need be. */
static int32_t take_register(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    int32_t reg = hrf_find_register(lexer, parser->thread);
    if (reg < 0)
        reg = add_register(parser, lexer->text, lexer->n);
    hrf_next(lexer);
    return reg;
}

/* ---- orders and scopes ----------------------------------------------------------------------- */

static uint8_t take_order(struct hrf_parser *parser)
{
    static const uint8_t orders[] = {HRF_RELAXED, HRF_ACQUIRE, HRF_RELEASE, HRF_ACQ_REL,
                                     HRF_SEQ_CST};
    for (unsigned i = 0; i < sizeof orders; i++)
        if (hrf_take(&parser->lexer, hrf_order_name(orders[i])))
            return orders[i];
    hrf_expected(&parser->lexer, "relaxed, acquire, release, acq_rel or seq_cst");
    return HRF_RELAXED;
}

static uint8_t take_level(struct hrf_parser *parser)
{
    for (uint8_t level = 0; level < HRF_N_LEVELS; level++)
        if (hrf_take(&parser->lexer, hrf_level_names[level]))
            return level;
    hrf_expected(&parser->lexer, "a scope: wi, sg, wg, dev or sys");
    return HRF_WI;
}

/* A load releases nothing, a store acquires nothing. */
static void check_order(struct hrf_parser *parser, enum hrf_op op, uint8_t order, uint32_t line)
{
    const char *expected = NULL;
    if ((op == HRF_LOAD || op == HRF_AWAIT) && (order == HRF_RELEASE || order == HRF_ACQ_REL))
        expected = "relaxed, acquire or seq_cst for a load";
    else if (op == HRF_STORE && (order == HRF_ACQUIRE || order == HRF_ACQ_REL))
        expected = "relaxed, release or seq_cst for a store";
    else if (op == HRF_FENCE && order == HRF_RELAXED)
        expected = "acquire, release, acq_rel or seq_cst for a fence";
    if (!expected)
        return;
    parser->lexer.line = line;
    hrf_fail(&parser->lexer, "order %s, expected %s", hrf_order_name(order), expected);
}

static void take_failed_order(struct hrf_parser *parser, struct hrf_instruction *i)
{
    const uint32_t line = parser->lexer.line;
    i->failed_order = hrf_order_of_failure(i->order);
    if (i->op != HRF_CAS || !hrf_take(&parser->lexer, "/"))
        return;
    i->names_failed_order = true;
    i->failed_order = take_order(parser);
    check_order(parser, HRF_LOAD, i->failed_order, line);
    if (i->failed_order & ~i->order & HRF_SEQ_CST)
        hrf_fail(&parser->lexer, "failed order %s, expected one that is not stronger than %s",
                 hrf_order_name(i->failed_order), hrf_order_name(i->order));
}

/* order[/order], [remote] scope */
static void take_sync(struct hrf_parser *parser, struct hrf_instruction *i)
{
    struct hrf_lexer *lexer = &parser->lexer;
    i->order = take_order(parser);
    check_order(parser, i->op, i->order, lexer->line);
    take_failed_order(parser, i);
    hrf_need(lexer, ",");
    if (i->op != HRF_FENCE)
        i->is_remote = hrf_take(lexer, "remote");
    i->level = take_level(parser);
}

/* Takes `local` or `global`; both unless one is named. */
static uint8_t take_region(struct hrf_parser *parser)
{
    if (hrf_take(&parser->lexer, "global"))
        return HRF_GLOBAL;
    if (hrf_take(&parser->lexer, "local"))
        return HRF_LOCAL;
    hrf_expected(&parser->lexer, "global or local");
    return 0;
}

/* ---- statements ------------------------------------------------------------------------------ */

static int32_t take_location(struct hrf_parser *parser)
{
    int32_t location = hrf_find_location(parser);
    if (location < 0)
        hrf_expected(&parser->lexer, "a location");
    hrf_next(&parser->lexer);
    return location < 0 ? 0 : location;
}

static void set_location(const struct hrf_parser *parser, struct hrf_instruction *i,
                         int32_t location)
{
    i->location = location;
    i->regions = (uint8_t)parser->program->locations[location].region;
}

/* (y, acquire, dev) and the like */
static void parse_access(struct hrf_parser *parser, struct hrf_instruction *i)
{
    struct hrf_lexer *lexer = &parser->lexer;
    hrf_need(lexer, "(");
    set_location(parser, i, take_location(parser));
    hrf_need(lexer, ",");
    if (i->op == HRF_AWAIT)
        i->comparison = hrf_parse_comparison(parser);
    if (i->op == HRF_CAS) {
        i->expected = hrf_parse_expression(parser);
        hrf_need(lexer, ",");
    }
    if (i->op != HRF_LOAD) {
        i->value = hrf_parse_expression(parser);
        hrf_need(lexer, ",");
    }
    take_sync(parser, i);
    hrf_need(lexer, ")");
}

/* (acquire, dev) or (acquire, dev, local) */
static void parse_fence(struct hrf_parser *parser, struct hrf_instruction *i)
{
    hrf_need(&parser->lexer, "(");
    take_sync(parser, i);
    i->regions = hrf_take(&parser->lexer, ",") ? take_region(parser) : HRF_ALL_REGIONS;
    hrf_need(&parser->lexer, ")");
}

/* nothing, (local), (sg) or (sg, local) */
static void parse_barrier(struct hrf_parser *parser, struct hrf_instruction *i)
{
    struct hrf_lexer *lexer = &parser->lexer;
    i->level = HRF_WG;
    i->regions = HRF_ALL_REGIONS;
    if (!hrf_take(lexer, "("))
        return;
    if (hrf_take(lexer, "sg"))
        i->level = HRF_SG;
    if (i->level == HRF_WG || hrf_take(lexer, ","))
        i->regions = take_region(parser);
    hrf_need(lexer, ")");
}

/* ( expression ) */
static int32_t parse_condition(struct hrf_parser *parser)
{
    hrf_need(&parser->lexer, "(");
    int32_t condition = hrf_parse_expression(parser);
    hrf_need(&parser->lexer, ")");
    return condition;
}

static void parse_assert(struct hrf_parser *parser, struct hrf_instruction *i)
{
    i->value = parse_condition(parser);
}

static const struct operation {
    const char *name;
    enum hrf_op op;
    void (*parse)(struct hrf_parser *parser, struct hrf_instruction *i); /* behind the name */
} operations[] = {
    {"load", HRF_LOAD, parse_access},     {"store", HRF_STORE, parse_access},
    {"await", HRF_AWAIT, parse_access},   {"add", HRF_ADD, parse_access},
    {"sub", HRF_SUB, parse_access},       {"and", HRF_AND, parse_access},
    {"or", HRF_OR, parse_access},         {"xor", HRF_XOR, parse_access},
    {"min", HRF_MIN, parse_access},       {"max", HRF_MAX, parse_access},
    {"xchg", HRF_XCHG, parse_access},     {"cas", HRF_CAS, parse_access},
    {"fence", HRF_FENCE, parse_fence},    {"barrier", HRF_BARRIER, parse_barrier},
    {"assert", HRF_ASSERT, parse_assert},
};

static const struct operation *operation_here(const struct hrf_lexer *lexer)
{
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        if (hrf_is(lexer, operations[i].name) &&
            (*lexer->next == '(' || operations[i].op >= HRF_FENCE))
            return &operations[i];
    return NULL;
}

bool hrf_is_taken(const struct hrf_lexer *lexer)
{
    bool is_taken = hrf_is(lexer, "if") || hrf_is(lexer, "else") || hrf_is(lexer, "while");
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        is_taken |= hrf_is(lexer, operations[i].name);
    return is_taken;
}

/* register = ...; */
static struct hrf_instruction *parse_assignment(struct hrf_parser *parser, uint32_t line,
                                                const char *text)
{
    struct hrf_lexer *lexer = &parser->lexer;
    struct hrf_lexer name = *lexer;
    hrf_next(lexer);
    hrf_need(lexer, "=");
    const struct operation *operation = operation_here(lexer);
    int32_t location = hrf_find_location(parser);
    enum hrf_op op = operation ? operation->op : location >= 0 ? HRF_READ : HRF_SET;
    struct hrf_instruction *i = add(parser, op, line, text);
    if (!i)
        return NULL;
    if (operation && !hrf_reads(op)) {
        hrf_fail(lexer, "a %s gives no value, expected a load or read-modify-write",
                 operation->name);
    } else if (operation) {
        hrf_next(lexer);
        operation->parse(parser, i);
    } else if (location >= 0) {
        set_location(parser, i, take_location(parser));
    } else {
        i->value = hrf_parse_expression(parser);
    }
    if (*lexer->error)
        return NULL;
    struct hrf_lexer behind = *lexer; /* a register may not name itself before it has a value */
    *lexer = name;
    i->reg = take_register(parser);
    if (!*lexer->error)
        *lexer = behind;
    return i;
}

/* Parses everything that ends with a semicolon. */
static struct hrf_instruction *parse_simple(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    const uint32_t line = lexer->line;
    const char *text = lexer->text;
    const struct operation *operation = operation_here(lexer);
    int32_t location = hrf_find_location(parser);
    if (lexer->kind != HRF_WORD) {
        hrf_expected(lexer, "a statement");
        return NULL;
    }
    if (!operation && location < 0)
        return parse_assignment(parser, line, text);
    struct hrf_instruction *i = add(parser, operation ? operation->op : HRF_WRITE, line, text);
    if (!i)
        return NULL;
    hrf_next(lexer);
    if (operation) {
        operation->parse(parser, i);
        return i;
    }
    hrf_need(lexer, "=");
    set_location(parser, i, location);
    i->value = hrf_parse_expression(parser);
    return i;
}

/* spare "why mutants of the statement may survive" */
static void parse_spare(struct hrf_parser *parser, struct hrf_instruction *i)
{
    if (!hrf_take(&parser->lexer, "spare"))
        return;
    if (parser->lexer.kind != HRF_TEXT) {
        hrf_expected(&parser->lexer, "a reason in quotes");
        return;
    }
    i->spare = parser->lexer.text;
    i->n_spare = parser->lexer.n;
    hrf_next(&parser->lexer);
}

/* Returns the number of an instruction whose target is set later. */
static uint32_t add_jump(struct hrf_parser *parser, enum hrf_op op, int32_t condition)
{
    struct hrf_instruction *i = add(parser, op, parser->lexer.line, parser->lexer.text);
    if (i)
        i->value = condition;
    return parser->thread->n_code - 1;
}

static void land(struct hrf_parser *parser, uint32_t jump)
{
    if (!*parser->lexer.error)
        parser->thread->code[jump].target = parser->thread->n_code;
}

static void parse_if(struct hrf_parser *parser)
{
    uint32_t branch = add_jump(parser, HRF_BRANCH, parse_condition(parser));
    hrf_parse_block(parser);
    if (!hrf_take(&parser->lexer, "else")) {
        land(parser, branch);
        return;
    }
    uint32_t jump = add_jump(parser, HRF_JUMP, HRF_NONE);
    land(parser, branch);
    if (hrf_take(&parser->lexer, "if"))
        parse_if(parser);
    else
        hrf_parse_block(parser);
    land(parser, jump);
}

/* Parses a loop, whose register counts rounds; it starts at 0 whenever the loop does. */
static void parse_while(struct hrf_parser *parser)
{
    int32_t counter = add_register(parser, "", 0);
    struct hrf_instruction *i = add(parser, HRF_SET, parser->lexer.line, parser->lexer.text);
    if (i) {
        i->reg = counter;
        i->value = hrf_add_expression(parser, HRF_CONSTANT, 0, 0);
    }
    const uint32_t again = parser->thread->n_code;
    uint32_t branch = add_jump(parser, HRF_BRANCH, parse_condition(parser));
    i = add(parser, HRF_LOOP, parser->lexer.line, parser->lexer.text);
    if (i)
        i->reg = counter;
    hrf_parse_block(parser);
    uint32_t back = add_jump(parser, HRF_JUMP, HRF_NONE);
    if (!*parser->lexer.error)
        parser->thread->code[back].target = again;
    land(parser, branch);
}

static void parse_statement(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    if (hrf_take(lexer, "if")) {
        parse_if(parser);
    } else if (hrf_take(lexer, "while")) {
        parse_while(parser);
    } else {
        struct hrf_instruction *i = parse_simple(parser);
        if (!i || *lexer->error)
            return;
        i->n_text = (uint32_t)(lexer->end_of_last - i->text);
        parse_spare(parser, i);
        hrf_need(lexer, ";");
    }
}

void hrf_parse_block(struct hrf_parser *parser)
{
    hrf_need(&parser->lexer, "{");
    if (++parser->n_blocks > HRF_MAX_DEPTH)
        hrf_fail(&parser->lexer, "blocks, expected at most %u within each other", HRF_MAX_DEPTH);
    while (!hrf_is(&parser->lexer, "}") && !*parser->lexer.error)
        parse_statement(parser);
    parser->n_blocks--;
    hrf_need(&parser->lexer, "}");
}
