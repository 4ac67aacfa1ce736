/* SPDX-License-Identifier: MIT */
/*
 * The ledger of flows: random graphs whose elements are numbered and booked. None may be lost, doubled or torn, and
 * continuations must have all that was returned to them.
 *
 * An element has fuel, the number of elements that it and all that it leads to may be. It books its number, and splits
 * the rest among as many elements as its edges declare, by its number's hash; what finds no edge is dropped, and counted.
 * So processed, taken and dropped make what was pushed. Tasks and continuations add 1 to the next continuation above,
 * and what reaches the caller's slot is their number.
 *
 * usage: flow_ledger SEED GRAPHS ELEMENTS WIDTH SCHEDULER...
 *        GRAPHS graphs, ELEMENTS (up to 4e9) of each with each scheduler, booked in parts of ten million;
 *        WIDTH 1: as narrow as a graph can be. For a night: flow_ledger 2 1 1e9 4096 host lone resident;
 *        lone is resident of one group
 * exit:  0; 1 with the seed of the graph, and what was wrong
 *
 * Path:    flow_program.h -> this -> lib/flow, whose counts begin near 2^32.
 * Source:  checkers of queues by history (Jepsen).
 */
#include "flow_program.h"

#include "flow/flow.h"
#include "layout/choose.h"
#include "node/node.h"
#include "opencl/objects.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NEXT, BAD, DROPPED, IN_STACKS, N_COUNTS };
#define TAKEN 64u              /* elements of an output at a time */
#define MOST_FUEL 5000u        /* of an element that is pushed */
#define MORE_ELEMENTS 1000000u /* that a last push may lead to */
#define PART 10000000u         /* elements of one set of books */

struct ledger {
    struct gravel *gravel;
    struct gravel_flow *flow;
    struct random_graph random;
    uint64_t seed, state; /* state: of what else is random */
    cl_mem marks;         /* [n_elements] how often each number was booked */
    cl_mem counts;
    uint32_t n_wanted;   /* a part ends when so many have been made */
    uint32_t n_elements; /* that there may be in it, by their fuel */
    uint32_t n_left;     /* of them, those that no element was given fuel for yet */
    uint64_t n_pushed;   /* fuel of what was pushed in it */
    uint32_t *taken;     /* [n_elements] as marks, of outputs */
};

_Noreturn static void fail(const struct ledger *ledger, const char *what, uint64_t got,
                           uint64_t expected)
{
    printf("seed %" PRIu64 ": %s: %" PRIu64 ", expected %" PRIu64 "\n", ledger->seed, what, got,
           expected);
    exit(1);
}

static void expect(const struct ledger *ledger, const char *what, uint64_t got, uint64_t expected)
{
    if (got != expected)
        fail(ledger, what, got, expected);
}

/* ---- what the host pushes and takes ------------------------------------------------------------ */

static uint32_t check_of(uint32_t number, uint32_t channel)
{
    const uint32_t x = (number ^ (channel * 64 + 1) * 0x9e3779b9u) * 0x85ebca6bu;
    return (x ^ x >> 15) * 0xc2b2ae35u;
}

static void copy_counts(struct ledger *ledger, uint32_t counts[N_COUNTS], bool to_device)
{
    cl_command_queue queue = ledger->gravel->device.queue;
    cl_int error = to_device
                       ? clEnqueueWriteBuffer(queue, ledger->counts, CL_TRUE, 0,
                                              N_COUNTS * sizeof *counts, counts, 0, NULL, NULL)
                       : clEnqueueReadBuffer(queue, ledger->counts, CL_TRUE, 0,
                                             N_COUNTS * sizeof *counts, counts, 0, NULL, NULL);
    expect(ledger, "copy of the counts", (uint64_t)(int64_t)error, CL_SUCCESS);
}

/* Elements for a channel, as many as it has room for and fuel is left. @param next  [in, out] their numbers. */
static void push(struct ledger *ledger, uint32_t c, uint32_t *next)
{
    const struct gravel_channel *channel = &ledger->random.channels[c];
    uint32_t at = gravel_flow_graph_find(&ledger->flow->graph, channel->name),
             words = n_words(&ledger->random, c);
    uint32_t n = ledger->flow->graph.channels[at].width - ledger->flow->graph.channels[at].reserve;
    uint32_t *records = malloc((size_t)n * channel->record_bytes), n_made = 0;
    for (; n_made < n && ledger->n_left; n_made++) {
        uint32_t left = ledger->n_left, *record = records + n_made * words;
        uint32_t fuel = 1 + random_below(&ledger->state, left < MOST_FUEL ? left : MOST_FUEL);
        record[0] = *next;
        record[1] = check_of((*next)++, c);
        record[2] = fuel;
        record[3] = record[4] = 0; /* a result goes to the caller's first word */
        for (uint32_t i = ELEMENT_WORDS; i < words; i++)
            record[i] = record[1] + i;
        ledger->n_left -= fuel;
        ledger->n_pushed += fuel;
    }
    OK(gravel_flow_push(ledger->flow, channel->name, records, n_made));
    free(records);
}

/* @return how many there were; of each the fuel that it did not use is dropped. */
static uint32_t take(struct ledger *ledger, uint32_t c, uint64_t *n_dropped)
{
    uint32_t records[TAKEN * MOST_WORDS], n = 0, n_all = 0, words = n_words(&ledger->random, c);
    do {
        OK(gravel_flow_take(ledger->flow, ledger->random.names[c], records, TAKEN, &n));
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *record = records + i * words;
            if (record[0] >= ledger->n_elements || record[1] != check_of(record[0], c))
                fail(ledger, "an output's number", record[0], ledger->n_elements);
            ledger->taken[record[0]]++;
            *n_dropped += record[2] - 1;
        }
        n_all += n;
    } while (n);
    return n_all;
}

static uint32_t take_all(struct ledger *ledger, uint64_t *n_dropped)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < ledger->random.graph.n_channels; c++)
        if (kind_of(&ledger->random, c) == GRAVEL_OUTPUT)
            n += take(ledger, c, n_dropped);
    return n;
}

/* ---- books --------------------------------------------------------------------------------------- */

/* Each number that was given, once: by its node, or from an output. */
static void check_books(struct ledger *ledger, const uint32_t counts[N_COUNTS])
{
    uint32_t *marks = calloc(ledger->n_elements, sizeof *marks);
    cl_int error = clEnqueueReadBuffer(ledger->gravel->device.queue, ledger->marks, CL_TRUE, 0,
                                       ledger->n_elements * sizeof *marks, marks, 0, NULL, NULL);
    expect(ledger, "copy of the books", (uint64_t)(int64_t)error, CL_SUCCESS);
    for (uint32_t i = 0; i < ledger->n_elements; i++)
        if (marks[i] + ledger->taken[i] != (i < counts[NEXT])) {
            printf("element %u: ", i);
            fail(ledger, "booked so many times", marks[i] + ledger->taken[i], i < counts[NEXT]);
        }
    free(marks);
}

static void check_layers(struct ledger *ledger)
{
    const struct gravelp_view view = ledger->flow->view;
    for (uint32_t layer = 0; layer < view.flow->n_layers; layer++)
        expect(ledger, "elements left in a layer", gravelp_view_used(view, layer), 0);
}

static void run_all(struct ledger *ledger)
{
    uint32_t counts[N_COUNTS] = {0};
    const uint32_t zeros[GRAVEL_RESULT_WORDS] = {0};
    uint64_t n_dropped = 0;
    uint32_t result;
    OK(gravel_flow_memory_write(ledger->flow, 0, zeros, GRAVEL_RESULT_WORDS));
    while (counts[NEXT] < ledger->n_wanted) {
        ledger->n_left = ledger->n_elements - counts[NEXT];
        for (uint32_t c = 0; c < ledger->random.graph.n_channels; c++)
            if (kind_of(&ledger->random, c) == GRAVEL_STREAM ||
                kind_of(&ledger->random, c) == GRAVEL_SPAWN)
                push(ledger, c, &counts[NEXT]);
        copy_counts(ledger, counts, true);
        int code;
        while ((code = gravel_flow_run(ledger->flow)) == GRAVEL_ESTUCK)
            if (take_all(ledger, &n_dropped) == 0)
                OK(code);
        OK(code);
        take_all(ledger, &n_dropped);
        copy_counts(ledger, counts, false);
    }
    expect(ledger, "torn elements", counts[BAD], 0);
    expect(ledger, "elements, and fuel that was dropped",
           (uint32_t)(counts[NEXT] + counts[DROPPED] + n_dropped), (uint32_t)ledger->n_pushed);
    OK(gravel_flow_memory_read(ledger->flow, 0, &result, 1));
    expect(ledger, "tasks and continuations that returned", result, counts[IN_STACKS]);
    check_books(ledger, counts);
    check_layers(ledger);
    printf("seed %" PRIu64 ", %u channels: %u elements, %u in stacks, %" PRIu64 " rounds, %" PRIu64
           " launches, by %s\n",
           ledger->seed, ledger->random.graph.n_channels, counts[NEXT], counts[IN_STACKS],
           ledger->flow->stats.rounds, ledger->flow->stats.launches,
           gravel_scheduler_name(ledger->flow->scheduling.scheduler));
}

/* ---- a graph -------------------------------------------------------------------------------------- */

static bool has_edge(const struct random_graph *random, uint32_t from, uint32_t into,
                     uint32_t least)
{
    const struct gravel_channel *channel = &random->channels[from];
    for (uint32_t e = 0; e < channel->n_into; e++)
        if (strcmp(channel->into[e].into, random->names[into]) == 0)
            return channel->into[e].at_most >= least;
    return false;
}

/* With recursion and joins to check, and no more edges than a program is worth its compiler's time. */
static bool is_worth_it(const struct random_graph *random)
{
    uint32_t n = random->graph.n_channels, n_edges = 0;
    bool has_recursion = false, has_join = false;
    for (uint32_t c = 0; c < n; c++) {
        bool is_task = random->channels[c].kind == GRAVEL_SPAWN;
        n_edges += random->channels[c].n_into;
        has_recursion |= is_task && has_edge(random, c, c, 2);
        for (uint32_t into = 0; into < n; into++)
            has_join |= is_task && random->channels[into].kind == GRAVEL_AFTER &&
                        has_edge(random, c, into, 1);
    }
    return has_join && has_recursion && n_edges < 12 && random->graph.depth > 3;
}

/* A held channel begins a few laps before its counts wrap, with the done counts of all laps before. */
static void begin_held_late(struct gravelp_view view, uint32_t c, uint64_t *seed)
{
    const struct gravelp_channel *channel = &view.channels[c];
    uint32_t begin = 0u - channel->width * (1 + random_below(seed, 3));
    uint32_t lap = begin / channel->width, span = gravelp_held_span(channel->width);
    view.heads[c] = view.tails[c] = begin;
    view.taken[c] = view.enqueued[c] = 0u - random_below(seed, 40);
    for (uint32_t i = 0; i < gravelp_held_n_done(channel->width); i++)
        view.done[channel->done + i] = (lap + (i % 2 == 0)) / 2 * span;
}

/* Heads, tails and done counts are as billions of elements have left them. Where the host has a mirror of the flow's memory,
 * they are written back. */
static void begin_late(struct ledger *ledger)
{
    const struct gravel_flow *flow = ledger->flow;
    const struct gravelp_flow *header = &flow->layout.header;
    const struct gravelp_view view = flow->view;
    for (uint32_t layer = 0; layer < view.flow->n_layers; layer++)
        view.heads[layer] = view.tails[layer] = 0u - random_below(&ledger->state, 40);
    for (uint32_t c = 0; c < view.flow->n_flat; c++)
        if (view.channels[c].kind == GRAVEL_HELD)
            begin_held_late(view, c, &ledger->state);
    if (!flow->region.shared)
        OK(gravel_region_write(&flow->region, 4 * (uint64_t)header->fault_at,
                               gravelp_flow_faults(flow->view.flow),
                               4 * (uint64_t)(header->heads_at - header->fault_at)));
}

/* Of a buffer of words. */
static cl_mem create(struct ledger *ledger, size_t n)
{
    cl_mem buffer;
    OK(gravel_cl_buffer_create(&ledger->gravel->device, "ledger", n * sizeof(cl_uint), &buffer));
    return buffer;
}

/* New books: no element has been booked. */
static void open_books(struct ledger *ledger)
{
    const cl_uint zero = 0;
    cl_int error =
        clEnqueueFillBuffer(ledger->gravel->device.queue, ledger->marks, &zero, sizeof zero, 0,
                            ledger->n_elements * sizeof zero, 0, NULL, NULL);
    expect(ledger, "fill of the books", (uint64_t)(int64_t)error, CL_SUCCESS);
    memset(ledger->taken, 0, ledger->n_elements * sizeof *ledger->taken);
    ledger->n_pushed = 0;
}

static void open_flow(struct ledger *ledger)
{
    const cl_uint n = ledger->n_elements;
    char *text = flow_program_write(&ledger->random, ledger->seed);
    ledger->random.graph.group_items = 3 + random_below(&ledger->state, 30);
    OK(gravel_flow_create(&ledger->flow, ledger->gravel, &ledger->random.graph));
    OK(gravel_flow_build(ledger->flow, "ledger.cl", text, NULL, "ledger"));
    ledger->counts = create(ledger, N_COUNTS);
    ledger->marks = create(ledger, n);
    ledger->taken = malloc(n * sizeof *ledger->taken);
    OK(gravel_flow_set_argument(ledger->flow, 2, sizeof ledger->counts, &ledger->counts));
    OK(gravel_flow_set_argument(ledger->flow, 3, sizeof ledger->marks, &ledger->marks));
    OK(gravel_flow_set_argument(ledger->flow, 4, sizeof n, &n));
    begin_late(ledger);
    free(text);
}

static void play(struct gravel *gravel, uint64_t seed, uint32_t n_elements)
{
    struct ledger ledger = {.gravel = gravel,
                            .seed = seed,
                            .state = seed,
                            .n_elements = (n_elements < PART ? n_elements : PART) + MORE_ELEMENTS};
    random_graph_make(&ledger.random, seed);
    random_holds(&ledger.random, seed);
    for (uint32_t c = 0; c < ledger.random.graph.n_channels; c++)
        ledger.random.channels[c].record_bytes =
            4 * (ELEMENT_WORDS + random_below(&ledger.state, MOST_WORDS - ELEMENT_WORDS + 1));
    open_flow(&ledger);
    for (uint32_t left = n_elements; left; left -= ledger.n_wanted) {
        ledger.n_wanted = left < PART ? left : PART;
        open_books(&ledger);
        run_all(&ledger);
    }
    OK(gravel_flow_destroy(ledger.flow));
    gravel_cl_buffer_release(ledger.counts);
    gravel_cl_buffer_release(ledger.marks);
    free(ledger.taken);
}

static struct gravel *open_scheduled(const char *scheduler, uint32_t width)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    const bool is_lone = strcmp(scheduler, "lone") == 0;
    snprintf(config.scheduler, sizeof config.scheduler, "%s", is_lone ? "resident" : scheduler);
    config.flow_groups = is_lone;
    config.flow_width = width;
    OK(gravel_open(&gravel, &config, NULL));
    return gravel;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: flow_ledger SEED GRAPHS ELEMENTS WIDTH SCHEDULER...\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    uint32_t n_graphs = (uint32_t)atoi(argv[2]), n_elements = (uint32_t)atof(argv[3]);
    for (; n_graphs; seed++) {
        struct random_graph random;
        random_graph_make(&random, seed);
        if (!is_worth_it(&random))
            continue;
        n_graphs--;
        for (int i = 5; i < argc; i++) {
            struct gravel *gravel = open_scheduled(argv[i], (uint32_t)atoi(argv[4]));
            play(gravel, seed, n_elements);
            OK(gravel_close(gravel));
        }
    }
    return 0;
}
