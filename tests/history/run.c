/* SPDX-License-Identifier: MIT */
/*
 * Lets a history happen: words and flags as at the start, a barrier, launches and what the host does in between, a barrier.
 *
 * Path: generate.c -> this (table.c, interpret.cl) -> observe.c
 */
#include "nodes.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* ---- before ------------------------------------------------------------------------------------ */

static void reset_node(struct nodes *nodes, uint32_t node)
{
    char *words = map_or_die(nodes->gravel, node, nodes->layout.words, WORDS_BYTES,
                             CL_MAP_WRITE_INVALIDATE_REGION);
    memset(words, 0, WORDS_BYTES);
    for (uint32_t cell = 0; cell < HISTORY_CELLS; cell++) {
        const uint64_t first = cell_first(cell);
        memcpy(words + CELL_AT(cell), &first, sizeof first);
    }
    unmap(nodes->gravel, words);
    fill(nodes->gravel, node, nodes->layout.flags, 0, FLAGS_BYTES);
    fill(nodes->gravel, node, nodes->layout.answered, 0, FLAGS_BYTES);
    fill(nodes->gravel, node, nodes->layout.answers, 0xa5, N_PLACES * 8);
    nodes->n_noted[node] = nodes->n_recorded[node] = 0;
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
    nodes->n_sessions = 0;
    if (nodes->most)
        WORKS(nodes, gravel_accumulator_reset(nodes->most));
}

static void write_buffer(struct nodes *nodes, cl_mem buffer, const void *data, size_t bytes)
{
    MUST(clEnqueueWriteBuffer(gravel_cl_queue(nodes->gravel), buffer, CL_TRUE, 0, bytes, data, 0,
                              NULL, NULL) == CL_SUCCESS);
}

void prepare_launch(struct nodes *nodes, const struct history *history, uint32_t launch)
{
    static struct table table;
    table_fill(&table, &nodes->layout, history, nodes->node, launch);
    write_buffer(nodes, nodes->calls[launch], table.calls, sizeof table.calls);
    write_buffer(nodes, nodes->items[launch], table.items, sizeof table.items);
}

void run_launch(struct nodes *nodes, uint32_t launch)
{
    const size_t global_size = HISTORY_GROUPS * HISTORY_ITEMS, local_size = HISTORY_ITEMS;
    WORKS(nodes, gravel_launch(nodes->gravel, nodes->kernels[launch], 1, &global_size, &local_size,
                               0, NULL, NULL));
}

/* A launch of all ranks, and whether rounds have counted all its calls. Behind a barrier: words are its own until it ends. */
static void run_rounds(struct nodes *nodes, uint32_t launch)
{
    const cl_ulong answered = nodes->layout.answered + 4 * launch * HISTORY_GROUPS;
    struct gravel_rounds_ended ended;
    uint64_t sums[HISTORY_ROUNDS];
    MUST(!clSetKernelArg(nodes->kernels[launch], 4, sizeof(cl_mem), &nodes->calls[launch]) &&
         !clSetKernelArg(nodes->kernels[launch], 5, sizeof(cl_mem), &nodes->items[launch]) &&
         !clSetKernelArg(nodes->kernels[launch], 6, sizeof(cl_mem), &nodes->seen[launch]) &&
         !clSetKernelArg(nodes->kernels[launch], 7, sizeof answered, &answered));
    WORKS(nodes, gravel_barrier(nodes->gravel));
    WORKS(nodes, gravel_rounds_run(nodes->rounds, GRAVEL_UNTIL_MOST, HISTORY_ROUNDS, &ended,
                                   sizeof ended));
    MUST(!clEnqueueReadBuffer(gravel_cl_queue(nodes->gravel), nodes->seen[launch], CL_TRUE,
                              HISTORY_SUMS * sizeof *sums, sizeof sums, sums, 0, NULL, NULL));
    sums[HISTORY_ROUNDS - 1] = ended.sum;
    for (uint32_t i = 0; i < nodes->running->n_events; i++) {
        const struct event *event = &nodes->running->events[i];
        if (is_of_phase(event) && event->launch == launch)
            sums[event->step / HISTORY_PHASES]--;
    }
    for (uint32_t round = 0; round < HISTORY_ROUNDS; round++)
        if (sums[round])
            die(__FILE__, __LINE__,
                "history %" PRIu64 ": round %u of launch %u counts %" PRId64 " too many",
                nodes->running->seed, round, launch, sums[round]);
}

/* ---- while it happens -------------------------------------------------------------------------- */

/* With some bytes before and behind, so that it begins anywhere in a word of 8. */
static void put_bytes(struct nodes *nodes, const struct event *event)
{
    const uint64_t n_around = event->step, n = GRAVEL_TYPE_BYTES(event->type);
    char bytes[8 + 2 * HISTORY_STEPS] = {0};
    memcpy(bytes + n_around, &event->value, n);
    WORKS(nodes, gravel_put(nodes->gravel, cell_offset(&nodes->layout, event->cell) - n_around,
                            bytes, n + 2 * n_around, event->node));
}

static void send(struct nodes *nodes, const struct event *event)
{
    if (event->op == GRAVEL_PUT && event->step % 2)
        put_bytes(nodes, event);
    else
        WORKS(nodes, gravel_update(nodes->gravel, event->op, event->type,
                                   cell_offset(&nodes->layout, event->cell),
                                   event->op == GRAVEL_INC ? NULL : &event->value, event->node));
}

static void send_to_handler(struct nodes *nodes, const struct event *event)
{
    const uint64_t index = CELL_AT(event->cell) / GRAVEL_TYPE_BYTES(event->type);
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

static void get_bytes(struct nodes *nodes, struct event *event)
{
    const uint64_t n_around = event->step, n = GRAVEL_TYPE_BYTES(event->type);
    char bytes[8 + 2 * HISTORY_STEPS];
    WORKS(nodes, gravel_get(nodes->gravel, cell_offset(&nodes->layout, event->cell) - n_around,
                            bytes, n + 2 * n_around, event->node));
    memcpy(&event->seen, bytes + n_around, n);
    event->n_seen = 1;
}

static void begin_or_end_session(struct nodes *nodes, bool begins)
{
    if (begins)
        WORKS(nodes, gravel_session_begin(nodes->gravel));
    else if (nodes->n_sessions)
        WORKS(nodes, gravel_session_end(nodes->gravel));
    nodes->n_sessions += begins ? 1 : nodes->n_sessions ? UINT32_MAX : 0;
}

/* In which a flag that a kernel waits for leaves late. */
static void end_sessions(struct nodes *nodes)
{
    while (nodes->n_sessions)
        begin_or_end_session(nodes, false);
}

#define POLLED_S 2.0 /* after which a fence tells whether a node has failed */

/* The watch ends it if the flag does not come. */
static void poll(struct nodes *nodes, struct event *event)
{
    const uint32_t *flag =
        (const uint32_t *)(nodes->flags + (flag_of(&nodes->layout, event) - nodes->layout.flags));
    const uint32_t n_raised = n_raising(nodes->running, event);
    end_sessions(nodes);
    for (double begin = seconds_now(); __atomic_load_n(flag, __ATOMIC_ACQUIRE) < n_raised;) {
        sched_yield();
        if (seconds_now() - begin < POLLED_S)
            continue;
        WORKS(nodes, gravel_fence(nodes->gravel));
        begin = seconds_now();
    }
    event->seen = load_word(nodes->mapped[nodes->node] + CELL_AT(event->cell), event->type);
    event->n_seen = 1;
}

static void flush(struct nodes *nodes, const struct event *event)
{
    struct gravel_accumulator *accumulator = event->value & 1 ? nodes->most : nodes->total;
    if (!accumulator)
        return;
    if (event->value & 2)
        WORKS(nodes, gravel_accumulator_begin(accumulator));
    else
        WORKS(nodes, gravel_accumulator_flush(accumulator));
}

static void sum(struct nodes *nodes, struct event *event)
{
    WORKS(nodes, gravel_barrier_sum(nodes->gravel, cell_offset(&nodes->layout, HISTORY_COUNTER), 1,
                                    NULL, &event->seen));
    event->n_seen = 1;
}

/* What the copy of the word is then. Behind a barrier, for no kernel changes words that a mirror sends. */
static void share_mirrors(struct nodes *nodes, struct event *event)
{
    WORKS(nodes, gravel_barrier(nodes->gravel));
    WORKS(nodes, gravel_mirror_share(nodes->slots));
    WORKS(nodes, gravel_mirror_share(nodes->copies));
    WORKS(nodes, gravel_quiet(nodes->gravel));
    event->seen = word32(nodes->gravel, nodes->node,
                         gravel_mirror_offset(nodes->copies) + sizeof(cl_uint) * event->node);
    event->n_seen = 1;
}

static void host_does(struct nodes *nodes, struct event *event)
{
    if (event->op == HISTORY_FENCE || event->op == HISTORY_QUIET)
        end_sessions(nodes); /* whose kernels it waits for */
    if (event->op == HISTORY_FENCE)
        WORKS(nodes, gravel_fence(nodes->gravel));
    else if (event->op == HISTORY_QUIET)
        WORKS(nodes, gravel_quiet(nodes->gravel));
    else if (event->op == HISTORY_FLUSH)
        flush(nodes, event);
    else if (event->op == HISTORY_SESSION)
        begin_or_end_session(nodes, event->value & 1);
    else if (event->op == HISTORY_BARRIER)
        WORKS(nodes, gravel_barrier(nodes->gravel));
    else if (event->op == HISTORY_SUM)
        sum(nodes, event);
    else if (event->op == HISTORY_SHARE)
        share_mirrors(nodes, event);
    else if (event->op == HISTORY_LOOK)
        poll(nodes, event);
    else if (event->op == GRAVEL_GET)
        get_bytes(nodes, event);
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
        if ((event->group == HISTORY_JOINT
                 ? group == HISTORY_HOST
                 : event->origin == nodes->node && event->group == group) &&
            event->launch == launch)
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
        if (at < history->n_launches && !nodes->rounds)
            run_launch(nodes, at);
        end_sessions(nodes);
        if (at < history->n_launches && nodes->rounds)
            run_rounds(nodes, at);
    }
    MUST(!pthread_join(thread, NULL));
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
    WORKS(nodes, gravel_mirror_share(nodes->slots));
    WORKS(nodes, gravel_barrier(nodes->gravel));
    observe(nodes, history);
}
