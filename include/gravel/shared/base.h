/* SPDX-License-Identifier: MIT */
/*
 * Names that both sides of the device boundary compile: widths, address spaces and atomic words.
 *
 * Path:    (nothing) -> base.h -> every other shared layout.
 * Note:    the only shared header that asks which compiler reads it.
 */
#ifndef GRAVEL_SHARED_BASE_H
#define GRAVEL_SHARED_BASE_H

#define GRAVEL_CACHELINE 64 /* [bytes] words of different writers are this far apart */

#if defined(__OPENCL_C_VERSION__)

typedef uchar gravel_u8;
typedef ushort gravel_u16;
typedef uint gravel_u32;
typedef ulong gravel_u64;
#define GRAVEL_GLOBAL global
#define GRAVEL_STATIC_ASSERT(condition, text)

#else

#include <stdint.h>

typedef uint8_t gravel_u8;
typedef uint16_t gravel_u16;
typedef uint32_t gravel_u32;
typedef uint64_t gravel_u64;
#define GRAVEL_GLOBAL
#ifdef __cplusplus
#define GRAVEL_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define GRAVEL_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#endif

#endif
