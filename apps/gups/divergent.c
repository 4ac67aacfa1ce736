/* SPDX-License-Identifier: MIT */
/*
 * GUPS-mod: GUPS whose work-items are mostly idle, and busy for different lengths of time.
 *
 * A random 5 % of the work-items make a random number of updates each. Form `if` sends by work-groups, in which idle ones
 * take part with a predicate that says they have nothing to send; --help lists the other forms.
 *
 * Path: gups.c -> this -> divergent.cl
 * Source: Orr 2016, sections 5.3 and 5.6.2.
 */
#include <sys/types.h>

#include "frame/die.h"
#include "frame/random.h"

#include "divergent.h"
#include "gups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char divergent_cl[];

static bool is_form(const struct gups *gups, const char *name)
{
    return !strcmp(gups->form, name);
}

/* ---- the problem ------------------------------------------------------------------------------- */

static struct divergent problem_of(const struct gups *gups)
{
    const uint64_t length_key = random_key(gups->options.seed);
    return (struct divergent){.length_key = length_key,
                              .update_key = random_mix(length_key),
                              .active_below = ((100 - gups->idle_percent) << 32) / 100,
                              .first_item = gups->node.number * gups->n_items,
                              .table = gups->table.offset,
                              .mask = (cl_uint)(gups->table.n_words - 1),
                              .most = (cl_uint)gups->most};
}

/* Counts the updates of work-item `item` of all nodes. */
static uint64_t n_updates_of(const struct divergent *problem, uint64_t item)
{
    const uint64_t random = random_at(problem->length_key, item);
    if ((random & UINT32_MAX) >= problem->active_below)
        return 0;
    return 1 + ((random >> 32) * problem->most >> 32);
}

static uint64_t n_items_of_all(const struct gups *gups)
{
    return gups->node.n_processes * gups->n_items;
}

void divergent_describe(const struct gups *gups, struct trials *trials)
{
    const struct divergent problem = problem_of(gups);
    for (uint64_t item = 0; item < n_items_of_all(gups); item++)
        trials->work += (double)n_updates_of(&problem, item);
    snprintf(trials->variant, sizeof trials->variant, "%s", gups->form);
    snprintf(trials->input, sizeof trials->input, "table 2^%u, %u %% of 2^%u idle",
             (unsigned)gups->log_table, (unsigned)gups->idle_percent, (unsigned)gups->log_items);
    trials_add_number(trials, "items_per_node", gups->n_items);
    trials_add_number(trials, "idle_percent", gups->idle_percent);
    trials_add_number(trials, "max_updates", gups->most);
}

void divergent_undo(struct gups *gups)
{
    const struct divergent problem = problem_of(gups);
    table_undo_divergent(&gups->table, &problem, n_items_of_all(gups));
}

/* ---- groups of form wave ----------------------------------------------------------------------- */

static uint32_t items_together(struct node *node, cl_kernel kernel)
{
    size_t n_items = 0;
    TRY_CL(clGetKernelWorkGroupInfo(kernel, gravel_cl_device(node->gravel),
                                    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof n_items,
                                    &n_items, NULL));
    return n_items > NODE_MAX_GROUP ? NODE_MAX_GROUP : n_items ? (uint32_t)n_items : 1;
}

/* ---- whether fine-grain barriers are sound --------------------------------------------------- */

enum { PROBE_GROUPS = 4, PROBE_ROUNDS = 64, PROBE_POLLS = 1 << 18 };

/* Returns the fewest rounds of PROBE_ROUNDS that a sub-group got through. The kernel ends whatever the device does. */
static uint32_t probe_rounds(struct node *node)
{
    size_t group_items = node->group_items, n_items = PROBE_GROUPS * group_items;
    cl_kernel kernel = node_kernel(node, "rounds_of_fbar");
    cl_mem array = node_array(node, n_items * sizeof(cl_uint), NULL);
    cl_uint *rounds = app_array(n_items, sizeof *rounds, "rounds"), least = PROBE_ROUNDS;
    NODE_SET(kernel, 1, ARRAY(array), UINT(PROBE_ROUNDS), UINT(PROBE_POLLS));
    TRY(gravel_launch(node->gravel, kernel, 1, &n_items, &group_items, 0, NULL, NULL));
    TRY(gravel_barrier(node->gravel));
    node_read(node, array, n_items * sizeof *rounds, rounds);
    for (size_t i = 0; i < n_items; i++)
        least = rounds[i] < least ? rounds[i] : least;
    free(rounds);
    return least;
}

/* ---- the form's kernel ------------------------------------------------------------------------- */

/* Makes the kernel; NULL with the reason: kernels of sub-groups are compiled only where there are any. */
static cl_kernel make_kernel(struct gups *gups, char *reason, size_t bytes)
{
    cl_int error;
    char name[32];
    snprintf(name, sizeof name, "gups_%s", is_form(gups, "wave") ? "if" : gups->form);
    cl_kernel kernel = clCreateKernel(gups->node.program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) {
        snprintf(reason, bytes, "this device has no sub-groups");
        return NULL;
    }
    node_check_cl(error, name);
    TRY(gravel_kernel_set_arena(gups->node.gravel, kernel, 0));
    return kernel;
}

/* Returns whether the form's promises hold here; every node with the kernel takes part. */
static bool is_sound(struct gups *gups, char *reason, size_t bytes)
{
    uint32_t n_rounds = is_form(gups, "fbar") ? probe_rounds(&gups->node) : PROBE_ROUNDS;
    if (n_rounds < PROBE_ROUNDS)
        snprintf(reason, bytes,
                 "sub-groups of a group do not run concurrently on this device: one waited for "
                 "%d polls, after %u of %d rounds",
                 PROBE_POLLS, n_rounds, PROBE_ROUNDS);
    return n_rounds == PROBE_ROUNDS;
}

/* Reports what cannot run here, which is no result: exit status 77, as tests understand it. */
static _Noreturn void skip(struct gups *gups, const char *reason)
{
    if (gups->node.number == 0 && gups->options.json)
        printf("{\"name\": \"gups\", \"variant\": \"%s\", \"skipped\": \"%s\"}\n", gups->form,
               reason);
    else if (gups->node.number == 0)
        fprintf(stderr, "%s: --divergence %s is skipped: %s\n", program_invocation_short_name,
                gups->form, reason);
    node_close(&gups->node);
    exit(77);
}

/* Sets the work-items of a group as the form wants them. All nodes skip if one of them cannot run it. */
void divergent_open(struct gups *gups)
{
    struct node *node = &gups->node;
    char reason[256] = "another node's device cannot take it";
    node_build(node, "divergent.cl", divergent_cl, NULL);
    cl_kernel kernel = make_kernel(gups, reason, sizeof reason);
    if (kernel && is_form(gups, "wave"))
        node->group_items =
            gups->wave_items ? (uint32_t)gups->wave_items : items_together(node, kernel);
    if (node_sum(node, !kernel) || node_sum(node, !is_sound(gups, reason, sizeof reason)))
        skip(gups, reason);
    gups->kernel = kernel;
    const struct divergent problem = problem_of(gups);
    NODE_SET(kernel, 2, {sizeof problem, &problem});
}
