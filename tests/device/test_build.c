/* SPDX-License-Identifier: MIT */
/*
 * Programs that do not build, or were built for another library: the compiler's log comes with the user's
 * file name and line.
 *
 * Path: meson test -> this -> gravel_program_build, lib/opencl/program.c
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"

static struct gravel *gravel;

static void open_node(void)
{
    gravel = open_loopback(1, NULL);
}

static void close_node(void)
{
    expect_works(gravel); /* whatever was refused */
    OK(gravel_close(gravel));
}

static void expect_no_build(const char *source, const char *options, const char *part)
{
    cl_program program = (cl_program)1;
    expect_error(gravel_program_build(gravel, "count.cl", source, options, &program), GRAVEL_EBUILD,
                 part);
    assert_null(program);
}

/* A kernel of one statement list. */
#define KERNEL(parameters, body) \
    "#include \"gravel.cl.h\"\nkernel void k(" parameters ")\n{\n" body "\n}\n"
#define INC(group) "gravel_inc_uint_wg( " group ", 0, 0, 0);"

TEST(what_does_not_build_is_named)
{
    static const struct {
        const char *source, *options, *part;
    } rows[] = {
        {KERNEL("GRAVEL_ARENA", "    this is no C;"), NULL, "count.cl:4"},
        {"nonsense\n#include \"gravel.cl.h\"\n", NULL, "count.cl:1"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g); gravel_am0_wg(g, GRAVEL_HANDLER(nobody), 0);"),
         NULL, "GRAVEL_HANDLER_nobody"},
        {"#undef GRAVELP_HOST_ARENA_VERSION\n#define GRAVELP_HOST_ARENA_VERSION 999\n" KERNEL(
             "GRAVEL_ARENA", "GRAVEL_OPEN(g);"),
         NULL, "different versions"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g);\nGRAVEL_OPEN(g);"), NULL,
         "GRAVEL_OPEN is in a kernel once"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g);\nGRAVEL_OPEN(h);"), NULL,
         "GRAVEL_OPEN is in a kernel once"},
        {"#include \"nowhere.h\"\n", NULL, "nowhere.h"},
        {"kernel void k(void) {}\n", "-no-such-option", "-no-such-option"},
        {"kernel void k(global int *p) { *p = nowhere_at_all(*p); }\n", NULL, "nowhere_at_all"},
        {KERNEL("GRAVEL_ARENA", INC("g")), NULL, "GRAVEL_OPEN(g) missing"},
        {KERNEL("GRAVEL_ARENA", INC("group")), NULL, "GRAVEL_OPEN(group) missing"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g); " INC("h")), NULL, "GRAVEL_OPEN(h) missing"},
        {KERNEL("global int *x", "GRAVEL_OPEN(g); " INC("g")), NULL, "GRAVEL_ARENA missing"},
        {KERNEL("GRAVEL_ARENA", "nowhere = 1;"), NULL, "nowhere"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_no_build(rows[i].source, rows[i].options, rows[i].part);
    assert_null(strstr(gravel_last_error(), "advice"));
}

TEST(without_64_bit_atomics_waits_for_longs_do_not_build)
{
    static const char source[] = "#undef cl_khr_int64_base_atomics\n"
                                 "#include \"gravel.cl.h\"\n"
                                 "kernel void wait(GRAVEL_ARENA) { GRAVEL_OPEN(g); "
                                 "gravel_wait_until_CALL(g, 8, GRAVEL_CMP_EQ, 1); }\n";
    static const char *const rows[][2] = {{"uint_wg", NULL},
                                          {"ulong_wg", "wait_for_32_bits"},
                                          {"long_wi", "wait_for_32_bits"},
                                          {"some_ulong_wi", "wait_for_32_bits"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char option[64], part[96];
        cl_program program = NULL;
        snprintf(option, sizeof option, "-Dgravel_wait_until_CALL=gravel_wait_until_%s",
                 rows[i][0]);
        snprintf(part, sizeof part, "gravel_error_this_device_has_no_64_bit_atomics_so_%s",
                 rows[i][1] ? rows[i][1] : "");
        expect_error(gravel_program_build(gravel, "wait.cl", source, option, &program),
                     rows[i][1] ? GRAVEL_EBUILD : 0, part);
        clReleaseProgram(program);
    }
}

TEST(macros_that_change_the_headers_are_refused)
{
    static const char *const options[] = {"-Dn=5", "-D n=5", "-DX=1 -Dn", "-Dn=5 -DX=1",
                                          "-DX=\"-D\" -Dn=5"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        expect_no_build(KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g);"), options[i],
                        "the macro n is a word that gravel.cl.h uses");
    static const char *const names[] = {"width", "index",       "value",   "first", "lane",
                                        "arena", "gravel_node", "scratch", "bytes", "heap"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char option[64];
        snprintf(option, sizeof option, "-D%s=1", names[i]);
        expect_no_build(KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g);"), option, names[i]);
        assert_non_null(strstr(gravel_last_error(), "call it otherwise"));
    }
}

#define BEHIND "#include \"gravel.cl.h\"\nkernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n"

/* Which would pass for parameters: calls that mean something else, without an error. */
TEST(macros_ahead_of_the_headers_are_refused)
{
    static const char *const refused[] = {"#define n 5\n" BEHIND, "\n\n # define n(x) x\n" BEHIND,
                                          "#ifndef nowhere\n#define n\n#endif\n" BEHIND,
                                          "/* a\n*/\n#define value 1\n#define n 5\n" BEHIND};
    static const char *const built[] = {
        "#define n 5\n#undef n\n" BEHIND,
        "#ifdef nowhere\n#define n 5\n#endif\n" BEHIND,
        "/*\n#define n 5\n*/\n" BEHIND,
        "#define N 5\n#define no_word_of_it n\n" BEHIND,
        "#ifndef __OPENCL_VERSION__\n#define kernel\n#endif\n#define global global\n" BEHIND,
        BEHIND "#define n 5\nkernel void l(global int *x) { *x = n; }\n"};
    static const char *const options[] = {"-DN=5", "-Dno_word_of_it=1",
                                          "-D MAX=3 -DL=2 -DTYPE=int"};
    cl_program program;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_no_build(refused[i], NULL, "the macro n is a word that gravel.cl.h uses");
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        OK(gravel_program_build(gravel, "k.cl", built[i], i < 3 ? options[i] : NULL, &program));
        clReleaseProgram(program);
    }
    OK(gravel_program_build(gravel, "k.cl", "kernel void k(global int *x) { *x = n; }", "-Dn=5",
                            &program)); /* without the headers */
    clReleaseProgram(program);
}

/* Also behind marks of the order of bytes, which editors put in front of texts. */
TEST(headers_are_included_outside_of_comments_and_literals)
{
    static const char *const built[] = {
        "  #  include\t\"gravel.cl.h\" // mine\nkernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n",
        "#if 0\n#include \"gravel.cl.h\"\n#else\n" BEHIND "#endif\n",
        "// /*\n" BEHIND,
        "constant char text[] = \"/*\";\n" BEHIND,
        "constant char text[] = \"\\\"/*\";\n" BEHIND,
        "constant char c = '\"'; /* \"\n#include \"gravel.cl.h\"\n*/\n" BEHIND,
        "\xef\xbb\xbf" BEHIND,
        "int a(void);\n\xef\xbb\xbf" BEHIND};
    static const char *const refused[] = {
        "/*\n#include \"gravel.cl.h\"\n*/\n", "/* a */ /* c\n#include \"gravel.cl.h\"\n*/\n",
        "constant char c = '\"'; /* \"\n#include \"gravel.cl.h\"\n*/\n"};
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        cl_program program;
        expect_error(gravel_program_build(gravel, "k.cl", built[i], NULL, &program), 0, "");
        clReleaseProgram(program);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char source[256];
        snprintf(source, sizeof source, "%skernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); }",
                 refused[i]);
        expect_no_build(source, NULL, "advice: is #include \"gravel.cl.h\" missing");
    }
}

TEST(what_is_missing_or_too_much_is_advised)
{
    static const struct {
        const char *source, *part;
    } rows[] = {
        {"kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); }",
         "advice: is #include \"gravel.cl.h\" missing"},
        {"void visit(struct gravel_call c, ulong a) {}",
         "advice: is #include \"gravel.cl.h\" missing"},
        {KERNEL("GRAVEL_ARENA, GRAVEL_ACCUMULATOR(sums)",
                "GRAVEL_OPEN(g); gravel_accumulate_add_uint_wi(sums, 0, 1, 0);"),
         "advice: is #include \"accumulator.cl.h\" missing"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g); gravel_printf_wg(g, \"x\");"),
         "advice: is #include \"print.cl.h\" missing"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g); gravel_inc_uint_wg(g, 0, 0);"),
         "advice: the call of line 4 is gravel_inc_uint_wg(g, base, index, node)"},
        {KERNEL("GRAVEL_ARENA",
                "GRAVEL_OPEN(g);\n gravel_put_uint_wg_if(g, 1,\n 0, max(1, 2), (0));"),
         "advice: the call of line 6 is gravel_put_uint_wg_if(g, active, base, index, value, "
         "node)"},
        {KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g); gravel_inc_uint_wg(g, 0, 0, 0, 0);"),
         "advice: the call of line 4 is gravel_inc_uint_wg(g, base, index, node)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_no_build(rows[i].source, NULL, rows[i].part);
        const char *advice = strstr(gravel_last_error(), "advice:"); /* the one that it is */
        assert_null(strstr(advice + 1, "advice:"));
    }
}

static char warned[512];

static void keep_warnings(void *user, const char *text)
{
    (void)user;
    if (strstr(text, "warning:"))
        snprintf(warned, sizeof warned, "%s", text);
}

TEST(warnings_of_what_builds_are_logged)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = keep_warnings);
    struct gravel *other = open_loopback(1, &bindings);
    cl_program program;
    OK(gravel_program_build(other, "narrow.cl", KERNEL("GRAVEL_ARENA", "uint n = 2.5f;"), NULL,
                            &program));
    clReleaseProgram(program);
    OK(gravel_close(other));
    assert_non_null(strstr(warned, "narrow.cl:4"));
}

TEST(the_type_of_a_handler_is_told)
{
    const struct gravel_handler handlers[] = {
        {.name = "visit", .n_args = 2},
        {.name = "narrow", .n_args = 1, .arg_bytes = 4, .n_answers = 1}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2, .device_code = {.name = "h.cl"});
    bindings.device_code.source = "#include \"gravel.cl.h\"\n"
                                  "void visit(struct gravel_call c, uint a) {}\n"
                                  "uint narrow(struct gravel_call c, uint a) { return a; }\n";
    expect_no_open(NULL, &bindings, GRAVEL_EBUILD,
                   "type is: void visit(struct gravel_call, ulong, ulong);");
    bindings.device_code.source = "#include \"gravel.cl.h\"\n"
                                  "void visit(struct gravel_call c, ulong a, ulong b) {}\n"
                                  "ulong narrow(struct gravel_call c, ulong a) { return a; }\n";
    expect_no_open(NULL, &bindings, GRAVEL_EBUILD,
                   "type is: uint narrow(struct gravel_call, uint);");
}

TEST(arguments_that_are_not_set_are_listed)
{
    cl_program program;
    OK(gravel_program_build(gravel, "k.cl",
                            KERNEL("GRAVEL_ARENA, global uint *table", "GRAVEL_OPEN(g);"), NULL,
                            &program));
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    const size_t n = 64;
    expect_error(gravel_launch(gravel, kernel, 1, &n, &n, 0, NULL, NULL), GRAVEL_ECL,
                 "kernel k: an argument is not set; it takes 0 gravel_arena_ by "
                 "gravel_kernel_set_arena, 1 table");
    expect_error(gravel_kernel_set_arena(gravel, kernel, 1), GRAVEL_EINVAL,
                 "argument 1 is uint* table; GRAVEL_ARENA is argument 0");
    OK(gravel_kernel_set_arena(gravel, kernel, 0));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(a_file_is_built_and_named)
{
    char path[64];
    cl_program program;
    snprintf(path, sizeof path, "built_%ld.cl", (long)getpid());
    write_file(path, KERNEL("GRAVEL_ARENA", "GRAVEL_OPEN(g); uint n = N;"));
    OK(gravel_program_build_file(gravel, path, "-DN=5", &program));
    clReleaseProgram(program);
    write_file(path,
               "#include \"gravel.cl.h\"\nkernel void k(GRAVEL_ARENA)\n{\n    nonsense;\n}\n");
    expect_error(gravel_program_build_file(gravel, path, NULL, &program), GRAVEL_EBUILD, path);
    assert_non_null(strstr(gravel_last_error(), ".cl:4"));
    assert_null(program);
    remove(path);
    expect_error(gravel_program_build_file(gravel, path, NULL, &program), GRAVEL_ESYSTEM,
                 "No such file");
    assert_non_null(strstr(gravel_last_error(), path));
    expect_error(gravel_program_build_file(gravel, ".", NULL, &program), GRAVEL_ESYSTEM,
                 ".: not a regular file");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_error(gravel_program_build_file(gravel, path, NULL, &program), GRAVEL_ESYSTEM,
                 "not a regular file");
    remove(path);
}

const struct fixture fixture = {.limit_s = 60, .open = open_node, .close = close_node};
