/* SPDX-License-Identifier: MIT */
/*
 * The caller's own OpenCL objects: context, device and queue brought along, kernels enqueued by
 * clEnqueueNDRangeKernel, profiling and out-of-order queues, wait lists.
 *
 * Path: meson test -> this -> lib/device/device.c, node/launches.c
 */
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

/* The caller's objects, of the first device that can. */
struct objects {
    cl_device_id device;
    cl_context context;
};

static struct objects make_objects(void)
{
    struct gravel *gravel = open_loopback(1, NULL); /* let the library find a device that can */
    struct objects objects;
    cl_device_id device = gravel_cl_device(gravel), parent = NULL;
    clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
    objects.device = parent ? parent : device;
    OK(gravel_close(gravel));
    cl_int error;
    objects.context = clCreateContext(NULL, 1, &objects.device, NULL, NULL, &error);
    MUST(error == CL_SUCCESS);
    return objects;
}

static cl_command_queue make_queue(cl_context context, cl_device_id device,
                                   cl_command_queue_properties properties)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &error);
    return error == CL_SUCCESS ? queue : NULL;
}

static struct gravel *open_with(const struct gravel_bindings *bindings)
{
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    OK(gravel_open(&gravel, &config, bindings));
    return gravel;
}

TEST(callers_context_and_device_are_used)
{
    struct objects objects = make_objects();
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.context = objects.context, .device = objects.device);
    struct gravel *gravel = open_with(&bindings);
    assert_ptr_equal(gravel_cl_context(gravel), objects.context);
    assert_ptr_equal(gravel_cl_device(gravel), objects.device);
    assert_non_null(gravel_cl_queue(gravel));
    expect_works(gravel);
    bool is_usm = takes_step(gravel, "usm");
    OK(gravel_close(gravel));
    if (is_usm) /* PoCL 6.0 leaks references of contexts with host memory that is freed */
        return;
    cl_uint references = 0; /* as the caller made it; but drivers let go of it late */
    for (int i = 0; i < 2000 && references != 1; i++) {
        usleep(1000);
        assert_int_equal(clGetContextInfo(objects.context, CL_CONTEXT_REFERENCE_COUNT,
                                          sizeof references, &references, NULL),
                         CL_SUCCESS);
    }
    assert_int_equal(references, 1);
    clReleaseContext(objects.context);
}

/* An event that is released refers to its queue and device; what was freed too early is overwritten. */
TEST(event_outlives_the_node)
{
    struct gravel *gravel = open_loopback(1, NULL);
    const uint64_t arguments[3] = {0};
    cl_kernel kernel = body_kernel(gravel, "(void)i;", arguments);
    const size_t one = 1;
    cl_event event;
    cl_int status = CL_QUEUED;
    OK(gravel_launch(gravel, kernel, 1, &one, &one, 0, NULL, &event));
    clReleaseKernel(kernel);
    mallopt(M_PERTURB, 0xa5);
    OK(gravel_close(gravel));
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    assert_int_equal(status, CL_COMPLETE);
    assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
    mallopt(M_PERTURB, 0);
}

TEST(objects_that_cannot_be_are_refused)
{
    struct objects objects = make_objects();
    cl_command_queue queue = make_queue(objects.context, objects.device, 0);
    cl_command_queue astray = /* NULL where the device executes none */
        make_queue(objects.context, objects.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const struct {
        struct gravel_bindings bindings;
        const char *part;
    } rows[] = {
        {GRAVEL_BINDINGS(.context = objects.context), "a context needs its device"},
        {GRAVEL_BINDINGS(.queue = queue), "a queue needs both"},
        {GRAVEL_BINDINGS(.device = objects.device, .queue = queue), "a queue needs both"},
        {GRAVEL_BINDINGS(.context = objects.context, .device = objects.device, .queue = astray),
         "bindings.queue executes out of order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (i + 1 < sizeof rows / sizeof *rows || astray)
            expect_no_open(NULL, &rows[i].bindings, GRAVEL_EINVAL, rows[i].part);
    clReleaseCommandQueue(queue);
    if (astray)
        clReleaseCommandQueue(astray);
    clReleaseContext(objects.context);
}

static cl_uint units_of(cl_device_id device)
{
    cl_uint units = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    return units;
}

/* It leaves as many cores of a CPU device as Gravel's own choice does. */
TEST(a_device_alone_is_used_as_if_gravel_had_chosen_it)
{
    struct gravel *own = open_loopback(2, NULL);
    cl_device_id chosen = gravel_cl_device(own), root = NULL, parent = NULL;
    cl_uint units = units_of(chosen);
    clGetDeviceInfo(chosen, CL_DEVICE_PARENT_DEVICE, sizeof root, &root, NULL);
    OK(gravel_close(own));
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.device = root ? root : chosen);
    struct gravel *gravel = open_with(&bindings);
    clGetDeviceInfo(gravel_cl_device(gravel), CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent,
                    NULL);
    assert_int_equal(units_of(gravel_cl_device(gravel)), units);
    assert_ptr_equal(parent, root);
    assert_non_null(gravel_cl_context(gravel));
    expect_works(gravel);
    OK(gravel_close(gravel));
}

/* Without gravel_launch the caller waits for the kernels, then for their messages. */
TEST(kernels_on_a_queue_of_the_callers_send_all)
{
    const size_t global_size = 4096, local_size = 64;
    const cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                        CL_QUEUE_PROFILING_ENABLE};
    struct gravel *gravel = scoped_loopback(2, NULL);
    uint64_t word = alloc_or_die(gravel, 64);
    cl_kernel kernel = scoped_body(gravel, "gravel_inc_uint_wg(g, a, 0, i % 2);", word, 0, 0);
    uint32_t sum = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        cl_command_queue queue =
            make_queue(gravel_cl_context(gravel), gravel_cl_device(gravel), kinds[k]);
        if (!queue) /* not every device executes out of order */
            continue;
        for (int n = 0; n < 8; n++, sum += 2048)
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                        NULL) == CL_SUCCESS);
        MUST(clFinish(queue) == CL_SUCCESS);
        OK(gravel_quiet(gravel));
        assert_int_equal(word32(gravel, 0, word), sum);
        assert_int_equal(word32(gravel, 1, word), sum);
        clReleaseCommandQueue(queue);
    }
}

/* The items' numbers, which messages name, begin at the offset; the library's own do not depend on them. */
TEST(kernel_with_a_global_offset_sends_all)
{
    struct gravel *gravel = scoped_loopback(2, NULL);
    cl_command_queue queue = make_queue(gravel_cl_context(gravel), gravel_cl_device(gravel), 0);
    const size_t offset = 512, n = 256, group = 64;
    uint64_t words = alloc_or_die(gravel, 1024 * sizeof(cl_uint));
    cl_kernel kernel = scoped_body(gravel, "gravel_inc_uint_wg(g, a, i, 1);", words, 0, 0);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &n, &group, 0, NULL, NULL) ==
         CL_SUCCESS);
    MUST(clFinish(queue) == CL_SUCCESS);
    OK(gravel_quiet(gravel));
    expect_words(gravel, 1, words, 0, 512);
    expect_words(gravel, 1, words + 512 * sizeof(cl_uint), 1, 256);
    expect_words(gravel, 1, words + 768 * sizeof(cl_uint), 0, 256);
    clReleaseCommandQueue(queue);
}

/* Of another context, of which a driver may do anything with what this node's queue gets. */
TEST(objects_of_another_context_are_refused)
{
    static const char *const text = "kernel void nothing(void) {}";
    struct gravel *gravel = open_loopback(1, NULL);
    struct objects other = make_objects();
    const size_t one = 1;
    cl_int error;
    cl_program program =
        clCreateProgramWithSource(other.context, 1, (const char **)&text, NULL, &error);
    MUST(error == CL_SUCCESS && clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel strange = clCreateKernel(program, "nothing", &error);
    cl_kernel own = body_kernel(gravel, "(void)i;", (const uint64_t[3]){0});
    cl_event events[3] = {clCreateUserEvent(gravel_cl_context(gravel), &error),
                          clCreateUserEvent(other.context, &error), NULL};
    expect_error(gravel_launch(gravel, strange, 1, &one, &one, 0, NULL, NULL), GRAVEL_EINVAL,
                 "gravel_launch: the kernel is of another context");
    expect_error(gravel_kernel_set_arena(gravel, strange, 0), GRAVEL_EINVAL,
                 "gravel_kernel_set_arena: the kernel is of another context");
    expect_error(gravel_launch(gravel, own, 1, &one, &one, 2, events, NULL), GRAVEL_EINVAL,
                 "gravel_launch: wait[1] is an event of another context");
    events[1] = events[0];
    expect_error(gravel_launch(gravel, own, 1, &one, &one, 3, events, NULL), GRAVEL_EINVAL,
                 "gravel_launch: wait[2] is not an event: it is NULL");
    expect_works(gravel);
    clReleaseEvent(events[0]);
    clReleaseKernel(strange);
    clReleaseKernel(own);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
    clReleaseContext(other.context);
}

struct gate {
    struct gravel *gravel;
    cl_event event;
    uint64_t word;
    uint32_t before; /* the word, just before the gate opened */
};

static void *open_gate_later(void *argument)
{
    struct gate *gate = argument;
    usleep(20000);
    gate->before = word32(gate->gravel, 0, gate->word);
    clSetUserEventStatus(gate->event, CL_COMPLETE);
    return NULL;
}

/* The gate is opened by another thread, because on step drain a launch itself waits for its list. */
TEST(launch_waits_for_its_list_and_gives_an_event)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    uint64_t word = alloc_or_die(gravel, 64);
    cl_kernel kernel = scoped_body(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", word, 0, 0);
    cl_int error;
    cl_event end;
    pthread_t opener;
    struct gate gate = {.gravel = gravel, .word = word, .before = 77};
    gate.event = clCreateUserEvent(gravel_cl_context(gravel), &error);
    MUST(error == CL_SUCCESS);
    const size_t global_size = 64, local_size = 64;
    assert_int_equal(pthread_create(&opener, NULL, open_gate_later, &gate), 0);
    OK(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 1, &gate.event, &end));
    MUST(clWaitForEvents(1, &end) == CL_SUCCESS);
    pthread_join(opener, NULL);
    OK(gravel_quiet(gravel));
    assert_int_equal(gate.before, 0);
    assert_int_equal(word32(gravel, 0, word), 64);
    clReleaseEvent(gate.event);
    clReleaseEvent(end);
}

/* A program that sets the event after the launch would wait for itself where the launch waits. */
TEST(launch_that_waits_for_the_callers_own_gate_says_so)
{
    struct gravel_config config = loopback_config(1);
    cl_int error;
    cl_event end = NULL;
    config.timeout_ms = 500;
    struct gravel *gravel = scoped_node(&config, NULL);
    uint64_t word = alloc_or_die(gravel, 64);
    cl_kernel kernel = scoped_body(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", word, 0, 0);
    cl_event gate = clCreateUserEvent(gravel_cl_context(gravel), &error), behind;
    MUST(error == CL_SUCCESS);
    cl_command_queue queue = make_queue(gravel_cl_context(gravel), gravel_cl_device(gravel), 0);
    MUST(clEnqueueMarkerWithWaitList(queue, 1, &gate, &behind) == CL_SUCCESS);
    const size_t global_size = 64 * 4096, local_size = 64; /* many slices */
    if (is_sliced(gravel)) {
        watch(20, "an event that never begins");
        for (uint32_t i = 0; i < 2; i++)
            expect_error(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 1,
                                       i ? &gate : &behind, &end),
                         GRAVEL_ETIMEOUT, "wait[0] has not begun for 0.");
        watch(120, "what follows");
        MUST(clSetUserEventStatus(gate, -5) == CL_SUCCESS);
        expect_error(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 1, &gate, &end),
                     GRAVEL_ECL, "gravel_launch: wait[0] ended with an error");
    } else {
        OK(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 1, &gate, &end));
        MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
        clReleaseEvent(end);
    }
    OK(gravel_quiet(gravel));
    assert_int_equal(word32(gravel, 0, word), is_sliced(gravel) ? 0 : global_size);
    expect_works(gravel);
    clReleaseEvent(gate);
    clReleaseEvent(behind);
    clReleaseCommandQueue(queue);
}

/* On drain a launch returns when its kernel has ended, so its list must complete without this thread. */
TEST(launches_whose_list_fails_send_nothing)
{
    struct gravel *gravel = scoped_loopback(2, NULL);
    if (takes_step(gravel, "drain"))
        skip_because("a launch waits for its list on step drain");
    cl_int error;
    uint64_t word = alloc_or_die(gravel, 64);
    const size_t global_size = 64 * 100, local_size = 64; /* several slices */
    cl_kernel kernel = scoped_body(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", word, 0, 0);
    cl_event gate = clCreateUserEvent(gravel_cl_context(gravel), &error), end = NULL;
    MUST(error == CL_SUCCESS);
    OK(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 1, &gate, NULL));
    OK(gravel_launch(gravel, kernel, 1, &local_size, &local_size, 1, &gate, &end));
    MUST(clSetUserEventStatus(gate, -5) == CL_SUCCESS);
    expect_error(gravel_quiet(gravel), GRAVEL_ECL, "a kernel ended with an error");
    assert_int_not_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    assert_int_equal(word32(gravel, 0, word), 0);
    clReleaseEvent(gate);
    clReleaseEvent(end);
    expect_works(gravel);
}

const struct fixture fixture = {.limit_s = 120};
