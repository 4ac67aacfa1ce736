/* SPDX-License-Identifier: MIT */
/*
 * The choice of a round by a kernel, as a resident launch makes it, against the definition by trial, for a work-item
 * each: random graphs in random states, with counts near 2^32.
 *
 * Path:    meson test -> this -> cl/layout/choose.h, tests/unit/flow_states.h
 */
#include "bare_device.h"
#include "unit/flow_states.h"

#include "opencl/objects.h"
#include "opencl/program.h"

#define N_STATES 400u
#define MOST_WORDS (1u << 22) /* of all flow memories */

static struct gravel_device device;

static const char choose_cl[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void choose(global uint *memory, global const uint *at, global uint *chosen, uint n)\n"
    "{\n"
    "    uint i = get_global_id(0);\n"
    "    if (i < n) {\n"
    "        global struct gravelp_flow *flow = (global struct gravelp_flow *)(memory + at[i]);\n"
    "        struct gravelp_round round = gravelp_view_choose(gravelp_view_of(flow));\n"
    "        chosen[3 * i] = round.channel;\n"
    "        chosen[3 * i + 1] = round.level;\n"
    "        chosen[3 * i + 2] = round.n;\n"
    "    }\n"
    "}\n";

static void check_cl(cl_int error)
{
    assert_int_equal(error, CL_SUCCESS);
}

static cl_mem buffer_of(const void *words, size_t n)
{
    cl_mem buffer;
    assert_int_equal(gravel_cl_buffer_create(&device, "a test", 4 * n, &buffer), 0);
    check_cl(clEnqueueWriteBuffer(device.queue, buffer, CL_TRUE, 0, 4 * n, words, 0, NULL, NULL));
    return buffer;
}

/* Let the device choose, for each of the flow memories. @param chosen  [3 * N_STATES] */
static void choose_on_device(const uint32_t *memory, size_t n_words, const uint32_t *at,
                             uint32_t *chosen)
{
    const struct gravel_program_request request = {.name = "choose.cl", .source = choose_cl};
    const cl_uint n = N_STATES;
    cl_program program;
    cl_kernel kernel;
    assert_int_equal(gravel_device_build(&device, &request, &program), 0);
    assert_int_equal(gravel_cl_kernel_create(&device, program, "choose", NULL, &kernel), 0);
    cl_mem buffers[] = {buffer_of(memory, n_words), buffer_of(at, n), buffer_of(chosen, 3 * n)};
    for (cl_uint i = 0; i < 3; i++)
        check_cl(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
    check_cl(clSetKernelArg(kernel, 3, sizeof n, &n));
    check_cl(gravel_cl_kernel_enqueue(device.queue, kernel, N_STATES, 16, NULL));
    check_cl(
        clEnqueueReadBuffer(device.queue, buffers[2], CL_TRUE, 0, 12 * n, chosen, 0, NULL, NULL));
    for (cl_uint i = 0; i < 3; i++)
        gravel_cl_buffer_release(buffers[i]);
    gravel_cl_kernel_release(kernel);
    gravel_cl_program_release(program);
}

static void device_chooses_as_the_definition(void **state)
{
    static struct flow flows[N_STATES];
    static uint32_t at[N_STATES], chosen[3 * N_STATES];
    uint32_t *memory = malloc(4 * MOST_WORDS), n_words = 0, n_rounds = 0;
    (void)state;
    assert_non_null(memory);
    for (uint32_t i = 0; i < N_STATES; i++) {
        flow_open(&flows[i], i, 1u << i % 6);
        flow_draw_state(&flows[i]);
        uint32_t own = (uint32_t)(flows[i].layout.bytes + 63) / 64 * 16;
        assert_true(n_words + own <= MOST_WORDS);
        memcpy(memory + n_words, flows[i].control, flows[i].layout.bytes);
        at[i] = n_words;
        n_words += own;
    }
    choose_on_device(memory, n_words, at, chosen);
    for (uint32_t i = 0; i < N_STATES; i++) {
        struct gravelp_round round = {
            .channel = chosen[3 * i], .level = chosen[3 * i + 1], .n = chosen[3 * i + 2]};
        flow_expect_choice(&flows[i], i, round);
        n_rounds += round.n != 0;
        flow_close(&flows[i]);
    }
    assert_true(n_rounds > N_STATES / 2);
    free(memory);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(device_chooses_as_the_definition)};
    return bare_device_run(argc, argv, &device, 60, tests, 1);
}
