/* SPDX-License-Identifier: MIT */
/*
 * A spiking network: the microcircuit under 1 mm2 of early sensory cortex, step by step, in rounds that stay on the device.
 *
 * Neuron number n is own neuron n / n_nodes of node n % n_nodes, and a synapse is at its target's node.
 *
 * Path:    main -> tables_make (network.h) -> draw_synapses, microcircuit (microcircuit.cl) -> result, check
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 */
#include "frame/app.h"
#include "frame/random.h"
#include "microcircuit/network.h"

#include <errno.h>
#include <gravel/rounds.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define RUN_STEPS 5000u /* of a run of rounds: then the host reads spikes */
#define MOST_SPIKES (RUN_STEPS / (REFRACTORY + 1) + 1) /* of a neuron in it */
/* The heap has bits of all neurons, and frames of rounds, which take a share of it: room for spikes of all at once. */
#define HEAP_BYTES(scale) ((256 << 10) + (uint64_t)(5e6 * (scale)))

struct microcircuit {
    struct options options;
    struct node node;
    double scale, seconds;
    const char *record; /* NULL: not */
    struct tables tables;
    uint32_t n_neurons, n_own, n_steps; /* of all nodes; of this one */
    uint64_t n_synapses;                /* of all nodes */
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    uint64_t come, come_words; /* heap offset of a bit for each neuron, twice */
    cl_mem ring, fired, known;
    uint64_t *spikes; /* [n_spikes] time * 2^32 + number of own neurons; after a trial ascending */
    uint64_t n_spikes, room, sums[2 + POPULATIONS]; /* of all nodes: see result */
};

/* Writes the node's file of own spikes: neuron and step from 0; or as NEST, neuron from 1 and the step's end in ms. */
static void record(const struct microcircuit *own)
{
    const char *suffix = strrchr(own->record, '.');
    char path[PATH_MAX], number[16] = "", head[118]; /* and a line's end: 0x76 bytes */
    if (own->node.n_nodes > 1)
        snprintf(number, sizeof number, ".%u", own->node.number);
    snprintf(path, sizeof path, "%.*s%s%s", (int)(suffix - own->record), own->record, number,
             suffix);
    FILE *file = fopen(path, "we");
    if (file && !strcmp(suffix, ".npy")) {
        snprintf(head, sizeof head,
                 "{'descr': [('neuron', '<u4'), ('step', '<u4')], 'fortran_order': False, "
                 "'shape': (%llu,), }",
                 (unsigned long long)own->n_spikes);
        fwrite("\x93NUMPY\1\0\x76", 1, 10, file);
        fprintf(file, "%-117s\n", head);
        fwrite(own->spikes, sizeof *own->spikes, own->n_spikes, file);
    } else if (file) {
        fprintf(file, "# Gravel\n# RecordingBackendASCII version: 2\nsender\ttime_ms\n");
        for (uint64_t i = 0; i < own->n_spikes; i++)
            fprintf(file, "%u\t%.3f\n", (uint32_t)own->spikes[i] + 1,
                    (double)((own->spikes[i] >> 32) + 1) * 1000 / STEPS_A_SECOND);
    }
    if (!file || fflush(file) || ferror(file) || fclose(file))
        die_alone("--record: %s: cannot write: %s", path, strerror(errno));
}

/* ---- open and close ---------------------------------------------------------------------------- */

/* Makes the kernel and what it works on, own synapses too. */
static void make_rounds(struct microcircuit *own, bool has_group)
{
    struct node *node = &own->node;
    const size_t rows_bytes = (own->n_neurons + UINT64_C(1)) * sizeof(cl_uint);
    const uint32_t piece = node->is_cpu ? 256 : 32;
    cl_uint *begins = app_array(rows_bytes, 1, "rows of synapses"), n = 0, longest = 0;
    extern const char microcircuit_cl[];
    char options[64];
    cl_program program;
    if (!has_group) /* of a GPU, most of a unit */
        node->group_items = node->is_cpu || node->most_items < 704 ? 256 : 704;
    snprintf(options, sizeof options, "-DN_NODES=%u -DTEAM=%uu -DPIECE=%uu", node->n_nodes,
             node->is_cpu ? 1 : 32, piece);
    const struct gravel_rounds_program rounds =
        GRAVEL_ROUNDS_PROGRAM(.name = "microcircuit.cl", .source = microcircuit_cl,
                              .options = options, .function = "microcircuit",
                              .group_items = node->group_items,
                              .n_groups = own->n_own / node->group_items + 1);
    TRY(gravel_rounds_create(&own->rounds, node->gravel, &rounds));
    TRY(gravel_rounds_kernel(own->rounds, &own->kernel));
    TRY_CL(clGetKernelInfo(own->kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    const cl_kernel kernel = node_kernel_of(node, program, "draw_synapses");
    const cl_mem tables = node_array(node, sizeof own->tables, &own->tables),
                 rows = node_array(node, rows_bytes, begins);
    NODE_SET(kernel, 0, ULONG(own->options.seed), UINT(own->n_own), UINT(node->number),
             ARRAY(tables), ARRAY(rows), ARRAY(NULL));
    node_enqueue(node, kernel, own->n_own, node->group_items);
    node_read(node, rows, rows_bytes, begins);
    for (uint32_t i = 1; i <= own->n_neurons; i++) {
        const cl_uint n_row = begins[i];
        longest = n_row > longest ? n_row : longest;
        begins[i] = n;
        n += n_row;
    }
    node_write(node, rows, 0, rows_bytes, begins);
    free(begins);
    const cl_mem synapses = node_array(node, n * sizeof(cl_uint), NULL);
    NODE_SET(kernel, 5, ARRAY(synapses));
    node_enqueue(node, kernel, own->n_own, node->group_items);
    own->ring = node_array(node, (size_t)own->n_own * SLOTS * sizeof(cl_int), NULL);
    own->fired = node_array(node, (size_t)own->n_own * MOST_SPIKES * sizeof(uint64_t), NULL);
    own->known = node_array(node, 2 * sizeof(struct known), NULL);
    NODE_SET(own->kernel, 3, ULONG(own->options.seed), UINT(own->n_own),
             UINT((longest + piece - 1) / piece), ULONG(own->come), ARRAY(tables), ARRAY(rows),
             ARRAY(synapses), ARRAY(own->ring),
             ARRAY(node_array(node, own->n_own * sizeof(struct neuron), NULL)),
             ARRAY(node_array(node, own->n_neurons * 4 * sizeof(struct fired), NULL)),
             ARRAY(own->fired), ARRAY(own->known));
}

static void open_node(void *self)
{
    struct microcircuit *own = self;
    struct node *node = &own->node;
    const bool has_group = node->group_items;
    const char *suffix = own->record ? strrchr(own->record, '.') : ".npy";
    if (own->scale < 0.001 || own->scale > 64)
        die("--scale: %g is not in 0.001..64", own->scale);
    if (own->seconds * STEPS_A_SECOND < 1 || own->seconds > 10000)
        die("--seconds: %g is not in 0.0001..10000", own->seconds);
    if (!suffix || (strcmp(suffix, ".npy") && strcmp(suffix, ".dat")))
        die("--record: '%s' ends in neither .npy nor .dat", own->record);
    own->n_steps = (uint32_t)llround(own->seconds * STEPS_A_SECOND);
    node_open(node, HEAP_BYTES(own->scale));
    if (node->n_processes != node->n_nodes)
        die("GRAVEL_LOOPBACK: each node needs a process, whose device has its neurons");
    if (node->number == 0) /* of others, functions of mathematics may differ in their last bits */
        tables_make(&own->tables, own->scale);
    TRY(gravel_reduce(node->gravel, GRAVEL_ADD, GRAVEL_INT, &own->tables,
                      sizeof own->tables / sizeof(cl_int)));
    own->n_neurons = own->tables.first[POPULATIONS];
    own->n_own = (own->n_neurons + node->n_nodes - 1 - node->number) / node->n_nodes;
    for (int i = 0; i < PAIRS; i++)
        own->n_synapses += own->tables.n_synapses[i];
    if ((own->n_neurons - 1) >> TARGET_BITS >= node->n_nodes)
        die("--scale: there are %u neurons (%u a node allowed): use more nodes", own->n_neurons,
            1u << TARGET_BITS);
    if (own->record)
        record(own); /* that it can be written is known now: without a spike */
    own->come_words = 2 * ((own->n_neurons + UINT64_C(31)) / 32);
    TRY(gravel_alloc(node->gravel, own->come_words * sizeof(cl_uint), &own->come));
    make_rounds(own, has_group);
}

static void close_node(void *self)
{
    struct microcircuit *own = self;
    TRY(gravel_rounds_destroy(own->rounds));
    clReleaseKernel(own->kernel);
    free(own->spikes);
}

/* ---- a trial, and the report ------------------------------------------------------------------- */

static void reset(void *self)
{
    struct microcircuit *own = self;
    struct node *node = &own->node;
    node_fill_heaps(node, own->come, own->come_words, 0);
    node_fill(node, own->ring, 0, (size_t)own->n_own * SLOTS * sizeof(cl_int));
    node_fill(node, own->known, 0, 2 * sizeof(struct known));
    node_finish(node);
    own->n_spikes = 0;
}

/* Runs all steps, and reads the spikes of each run of rounds. */
static void run(void *self)
{
    struct microcircuit *own = self;
    struct known known[2];
    for (uint32_t time = 0, end; time < own->n_steps; time = end) {
        end = own->n_steps - time < RUN_STEPS ? own->n_steps : time + RUN_STEPS;
        NODE_SET(own->kernel, 2, UINT(time));
        TRY(gravel_rounds_run(own->rounds, GRAVEL_UNTIL_MOST, end - time, NULL, 0));
        node_read(&own->node, own->known, sizeof known, known);
        const uint32_t n = known[(end - 1) % 2].older + known[(end - 1) % 2].own;
        own->spikes =
            app_room(own->spikes, own->n_spikes + n, &own->room, sizeof *own->spikes, "spikes");
        node_read(&own->node, own->fired, n * sizeof *own->spikes, own->spikes + own->n_spikes);
        own->n_spikes += n;
        app_say_part(&own->options, &own->node, (double)end / own->n_steps);
    }
}

static void describe(void *self, struct trials *trials)
{
    const struct microcircuit *own = self;
    snprintf(trials->input, sizeof trials->input, "%u neurons, %llu synapses, %g s", own->n_neurons,
             (unsigned long long)own->n_synapses, own->seconds);
    trials->work = own->n_steps;
    trials_add_real(trials, "scale", own->scale);
    trials_add_number(trials, "synapses", own->n_synapses);
}

/* Adds how many spikes there are, a sum of hashes of them, the same on any number of nodes, and each population's rate. */
static void result(void *self, struct trials *trials)
{
    struct microcircuit *own = self;
    const uint32_t from = (own->n_steps < STEPS_A_SECOND ? own->n_steps : STEPS_A_SECOND) / 2;
    uint64_t *sums = own->sums, *n = sums + 2;
    char checksum[17];
    json_t *rates = json_array();
    sums[0] = own->n_spikes;
    qsort(own->spikes, own->n_spikes, sizeof *own->spikes, app_compare);
    for (uint64_t i = 0; i < own->n_spikes; i++) {
        sums[1] += random_mix(own->spikes[i] + 1);
        n[population_of(&own->tables, (uint32_t)own->spikes[i])] += own->spikes[i] >> 32 >= from;
    }
    node_reduce(&own->node, GRAVEL_ADD, sums, 2 + POPULATIONS);
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)sums[1]);
    trials_add_number(trials, "spikes", sums[0]);
    trials_add_word(trials, "checksum", checksum);
    trials_say(trials, "  %llu spikes, checksum %s; from %g s on, and a second and neuron:\n",
               (unsigned long long)sums[0], checksum, (double)from / STEPS_A_SECOND);
    for (int i = 0; i < POPULATIONS; i++) {
        const double rate = (double)n[i] * STEPS_A_SECOND / (own->n_steps - from) /
                            (own->tables.first[i + 1] - own->tables.first[i]);
        json_array_append_new(rates, json_real(rate));
        trials_say(trials, "  %-6s%10.3f\n", full_model[i].name, rate);
    }
    json_object_set_new(trials->parameters, "rates", rates);
    if (own->record)
        record(own);
}

/* Simulates the whole network by one thread, neuron after neuron. A spike goes at once to its targets, along a list. */
static uint64_t check(void *self, struct trials *trials)
{
    struct microcircuit *own = self;
    const struct tables *tables = &own->tables;
    const double begin_s = trials_clock();
    uint64_t sums[2] = {0};
    struct listed {
        struct synapse is;
        struct listed *before; /* of its source */
    } *list = app_array(own->n_synapses, sizeof *list, "the check"), *next = list;
    struct {
        struct neuron neuron;
        int32_t ring[SLOTS];
        struct listed *last; /* of its synapses */
    } *each = app_array(own->n_neurons, sizeof *each, "the check");
    for (uint32_t pair = 0; pair < PAIRS; pair++)
        for (uint32_t i = 0; i < tables->n_synapses[pair]; i++, next++) {
            const struct synapse is = synapse_draw(tables, own->options.seed, pair, i);
            *next = (struct listed){is, each[is.source].last};
            each[is.source].last = next;
        }
    for (uint32_t time = 0; time < own->n_steps; time++)
        for (uint32_t i = 0; i < own->n_neurons; i++) {
            const int32_t arrives = each[i].ring[time % SLOTS];
            each[i].ring[time % SLOTS] = 0;
            if (!neuron_advance(tables, own->options.seed, i, time, arrives, &each[i].neuron))
                continue;
            for (const struct listed *to = each[i].last; to; to = to->before) {
                const uint32_t row = weights_of(tables, population_of(tables, i), to->is.target);
                each[to->is.target].ring[(time + to->is.delay) % SLOTS] +=
                    tables->weights[row][to->is.level];
            }
            sums[0]++;
            sums[1] += random_mix(((uint64_t)time << 32 | i) + 1);
        }
    free(each);
    free(list);
    trials_add_serial(trials, "serial", begin_s);
    return memcmp(sums, own->sums, sizeof sums) != 0;
}

static const struct app_option own_options[] = {
    {"scale", 0, "PART", "Part of neurons, and of each one's synapses; above 1 more neurons (0.1)",
     OPTION_REAL(struct microcircuit, scale)},
    {"seconds", 0, "TIME", "Simulate this time of the network (1)",
     OPTION_REAL(struct microcircuit, seconds)},
    {"record", 0, "FILE", "Write the last trial's spikes: neuron and step (.npy), or NEST's (.dat)",
     OPTION_WORD(struct microcircuit, record)},
    {0}};

static const struct app app = {.name = "microcircuit",
                               .unit = "steps/s",
                               .doc = "Simulate the microcircuit of Potjans and Diesmann.",
                               .groups = {{"Microcircuit:", 1, own_options, 0}},
                               APP_FIELDS(struct microcircuit),
                               .open = open_node,
                               .describe = describe,
                               .reset = reset,
                               .run = run,
                               .result = result,
                               .check = check,
                               .close = close_node};

int main(int argc, char **argv)
{
    struct microcircuit own = {.scale = 0.1, .seconds = 1};
    return app_main(&app, &own, argc, argv);
}
