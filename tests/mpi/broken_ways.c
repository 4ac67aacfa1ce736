/* SPDX-License-Identifier: MIT */
/*
 * A node whose ways to others break: it ends, says why, and all others end with it.
 *
 * usage: mpirun ... broken_ways MODE    fault.sh counts the nodes that print "as expected"
 *     post    MPI takes no more receives
 *     test    MPI says that a frame will never come, while heartbeats do
 *     get     no memory for the frame that asks
 *     header  a frame whose header is not the sender's
 *
 * Path: fault.sh -> mpirun -> this -> lib/transport/mpi.c, lib/network
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "transport/buffer.h"
#include "transport/frames.h"

#define LIMIT_S 15.0
#define FRAME_TAG 0
#define MOST_RECEIVES 16

/* What goes wrong from now on, in this node's network thread. */
static _Atomic bool breaks_post, breaks_test, breaks_get, breaks_header, breaks_sends;
static MPI_Request *receives[MOST_RECEIVES]; /* of frames */
static int n_receives;

int __real_MPI_Irecv(void *data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Irecv(void *data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __real_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
struct gravel_buffer *__real_gravel_buffer_create(uint32_t capacity);
struct gravel_buffer *__wrap_gravel_buffer_create(uint32_t capacity);
int __real_MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);

int __wrap_MPI_Irecv(void *data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    if (breaks_post && tag == FRAME_TAG) {
        *request = MPI_REQUEST_NULL;
        return MPI_ERR_OTHER;
    }
    if (tag == FRAME_TAG && n_receives < MOST_RECEIVES)
        receives[n_receives++] = request;
    return __real_MPI_Irecv(data, n, type, source, tag, comm, request);
}

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    for (int i = 0; breaks_test && i < n_receives; i++)
        if (receives[i] == request)
            return MPI_ERR_OTHER;
    return __real_MPI_Test(request, flag, status);
}

struct gravel_buffer *__wrap_gravel_buffer_create(uint32_t capacity)
{
    bool is_get = capacity == sizeof(struct gravel_get_frame);
    return is_get && breaks_get ? NULL : __real_gravel_buffer_create(capacity);
}

int __wrap_MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    if (breaks_header && tag == FRAME_TAG)
        ((struct gravel_frame *)(uintptr_t)data)->version++;
    return __real_MPI_Isend(data, n, type, to, tag, comm, request);
}

int __real_MPI_Testsome(int n, MPI_Request *requests, int *n_ended, int *ended,
                        MPI_Status *statuses);
int __wrap_MPI_Testsome(int n, MPI_Request *requests, int *n_ended, int *ended,
                        MPI_Status *statuses);

int __wrap_MPI_Testsome(int n, MPI_Request *requests, int *n_ended, int *ended,
                        MPI_Status *statuses)
{
    if (breaks_sends)
        return MPI_ERR_OTHER;
    return __real_MPI_Testsome(n, requests, n_ended, ended, statuses);
}

static const struct {
    const char *name;
    _Atomic bool *breaks;
    uint32_t breaker, failing; /* nodes */
    int code;
    const char *text;
} modes[] = {
    {"post", &breaks_post, 1, 1, GRAVEL_EMPI, "MPI_Irecv: "},
    {"test", &breaks_test, 1, 1, GRAVEL_EMPI, "frames to this node are lost: MPI_Test: "},
    {"sends", &breaks_sends, 1, 1, GRAVEL_EMPI, "MPI_Testsome: "},
    {"get", &breaks_get, 1, 1, GRAVEL_ENOMEM, "no memory for a control frame"},
    {"header", &breaks_header, 0, 1, GRAVEL_ECORRUPT, "from node 0 has a bad header"},
};

/* Nodes 0 and 1 write to and read from each other until the node has failed. */
static int talk(struct gravel *gravel, uint64_t memory)
{
    unsigned char data[100] = {1};
    uint32_t node = gravel_node(gravel);
    int code = 0;
    while (!code) {
        code = node < 2 ? gravel_put(gravel, memory, data, sizeof data, 1 - node) : 0;
        if (!code)
            code = gravel_quiet(gravel);
        if (!code && node == 1)
            code = gravel_get(gravel, memory, data, sizeof data, 0);
    }
    return code;
}

int main(int argc, char **argv)
{
    watch(60, "broken ways");
    size_t m = 0;
    while (argc < 2 || strcmp(modes[m].name, argv[1]))
        MUST(++m < sizeof modes / sizeof *modes);
    struct gravel *gravel = open_default(NULL);
    uint32_t node = gravel_node(gravel);
    uint64_t memory = alloc_or_die(gravel, 1 << 16);
    double begin = seconds_now();
    *modes[m].breaks = node == modes[m].breaker;
    int code = talk(gravel, memory);
    MUST(is_within(begin, LIMIT_S));
    printf("node %u: %d %s\n", node, code, gravel_last_error());
    MUST(code == (node == modes[m].failing ? modes[m].code : GRAVEL_EPEER));
    MUST(strstr(gravel_last_error(), modes[m].text));
    MUST(node == modes[m].failing || strstr(gravel_last_error(), "node 1 gave up"));
    printf("node %u: as expected: %s\n", node, gravel_last_error());
    fflush(stdout);
    MUST(gravel_close(gravel) == code);
    _exit(0);
}
