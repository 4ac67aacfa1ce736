/* SPDX-License-Identifier: MIT */
/*
 * bench-devices: whether one process should drive several devices, or a process each.
 *
 *     bench-devices --devices 0:0,0:1 --runs 5
 *
 *     alone      the first device
 *     threads    all devices, by one process: a node and a thread for each
 *     processes  all devices, a process for each
 *
 * A node counts random words of its own heap by messages, which travel from its device to its device: what the variants
 * differ in is the driver's and the library's work for each, not a network. Every table must hold all updates.
 *
 * Path:    options -> rounds over the variants: fork -> workers (a node each) -> bench_devices.cl -> report.
 * Memory:  times and a barrier are in memory that the processes of a run share; a run's processes end with it.
 * Threads: a worker is a thread or a process. The first process opens no node: drivers do not survive a fork.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EACH 64u           /* updates of a work-item */
#define LIMIT_S 120u       /* a process that takes longer is ended by a signal */
#define HEAP_SPARE 1048576 /* beside the table [bytes] */

extern const char bench_devices_cl[];

enum variant { ALONE, THREADS, PROCESSES };
static const char *const names[] = {"alone", "threads", "processes", NULL};
#define N_VARIANTS 3u

struct result {
    double begin_s, end_s;
    bool is_right;
};

struct shared {
    pthread_barrier_t
        begin; /* the workers of a run: orders nothing that is read before they have ended */
    struct result of[BENCH_MAX_LIST];
};

struct contest {
    char devices[BENCH_MAX_LIST][32];
    uint32_t n_devices;
    uint32_t table_log2, updates_log2;
    struct shared *shared;
};

struct worker {
    const struct contest *contest;
    uint32_t number;
    struct gravel *gravel;
    cl_kernel kernel;
    uint64_t table; /* heap offset */
};

/* ---- a worker -------------------------------------------------------------------------------- */

static uint64_t n_words(const struct contest *contest)
{
    return UINT64_C(1) << contest->table_log2;
}

static void open_node(struct worker *worker)
{
    const struct contest *contest = worker->contest;
    struct gravel_config config;
    char heap[32];
    snprintf(heap, sizeof heap, "%llu",
             (unsigned long long)(n_words(contest) * sizeof(cl_ulong) + HEAP_SPARE));
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    must(gravel_config_set(&config, "device", contest->devices[worker->number]), "--devices");
    must(gravel_config_set(&config, "transport", "self"), "transport");
    must(gravel_config_set(&config, "heap_bytes", heap), "--table");
    must(gravel_open(&worker->gravel, &config, NULL), contest->devices[worker->number]);
}

static void make_kernel(struct worker *worker)
{
    const cl_uint mask = (cl_uint)(n_words(worker->contest) - 1), each = EACH;
    cl_program program;
    cl_int error;
    must(gravel_program_build(worker->gravel, "bench_devices.cl", bench_devices_cl, "", &program),
         "gravel_program_build");
    worker->kernel = clCreateKernel(program, "count", &error);
    must(error == CL_SUCCESS ? gravel_kernel_set_arena(worker->gravel, worker->kernel, 0)
                             : GRAVEL_ECL,
         "count");
    clReleaseProgram(program);
    clSetKernelArg(worker->kernel, 1, sizeof worker->table, &worker->table);
    clSetKernelArg(worker->kernel, 2, sizeof mask, &mask);
    clSetKernelArg(worker->kernel, 3, sizeof each, &each);
}

static void count(const struct worker *worker)
{
    const size_t n_items = (size_t)1 << worker->contest->updates_log2;
    const size_t n_launched = n_items / EACH, group = gravel_group_size(worker->gravel);
    must(gravel_launch(worker->gravel, worker->kernel, 1, &n_launched,
                       n_launched % group ? NULL : &group, 0, NULL, NULL),
         "gravel_launch");
    must(gravel_barrier(worker->gravel), "gravel_barrier");
}

/* Whether the table holds what so many launches have sent. */
static bool holds(const struct worker *worker, uint64_t n_launches)
{
    uint64_t sum = 0, bytes = n_words(worker->contest) * sizeof(cl_ulong);
    void *memory;
    must(gravel_map(worker->gravel, worker->table, bytes, CL_MAP_READ, 0, &memory), "gravel_map");
    for (uint64_t i = 0; i < n_words(worker->contest); i++)
        sum += ((const cl_ulong *)memory)[i];
    must(gravel_unmap(worker->gravel, memory), "gravel_unmap");
    return sum == n_launches << worker->contest->updates_log2;
}

/* The first launch is not timed: kernels are compiled, and memory is touched. */
static void *work(void *argument)
{
    struct worker *worker = argument;
    struct shared *shared = worker->contest->shared;
    struct result *result = &shared->of[worker->number];
    open_node(worker);
    must(gravel_alloc(worker->gravel, n_words(worker->contest) * sizeof(cl_ulong), &worker->table),
         "gravel_alloc");
    make_kernel(worker);
    count(worker);
    pthread_barrier_wait(&shared->begin);
    result->begin_s = bench_now();
    count(worker);
    result->end_s = bench_now();
    result->is_right = holds(worker, 2);
    clReleaseKernel(worker->kernel);
    must(gravel_close(worker->gravel), "gravel_close");
    return NULL;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static uint32_t n_workers(const struct contest *contest, enum variant variant)
{
    return variant == ALONE ? 1 : contest->n_devices;
}

/* A process with the workers from number `first` on. */
static _Noreturn void work_for(const struct contest *contest, uint32_t first, uint32_t n)
{
    static struct worker workers[BENCH_MAX_LIST];
    pthread_t threads[BENCH_MAX_LIST];
    alarm(LIMIT_S);
    for (uint32_t i = 0; i < n; i++) {
        workers[i] = (struct worker){.contest = contest, .number = first + i};
        if (pthread_create(&threads[i], NULL, work, &workers[i])) {
            fputs("bench-devices: no thread\n", stderr);
            exit(1);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    exit(0);
}

/* Wait for the processes; if one fails, the rest, which would wait for it, are ended. */
static void wait_for(const pid_t *processes, uint32_t n)
{
    bool has_failed = false;
    for (uint32_t i = 0; i < n; i++) {
        int status = 0;
        wait(&status);
        has_failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        for (uint32_t j = 0; j < n && has_failed; j++)
            kill(processes[j], SIGKILL);
    }
    if (has_failed) {
        fputs("bench-devices: a process failed\n", stderr);
        exit(1);
    }
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct contest *contest = context;
    uint32_t n = n_workers(contest, subject), n_each = subject == THREADS ? n : 1, n_processes = 0;
    pid_t processes[BENCH_MAX_LIST];
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&contest->shared->begin, &attributes, n);
    fflush(NULL); /* or a child would print it again */
    for (uint32_t first = 0; first < n; first += n_each) {
        pid_t process = fork();
        if (process == 0)
            work_for(contest, first, n_each);
        must(process < 0 ? GRAVEL_ESYSTEM : 0, "fork");
        processes[n_processes++] = process;
    }
    wait_for(processes, n_processes);
    double begin_s = contest->shared->of[0].begin_s, end_s = 0;
    bool are_right = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct result *result = &contest->shared->of[i];
        begin_s = result->begin_s < begin_s ? result->begin_s : begin_s;
        end_s = result->end_s > end_s ? result->end_s : end_s;
        are_right &= result->is_right;
    }
    *rate = n * (double)(UINT64_C(1) << contest->updates_log2) / (end_s - begin_s);
    return are_right;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool take_devices(struct contest *contest, const char *list)
{
    for (contest->n_devices = 0; contest->n_devices < BENCH_MAX_LIST; contest->n_devices++) {
        size_t n = strcspn(list, ",");
        char *device = contest->devices[contest->n_devices];
        if (n == 0 || n >= sizeof contest->devices[0])
            return false;
        memcpy(device, list, n);
        device[n] = '\0';
        list += n;
        if (*list++ == '\0') {
            contest->n_devices++;
            return true;
        }
    }
    return false;
}

static void take_log2(struct argp_state *state, const char *name, const char *value, uint32_t least,
                      uint32_t *log2)
{
    if (!bench_count_parse(value, least, 31, log2))
        argp_error(state, "%s: '%s' is no number from %u to 31", name, value, least);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct contest *contest = ((void **)state->input)[0];
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = ((void **)state->input)[1];
        return 0;
    case 'd':
        if (!take_devices(contest, value))
            argp_error(state, "--devices: '%s' is no list of devices, such as 0:0,0:1", value);
        return 0;
    case 't':
        take_log2(state, "--table", value, 1, &contest->table_log2);
        return 0;
    case 'u':
        take_log2(state, "--updates", value, 6, &contest->updates_log2);
        return 0;
    case ARGP_KEY_END:
        if (contest->n_devices == 0)
            argp_error(state, "give --devices, such as 0:0,0:1; gravel-info lists them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"devices", 'd', "LIST", 0, "Devices, as GRAVEL_DEVICE names them: 0:0,0:1", 0},
        {"table", 't', "N", 0, "2^N words of each device (24)", 0},
        {"updates", 'u', "N", 0, "2^N updates of each device (28)", 0},
        {0}};
    static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = own,
                                     .parser = parse,
                                     .children = children,
                                     .doc =
                                         "Several devices by one process, and by a process each."};
    static struct bench_subject subjects[N_VARIANTS];
    static struct contest contest = {.table_log2 = 24, .updates_log2 = 28};
    struct bench_options options = BENCH_OPTIONS_INIT;
    argp_parse(&argp, argc, argv, 0, NULL, (void *[]){&contest, &options});
    contest.shared = mmap(NULL, sizeof *contest.shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(contest.shared == MAP_FAILED ? GRAVEL_ENOMEM : 0, "memory of all processes");
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        subjects[i].variant = names[i];
    bench_rounds(subjects, N_VARIANTS, options.runs, run, &contest);
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        bench_report(&options, "bench-devices", "updates/s", &subjects[i],
                     json_pack("{si}", "devices", (int)n_workers(&contest, i)));
    for (uint32_t i = 1; i < N_VARIANTS; i++)
        bench_report_ratio(&options, "bench-devices", &subjects[i], &subjects[ALONE],
                           json_pack("{si}", "devices", (int)n_workers(&contest, i)));
    return 0;
}
