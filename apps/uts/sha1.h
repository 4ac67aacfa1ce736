/* SPDX-License-Identifier: MIT */
/*
 * SHA-1 of one block: the random numbers of UTS; and what else host and device share.
 *
 * Path: uts.c, uts.cl -> this
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

#define SHA1_WORDS 5      /* of a digest */
#define MOST_CHILDREN 100 /* of a node but a binomial tree's root; UTS's MAXNUMCHILDREN */

static inline sha1_word sha1_rotate(sha1_word x, sha1_word n)
{
    return x << n | x >> (32 - n);
}

/* Hashes up to 13 whole words. digest: of the words, most significant byte first. */
static inline void sha1_hash(const sha1_word *words, sha1_word n, sha1_word digest[SHA1_WORDS])
{
    sha1_word w[16];
    sha1_word a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u, e = 0xc3d2e1f0u;
    for (sha1_word i = 0; i < 16; i++)
        w[i] = i < n ? words[i] : i == n ? 0x80000000u : 0;
    w[15] = 32 * n;
#ifdef __NV_CL_C_VERSION
#pragma unroll /* else w, whose indices vary, is no registers */
#endif
    for (sha1_word i = 0; i < 80; i++) {
        sha1_word mixed = (b ^ c ^ d) + (i < 40 ? 0x6ed9eba1u : 0xca62c1d6u);
        if (i < 20)
            mixed = ((b & c) | (~b & d)) + 0x5a827999u;
        else if (i >= 40 && i < 60)
            mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
        if (i >= 16)
            w[i & 15] =
                sha1_rotate(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15], 1);
        mixed += sha1_rotate(a, 5) + e + w[i & 15];
        e = d;
        d = c;
        c = sha1_rotate(b, 30);
        b = a;
        a = mixed;
    }
    digest[0] = a + 0x67452301u;
    digest[1] = b + 0xefcdab89u;
    digest[2] = c + 0x98badcfeu;
    digest[3] = d + 0x10325476u;
    digest[4] = e + 0xc3d2e1f0u;
}

/* Makes the state of a node's child number i. */
static inline void sha1_spawn(const sha1_word parent[SHA1_WORDS], sha1_word i,
                              sha1_word child[SHA1_WORDS])
{
    sha1_word words[SHA1_WORDS + 1];
    for (sha1_word k = 0; k < SHA1_WORDS; k++)
        words[k] = parent[k];
    words[SHA1_WORDS] = i;
    sha1_hash(words, SHA1_WORDS + 1, child);
}

/* Returns a node's random number, of 31 bits. */
static inline sha1_word sha1_random(const sha1_word state[SHA1_WORDS])
{
    return state[SHA1_WORDS - 1] & 0x7fffffffu;
}

#endif
