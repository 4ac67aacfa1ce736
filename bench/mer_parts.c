/* SPDX-License-Identifier: MIT */
/*
 * Two passes over a batch: the first counts how many k-mers each thread has for each part, so that the second can write
 * them where they belong, without a lock. See mer_parts.h.
 *
 * Path:    mer_parts.h -> this -> apps/mer/table.h
 * Memory:  see mer_parts.h.
 * Threads: OpenMP's, between barriers; each has its own row of `at` and its own parts.
 */
#include "mer_parts.h"
#include "frame/die.h"

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Different k-mers of a part, about: 64 bytes each, twice, are a core's second cache. */
#define PART_KMERS (UINT64_C(1) << 14)
#define LEAST_PARTS 16u
#define MOST_PARTS 512u
#define BATCH_PLACES (UINT64_C(1) << 24)

__extension__ typedef unsigned __int128 word128; /* two bits a base, the last base in the lowest */

/* Both strands of k bases. */
struct window {
    word128 forward, backward;
};

/* ---- a k-mer ------------------------------------------------------------------------------------- */

static inline uint64_t base_at(const struct pack *text, uint64_t i)
{
    return text->bases[i / 32] >> (62 - i % 32 * 2) & 3;
}

static inline bool bit_at(const uint64_t *bits, uint64_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static inline void slide(struct window *window, uint64_t base, unsigned k)
{
    word128 mask = ((word128)1 << 2 * k) - 1;
    window->forward = (window->forward << 2 | base) & mask;
    window->backward = window->backward >> 2 | (word128)(3 - base) << 2 * (k - 1);
}

static inline struct kmer kmer_of(word128 bases)
{
    return (struct kmer){.high = (uint64_t)(bases >> 64), .low = (uint64_t)bases};
}

/* 0 to 3, or NO_NEIGHBOUR; seen from the other strand. */
static inline uint64_t neighbour_at(const struct pack *text, uint64_t i, bool turn)
{
    uint64_t base = base_at(text, i);
    return !bit_at(text->valid, i) ? NO_NEIGHBOUR : turn ? 3 - base : base;
}

/* As table.h says: of the k-mer that begins at place i. */
static inline void write_words(const struct parts *parts, uint64_t *words, struct kmer kmer,
                               uint64_t i, bool turn)
{
    uint64_t before = neighbour_at(parts->text, turn ? i + parts->k : i - 1, turn);
    uint64_t after = neighbour_at(parts->text, turn ? i - 1 : i + parts->k, turn);
    const uint64_t all[WORDS_MOST] = {kmer.low << 6 | before << 3 | after,
                                      kmer.high << 6 | kmer.low >> 58, kmer.high >> 58};
    for (unsigned word = 0; word < parts->n_words; word++)
        words[word] = all[word];
}

/* ---- passes -------------------------------------------------------------------------------------- */

/* Go through the k-mers that begin at places [first, last): at[its part]++; the second pass writes it there. */
static inline void scan(const struct parts *parts, uint64_t first, uint64_t last, uint64_t *at,
                        bool is_second)
{
    const unsigned k = parts->k;
    struct window window = {0};
    for (uint64_t i = first; i < first + k - 1; i++)
        slide(&window, base_at(parts->text, i), k);
    for (uint64_t i = first; i < last; i++) {
        slide(&window, base_at(parts->text, i + k - 1), k);
        if (!bit_at(parts->text->starts, i))
            continue;
        bool turn = window.backward < window.forward;
        struct kmer kmer = kmer_of(turn ? window.backward : window.forward);
        uint64_t *next = &at[kmer_owner(kmer_hash(kmer), parts->n_parts)];
        if (is_second)
            write_words(parts, parts->words + *next * parts->n_words, kmer, i, turn);
        ++*next;
    }
}

/* From how many k-mers each thread has for each part to where they go: part by part, thread by thread. */
static void place_parts(struct parts *parts, unsigned n_threads)
{
    uint64_t next = 0;
    for (uint32_t part = 0; part < parts->n_parts; part++) {
        parts->begins[part] = next;
        for (unsigned thread = 0; thread < n_threads; thread++) {
            uint64_t *at = &parts->at[thread * parts->n_parts + part];
            uint64_t n = *at;
            *at = next;
            next += n;
        }
    }
    parts->begins[parts->n_parts] = next;
}

/* @return  false without memory. */
static bool count_part(struct parts *parts, uint32_t part)
{
    for (uint64_t i = parts->begins[part]; i < parts->begins[part + 1]; i++) {
        uint64_t words[WORDS_MOST] = {0};
        for (unsigned word = 0; word < parts->n_words; word++)
            words[word] = parts->words[i * parts->n_words + word];
        if (!words_count(&parts->tables[part], words))
            return false;
    }
    return table_finish(&parts->tables[part]);
}

/* Which thread of how many; there may be fewer than asked for. */
struct worker {
    unsigned number, n;
};
static struct worker worker_here(void)
{
#ifdef _OPENMP
    return (struct worker){(unsigned)omp_get_thread_num(), (unsigned)omp_get_num_threads()};
#else
    return (struct worker){0, 1};
#endif
}

/* A thread's share of places [first, last). */
static uint64_t share(uint64_t first, uint64_t last, unsigned number, unsigned n)
{
    return first + (last - first) * number / n;
}

static bool count_batch(struct parts *parts, uint64_t first, uint64_t last)
{
    bool has_failed = false;
#pragma omp parallel num_threads(parts->n_threads) reduction(|| : has_failed)
    {
        const struct worker worker = worker_here();
        const uint64_t from = share(first, last, worker.number, worker.n);
        const uint64_t to = share(first, last, worker.number + 1, worker.n);
        uint64_t *at = parts->at + (size_t)worker.number * parts->n_parts;
        memset(at, 0, parts->n_parts * sizeof *at);
        scan(parts, from, to, at, false);
#pragma omp barrier
#pragma omp single
        place_parts(parts, worker.n);
        scan(parts, from, to, at, true);
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (uint32_t part = 0; part < parts->n_parts; part++)
            has_failed = !count_part(parts, part) || has_failed;
    }
    return !has_failed;
}

/* ---- all of the text ------------------------------------------------------------------------------- */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void parts_open(struct parts *parts, const struct pack *text, unsigned k, unsigned n_threads)
{
    uint64_t n = text->n_kmers / PART_KMERS;
    *parts = (struct parts){.text = text,
                            .k = k,
                            .n_words = words_of(k),
                            .n_threads = n_threads,
                            .n_parts = n < LEAST_PARTS  ? LEAST_PARTS
                                       : n > MOST_PARTS ? MOST_PARTS
                                                        : (uint32_t)n,
                            .batch_places = least_of(text->n_places, BATCH_PLACES)};
    parts->tables = app_array(parts->n_parts, sizeof *parts->tables, "the tables");
    parts->words = app_array(parts->batch_places * parts->n_words, sizeof *parts->words, "a batch");
    parts->at = app_array((uint64_t)n_threads * parts->n_parts, sizeof *parts->at, "places");
    parts->begins = app_array(parts->n_parts + 1, sizeof *parts->begins, "parts");
}

void parts_reset(struct parts *parts)
{
    for (uint32_t part = 0; part < parts->n_parts; part++)
        table_clear(&parts->tables[part]);
}

void parts_count(struct parts *parts)
{
    for (uint64_t first = 0; first < parts->text->n_places; first += parts->batch_places) {
        uint64_t last = least_of(first + parts->batch_places, parts->text->n_places);
        if (!count_batch(parts, first, last))
            die("no memory for more than %llu k-mers", (unsigned long long)parts_n_distinct(parts));
    }
}

uint64_t parts_n_distinct(const struct parts *parts)
{
    uint64_t n = 0;
    for (uint32_t part = 0; part < parts->n_parts; part++)
        n += table_n_used(&parts->tables[part]);
    return n;
}

void parts_close(struct parts *parts)
{
    for (uint32_t part = 0; part < parts->n_parts; part++)
        table_free(&parts->tables[part]);
    free(parts->tables);
    free(parts->words);
    free(parts->at);
    free(parts->begins);
}
