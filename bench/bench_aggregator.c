/* SPDX-License-Identifier: MIT */
/*
 * Messages per second that one aggregator thread bins into node buffers, by number of destinations, beside a
 * consumer that only adds up the packages' words.
 *
 * One thread writes packages of 256 active messages with four arguments (32 bytes on the wire, 36 in the slot)
 * into a queue, as kernels do; the other takes them, on another core. Buffers that would travel come home at
 * once. Every run checks how many messages each destination got and the sum of all their arguments.
 *
 *     bench-aggregator [--destinations 2,8,24] [--runs 5] [--json]
 *
 * Path:    producer -> lib/memory/package.h -> lib/aggregate/sender.c -> checked and thrown away.
 * Source:  Orr 2016, section 5.2.2.
 */
#include "bench.h"
#include "bench_thread.h"
#include "aggregate/sender.h"
#include "base/clock.h"

#include <argp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SLOTS 512u
#define COLUMNS 256u
#define N_PACKAGES (1u << 14)
#define COMMAND GRAVELP_COMMAND_AM(0, 4)
#define SLOT_BYTES (GRAVELP_NODE_ROW + COLUMNS * GRAVELP_COLUMN_BYTES(COMMAND))
#define BUFFER_BYTES 65536u
#define MAX_DESTINATIONS 4096u

struct bench {
    struct bench_options options;
    uint32_t destinations[BENCH_MAX_LIST]; /* 0: only add up */
    uint32_t n_cases;
    uint32_t n_destinations; /* of the run */
    struct gravelp_queue_words *words;
    unsigned char *slots;
    struct gravel_package_queue queue;
    uint64_t *received; /* [MAX_DESTINATIONS] */
    uint64_t sum;       /* of all arguments received */
};

static uint32_t destination_of(uint64_t message, uint32_t n)
{
    return n ? (uint32_t)((message * 0x9e3779b97f4a7c15u >> 32) * n >> 32) : 0;
}

static void write_package(unsigned char *slot, uint64_t first, uint32_t n_destinations)
{
    uint32_t *nodes = (uint32_t *)(slot + GRAVELP_NODE_ROW);
    for (uint32_t i = 0; i < COLUMNS; i++)
        nodes[i] = destination_of(first + i, n_destinations);
    for (uint32_t row = 0; row < 4; row++) {
        uint64_t *values = (uint64_t *)(slot + GRAVELP_VALUE_ROW(COMMAND, COLUMNS, row));
        for (uint32_t i = 0; i < COLUMNS; i++)
            values[i] = first + i + row;
    }
}

static void *produce(void *argument)
{
    struct bench *bench = argument;
    struct bench_wait_state wait = {0};
    bench_pin(0);
    for (uint32_t t = 0; t < N_PACKAGES;) {
        uint32_t consumed =
            gravel_word_load(&bench->words->consumed, memory_order_acquire); /* P1 */
        if (t - consumed >= N_SLOTS) {
            bench_wait(&wait, "room in the queue");
            continue;
        }
        wait = (struct bench_wait_state){0};
        unsigned char *slot = bench->slots + (size_t)(t % N_SLOTS) * SLOT_BYTES;
        struct gravelp_package *package = (struct gravelp_package *)slot;
        write_package(slot, (uint64_t)t * COLUMNS, bench->n_destinations);
        package->command = COMMAND;
        package->n_messages = package->stride = COLUMNS;
        gravel_word_store(&package->published, ++t, memory_order_release); /* P2 */
    }
    return NULL;
}

/* A buffer would travel now: look at what is in it, and send it home. */
static void receive(void *context, struct gravel_buffer *buffer)
{
    struct bench *bench = context;
    const struct gravel_frame *frame = buffer->frame;
    bench->received[frame->destination] += frame->n_messages;
    gravel_pool_return(buffer);
}

/* As above, every word of it. */
static void receive_and_add(void *context, struct gravel_buffer *buffer)
{
    struct bench *bench = context;
    const unsigned char *at = (const unsigned char *)(buffer->frame + 1);
    const unsigned char *end = (const unsigned char *)buffer->frame + buffer->frame->bytes;
    while (at < end) {
        const struct gravel_run *run = (const struct gravel_run *)at;
        const uint64_t *values =
            (const uint64_t *)(at + GRAVEL_RUN_VALUES(COMMAND, run->n_messages, 0));
        for (uint32_t i = 0; i < 4 * run->n_messages; i++)
            bench->sum += values[i];
        at += GRAVEL_RUN_BYTES(run->command, run->n_messages);
    }
    receive(context, buffer);
}

static void add_up(struct bench *bench, const struct gravelp_package *package)
{
    const uint64_t *values =
        (const uint64_t *)((const unsigned char *)package + GRAVELP_VALUE_ROW(COMMAND, COLUMNS, 0));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4 * COLUMNS; i++)
        sum += values[i];
    bench->sum += sum;
    bench->received[0] += package->n_messages;
}

static void bin(struct gravel_sender *sender, const struct gravelp_package *package)
{
    const unsigned char *slot = (const unsigned char *)package;
    struct gravel_columns columns = {.key.command = package->command,
                                     .n = package->n_messages,
                                     .nodes = (const uint32_t *)(slot + GRAVELP_NODE_ROW)};
    for (uint32_t row = 0; row < 4; row++)
        columns.values[row] = slot + GRAVELP_VALUE_ROW(COMMAND, COLUMNS, row);
    uint32_t refused;
    gravel_sender_append(sender, &columns, 1, &refused);
}

/* The sum of all arguments, by arithmetic: row r of message m is m + r. */
static uint64_t expected_sum(void)
{
    uint64_t n = (uint64_t)N_PACKAGES * COLUMNS;
    return 4 * (n * (n - 1) / 2) + n * (0 + 1 + 2 + 3);
}

static bool check(const struct bench *bench, bool is_summed)
{
    static uint64_t wanted[MAX_DESTINATIONS];
    memset(wanted, 0, sizeof wanted);
    for (uint64_t m = 0; m < (uint64_t)N_PACKAGES * COLUMNS; m++)
        wanted[destination_of(m, bench->n_destinations)]++;
    return !memcmp(wanted, bench->received, sizeof wanted) &&
           (!is_summed || bench->sum == expected_sum());
}

static struct gravel_sender *open_sender(struct bench *bench, bool is_summed)
{
    static _Atomic bool aborted;
    const struct gravel_sender_shape shape = {
        .n_nodes = bench->n_destinations,
        .buffer_bytes = BUFFER_BYTES,
        .n_buffers = bench->n_destinations * 4,
        .flush_ns = GRAVEL_NS_PER_S,
        .ship = is_summed ? receive_and_add : receive,
        .context = bench,
        .aborted = &aborted,
    };
    struct gravel_sender *sender;
    if (gravel_sender_create(&sender, &shape))
        exit(EXIT_FAILURE);
    return sender;
}

/* One pass of all packages. @return seconds. */
static double pass(struct bench *bench, struct gravel_sender *sender)
{
    pthread_t producer;
    memset(bench->words, 0, sizeof *bench->words);
    for (uint32_t s = 0; s < N_SLOTS; s++)
        ((struct gravelp_package *)(bench->slots + (size_t)s * SLOT_BYTES))->published = 0;
    memset(bench->received, 0, MAX_DESTINATIONS * sizeof *bench->received);
    bench->sum = 0;
    bench->queue = (struct gravel_package_queue){
        .words = bench->words, .slots = bench->slots, .n_slots = N_SLOTS, .slot_bytes = SLOT_BYTES};
    uint64_t begin_ns = gravel_clock_ns();
    pthread_create(&producer, NULL, produce, bench);
    bench_pin(1);
    struct bench_wait_state wait = {0};
    for (uint32_t taken = 0; taken < N_PACKAGES;) {
        const struct gravelp_package *package = gravel_package_peek(&bench->queue);
        if (!package) {
            bench_wait(&wait, "a package");
            continue;
        }
        wait = (struct bench_wait_state){0};
        if (sender)
            bin(sender, package);
        else
            add_up(bench, package);
        gravel_package_release(&bench->queue);
        taken++;
    }
    if (sender)
        gravel_sender_flush(sender);
    uint64_t end_ns = gravel_clock_ns();
    pthread_join(producer, NULL);
    return (double)(end_ns - begin_ns) * 1e-9;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct bench *bench = context;
    bench->n_destinations = bench->destinations[subject];
    bool is_drain = bench->n_destinations == 0;
    struct gravel_sender *sender = is_drain ? NULL : open_sender(bench, false);
    *rate = (double)N_PACKAGES * COLUMNS / pass(bench, sender);
    bool is_valid = check(bench, is_drain);
    gravel_sender_destroy(sender);
    if (!is_drain) { /* once more, looking at every word */
        sender = open_sender(bench, true);
        pass(bench, sender);
        is_valid = is_valid && check(bench, true);
        gravel_sender_destroy(sender);
    }
    return is_valid;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct bench *bench = state->input;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = &bench->options;
        return 0;
    }
    if (key != 'd')
        return ARGP_ERR_UNKNOWN;
    bench->n_cases = 1 + bench_list_parse(argument, 1, MAX_DESTINATIONS, bench->destinations + 1);
    if (bench->n_cases < 2 || bench->n_cases > BENCH_MAX_LIST)
        argp_error(state, "--destinations %s: not a list of 1 to %u", argument, MAX_DESTINATIONS);
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench bench = {
        .options = BENCH_OPTIONS_INIT, .destinations = {0, 2, 8, 24}, .n_cases = 4};
    const struct argp_option options[] = {
        {"destinations", 'd', "LIST", 0, "numbers of destinations (default 2,8,24)", 0}, {0}};
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options,  parse, NULL, "Rate of one aggregator thread.",
                              children, NULL,  NULL};
    static struct bench_subject subjects[BENCH_MAX_LIST];
    argp_parse(&argp, argc, argv, 0, NULL, &bench);
    bench.words = aligned_alloc(64, sizeof *bench.words);
    bench.slots = aligned_alloc(64, (size_t)N_SLOTS * SLOT_BYTES);
    bench.received = calloc(MAX_DESTINATIONS, sizeof *bench.received);
    if (!bench.words || !bench.slots || !bench.received)
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < bench.n_cases; i++)
        subjects[i].variant = i ? "gravel" : "drain";
    bench_rounds(subjects, bench.n_cases, bench.options.runs, run, &bench);
    for (uint32_t i = 0; i < bench.n_cases; i++) {
        json_t *fields =
            json_pack("{s:i,s:i}", "destinations", (int)bench.destinations[i], "message_bytes", 32);
        bench_report(&bench.options, "bench-aggregator", "messages/s", &subjects[i], fields);
    }
    free(bench.words);
    free(bench.slots);
    free(bench.received);
    return 0;
}
