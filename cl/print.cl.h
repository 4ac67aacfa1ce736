/* SPDX-License-Identifier: MIT */
/*
 * Lines of text that kernels print and records that they append, on every device, none of which is lost; and
 * assertions.
 *
 *     #include "gravel.cl.h"
 *     #include "print.cl.h"
 *     kernel void check(GRAVEL_ARENA)
 *     {
 *         GRAVEL_OPEN(g);
 *         if (get_global_id(0) == 37)
 *             gravel_printf_wi(g, "%s by %g", "above", 3.5f);
 *     }
 *
 * S is wg, wg_if or wi, as in gravel.cl.h:
 *
 *     gravel_printf_S(g, [active,] "text", argument...)
 *
 * The text is a literal of at most 1007 bytes, with the conversions of C's printf except %n and *, and widths and
 * precisions up to 4095. Up to 16 arguments follow: int, uint, long, ulong, float, double (where GRAVEL_HAS_DOUBLE is
 * defined), what the language promotes to these, strings of any address space (their first 32 bytes are printed), and
 * other pointers for %p. Together they have at most 56 words of 4 bytes: 1 of int, uint and float, 2 of long, ulong,
 * double and an address, 8 of a string; a call with more does not build. Each work-item evaluates an argument once.
 * One that does not fit its conversion is printed after "%!", as in "%!d(1.5)".
 *
 * A line is written while the kernel runs, whole, after the numbers of node and work-item (GRAVEL_PRINT_TAGS; 64 bits
 * of the first id, 32 of the second and third), to the standard output of the node that GRAVEL_PRINT names, or by its
 * bindings' function. Lines of one work-group have the order of its calls, and within a call of its work-items; other
 * lines have none. gravel_quiet waits until this node's lines are written, gravel_barrier for all. The program's own
 * output to C's stdout comes ahead of later lines. If standard output is slow, at most GRAVEL_SPOOL bytes wait, then
 * kernels that print do; the writing node fails with GRAVEL_ETIMEOUT if nothing is written for GRAVEL_TIMEOUT. After a
 * failed write no line follows, and each gravel_quiet or gravel_barrier of that node after more lost lines returns
 * GRAVEL_ESYSTEM, with cause and number.
 *
 *     gravel_append_S(g, [active,] stream, record, node)
 *
 * The host's function of the stream gets the record at the node. The record is a variable of the kernel; another size
 * than the stream's, or an unknown stream, does not build. Order and waits are as for lines.
 *
 *     bool gravel_assert(g, condition)   any work-item, in any divergent code; true if the condition holds
 *     gravel_trap(g, "text")             any work-item, in any divergent code
 *
 * A condition that does not hold ends the node with GRAVEL_EKERNEL: its node, the first work-item that failed, the
 * last 63 bytes of its file's name, its line, and the first 128 bytes of "assertion failed: " and the condition's
 * text. A trap does the same with its text, a literal. The kernel continues, and its messages are dropped once the
 * host has seen the fault; the OpenCL context and its buffers stay usable. With -DNDEBUG a condition is evaluated,
 * once, and never fails; traps stay.
 *
 * Path:    the user's kernel -> this -> device/send.cl.h -> ... -> lib/spool -> standard output; of an assertion ->
 *          the arena -> lib/aggregate/fault.c.
 * Memory:  P2, as any message. Assertions: F1 and F3, as any fault.
 */
#ifndef GRAVEL_PRINT_CL_H
#define GRAVEL_PRINT_CL_H

#include "gravel.cl.h"

#define GRAVELP_OVERLOADED static inline __attribute__((overloadable, always_inline))

/* Types of arguments: the size of what an overload would return names its type. */

#define GRAVELP_DEFINE_TYPE(name, number, ...) \
    struct gravelp_type_##name {               \
        char bytes[number];                    \
    };                                         \
    struct gravelp_type_##name __attribute__((overloadable)) gravelp_type_of(__VA_ARGS__);
/* A number of 4 or 8 bytes, the lower half first. */
#define GRAVELP_DEFINE_NUMBER(name, number, bits)                              \
    GRAVELP_DEFINE_TYPE(name, number, name)                                    \
    GRAVELP_OVERLOADED private uint *gravelp_put(private uint *at, name value) \
    {                                                                          \
        at[0] = (uint)bits(value);                                             \
        if (sizeof(value) > 4)                                                 \
            at[1] = (uint)((ulong)bits(value) >> 32);                          \
        return at + sizeof(value) / 4;                                         \
    }

GRAVELP_DEFINE_NUMBER(int, GRAVELP_ARGUMENT_INT, (uint))
GRAVELP_DEFINE_NUMBER(uint, GRAVELP_ARGUMENT_UINT, (uint))
GRAVELP_DEFINE_NUMBER(long, GRAVELP_ARGUMENT_LONG, (ulong))
GRAVELP_DEFINE_NUMBER(ulong, GRAVELP_ARGUMENT_ULONG, (ulong))
GRAVELP_DEFINE_NUMBER(float, GRAVELP_ARGUMENT_FLOAT, as_uint)
#ifdef GRAVEL_HAS_DOUBLE
GRAVELP_DEFINE_NUMBER(double, GRAVELP_ARGUMENT_DOUBLE, as_ulong)
#endif
/* Pointers: a string's characters, or an address. */
#define GRAVELP_DEFINE_SPACE(space)                                                        \
    GRAVELP_DEFINE_TYPE(to_##space, GRAVELP_ARGUMENT_POINTER, space const volatile void *) \
    GRAVELP_OVERLOADED private uint *gravelp_put(private uint *at,                         \
                                                 space const volatile void *address)       \
    {                                                                                      \
        return gravelp_put(at, (ulong)address);                                            \
    }                                                                                      \
    GRAVELP_DEFINE_TYPE(in_##space, GRAVELP_ARGUMENT_STRING, space const char *)           \
    GRAVELP_OVERLOADED private uint *gravelp_put(private uint *at, space const char *text) \
    {                                                                                      \
        bool has_ended = !text;                                                            \
        for (uint word = 0; word < GRAVELP_STRING_WORDS; word++) {                         \
            at[word] = 0;                                                                  \
            for (uint byte = 0; byte < 4; byte++) {                                        \
                uint c = has_ended ? 0u : (uint)(uchar)text[4 * word + byte];              \
                has_ended = c == 0;                                                        \
                at[word] |= c << 8 * byte;                                                 \
            }                                                                              \
        }                                                                                  \
        return at + GRAVELP_STRING_WORDS;                                                  \
    }
GRAVELP_DEFINE_SPACE(constant)
GRAVELP_DEFINE_SPACE(global)
GRAVELP_DEFINE_SPACE(local)
GRAVELP_DEFINE_SPACE(private)

/* Any work-item: its ids, as in a line's record. */
GRAVELP_INLINE private uint *gravelp_put_tag(private uint *at)
{
    gravelp_put(at, (ulong)get_global_id(0));
    at[2] = (uint)get_global_id(1);
    at[3] = (uint)get_global_id(2);
    return at + GRAVELP_TAG_WORDS;
}

/* Lists of arguments, behind a text. */

#define GRAVELP_N_ARGUMENTS(...) \
    GRAVELP_N_ARGUMENTS_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define GRAVELP_N_ARGUMENTS_(text, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
#define GRAVELP_TEXT(...) GRAVELP_TEXT_(__VA_ARGS__, ~)
#define GRAVELP_TEXT_(text, ...) "" text ""

/* X(first, X(second, ... X(last, end))), by forms.cl.h. */
#define GRAVELP_EACH(X, end, ...) \
    GRAVELP_EACH_OF(GRAVELP_N_ARGUMENTS(__VA_ARGS__), X, end, __VA_ARGS__)
#define GRAVELP_EACH_OF(n, ...) GRAVELP_EACH_OF_(n, __VA_ARGS__)
#define GRAVELP_EACH_OF_(n, ...) GRAVELP_EACH_##n(__VA_ARGS__)

#define GRAVELP_ADD_WORDS(a, rest) GRAVELP_ARGUMENT_WORDS(sizeof(gravelp_type_of(a))) + rest
#define GRAVELP_ADD_TYPE(a, rest) ((ulong)sizeof(gravelp_type_of(a)) | (rest) << 4)
#define GRAVELP_ADD_PUT(a, rest)                 \
    gravelp_at_ = gravelp_put(gravelp_at_, (a)); \
    rest

/* ---- records ---------------------------------------------------------------------------------- */

/* A word of a record, whose members have any types and lie anywhere. */
struct __attribute__((packed, may_alias)) gravelp_packed_word {
    uint word;
};

/* Sends gravelp_words_ by one of the calls below it, `types` and text with them. */
#define GRAVELP_RECORD(CALL, command, types, text, node)                                       \
    CALL(command, 0, ((struct gravel_reply){types, GRAVEL_NO_SIGNAL}), 0,                      \
         ((struct gravelp_values){{0, 0, 0, 0}, 0, gravelp_words_, text, (uint)sizeof(text)}), \
         node)
#define GRAVELP_RECORD_WG(...) GRAVELP_SEND_WG(gravelp_g_, __VA_ARGS__)
#define GRAVELP_RECORD_WG_IF(...) GRAVELP_SEND_WG_IF(gravelp_g_, gravelp_active_, __VA_ARGS__)
#define GRAVELP_RECORD_WI(...) GRAVELP_SEND_WI(gravelp_g_, __VA_ARGS__)

#define GRAVELP_PRINT(CALL, g, active, ...)                                                        \
    do {                                                                                           \
        const struct gravel_group gravelp_g_ = (g);                                                \
        const uint gravelp_active_ = (active) != 0;                                                \
        uint gravelp_words_[GRAVELP_EACH(GRAVELP_ADD_WORDS, GRAVELP_TAG_WORDS, __VA_ARGS__)];      \
      private                                                                                      \
        uint *gravelp_at_ = gravelp_put_tag(gravelp_words_);                                       \
        typedef char gravelp_too_many_words_[sizeof gravelp_words_ <= 4 * GRAVELP_RECORD_MAX_WORDS \
                                                 ? 1                                               \
                                                 : -1];                                            \
        typedef char gravelp_text_is_too_long_                                                     \
            [sizeof(GRAVELP_TEXT(__VA_ARGS__)) <= GRAVELP_TEXT_MAX_BYTES ? 1 : -1];                \
        GRAVELP_EACH(GRAVELP_ADD_PUT, (void)gravelp_at_, __VA_ARGS__);                             \
        GRAVELP_RECORD(CALL,                                                                       \
                       GRAVELP_COMMAND_RECORD(GRAVELP_LINES, sizeof gravelp_words_ / 4,            \
                                              sizeof(GRAVELP_TEXT(__VA_ARGS__))),                  \
                       GRAVELP_EACH(GRAVELP_ADD_TYPE, 0ul, __VA_ARGS__),                           \
                       GRAVELP_TEXT(__VA_ARGS__), gravelp_g_.arena->print_node);                   \
    } while (0)

/* For a value of 8 bytes clang reports "array is too large (8000000000000000008 elements)", for lib/opencl/advice.c. */
#define GRAVELP_APPEND(CALL, g, active, stream, value, node)                                   \
    do {                                                                                       \
        const struct gravel_group gravelp_g_ = (g);                                            \
        const uint gravelp_active_ = (active) != 0;                                            \
        typedef char                                                                           \
            gravelp_record_has_another_size_[sizeof(value) == 4 * GRAVELP_RECORD_WORDS(stream) \
                                                 ? 1                                           \
                                                 : 8000000000000000000ul + sizeof(value)];     \
        uint gravelp_words_[GRAVELP_RECORD_WORDS(stream)];                                     \
        for (uint gravelp_i_ = 0; gravelp_i_ < GRAVELP_RECORD_WORDS(stream); gravelp_i_++)     \
            gravelp_words_[gravelp_i_] =                                                       \
                ((private const struct gravelp_packed_word *)&(value))[gravelp_i_].word;       \
        GRAVELP_RECORD(CALL, stream, 0ul, "", node);                                           \
    } while (0)

/* ---- assertions ------------------------------------------------------------------------------- */

/* Any work-item, in any divergent code: reports the text of a literal, and its line in the source. */
#define GRAVELP_TRAP(arena, text)                                                \
    gravelp_fault_in((arena), gravelp_origin_of_item(), __FILE__ "\0" text "",   \
                     (uint)sizeof(__FILE__) | GRAVELP_FAULT_TEXT_OF(text) << 16, \
                     GRAVELP_FAULT_ASSERT, 0, 0, (uint)__LINE__, 0)
#define GRAVELP_FAULT_TEXT_OF(text) \
    (sizeof(text) < GRAVELP_FAULT_TEXT_BYTES ? (uint)sizeof(text) : GRAVELP_FAULT_TEXT_BYTES)

/* ---- calls ------------------------------------------------------------------------------------ */

#define gravel_printf_wg(g, ...) GRAVELP_PRINT(GRAVELP_RECORD_WG, g, 1, __VA_ARGS__)
#define gravel_printf_wg_if(g, active, ...) \
    GRAVELP_PRINT(GRAVELP_RECORD_WG_IF, g, active, __VA_ARGS__)
#define gravel_printf_wi(g, ...) GRAVELP_PRINT(GRAVELP_RECORD_WI, g, 1, __VA_ARGS__)
#define gravel_append_wg(g, stream, record, node) \
    GRAVELP_APPEND(GRAVELP_RECORD_WG, g, 1, GRAVELP_STREAM_##stream, record, node)
#define gravel_append_wg_if(g, active, stream, record, node) \
    GRAVELP_APPEND(GRAVELP_RECORD_WG_IF, g, active, GRAVELP_STREAM_##stream, record, node)
#define gravel_append_wi(g, stream, record, node) \
    GRAVELP_APPEND(GRAVELP_RECORD_WI, g, 1, GRAVELP_STREAM_##stream, record, node)
#ifdef NDEBUG
#define gravel_assert(g, condition) ((void)(g).arena, (condition) != 0)
#else
#define gravel_assert(g, condition) \
    ((condition) || (GRAVELP_TRAP((g).arena, "assertion failed: " #condition), 0))
#endif
#define gravel_trap(g, text) GRAVELP_TRAP((g).arena, text)

#endif
