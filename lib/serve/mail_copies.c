/* SPDX-License-Identifier: MIT */
/*
 * A mailbox in device memory. See mail_copies.h.
 */
#include "serve/mail_copies.h"

#include "base/error.h"
#include "base/word.h"
#include "layout/mail.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <string.h>

int gravel_mail_copies_create(struct gravel_mail_copies *copies, const struct gravel_memory *memory,
                              uint64_t at, uint64_t bytes)
{
    *copies = (struct gravel_mail_copies){
        .device = memory->device, .arena = memory->region.buffer, .at = at};
    int code = gravel_cl_queue_create(memory->device, "the mailbox", &copies->queue);
    if (!code)
        code = gravel_pinned_create(&copies->image, memory->device, copies->queue,
                                    "pinned memory for the mailbox", NULL, bytes);
    if (!code)
        memset(copies->image.begin, 0, bytes);
    return code;
}

bool gravel_mail_copies_destroy(struct gravel_mail_copies *copies)
{
    if (!copies->device)
        return true;
    if (!gravel_wait_is_done(copies->device, copies->queue, "the mailbox's last copies"))
        return false;
    gravel_pinned_destroy(&copies->image);
    gravel_cl_queue_release(copies->queue);
    *copies = (struct gravel_mail_copies){.device = NULL};
    return true;
}

/* Bytes of the image to the mailbox. */
static cl_int copy(const struct gravel_mail_copies *copies, uint64_t at, size_t bytes)
{
    return clEnqueueWriteBuffer(copies->queue, copies->arena, CL_FALSE, copies->at + at, bytes,
                                copies->image.begin + at, 0, NULL, NULL);
}

int gravel_mail_copies_begin(const struct gravel_mail_copies *copies,
                             const struct gravel_mail_piece *piece)
{
    cl_int error = copy(copies, piece->slots_at, (size_t)piece->slot_bytes * piece->n);
    if (error == CL_SUCCESS)
        error =
            copy(copies, piece->published_at, piece->n * sizeof(uint32_t)); /* I5, behind them */
    return gravel_check_cl("copying mail to the device", gravel_cl_flush(copies->queue, error));
}

int gravel_mail_copies_fetch(const struct gravel_mail_copies *copies,
                             const struct gravel_mail_piece *piece)
{
    cl_event fetched = NULL;
    cl_int error =
        clEnqueueReadBuffer(copies->queue, copies->arena, CL_FALSE, copies->at + piece->slots_at,
                            (size_t)piece->slot_bytes * piece->n,
                            copies->image.begin + piece->slots_at, 0, NULL, &fetched);
    return gravel_wait_command(copies->device, copies->queue, error, fetched,
                               "fetching answers of mail");
}

void gravel_mail_copies_see(const struct gravel_mail_copies *copies, const void *words, uint32_t n)
{
    const struct gravelp_mail_words *seen = words;
    struct gravelp_mail_words *to = (void *)copies->image.begin;
    for (uint32_t i = 0; i < n; i++)
        gravel_word_store(&to[i].passed, seen[i].passed, memory_order_release); /* I6 */
}

int gravel_mail_copies_wait(const struct gravel_mail_copies *copies)
{
    return gravel_wait_queue(copies->device, copies->queue, "copying mail to the device");
}
