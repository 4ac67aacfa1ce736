/* SPDX-License-Identifier: MIT */
/*
 * Copies of bytes between a heap that the host addresses and other memory, while others store and poll words there: by
 * the widest aligned words that fit, nearly all in a loop of words of 8 bytes, which is about as fast as memcpy.
 *
 * Every aligned word of 4 or 8 bytes that lies in the copied bytes as a whole is loaded or stored as one, and stores
 * are in the order of their addresses, so that a word that is polled vouches for the bytes before it.
 */
#include "opencl/region.h"

#include <stdint.h>
#include <string.h>

/* Returns the bytes of the widest aligned word at an address, of which `bytes` are left. */
static size_t word_bytes(const unsigned char *at, size_t bytes)
{
    size_t size = 8;
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
    case 8:                 \
        MOVE(uint64_t)      \
        break;              \
    case 4:                 \
        MOVE(uint32_t)      \
        break;              \
    case 2:                 \
        MOVE(uint16_t)      \
        break;              \
    default:                \
        MOVE(uint8_t)       \
    }

void gravel_heap_store_bytes(unsigned char *heap, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    unsigned char *to = heap;
    for (size_t size; bytes; to += size, from += size, bytes -= size) {
        size = word_bytes(to, bytes);
        for (; size == 8 && bytes >= 16; to += 8, from += 8, bytes -= 8)
            STORE(uint64_t) /* R1 */
        WORD_OF(size, STORE)
    }
}

void gravel_heap_load_bytes(void *data, const unsigned char *heap, size_t bytes)
{
    const unsigned char *from = heap;
    unsigned char *to = data;
    for (size_t size; bytes; to += size, from += size, bytes -= size) {
        size = word_bytes(from, bytes);
        for (; size == 8 && bytes >= 16; to += 8, from += 8, bytes -= 8)
            LOAD(uint64_t) /* R1's other side */
        WORD_OF(size, LOAD)
    }
}
