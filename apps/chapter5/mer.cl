/* SPDX-License-Identifier: MIT */
/*
 * Every place of the text where a k-mer begins sends it to the host of the node that counts it.
 *
 * Path:    mer.c launches it -> gravel_am -> mer.c's handler at the owner
 */
#include "mer/kmers.cl.h"

/*
 * Global size: this node's places of the text from number `first`, of all from number `from`; local size: any.
 * text: the whole one. When it ends, all k-mers are sent.
 */
kernel void count_kmers(GRAVEL_ARENA, ulong first, global const ulong *restrict text, ulong from)
{
    GRAVEL_OPEN(g);
    const struct seen seen = seen_at(text, from + first + get_global_id(0));
    gravel_am2_wg_if(g, seen.active, GRAVEL_HANDLER(count_kmer), seen.kmer,
                     seen.left << 3 | seen.right, owner_of(seen.hash, gravel_n_nodes(g)));
}
