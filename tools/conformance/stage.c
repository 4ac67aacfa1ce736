/* SPDX-License-Identifier: MIT */
/*
 * Running and judging conformance cases. See stage.h.
 */
#include "stage.h"

#include "suites.h"
#include "support.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_GROUPS 2u

cl_mem stage_array(const struct stage *stage, size_t bytes)
{
    cl_int error;
    cl_mem array =
        clCreateBuffer(gravel_cl_context(stage->gravel), CL_MEM_READ_WRITE, bytes, NULL, &error);
    MUST(error == CL_SUCCESS);
    return array;
}

void stage_write(const struct stage *stage, cl_mem array, const void *data, size_t bytes)
{
    MUST(clEnqueueWriteBuffer(gravel_cl_queue(stage->gravel), array, CL_TRUE, 0, bytes, data, 0,
                              NULL, NULL) == CL_SUCCESS);
}

void stage_read_back(const struct stage *stage, cl_mem array, void *data, size_t bytes)
{
    MUST(clEnqueueReadBuffer(gravel_cl_queue(stage->gravel), array, CL_TRUE, 0, bytes, data, 0,
                             NULL, NULL) == CL_SUCCESS);
}

void stage_set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    MUST(clSetKernelArg(kernel, index, bytes, value) == CL_SUCCESS);
}

void stage_require_nodes(const struct stage *stage, uint32_t n)
{
    if (n <= MAX_ORIGINS)
        return;
    if (stage->node == 0)
        fprintf(stderr,
                "gravel-conformance: this suite takes up to %u nodes that send; the job has %u "
                "(--suite ledger takes any number)\n",
                MAX_ORIGINS, n);
    gravel_close(stage->gravel);
    exit(EXIT_FAILURE);
}

/* Meets where every node is a sender: node 0 is ahead, the other nodes wait before, it wakes them after. */
static void meet_if(struct stage *stage, bool is_first)
{
    if (stage->n_origins > 1 && is_first == (stage->node == 0))
        OK(gravel_barrier(stage->gravel));
}

/* Opens a node, makes the arrays, allocates the heap, and builds the program from its text: the same on every step, so that
 * a driver that keeps what it compiled (PoCL) compiles a kernel once for all of them. Node 0 goes ahead; the other nodes
 * find it there. @return false, once the plan says so for all ranks, if the suite is refused */
static bool open_stage(struct stage *stage, const struct suite *suite)
{
    const bool has_device_code = suite->bindings && suite->bindings->device_code.source;
    cl_mem *const arrays[] = {&stage->active, &stage->nodes, &stage->indices, &stage->values};
    struct gravel_config config;
    OK(gravel_config_load(&config, sizeof config));
    if (!strcmp(config.step, "drain") && !config.slice_groups && !has_device_code)
        config.slice_groups = SLICE_GROUPS;
    int code = gravel_open(&stage->gravel, &config, suite->bindings);
    if (code == GRAVEL_ECAPABILITY &&
        (has_device_code || strstr(gravel_last_error(), " take step "))) {
        if (launched_rank() == 0)
            printf("1..0 # SKIP %s\n", gravel_last_error());
        return false;
    }
    OK(code);
    stage->node = gravel_node(stage->gravel);
    stage->n_nodes = gravel_n_nodes(stage->gravel);
    bool is_loopback = stage->n_nodes > 1 && gravel_is_local(stage->gravel, 0) &&
                       gravel_is_local(stage->gravel, 1);
    stage->n_origins = is_loopback ? 1 : stage->n_nodes;
    stage->waits = !takes_step(stage->gravel, "drain");
    stage_require_nodes(stage, stage->n_origins);
    for (size_t i = 0; i < 4; i++)
        *arrays[i] = stage_array(stage, N_ITEMS * sizeof(uint64_t));
    stage->heap = alloc_or_die(stage->gravel, suite->heap_bytes);
    meet_if(stage, false);
    stage->program =
        build_or_die(stage->gravel, suite->text, "-DGRAVEL_SLICED"); /* on every step */
    meet_if(stage, true);
    return true;
}

cl_kernel stage_kernel(struct stage *stage, const char *name, enum form form)
{
    char full_name[64];
    cl_int error;
    snprintf(full_name, sizeof full_name, "%s%s", name, form_suffixes[form]);
    cl_kernel kernel = clCreateKernel(stage->program, full_name, &error);
    if (error == CL_INVALID_KERNEL_NAME) {
        stage->n_lines++;
        if (stage->node == 0)
            printf("ok %u - %s # SKIP the device has no such type, or no atomics of it\n",
                   stage->n_lines, full_name);
        return NULL;
    }
    MUST(error == CL_SUCCESS);
    OK(gravel_kernel_set_arena(stage->gravel, kernel, 0));
    stage->is_new = true;
    return kernel;
}

void stage_load(struct stage *stage, const struct plan *plan, uint32_t value_bytes)
{
    unsigned char values[sizeof plan->bits];
    for (uint32_t i = 0; i < N_ITEMS; i++)
        memcpy(values + (size_t)i * value_bytes, &plan->bits[i], value_bytes);
    stage_write(stage, stage->active, plan->active, sizeof plan->active);
    stage_write(stage, stage->nodes, plan->nodes, sizeof plan->nodes);
    stage_write(stage, stage->indices, plan->indices, sizeof plan->indices);
    stage_write(stage, stage->values, values, (size_t)N_ITEMS * value_bytes);
}

int stage_run(struct stage *stage, cl_kernel kernel, uint32_t n_items)
{
    bool is_new = stage->is_new;
    stage->is_new = false;
    if (is_new)
        meet_if(stage, false);
    int code = run_kernel(stage->gravel, kernel, n_items, GROUP);
    if (is_new)
        meet_if(stage, true);
    return code;
}

/* Returns whether the suite runs this operation, type and form. */
static bool takes(const struct stage *stage, const struct test_case *test)
{
    if (!stage->is_of_singles)
        return true;
    /* Of integers a type for each operation in turn, of floating-point numbers as well; and a form for each. */
    bool is_float = test->type == GRAVEL_FLOAT || test->type == GRAVEL_DOUBLE;
    uint32_t turn = is_float ? (test->op / 2 + test->type) % 2 : (test->op + test->type) % 4;
    return turn == 0 && (test->op + test->type + (uint32_t)test->form) % 3 == 0;
}

bool stage_differs(struct stage *stage, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*stage->why)
        vsnprintf(stage->why, sizeof stage->why, format, arguments);
    va_end(arguments);
    return false;
}

bool stage_same(struct stage *stage, const void *found, const void *expected, size_t bytes,
                uint32_t word_bytes, const char *what)
{
    uint64_t has = 0, due = 0;
    for (size_t at = 0; at < bytes; at += word_bytes) {
        memcpy(&has, (const char *)found + at, word_bytes);
        memcpy(&due, (const char *)expected + at, word_bytes);
        if (has != due)
            return stage_differs(stage, "%s %zu is 0x%" PRIx64 ", not 0x%" PRIx64, what,
                                 at / word_bytes, has, due);
    }
    return true;
}

bool stage_heap_is(struct stage *stage, uint32_t node, uint64_t at, const void *expected,
                   size_t bytes, uint32_t word_bytes, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "node %u, %s", node, what);
    const void *found = read_map(stage->gravel, node, at, bytes);
    const bool holds = stage_same(stage, found, expected, bytes, word_bytes, name);
    unmap(stage->gravel, found);
    return holds;
}

bool stage_judge(struct stage *stage, const char *name, bool holds)
{
    if (!holds) {
        printf("# node %u: %s: %s\n", stage->node, name, stage->why);
        fflush(stdout);
    }
    int64_t all = holds;
    OK(gravel_reduce(stage->gravel, GRAVEL_MIN, GRAVEL_LONG, &all, 1));
    stage->n_cases++;
    return all;
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     stage_case *run, void *context)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s to %s, %s", test->name, form_suffixes[test->form],
             target_names[test->target], activity_names[test->activity]);
    plan_fill(&stage->plan, test, stage->node, stage->n_nodes);
    stage->why[0] = '\0';
    return stage_judge(stage, name, run(stage, test, kernel, context));
}

void stage_cases(struct stage *stage, struct test_case test, uint64_t base, stage_case *run,
                 void *context)
{
    const cl_mem arrays[] = {stage->active, stage->nodes, stage->indices, stage->values};
    unsigned n_cases = 0, n_failed = 0;
    cl_kernel kernel = test.form == FORM_HOST ? NULL : stage_kernel(stage, test.kernel, test.form);
    if (!kernel && test.form != FORM_HOST)
        return;
    if (kernel)
        stage_set(kernel, 1, sizeof base, &base);
    for (cl_uint i = 0; i < 4 && kernel; i++)
        stage_set(kernel, i + 2, sizeof arrays[i], &arrays[i]);
    /* Where launches are cut into slices, messages and words of one type go in several; of other types in one, for compilers
     * that compile a kernel again for a slice that does not begin at 0 (PoCL). */
    const bool in_slices = test.type == GRAVEL_UINT || test.op == GRAVEL_AM;
    test.n_items = is_sliced(stage->gravel) && !in_slices ? SLICE_GROUPS * GROUP : N_ITEMS;
    for (test.target = 0; test.target < N_TARGETS; test.target++)
        for (test.activity = 0; test.activity < N_ACTIVITIES; test.activity++)
            if ((stage->n_nodes > 1 || test.target == TO_SELF) &&
                (test.form != FORM_GROUP || test.activity == ACTIVE_FULL)) {
                n_cases++;
                n_failed += !run_case(stage, &test, kernel, run, context);
            }
    if (kernel)
        clReleaseKernel(kernel);
    stage_line(stage, test.name, test.form, n_cases, n_failed);
}

void stage_operations(struct stage *stage, const struct test_case *operations, size_t n,
                      enum form first, enum form last, stage_case *run, void *context)
{
    for (size_t i = 0; i < n; i++)
        for (enum form form = first; form <= last; form++) {
            struct test_case test = operations[i];
            test.form = form;
            if (takes(stage, &test))
                stage_cases(stage, test, words_offset(stage), run, context);
        }
}

void stage_line(struct stage *stage, const char *name, enum form form, unsigned n_cases,
                unsigned n_failed)
{
    stage->n_lines++;
    stage->n_failed_lines += n_failed != 0;
    if (stage->node == 0)
        printf("%s %u - %s%s: %u of %u cases\n", n_failed ? "not ok" : "ok", stage->n_lines, name,
               form_suffixes[form], n_cases - n_failed, n_cases);
}

int suite_run(const struct suite *suite, int n_arguments, char **arguments)
{
    struct stage stage = {.gravel = NULL};
    if (suite->alone)
        return suite->alone(n_arguments, arguments);
    for (int i = 0; i < n_arguments && arguments[i]; i++) {
        stage.is_of_singles = !strcmp(arguments[i], "singles");
        if (!stage.is_of_singles)
            die(__FILE__, __LINE__, "this suite takes 'singles', not '%s'", arguments[i]);
    }
    if (!open_stage(&stage, suite))
        return SUITE_REFUSED;
    suite->run(&stage);
    if (stage.node == 0)
        printf("1..%u\n# %u cases, %u of %u lines failed\n", stage.n_lines, stage.n_cases,
               stage.n_failed_lines, stage.n_lines);
    fflush(stdout);
    clReleaseMemObject(stage.active);
    clReleaseMemObject(stage.nodes);
    clReleaseMemObject(stage.indices);
    clReleaseMemObject(stage.values);
    clReleaseProgram(stage.program);
    OK(gravel_close(stage.gravel));
    return stage.n_failed_lines != 0;
}
