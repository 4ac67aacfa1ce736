/* SPDX-License-Identifier: MIT */
/*
 * A flow of an application's node: made, built, and reported; every failure ends the process.
 *
 * Path:    an application -> this -> gravel/flow.h
 * Owner:   the application, until flow_close.
 * Threads: main's.
 */
#ifndef APPS_FLOW_H
#define APPS_FLOW_H

#include "frame/app.h"

#include <gravel/flow.h>

/* Work-items of a group, if --group does not say: a kernel has the code of all nodes, and so many registers that GPUs
 * may bear no larger groups. */
#define FLOW_GROUP 256u

/* How an application is written: as a flow, or with the plain kernels that it is compared with. */
struct flow_form {
    const char *name;
    app_step *open; /* behind node_open */
    app_step *run;
};

/** --form flow|plain fills a bool, which says whether it is plain. */
option_take flow_take_form;
#define FLOW_FORM_OPTION(in)                                                                     \
    {                                                                                            \
        "form", 0, "FORM",                                                                       \
            "flow: tasks of a channel-flow graph; plain: kernels that the host launches (flow)", \
            flow_take_form, OPTION_AT(in, is_plain, bool), 0, 0                                  \
    }

/** Make a flow whose groups are the node's (--group). */
struct gravel_flow *flow_open(struct node *node, const struct gravel_graph *graph);

/** Set an argument of its kernel, from 2 on, by value, of the type that the kernel declares. */
#define FLOW_SET(flow, index, type, value) \
    TRY(gravel_flow_set_argument(flow, index, sizeof(type), &(type){value}))

/** Add what the flow's memory is to the parameters, and let its counts begin: before the trials. Nothing if it is NULL. */
void flow_describe(struct gravel_flow *flow, struct trials *trials);

/** Say and add what its runs have counted since. An application has one flow, or NULL. */
void flow_tell(struct gravel_flow *flow, struct trials *trials);

/** What a plain C function of the application's finds. */
typedef uint64_t flow_serial(const void *self);

/** Compare a result with the serial one, and tell how long that took for so much work. @return 1 if they differ. */
uint64_t flow_check(struct trials *trials, double work, uint64_t result, flow_serial *serial,
                    const void *self);

/** Say and add how long a serial method took, which did so much work. */
void flow_tell_serial(struct trials *trials, double seconds, double work);

/** Destroy the flow, and close the node. */
void flow_close(struct gravel_flow *flow, struct node *node);

#endif
