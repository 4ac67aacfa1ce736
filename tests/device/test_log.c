/* SPDX-License-Identifier: MIT */
/*
 * The log: the caller's function hears what the node does, and with GRAVEL_LOG standard error has the same lines, whole
 * and with the node's number; without it the library prints what makes a job slow, if there is no function. Statistics
 * have few lines in jobs of many nodes.
 *
 * Path: meson test -> this -> lib/node/log.c
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "expect.h"

static char heard[8192], printed[8192];

static void hear(void *user, const char *text)
{
    size_t n = strlen(heard);
    (void)user;
    snprintf(heard + n, sizeof heard - n, "gravel node 0: %s\n", text);
}

static const char *setting; /* while standard error is captured */
static FILE *file;
static int kept;

/* Captures standard error into `printed`, and sets a variable of the environment. */
static void begin_capture(const char *name, const char *value)
{
    file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    setting = name;
    setenv(name, value, 1);
}

static void end_capture(void)
{
    unsetenv(setting);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
}

static int refuse(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)gravel, (void)user, (void)source;
    return (int)args[0];
}

/* A node that opens, meets a handler that fails, and closes. */
static void live(const char *value, gravel_log_function *log)
{
    const struct gravel_handler handler = {.name = "refuse", .n_args = 1, .function = refuse};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.log = log, .handlers = &handler, .n_handlers = 1);
    const uint64_t one = 1;
    heard[0] = '\0';
    begin_capture("GRAVEL_LOG", value);
    struct gravel *gravel = open_loopback(1, &bindings);
    int sent = gravel_am(gravel, 0, &one, 1, 0);
    int quiet = gravel_quiet(gravel);
    gravel_close(gravel);
    end_capture();
    assert_int_equal(sent, 0);
    assert_int_equal(quiet, GRAVEL_EHANDLER);
}

TEST(without_the_setting_nothing_is_printed)
{
    live("0", NULL);
    assert_string_equal(printed, "");
    live("", hear);
    assert_string_equal(printed, "");
    assert_non_null(strstr(heard, "device "));
}

TEST(with_the_setting_standard_error_has_what_the_log_hears)
{
    live("1", hear);
    assert_string_equal(printed, heard);
    assert_non_null(strstr(printed, "gravel node 0: device "));
    assert_non_null(strstr(printed, "handler refuse"));
}

/* As launchers bind ranks. */
TEST(a_node_that_is_bound_to_one_core_is_told)
{
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        skip();
    live("", hear);
    assert_null(strstr(heard, "may run on"));
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    live("", hear);
    assert_non_null(strstr(heard, "may run on 1 of the host's "));
    assert_non_null(strstr(heard, "--bind-to none"));
    live("", NULL); /* no launcher chose the core */
    assert_string_equal(printed, "");
    setenv("PMI_SIZE", "1", 1);
    live("", NULL);
    assert_memory_equal(printed, "gravel node 0: may run on 1 of the host's ", 42);
    assert_ptr_equal(strchr(printed, '\n') + 1, strchr(printed, '\0'));
    live("0", NULL);
    assert_string_equal(printed, "");
    live("", hear);
    assert_string_equal(printed, "");
    unsetenv("PMI_SIZE");
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* Nothing else may tell a program for ranks that it did a part of the work. */
TEST(loop_back_nodes_that_no_one_asked_for_are_told)
{
    for (int asks = 0; asks < 2; asks++) {
        begin_capture("GRAVEL_LOOPBACK", "2");
        struct gravel *gravel = open_loopback(2, NULL);
        bool is_local = gravel_is_local(gravel, asks);
        int code = gravel_close(gravel);
        end_capture();
        OK(code);
        assert_true(is_local);
        assert_int_equal(strstr(printed, "GRAVEL_LOOPBACK is 2") == NULL, asks);
    }
}

TEST(a_closed_standard_error_harms_nothing)
{
    begin_capture("GRAVEL_LOG", "1");
    close(STDERR_FILENO);
    struct gravel *gravel = open_loopback(1, NULL);
    int code = gravel_close(gravel);
    end_capture();
    assert_int_equal(code, 0);
}

TEST(maps_that_are_out_at_close_are_printed)
{
    begin_capture("GRAVEL_LOG", "1");
    struct gravel *gravel = open_loopback(1, NULL);
    const void *map = read_map(gravel, 0, alloc_or_die(gravel, 64), 64);
    int code = gravel_close(gravel);
    int unmapped = gravel_unmap(gravel, (void *)map);
    end_capture();
    assert_int_equal(code, 0);
    assert_int_equal(unmapped, 0);
    assert_non_null(strstr(printed, "gravel node 0: 1 maps are out"));
}

/* What is written at once is one record of such a socket. */
TEST(each_line_is_one_write)
{
    int ends[2];
    uint32_t n_lines = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    setenv("GRAVEL_STATS", "1", 1);
    begin_capture("GRAVEL_LOG", "1");
    dup2(ends[1], STDERR_FILENO);
    struct gravel *gravel = open_loopback(2, NULL);
    const uint64_t word = 1, at = alloc_or_die(gravel, 64);
    int code = gravel_put(gravel, at, &word, sizeof word, 1);
    gravel_close(gravel);
    end_capture();
    close(ends[1]);
    unsetenv("GRAVEL_STATS");
    assert_int_equal(code, 0);
    for (ssize_t n; (n = recv(ends[0], printed, sizeof printed - 1, 0)) > 0; n_lines++) {
        printed[n] = '\0';
        assert_memory_equal(printed, "gravel node 0: ", 15);
        assert_ptr_equal(strchr(printed, '\n'), printed + n - 1);
    }
    close(ends[0]);
    assert_in_range(n_lines, 4, 100); /* device; device, counters and shares again */
}

/* A line each second, with this limit, of a launch that had begun before the last one; its group waits for 2.4 s. */
TEST(progress_of_a_long_launch_is_printed)
{
    const size_t n_items = 64;
    begin_capture("GRAVEL_LOG", "1");
    struct gravel_config config = loopback_config(1);
    config.timeout_ms = 2000;
    struct gravel *gravel = scoped_node(&config, NULL);
    const bool waits = !takes_step(gravel, "drain");
    const uint64_t words = alloc_or_die(gravel, 512);
    cl_kernel kernel = scoped_body(gravel,
                                   BODY("gravel_inc_uint_wg(g, a, i + 1, 0);"
                                        "gravel_wait_until_uint_wg(g, a, GRAVEL_CMP_GE, 12);"),
                                   words, 0, 0);
    int code = waits ? gravel_launch(gravel, kernel, 1, &n_items, &n_items, 0, NULL, NULL) : 0;
    for (int i = 0; i < 12 && waits && !code; i++) {
        usleep(200000);
        code = gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, words, NULL, 0);
    }
    const int waited = gravel_quiet(gravel);
    end_capture();
    OK(code);
    OK(waited);
    if (!waits)
        skip_because("no kernel waits on step drain");
    assert_non_null(strstr(printed, " has seen: 1; messages of kernels so far: 64, "));
}

#define N_NODES 20u
#define N_LINES 16u

/* Each node of a large job has many destinations. Node i gets i messages, and this one none. */
TEST(statistics_of_many_nodes_have_lines_for_the_fullest_pairs)
{
    char expected[64];
    begin_capture("GRAVEL_STATS", "1");
    struct gravel *gravel = open_loopback(N_NODES, NULL);
    const uint64_t at = alloc_or_die(gravel, 64);
    int code = gravel_barrier(gravel);
    if (!code)
        code = gravel_stats_reset(gravel);
    for (uint32_t node = 1; node < N_NODES; node++)
        for (uint32_t i = 0; i < node && !code; i++)
            code = gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, at, NULL, node);
    gravel_close(gravel);
    end_capture();
    assert_int_equal(code, 0);
    snprintf(expected, sizeof expected, ": all nodes: %u messages, ", N_NODES * (N_NODES - 1) / 2);
    const char *line = strstr(printed, expected);
    for (uint32_t i = 0; i < N_LINES && line; i++) {
        line = strstr(line + 1, ": from ");
        snprintf(expected, sizeof expected, ": from 0 to %u: %u messages, ", N_NODES - 1 - i,
                 N_NODES - 1 - i);
        assert_memory_equal(line ? line : "", expected, strlen(expected));
    }
    assert_non_null(line);
    assert_null(strstr(line + 1, ": from "));
}
