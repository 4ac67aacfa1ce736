/* SPDX-License-Identifier: MIT */
/*
 * gravel-hrf: whether scoped litmus programs are free of races, under each model; and what shows that they are not.
 *
 * Path:    files -> gravel-hrf -> hrf/src/checker -> standard output.
 * Threads: one.
 */
#include "../../apps/frame/process.h"
#include "run/play.h"
#include "show.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    {"model", 'm', "LIST", 0,
     "models, with commas, or all; direct, indirect, opencl and what the program expects unless "
     "given",
     0},
    {"engine", 'e', "NAME", 0, "sc or graphs; both where one does not suffice unless given", 0},
    {"limit", 'l', "N", 0, "give up after so many executions (10000000)", 0},
    {"rounds", 'r', "N", 0, "follow a loop for so many rounds (4)", 0},
    {"mutants", 'u', NULL, 0,
     "weaken each order, scope, barrier and `remote`, one at a time, under opencl unless --model "
     "is given; exit status 1 if a mutant survives",
     0},
    {"run", 'R', NULL, 0,
     "play the program on an OpenCL device and count the outcomes of `exists`, with --mutants "
     "those of each mutant",
     0},
    {"device", 'D', "DEVICE", 0, "for --run, instead of GRAVEL_DEVICE", 0},
    {"seconds", 's', "SECONDS", 0, "for --run, of each program and mutant (1)", 0},
    {"seed", 'S', "N", 0, "for --run, of delays (1)", 0},
    {"verbose", 'v', NULL, 0, "show the execution of each race", 0},
    {"dot", 'd', NULL, 0, "instead, the execution of each race for Graphviz", 0},
    {"json", 'j', NULL, 0, "one JSON object instead of text", 0},
    {0}};

/* Parses a list of models. */
static void parse_models(struct show_wish *wish, const char *list, struct argp_state *state)
{
    wish->models = 0;
    while (*list) {
        uint32_t n = (uint32_t)strcspn(list, ",");
        enum hrf_model model;
        if (n == 3 && !strncmp(list, "all", 3))
            wish->models = (UINT32_C(1) << HRF_N_MODELS) - 1;
        else if (hrf_model_of(list, n, &model))
            wish->models |= UINT32_C(1) << model;
        else
            argp_error(state,
                       "--model: '%.*s' is not direct, indirect, direct-relaxed, "
                       "indirect-relaxed, rsp, rsp-pair, opencl or all",
                       (int)n, list);
        list += n + (list[n] == ',');
    }
}

/* Returns a number, decimal or behind 0x. */
static uint64_t parse_number(const char *name, const char *text, uint64_t most,
                             struct argp_state *state)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
    if (*text < '0' || *text > '9' || *end || errno || value < 1 || value > most)
        argp_error(state, "--%s: '%s' is not in 1..%llu", name, text, (unsigned long long)most);
    return value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct show_wish *wish = state->input;
    switch (key) {
    case 'm':
        parse_models(wish, value, state);
        return 0;
    case 'e':
        if (strcmp(value, "sc") && strcmp(value, "graphs"))
            argp_error(state, "--engine: '%s' is not sc or graphs", value);
        wish->engine = strcmp(value, "sc") ? HRF_ENGINE_GRAPHS : HRF_ENGINE_SC;
        return 0;
    case 'l':
        wish->limit = parse_number("limit", value, UINT64_MAX, state);
        return 0;
    case 'r':
        wish->rounds = (uint32_t)parse_number("rounds", value, 4096, state);
        return 0;
    case 'u':
        wish->has_mutants = true;
        return 0;
    case 'R':
        wish->is_run = true;
        return 0;
    case 'D':
        wish->device = value;
        return 0;
    case 's':
        wish->seconds = (double)parse_number("seconds", value, 86400, state);
        return 0;
    case 'S':
        wish->seed = (uint32_t)parse_number("seed", value, UINT32_MAX, state);
        return 0;
    case 'v':
        wish->is_verbose = true;
        return 0;
    case 'd':
        wish->as_dot = true;
        return 0;
    case 'j':
        wish->json = json_array();
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    case ARGP_KEY_ARGS: /* what is behind the options; main takes them when all are known */
        wish->files = state->argv + state->next;
        wish->n_files = (uint32_t)(state->argc - state->next);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     parse,
                                     "FILE...",
                                     "Say whether scoped litmus programs are free of races under "
                                     "models of heterogeneous systems.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct show_wish wish = {.limit = HRF_DEFAULT_LIMIT, .seconds = 1, .seed = 1};
    int worst = 0;
    printed_guard();
    argp_program_version = "gravel-hrf " GRAVEL_VERSION;
    argp_err_exit_status = 64;
    argp_parse(&argp, argc, argv, 0, NULL, &wish);
    for (uint32_t i = 0; i < wish.n_files; i++)
        worst = show_worse(worst, show_file(&wish, wish.files[i]));
    play_end();
    if (wish.json) {
        json_dumpf(wish.json, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(wish.json);
    }
    return worst;
}
