/* SPDX-License-Identifier: MIT */
/*
 * bench-records: what a kernel hands to the host while it runs, beside what programs do by hand.
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
#include <string.h>
#include <unistd.h>

#define GROUP 256u
#define N_WORDS (1u << 16)
#define INCREMENTS 16u
#define LINES_OF_PRINTF 4096u /* of a launch: the smallest buffer, NVIDIA's, has 1 MB */
#define ITEMS_A_LINE 8u
#define ROUNDS 1000u

extern const char bench_records_cl[], bench_records_plain_cl[];

enum subject {
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
    N_SUBJECTS
};

struct record {
    uint32_t item, values[7];
};

struct desk {
    struct gravel *gravel;
    cl_kernel kernels[N_SUBJECTS];
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
    if (ftruncate(desk->file, 0) || lseek(desk->file, 0, SEEK_SET))
        must(GRAVEL_ESYSTEM, "the file");
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

/* Each record of those that should be came once. */
static bool has_records(const struct desk *desk, bool (*is_sent)(uint32_t item))
{
    const size_t n = read_file(desk, sizeof(struct record) * desk->n_items) / sizeof(struct record);
    size_t n_sent = 0;
    for (size_t i = 0; i < n; i++) {
        struct record record;
        memcpy(&record, desk->text + i * sizeof record, sizeof record);
        for (uint32_t k = 0; k < 7; k++)
            if (record.values[k] != record.item + 1 + k)
                return false;
        if (record.item >= desk->n_items || desk->seen[record.item]++)
            return false;
    }
    for (uint32_t item = 0; item < desk->n_items; item++) {
        const bool is_due = !is_sent || is_sent(item);
        if (desk->seen[item] != is_due)
            return false;
        n_sent += is_due;
    }
    return n == n_sent;
}

static uint32_t n_lines(const struct desk *desk)
{
    return desk->n_items / ITEMS_A_LINE;
}

/* Each line came once. @param has_tags  they begin with node and work-item. */
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

static void launch(const struct desk *desk, enum subject subject, size_t n, size_t group)
{
    must(gravel_launch(desk->gravel, desk->kernels[subject], 1, &n, &group, 0, NULL, NULL),
         "gravel_launch");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
}

static void launch_plain(const struct desk *desk, enum subject subject, size_t n)
{
    const size_t group = GROUP;
    must_cl(clEnqueueNDRangeKernel(gravel_cl_queue(desk->gravel), desk->kernels[subject], 1, NULL,
                                   &n, &group, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
}

static void read_plain(const struct desk *desk, cl_mem from, size_t bytes, void *to)
{
    must_cl(clEnqueueReadBuffer(gravel_cl_queue(desk->gravel), from, CL_TRUE, 0, bytes, to, 0, NULL,
                                NULL),
            "clEnqueueReadBuffer");
}

static void store_by_hand(const struct desk *desk, enum subject subject)
{
    uint32_t n = 0;
    if (subject == COUNTER)
        must_cl(clEnqueueWriteBuffer(gravel_cl_queue(desk->gravel), desk->counter, CL_TRUE, 0,
                                     sizeof n, &n, 0, NULL, NULL),
                "clEnqueueWriteBuffer");
    launch_plain(desk, subject, desk->n_items);
    n = desk->n_items;
    if (subject == COUNTER)
        read_plain(desk, desk->counter, sizeof n, &n);
    read_plain(desk, desk->records, n * sizeof(struct record), desk->text);
    if (!write_all(desk->file, desk->text, n * sizeof(struct record)))
        must(GRAVEL_ESYSTEM, "writing by hand");
}

/* Standard output is the file while lines are printed. */
static void print(const struct desk *desk, enum subject subject)
{
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    fflush(stdout);
    dup2(desk->file, STDOUT_FILENO);
    if (subject == LINES)
        launch(desk, subject, n_lines(desk), GROUP);
    for (cl_uint first = 0; subject == PRINTF && first < n_lines(desk); first += LINES_OF_PRINTF) {
        const uint32_t left = n_lines(desk) - first;
        clSetKernelArg(desk->kernels[subject], 0, sizeof first, &first);
        launch_plain(desk, subject, left < LINES_OF_PRINTF ? left : LINES_OF_PRINTF);
        must_cl(clFinish(gravel_cl_queue(desk->gravel)), "clFinish");
    }
    fflush(stdout); /* of a driver that prints by it */
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static void fill_words(const struct desk *desk, uint64_t at, uint64_t bytes)
{
    const cl_uint zero = 0;
    must(gravel_fill(desk->gravel, at, bytes, &zero, sizeof zero, 0), "gravel_fill");
}

static bool has_words(const struct desk *desk, uint64_t at, uint32_t n, uint64_t expected)
{
    uint64_t sum = 0;
    void *memory;
    must(gravel_map(desk->gravel, at, 4 * (uint64_t)n, CL_MAP_READ, 0, &memory), "gravel_map");
    for (uint32_t i = 0; i < n; i++)
        sum += ((const uint32_t *)memory)[i];
    must(gravel_unmap(desk->gravel, memory), "gravel_unmap");
    return sum == expected;
}

static int next(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                uint64_t *answer)
{
    (void)gravel, (void)user, (void)source;
    *answer = args[0] + 1;
    return 0;
}

static void do_once(const struct desk *desk, enum subject subject)
{
    if (subject <= APPEND_WI)
        launch(desk, subject, desk->n_items, GROUP);
    else if (subject <= COUNTER)
        store_by_hand(desk, subject);
    else if (subject <= PRINTF)
        print(desk, subject);
    else if (subject <= COUNT_PRINT)
        launch(desk, subject, desk->n_items / INCREMENTS, GROUP);
    else
        launch(desk, subject, GROUP, GROUP);
}

static bool is_right(const struct desk *desk, enum subject subject)
{
    if (subject == APPEND || subject == BUFFER)
        return has_records(desk, NULL);
    if (subject <= COUNTER)
        return has_records(desk, is_one_of_16);
    if (subject <= PRINTF)
        return has_lines(desk, subject == LINES);
    if (subject <= COUNT_PRINT)
        return has_words(desk, desk->words, N_WORDS, desk->n_items);
    return has_words(desk, desk->signal, 1, ROUNDS) &&
           (subject == GET || has_words(desk, desk->answers, 2, ROUNDS + 1));
}

/* What a run handles [count]. */
static double amount(const struct desk *desk, enum subject subject)
{
    if (subject <= COUNTER)
        return subject == APPEND || subject == BUFFER ? desk->n_items : desk->n_items / 16.0;
    if (subject <= PRINTF)
        return n_lines(desk);
    return subject <= COUNT_PRINT ? desk->n_items : ROUNDS;
}

struct wanted {
    struct desk desk;
    enum subject which[N_SUBJECTS];
};

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct wanted *wanted = context;
    const enum subject which = wanted->which[subject];
    const struct desk *desk = &wanted->desk;
    empty(desk);
    fill_words(desk, desk->words, 4 * N_WORDS);
    fill_words(desk, desk->signal, 64);
    fill_words(desk, desk->answers, 64);
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    const double begin_s = bench_now();
    do_once(desk, which);
    *rate = amount(desk, which) / (bench_now() - begin_s);
    return is_right(desk, which);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const struct {
    const char *name, *kernel, *unit;
} variants[N_SUBJECTS] = {
    [APPEND] = {"append", "append", "records/s"},
    [APPEND_IF] = {"append-if", "append_if", "records/s"},
    [APPEND_WI] = {"append-wi", "append_wi", "records/s"},
    [BUFFER] = {"buffer", "store", "records/s"},
    [COUNTER] = {"counter", "store_if", "records/s"},
    [LINES] = {"lines", "print", "lines/s"},
    [PRINTF] = {"printf", "print", "lines/s"},
    [COUNT] = {"count", "count", "increments/s"},
    [COUNT_PRINT] = {"count-print", "count_and_print", "increments/s"},
    [ASK] = {"ask", "ask", "answers/s"},
    [GET] = {"get", "get", "answers/s"},
};

static bool is_plain(enum subject subject)
{
    return subject == BUFFER || subject == COUNTER || subject == PRINTF;
}

static void open_node(struct desk *desk)
{
    const struct gravel_handler handler = {.name = "next", .n_args = 1, .answer = next};
    const struct gravel_stream stream = {"records", sizeof(struct record), keep, &desk->file};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1, .streams = &stream, .n_streams = 1);
    must(gravel_open(&desk->gravel, NULL, &bindings), "gravel_open");
    if (gravel_n_nodes(desk->gravel) > 1)
        must(GRAVEL_EINVAL, "bench-records is for one node");
    must(gravel_alloc(desk->gravel, 4 * N_WORDS, &desk->words), "gravel_alloc");
    must(gravel_alloc(desk->gravel, 64, &desk->answers), "gravel_alloc");
    must(gravel_alloc(desk->gravel, 64, &desk->signal), "gravel_alloc");
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
    cl_program program, plain = build_plain(desk);
    must(gravel_program_build(desk->gravel, "bench_records.cl", bench_records_cl, NULL, &program),
         "gravel_program_build");
    for (enum subject i = 0; i < N_SUBJECTS; i++) {
        cl_int error;
        desk->kernels[i] =
            clCreateKernel(is_plain(i) ? plain : program, variants[i].kernel, &error);
        must_cl(error, "clCreateKernel");
        if (!is_plain(i))
            must(gravel_kernel_set_arena(desk->gravel, desk->kernels[i], 0),
                 "gravel_kernel_set_arena");
    }
    clReleaseProgram(program);
    clReleaseProgram(plain);
}

static void set_arguments(struct desk *desk)
{
    const cl_uint counts[] = {N_WORDS, UINT32_MAX}, rounds = ROUNDS;
    cl_int error[2];
    desk->records = clCreateBuffer(gravel_cl_context(desk->gravel), CL_MEM_READ_WRITE,
                                   desk->n_items * sizeof(struct record), NULL, &error[0]);
    desk->counter = clCreateBuffer(gravel_cl_context(desk->gravel), CL_MEM_READ_WRITE,
                                   sizeof(cl_uint), NULL, &error[1]);
    must_cl(error[0] ? error[0] : error[1], "clCreateBuffer");
    clSetKernelArg(desk->kernels[BUFFER], 0, sizeof desk->records, &desk->records);
    clSetKernelArg(desk->kernels[COUNTER], 0, sizeof desk->records, &desk->records);
    clSetKernelArg(desk->kernels[COUNTER], 1, sizeof desk->counter, &desk->counter);
    for (enum subject i = COUNT; i <= COUNT_PRINT; i++) {
        clSetKernelArg(desk->kernels[i], 1, sizeof desk->words, &desk->words);
        clSetKernelArg(desk->kernels[i], 2, sizeof counts[0], &counts[0]);
        clSetKernelArg(desk->kernels[i], 3, sizeof counts[1], &counts[1]);
    }
    for (enum subject i = ASK; i <= GET; i++) {
        clSetKernelArg(desk->kernels[i], 1, sizeof desk->answers, &desk->answers);
        clSetKernelArg(desk->kernels[i], 2, sizeof desk->signal, &desk->signal);
        clSetKernelArg(desk->kernels[i], 3, sizeof rounds, &rounds);
    }
}

static void report(const struct wanted *wanted, const struct bench_options *options,
                   const struct bench_subject *subjects, uint32_t n)
{
    static const enum subject pairs[][2] = {{APPEND, BUFFER},     {APPEND_IF, COUNTER},
                                            {APPEND_WI, COUNTER}, {LINES, PRINTF},
                                            {COUNT_PRINT, COUNT}, {ASK, GET}};
    const struct bench_subject *of[N_SUBJECTS] = {NULL};
    for (uint32_t i = 0; i < n; i++) {
        of[wanted->which[i]] = &subjects[i];
        bench_report(options, "bench-records", variants[wanted->which[i]].unit, &subjects[i],
                     json_pack("{si ss}", "items", (int)wanted->desk.n_items, "step",
                               gravel_step(wanted->desk.gravel)));
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (of[pairs[i][0]] && of[pairs[i][1]])
            bench_report_ratio(options, "bench-records", of[pairs[i][0]], of[pairs[i][1]],
                               json_pack("{ss}", "step", gravel_step(wanted->desk.gravel)));
}

struct options {
    struct bench_options bench;
    uint32_t items;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->bench;
        return 0;
    case 'i':
        if (!bench_count_parse(argument, 1, 1u << 24, &options->items) ||
            options->items % (GROUP * INCREMENTS) != 0)
            argp_error(state, "--items takes a multiple of %u up to %u, not %s", GROUP * INCREMENTS,
                       1u << 24, argument);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
    static const struct argp_option known[] = {
        {"items", 'i', "N", 0, "work-items; an eighth of them prints (1048576)", 0}, {0}};
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, parse, NULL, NULL, children, NULL, NULL};
    struct options options = {.bench = BENCH_OPTIONS_INIT, .items = 1u << 20};
    static struct bench_subject subjects[N_SUBJECTS];
    static struct wanted wanted;
    struct desk *desk = &wanted.desk;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    FILE *file = tmpfile();
    desk->n_items = options.items;
    desk->text = malloc(desk->n_items * sizeof(struct record) + 1);
    desk->seen = malloc(desk->n_items);
    if (!file || !desk->text || !desk->seen)
        must(GRAVEL_ENOMEM, "memory and a file");
    desk->file = fileno(file);
    open_node(desk);
    make_kernels(desk);
    set_arguments(desk);
    uint32_t n = 0;
    for (enum subject i = 0; i < N_SUBJECTS; i++) {
        const bool waits = i >= ASK, may_wait = strcmp(gravel_step(desk->gravel), "drain") != 0;
        double rate; /* a kernel is compiled at its first launch */
        if (!bench_variant_is_wanted(&options.bench, variants[i].name) || (waits && !may_wait))
            continue;
        subjects[n] = (struct bench_subject){.variant = variants[i].name};
        wanted.which[n] = i;
        run(&wanted, n++, &rate);
    }
    bench_rounds(subjects, n, options.bench.runs, run, &wanted);
    report(&wanted, &options.bench, subjects, n);
    for (enum subject i = 0; i < N_SUBJECTS; i++)
        clReleaseKernel(desk->kernels[i]);
    clReleaseMemObject(desk->records);
    clReleaseMemObject(desk->counter);
    must(gravel_close(desk->gravel), "gravel_close");
    fclose(file);
    free(desk->text);
    free(desk->seen);
    return 0;
}
