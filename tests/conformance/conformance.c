/* SPDX-License-Identifier: MIT */
/*
 * Conformance: every operation, type and form does what the manual says, to every kind of target, from every
 * kind of group. Runs in one process with GRAVEL_LOOPBACK nodes, or under an MPI launcher, where every node
 * sends. Prints TAP at node 0, a line for each form of each operation.
 *
 * Path:    words.c, calls.c -> this.
 */
#include "stage.h"
#include "support.h"

extern const char conformance_cl[];

int main(void)
{
    static const struct gravel_bindings bindings = {
        .handlers = call_handlers,
        .n_handlers = sizeof call_handlers / sizeof *call_handlers,
    };
    struct stage stage;
    watch(600, "conformance");
    stage_open(&stage, &bindings);
    stage.heap = alloc_or_die(stage.gravel, (N_WORDS + 2 * N_GUARDS) * 8u);
    stage.program = build_or_die(stage.gravel, conformance_cl, NULL);
    run_words(&stage);
    run_calls(&stage);
    stage_end(&stage);
    stage_close(&stage);
    return stage.n_failed_lines != 0;
}
