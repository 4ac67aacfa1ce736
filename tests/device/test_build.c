/* SPDX-License-Identifier: MIT */
/*
 * Programs that do not build, or were built for another library: the compiler's log comes with the user's
 * file name and line.
 *
 * Path: meson test -> this -> gravel_program_build, lib/opencl/program.c
 */
#include "expect.h"

static struct gravel *gravel;

static int open_node(void **state)
{
    (void)state;
    gravel = open_loopback(1, NULL);
    return 0;
}

static int close_node(void **state)
{
    (void)state;
    return gravel_close(gravel);
}

static void expect_no_build(const char *source, const char *options, const char *part)
{
    cl_program program = (cl_program)1;
    expect_error(gravel_program_build(gravel, "count.cl", source, options, &program), GRAVEL_EBUILD,
                 part);
    assert_null(program);
}

static void syntax_error_names_file_and_line(void **state)
{
    (void)state;
    expect_no_build("#include \"gravel.cl.h\"\n"
                    "kernel void k(GRAVEL_ARENA)\n"
                    "{\n"
                    "    this is no C;\n"
                    "}\n",
                    NULL, "count.cl:4");
}

static void syntax_error_before_the_include_names_line_1(void **state)
{
    (void)state;
    expect_no_build("nonsense\n#include \"gravel.cl.h\"\n", NULL, "count.cl:1");
}

static void unknown_handler_is_named(void **state)
{
    (void)state;
    expect_no_build("#include \"gravel.cl.h\"\n"
                    "kernel void k(GRAVEL_ARENA)\n"
                    "{\n"
                    "    GRAVEL_OPEN(g);\n"
                    "    gravel_am0_wg(g, GRAVEL_HANDLER(nobody), 0);\n"
                    "}\n",
                    NULL, "GRAVEL_HANDLER_nobody");
}

static void another_arena_version_is_refused_at_build(void **state)
{
    (void)state;
    expect_no_build("#undef GRAVELP_HOST_ARENA_VERSION\n"
                    "#define GRAVELP_HOST_ARENA_VERSION 999\n"
                    "#include \"gravel.cl.h\"\n"
                    "kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n",
                    NULL, "different versions");
}

static void missing_header_names_it(void **state)
{
    (void)state;
    expect_no_build("#include \"nowhere.h\"\n", NULL, "nowhere.h");
}

static void bad_options_are_told(void **state)
{
    (void)state;
    expect_no_build("kernel void k(void) {}\n", "-no-such-option", "-no-such-option");
}

static void undefined_function_is_named(void **state)
{
    (void)state;
    expect_no_build("kernel void k(global int *p) { *p = nowhere_at_all(*p); }\n", NULL,
                    "nowhere_at_all");
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    cl_program program;
    expect_error(gravel_program_build(gravel, "x", NULL, NULL, &program), GRAVEL_EINVAL, "NULL");
    expect_error(gravel_program_build(gravel, NULL, "", NULL, &program), GRAVEL_EINVAL, "NULL");
    expect_error(gravel_program_build(gravel, "x", "", NULL, NULL), GRAVEL_EINVAL, "NULL");
}

static void node_works_after_refused_programs(void **state)
{
    (void)state;
    expect_works(gravel);
}

int main(void)
{
    watch(60, "program building");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_error_names_file_and_line),
        cmocka_unit_test(syntax_error_before_the_include_names_line_1),
        cmocka_unit_test(unknown_handler_is_named),
        cmocka_unit_test(another_arena_version_is_refused_at_build),
        cmocka_unit_test(missing_header_names_it),
        cmocka_unit_test(bad_options_are_told),
        cmocka_unit_test(undefined_function_is_named),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(node_works_after_refused_programs),
    };
    return cmocka_run_group_tests(tests, open_node, close_node);
}
