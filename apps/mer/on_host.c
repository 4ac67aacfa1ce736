/* SPDX-License-Identifier: MIT */
/*
 * The table in the host's memory: a handler on the network thread counts.
 *
 * Path: mer.c -> on_host.cl -> count_kmer at the owner -> table.c
 * Owner: see mer.h.
 * Threads: main's; count_kmer is the network thread's.
 */
#include "mer.h"

/* What was not sent is 0. */
static int count_at(void *user, uint32_t number, const uint64_t *args)
{
    struct mer *mer = user;
    words_count(&mer->tables[number], args);
    return 0;
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
    mer->node.bindings.handlers = &handler;
    mer->node.bindings.n_handlers = 1;
    mer->node.call = count_at;
    mer->node.call_user = mer;
    node_open(&mer->node, 0);
}

static void build(struct mer *mer)
{
    extern const char on_host_cl[];
    char options[MER_OPTIONS_BYTES];
    node_build(&mer->node, "on_host.cl", on_host_cl, compiler_options(mer, "", options));
    mer->count_on_host = node_kernel(&mer->node, "count_kmers");
    set_text(mer, mer->count_on_host, 2);
}

static void count(struct mer *mer)
{
    const struct node_bound bound = {.n_messages = 1,
                                     .message_bytes = 8 * words_of((unsigned)mer->k)};
    node_send(&mer->node, mer->count_on_host, mer->n_places, bound);
    TRY(gravel_barrier(mer->node.gravel));
    /* The barrier has ended the network thread's insertions; what they put off is ours. */
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        table_finish(&mer->tables[i]);
    TRY(gravel_barrier(mer->node.gravel));
}

const struct place on_host = {.name = "host", .open = open_node, .build = build, .count = count};
