/* SPDX-License-Identifier: MIT */
/*
 * Lets a history happen: words and flags as at the start, launches and the host's calls in between, a barrier; then every
 * rank reads what its part has seen, and all ranks get all of it.
 *
 * Path:    generate.c -> this (table.c, interpret.cl) -> check.c
 * Owner:   struct nodes. Where the host addresses the heap, the words stay mapped, for handlers to look at them.
 * Threads: the main thread, and one more of the host's while a history runs; note() in the network thread, until the barrier.
 */
#include "run.h"

#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

extern const char history_interpret_cl[], history_handlers_cl[];

/** A call that must succeed: the error names the history. */
#define WORKS(nodes, call)                                                                        \
    do {                                                                                          \
        if (call)                                                                                 \
            die(__FILE__, __LINE__, "history %" PRIu64 ": %s: %s", (nodes)->running->seed, #call, \
                gravel_last_error());                                                             \
    } while (0)

struct nodes {
    struct gravel *gravel;
    struct layout layout;
    uint32_t node, n_nodes;
    bool is_one_process, asks;
    cl_program program;
    cl_kernel kernels[HISTORY_LAUNCHES]; /* each with the buffers of its launch */
    cl_mem calls[HISTORY_LAUNCHES], items[HISTORY_LAUNCHES], seen[HISTORY_LAUNCHES];
    struct history *running;
    uint64_t n_noted[HISTORY_NODES];
    const char *mapped[HISTORY_NODES]; /* NULL where the host does not address the heap */
    const char *flags;                 /* of this node; too */
};

static uint64_t load(const char *word, uint32_t type)
{
    return type == GRAVEL_UINT ? __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED)
                               : __atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED);
}

static int note(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    struct nodes *nodes = user;
    const uint32_t node = gravel_node(gravel), cell = (uint32_t)args[1];
    (void)source;
    MUST(args[0] < nodes->running->n_events && args[1] < HISTORY_CELLS);
    struct event *event = &nodes->running->events[args[0]];
    MUST(event->op == GRAVEL_AM && event->node == node && event->cell == cell);
    event->n_seen++;
    event->seen = cell == HISTORY_LOG ? nodes->n_noted[node]++
                                      : load(nodes->mapped[node] + (uint64_t)cell * CELL_BYTES,
                                             history_cells[cell].type);
    return 0;
}

/* ---- open and close ----------------------------------------------------------------------------- */

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

static void write_buffer(struct nodes *nodes, cl_mem buffer, const void *data, size_t bytes)
{
    MUST(clEnqueueWriteBuffer(gravel_cl_queue(nodes->gravel), buffer, CL_TRUE, 0, bytes, data, 0,
                              NULL, NULL) == CL_SUCCESS);
}

static void prepare_launch(struct nodes *nodes, const struct history *history, uint32_t launch)
{
    static struct table table;
    table_fill(&table, &nodes->layout, history, nodes->node, launch);
    write_buffer(nodes, nodes->calls[launch], table.calls, sizeof table.calls);
    write_buffer(nodes, nodes->items[launch], table.items, sizeof table.items);
}

static void run_launch(struct nodes *nodes, uint32_t launch)
{
    const size_t global_size = HISTORY_GROUPS * HISTORY_ITEMS, local_size = HISTORY_ITEMS;
    OK(gravel_launch(nodes->gravel, nodes->kernels[launch], 1, &global_size, &local_size, 0, NULL,
                     NULL));
}

/* One rank compiles, and the rest find the kernel in the driver's cache. */
static void build(struct nodes *nodes)
{
    static struct history nothing;
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

enum handler { NOTE, OR_WORD, SWAP_WORD };

struct nodes *nodes_open(bool asks)
{
    static struct nodes nodes;
    static const struct gravel_handler handlers[] = {
        [NOTE] = {.name = "note", .n_args = 2, .function = note, .user = &nodes},
        [OR_WORD] = {.name = "or_word", .n_args = 3, .answers = 1},
        [SWAP_WORD] = {.name = "swap_word", .n_args = 3, .n_keys = 1, .answers = 1}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = asks ? 3 : 1);
    if (asks)
        bindings.device_code =
            (struct gravel_device_code){history_handlers_cl, "handlers.cl", NULL};
    nodes.asks = asks;
    nodes.gravel = open_default(&bindings);
    nodes.node = gravel_node(nodes.gravel);
    nodes.n_nodes = gravel_n_nodes(nodes.gravel);
    nodes.is_one_process = gravel_is_local(nodes.gravel, nodes.n_nodes - 1) && nodes.node == 0;
    MUST(nodes.n_nodes <= HISTORY_NODES);
    nodes.layout.words = alloc_or_die(nodes.gravel, WORDS_BYTES);
    nodes.layout.flags = alloc_or_die(nodes.gravel, FLAGS_BYTES);
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

bool is_first_node(const struct nodes *nodes)
{
    return nodes->node == 0;
}

uint64_t nodes_sum(struct nodes *nodes, uint64_t number)
{
    OK(gravel_reduce(nodes->gravel, GRAVEL_ADD, GRAVEL_ULONG, &number, 1));
    return number;
}

/* ---- before ------------------------------------------------------------------------------------ */

static void reset_node(struct nodes *nodes, uint32_t node)
{
    char *words = map_or_die(nodes->gravel, node, nodes->layout.words, WORDS_BYTES,
                             CL_MAP_WRITE_INVALIDATE_REGION);
    memset(words, 0, WORDS_BYTES);
    for (uint32_t cell = 0; cell < HISTORY_CELLS; cell++) {
        const uint64_t first = cell_first(cell);
        memcpy(words + (uint64_t)cell * CELL_BYTES, &first, sizeof first);
    }
    unmap(nodes->gravel, words);
    fill(nodes->gravel, node, nodes->layout.flags, 0, FLAGS_BYTES);
    fill(nodes->gravel, node, nodes->layout.answered, 0, FLAGS_BYTES);
    fill(nodes->gravel, node, nodes->layout.answers, 0xa5, N_PLACES * 8);
    nodes->n_noted[node] = 0;
}

static void reset(struct nodes *nodes, struct history *history)
{
    for (uint32_t node = 0; node < nodes->n_nodes; node++)
        if (gravel_is_local(nodes->gravel, node))
            reset_node(nodes, node);
    for (uint32_t i = 0; i < history->n_events; i++)
        history->events[i].seen = history->events[i].n_seen = 0;
    memset(history->last, 0, sizeof history->last);
    nodes->running = history;
}

/* ---- while it happens -------------------------------------------------------------------------- */

static void send(struct nodes *nodes, const struct event *event)
{
    const uint64_t offset = cell_offset(&nodes->layout, event->cell);
    if (event->op == GRAVEL_PUT && event->step % 2)
        WORKS(nodes, gravel_put(nodes->gravel, offset, &event->value,
                                GRAVEL_TYPE_BYTES(event->type), event->node));
    else
        WORKS(nodes, gravel_update(nodes->gravel, event->op, event->type, offset,
                                   event->op == GRAVEL_INC ? NULL : &event->value, event->node));
}

static void send_to_handler(struct nodes *nodes, const struct event *event)
{
    const uint64_t index = event->cell * CELL_BYTES / GRAVEL_TYPE_BYTES(event->type);
    const uint64_t note_args[] = {(uint64_t)(event - nodes->running->events), event->cell};
    const uint64_t or_args[] = {nodes->layout.words, index, event->value};
    const uint64_t swap_args[] = {index, nodes->layout.words, event->value};
    if (event->op == GRAVEL_AM)
        WORKS(nodes, gravel_am(nodes->gravel, NOTE, note_args, 2, event->node));
    else if (event->op == GRAVEL_OR)
        WORKS(nodes, gravel_am(nodes->gravel, OR_WORD, or_args, 3, event->node));
    else
        WORKS(nodes, gravel_am(nodes->gravel, SWAP_WORD, swap_args, 3, event->node));
}

static void get(struct nodes *nodes, struct event *event)
{
    WORKS(nodes, gravel_get(nodes->gravel, cell_offset(&nodes->layout, event->cell), &event->seen,
                            GRAVEL_TYPE_BYTES(event->type), event->node));
    event->n_seen = 1;
}

/* The watch ends it if the flag does not come. */
static void poll(struct nodes *nodes, struct event *event)
{
    const uint32_t *flag =
        (const uint32_t *)(nodes->flags + (flag_of(&nodes->layout, event) - nodes->layout.flags));
    const uint32_t n_raised = count_raising(nodes->running, event);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < n_raised)
        sched_yield();
    event->seen =
        load(nodes->mapped[nodes->node] + (uint64_t)event->cell * CELL_BYTES, event->type);
    event->n_seen = 1;
}

static void host_does(struct nodes *nodes, struct event *event)
{
    if (event->op == HISTORY_FENCE)
        WORKS(nodes, gravel_fence(nodes->gravel));
    else if (event->op == HISTORY_QUIET)
        WORKS(nodes, gravel_quiet(nodes->gravel));
    else if (event->op == HISTORY_LOOK)
        poll(nodes, event);
    else if (event->op == GRAVEL_GET)
        get(nodes, event);
    else if (event->op == GRAVEL_AM || event->form == HISTORY_HANDLER)
        send_to_handler(nodes, event);
    else
        send(nodes, event);
}

static void play_part(struct nodes *nodes, uint32_t group, uint32_t launch)
{
    struct history *history = nodes->running;
    for (uint32_t i = 0; i < history->n_events; i++) {
        struct event *event = &history->events[i];
        if (event->origin == nodes->node && event->group == group && event->launch == launch)
            host_does(nodes, event);
    }
}

static void *play_thread(void *nodes)
{
    play_part(nodes, HISTORY_THREAD, 0);
    return NULL;
}

static void play(struct nodes *nodes, const struct history *history)
{
    pthread_t thread;
    MUST(!pthread_create(&thread, NULL, play_thread, nodes));
    for (uint32_t at = 0; at <= history->n_launches; at++) {
        play_part(nodes, HISTORY_HOST, at);
        if (at < history->n_launches)
            run_launch(nodes, at);
    }
    MUST(!pthread_join(thread, NULL));
}

/* ---- behind ------------------------------------------------------------------------------------ */

static bool is_answered(const struct event *event)
{
    return event->op >= GRAVEL_FETCH && event->op < HISTORY_LOOK;
}

static void read_launch(struct nodes *nodes, struct history *history, uint32_t launch)
{
    static cl_ulong seen[HISTORY_GROUPS * PLACES_OF_GROUP];
    const char *answers = read_map(nodes->gravel, nodes->node, nodes->layout.answers, N_PLACES * 8);
    MUST(clEnqueueReadBuffer(gravel_cl_queue(nodes->gravel), nodes->seen[launch], CL_TRUE, 0,
                             sizeof seen, seen, 0, NULL, NULL) == CL_SUCCESS);
    for (uint32_t i = 0; i < history->n_events; i++) {
        struct event *event = &history->events[i];
        const uint32_t place = place_of(event, event->step);
        if (event->origin != nodes->node || event->launch != launch || !is_of_kernel(event))
            continue;
        if (is_answered(event))
            event->seen = load(answers + 8 * (uint64_t)place, event->type);
        else if (event->op == HISTORY_LOOK || event->op == HISTORY_COLLECT)
            event->seen = seen[place - launch * HISTORY_GROUPS * PLACES_OF_GROUP];
        else
            continue;
        event->n_seen = 1;
    }
    unmap(nodes->gravel, answers);
}

static void read_node(struct nodes *nodes, struct history *history, uint32_t node)
{
    const char *words = read_map(nodes->gravel, node, nodes->layout.words, WORDS_BYTES);
    for (uint32_t cell = 0; cell < HISTORY_LOG; cell++)
        history->last[node][cell] =
            load(words + (uint64_t)cell * CELL_BYTES, history_cells[cell].type);
    history->last[node][HISTORY_LOG] = nodes->n_noted[node];
    unmap(nodes->gravel, words);
}

/* What is 0 but at the rank that knows it. */
static void share(struct nodes *nodes, uint64_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 64)
        WORKS(nodes, gravel_reduce(nodes->gravel, GRAVEL_ADD, GRAVEL_ULONG, words + i,
                                   n - i < 64 ? n - i : 64));
}

static void share_all(struct nodes *nodes, struct history *history)
{
    static uint64_t words[2 * HISTORY_EVENTS];
    for (uint32_t i = 0; i < history->n_events; i++) {
        words[2 * i] = history->events[i].seen;
        words[2 * i + 1] = history->events[i].n_seen;
    }
    share(nodes, words, 2 * history->n_events);
    for (uint32_t i = 0; i < history->n_events; i++) {
        history->events[i].seen = words[2 * i];
        history->events[i].n_seen = (uint32_t)words[2 * i + 1];
    }
    share(nodes, &history->last[0][0], HISTORY_NODES * HISTORY_CELLS);
}

void nodes_run(struct history *history, void *user)
{
    static char text[64];
    struct nodes *nodes = user;
    snprintf(text, sizeof text, "history %" PRIu64, history->seed);
    watch(60, text);
    reset(nodes, history);
    for (uint32_t at = 0; at < history->n_launches; at++)
        prepare_launch(nodes, history, at);
    WORKS(nodes, gravel_barrier(nodes->gravel));
    play(nodes, history);
    WORKS(nodes, gravel_barrier(nodes->gravel));
    for (uint32_t at = 0; at < history->n_launches; at++)
        read_launch(nodes, history, at);
    for (uint32_t node = 0; node < nodes->n_nodes; node++)
        if (gravel_is_local(nodes->gravel, node))
            read_node(nodes, history, node);
    if (!nodes->is_one_process)
        share_all(nodes, history);
}
