/* SPDX-License-Identifier: MIT */
/*
 * GUPS: giga-updates per second of random words of a table that is spread over all nodes.
 *
 * Every node sends 2^M updates to words drawn from one long random stream, each a message: an increment, as in the
 * dissertation, HPCC's exclusive or, a sum of floats or a put. With --zipf words are drawn skewed, and with --accumulate an
 * accumulator adds updates up. With --divergence few of many work-items make updates: divergent.c.
 *
 * Path: main -> gups.cl -> table; check.c
 * Source: Orr 2016, section 5.4.2; Luszczek et al., HPC Challenge RandomAccess.
 */
#include "gups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_ADDS_LOG 16 /* of updates a word, on average: no sum of floats comes near 2^24 */

extern const char gups_cl[];

/* ---- options --------------------------------------------------------------------------------- */

/* By enum gups_op. */
static const struct operation {
    const char *name, *kernel;
    uint32_t message_bytes; /* an index, and a value */
} operations[] = {[GUPS_INC] = {"inc", "gups_inc", 4},
                  [GUPS_XOR] = {"xor", "gups_xor", 12},
                  [GUPS_ADD] = {"add-float", "gups_add_float", 8},
                  [GUPS_PUT] = {"put", "gups_put", 12}};

static const struct app_option own_options[] = {
    {"table", 0, "LOG2", "A node's table has 2^LOG2 words (24)",
     OPTION_NUMBER(struct gups, log_table, 0, 32)},
    {"updates", 0, "LOG2", "A node makes 2^LOG2 updates (24)",
     OPTION_NUMBER(struct gups, log_updates, 0, 40)},
    {"op", 0, "inc|xor|add-float|put",
     "Update: xor as HPCC, add-float of 32-bit floats, put of 8 bytes (inc)",
     OPTION_INDEX(struct gups, op, enum gups_op)},
    {"zipf", 0, "S",
     "Draw words skewed: a word of rank k about k^S times less often than the first; 0 is uniform "
     "(0)",
     OPTION_REAL(struct gups, zipf)},
    {"accumulate", 0, NULL, "Add updates up by an accumulator, instead of a message each",
     OPTION_FLAG(struct gups, accumulates)},
    {"per-item", 0, "N", "Updates of a work-item, a power of two (256)",
     OPTION_POWER(struct gups, per_item, 1, 1 << 20)},
    {"divergence", 0, "if|wi|subgroup|fbar|share",
     "Have few work-items make increments (GUPS-mod), and go through the divergent code by: if, a "
     "group iterates together, with predicates; wi, each work-item sends alone; subgroup, "
     "sub-groups go round each on its own; fbar, sub-groups that are not done send together; "
     "share, work-items of a group share its updates",
     OPTION_WORD(struct gups, form)},
    {"items", 0, "LOG2", "Of --divergence: a node has 2^LOG2 work-items (22)",
     OPTION_NUMBER(struct gups, log_items, 0, 36)},
    {"idle", 0, "PERCENT", "Of --divergence: work-items that make no updates (95)",
     OPTION_NUMBER(struct gups, idle_percent, 0, 100)},
    {"max-updates", 0, "N", "Of --divergence: any other work-item makes 1 to N updates (16)",
     OPTION_NUMBER(struct gups, most, 1, 1 << 20)},
    {0}};

/* ---- set-up ---------------------------------------------------------------------------------- */

uint64_t gups_n_words(const struct gups *gups)
{
    return UINT64_C(1) << gups->log_table;
}

uint64_t gups_table_bytes(const struct gups *gups)
{
    return gups_n_words(gups) * (gups->op == GUPS_ADD ? sizeof(cl_float) : sizeof(cl_ulong));
}

uint64_t gups_n_updates(const struct gups *gups)
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
    if (gups->op == GUPS_ADD && gups->log_updates > gups->log_table + MOST_ADDS_LOG)
        die("--op add-float: 2^%u updates of 2^%u words; 2^%d a word are allowed",
            (unsigned)gups->log_updates, (unsigned)gups->log_table, MOST_ADDS_LOG);
    if (gups->op != GUPS_INC && (gups->zipf > 0 || gups->accumulates || gups->form))
        die("--op %s: --zipf, --accumulate and --divergence are of inc", operations[gups->op].name);
    if (gups->form && (gups->zipf > 0 || gups->accumulates))
        die("--divergence: no --zipf and no --accumulate");
    if (gups->accumulates && gups->node.model != model_gravel)
        die("--accumulate: under --model gravel alone");
    if (gups->form && strcmp(gups->form, "if") && gups->node.model->queue_bytes)
        die("--divergence %s: under --model %s work-groups send together, as form if does",
            gups->form, gups->node.model->name);
}

/* Level e has 2^e ranks, and 2^(e - S e) as many updates as level 0: the shares up to each, of 2^32. */
static void set_levels(struct gups *gups)
{
    double sum = 0, done = 0;
    if (gups->zipf == 0)
        return;
    gups->n_levels = (uint32_t)gups->log_table + n_bits_of(gups->node.n_nodes - 1);
    if (gups->n_levels == 0)
        gups->n_levels = 1;
    for (uint32_t e = 0; e < gups->n_levels; e++)
        sum += exp2(e * (1 - gups->zipf));
    for (uint32_t e = 0; e < gups->n_levels; e++) {
        done += exp2(e * (1 - gups->zipf));
        gups->levels[e] = done < sum ? (cl_uint)(done / sum * UINT32_MAX) : UINT32_MAX;
    }
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
    NODE_SET(gups->kernel, 2, ULONG(node->number * gups_n_updates(gups)),
             UINT(n_bits_of(node->n_processes * gups_n_updates(gups) - 1)), UINT(gups->per_item),
             ULONG(gups->table), UINT((cl_uint)(gups_n_words(gups) - 1)),
             ARRAY(node_array(node, gups->n_levels * sizeof *gups->levels, gups->levels)),
             UINT(gups->n_levels));
    if (!gups->accumulates)
        return;
    TRY(gravel_accumulator_create(&gups->accumulator, node->gravel, gups->table, gups_n_words(gups),
                                  GRAVEL_INC, GRAVEL_ULONG));
    TRY(gravel_kernel_set_accumulator(gups->accumulator, gups->kernel, 9));
}

static void set_up(void *self)
{
    struct gups *gups = self;
    struct node *node = &gups->node;
    const uint64_t n_updates = gups_n_updates(gups);
    check_options(gups);
    if (gups->per_item > n_updates)
        gups->per_item = n_updates;
    gups->n_items = gups->form ? UINT64_C(1) << gups->log_items : n_updates / gups->per_item;
    gups->bound = (struct node_bound){.n_messages = gups->form ? gups->most : gups->per_item,
                                      .message_bytes = operations[gups->op].message_bytes};
    node_open(node, gups_table_bytes(gups));
    TRY(gravel_alloc(node->gravel, gups_table_bytes(gups), &gups->table));
    if (gups->form)
        divergent_open(gups);
    else
        open_stream(gups);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct gups *gups = self;
    node_fill_heaps(&gups->node, gups->table, gups_table_bytes(gups) / sizeof(cl_uint), 0);
}

static void update(void *self)
{
    struct gups *gups = self;
    node_send(&gups->node, gups->kernel, gups->n_items, gups->bound);
    TRY(gravel_barrier(gups->node.gravel));
}

static void describe(void *self, struct trials *trials)
{
    const struct gups *gups = self;
    trials_add_number(trials, "table_words_per_node", gups_n_words(gups));
    if (gups->form) {
        divergent_describe(gups, trials);
        return;
    }
    snprintf(trials->variant, sizeof trials->variant, "%s%s", operations[gups->op].name,
             gups->accumulates ? ", accumulated" : "");
    snprintf(trials->input, sizeof trials->input, "table 2^%u", (unsigned)gups->log_table);
    trials->work = (double)gups->node.n_processes * (double)gups_n_updates(gups);
    trials_add_number(trials, "updates_per_node", gups_n_updates(gups));
    trials_add_number(trials, "updates_per_item", gups->per_item);
    trials_add_real(trials, "zipf", gups->zipf);
}

static void close_all(void *self)
{
    struct gups *gups = self;
    TRY(gravel_accumulator_destroy(gups->accumulator));
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
                               .describe = describe,
                               .check = gups_check,
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
