/* SPDX-License-Identifier: MIT */
/*
 * Checked mode on the host: joins the arrivals of work-items at calls of their work-group or sub-group.
 *
 * A call that all its members have made alike is whole, and its messages are what an unchecked call's would be. A call
 * that some members left out, or made with another operation, base, handler or reply or on another line, is reported,
 * and none of its messages is sent.
 *
 * Path:    aggregator.c (a package with GRAVELP_COMMAND_CHECKED) -> check.c -> the aggregator's usual way.
 * Owner:   an aggregator; its thread's alone.
 */
#ifndef GRAVEL_AGGREGATE_CHECK_H
#define GRAVEL_AGGREGATE_CHECK_H

#include "aggregate/sender.h"
#include "layout/package.h"

#include <pthread.h>
#include <stdbool.h>

/* The names of kernels that have been built: a package brings the hash of its kernel's name. Zero-filled: none. Of any
 * thread. */
struct gravel_kernel_names {
    pthread_mutex_t lock;
    char *list; /* each with a semicolon behind it; to be freed */
};

/** Add the kernels of a program: names separated by semicolons, as OpenCL gives them. False if memory is out. */
bool gravel_kernel_names_add(struct gravel_kernel_names *names, const char *list);

struct gravel_check {
    struct gravel_kernel_names *names;
    bool (*are_over)(void *context); /* whether all kernels have ended: calls are final */
    void *context;                   /* for are_over */
    void *calls;                     /* tree of struct checked_call, by group and call */
    struct checked_call *finished;   /* the last one that became whole */
};

/**
 * Take an arrival.
 *
 * @param header   a copy of the package's header, checked: of at most one message, stride 16.
 * @param arrived  the message's columns, of one message or none.
 * @param code     [out] 0; GRAVEL_EKERNEL: nothing of the call will be sent; GRAVEL_ENOMEM. `text` [bytes] says why.
 * @return         the messages of a call that is whole now, until the next take; maybe none. NULL: some members have
 *                 not made the call yet, or it has been reported.
 */
const struct gravel_columns *gravel_check_take(struct gravel_check *check,
                                               const struct gravelp_package *header,
                                               const struct gravel_columns *arrived, int *code,
                                               char *text, size_t bytes);

/** Names the first call that is not whole when all kernels have ended, and forgets all. False if there is none. @param
 * text [bytes] NULL if that is 0. */
bool gravel_check_end(struct gravel_check *check, char *text, size_t bytes);

/** Writes whose call an arrival is at: "kernel count, work-group at (128)" into text [bytes]. */
void gravel_check_write_group(struct gravel_check *check, const struct gravelp_arrival *arrival,
                              char *text, size_t bytes);

#endif
