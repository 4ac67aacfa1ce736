/* SPDX-License-Identifier: MIT */
/*
 * Lines that kernels print come out behind node and work-item, while the kernel runs. Functions of streams and of lines:
 * what one sends is applied before a barrier ends; one that fails, waits or does not return is an error that names it.
 * Records that no slot holds, and calls that cannot be right, are refused. Readers that are slow, stop or have no room are
 * in tests/mpi and tests/ledger, and gravel-conformance has every form of line and record.
 *
 * usage: test_lines [append]     append: the tests of streams alone
 *
 * Path: meson test -> this, kernels/lines.cl -> cl/print.cl.h, lib/spool
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

extern const char lines_cl[]; /* kernels/lines.cl */

static int ignore(struct gravel *gravel, void *user, uint32_t source, const void *records,
                  uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    return 0;
}

/* A node whose lines and whose one stream have these functions, or none; what these send leaves by age after a second.
 * @param user  of both. @param timeout_ms  0: as by default */
static struct gravel *open_node(uint32_t n_nodes, gravel_print_function *print,
                                gravel_stream_function *function, void *user, uint32_t timeout_ms)
{
    static struct gravel_stream single = {.name = "single", .record_bytes = 4};
    single.function = function ? function : ignore;
    single.user = user;
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.streams = &single, .n_streams = 1, .print = print, .print_user = user);
    struct gravel_config config = loopback_config(n_nodes);
    config.flush_us = 1000000;
    config.timeout_ms = timeout_ms ? timeout_ms : config.timeout_ms;
    return scoped_node(&config, &bindings);
}

/* Runs a kernel without arguments. @return what the barrier meets */
static int run(struct gravel *gravel, const char *name, size_t global_size, size_t local_size)
{
    return run_kernel(gravel, scoped_kernel(gravel, lines_cl, "", name), global_size, local_size);
}

/* ---- lines that are taken ---------------------------------------------------------------------- */

static char taken[1u << 20];
static _Atomic size_t n_taken;
static unsigned n_torn;

static int take(void *user, const char *text, size_t bytes)
{
    const size_t n = n_taken;
    (void)user;
    n_torn += bytes == 0 || text[bytes - 1] != '\n';
    memcpy(taken + n, text, bytes);
    taken[n + bytes] = '\0';
    n_taken = n + bytes;
    return 0;
}

static struct gravel *open_taking(void)
{
    n_taken = n_torn = 0;
    taken[0] = '\0';
    return open_node(2, take, NULL, NULL, 0);
}

/* By default behind node and work-item, of node 0, or of the node that the setting names. */
TEST(a_line_comes_out_behind_node_and_work_item)
{
    static const struct {
        const char *setting, *kernel;
        size_t global[3], local[3];
        const char *lines;
    } rows[] = {
        {"GRAVEL_PRINT=0", "one", {256, 1, 1}, {64, 1, 1}, "[0:37] above by 3.5\n"},
        {"GRAVEL_PRINT=1", "one", {256, 1, 1}, {64, 1, 1}, "[0:37] above by 3.5\n"},
        {"GRAVEL_PRINT=own", "one", {256, 1, 1}, {64, 1, 1}, "[0:37] above by 3.5\n"},
        {"GRAVEL_PRINT_TAGS=0", "one", {256, 1, 1}, {64, 1, 1}, "above by 3.5\n"},
        {"GRAVEL_PRINT_TAGS=1", "grid", {2, 3, 4}, {1, 1, 2}, "[0:1,2,3] here\n"},
        {"GRAVEL_PRINT_TAGS=1", "last", {1, 65537, 1}, {1, 1, 1}, "[0:0,65536,0] last\n"},
        {"GRAVEL_PRINT_TAGS=1", "last", {1, 1, 65537}, {1, 1, 1}, "[0:0,0,65536] last\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char setting[32];
        const cl_uint n_dimensions = strcmp(rows[i].kernel, "one") ? 3 : 1;
        snprintf(setting, sizeof setting, "%s", rows[i].setting);
        char *value = strchr(setting, '=');
        *value++ = '\0';
        setenv(setting, value, 1);
        struct gravel *gravel = open_taking();
        unsetenv(setting);
        cl_kernel kernel = scoped_kernel(gravel, lines_cl, "", rows[i].kernel);
        OK(gravel_launch(gravel, kernel, n_dimensions, rows[i].global, rows[i].local, 0, NULL,
                         NULL));
        OK(gravel_barrier(gravel));
        assert_string_equal(taken, rows[i].lines);
    }
}

TEST(lines_come_out_at_a_node_that_there_is)
{
    static const char *const nodes[] = {"2", "all", "-1"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct gravel_config config = loopback_config(2);
        snprintf(config.print, sizeof config.print, "%s", nodes[i]);
        expect_no_open(&config, NULL, GRAVEL_ECONFIG, "neither own nor one of 2 nodes");
    }
}

TEST(arguments_of_all_types_are_written_as_printf_does)
{
    struct gravel *gravel = open_taking();
    cl_kernel kernel = scoped_kernel(gravel, lines_cl, "", "types");
    cl_int error;
    char there[] = "there";
    cl_mem memory = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_COPY_HOST_PTR, sizeof there,
                                   there, &error);
    assert_int_equal(error, CL_SUCCESS);
    SET(kernel, 1, memory);
    MUST(clSetKernelArg(kernel, 2, sizeof memory, NULL) == CL_SUCCESS);
    OK(run_kernel(gravel, kernel, 1, 1));
    clReleaseMemObject(memory);
    assert_string_equal(taken, "[0:0] -3|7|ff|-5| 1.25|x|%|there|me\n"
                               "[0:0] %!d(1.5)\n[0:0] a\\x1bb\n"
                               "[0:0] %!n1%!(2)\n"
                               "[0:0] none\n"
                               "[0:0] 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
                               "[0:0] |0\n" /* no string; evaluated once */
                               "[0:0] 1\n");
}

TEST(pointers_are_addresses_and_nothing_is_read_there)
{
    char expected[1200], address[32];
    struct gravel *gravel = open_taking();
    cl_kernel kernel = scoped_kernel(gravel, lines_cl, "", "pointers");
    cl_int error;
    cl_mem words = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, 4, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    SET(kernel, 1, words);
    MUST(clSetKernelArg(kernel, 2, 4, NULL) == CL_SUCCESS);
    OK(run_kernel(gravel, kernel, 1, 1));
    clReleaseMemObject(words);
    assert_int_equal(sscanf(taken, "[0:0] %16[0-9a-f]|", address), 1);
    snprintf(expected, sizeof expected, "[0:0] %s|0x%s|%%!s(0x", address, address);
    assert_memory_equal(taken, expected, strlen(expected));
    snprintf(expected, sizeof expected, ")|%%!d(0)|%%!p(text)\n[0:0] 1|%1000d|%p\n", 7, NULL);
    assert_string_equal(strchr(taken, ')'), expected);
}

TEST(a_line_comes_out_while_its_kernel_runs)
{
    struct gravel *gravel = open_taking();
    if (takes_step(gravel, "drain"))
        skip_because("no kernel waits there");
    uint64_t word = alloc_or_die(gravel, 64);
    const cl_uint one = 1;
    const size_t n = 64;
    cl_kernel kernel = scoped_kernel(gravel, lines_cl, "", "waits");
    SET(kernel, 1, word);
    OK(gravel_launch(gravel, kernel, 1, &n, &n, 0, NULL, NULL));
    const double begin = seconds_now();
    while (!n_taken && may_wait(begin, 20))
        usleep(1000);
    const bool has_come = n_taken > 0;
    OK(gravel_put(gravel, word, &one, sizeof one, 0));
    OK(gravel_barrier(gravel));
    assert_true(has_come);
    assert_string_equal(taken, "[0:0] before\n[0:0] behind\n");
}

TEST(a_record_that_no_slot_holds_is_an_error_with_its_size)
{
    static const char *const forms[] = {"wide", "wide_wg", "wide_wg_if"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        setenv("GRAVEL_SLOT", "768", 1);
        struct gravel *gravel = open_taking();
        unsetenv("GRAVEL_SLOT");
        expect_error(run(gravel, forms[i], 1, 1), GRAVEL_EKERNEL, "sends a record of 868 bytes");
        closes_with(gravel, ANY_CODE, "");
        assert_string_equal(taken, "");
        OK(run(open_taking(), forms[i], 256, 64));
        assert_true(n_taken >= 256 * (strlen("[0:0] ") + 768 + 1));
        assert_int_equal(n_torn, 0);
    }
}

/* ---- lines on standard output ------------------------------------------------------------------ */

TEST(what_the_program_has_written_comes_out_first)
{
    static char written[8192], printed[16384]; /* more than stdout keeps */
    memset(written, 'x', sizeof written);
    for (int i = 0; i < 2; i++) {
        FILE *file = tmpfile();
        const int kept = dup(STDOUT_FILENO), n = i ? (int)sizeof written : 5;
        assert_non_null(file);
        fflush(stdout);
        dup2(fileno(file), STDOUT_FILENO);
        struct gravel *gravel = open_node(1, NULL, NULL, NULL, 0);
        printf("%.*s\n", n, written);
        const int code = run(gravel, "one", 256, 64);
        printf("behind\n");
        fflush(stdout);
        dup2(kept, STDOUT_FILENO);
        close(kept);
        rewind(file);
        printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
        fclose(file);
        OK(code);
        assert_memory_equal(printed, written, (size_t)n);
        assert_string_equal(printed + n, "\n[0:37] above by 3.5\nbehind\n");
    }
}

/* ---- functions --------------------------------------------------------------------------------- */

static int refuse(void *user, const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    return ++*(int *)user > 1;
}

/* Two runs of the kernel on a node: the second one's lines are refused. */
TEST(a_function_that_refuses_lines_is_an_error_that_counts_them)
{
    int n_calls = 0;
    struct gravel *gravel = open_node(1, refuse, NULL, &n_calls, 0);
    OK(run(gravel, "one", 256, 64));
    for (unsigned n_lost = 1; n_lost <= 2; n_lost++) {
        char part[64];
        snprintf(part, sizeof part, "(bindings.print) failed; %u lines are lost, behind 1 written",
                 n_lost);
        expect_error(run(gravel, "one", 256, 64), GRAVEL_EHANDLER, part);
    }
    assert_int_equal(n_calls, 2);
    closes_with(gravel, ANY_CODE, "");
}

static _Atomic bool may_go;

static int stay(struct gravel *gravel, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    while (!atomic_load(&may_go))
        usleep(1000);
    return 0;
}

static int stay_with_lines(void *user, const char *text, size_t bytes)
{
    (void)bytes;
    return stay(NULL, user, 0, text, 0);
}

static void expect_late(gravel_print_function *print, gravel_stream_function *function,
                        const char *kernel, const char *part)
{
    atomic_store(&may_go, false);
    struct gravel *gravel = open_node(1, print, function, NULL, 500);
    const int code = run(gravel, kernel, 256, 64);
    atomic_store(&may_go, true);
    expect_error(code, GRAVEL_ETIMEOUT, part);
    closes_with(gravel, ANY_CODE, "");
}

TEST(a_function_that_keeps_a_line_fails_the_node)
{
    expect_late(stay_with_lines, NULL, "one", "(bindings.print) has not returned for");
}

TEST_OF("append", a_function_that_does_not_return_fails_the_node)
{
    expect_late(NULL, stay, "single", "stream single: its function has not returned for");
}

static uint64_t word; /* of the heap */

static int put_on(struct gravel *gravel, void *user, uint32_t source, const void *records,
                  uint32_t n)
{
    (void)user, (void)source, (void)n;
    usleep(50000); /* the barrier waits meanwhile */
    return gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, word, records, 1);
}

TEST_OF("append", what_a_function_sends_is_applied_before_a_barrier_ends)
{
    struct gravel *gravel = open_node(2, NULL, put_on, NULL, 0);
    word = alloc_or_die(gravel, 64);
    OK(run(gravel, "single", 64, 64));
    assert_int_equal(word32(gravel, 1, word), 77);
}

static size_t n_ahead; /* bytes of lines that came before a record */

static int look_back(struct gravel *gravel, void *user, uint32_t source, const void *records,
                     uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    n_ahead = n_taken;
    return 0;
}

TEST_OF("append", a_line_ahead_of_a_record_is_out_when_its_function_runs)
{
    OK(run(open_node(1, take, look_back, NULL, 0), "line_ahead", 64, 64));
    assert_int_equal(n_ahead, strlen("[0:0] ahead\n"));
}

static int break_off(struct gravel *gravel, void *user, uint32_t source, const void *records,
                     uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    return 5;
}

TEST_OF("append", a_function_that_fails_is_an_error_with_its_stream)
{
    struct gravel *gravel = open_node(2, NULL, break_off, NULL, 0);
    expect_error(run(gravel, "single", 64, 64), GRAVEL_EHANDLER,
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

TEST_OF("append", calls_that_wait_are_refused_in_a_function)
{
    OK(run(open_node(2, NULL, wait_there, NULL, 0), "single", 64, 64));
    assert_non_null(strstr(refused, "gravel_barrier waits and cannot be called by a handler"));
}

/* ---- refusals ---------------------------------------------------------------------------------- */

/* A call with more than a record or its text holds, without a literal, with what has no type of C's printf, or with a
 * record that its stream has not, does not build, and the compiler names what it lacks. */
TEST(calls_that_cannot_be_right_do_not_build)
{
    static const struct {
        const char *call, *part;
    } rows[] = {
        {"LINE(\"\", s, s, s, s, s, s, s)", NULL}, /* 56 words, besides the work-item's */
        {"LINE(\"\", s, s, s, s, s, s, 1l, 1l, 1l, 1l, 1)", "gravelp_too_many_words_"},
        {"LINE(T1007)", NULL},
        {"LINE(T1007 \"x\")", "gravelp_text_is_too_long_"},
        {"LINE(\"\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)",
         "GRAVELP_EACH_17"},
        {"LINE(\"\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 3)",
         "too many arguments"},
        {"LINE((s))", "long.cl"},
        {"LINE(\"%d\", (int2)(1, 2))", "gravelp_type_of"},
        {"gravel_append_wg(g, single, wide, 0)",
         "a record of 8 bytes is not of the size of its stream: single has 4 bytes"},
        {"gravel_append_wi(g, other, few, 0)", "GRAVELP_STREAM_other"},
        {"gravel_append_wi(g, single, few, 0)", NULL},
    };
    char text[1024];
    struct gravel *gravel = open_node(1, NULL, NULL, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_program program = NULL;
        snprintf(text, sizeof text,
                 "#include \"gravel.cl.h\"\n#include \"print.cl.h\"\n"
                 "#define T53 \"0123456789abcdef0123456789abcdef0123456789abcdef01234\"\n"
                 "#define T212 T53 T53 T53 T53\n"
                 "#define T1007 T212 T212 T212 T212 T53 T53 T53\n"
                 "#define LINE(...) gravel_printf_wi(g, __VA_ARGS__)\n"
                 "kernel void k(GRAVEL_ARENA, global const char *s)\n"
                 "{ GRAVEL_OPEN(g); ulong wide = 1; uint few = 1; %s; wide += few; }\n",
                 rows[i].call);
        int code = gravel_program_build(gravel, "long.cl", text, NULL, &program);
        clReleaseProgram(program);
        expect_error(code, rows[i].part ? GRAVEL_EBUILD : 0, rows[i].part ? rows[i].part : "");
    }
}

const struct fixture fixture = {.limit_s = 240};
