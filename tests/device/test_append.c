/* SPDX-License-Identifier: MIT */
/*
 * Records that kernels append come to the stream's function whole, once, in the order of a group's calls; what a function
 * sends is applied before a barrier ends; one that fails, waits or does not return is an error that names its stream; and
 * calls that cannot be right are refused.
 *
 * Path: meson test -> kernels/append.cl -> cl/print.cl.h, lib/node/streams.c, lib/spool
 */
#include "expect.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GROUP 64u
#define N_GROUPS 20u
#define N_ITEMS (GROUP * N_GROUPS)
#define N_CALLS 3u
#define N_FORMS 3u

extern const char append_cl[];

struct hit {
    uint32_t item, form;
    float value;
    uint32_t call;
    uint64_t wide;
};

/* ---- functions: one at a time ------------------------------------------------------------------ */

static unsigned seen[N_FORMS][N_CALLS][N_ITEMS];
static unsigned last
    [N_GROUPS]; /* place in the order of its group; of work-items that append alone there is none */
static unsigned n_wrong;

static int take_hits(struct gravel *gravel, void *user, uint32_t source, const void *records,
                     uint32_t n)
{
    const struct hit *hits = records;
    (void)gravel, (void)user;
    for (uint32_t i = 0; i < n; i++) {
        const struct hit hit = hits[i];
        if (source || hit.item >= N_ITEMS || hit.form >= N_FORMS || hit.call >= N_CALLS ||
            hit.value != 0.5f + (float)hit.item ||
            hit.wide != ((uint64_t)hit.item << 33 | hit.call)) {
            n_wrong++;
            continue;
        }
        seen[hit.form][hit.call][hit.item]++;
        const unsigned place = (2 * hit.call + hit.form) * GROUP + hit.item % GROUP + 1;
        if (hit.form < 2) {
            n_wrong += last[hit.item / GROUP] >= place;
            last[hit.item / GROUP] = place;
        }
    }
    return 0;
}

static unsigned n_large[N_ITEMS];

static int take_large(struct gravel *gravel, void *user, uint32_t source, const void *records,
                      uint32_t n)
{
    const uint32_t *row = records;
    (void)gravel, (void)user, (void)source;
    for (uint32_t i = 0; i < n; i++, row += 60) {
        const uint32_t first = row[0];
        for (uint32_t at = 0; at < 60; at++)
            n_wrong += first >= N_ITEMS || row[at] != first + at;
        n_large[first % N_ITEMS]++;
    }
    return 0;
}

static int no_function(struct gravel *gravel, void *user, uint32_t source, const void *records,
                       uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    return 0;
}

/* A node of its own whose stream `single` has that function. @return what the barrier meets. */
static int run_single(gravel_stream_function *function, void *user, char text[256])
{
    const struct gravel_stream streams[] = {
        {.name = "hits", .record_bytes = sizeof(struct hit), .function = take_hits},
        {.name = "large", .record_bytes = 240, .function = take_large},
        {.name = "single", .record_bytes = 4, .function = function, .user = user},
    };
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = streams, .n_streams = 3);
    struct gravel *gravel = open_loopback(2, &bindings);
    cl_program program = build_or_die(gravel, append_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "single");
    int code = run_kernel(gravel, kernel, 64, 64);
    snprintf(text, 256, "%s", code ? gravel_last_error() : "");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    if (user)
        atomic_store((_Atomic int *)user, 1);
    gravel_close(gravel);
    return code;
}

/* ---- once, whole, in order --------------------------------------------------------------------- */

static void run_both(const char *name)
{
    const struct gravel_stream streams[] = {
        {.name = "single", .record_bytes = 4, .function = no_function},
        {.name = "hits", .record_bytes = sizeof(struct hit), .function = take_hits},
        {.name = "large", .record_bytes = 240, .function = take_large},
    };
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = streams, .n_streams = 3);
    struct gravel *gravel = open_loopback(2, &bindings);
    cl_program program = build_or_die(gravel, append_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    n_wrong = 0;
    OK(run_kernel(gravel, kernel, N_ITEMS, GROUP));
    assert_int_equal(n_wrong, 0);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
}

TEST(each_record_comes_once_and_those_of_a_group_in_order)
{
    run_both("all_forms");
    for (unsigned call = 0; call < N_CALLS; call++)
        for (unsigned i = 0; i < N_ITEMS; i++) {
            assert_int_equal(seen[0][call][i], 1);
            assert_int_equal(seen[1][call][i], i % 3 == 0);
            assert_int_equal(seen[2][call][i], i % 5 == 0);
        }
}

TEST(the_largest_records_come_whole)
{
    run_both("large");
    for (unsigned i = 0; i < N_ITEMS; i++)
        assert_int_equal(n_large[i], 1);
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
    const struct gravel_stream streams[] = {
        {.name = "hits", .record_bytes = sizeof(struct hit), .function = take_hits},
        {.name = "large", .record_bytes = 240, .function = take_large},
        {.name = "single", .record_bytes = 4, .function = put_on},
    };
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = streams, .n_streams = 3);
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    config.flush_us = 1000000; /* no message leaves for its age */
    OK(gravel_open(&gravel, &config, &bindings));
    word = alloc_or_die(gravel, 64);
    fill(gravel, 1, word, 0, 64);
    cl_program program = build_or_die(gravel, append_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "single");
    OK(run_kernel(gravel, kernel, 64, 64));
    assert_int_equal(word32(gravel, 1, word), 77);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
}

static int break_off(struct gravel *gravel, void *user, uint32_t source, const void *records,
                     uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    return 5;
}

static unsigned n_lines,
    n_ahead; /* lines that came; and those of them that were there when a record came */

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
    const struct gravel_stream streams[] = {
        {.name = "hits", .record_bytes = sizeof(struct hit), .function = take_hits},
        {.name = "large", .record_bytes = 240, .function = take_large},
        {.name = "single", .record_bytes = 4, .function = look_back}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.streams = streams, .n_streams = 3, .print = take_line);
    struct gravel *gravel = open_loopback(1, &bindings);
    cl_program program = build_or_die(gravel, append_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "line_ahead");
    OK(run_kernel(gravel, kernel, 64, 64));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    assert_int_equal(n_ahead, 1);
}

TEST(a_function_that_fails_is_an_error_with_its_stream)
{
    char text[256];
    assert_int_equal(run_single(break_off, NULL, text), GRAVEL_EHANDLER);
    assert_non_null(
        strstr(text, "node 0 refused a buffer from node 0: stream single: its function failed"));
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
    char text[256];
    assert_int_equal(run_single(wait_there, NULL, text), 0);
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
    _Atomic int may_go = 0;
    char text[256];
    setenv("GRAVEL_TIMEOUT", "500", 1);
    assert_int_equal(run_single(stay, &may_go, text), GRAVEL_ETIMEOUT);
    unsetenv("GRAVEL_TIMEOUT");
    assert_non_null(strstr(text, "stream single: its function has not returned for"));
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
    const struct gravel_stream stream = {
        .name = "single", .record_bytes = 4, .function = no_function};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = &stream, .n_streams = 1);
    struct gravel *gravel = open_loopback(1, &bindings);
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
    OK(gravel_close(gravel));
}

const struct fixture fixture = {.limit_s = 240};
