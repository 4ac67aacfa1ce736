/* SPDX-License-Identifier: MIT */
/*
 * Lines of all nodes come out at the node that GRAVEL_PRINT says alone, each once, and have done so when a barrier
 * returns; those of one node when its quiet returns.
 *
 * usage: test_lines [slow]     a rank of a job; slow: the reader takes longer than GRAVEL_TIMEOUT, again and again
 *
 * Path: mpirun -> this -> cl/print.cl.h, lib/spool
 */
#include "support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_ITEMS 1500u /* of each node and time */
#define GROUP 100u
#define N_TIMES 3u
#define MOST_NODES 8u

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"print.cl.h\"\n"
    "kernel void print(GRAVEL_ARENA, uint time)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    gravel_printf_wg(g, \"time %u of node %u\", time, gravel_node(g));\n"
    "    if (get_global_id(0) % 10 == 0)\n"
    "        gravel_printf_wi(g, \"alone %u of node %u\", time, gravel_node(g));\n"
    "}\n";

static unsigned together[MOST_NODES][N_TIMES][N_ITEMS], alone[MOST_NODES][N_TIMES][N_ITEMS];

static void poll_at(const char *line)
{
    unsigned node, item, time, same;
    int end = 0;
    const bool is_alone =
        sscanf(line, "[%u:%u] alone %u of node %u%n", &node, &item, &time, &same, &end) == 4;
    if (!is_alone &&
        sscanf(line, "[%u:%u] time %u of node %u%n", &node, &item, &time, &same, &end) != 4)
        die(__FILE__, __LINE__, "a line that no work-item prints: %s", line);
    MUST(line[end] == '\0' && node == same && node < MOST_NODES && time < N_TIMES &&
         item < N_ITEMS);
    (is_alone ? alone : together)[node][time][item]++;
}

/* What has been written since the last look; a line that is being written is for the next one. */
static void read_lines(FILE *file)
{
    char line[256];
    long at = ftell(file);
    while (fgets(line, sizeof line, file) && strchr(line, '\n')) {
        line[strcspn(line, "\n")] = '\0';
        poll_at(line);
        at = ftell(file);
    }
    MUST(fseek(file, at, SEEK_SET) == 0);
}

static uint32_t printer; /* where lines come out */
static bool prints_own;  /* each node's at itself */

static bool comes_here(const struct gravel *gravel, uint32_t node)
{
    const uint32_t here = gravel_node(gravel);
    return prints_own ? node == here : here == printer && node < gravel_n_nodes(gravel);
}

/* All lines of all times so far have come; of the next time, which other nodes may have begun, some. */
static void check(const struct gravel *gravel, uint32_t n_times)
{
    for (uint32_t node = 0; node < MOST_NODES; node++)
        for (uint32_t time = 0; time < N_TIMES; time++)
            for (uint32_t i = 0; i < N_ITEMS; i++) {
                const bool comes = comes_here(gravel, node);
                const bool is_due = comes && time < n_times;
                const bool may_come = comes && node != gravel_node(gravel) && time == n_times;
                MUST(together[node][time][i] == is_due ||
                     (may_come && together[node][time][i] == 1));
                MUST(alone[node][time][i] == (is_due && i % 10 == 0) ||
                     (may_come && i % 10 == 0 && alone[node][time][i] == 1));
            }
}

/* ---- quiet ------------------------------------------------------------------------------------- */

#define PIPE_BYTES 4096 /* that a pipe holds, and that its reader takes at once */

/* Between two reads [us], of which there are more than 20. */
static useconds_t pause_us = 10000;

/* A slow reader of lines. */
struct reader {
    pthread_t thread;
    int descriptor;
    _Atomic long n_bytes; /* relaxed: a count */
};

static void *read_slowly(void *argument)
{
    struct reader *reader = argument;
    char bytes[PIPE_BYTES];
    ssize_t n;
    while ((n = read(reader->descriptor, bytes, sizeof bytes)) > 0) {
        atomic_fetch_add_explicit(&reader->n_bytes, n, memory_order_relaxed);
        usleep(pause_us);
    }
    return NULL;
}

/* Standard output is a pipe. */
static void begin_slow(struct reader *reader)
{
    int ends[2];
    MUST(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) == PIPE_BYTES);
    MUST(dup2(ends[1], STDOUT_FILENO) >= 0);
    close(ends[1]);
    reader->descriptor = ends[0];
    MUST(pthread_create(&reader->thread, NULL, read_slowly, reader) == 0);
}

/* It is the file again. @return bytes that came in all. */
static long end_slow(struct reader *reader, int file)
{
    MUST(dup2(file, STDOUT_FILENO) >= 0);
    pthread_join(reader->thread, NULL);
    close(reader->descriptor);
    return atomic_load_explicit(&reader->n_bytes, memory_order_relaxed);
}

static void print_and_tell(struct gravel *gravel, cl_kernel kernel, uint64_t word)
{
    const size_t n_items = N_ITEMS, group = GROUP;
    const cl_uint one = 1;
    OK(gravel_launch(gravel, kernel, 1, &n_items, &group, 0, NULL, NULL));
    OK(gravel_quiet(gravel));
    OK(gravel_put(gravel, word, &one, sizeof one, printer));
    OK(gravel_quiet(gravel));
}

/* The other nodes print, wait for quiet alone, and tell the printer: then all lines but what the pipe and its reader hold have
 * been read. */
static void check_quiets(struct gravel *gravel, cl_kernel kernel, int file)
{
    static struct reader reader;
    const uint32_t node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    const uint64_t words = alloc_or_die(gravel, MOST_NODES * sizeof(cl_uint));
    long n_told = 0;
    if (node == printer)
        begin_slow(&reader);
    OK(gravel_barrier(gravel));
    if (node != printer)
        print_and_tell(gravel, kernel, words + node * sizeof(cl_uint));
    const double begin = seconds_now();
    for (uint32_t other = 0; node == printer && other < n_nodes; other++)
        while (other != printer && !word32(gravel, printer, words + other * sizeof(cl_uint)) &&
               may_wait(begin, 60))
            usleep(200);
    n_told = atomic_load_explicit(&reader.n_bytes, memory_order_relaxed);
    OK(gravel_barrier(gravel));
    if (node == printer)
        MUST(n_told + 2 * PIPE_BYTES >= end_slow(&reader, file) && n_told > 0);
}

/* Nodes that wait hear that the printer lives, though it acknowledges nothing for longer than they wait for a silent one. */
static void be_slow(void)
{
    char text[16];
    snprintf(text, sizeof text, "%u", 1000 * patience());
    setenv("GRAVEL_TIMEOUT", text, 1);
    pause_us = 100000 * patience();
}

int main(int argc, char **argv)
{
    const char *where = getenv("GRAVEL_PRINT");
    if (argc > 1 && !strcmp(argv[1], "slow"))
        be_slow();
    prints_own = where && !strcmp(where, "own");
    printer = where && !prints_own ? (uint32_t)atoi(where) : 0;
    FILE *file = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    MUST(file && kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    FILE *reader = fdopen(dup(fileno(file)), "r");
    struct gravel *gravel = open_default(NULL);
    const uint32_t node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    MUST(reader && freopen(path, "r", reader)); /* its own place in the file */
    cl_program program = build_or_die(gravel, source, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "print");
    for (cl_uint time = 0; time < N_TIMES; time++) {
        MUST(clSetKernelArg(kernel, 1, sizeof time, &time) == CL_SUCCESS);
        OK(run_kernel(gravel, kernel, N_ITEMS, GROUP));
        read_lines(reader);
        check(gravel, time + 1);
    }
    if (!prints_own)
        check_quiets(gravel, kernel, fileno(file));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    fclose(reader);
    dup2(kept, STDOUT_FILENO);
    if (node == 0)
        printf("1..1\nok 1 - lines of %u nodes, %u times\n", n_nodes, N_TIMES);
    return 0;
}
