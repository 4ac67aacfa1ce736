/* SPDX-License-Identifier: MIT */
/*
 * Preloaded, it makes any driver break in the middle of the suite `waits`, the one that reads buffers of this size:
 * GRAVEL_TEST_DRIVER says how (crash, hang or wrong).
 *
 * Path: conformance.sh -> $LD_PRELOAD -> tools/conformance/waits.c.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 2048u
#define N_GOOD 200u /* reads before: more than the first line has */

typedef cl_int read_buffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                           const cl_event *, cl_event *);

static void break_down(unsigned char *data)
{
    const char *how = getenv("GRAVEL_TEST_DRIVER");
    if (how && !strcmp(how, "crash")) {
        fprintf(stderr, "the test driver says good-bye\n");
        abort();
    }
    while (how && !strcmp(how, "hang"))
        pause();
    data[0] ^= 1;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset,
                           size_t bytes, void *data, cl_uint n_wait, const cl_event *wait,
                           cl_event *event)
{
    static unsigned n_reads;
    read_buffer *next = NULL;
    void *address = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
    memcpy(&next, &address, sizeof address); /* ISO C has no cast for this */
    cl_int error = next(queue, buffer, blocks, offset, bytes, data, n_wait, wait, event);
    if (blocks && bytes == READ_BYTES && ++n_reads > N_GOOD)
        break_down(data);
    return error;
}
