/* SPDX-License-Identifier: MIT */
/*
 * Conformance: every operation, type and form does what the manual says, to every kind of target, from every
 * kind of group. Runs in one process with GRAVEL_LOOPBACK nodes, or under an MPI launcher, where every node
 * sends. Prints TAP at node 0, a line for each form of each operation.
 *
 * Path:    words.c, calls.c -> this.
 */
#include <stdio.h>

#include "stage.h"
#include "support.h"

extern const char conformance_cl[];

static cl_mem make_array(struct stage *stage, size_t element_bytes)
{
    cl_int error;
    cl_mem array = clCreateBuffer(gravel_cl_context(stage->gravel), CL_MEM_READ_ONLY,
                                  N_ITEMS * element_bytes, NULL, &error);
    MUST(error == CL_SUCCESS);
    return array;
}

static void open_stage(struct stage *stage)
{
    const struct gravel_bindings bindings = {
        .handlers = call_handlers,
        .n_handlers = sizeof call_handlers / sizeof *call_handlers,
    };
    *stage = (struct stage){.gravel = open_default(&bindings)};
    stage->node = gravel_node(stage->gravel);
    stage->n_nodes = gravel_n_nodes(stage->gravel);
    stage->heap = alloc_or_die(stage->gravel, (N_WORDS + 2 * N_GUARDS) * 8u);
    bool is_loopback = stage->n_nodes > 1 && gravel_is_local(stage->gravel, 0) &&
                       gravel_is_local(stage->gravel, 1);
    stage->n_origins = is_loopback ? 1 : stage->n_nodes;
    MUST(stage->n_origins <= MAX_ORIGINS);
    stage->program = build_or_die(stage->gravel, conformance_cl, NULL);
    stage->active = make_array(stage, sizeof(uint32_t));
    stage->nodes = make_array(stage, sizeof(uint32_t));
    stage->indices = make_array(stage, sizeof(uint32_t));
    stage->values = make_array(stage, sizeof(uint64_t));
}

static void close_stage(struct stage *stage)
{
    clReleaseMemObject(stage->active);
    clReleaseMemObject(stage->nodes);
    clReleaseMemObject(stage->indices);
    clReleaseMemObject(stage->values);
    clReleaseProgram(stage->program);
    OK(gravel_close(stage->gravel));
}

int main(void)
{
    struct stage stage;
    watch(600, "conformance");
    open_stage(&stage);
    run_words(&stage);
    run_calls(&stage);
    if (stage.node == 0)
        printf("1..%u\n# %u cases, %u of %u lines failed\n", stage.n_lines, stage.n_cases,
               stage.n_failed_lines, stage.n_lines);
    fflush(stdout);
    close_stage(&stage);
    return stage.n_failed_lines != 0;
}
