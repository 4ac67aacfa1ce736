/* SPDX-License-Identifier: MIT */
/*
 * A node that is killed while words of a mirror are under way: when they are packed and none has been copied to a frame,
 * or when the words of one node have left and those of the next have not. Those that live end within their limits, name
 * it, and can free what they have.
 *
 * usage: mpirun -np 3 ... killed_while_sharing copies_packed | copies_half | slots_packed | slots_half      fault.sh counts
 *
 * The linker sends the calls here (--wrap).
 *
 * Path: fault.sh -> mpirun -> this -> lib/mirror/share.c
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bodies.h"
#include "node/node.h"

#include <gravel/mirror.h>

#define N_NODES 3u
#define N_WORDS 100000u /* of each node: several frames */
#define N_BEFORE 3u     /* exchanges that succeed */

static uint32_t last_put; /* number of the put that node 1 does not make; 0 elsewhere */

int __real_gravel_node_put_heap(struct gravel *gravel, const char *call, uint32_t heap,
                                uint64_t from, uint64_t to, uint64_t bytes, uint32_t node);
int __wrap_gravel_node_put_heap(struct gravel *gravel, const char *call, uint32_t heap,
                                uint64_t from, uint64_t to, uint64_t bytes, uint32_t node);
int __wrap_gravel_node_put_heap(struct gravel *gravel, const char *call, uint32_t heap,
                                uint64_t from, uint64_t to, uint64_t bytes, uint32_t node)
{
    static uint32_t n_puts;
    if (last_put && ++n_puts == last_put)
        raise(SIGKILL);
    return __real_gravel_node_put_heap(gravel, call, heap, from, to, bytes, node);
}

/* Of every node all words. */
static struct gravel_mirror *make_mirror(struct gravel *gravel, bool has_slots)
{
    uint64_t array = alloc_or_die(gravel, N_WORDS * sizeof(uint32_t)), n_words[N_NODES];
    uint32_t *indices = malloc(N_NODES * N_WORDS * sizeof *indices);
    struct gravel_mirror *mirror;
    MUST(indices && gravel_n_nodes(gravel) == N_NODES);
    for (uint32_t i = 0; i < N_NODES * N_WORDS; i++)
        indices[i] = i % N_WORDS;
    for (uint32_t node = 0; node < N_NODES; node++)
        n_words[node] = N_WORDS;
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    OK(has_slots ? gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words)
                 : gravel_mirror_create(&mirror, gravel, &words));
    free(indices);
    return mirror;
}

/* An exchange, beside a kernel that reads where words arrive next or leave from. */
static int share(struct gravel *gravel, struct gravel_mirror *mirror, cl_kernel kernel)
{
    const uint64_t offset = gravel_mirror_offset(mirror);
    int code = gravel_mirror_begin(mirror);
    MUST(clSetKernelArg(kernel, 1, sizeof offset, &offset) == CL_SUCCESS);
    if (!code)
        code = run_kernel(gravel, kernel, 4096, 64);
    return code ? code : gravel_mirror_end(mirror);
}

static void expect_death(int code)
{
    if (code != GRAVEL_EPEER || !strstr(gravel_last_error(), "node 1 "))
        die(__FILE__, __LINE__, "%s (%d): %s", gravel_strerror(code), code, gravel_last_error());
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    watch(45, argv[1]);
    struct gravel *gravel = open_default(NULL);
    struct gravel_mirror *mirror = make_mirror(gravel, !strncmp(argv[1], "slots", 5));
    uint64_t sums = alloc_or_die(gravel, 4096 * sizeof(uint32_t));
    cl_kernel kernel = body_kernel(gravel,
                                   "((global uint *)gravel_local(g, b))[i] += "
                                   "((global const uint *)gravel_local(g, a))[i];",
                                   (const uint64_t[3]){0, sums});
    OK(gravel_barrier(gravel));
    if (gravel_node(gravel) == 1)
        last_put = N_BEFORE * N_NODES + (strstr(argv[1], "half") ? 2 : 1);
    int code;
    for (uint32_t n = 0; !(code = share(gravel, mirror, kernel)); n++)
        MUST(n < N_BEFORE);
    expect_death(code);
    expect_death(gravel_mirror_share(mirror));
    expect_death(gravel_mirror_destroy(mirror));
    clReleaseKernel(kernel);
    uint32_t node = gravel_node(gravel);
    expect_death(gravel_close(gravel));
    printf("node %u: as expected: %s\n", node, gravel_last_error());
    fflush(stdout);
    _exit(0);
}
