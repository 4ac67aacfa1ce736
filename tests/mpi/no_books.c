/* SPDX-License-Identifier: MIT */
/*
 * Collective calls for which one node has no memory: every node is told, none has made anything, and the next calls fit
 * together. Of gravel_alloc the heap's allocation table; of objects each allocation in turn; of gravel_quiet its targets.
 *
 * Path: die.c -> this -> lib/node/heap.c, lib/accumulate, lib/mirror
 */
#include <string.h>

#include "device/failing_opencl.h"
#include "die.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>

#define MOST_ALLOCATIONS 100u

/* Objects on an array, each made and destroyed again. */
enum object { ACCUMULATOR, COPIES, SLOTS, N_OBJECTS };

static int make(enum object object, uint64_t array, unsigned n)
{
    static const uint64_t n_words[3] = {1, 1};
    static const uint32_t indices[] = {0, 1};
    const struct gravel_words words =
        GRAVEL_WORDS(.offset = array, .type = GRAVEL_UINT, .n_words = n_words, .indices = indices);
    struct gravel_accumulator *accumulator = NULL;
    struct gravel_mirror *mirror = NULL;
    fail_nth_own(MALLOCS, n);
    int code = object == ACCUMULATOR ? gravel_accumulator_create(&accumulator, gravel, array, 16,
                                                                 GRAVEL_ADD, GRAVEL_UINT)
               : object == COPIES    ? gravel_mirror_create(&mirror, gravel, &words)
                                  : gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words);
    uint64_t counts[] = {fail_no_more(), code != 0};
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, counts, 2));
    MUST(counts[1] == 0 || counts[1] == n_nodes);
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_mirror_destroy(mirror));
    return counts[0] > 0;
}

bool run_shortage(const char *name)
{
    uint32_t n_refused = 0;
    if (strcmp(name, "no_books"))
        return false;
    open_nodes(NULL);
    for (uint32_t i = 0; i < MOST_ALLOCATIONS; i++) {
        uint64_t offset;
        fail_nth_own(MALLOCS, node == 1);
        int code = gravel_alloc(gravel, 64, &offset);
        fail_no_more();
        if (code) {
            expect(code, GRAVEL_ENOMEM,
                   node == 1 ? "gravel_alloc: the allocation table"
                             : "gravel_alloc: node 1 cannot");
            n_refused++;
            OK(gravel_alloc(gravel, 64, &offset));
        }
        MUST(offset == 64 * (i + 1)); /* offset 0 is never allocated */
    }
    MUST(n_refused);
    for (enum object object = ACCUMULATOR; object < N_OBJECTS; object++) {
        const uint64_t array = alloc_or_die(gravel, 64);
        unsigned n = 1;
        while (make(object, array, node == 1 ? n : 0))
            n++;
        MUST(n > 1);
        OK(gravel_free(gravel, array));
    }
    fail_nth_own(MALLOCS, 1);
    expect(gravel_quiet(gravel), GRAVEL_ENOMEM, "gravel_quiet: out");
    fail_no_more();
    OK(gravel_quiet(gravel));
    OK(gravel_close(gravel));
    as_expected();
    return true;
}
