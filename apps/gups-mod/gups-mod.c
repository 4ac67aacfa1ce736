/* SPDX-License-Identifier: MIT */
/*
 * GUPS-mod: GUPS whose work-items are mostly idle, and busy for different lengths of time.
 *
 * A random 5 % of the work-items make a random number of updates each. A work-group sends together,
 * so the idle ones take part in every call with a predicate that says they have nothing to send;
 * the other form lets every work-item send alone. The check draws the same numbers serially and
 * undoes every update.
 *
 * Path: main -> gups-mod.cl -> table
 * Source: Orr 2016, sections 5.3 and 5.6.2.
 */
#include "app.h"
#include "node_stats.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

extern const char gups_mod_cl[];

struct gups_mod {
    struct options options;
    struct node node;
    uint64_t log_table;      /* log2 of the words a node */
    uint64_t log_items;      /* log2 of the work-items a node */
    uint64_t active_percent; /* of the work-items */
    uint64_t most;           /* updates of an active work-item, 1 to most */
    bool is_alone;           /* each work-item sends for itself */
    uint64_t offset;   /* of the tables, in every node's heap */
    uint64_t **tables; /* [n_nodes] while mapped, NULL where another process holds it */
    cl_kernel kernel;
};

/* ---- options -----------------------------------------------------------------------------------
 */

enum { KEY_TABLE = 0x3000, KEY_ITEMS, KEY_ACTIVE, KEY_MOST, KEY_FORM };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "Problem:", 1},
    {"table", KEY_TABLE, "LOG2", 0, "A node's table has 2^LOG2 64-bit words (24)", 0},
    {"items", KEY_ITEMS, "LOG2", 0, "A node has 2^LOG2 work-items (22)", 0},
    {"active", KEY_ACTIVE, "PERCENT", 0, "Work-items that make updates (5)", 0},
    {"max-updates", KEY_MOST, "N", 0, "An active work-item makes 1 to N updates (16)", 0},
    {"form", KEY_FORM, "FORM", 0,
     "if: a group sends together, with predicates; wi: each work-item alone (if)", 0},
    {0}};

static error_t parse_form(struct argp_state *state, const char *value, bool *is_alone)
{
    *is_alone = strcmp(value, "wi") == 0;
    if (*is_alone || strcmp(value, "if") == 0)
        return 0;
    argp_failure(state, 64, 0, "--form: '%s' is neither if nor wi", value);
    return EINVAL;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct gups_mod *mod = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &mod->options;
        state->child_inputs[1] = &mod->node;
        return 0;
    case KEY_TABLE:
        return options_number(state, "--table", value, 0, 32, &mod->log_table);
    case KEY_ITEMS:
        return options_number(state, "--items", value, 0, 36, &mod->log_items);
    case KEY_ACTIVE:
        return options_number(state, "--active", value, 0, 100, &mod->active_percent);
    case KEY_MOST:
        return options_number(state, "--max-updates", value, 1, 1 << 20, &mod->most);
    case KEY_FORM:
        return parse_form(state, value, &mod->is_alone);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&options_run_argp, 0, NULL, 0}, {&node_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Update random words of a table that is spread over all "
                                        "nodes from a few of many work-items.",
                                 .children = children};

/* ---- the problem -------------------------------------------------------------------------------
 */

static uint64_t n_words(const struct gups_mod *mod)
{
    return UINT64_C(1) << mod->log_table;
}

static uint64_t n_items(const struct gups_mod *mod)
{
    return UINT64_C(1) << mod->log_items;
}

static uint64_t length_key(const struct gups_mod *mod)
{
    return random_key(mod->options.seed);
}

static uint64_t update_key(const struct gups_mod *mod)
{
    return random_mix(length_key(mod));
}

/* Of 2^32. */
static uint64_t active_below(const struct gups_mod *mod)
{
    return (mod->active_percent << 32) / 100;
}

/* Updates of work-item `item` of all nodes. */
static uint64_t n_updates_of(const struct gups_mod *mod, uint64_t item)
{
    uint64_t random = random_at(length_key(mod), item);
    if ((random & UINT32_MAX) >= active_below(mod))
        return 0;
    return 1 + ((random >> 32) * mod->most >> 32);
}

static uint64_t n_updates_of_all(const struct gups_mod *mod)
{
    uint64_t n = 0;
    for (uint64_t item = 0; item < mod->node.n_processes * n_items(mod); item++)
        n += n_updates_of(mod, item);
    return n;
}

/* ---- set-up ------------------------------------------------------------------------------------
 */

static void set_arguments(struct gups_mod *mod, uint64_t offset)
{
    NODE_SET(mod->kernel, 2, cl_ulong, mod->node.number * n_items(mod));
    NODE_SET(mod->kernel, 3, cl_ulong, length_key(mod));
    NODE_SET(mod->kernel, 4, cl_ulong, update_key(mod));
    NODE_SET(mod->kernel, 5, cl_ulong, active_below(mod));
    NODE_SET(mod->kernel, 6, cl_uint, (cl_uint)mod->most);
    NODE_SET(mod->kernel, 7, cl_ulong, offset);
    NODE_SET(mod->kernel, 8, cl_uint, (cl_uint)(n_words(mod) - 1));
}

static void set_up(struct gups_mod *mod)
{
    struct node *node = &mod->node;
    node_open(node, n_words(mod) * sizeof(uint64_t));
    node_build(node, "gups-mod.cl", gups_mod_cl, NULL);
    uint64_t offset = node_alloc(node, n_words(mod) * sizeof(uint64_t));
    mod->offset = offset;
    mod->kernel = node_kernel(node, mod->is_alone ? "gups_wi" : "gups_if");
    set_arguments(mod, offset);
}

/* A number of updates is drawn on the device: only the most that it can be is known. */
static struct node_bound bound_of(const struct gups_mod *mod)
{
    return (struct node_bound){.n_messages = mod->most, .message_bytes = 4};
}

/* ---- trials ------------------------------------------------------------------------------------
 */

static void map_tables(struct gups_mod *mod, cl_map_flags flags)
{
    mod->tables = node_map(&mod->node, mod->offset, n_words(mod) * sizeof(uint64_t), flags);
}

static int reset(void *app, unsigned trial)
{
    struct gups_mod *mod = app;
    (void)trial;
    map_tables(mod, CL_MAP_WRITE_INVALIDATE_REGION);
    for (uint32_t node = 0; node < mod->node.n_nodes; node++)
        if (mod->tables[node])
            memset(mod->tables[node], 0, n_words(mod) * sizeof(uint64_t));
    node_unmap(&mod->node, mod->tables);
    node_barrier(&mod->node);
    gravel_stats_reset(mod->node.gravel);
    return 0;
}

static int update(void *app, unsigned trial)
{
    struct gups_mod *mod = app;
    (void)trial;
    node_send(&mod->node, mod->kernel, n_items(mod), bound_of(mod));
    node_barrier(&mod->node);
    return 0;
}

/* One group of the trials' size, so that the device's compiler has done its work before the clock
 * runs. */
static void warm_up(struct gups_mod *mod)
{
    uint32_t group_items = mod->node.group_items;
    node_send(&mod->node, mod->kernel, n_items(mod) < group_items ? n_items(mod) : group_items,
              bound_of(mod));
    node_barrier(&mod->node);
}

/* ---- check -------------------------------------------------------------------------------------
 */

static void undo_item(const struct gups_mod *mod, uint64_t item)
{
    uint64_t n = n_updates_of(mod, item);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t random = random_at(update_key(mod), item * mod->most + i);
        uint64_t *table = mod->tables[(random >> 32) * mod->node.n_nodes >> 32];
        if (table)
            table[random & (n_words(mod) - 1)]--;
    }
}

/* Undo all nodes' updates, one after the other; words that are not 0 then are wrong. */
static uint64_t check(struct gups_mod *mod)
{
    uint64_t n_wrong = 0;
    map_tables(mod, CL_MAP_READ);
    for (uint64_t item = 0; item < mod->node.n_processes * n_items(mod); item++)
        undo_item(mod, item);
    for (uint32_t node = 0; node < mod->node.n_nodes; node++)
        for (uint64_t i = 0; mod->tables[node] && i < n_words(mod); i++)
            n_wrong += mod->tables[node][i] != 0;
    node_unmap(&mod->node, mod->tables);
    return n_wrong;
}

/* ---- main --------------------------------------------------------------------------------------
 */

static json_t *parameters(const struct gups_mod *mod)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i}", "table_words_per_node",
                     (json_int_t)n_words(mod), "items_per_node", (json_int_t)n_items(mod),
                     "active_percent", (json_int_t)mod->active_percent, "max_updates",
                     (json_int_t)mod->most, "seed", (json_int_t)mod->options.seed, "group_items",
                     (int)mod->node.group_items);
}

static int run(struct gups_mod *mod)
{
    char input[64];
    snprintf(input, sizeof input, "table 2^%u, %u %% of 2^%u active", (unsigned)mod->log_table,
             (unsigned)mod->active_percent, (unsigned)mod->log_items);
    struct trials trials = {.name = "gups-mod",
                            .variant = mod->is_alone ? "wi" : "if",
                            .input = input,
                            .unit = "updates/s",
                            .work = (double)n_updates_of_all(mod),
                            .n_nodes = mod->node.n_nodes,
                            .node = mod->node.number,
                            .n_trials = mod->options.n_trials,
                            .json = mod->options.json,
                            .parameters = parameters(mod)};
    int status = trials_run(&trials, reset, update, mod);
    if (status)
        die("cannot run the trials: %s", strerror(-status));
    uint64_t n_wrong = mod->options.verify ? check(mod) : 0;
    status = node_report(&mod->node, &trials, mod->options.verify, n_wrong);
    trials_free(&trials);
    return status;
}

int main(int argc, char **argv)
{
    struct gups_mod mod = {.options = OPTIONS_DEFAULT,
                           .node = NODE_DEFAULT,
                           .log_table = 24,
                           .log_items = 22,
                           .active_percent = 5,
                           .most = 16};
    argp_parse(&argp, argc, argv, 0, NULL, &mod);
    if (mod.is_alone && mod.node.model->queue_bytes)
        die("--form wi: under --model %s work-items send together", mod.node.model->name);
    set_up(&mod);
    warm_up(&mod);
    int status = run(&mod);
    clReleaseKernel(mod.kernel);
    node_close(&mod.node);
    return status;
}
