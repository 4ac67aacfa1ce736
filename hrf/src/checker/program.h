/* SPDX-License-Identifier: MIT */
/*
 * A scoped litmus program: locations, threads and their instances, instructions, what is expected of it.
 *
 * Path:    parse.c -> program.h -> explore.c, mutate.c, print.c.
 * Owner:   the caller, by hrf_program_free.
 * Threads: one at a time.
 * Source:  Hower et al. 2014, "Heterogeneous-race-free Memory Models": scopes and their instances.
 */
#ifndef GRAVEL_HRF_PROGRAM_H
#define GRAVEL_HRF_PROGRAM_H

#include "checker/models.h"

#include <stdbool.h>
#include <stdint.h>

#define HRF_MAX_THREADS 32
#define HRF_MAX_EVENTS 4096
#define HRF_MAX_LOCATIONS 64
#define HRF_MAX_REGISTERS 32 /* of a thread, with one for each of its loops */
#define HRF_NAME_BYTES 48
#define HRF_NONE (-1)

/* An order is what it does: all bits of release and acquire, and of the order of seq_cst operations. */
enum hrf_order {
    HRF_RELAXED = 0,
    HRF_ACQUIRE = 1,
    HRF_RELEASE = 2,
    HRF_ACQ_REL = 3,
    HRF_SEQ_CST = 7
};

enum hrf_level { HRF_WI, HRF_SG, HRF_WG, HRF_DEV, HRF_SYS, HRF_N_LEVELS };

/* Kinds of memory, as bits: a fence or barrier may order both. */
enum hrf_region { HRF_GLOBAL = 1, HRF_LOCAL = 2, HRF_ALL_REGIONS = 3 };

enum hrf_op {
    HRF_READ, /* plain */
    HRF_WRITE,
    HRF_LOAD,
    HRF_AWAIT, /* a load that is made when the value is right */
    HRF_STORE,
    HRF_ADD,
    HRF_SUB,
    HRF_AND,
    HRF_OR,
    HRF_XOR,
    HRF_MIN,
    HRF_MAX,
    HRF_XCHG,
    HRF_CAS,
    HRF_FENCE,
    HRF_BARRIER,
    HRF_SET, /* from here on nothing that another thread could see */
    HRF_ASSERT,
    HRF_BRANCH, /* to `target` if the value is 0 */
    HRF_JUMP,
    HRF_LOOP /* counts a round in `reg`, and ends the thread if there were too many */
};

enum hrf_operator {
    HRF_CONSTANT,       /* a */
    HRF_REGISTER,       /* a: of this thread */
    HRF_FINAL_REGISTER, /* b: of thread a, in `exists` */
    HRF_FINAL_LOCATION, /* a, in `exists` */
    HRF_NOT,            /* of a */
    HRF_OR_ELSE,        /* from here on of a and b */
    HRF_AND_THEN,
    HRF_EQUAL,
    HRF_UNEQUAL,
    HRF_LESS,
    HRF_AT_MOST,
    HRF_GREATER,
    HRF_AT_LEAST,
    HRF_PLUS,
    HRF_MINUS,
    HRF_TIMES,
    HRF_REMAINDER
};

/* A node; a and b are numbers of other nodes unless the operator says otherwise. */
struct hrf_expression {
    enum hrf_operator operator_;
    uint32_t a, b;
};

struct hrf_instruction {
    enum hrf_op op;
    uint32_t line;
    const char *text; /* [n_text] the statement, in the program's source */
    uint32_t n_text;
    int32_t location, reg;   /* or HRF_NONE */
    int32_t value, expected; /* expressions, or HRF_NONE */
    uint8_t order, failed_order, level, regions;
    bool is_remote, names_failed_order;
    enum hrf_operator comparison; /* of an await */
    uint32_t target;
    const char *spare; /* [n_spare] why mutants of the statement may survive, or NULL */
    uint32_t n_spare;
};

struct hrf_location {
    char name[HRF_NAME_BYTES];
    uint32_t initial;
    enum hrf_region region;
};

/* Where a thread is. */
struct hrf_place {
    uint32_t device, group, subgroup;
};

struct hrf_thread {
    char name[HRF_NAME_BYTES];
    struct hrf_place place;
    struct hrf_instruction *code; /* [n_code] */
    uint32_t n_code;
    char registers[HRF_MAX_REGISTERS][HRF_NAME_BYTES]; /* [n_registers], "" for a loop's */
    uint32_t n_registers;
    uint16_t instances[HRF_N_LEVELS]; /* the scope instance of each level that the thread is in */
};

/* One set of agents: a scope's level, and who is in it. */
struct hrf_instance {
    enum hrf_level level;
    uint32_t mask; /* of threads */
};

enum hrf_wish { HRF_ANY, HRF_FREE, HRF_RACE, HRF_NEVER, HRF_SOMETIMES };

struct hrf_expectation {
    enum hrf_wish verdict[HRF_N_MODELS];
    enum hrf_wish exists[HRF_N_MODELS]; /* is before exists_everywhere */
    enum hrf_wish exists_everywhere;
};

struct hrf_program {
    char name[HRF_NAME_BYTES];
    char *source; /* NUL-terminated, in which all `text` points */
    struct hrf_location locations[HRF_MAX_LOCATIONS];
    uint32_t n_locations;
    struct hrf_thread threads[HRF_MAX_THREADS];
    uint32_t n_threads;
    struct hrf_instance instances[HRF_MAX_THREADS * HRF_N_LEVELS];
    uint32_t n_instances;
    struct hrf_expression *expressions; /* [n_expressions] */
    uint32_t n_expressions;
    int32_t exists; /* expression, or HRF_NONE */
    struct hrf_expectation expected;
    uint32_t max_rounds; /* of a loop */
};

extern const char *const hrf_level_names[HRF_N_LEVELS];
const char *hrf_order_name(uint8_t order);

/** Returns what a compare-and-swap that fails still does: it stores nothing, so it releases nothing. */
static inline uint8_t hrf_order_of_failure(uint8_t order)
{
    return order == HRF_SEQ_CST ? HRF_SEQ_CST : order & HRF_ACQUIRE;
}

/** Gives each thread its scope instances. Call when all threads are known. */
void hrf_program_place(struct hrf_program *program);

/** Returns the instance that an atomic operation or fence of a thread names. */
static inline uint16_t hrf_instance_of(const struct hrf_program *program, uint32_t thread,
                                       const struct hrf_instruction *instruction)
{
    return program->threads[thread].instances[instruction->level];
}

/** Returns the threads that meet at a thread's barrier, as a mask. */
static inline uint32_t hrf_barrier_mask(const struct hrf_program *program, uint32_t thread,
                                        const struct hrf_instruction *barrier)
{
    return program->instances[hrf_instance_of(program, thread, barrier)].mask;
}

/** Returns whether an instance holds a thread. */
static inline bool hrf_instance_has(const struct hrf_program *program, uint16_t instance,
                                    uint32_t thread)
{
    return program->instances[instance].mask >> thread & 1;
}

/** Returns whether an instruction is an event that other threads could see. */
static inline bool hrf_is_event(enum hrf_op op)
{
    return op < HRF_SET;
}
static inline bool hrf_is_rmw(enum hrf_op op)
{
    return op >= HRF_ADD && op <= HRF_CAS;
}
/** Returns whether it has an order and a scope. */
static inline bool hrf_is_sync(enum hrf_op op)
{
    return op >= HRF_LOAD && op <= HRF_FENCE;
}
/** Returns whether it needs a value of memory. */
static inline bool hrf_reads(enum hrf_op op)
{
    return op == HRF_READ || op == HRF_LOAD || op == HRF_AWAIT || hrf_is_rmw(op);
}
/** Returns whether it stores, a compare-and-swap perhaps. */
static inline bool hrf_may_write(enum hrf_op op)
{
    return op == HRF_WRITE || op == HRF_STORE || hrf_is_rmw(op);
}

/** Most events of an execution: all of them once, or HRF_MAX_EVENTS if there is a loop. */
uint32_t hrf_max_events(const struct hrf_program *program);

void hrf_program_free(struct hrf_program *program);

#endif
