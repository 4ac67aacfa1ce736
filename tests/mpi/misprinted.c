/* SPDX-License-Identifier: MIT */
/*
 * Jobs that print, and go wrong: a node dies that prints, or that writes; the reader of node 0's standard output stops;
 * the disk is full. Every node that lives must end in time, with the cause in its error text; it prints "as expected"
 * then.
 *
 * usage: mpirun ... misprinted MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this
 */
#include "job.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS 1500u /* GRAVEL_TIMEOUT of a job that waits it out, times patience */

/* More lines than may be unwritten, so that senders are waiting for credit when something fails. */
static const char print_cl[] = "#include \"gravel.cl.h\"\n"
                               "#include \"print.cl.h\"\n"
                               "kernel void print(GRAVEL_ARENA)\n"
                               "{\n"
                               "    GRAVEL_OPEN(g);\n"
                               "    for (uint n = 0; n < 16; n++)\n"
                               "        gravel_printf_wg(g, \"line %u of 16\", n);\n"
                               "}\n";

struct printing {
    struct gravel *gravel;
    cl_program program;
    cl_kernel kernel;
    int kept; /* the standard output that fault.sh reads */
};

/* @param output  becomes node 0's standard output, and is closed here. */
static struct printing begin_printing(int output)
{
    struct printing printing = {.kept = dup(STDOUT_FILENO)};
    setenv("GRAVEL_SPOOL", "4096", 1);
    printing.gravel = open_default(NULL);
    printing.program = build_or_die(printing.gravel, print_cl, "");
    printing.kernel = kernel_or_die(printing.gravel, printing.program, "print");
    MUST(printing.kept >= 0 && output >= 0);
    if (rank == 0)
        MUST(dup2(output, STDOUT_FILENO) >= 0);
    close(output);
    int code = gravel_barrier(printing.gravel);
    MUST(code == 0 || code == GRAVEL_ESYSTEM); /* another node may have left it, and print */
    return printing;
}

#define MANY_ITEMS 25600u

static int launch_printing(const struct printing *printing, size_t global)
{
    const size_t local = 256;
    return gravel_launch(printing->gravel, printing->kernel, 1, &global, &local, 0, NULL, NULL);
}

/* Print until a call fails, which must be so, and tell it; the node closes. */
static void expect_end_of_printing(const struct printing *printing, int code, const char *part)
{
    int got;
    double begin;
    do {
        begin = seconds_now();
        got = launch_printing(printing, MANY_ITEMS);
        if (!got)
            got = gravel_barrier(printing->gravel);
    } while (!got);
    MUST(is_in_time(begin));
    expect(got, code, part);
    MUST(gravel_close(printing->gravel) == code);
    MUST(dup2(printing->kept, STDOUT_FILENO) >= 0);
    as_expected();
}

/* What has come of a file of lines is whole. */
static void expect_whole_lines(FILE *file)
{
    char line[128];
    unsigned node, item, n, n_lines = 0;
    int end = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        MUST(sscanf(line, "[%u:%u] line %u of 16\n%n", &node, &item, &n, &end) == 3 && !line[end]);
        n_lines++;
    }
    MUST(n_lines > 0);
}

static void killed_while_printing(void)
{
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    FILE *file = tmpfile();
    MUST(file);
    const struct printing printing = begin_printing(dup(fileno(file)));
    if (rank == 1) {
        OK(launch_printing(&printing, MANY_ITEMS));
        usleep(2000);
        raise(SIGKILL);
    }
    expect_end_of_printing(&printing, GRAVEL_EPEER, "node 1 ");
    if (rank == 0)
        expect_whole_lines(file);
    _exit(0);
}

/* The node that writes: the others wait for its credit. */
static void killed_while_writing(void)
{
    int ends[2];
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    MUST(pipe(ends) == 0); /* which nobody reads */
    const struct printing printing = begin_printing(ends[1]);
    if (rank == 0) {
        OK(launch_printing(&printing, MANY_ITEMS));
        usleep(50000);
        raise(SIGKILL);
    }
    expect_end_of_printing(&printing, GRAVEL_EPEER, "node 0 ");
    _exit(0);
}

/* The node that writes says why it fails before a leader loses its patience. */
static void reader_stopped(void)
{
    int ends[2];
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    MUST(pipe(ends) == 0);
    const struct printing printing = begin_printing(ends[1]);
    expect_end_of_printing(&printing, rank == 0 ? GRAVEL_ETIMEOUT : GRAVEL_EPEER,
                           rank == 0 ? "standard output has taken nothing"
                                     : "node 0 gave up: lines of kernels");
    _exit(0);
}

/* A full disk: no kernel waits longer for it, and node 0 hears how much is lost. */
static void disk_full(void)
{
    const struct printing printing = begin_printing(open("/dev/full", O_WRONLY));
    const size_t n_items = 2560;
    char lost[96];
    OK(launch_printing(&printing, n_items));
    const int code = gravel_barrier(printing.gravel);
    snprintf(lost, sizeof lost, "No space left on device; %u lines are lost, behind 0 written",
             16 * (unsigned)n_items * gravel_n_nodes(printing.gravel));
    MUST(dup2(printing.kept, STDOUT_FILENO) >= 0);
    expect(code, rank == 0 ? GRAVEL_ESYSTEM : 0, lost);
    OK(gravel_barrier(printing.gravel));
    clReleaseKernel(printing.kernel);
    clReleaseProgram(printing.program);
    OK(gravel_close(printing.gravel));
    as_expected();
}

static const struct mode modes[] = {
    MODE(killed_while_printing),
    MODE(killed_while_writing),
    MODE(reader_stopped),
    MODE(disk_full),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
