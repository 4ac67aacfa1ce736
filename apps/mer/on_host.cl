/* SPDX-License-Identifier: MIT */
/*
 * Every place of the text where a k-mer begins sends it to the host of the node that counts it.
 *
 * Path:    on_host.c launches it -> gravel_am -> on_host.c's handler at the owner
 */
#include "kmers.cl.h"

#define NODE(g, m) owner_of((m).hash, gravel_n_nodes(g))
#if N_WORDS == 1
#define SEND(g, m) gravel_am1_wg_if(g, m.active, GRAVEL_HANDLER(count_kmer), m.word0, NODE(g, m))
#elif N_WORDS == 2
#define SEND(g, m) \
    gravel_am2_wg_if(g, m.active, GRAVEL_HANDLER(count_kmer), m.word0, m.word1, NODE(g, m))
#else
#define SEND(g, m) \
    gravel_am3_wg_if(g, m.active, GRAVEL_HANDLER(count_kmer), m.word0, m.word1, m.word2, NODE(g, m))
#endif

/*
 * Global size: places of the text from number `first`; local size: any.
 * bases, starts, valid: see kmers.cl.h. When it ends, all k-mers are sent.
 */
kernel void count_kmers(GRAVEL_ARENA, ulong first, global const ulong *restrict bases,
                        global const ulong *restrict starts, global const ulong *restrict valid)
{
    GRAVEL_OPEN(g);
    struct sent sent = sent_from(first + get_global_id(0), bases, starts, valid);
    SEND(g, sent);
}
