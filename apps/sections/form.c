/* SPDX-License-Identifier: MIT */
/*
 * Forms of critical sections. See form.h.
 *
 * Path: form.h -> this -> frame/node.c
 * Owner, threads: see form.h.
 */
#include "sections/form.h"

#include "frame/die.h"

#include <gravel/server.h>

#include <stdio.h>
#include <string.h>

static const struct section_form forms[] = {
    {.name = "phases", .kernel = "served", .options = "", .mode = "phases"},
    {.name = "servers", .kernel = "served", .options = "", .mode = "resident"},
    {.name = "nested", .kernel = "nested", .options = "", .mode = "phases"},
    {.name = "lock", .kernel = "locked", .options = ""},
    {.name = "ttas", .kernel = "locked", .options = "-DLOOK_FIRST"},
    {.name = "atomic", .kernel = "atomic", .options = ""},
};

static bool has_form(const struct sections *sections, const struct section_form *form)
{
    char word[32];
    snprintf(word, sizeof word, " %s", form->name);
    return !sections->without || !strstr(sections->without, word);
}

static void choose_form(struct sections *sections)
{
    const struct section_form *first = &forms[0];
    while (!has_form(sections, first))
        first++;
    if (!sections->form)
        sections->form = first;
    if (!has_form(sections, sections->form))
        die("--form %s: its critical sections have none in this form; there is %s",
            sections->form->name, first->name);
}

const struct app_option options_of_sections[] = {
    {"form", 0, "phases|servers|nested|lock|ttas|atomic",
     "How critical sections are written: phases, messages to servers, which take turns with their "
     "clients; servers, which run with their clients; nested, messages of two data, in turns; "
     "lock, spin locks; ttas, locks that are looked at before; atomic, atomic "
     "operations",
     OPTION_ROW(struct sections, form, const struct section_form, forms)},
    {"groups", 0, "N", "Work-groups of forms lock, ttas and atomic (a work-item for each item)",
     OPTION_NUMBER(struct sections, n_groups, 0, 1 << 24)},
    {0}};

void sections_open(struct sections *sections, struct node *node, uint64_t heap_bytes,
                   const char *name, const char *source, const struct gravel_handler *handlers,
                   uint32_t n_handlers)
{
    choose_form(sections);
    node->bindings.handlers = handlers;
    node->bindings.n_handlers = n_handlers;
    node->bindings.device_code = (struct gravel_device_code){source, name, NULL};
    TRY(gravel_config_set(&node->config, "server_mode",
                          sections->form->mode ? sections->form->mode : "phases"));
    node_open(node, heap_bytes);
    if (node->n_nodes > 1 && !sections->form->mode)
        die("--form %s: %s in the memory of one node, and there are %u; messages with keys have no "
            "such limit",
            sections->form->name,
            strcmp(sections->form->name, "atomic") ? "a lock is" : "words of atomic operations are",
            node->n_nodes);
    TRY(gravel_server_build(node->gravel, name, source, sections->form->options, &node->program));
}

cl_kernel sections_kernel(const struct sections *sections, struct node *node, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s_%s", name, sections->form->kernel);
    return node_kernel(node, full);
}

/* Whole groups; work-items without an item find that out. */
static void run_alone(const struct sections *sections, struct node *node, cl_kernel kernel,
                      uint64_t n)
{
    uint64_t groups = (n + node->group_items - 1) / node->group_items;
    if (sections->n_groups && sections->n_groups < groups)
        groups = sections->n_groups;
    const uint64_t n_items = groups * node->group_items;
    if (n == 0)
        return;
    NODE_SET(kernel, 1, UINT(n), UINT(n_items));
    node_enqueue(node, kernel, n_items, node->group_items);
    node_finish(node);
}

void sections_run(const struct sections *sections, struct node *node, cl_kernel kernel, uint64_t n)
{
    if (sections->form->mode)
        TRY(gravel_server_launch(node->gravel, kernel, n, 0, NULL, NULL));
    else
        run_alone(sections, node, kernel, n);
}
