/* SPDX-License-Identifier: MIT */
/*
 * A spiking network: the microcircuit under 1 mm2 of early sensory cortex, step by step, in rounds that stay on the device.
 *
 * Neuron number n is own neuron n / n_nodes of node n % n_nodes, and a synapse is at its target's node.
 *
 * Path:    main -> network.h -> make_synapses, run (microcircuit.cl) -> result, check
 * Owner:   open_node makes what close_node frees.
 * Threads: main's.
 * Source:  see network.h.
 */
#include "frame/app.h"
#include "frame/random.h"
#include "microcircuit/network.h"

#include <errno.h>
#include <gravel/rounds.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    struct tables tables;
    uint64_t n_synapses;       /* of all nodes */
    uint32_t n_neurons, n_own; /* of all nodes; of this one */
    uint32_t n_steps;
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    uint64_t come, come_words; /* heap offset of a bit for each neuron, twice */
    cl_mem ring, fired, known;
    uint64_t *spikes; /* [n_spikes] time * 2^32 + number of own neurons; after a trial ascending */
    uint64_t n_spikes, room, sums[2]; /* of all nodes: how many, and their hashes */
};

/* Writes own spikes: an array of neuron and step, both from 0, or lines as NEST's: neuron from 1, and the step's end in ms. Of
 * several nodes each has a file, with its number before the suffix. */
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

/* Gives all nodes the tables of node 0, as functions of mathematics may differ in their last bits. */
static void share_model(struct microcircuit *own)
{
    struct node *node = &own->node;
    if (node->number != 0)
        own->tables = (struct tables){0};
    TRY(gravel_reduce(node->gravel, GRAVEL_ADD, GRAVEL_INT, &own->tables,
                      sizeof own->tables / sizeof(cl_int)));
    own->n_neurons = own->tables.first[POPULATIONS];
    own->come_words = 2 * ((own->n_neurons + UINT64_C(31)) / 32);
    own->n_own = (own->n_neurons + node->n_nodes - 1 - node->number) / node->n_nodes;
    for (int i = 0; i < PAIRS; i++)
        own->n_synapses += own->tables.n_synapses[i];
    if ((own->n_neurons - 1) >> TARGET_BITS >= node->n_nodes)
        die("--scale: there are %u neurons (%u a node allowed): use more nodes", own->n_neurons,
            1u << TARGET_BITS);
}

/* Counts synapses, or inserts them in `synapses`. */
static void draw_synapses(struct microcircuit *own, cl_kernel kernel, cl_mem synapses)
{
    NODE_SET(kernel, 5, ARRAY(synapses));
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        NODE_SET(kernel, 1, UINT(pair));
        node_enqueue(&own->node, kernel, own->tables.n_synapses[pair], own->node.group_items);
    }
    node_finish(&own->node);
}

/* Makes own synapses, in rows that begin where `own_rows` says. @return  the longest row */
static uint32_t make_synapses(struct microcircuit *own, cl_mem tables, cl_mem *own_rows,
                              cl_mem *synapses)
{
    struct node *node = &own->node;
    const size_t bytes = (own->n_neurons + UINT64_C(1)) * sizeof(cl_uint);
    cl_uint *rows = app_array(bytes, 1, "rows of synapses"), n = 0, longest = 0;
    cl_program program;
    TRY_CL(clGetKernelInfo(own->kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    const cl_kernel kernel = node_kernel_of(node, program, "draw_synapses");
    *own_rows = node_array(node, bytes, rows);
    NODE_SET(kernel, 0, ULONG(own->options.seed));
    NODE_SET(kernel, 2, UINT(node->number), ARRAY(tables), ARRAY(*own_rows));
    draw_synapses(own, kernel, NULL);
    node_read(node, *own_rows, bytes, rows);
    for (uint32_t i = 1; i <= own->n_neurons; i++) {
        const cl_uint n_row = rows[i];
        longest = n_row > longest ? n_row : longest;
        rows[i] = n;
        n += n_row;
    }
    node_write(node, *own_rows, 0, bytes, rows);
    *synapses = node_array(node, n * sizeof(cl_uint), NULL);
    draw_synapses(own, kernel, *synapses);
    free(rows);
    return longest;
}

/* Makes the kernel and what it works on. @param group_items  of a group; 0: chosen here */
static void make_rounds(struct microcircuit *own, uint32_t group_items)
{
    struct node *node = &own->node;
    const cl_mem tables = node_array(node, sizeof own->tables, &own->tables);
    cl_mem rows, synapses;
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
    const uint32_t longest = make_synapses(own, tables, &rows, &synapses);
    own->ring = node_array(node, (size_t)own->n_own * SLOTS * sizeof(cl_int), NULL);
    own->fired = node_array(node, (size_t)own->n_own * MOST_SPIKES * sizeof(uint64_t), NULL);
    own->known = node_array(node, 2 * sizeof(struct known), NULL);
    NODE_SET(own->kernel, 3, ULONG(own->options.seed), UINT(own->n_own),
             UINT((longest + piece - 1) / piece), ULONG(own->come), ARRAY(tables), ARRAY(rows),
             ARRAY(synapses), ARRAY(own->ring),
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
    tables_make(&own->tables, own->scale);
    node_open(node, HEAP_BYTES + HEAP_BYTES_A_NEURON * own->tables.first[POPULATIONS]);
    if (node->n_processes != node->n_nodes)
        die("GRAVEL_LOOPBACK: each node needs a process, whose device has its neurons");
    share_model(own);
    if (own->record)
        record(own); /* that it can be written is known now: without a spike */
    TRY(gravel_alloc(node->gravel, own->come_words * sizeof(cl_uint), &own->come));
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
        while (own->room <= own->n_spikes + n)
            own->spikes =
                app_room(own->spikes, own->room, &own->room, sizeof *own->spikes, "spikes");
        node_read(&own->node, own->fired, n * sizeof *own->spikes, own->spikes + own->n_spikes);
        own->n_spikes += n;
    }
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

static int compare_spikes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Adds how many spikes there are, a sum of hashes of them, the same on any number of nodes, and each population's rate. */
static void result(void *self, struct trials *trials)
{
    struct microcircuit *own = self;
    const uint32_t half = own->n_steps / 2, from = half < SETTLED_STEPS ? half : SETTLED_STEPS;
    uint64_t n[POPULATIONS] = {0};
    char checksum[17];
    own->sums[0] = own->n_spikes;
    qsort(own->spikes, own->n_spikes, sizeof *own->spikes, compare_spikes);
    for (uint64_t i = 0; i < own->n_spikes; i++) {
        own->sums[1] += random_mix(own->spikes[i] + 1);
        n[population_of(&own->tables, (uint32_t)own->spikes[i])] += own->spikes[i] >> 32 >= from;
    }
    node_reduce(&own->node, GRAVEL_ADD, own->sums, 2);
    node_reduce(&own->node, GRAVEL_ADD, n, POPULATIONS);
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)own->sums[1]);
    trials_add_number(trials, "spikes", own->sums[0]);
    trials_add_word(trials, "checksum", checksum);
    trials_say(trials, "  %llu spikes, checksum %s; from %g s on, and a second and neuron:\n",
               (unsigned long long)own->sums[0], checksum, (double)from / STEPS_A_SECOND);
    json_t *rates = json_array();
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
    uint64_t n_listed = 0, sums[2] = {0};
    struct listed {
        struct synapse is;
        uint64_t before; /* of its source; 0: none */
    } *list = app_array(own->n_synapses + 1, sizeof *list, "the check");
    struct {
        struct neuron neuron;
        int32_t ring[SLOTS];
        uint64_t last; /* of its synapses in the list */
    } *each = app_array(own->n_neurons, sizeof *each, "the check");
    for (uint32_t pair = 0; pair < PAIRS; pair++)
        for (uint32_t i = 0; i < tables->n_synapses[pair]; i++) {
            const struct synapse is = synapse_draw(tables, own->options.seed, pair, i);
            list[++n_listed] = (struct listed){is, each[is.source].last};
            each[is.source].last = n_listed;
        }
    for (uint64_t time = 0; time < own->n_steps; time++)
        for (uint32_t i = 0; i < own->n_neurons; i++) {
            const int32_t arrives = each[i].ring[time % SLOTS];
            each[i].ring[time % SLOTS] = 0;
            if (!neuron_advance(tables, own->options.seed, i, (uint32_t)time, arrives,
                                &each[i].neuron))
                continue;
            for (uint64_t k = each[i].last; k; k = list[k].before) {
                const struct synapse to = list[k].is;
                const uint32_t row = weights_of(tables, population_of(tables, i), to.target);
                each[to.target].ring[(time + to.delay) % SLOTS] += tables->weights[row][to.level];
            }
            sums[0]++;
            sums[1] += random_mix((time << 32 | i) + 1);
        }
    free(each);
    free(list);
    trials_add_serial(trials, "serial", begin_s);
    return memcmp(sums, own->sums, sizeof sums) != 0;
}

/* ---- the program ------------------------------------------------------------------------------- */

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
