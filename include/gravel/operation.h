/* SPDX-License-Identifier: MIT */
/*
 * The operations that a message can ask for, and the types of the words that they change. Installed; kernels include
 * it too.
 *
 * One table lists every operation and type: the device's calls (cl/forms.py), the resolver's loops, the conformance
 * tests and the manual are generated from it, so a new operation is one new line.
 *
 * Source:  Orr 2016, section 5.2 (put, atomic increment, active message) and table A-1.
 */
#ifndef GRAVEL_OPERATION_H
#define GRAVEL_OPERATION_H

/* Operations. PUT stores; INC adds one and carries no value; all other ones combine the value with the word. */
#define GRAVEL_PUT 1u
#define GRAVEL_INC 2u
#define GRAVEL_ADD 3u
#define GRAVEL_MIN 4u
#define GRAVEL_MAX 5u
#define GRAVEL_AND 6u
#define GRAVEL_OR 7u
#define GRAVEL_XOR 8u
#define GRAVEL_AM 9u /* active message: up to four 64-bit arguments, no index */
#define GRAVEL_PUT_SIGNAL \
    10u /* PUT, and then a uint at the destination counts the messages: the signal */
#define GRAVEL_APPEND 11u /* words that stay out of the heap: a line of print.cl.h */
/*
 * Requests: the word's old value travels back, as a PUT_SIGNAL to the sender's heap. SWAP to FETCH_XOR are
 * GRAVEL_FETCH plus the operation.
 */
#define GRAVEL_FETCH 16u
#define GRAVEL_GET 16u
#define GRAVEL_SWAP 17u
#define GRAVEL_FETCH_ADD 19u
#define GRAVEL_FETCH_MIN 20u
#define GRAVEL_FETCH_MAX 21u
#define GRAVEL_FETCH_AND 22u
#define GRAVEL_FETCH_OR 23u
#define GRAVEL_FETCH_XOR 24u
#define GRAVEL_CAS 25u /* compare and swap: two values, the new one and the one expected */
#define GRAVEL_ASK 26u /* active message that is answered: a ulong, by the handler */
#define GRAVEL_N_OPERATIONS 32u

/* Types of the addressed word. */
#define GRAVEL_INT 0u
#define GRAVEL_UINT 1u
#define GRAVEL_LONG 2u
#define GRAVEL_ULONG 3u
#define GRAVEL_FLOAT 4u
#define GRAVEL_DOUBLE 5u

#define GRAVEL_AM_MAX_ARGS 4u
#define GRAVEL_ASK_MAX_ARGS 3u     /* the answer has the room of one more */
#define GRAVEL_AM_MAX_KEYS 2u      /* of these, the first */
#define GRAVEL_DATUM_MAX_WORDS 16u /* of a transaction [ulong] */
#define GRAVEL_MAX_HANDLERS 65535u
#define GRAVEL_MAX_STREAMS 127u
#define GRAVEL_RECORD_MAX_BYTES 240u /* of a stream */
#define GRAVEL_N_CONSTANTS 8u        /* of a node, that handlers written in OpenCL C read */
/* Instead of the heap offset of a signal: no signal. gravel_alloc never gives offset 0. */
#define GRAVEL_NO_SIGNAL 0u

/* Bytes of a word of a type: 4 for INT, UINT and FLOAT, 8 for LONG, ULONG and DOUBLE, none above DOUBLE. */
#define GRAVEL_TYPE_BYTES(type) (0x848844u >> 4u * (type)&0xfu)

/* X(OP, op, TYPE, type): every operation that carries a value. `type` is the OpenCL C name. */
#define GRAVEL_INTEGER_OPERATIONS(X, TYPE, type) \
    X(PUT, put, TYPE, type)                      \
    GRAVEL_INTEGER_COMBINATIONS(X, TYPE, type)
#define GRAVEL_INTEGER_COMBINATIONS(X, TYPE, type) \
    X(ADD, add, TYPE, type)                        \
    X(MIN, min, TYPE, type)                        \
    X(MAX, max, TYPE, type)                        \
    X(AND, and, TYPE, type)                        \
    X(OR, or, TYPE, type)                          \
    X(XOR, xor, TYPE, type)
#define GRAVEL_VALUE_OPERATIONS(X)             \
    GRAVEL_INTEGER_OPERATIONS(X, INT, int)     \
    GRAVEL_INTEGER_OPERATIONS(X, UINT, uint)   \
    GRAVEL_INTEGER_OPERATIONS(X, LONG, long)   \
    GRAVEL_INTEGER_OPERATIONS(X, ULONG, ulong) \
    X(PUT, put, FLOAT, float)                  \
    X(ADD, add, FLOAT, float)
#define GRAVEL_DOUBLE_OPERATIONS(X) \
    X(PUT, put, DOUBLE, double)     \
    X(ADD, add, DOUBLE, double)
/* X(OP, op, TYPE, type): every request but CAS, and every type of put with signal. */
#define GRAVEL_INTEGER_REQUESTS(X, TYPE, type) \
    X(GET, get, TYPE, type)                    \
    X(SWAP, swap, TYPE, type)                  \
    X(FETCH_ADD, fetch_add, TYPE, type)        \
    X(FETCH_MIN, fetch_min, TYPE, type)        \
    X(FETCH_MAX, fetch_max, TYPE, type)        \
    X(FETCH_AND, fetch_and, TYPE, type)        \
    X(FETCH_OR, fetch_or, TYPE, type)          \
    X(FETCH_XOR, fetch_xor, TYPE, type)
#define GRAVEL_REAL_REQUESTS(X, TYPE, type) \
    X(GET, get, TYPE, type)                 \
    X(SWAP, swap, TYPE, type)               \
    X(FETCH_ADD, fetch_add, TYPE, type)
#define GRAVEL_REQUESTS(X)                   \
    GRAVEL_INTEGER_REQUESTS(X, INT, int)     \
    GRAVEL_INTEGER_REQUESTS(X, UINT, uint)   \
    GRAVEL_INTEGER_REQUESTS(X, LONG, long)   \
    GRAVEL_INTEGER_REQUESTS(X, ULONG, ulong) \
    GRAVEL_REAL_REQUESTS(X, FLOAT, float)
#define GRAVEL_DOUBLE_REQUESTS(X) GRAVEL_REAL_REQUESTS(X, DOUBLE, double)
/* X(TYPE, type): every type of put with signal, but double. */
#define GRAVEL_SIGNAL_TYPES(X) \
    X(INT, int)                \
    X(UINT, uint)              \
    X(LONG, long)              \
    X(ULONG, ulong)            \
    X(FLOAT, float)
/* X(TYPE, type): every type that can be incremented, or compared and swapped. */
#define GRAVEL_INC_TYPES(X) \
    X(INT, int)             \
    X(UINT, uint)           \
    X(LONG, long)           \
    X(ULONG, ulong)

#endif
