/* SPDX-License-Identifier: MIT */
/*
 * Lines of all nodes come out at node 0 alone, each once, and have done so when a barrier returns.
 *
 * usage: test_lines     a rank of a job
 *
 * Path: mpirun -> this -> cl/print.cl.h, lib/spool
 */
#include "support.h"

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

static void look_at(const char *line)
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
        look_at(line);
        at = ftell(file);
    }
    MUST(fseek(file, at, SEEK_SET) == 0);
}

/* All lines of all times so far have come; of the next time, which other nodes may have begun, some. */
static void check(uint32_t n_nodes, uint32_t n_times)
{
    for (uint32_t node = 0; node < MOST_NODES; node++)
        for (uint32_t time = 0; time < N_TIMES; time++)
            for (uint32_t i = 0; i < N_ITEMS; i++) {
                const bool is_due = node < n_nodes && time < n_times;
                const bool may_come = node < n_nodes && node > 0 && time == n_times;
                MUST(together[node][time][i] == is_due ||
                     (may_come && together[node][time][i] == 1));
                MUST(alone[node][time][i] == (is_due && i % 10 == 0) ||
                     (may_come && i % 10 == 0 && alone[node][time][i] == 1));
            }
}

int main(void)
{
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
        check(node == 0 ? n_nodes : 0, time + 1);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    fclose(reader);
    dup2(kept, STDOUT_FILENO);
    if (node == 0)
        printf("1..1\nok 1 - lines of %u nodes, %u times\n", n_nodes, N_TIMES);
    return 0;
}
