/* SPDX-License-Identifier: MIT */
/*
 * The forms in which an application writes its critical sections: its memory, and how its kernels are launched; form.c names them.
 *
 * Messages with keys go to any node. The other forms are for memory that one device reaches, and so for a single node.
 *
 * Path:    an application -> this -> gravel/server.h
 * Source:  Wang, Fussell, Lin 2019, section 4.
 */
#ifndef APPS_SECTIONS_FORM_H
#define APPS_SECTIONS_FORM_H

#include "frame/app.h"

/* Work-items of a group, if --group does not say: clients keep an outbox in registers and local memory. */
#define SECTIONS_GROUP 256u

enum { SECTIONS_MOST_ARRAYS = 4 };

/* What an application with critical sections has of them. */
struct sections {
    const struct section_form *form; /* --form; NULL: the first */
    const char *without; /* names of forms that the application does not have; NULL: it has all */
    bool is_of_one_node; /* the data are, in every form */
    uint32_t n_groups;   /* --groups, of forms without servers; 0: a work-item for each item */
    /* Set by sections_open: */
    struct node *node;                 /* the application's */
    bool is_served;                    /* by messages with keys */
    uint64_t at[SECTIONS_MOST_ARRAYS]; /* heap offsets of arrays, as handlers' constants 0 and up */
    uint32_t n_arrays;
};

/** --form and --groups; the offset is of a struct sections. */
extern const struct app_option options_of_sections[];

/* What the tables of applications have in common, whose steps have one name each; and their own options. */
#define SECTIONS_APP(type, ...)                                                               \
    APP_FIELDS(type),                                                                         \
        .group_items = SECTIONS_GROUP,                                                        \
        .groups = {__VA_ARGS__,                                                               \
                   {"Critical sections:", 2, options_of_sections, offsetof(type, sections)}}, \
        .open = set_up, .reset = reset, .run = run, .describe = describe, .check = check

struct sections_program {
    const char *name, *source;             /* the text has handlers and kernels */
    const struct gravel_handler *handlers; /* [n_handlers] of the device, with keys */
    uint32_t n_handlers;
    uint64_t bytes[SECTIONS_MOST_ARRAYS]; /* of arrays at each node; those behind the last are 0 */
};

/** Open the node for the form, make the arrays, and build the program; or die. */
void sections_open(struct sections *sections, struct node *node,
                   const struct sections_program *program);

/**
 * Make a kernel. Its argument 1 is `uint n`, how many items it has, 2 `uint stride`, the distance from an item of a
 * work-item to its next, which a launch sets; then come the arrays' offsets, ulong each. SECTIONS_SET sets the rest.
 *
 * _of_form: of a section, NAME_served, NAME_locked or NAME_atomic.
 */
cl_kernel sections_kernel(const struct sections *sections, const char *name);
cl_kernel sections_kernel_of_form(const struct sections *sections, const char *name);
#define SECTIONS_SET(sections, kernel, ...) NODE_SET(kernel, 3 + (sections)->n_arrays, __VA_ARGS__)

/** Run sections of n items (0 is allowed) in their form. _enqueue: in whole groups, at most n_groups unless that is 0, which
 * suits a kernel without sections. */
void sections_run(const struct sections *sections, cl_kernel kernel, uint64_t n);
void sections_enqueue(const struct sections *sections, cl_kernel kernel, uint64_t n,
                      uint64_t n_groups);

/** Read bytes of an array at a node of this process, to be freed. */
void *sections_read(const struct sections *sections, uint32_t array, uint64_t bytes,
                    uint32_t number);

/** Describe the form, and the work of a trial. */
void sections_describe(const struct sections *sections, struct trials *trials, uint64_t work);

#endif
