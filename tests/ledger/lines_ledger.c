/* SPDX-License-Identifier: MIT */
/*
 * Each line that kernels of all nodes print comes out once, whole, a work-group's and a work-item's in the order of
 * their calls, however slow the reader; and when a barrier returns, all have been written.
 *
 * usage: lines_ledger ITEMS CALLS TIMES PAUSE_US   of each node; ranks of a job, or a node alone. The reader takes 64 kB
 *                                                  and pauses. With a pause senders must have waited for credit.
 *
 * Path: mpirun -> this -> cl/print.cl.h, lib/network/records.c, lib/spool
 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP 100u
#define READ_BYTES 65536u

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"print.cl.h\"\n"
    "kernel void print(GRAVEL_ARENA, uint time, uint n_calls)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    for (uint call = 0; call < n_calls; call++) {\n"
    "        gravel_printf_wg(g, \"0 of call %u, time %u\", call, time);\n"
    "        gravel_printf_wg_if(g, i % 3 == 0, \"1 of call %u, time %u\", call, time);\n"
    "        if (i % 5 == 0)\n"
    "            gravel_printf_wi(g, \"2 of call %u, time %u\", call, time);\n"
    "    }\n"
    "}\n";
#define N_FORMS 3u
static const uint32_t every[N_FORMS] = {1, 3, 5}; /* so many work-items print a line of a form */

static uint32_t n_nodes, n_items, n_calls, n_times, pause_us;

/* What node 0 has read. */
struct reader {
    pthread_t thread;
    int descriptor;
    uint32_t
        *of_items; /* [n_nodes][n_items] lines of each so far, by their place: time, call, form */
    uint32_t
        *of_groups; /* [n_nodes][n_items / GROUP] place of the last line of a call of the group */
    _Atomic uint64_t n_lines; /* relaxed: a count */
};

/* Lines of all nodes, of so many times. */
static uint64_t n_lines_of(uint32_t times)
{
    uint64_t n = 0;
    for (uint32_t form = 0; form < N_FORMS; form++)
        n += (n_items + every[form] - 1) / every[form];
    return n * n_calls * times * n_nodes;
}

/* The line of an item behind the one at `place`, plus 1: an item leaves out forms that are not its own. */
static uint32_t next_place(uint32_t item, uint32_t place)
{
    while (item % every[place % N_FORMS] != 0)
        place++;
    return place + 1;
}

static void poll_at(struct reader *reader, const char *line)
{
    unsigned node, item, form, call, time;
    int end = 0;
    if (sscanf(line, "[%u:%u] %u of call %u, time %u%n", &node, &item, &form, &call, &time, &end) !=
            5 ||
        line[end] || node >= n_nodes || item >= n_items || form >= N_FORMS || call >= n_calls ||
        time >= n_times)
        die(__FILE__, __LINE__, "a line that no work-item prints: %s", line);
    const uint32_t place = (time * n_calls + call) * N_FORMS + form;
    uint32_t *of_item = &reader->of_items[node * n_items + item];
    if (next_place(item, *of_item) != place + 1)
        die(__FILE__, __LINE__, "line %u of this item comes behind %u of its places: %s", place,
            *of_item, line);
    *of_item = place + 1;
    uint32_t *of_group = &reader->of_groups[(node * n_items + item) / GROUP];
    const uint32_t in_group = place * GROUP + item % GROUP + 1;
    if (form < 2 && *of_group >= in_group)
        die(__FILE__, __LINE__, "behind %u in its group: %s", *of_group, line);
    if (form < 2)
        *of_group = in_group;
    atomic_fetch_add_explicit(&reader->n_lines, 1, memory_order_relaxed);
}

static void *read_slowly(void *argument)
{
    struct reader *reader = argument;
    static char bytes[READ_BYTES], line[256];
    size_t used = 0;
    ssize_t n;
    while ((n = read(reader->descriptor, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            MUST(used + 1 < sizeof line);
            line[used++] = bytes[i];
            if (bytes[i] != '\n')
                continue;
            line[used - 1] = '\0';
            poll_at(reader, line);
            used = 0;
        }
        usleep(pause_us);
    }
    MUST(used == 0);
    return NULL;
}

/* Standard output is a pipe, whose other end is the reader's. */
static void begin(struct reader *reader)
{
    int ends[2];
    reader->of_items = calloc((size_t)n_nodes * n_items, sizeof *reader->of_items);
    reader->of_groups = calloc((size_t)n_nodes * n_items / GROUP, sizeof *reader->of_groups);
    MUST(reader->of_items && reader->of_groups && pipe(ends) == 0);
    MUST(dup2(ends[1], STDOUT_FILENO) >= 0);
    close(ends[1]);
    reader->descriptor = ends[0];
    MUST(pthread_create(&reader->thread, NULL, read_slowly, reader) == 0);
}

static void end(struct reader *reader, int kept)
{
    MUST(dup2(kept, STDOUT_FILENO) >= 0); /* the pipe's last writer goes */
    pthread_join(reader->thread, NULL);
    close(reader->descriptor);
    free(reader->of_items);
    free(reader->of_groups);
}

static struct gravel_stats stats_of(struct gravel *gravel)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return stats;
}

static void print(struct gravel *gravel, cl_kernel kernel, cl_uint time)
{
    MUST(clSetKernelArg(kernel, 1, sizeof time, &time) == CL_SUCCESS);
    OK(run_kernel(gravel, kernel, n_items, GROUP)); /* the barrier: all lines are out */
    const uint64_t expected = gravel_node(gravel) == 0 ? n_lines_of(time + 1) : 0;
    if (stats_of(gravel).lines != expected)
        die(__FILE__, __LINE__, "%llu lines are written, not %llu",
            (unsigned long long)stats_of(gravel).lines, (unsigned long long)expected);
    OK(gravel_barrier(gravel)); /* before other nodes print on */
}

int main(int argc, char **argv)
{
    static struct reader reader;
    MUST(argc == 5);
    n_items = (uint32_t)atoi(argv[1]) / GROUP * GROUP;
    n_calls = (uint32_t)atoi(argv[2]);
    n_times = (uint32_t)atoi(argv[3]);
    pause_us = (uint32_t)atoi(argv[4]);
    const int kept = dup(STDOUT_FILENO);
    struct gravel *gravel = open_default(NULL);
    const bool reads = gravel_node(gravel) == 0;
    struct gravel_config config;
    OK(gravel_config_load(&config, sizeof config));
    n_nodes = !strcmp(config.transport, "self")
                  ? 1
                  : gravel_n_nodes(gravel); /* a process prints as node 0 */
    MUST(kept >= 0);
    if (reads)
        begin(&reader);
    cl_program program = build_or_die(gravel, source, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "print");
    MUST(clSetKernelArg(kernel, 2, sizeof(cl_uint), &n_calls) == CL_SUCCESS);
    for (cl_uint time = 0; time < n_times; time++)
        print(gravel, kernel, time);
    const uint64_t n_waits = stats_of(gravel).credit_waits;
    MUST(n_waits || !pause_us);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    if (!reads)
        return 0;
    end(&reader, kept);
    MUST(atomic_load_explicit(&reader.n_lines, memory_order_relaxed) == n_lines_of(n_times));
    printf("1..1\nok 1 - %llu lines of %u nodes; node 0 waited for credit %llu times\n",
           (unsigned long long)n_lines_of(n_times), n_nodes, (unsigned long long)n_waits);
    return 0;
}
