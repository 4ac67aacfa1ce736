/* SPDX-License-Identifier: MIT */
/*
 * What a program in Python does through the package, done in C: the rivals in bench_python.py, which loads them.
 *
 * Each does its work n times, and writes how long each took, us [n] in microseconds. @return 0; the first code of
 * Gravel or OpenCL that is not 0.
 *
 * Path:    bench_python.py -> this -> gravel.h, on a node and a kernel of Python's.
 * Threads: the main thread.
 */
#include <gravel/gravel.h>

#include <time.h>

/* Called by name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

int bench_launch(struct gravel *gravel, cl_kernel kernel, uint64_t words, uint32_t n_steps,
                 uint32_t n, double *us)
{
    const size_t one = 1;
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        const double begin = now_us();
        code = clSetKernelArg(kernel, 1, sizeof words, &words);
        if (!code)
            code = clSetKernelArg(kernel, 2, sizeof n_steps, &n_steps);
        if (!code)
            code = gravel_launch(gravel, kernel, 1, &one, &one, 0, NULL, NULL);
        if (!code)
            code = gravel_barrier(gravel);
        us[i] = now_us() - begin;
    }
    return code;
}

int bench_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, uint32_t n, double *us)
{
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        void *pointer;
        const double begin = now_us();
        code = gravel_map(gravel, offset, bytes, CL_MAP_READ, gravel_node(gravel), &pointer);
        if (!code)
            code = gravel_unmap(gravel, pointer);
        us[i] = now_us() - begin;
    }
    return code;
}

int bench_stats(struct gravel *gravel, uint32_t n, double *us)
{
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        struct gravel_stats stats;
        const double begin = now_us();
        code = gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES);
        us[i] = now_us() - begin;
    }
    return code;
}

int bench_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
              uint32_t node, uint32_t n, double *us)
{
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        const double begin = now_us();
        code = gravel_put(gravel, offset, data, bytes, node);
        if (!code)
            code = gravel_quiet(gravel);
        us[i] = now_us() - begin;
    }
    return code;
}

int bench_get(struct gravel *gravel, uint64_t offset, void *data, uint64_t bytes, uint32_t node,
              uint32_t n, double *us)
{
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        const double begin = now_us();
        code = gravel_get(gravel, offset, data, bytes, node);
        us[i] = now_us() - begin;
    }
    return code;
}
