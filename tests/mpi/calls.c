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

static int barrier(void)
{
    return gravel_barrier(gravel);
}

static int reduce(void)
{
    uint64_t value = 1;
    return gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1);
}

static int alloc(void)
{
    uint64_t offset;
    return gravel_alloc(gravel, 4096, &offset);
}

static int alloc_named(void)
{
    uint64_t offset;
    return gravel_alloc_named(gravel, "distances", 4096, &offset);
}

static int free_array(void)
{
    return gravel_free(gravel, array);
}

static int set_constant(void)
{
    return gravel_set_constant(gravel, 0, 7);
}

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

static int mirror_create(void)
{
    return make_mirror(false);
}

static int mirror_create_slots(void)
{
    return make_mirror(true);
}

static int mirror_share(void)
{
    return gravel_mirror_share(mirror);
}

static int mirror_destroy(void)
{
    struct gravel_mirror *destroyed = mirror;
    mirror = NULL;
    return gravel_mirror_destroy(destroyed);
}

static int accumulator_create(void)
{
    return gravel_accumulator_create(&accumulator, gravel, array, N_WORDS, GRAVEL_ADD, GRAVEL_UINT);
}

static int accumulator_destroy(void)
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

static const struct call calls[] = {
    {"barrier", barrier, NULL},
    {"reduce", reduce, NULL},
    {"alloc", alloc, NULL},
    {"alloc_named", alloc_named, NULL},
    {"free_array", free_array, NULL},
    {"set_constant", set_constant, NULL},
    {"mirror_create", mirror_create, NULL},
    {"mirror_create_slots", mirror_create_slots, NULL},
    {"mirror_share", mirror_share, mirror_create},
    {"mirror_destroy", mirror_destroy, mirror_create},
    {"accumulator_create", accumulator_create, NULL},
    {"accumulator_destroy", accumulator_destroy, accumulator_create},
    {"close_node", close_node, NULL},
};

static const struct call *call;
static bool is_within_call;

const struct call *call_of(const char *name)
{
    const struct call *found = calls;
    while (strcmp(name, found->name))
        MUST(++found < calls + sizeof calls / sizeof *calls);
    return found;
}

void choose_call(const char *name, bool is_within)
{
    is_within_call = is_within;
    call = call_of(name);
}

void prepare_calls(void)
{
    gravel = open_default(NULL);
    array = alloc_or_die(gravel, N_WORDS * sizeof(uint32_t));
}

static void begin_calling(void)
{
    prepare_calls();
    if (call->prepare)
        OK(call->prepare());
    OK(barrier());
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
    fprintf(stderr, "late: took more time to come to %s than node 1 to die, or the others\n",
            call->name);
    raise(SIGKILL);
    abort();
}

static int make_call(void)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, see_it_wait, NULL) == 0);
    is_in_call = true;
    int code = call->make();
    is_in_call = false;
    return code;
}

void die_in_call(void)
{
    MUST(make_call() == 0);
    be_late();
}

/* Of a call that has succeeded, node 1 had brought its part before it died. */
static int go_on_calling(void)
{
    static bool is_made;
    if (is_made)
        return barrier();
    is_made = true;
    int code = make_call();
    if (!is_within_call && !has_waited)
        be_late();
    MUST(code || (is_within_call && gravel));
    return code;
}

static void end_calling(int code)
{
    if (mirror)
        expect(gravel_mirror_destroy(mirror), code, "node 1 ");
    if (accumulator)
        expect(gravel_accumulator_destroy(accumulator), code, "node 1 ");
}

const struct work calling = {begin_calling, go_on_calling, end_calling};
