/* SPDX-License-Identifier: MIT */
/*
 * The guide's device code, built as its readers would: each block on a node that is opened with its handlers.
 *
 * Path: docs/guide -> guide.py, which writes the table of blocks and compiles this -> gravel_program_build and its relatives
 */
#include <gravel/flow.h>
#include <gravel/rounds.h>
#include <gravel/server.h>

#include <stdio.h>

struct block {
    const char *name, *source, *options;
    const char *function;          /* its kernel, where flows and rounds name it */
    struct gravel_handler handler; /* without a name: none */
    int (*build)(struct gravel *gravel,
                 const struct block *block); /* NULL: handlers alone, built with the node */
};

static int build_program(struct gravel *gravel, const struct block *block)
{
    cl_program program;
    int error = gravel_program_build(gravel, block->name, block->source, block->options, &program);
    return error ? error : (clReleaseProgram(program), 0);
}

static int build_server(struct gravel *gravel, const struct block *block)
{
    cl_program program;
    int error = gravel_server_build(gravel, block->name, block->source, block->options, &program);
    return error ? error : (clReleaseProgram(program), 0);
}

static int build_fib(struct gravel *gravel, const struct block *block)
{
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, 0, 2, edges},
                                              {"sum", 12, GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = 9);
    struct gravel_flow *flow;
    int error = gravel_flow_create(&flow, gravel, &graph);
    error = error ? error
                  : gravel_flow_build(flow, block->name, block->source, block->options,
                                      block->function);
    const int destroyed = gravel_flow_destroy(flow);
    return error ? error : destroyed;
}

static int build_rounds(struct gravel *gravel, const struct block *block)
{
    struct gravel_rounds *rounds;
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = block->name, .source = block->source,
                              .function = block->function);
    const int error = gravel_rounds_create(&rounds, gravel, &program);
    return error ? error : gravel_rounds_destroy(rounds);
}

#include "blocks.h" /* static const struct block blocks[] */

static int build(const struct block *block)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &block->handler, .n_handlers = block->handler.name != NULL,
                        .device_code = {block->handler.name ? block->source : NULL, block->name,
                                        block->options});
    struct gravel *gravel;
    int error = gravel_open(&gravel, NULL, &bindings);
    if (!error) {
        error = block->build ? block->build(gravel, block) : 0;
        if (error)
            fprintf(stderr, "%s: %s\n", block->name, gravel_last_error());
        return gravel_close(gravel) || error;
    }
    fprintf(stderr, "%s: %s\n", block->name, gravel_last_error());
    return error;
}

/* PoCL reads its built-in functions for its first context, and forgets them with the last. So one stays. */
static cl_context keep_a_context(void)
{
    struct gravel *gravel;
    if (gravel_open(&gravel, NULL, NULL))
        return NULL;
    cl_context context = gravel_cl_context(gravel);
    clRetainContext(context);
    gravel_close(gravel);
    return context;
}

int main(void)
{
    cl_context kept = keep_a_context();
    int n_failed = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        n_failed += build(&blocks[i]) != 0;
    if (kept)
        clReleaseContext(kept);
    return n_failed != 0;
}
