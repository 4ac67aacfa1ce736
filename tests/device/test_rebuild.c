/* SPDX-License-Identifier: MIT */
/*
 * What fails once and is tried again. A build that fails without a word of the compiler, as PoCL's does for one of two
 * processes that fill its cache with one program at once: it is tried again, once, and then its cache is named; a program that
 * is wrong is not, and a text is built once. And the self-test's kernel, on a machine so busy that it got no core for as long as
 * the host waits.
 *
 * The linker sends the library's calls here (--wrap). A build that fails is the driver's, of a text that is no program; the
 * first hand-over of the self-test is swallowed.
 *
 * Path: meson test -> this -> gravel_program_build, lib/opencl/objects.c; lib/self_test/self_test.c
 */
#include "wrapped_opencl.h"
#include "expect.h"

#include <gravel/mirror.h>

static unsigned n_builds, n_failing;

WRAP(clBuildProgram)
{
    if (n_builds++ < n_failing)
        options = "-Dkernel=nonsense";
    return PASS_ON(clBuildProgram);
}

WRAP(clGetProgramBuildInfo)
{
    static const char log[] = "Device failed to build the program\n";
    if (n_builds > n_failing || param_name != CL_PROGRAM_BUILD_LOG)
        return PASS_ON(clGetProgramBuildInfo);
    if (param_value_size_ret)
        *param_value_size_ret = sizeof log;
    if (param_value)
        memcpy(param_value, log, param_value_size < sizeof log ? param_value_size : sizeof log);
    return CL_SUCCESS;
}

static unsigned n_hand_overs, n_swallowed;

WRAP(clEnqueueNDRangeKernel)
{
    char name[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    if (!event && !strcmp(name, "hand_over") && n_hand_overs++ < n_swallowed)
        return CL_SUCCESS;
    return PASS_ON(clEnqueueNDRangeKernel);
}

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); }\n";
static const char wrong[] = "#include \"gravel.cl.h\"\n"
                            "kernel void k(GRAVEL_ARENA) { this is no C; }\n";

static void let_fail(unsigned n)
{
    n_builds = 0;
    n_failing = n;
}

TEST(a_build_that_the_compiler_did_not_refuse_is_tried_again)
{
    let_fail(1);
    struct gravel *gravel = scoped_loopback(1, NULL);
    assert_true(n_builds > 1);
    let_fail(1);
    cl_program program = build_or_die(gravel, source, NULL);
    assert_int_equal(n_builds, 2);
    kernel_or_die(gravel, program, "k");
    expect_works(gravel);
}

TEST(it_is_tried_once_and_a_wrong_program_is_not)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    cl_program program = (cl_program)1;
    let_fail(2);
    expect_error(gravel_program_build(gravel, "k.cl", source, NULL, &program), GRAVEL_EBUILD,
                 "Device failed to build the program");
    char driver[64] = "";
    cl_platform_id platform;
    clGetDeviceInfo(gravel_cl_device(gravel), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof driver, driver, NULL);
    if (!strcmp(driver, "Portable Computing Language"))
        assert_non_null(strstr(gravel_last_error(), "advice: the compiler names no error: can PoCL "
                                                    "write its cache, "));
    assert_null(program);
    assert_int_equal(n_builds, 2);
    let_fail(0);
    expect_error(gravel_program_build(gravel, "k.cl", wrong, NULL, &program), GRAVEL_EBUILD,
                 "k.cl:2");
    assert_int_equal(n_builds, 1);
}

TEST(a_text_is_built_once_for_its_options)
{
    struct gravel *gravel = scoped_loopback(2, NULL);
    let_fail(0);
    cl_program program = build_or_die(gravel, source, NULL);
    assert_ptr_equal(build_or_die(gravel, source, NULL), program);
    assert_int_equal(n_builds, 1);
    assert_ptr_not_equal(build_or_die(gravel, source, "-DOTHER"), program);
    assert_int_equal(n_builds, 2);
    const uint64_t none[2] = {0};
    const struct gravel_words words =
        GRAVEL_WORDS(.offset = alloc_or_die(gravel, 4), .type = GRAVEL_UINT, .n_words = none);
    struct gravel_mirror *mirror;
    for (uint32_t i = 0; i < 2; i++) { /* nor is a text of the library's own */
        OK(gravel_mirror_create(&mirror, gravel, &words));
        OK(gravel_mirror_destroy(mirror));
        assert_int_equal(n_builds, 3);
    }
    kernel_or_die(gravel, program, "k");
    expect_works(gravel);
}

TEST(a_text_that_includes_a_file_is_built_each_time)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    char path[] = "/tmp/gravel-built-XXXXXX", text[256];
    FILE *file = fdopen(mkstemp(path), "w");
    cl_program program;
    snprintf(text, sizeof text, "%s#  include \"%s\"\n", source, path);
    MUST(file && fputs("constant int of_file = 1;", file) >= 0 && fflush(file) == 0);
    OK(gravel_program_build(gravel, "k.cl", text, NULL, &program));
    clReleaseProgram(program);
    MUST(fputs("no C", file) >= 0 && fclose(file) == 0);
    expect_error(gravel_program_build(gravel, "k.cl", text, NULL, &program), GRAVEL_EBUILD, path);
    remove(path);
}

TEST(a_kernel_that_was_late_once_is_tried_again)
{
    n_hand_overs = 0;
    n_swallowed = 1;
    struct gravel *gravel = scoped_loopback(1, NULL);
    assert_true(n_hand_overs > 1);
    expect_works(gravel);
}

/* PoCL without a cache: where it is the only driver, the text names the folder. */
TEST_OF("cache", platform_without_device_says_why)
{
    const struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    int code = gravel_open(&gravel, &config, NULL);
    if (code == 0) {
        OK(gravel_close(gravel));
        skip_because("there are devices without PoCL's cache");
    }
    expect_error(code, GRAVEL_EDEVICE, "no OpenCL device: none of platform 0");
    assert_non_null(strstr(gravel_last_error(), "its cache, /proc/none: set POCL_CACHE_DIR"));
}

const struct fixture fixture = {.limit_s = 120};
