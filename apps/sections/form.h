/* SPDX-License-Identifier: MIT */
/*
 * The forms in which an application writes its critical sections, and how a kernel of each is launched.
 *
 *     phases   a message with a key to the server that owns the datum; clients and servers take turns
 *     servers  as phases, but servers are resident, concurrent with their clients
 *     nested   a message with two keys, for sections of two data of one node; also in turns
 *     lock     a spin lock a datum
 *     ttas     a spin lock a datum, which looks before it tries
 *     atomic   atomic operations made for the case
 *
 * Messages with keys go to any node. The other forms are for memory that one device reaches, and so for a single node.
 *
 * Path: an application -> this -> gravel/server.h
 * Owner: kernels are the node's.
 * Threads: main's.
 * Source: Wang, Fussell, Lin 2019, section 4.
 */
#ifndef APPS_SECTIONS_FORM_H
#define APPS_SECTIONS_FORM_H

#include "frame/node.h"

/* Work-items of a group, if --group does not say: clients keep an outbox in registers and local memory. */
#define SECTIONS_GROUP 256u

struct section_form {
    const char *name;
    const char *kernel;  /* behind "NAME_" of an application's kernel */
    const char *options; /* of the compiler */
    const char *mode;    /* GRAVEL_SERVER_MODE; NULL: not served */
};

/* What an application with critical sections has of them. */
struct sections {
    const struct section_form *form; /* --form */
    const char *without; /* names of the forms that it does not have, each behind a blank */
    uint32_t
        n_groups; /* --groups, of the forms that lock: all work-items are in so many groups; 0: one an item */
};

#define SECTIONS_WITHOUT(forms) ((struct sections){.without = (forms)})

/** --form and --groups; the offset is of a struct sections. Before the options are used: sections_choose. */
extern const struct app_option options_of_sections[];
#define SECTIONS_OPTIONS_GROUP(at)                       \
    {                                                    \
        "Critical sections:", 2, options_of_sections, at \
    }

/**
 * Open the node for the form, and build its program: the text has handlers and kernels.
 *
 * @param handlers  [n_handlers] of the device, with keys.
 */
void sections_open(struct sections *sections, struct node *node, uint64_t heap_bytes,
                   const char *name, const char *source, const struct gravel_handler *handlers,
                   uint32_t n_handlers);

/** The form's kernel of a section: NAME_served, NAME_locked or NAME_atomic. */
cl_kernel sections_kernel(const struct sections *sections, struct node *node, const char *name);

/**
 * Run it for n items (0 is allowed). Argument 1 of the kernels that lock is `uint n_items`, argument 2 the distance
 * from an item of a work-item to its next, `uint stride`; a kernel that is served has arguments from 1 on.
 */
void sections_run(const struct sections *sections, struct node *node, cl_kernel kernel, uint64_t n);

/** Returns the first of the arguments that follow. */
static inline cl_uint sections_first_argument(const struct sections *sections)
{
    return sections->form->mode ? 1 : 3;
}

#endif
