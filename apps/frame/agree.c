/* SPDX-License-Identifier: MIT */
/*
 * Whether all nodes were given the same, and have read the same input. Reductions find the least node whose words are not
 * node 0's. See node.h.
 */
#include "frame/node.h"
#include "frame/die.h"

#include <stdlib.h>
#include <string.h>

/* What of [n] words differs first, and at which node; n_nodes if all nodes have the same. */
struct difference {
    uint64_t node, word;
};

/* Compares with node 0's words, which replace this node's. Collective. */
static struct difference compare(struct node *node, uint64_t *words, uint32_t n)
{
    uint64_t *own = app_array(n, sizeof *own, "digests");
    struct difference found = {node->n_nodes, n};
    memcpy(own, words, n * sizeof *own);
    for (uint32_t i = 0; i < n && node->number != 0; i++)
        words[i] = 0;
    node_reduce(node, GRAVEL_ADD, words, n);
    for (uint32_t i = n; i-- > 0;)
        if (own[i] != words[i])
            found = (struct difference){node->number, i};
    free(own);
    found.node = node_least(node, found.node);
    found.word = node_least(node, found.node == node->number ? found.word : n);
    return found;
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
    const struct difference found = compare(node, digests, n);
    free(digests);
    if (found.node == node->n_nodes)
        return;
    told += found.word;
    const char *quote = told->text ? "'" : "";
    die("%s: %s%s%s at node %u, and node %llu has been given something else: all nodes take the "
        "same options",
        option_spell(told->option, spelled), quote, told->text ? told->text : "not given", quote,
        node->number, (unsigned long long)found.node);
}

void agree_on_input(struct node *node, struct node_input input)
{
    if (!input.path || node->n_processes == 1)
        return;
    uint64_t words[] = {input.print.n_bytes, input.print.hash};
    const struct difference found = compare(node, words, 2);
    if (found.node < node->n_nodes)
        die("%s: node 0 has read a file of %llu bytes; node %llu has another", input.path,
            (unsigned long long)words[0], (unsigned long long)found.node);
}
