/* SPDX-License-Identifier: MIT */
/*
 * What records of channels are made of, for host and kernels: a header that declares records for both includes it.
 * Kernels have it by gravel.cl.h.
 *
 * A record is a struct of 4-byte words (a long is two), named as its channel. On the host `uint` is that of
 * <sys/types.h>.
 *
 * Source:  Orr 2016, section 4.3 (parameters of spawned functions, results in the parent's continuation).
 */
#ifndef GRAVEL_CHANNEL_H
#define GRAVEL_CHANNEL_H

/**
 * Where a result goes: a word of a continuation or held element, or of the caller's result. Made by GRAVEL_SLOT and
 * gravel_flow_call.
 */
typedef unsigned int gravel_slot;

/* Kinds of channels. Channel elements of streams and outputs have no level; a stack has a queue for each level. */
#define GRAVEL_STREAM 0u /* processed by a node */
#define GRAVEL_OUTPUT 1u /* kept for gravel_flow_take */
#define GRAVEL_SPAWN \
    2u /* a stack of tasks: what a task or continuation spawns is one level deeper */
#define GRAVEL_AFTER \
    3u /* a stack of continuations, of the level of what syncs: run when no deeper level has an element */
#define GRAVEL_HELD \
    4u /* no level: an element is enqueued by the last of its arrivals, and stays until it is freed */
/* With a kind, or-ed: cycles through this channel may fill it. A run that cannot continue returns GRAVEL_ESTUCK. */
#define GRAVEL_MAY_FILL 0x100u
/* With a kind, or-ed: the node processes an element by a whole work-group, with local memory and barriers. */
#define GRAVEL_GROUP_NODE 0x200u

#define GRAVEL_RECORD_MOST_BYTES 128u /* of a record */
#define GRAVEL_RESULT_WORDS 16u       /* most words that gravel_flow_call can return */
#define GRAVEL_MOST_JOINS 0xfffffeu   /* arrivals that a held element can wait for */

#endif
