/* SPDX-License-Identifier: MIT */
/*
 * Trees of messages, which test_sender.c plants and sender.cl grows.
 *
 * Path: test_sender.c, sender.cl -> this.
 */
#ifndef GRAVEL_TESTS_SENDER_H
#define GRAVEL_TESTS_SENDER_H

#define N_KEYS 1000u
#define N_TREES 800u
#define TREE 63u /* messages of a client's, in a binary tree */
#define N_MESSAGES (N_TREES * TREE)

#endif
