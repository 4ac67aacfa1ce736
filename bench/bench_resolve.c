/* SPDX-License-Identifier: MIT */
/*
 * bench-resolve: updates a second that one resolver checks and applies, beside a plain loop over the same random indices.
 *
 *     bench-resolve --words 24
 *
 * Variants take turns on one table, first on 4 KiB pages and then on huge ones. After every run the table is compared with
 * what the variant should have done. Ratios are those to the plain loop.
 *
 * Path:    options -> build frames -> rounds over the variants -> lib/resolve -> reports.
 * Memory:  a table lives for the rounds on its pages, frames as long as the process.
 * Threads: the main thread.
 * Source:  HPC Challenge RandomAccess, as an increment.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"
#include "resolve/apply.h"
#include "resolve/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FRAME_BYTES 65536u
#define N_MESSAGES (1u << 21) /* at least; the last frame is full too */
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

static const uint32_t *frame_indices(const struct load *load, uint32_t frame)
{
    return (const void *)(load->frames + (size_t)frame * FRAME_BYTES + sizeof(struct gravel_frame) +
                          sizeof(struct gravel_run));
}

static void increment(const struct table *table, const struct load *load)
{
    uint64_t *words = table->words;
    for (uint32_t frame = 0; frame < load->n_frames; frame++) {
        const uint32_t *indices = frame_indices(load, frame);
        for (uint32_t i = 0; i < load->n_in_frame; i++)
            words[indices[i]]++;
    }
}

static void resolve(const struct table *table, const struct load *load, bool checks, bool applies)
{
    struct gravel_apply apply = {.heap = (unsigned char *)table->words};
    struct gravel_applied applied;
    struct gravel_refusal refusal;
    for (uint32_t i = 0; i < load->n_frames; i++) {
        unsigned char *frame = load->frames + (size_t)i * FRAME_BYTES;
        const struct gravel_frame *header = (const void *)frame;
        struct gravel_expect expect = {.sequence = i};
        if (checks) {
            gravel_heap_lock_shared(table->books);
            if (gravel_decode_check(frame, header->bytes, &expect, table->books, &refusal)) {
                fprintf(stderr, "bench-resolve: %s\n", refusal.text);
                exit(EXIT_FAILURE);
            }
        }
        if (applies)
            gravel_apply_frame(&apply, frame, &applied);
        if (checks)
            gravel_heap_unlock_shared(table->books);
    }
}

#define INC_ULONG GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG)
#define ADD_ULONG GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG)

static const struct bench_variant variants[] = {
    {"plain", "updates/s"},       {"apply", "updates/s"},      {"check", "updates/s"},
    {"check+apply", "updates/s"}, {"apply-wide", "updates/s"}, {"check-wide", "updates/s"},
    {"apply-add", "updates/s"}};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static const struct way {
    uint32_t command;
    bool checks, applies; /* neither: the plain loop */
} ways[N_VARIANTS] = {
    {INC_ULONG, false, false},
    {INC_ULONG, false, true},
    {INC_ULONG, true, false},
    {INC_ULONG, true, true},
    {INC_ULONG | GRAVELP_COMMAND_WIDE, false, true},
    {INC_ULONG | GRAVELP_COMMAND_WIDE, true, false},
    {ADD_ULONG, false, true},
};

static uint64_t fill_run(unsigned char *run, const struct way *way, uint32_t n, uint64_t n_words,
                         uint64_t *state)
{
    uint32_t command = way->command;
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
        if (way->applies || !way->checks)
            sum += value * (2 * index + 1);
    }
    return sum;
}

static struct load make_load(const struct way *way, uint64_t n_words)
{
    uint64_t state = 88172645463325252u;
    uint32_t room = FRAME_BYTES - sizeof(struct gravel_frame) - sizeof(struct gravel_run) - 16;
    struct load load = {.n_in_frame = room / GRAVELP_MESSAGE_BYTES(way->command)};
    load.n_frames = (N_MESSAGES + load.n_in_frame - 1) / load.n_in_frame;
    load.frames = calloc(load.n_frames, FRAME_BYTES);
    must(load.frames ? 0 : GRAVEL_ENOMEM, "frames");
    for (uint32_t i = 0; i < load.n_frames; i++) {
        struct gravel_frame *frame = (void *)(load.frames + (size_t)i * FRAME_BYTES);
        *frame = (struct gravel_frame){
            .magic = GRAVEL_FRAME_MAGIC,
            .version = GRAVEL_FRAME_VERSION,
            .kind = GRAVEL_FRAME_MESSAGES,
            .bytes = (uint32_t)(sizeof *frame + GRAVEL_RUN_BYTES(way->command, load.n_in_frame)),
            .sequence = i,
            .n_messages = load.n_in_frame,
        };
        load.checksum +=
            fill_run((unsigned char *)(frame + 1), way, load.n_in_frame, n_words, &state);
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
    must(memory == MAP_FAILED ? GRAVEL_ENOMEM : 0, "a table");
    must(gravel_heap_create(&table.books, 0, bytes), "the books of a table");
    must(gravel_heap_alloc(table.books, n_words * 8, &offset), "the books of a table");
    memory += -(uintptr_t)memory % HUGE_PAGE;
    if (madvise(memory, bytes, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
        perror("bench-resolve: madvise");
    memset(memory, 0, bytes);
    table.words = (void *)memory;
    return table;
}

/* ---- the whole --------------------------------------------------------------------------------- */

struct place {
    struct load loads[N_VARIANTS];
    struct table table;
    uint32_t log2_words;
    bool is_huge;
};

static bool run(void *context, uint32_t variant, double *rate)
{
    const struct place *place = context;
    const struct load *load = &place->loads[variant];
    const struct way *way = &ways[variant];
    const uint64_t before = checksum_table(&place->table);
    const double begin_s = bench_now();
    if (way->checks || way->applies)
        resolve(&place->table, load, way->checks, way->applies);
    else
        increment(&place->table, load);
    *rate = (double)load->n_frames * load->n_in_frame / (bench_now() - begin_s);
    return checksum_table(&place->table) - before == load->checksum;
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    (void)variant, (void)median;
    return json_pack("{ss sI}", "pages", place->is_huge ? "huge" : "4k", "table_words",
                     (json_int_t)place->table.n_words);
}

static const struct bench_contest contest = {.name = "bench-resolve",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_to_first};

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"words", 'w', "2^N words of the table (24)", BENCH_COUNT(struct place, log2_words, 1, 31)},
        {0}};
    static struct place place = {.log2_words = 24};
    bool is_valid = true;
    bench_parse(argc, argv, "Updates a second that one resolver checks and applies.", own, &place);
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        place.loads[i] = make_load(&ways[i], UINT64_C(1) << place.log2_words);
    for (uint32_t i = 0; i < 2; i++) {
        place.is_huge = i;
        place.table = make_table(UINT64_C(1) << place.log2_words, place.is_huge);
        is_valid &= bench_hold(&contest, &place, true);
        gravel_heap_destroy(place.table.books); /* the table itself goes with the process */
    }
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        free(place.loads[i].frames);
    return is_valid ? 0 : 1;
}
