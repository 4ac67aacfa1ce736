/* SPDX-License-Identifier: MIT */
/*
 * Functions of streams: what one sends is applied before a barrier ends; one that fails, waits or does not return is an
 * error that names its stream; and calls that cannot be right are refused. gravel-conformance has every form of record.
 *
 * Path: meson test -> kernels/append.cl -> cl/print.cl.h, lib/spool
 */
#include "expect.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const char append_cl[];

/* A node whose stream has this function; what it sends leaves by age after a second. */
static struct gravel *open_node(uint32_t n_nodes, gravel_stream_function *function, void *user,
                                gravel_print_function *print, uint32_t timeout_ms)
{
    static struct gravel_stream single = {.name = "single", .record_bytes = 4};
    single.function = function;
    single.user = user;
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.streams = &single, .n_streams = 1, .print = print);
    struct gravel_config config = loopback_config(n_nodes);
    config.flush_us = 1000000;
    config.timeout_ms = timeout_ms ? timeout_ms : config.timeout_ms;
    return scoped_node(&config, &bindings);
}

/* One record, of value 77. @return what the barrier meets. */
static int append_one(struct gravel *gravel)
{
    return run_kernel(gravel, scoped_kernel(gravel, append_cl, "", "single"), 64, 64);
}

/* ---- what functions do ------------------------------------------------------------------------- */

static uint64_t word; /* of the heap */

static int put_on(struct gravel *gravel, void *user, uint32_t source, const void *records,
                  uint32_t n)
{
    (void)user, (void)source, (void)n;
    usleep(50000); /* the barrier waits meanwhile */
    return gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, word, records, 1);
}

TEST(what_a_function_sends_is_applied_before_a_barrier_ends)
{
    struct gravel *gravel = open_node(2, put_on, NULL, NULL, 0);
    word = alloc_or_die(gravel, 64);
    OK(append_one(gravel));
    assert_int_equal(word32(gravel, 1, word), 77);
}

static unsigned n_lines, n_ahead; /* lines that came; of them, those that came before a record */

static int take_line(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
    n_lines++;
    return 0;
}

static int look_back(struct gravel *gravel, void *user, uint32_t source, const void *records,
                     uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    n_ahead = n_lines;
    return 0;
}

TEST(a_line_ahead_of_a_record_is_out_when_its_function_runs)
{
    struct gravel *gravel = open_node(1, look_back, NULL, take_line, 0);
    OK(run_kernel(gravel, scoped_kernel(gravel, append_cl, "", "line_ahead"), 64, 64));
    assert_int_equal(n_ahead, 1);
}

static int break_off(struct gravel *gravel, void *user, uint32_t source, const void *records,
                     uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    return 5;
}

TEST(a_function_that_fails_is_an_error_with_its_stream)
{
    struct gravel *gravel = open_node(2, break_off, NULL, NULL, 0);
    expect_error(append_one(gravel), GRAVEL_EHANDLER,
                 "node 0 refused a buffer from node 0: stream single: its function failed");
    closes_with(gravel, ANY_CODE, "");
}

static char refused[256];

static int wait_there(struct gravel *gravel, void *user, uint32_t source, const void *records,
                      uint32_t n)
{
    uint32_t value;
    (void)user, (void)source, (void)records, (void)n;
    const bool are_refused = gravel_quiet(gravel) == GRAVEL_EINVAL &&
                             gravel_get(gravel, 64, &value, 4, 0) == GRAVEL_EINVAL &&
                             gravel_barrier(gravel) == GRAVEL_EINVAL;
    snprintf(refused, sizeof refused, "%s", gravel_last_error());
    return !are_refused;
}

TEST(calls_that_wait_are_refused_in_a_function)
{
    OK(append_one(open_node(2, wait_there, NULL, NULL, 0)));
    assert_non_null(strstr(refused, "gravel_barrier waits and cannot be called by a handler"));
}

static int stay(struct gravel *gravel, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)gravel, (void)source, (void)records, (void)n;
    while (!atomic_load((_Atomic int *)user))
        usleep(1000);
    return 0;
}

TEST(a_function_that_does_not_return_fails_the_node)
{
    static _Atomic int may_go;
    struct gravel *gravel = open_node(2, stay, (void *)&may_go, NULL, 500);
    const int code = append_one(gravel);
    atomic_store(&may_go, 1);
    expect_error(code, GRAVEL_ETIMEOUT, "stream single: its function has not returned for");
    closes_with(gravel, ANY_CODE, "");
}

/* ---- refusals ---------------------------------------------------------------------------------- */

TEST(records_of_another_size_and_unknown_streams_do_not_build)
{
    static const struct {
        const char *call, *part;
    } cases[] = {
        {"gravel_append_wg(g, single, wide, 0);",
         "a record of 8 bytes is not of the size of its stream: single has 4 bytes"},
        {"gravel_append_wi(g, other, few, 0);", "GRAVELP_STREAM_other"},
        {"gravel_append_wi(g, single, few, 0);", NULL},
    };
    struct gravel *gravel = open_node(1, break_off, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_program program = NULL;
        char text[512];
        snprintf(text, sizeof text,
                 "#include \"gravel.cl.h\"\n#include \"print.cl.h\"\n"
                 "kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); ulong wide = 1; uint few = 1; %s\n"
                 "wide += few; }\n",
                 cases[i].call);
        int code = gravel_program_build(gravel, "size.cl", text, NULL, &program);
        clReleaseProgram(program);
        expect_error(code, cases[i].part ? GRAVEL_EBUILD : 0, cases[i].part ? cases[i].part : "");
    }
}

const struct fixture fixture = {.limit_s = 240};
