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

#include "frame/random.h"

#include "divergent.h"
#include "gups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_PERCENT 95u /* of the work-items */

extern const char divergent_cl[];

/* ---- the problem ------------------------------------------------------------------------------- */

static struct divergent problem_of(const struct gups *gups)
{
    const uint64_t length_key = random_key(gups->options.seed);
    return (struct divergent){.length_key = length_key,
                              .update_key = random_mix(length_key),
                              .active_below = ((UINT64_C(100) - IDLE_PERCENT) << 32) / 100,
                              .first_item = gups->node.number * gups->n_items,
                              .table = gups->table,
                              .mask = (cl_uint)(gups->n_words - 1),
                              .most = DIVERGENT_MOST};
}

void divergent_each(const struct gups *gups, divergent_visit *visit, void *user)
{
    const struct divergent problem = problem_of(gups);
    for (uint64_t item = 0; item < gups->node.n_processes * gups->n_items; item++) {
        const uint64_t random = random_at(problem.length_key, item);
        const bool is_active = (random & UINT32_MAX) < problem.active_below;
        const uint64_t n = is_active ? 1 + ((random >> 32) * problem.most >> 32) : 0;
        for (uint64_t i = 0; i < n; i++)
            visit(user, random_at(problem.update_key, item * problem.most + i));
    }
}

static void count(void *user, uint64_t random)
{
    (void)random;
    ++*(double *)user;
}

void divergent_describe(const struct gups *gups, struct trials *trials)
{
    divergent_each(gups, count, &trials->work);
    snprintf(trials->variant, sizeof trials->variant, "%s", gups->form);
    snprintf(trials->input, sizeof trials->input, "table 2^%u, %u %% of 2^%u idle",
             (unsigned)gups->log_table, IDLE_PERCENT, (unsigned)gups->log_items);
}

/* ---- the form's kernel ------------------------------------------------------------------------- */

/* Returns whether the program has a kernel: those of sub-groups are compiled only where there are any. */
static bool has_kernel(const struct gups *gups, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(gups->node.program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME)
        return false;
    node_check_cl(error, name);
    clReleaseKernel(kernel);
    return true;
}

enum { PROBE_GROUPS = 4, PROBE_ROUNDS = 64, PROBE_POLLS = 1 << 18 };

/* Returns whether fine-grain barriers are sound here: no sub-group's wait expired. The kernel ends whatever the device does. */
static bool has_barriers(struct node *node)
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
    return least == PROBE_ROUNDS;
}

/* Reports what cannot run here, which is no result: exit status 77, as tests understand it. */
static _Noreturn void skip(struct gups *gups, const char *reason)
{
    if (gups->node.number == 0)
        fprintf(stderr, "%s: --divergence %s is skipped: %s\n", program_invocation_short_name,
                gups->form, reason);
    node_close(&gups->node);
    exit(77);
}

/* All nodes skip if one of them cannot run the form. */
void divergent_open(struct gups *gups)
{
    struct node *node = &gups->node;
    char name[32];
    snprintf(name, sizeof name, "gups_%s", gups->form);
    node_build(node, "divergent.cl", divergent_cl, NULL);
    if (node_sum(node, !has_kernel(gups, name)))
        skip(gups, "a node's device has no sub-groups");
    if (!strcmp(gups->form, "fbar") && node_sum(node, !has_barriers(node)))
        skip(gups, "sub-groups of a group do not run concurrently on a node's device");
    gups->kernel = node_kernel(node, name);
    const struct divergent problem = problem_of(gups);
    NODE_SET(gups->kernel, 2, {sizeof problem, &problem});
}
