/* SPDX-License-Identifier: MIT */
/*
 * Forms of critical sections. See form.h.
 *
 * Path:    form.h -> this -> frame/node.c
 */
#include "sections/form.h"

#include <gravel/server.h>

#include <string.h>

struct section_form {
    const char *name;
    const char *kernel;  /* behind "NAME_" of an application's kernel */
    const char *options; /* of the compiler */
    const char *mode;    /* GRAVEL_SERVER_MODE; NULL: not served */
};

static const struct section_form forms[] = {
    {"phases", "served", "", "phases"}, {"servers", "served", "", "resident"},
    {"lock", "locked", "", NULL},       {"ttas", "locked", "-DREAD_FIRST", NULL},
    {"atomic", "atomic", "", NULL},
};

const struct app_option options_of_sections[] = {
    {"form", 0, "phases|servers|lock|ttas|atomic",
     "How critical sections are written: phases, messages to servers, which take turns with their "
     "clients; servers, which run with their clients; lock, spin locks; ttas, locks that are read "
     "before they are tried; atomic, atomic operations",
     OPTION_ROW(struct sections, form, const struct section_form, forms)},
    {"groups", 0, "N", "Work-groups of forms lock, ttas and atomic (a work-item for each item)",
     OPTION_NUMBER(struct sections, n_groups, 0, 1 << 24)},
    {0}};

void sections_open(struct sections *sections, struct node *node,
                   const struct sections_program *program)
{
    const struct section_form *form = sections->form = sections->form ? sections->form : forms;
    uint64_t heap_bytes = 0;
    if (sections->without && strstr(sections->without, form->name))
        die("--form %s: its critical sections have none in this form; there is %s", form->name,
            forms->name);
    node->bindings.handlers = program->handlers;
    node->bindings.n_handlers = program->n_handlers;
    node->bindings.device_code = (struct gravel_device_code){program->source, program->name, NULL};
    TRY(gravel_config_set(&node->config, "server_mode", form->mode ? form->mode : "phases"));
    for (uint32_t i = 0; i < SECTIONS_MOST_ARRAYS; i++)
        heap_bytes += program->bytes[i];
    node_open(node, heap_bytes);
    if (node->n_nodes > 1 && (sections->is_of_one_node || !form->mode))
        die("--form %s: what its sections change is in the memory of one node, and there are %u",
            form->name, node->n_nodes);
    sections->node = node;
    sections->is_served = form->mode != NULL;
    for (uint32_t i = 0; i < SECTIONS_MOST_ARRAYS && program->bytes[i]; i++, sections->n_arrays++) {
        TRY(gravel_alloc(node->gravel, program->bytes[i], &sections->at[i]));
        TRY(gravel_set_constant(node->gravel, i, sections->at[i]));
    }
    TRY(gravel_server_build(node->gravel, program->name, program->source, form->options,
                            &node->program));
}

cl_kernel sections_kernel(const struct sections *sections, const char *name)
{
    cl_kernel kernel = node_kernel(sections->node, name);
    for (uint32_t i = 0; i < sections->n_arrays; i++)
        NODE_SET(kernel, 3 + i, ULONG(sections->at[i]));
    return kernel;
}

cl_kernel sections_kernel_of_form(const struct sections *sections, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s_%s", name, sections->form->kernel);
    return sections_kernel(sections, full);
}

void sections_enqueue(const struct sections *sections, cl_kernel kernel, uint64_t n,
                      uint64_t n_groups)
{
    struct node *node = sections->node;
    const uint64_t group_items = node->group_items, n_all = (n + group_items - 1) / group_items;
    const uint64_t stride = (n_groups && n_groups < n_all ? n_groups : n_all) * group_items;
    NODE_SET(kernel, 1, UINT(n), UINT(stride));
    node_enqueue(node, kernel, stride, group_items);
}

void sections_run(const struct sections *sections, cl_kernel kernel, uint64_t n)
{
    if (sections->is_served) {
        NODE_SET(kernel, 1, UINT(n), UINT(0));
        TRY(gravel_server_launch(sections->node->gravel, kernel, n, 0, NULL, NULL));
    } else {
        sections_enqueue(sections, kernel, n, sections->n_groups);
        node_finish(sections->node);
    }
}

void *sections_read(const struct sections *sections, uint32_t array, uint64_t bytes,
                    uint32_t number)
{
    void *data = app_array(bytes, 1, "a node's memory");
    if (bytes)
        TRY(gravel_get(sections->node->gravel, sections->at[array], data, bytes, number));
    return data;
}

void sections_describe(const struct sections *sections, struct trials *trials, uint64_t work)
{
    snprintf(trials->variant, sizeof trials->variant, "%s", sections->form->name);
    trials->work = (double)work;
    trials_add_number(trials, "groups", sections->n_groups);
}
