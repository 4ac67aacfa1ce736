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

static int create(void)
{
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.n_groups = N_GROUPS, .group_size = GROUP);
    int code = gravel_steal_create(&steal, gravel, &options);
    MUST(!code == !!steal);
    return code;
}

static void make_ledger(void)
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

static void make(void)
{
    make_ledger();
    OK(create());
}

static void make_kernel(const char *options, const char *name, cl_uint argument)
{
    cl_int error;
    kernel = clCreateKernel(after_program(source, options), name, &error);
    MUST(!error);
    if (!strcmp(name, "send"))
        OK(gravel_kernel_set_arena(gravel, kernel, 0));
    else
        MUST(!clSetKernelArg(kernel, 1, sizeof ledger, &ledger));
    MUST(!clSetKernelArg(kernel, 2, sizeof argument, &argument));
}

static int run(void)
{
    int code = gravel_steal_launch(steal, kernel, 0, NULL, NULL);
    return code ? code : gravel_steal_wait(steal);
}

static int fill_all(void)
{
    return gravel_steal_fill(steal, tasks, N_TASKS);
}

/* Fills the deques, and makes the kernel that is launched next. */
static void make_for(const char *options, const char *name, cl_uint argument)
{
    make();
    OK(fill_all());
    make_kernel(options, name, argument);
}

static void make_for_all(void)
{
    make_for(NULL, "run", 0);
}

static void make_for_other(void)
{
    make_for("-DOTHER", "run", 0);
}

static void make_to_leave(void)
{
    make_for(NULL, "run", 1);
}

static void make_to_idle(void)
{
    make_for(NULL, "send", 0);
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
static void expect_ledger(void)
{
    cl_uint counts[N_TASKS];
    MUST(!clEnqueueReadBuffer(gravel_cl_queue(gravel), ledger, CL_TRUE, 0, sizeof counts, counts, 0,
                              NULL, NULL));
    for (uint32_t i = 0; i < N_TASKS; i++)
        if (counts[i] != 1)
            die("deques", 0, "task %u of %u has run %u times", i, N_TASKS, counts[i]);
}

static void all_run(void)
{
    if (kernel)
        clReleaseKernel(kernel);
    make_kernel(NULL, "run", 0);
    OK(run());
    expect_ledger();
    OK(gravel_steal_destroy(steal));
    steal = NULL;
    release();
}

/* Whether it failed or not. */
static void run_once_each(void)
{
    OK(gravel_steal_fill(steal, NULL, 0)); /* writes what the host has of the deques */
    all_run();
}

static void filled_next(void)
{
    OK(fill_all());
    all_run();
}

static int destroy(void)
{
    int code = gravel_steal_destroy(steal);
    steal = NULL;
    return code;
}

static int destroy_and_meet(void)
{
    destroy();
    return gravel_barrier(gravel);
}

static void others_run(void)
{
    OK(create());
    filled_next();
}

const struct after_row steal_rows[] = {
    {"deques", "a program of another task is launched", "tasks stay", .prepare = make_for_other,
     .act = run, .code = GRAVEL_EKERNEL, .part = "built for tasks of 4 bytes", .hold = all_run},
    {"deques", "a kernel returns within GRAVEL_STEAL_EACH", "the next launch is not blamed",
     .prepare = make_to_leave, .act = run, .code = GRAVEL_EKERNEL,
     .part = "it has returned within GRAVEL_STEAL_EACH", .hold = all_run},
    {"deques", "a kernel that sends takes no task", "gravel_steal_launch says so, and tasks stay",
     .prepare = make_to_idle, .act = run, .code = GRAVEL_EKERNEL,
     .part = "let every work-item enter GRAVEL_STEAL_EACH", .hold = all_run, .step = "drain"},
    {"deques", "gravel_steal_fill", "nothing is added", .prepare = make, .act = fill_all,
     .hold = all_run, .fails = AFTER_ALL, .is_repeated = true, .drop = release, .step = "pump"},
    {"deques", "a launch or its wait", "each task runs once", .prepare = make_for_all, .act = run,
     .hold = run_once_each, .fails = AFTER_DRIVER, .drop = release},
    {"deques", "gravel_steal_create", "the next makes them", .prepare = make_ledger, .act = create,
     .hold = filled_next, .fails = AFTER_ALL, .is_repeated = true, .drop = release},
    {"deques", "gravel_steal_destroy", "others run", .prepare = make_for_all, .act = destroy,
     .hold = others_run, .fails = AFTER_ALL, .drop = release},
    {"deques", "the device is lost in gravel_steal_destroy", "every call names them",
     .prepare = make_for_all, .act = destroy_and_meet, .code = GRAVEL_ECL,
     .part = "copies of deques: CL_OUT_OF_RESOURCES", .hold = release, .is_lost = true,
     .step = "pump"},
    {0},
};
