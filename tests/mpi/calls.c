/* SPDX-License-Identifier: MIT */
/*
 * Collective calls: a node dies before one, for which the others wait, or in it, where it waits for the others. See die.h.
 *
 * Path: die.c, misfits.c -> this
 */
#include "die.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_WORDS 64u

/* What calls need, made while all live. */
static uint64_t array;
static struct gravel_mirror *mirror;
static struct gravel_accumulator *accumulator;

static int make_mirror(bool has_slots)
{
    const uint64_t n_words[] = {N_WORDS, N_WORDS, N_WORDS};
    uint32_t indices[3 * N_WORDS];
    for (uint32_t i = 0; i < 3 * N_WORDS; i++)
        indices[i] = i % N_WORDS;
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    return has_slots ? gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words)
                     : gravel_mirror_create(&mirror, gravel, &words);
}

static int destroy_mirror(void)
{
    struct gravel_mirror *destroyed = mirror;
    mirror = NULL;
    return gravel_mirror_destroy(destroyed);
}

static int destroy_accumulator(void)
{
    struct gravel_accumulator *destroyed = accumulator;
    accumulator = NULL;
    return gravel_accumulator_destroy(destroyed);
}

static int close_node(void)
{
    struct gravel *closed = gravel;
    gravel = NULL;
    return gravel_close(closed);
}

static bool is(const char *name, const char *other)
{
    return !strcmp(name, other);
}

int make_call(const char *name)
{
    uint64_t value = 1;
    if (is(name, "barrier"))
        return gravel_barrier(gravel);
    if (is(name, "reduce"))
        return gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1);
    if (is(name, "alloc"))
        return gravel_alloc(gravel, 4096, &value);
    if (is(name, "alloc_named"))
        return gravel_alloc_named(gravel, "distances", 4096, &value);
    if (is(name, "free_array"))
        return gravel_free(gravel, array);
    if (is(name, "set_constant"))
        return gravel_set_constant(gravel, 0, 7);
    if (is(name, "mirror_create") || is(name, "mirror_create_slots"))
        return make_mirror(is(name, "mirror_create_slots"));
    if (is(name, "mirror_share"))
        return gravel_mirror_share(mirror);
    if (is(name, "mirror_destroy"))
        return destroy_mirror();
    if (is(name, "accumulator_create"))
        return gravel_accumulator_create(&accumulator, gravel, array, N_WORDS, GRAVEL_ADD,
                                         GRAVEL_UINT);
    if (is(name, "accumulator_destroy"))
        return destroy_accumulator();
    MUST(is(name, "close_node"));
    return close_node();
}

static const char *call; /* in which, or before which, a node dies */
static bool is_within_call;

void choose_call(const char *name, bool is_within)
{
    is_within_call = is_within;
    call = name;
}

void prepare_calls(void)
{
    gravel = open_default(NULL);
    array = alloc_or_die(gravel, N_WORDS * sizeof(uint32_t));
}

static void begin_calling(void)
{
    prepare_calls();
    if (is(call, "mirror_share") || is(call, "mirror_destroy"))
        OK(make_mirror(false));
    if (is(call, "accumulator_destroy"))
        OK(make_call("accumulator_create"));
    OK(gravel_barrier(gravel));
}

/* ---- the call --------------------------------------------------------------------------------------- */

static _Atomic bool is_in_call, has_waited;

/* The state of this process's first thread, as Linux names it: R, S. */
static char state_of_main(void)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    FILE *file = fopen(path, "r");
    MUST(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
    return state;
}

/* Until the first thread sleeps in the call, at five times of 1 ms: it waits for others there. Node 1 dies then. */
static void *see_it_wait(void *nothing)
{
    for (unsigned n = 0; n < 5; usleep(1000))
        n = is_in_call && state_of_main() == 'S' ? n + 1 : 0;
    has_waited = true;
    if (rank == 1)
        raise(SIGKILL);
    return nothing;
}

/* The job is to be run again, which fault.sh does: no call has waited for a node that died. */
_Noreturn static void be_late(void)
{
    fprintf(stderr, "late: took more time to come to %s than node 1 to die, or the others\n", call);
    raise(SIGKILL);
    abort();
}

static int make_seen_call(void)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, see_it_wait, NULL) == 0);
    is_in_call = true;
    int code = make_call(call);
    is_in_call = false;
    return code;
}

void die_in_call(const struct death *death)
{
    (void)death;
    MUST(make_seen_call() == 0);
    be_late();
}

/* Of a call that has succeeded, node 1 had brought its part before it died. */
static int go_on_calling(void)
{
    static bool is_made;
    if (is_made)
        return gravel_barrier(gravel);
    is_made = true;
    int code = make_seen_call();
    if (!is_within_call && !has_waited)
        be_late();
    MUST(code || (is_within_call && gravel));
    return code;
}

static void end_calling(int code)
{
    if (mirror) {
        expect(gravel_mirror_share(mirror), code, "node 1 ");
        expect(gravel_mirror_destroy(mirror), code, "node 1 ");
    }
    if (accumulator) {
        expect(gravel_accumulator_flush(accumulator), code, "node 1 ");
        expect(gravel_accumulator_destroy(accumulator), code, "node 1 ");
    }
}

const struct work calling = {begin_calling, go_on_calling, NULL, end_calling};
