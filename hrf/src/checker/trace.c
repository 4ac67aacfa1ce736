/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks over a trace. See trace.h.
 *
 * Each synchronizing word has its releases: for each scope instance and thread one clock. Under opencl a store of
 * another thread ends the release sequence, so it forgets them; under the HRF models they stay.
 */
#include "checker/trace.h"

#include "checker/map.h"
#include "checker/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PAIRS 4096u /* of code that races, reported once each */

/* A release that an acquire may pair with. */
struct release {
    uint32_t *clock; /* [n_threads] */
    uint16_t instance, thread;
};

struct releases {
    struct release *list; /* [n] */
    uint32_t n, capacity;
};

/* A barrier: how many came and went, and the clock of each of two rounds. */
struct meeting {
    uint64_t n_arrived, n_left;
    uint32_t clocks[]; /* [2][n_threads] */
};

/* One access. */
struct access {
    uint32_t clock, site;
    uint16_t thread, instance;
    uint8_t bytes; /* mask of the eight of a word */
    bool writes, is_atomic;
};

/* Accesses of one word of eight bytes of which no later one takes the place. */
struct cell {
    struct access *accesses; /* [n] */
    uint32_t n, capacity;
};

struct thread_state {
    uint16_t instances[HRF_N_LEVELS]; /* level * HRF_TRACE_THREADS + the first thread in it */
    struct releases fences;           /* the newest release fence of each scope */
    struct releases pending;          /* what loads have seen, for acquire fences */
    uint32_t *clock;
};

struct checker {
    const struct hrf_rules *rules;
    struct hrf_trace_result *result;
    const struct hrf_record *record;
    struct thread_state threads[HRF_TRACE_THREADS];
    bool is_placed[HRF_TRACE_THREADS];
    uint32_t n_threads;
    struct hrf_map words;    /* struct releases of atomic words */
    struct hrf_map objects;  /* clocks of locks, threads, ... */
    struct hrf_map meetings; /* struct meeting */
    struct hrf_map cells;    /* struct cell */
    struct hrf_map pairs;    /* of code that raced */
    bool has_acquire_fences; /* else no fence needs what loads have seen */
    bool has_memory;
};

bool hrf_trace_takes(enum hrf_model model)
{
    return !hrf_rules[model].by_scope && !hrf_rules[model].promotes;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void join(const struct checker *c, uint32_t *to, const uint32_t *from)
{
    for (uint32_t t = 0; t < c->n_threads; t++)
        if (to[t] < from[t])
            to[t] = from[t];
}

static uint32_t *make_clock(struct checker *c)
{
    uint32_t *clock = calloc(c->n_threads, sizeof *clock);
    c->has_memory &= clock != NULL;
    return clock;
}

/* Makes room for one more element. Returns NULL without memory. */
static void *grow(struct checker *c, void *array, uint32_t n, uint32_t *capacity, size_t bytes)
{
    if (n < *capacity)
        return array;
    void *grown = realloc(array, (*capacity ? 2 * *capacity : 2) * bytes);
    c->has_memory &= grown != NULL;
    if (grown)
        *capacity = *capacity ? 2 * *capacity : 2;
    return grown;
}

static void *element_of(struct checker *c, struct hrf_map *map, uint64_t key)
{
    void *element = hrf_map_at(map, key);
    c->has_memory &= element != NULL;
    return element;
}

/* Adds a clock for an instance and thread, or joins the one that is there. */
static void add_release(struct checker *c, struct releases *releases, uint16_t instance,
                        uint16_t thread, const uint32_t *clock)
{
    for (uint32_t i = 0; i < releases->n; i++) {
        struct release *release = &releases->list[i];
        if (release->instance != instance || release->thread != thread)
            continue;
        join(c, release->clock, clock);
        return;
    }
    struct release *list = grow(c, releases->list, releases->n, &releases->capacity, sizeof *list);
    uint32_t *copy = list ? make_clock(c) : NULL;
    releases->list = list ? list : releases->list;
    if (!copy)
        return;
    memcpy(copy, clock, c->n_threads * sizeof *clock);
    releases->list[releases->n++] = (struct release){copy, instance, thread};
}

static void free_releases(void *element)
{
    struct releases *releases = element;
    for (uint32_t i = 0; i < releases->n; i++)
        free(releases->list[i].clock);
    free(releases->list);
}

static void free_cell(void *element)
{
    free(((struct cell *)element)->accesses);
}

/* ---- places and scopes ----------------------------------------------------------------------- */

static bool holds(const struct checker *c, uint16_t instance, uint16_t thread)
{
    return c->threads[thread].instances[instance / HRF_TRACE_THREADS] == instance;
}

static bool meet(const struct checker *c, uint16_t at_a, uint16_t a, uint16_t at_b, uint16_t b)
{
    return at_a == at_b || (c->rules->is_inclusive && holds(c, at_a, b) && holds(c, at_b, a));
}

static void place_thread(struct checker *c, uint32_t thread)
{
    const struct hrf_place *places = c->result->places;
    for (uint32_t level = 0; level < HRF_N_LEVELS; level++) {
        uint32_t first = 0;
        while (!hrf_are_together(&places[first], &places[thread], (enum hrf_level)level))
            first++;
        c->threads[thread].instances[level] = (uint16_t)(level * HRF_TRACE_THREADS + first);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_before(const struct checker *c, const struct access *access, uint16_t thread)
{
    return access->thread == thread || c->threads[thread].clock[access->thread] >= access->clock;
}

static bool conflict(const struct checker *c, const struct access *a, const struct access *b)
{
    return (a->bytes & b->bytes) && a->thread != b->thread && (a->writes || b->writes) &&
           !(a->is_atomic && b->is_atomic &&
             meet(c, a->instance, a->thread, b->instance, b->thread));
}

static void report(struct checker *c, const struct access *a, const struct access *b)
{
    struct hrf_trace_result *result = c->result;
    if (c->pairs.n == MAX_PAIRS || hrf_map_find(&c->pairs, (uint64_t)a->site << 32 | b->site))
        return;
    element_of(c, &c->pairs, (uint64_t)a->site << 32 | b->site);
    if (result->n_races++)
        return;
    result->first[0] = (struct hrf_trace_access){a->site, a->thread, a->writes, a->is_atomic};
    result->first[1] = (struct hrf_trace_access){b->site, b->thread, b->writes, b->is_atomic};
    result->address = c->record->address;
}

/* Returns whether all that races with the older access races with the newer one too, or is ordered before it. */
static bool takes_place_of(const struct checker *c, const struct access *newer,
                           const struct access *older)
{
    return !(older->bytes & ~newer->bytes) && (newer->writes || !older->writes) &&
           (!newer->is_atomic || (older->is_atomic && older->instance == newer->instance)) &&
           is_before(c, older, newer->thread);
}

static void access_word(struct checker *c, struct cell *cell, const struct access *access)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cell->n; i++) {
        const struct access *older = &cell->accesses[i];
        if (conflict(c, older, access) && !is_before(c, older, access->thread))
            report(c, older, access);
        if (!takes_place_of(c, access, older))
            cell->accesses[n++] = *older;
    }
    cell->n = n;
    struct access *accesses = grow(c, cell->accesses, n, &cell->capacity, sizeof *accesses);
    if (!accesses)
        return;
    cell->accesses = accesses;
    accesses[cell->n++] = *access;
}

/* Sees an access of up to 8 bytes, in one word of eight or in two. */
static void access_memory(struct checker *c, bool writes, bool is_atomic, uint16_t instance)
{
    const struct hrf_record *r = c->record;
    struct access access = {.clock = c->threads[r->thread].clock[r->thread],
                            .site = r->site,
                            .thread = r->thread,
                            .instance = instance,
                            .writes = writes,
                            .is_atomic = is_atomic};
    const uint64_t end = r->address + (UINT64_C(1) << (r->how >> 6));
    for (uint64_t at = r->address; at < end; at = (at | 7) + 1) {
        const uint64_t stop = (at | 7) + 1 < end ? (at | 7) + 1 : end;
        access.bytes = (uint8_t)(((1u << (stop - at)) - 1) << (at & 7));
        struct cell *cell = element_of(c, &c->cells, at >> 3);
        if (cell)
            access_word(c, cell, &access);
    }
}

/* Forgets what happened to memory that is used anew. */
static void forget(struct checker *c, uint64_t address, uint64_t n_bytes)
{
    for (uint64_t word = address >> 3; word < (address + n_bytes + 7) >> 3; word++) {
        struct cell *cell = hrf_map_find(&c->cells, word);
        if (cell)
            cell->n = 0;
    }
}

/* ---- synchronization ------------------------------------------------------------------------- */

static void acquire_from(struct checker *c, const struct releases *releases, uint16_t thread,
                         uint16_t instance)
{
    for (uint32_t i = 0; i < releases->n; i++)
        if (meet(c, releases->list[i].instance, releases->list[i].thread, instance, thread))
            join(c, c->threads[thread].clock, releases->list[i].clock);
}

static void load(struct checker *c, struct releases *releases, uint16_t instance, uint8_t order)
{
    struct thread_state *thread = &c->threads[c->record->thread];
    for (uint32_t i = 0; i < releases->n && c->has_acquire_fences && c->has_memory; i++)
        if (releases->list[i].thread != c->record->thread)
            add_release(c, &thread->pending, releases->list[i].instance, releases->list[i].thread,
                        releases->list[i].clock);
    if (order & HRF_ACQUIRE)
        acquire_from(c, releases, c->record->thread, instance);
}

/* A store that another thread's release sequence does not continue through. */
static void end_sequences(struct checker *c, struct releases *releases)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < releases->n; i++)
        if (releases->list[i].thread == c->record->thread)
            releases->list[n++] = releases->list[i];
        else
            free(releases->list[i].clock);
    releases->n = n;
}

static void store(struct checker *c, struct releases *releases, uint16_t instance, uint8_t order)
{
    const uint16_t t = c->record->thread;
    struct thread_state *thread = &c->threads[t];
    for (uint32_t i = 0; i < thread->fences.n && c->has_memory; i++)
        add_release(c, releases, thread->fences.list[i].instance, t, thread->fences.list[i].clock);
    if (order & HRF_RELEASE) {
        add_release(c, releases, instance, t, thread->clock);
        thread->clock[t]++;
    }
}

static void see_atomic(struct checker *c, uint16_t instance, uint8_t order)
{
    const struct hrf_record *r = c->record;
    const bool reads = r->kind != HRF_RECORD_STORE, writes = r->kind != HRF_RECORD_LOAD;
    struct releases *releases = element_of(c, &c->words, r->address);
    if (!releases)
        return;
    if (reads)
        load(c, releases, instance, order);
    access_memory(c, writes, true, instance);
    if (!reads && c->rules->by_reads_from)
        end_sequences(c, releases);
    if (writes)
        store(c, releases, instance, order);
}

static void see_fence(struct checker *c, uint16_t instance, uint8_t order)
{
    const uint16_t t = c->record->thread;
    struct thread_state *thread = &c->threads[t];
    if (order & HRF_ACQUIRE)
        acquire_from(c, &thread->pending, t, instance);
    if (order & HRF_RELEASE) {
        add_release(c, &thread->fences, instance, t, thread->clock);
        thread->clock[t]++;
    }
}

/* Joins the arrivals of a round into one clock, which all that leave it take. */
static void see_barrier(struct checker *c)
{
    const struct hrf_record *r = c->record;
    uint32_t *own = c->threads[r->thread].clock;
    struct meeting *m = element_of(c, &c->meetings, r->address);
    if (!m)
        return;
    if (!r->site) { /* a new barrier at the address */
        m->n_arrived = m->n_left = 0;
        return;
    }
    const bool arrives = r->kind == HRF_RECORD_ARRIVE;
    const uint64_t count = arrives ? m->n_arrived++ : m->n_left++;
    uint32_t *clock = m->clocks + count / r->site % 2 * c->n_threads;
    if (!arrives) {
        join(c, own, clock);
        return;
    }
    if (count % r->site == 0)
        memset(clock, 0, c->n_threads * sizeof *clock);
    join(c, clock, own);
    own[r->thread]++;
}

static void see_object(struct checker *c)
{
    const struct hrf_record *r = c->record;
    uint32_t *own = c->threads[r->thread].clock, *given = element_of(c, &c->objects, r->address);
    if (!given)
        return;
    if (r->kind == HRF_RECORD_TAKE) {
        join(c, own, given);
        return;
    }
    join(c, given, own);
    own[r->thread]++;
}

static void see(struct checker *c, const struct hrf_record *record)
{
    const uint8_t order = record->how & 7, level = record->how >> 3 & 7;
    c->record = record;
    const uint16_t instance =
        c->threads[record->thread].instances[level < HRF_N_LEVELS ? level : HRF_SYS];
    switch (record->kind) {
    case HRF_RECORD_READ:
    case HRF_RECORD_WRITE:
        access_memory(c, record->kind == HRF_RECORD_WRITE, false, instance);
        return;
    case HRF_RECORD_LOAD:
    case HRF_RECORD_STORE:
    case HRF_RECORD_RMW:
        see_atomic(c, instance, order);
        return;
    case HRF_RECORD_FENCE:
        see_fence(c, instance, order);
        return;
    case HRF_RECORD_ARRIVE:
    case HRF_RECORD_LEAVE:
        see_barrier(c);
        return;
    case HRF_RECORD_GIVE:
    case HRF_RECORD_TAKE:
        see_object(c);
        return;
    case HRF_RECORD_NEW:
        forget(c, record->address, record->site);
        return;
    default:
        return;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Finds threads and their places. Returns 0; -1 with why the trace is bad. */
static int find_threads(struct checker *c, const struct hrf_record *records, uint64_t n, char *why,
                        uint32_t n_bytes)
{
    for (uint64_t i = 0; i < n; i++) {
        const struct hrf_record *r = &records[i];
        if (r->kind >= HRF_N_RECORD_KINDS || r->thread >= HRF_TRACE_THREADS) {
            snprintf(
                why, n_bytes, "record %llu has kind %u and thread %u, expected below %d and %u",
                (unsigned long long)i, r->kind, r->thread, HRF_N_RECORD_KINDS, HRF_TRACE_THREADS);
            return -1;
        }
        if (r->kind == HRF_RECORD_PLACE) {
            c->is_placed[r->thread] = true;
            c->result->places[r->thread] =
                (struct hrf_place){.device = (uint16_t)(r->address >> 48),
                                   .subgroup = (uint16_t)(r->address >> 32),
                                   .group = (uint32_t)r->address};
        }
        c->has_acquire_fences |= r->kind == HRF_RECORD_FENCE && (r->how & HRF_ACQUIRE);
        if (c->n_threads <= r->thread)
            c->n_threads = r->thread + 1u;
    }
    for (uint32_t t = 0; t < c->n_threads; t++) {
        if (!c->is_placed[t]) {
            snprintf(why, n_bytes, "thread %u has no place, expected a record of its place", t);
            return -1;
        }
        place_thread(c, t);
        c->threads[t].clock = make_clock(c);
        if (c->has_memory)
            c->threads[t].clock[t] = 1;
    }
    return 0;
}

static void release_all(struct checker *c)
{
    for (uint32_t t = 0; t < c->n_threads; t++) {
        free(c->threads[t].clock);
        free_releases(&c->threads[t].fences);
        free_releases(&c->threads[t].pending);
    }
    hrf_map_free(&c->words, free_releases);
    hrf_map_free(&c->objects, NULL);
    hrf_map_free(&c->meetings, NULL);
    hrf_map_free(&c->cells, free_cell);
    hrf_map_free(&c->pairs, NULL);
    free(c);
}

int hrf_trace_check(const struct hrf_record *records, uint64_t n, enum hrf_model model,
                    struct hrf_trace_result *result, char *why, uint32_t n_bytes)
{
    struct checker *c = calloc(1, sizeof *c);
    *result = (struct hrf_trace_result){.n_records = n};
    snprintf(why, n_bytes, "out of memory");
    if (!c)
        return -1;
    c->rules = &hrf_rules[model];
    c->result = result;
    c->has_memory = true;
    int code = find_threads(c, records, n, why, n_bytes);
    result->n_threads = c->n_threads;
    c->words.bytes = sizeof(struct releases);
    c->objects.bytes = c->n_threads * sizeof(uint32_t);
    c->meetings.bytes = sizeof(struct meeting) + 2 * c->objects.bytes;
    c->cells.bytes = sizeof(struct cell);
    for (uint64_t i = 0; i < n && !code && c->has_memory; i++)
        see(c, &records[i]);
    code = c->has_memory ? code : -1;
    release_all(c);
    return code;
}
