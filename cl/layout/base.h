/* SPDX-License-Identifier: MIT */
/*
 * Names that both sides of the device boundary compile: widths, address spaces and atomic words.
 *
 * Path:    (nothing) -> base.h -> every other shared layout.
 * Note:    the only shared header that asks which compiler reads it.
 */
#ifndef GRAVELP_BASE_H
#define GRAVELP_BASE_H

#define GRAVELP_CACHELINE 64 /* [bytes] words of different writers are this far apart */

#if defined(__OPENCL_C_VERSION__)

typedef uchar gravelp_u8;
typedef ushort gravelp_u16;
typedef uint gravelp_u32;
typedef ulong gravelp_u64;
typedef int gravelp_i32;
typedef long gravelp_i64;
#define GRAVELP_GLOBAL global
#define GRAVELP_STATIC_ASSERT(condition, text)

#else

#include <stdint.h>

typedef uint8_t gravelp_u8;
typedef uint16_t gravelp_u16;
typedef uint32_t gravelp_u32;
typedef uint64_t gravelp_u64;
typedef int32_t gravelp_i32;
typedef int64_t gravelp_i64;
#define GRAVELP_GLOBAL
#ifdef __cplusplus
#define GRAVELP_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define GRAVELP_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#endif

#endif
