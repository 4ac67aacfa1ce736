/* SPDX-License-Identifier: MIT */
/*
 * Copies through pinned memory. See copy.h.
 */
#include "opencl/copy.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CRATE_BYTES \
    (1u << 20) /* stays in a cache; and a copy of so much hides what starting it costs */

struct gravel_crate {
    const struct gravel_device *device;
    cl_command_queue queue;
    cl_mem pinned;
    unsigned char *memory; /* [CRATE_BYTES] mapped all the time */
    pthread_mutex_t lock;
    int given_up; /* what a wait returned; the copy may still use the memory then */
};

int gravel_crate_create(struct gravel_crate **out, const struct gravel_device *device,
                        cl_command_queue queue)
{
    cl_int error;
    struct gravel_crate *crate = calloc(1, sizeof *crate);
    *out = crate;
    if (!crate)
        return gravel_fail(GRAVEL_ENOMEM, "copies of the heap");
    crate->device = device;
    crate->queue = queue;
    pthread_mutex_init(&crate->lock, NULL);
    crate->pinned = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                   CRATE_BYTES, NULL, &error);
    if (error == CL_SUCCESS)
        crate->memory =
            clEnqueueMapBuffer(queue, crate->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                               CRATE_BYTES, 0, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        return 0;
    crate->memory = NULL;
    return gravel_fail(GRAVEL_ENOMEM, "%u bytes of pinned memory for copies of the heap: %s",
                       CRATE_BYTES, gravel_cl_error(error));
}

void gravel_crate_destroy(struct gravel_crate *crate)
{
    if (!crate)
        return;
    if (crate->memory)
        clEnqueueUnmapMemObject(crate->queue, crate->pinned, crate->memory, 0, NULL, NULL);
    if (crate->pinned)
        clReleaseMemObject(crate->pinned);
    pthread_mutex_destroy(&crate->lock);
    free(crate);
}

/* Whoever waits here is asked too: the copy before it may be the one that never ends. */
static int lock(struct gravel_crate *crate, const char *what)
{
    struct gravel_patience_times times = {0};
    int code = 0;
    while (!code && pthread_mutex_trylock(&crate->lock)) {
        code = gravel_patience_ask(crate->device, what, &times);
        usleep(20);
    }
    if (code || !crate->given_up)
        return code;
    code = gravel_fail(crate->given_up, "%s: the device has not ended an earlier copy", what);
    pthread_mutex_unlock(&crate->lock);
    return code;
}

/* Wait for a piece. @param copied  released. */
static int wait_for_piece(struct gravel_crate *crate, cl_int error, cl_event copied,
                          const char *what)
{
    if (error != CL_SUCCESS)
        return gravel_fail_cl(what, error);
    clFlush(crate->queue);
    int code = gravel_patience_wait(crate->device, copied, what);
    clReleaseEvent(copied);
    if (gravel_patience_gave_up(code))
        crate->given_up = code;
    return code;
}

int gravel_crate_read(struct gravel_crate *crate, cl_mem buffer, uint64_t from, void *to,
                      uint64_t bytes)
{
    static const char what[] = "reading the heap: clEnqueueReadBuffer";
    int code = lock(crate, what);
    if (code)
        return code;
    for (uint64_t done = 0, piece; done < bytes && !code; done += piece) {
        cl_event copied = NULL;
        piece = bytes - done < CRATE_BYTES ? bytes - done : CRATE_BYTES;
        cl_int error = clEnqueueReadBuffer(crate->queue, buffer, CL_FALSE, from + done, piece,
                                           crate->memory, 0, NULL, &copied);
        code = wait_for_piece(crate, error, copied, what);
        if (!code)
            memcpy((unsigned char *)to + done, crate->memory, piece);
    }
    pthread_mutex_unlock(&crate->lock);
    return code;
}

int gravel_crate_write(struct gravel_crate *crate, cl_mem buffer, uint64_t to, const void *from,
                       uint64_t bytes)
{
    static const char what[] = "writing the heap: clEnqueueWriteBuffer";
    int code = lock(crate, what);
    if (code)
        return code;
    for (uint64_t done = 0, piece; done < bytes && !code; done += piece) {
        cl_event copied = NULL;
        piece = bytes - done < CRATE_BYTES ? bytes - done : CRATE_BYTES;
        memcpy(crate->memory, (const unsigned char *)from + done, piece);
        cl_int error = clEnqueueWriteBuffer(crate->queue, buffer, CL_FALSE, to + done, piece,
                                            crate->memory, 0, NULL, &copied);
        code = wait_for_piece(crate, error, copied, what);
    }
    pthread_mutex_unlock(&crate->lock);
    return code;
}
