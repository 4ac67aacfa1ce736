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
    const cl_uint first = nodes->rounds ? 2 : 1;
    cl_kernel kernel;
    const cl_ulong answered = nodes->layout.answered + 4 * launch * HISTORY_GROUPS;
    if (nodes->rounds)
        OK(gravel_rounds_kernel(nodes->rounds, &kernel));
    else
        kernel = kernel_or_die(nodes->gravel, nodes->program, "interpret");
    nodes->kernels[launch] = kernel;
    MUST(clSetKernelArg(kernel, first, 8, &nodes->layout.words) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, first + 1, 8, &nodes->layout.answers) == CL_SUCCESS);
    nodes->calls[launch] = make_buffer(nodes, kernel, 4, sizeof((struct table *)0)->calls);
    nodes->items[launch] = make_buffer(nodes, kernel, 5, sizeof((struct table *)0)->items);
    nodes->seen[launch] =
        make_buffer(nodes, kernel, 6, (HISTORY_SUMS + HISTORY_ROUNDS) * sizeof(cl_ulong));
    if (nodes->rounds)
        return;
    MUST(clSetKernelArg(kernel, 3, 8, &answered) == CL_SUCCESS);
    OK(gravel_kernel_set_accumulator(nodes->total, kernel, 7));
    OK(gravel_kernel_set_accumulator(nodes->most, kernel, 8));
    const cl_ulong slots = gravel_mirror_offset(nodes->slots);
    MUST(clSetKernelArg(kernel, 9, 8, &slots) == CL_SUCCESS);
}

/* A word of each node. */
static struct gravel_words plan(const struct nodes *nodes, uint32_t cell)
{
    static uint64_t n_words[HISTORY_NODES];
    static uint32_t indices[HISTORY_NODES];
    for (uint32_t node = 0; node < nodes->n_nodes; node++) {
        n_words[node] = 1;
        indices[node] = CELL_AT(cell) / sizeof(cl_uint);
    }
    return (struct gravel_words)GRAVEL_WORDS(.offset = nodes->layout.words, .type = GRAVEL_UINT,
                                             .n_words = n_words, .indices = indices);
}

static void make_accumulators(struct nodes *nodes)
{
    OK(gravel_accumulator_create(&nodes->total, nodes->gravel,
                                 cell_offset(&nodes->layout, HISTORY_TOTAL), 16, GRAVEL_ADD,
                                 GRAVEL_UINT));
    OK(gravel_accumulator_create(&nodes->most, nodes->gravel,
                                 cell_offset(&nodes->layout, HISTORY_MOST), 16, GRAVEL_MAX,
                                 GRAVEL_UINT));
}

static void make_mirrors(struct nodes *nodes)
{
    const struct gravel_words mirrored = plan(nodes, HISTORY_MIRRORED);
    OK(gravel_mirror_create(&nodes->copies, nodes->gravel, &mirrored));
    const struct gravel_words slotted = plan(nodes, HISTORY_SLOTTED);
    OK(gravel_mirror_create_slots(&nodes->slots, nodes->gravel, GRAVEL_ADD, &slotted));
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

static void make_rounds(struct nodes *nodes)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "interpret.cl", .source = history_interpret_cl,
                              .options = "-DHISTORY_RUNS_ROUNDS", .function = "play",
                              .group_items = HISTORY_ITEMS, .n_groups = HISTORY_GROUPS);
    OK(gravel_rounds_create(&nodes->rounds, nodes->gravel, &program));
    for (uint32_t launch = 0; launch < HISTORY_LAUNCHES; launch++)
        make_kernel(nodes, launch);
}

struct nodes *nodes_open(bool asks, bool has_rounds)
{
    static struct nodes opened;
    static const struct gravel_handler handlers[] = {
        [NOTE] = {.name = "note", .n_args = 2, .function = note, .user = &opened},
        [OR_WORD] = {.name = "or_word", .n_args = 3, .n_answers = 1},
        [SWAP_WORD] = {.name = "swap_word", .n_args = 3, .n_answers = 1, .serve = {.n_keys = 1}}};
    static const struct gravel_stream streams[] = {{"records", 4, take_records, &opened}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = asks ? N_HANDLERS : 1,
                        .streams = streams, .n_streams = 1);
    if (asks)
        bindings.device_code =
            (struct gravel_device_code){history_handlers_cl, "handlers.cl", NULL};
    opened.asks = asks;
    opened.gravel = open_default(&bindings);
    opened.node = gravel_node(opened.gravel);
    opened.n_nodes = gravel_n_nodes(opened.gravel);
    opened.is_one_process = gravel_is_local(opened.gravel, opened.n_nodes - 1) && opened.node == 0;
    MUST(opened.n_nodes <= HISTORY_NODES);
    opened.layout.words = alloc_or_die(opened.gravel, WORDS_BYTES + FLAGS_BYTES);
    opened.layout.flags = opened.layout.words + WORDS_BYTES;
    opened.layout.answered = alloc_or_die(opened.gravel, FLAGS_BYTES);
    opened.layout.answers = alloc_or_die(opened.gravel, N_PLACES * 8);
    for (uint32_t node = 0; node < opened.n_nodes && !is_sliced(opened.gravel); node++)
        if (gravel_is_local(opened.gravel, node))
            opened.mapped[node] = read_map(opened.gravel, node, opened.layout.words, WORDS_BYTES);
    if (!is_sliced(opened.gravel))
        opened.flags = read_map(opened.gravel, opened.node, opened.layout.flags, FLAGS_BYTES);
    make_mirrors(&opened);
    if (has_rounds) {
        make_rounds(&opened);
        return &opened;
    }
    make_accumulators(&opened);
    build(&opened);
    return &opened;
}

void nodes_close(struct nodes *nodes)
{
    for (uint32_t launch = 0; launch < HISTORY_LAUNCHES; launch++) {
        clReleaseMemObject(nodes->calls[launch]);
        clReleaseMemObject(nodes->items[launch]);
        clReleaseMemObject(nodes->seen[launch]);
        clReleaseKernel(nodes->kernels[launch]);
    }
    if (nodes->program)
        clReleaseProgram(nodes->program);
    OK(gravel_rounds_destroy(nodes->rounds));
    OK(gravel_mirror_destroy(nodes->slots));
    OK(gravel_mirror_destroy(nodes->copies));
    OK(gravel_accumulator_destroy(nodes->most));
    OK(gravel_accumulator_destroy(nodes->total));
    for (uint32_t node = 0; node < nodes->n_nodes; node++)
        if (nodes->mapped[node])
            OK(gravel_unmap(nodes->gravel, (void *)nodes->mapped[node]));
    if (nodes->flags)
        OK(gravel_unmap(nodes->gravel, (void *)nodes->flags));
    OK(gravel_close(nodes->gravel));
}

void nodes_describe(const struct nodes *nodes, struct history *history)
{
    history->n_nodes = nodes->n_nodes;
    history->n_origins = nodes->is_one_process ? 1 : nodes->n_nodes;
    history->kernels_wait = !takes_step(nodes->gravel, "drain");
    history->asks = nodes->asks;
    history->has_rounds = nodes->rounds != NULL;
    history->handlers_look = !is_sliced(nodes->gravel);
}

uint64_t nodes_sum(struct nodes *nodes, uint64_t number)
{
    OK(gravel_reduce(nodes->gravel, GRAVEL_ADD, GRAVEL_ULONG, &number, 1));
    return number;
}
