/* SPDX-License-Identifier: MIT */
/*
 * Copies of bytes between a heap that the host addresses and other memory, while others store and poll words there.
 *
 * Every aligned word of 4 or 8 bytes that lies in the copied bytes as a whole is loaded or stored as one, and stores
 * are in the order of their addresses, so that a word that is polled vouches for the bytes before it.
 *
 * Path:    network/control.c, network/get.c -> memory.c -> heap_bytes.c -> the heap.
 * Threads: any.
 */
#ifndef GRAVEL_MEMORY_HEAP_BYTES_H
#define GRAVEL_MEMORY_HEAP_BYTES_H

#include <stddef.h>

/** Store bytes into a heap, each word with release (R1). */
void gravel_heap_store_bytes(unsigned char *heap, const void *from, size_t bytes);

/** Load bytes of a heap, each word with acquire (R1). */
void gravel_heap_load_bytes(void *to, const unsigned char *heap, size_t bytes);

#endif
