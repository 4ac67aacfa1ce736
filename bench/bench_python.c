/* SPDX-License-Identifier: MIT */
/*
 * What a program in Python does through the package, done in C: the rivals in bench_python.py, which loads them.
 *
 * Path:    bench_python.py -> this -> gravel.h, on a node and a kernel of Python's.
 * Threads: the main thread.
 */
#include <gravel/gravel.h>

#include <time.h>

/* A call, as class Work of bench_python.py. */
struct work {
    enum { LAUNCH, MAP, STATS, PUT, GET } what;
    uint32_t number; /* the node of a put or get; what a launch adds to a word */
    struct gravel *gravel;
    cl_kernel kernel;
    uint64_t offset, bytes;
    void *data;
};

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int do_once(const struct work *work)
{
    const size_t one = 1;
    struct gravel_stats stats;
    void *mapped;
    int code = 0;
    switch (work->what) {
    case LAUNCH:
        if ((code = clSetKernelArg(work->kernel, 1, sizeof work->offset, &work->offset)) ||
            (code = clSetKernelArg(work->kernel, 2, sizeof work->number, &work->number)) ||
            (code = gravel_launch(work->gravel, work->kernel, 1, &one, &one, 0, NULL, NULL)))
            return code;
        return gravel_barrier(work->gravel);
    case MAP:
        code = gravel_map(work->gravel, work->offset, work->bytes, CL_MAP_READ,
                          gravel_node(work->gravel), &mapped);
        if (code)
            return code;
        return gravel_unmap(work->gravel, mapped);
    case STATS:
        return gravel_stats_read(work->gravel, &stats, sizeof stats, GRAVEL_ALL_NODES);
    case PUT:
        code = gravel_put(work->gravel, work->offset, work->data, work->bytes, work->number);
        if (code)
            return code;
        return gravel_quiet(work->gravel);
    case GET:
        return gravel_get(work->gravel, work->offset, work->data, work->bytes, work->number);
    }
    return GRAVEL_EINVAL;
}

int bench_calls(const struct work *work, uint32_t n, double *us);

/** Make a call n times. @param us  [out] [n] how long each took. @return 0; the first code of Gravel or OpenCL that is not 0. */
int bench_calls(const struct work *work, uint32_t n, double *us)
{
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        const double begin = now_us();
        code = do_once(work);
        us[i] = now_us() - begin;
    }
    return code;
}
