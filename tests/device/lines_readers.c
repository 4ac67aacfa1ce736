/* SPDX-License-Identifier: MIT */
/*
 * Who reads the lines that kernels print: one that stops, goes, or has no room is an error that says so; a slow one
 * makes nothing late.
 *
 * Path: test_lines.c -> this -> lib/spool
 */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "expect.h"

extern const char lines_cl[]; /* kernels/lines.cl */

static char error_text[1024]; /* of the barrier */

/* @param descriptor  becomes standard output, and is closed here. @param n  lines, of 775 bytes or more. @return what the
 * barrier met. */
static int print_to(int descriptor, size_t n)
{
    int kept = dup(STDOUT_FILENO);
    assert_true(descriptor >= 0);
    fflush(stdout);
    dup2(descriptor, STDOUT_FILENO);
    close(descriptor);
    setenv("GRAVEL_TIMEOUT", "500", 1);
    struct gravel *gravel = open_loopback(1, NULL);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "wide");
    signal(SIGXFSZ, SIG_DFL); /* the driver's compiler has a handler of its own */
    int code = run_kernel(gravel, kernel, n, 64);
    snprintf(error_text, sizeof error_text, "%s", gravel_last_error());
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
    unsetenv("GRAVEL_TIMEOUT");
    dup2(kept, STDOUT_FILENO);
    close(kept);
    return code;
}

/* @param reads  whether the pipe has a reader, which reads nothing. @return as print_to. */
static int print_to_pipe(bool reads)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (!reads)
        close(ends[0]);
    int code = print_to(ends[1], 256);
    if (reads)
        close(ends[0]);
    return code;
}

TEST(a_reader_that_has_stopped_fails_the_node_and_it_closes)
{
    assert_int_equal(print_to_pipe(true), GRAVEL_ETIMEOUT);
    assert_non_null(strstr(error_text, "standard output has taken nothing"));
}

#define PIPE_BYTES 4096 /* that a pipe holds, and that its reader takes at once */

/* A slow reader. */
static struct {
    pthread_t thread;
    int from, kept;
    useconds_t pause_us; /* between two reads */
    _Atomic long n;      /* bytes, so far */
} slow;

static void *read_slowly(void *unused)
{
    static char bytes[PIPE_BYTES];
    ssize_t n;
    (void)unused;
    while ((n = read(slow.from, bytes, sizeof bytes)) > 0) {
        atomic_fetch_add(&slow.n, n);
        usleep(slow.pause_us);
    }
    return NULL;
}

/* Standard output is its pipe. */
static void begin_slow(useconds_t pause_us)
{
    int ends[2];
    slow.kept = dup(STDOUT_FILENO);
    slow.pause_us = pause_us;
    atomic_store(&slow.n, 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES), PIPE_BYTES);
    slow.from = ends[0];
    assert_int_equal(pthread_create(&slow.thread, NULL, read_slowly, NULL), 0);
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
}

static void end_slow(void)
{
    dup2(slow.kept, STDOUT_FILENO);
    close(slow.kept);
    pthread_join(slow.thread, NULL);
    close(slow.from);
}

/* A node of its own prints n lines of 775 bytes to it, by groups of this kernel. @param n_then  [out] bytes it had read
 * when a quiet returned. @return frames that waited for credit. */
static uint64_t print_slowly(const char *name, size_t n, size_t local, long *n_then)
{
    struct gravel_stats stats = {.credit_waits = 0};
    struct gravel *gravel = open_loopback(1, NULL);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    int code = gravel_launch(gravel, kernel, 1, &n, &local, 0, NULL, NULL);
    code = code ? code : gravel_quiet(gravel);
    *n_then = atomic_load(&slow.n);
    gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    int closed = gravel_close(gravel);
    end_slow();
    expect_error(code, 0, "");
    assert_int_equal(closed, 0);
    assert_true(atomic_load(&slow.n) >= (long)n * 775);
    return stats.credit_waits;
}

TEST(quiet_waits_for_the_lines_of_its_own_node)
{
    long n_then;
    begin_slow(10000);
    print_slowly("wide", 256, 64, &n_then);
    assert_true(n_then + 2 * PIPE_BYTES >= atomic_load(&slow.n));
}

/*
 * A node buffer, of 64 kB and 82 lines, takes four times as long to be written as the longest wait without progress;
 * aggregators, and what waits for them, wait longer. Six are full, two of which may be unwritten: the third waits,
 * however fast the kernel is, unless it takes a second for its lines.
 */
TEST(a_slow_reader_makes_nothing_late)
{
    const char *step = getenv("GRAVEL_STEP");
    char limit_ms[16];
    long n_then;
    snprintf(limit_ms, sizeof limit_ms, "%u", 200 * patience());
    setenv("GRAVEL_TIMEOUT", limit_ms, 1);
    setenv("GRAVEL_SPOOL", "4096", 1);
    const bool is_drain =
        step && !strcmp(step, "drain"); /* no leader may wait: slots for a slice's lines */
    setenv("GRAVEL_QUEUE", is_drain ? "593920" : "37120", 1);
    setenv("GRAVEL_SLICE", is_drain ? "1" : "0", 1);
    begin_slow(50000 * patience());
    const uint64_t n_waits = print_slowly("apart", 512, 1, &n_then);
    unsetenv("GRAVEL_TIMEOUT");
    unsetenv("GRAVEL_SPOOL");
    unsetenv("GRAVEL_QUEUE");
    unsetenv("GRAVEL_SLICE");
    assert_true(n_waits > 0);
}

TEST(a_reader_that_has_gone_is_an_error_and_kernels_run_on)
{
    assert_int_equal(print_to_pipe(false), GRAVEL_ESYSTEM);
    assert_non_null(strstr(error_text, "Broken pipe; 256 lines are lost, behind 0 written"));
}

TEST(a_full_disk_is_an_error_that_counts_lost_lines)
{
    assert_int_equal(print_to(open("/dev/full", O_WRONLY), 256), GRAVEL_ESYSTEM);
    assert_non_null(
        strstr(error_text, "No space left on device; 256 lines are lost, behind 0 written"));
}

/* A limit that the driver's own files keep to. */
TEST(a_file_at_its_limit_is_an_error_that_counts_lost_lines)
{
    const unsigned n = 16384;
    unsigned long long n_lost = 0, n_written = 0;
    struct rlimit limit, kept;
    FILE *file = tmpfile();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    limit = (struct rlimit){.rlim_cur = 8u << 20, .rlim_max = kept.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int code = print_to(dup(fileno(file)), n);
    setrlimit(RLIMIT_FSIZE, &kept);
    fclose(file);
    assert_int_equal(code, GRAVEL_ESYSTEM);
    const char *why = strstr(error_text, "File too large; ");
    assert_non_null(why);
    assert_int_equal(sscanf(why, "File too large; %llu lines are lost, behind %llu written",
                            &n_lost, &n_written),
                     2);
    assert_int_equal(n_lost + n_written, n);
    assert_true(n_written >= (8u << 20) / 800 && n_written < (8u << 20) / 775);
}
