/* SPDX-License-Identifier: MIT */
/*
 * The table of public calls: a row each, whose arguments are cells. A cell is the value that is right, and those that the
 * call refuses. Which of them a call is given is a number that counts up until the row has none left.
 *
 * Path:    include/gravel -> calls.c, the rows -> this -> rules.c, which makes the calls and judges what they return.
 * Threads: the test's main thread, and the thread of a handler, while the main thread waits for it.
 */
#ifndef GRAVEL_TESTS_CALLS_H
#define GRAVEL_TESTS_CALLS_H

#include <gravel/accumulator.h>
#include <gravel/block_pool.h>
#include <gravel/flow.h>
#include <gravel/mirror.h>
#include <gravel/rounds.h>
#include <gravel/server.h>
#include <gravel/steal.h>

#include "expect.h"

/** When a call waits: a launch where it has slices, a map and its end where it is a copy; a collective call for all nodes. */
enum waits { NEVER, IN_COPIES, ALWAYS, FOR_ALL };

/** A value that a call refuses: its error, and a format of the value that gravel_last_error() has. */
struct wrong {
    uint64_t value;
    int code; /* GRAVEL_EMISMATCH: of a collective call, where all other nodes have another value */
    const char *part;
};

#define WRONG(value, code, part)      \
    {                                 \
        (uint64_t)(value), code, part \
    }
#define BAD(value, part) WRONG(value, GRAVEL_EINVAL, part)
#define FAR(value, part) WRONG(value, GRAVEL_ERANGE, part)
#define OTHER(value, part) WRONG(value, GRAVEL_EMISMATCH, part)

/** A cell: the value that is right, and in braces what is wrong. */
#define NUMBER(right, ...)                                         \
    choose((uint64_t)(right), (const struct wrong[]){__VA_ARGS__}, \
           sizeof((const struct wrong[]){__VA_ARGS__}) / sizeof(struct wrong), false)
#define POINTER(right, ...) ((void *)(uintptr_t)NUMBER((uintptr_t)(right), __VA_ARGS__))
uint64_t choose(uint64_t right, const struct wrong *wrong, unsigned n, bool is_object);

/** Cells that many rows have: */
void *p(const void *pointer);   /**< NULL is refused */
void *of(const void *object);   /**< so it is; without the object a node cannot tell the others */
void *out(void);                /**< where the call gives a pointer: NULL is refused */
uint32_t node(uint32_t number); /**< of a node */
uint64_t at(uint64_t offset);   /**< in the heap */
size_t size(size_t bytes);      /**< of a struct that later versions may extend */

/** A row. */
#define ROW(when, call, ...)             \
    for (begin(#call, when); is_next();) \
    end(call(__VA_ARGS__))
#define CALL(...) ROW(ALWAYS, __VA_ARGS__)
#define CALL_OF_ALL(...) ROW(FOR_ALL, __VA_ARGS__)
#define CALL_THAT_COPIES(...) ROW(IN_COPIES, __VA_ARGS__)
#define CALL_ANYWHERE(...) ROW(NEVER, __VA_ARGS__)
void begin(const char *call, enum waits waits);
bool is_next(void);
void end(int code);

/** Returns whether the rows are called with what is right: calls that end an object are made then alone. */
bool is_right(void);

/** The nodes, an array of theirs and an offset in no allocation. */
extern struct gravel *gravel;
extern struct guarded words;
extern uint64_t freed;

#define N_WORDS 16u /* of 4 bytes */

/** Opens nodes with one of everything, and closes them. */
void open_objects(const struct gravel_bindings *bindings);
void close_objects(void);

/** Makes the calls of a node, all except gravel_abort; and those that need no node. */
void call_node(void);
void call_settings(void);

#endif
