/* SPDX-License-Identifier: MIT */
/*
 * What the kernels of kernels.cl send, as functions of the work-item: for the kernels and for the
 * check.
 *
 * Path:    kernels.cl, device_half.c -> messages.h. Compiles as OpenCL C and as C11.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#if defined(__OPENCL_C_VERSION__)
typedef uint message_u32;
#else
#include <stdint.h>
typedef uint32_t message_u32;
#endif

#define MESSAGE_N_NODES 3u
#define MESSAGE_BASE 4096u   /* heap offset of index 0 [bytes] */
#define MESSAGE_MAX_TURNS 5u /* iterations of the uneven loop */
#define MESSAGE_HANDLER 7u

/* A number that looks random (Wellons' lowbias32). */
static inline message_u32 message_hash(message_u32 x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static inline message_u32 message_node(message_u32 number)
{
    return message_hash(number) % MESSAGE_N_NODES;
}

static inline message_u32 message_value(message_u32 number, message_u32 row)
{
    return message_hash(number * 8u + row + 1u);
}

/* Whether a work-item sends where only some do. */
static inline message_u32 message_is_sent(message_u32 item)
{
    return message_hash(item ^ 0x5555u) % 3u != 0u;
}

/* How often a work-item goes round the uneven loop. */
static inline message_u32 message_turns(message_u32 item)
{
    return message_hash(item ^ 0xaaaau) % (MESSAGE_MAX_TURNS + 1u);
}

#endif
