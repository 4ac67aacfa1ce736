/* SPDX-License-Identifier: MIT */
/*
 * Updates per second of the resolver against a plain loop over the same random indices.
 *
 * Every round times each variant once on one table, first on 4 KiB and then on huge pages; the
 * table is compared with what the variant should have done after every run. Prints one JSON object
 * a line: the median rate, and the median over the rounds of the rate over the plain loop's in the
 * same round.
 *
 *     bench-resolve [log2 of table words, default 24] [rounds, default 7]
 *
 * Path:    main -> build frames -> time check and apply -> print.
 * Source:  HPC Challenge RandomAccess, as an increment.
 */
#include "resolve/apply.h"
#include "resolve/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define FRAME_BYTES 65536u
#define N_MESSAGES (1u << 21) /* at least; the last frame is full too */
#define MAX_ROUNDS 101
#define HUGE_PAGE (2u << 20)

struct table {
    uint64_t *words;
    uint64_t n_words;
    struct gravel_heap *books;
};

/* Frames of one command, one run each, FRAME_BYTES apart. */
struct load {
    unsigned char *frames;
    uint32_t n_frames;
    uint32_t n_in_frame; /* [messages] */
    uint64_t checksum;   /* what one pass adds to checksum_table() */
};

struct variant {
    const char *name;
    void (*run)(const struct table *table, const struct load *load);
    uint32_t command;
    bool is_applied;
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Depends on which words changed, not only on how many. */
static uint64_t checksum_table(const struct table *table)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < table->n_words; i++)
        sum += table->words[i] * (2 * i + 1);
    return sum;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const uint32_t *frame_indices(const struct load *load, uint32_t frame)
{
    return (const void *)(load->frames + (size_t)frame * FRAME_BYTES + sizeof(struct gravel_frame) +
                          sizeof(struct gravel_run));
}

static void run_plain(const struct table *table, const struct load *load)
{
    uint64_t *words = table->words;
    for (uint32_t frame = 0; frame < load->n_frames; frame++) {
        const uint32_t *indices = frame_indices(load, frame);
        for (uint32_t i = 0; i < load->n_in_frame; i++)
            words[indices[i]]++;
    }
}

static void run_apply(const struct table *table, const struct load *load)
{
    struct gravel_apply apply = {.heap = (unsigned char *)table->words};
    struct gravel_applied applied;
    for (uint32_t frame = 0; frame < load->n_frames; frame++)
        gravel_apply_frame(&apply, load->frames + (size_t)frame * FRAME_BYTES, &applied);
}

static void check_and_apply(const struct table *table, const struct load *load, bool is_applied)
{
    struct gravel_apply apply = {.heap = (unsigned char *)table->words};
    struct gravel_applied applied;
    struct gravel_refusal refusal;
    for (uint32_t i = 0; i < load->n_frames; i++) {
        unsigned char *frame = load->frames + (size_t)i * FRAME_BYTES;
        const struct gravel_frame *header = (const void *)frame;
        struct gravel_expect expect = {.sequence = i};
        gravel_heap_lock_shared(table->books);
        if (gravel_decode_check(frame, header->bytes, &expect, table->books, &refusal)) {
            fprintf(stderr, "bench-resolve: %s\n", refusal.text);
            exit(1);
        }
        if (is_applied)
            gravel_apply_frame(&apply, frame, &applied);
        gravel_heap_unlock_shared(table->books);
    }
}

static void run_check(const struct table *table, const struct load *load)
{
    check_and_apply(table, load, false);
}

static void run_both(const struct table *table, const struct load *load)
{
    check_and_apply(table, load, true);
}

#define INC_ULONG GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG)
#define ADD_ULONG GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG)
static const struct variant variants[] = {
    {"plain", run_plain, INC_ULONG, true},
    {"apply", run_apply, INC_ULONG, true},
    {"check", run_check, INC_ULONG, false},
    {"check+apply", run_both, INC_ULONG, true},
    {"apply-wide", run_apply, INC_ULONG | GRAVELP_COMMAND_WIDE, true},
    {"check-wide", run_check, INC_ULONG | GRAVELP_COMMAND_WIDE, false},
    {"apply-add", run_apply, ADD_ULONG, true},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static uint64_t fill_run(unsigned char *run, const struct variant *variant, uint32_t n,
                         uint64_t n_words, uint64_t *state)
{
    uint32_t command = variant->command;
    uint64_t sum = 0;
    *(struct gravel_run *)(void *)run = (struct gravel_run){command, n, 0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t index = (random_next(state) >> 20) % n_words, value = 1;
        if (command & GRAVELP_COMMAND_WIDE)
            ((uint64_t *)(void *)(run + sizeof(struct gravel_run)))[i] = index * 8;
        else
            ((uint32_t *)(void *)(run + sizeof(struct gravel_run)))[i] = (uint32_t)index;
        if (GRAVELP_N_VALUES(command)) {
            value = random_next(state);
            memcpy(run + GRAVEL_RUN_VALUES(command, n, 0) + (size_t)i * 8, &value, 8);
        }
        if (variant->is_applied)
            sum += value * (2 * index + 1);
    }
    return sum;
}

static struct load make_load(const struct variant *variant, uint64_t n_words)
{
    uint64_t state = 88172645463325252u;
    uint32_t room = FRAME_BYTES - sizeof(struct gravel_frame) - sizeof(struct gravel_run) - 16;
    struct load load = {.n_in_frame = room / GRAVELP_MESSAGE_BYTES(variant->command)};
    load.n_frames = (N_MESSAGES + load.n_in_frame - 1) / load.n_in_frame;
    load.frames = calloc(load.n_frames, FRAME_BYTES);
    if (!load.frames)
        exit(1);
    for (uint32_t i = 0; i < load.n_frames; i++) {
        struct gravel_frame *frame = (void *)(load.frames + (size_t)i * FRAME_BYTES);
        *frame = (struct gravel_frame){
            .magic = GRAVEL_FRAME_MAGIC,
            .version = GRAVEL_FRAME_VERSION,
            .kind = GRAVEL_FRAME_MESSAGES,
            .bytes =
                (uint32_t)(sizeof *frame + GRAVEL_RUN_BYTES(variant->command, load.n_in_frame)),
            .sequence = i,
            .n_messages = load.n_in_frame,
        };
        load.checksum +=
            fill_run((unsigned char *)(frame + 1), variant, load.n_in_frame, n_words, &state);
    }
    return load;
}

static struct table make_table(uint64_t n_words, bool is_huge)
{
    struct table table = {.n_words = n_words};
    size_t bytes = (n_words * 8 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    unsigned char *memory =
        mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t offset;
    if (memory == MAP_FAILED || gravel_heap_create(&table.books, 0, bytes) ||
        gravel_heap_alloc(table.books, n_words * 8, &offset))
        exit(1);
    memory += -(uintptr_t)memory % HUGE_PAGE;
    if (madvise(memory, bytes, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
        perror("bench-resolve: madvise");
    memset(memory, 0, bytes);
    table.words = (void *)memory;
    return table;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return values[n / 2];
}

static void measure(const struct load loads[N_VARIANTS], uint64_t n_words, bool is_huge, int rounds)
{
    static double rates[N_VARIANTS][MAX_ROUNDS], ratios[N_VARIANTS][MAX_ROUNDS];
    bool valid[N_VARIANTS];
    struct table table = make_table(n_words, is_huge);
    memset(valid, 1, sizeof valid);
    for (int round = -1; round < rounds; round++) { /* round -1 warms up */
        for (int v = 0; v < N_VARIANTS; v++) {
            uint64_t before = checksum_table(&table);
            double start = seconds();
            variants[v].run(&table, &loads[v]);
            double n = (double)loads[v].n_frames * loads[v].n_in_frame;
            double rate = n / (seconds() - start);
            valid[v] = valid[v] && checksum_table(&table) - before == loads[v].checksum;
            if (round >= 0) {
                rates[v][round] = rate;
                ratios[v][round] = rate / rates[0][round];
            }
        }
    }
    for (int v = 0; v < N_VARIANTS; v++)
        printf("{\"name\": \"bench-resolve\", \"variant\": \"%s\", \"pages\": \"%s\", "
               "\"table_words\": %llu, \"rate\": %.4g, \"unit\": \"updates/s\", "
               "\"ratio_to_plain\": %.3f, \"runs\": %d, \"valid\": %s}\n",
               variants[v].name, is_huge ? "huge" : "4k", (unsigned long long)n_words,
               median(rates[v], rounds), median(ratios[v], rounds), rounds,
               valid[v] ? "true" : "false");
    gravel_heap_destroy(table.books); /* the table itself goes with the process */
}

int main(int argc, char **argv)
{
    int log2_words = argc > 1 ? atoi(argv[1]) : 24;
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    struct load loads[N_VARIANTS];
    if (log2_words < 1 || log2_words > 31 || rounds < 1 || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: bench-resolve [log2 of table words, 1-31] [rounds, 1-%d]\n",
                MAX_ROUNDS);
        return 2;
    }
    for (int v = 0; v < N_VARIANTS; v++)
        loads[v] = make_load(&variants[v], 1ull << log2_words);
    measure(loads, 1ull << log2_words, false, rounds);
    measure(loads, 1ull << log2_words, true, rounds);
    for (int v = 0; v < N_VARIANTS; v++)
        free(loads[v].frames);
    return 0;
}
