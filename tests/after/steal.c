/* SPDX-License-Identifier: MIT */
/*
 * Deques after an error: tasks that have not run stay, and the next launch runs each of them once.
 *
 * Path: main.c -> this -> lib/steal
 */
#include "after.h"

#include <gravel/steal.h>

#include <string.h>

#define N_TASKS 1000u
#define N_GROUPS 2u
#define GROUP 16u

static struct gravel_steal *steal;
static cl_kernel kernel; /* of the launch that goes wrong, or of the one that must not */
static cl_mem ledger;    /* uint [N_TASKS] how often each task has run */
static uint64_t tasks[N_TASKS];

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#ifdef OTHER\n"
    "#define GRAVEL_STEAL_TASK uint\n"
    "#endif\n"
    "#include \"steal.cl.h\"\n"
    "kernel void run(GRAVEL_STEAL, global volatile uint *ledger, uint leaves)\n"
    "{\n"
    "    GRAVEL_STEAL_OPEN(s);\n"
    "    GRAVEL_STEAL_EACH (s, task) {\n"
    "        if (leaves)\n"
    "            return;\n"
    "        if (get_local_id(0) == 0)\n"
    "            atomic_inc(&ledger[task]);\n"
    "    }\n"
    "}\n"
    "kernel void send(GRAVEL_ARENA, GRAVEL_STEAL, uint takes)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    GRAVEL_STEAL_OPEN(s);\n"
    "    if (takes) {\n"
    "        GRAVEL_STEAL_EACH (s, task)\n"
    "            ;\n"
    "    }\n"
    "}\n";

static int create(struct gravel *gravel)
{
    return gravel_steal_create(
        &steal, gravel,
        &(struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.n_groups = N_GROUPS,
                                                           .group_size = GROUP));
}

static void make_ledger(struct gravel *gravel)
{
    const cl_uint zero = 0;
    cl_int error;
    for (uint32_t i = 0; i < N_TASKS; i++)
        tasks[i] = i;
    ledger = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, N_TASKS * sizeof zero,
                            NULL, &error);
    MUST(!error && !clEnqueueFillBuffer(gravel_cl_queue(gravel), ledger, &zero, sizeof zero, 0,
                                        N_TASKS * sizeof zero, 0, NULL, NULL));
}

static void make(struct gravel *gravel)
{
    make_ledger(gravel);
    OK(create(gravel));
}

static void make_and_fill(struct gravel *gravel)
{
    make(gravel);
    OK(gravel_steal_fill(steal, tasks, N_TASKS));
}

static void make_kernel(struct gravel *gravel, const char *options, const char *name,
                        cl_uint argument)
{
    cl_int error;
    kernel = clCreateKernel(after_program(gravel, source, options), name, &error);
    MUST(!error);
    if (!strcmp(name, "send"))
        OK(gravel_kernel_set_arena(gravel, kernel, 0));
    else
        MUST(!clSetKernelArg(kernel, 1, sizeof ledger, &ledger));
    MUST(!clSetKernelArg(kernel, 2, sizeof argument, &argument));
}

static int run(struct gravel *gravel)
{
    (void)gravel;
    int code = gravel_steal_launch(steal, kernel, 0, NULL, NULL);
    return code ? code : gravel_steal_wait(steal);
}

static int fill_all(struct gravel *gravel)
{
    (void)gravel;
    return gravel_steal_fill(steal, tasks, N_TASKS);
}

static void make_for_all(struct gravel *gravel)
{
    make_and_fill(gravel);
    make_kernel(gravel, NULL, "run", 0);
}

static void make_for_other(struct gravel *gravel)
{
    make_and_fill(gravel);
    make_kernel(gravel, "-DOTHER", "run", 0);
}

static void make_to_leave(struct gravel *gravel)
{
    make_and_fill(gravel);
    make_kernel(gravel, NULL, "run", 1);
}

static void make_to_idle(struct gravel *gravel)
{
    make_and_fill(gravel);
    make_kernel(gravel, NULL, "send", 0);
}

static void release(void)
{
    gravel_steal_destroy(steal);
    clReleaseMemObject(ledger);
    if (kernel)
        clReleaseKernel(kernel);
    kernel = NULL;
}

/* Of all tasks, each has run once. */
static void expect_ledger(struct gravel *gravel)
{
    cl_uint counts[N_TASKS];
    MUST(!clEnqueueReadBuffer(gravel_cl_queue(gravel), ledger, CL_TRUE, 0, sizeof counts, counts, 0,
                              NULL, NULL));
    for (uint32_t i = 0; i < N_TASKS; i++)
        if (counts[i] != 1)
            die("deques", 0, "task %u of %u has run %u times", i, N_TASKS, counts[i]);
}

static void all_run(struct gravel *gravel)
{
    if (kernel)
        clReleaseKernel(kernel);
    make_kernel(gravel, NULL, "run", 0);
    OK(run(gravel));
    expect_ledger(gravel);
    OK(gravel_steal_destroy(steal));
    steal = NULL;
    release();
}

static void other_is_told(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EKERNEL, "built for tasks of 4 bytes");
    all_run(gravel);
}

static void idle_is_told(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EKERNEL, "let every work-item enter GRAVEL_STEAL_EACH");
    all_run(gravel);
}

static void left_is_told_once(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EKERNEL, "it has returned within GRAVEL_STEAL_EACH");
    all_run(gravel);
}

/* Whether it failed or not: filled once, all run; or the node has ended. */
static void filled_once(struct gravel *gravel, int code)
{
    if (gravel_barrier(gravel)) {
        release();
        return;
    }
    if (code)
        OK(fill_all(gravel));
    all_run(gravel);
}

static void run_once_each(struct gravel *gravel, int code)
{
    (void)code;
    if (gravel_barrier(gravel)) {
        release();
        return;
    }
    OK(gravel_steal_fill(steal, NULL, 0)); /* writes what the host has of the deques */
    all_run(gravel);
}

static void created_next(struct gravel *gravel, int code)
{
    MUST(!code == !!steal);
    if (gravel_barrier(gravel)) {
        release();
        return;
    }
    if (code)
        OK(create(gravel));
    OK(fill_all(gravel));
    all_run(gravel);
}

static int destroy(struct gravel *gravel)
{
    (void)gravel;
    int code = gravel_steal_destroy(steal);
    steal = NULL;
    return code;
}

static void others_run(struct gravel *gravel, int code)
{
    (void)code;
    if (gravel_barrier(gravel)) {
        release();
        return;
    }
    OK(create(gravel));
    OK(fill_all(gravel));
    all_run(gravel);
}

const struct after_row steal_rows[] = {
    {"deques", "a program of another task is launched", "tasks stay", .prepare = make_for_other,
     .act = run, .hold = other_is_told},
    {"deques", "a kernel returns within GRAVEL_STEAL_EACH", "the next launch is not blamed",
     .prepare = make_to_leave, .act = run, .hold = left_is_told_once},
    {"deques", "a kernel that sends takes no task", "gravel_steal_launch says so, and tasks stay",
     .prepare = make_to_idle, .act = run, .hold = idle_is_told, .step = "drain"},
    {"deques", "a call of the driver fails in gravel_steal_fill", "nothing is added",
     .prepare = make, .act = fill_all, .hold = filled_once, .fails = AFTER_DRIVER, .step = "pump"},
    {"deques", "memory runs out in gravel_steal_fill", "nothing is added", .prepare = make,
     .act = fill_all, .hold = filled_once, .fails = AFTER_MEMORY, .step = "pump"},
    {"deques", "a call of the driver fails in a launch or its wait", "each task runs once",
     .prepare = make_for_all, .act = run, .hold = run_once_each, .fails = AFTER_DRIVER},
    {"deques", "a call of the driver or memory fails in gravel_steal_create", "the next makes them",
     .prepare = make_ledger, .act = create, .hold = created_next,
     .fails = AFTER_DRIVER | AFTER_MEMORY},
    {"deques", "a call of the driver or memory fails in gravel_steal_destroy", "others run",
     .prepare = make_and_fill, .act = destroy, .hold = others_run,
     .fails = AFTER_DRIVER | AFTER_MEMORY},
    {0},
};
