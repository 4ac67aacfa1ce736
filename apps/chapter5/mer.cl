/* SPDX-License-Identifier: MIT */
/*
 * Every place of the text where a k-mer begins sends it to the host of the node that counts it.
 *
 * N_WORDS words of a message hold 2 K bits of k-mer and, below them, three of what is before it and three of what is after.
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
    const struct kmer kmer = seen.kmer;
    const ulong word0 = kmer.low << 6 | seen.left << 3 | seen.right;
    const ulong word1 = kmer.high << 6 | kmer.low >> 58, word2 = kmer.high >> 58;
    const uint owner = owner_of(seen.hash, gravel_n_nodes(g));
#if N_WORDS == 1
    gravel_am1_wg_if(g, seen.active, GRAVEL_HANDLER(count_kmer), word0, owner);
#elif N_WORDS == 2
    gravel_am2_wg_if(g, seen.active, GRAVEL_HANDLER(count_kmer), word0, word1, owner);
#else
    gravel_am3_wg_if(g, seen.active, GRAVEL_HANDLER(count_kmer), word0, word1, word2, owner);
#endif
}
