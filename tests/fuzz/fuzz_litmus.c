/* SPDX-License-Identifier: MIT */
/*
 * Feed the parser of litmus programs arbitrary bytes, and judge what it takes.
 *
 * Path: libFuzzer -> this -> hrf/src/checker/parse.h, hrf/src/checker/verdict.h
 * Threads: one.
 *
 * Besides what the sanitizers see: a program that is refused comes with one line of file, line, what is wrong and what
 * was expected; one that is taken has threads, and gets verdicts that do not contradict each other.
 */
#include "checker/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker/mutate.h"

#define LIMIT 200 /* executions */
#define MAX_JUDGED_EVENTS 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_litmus: not so: %s\n", what);
    abort();
}

static void check_refused(const char *error)
{
    require(strncmp(error, "f:", 2) == 0, "the error names the file");
    require(strtoul(error + 2, NULL, 10) > 0, "and the line");
    require(strstr(error, "expected") != NULL, "and what was expected");
    require(!strchr(error, '\n'), "in one line");
}

static void check_verdicts(struct hrf_program *program)
{
    const struct hrf_question question = {.models = (1u << HRF_N_MODELS) - 1, .limit = LIMIT};
    struct hrf_verdict verdict;
    require(hrf_judge(program, &question, &verdict) == 0, "there is memory");
    require(verdict.of[HRF_DIRECT].answer != HRF_IS_FREE ||
                verdict.of[HRF_INDIRECT].answer != HRF_HAS_RACE,
            "what is free in direct is free in indirect");
    hrf_verdict_free(&verdict);
}

static void check_mutants(struct hrf_program *program)
{
    struct hrf_mutant mutant = hrf_before_mutants();
    while (hrf_mutant_next(program, &mutant)) {
        require(mutant.text[0] != '\0', "a mutant has a name");
        hrf_mutant_undo(program, &mutant);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[HRF_ERROR_BYTES] = "";
    struct hrf_program *program = hrf_parse("f", (const char *)data, size, error);
    if (!program) {
        check_refused(error);
        return 0;
    }
    require(program->n_threads > 0 && program->n_threads <= HRF_MAX_THREADS, "it has threads");
    check_mutants(program);
    if (hrf_max_events(program) <= MAX_JUDGED_EVENTS)
        check_verdicts(program);
    hrf_program_free(program);
    return 0;
}
