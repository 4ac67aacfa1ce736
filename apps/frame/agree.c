/* SPDX-License-Identifier: MIT */
/*
 * Two reductions tell whether digests and fingerprints are alike, and only if they are not, others which differ. See agree.h.
 */
#include "frame/agree.h"
#include "frame/die.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_BYTES 400 /* of the nodes that differ, in one line */

static bool is_alike(struct node *node, uint64_t value)
{
    return node_least(node, value) == node_most(node, value);
}

/* ---- options --------------------------------------------------------------------------------- */

/* Names the least node whose digest is not node 0's. Collective. */
static _Noreturn void name_different(struct node *node, const struct option_told *told)
{
    char spelled[OPTION_SPELLED_BYTES];
    const uint64_t first = node_sum(node, node->number == 0 ? told->digest : 0);
    const uint64_t other =
        node_least(node, told->digest != first ? node->number : (uint64_t)node->n_nodes);
    die("%s: %s%s%s at node %u, and node %llu has been given something else: all nodes take the "
        "same options",
        option_spell(told->option, spelled), told->text ? "'" : "",
        told->text ? told->text : "not given", told->text ? "'" : "", node->number,
        (unsigned long long)other);
}

void agree_on_options(struct node *node)
{
    unsigned n;
    const struct option_told *told = options_told(&n);
    if (node->n_processes == 1 || n == 0)
        return;
    uint64_t *digests = app_array(2 * n, sizeof *digests, "digests of options");
    for (unsigned i = 0; i < n; i++)
        digests[i] = digests[n + i] = told[i].digest;
    node_reduce(node, GRAVEL_MIN, digests, n);
    node_reduce(node, GRAVEL_MAX, digests + n, n);
    for (unsigned i = 0; i < n; i++)
        if (digests[i] != digests[n + i])
            name_different(node, &told[i]);
    free(digests);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What every node has. @return  [n_processes], to be freed */
static struct fingerprint *gather(struct node *node, struct fingerprint print)
{
    struct fingerprint *prints = app_array(node->n_processes, sizeof *prints, "fingerprints");
    for (uint32_t i = 0; i < node->n_processes; i++) {
        prints[i].n_bytes = node_sum(node, i == node->number ? print.n_bytes : 0);
        prints[i].hash = node_sum(node, i == node->number ? print.hash : 0);
    }
    return prints;
}

/* "node 1 has another, of 12 bytes; node 2 ...", as far as there is room. */
static void list_others(const struct fingerprint *prints, uint32_t n, char *list)
{
    int at = 0;
    for (uint32_t i = 1; i < n && at < SHOWN_BYTES - 64; i++)
        if (!fingerprint_is_same(prints[i], prints[0]))
            at += snprintf(list + at, (size_t)(SHOWN_BYTES - at),
                           "%snode %u has another, of %llu bytes", at ? "; " : "", i,
                           (unsigned long long)prints[i].n_bytes);
}

void agree_on_input(struct node *node, struct node_input input)
{
    if (!input.path || node->n_processes == 1)
        return;
    const bool same_size = is_alike(node, input.print.n_bytes); /* both are collective */
    const bool same_hash = is_alike(node, input.print.hash);
    if (same_size && same_hash)
        return;
    struct fingerprint *prints = gather(node, input.print);
    char others[SHOWN_BYTES];
    list_others(prints, node->n_processes, others);
    die("%s: node 0 has read a file of %llu bytes; %s", input.path,
        (unsigned long long)prints[0].n_bytes, others);
}
