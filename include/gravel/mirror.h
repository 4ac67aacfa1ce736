/* SPDX-License-Identifier: MIT */
/**
 * @file mirror.h
 * Words of other nodes that many work-items read or add to: one value per word and node is sent, not a message each.
 *
 * A *mirror* holds copies of words of other nodes, which own kernels read. A mirror of *slots* holds a slot for each
 * word, to which own kernels add; the word's owner adds what is in the slot.
 *
 *     struct gravel_words words =
 *         GRAVEL_WORDS(.offset = ranks, .type = GRAVEL_FLOAT, .n_words = n_words, .indices = indices);
 *     gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words);
 *     gravel_launch(gravel, kernel_that_adds, ...);
 *     gravel_mirror_share(mirror);
 *
 * Copy, or slot, i is of the i-th word of the plan: a kernel finds it at gravel_local(g, offset), and adds to a slot
 * by gravel_slot_OP_TYPE_wi, or by a plain store if no other work-item has the slot.
 *
 * All calls except gravel_mirror_begin and gravel_mirror_offset are *collective*, with barriers.
 *
 * Source:  Dathathri et al., Gluon: A Communication-Optimizing Substrate for Distributed Heterogeneous Graph
 *          Analytics, PLDI 2018 (broadcast and reduce).
 */
#ifndef GRAVEL_MIRROR_H
#define GRAVEL_MIRROR_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A mirror, of copies or of slots. Opaque; made by gravel_mirror_create or gravel_mirror_create_slots. */
struct gravel_mirror;

/**
 * A plan: words of a symmetric array that this node's kernels read or add to, each node's own. Made by GRAVEL_WORDS.
 */
struct gravel_words {
    size_t bytes;
    uint64_t offset; /**< of the array; the same at every node */
    uint32_t type;   /**< of its elements, GRAVEL_INT to GRAVEL_DOUBLE; the same at every node */
    const uint64_t *n_words; /**< [nodes] of each node's part; less than 2^32 in all */
    const uint32_t *indices;
    /**< [their sum] elements of node 0's part, then of node 1's, ...; any word, repeatedly too */
};

/** Initialises struct gravel_words, its size included. */
#define GRAVEL_WORDS(...)                                 \
    {                                                     \
        .bytes = sizeof(struct gravel_words), __VA_ARGS__ \
    }

/**
 * Makes copies of words, which are 0 until gravel_mirror_end. In words of the type the heap holds twice what the node
 * that reads most reads, and as much again as others read of one node.
 *
 * @param words  the plan; copied before the call returns.
 * @return       0; GRAVEL_ERANGE (an index outside the allocation, and its position in the plan); GRAVEL_ECAPABILITY;
 *               GRAVEL_EHEAP; GRAVEL_EMISMATCH (offset or type); as gravel_barrier.
 */
int gravel_mirror_create(struct gravel_mirror **out, struct gravel *gravel,
                         const struct gravel_words *words);

/**
 * Makes slots for words, each with the identity of the operation: 0, or for GRAVEL_MIN, _MAX and _AND the greatest
 * number, the least one, all bits. In words of the type the heap holds what the node that adds to most adds to, and
 * twice what others add to of one node.
 *
 * @param op  GRAVEL_ADD to GRAVEL_XOR, the same at every node; GRAVEL_ADD for GRAVEL_FLOAT and GRAVEL_DOUBLE.
 * @return    as gravel_mirror_create.
 */
int gravel_mirror_create_slots(struct gravel_mirror **out, struct gravel *gravel, uint32_t op,
                               const struct gravel_words *words);

/**
 * Sends what others read of this node, or what is in this node's slots, after all kernels on gravel_cl_queue, while
 * later kernels run, for which slots are reset.
 *
 * Until gravel_mirror_end no kernel changes words that a mirror sends. After an error the next gravel_mirror_begin
 * sends all; until it succeeds no kernel changes slots, and gravel_mirror_end fails at all nodes.
 *
 * @return  0; GRAVEL_EINVAL (begun and not ended); GRAVEL_EKERNEL; as gravel_put.
 */
int gravel_mirror_begin(struct gravel_mirror *mirror);

/**
 * Waits until all nodes have sent: the copies are whole, at another gravel_mirror_offset than before; words of slots
 * have been changed, for kernels that this node then enqueues on gravel_cl_queue, and for the host after gravel_quiet.
 *
 * Until a later barrier no message changes words of slots, and no node requests them. Owners add values of
 * GRAVEL_FLOAT and GRAVEL_DOUBLE in the order of nodes: sums depend on the number of nodes, not on timing. If one node
 * cannot end, no node does: when that node has begun, all call gravel_mirror_end again.
 *
 * @return  0; GRAVEL_EINVAL (not begun); GRAVEL_EMISMATCH (another node ends another mirror, or cannot end);
 *          GRAVEL_EKERNEL; as gravel_barrier.
 */
int gravel_mirror_end(struct gravel_mirror *mirror);

/** Calls gravel_mirror_begin, then gravel_mirror_end. */
int gravel_mirror_share(struct gravel_mirror *mirror);

/**
 * Returns the heap offset of the copies, valid until the next gravel_mirror_end, or of the slots, which keep it.
 */
uint64_t gravel_mirror_offset(const struct gravel_mirror *mirror);

/**
 * Frees a mirror and drops what is in slots. After an error it stays; if the node has failed, only its part of the
 * heap stays.
 *
 * @return  as gravel_free.
 */
int gravel_mirror_destroy(struct gravel_mirror *mirror);

#ifdef __cplusplus
}
#endif

#endif
