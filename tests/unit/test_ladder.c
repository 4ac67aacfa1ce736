/* SPDX-License-Identifier: MIT */
/*
 * The steps' names, what a device lacks for each, and which one it takes by itself.
 *
 * Path: meson test -> this -> lib/device/ladder.c
 */
#include <string.h>

#include "cases.h"
#include "device/capability.h"

/* A GPU that can all. */
static struct gravel_capability able(void)
{
    return (struct gravel_capability){.has_compiler = true,
                                      .has_fine_svm = true,
                                      .has_host_usm = true,
                                      .has_c11_atomics = true,
                                      .has_all_devices_scope = true,
                                      .compute_units = 100};
}

static void expect_step(const char *wanted, const struct gravel_capability *capability,
                        const char *name)
{
    enum gravel_step step;
    assert_null(gravel_step_choose(wanted, capability, &step));
    assert_string_equal(gravel_step_name(step), name);
}

static void expect_lack(const char *wanted, const struct gravel_capability *capability,
                        const char *part)
{
    enum gravel_step step;
    const char *lack = gravel_step_choose(wanted, capability, &step);
    assert_non_null(lack);
    if (!strstr(lack, part))
        fail_msg("step %s lacks \"%s\", not \"%s\"", wanted, lack, part);
}

TEST(names_are_parsed_and_nothing_else)
{
    const char *const names[GRAVEL_N_STEPS] = {"svm", "usm", "pump", "drain"};
    const char *const others[] = {"", "auto", "SVM", "pum", "pump ", "teleport"};
    enum gravel_step step;
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++) {
        assert_true(gravel_step_parse(names[i], &step));
        assert_int_equal(step, i);
        assert_string_equal(gravel_step_name(step), names[i]);
        assert_int_equal(gravel_step_is_shared(step), i < 2);
        assert_int_equal(gravel_step_may_wait(step), i < 3);
        assert_int_equal(gravel_step_is_pumped(step), i == 2);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(gravel_step_parse(others[i], &step));
}

TEST(able_device_takes_every_step)
{
    const struct gravel_capability capability = able();
    const char *const names[GRAVEL_N_STEPS] = {"svm", "usm", "pump", "drain"};
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++) {
        assert_null(gravel_step_lack((enum gravel_step)i, &capability));
        expect_step(names[i], &capability, names[i]);
    }
}

TEST(forced_step_names_what_is_missing)
{
    struct gravel_capability capability = able();
    capability.has_fine_svm = false;
    expect_lack("svm", &capability, "CL_DEVICE_SVM_CAPABILITIES");
    capability.has_host_usm = false;
    expect_lack("usm", &capability, "cl_intel_unified_shared_memory");
    capability.compute_units = 1;
    expect_lack("pump", &capability, "a single compute unit");
    capability.has_c11_atomics = false;
    expect_lack("pump", &capability, "atomics");
    expect_step("drain", &capability, "drain");
    capability.is_big_endian = true;
    expect_lack("drain", &capability, "CL_DEVICE_ENDIAN_LITTLE");
    capability.has_compiler = false;
    expect_lack("drain", &capability, "CL_DEVICE_COMPILER_AVAILABLE");
}

/* A forced step is never replaced by another, better or worse. */
TEST(forced_step_is_kept)
{
    struct gravel_capability capability = able();
    expect_step("drain", &capability, "drain");
    expect_step("pump", &capability, "pump");
    capability.has_fine_svm = false;
    expect_lack("svm", &capability, "SVM");
}

TEST(auto_goes_down_the_ladder)
{
    struct gravel_capability capability = able();
    expect_step("auto", &capability, "svm");
    capability.has_fine_svm = false;
    expect_step("auto", &capability, "usm");
    capability.has_host_usm = false;
    expect_step("auto", &capability, "pump");
    capability.compute_units = 1;
    expect_step("auto", &capability, "drain");
    capability.compute_units = 100;
    capability.has_c11_atomics = false;
    expect_step("auto", &capability, "drain");
    capability.may_have_c11_atomics =
        true; /* a compiler that does not say so may still have them */
    expect_step("auto", &capability, "pump");
    capability.has_compiler = false;
    expect_lack("auto", &capability, "no compiler");
}

TEST(shared_memory_without_atomics_is_not_enough)
{
    struct gravel_capability capability = able();
    capability.has_c11_atomics = false;
    expect_lack("svm", &capability, "CL_DEVICE_OPENCL_C_FEATURES");
    expect_lack("usm", &capability, "CL_DEVICE_OPENCL_C_FEATURES");
    expect_step("auto", &capability, "drain");
}

/* On a CPU a kernel that waits keeps the core that the copies need. */
TEST(cpu_pumps_only_when_forced)
{
    struct gravel_capability capability = able();
    capability.is_cpu = true;
    expect_step("auto", &capability, "svm");
    capability.has_fine_svm = capability.has_host_usm = false;
    expect_step("auto", &capability, "drain");
    expect_step("pump", &capability, "pump");
}
