/* SPDX-License-Identifier: MIT */
/*
 * SHA-1 of one block, for host and device: the random numbers of UTS.
 *
 * Path: tree.c, check.c, uts.cl -> this
 * Source: FIPS 180-4, section 6.1.
 */
#ifndef APPS_UTS_SHA1_H
#define APPS_UTS_SHA1_H

#if defined(__OPENCL_C_VERSION__)
typedef uint sha1_word;
#else
#include <stdint.h>
typedef uint32_t sha1_word;
#endif

#define SHA1_WORDS 5 /* of a digest */

/* CPU devices compile what is inlined again for each size of group, and much of that is 80 steps. */
#if defined(SHA1_OUT_OF_LINE)
#define SHA1_CALL static __attribute__((noinline))
#else
#define SHA1_CALL static inline
#endif

static inline sha1_word sha1_rotate(sha1_word x, sha1_word n)
{
    return x << n | x >> (32 - n);
}

/* What mixes b, c and d, with its constant; word i of the schedule, in place; five steps, which rotate the names. */
#define SHA1_CHOOSE(b, c, d) (((b & c) | (~b & d)) + 0x5a827999u)
#define SHA1_PARITY(b, c, d) ((b ^ c ^ d) + 0x6ed9eba1u)
#define SHA1_MAJORITY(b, c, d) (((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu)
#define SHA1_LAST(b, c, d) ((b ^ c ^ d) + 0xca62c1d6u)
#define SHA1_GIVEN(i) w[i]
#define SHA1_MADE(i) \
    (w[(i)&15] = sha1_rotate(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[(i)&15], 1))
#define SHA1_STEP(a, b, c, d, e, F, word) \
    e += sha1_rotate(a, 5) + F(b, c, d) + (word), b = sha1_rotate(b, 30)
#define SHA1_FIVE(F, W, i)                                                            \
    SHA1_STEP(a, b, c, d, e, F, W(i)), SHA1_STEP(e, a, b, c, d, F, W(i + 1)),         \
        SHA1_STEP(d, e, a, b, c, F, W(i + 2)), SHA1_STEP(c, d, e, a, b, F, W(i + 3)), \
        SHA1_STEP(b, c, d, e, a, F, W(i + 4))
#define SHA1_TWENTY(F, i)                                                                        \
    SHA1_FIVE(F, SHA1_MADE, i), SHA1_FIVE(F, SHA1_MADE, i + 5), SHA1_FIVE(F, SHA1_MADE, i + 10), \
        SHA1_FIVE(F, SHA1_MADE, i + 15)

/* Hash up to 13 whole words. digest: of the words, most significant byte first. */
SHA1_CALL void sha1_hash(const sha1_word *words, sha1_word n, sha1_word digest[SHA1_WORDS])
{
    sha1_word w[16];
    sha1_word a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u, e = 0xc3d2e1f0u;
    for (sha1_word i = 0; i < 16; i++)
        w[i] = i < n ? words[i] : i == n ? 0x80000000u : 0;
    w[15] = 32 * n;
    SHA1_FIVE(SHA1_CHOOSE, SHA1_GIVEN, 0);
    SHA1_FIVE(SHA1_CHOOSE, SHA1_GIVEN, 5);
    SHA1_FIVE(SHA1_CHOOSE, SHA1_GIVEN, 10);
    SHA1_STEP(a, b, c, d, e, SHA1_CHOOSE, w[15]);
    SHA1_STEP(e, a, b, c, d, SHA1_CHOOSE, SHA1_MADE(16));
    SHA1_STEP(d, e, a, b, c, SHA1_CHOOSE, SHA1_MADE(17));
    SHA1_STEP(c, d, e, a, b, SHA1_CHOOSE, SHA1_MADE(18));
    SHA1_STEP(b, c, d, e, a, SHA1_CHOOSE, SHA1_MADE(19));
    SHA1_TWENTY(SHA1_PARITY, 20);
    SHA1_TWENTY(SHA1_MAJORITY, 40);
    SHA1_TWENTY(SHA1_LAST, 60);
    digest[0] = a + 0x67452301u;
    digest[1] = b + 0xefcdab89u;
    digest[2] = c + 0x98badcfeu;
    digest[3] = d + 0x10325476u;
    digest[4] = e + 0xc3d2e1f0u;
}

/* The state of a node's child number i. */
static inline void sha1_spawn(const sha1_word parent[SHA1_WORDS], sha1_word i,
                              sha1_word child[SHA1_WORDS])
{
    sha1_word words[SHA1_WORDS + 1];
    for (sha1_word k = 0; k < SHA1_WORDS; k++)
        words[k] = parent[k];
    words[SHA1_WORDS] = i;
    sha1_hash(words, SHA1_WORDS + 1, child);
}

/* A node's random number, of 31 bits. */
static inline sha1_word sha1_random(const sha1_word state[SHA1_WORDS])
{
    return state[SHA1_WORDS - 1] & 0x7fffffffu;
}

#endif
