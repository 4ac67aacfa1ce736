/* SPDX-License-Identifier: MIT */
/*
 * The resolver, for its own files, and frames in flight to a heap that only the device can address.
 *
 * Frames in flight form a ring. From the oldest on, some have their kernels enqueued (begun), the next ones are on
 * their way to the device, the rest of the ring is free. All kernels go to one in-order queue of the resolver's own, so
 * that nothing waits behind the caller's kernels.
 *
 * A frame that is copied (copied.c) goes to that queue as a whole, from pinned memory: while the device applies one,
 * the host checks and copies the next. A long frame of updates and puts in pinned memory is kept (ring.c): another
 * queue uploads it from where it lies, so that it travels while the frame before it is applied, and no thread of the
 * host reads or copies a message. Its kernels are enqueued when the host sees that the upload has ended: the device
 * checks the indices of all runs before one is applied. A part of a block that never left the device (received->rows)
 * takes the same way without the upload. A read behind the kernels says which frames had an index that was refused;
 * with it all frames end that were begun before it, and the next read begins when it has ended.
 *
 * No command waits for one of another queue: on NVIDIA such a wait does not end while a kernel waits.
 *
 * Path:    resolver.c, decode.h -> ring.c, copied.c -> runs.c -> cl/kernels/resolve.cl, and handlers.
 * Owner:   the resolver owns its queues, program and buffers; a frame is the owner's again when give_back is called,
 *          one that is not kept when the call returns.
 * Threads: one at a time; the callbacks are made by it. No other kernel or thread changes heap words, except the
 *          caller's own kernels.
 * Memory:  an upload's event orders the frame before its kernels, which one in-order queue orders; the event of the
 *          records' read orders both before the owner's callbacks.
 */
#ifndef GRAVEL_RESOLVE_ON_DEVICE_RING_H
#define GRAVEL_RESOLVE_ON_DEVICE_RING_H

#include "base/error.h"
#include "device/device.h"
#include "layout/arena.h"
#include "opencl/region.h"
#include "resolve/resolver.h"

/* ---- runs.c: the kernels of cl/kernels/resolve.cl, and which of them a run needs --------------- */

/* A run of updates or requests takes one kernel. A run of puts takes a fill and two, by way of a hash table, or one
 * that goes through it message by message on CPU devices. All are enqueued in order. */

#define GRAVEL_RUN_KERNELS 9u

/* A run on the device. The caller sets `refused`, `record`, `first` and n_words if the device checks the indices. */
struct gravel_device_run {
    const struct gravel_run *run;   /* its header on the host; used until the call returns */
    cl_mem frame;                   /* what its rows lie in; requests get their answers there */
    uint32_t indices_at, values_at; /* [bytes] in `frame` */
    uint32_t kind, is_far;          /* the command's parts, as resolve.cl has them */
    uint64_t heap_offset, base;     /* of the node's heap, of index 0 in the arena [bytes] */
    cl_mem refused;                 /* see resolve.cl; at first the record of a checked frame */
    uint32_t record;                /* its number in `refused` */
    uint32_t first;                 /* messages of the frame before it */
    uint64_t n_words; /* as a plan of the frame says; 0: the host has checked the indices */
};

/** Build the kernels; allocate the table. @return 0; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ENOMEM. */
int gravel_runs_create(struct gravel_resolver *resolver);
/** Release what create made, also after it failed. */
void gravel_runs_destroy(struct gravel_resolver *resolver);

/** Enqueue the comparison of a run's indices with n_words: of all runs of a frame before one of them is applied.
 * @return 0; GRAVEL_ECL. */
int gravel_runs_check(const struct gravel_resolver *resolver, const struct gravel_device_run *run);

/** Describes a run whose rows follow its header. @param at  of the run in the frame [bytes]. */
struct gravel_device_run gravel_run_of(const struct gravel_resolver *resolver,
                                       const struct gravel_run *run, cl_mem frame, uint64_t at,
                                       uint64_t heap_offset);

/** Enqueue a run that addresses words, and its signal. @return 0; GRAVEL_ECL. */
int gravel_runs_enqueue(const struct gravel_resolver *resolver,
                        const struct gravel_device_run *run);

/** Returns whether a frame of one run may go with the launch, and needs no upload. */
bool gravel_runs_can_give(const struct gravel_resolver *resolver, const struct gravel_run *run,
                          uint32_t frame_bytes);

/** Enqueue such a frame, used until the call returns. run->frame, which it is stored in, is not read after its kernel.
 * @return 0; GRAVEL_ECL. */
int gravel_runs_give(const struct gravel_resolver *resolver, const struct gravel_device_run *run,
                     const void *frame, uint32_t frame_bytes);

/** Enqueue every kernel that the device needs on nothing, so that whatever a driver puts off to a kernel's or a
 * buffer's first use is done: later, while a kernel waits for the resolver, it might wait for that kernel
 * (NVIDIA's does). @return 0; GRAVEL_ECL. */
int gravel_runs_warm_up(const struct gravel_resolver *resolver, cl_mem uploaded);

/* ---- the ring ---------------------------------------------------------------------------------- */

/* A pinned frame so long [bytes] is uploaded in less time than it takes to copy it. */
#define GRAVEL_STRAIGHT_BYTES (256u << 10)

/* While the ring is full the network thread waits, and nothing leaves either: two nodes seldom fill so many. */
#define GRAVEL_IN_FLIGHT 16u
/* Staging slots, which frames that are copied have in turn. */
#define GRAVEL_STAGED 4u

/* What check_indices finds: resolve.cl's `refused`. */
struct gravel_index_record {
    uint32_t found, index;
};
#define GRAVEL_RECORDS_BYTES (GRAVEL_IN_FLIGHT * sizeof(struct gravel_index_record))

/* A slot of the ring. */
struct gravel_in_flight {
    cl_mem uploaded; /* [max_frame_bytes] on the device */
    bool is_kept;    /* its owner is called back; else it was copied */
    /* Of a frame that is kept: */
    struct gravel_received received;
    struct gravel_plan plan;
    uint64_t heap_offset;
    cl_event sent; /* its upload; NULL: none that may be under way */
};

struct gravel_resolver {
    struct gravel_resolver_shape shape;
    /* Where the host reaches the heap, all that follows is zero, and no frame is ever in flight. */
    const struct gravel_device *device;
    cl_command_queue queue, uploads;
    cl_mem refused; /* [GRAVEL_IN_FLIGHT] records on the device */
    struct gravel_pinned records;
    /* records as read; then [GRAVEL_STAGED] frames of max_frame_bytes, a multiple of a line */
    cl_event copied[GRAVEL_STAGED]; /* the last upload from each; or NULL */
    uint32_t n_copied;              /* uploads so far: which slot is next */
    cl_event reading;               /* of the read of all records under way; NULL: none is */
    uint32_t n_read;                /* frames, from the oldest on, that end with it */
    struct gravel_in_flight frames[GRAVEL_IN_FLIGHT];
    uint32_t first;            /* the oldest frame's slot */
    uint32_t n, n_begun;       /* frames; those of them whose kernels are enqueued */
    struct gravel_kept broken; /* why frames that were under way are not applied; stays */
    /* runs.c: */
    bool is_serial; /* a CPU device: the plain loop is the fastest, and no table is needed */
    _Atomic bool is_shared; /* U14: kernels of rounds change words, too: a loop only stores */
    bool takes_given;       /* the device accepts a short frame as an argument */
    bool is_in_place;       /* packages are applied where they lie */
    size_t group;           /* [work-items] */
    cl_program program;
    cl_kernel kernels[GRAVEL_RUN_KERNELS];
    cl_mem last;
    /* find_last's table for the longest run of puts, in a frame or a block; NULL if is_serial */
    cl_mem passed; /* a record of no index refused: of frames that the host has checked */
    /* Packages in place; of one thread at a time, who has the pump's lock. */
    cl_mem spans;                /* [GRAVELP_BOUNDS_MOST] struct gravelp_bounds_span: allocations */
    struct gravel_pinned staged; /* what they are copied from */
    uint64_t n_changes;          /* of the allocation table, as of the last copy */
    uint32_t n_spans;            /* copied; 0 before the first copy, and where there are too many */
};

/** Build the kernels and make the ring. @return 0; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ENOMEM. */
int gravel_ring_create(struct gravel_resolver *resolver);
/** Release what create made, also after it failed. @return false if the device may still use it. */
bool gravel_ring_destroy(struct gravel_resolver *resolver);

/**
 * Keep a frame until the device has it, and apply it then, in order, if it is one whose indices the device checks.
 *
 * @param frame        [received->bytes] as received.
 * @param heap_offset  from the start of the arena to offset 0 of the node's heap [bytes], a multiple of 8.
 * @param is_kept      [out] if false, and it is not refused and the call does not fail, it is another frame.
 * @param refusal      [out] why it is refused.
 * @return             0; GRAVEL_ECL, or given up, and the frame is not kept.
 */
int gravel_ring_keep(struct gravel_resolver *resolver, const void *frame,
                     const struct gravel_received *received, const struct gravel_expect *expect,
                     uint64_t heap_offset, bool *is_kept, struct gravel_refusal *refusal);

/**
 * Apply the messages of a frame, run by run, in order: handlers before the call returns, words by commands that
 * are under way then. gravel_resolver_finish waits for them.
 *
 * @param frame    passed by gravel_decode_check, 8-byte aligned; its requests have their answers when the call returns,
 *                 and its signals are raised with its messages.
 * @param applied  [in, out] zeroed; as gravel_apply_runs fills it; after an error, what was enqueued before.
 * @return         0; GRAVEL_ECL, and then the heap may have a part of the frame; GRAVEL_EINVAL: the frame is longer
 *                 than max_frame_bytes, and nothing is applied.
 *
 * A failed handler stops nothing. Sums of floats are in no particular order.
 *
 * Memory:  kernels and copies enqueued, to any queue of the context, after finish has returned see what was applied.
 */
int gravel_ring_copy(struct gravel_resolver *resolver, uint64_t heap_offset,
                     struct gravel_frame *frame, struct gravel_applied *applied);

/* For copied.c. */
/** Begin all frames that are not begun, and make room for one more. @param slot  [out] free. */
int gravel_ring_make_room(struct gravel_resolver *resolver, bool begins_all,
                          struct gravel_in_flight **slot);
/** Notes that frames under way are never applied if `code` is an error: every later call says so. @return code */
int gravel_ring_note(struct gravel_resolver *resolver, int code);

static inline bool gravel_ring_uploads_straight(const struct gravel_resolver *resolver,
                                                const void *frame, uint64_t bytes)
{
    return bytes >= GRAVEL_STRAIGHT_BYTES && gravel_memory_is_pinned(resolver->shape.memory, frame);
}

#endif
