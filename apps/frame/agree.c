/* SPDX-License-Identifier: MIT */
/*
 * Whether all nodes were given the same, and have read the same input. Reductions find the least node whose words are not
 * node 0's. See node.h.
 */
#include "frame/node.h"
#include "frame/die.h"

#include <stdlib.h>
#include <string.h>

#define AGREED UINT64_MAX

/* Compares with node 0's words, which replace this node's. Collective. @return the least node that has others, above the
 * number of the first of these [32 bits]; AGREED if there is none. */
static uint64_t compare(struct node *node, uint64_t *words, uint32_t n)
{
    uint64_t *own = app_array(n, sizeof *own, "digests"), found = AGREED;
    memcpy(own, words, n * sizeof *own);
    for (uint32_t i = 0; i < n && node->number != 0; i++)
        words[i] = 0;
    node_reduce(node, GRAVEL_ADD, words, n);
    for (uint32_t i = n; i-- > 0;)
        if (own[i] != words[i])
            found = (uint64_t)node->number << 32 | i;
    free(own);
    return node_least(node, found);
}

void agree_on_options(struct node *node)
{
    unsigned n;
    char spelled[OPTION_SPELLED_BYTES];
    const struct option_told *told = options_told(&n);
    if (node->n_processes == 1 || n == 0)
        return;
    uint64_t *digests = app_array(n, sizeof *digests, "digests");
    for (unsigned i = 0; i < n; i++)
        digests[i] = told[i].digest;
    const uint64_t found = compare(node, digests, n);
    free(digests);
    if (found == AGREED)
        return;
    told += (uint32_t)found;
    const char *quote = told->text ? "'" : "";
    die("%s: %s%s%s at node %u, and node %u has been given something else: all nodes take the "
        "same options",
        option_spell(told->option, spelled), quote, told->text ? told->text : "not given", quote,
        node->number, (unsigned)(found >> 32));
}

void agree_on_input(struct node *node, struct node_input input)
{
    if (!input.path || node->n_processes == 1)
        return;
    uint64_t words[] = {input.print.n_bytes, input.print.hash};
    const uint64_t found = compare(node, words, 2);
    if (found != AGREED)
        die("%s: node 0 has read a file of %llu bytes; node %u has another", input.path,
            (unsigned long long)words[0], (unsigned)(found >> 32));
}
