/* SPDX-License-Identifier: MIT */
/*
 * Opens nodes for histories, and closes them. See nodes.h.
 */
#include "nodes.h"

extern const char history_interpret_cl[], history_handlers_cl[];

static cl_mem make_buffer(struct nodes *nodes, cl_kernel kernel, cl_uint argument, size_t bytes)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(gravel_cl_context(nodes->gravel), CL_MEM_READ_WRITE, bytes, NULL, &error);
    MUST(error == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, argument, sizeof buffer, &buffer) == CL_SUCCESS);
    return buffer;
}

static void make_kernel(struct nodes *nodes, uint32_t launch)
{
    cl_kernel kernel = kernel_or_die(nodes->gravel, nodes->program, "interpret");
    const cl_ulong answered = nodes->layout.answered + 4 * launch * HISTORY_GROUPS;
    MUST(clSetKernelArg(kernel, 1, 8, &nodes->layout.words) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, 8, &nodes->layout.answers) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 3, 8, &answered) == CL_SUCCESS);
    nodes->calls[launch] = make_buffer(nodes, kernel, 4, sizeof((struct table *)0)->calls);
    nodes->items[launch] = make_buffer(nodes, kernel, 5, sizeof((struct table *)0)->items);
    nodes->seen[launch] =
        make_buffer(nodes, kernel, 6, HISTORY_GROUPS * PLACES_OF_GROUP * sizeof(cl_ulong));
    nodes->kernels[launch] = kernel;
}

/* One rank compiles, and the rest find the kernel in the driver's cache. */
static void build(struct nodes *nodes)
{
    static struct history nothing;
    nodes->running = &nothing;
    for (int turn = 0; turn < 2; turn++) {
        if ((nodes->node == 0) == (turn == 0)) {
            nodes->program = build_or_die(nodes->gravel, history_interpret_cl,
                                          nodes->asks ? "-DHISTORY_ASKS" : NULL);
            for (uint32_t launch = 0; launch < HISTORY_LAUNCHES; launch++)
                make_kernel(nodes, launch);
            prepare_launch(nodes, &nothing, 0);
            run_launch(nodes, 0);
            OK(gravel_quiet(nodes->gravel));
        }
        OK(gravel_barrier(nodes->gravel));
    }
}

struct nodes *nodes_open(bool asks)
{
    static struct nodes nodes;
    static const struct gravel_handler handlers[] = {
        [NOTE] = {.name = "note", .n_args = 2, .function = note, .user = &nodes},
        [OR_WORD] = {.name = "or_word", .n_args = 3, .n_answers = 1},
        [SWAP_WORD] = {.name = "swap_word", .n_args = 3, .n_answers = 1, .serve = {.n_keys = 1}}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = asks ? N_HANDLERS : 1);
    if (asks)
        bindings.device_code =
            (struct gravel_device_code){history_handlers_cl, "handlers.cl", NULL};
    nodes.asks = asks;
    nodes.gravel = open_default(&bindings);
    nodes.node = gravel_node(nodes.gravel);
    nodes.n_nodes = gravel_n_nodes(nodes.gravel);
    nodes.is_one_process = gravel_is_local(nodes.gravel, nodes.n_nodes - 1) && nodes.node == 0;
    MUST(nodes.n_nodes <= HISTORY_NODES);
    nodes.layout.words = alloc_or_die(nodes.gravel, WORDS_BYTES + FLAGS_BYTES);
    nodes.layout.flags = nodes.layout.words + WORDS_BYTES;
    nodes.layout.answered = alloc_or_die(nodes.gravel, FLAGS_BYTES);
    nodes.layout.answers = alloc_or_die(nodes.gravel, N_PLACES * 8);
    for (uint32_t node = 0; node < nodes.n_nodes && !is_sliced(nodes.gravel); node++)
        if (gravel_is_local(nodes.gravel, node))
            nodes.mapped[node] = read_map(nodes.gravel, node, nodes.layout.words, WORDS_BYTES);
    if (!is_sliced(nodes.gravel))
        nodes.flags = read_map(nodes.gravel, nodes.node, nodes.layout.flags, FLAGS_BYTES);
    build(&nodes);
    return &nodes;
}

void nodes_close(struct nodes *nodes)
{
    for (uint32_t launch = 0; launch < HISTORY_LAUNCHES; launch++) {
        clReleaseMemObject(nodes->calls[launch]);
        clReleaseMemObject(nodes->items[launch]);
        clReleaseMemObject(nodes->seen[launch]);
        clReleaseKernel(nodes->kernels[launch]);
    }
    clReleaseProgram(nodes->program);
    for (uint32_t node = 0; node < nodes->n_nodes; node++)
        if (nodes->mapped[node])
            unmap(nodes->gravel, nodes->mapped[node]);
    unmap(nodes->gravel, nodes->flags);
    OK(gravel_close(nodes->gravel));
}

void nodes_describe(const struct nodes *nodes, struct history *history)
{
    history->n_nodes = nodes->n_nodes;
    history->n_origins = nodes->is_one_process ? 1 : nodes->n_nodes;
    history->kernels_wait = !takes_step(nodes->gravel, "drain");
    history->asks = nodes->asks;
    history->handlers_look = !is_sliced(nodes->gravel);
}

uint64_t nodes_sum(struct nodes *nodes, uint64_t number)
{
    OK(gravel_reduce(nodes->gravel, GRAVEL_ADD, GRAVEL_ULONG, &number, 1));
    return number;
}
