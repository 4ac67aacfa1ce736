/* SPDX-License-Identifier: MIT */
/*
 * Each line that kernels of all nodes print comes out once, whole, at the node that GRAVEL_PRINT names; each record that they
 * append comes once, whole, to the node and the stream that the call names: a work-group's and a work-item's in the order of
 * their calls, however slow the reader or the functions. When a barrier returns, all have come, and a node's lines when its
 * quiet does.
 *
 * usage: arrivals_ledger lines|records ITEMS CALLS TIMES PAUSE_US   of each node; ranks of a job, or a process of loop-back
 *             nodes. The reader takes 64 kB and pauses, or a function does; senders must have waited for credit then. From 0.1 s
 *             on it takes 4 kB, so that a frame takes it longer than GRAVEL_TIMEOUT.
 *
 * Path: mpirun -> this -> arrivals_ledger.cl, lib/network/records.c, lib/spool
 */
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP 100u
#define READ_BYTES 65536u
#define N_FORMS 3u
static const uint32_t every[N_FORMS] = {1, 3, 5}; /* so many work-items have a form of call */

extern const char arrivals_ledger_cl[];

static struct gravel *gravel;
static uint32_t node, n_nodes, n_sources, n_items, n_calls, n_times, pause_us;
static uint32_t printer; /* of lines; of each node's, itself if prints_own */
static bool are_lines, prints_own, is_loopback;
static size_t read_bytes = READ_BYTES;

/* ---- what is due ------------------------------------------------------------------------------- */

/* As in the kernel. */
static uint32_t hash(uint32_t item, uint32_t place)
{
    return (item * 2654435761u ^ place * 2246822519u) >> 9;
}

/* Lines have one target, wherever they come out. */
static bool is_sent(uint32_t item, uint32_t place, uint32_t to)
{
    return item % every[place % N_FORMS] == 0 &&
           (are_lines ? to == 0 : hash(item, place) % n_nodes == to);
}

/* Whether what a source sends to a target comes to this process. */
static bool comes(uint32_t source, uint32_t to)
{
    if (are_lines)
        return to == 0 && node == (prints_own ? source : printer);
    return is_loopback || to == node;
}

/* Returns how many of so many times come to this process. */
static uint64_t n_due(uint32_t times)
{
    uint64_t n = 0;
    for (uint32_t to = 0; to < n_nodes; to++)
        for (uint32_t source = 0; source < n_sources; source++)
            for (uint32_t item = 0; comes(source, to) && item < n_items; item++)
                for (uint32_t place = 0; place < times * n_calls * N_FORMS; place++)
                    n += is_sent(item, place, to);
    return n;
}

/* ---- what has come ----------------------------------------------------------------------------- */

/* Of the thread that takes them; the host reads the count alone. [n_nodes][n_sources][n_items][2]: the place behind the last of
 * an item, and [n_items / GROUP] the last one of a group's calls. In checked mode a group's calls wait until all have made them,
 * and a work-item's own do not: they are in order among themselves, from [1] on. */
static uint32_t *of_items, *of_groups;
static bool is_checked;
static _Atomic uint64_t n_come; /* relaxed: a count */

static void arrive(uint32_t source, uint32_t to, uint32_t item, uint32_t place)
{
    MUST(source < n_sources && to < n_nodes && item < n_items);
    MUST(place < n_times * n_calls * N_FORMS && is_sent(item, place, to));
    MUST(comes(source, to));
    const bool is_apart = is_checked && place % N_FORMS == 2;
    uint32_t *next = &of_items[((to * n_sources + source) * n_items + item) * 2 + is_apart];
    while (!is_sent(item, *next, to) || (is_checked && (*next % N_FORMS == 2) != is_apart))
        ++*next;
    if (*next != place)
        die(__FILE__, __LINE__, "place %u of item %u of node %u comes to node %u, where %u is due",
            place, item, source, to, *next);
    ++*next;
    uint32_t *last = &of_groups[((to * n_sources + source) * n_items + item) / GROUP];
    const uint32_t in_group = place * GROUP + item % GROUP + 1;
    if (place % N_FORMS < 2) {
        MUST(*last < in_group);
        *last = in_group;
    }
    atomic_fetch_add_explicit(&n_come, 1, memory_order_relaxed);
}

/* ---- records ----------------------------------------------------------------------------------- */

/* As in the kernel. */
struct small {
    uint32_t to, item, place, mark;
};
struct large {
    struct small head;
    uint32_t rest[56];
};

static int take(struct gravel *here, void *bytes, uint32_t source, const void *records, uint32_t n)
{
    (void)here;
    for (uint32_t i = 0; i < n; i++) {
        const size_t each = (size_t)(uintptr_t)bytes;
        const struct large *record = (const void *)((const char *)records + i * each);
        const struct small head = record->head;
        arrive(source, head.to, head.item, head.place);
        MUST(head.mark == hash(head.item, head.place));
        MUST((each == sizeof *record) == (head.place % N_FORMS == 1));
        for (uint32_t k = 0; each == sizeof *record && k < 56; k++)
            MUST(record->rest[k] == head.mark + k);
    }
    usleep(pause_us);
    return 0;
}

#define STREAM(type)                                                          \
    {                                                                         \
        .name = #type, .record_bytes = sizeof(struct type), .function = take, \
        .user = (void *)sizeof(struct type)                                   \
    }
static const struct gravel_stream streams[] = {STREAM(small), STREAM(large)};

/* While kernels append, the host gets words: each get sends on what has been shipped, also just when credit has come. */
static void get_words_until(cl_event ended, uint64_t word)
{
    cl_int status;
    uint64_t got;
    do {
        OK(gravel_get(gravel, word, &got, sizeof got, (node + 1) % n_nodes));
        MUST(clGetEventInfo(ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                            NULL) == CL_SUCCESS);
    } while (status > CL_COMPLETE);
    MUST(status == CL_COMPLETE);
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void read_line(const char *line)
{
    unsigned source, item, place;
    int end = 0;
    if (sscanf(line, "[%u:%u] line %u%n", &source, &item, &place, &end) != 3 || line[end])
        die(__FILE__, __LINE__, "a line that no work-item prints: %s", line);
    arrive(source, 0, item, place);
}

static void *read_slowly(void *descriptor)
{
    static char bytes[READ_BYTES], line[256];
    size_t used = 0;
    ssize_t n;
    while ((n = read(*(int *)descriptor, bytes, read_bytes)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            MUST(used + 1 < sizeof line);
            line[used++] = bytes[i];
            if (bytes[i] != '\n')
                continue;
            line[used - 1] = '\0';
            read_line(line);
            used = 0;
        }
        usleep(pause_us);
    }
    MUST(used == 0);
    return NULL;
}

/* Makes standard output a pipe, whose other end is the reader's. */
static pthread_t begin_to_read(int *descriptor)
{
    pthread_t thread;
    int ends[2];
    MUST(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, (int)read_bytes) == (int)read_bytes);
    MUST(dup2(ends[1], STDOUT_FILENO) >= 0);
    close(ends[1]);
    *descriptor = ends[0];
    MUST(pthread_create(&thread, NULL, read_slowly, descriptor) == 0);
    return thread;
}

/* ---- the run ----------------------------------------------------------------------------------- */

static struct gravel_stats read_stats(void)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return stats;
}

static void check(uint64_t due)
{
    const uint64_t come =
        are_lines ? read_stats().lines : atomic_load_explicit(&n_come, memory_order_relaxed);
    if (come != due)
        die(__FILE__, __LINE__, "%llu have come, not %llu", (unsigned long long)come,
            (unsigned long long)due);
}

/* Waits for this node's lines alone, and puts a word to the printer. */
static void tell_by_quiet(uint64_t words, uint32_t times)
{
    OK(gravel_quiet(gravel));
    if (prints_own)
        check(n_due(times));
    OK(gravel_put(gravel, words + 4 * node, &times, sizeof times, printer));
    OK(gravel_quiet(gravel));
}

/* Waits, before the printer prints, for the words of all other nodes. */
static void hear_all(uint64_t words, uint32_t times)
{
    const double begin = seconds_now();
    for (uint32_t other = 0; other < n_sources; other++)
        while (other != node && word32(gravel, node, words + 4 * other) != times &&
               may_wait(begin, 60))
            usleep(200);
    check(n_due(times) - (n_due(times) - n_due(times - 1)) / n_sources);
}

static void send(cl_kernel kernel, uint64_t words, cl_uint time)
{
    const size_t n = n_items, group = GROUP;
    const bool by_quiet = are_lines && time % 2, hears = node == printer && !prints_own;
    cl_event ended;
    if (by_quiet && hears)
        hear_all(words, time + 1);
    MUST(clSetKernelArg(kernel, 1, sizeof time, &time) == CL_SUCCESS);
    OK(gravel_launch(gravel, kernel, 1, &n, &group, 0, NULL, &ended));
    if (!are_lines)
        get_words_until(ended, words);
    MUST(clReleaseEvent(ended) == CL_SUCCESS);
    if (by_quiet && !hears)
        tell_by_quiet(words, time + 1);
    OK(gravel_barrier(gravel));
    check(n_due(time + 1));
    OK(gravel_barrier(gravel)); /* before other nodes send on */
}

/* Nodes that wait hear that the printer lives, though it acknowledges nothing for longer than they wait for a silent one. */
static void be_slow(void)
{
    char text[16];
    snprintf(text, sizeof text, "%u", 1000 * patience());
    setenv("GRAVEL_TIMEOUT", text, 1);
    pause_us *= patience();
    read_bytes = 4096;
}

static void open_nodes(void)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = streams, .n_streams = 2);
    const char *where = getenv("GRAVEL_PRINT");
    struct gravel_config config;
    prints_own = where && !strcmp(where, "own");
    printer = where && !prints_own ? (uint32_t)atoi(where) : 0;
    OK(gravel_config_load(&config, sizeof config));
    is_loopback = !strcmp(config.transport, "self");
    is_checked = config.check;
    gravel = open_default(&bindings);
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    n_sources = is_loopback ? 1 : n_nodes; /* a process sends as node 0 */
    of_items = calloc((size_t)n_nodes * n_sources * n_items, 2 * sizeof *of_items);
    of_groups = calloc((size_t)n_nodes * n_sources * n_items / GROUP, sizeof *of_groups);
    MUST(of_items && of_groups);
}

int main(int argc, char **argv)
{
    static int descriptor;
    pthread_t reader = 0;
    MUST(argc == 6);
    are_lines = !strcmp(argv[1], "lines");
    n_items = (uint32_t)atoi(argv[2]) / GROUP * GROUP;
    n_calls = (uint32_t)atoi(argv[3]);
    n_times = (uint32_t)atoi(argv[4]);
    pause_us = (uint32_t)atoi(argv[5]);
    const bool is_late = pause_us >= 100000;
    if (is_late)
        be_slow();
    open_nodes();
    const int kept = dup(STDOUT_FILENO);
    const bool reads = are_lines && (prints_own || node == printer);
    if (reads)
        reader = begin_to_read(&descriptor);
    const uint64_t words = alloc_or_die(gravel, 4 * (uint64_t)n_nodes + 8);
    OK(gravel_barrier(gravel)); /* a record may come from here on */
    cl_program program = build_or_die(gravel, arrivals_ledger_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, argv[1]);
    MUST(clSetKernelArg(kernel, 2, sizeof(cl_uint), &n_calls) == CL_SUCCESS);
    for (cl_uint time = 0; time < n_times; time++)
        send(kernel, words, time);
    MUST(read_stats().credit_waits || !pause_us || is_late);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    MUST(kept >= 0 && dup2(kept, STDOUT_FILENO) >= 0); /* the pipe's last writer goes */
    if (reads)
        pthread_join(reader, NULL);
    MUST(n_come == n_due(n_times));
    free(of_items);
    free(of_groups);
    if (node == 0)
        printf("1..1\nok 1 - %llu %s of %u nodes\n", (unsigned long long)n_come, argv[1], n_nodes);
    return 0;
}
