/* SPDX-License-Identifier: MIT */
/*
 * The pump, for its own files: pump.c has its thread and its life, drain.c the wait for all packages, and what the
 * device applies in place, move.c a round, blocks.c what it has the device bin.
 */
#ifndef GRAVEL_PUMP_PARTS_H
#define GRAVEL_PUMP_PARTS_H

#include "base/thread.h"
#include "opencl/objects.h"
#include "pump/block.h"
#include "pump/pump.h"
#include "memory/package.h"
#include "transport/pool.h"

#define GRAVEL_PUMP_FLIGHTS 8u /* copies under way, of each queue */
#define GRAVEL_PUMP_POLL_MIN \
    64u /* headers read of a queue that had nothing ready at the last poll */
/* Packages of a small round, of each queue: they come with the poll that finds them. */
#define GRAVEL_PUMP_FEW 16u
#define GRAVEL_PUMP_REST_MIN_US 50u /* after a poll that finds nothing, doubling: packages gather */
#define GRAVEL_PUMP_REST_MAX_US 500u
#define GRAVEL_PUMP_FIRST_REST_US \
    20u /* of a kernel that has just begun: a short one needs no poll */

/* How far a run of packages is. */
enum stage {
    FLIGHT_COUNTED, /* the device bins it, and the counts are under way */
    FLIGHT_BEGUN,   /* they have come, and more parts of the block wait for node buffers */
    FLIGHT_COPIED,  /* all copies are under way, of packages or of a block */
    FLIGHT_REFUSED, /* the device found that the run is not for it */
};

/* A run of packages under way. */
struct flight {
    enum stage stage;
    cl_event copied; /* its last copy so far */
    uint32_t end;    /* ticket after its last */
    uint32_t width;  /* bytes copied of each slot */
    /* If the device bins it; run.n_packages is 0 if its packages are copied. */
    struct gravel_package_run run;
    uint32_t room;
    uint32_t node, n_begun;        /* the next part, and how many of its messages have a buffer */
    uint32_t first;                /* where the part begins in the block */
    struct gravel_buffer **buffer; /* where the next buffer goes in the block's list */
};

/* The host's copy of a queue, and what is on its way there. */
struct mirror {
    struct gravelp_queue_words *words;
    /* the mirror's: reserved, waits and sessions are ours, consumed the aggregator's */
    unsigned char *slots;            /* the mirror's */
    struct gravel_lived clock;       /* what the device is shown */
    struct gravelp_package *headers; /* [poll_most] pinned; what the last poll saw */
    uint32_t wanted;
    /* headers to read at the next poll: of what is reserved, or twice what was ready */
    uint32_t n_ready;          /* the last poll found, if it found any */
    uint32_t n_with_poll;      /* slots that come with the poll under way */
    uint32_t taken;            /* tickets whose copies have been enqueued */
    uint32_t applied;          /* all packages before it are, as far as is known: drain.c */
    uint32_t applied_messages; /* in packages that the device has applied; free-running */
    uint32_t n_held;           /* packages behind them, which are copied behind the next poll */
    uint32_t held_width;       /* bytes copied of each */
    struct flight flights[GRAVEL_PUMP_FLIGHTS];
    uint32_t first_flight, n_flights;
    uint32_t first_room, n_rooms;                   /* that are in use: they are used in turn */
    struct gravel_block blocks[GRAVEL_BLOCK_ROOMS]; /* the aggregator's from U1 to C2 */
    struct gravel_pool pool;                        /* of the buffers that blocks are copied to */
    bool has_no_buffer;                             /* a block waits for one */
    struct gravel_pool pools[GRAVEL_BLOCK_ROOMS];   /* of headers for parts that stay in a room */
    _Alignas(GRAVELP_CACHELINE) uint32_t arrived;   /* U1: tickets brought; atomic */
    _Alignas(GRAVELP_CACHELINE) uint32_t held;      /* U8: the aggregator's; atomic */
};

/* What bins on the device: kernels of cl/kernels/aggregate.cl, and memory. It is made when the pump is created; none is
 * made or released later. */
struct binner {
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[3];        /* count_messages, order_tiles, group_by_node */
    cl_mem state;                /* see aggregate.cl */
    cl_mem tiles;                /* of a run of puts, see aggregate.cl */
    cl_mem rooms;                /* [n_queues][GRAVEL_BLOCK_ROOMS] on the device */
    struct gravel_pinned counts; /* [n_queues][GRAVEL_BLOCK_ROOMS] on the host */
    uint32_t counts_bytes;       /* what a block begins with; all are multiples of a line */
    uint32_t body_bytes;         /* of messages */
    uint32_t room_bytes;         /* a whole block, and gaps between its parts */
    uint32_t group;              /* work-items, a power of two */
    uint32_t most_groups;        /* that count */
    uint32_t n_replicas;
    uint32_t parity; /* of the next run, see aggregate.cl */
};

struct gravel_pump {
    struct gravel_pump_shape shape;
    struct gravelp_arena *arena; /* the host's, whose queues are the mirrors */
    cl_mem device;               /* the kernels' arena */
    cl_command_queue polls, moves;
    struct gravel_pinned staging; /* what the device has, what it is sent, headers */
    unsigned char *seen; /* [state_bytes] control block and queue words as the device has them */
    uint32_t state_bytes;
    struct gravelp_queue_words *credits; /* [n_queues] what the device is sent */
    cl_event credits_written;            /* of the last credits; NULL at first */
    struct mirror *mirrors;              /* [n_queues] */
    uint32_t n_queues, n_slots, slot_bytes;
    uint32_t poll_ahead; /* headers read of a queue at once, unless a block takes more packages */
    uint32_t poll_most;  /* headers read of a queue at once, in any case at most */
    bool has_reported_abort;
    bool drains_find;            /* packages, when a thread last drained */
    uint64_t n_host_calls;       /* U12: of them, those whose messages are applied */
    uint32_t n_passes, n_passed; /* drain.c: drains not to try in, and those passed */
    uint32_t n_polls;            /* U6: atomic; the lock is held */
    uint32_t bin_messages; /* fewest messages of a run that the device bins; 0: it bins none */
    struct binner binner;
    _Atomic uint64_t waits; /* of blocks for a buffer; one writer, relaxed */

    pthread_mutex_t lock;
    struct gravel_thread thread;
    _Atomic uint32_t n_draining;
    /* callers that drain: they do the thread's work if no kernel runs; relaxed */
    struct gravel_event event; /* wakes the thread: a launch, or stop */
    pthread_mutex_t watch_lock;
    cl_event watched;           /* the newest launch, retained; NULL if it has ended */
    _Atomic uint32_t n_watched; /* U9: launches, free-running */
    _Atomic uint32_t n_drained; /* U9: of them, those that ended before the last drain */
};

/** Runs one round for all queues. @param wait for the copies too. @param moved [out] packages found ready, packages
 * handed to an aggregator, and blocks whose counts came [count]. @return 0; GRAVEL_ECL. The lock is held. */
int gravel_pump_move(struct gravel_pump *pump, bool wait, uint32_t *moved);

/** Reports to the device, once, that the node has failed. The lock is held. */
cl_int gravel_pump_report_abort(struct gravel_pump *pump);

/** drain.c: take the pump's lock. @return 0; GRAVEL_EPEER: the node has failed, and another thread has the lock. */
int gravel_pump_lock(struct gravel_pump *pump);

/** Fails the node, as gravel_last_error says. The lock is held. @return code */
int gravel_pump_fail(struct gravel_pump *pump, int code);

/** Returns whether some package is reserved that has not arrived, as of the last poll. The lock is held. */
bool gravel_pump_is_behind(const struct gravel_pump *pump);

/* Step pump: a thread polls while kernels run. On drain none can. */
static inline bool gravel_pump_has_thread(const struct gravel_pump *pump)
{
    return gravel_step_is_pumped(pump->shape.memory->device->step);
}

/* Returns whether the queue's aggregator waits for a slow reader of lines, or a function of a stream. */
static inline bool gravel_pump_is_held(const struct gravel_pump *pump, uint32_t queue)
{
    return gravel_word_load(&pump->mirrors[queue].held, memory_order_relaxed); /* U8 */
}

/* Returns a package of a queue in the mirror. */
static inline struct gravelp_package *gravel_pump_slot(const struct gravel_pump *pump,
                                                       const struct mirror *mirror, uint32_t ticket)
{
    uint64_t slot = ticket & (pump->n_slots - 1);
    return (struct gravelp_package *)(mirror->slots + slot * pump->slot_bytes);
}

/* Returns the flight with so many before it. */
static inline struct flight *gravel_pump_flight(struct mirror *mirror, uint32_t i)
{
    return &mirror->flights[(mirror->first_flight + i) % GRAVEL_PUMP_FLIGHTS];
}

/* Returns where the next flight goes; there is room for it. */
static inline struct flight *gravel_pump_next_flight(struct mirror *mirror)
{
    return gravel_pump_flight(mirror, mirror->n_flights);
}

/* Keeps the newest of several commands; the queue is in order. */
static inline void gravel_pump_keep_last(cl_event *last, cl_event next)
{
    if (!next)
        return;
    gravel_cl_event_release(*last);
    *last = next;
}

/* Have the copies of packages begin, also before a call that failed. @return code; 0; GRAVEL_ECL. */
static inline int gravel_pump_flush(struct gravel_pump *pump, int code)
{
    cl_int error = clFlush(pump->moves);
    GRAVEL_TRY(code);
    return gravel_check_cl("fetching packages: clFlush", error);
}

/* Begins the next flight, of n packages. */
static inline void gravel_pump_begin_flight(struct mirror *mirror, uint32_t n)
{
    mirror->taken += n;
    gravel_pump_next_flight(mirror)->end = mirror->taken;
    mirror->n_flights++;
}

/* move.c: read only the words, on a queue, behind what is there. @return 0; GRAVEL_ECL; or given up. */
int gravel_pump_see_words(struct gravel_pump *pump, cl_command_queue on);
/* move.c: kernels that have ended need no room, and the next have enough: the words can wait for the thread's next
 * poll. */
bool gravel_pump_can_owe(const struct gravel_pump *pump);

/** device_aggregator.c: build the kernels, allocate the rooms. @return 0; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ENOMEM. */
int gravel_pump_make_binner(struct gravel_pump *pump);
/** Release what was made, also after it failed. */
void gravel_pump_release_binner(struct gravel_pump *pump);
/** Returns the messages of a command that a block holds [count]; 0: its runs are not binned, or it is malformed. */
uint32_t gravel_pump_block_fits(const struct gravel_pump *pump, uint32_t command);
/** Have a flight's run binned into its room, and the counts copied to the host: flight->copied is the copy's event,
 * after which the block is complete, and any command queue may copy from it. @return 0; GRAVEL_ECL. */
int gravel_pump_bin_run(struct gravel_pump *pump, struct flight *flight);
/** Returns the messages to each node [n_nodes] of a block whose counts have been copied. */
uint32_t *gravel_pump_block_counts(const struct gravel_pump *pump, const struct flight *flight);
/** Returns whether such a block holds what was to be binned; else its packages must be read one by one: a destination
 * does not exist, or a package is not what its header says. */
bool gravel_pump_block_is_right(const struct gravel_pump *pump, const struct flight *flight);
/** Returns where the messages of a block are on the device, from the first one on, gaps between parts included
 * (GRAVELP_BLOCK_PART). */
struct gravel_rows gravel_pump_block_rows(const struct gravel_pump *pump,
                                          const struct flight *flight, uint32_t first);

/*
 * blocks.c: of n packages, whose headers are given, the first that are to be copied.
 *
 * @param run  [out] if there are none: the packages that the device is to bin together.
 */
uint32_t gravel_pump_n_to_copy(const struct gravel_pump *pump,
                               const struct gravelp_package *headers, uint32_t n,
                               struct gravel_package_run *run);
/* Headers that the next poll of a queue reads, at most: of as many packages as hold a block's messages, if they are
 * like the n ready ones, whose headers are given. */
uint32_t gravel_pump_poll_ahead(const struct gravel_pump *pump,
                                const struct gravelp_package *headers, uint32_t n);
/* Have the device bin the next packages of a queue. @param n_binned  [out] 0 if there is no room for a block now.
 * @return 0; GRAVEL_ECL. */
int gravel_pump_bin(struct gravel_pump *pump, uint32_t queue, const struct gravel_package_run *run,
                    uint32_t *n_binned);
/* Forget rooms of blocks that have been shipped and applied. To be called at every poll: tickets wrap. */
void gravel_pump_free_rooms(struct mirror *mirror);
/* Begin the copies of a queue's blocks that have been binned, in their order, as far as there are buffers.
 * @param moved  [in, out] increased by how many blocks' counts have come. @return 0; GRAVEL_ECL. */
int gravel_pump_copy_blocks(struct gravel_pump *pump, struct mirror *mirror, uint32_t *moved);
/* Put the block of a flight whose copies have ended into the mirror. */
void gravel_pump_land_block(struct gravel_pump *pump, struct mirror *mirror,
                            const struct flight *flight);
/* Return the buffers of blocks that will not be shipped. */
void gravel_pump_drop_blocks(struct mirror *mirror);

#endif
