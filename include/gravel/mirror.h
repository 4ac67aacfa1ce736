/* SPDX-License-Identifier: MIT */
/**
 * @file mirror.h
 * Words of other nodes that many work-items read or add to: a value a word and node travels, not a message each.
 *
 * A *mirror* has copies of words of other nodes, which own kernels read. A mirror of *slots* has a slot for each word
 * instead, to which own kernels add; what is in a slot is added to the word by its owner.
 *
 *     struct gravel_words words =
 *         GRAVEL_WORDS(.offset = ranks, .type = GRAVEL_FLOAT, .n_words = n_words, .indices = indices);
 *     gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words);
 *     gravel_launch(gravel, kernel_that_adds, ...);
 *     gravel_mirror_begin(mirror);
 *     gravel_launch(gravel, kernel_meanwhile, ...);
 *     gravel_mirror_end(mirror);
 *
 * Copy, or slot, number i is of the i-th word of the plan, which is made once. Both lie in this node's own part of the
 * symmetric heap: a kernel finds them by `gravel_local(g, offset)`, and adds to a slot by gravel_slot_OP_TYPE_wi
 * of gravel.cl.h, or by a plain store where no other work-item has the slot.
 *
 * All calls but gravel_mirror_begin and gravel_mirror_offset are *collective*. One thread at a time may make calls for
 * one mirror. Destroy mirrors before their array is freed, which is refused, and before their node is closed.
 *
 * Source:  Dathathri et al., Gluon: A Communication-Optimizing Substrate for Distributed Heterogeneous Graph Analytics,
 *          PLDI 2018 (broadcast and reduce).
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
 * A plan: words of a symmetric array that this node's kernels read or add to. Each node has one of its own. Made by
 * GRAVEL_WORDS; later versions add members at the end.
 */
struct gravel_words {
    size_t bytes;    /**< sizeof(struct gravel_words) */
    uint64_t offset; /**< heap offset of the array, in one allocation; the same at every node */
    uint32_t type;   /**< of its elements, GRAVEL_INT to GRAVEL_DOUBLE; the same at every node */
    const uint64_t *n_words; /**< [nodes] of each node's part; less than 2^32 in all */
    const uint32_t *indices;
    /**< [their sum] which elements: of node 0's part first, then of node 1's. A word may occur more than once, and
         words may be this node's own */
};

/** Initialises struct gravel_words, its size included. */
#define GRAVEL_WORDS(...)                                 \
    {                                                     \
        .bytes = sizeof(struct gravel_words), __VA_ARGS__ \
    }

/**
 * Make copies of words, which are 0 until gravel_mirror_end. Collective, with barriers.
 *
 * Needed of the symmetric heap, of each word 4 or 8 bytes: two copies of each word that the node which reads most
 * reads, and as much again as others read of one node.
 *
 * @param out     [out] NULL on failure.
 * @param gravel  the node, which must stay open.
 * @param words   the plan; copied before the call returns.
 * @return        0; GRAVEL_EINVAL (bytes, type, offset); GRAVEL_ERANGE (an index outside the allocation, and its
 *                index in the plan); GRAVEL_ECAPABILITY; GRAVEL_EHEAP; GRAVEL_ENOMEM; at all nodes what one of them
 *                met; GRAVEL_EMISMATCH if offset or type differ; else as gravel_barrier.
 */
int gravel_mirror_create(struct gravel_mirror **out, struct gravel *gravel,
                         const struct gravel_words *words);

/**
 * Make slots for words, each with what changes no word: 0, or for GRAVEL_MIN, _MAX and _AND the greatest number, the
 * least one, all bits. Collective, with barriers.
 *
 * Needed of the symmetric heap: a slot for each word that the node which adds to most adds to, and twice what others
 * add to of one node.
 *
 * @param op  GRAVEL_ADD to GRAVEL_XOR; GRAVEL_ADD for GRAVEL_FLOAT and GRAVEL_DOUBLE; the same at every node.
 * @return    as gravel_mirror_create; GRAVEL_EINVAL also if the operation does not exist for the type.
 */
int gravel_mirror_create_slots(struct gravel_mirror **out, struct gravel *gravel, uint32_t op,
                               const struct gravel_words *words);

/**
 * Send what others read of this node, or what is in this node's slots, behind the kernels on gravel_cl_queue, whichever
 * call enqueued them. It travels while later kernels run. Slots are free for these kernels, and hold again what changes
 * no word.
 *
 * Between gravel_mirror_begin and the end no kernel changes words that a mirror sends. After an error the next
 * gravel_mirror_begin sends all; until it succeeds no kernel changes slots, and gravel_mirror_end fails at all nodes.
 *
 * @return  0; GRAVEL_EINVAL (begun before, and not ended); GRAVEL_EKERNEL; GRAVEL_ECL; as gravel_put.
 */
int gravel_mirror_begin(struct gravel_mirror *mirror);

/**
 * Wait until all nodes have sent, with a barrier: of a mirror the copies are whole, and gravel_mirror_offset names
 * other ones than before; words that slots are for have been changed, for kernels that this node enqueues
 * there from now on, and for the host after gravel_quiet. Collective.
 *
 * Until a barrier after it no message may change words that slots are for, and no node may ask for them. Of
 * GRAVEL_FLOAT and GRAVEL_DOUBLE an owner adds values in the order of nodes: sums depend on the number of nodes, and
 * not on time.
 *
 * If one node cannot end it, as gravel_mirror_begin has failed or a kernel has not ended there, no node does, and what
 * other nodes have begun stays begun: when that node has begun, all call gravel_mirror_end again.
 *
 * @return  0; GRAVEL_EINVAL (not begun); GRAVEL_EMISMATCH if another node ends another mirror, or cannot end it;
 *          GRAVEL_EKERNEL; GRAVEL_ECL; else as gravel_barrier.
 */
int gravel_mirror_end(struct gravel_mirror *mirror);

/** gravel_mirror_begin, then gravel_mirror_end. */
int gravel_mirror_share(struct gravel_mirror *mirror);

/**
 * Return the heap offset of the copies, or of the slots [bytes]. Copies are good until the next gravel_mirror_end;
 * slots stay where they are.
 */
uint64_t gravel_mirror_offset(const struct gravel_mirror *mirror);

/**
 * Free a mirror; what is in slots is dropped. NULL is allowed. Collective, with a barrier.
 *
 * @return  as gravel_free. After an error it stays, unless the node has failed: all is freed then but the heap's part.
 */
int gravel_mirror_destroy(struct gravel_mirror *mirror);

#ifdef __cplusplus
}
#endif

#endif
