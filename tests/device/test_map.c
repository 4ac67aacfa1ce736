/* SPDX-License-Identifier: MIT */
/*
 * gravel_map: the heap as the host sees it, on every step of the ladder. What is written or filled is found by kernels.
 * Other OpenCL code finds the heap where gravel_heap_part says. Messages and maps are gravel-conformance's.
 *
 * Path: meson test -> this -> lib/node/maps.c, lib/node/heap.c, lib/memory/memory.c
 */
#include <stdio.h>
#include <unistd.h>

#include "expect.h"
#include "resident.h"

#define N 1000u

static struct gravel *gravel;
static uint64_t table; /* N words of 4 bytes, a guard before and after */
static struct guarded guarded;

static void open_node(void)
{
    gravel = open_loopback(2, NULL);
    guarded = guarded_alloc(gravel, N * 4);
    table = guarded.memory;
}

static void close_node(void)
{
    guarded_check(gravel, &guarded);
    OK(gravel_close(gravel));
}

static uint32_t *map_words(uint32_t node, uint32_t first, uint32_t n, cl_map_flags flags)
{
    return map_or_die(gravel, node, table + first * 4u, n * 4u, flags);
}

/* Kernels read the heap in place: node 0 is this node. */
TEST(written_words_are_found_by_kernels)
{
    uint32_t *words = map_words(0, 0, N, CL_MAP_WRITE_INVALIDATE_REGION);
    for (uint32_t i = 0; i < N; i++)
        words[i] = i;
    unmap(gravel, words);
    words = map_words(0, 0, N, CL_MAP_READ | CL_MAP_WRITE);
    for (uint32_t i = 0; i < N; i++)
        words[i] = words[i] + 5;
    unmap(gravel, words);
    OK(run_body(gravel,
                BODY("global const uint *here = (global const uint *)gravel_local(g, a);"
                     "gravel_put_uint_wg_if(g, i < b, a, i, here[i < b ? i : 0] * 2, 1);"),
                1024, 64, table, N, 0));
    const uint32_t *there = map_words(1, 0, N, CL_MAP_READ);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(there[i], (i + 5) * 2);
    unmap(gravel, there);
}

/* A part that is longer than what is copied at once. */
TEST(a_pattern_fills_a_part_and_nothing_else)
{
    static const uint32_t pattern[] = {1, 2, 3, 4};
    static uint32_t back[700000];
    const uint64_t n = sizeof back / sizeof *back;
    const uint64_t whole = alloc_or_die(gravel, sizeof back);
    const unsigned char byte = 0x5a;
    OK(gravel_fill(gravel, whole + 16, sizeof back - 32, pattern, sizeof pattern, 1));
    OK(gravel_get(gravel, whole, back, sizeof back, 1));
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(back[i], i < 4 || i >= n - 4 ? 0 : pattern[i % 4]);
    OK(gravel_fill(gravel, whole + 3, 1, &byte, 1, 1));
    OK(gravel_fill(gravel, whole, 0, pattern, sizeof pattern, 1));
    OK(gravel_get(gravel, whole, back, 8, 1));
    assert_int_equal(back[0], 0x5a000000);
    OK(gravel_get(gravel, whole, back, sizeof back, 0));
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(back[i], 0);
    OK(gravel_free(gravel, whole));
}

static void set_part(cl_kernel kernel, uint32_t node)
{
    cl_mem buffer;
    void *pointer;
    uint64_t first;
    OK(gravel_heap_part(gravel, table, N * 4, node, &buffer, &first, &pointer));
    assert_true(!buffer != !pointer);
    assert_true(first % 64 == 0 && (buffer || !first));
    if (buffer)
        assert_int_equal(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    else
        assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, pointer), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof first, &first), CL_SUCCESS);
}

/* A program of the driver's alone, without gravel.cl.h. */
TEST(other_kernels_change_a_part)
{
    const char *text = "kernel void twice(global uint *memory, ulong first)\n"
                       "{\n"
                       "    memory[first / sizeof(uint) + get_global_id(0)] *= 2;\n"
                       "}\n";
    const size_t n = N - 1;
    cl_device_id device = gravel_cl_device(gravel);
    cl_program program = clCreateProgramWithSource(gravel_cl_context(gravel), 1, &text, NULL, NULL);
    assert_int_equal(clBuildProgram(program, 1, &device, "", NULL, NULL), CL_SUCCESS);
    cl_kernel twice = clCreateKernel(program, "twice", NULL);
    OK(run_body(gravel,
                BODY("gravel_put_uint_wg_if(g, i < b, a, i, i + 1, i % 2);"
                     "gravel_put_uint_wg_if(g, i < b, a, i, i + 2, (i + 1) % 2);"),
                1024, 64, table, N, 0));
    for (uint32_t node = 0; node < 2; node++) {
        set_part(twice, node);
        assert_int_equal(clEnqueueNDRangeKernel(gravel_cl_queue(gravel), twice, 1, NULL, &n, NULL,
                                                0, NULL, NULL),
                         CL_SUCCESS);
    }
    assert_int_equal(clFinish(gravel_cl_queue(gravel)), CL_SUCCESS);
    OK(run_body(gravel, BODY("gravel_inc_uint_wg_if(g, i < b, a, i, i % 2);"), 1024, 64, table, N,
                0));
    for (uint32_t node = 0; node < 2; node++) {
        const uint32_t *words = map_words(node, 0, N, CL_MAP_READ);
        for (uint32_t i = 0; i < N; i++) {
            uint32_t is_inced = i % 2 == node, put = is_inced ? i + 1 : i + 2;
            assert_int_equal(words[i], (i < n ? 2 * put : put) + is_inced);
        }
        unmap(gravel, words);
    }
    clReleaseKernel(twice);
    clReleaseProgram(program);
}

#define N_LATE (8u << 20) /* words: 32 MiB, so that freeing them shows */

static void expect_not_mapped(struct gravel *node, const void *pointer)
{
    expect_error(gravel_unmap(node, (void *)pointer), GRAVEL_EINVAL, "is not mapped");
}

TEST(a_map_outlives_its_node_and_is_of_no_other)
{
    struct gravel_config config = loopback_config(2);
    struct gravel *node;
    config.heap_bytes = N_LATE * 4 + (1 << 20);
    OK(gravel_open(&node, &config, NULL));
    const uint64_t late = alloc_or_die(node, N_LATE * 4);
    fill(node, 1, late, 7, N_LATE * 4);
    bool is_heap = !is_sliced(node);
    const uint32_t *all = read_map(node, 1, late, N_LATE * 4);
    uint32_t *first = map_or_die(node, 1, late, 64, CL_MAP_READ | CL_MAP_WRITE);
    expect_not_mapped(gravel, all);
    OK(gravel_close(node));
    expect_not_mapped(node, all + 1);
    for (uint32_t i = 0; i < N_LATE; i++)
        assert_int_equal(all[i], 0x07070707);
    first[0] = 8;
    OK(gravel_unmap(node, first));
    assert_int_equal(all[N_LATE - 1], 0x07070707);
    long before = process_bytes(true);
    OK(gravel_unmap(node, (void *)all));
    if (is_heap && !KEEPS_FREED)
        assert_true(before - process_bytes(true) > (long)N_LATE * 3);
}

/* Each while other maps are out, which stay as they are: one of them twice, which on svm is one pointer. */
TEST(what_is_not_mapped_is_refused)
{
    uint32_t elsewhere[64] = {0};
    expect_not_mapped(gravel, elsewhere);
    uint32_t *left = map_words(1, 0, N / 2, CL_MAP_WRITE_INVALIDATE_REGION);
    uint32_t *right = map_words(1, N / 2, N / 2, CL_MAP_WRITE_INVALIDATE_REGION);
    const uint32_t *again = map_words(1, N / 2, 16, CL_MAP_READ);
    const void *const wrong[] = {elsewhere, elsewhere + 16, left + 1, (const char *)right - 64};
    for (uint32_t i = 0; i < 4; i++)
        expect_not_mapped(gravel, wrong[i]);
    for (uint32_t i = 0; i < N / 2; i++)
        left[i] = right[i] = i + 77;
    unmap(gravel, left);
    expect_not_mapped(gravel, left);
    unmap(gravel, right);
    unmap(gravel, again);
    expect_not_mapped(gravel, right);
    const uint32_t *words = map_words(1, 0, N, CL_MAP_READ);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(words[i], i % (N / 2) + 77);
    unmap(gravel, words);
}

/* Where maps are copies, what is unmapped too late would be written into another allocation. */
TEST(a_map_of_what_was_freed_writes_nothing)
{
    uint64_t freed = alloc_or_die(gravel, 64), later;
    uint32_t *map = map_or_die(gravel, 0, freed, 64, CL_MAP_WRITE_INVALIDATE_REGION);
    OK(gravel_free(gravel, freed));
    later = alloc_or_die(gravel, 64);
    assert_int_equal(later, freed);
    for (uint32_t i = 0; i < 16 && is_sliced(gravel); i++)
        map[i] = 77;
    expect_error(gravel_unmap(gravel, map), GRAVEL_EINVAL, "was freed while 64 bytes");
    expect_not_mapped(gravel, map);
    expect_words(gravel, 0, later, 0, 16);
    OK(gravel_free(gravel, later));
}

const struct fixture fixture = {.limit_s = 60, .open = open_node, .close = close_node};
