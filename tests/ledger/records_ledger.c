/* SPDX-License-Identifier: MIT */
/*
 * Each record that kernels of all nodes append comes once, whole, to the node and the stream that the call names, a
 * work-group's and a work-item's in the order of their calls, however slow the functions and whatever passes; and when a
 * barrier returns, the functions have taken all.
 *
 * usage: records_ledger ITEMS CALLS TIMES PAUSE_US   of each node; ranks of a job, or a process of loop-back nodes. A
 *                                                    function pauses. With a pause senders must have waited for credit.
 *
 * Path: mpirun -> this -> records_ledger.cl, lib/network/records.c, lib/spool
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP 100u
#define N_FORMS 3u

extern const char records_ledger_cl[];

/* As in the kernel. */
struct small {
    uint32_t to, item, place, mark;
};
struct large {
    struct small head;
    uint32_t rest[56];
};
static const uint32_t every[N_FORMS] = {1, 3, 5}; /* so many work-items append a record of a form */

static uint32_t n_nodes, n_sources, n_items, n_calls, n_times, pause_us;
static bool is_loopback; /* nodes of this process take records of all */

/* Of the writer's thread; the host looks when a barrier has returned. */
static uint32_t *
    of_items; /* [n_nodes][n_sources][n_items] place behind the last record that came there, of each */
static uint32_t
    *of_groups; /* [n_nodes][n_sources][n_items / GROUP] place of the last one of a group's calls */
static uint64_t n_come;

static uint32_t hash(uint32_t item, uint32_t place)
{
    return (item * 2654435761u ^ place * 2246822519u) >> 9;
}

static bool is_appended(uint32_t item, uint32_t place, uint32_t to)
{
    return item % every[place % N_FORMS] == 0 && hash(item, place) % n_nodes == to;
}

/* Records of so many times that come to this process. */
static uint64_t n_due(uint32_t here, uint32_t times)
{
    uint64_t n = 0;
    for (uint32_t item = 0; item < n_items; item++)
        for (uint32_t place = 0; place < times * n_calls * N_FORMS; place++)
            for (uint32_t to = 0; to < n_nodes; to++)
                n += (is_loopback || to == here) && is_appended(item, place, to);
    return n * n_sources;
}

static void poll_at(const struct gravel *gravel, uint32_t source, const struct small *record,
                    bool is_large)
{
    const uint32_t item = record->item, place = record->place, to = record->to;
    MUST(source < n_sources && item < n_items && place < n_times * n_calls * N_FORMS);
    MUST(to < n_nodes && (is_loopback || to == gravel_node(gravel)));
    MUST(record->mark == hash(item, place) && is_appended(item, place, to));
    MUST(is_large == (place % N_FORMS == 1));
    uint32_t *next = &of_items[(to * n_sources + source) * n_items + item];
    while (!is_appended(item, *next, to)) /* for other nodes */
        ++*next;
    if (*next != place)
        die(__FILE__, __LINE__, "record %u of item %u of node %u comes to node %u, where %u is due",
            place, item, source, to, *next);
    ++*next;
    uint32_t *last = &of_groups[((to * n_sources + source) * n_items + item) / GROUP];
    const uint32_t in_group = place * GROUP + item % GROUP + 1;
    if (place % N_FORMS < 2) {
        MUST(*last < in_group);
        *last = in_group;
    }
    n_come++;
}

static int take_small(struct gravel *gravel, void *user, uint32_t source, const void *records,
                      uint32_t n)
{
    const struct small *record = records;
    (void)user;
    for (uint32_t i = 0; i < n; i++)
        poll_at(gravel, source, &record[i], false);
    usleep(pause_us);
    return 0;
}

static int take_large(struct gravel *gravel, void *user, uint32_t source, const void *records,
                      uint32_t n)
{
    const struct large *record = records;
    (void)user;
    for (uint32_t i = 0; i < n; i++) {
        poll_at(gravel, source, &record[i].head, true);
        for (uint32_t k = 0; k < 56; k++)
            MUST(record[i].rest[k] == record[i].head.mark + k);
    }
    usleep(pause_us);
    return 0;
}

/* While kernels append, the host gets words: each get sends on what has been shipped, also just when credit has come. */
static void run_beside_gets(struct gravel *gravel, cl_kernel kernel, uint64_t word)
{
    const size_t n = n_items, group = GROUP;
    const uint32_t next = (gravel_node(gravel) + 1) % n_nodes;
    cl_event ended;
    cl_int status;
    uint64_t got;
    OK(gravel_launch(gravel, kernel, 1, &n, &group, 0, NULL, &ended));
    do {
        OK(gravel_get(gravel, word, &got, sizeof got, next));
        MUST(clGetEventInfo(ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                            NULL) == CL_SUCCESS);
    } while (status > CL_COMPLETE);
    MUST(clReleaseEvent(ended) == CL_SUCCESS && status == CL_COMPLETE);
}

static void append(struct gravel *gravel, cl_kernel kernel, uint64_t word, cl_uint time)
{
    MUST(clSetKernelArg(kernel, 1, sizeof time, &time) == CL_SUCCESS);
    run_beside_gets(gravel, kernel, word);
    OK(gravel_barrier(gravel)); /* all records are taken */
    const uint64_t due = n_due(gravel_node(gravel), time + 1);
    if (n_come != due)
        die(__FILE__, __LINE__, "%llu records have come, not %llu", (unsigned long long)n_come,
            (unsigned long long)due);
    OK(gravel_barrier(gravel)); /* before other nodes append on */
}

static void begin(struct gravel *gravel)
{
    struct gravel_config config;
    OK(gravel_config_load(&config, sizeof config));
    is_loopback = !strcmp(config.transport, "self");
    n_nodes = gravel_n_nodes(gravel);
    n_sources = is_loopback ? 1 : n_nodes; /* a process appends as node 0 */
    of_items = calloc((size_t)n_nodes * n_sources * n_items, sizeof *of_items);
    of_groups = calloc((size_t)n_nodes * n_sources * n_items / GROUP, sizeof *of_groups);
    MUST(of_items && of_groups);
}

int main(int argc, char **argv)
{
    const struct gravel_stream streams[] = {
        {.name = "small", .record_bytes = sizeof(struct small), .function = take_small},
        {.name = "large", .record_bytes = sizeof(struct large), .function = take_large},
    };
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = streams, .n_streams = 2);
    MUST(argc == 5);
    n_items = (uint32_t)atoi(argv[1]) / GROUP * GROUP;
    n_calls = (uint32_t)atoi(argv[2]);
    n_times = (uint32_t)atoi(argv[3]);
    pause_us = (uint32_t)atoi(argv[4]);
    struct gravel *gravel = open_default(&bindings);
    const uint32_t node = gravel_node(gravel);
    begin(gravel);
    const uint64_t word = alloc_or_die(gravel, sizeof word);
    OK(gravel_barrier(gravel)); /* a record may come from here on */
    cl_program program = build_or_die(gravel, records_ledger_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "append");
    MUST(clSetKernelArg(kernel, 2, sizeof(cl_uint), &n_calls) == CL_SUCCESS);
    for (cl_uint time = 0; time < n_times; time++)
        append(gravel, kernel, word, time);
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    MUST(stats.credit_waits || !pause_us);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    free(of_items);
    free(of_groups);
    if (node == 0)
        printf("1..1\nok 1 - %llu records of %u nodes; node 0 waited for credit %llu times\n",
               (unsigned long long)n_come, n_nodes, (unsigned long long)stats.credit_waits);
    return 0;
}
