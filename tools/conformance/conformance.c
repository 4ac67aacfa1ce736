/* SPDX-License-Identifier: MIT */
/*
 * Conformance: every operation, type and form does what the manual says, to every kind of target, from every
 * kind of group. Prints TAP at node 0, a line for each form of each operation.
 *
 * Path:    words.c, calls.c -> this.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"
#include "words.h"

extern const char conformance_cl[];

int suite_words(int n_arguments, char **arguments)
{
    static const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = call_handlers,
                        .n_handlers = sizeof call_handlers / sizeof *call_handlers);
    struct stage stage;
    stage_open(&stage, &bindings);
    stage_read(&stage, n_arguments, arguments);
    stage.heap = alloc_or_die(stage.gravel, WORDS_HEAP_BYTES);
    stage.program = stage_build(&stage, conformance_cl);
    run_words(&stage);
    run_calls(&stage);
    return stage_end(&stage);
}
