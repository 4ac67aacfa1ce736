/* SPDX-License-Identifier: MIT */
/*
 * Copies through pinned memory. See copier.h.
 */
#include "opencl/copier.h"

#include "base/error.h"
#include "opencl/pinned.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPIER_BYTES \
    (1u << 20) /* stays in a cache; and a copy of so much hides what starting it costs */

struct gravel_copier {
    const struct gravel_device *device;
    cl_command_queue queue;
    struct gravel_pinned pinned; /* [COPIER_BYTES] */
    pthread_mutex_t lock;
    int given_up; /* what a wait returned; the copy may still use the memory then */
};

int gravel_copier_create(struct gravel_copier **out, const struct gravel_device *device,
                         cl_command_queue queue)
{
    struct gravel_copier *copier = calloc(1, sizeof *copier);
    *out = copier;
    if (!copier)
        return gravel_fail(GRAVEL_ENOMEM, "copies of the heap");
    copier->device = device;
    copier->queue = queue;
    pthread_mutex_init(&copier->lock, NULL);
    return gravel_pinned_create(&copier->pinned, device, queue,
                                "pinned memory for the heap's copies", NULL, COPIER_BYTES);
}

void gravel_copier_destroy(struct gravel_copier *copier)
{
    if (!copier)
        return;
    gravel_pinned_destroy(&copier->pinned);
    pthread_mutex_destroy(&copier->lock);
    free(copier);
}

/* Whoever waits here is asked too: the copy before it may be the one that never ends. */
static int lock(struct gravel_copier *copier, const char *what)
{
    struct gravel_patience_times times = {0};
    int code = 0;
    while (!code && pthread_mutex_trylock(&copier->lock)) {
        code = gravel_patience_ask(copier->device, what, &times);
        usleep(20);
    }
    if (code || !copier->given_up)
        return code;
    code = gravel_fail(copier->given_up, "%s: the device has not ended an earlier copy", what);
    pthread_mutex_unlock(&copier->lock);
    return code;
}

/* Wait for a piece. @param copied  released. */
static int wait_for_piece(struct gravel_copier *copier, cl_int error, cl_event copied,
                          const char *what)
{
    if (error != CL_SUCCESS)
        return gravel_fail_cl(what, error);
    clFlush(copier->queue);
    int code = gravel_patience_wait(copier->device, copied, what);
    clReleaseEvent(copied);
    if (gravel_patience_gave_up(code))
        copier->given_up = code;
    return code;
}

int gravel_copier_read(struct gravel_copier *copier, cl_mem buffer, uint64_t from, void *to,
                       uint64_t bytes)
{
    static const char what[] = "reading the heap: clEnqueueReadBuffer";
    int code = lock(copier, what);
    if (code)
        return code;
    for (uint64_t done = 0, piece; done < bytes && !code; done += piece) {
        cl_event copied = NULL;
        piece = bytes - done < COPIER_BYTES ? bytes - done : COPIER_BYTES;
        cl_int error = clEnqueueReadBuffer(copier->queue, buffer, CL_FALSE, from + done, piece,
                                           copier->pinned.begin, 0, NULL, &copied);
        code = wait_for_piece(copier, error, copied, what);
        if (!code)
            memcpy((unsigned char *)to + done, copier->pinned.begin, piece);
    }
    pthread_mutex_unlock(&copier->lock);
    return code;
}

int gravel_copier_write(struct gravel_copier *copier, cl_mem buffer, uint64_t to, const void *from,
                        uint64_t bytes)
{
    static const char what[] = "writing the heap: clEnqueueWriteBuffer";
    int code = lock(copier, what);
    if (code)
        return code;
    for (uint64_t done = 0, piece; done < bytes && !code; done += piece) {
        cl_event copied = NULL;
        piece = bytes - done < COPIER_BYTES ? bytes - done : COPIER_BYTES;
        memcpy(copier->pinned.begin, (const unsigned char *)from + done, piece);
        cl_int error = clEnqueueWriteBuffer(copier->queue, buffer, CL_FALSE, to + done, piece,
                                            copier->pinned.begin, 0, NULL, &copied);
        code = wait_for_piece(copier, error, copied, what);
    }
    pthread_mutex_unlock(&copier->lock);
    return code;
}
