/* SPDX-License-Identifier: MIT */
/*
 * bench-records: what a kernel hands to the host while it runs, and what programs do by hand.
 *
 *     bench-records --runs 5 --items 1048576
 *
 * Records of 32 bytes go to a file: `append` of all work-items, `append-if` and `append-wi` of one in sixteen; `buffer` and
 * `counter` are kernels that store them, behind which the host copies and writes them. Lines go to a file: `lines`, and
 * `printf` by OpenCL's, in launches small enough that its buffer keeps all. `count` are increments of random words,
 * `count-print` the same with a line that no work-item prints. `ask` and `get` are one group that waits for each answer. After
 * each run what came is compared with what was sent. One node.
 *
 * Path:    options -> rounds over the variants -> bench_records.cl, bench_records_plain.cl -> report.
 * Memory:  the file is removed when the program ends.
 * Threads: the main thread; the library's writer runs keep, its network thread next.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP 256u
#define N_WORDS (1u << 16)
#define INCREMENTS 16u
#define LINES_OF_PRINTF 4096u /* of a launch: the smallest buffer, NVIDIA's, has 1 MB */
#define ITEMS_A_LINE 8u
#define ROUNDS 1000u

extern const char bench_records_cl[], bench_records_plain_cl[];

enum {
    APPEND,
    APPEND_IF,
    APPEND_WI,
    BUFFER,
    COUNTER,
    LINES,
    PRINTF,
    COUNT,
    COUNT_PRINT,
    ASK,
    GET,
    N_VARIANTS
};

static const struct bench_variant variants[N_VARIANTS] = {
    [APPEND] = {"append", "records/s"},
    [APPEND_IF] = {"append-if", "records/s"},
    [APPEND_WI] = {"append-wi", "records/s"},
    [BUFFER] = {"buffer", "records/s"},
    [COUNTER] = {"counter", "records/s"},
    [LINES] = {"lines", "lines/s"},
    [PRINTF] = {"printf", "lines/s"},
    [COUNT] = {"count", "increments/s"},
    [COUNT_PRINT] = {"count-print", "increments/s"},
    [ASK] = {"ask", "answers/s"},
    [GET] = {"get", "answers/s"},
};
static const char *const kernel_names[N_VARIANTS] = {
    "append", "append_if", "append_wi",       "store", "store_if", "print",
    "print",  "count",     "count_and_print", "ask",   "get"};

struct record {
    uint32_t item, values[7];
};

struct desk {
    struct gravel *gravel;
    cl_kernel kernels[N_VARIANTS];
    cl_mem records, counter; /* by hand */
    uint64_t words, answers, signal;
    uint32_t n_items;
    int file;
    char *text;          /* of the file */
    unsigned char *seen; /* [n_items] */
};

static bool is_one_of_16(uint32_t item)
{
    return item * 2654435761u >> 28 == 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool write_all(int file, const void *data, size_t bytes)
{
    const char *at = data;
    for (ssize_t n; bytes > 0; at += n, bytes -= (size_t)n)
        if ((n = write(file, at, bytes)) <= 0)
            return false;
    return true;
}

static int keep(struct gravel *gravel, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)gravel, (void)source;
    return !write_all(*(const int *)user, records, n * sizeof(struct record));
}

static void empty(const struct desk *desk)
{
    must(ftruncate(desk->file, 0) || lseek(desk->file, 0, SEEK_SET) ? GRAVEL_ESYSTEM : 0,
         "the file");
    memset(desk->seen, 0, desk->n_items);
}

/* @return bytes. */
static size_t read_file(const struct desk *desk, size_t most)
{
    size_t n = 0;
    for (ssize_t got;
         n < most && (got = pread(desk->file, desk->text + n, most - n, (off_t)n)) > 0;)
        n += (size_t)got;
    desk->text[n] = '\0';
    return n;
}

/* Returns whether each record that was due came once. */
static bool has_records(const struct desk *desk, bool (*is_sent)(uint32_t item))
{
    const size_t n = read_file(desk, sizeof(struct record) * desk->n_items) / sizeof(struct record);
    for (size_t i = 0; i < n; i++) {
        struct record record;
        memcpy(&record, desk->text + i * sizeof record, sizeof record);
        for (uint32_t k = 0; k < 7; k++)
            if (record.values[k] != record.item + 1 + k)
                return false;
        if (record.item >= desk->n_items || desk->seen[record.item]++)
            return false;
    }
    for (uint32_t item = 0; item < desk->n_items; item++)
        if (desk->seen[item] != (!is_sent || is_sent(item)))
            return false;
    return true;
}

static uint32_t n_lines(const struct desk *desk)
{
    return desk->n_items / ITEMS_A_LINE;
}

/* Returns whether each line came once. @param has_tags  they begin with node and work-item. */
static bool has_lines(const struct desk *desk, bool has_tags)
{
    uint32_t n = 0;
    read_file(desk, sizeof(struct record) * desk->n_items);
    for (char *line = strtok(desk->text, "\n"); line; line = strtok(NULL, "\n"), n++) {
        unsigned tag, item, triple;
        const int n_read = has_tags ? sscanf(line, "[0:%u] %u of %u", &tag, &item, &triple)
                                    : 1 + sscanf(line, "%u of %u", &item, &triple);
        if (n_read != 3 || (has_tags && tag != item) || triple != 3 * item ||
            item >= n_lines(desk) || desk->seen[item]++)
            return false;
    }
    return n == n_lines(desk);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void launch_plain(const struct desk *desk, uint32_t variant, size_t n)
{
    clReleaseEvent(bench_enqueue(gravel_cl_queue(desk->gravel), desk->kernels[variant], n, GROUP));
}

static void store_by_hand(const struct desk *desk, uint32_t variant)
{
    const cl_command_queue queue = gravel_cl_queue(desk->gravel);
    const cl_uint zero = 0;
    uint32_t n = desk->n_items;
    must_cl(clEnqueueFillBuffer(queue, desk->counter, &zero, sizeof zero, 0, sizeof zero, 0, NULL,
                                NULL),
            "clEnqueueFillBuffer");
    launch_plain(desk, variant, n);
    if (variant == COUNTER)
        bench_read(queue, desk->counter, sizeof n, &n);
    bench_read(queue, desk->records, n * sizeof(struct record), desk->text);
    must(write_all(desk->file, desk->text, n * sizeof(struct record)) ? 0 : GRAVEL_ESYSTEM,
         "writing by hand");
}

/* Prints lines, while standard output is the file. */
static void print(const struct desk *desk, uint32_t variant)
{
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    fflush(stdout);
    dup2(desk->file, STDOUT_FILENO);
    if (variant == LINES)
        bench_launch(desk->gravel, desk->kernels[variant], n_lines(desk), GROUP);
    for (cl_uint first = 0; variant == PRINTF && first < n_lines(desk); first += LINES_OF_PRINTF) {
        const uint32_t left = n_lines(desk) - first;
        bench_set(desk->kernels[variant], 0, sizeof first, &first);
        launch_plain(desk, variant, left < LINES_OF_PRINTF ? left : LINES_OF_PRINTF);
        must_cl(clFinish(gravel_cl_queue(desk->gravel)), "clFinish");
    }
    fflush(stdout); /* of a driver that prints by it */
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static int next(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                uint64_t *answer)
{
    (void)gravel, (void)user, (void)source;
    *answer = args[0] + 1;
    return 0;
}

static void do_once(const struct desk *desk, uint32_t variant)
{
    const size_t n = variant <= APPEND_WI     ? desk->n_items
                     : variant <= COUNT_PRINT ? desk->n_items / INCREMENTS
                                              : GROUP;
    if (variant == BUFFER || variant == COUNTER)
        store_by_hand(desk, variant);
    else if (variant == LINES || variant == PRINTF)
        print(desk, variant);
    else
        bench_launch(desk->gravel, desk->kernels[variant], n, GROUP);
}

static bool has_words(const struct desk *desk, uint64_t at, uint32_t n, uint64_t expected)
{
    return bench_sum_words(desk->gravel, at, n) == expected;
}

static bool is_right(const struct desk *desk, uint32_t variant)
{
    if (variant == APPEND || variant == BUFFER)
        return has_records(desk, NULL);
    if (variant <= COUNTER)
        return has_records(desk, is_one_of_16);
    if (variant <= PRINTF)
        return has_lines(desk, variant == LINES);
    if (variant <= COUNT_PRINT)
        return has_words(desk, desk->words, N_WORDS, desk->n_items);
    return has_words(desk, desk->signal, 1, ROUNDS) &&
           (variant == GET || has_words(desk, desk->answers, 2, ROUNDS + 1));
}

/* Returns how many a run handles. */
static double amount(const struct desk *desk, uint32_t variant)
{
    if (variant <= COUNTER)
        return variant == APPEND || variant == BUFFER ? desk->n_items : desk->n_items / 16.0;
    if (variant <= PRINTF)
        return n_lines(desk);
    return variant <= COUNT_PRINT ? desk->n_items : ROUNDS;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    const struct desk *desk = context;
    empty(desk);
    bench_set_bytes(desk->gravel, desk->words, 0, 4 * N_WORDS);
    bench_set_bytes(desk->gravel, desk->signal, 0, 64);
    bench_set_bytes(desk->gravel, desk->answers, 0, 64);
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    const double begin_s = bench_now();
    do_once(desk, variant);
    *rate = amount(desk, variant) / (bench_now() - begin_s);
    return is_right(desk, variant);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_node(struct desk *desk)
{
    const struct gravel_handler handler = {.name = "next", .n_args = 1, .answer = next};
    const struct gravel_stream stream = {"records", sizeof(struct record), keep, &desk->file};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1, .streams = &stream, .n_streams = 1);
    must(gravel_open(&desk->gravel, NULL, &bindings), "gravel_open");
    if (gravel_n_nodes(desk->gravel) > 1)
        must(GRAVEL_EINVAL, "bench-records is for one node");
    desk->words = bench_alloc(desk->gravel, 4 * N_WORDS);
    desk->answers = bench_alloc(desk->gravel, 64);
    desk->signal = bench_alloc(desk->gravel, 64);
}

static cl_program build_plain(const struct desk *desk)
{
    const char *text = bench_records_plain_cl;
    const cl_device_id device = gravel_cl_device(desk->gravel);
    cl_int error;
    cl_program program =
        clCreateProgramWithSource(gravel_cl_context(desk->gravel), 1, &text, NULL, &error);
    must_cl(error, "clCreateProgramWithSource");
    must_cl(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    return program;
}

static void make_kernels(struct desk *desk)
{
    cl_program plain = build_plain(desk);
    cl_program program = bench_build(desk->gravel, "bench_records.cl", bench_records_cl, NULL);
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        const bool is_plain = i == BUFFER || i == COUNTER || i == PRINTF;
        desk->kernels[i] = is_plain ? bench_plain_kernel(plain, kernel_names[i])
                                    : bench_kernel(desk->gravel, program, kernel_names[i]);
    }
    clReleaseProgram(program);
    clReleaseProgram(plain);
}

static void set_arguments(struct desk *desk)
{
    const cl_context context = gravel_cl_context(desk->gravel);
    const cl_uint rounds = ROUNDS;
    desk->records = bench_buffer(context, 0, desk->n_items * sizeof(struct record));
    desk->counter = bench_buffer(context, 0, sizeof(cl_uint));
    bench_set(desk->kernels[BUFFER], 0, sizeof desk->records, &desk->records);
    bench_set(desk->kernels[COUNTER], 0, sizeof desk->records, &desk->records);
    bench_set(desk->kernels[COUNTER], 1, sizeof desk->counter, &desk->counter);
    for (uint32_t i = COUNT; i <= COUNT_PRINT; i++) {
        bench_set_ulongs(desk->kernels[i], 1, &desk->words, 1);
        bench_set_uints(desk->kernels[i], 2, (cl_uint[]){N_WORDS, UINT32_MAX}, 2);
    }
    for (uint32_t i = ASK; i <= GET; i++) {
        bench_set_ulongs(desk->kernels[i], 1, (cl_ulong[]){desk->answers, desk->signal}, 2);
        bench_set_uints(desk->kernels[i], 3, &rounds, 1);
    }
}

static bool takes_part(void *context, uint32_t variant)
{
    const struct desk *desk = context;
    return variant < ASK || bench_may_wait(desk->gravel);
}

static bool has_ratio(uint32_t variant, uint32_t against)
{
    static const uint32_t rivals[N_VARIANTS] = {
        [APPEND] = BUFFER, [APPEND_IF] = COUNTER, [APPEND_WI] = COUNTER,
        [LINES] = PRINTF,  [COUNT_PRINT] = COUNT, [ASK] = GET};
    return against > 0 && rivals[variant] == against;
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct desk *desk = context;
    (void)variant, (void)median;
    return json_pack("{si ss}", "items", (int)desk->n_items, "step", gravel_step(desk->gravel));
}

static const struct bench_contest contest = {.name = "bench-records",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .takes_part = takes_part,
                                             .fields = fields,
                                             .has_ratio = has_ratio};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"items", 'i', "N", "work-items; an eighth of them prints (1048576)",
         BENCH_MULTIPLE(struct desk, n_items, GROUP * INCREMENTS, 1u << 24)},
        {0}};
    static struct desk desk = {.n_items = 1u << 20};
    bench_parse(argc, argv, "What a kernel hands to the host while it runs.", own, &desk);
    FILE *file = tmpfile();
    desk.text = malloc(desk.n_items * sizeof(struct record) + 1);
    desk.seen = malloc(desk.n_items);
    must(file && desk.text && desk.seen ? 0 : GRAVEL_ENOMEM, "memory and a file");
    desk.file = fileno(file);
    open_node(&desk);
    make_kernels(&desk);
    set_arguments(&desk);
    const bool is_valid = bench_hold(&contest, &desk, true);
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        clReleaseKernel(desk.kernels[i]);
    clReleaseMemObject(desk.records);
    clReleaseMemObject(desk.counter);
    must(gravel_close(desk.gravel), "gravel_close");
    fclose(file);
    free(desk.text);
    free(desk.seen);
    return is_valid ? 0 : 1;
}
