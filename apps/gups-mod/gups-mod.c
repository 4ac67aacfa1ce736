/* SPDX-License-Identifier: MIT */
/*
 * GUPS-mod: GUPS whose work-items are mostly idle, and busy for different lengths of time.
 *
 * A random 5 % of the work-items make a random number of updates each. Form `if` sends by
 * work-groups, in which idle ones take part with a predicate that says they have nothing to send;
 * --help lists the other forms. The check draws the same numbers serially, and has every update undone
 * where the table lies.
 *
 * Path: main -> gups-mod.cl -> table
 * Source: Orr 2016, sections 5.3 and 5.6.2.
 */
#include "frame/app.h"
#include "frame/random.h"
#include "gups/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char gups_mod_cl[];

/* A form of the divergent code. */
struct form {
    const char *name;   /* as the user writes it */
    const char *kernel; /* of gups-mod.cl */
};

static const struct form forms[] = {{"if", "gups_if"},     {"wi", "gups_wi"},
                                    {"wave", "gups_if"},   {"subgroup", "gups_subgroup"},
                                    {"fbar", "gups_fbar"}, {"share", "gups_share"}};

struct gups_mod {
    struct options options;
    struct node node;
    uint64_t log_table;      /* log2 of the words a node */
    uint64_t log_items;      /* log2 of the work-items a node */
    uint64_t active_percent; /* of the work-items */
    uint64_t most;           /* updates of an active work-item, 1 to most */
    const struct form *form;
    uint64_t wave_items; /* of a group of form wave; 0: the device's choice */
    struct table table;
    cl_kernel kernel;
};

/* ---- options --------------------------------------------------------------------------------- */

static error_t take_form(struct argp_state *state, const struct app_option *option,
                         const char *value, void *field)
{
    const struct form **chosen = field;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].name, value)) {
            *chosen = &forms[i];
            return 0;
        }
    return option_refuse(state, option, "there is no '%s'; --help lists them", value);
}

static error_t take_idle(struct argp_state *state, const struct app_option *option,
                         const char *value, void *field)
{
    uint64_t idle_percent = 0;
    error_t error = option_number(state, option, value, &idle_percent);
    *(uint64_t *)field = 100 - idle_percent;
    return error;
}

static const struct app_option own_options[] = {
    {"table", 0, "LOG2", "A node's table has 2^LOG2 64-bit words (24)",
     OPTION_NUMBER(struct gups_mod, log_table, 0, 32)},
    {"items", 0, "LOG2", "A node has 2^LOG2 work-items (22)",
     OPTION_NUMBER(struct gups_mod, log_items, 0, 36)},
    {"active", 0, "PERCENT", "Work-items that make updates (5)",
     OPTION_NUMBER(struct gups_mod, active_percent, 0, 100)},
    {"idle", 0, "PERCENT", "The same by those that make none (95)", take_idle,
     OPTION_AT(struct gups_mod, active_percent, uint64_t), 0, 100},
    {"max-updates", 0, "N", "An active work-item makes 1 to N updates (16)",
     OPTION_NUMBER(struct gups_mod, most, 1, 1 << 20)},
    {"form", 0, "FORM",
     "How the kernel goes through divergent code (if): if, a group goes round together, with "
     "predicates; wi, each work-item sends alone; wave, as if, in groups of what the device runs "
     "together (--wave); subgroup, sub-groups go round each on its own; fbar, sub-groups that are "
     "not done send together; share, work-items of a group share its updates",
     take_form, OPTION_AT(struct gups_mod, form, const struct form *), 0, 0},
    {"divergence", 0, NULL, NULL, NULL, 0, 0, 0},
    {"wave", 0, "ITEMS", "Work-items of a group of form wave (the device's choice)",
     OPTION_NUMBER(struct gups_mod, wave_items, 1, NODE_MAX_GROUP)},
    {0}};

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

static bool is_form(const struct gups_mod *mod, const char *name)
{
    return !strcmp(mod->form->name, name);
}

/* ---- groups of form wave --------------------------------------------------------------------- */

static uint32_t items_together(struct node *node, cl_kernel kernel)
{
    size_t n_items = 0;
    node_check_cl(clGetKernelWorkGroupInfo(kernel, gravel_cl_device(node->gravel),
                                           CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                           sizeof n_items, &n_items, NULL),
                  "clGetKernelWorkGroupInfo");
    return n_items > NODE_MAX_GROUP ? NODE_MAX_GROUP : n_items ? (uint32_t)n_items : 1;
}

/* ---- whether fine-grain barriers are sound --------------------------------------------------- */

enum { PROBE_GROUPS = 4, PROBE_ROUNDS = 64, PROBE_LOOKS = 1 << 18 };

/* Fewest rounds of PROBE_ROUNDS that a sub-group got through. The kernel ends whatever the device does. */
static uint32_t probe_rounds(struct node *node)
{
    size_t group_items = node->group_items, n_items = PROBE_GROUPS * group_items;
    cl_kernel kernel = node_kernel(node, "rounds_of_fbar");
    cl_mem array = node_array(node, n_items * sizeof(cl_uint), NULL);
    cl_uint *rounds = app_array(n_items, sizeof *rounds, "rounds"), least = PROBE_ROUNDS;
    NODE_SET(kernel, 1, cl_mem, array);
    NODE_SET(kernel, 2, cl_uint, PROBE_ROUNDS);
    NODE_SET(kernel, 3, cl_uint, PROBE_LOOKS);
    TRY(gravel_launch(node->gravel, kernel, 1, &n_items, &group_items, 0, NULL, NULL));
    TRY(gravel_barrier(node->gravel));
    node_read(node, array, n_items * sizeof *rounds, rounds);
    for (size_t i = 0; i < n_items; i++)
        least = rounds[i] < least ? rounds[i] : least;
    free(rounds);
    node_array_free(node, array);
    return least;
}

/* ---- the form's kernel ------------------------------------------------------------------------ */

/* NULL with the reason: kernels of sub-groups are compiled only where there are any. */
static cl_kernel make_kernel(struct gups_mod *mod, char *reason, size_t bytes)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(mod->node.program, mod->form->kernel, &error);
    if (error == CL_INVALID_KERNEL_NAME) {
        snprintf(reason, bytes, "this device has no sub-groups");
        return NULL;
    }
    node_check_cl(error, mod->form->kernel);
    TRY(gravel_kernel_set_arena(mod->node.gravel, kernel, 0));
    return kernel;
}

/* Whether the form's promises hold here; every node with the kernel takes part. */
static bool is_sound(struct gups_mod *mod, char *reason, size_t bytes)
{
    uint32_t n_rounds = is_form(mod, "fbar") ? probe_rounds(&mod->node) : PROBE_ROUNDS;
    if (n_rounds < PROBE_ROUNDS)
        snprintf(reason, bytes,
                 "sub-groups of a group do not run beside each other on this device: one waited in "
                 "vain for %d looks, after %u of %d rounds",
                 PROBE_LOOKS, n_rounds, PROBE_ROUNDS);
    return n_rounds == PROBE_ROUNDS;
}

/*
 * Make the form's kernel, and set the work-items of a group as it wants them. Collective.
 *
 * @param reason  [bytes] if it cannot be run: why, the same at all nodes with the same device.
 * @return        the kernel; NULL at all nodes if one of them cannot run it.
 */
static cl_kernel form_kernel(struct gups_mod *mod, char *reason, size_t bytes)
{
    struct node *node = &mod->node;
    snprintf(reason, bytes, "another node's device cannot take it");
    cl_kernel kernel = make_kernel(mod, reason, bytes);
    if (kernel && is_form(mod, "wave"))
        node->group_items =
            mod->wave_items ? (uint32_t)mod->wave_items : items_together(node, kernel);
    if (node_sum(node, !kernel) == 0 && node_sum(node, !is_sound(mod, reason, bytes)) == 0)
        return kernel;
    if (kernel)
        clReleaseKernel(kernel);
    return NULL;
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

/* What cannot run here is no result: exit status 77, as tests understand it. */
static _Noreturn void skip(struct gups_mod *mod, const char *reason)
{
    if (mod->node.number == 0 && mod->options.json)
        printf("{\"name\": \"gups-mod\", \"variant\": \"%s\", \"skipped\": \"%s\"}\n",
               mod->form->name, reason);
    else if (mod->node.number == 0)
        fprintf(stderr, "%s: --form %s is skipped: %s\n", program_invocation_short_name,
                mod->form->name, reason);
    table_close(&mod->table);
    node_close(&mod->node);
    exit(77);
}

static void set_up(void *self)
{
    struct gups_mod *mod = self;
    struct node *node = &mod->node;
    char reason[256];
    if (!is_form(mod, "if") && node->model->host)
        die("--form %s: under --model %s work-groups send together, as form if does",
            mod->form->name, node->model->name);
    node_open(node, n_words(mod) * sizeof(uint64_t));
    node_build(node, "gups-mod.cl", gups_mod_cl, NULL);
    uint64_t offset;
    TRY(gravel_alloc(node->gravel, n_words(mod) * sizeof(uint64_t), &offset));
    mod->table = (struct table){.node = node, .offset = offset, .n_words = n_words(mod)};
    table_open(&mod->table);
    mod->kernel = form_kernel(mod, reason, sizeof reason);
    if (!mod->kernel)
        skip(mod, reason);
    set_arguments(mod, offset);
}

/* A number of updates is drawn on the device: only the most that it can be is known. */
static struct node_bound bound_of(const struct gups_mod *mod)
{
    return (struct node_bound){.n_messages = mod->most, .message_bytes = 4};
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct gups_mod *mod = self;
    table_fill(&mod->table);
}

static void update(void *self)
{
    struct gups_mod *mod = self;
    node_send(&mod->node, mod->kernel, n_items(mod), bound_of(mod));
    TRY(gravel_barrier(mod->node.gravel));
}

/* One group of the trials' size. */
static void warm_up(void *self)
{
    struct gups_mod *mod = self;
    uint32_t group_items = mod->node.group_items;
    node_send(&mod->node, mod->kernel, n_items(mod) < group_items ? n_items(mod) : group_items,
              bound_of(mod));
    TRY(gravel_barrier(mod->node.gravel));
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
static uint64_t check(void *self, struct trials *trials)
{
    struct gups_mod *mod = self;
    (void)trials;
    struct undo_list *list = app_array(1, sizeof *list, "a list of words");
    for (uint64_t item = 0; item < mod->node.n_processes * n_items(mod); item++)
        undo_item(mod, list, item);
    undo_listed(mod, list);
    free(list);
    return table_count_wrong(&mod->table);
}

/* ---- main ------------------------------------------------------------------------------------ */

static void describe(void *self, struct trials *trials)
{
    const struct gups_mod *mod = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", mod->form->name);
    snprintf(trials->input, sizeof trials->input, "table 2^%u, %u %% of 2^%u active",
             (unsigned)mod->log_table, (unsigned)mod->active_percent, (unsigned)mod->log_items);
    trials->work = (double)n_updates_of_all(mod);
    trials_add_number(trials, "table_words_per_node", n_words(mod));
    trials_add_number(trials, "items_per_node", n_items(mod));
    trials_add_number(trials, "active_percent", mod->active_percent);
    trials_add_number(trials, "idle_percent", 100 - mod->active_percent);
    trials_add_number(trials, "max_updates", mod->most);
    trials_add_number(trials, "seed", mod->options.seed);
    trials_add_number(trials, "group_items", mod->node.group_items);
}

static void close_all(void *self)
{
    struct gups_mod *mod = self;
    clReleaseKernel(mod->kernel);
    table_close(&mod->table);
    node_close(&mod->node);
}

static const struct app app = {.name = "gups-mod",
                               .unit = "updates/s",
                               .doc = "Update random words of a table that is spread over all "
                                      "nodes from a few of many work-items.",
                               .groups = {{"Problem:", 1, own_options, 0}},
                               .has_models = true,
                               APP_FIELDS(struct gups_mod),
                               .open = set_up,
                               .reset = reset,
                               .run = update,
                               .warm_up = warm_up,
                               .describe = describe,
                               .check = check,
                               .checked = "words",
                               .close = close_all};

int main(int argc, char **argv)
{
    struct gups_mod mod = {
        .log_table = 24, .log_items = 22, .active_percent = 5, .most = 16, .form = forms};
    return app_main(&app, &mod, argc, argv);
}
