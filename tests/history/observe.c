/* SPDX-License-Identifier: MIT */
/*
 * What was seen: by handlers while a history runs; then each rank reads what its part saw, and all ranks get all of it.
 *
 * Path:    interpret.cl, run.c -> this -> check.c
 * Threads: note() in the network thread, until the run's last barrier.
 */
#include "nodes.h"

uint64_t load_word(const char *word, uint32_t type)
{
    return type == GRAVEL_UINT ? __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE)
                               : __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

int note(struct gravel *gravel, void *user, uint32_t source,
         const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    struct nodes *nodes = user;
    const uint32_t node = gravel_node(gravel), cell = (uint32_t)args[1];
    (void)source;
    MUST(args[0] < nodes->running->n_events && args[1] < HISTORY_CELLS);
    struct event *event = &nodes->running->events[args[0]];
    MUST(event->op == GRAVEL_AM && event->node == node && event->cell == cell);
    event->n_seen++;
    event->seen = cell == HISTORY_LOG
                      ? nodes->n_noted[node]++
                      : load_word(nodes->mapped[node] + CELL_AT(cell), history_cells[cell].type);
    return 0;
}

int take_records(struct gravel *gravel, void *user, uint32_t source, const void *records,
                 uint32_t n)
{
    struct nodes *nodes = user;
    const uint32_t *numbers = records;
    (void)gravel, (void)source;
    for (uint32_t i = 0; i < n; i++) {
        MUST(numbers[i] < nodes->running->n_events);
        struct event *event = &nodes->running->events[numbers[i]];
        MUST(event->op == GRAVEL_APPEND);
        event->n_seen++;
        event->seen = nodes->n_recorded[event->node]++;
    }
    return 0;
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
        if (is_request(event))
            event->seen = load_word(answers + 8 * (uint64_t)place, event->type);
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
    for (uint32_t cell = 0; cell < HISTORY_RECORDS; cell++)
        history->last[node][cell] = load_word(words + CELL_AT(cell), history_cells[cell].type);
    history->last[node][HISTORY_LOG] = nodes->n_noted[node];
    history->last[node][HISTORY_RECORDS] = nodes->n_recorded[node];
    unmap(nodes->gravel, words);
}

/* Of what all ranks have seen: one number, if it is. */
static void agree(struct event *event, uint32_t n_ranks)
{
    event->n_seen = event->n_seen == n_ranks && event->seen % n_ranks == 0 ? 1 : 2;
    event->seen /= n_ranks;
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
        if (is_joint(&history->events[i]) && is_seeing(&history->events[i]))
            agree(&history->events[i], nodes->n_nodes);
    }
    share(nodes, &history->last[0][0], HISTORY_NODES * HISTORY_CELLS);
}

void observe(struct nodes *nodes, struct history *history)
{
    for (uint32_t launch = 0; launch < history->n_launches; launch++)
        read_launch(nodes, history, launch);
    for (uint32_t node = 0; node < nodes->n_nodes; node++)
        if (gravel_is_local(nodes->gravel, node))
            read_node(nodes, history, node);
    if (!nodes->is_one_process)
        share_all(nodes, history);
}
