/* SPDX-License-Identifier: MIT */
/*
 * A spiking network: the microcircuit under 1 mm2 of early sensory cortex, step by step, in rounds that stay on the device.
 *
 * Neuron number n is own neuron n / n_nodes of node n % n_nodes, and a synapse is at its target's node.
 *
 * Path:    main -> model.h -> make_synapses, run (microcircuit.cl) -> result -> check.h
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 * Source:  see model.h.
 */
#include "frame/app.h"
#include "frame/random.h"
#include "microcircuit/check.h"
#include "microcircuit/model.h"

#include <errno.h>
#include <gravel/rounds.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char microcircuit_cl[];

#define STEPS_A_SECOND 10000
#define RUN_STEPS 5000u /* of a run of rounds: then the host reads spikes */
#define MOST_SPIKES (RUN_STEPS / (REFRACTORY + 1) + 1) /* of a neuron in it */
#define SETTLED_STEPS 5000u /* rates are of later times, or of the second half */
/* The heap has bits of all neurons, and frames of rounds, which take a share of it: room for spikes of all at once. */
#define HEAP_BYTES (UINT64_C(256) << 10)
#define HEAP_BYTES_A_NEURON 64

struct microcircuit {
    struct options options;
    struct node node;
    double scale, seconds;
    const char *record; /* NULL: not */
    union {
        struct tables tables;
        uint64_t words[(sizeof(struct tables) + 7) / 8];
    } model;
    uint64_t n_synapses;       /* of all nodes */
    uint32_t n_neurons, n_own; /* of all nodes; of this one */
    uint32_t longest;          /* row of own synapses */
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    uint64_t come, come_words; /* heap offset of a bit for each neuron, twice */
    cl_mem tables, rows, synapses, ring, fired, known;
    uint32_t n_steps;
    uint64_t *spikes; /* [n_spikes] time * 2^32 + number of own neurons; after a trial ascending */
    uint64_t n_spikes, room;
    double run_s;
};

/* ---- the file of spikes ------------------------------------------------------------------------- */

/* Writes own spikes: an array of neuron and step, both from 0, or lines as NEST's: neuron from 1, and the step's end in ms. Of
 * several nodes each has a file, with its number before the suffix. */
static void record(const struct microcircuit *own)
{
    const char *suffix = strrchr(own->record, '.');
    char path[PATH_MAX], number[16] = "";
    if (own->node.n_nodes > 1)
        snprintf(number, sizeof number, ".%u", own->node.number);
    snprintf(path, sizeof path, "%.*s%s%s", (int)(suffix - own->record), own->record, number,
             suffix);
    FILE *file = fopen(path, "we");
    if (file && !strcmp(suffix, ".npy")) {
        fwrite("\x93NUMPY\1\0\x76", 1, 10, file); /* 0x76 bytes of head follow */
        const int n = fprintf(file,
                              "{'descr': [('neuron', '<u4'), ('step', '<u4')], "
                              "'fortran_order': False, 'shape': (%llu,), }",
                              (unsigned long long)own->n_spikes);
        fprintf(file, "%*s\n", 117 - n, "");
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

/* Gives all nodes the tables of node 0, as functions of mathematics may differ in their last bits. */
static void make_model(struct microcircuit *own)
{
    struct node *node = &own->node;
    const struct tables *tables = &own->model.tables;
    if (node->number != 0)
        own->model.tables = (struct tables){0};
    node_reduce(node, GRAVEL_ADD, own->model.words, sizeof own->model.words / sizeof(uint64_t));
    own->n_neurons = tables->first[POPULATIONS];
    own->come_words = 2 * ((own->n_neurons + UINT64_C(31)) / 32);
    own->n_own = (own->n_neurons + node->n_nodes - 1 - node->number) / node->n_nodes;
    for (int i = 0; i < POPULATIONS * POPULATIONS; i++)
        own->n_synapses += tables->n_synapses[i / POPULATIONS][i % POPULATIONS];
    own->tables = node_array(node, sizeof *tables, tables);
    if ((own->n_neurons - 1) >> TARGET_BITS >= node->n_nodes)
        die("--scale: there are %u neurons (%u a node allowed): use more nodes", own->n_neurons,
            1u << TARGET_BITS);
}

/* Counts synapses, or inserts them in `synapses`. */
static void draw_synapses(struct microcircuit *own, cl_kernel kernel, cl_mem synapses, cl_mem sums)
{
    NODE_SET(kernel, 7, ARRAY(synapses), ARRAY(sums));
    for (uint32_t i = 0; i < POPULATIONS * POPULATIONS; i++) {
        const uint32_t to = i / POPULATIONS, from = i % POPULATIONS;
        NODE_SET(kernel, 1, UINT(to), UINT(from));
        node_enqueue(&own->node, kernel, own->model.tables.n_synapses[to][from],
                     own->node.group_items);
    }
    node_finish(&own->node);
}

static void make_synapses(struct microcircuit *own)
{
    struct node *node = &own->node;
    const size_t rows_bytes = (own->n_neurons + UINT64_C(1)) * sizeof(cl_uint),
                 sums_bytes = (own->n_own + UINT64_C(1)) * sizeof(cl_uint);
    cl_uint *rows = app_array(rows_bytes, 1, "rows of synapses"), n = 0, is_too_much;
    node_build(node, "microcircuit.cl", microcircuit_cl, NULL);
    const cl_kernel kernel = node_kernel(node, "draw_synapses");
    const cl_mem sums = node_array(node, sums_bytes, NULL);
    own->rows = node_array(node, rows_bytes, rows);
    NODE_SET(kernel, 0, ULONG(own->options.seed));
    NODE_SET(kernel, 3, UINT(node->number), UINT(node->n_nodes), ARRAY(own->tables),
             ARRAY(own->rows));
    node_fill(node, sums, 0, sums_bytes);
    draw_synapses(own, kernel, NULL, sums);
    node_read(node, own->rows, rows_bytes, rows);
    for (uint32_t i = 1; i <= own->n_neurons; i++) {
        const cl_uint n_row = rows[i];
        own->longest = n_row > own->longest ? n_row : own->longest;
        rows[i] = n;
        n += n_row;
    }
    node_write(node, own->rows, 0, rows_bytes, rows);
    own->synapses = node_array(node, n * sizeof(cl_uint), NULL);
    draw_synapses(own, kernel, own->synapses, sums);
    node_read(node, sums, sizeof is_too_much, &is_too_much);
    if (is_too_much)
        die_alone("--scale: the weights of a neuron add up to more than %u pA, and its input could "
                  "overflow",
                  MOST_WEIGHTS / CURRENT_PA);
    free(rows);
}

/* Builds the kernel. @param group_items  of a group; 0: the library chooses */
static void make_rounds(struct microcircuit *own, uint32_t group_items)
{
    struct node *node = &own->node;
    char options[64];
    cl_device_type type;
    TRY_CL(
        clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_TYPE, sizeof type, &type, NULL));
    const bool is_cpu = type & CL_DEVICE_TYPE_CPU;
    const uint32_t piece = is_cpu ? 256 : 32;
    group_items = group_items ? group_items : is_cpu ? 256 : 768; /* of a GPU, most of a unit */
    snprintf(options, sizeof options, "-DN_NODES=%u -DTEAM=%uu -DPIECE=%uu", node->n_nodes,
             is_cpu ? 1 : 32, piece);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "microcircuit.cl", .source = microcircuit_cl,
                              .options = options, .function = "microcircuit",
                              .group_items = group_items, .n_groups = own->n_own / group_items + 1);
    TRY(gravel_rounds_create(&own->rounds, node->gravel, &program));
    TRY(gravel_rounds_kernel(own->rounds, &own->kernel));
    own->ring = node_array(node, (size_t)own->n_own * SLOTS * sizeof(cl_int), NULL);
    own->fired = node_array(node, (size_t)own->n_own * MOST_SPIKES * sizeof(uint64_t), NULL);
    own->known = node_array(node, 2 * sizeof(struct known), NULL);
    NODE_SET(own->kernel, 3, ULONG(own->options.seed), UINT(own->n_own),
             UINT((own->longest + piece - 1) / piece), ULONG(own->come), ARRAY(own->tables),
             ARRAY(own->rows), ARRAY(own->synapses), ARRAY(own->ring),
             ARRAY(node_array(node, own->n_own * sizeof(struct neuron), NULL)),
             ARRAY(node_array(node, own->n_neurons * 4 * sizeof(cl_uint[3]), NULL)),
             ARRAY(own->fired), ARRAY(own->known));
}

static void open_node(void *self)
{
    struct microcircuit *own = self;
    struct node *node = &own->node;
    const uint32_t group_items = node->group_items;
    const char *suffix = own->record ? strrchr(own->record, '.') : ".npy";
    if (own->scale < 0.001 || own->scale > 64)
        die("--scale: %g is not in 0.001..64", own->scale);
    if (own->seconds * STEPS_A_SECOND < 1 || own->seconds > 10000)
        die("--seconds: %g is not in 0.0001..10000", own->seconds);
    if (!suffix || (strcmp(suffix, ".npy") && strcmp(suffix, ".dat")))
        die("--record: '%s' ends in neither .npy nor .dat", own->record);
    own->n_steps = (uint32_t)llround(own->seconds * STEPS_A_SECOND);
    model_make(&own->model.tables, own->scale);
    node_open(node, HEAP_BYTES + HEAP_BYTES_A_NEURON * own->model.tables.first[POPULATIONS]);
    if (node->n_processes != node->n_nodes)
        die("GRAVEL_LOOPBACK: each node needs a process, whose device has its neurons");
    make_model(own);
    if (own->record)
        record(own); /* that it can be written is known now: without a spike */
    TRY(gravel_alloc(node->gravel, own->come_words * sizeof(cl_uint), &own->come));
    make_synapses(own);
    make_rounds(own, group_items);
}

static void close_node(void *self)
{
    struct microcircuit *own = self;
    TRY(gravel_rounds_destroy(own->rounds));
    clReleaseKernel(own->kernel);
    free(own->spikes);
}

/* ---- a trial ----------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct microcircuit *own = self;
    struct node *node = &own->node;
    node_fill_heaps(node, own->come, own->come_words, 0);
    node_fill(node, own->ring, 0, (size_t)own->n_own * SLOTS * sizeof(cl_int));
    node_fill(node, own->known, 0, 2 * sizeof(struct known));
    node_finish(node);
    own->n_spikes = 0;
    TRY(gravel_barrier(node->gravel));
}

/* Appends the spikes of a run. @param last  its last time */
static void take_spikes(struct microcircuit *own, uint32_t last)
{
    struct known known[2];
    node_read(&own->node, own->known, sizeof known, known);
    const uint32_t n = known[last % 2].older + known[last % 2].own;
    while (own->room <= own->n_spikes + n)
        own->spikes = app_room(own->spikes, own->room, &own->room, sizeof *own->spikes, "spikes");
    node_read(&own->node, own->fired, n * sizeof *own->spikes, own->spikes + own->n_spikes);
    own->n_spikes += n;
}

static void run(void *self)
{
    struct microcircuit *own = self;
    const bool is_watched = own->node.number == 0 && !own->options.quiet && isatty(STDERR_FILENO);
    const double begin_s = trials_clock();
    for (uint32_t time = 0, n; time < own->n_steps; time += n) {
        n = own->n_steps - time < RUN_STEPS ? own->n_steps - time : RUN_STEPS;
        NODE_SET(own->kernel, 2, UINT(time));
        TRY(gravel_rounds_run(own->rounds, GRAVEL_UNTIL_MOST, n, NULL, 0));
        take_spikes(own, time + n - 1);
        if (is_watched)
            fprintf(stderr, "\r%.1f of %g s%s", (double)(time + n) / STEPS_A_SECOND, own->seconds,
                    time + n < own->n_steps ? "" : "\r\033[K");
    }
    own->run_s = trials_clock() - begin_s;
}

/* ---- the report -------------------------------------------------------------------------------- */

static void describe(void *self, struct trials *trials)
{
    const struct microcircuit *own = self;
    snprintf(trials->input, sizeof trials->input, "%u neurons, %llu synapses, %g s", own->n_neurons,
             (unsigned long long)own->n_synapses, own->seconds);
    trials->work = own->n_steps;
    trials_add_real(trials, "scale", own->scale);
    trials_add_number(trials, "synapses", own->n_synapses);
}

/* Adds for each population its rate, and the mean CV of intervals of neurons that have two or more. */
static void add_populations(struct microcircuit *own, struct trials *trials)
{
    const uint32_t half = own->n_steps / 2, from = half < SETTLED_STEPS ? half : SETTLED_STEPS;
    const struct tables *tables = &own->model.tables;
    const double seconds = (double)(own->n_steps - from) / STEPS_A_SECOND;
    struct intervals {
        uint32_t n, last; /* time of the last spike + 1; 0: none yet */
        double sum, squares;
    } *each = app_array(own->n_own, sizeof *each, "intervals");
    double sums[3][POPULATIONS] = {{0}}; /* spikes; CVs, and how many */
    for (uint64_t i = 0; i < own->n_spikes; i++) {
        const uint32_t number = (uint32_t)own->spikes[i], time = (uint32_t)(own->spikes[i] >> 32);
        struct intervals *of = &each[number / own->node.n_nodes];
        if (time < from)
            continue;
        const double interval = of->last ? time + 1 - of->last : 0;
        sums[0][population_of(tables, number)]++;
        of->n += of->last > 0;
        of->sum += interval;
        of->squares += interval * interval;
        of->last = time + 1;
    }
    for (uint32_t i = 0; i < own->n_own; i++)
        if (each[i].n >= 2) {
            const uint32_t of = population_of(tables, i * own->node.n_nodes + own->node.number);
            const double mean = each[i].sum / each[i].n;
            sums[1][of] += sqrt(fmax(0, each[i].squares / each[i].n - mean * mean)) / mean;
            sums[2][of]++;
        }
    free(each);
    TRY(gravel_reduce(own->node.gravel, GRAVEL_ADD, GRAVEL_DOUBLE, sums, 3 * POPULATIONS));
    json_t *rates = json_array(), *cvs = json_array();
    trials_say(trials, "  from %g s on: spikes, spikes a second and neuron, CV of intervals\n",
               (double)from / STEPS_A_SECOND);
    for (int i = 0; i < POPULATIONS; i++) {
        const double rate = sums[0][i] / (tables->first[i + 1] - tables->first[i]) / seconds;
        const double cv = sums[2][i] > 0 ? sums[1][i] / sums[2][i] : 0;
        json_array_append_new(rates, json_real(rate));
        json_array_append_new(cvs, json_real(cv));
        trials_say(trials, "  %-6s%10.0f%10.3f%10.3f\n", population_names[i], sums[0][i], rate, cv);
    }
    json_object_set_new(trials->parameters, "rates", rates);
    json_object_set_new(trials->parameters, "cvs", cvs);
}

static int compare_spikes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Adds how many spikes there are, and a sum of hashes of them, the same on any number of nodes. */
static void result(void *self, struct trials *trials)
{
    struct microcircuit *own = self;
    uint64_t sums[2] = {own->n_spikes, 0};
    char checksum[17];
    qsort(own->spikes, own->n_spikes, sizeof *own->spikes, compare_spikes);
    for (uint64_t i = 0; i < own->n_spikes; i++)
        sums[1] += random_mix(own->spikes[i] + 1);
    node_reduce(&own->node, GRAVEL_ADD, sums, 2);
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)sums[1]);
    trials_add_number(trials, "spikes", sums[0]);
    trials_add_word(trials, "checksum", checksum);
    trials_say(trials, "  %llu spikes, checksum %s, %.4g s a biological second\n",
               (unsigned long long)sums[0], checksum, own->run_s / own->seconds);
    add_populations(own, trials);
    if (own->record)
        record(own);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct microcircuit *own = self;
    const double begin_s = trials_clock();
    const uint64_t n_wrong = check_spikes(&own->model.tables, own->n_synapses, own->options.seed,
                                          own->n_steps, &own->node, own->spikes, own->n_spikes);
    trials_add_serial(trials, "serial", begin_s);
    return n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"scale", 0, "PART",
     "Neurons, and synapses of each, as a part of the full model's 77169 and 299 million; above 1 "
     "neurons alone (0.1)",
     OPTION_REAL(struct microcircuit, scale)},
    {"seconds", 0, "TIME", "Simulate this time of the network (1)",
     OPTION_REAL(struct microcircuit, seconds)},
    {"record", 0, "FILE",
     "Write the spikes of the last trial: neuron and step (.npy), or as NEST does (.dat)",
     OPTION_WORD(struct microcircuit, record)},
    {0}};

static const struct app app = {.name = "microcircuit",
                               .unit = "steps/s",
                               .doc = "Simulate the cortical microcircuit of Potjans and Diesmann "
                                      "in steps of 0.1 ms.",
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
