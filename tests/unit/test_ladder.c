/* SPDX-License-Identifier: MIT */
/*
 * The steps' names, what a device lacks for each, and which one it takes by itself.
 *
 * Path: meson test -> this -> lib/device/capability.c
 */
#include <string.h>

#include "cases.h"
#include "device/capability.h"

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

/* What the device has not, or only it has; the step that is asked for; the one that is taken, or what is missing for it. */
enum {
    COMPILER = 1,
    SVM = 2,
    USM = 4,
    ATOMICS = 8,
    UNITS = 16,
    LITTLE = 32,
    CPU = 64,
    MAYBE = 128
};
static const struct {
    unsigned without;
    const char *wanted, *step, *lack;
} rows[] = {
    /* a forced step is never replaced by another, better or worse */
    {0, "svm", "svm", NULL},
    {0, "usm", "usm", NULL},
    {0, "pump", "pump", NULL},
    {0, "drain", "drain", NULL},
    {SVM, "svm", NULL, "CL_DEVICE_SVM_CAPABILITIES"},
    {USM, "usm", NULL, "cl_intel_unified_shared_memory"},
    {UNITS, "pump", NULL, "a single compute unit"},
    {ATOMICS, "svm", NULL, "CL_DEVICE_OPENCL_C_FEATURES"},
    {ATOMICS, "usm", NULL, "CL_DEVICE_OPENCL_C_FEATURES"},
    {ATOMICS, "pump", NULL, "atomics"},
    {ATOMICS, "drain", "drain", NULL},
    {LITTLE, "drain", NULL, "CL_DEVICE_ENDIAN_LITTLE"},
    {COMPILER, "drain", NULL, "CL_DEVICE_COMPILER_AVAILABLE"},
    /* auto goes down the ladder */
    {0, "auto", "svm", NULL},
    {SVM, "auto", "usm", NULL},
    {SVM | USM, "auto", "pump", NULL},
    {SVM | USM | UNITS, "auto", "drain", NULL},
    {ATOMICS, "auto", "drain", NULL},
    {SVM | USM | ATOMICS, "auto", "drain", NULL},
    {SVM | USM | ATOMICS | MAYBE, "auto", "pump", NULL}, /* a compiler that may have them */
    {COMPILER, "auto", NULL, "no compiler"},
    /* on a CPU a kernel that waits keeps the core that the copies need */
    {CPU, "auto", "svm", NULL},
    {CPU | SVM | USM, "auto", "drain", NULL},
    {CPU | SVM | USM, "pump", "pump", NULL},
};

TEST(each_step_is_taken_or_says_what_is_missing)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned without = rows[i].without;
        const struct gravel_capability capability = {.has_compiler = !(without & COMPILER),
                                                     .has_fine_svm = !(without & SVM),
                                                     .has_host_usm = !(without & USM),
                                                     .has_c11_atomics = !(without & ATOMICS),
                                                     .may_have_c11_atomics = without & MAYBE,
                                                     .has_all_devices_scope = true,
                                                     .is_big_endian = without & LITTLE,
                                                     .is_cpu = without & CPU,
                                                     .compute_units = without & UNITS ? 1 : 100};
        enum gravel_step step;
        const char *lack = gravel_step_choose(rows[i].wanted, &capability, &step);
        if (!lack != !rows[i].lack || (lack && !strstr(lack, rows[i].lack)))
            fail_msg("row %zu, step %s lacks \"%s\", not \"%s\"", i, rows[i].wanted, lack,
                     rows[i].lack);
        if (!lack)
            assert_string_equal(gravel_step_name(step), rows[i].step);
    }
}
