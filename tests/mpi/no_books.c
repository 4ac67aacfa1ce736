/* SPDX-License-Identifier: MIT */
/*
 * gravel_alloc for which one node has no memory for the heap's books: every node is told which, none has allocated, and
 * the next calls fit together.
 *
 * usage: mpirun ... no_books MODE    (any mode) fault.sh counts the nodes that print "as expected"
 *
 * Path: fault.sh -> mpirun -> this -> lib/node/heap.c, lib/memory/heap_books.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define MOST_ALLOCATIONS 100u

static _Thread_local bool has_no_memory;

void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);

void *__wrap_realloc(void *block, size_t bytes)
{
    return has_no_memory ? NULL : __real_realloc(block, bytes);
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
            MUST(strstr(gravel_last_error(), "node 1 has no memory for the books of the heap"));
            n_refused++;
            OK(gravel_alloc(gravel, 64, &offset));
        }
        MUST(offset == 64 * (i + 1)); /* offset 0 is never allocated */
    }
    MUST(n_refused);
    OK(gravel_barrier(gravel));
    OK(gravel_close(gravel));
    printf("node %u: as expected: %u were refused\n", node, n_refused);
    return 0;
}
