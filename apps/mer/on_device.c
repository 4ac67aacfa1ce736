/* SPDX-License-Identifier: MIT */
/*
 * The table in the memory of the device, in the symmetric heap: a handler with a key counts there.
 *
 * A node's table is shards of SHARD_ENTRIES entries, which cannot grow. There are so many that each gets SHARD_MEAN
 * different k-mers on average: 72 more, for which the hash would have to be off by nine standard deviations, have room.
 *
 * Path: mer.c -> on_device.cl -> table.c, for the check and the output
 * Owner: the heap's; see mer.h.
 * Threads: main's.
 */
#include "mer.h"

#include <gravel/server.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARD_ENTRIES 128u
#define SHARD_MEAN 56u
#define SHARD_BYTES (SHARD_ENTRIES * sizeof(struct table_entry))
#define LOST_BYTES 64u /* behind the shards: one word, and up to the end of its line */
#define FETCHED_SHARDS UINT64_C(2048) /* copied at once */

/* Shards for so many different k-mers at least, few as there may be: each is counted by a work-item at a time. */
#define LEAST_EXPECTED (UINT64_C(1) << 16)

extern const char on_device_cl[];

/* ---- how large ----------------------------------------------------------------------------------- */

/* Different k-mers of all nodes at most. */
static uint64_t expect_kmers(const struct mer *mer)
{
    uint64_t n = mer->n_kmers;
    if (mer->k < 32 && n > UINT64_C(1) << 2 * mer->k)
        n = UINT64_C(1) << 2 * mer->k;
    return n > LEAST_EXPECTED * mer->node.n_nodes ? n : LEAST_EXPECTED * mer->node.n_nodes;
}

static uint64_t table_bytes(const struct mer *mer)
{
    return mer->on_device.n_shards * SHARD_BYTES + LOST_BYTES;
}

static void size_table(struct mer *mer)
{
    uint64_t n = mer->n_expected ? mer->n_expected : expect_kmers(mer);
    cl_ulong most = 0;
    mer->on_device.n_shards = n / mer->node.n_nodes / SHARD_MEAN + 1;
    TRY_CL(clGetDeviceInfo(gravel_cl_device(mer->node.gravel), CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                           sizeof most, &most, NULL));
    if (table_bytes(mer) * mer->node.n_local > most)
        die("--table device: %" PRIu64 " different k-mers take %" PRIu64
            " bytes, and the device allocates %" PRIu64
            " at most: expect fewer (--distinct), or give --table host",
            n, table_bytes(mer) * mer->node.n_local, (uint64_t)most);
}

/* ---- open ---------------------------------------------------------------------------------------- */

static const char *options_of(const struct mer *mer, char options[MER_OPTIONS_BYTES])
{
    char more[32];
    snprintf(more, sizeof more, " -DSHARD_ENTRIES=%u", SHARD_ENTRIES);
    return compiler_options(mer, more, options);
}

/* A heap is sized when its node opens. So there is a node already, which has read the input and ends here. */
static void open_node(struct mer *mer)
{
    struct node *node = &mer->node;
    struct gravel_handler handler = {
        .name = "count_kmer", .n_args = 1 + words_of((unsigned)mer->k), .serve = {.n_keys = 1}};
    char options[MER_OPTIONS_BYTES];
    size_table(mer);
    node_close(node);
    /* All messages between nodes are active ones, which the device does not bin: more threads bin without its
     * aggregation. The environment has the last word. */
    if (node->n_nodes > 1 && !getenv("GRAVEL_DEVICE_AGGREGATION"))
        TRY(gravel_config_set(&node->config, "device_aggregation", "off"));
    node->bindings.handlers = &handler;
    node->bindings.n_handlers = 1;
    node->bindings.device_code =
        (struct gravel_device_code){on_device_cl, "on_device.cl", options_of(mer, options)};
    node_open(node, table_bytes(mer));
}

static void build(struct mer *mer)
{
    struct device_table *table = &mer->on_device;
    char options[MER_OPTIONS_BYTES];
    TRY(gravel_alloc(mer->node.gravel, table_bytes(mer), &table->offset));
    TRY(gravel_set_constant(mer->node.gravel, 0, table->offset));
    TRY(gravel_set_constant(mer->node.gravel, 1, table->offset + table->n_shards * SHARD_BYTES));
    TRY(gravel_server_build(mer->node.gravel, "on_device.cl", on_device_cl,
                            options_of(mer, options), &mer->node.program));
    table->count = node_kernel(&mer->node, "count_kmers");
    NODE_SET(table->count, 1, UINT(table->n_shards));
    set_text(mer, table->count, 2);
    table->clear = node_kernel(&mer->node, "clear_table");
    NODE_SET(table->clear, 3, ULONG(table->offset));
}

static void describe(const struct mer *mer, struct trials *trials)
{
    trials_add_number(trials, "shards", mer->on_device.n_shards);
    trials_add_number(trials, "shard_entries", SHARD_ENTRIES);
}

/* ---- trials -------------------------------------------------------------------------------------- */

static void reset(struct mer *mer)
{
    for (uint32_t heap = 0; heap < mer->node.n_local; heap++) {
        NODE_SET(mer->on_device.clear, 2, UINT(heap));
        node_run(&mer->node, mer->on_device.clear, table_bytes(mer) / 16);
    }
    node_finish(&mer->node);
}

static void count(struct mer *mer)
{
    const uint64_t lost = mer->on_device.offset + mer->on_device.n_shards * SHARD_BYTES;
    uint64_t n = 0;
    TRY(gravel_server_launch(mer->node.gravel, mer->on_device.count, mer->n_places, 0, NULL, NULL));
    TRY(gravel_barrier(mer->node.gravel));
    for (uint32_t i = 0; i < mer->node.n_local; i++) {
        uint32_t n_here;
        TRY(gravel_get(mer->node.gravel, lost, &n_here, sizeof n_here, mer->node.number + i));
        n += n_here;
    }
    n = node_sum(&mer->node, n);
    if (n)
        die("%" PRIu64 " k-mers found no room in a table of %" PRIu64
            " entries on each node's device: expect more (--distinct), or give --table host",
            n, mer->on_device.n_shards * SHARD_ENTRIES);
}

/* ---- what was counted ------------------------------------------------------------------------------ */

static void fetch_node(struct mer *mer, uint32_t number)
{
    const struct device_table *table = &mer->on_device;
    for (uint64_t first = 0, n; first < table->n_shards; first += n) {
        n = table->n_shards - first < FETCHED_SHARDS ? table->n_shards - first : FETCHED_SHARDS;
        void *mapped;
        TRY(gravel_map(mer->node.gravel, table->offset + first * SHARD_BYTES, n * SHARD_BYTES,
                       CL_MAP_READ, number, &mapped));
        const struct table_entry *entries = mapped;
        for (uint64_t i = 0; i < n * SHARD_ENTRIES; i++)
            if (entries[i].count)
                table_put(&mer->tables[number], &entries[i]);
        TRY(gravel_unmap(mer->node.gravel, mapped));
    }
}

static void fetch(struct mer *mer)
{
    for (uint32_t i = 0; i < mer->node.n_local; i++)
        fetch_node(mer, mer->node.number + i);
}

const struct place on_device = {.name = "device",
                                .open = open_node,
                                .build = build,
                                .describe = describe,
                                .reset = reset,
                                .count = count,
                                .fetch = fetch};
