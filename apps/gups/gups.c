/* SPDX-License-Identifier: MIT */
/*
 * GUPS: giga-updates per second of random words of a table that is spread over all nodes.
 *
 * Every node sends 2^M updates to words drawn from one long random stream, each a message: an
 * increment, as in the dissertation, or HPCC's exclusive or. The check walks the whole stream, one
 * step at a time, undoes every update of the own part, and expects the table it began with.
 *
 * Path: main -> gups.cl -> table; table.c fills and checks it
 * Source: Orr 2016, section 5.4.2; Luszczek et al., HPC Challenge RandomAccess.
 */
#include "node_app.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

extern const char gups_cl[];

struct gups {
    struct options options;
    struct node node;
    uint64_t log_table;   /* log2 of the words a node */
    uint64_t log_updates; /* log2 of the updates a node */
    uint64_t per_item;    /* updates of a work-item, a power of two */
    bool use_xor;
    struct table table;
    cl_kernel kernel;
};

/* ---- options --------------------------------------------------------------------------------- */

enum { KEY_TABLE = 0x3000, KEY_UPDATES, KEY_PER_ITEM, KEY_OP };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "Problem:", 1},
    {"table", KEY_TABLE, "LOG2", 0, "A node's table has 2^LOG2 64-bit words (24)", 0},
    {"updates", KEY_UPDATES, "LOG2", 0, "A node makes 2^LOG2 updates (24)", 0},
    {"op", KEY_OP, "OP", 0, "Update: inc, or xor as HPCC (inc)", 0},
    {"per-item", KEY_PER_ITEM, "N", 0, "Updates of a work-item, a power of two (256)", 0},
    {0}};

static error_t parse_op(struct argp_state *state, const char *value, bool *use_xor)
{
    *use_xor = strcmp(value, "xor") == 0;
    if (*use_xor || strcmp(value, "inc") == 0)
        return 0;
    argp_failure(state, 64, 0, "--op: '%s' is neither inc nor xor", value);
    return EINVAL;
}

static error_t parse_per_item(struct argp_state *state, const char *value, uint64_t *per_item)
{
    error_t error = options_number(state, "--per-item", value, 1, 1 << 20, per_item);
    if (error || (*per_item & (*per_item - 1)) == 0)
        return error;
    argp_failure(state, 64, 0, "--per-item: '%s' is not a power of two", value);
    return EINVAL;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct gups *gups = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        node_app_inputs(state, node_app_children, &gups->options, &gups->node);
        return 0;
    case KEY_TABLE:
        return options_number(state, "--table", value, 0, 32, &gups->log_table);
    case KEY_UPDATES:
        return options_number(state, "--updates", value, 0, 40, &gups->log_updates);
    case KEY_PER_ITEM:
        return parse_per_item(state, value, &gups->per_item);
    case KEY_OP:
        return parse_op(state, value, &gups->use_xor);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Update random words of a table that is spread over all "
                                        "nodes, and say how many updates a second were made.",
                                 .children = node_app_children};

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

static void set_up(struct gups *gups)
{
    struct node *node = &gups->node;
    if (gups->per_item > n_updates(gups))
        gups->per_item = n_updates(gups);
    node_open(node, n_words(gups) * sizeof(uint64_t));
    node_build(node, "gups.cl", gups_cl, NULL);
    uint64_t offset = node_alloc(node, n_words(gups) * sizeof(uint64_t));
    gups->table = (struct table){
        .node = node, .offset = offset, .n_words = n_words(gups), .use_xor = gups->use_xor};
    table_open(&gups->table);
    gups->kernel = node_kernel(node, gups->use_xor ? "gups_xor" : "gups_inc");
    NODE_SET(gups->kernel, 2, cl_ulong, node->number * n_updates(gups));
    NODE_SET(gups->kernel, 3, cl_uint, n_bits_of(node->n_processes * n_updates(gups) - 1));
    NODE_SET(gups->kernel, 4, cl_uint, (cl_uint)gups->per_item);
    NODE_SET(gups->kernel, 5, cl_ulong, offset);
    NODE_SET(gups->kernel, 6, cl_uint, (cl_uint)(n_words(gups) - 1));
}

/* Of one operation; an index, and with xor a value. */
static struct node_bound bound_of(const struct gups *gups)
{
    return (struct node_bound){.n_messages = gups->per_item,
                               .message_bytes = gups->use_xor ? 12 : 4};
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *app)
{
    struct gups *gups = app;
    table_fill(&gups->table);
}

static void update(void *app)
{
    struct gups *gups = app;
    node_send(&gups->node, gups->kernel, n_updates(gups) / gups->per_item, bound_of(gups));
    node_barrier(&gups->node);
}

/* One group of the trials' size, so that the device's compiler has done its work before the clock
 * runs. */
static void warm_up(struct gups *gups)
{
    uint64_t n_items = n_updates(gups) / gups->per_item;
    node_send(&gups->node, gups->kernel,
              n_items < gups->node.group_items ? n_items : gups->node.group_items, bound_of(gups));
    node_barrier(&gups->node);
}

/* ---- main ------------------------------------------------------------------------------------ */

static json_t *parameters(const struct gups *gups)
{
    return json_pack("{s:I, s:I, s:I, s:i}", "table_words_per_node", (json_int_t)n_words(gups),
                     "updates_per_node", (json_int_t)n_updates(gups), "updates_per_item",
                     (json_int_t)gups->per_item, "group_items", (int)gups->node.group_items);
}

static uint64_t check(void *app, struct trials *trials)
{
    struct gups *gups = app;
    (void)trials;
    table_undo_stream(&gups->table, gups->node.n_processes * n_updates(gups), gups->options.quiet);
    return table_count_wrong(&gups->table);
}

static int run(struct gups *gups)
{
    static const struct node_app_steps steps = {.reset = reset, .run = update, .check = check};
    char input[64];
    snprintf(input, sizeof input, "table 2^%u", (unsigned)gups->log_table);
    struct trials trials = {.name = "gups",
                            .variant = gups->use_xor ? "xor" : "inc",
                            .input = input,
                            .unit = "updates/s",
                            .work = (double)gups->node.n_processes * (double)n_updates(gups),
                            .parameters = parameters(gups)};
    return node_app_run(&trials, &steps, &gups->node, &gups->options, gups);
}

int main(int argc, char **argv)
{
    struct gups gups = {.options = OPTIONS_DEFAULT,
                        .node = NODE_DEFAULT,
                        .log_table = 24,
                        .log_updates = 24,
                        .per_item = 256};
    options_parse(&argp, argc, argv, &gups);
    set_up(&gups);
    warm_up(&gups);
    int status = run(&gups);
    clReleaseKernel(gups.kernel);
    table_close(&gups.table);
    node_close(&gups.node);
    return status;
}
