/* SPDX-License-Identifier: MIT */
/*
 * Accumulators: their flushes, and what they refuse, a file each; every node of the job runs all steps.
 *
 * usage: test_accumulator [NODES]   ranks of a job, or so many loop-back nodes, of which node 0 alone adds
 *
 * Path: mpirun -> this -> accumulator_flushes.c, accumulator_refusals.c -> lib/accumulate
 */
#include "accumulator.h"

#include <stdlib.h>

static const struct step steps[] = {
    STEP(a_word_travels_once),
    STEP(sums_that_cancel_are_not_sent),
    STEP(what_does_not_improve_is_not_sent),
    STEP(words_wait_for_a_flush),
    STEP(a_flush_begins_behind_kernels),
    STEP(calls_in_any_order_lose_nothing),
    STEP(two_accumulators),
    STEP(kernels_are_refused_what_is_not_there),
    STEP(create_refuses),
    STEP(memory_is_limited),
    STEP(destroy_refuses_while_words_wait),
    STEP(a_range_is_its_accumulators),
};

int main(int argc, char **argv)
{
    watch(100, "opening");
    if (argc > 1) {
        struct gravel_config config = loopback_config((uint32_t)atoi(argv[1]));
        config.heap_bytes = 32u << 20;
        int code = gravel_open(&gravel, &config, NULL);
        skip_if_refused(code);
        OK(code);
    } else {
        gravel = open_default(NULL);
    }
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    n_adders = argc > 1 ? 1 : n_nodes;
    build_adders();
    run_steps(gravel, steps, sizeof steps / sizeof *steps);
    release_adders();
    OK(gravel_close(gravel));
    return 0;
}
