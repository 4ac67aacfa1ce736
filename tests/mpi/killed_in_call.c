/* SPDX-License-Identifier: MIT */
/*
 * A node that is killed while others wait for it in a collective call, or in the call itself, in which it waits for them.
 * Those that live return within their limits, name it, and can free what they have.
 *
 * usage: mpirun -np 3 ... killed_in_call before_CALL | in_CALL      of the table below; fault.sh counts
 *
 * Path: fault.sh -> mpirun -> this
 */
#include "job.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS 1500u /* times patience */
#define LEAD_US 100000u  /* node 1 dies so late, or the others come twice as late */
#define N_WORDS 64u

/* What calls need, made while all live. */
struct things {
    struct gravel *gravel;
    uint64_t array;
    struct gravel_mirror *mirror;
    struct gravel_accumulator *accumulator;
};

static int make_mirror(struct gravel *gravel, uint64_t array, bool has_slots,
                       struct gravel_mirror **mirror)
{
    const uint64_t n_words[] = {N_WORDS, N_WORDS, N_WORDS};
    uint32_t indices[3 * N_WORDS];
    for (uint32_t i = 0; i < 3 * N_WORDS; i++)
        indices[i] = i % N_WORDS;
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    return has_slots ? gravel_mirror_create_slots(mirror, gravel, GRAVEL_ADD, &words)
                     : gravel_mirror_create(mirror, gravel, &words);
}

static int barrier(struct things *things)
{
    return gravel_barrier(things->gravel);
}

static int reduce(struct things *things)
{
    uint64_t value = 1;
    return gravel_reduce(things->gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1);
}

static int alloc(struct things *things)
{
    uint64_t offset;
    return gravel_alloc(things->gravel, 4096, &offset);
}

static int alloc_named(struct things *things)
{
    uint64_t offset;
    return gravel_alloc_named(things->gravel, "distances", 4096, &offset);
}

static int free_array(struct things *things)
{
    return gravel_free(things->gravel, things->array);
}

static int set_constant(struct things *things)
{
    return gravel_set_constant(things->gravel, 0, 7);
}

static int mirror_create(struct things *things)
{
    return make_mirror(things->gravel, things->array, false, &things->mirror);
}

static int mirror_create_slots(struct things *things)
{
    return make_mirror(things->gravel, things->array, true, &things->mirror);
}

static int mirror_share(struct things *things)
{
    return gravel_mirror_share(things->mirror);
}

static int mirror_destroy(struct things *things)
{
    struct gravel_mirror *mirror = things->mirror;
    things->mirror = NULL;
    return gravel_mirror_destroy(mirror);
}

static int accumulator_create(struct things *things)
{
    return gravel_accumulator_create(&things->accumulator, things->gravel, things->array, N_WORDS,
                                     GRAVEL_ADD, GRAVEL_UINT);
}

static int accumulator_destroy(struct things *things)
{
    struct gravel_accumulator *accumulator = things->accumulator;
    things->accumulator = NULL;
    return gravel_accumulator_destroy(accumulator);
}

static int close_node(struct things *things)
{
    struct gravel *gravel = things->gravel;
    things->gravel = NULL;
    return gravel_close(gravel);
}

#define CALL(name, needs_mirror, needs_accumulator)  \
    {                                                \
#name, name, needs_mirror, needs_accumulator \
    }

static const struct call {
    const char *name;
    int (*make)(struct things *things);
    bool needs_mirror, needs_accumulator;
} calls[] = {
    CALL(barrier, false, false),
    CALL(reduce, false, false),
    CALL(alloc, false, false),
    CALL(alloc_named, false, false),
    CALL(free_array, false, false),
    CALL(set_constant, false, false),
    CALL(mirror_create, false, false),
    CALL(mirror_create_slots, false, false),
    CALL(mirror_share, true, false),
    CALL(mirror_destroy, true, false),
    CALL(accumulator_create, false, false),
    CALL(accumulator_destroy, false, true),
    CALL(close_node, false, false),
};

static const struct call *find(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i].name))
            return &calls[i];
    die(__FILE__, __LINE__, "no such call: %s", name);
}

static struct things open_things(const struct call *call)
{
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    struct things things = {.gravel = open_default(NULL)};
    things.array = alloc_or_die(things.gravel, N_WORDS * sizeof(uint32_t));
    if (call->needs_mirror)
        OK(mirror_create(&things));
    if (call->needs_accumulator)
        OK(accumulator_create(&things));
    OK(gravel_barrier(things.gravel));
    return things;
}

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

/* Until the first thread sleeps in the call, at five looks of 1 ms: it waits for others there. Node 1 dies then. */
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
_Noreturn static void be_late(const char *call)
{
    fprintf(stderr, "late: took more time to come to %s than node 1 to die, or the others\n", call);
    raise(SIGKILL);
    abort();
}

static int make_call(const struct call *call, struct things *things)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, see_it_wait, NULL) == 0);
    is_in_call = true;
    return call->make(things);
}

/* Node 1 never returns. */
static void lead(const struct call *call, struct things *things, bool is_within_call)
{
    if (rank == 1 && is_within_call)
        MUST(make_call(call, things) == 0);
    else
        usleep(rank == 1 ? LEAD_US : 2 * LEAD_US * is_within_call);
    if (rank == 1 && !is_within_call)
        raise(SIGKILL);
    if (rank == 1)
        be_late(call->name);
}

static void expect_death(int code)
{
    expect(code, GRAVEL_EPEER, "node 1 ");
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    rank = launched_rank();
    watch(50, argv[1]);
    const bool is_within_call = !strncmp(argv[1], "in_", 3);
    MUST(is_within_call || !strncmp(argv[1], "before_", 7));
    const struct call *call = find(argv[1] + (is_within_call ? 3 : 7));
    struct things things = open_things(call);
    lead(call, &things, is_within_call);
    double begin = seconds_now();
    int code = make_call(call, &things);
    is_in_call = false;
    if (!is_within_call && !has_waited)
        be_late(call->name);
    if (!code && is_within_call && things.gravel) /* node 1 had brought its part before it died */
        code = gravel_barrier(things.gravel);
    expect_death(code);
    MUST(is_in_time(begin));
    begin = seconds_now();
    if (things.mirror)
        expect_death(gravel_mirror_destroy(things.mirror));
    if (things.accumulator)
        expect_death(gravel_accumulator_destroy(things.accumulator));
    if (things.gravel)
        expect_death(gravel_close(things.gravel));
    MUST(is_in_time(begin));
    as_expected();
    _exit(0);
}
