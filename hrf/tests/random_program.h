/* SPDX-License-Identifier: MIT */
/*
 * Random litmus programs as text.
 *
 * Path:    test_engines.c -> random_program.h -> hrf/src/checker/parse.h.
 */
#ifndef HRF_TESTS_RANDOM_PROGRAM_H
#define HRF_TESTS_RANDOM_PROGRAM_H

#include <stdarg.h>
#include <stdio.h>

struct random_shape {
    uint32_t max_threads, max_statements, n_locations;
    bool has_branches, has_awaits, has_barriers, has_fences, has_remote, has_plain;
    bool is_seq_cst; /* all atomics, at device scope */
};

struct random_text {
    uint64_t state;
    char text[4096];
    size_t n;
};

static inline uint32_t random_below(struct random_text *random, uint32_t below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 33) % below;
}

static inline void random_put(struct random_text *random, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void random_put(struct random_text *random, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    random->n += (size_t)vsnprintf(random->text + random->n, sizeof random->text - random->n,
                                   format, arguments);
    va_end(arguments);
}

/* order, [remote] scope; of a load (0), store (1), read-modify-write (2) or fence (3) */
static inline void random_sync(struct random_text *random, const struct random_shape *shape,
                               int kind)
{
    static const char *const orders[4][4] = {{"relaxed", "acquire", "acquire", "seq_cst"},
                                             {"relaxed", "release", "release", "seq_cst"},
                                             {"relaxed", "acquire", "release", "acq_rel"},
                                             {"acquire", "release", "acq_rel", "seq_cst"}};
    const char *order = orders[kind][random_below(random, 4)];
    const char *scope = random_below(random, 3) ? "dev" : "wg";
    if (shape->is_seq_cst) {
        random_put(random, "seq_cst, dev");
        return;
    }
    bool is_remote = kind < 3 && shape->has_remote && !random_below(random, 3);
    random_put(random, "%s, %s%s", order, is_remote ? "remote " : "", scope);
}

static inline void random_statement(struct random_text *random, const struct random_shape *shape,
                                    uint32_t number)
{
    const char location = (char)('a' + random_below(random, shape->n_locations));
    uint32_t kind = random_below(random, 16);
    if (kind < 4) {
        random_put(random, "r%u = load(%c, ", number, location);
        random_sync(random, shape, 0);
    } else if (kind < 8) {
        random_put(random, "store(%c, %u, ", location, 1 + random_below(random, 3));
        random_sync(random, shape, 1);
    } else if (kind == 8) {
        random_put(random, "r%u = add(%c, 1, ", number, location);
        random_sync(random, shape, 2);
    } else if (kind == 9) {
        random_put(random, "r%u = cas(%c, %u, 2, ", number, location, random_below(random, 2));
        random_sync(random, shape, 2);
    } else if (kind == 10 && shape->has_fences && !shape->is_seq_cst) {
        random_put(random, "fence(");
        random_sync(random, shape, 3);
    } else if (kind == 11 && shape->has_awaits) {
        random_put(random, "r%u = await(%c, >= 1, ", number, location);
        random_sync(random, shape, 0);
    } else if (kind < 14 && shape->has_plain) {
        random_put(random, "p = %u; ", 1 + number);
        return;
    } else if (shape->has_plain) {
        random_put(random, "r%u = p; ", number);
        return;
    } else {
        random_put(random, "r%u = xchg(%c, 3, ", number, location);
        random_sync(random, shape, 2);
    }
    random_put(random, "); ");
}

static inline void random_thread(struct random_text *random, const struct random_shape *shape,
                                 uint32_t thread, uint32_t n_barriers)
{
    uint32_t n = 1 + random_below(random, shape->max_statements), depth = 0;
    random_put(random, "thread T%u dev 0 wg %u { ", thread,
               n_barriers ? 0 : random_below(random, 2));
    for (uint32_t k = 0; k < n; k++) {
        bool can_branch = shape->has_branches && k && !depth && !random_below(random, 4);
        if (can_branch) {
            random_put(random, "q = load(a, relaxed, dev); if (q == %u) { ",
                       random_below(random, 2));
            depth = 1;
        }
        random_statement(random, shape, k);
        if (depth && random_below(random, 2)) {
            random_put(random, "} ");
            depth = 0;
        }
        if (n_barriers && !depth && k + 1 < n) {
            random_put(random, "barrier; ");
            n_barriers--;
        }
    }
    random_put(random, "%s", depth ? "} " : "");
    while (n_barriers--)
        random_put(random, "barrier; ");
    random_put(random, "}\n");
}

/* Returns the program's text. */
static inline const char *random_program(struct random_text *random,
                                         const struct random_shape *shape)
{
    uint32_t n = 2 + random_below(random, shape->max_threads - 1);
    uint32_t n_barriers = shape->has_barriers ? random_below(random, 2) : 0;
    random->n = 0;
    random_put(random, "litmus random\nlocations a, b, p;\n");
    for (uint32_t t = 0; t < n; t++)
        random_thread(random, shape, t, n_barriers);
    return random->text;
}

#endif
