/* SPDX-License-Identifier: MIT */
/*
 * GUPS: giga-updates per second of random words of a table that is spread over all nodes.
 *
 * Every node sends 2^M updates to words drawn from one long random stream, each a message: an increment, as in the
 * dissertation, a sum of floats or a put. With --zipf words are drawn skewed, and with --accumulate an
 * accumulator adds updates up. With --divergence few of many work-items make updates: divergent.c.
 *
 * Path: main -> gups.cl -> table; check.c
 * Source: Orr 2016, section 5.4.2; Luszczek et al., HPC Challenge RandomAccess.
 */
#include "gups.h"

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
                  [GUPS_ADD] = {"add-float", "gups_add_float", 8},
                  [GUPS_PUT] = {"put", "gups_put", 12}};

static const struct app_option own_options[] = {
    {"table", 0, "LOG2", "A node's table has 2^LOG2 words (24)",
     OPTION_NUMBER(struct gups, log_table, 0, 32)},
    {"updates", 0, "LOG2", "A node makes 2^LOG2 updates (24)",
     OPTION_NUMBER(struct gups, log_updates, 0, 40)},
    {"op", 0, "inc|add-float|put", "Update: add-float of 32-bit floats, put of 8 bytes (inc)",
     OPTION_INDEX(struct gups, op, enum gups_op)},
    {"zipf", 0, "0|1",
     "1: draw words skewed, a word of rank k about k times less often than the first (0)",
     OPTION_NUMBER(struct gups, zipf, 0, 1)},
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
    {0}};

/* ---- set-up ---------------------------------------------------------------------------------- */

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
    if (gups->op != GUPS_INC && (gups->zipf || gups->accumulates || gups->form))
        die("--op %s: --zipf, --accumulate and --divergence are of inc", operations[gups->op].name);
    if (gups->form && (gups->zipf || gups->accumulates))
        die("--divergence: no --zipf and no --accumulate");
    if (gups->accumulates && gups->node.model != model_gravel)
        die("--accumulate: under --model gravel alone");
    if (gups->form && strcmp(gups->form, "if") && gups->node.model->queue_bytes)
        die("--divergence %s: under --model %s work-groups send together, as form if does",
            gups->form, gups->node.model->name);
}

/* Makes the kernel in which every work-item walks a piece of the stream. */
static void open_stream(struct gups *gups)
{
    struct node *node = &gups->node;
    char options[64];
    snprintf(options, sizeof options, "%s %s", gups->zipf ? "-DSKEWED" : "",
             gups->accumulates ? "-DACCUMULATES" : "");
    node_build(node, "gups.cl", gups_cl, options);
    if (gups->zipf) /* at least 1 */
        gups->n_levels = n_bits_of((node->n_nodes * gups->n_words - 1) | 1);
    gups->kernel = node_kernel(node, operations[gups->op].kernel);
    NODE_SET(gups->kernel, 2, ULONG(node->number * gups->n_updates),
             UINT(n_bits_of(node->n_processes * gups->n_updates - 1)), UINT(gups->per_item),
             ULONG(gups->table), UINT((cl_uint)(gups->n_words - 1)), UINT(gups->n_levels));
    if (!gups->accumulates)
        return;
    TRY(gravel_accumulator_create(&gups->accumulator, node->gravel, gups->table, gups->n_words,
                                  GRAVEL_INC, GRAVEL_ULONG));
    TRY(gravel_kernel_set_accumulator(gups->accumulator, gups->kernel, 8));
}

static void set_up(void *self)
{
    struct gups *gups = self;
    struct node *node = &gups->node;
    check_options(gups);
    gups->n_words = UINT64_C(1) << gups->log_table;
    gups->table_bytes =
        gups->n_words * (gups->op == GUPS_ADD ? sizeof(cl_float) : sizeof(cl_ulong));
    gups->n_updates = UINT64_C(1) << gups->log_updates;
    if (gups->per_item > gups->n_updates)
        gups->per_item = gups->n_updates;
    gups->n_items = gups->form ? UINT64_C(1) << gups->log_items : gups->n_updates / gups->per_item;
    gups->bound = (struct node_bound){.n_messages = gups->form ? DIVERGENT_MOST : gups->per_item,
                                      .message_bytes = operations[gups->op].message_bytes};
    node_open(node, gups->table_bytes);
    TRY(gravel_alloc(node->gravel, gups->table_bytes, &gups->table));
    if (gups->form)
        divergent_open(gups);
    else
        open_stream(gups);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct gups *gups = self;
    node_fill_heaps(&gups->node, gups->table, gups->table_bytes / sizeof(cl_uint), 0);
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
    if (gups->form) {
        divergent_describe(gups, trials);
        return;
    }
    snprintf(trials->variant, sizeof trials->variant, "%s%s", operations[gups->op].name,
             gups->accumulates ? ", accumulated" : "");
    snprintf(trials->input, sizeof trials->input, "table 2^%u", (unsigned)gups->log_table);
    trials->work = (double)gups->node.n_processes * (double)gups->n_updates;
}

static void close_all(void *self)
{
    struct gups *gups = self;
    TRY(gravel_accumulator_destroy(gups->accumulator));
}

static const struct app app = {
    .name = "gups",
    .unit = "updates/s",
    .doc =
        "Update random words of a table that is spread over all nodes, and say how many updates a "
        "second were made.",
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
    struct gups gups = {.log_table = 24, .log_updates = 24, .per_item = 256, .log_items = 22};
    return app_main(&app, &gups, argc, argv);
}
