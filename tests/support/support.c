/* SPDX-License-Identifier: MIT */
/*
 * Shared helpers of the tests. See support.h.
 */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void skip_all(const char *reason)
{
    printf("skipped: %s\n", reason);
    exit(SKIPPED);
}

static const char *watched;

static void bite(int signal_number)
{
    static const char text[] = "\nhangs: ";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 ||
        write(STDERR_FILENO, watched, strlen(watched)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(2);
    _exit(1);
}

unsigned patience(void)
{
    const char *times = getenv("TEST_PATIENCE");
    return times ? (unsigned)atoi(times) : 1;
}

void watch(unsigned seconds, const char *what)
{
    watched = what;
    signal(SIGALRM, bite);
    alarm(seconds * patience());
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool may_wait(double begin, double guard_s)
{
    return seconds_now() - begin < guard_s * patience();
}

static bool is_short(double took_s, double limit_s)
{
    if (took_s >= limit_s)
        fprintf(stderr, "late: took %.2f s, less than %.2f s allowed\n", took_s, limit_s);
    return took_s < limit_s;
}

bool is_within(double begin, double limit_s)
{
    return is_short(seconds_now() - begin, limit_s);
}

bool is_once_within(double limit_s, double (*attempt)(void))
{
    for (int n = 0; n < 10; n++)
        if (is_short(attempt(), limit_s))
            return true;
    return false;
}

/*
 * PoCL reads its built-in functions, a second of processor time, when a context first builds a program, and forgets
 * them with its last context. So one stays: tests open and close nodes again and again.
 */
static void keep_a_context(void)
{
    static cl_context kept;
    cl_platform_id platforms[16];
    cl_uint n_platforms = 0;
    if (kept || clGetPlatformIDs(16, platforms, &n_platforms) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < n_platforms && i < 16; i++) {
        char name[64] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strcmp(name, "Portable Computing Language") &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            kept = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    }
}

struct gravel_config loopback_config(uint32_t n_nodes)
{
    struct gravel_config config;
    keep_a_context();
    OK(gravel_config_load(&config, sizeof config));
    strcpy(config.transport, "self");
    config.loopback_nodes = n_nodes;
    config.heap_bytes = 4u << 20;
    return config;
}

struct gravel_config loopback_with(uint32_t n_nodes, const char *settings)
{
    struct gravel_config config = loopback_config(n_nodes);
    char name[64], value[64];
    for (int n; sscanf(settings, " %63[^=]=%63s%n", name, value, &n) == 2; settings += n)
        OK(gravel_config_set(&config, name, value));
    return config;
}

void skip_if_refused(int code)
{
    if (code == GRAVEL_ECAPABILITY && strstr(gravel_last_error(), " take step "))
        skip_all(gravel_last_error());
}

struct gravel *open_loopback(uint32_t n_nodes, const struct gravel_bindings *bindings)
{
    struct gravel_config config = loopback_config(n_nodes);
    struct gravel *gravel;
    int code = gravel_open(&gravel, &config, bindings);
    skip_if_refused(code);
    OK(code);
    return gravel;
}

void skip_untaken_step(void)
{
    OK(gravel_close(open_loopback(1, NULL)));
}

struct gravel *open_default(const struct gravel_bindings *bindings)
{
    struct gravel *gravel;
    OK(gravel_open(&gravel, NULL, bindings));
    return gravel;
}

uint64_t alloc_or_die(struct gravel *gravel, uint64_t bytes)
{
    uint64_t offset;
    OK(gravel_alloc(gravel, bytes, &offset));
    return offset;
}

cl_program build_or_die(struct gravel *gravel, const char *source, const char *options)
{
    cl_program program;
    OK(gravel_program_build(gravel, "test.cl", source, options, &program));
    return program;
}

cl_kernel kernel_or_die(struct gravel *gravel, cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (error != CL_SUCCESS)
        die(__FILE__, __LINE__, "kernel %s: OpenCL error %d", name, (int)error);
    OK(gravel_kernel_set_arena(gravel, kernel, 0));
    return kernel;
}

int run_kernel(struct gravel *gravel, cl_kernel kernel, size_t global_size, size_t local_size)
{
    int launched = gravel_launch(gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL);
    if (launched && !takes_step(gravel, "drain")) /* there a launch has met what its kernel did */
        die(__FILE__, __LINE__, "gravel_launch: %s", gravel_last_error());
    const int code = gravel_barrier(gravel);
    return code < 0 ? code : launched;
}

void *map_or_die(struct gravel *gravel, uint32_t node, uint64_t offset, uint64_t bytes,
                 cl_map_flags flags)
{
    void *memory;
    OK(gravel_map(gravel, offset, bytes, flags, node, &memory));
    return memory;
}

const void *read_map(struct gravel *gravel, uint32_t node, uint64_t offset, uint64_t bytes)
{
    return map_or_die(gravel, node, offset, bytes, CL_MAP_READ);
}

void unmap(struct gravel *gravel, const void *memory)
{
    OK(gravel_unmap(gravel, (void *)memory));
}

/* Words are read atomically: ThreadSanitizer sees no edge from here to what a kernel on the caller's own queue sends next. */
uint32_t word32(struct gravel *gravel, uint32_t node, uint64_t offset)
{
    const uint32_t *word = read_map(gravel, node, offset, sizeof *word);
    uint32_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
    unmap(gravel, word);
    return value;
}

uint64_t word64(struct gravel *gravel, uint32_t node, uint64_t offset)
{
    const uint64_t *word = read_map(gravel, node, offset, sizeof *word);
    uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
    unmap(gravel, word);
    return value;
}

void fill(struct gravel *gravel, uint32_t node, uint64_t offset, int byte, uint64_t bytes)
{
    void *memory = map_or_die(gravel, node, offset, bytes, CL_MAP_WRITE_INVALIDATE_REGION);
    memset(memory, byte, bytes);
    unmap(gravel, memory);
}

bool takes_step(const struct gravel *gravel, const char *step)
{
    return !strcmp(gravel_step(gravel), step);
}

bool is_sliced(const struct gravel *gravel)
{
    return takes_step(gravel, "pump") || takes_step(gravel, "drain");
}

cl_uint n_compute_units(struct gravel *gravel)
{
    cl_uint n = 0;
    MUST(clGetDeviceInfo(gravel_cl_device(gravel), CL_DEVICE_MAX_COMPUTE_UNITS, sizeof n, &n,
                         NULL) == CL_SUCCESS);
    return n;
}

bool is_on_gpu(struct gravel *gravel)
{
    cl_device_type type = 0;
    MUST(clGetDeviceInfo(gravel_cl_device(gravel), CL_DEVICE_TYPE, sizeof type, &type, NULL) ==
         CL_SUCCESS);
    return !(type & CL_DEVICE_TYPE_CPU);
}
