/* SPDX-License-Identifier: MIT */
/*
 * Copies by the widest aligned words that fit: words of 8 bytes in a loop of their own, which is about as fast as
 * memcpy, and narrower ones before and after them. See heap_bytes.h.
 */
#include "memory/heap_bytes.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the widest aligned word of less than 8 at an address, of which `bytes` are left. */
static size_t word_bytes(const unsigned char *at, size_t bytes)
{
    size_t size = 4;
    while (size > 1 && ((uintptr_t)at % size || size > bytes))
        size /= 2;
    return size;
}

#define STORE(bits)                                                   \
    {                                                                 \
        bits word;                                                    \
        memcpy(&word, from, sizeof word);                             \
        __atomic_store_n((bits *)(void *)to, word, __ATOMIC_RELEASE); \
    }
#define LOAD(bits)                                                                       \
    {                                                                                    \
        bits word = __atomic_load_n((const bits *)(const void *)from, __ATOMIC_ACQUIRE); \
        memcpy(to, &word, sizeof word);                                                  \
    }
#define WORD_OF(size, MOVE) \
    switch (size) {         \
    case 4:                 \
        MOVE(uint32_t)      \
        break;              \
    case 2:                 \
        MOVE(uint16_t)      \
        break;              \
    default:                \
        MOVE(uint8_t)       \
    }

/* Bytes before the first word of 8. */
static size_t head_bytes(const unsigned char *at, size_t bytes)
{
    const size_t head = -(uintptr_t)at % 8;
    return head < bytes ? head : bytes;
}

static void store_parts(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t size; bytes; to += size, from += size, bytes -= size) {
        size = word_bytes(to, bytes);
        WORD_OF(size, STORE) /* R1 */
    }
}

static void load_parts(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t size; bytes; to += size, from += size, bytes -= size) {
        size = word_bytes(from, bytes);
        WORD_OF(size, LOAD) /* R1's other side */
    }
}

void gravel_heap_store_bytes(unsigned char *heap, const void *data, size_t bytes)
{
    const size_t head = head_bytes(heap, bytes), rest = (bytes - head) % 8;
    const unsigned char *from = data;
    unsigned char *to = heap, *end = heap + bytes - rest;
    store_parts(to, from, head);
    for (to += head, from += head; to != end; to += 8, from += 8)
        STORE(uint64_t) /* R1 */
    store_parts(to, from, rest);
}

void gravel_heap_load_bytes(void *data, const unsigned char *heap, size_t bytes)
{
    const size_t head = head_bytes(heap, bytes), rest = (bytes - head) % 8;
    const unsigned char *from = heap, *end = heap + bytes - rest;
    unsigned char *to = data;
    load_parts(to, from, head);
    for (to += head, from += head; from != end; to += 8, from += 8)
        LOAD(uint64_t) /* R1's other side */
    load_parts(to, from, rest);
}
