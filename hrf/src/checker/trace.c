/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks over a trace. See trace.h.
 *
 * Each synchronizing word has its releases: for each scope instance and thread one clock. Under opencl a store of
 * another thread ends the release sequence, so it forgets them; under the HRF models they stay.
 */
#include "checker/trace.h"

#include "checker/program.h"
#include "checker/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSTANCES 4096u
#define MAX_PAIRS 4096u /* of code that races, told once each */

/* A release that an acquire may pair with. */
struct release {
    uint32_t *clock; /* [n_threads] */
    uint16_t instance, thread;
};

struct releases {
    struct release *list; /* [n] */
    uint32_t n, capacity;
};

/* A barrier: the clock of each of two rounds, and how many came and went. */
struct meeting {
    uint32_t *clocks[2];
    uint64_t n_arrived, n_left;
};

struct thread_state {
    uint16_t instances[HRF_N_LEVELS];
    struct releases fences;  /* the newest release fence of each scope */
    struct releases pending; /* what loads have seen, for acquire fences */
    uint32_t *clock;
};

struct checker {
    const struct hrf_rules *rules;
    struct hrf_trace_result *result;
    const struct hrf_record *record;
    struct thread_state threads[HRF_TRACE_THREADS];
    uint32_t n_threads;
    struct hrf_table words, objects, meetings_by_address;
    struct releases *releases; /* [max_words] of atomic words */
    uint64_t max_words;
    uint32_t **given; /* [max_objects] clocks of locks, threads, ... */
    uint64_t max_objects;
    struct meeting *meetings;
    uint64_t max_meetings;
    struct hrf_shadow shadow;
    struct hrf_table instances; /* by level and place */
    enum hrf_level levels[MAX_INSTANCES];
    struct hrf_table pairs;  /* of code that raced */
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

/* Room for element `number` of an array that grows. */
static void *make_room(struct checker *c, void *array, uint64_t *capacity, uint64_t number,
                       size_t bytes)
{
    if (number < *capacity)
        return array;
    if (number == UINT32_MAX) { /* hrf_table_number had no memory */
        c->has_memory = false;
        return array;
    }
    uint64_t wanted = *capacity ? 2 * *capacity : 256;
    char *grown = realloc(array, wanted * bytes);
    if (!grown) {
        c->has_memory = false;
        return array;
    }
    memset(grown + *capacity * bytes, 0, (wanted - *capacity) * bytes);
    *capacity = wanted;
    return grown;
}

/* Add a clock for an instance and thread, or join the one that is there. */
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
    uint64_t capacity = releases->capacity;
    releases->list = make_room(c, releases->list, &capacity, releases->n, sizeof *releases->list);
    releases->capacity = (uint32_t)capacity;
    uint32_t *copy = c->has_memory ? make_clock(c) : NULL;
    if (!copy)
        return;
    memcpy(copy, clock, c->n_threads * sizeof *clock);
    releases->list[releases->n++] = (struct release){copy, instance, thread};
}

static void free_releases(struct releases *releases)
{
    for (uint32_t i = 0; i < releases->n; i++)
        free(releases->list[i].clock);
    free(releases->list);
}

/* ---- places and scopes ----------------------------------------------------------------------- */

static bool holds(const struct checker *c, uint16_t instance, uint16_t thread)
{
    return c->threads[thread].instances[c->levels[instance]] == instance;
}

static bool meet(const struct checker *c, uint16_t at_a, uint16_t a, uint16_t at_b, uint16_t b)
{
    return at_a == at_b || (c->rules->is_inclusive && holds(c, at_a, b) && holds(c, at_b, a));
}

/* The number of the instance at a level of a place. */
static uint16_t instance_of(struct checker *c, enum hrf_level level, const struct hrf_place *place,
                            uint32_t thread)
{
    uint64_t key = level == HRF_SYS   ? 0
                   : level == HRF_DEV ? (uint64_t)place->device
                   : level == HRF_WG  ? (uint64_t)place->device << 32 ^ place->group
                   : level == HRF_SG  ? (uint64_t)place->device << 48 ^
                                           (uint64_t)place->subgroup << 32 ^ place->group
                                     : thread;
    uint32_t number = hrf_table_number(&c->instances, (key * HRF_N_LEVELS + level) + 1);
    if (number >= MAX_INSTANCES) {
        c->has_memory = false;
        return 0;
    }
    c->levels[number] = level;
    return (uint16_t)number;
}

static void place_thread(struct checker *c, uint32_t thread)
{
    for (int level = 0; level < HRF_N_LEVELS; level++)
        c->threads[thread].instances[level] =
            instance_of(c, (enum hrf_level)level, &c->result->places[thread], thread);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_before(const struct checker *c, const struct hrf_access *access, uint16_t thread)
{
    return access->thread == thread || c->threads[thread].clock[access->thread] >= access->clock;
}

static bool conflict(const struct checker *c, const struct hrf_access *a,
                     const struct hrf_access *b)
{
    return (a->bytes & b->bytes) && a->thread != b->thread && (a->writes || b->writes) &&
           !(a->is_atomic && b->is_atomic &&
             meet(c, a->instance, a->thread, b->instance, b->thread));
}

static void tell(struct checker *c, const struct hrf_access *a, const struct hrf_access *b)
{
    const uint64_t before = c->pairs.n;
    if (before >= MAX_PAIRS)
        return;
    uint32_t number = hrf_table_number(&c->pairs, ((uint64_t)a->site << 32 ^ b->site) + 1);
    c->has_memory &= number != UINT32_MAX;
    if (number != UINT32_MAX && c->pairs.n == before)
        return;
    if (!c->result->n_races++) {
        c->result->first[0] =
            (struct hrf_trace_access){a->site, a->thread, a->writes, a->is_atomic};
        c->result->first[1] =
            (struct hrf_trace_access){b->site, b->thread, b->writes, b->is_atomic};
        c->result->address = c->record->address;
    }
}

/* Whether whatever races with the older access races with the newer one too, or is ordered before it. */
static bool takes_place_of(const struct checker *c, const struct hrf_access *newer,
                           const struct hrf_access *older)
{
    return !(older->bytes & ~newer->bytes) && (newer->writes || !older->writes) &&
           (!newer->is_atomic || (older->is_atomic && older->instance == newer->instance)) &&
           is_before(c, older, newer->thread);
}

static void access_word(struct checker *c, struct hrf_cell *cell, const struct hrf_access *access)
{
    uint16_t n = 0;
    for (uint16_t i = 0; i < cell->n; i++) {
        const struct hrf_access *older = &cell->accesses[i];
        if (conflict(c, older, access) && !is_before(c, older, access->thread))
            tell(c, older, access);
        if (!takes_place_of(c, access, older))
            cell->accesses[n++] = *older;
    }
    cell->n = n;
    c->has_memory &= hrf_cell_add(cell, access) == 0;
}

/* An access of up to 8 bytes, in one word of eight or in two. */
static void access_memory(struct checker *c, bool writes, bool is_atomic, uint16_t instance)
{
    const struct hrf_record *r = c->record;
    struct hrf_access access = {.clock = c->threads[r->thread].clock[r->thread],
                                .site = r->site,
                                .thread = r->thread,
                                .instance = instance,
                                .writes = writes,
                                .is_atomic = is_atomic};
    const uint64_t end = r->address + (UINT64_C(1) << (r->how >> 6));
    for (uint64_t at = r->address; at < end; at = (at | 7) + 1) {
        const uint64_t stop = (at | 7) + 1 < end ? (at | 7) + 1 : end;
        access.bytes = (uint8_t)(((1u << (stop - at)) - 1) << (at & 7));
        struct hrf_cell *cell = hrf_shadow_cell(&c->shadow, at);
        if (!cell) {
            c->has_memory = false;
            return;
        }
        access_word(c, cell, &access);
    }
}

/* ---- synchronization ------------------------------------------------------------------------- */

static struct releases *releases_of(struct checker *c, uint64_t address)
{
    uint32_t number = hrf_table_number(&c->words, address + 1);
    c->releases = make_room(c, c->releases, &c->max_words, number, sizeof *c->releases);
    return c->has_memory ? &c->releases[number] : NULL;
}

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
    struct releases *releases = releases_of(c, r->address);
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

/* Arrivals of a round join one clock, which all who leave it take. */
static void see_barrier(struct checker *c)
{
    const struct hrf_record *r = c->record;
    uint32_t number = hrf_table_number(&c->meetings_by_address, r->address + 1);
    uint32_t *own = c->threads[r->thread].clock;
    c->meetings = make_room(c, c->meetings, &c->max_meetings, number, sizeof *c->meetings);
    if (!c->has_memory)
        return;
    struct meeting *m = &c->meetings[number];
    if (!r->site) { /* a new barrier at the address */
        m->n_arrived = m->n_left = 0;
        return;
    }
    const bool arrives = r->kind == HRF_RECORD_ARRIVE;
    const uint64_t count = arrives ? m->n_arrived++ : m->n_left++;
    uint32_t **clock = &m->clocks[count / r->site % 2];
    *clock = *clock ? *clock : make_clock(c);
    if (!*clock)
        return;
    if (arrives && count % r->site == 0)
        memset(*clock, 0, c->n_threads * sizeof **clock);
    if (!arrives) {
        join(c, own, *clock);
        return;
    }
    join(c, *clock, own);
    own[r->thread]++;
}

static void see_object(struct checker *c)
{
    const struct hrf_record *r = c->record;
    uint32_t number = hrf_table_number(&c->objects, r->address + 1);
    uint32_t *own = c->threads[r->thread].clock;
    c->given = make_room(c, c->given, &c->max_objects, number, sizeof *c->given);
    if (c->has_memory && !c->given[number])
        c->given[number] = make_clock(c);
    if (!c->has_memory)
        return;
    if (r->kind == HRF_RECORD_TAKE) {
        join(c, own, c->given[number]);
        return;
    }
    join(c, c->given[number], own);
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
        hrf_shadow_forget(&c->shadow, record->address, record->site);
        return;
    default:
        return;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Threads and their places. @return 0; -1 with why the trace is bad. */
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
        struct hrf_place *place = &c->result->places[r->thread];
        if (r->kind == HRF_RECORD_PLACE)
            *place = (struct hrf_place){(uint16_t)(r->address >> 48), (uint16_t)(r->address >> 32),
                                        (uint32_t)r->address, true};
        c->has_acquire_fences |= r->kind == HRF_RECORD_FENCE && (r->how & HRF_ACQUIRE);
        if (c->n_threads <= r->thread)
            c->n_threads = r->thread + 1u;
    }
    for (uint32_t t = 0; t < c->n_threads; t++) {
        if (!c->result->places[t].is_known) {
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
    for (uint64_t w = 0; w < c->max_words; w++)
        free_releases(&c->releases[w]);
    for (uint64_t o = 0; o < c->max_objects; o++)
        free(c->given[o]);
    for (uint64_t m = 0; m < c->max_meetings; m++)
        for (int side = 0; side < 2; side++)
            free(c->meetings[m].clocks[side]);
    free(c->releases);
    free(c->given);
    free(c->meetings);
    hrf_shadow_free(&c->shadow);
    struct hrf_table *tables[] = {&c->words, &c->objects, &c->meetings_by_address, &c->instances,
                                  &c->pairs};
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        hrf_table_free(tables[i]);
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
    for (uint64_t i = 0; i < n && !code && c->has_memory; i++)
        see(c, &records[i]);
    code = c->has_memory ? code : -1;
    release_all(c);
    return code;
}
