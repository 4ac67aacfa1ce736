/* SPDX-License-Identifier: MIT */
/*
 * Uploads lent frames and has them applied. See lent.h.
 *
 * Berths form a ring. From the oldest on, some hold frames whose kernels are enqueued (begun), the next ones frames
 * that are on their way to the device, the rest none.
 *
 * Memory:  the upload's event orders the frame before its kernels, which one in-order queue orders; the event of the
 *          records' read orders both before the lender's callbacks.
 */
#include "resolve/on_device/lent.h"

#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/pinned.h"
#include "opencl/wait.h"

#include <stdlib.h>

/* While they are full the network thread waits, and nothing leaves either: two nodes seldom fill so many. */
#define N_BERTHS 16u

/* What check_indices finds: resolve.cl's `refused`. */
struct record {
    uint32_t found, index;
};

/* Room for one frame. */
struct berth {
    cl_mem uploaded; /* [max_frame_bytes] */
    struct gravel_loan loan;
    struct gravel_plan plan;
    uint64_t heap_offset;
    cl_event sent; /* the upload's */
};

struct gravel_lent {
    const struct gravel_device_runs *runs;
    struct gravel_lending lending;
    cl_command_queue uploads;
    cl_mem refused;               /* [N_BERTHS] struct record, on the device */
    struct gravel_pinned records; /* [N_BERTHS] struct record, as read */
    cl_event told;                /* of the read of all records under way; NULL: none is */
    uint32_t n_told;              /* frames, from the oldest on, that end with it */
    struct berth berths[N_BERTHS];
    uint32_t first;      /* the oldest frame's berth */
    uint32_t n, n_begun; /* frames; those of them whose kernels are enqueued */
};

static const char uploading[] = "resolver: uploading a frame";
static const char applying[] = "resolver: applying a frame";
static const char zeroing[] = "resolver: clEnqueueFillBuffer";

/* ---- create and destroy ---------------------------------------------------------------------- */

/* Makes all, and has the driver do what it puts off to a buffer's first use: later, a kernel of the user's may wait. */
static int make_all(struct gravel_lent *lent, uint64_t frame_bytes)
{
    const struct gravel_device *device = lent->runs->device;
    const uint64_t bytes = N_BERTHS * sizeof(struct record);
    GRAVEL_TRY(gravel_cl_queue_create(device, "resolver: uploads", &lent->uploads));
    GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", bytes, &lent->refused));
    GRAVEL_TRY(gravel_cl_buffer_zero(lent->uploads, lent->refused, 0, bytes, zeroing));
    GRAVEL_TRY(gravel_pinned_create(&lent->records, device, lent->uploads,
                                    "resolver: pinned memory", NULL, bytes));
    for (uint32_t i = 0; i < N_BERTHS; i++) {
        cl_mem *uploaded = &lent->berths[i].uploaded;
        GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", frame_bytes, uploaded));
        GRAVEL_TRY(gravel_cl_buffer_zero(lent->uploads, *uploaded, 0, frame_bytes, zeroing));
    }
    return gravel_wait_queue(device, lent->uploads, "resolver: first use of berths");
}

int gravel_lent_create(struct gravel_lent **out, const struct gravel_device_runs *runs,
                       uint64_t max_frame_bytes, const struct gravel_lending *lending)
{
    struct gravel_lent *lent = calloc(1, sizeof *lent);
    *out = lent;
    if (!lent)
        return gravel_fail(GRAVEL_ENOMEM, "frames lent to the resolver");
    lent->runs = runs;
    lent->lending = *lending;
    return make_all(lent, max_frame_bytes);
}

bool gravel_lent_destroy(struct gravel_lent *lent)
{
    if (!lent)
        return true;
    gravel_pinned_destroy(&lent->records);
    if (!gravel_wait_is_done(lent->runs->device, lent->uploads, "resolver: the last uploads"))
        return false;
    for (uint32_t i = 0; i < N_BERTHS; i++) {
        gravel_cl_event_release(lent->berths[i].sent);
        gravel_cl_buffer_release(lent->berths[i].uploaded);
    }
    gravel_cl_event_release(lent->told);
    gravel_cl_buffer_release(lent->refused);
    gravel_cl_queue_release(lent->uploads);
    free(lent);
    return true;
}

/* ---- a frame's way --------------------------------------------------------------------------- */

/* The berth of frame i, counted from the oldest. */
static struct berth *berth_of(struct gravel_lent *lent, uint32_t i)
{
    return &lent->berths[(lent->first + i) % N_BERTHS];
}

static uint32_t number_of(const struct gravel_lent *lent, const struct berth *berth)
{
    return (uint32_t)(berth - lent->berths);
}

static int enqueue_run(const struct gravel_lent *lent, const struct berth *berth,
                       const struct gravel_planned_run *planned, bool applies)
{
    const struct gravel_rows *rows = berth->loan.rows;
    struct gravel_device_run run = {
        .frame = rows ? rows->memory : berth->uploaded,
        .run = &planned->run,
        .heap_offset = berth->heap_offset,
        .refused = lent->refused,
        .record = number_of(lent, berth),
        .first = planned->first,
        .n_words = planned->n_words,
    };
    gravel_device_run_follow(&run, planned->at);
    if (rows) {
        run.indices_at = (uint32_t)rows->indices;
        run.values_at = (uint32_t)rows->values;
    }
    return applies ? gravel_device_runs_enqueue(lent->runs, &run)
                   : gravel_device_runs_check(lent->runs, &run);
}

/* Has the records of all frames that are begun read, unless they are being read: one read for many frames, as the
 * device's kernels wait for it. */
static int tell(struct gravel_lent *lent)
{
    if (lent->told || lent->n_begun == 0)
        return 0;
    cl_int error = clEnqueueReadBuffer(lent->runs->queue, lent->refused, CL_FALSE, 0,
                                       N_BERTHS * sizeof(struct record), lent->records.begin, 0,
                                       NULL, &lent->told);
    GRAVEL_TRY(gravel_check_cl(applying, error));
    lent->n_told = lent->n_begun;
    return gravel_check_cl(applying, clFlush(lent->runs->queue));
}

/* Gives the first frame that is not begun, and is on the device, back if it is a copy, and applies it: all runs are
 * checked before one is applied. */
static int begin(struct gravel_lent *lent)
{
    struct berth *berth = berth_of(lent, lent->n_begun);
    const struct gravel_plan *plan = &berth->plan;
    gravel_cl_event_release(berth->sent);
    berth->sent = NULL;
    if (!berth->loan.rows)
        lent->lending.give_back(lent->lending.context, &berth->loan);
    for (uint32_t i = 0; i < 2 * plan->n_runs; i++)
        GRAVEL_TRY(enqueue_run(lent, berth, &plan->runs[i % plan->n_runs], i >= plan->n_runs));
    lent->n_begun++;
    return lent->told ? gravel_check_cl(applying, clFlush(lent->runs->queue)) : tell(lent);
}

/* Reports the oldest frame, which is applied or refused. */
static int end(struct gravel_lent *lent)
{
    struct berth *berth = berth_of(lent, 0);
    struct gravel_refusal refusal = {.code = 0};
    const struct record *record =
        (const struct record *)(void *)lent->records.begin + number_of(lent, berth);
    const struct gravel_expect expect = gravel_loan_expects(&berth->loan);
    const bool is_refused = record->found != 0;
    int code = 0;
    lent->first = (lent->first + 1) % N_BERTHS;
    lent->n--;
    lent->n_begun--;
    if (is_refused) {
        gravel_decode_refuse_index(&berth->plan, &expect, UINT32_MAX - record->found, record->index,
                                   &refusal);
        code = gravel_cl_buffer_zero(lent->runs->queue, lent->refused,
                                     number_of(lent, berth) * sizeof *record, sizeof *record,
                                     applying);
    }
    if (berth->loan.rows)
        lent->lending.give_back(lent->lending.context, &berth->loan);
    lent->lending.ended(lent->lending.context, &berth->loan,
                        is_refused ? 0 : berth->plan.n_messages, &refusal);
    return code;
}

/* The records are read: end the frames that they tell of. */
static int end_told(struct gravel_lent *lent)
{
    /* It returns at once, and orders the records' read before ours. */
    int code = gravel_check_cl(applying, clWaitForEvents(1, &lent->told));
    gravel_cl_event_release(lent->told);
    lent->told = NULL;
    for (; lent->n_told && !code; lent->n_told--)
        code = end(lent);
    return code ? code : tell(lent);
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Wait for the upload of the first frame that is not begun. */
static int wait_to_begin(struct gravel_lent *lent)
{
    const struct berth *berth = berth_of(lent, lent->n_begun);
    if (!berth->loan.rows)
        GRAVEL_TRY(gravel_wait_event(lent->runs->device, berth->sent, uploading));
    return begin(lent);
}

int gravel_lent_begin_all(struct gravel_lent *lent)
{
    int code = 0;
    while (!code && lent->n_begun < lent->n)
        code = wait_to_begin(lent);
    return code;
}

static int finish_oldest(struct gravel_lent *lent)
{
    if (!lent->n_begun)
        GRAVEL_TRY(wait_to_begin(lent));
    GRAVEL_TRY(gravel_wait_event(lent->runs->device, lent->told, applying));
    return end_told(lent);
}

int gravel_lent_finish(struct gravel_lent *lent)
{
    int code = gravel_lent_begin_all(lent);
    while (!code && lent->n)
        code = finish_oldest(lent);
    return code;
}

/* Whether an event has come, or there is none to wait for. @return 0; GRAVEL_ECL. */
static int ask(cl_event event, const char *what, bool *has_come)
{
    *has_come = !event;
    if (*has_come)
        return 0;
    cl_int status = gravel_cl_event_status(event);
    *has_come = status == CL_COMPLETE;
    return status < CL_COMPLETE ? gravel_fail_cl(what, status) : 0;
}

int gravel_lent_look(struct gravel_lent *lent, bool *moved)
{
    bool has_come = true;
    int code = 0;
    *moved = false;
    while (!code && lent->n_begun < lent->n && has_come) {
        code = ask(berth_of(lent, lent->n_begun)->sent, uploading, &has_come);
        if (!code && has_come)
            code = begin(lent);
        *moved |= has_come;
    }
    has_come = true;
    while (!code && lent->told && has_come) {
        code = ask(lent->told, applying, &has_come);
        if (!code && has_come)
            code = end_told(lent);
        *moved |= has_come;
    }
    return code;
}

int gravel_lent_make_room(struct gravel_lent *lent)
{
    return lent->n == N_BERTHS ? finish_oldest(lent) : 0;
}

int gravel_lent_take(struct gravel_lent *lent, const void *frame, const struct gravel_plan *plan,
                     const struct gravel_loan *loan, uint64_t heap_offset)
{
    struct berth *berth = berth_of(lent, lent->n);
    cl_int error = CL_SUCCESS;
    if (!loan->rows)
        error = clEnqueueWriteBuffer(lent->uploads, berth->uploaded, CL_FALSE, 0, loan->bytes,
                                     frame, 0, NULL, &berth->sent);
    if (!loan->rows && error == CL_SUCCESS)
        error = clFlush(lent->uploads);
    GRAVEL_TRY(gravel_check_cl(uploading, error));
    berth->loan = *loan;
    berth->plan = *plan;
    berth->heap_offset = heap_offset;
    lent->n++;
    return 0;
}
