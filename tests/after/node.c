/* SPDX-License-Identifier: MIT */
/*
 * A node after an error of one of its calls.
 *
 * Path: main.c -> this -> lib/node
 */
#include "after.h"

#define N 256u

static uint64_t words;

static void make_words(struct gravel *gravel)
{
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
}

static int free_what_is_not_there(struct gravel *gravel)
{
    return gravel_free(gravel, words + 4);
}

static void words_are_still_allocated(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EINVAL, "gravel_free");
    OK(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, i, 0);"), N, 64, words, 0, 0));
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, words) > 0);
    OK(gravel_barrier(gravel));
    OK(gravel_free(gravel, words));
}

const struct after_row node_rows[] = {
    {"node", "an offset that no gravel_alloc returned is freed", "its words stay",
     .prepare = make_words, .act = free_what_is_not_there, .hold = words_are_still_allocated},
    {0},
};
