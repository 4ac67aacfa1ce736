/* SPDX-License-Identifier: MIT */
/*
 * Collective calls for which one node has no memory: every node is told, none has made anything, and the next calls fit
 * together. Of gravel_alloc the heap's books; of objects each allocation in turn; of gravel_quiet its targets.
 *
 * usage: mpirun ... no_books MODE    (any mode) fault.sh counts the nodes that print "as expected"
 *
 * Path: fault.sh -> mpirun -> this -> lib/node/heap.c, lib/accumulate, lib/mirror
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "wrapped.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>

#define MOST_ALLOCATIONS 100u

static _Thread_local bool has_no_memory;

WRAPPED(void *, realloc, void *block, size_t bytes)
{
    return has_no_memory ? NULL : __real_realloc(block, bytes);
}

static _Thread_local unsigned n_left; /* until an allocation fails; 0: none does */

WRAPPED(void *, malloc, size_t bytes)
{
    return n_left && --n_left == 0 ? NULL : __real_malloc(bytes);
}

WRAPPED(void *, calloc, size_t n, size_t bytes)
{
    return n_left && --n_left == 0 ? NULL : __real_calloc(n, bytes);
}

/* Objects on an array, each made and destroyed again. */
enum object { ACCUMULATOR, COPIES, SLOTS, N_OBJECTS };

static int make(enum object object, struct gravel *gravel, uint64_t array, unsigned n)
{
    static const uint64_t n_words[3] = {1, 1};
    static const uint32_t indices[] = {0, 1};
    const struct gravel_words words =
        GRAVEL_WORDS(.offset = array, .type = GRAVEL_UINT, .n_words = n_words, .indices = indices);
    struct gravel_accumulator *accumulator = NULL;
    struct gravel_mirror *mirror = NULL;
    n_left = n;
    int code = object == ACCUMULATOR ? gravel_accumulator_create(&accumulator, gravel, array, 16,
                                                                 GRAVEL_ADD, GRAVEL_UINT)
               : object == COPIES    ? gravel_mirror_create(&mirror, gravel, &words)
                                  : gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words);
    const bool has_failed = n && n_left == 0;
    n_left = 0;
    uint64_t counts[] = {has_failed, code != 0};
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, counts, 2));
    MUST(counts[1] == 0 || counts[1] == gravel_n_nodes(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_mirror_destroy(mirror));
    return counts[0] > 0;
}

int main(void)
{
    watch(40, "no memory for books");
    struct gravel *gravel = open_default(NULL);
    const uint32_t node = gravel_node(gravel);
    uint32_t n_refused = 0;
    for (uint32_t i = 0; i < MOST_ALLOCATIONS; i++) {
        uint64_t offset;
        has_no_memory = node == 1;
        int code = gravel_alloc(gravel, 64, &offset);
        has_no_memory = false;
        if (code) {
            MUST(code == GRAVEL_ENOMEM);
            MUST(strstr(gravel_last_error(), node == 1 ? "gravel_alloc: books of the symmetric heap"
                                                       : "gravel_alloc: node 1 cannot"));
            n_refused++;
            OK(gravel_alloc(gravel, 64, &offset));
        }
        MUST(offset == 64 * (i + 1)); /* offset 0 is never allocated */
    }
    MUST(n_refused);
    for (enum object object = ACCUMULATOR; object < N_OBJECTS; object++) {
        const uint64_t array = alloc_or_die(gravel, 64);
        unsigned n = 1;
        while (make(object, gravel, array, node == 1 ? n : 0))
            n++;
        MUST(n > 1);
        OK(gravel_free(gravel, array));
    }
    n_left = 1;
    MUST(gravel_quiet(gravel) == GRAVEL_ENOMEM && strstr(gravel_last_error(), "gravel_quiet: out"));
    OK(gravel_quiet(gravel));
    OK(gravel_close(gravel));
    printf("node %u: as expected: %u were refused\n", node, n_refused);
    return 0;
}
