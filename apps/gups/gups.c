/* SPDX-License-Identifier: MIT */
/*
 * GUPS: giga-updates per second of random words of a table that is spread over all nodes.
 *
 * Every node sends 2^M updates to words drawn from one long random stream, each a message: an
 * increment, as in the dissertation, HPCC's exclusive or, a sum of floats or a put. The check walks
 * the whole stream, one step at a time, undoes every update of the own part, and expects the table
 * it began with; of a word that was put to it expects one of the values. With --zipf words are drawn skewed, and with
 * --accumulate an accumulator adds updates up. With --divergence few of many work-items make updates: divergent.c.
 *
 * Path: main -> gups.cl -> table; table.c fills and checks it
 * Source: Orr 2016, section 5.4.2; Luszczek et al., HPC Challenge RandomAccess.
 */
#include "frame/die.h"
#include "gups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char gups_cl[];

/* ---- options --------------------------------------------------------------------------------- */

/* By enum table_op. */
static const struct operation {
    const char *name, *kernel;
    uint32_t message_bytes; /* an index, and a value */
} operations[] = {[TABLE_INC] = {"inc", "gups_inc", 4},
                  [TABLE_XOR] = {"xor", "gups_xor", 12},
                  [TABLE_ADD] = {"add-float", "gups_add_float", 8},
                  [TABLE_PUT] = {"put", "gups_put", 12}};

static const struct app_option own_options[] = {
    {"table", 0, "LOG2", "A node's table has 2^LOG2 words (24)",
     OPTION_NUMBER(struct gups, log_table, 0, 32)},
    {"updates", 0, "LOG2", "A node makes 2^LOG2 updates (24)",
     OPTION_NUMBER(struct gups, log_updates, 0, 40)},
    {"op", 0, "inc|xor|add-float|put",
     "Update: xor as HPCC, add-float of 32-bit floats, put of 8 bytes (inc)",
     OPTION_INDEX(struct gups, op, enum table_op)},
    {"zipf", 0, "S",
     "Draw words skewed: a word of rank k about k^S times less often than the first; 0 is uniform "
     "(0)",
     OPTION_REAL(struct gups, zipf)},
    {"accumulate", 0, NULL, "Add updates up by an accumulator, instead of a message each",
     OPTION_FLAG(struct gups, accumulates)},
    {"per-item", 0, "N", "Updates of a work-item, a power of two (256)",
     OPTION_POWER(struct gups, per_item, 1, 1 << 20)},
    {"divergence", 0, "if|wi|wave|subgroup|fbar|share",
     "Have few work-items make increments (GUPS-mod), and go through the divergent code by: if, a "
     "group iterates together, with predicates; wi, each work-item sends alone; wave, as if, in "
     "groups of what the device runs together (--wave); subgroup, sub-groups go round each on its "
     "own; fbar, sub-groups that are not done send together; share, work-items of a group share "
     "its updates",
     OPTION_WORD(struct gups, form)},
    {"items", 0, "LOG2", "Of --divergence: a node has 2^LOG2 work-items (22)",
     OPTION_NUMBER(struct gups, log_items, 0, 36)},
    {"idle", 0, "PERCENT", "Of --divergence: work-items that make no updates (95)",
     OPTION_NUMBER(struct gups, idle_percent, 0, 100)},
    {"max-updates", 0, "N", "Of --divergence: any other work-item makes 1 to N updates (16)",
     OPTION_NUMBER(struct gups, most, 1, 1 << 20)},
    {"wave", 0, "ITEMS", "Work-items of a group of --divergence wave (the device's choice)",
     OPTION_NUMBER(struct gups, wave_items, 1, NODE_MAX_GROUP)},
    {0}};

/* ---- set-up ---------------------------------------------------------------------------------- */

static uint64_t n_words(const struct gups *gups)
{
    return UINT64_C(1) << gups->log_table;
}

static uint64_t n_updates(const struct gups *gups)
{
    return UINT64_C(1) << gups->log_updates;
}

static uint32_t n_bits_of(uint64_t number)
{
    return number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
}

/* Refuses options that exclude each other. */
static void check_options(const struct gups *gups)
{
    if (gups->op == TABLE_ADD && gups->log_updates > gups->log_table + TABLE_MOST_ADDS_LOG)
        die("--op add-float: 2^%u updates of 2^%u words; 2^%d a word are allowed",
            (unsigned)gups->log_updates, (unsigned)gups->log_table, TABLE_MOST_ADDS_LOG);
    if (!(gups->zipf >= 0 && gups->zipf <= 4))
        die("--zipf %g: 0 to 4", gups->zipf);
    if (gups->zipf > 0 && gups->op == TABLE_ADD)
        die("--zipf: sums of --op add-float would not be exact");
    if (gups->accumulates && gups->op == TABLE_PUT)
        die("--accumulate: of --op put there is no sum");
    if (gups->accumulates && gups->node.model != model_gravel)
        die("--accumulate: under --model gravel alone");
    if (gups->form && (gups->op != TABLE_INC || gups->zipf > 0 || gups->accumulates))
        die("--divergence: no --op, --zipf or --accumulate");
    if (gups->form && strcmp(gups->form, "if") && gups->node.model->queue_bytes)
        die("--divergence %s: under --model %s work-groups send together, as form if does",
            gups->form, gups->node.model->name);
}

#define MOST_LEVELS 64

/* Level e has 2^e ranks, and 2^(e - S e) as many updates as level 0: the shares up to each, of 2^32. */
static void set_levels(struct gups *gups)
{
    cl_uint levels[MOST_LEVELS];
    struct table *table = &gups->table;
    double sum = 0, done = 0;
    if (gups->zipf == 0)
        return;
    table->n_levels = (uint32_t)gups->log_table + n_bits_of(gups->node.n_nodes - 1);
    if (table->n_levels == 0)
        table->n_levels = 1;
    for (uint32_t e = 0; e < table->n_levels; e++)
        sum += exp2(e * (1 - gups->zipf));
    for (uint32_t e = 0; e < table->n_levels; e++) {
        done += exp2(e * (1 - gups->zipf));
        levels[e] = done < sum ? (cl_uint)(done / sum * UINT32_MAX) : UINT32_MAX;
    }
    table->levels = node_array(&gups->node, table->n_levels * sizeof *levels, levels);
}

static void make_accumulator(struct gups *gups)
{
    static const uint32_t of_table[][2] = {[TABLE_INC] = {GRAVEL_INC, GRAVEL_ULONG},
                                           [TABLE_XOR] = {GRAVEL_XOR, GRAVEL_ULONG},
                                           [TABLE_ADD] = {GRAVEL_ADD, GRAVEL_FLOAT}};
    if (!gups->accumulates)
        return;
    TRY(gravel_accumulator_create(&gups->accumulator, gups->node.gravel, gups->table.offset,
                                  n_words(gups), of_table[gups->op][0], of_table[gups->op][1]));
    TRY(gravel_kernel_set_accumulator(gups->accumulator, gups->kernel, 9));
}

/* Makes the kernel in which every work-item walks a piece of the stream. */
static void open_stream(struct gups *gups)
{
    struct node *node = &gups->node;
    char options[64];
    snprintf(options, sizeof options, "%s %s", gups->zipf > 0 ? "-DSKEWED" : "",
             gups->accumulates ? "-DACCUMULATES" : "");
    node_build(node, "gups.cl", gups_cl, options);
    set_levels(gups);
    gups->kernel = node_kernel(node, operations[gups->op].kernel);
    NODE_SET(gups->kernel, 2, ULONG(node->number * n_updates(gups)),
             UINT(n_bits_of(node->n_processes * n_updates(gups) - 1)), UINT(gups->per_item),
             ULONG(gups->table.offset), UINT((cl_uint)(n_words(gups) - 1)),
             ARRAY(gups->table.levels), UINT(gups->table.n_levels));
    make_accumulator(gups);
}

static void set_up(void *self)
{
    struct gups *gups = self;
    struct node *node = &gups->node;
    check_options(gups);
    if (gups->per_item > n_updates(gups))
        gups->per_item = n_updates(gups);
    gups->n_items = gups->form ? UINT64_C(1) << gups->log_items : n_updates(gups) / gups->per_item;
    gups->bound = (struct node_bound){.n_messages = gups->form ? gups->most : gups->per_item,
                                      .message_bytes = operations[gups->op].message_bytes};
    gups->table = (struct table){.node = node, .n_words = n_words(gups), .op = gups->op};
    uint64_t table_bytes = n_words(gups) * table_word_bytes(&gups->table);
    node_open(node, table_bytes);
    TRY(gravel_alloc(node->gravel, table_bytes, &gups->table.offset));
    table_open(&gups->table);
    if (gups->form)
        divergent_open(gups);
    else
        open_stream(gups);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct gups *gups = self;
    table_fill(&gups->table);
}

static void send(struct gups *gups, uint64_t n_items)
{
    node_send(&gups->node, gups->kernel, n_items, gups->bound);
    TRY(gravel_barrier(gups->node.gravel));
}

static void update(void *self)
{
    struct gups *gups = self;
    send(gups, gups->n_items);
}

/* One group of the trials' size. */
static void warm_up(void *self)
{
    struct gups *gups = self;
    const uint32_t group_items = gups->node.group_items;
    send(gups, gups->n_items < group_items ? gups->n_items : group_items);
}

static void describe(void *self, struct trials *trials)
{
    const struct gups *gups = self;
    trials_add_number(trials, "table_words_per_node", n_words(gups));
    if (gups->form) {
        divergent_describe(gups, trials);
        return;
    }
    snprintf(trials->variant, sizeof trials->variant, "%s%s", operations[gups->op].name,
             gups->accumulates ? ", accumulated" : "");
    snprintf(trials->input, sizeof trials->input, "table 2^%u", (unsigned)gups->log_table);
    trials->work = (double)gups->node.n_processes * (double)n_updates(gups);
    trials_add_number(trials, "updates_per_node", n_updates(gups));
    trials_add_number(trials, "updates_per_item", gups->per_item);
    trials_add_real(trials, "zipf", gups->zipf);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct gups *gups = self;
    (void)trials;
    if (gups->form)
        divergent_undo(gups);
    else
        table_undo_stream(&gups->table, gups->node.n_processes * n_updates(gups));
    return table_count_wrong(&gups->table);
}

static void close_all(void *self)
{
    struct gups *gups = self;
    TRY(gravel_accumulator_destroy(gups->accumulator));
    if (gups->form)
        clReleaseKernel(gups->kernel);
}

/* ---- main ------------------------------------------------------------------------------------ */

static const struct app app = {.name = "gups",
                               .unit = "updates/s",
                               .doc = "Update random words of a table that is spread over all "
                                      "nodes, and say how many updates a second were made.",
                               .groups = {{"Problem:", 1, own_options, 0}},
                               .has_models = true,
                               APP_FIELDS(struct gups),
                               .open = set_up,
                               .reset = reset,
                               .run = update,
                               .warm_up = warm_up,
                               .describe = describe,
                               .check = check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct gups gups = {.log_table = 24,
                        .log_updates = 24,
                        .per_item = 256,
                        .log_items = 22,
                        .idle_percent = 95,
                        .most = 16};
    return app_main(&app, &gups, argc, argv);
}
