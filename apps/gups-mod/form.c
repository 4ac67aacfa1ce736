/* SPDX-License-Identifier: MIT */
/*
 * Forms of divergent code. See form.h.
 *
 * Path: gups-mod.c -> this -> gups-mod.cl
 * Owner, threads: see form.h.
 */
#include "form.h"
#include "frame/die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct form forms[] = {{"if", "gups_if"},     {"wi", "gups_wi"},
                             {"wave", "gups_if"},   {"subgroup", "gups_subgroup"},
                             {"fbar", "gups_fbar"}, {"share", "gups_share"},
                             {NULL, NULL}};

const struct form *form_find(const char *name)
{
    for (const struct form *form = forms; form->name; form++)
        if (!strcmp(form->name, name))
            return form;
    return NULL;
}

static bool is_form(const struct form *form, const char *name)
{
    return !strcmp(form->name, name);
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

/* ---- one form -------------------------------------------------------------------------------- */

/* NULL with the reason: kernels of sub-groups are compiled only where there are any. */
static cl_kernel make_kernel(const struct form *form, struct node *node, char *reason, size_t bytes)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(node->program, form->kernel, &error);
    if (error == CL_INVALID_KERNEL_NAME) {
        snprintf(reason, bytes, "this device has no sub-groups");
        return NULL;
    }
    node_check_cl(error, form->kernel);
    TRY(gravel_kernel_set_arena(node->gravel, kernel, 0));
    return kernel;
}

/* Whether the form's promises hold here; every node with the kernel takes part. */
static bool is_sound(const struct form *form, struct node *node, char *reason, size_t bytes)
{
    uint32_t n_rounds = is_form(form, "fbar") ? probe_rounds(node) : PROBE_ROUNDS;
    if (n_rounds < PROBE_ROUNDS)
        snprintf(reason, bytes,
                 "sub-groups of a group do not run beside each other on this device: one waited in "
                 "vain for %d looks, after %u of %d rounds",
                 PROBE_LOOKS, n_rounds, PROBE_ROUNDS);
    return n_rounds == PROBE_ROUNDS;
}

cl_kernel form_kernel(const struct form *form, struct node *node, uint32_t wave_items, char *reason,
                      size_t bytes)
{
    snprintf(reason, bytes, "another node's device cannot take it");
    cl_kernel kernel = make_kernel(form, node, reason, bytes);
    if (kernel && is_form(form, "wave"))
        node->group_items = wave_items ? wave_items : items_together(node, kernel);
    if (node_sum(node, !kernel) == 0 && node_sum(node, !is_sound(form, node, reason, bytes)) == 0)
        return kernel;
    if (kernel)
        clReleaseKernel(kernel);
    return NULL;
}
