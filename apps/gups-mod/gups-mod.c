/* SPDX-License-Identifier: MIT */
/*
 * GUPS-mod: GUPS whose work-items are mostly idle, and busy for different lengths of time.
 *
 * A random 5 % of the work-items make a random number of updates each. Form `if` sends by
 * work-groups, in which idle ones take part with a predicate that says they have nothing to send;
 * form.c lists the others. The check draws the same numbers serially, and has every update undone
 * where the table lies.
 *
 * Path: main -> form.c -> gups-mod.cl -> table
 * Source: Orr 2016, sections 5.3 and 5.6.2.
 */
#include "form.h"
#include "node_app.h"
#include "random.h"
#include "table.h"

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
    const struct form *form; /* of the divergent code */
    uint64_t wave_items;     /* of a group of form wave; 0: the device's choice */
    struct table table;
    cl_kernel kernel;
};

/* ---- options --------------------------------------------------------------------------------- */

enum { KEY_TABLE = 0x3000, KEY_ITEMS, KEY_ACTIVE, KEY_IDLE, KEY_MOST, KEY_FORM, KEY_WAVE };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "Problem:", 1},
    {"table", KEY_TABLE, "LOG2", 0, "A node's table has 2^LOG2 64-bit words (24)", 0},
    {"items", KEY_ITEMS, "LOG2", 0, "A node has 2^LOG2 work-items (22)", 0},
    {"active", KEY_ACTIVE, "PERCENT", 0, "Work-items that make updates (5)", 0},
    {"idle", KEY_IDLE, "PERCENT", 0, "The same by those that make none (95)", 0},
    {"max-updates", KEY_MOST, "N", 0, "An active work-item makes 1 to N updates (16)", 0},
    {"form", KEY_FORM, "FORM", 0, "How the kernel goes through divergent code (if):", 0},
    {"divergence", 0, NULL, OPTION_ALIAS, NULL, 0},
    {"wave", KEY_WAVE, "ITEMS", 0, "Work-items of a group of form wave (the device's choice)", 0},
    {0}};

static error_t parse_form(struct argp_state *state, const char *value, const struct form **form)
{
    *form = form_find(value);
    if (*form)
        return 0;
    argp_failure(state, 64, 0, "--form: there is no '%s'; --help lists them", value);
    return EINVAL;
}

static error_t parse_idle(struct argp_state *state, const char *value, uint64_t *active_percent)
{
    uint64_t idle_percent = 0;
    error_t error = options_number(state, "--idle", value, 0, 100, &idle_percent);
    *active_percent = 100 - idle_percent;
    return error;
}

/* The forms, in --help below --form. */
static char *list_forms(int key, const char *text, void *input)
{
    (void)input;
    if (key != KEY_FORM)
        return (char *)(uintptr_t)text;
    char *list = NULL;
    size_t bytes;
    FILE *out = open_memstream(&list, &bytes);
    if (!out)
        return NULL;
    fputs(text, out);
    for (const struct form *form = forms; form->name; form++)
        fprintf(out, "%s %s, %s", form == forms ? "" : ";", form->name, form->what);
    fclose(out);
    return list;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct gups_mod *mod = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        node_app_inputs(state, node_app_children, &mod->options, &mod->node);
        return 0;
    case KEY_TABLE:
        return options_number(state, "--table", value, 0, 32, &mod->log_table);
    case KEY_ITEMS:
        return options_number(state, "--items", value, 0, 36, &mod->log_items);
    case KEY_ACTIVE:
        return options_number(state, "--active", value, 0, 100, &mod->active_percent);
    case KEY_IDLE:
        return parse_idle(state, value, &mod->active_percent);
    case KEY_MOST:
        return options_number(state, "--max-updates", value, 1, 1 << 20, &mod->most);
    case KEY_FORM:
        return parse_form(state, value, &mod->form);
    case KEY_WAVE:
        return options_number(state, "--wave", value, 1, NODE_MAX_GROUP, &mod->wave_items);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Update random words of a table that is spread over all "
                                        "nodes from a few of many work-items.",
                                 .children = node_app_children,
                                 .help_filter = list_forms};

/* ---- the problem ----------------------------------------------------------------------------- */

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

/* ---- set-up ---------------------------------------------------------------------------------- */

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

/* False with the reason if the device cannot take the form. */
static bool set_up(struct gups_mod *mod, char *reason, size_t bytes)
{
    struct node *node = &mod->node;
    node_open(node, n_words(mod) * sizeof(uint64_t));
    node_build(node, "gups-mod.cl", gups_mod_cl, NULL);
    uint64_t offset = node_alloc(node, n_words(mod) * sizeof(uint64_t));
    mod->table = (struct table){.node = node, .offset = offset, .n_words = n_words(mod)};
    table_open(&mod->table);
    mod->kernel = form_kernel(mod->form, node, (uint32_t)mod->wave_items, reason, bytes);
    if (mod->kernel)
        set_arguments(mod, offset);
    return mod->kernel;
}

/* A number of updates is drawn on the device: only the most that it can be is known. */
static struct node_bound bound_of(const struct gups_mod *mod)
{
    return (struct node_bound){.n_messages = mod->most, .message_bytes = 4};
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *app)
{
    struct gups_mod *mod = app;
    table_fill(&mod->table);
}

static void update(void *app)
{
    struct gups_mod *mod = app;
    node_send(&mod->node, mod->kernel, n_items(mod), bound_of(mod));
    node_barrier(&mod->node);
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

/* ---- check ----------------------------------------------------------------------------------- */

#define MOST_LISTED (1u << 20) /* words to be undone at a time */

struct undo_list {
    size_t n;
    cl_ulong words[MOST_LISTED];
};

static void undo_listed(struct gups_mod *mod, struct undo_list *list)
{
    table_undo_words(&mod->table, list->words, list->n);
    list->n = 0;
}

static void undo_item(struct gups_mod *mod, struct undo_list *list, uint64_t item)
{
    uint64_t n = n_updates_of(mod, item);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t random = random_at(update_key(mod), item * mod->most + i);
        uint64_t node = (random >> 32) * mod->node.n_nodes >> 32;
        if (list->n == MOST_LISTED)
            undo_listed(mod, list);
        list->words[list->n++] = node * n_words(mod) + (random & (n_words(mod) - 1));
    }
}

/* Draw all nodes' updates, one after the other, and undo them; words that differ then are wrong. */
static uint64_t check(void *app, struct trials *trials)
{
    struct gups_mod *mod = app;
    (void)trials;
    struct undo_list *list = malloc(sizeof *list);
    if (!list)
        die("no memory for a list of %u words", MOST_LISTED);
    list->n = 0;
    for (uint64_t item = 0; item < mod->node.n_processes * n_items(mod); item++)
        undo_item(mod, list, item);
    undo_listed(mod, list);
    free(list);
    return table_count_wrong(&mod->table);
}

/* ---- main ------------------------------------------------------------------------------------ */

static json_t *parameters(const struct gups_mod *mod)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:i}", "table_words_per_node",
                     (json_int_t)n_words(mod), "items_per_node", (json_int_t)n_items(mod),
                     "active_percent", (json_int_t)mod->active_percent, "idle_percent",
                     (json_int_t)(100 - mod->active_percent), "max_updates", (json_int_t)mod->most,
                     "seed", (json_int_t)mod->options.seed, "group_items",
                     (int)mod->node.group_items);
}

static int run(struct gups_mod *mod)
{
    static const struct node_app_steps steps = {.reset = reset, .run = update, .check = check};
    char input[64];
    snprintf(input, sizeof input, "table 2^%u, %u %% of 2^%u active", (unsigned)mod->log_table,
             (unsigned)mod->active_percent, (unsigned)mod->log_items);
    struct trials trials = {.name = "gups-mod",
                            .variant = mod->form->name,
                            .input = input,
                            .unit = "updates/s",
                            .work = (double)n_updates_of_all(mod),
                            .parameters = parameters(mod)};
    return node_app_run(&trials, &steps, &mod->node, &mod->options, mod);
}

/* What cannot run here is no result: exit status 77, as tests understand it. */
static int skip(const struct gups_mod *mod, const char *reason)
{
    if (mod->node.number == 0 && mod->options.json)
        printf("{\"name\": \"gups-mod\", \"variant\": \"%s\", \"skipped\": \"%s\"}\n",
               mod->form->name, reason);
    else if (mod->node.number == 0)
        fprintf(stderr, "%s: --form %s is skipped: %s\n", program_invocation_short_name,
                mod->form->name, reason);
    return 77;
}

static int measure(struct gups_mod *mod)
{
    warm_up(mod);
    int status = run(mod);
    clReleaseKernel(mod->kernel);
    return status;
}

int main(int argc, char **argv)
{
    struct gups_mod mod = {.options = OPTIONS_DEFAULT,
                           .node = NODE_DEFAULT,
                           .log_table = 24,
                           .log_items = 22,
                           .active_percent = 5,
                           .most = 16,
                           .form = forms};
    char reason[256];
    options_parse(&argp, argc, argv, &mod);
    if (strcmp(mod.form->name, "if") != 0 && mod.node.model->queue_bytes)
        die("--form %s: under --model %s work-groups send together, as form if does",
            mod.form->name, mod.node.model->name);
    int status = set_up(&mod, reason, sizeof reason) ? measure(&mod) : skip(&mod, reason);
    table_close(&mod.table);
    node_close(&mod.node);
    return status;
}
