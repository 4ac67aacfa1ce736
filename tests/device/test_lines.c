/* SPDX-License-Identifier: MIT */
/*
 * Lines that kernels print come out behind node and work-item, while the kernel runs; a record that no slot holds is an
 * error that says so. Readers that are slow, stop or have no room are in tests/mpi and tests/ledger, and gravel-conformance
 * has every form of line.
 *
 * Path: meson test -> this -> cl/print.cl.h, lib/spool
 */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

extern const char lines_cl[]; /* kernels/lines.cl */

/* ---- standard output, while a node is open ---------------------------------------------------- */

static char printed[1u << 20];

struct capture {
    FILE *file;
    int kept;
};

static struct capture begin_capture(void)
{
    struct capture capture = {tmpfile(), dup(STDOUT_FILENO)};
    assert_non_null(capture.file);
    fflush(stdout);
    dup2(fileno(capture.file), STDOUT_FILENO);
    return capture;
}

static void end_capture(struct capture capture)
{
    dup2(capture.kept, STDOUT_FILENO);
    close(capture.kept);
    rewind(capture.file);
    printed[fread(printed, 1, sizeof printed - 1, capture.file)] = '\0';
    fclose(capture.file);
}

/* A node, and one of the kernels, while standard output is captured. */
struct printing {
    struct capture capture;
    struct gravel *gravel;
    cl_kernel kernel;
};

/* @param bindings  or NULL */
static struct printing begin_printing(uint32_t n_nodes, const struct gravel_bindings *bindings,
                                      const char *name)
{
    struct printing printing = {.capture = begin_capture()};
    printing.gravel = open_loopback(n_nodes, bindings);
    cl_program program = build_or_die(printing.gravel, lines_cl, "");
    printing.kernel = kernel_or_die(printing.gravel, program, name);
    clReleaseProgram(program);
    return printing;
}

/* What came is in `printed`. */
static void end_printing(struct printing *printing)
{
    end_capture(printing->capture);
    clReleaseKernel(printing->kernel);
    gravel_close(printing->gravel);
}

/* Runs one kernel on a node of its own, up to the barrier. @return what that met */
static int run_with(const struct gravel_bindings *bindings, const char *name, size_t global_size,
                    size_t local_size)
{
    struct printing at = begin_printing(2, bindings, name);
    int code = run_kernel(at.gravel, at.kernel, global_size, local_size);
    end_printing(&at);
    return code;
}

static int run(const char *name, size_t global_size, size_t local_size)
{
    return run_with(NULL, name, global_size, local_size);
}

TEST(a_line_comes_out_behind_node_and_work_item)
{
    assert_int_equal(run("one", 256, 64), 0);
    assert_string_equal(printed, "[0:37] above by 3.5\n");
}

TEST(a_line_of_three_dimensions_has_all_its_numbers)
{
    static const struct {
        const char *kernel, *line;
        size_t global[3], local[3];
    } cases[] = {{"grid", "[0:1,2,3] here\n", {2, 3, 4}, {1, 1, 2}},
                 {"last", "[0:0,65536,0] last\n", {1, 65537, 1}, {1, 1, 1}},
                 {"last", "[0:0,0,65536] last\n", {1, 1, 65537}, {1, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct printing at = begin_printing(1, NULL, cases[i].kernel);
        int code =
            gravel_launch(at.gravel, at.kernel, 3, cases[i].global, cases[i].local, 0, NULL, NULL);
        code = code ? code : gravel_barrier(at.gravel);
        end_printing(&at);
        assert_int_equal(code, 0);
        assert_string_equal(printed, cases[i].line);
    }
}

TEST(what_the_program_has_written_comes_out_first)
{
    char written[8192]; /* more than stdout keeps */
    memset(written, 'x', sizeof written);
    for (int i = 0; i < 2; i++) {
        struct printing at = begin_printing(1, NULL, "one");
        const int n = i ? (int)sizeof written : 5;
        printf("%.*s\n", n, written);
        int code = run_kernel(at.gravel, at.kernel, 256, 64);
        printf("behind\n");
        fflush(stdout);
        end_printing(&at);
        assert_int_equal(code, 0);
        assert_memory_equal(printed, written, (size_t)n);
        assert_string_equal(printed + n, "\n[0:37] above by 3.5\nbehind\n");
    }
}

/* A call with more than a record or its text holds, without a literal, or with what has no type of C's printf, does not
 * build, and the compiler names what it lacks. */
TEST(calls_that_cannot_be_lines_do_not_build)
{
    static const struct {
        const char *arguments, *part;
    } cases[] = {
        {"s, s, s, s, s, s, s", NULL}, /* 56 words, besides the work-item's */
        {"s, s, s, s, s, s, 1l, 1l, 1l, 1l, 1", "gravelp_too_many_words_"},
        {"T1007", NULL},
        {"T1007 \"x\"", "gravelp_text_is_too_long_"},
        {"\"\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17", "GRAVELP_EACH_17"},
        {"\"\", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 3", "too many arguments"},
        {"(s)", "long.cl"},
        {"\"%d\", (int2)(1, 2)", "gravelp_type_of"},
    };
    char text[1024];
    struct gravel *gravel = scoped_loopback(1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_program program = NULL;
        snprintf(text, sizeof text,
                 "#include \"gravel.cl.h\"\n#include \"print.cl.h\"\n"
                 "#define T53 \"0123456789abcdef0123456789abcdef0123456789abcdef01234\"\n"
                 "#define T212 T53 T53 T53 T53\n"
                 "#define T1007 T212 T212 T212 T212 T53 T53 T53\n"
                 "kernel void k(GRAVEL_ARENA, global const char *s)\n"
                 "{ GRAVEL_OPEN(g); gravel_printf_wi(g, %s%s); }\n",
                 *cases[i].arguments == 's' ? "\"\", " : "", cases[i].arguments);
        int code = gravel_program_build(gravel, "long.cl", text, NULL, &program);
        clReleaseProgram(program);
        expect_error(code, cases[i].part ? GRAVEL_EBUILD : 0, cases[i].part ? cases[i].part : "");
    }
}

TEST(arguments_of_all_types_are_written_as_printf_does)
{
    struct printing at = begin_printing(1, NULL, "types");
    cl_int error;
    char there[] = "there";
    cl_mem memory = clCreateBuffer(gravel_cl_context(at.gravel), CL_MEM_COPY_HOST_PTR, sizeof there,
                                   there, &error);
    assert_int_equal(error, CL_SUCCESS);
    clSetKernelArg(at.kernel, 1, sizeof memory, &memory);
    clSetKernelArg(at.kernel, 2, sizeof memory, NULL);
    int code = run_kernel(at.gravel, at.kernel, 1, 1);
    clReleaseMemObject(memory);
    end_printing(&at);
    assert_int_equal(code, 0);
    assert_string_equal(printed, "[0:0] -3|7|ff|-5| 1.25|x|%|there|me\n"
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
    struct printing at = begin_printing(1, NULL, "pointers");
    cl_int error;
    cl_mem words = clCreateBuffer(gravel_cl_context(at.gravel), CL_MEM_READ_WRITE, 4, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    clSetKernelArg(at.kernel, 1, sizeof words, &words);
    clSetKernelArg(at.kernel, 2, 4, NULL);
    int code = run_kernel(at.gravel, at.kernel, 1, 1);
    clReleaseMemObject(words);
    end_printing(&at);
    assert_int_equal(code, 0);
    assert_int_equal(sscanf(printed, "[0:0] %16[0-9a-f]|", address), 1);
    snprintf(expected, sizeof expected, "[0:0] %s|0x%s|%%!s(0x", address, address);
    assert_memory_equal(printed, expected, strlen(expected));
    snprintf(expected, sizeof expected, ")|%%!d(0)|%%!p(text)\n[0:0] 1|%1000d|%p\n", 7, NULL);
    assert_string_equal(strchr(printed, ')'), expected);
}

/* ---- while the kernel runs -------------------------------------------------------------------- */

static bool has_come(const struct capture *capture)
{
    char text[64] = "";
    return pread(fileno(capture->file), text, sizeof text - 1, 0) > 0 &&
           strstr(text, "before\n") != NULL;
}

TEST(a_line_comes_out_while_its_kernel_runs)
{
    const char *step = getenv("GRAVEL_STEP");
    if (step && !strcmp(step, "drain"))
        skip_because("no kernel waits there");
    struct printing at = begin_printing(1, NULL, "waits");
    uint64_t word = alloc_or_die(at.gravel, 64);
    const cl_uint one = 1;
    const size_t n = 64;
    clSetKernelArg(at.kernel, 1, sizeof word, &word);
    int launched = gravel_launch(at.gravel, at.kernel, 1, &n, &n, 0, NULL, NULL);
    const double begin = seconds_now();
    while (!launched && !has_come(&at.capture) && may_wait(begin, 20))
        usleep(1000);
    const bool came = has_come(&at.capture);
    int put = gravel_put(at.gravel, word, &one, sizeof one, 0);
    int code = gravel_barrier(at.gravel);
    end_printing(&at);
    assert_int_equal(launched, 0);
    assert_int_equal(put, 0);
    assert_int_equal(code, 0);
    assert_true(came);
    assert_string_equal(printed, "[0:0] before\n[0:0] behind\n");
}

TEST(a_record_that_no_slot_holds_is_an_error_with_its_size)
{
    static const char *const forms[] = {"wide", "wide_wg", "wide_wg_if"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        setenv("GRAVEL_SLOT", "768", 1);
        expect_error(run(forms[i], 1, 1), GRAVEL_EKERNEL, "sends a record of 868 bytes");
        unsetenv("GRAVEL_SLOT");
        assert_string_equal(printed, "");
        assert_int_equal(run(forms[i], 1, 1), 0);
        assert_int_equal(strlen(printed), strlen("[0:0] ") + 768 + 1);
    }
}

/* ---- where lines come out ---------------------------------------------------------------------- */

static char taken[1u << 20];
static size_t n_taken;

static int take(void *user, const char *text, size_t bytes)
{
    *(unsigned *)user += bytes == 0 || text[bytes - 1] != '\n';
    memcpy(taken + n_taken, text, bytes);
    taken[n_taken += bytes] = '\0';
    return 0;
}

TEST(lines_come_to_the_function_of_the_bindings)
{
    unsigned n_torn = 0;
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.print = take, .print_user = &n_torn);
    n_taken = 0;
    assert_int_equal(run_with(&bindings, "one", 256, 64), 0);
    assert_string_equal(taken, "[0:37] above by 3.5\n");
    assert_string_equal(printed, "");
    assert_int_equal(run_with(&bindings, "wide", 256, 64), 0);
    assert_true(n_taken >= 256 * 775);
    assert_int_equal(n_torn, 0);
}

static int refuse(void *user, const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    return ++*(int *)user > 1;
}

/* Two runs of the kernel on a node: the second one's lines are refused. */
TEST(a_function_that_refuses_lines_is_an_error_that_counts_them)
{
    int n_calls = 0;
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.print = refuse, .print_user = &n_calls);
    struct gravel *gravel = scoped_loopback(1, &bindings);
    cl_kernel kernel = scoped_kernel(gravel, lines_cl, "", "one");
    OK(run_kernel(gravel, kernel, 256, 64));
    for (unsigned n_lost = 1; n_lost <= 2; n_lost++) {
        char part[64];
        snprintf(part, sizeof part, "(bindings.print) failed; %u lines are lost, behind 1 written",
                 n_lost);
        expect_error(run_kernel(gravel, kernel, 256, 64), GRAVEL_EHANDLER, part);
    }
    assert_int_equal(n_calls, 2);
    closes_with(gravel, ANY_CODE, "");
}

static int stay(void *user, const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    while (!atomic_load((_Atomic int *)user))
        usleep(1000);
    return 0;
}

TEST(a_function_that_keeps_a_line_fails_the_node)
{
    static _Atomic int may_go;
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.print = stay, .print_user = (void *)&may_go);
    struct gravel_config config = loopback_config(1);
    config.timeout_ms = 500;
    struct gravel *gravel = scoped_node(&config, &bindings);
    const int code = run_kernel(gravel, scoped_kernel(gravel, lines_cl, "", "one"), 256, 64);
    atomic_store(&may_go, 1);
    expect_error(code, GRAVEL_ETIMEOUT, "(bindings.print) has not returned for");
    closes_with(gravel, ANY_CODE, "");
}

TEST(lines_are_bare_where_the_setting_says_so)
{
    setenv("GRAVEL_PRINT_TAGS", "0", 1);
    assert_int_equal(run("one", 256, 64), 0);
    unsetenv("GRAVEL_PRINT_TAGS");
    assert_string_equal(printed, "above by 3.5\n");
}

TEST(lines_come_out_at_a_node_that_there_is)
{
    static const struct {
        const char *text;
        int code;
    } cases[] = {{"0", 0},
                 {"1", 0},
                 {"own", 0},
                 {"2", GRAVEL_ECONFIG},
                 {"all", GRAVEL_ECONFIG},
                 {"-1", GRAVEL_ECONFIG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_config config = loopback_config(2);
        snprintf(config.print, sizeof config.print, "%s", cases[i].text);
        if (cases[i].code) {
            expect_no_open(&config, NULL, cases[i].code, "neither own nor one of 2 nodes");
            continue;
        }
        setenv("GRAVEL_PRINT", cases[i].text, 1);
        assert_int_equal(run("one", 256, 64), 0);
        unsetenv("GRAVEL_PRINT");
        assert_string_equal(printed, "[0:37] above by 3.5\n");
    }
}
