/* SPDX-License-Identifier: MIT */
/*
 * Lines that kernels print come out whole, once, behind node and work-item, in the order of a group's calls, while the
 * kernel runs; a record that no slot holds is an error that says so. lines_readers.c has readers that are slow, stop or
 * go.
 *
 * Path: meson test -> this, lines_readers.c -> cl/print.cl.h, lib/spool
 */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

#define GROUP 64u
#define N_GROUPS 20u
#define N_CALLS 3u

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

/* Run one kernel on a node of its own; what it prints up to the barrier is in `printed`. @param bindings  or NULL. */
static int run_with(const struct gravel_bindings *bindings, const char *name, size_t global_size,
                    size_t local_size)
{
    struct capture capture = begin_capture();
    struct gravel *gravel = open_loopback(2, bindings);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    int code = run_kernel(gravel, kernel, global_size, local_size);
    end_capture(capture);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
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
        struct capture capture = begin_capture();
        struct gravel *gravel = open_loopback(1, NULL);
        cl_program program = build_or_die(gravel, lines_cl, "");
        cl_kernel kernel = kernel_or_die(gravel, program, cases[i].kernel);
        int code = gravel_launch(gravel, kernel, 3, cases[i].global, cases[i].local, 0, NULL, NULL);
        code = code ? code : gravel_barrier(gravel);
        end_capture(capture);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        gravel_close(gravel);
        assert_int_equal(code, 0);
        assert_string_equal(printed, cases[i].line);
    }
}

TEST(what_the_program_has_written_comes_out_first)
{
    char written[8192]; /* more than stdout keeps */
    memset(written, 'x', sizeof written);
    for (int i = 0; i < 2; i++) {
        struct capture capture = begin_capture();
        struct gravel *gravel = open_loopback(1, NULL);
        cl_program program = build_or_die(gravel, lines_cl, "");
        cl_kernel kernel = kernel_or_die(gravel, program, "one");
        const int n = i ? (int)sizeof written : 5;
        printf("%.*s\n", n, written);
        int code = run_kernel(gravel, kernel, 256, 64);
        printf("behind\n");
        fflush(stdout);
        end_capture(capture);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        gravel_close(gravel);
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
    struct gravel *gravel = open_loopback(1, NULL);
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
    OK(gravel_close(gravel));
}

/* ---- each line once, and a group's in order --------------------------------------------------- */

enum form { ALL, THIRD, FIFTH, N_FORMS };

static unsigned seen[N_FORMS][N_CALLS][GROUP * N_GROUPS];

/* Where a line stands in the order of its group: of work-items that print alone there is none between them. */
static void look_at(const char *line)
{
    static unsigned last[N_GROUPS];
    unsigned item, call;
    unsigned long long value;
    int end = 0;
    if (sscanf(line, "[0:%u] all %u %llu%n", &item, &call, &value, &end) == 3) {
        assert_true(value == (unsigned long long)item << 32);
        seen[ALL][call][item]++;
        const unsigned place = (2 * call) * GROUP + item % GROUP + 1;
        assert_true(last[item / GROUP] < place);
        last[item / GROUP] = place;
    } else if (sscanf(line, "[0:%u] third %u%n", &item, &call, &end) == 2) {
        seen[THIRD][call][item]++;
        const unsigned place = (2 * call + 1) * GROUP + item % GROUP + 1;
        assert_true(last[item / GROUP] < place);
        last[item / GROUP] = place;
    } else if (sscanf(line, "[0:%u] fifth %u%n", &item, &call, &end) == 2) {
        seen[FIFTH][call][item]++;
    } else {
        fail_msg("a line that no work-item prints: %s", line);
    }
    assert_int_equal(line[end], '\0');
}

TEST(each_line_comes_once_and_those_of_a_group_in_order)
{
    assert_int_equal(run("all_forms", GROUP * N_GROUPS, GROUP), 0);
    for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n"))
        look_at(line);
    for (unsigned call = 0; call < N_CALLS; call++)
        for (unsigned i = 0; i < GROUP * N_GROUPS; i++) {
            assert_int_equal(seen[ALL][call][i], 1);
            assert_int_equal(seen[THIRD][call][i], i % 3 == 0);
            assert_int_equal(seen[FIFTH][call][i], i % 5 == 0);
        }
}

TEST(arguments_of_all_types_are_written_as_printf_does)
{
    struct capture capture = begin_capture();
    struct gravel *gravel = open_loopback(1, NULL);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "types");
    cl_int error;
    char there[] = "there";
    cl_mem memory = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_COPY_HOST_PTR, sizeof there,
                                   there, &error);
    assert_int_equal(error, CL_SUCCESS);
    clSetKernelArg(kernel, 1, sizeof memory, &memory);
    clSetKernelArg(kernel, 2, sizeof memory, NULL);
    int code = run_kernel(gravel, kernel, 1, 1);
    end_capture(capture);
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
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
    struct capture capture = begin_capture();
    struct gravel *gravel = open_loopback(1, NULL);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "pointers");
    cl_int error;
    cl_mem words = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, 4, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    clSetKernelArg(kernel, 1, sizeof words, &words);
    clSetKernelArg(kernel, 2, 4, NULL);
    int code = run_kernel(gravel, kernel, 1, 1);
    end_capture(capture);
    clReleaseMemObject(words);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
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
        skip(); /* no kernel waits there */
    struct capture capture = begin_capture();
    struct gravel *gravel = open_loopback(1, NULL);
    uint64_t word = alloc_or_die(gravel, 64);
    const cl_uint one = 1;
    const size_t n = 64;
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "waits");
    clSetKernelArg(kernel, 1, sizeof word, &word);
    int launched = gravel_launch(gravel, kernel, 1, &n, &n, 0, NULL, NULL);
    const double begin = seconds_now();
    while (!launched && !has_come(&capture) && may_wait(begin, 20))
        usleep(1000);
    const bool came = has_come(&capture);
    int put = gravel_put(gravel, word, &one, sizeof one, 0);
    int code = gravel_barrier(gravel);
    end_capture(capture);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
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
    struct gravel *gravel = open_loopback(1, &bindings);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "one");
    OK(run_kernel(gravel, kernel, 256, 64));
    for (unsigned n_lost = 1; n_lost <= 2; n_lost++) {
        char part[64];
        snprintf(part, sizeof part, "(bindings.print) failed; %u lines are lost, behind 1 written",
                 n_lost);
        expect_error(run_kernel(gravel, kernel, 256, 64), GRAVEL_EHANDLER, part);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
    assert_int_equal(n_calls, 2);
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
    _Atomic int may_go = 0;
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.print = stay, .print_user = &may_go);
    setenv("GRAVEL_TIMEOUT", "500", 1);
    struct gravel *gravel = open_loopback(1, &bindings);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "one");
    expect_error(run_kernel(gravel, kernel, 256, 64), GRAVEL_ETIMEOUT,
                 "(bindings.print) has not returned for");
    atomic_store(&may_go, 1);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
    unsetenv("GRAVEL_TIMEOUT");
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

/* ---- more lines than may wait ------------------------------------------------------------------ */

/* Two frames of 64 kB, and each line has 780 bytes. */
TEST(lines_beyond_the_spool_wait_and_none_is_lost)
{
    struct gravel_stats stats;
    setenv("GRAVEL_SPOOL", "4096", 1);
    struct capture capture = begin_capture();
    struct gravel *gravel = open_loopback(1, NULL);
    cl_program program = build_or_die(gravel, lines_cl, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "wide");
    int code = run_kernel(gravel, kernel, 64 * 256, 64);
    int read = gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES);
    const off_t n_bytes = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    end_capture(capture);
    unsetenv("GRAVEL_SPOOL");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    gravel_close(gravel);
    assert_int_equal(code, 0);
    assert_int_equal(read, 0);
    assert_int_equal(stats.lines, 64 * 256);
    assert_true(n_bytes >= 64 * 256 * 768);
}
