/* SPDX-License-Identifier: MIT */
/*
 * The table in the host's memory: a handler on the network thread counts.
 *
 * Path: mer.c -> on_host.cl -> count_kmer at the owner -> table.c
 * Owner: see mer.h.
 * Threads: main's; count_kmer is the network thread's.
 */
#include "mer.h"

#include <errno.h>

/* What was not sent is 0. */
static int count_at(void *user, uint32_t number, const uint64_t *args)
{
    struct mer *mer = user;
    return words_count(&mer->tables[number], args) ? 0 : ENOMEM;
}

/* An active message. */
static int count_kmer(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)source;
    return count_at(user, gravel_node(gravel), args);
}

static void open_node(struct mer *mer)
{
    struct gravel_handler handler = {.name = "count_kmer",
                                     .n_args = words_of((unsigned)mer->k),
                                     .function = count_kmer,
                                     .user = mer};
    mer->node.handlers = &handler;
    mer->node.n_handlers = 1;
    mer->node.call = count_at;
    mer->node.call_user = mer;
    node_open(&mer->node, 0);
}

static cl_kernel make_kernel(struct mer *mer, const char *name)
{
    cl_kernel kernel = node_kernel(&mer->node, name);
    set_text(mer, kernel, 2);
    return kernel;
}

static void build(struct mer *mer)
{
    extern const char on_host_cl[];
    char options[MER_OPTIONS_BYTES];
    node_build(&mer->node, "on_host.cl", on_host_cl, compiler_options(mer, "", options));
    if (mer->per_item == 0)
        mer->per_item = node_derive_each(&mer->node, mer->n_places);
    mer->on_host.one = make_kernel(mer, "count_kmers");
    mer->on_host.several = make_kernel(mer, "count_several");
}

static void describe(const struct mer *mer, struct trials *trials)
{
    trials_add_number(trials, "places_per_item", mer->per_item);
}

static void count(struct mer *mer)
{
    const struct node_bound bound = {.n_messages = 1,
                                     .message_bytes = 8 * words_of((unsigned)mer->k)};
    node_send_each(&mer->node, &mer->on_host, mer->n_places, (uint32_t)mer->per_item, bound);
    TRY(gravel_barrier(mer->node.gravel));
    /* The barrier has ended the network thread's insertions; what they put off is ours. */
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        if (!table_finish(&mer->tables[i]))
            die_alone("no memory for more than %llu k-mers at node %u",
                      (unsigned long long)table_n_used(&mer->tables[i]), i);
    TRY(gravel_barrier(mer->node.gravel));
}

const struct place on_host = {
    .name = "host", .open = open_node, .build = build, .describe = describe, .count = count};
