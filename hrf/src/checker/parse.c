/* SPDX-License-Identifier: MIT */
/*
 * The sections of a litmus program. See parse.h.
 */
#include "checker/parse.h"

#include "checker/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *hrf_grow(struct hrf_parser *parser, void *array, uint32_t n, uint32_t bytes)
{
    if (n & (n - 1) || (n && n < 8)) /* room up to the next power of two */
        return array;
    void *grown = realloc(array, (size_t)(n < 8 ? 8 : 2 * n) * bytes);
    if (!grown)
        hrf_fail(&parser->lexer, "out of memory, expected %zu bytes", (size_t)n * 2 * bytes);
    return grown;
}

int32_t hrf_find_location(const struct hrf_parser *parser)
{
    const struct hrf_program *program = parser->program;
    for (uint32_t i = 0; i < program->n_locations; i++)
        if (hrf_is(&parser->lexer, program->locations[i].name))
            return (int32_t)i;
    return HRF_NONE;
}

int32_t hrf_find_register(const struct hrf_lexer *name, const struct hrf_thread *thread)
{
    for (uint32_t i = 0; i < thread->n_registers; i++)
        if (*thread->registers[i] && hrf_is(name, thread->registers[i]))
            return (int32_t)i;
    return HRF_NONE;
}

/* locations x, y = 3, local f; */
static void parse_locations(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    struct hrf_program *program = parser->program;
    do {
        struct hrf_location location = {.region = HRF_GLOBAL};
        if (hrf_take(lexer, "local"))
            location.region = HRF_LOCAL;
        if (hrf_find_location(parser) >= 0 || hrf_is_taken(lexer))
            hrf_expected(lexer, "a new name of a location");
        if (program->n_locations == HRF_MAX_LOCATIONS)
            hrf_expected(lexer, "at most 64 locations");
        hrf_need_name(lexer, "a location's name", location.name);
        if (hrf_take(lexer, "="))
            location.initial = hrf_need_number(lexer, "the initial value");
        if (!*lexer->error)
            program->locations[program->n_locations++] = location;
    } while (hrf_take(lexer, ","));
    hrf_need(lexer, ";");
}

/* thread NAME dev 0 wg 0 [sg 0] { ... } */
static void parse_thread(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    struct hrf_program *program = parser->program;
    struct hrf_thread *thread = &program->threads[program->n_threads];
    if (program->n_threads == HRF_MAX_THREADS) {
        hrf_expected(lexer, "at most 32 threads");
        return;
    }
    for (uint32_t t = 0; t < program->n_threads; t++)
        if (hrf_is(lexer, program->threads[t].name))
            hrf_expected(lexer, "a new name of a thread");
    hrf_need_name(lexer, "a thread's name", thread->name);
    hrf_need(lexer, "dev");
    thread->place.device = hrf_need_number(lexer, "the number of a device");
    hrf_need(lexer, "wg");
    thread->place.group = hrf_need_number(lexer, "the number of a work-group");
    if (hrf_take(lexer, "sg"))
        thread->place.subgroup = hrf_need_number(lexer, "the number of a sub-group");
    parser->thread = thread;
    program->n_threads++;
    hrf_parse_block(parser);
    parser->thread = NULL;
}

static enum hrf_wish parse_wish(struct hrf_lexer *lexer, bool of_exists)
{
    static const char *const words[] = {[HRF_FREE] = "free",
                                        [HRF_RACE] = "race",
                                        [HRF_NEVER] = "never",
                                        [HRF_SOMETIMES] = "sometimes"};
    for (int wish = of_exists ? HRF_NEVER : HRF_FREE;
         wish <= (of_exists ? HRF_SOMETIMES : HRF_RACE); wish++)
        if (hrf_take(lexer, words[wish]))
            return (enum hrf_wish)wish;
    hrf_expected(lexer, of_exists ? "never or sometimes" : "free or race");
    return HRF_ANY;
}

/* Takes a model's name, which may have a hyphen: three tokens that touch. Returns false if there is none. */
static bool take_model(struct hrf_lexer *lexer, enum hrf_model *model)
{
    struct hrf_lexer last = *lexer;
    while (*last.next == '-')
        for (int i = 0; i < 2; i++)
            hrf_next(&last);
    uint32_t n = (uint32_t)(last.text + last.n - lexer->text);
    if (lexer->kind != HRF_WORD || !hrf_model_of(lexer->text, n, model))
        return false;
    *lexer = last;
    hrf_next(lexer);
    return true;
}

/* expect indirect free, exists never, exists opencl sometimes; */
static void parse_expect(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    struct hrf_expectation *expected = &parser->program->expected;
    do {
        enum hrf_model model;
        bool of_exists = hrf_take(lexer, "exists");
        if (take_model(lexer, &model))
            *(of_exists ? &expected->exists[model] : &expected->verdict[model]) =
                parse_wish(lexer, of_exists);
        else if (of_exists)
            expected->exists_everywhere = parse_wish(lexer, true);
        else
            hrf_expected(lexer, "exists, or a model: direct, indirect, direct-relaxed, "
                                "indirect-relaxed, rsp, rsp-pair or opencl");
    } while (hrf_take(lexer, ","));
    hrf_need(lexer, ";");
}

static void parse_exists(struct hrf_parser *parser)
{
    if (parser->program->exists >= 0)
        hrf_expected(&parser->lexer, "one condition alone");
    parser->program->exists = hrf_parse_expression(parser);
    hrf_need(&parser->lexer, ";");
}

static void parse_section(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    if (hrf_take(lexer, "litmus"))
        hrf_need_name(lexer, "the program's name", parser->program->name);
    else if (hrf_take(lexer, "locations"))
        parse_locations(parser);
    else if (hrf_take(lexer, "thread"))
        parse_thread(parser);
    else if (hrf_take(lexer, "expect"))
        parse_expect(parser);
    else if (hrf_take(lexer, "exists"))
        parse_exists(parser);
    else
        hrf_expected(lexer, "litmus, locations, thread, expect or exists");
}

/* Checks that local memory is one group's. */
static void check_local(struct hrf_parser *parser)
{
    const struct hrf_program *program = parser->program;
    int32_t group_of[HRF_MAX_LOCATIONS];
    memset(group_of, -1, sizeof group_of);
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const struct hrf_instruction *i = &program->threads[t].code[k];
            const int32_t group = program->threads[t].instances[HRF_WG];
            if (i->location < 0 || program->locations[i->location].region != HRF_LOCAL)
                continue;
            parser->lexer.line = i->line;
            if (group_of[i->location] >= 0 && group_of[i->location] != group)
                hrf_fail(&parser->lexer,
                         "local location '%s' in two work-groups, expected one alone",
                         program->locations[i->location].name);
            group_of[i->location] = group;
        }
}

static void parse_program(struct hrf_parser *parser)
{
    struct hrf_lexer *lexer = &parser->lexer;
    while (lexer->kind != HRF_END)
        parse_section(parser);
    if (!*lexer->error && !*parser->program->name)
        hrf_fail(lexer, "no name, expected 'litmus NAME'");
    if (!*lexer->error && !parser->program->n_threads)
        hrf_fail(lexer, "no thread, expected at least one");
    if (*lexer->error)
        return;
    hrf_program_place(parser->program);
    check_local(parser);
}

struct hrf_program *hrf_parse(const char *path, const char *text, uint64_t n_bytes, char *error)
{
    struct hrf_program *program = calloc(1, sizeof *program);
    if (program)
        program->source = malloc(n_bytes + 1);
    if (!program || !program->source) {
        snprintf(error, HRF_ERROR_BYTES, "%s:1: out of memory, expected more", path);
        hrf_program_free(program);
        return NULL;
    }
    memcpy(program->source, text, n_bytes);
    program->source[n_bytes] = '\0';
    program->exists = HRF_NONE;
    program->max_rounds = HRF_DEFAULT_ROUNDS;
    struct hrf_parser parser = {.program = program};
    hrf_lex(&parser.lexer, path, program->source);
    parse_program(&parser);
    if (!*parser.lexer.error)
        return program;
    memcpy(error, parser.lexer.error, HRF_ERROR_BYTES);
    hrf_program_free(program);
    return NULL;
}

struct hrf_program *hrf_parse_file(const char *path, char *error)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rbe") : stdin;
    char *text = malloc(HRF_MAX_FILE_BYTES + 1);
    struct hrf_program *program = NULL;
    if (!file || !text) {
        snprintf(error, HRF_ERROR_BYTES, "%s:1: cannot be read, expected a file", path);
        goto end;
    }
    size_t n = fread(text, 1, HRF_MAX_FILE_BYTES + 1, file);
    if (n > HRF_MAX_FILE_BYTES)
        snprintf(error, HRF_ERROR_BYTES, "%s:1: too long, expected at most %u bytes", path,
                 HRF_MAX_FILE_BYTES);
    else
        program = hrf_parse(path, text, n, error);
end:
    if (file && file != stdin)
        fclose(file);
    free(text);
    return program;
}
