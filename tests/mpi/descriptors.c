/* SPDX-License-Identifier: MIT */
/*
 * A node whose process started with some of descriptors 0 to 2 closed: what the program prints reaches no memory of
 * Gravel's, and nothing of Gravel's is inherited by a program that the process starts.
 *
 * usage: mpirun -np 2 descriptors FOLDER    exit: 0; 1, and a reason in FOLDER/why.NODE
 *
 * Path: tests/mpi/closed.sh -> mpirun -> this -> lib/base/descriptor.h
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gravel/gravel.h>

#define N_WORDS 4096u
#define MOST_DESCRIPTORS 256

static const char *folder;

static int give_up(uint32_t node, const char *why)
{
    char path[512];
    snprintf(path, sizeof path, "%s/why.%u", folder, node);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "node %u: %s (%s)\n", node, why, gravel_last_error());
        fclose(file);
    }
    return 1;
}

/* NULL, or what is wrong with a descriptor that is Gravel's. */
static const char *check_descriptors(const char *trace)
{
    static char why[1024];
    unsigned n_found = 0;
    for (int i = 0; i < MOST_DESCRIPTORS; i++) {
        char link[64], path[512] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        if (readlink(link, path, sizeof path - 1) < 0)
            continue;
        if (!strstr(path, "memfd:gravel") && !strstr(path, trace))
            continue;
        n_found++;
        snprintf(why, sizeof why, "descriptor %d is %s", i, path);
        if (i < 3 || !(fcntl(i, F_GETFD) & FD_CLOEXEC))
            return why;
    }
    return n_found == 2 ? NULL : "shared memory and the trace are not both open";
}

/* Enough that a pipe would be full. */
static void print_much(void)
{
    static char line[4096];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 64; i++)
        for (int descriptor = 1; descriptor <= 2; descriptor++)
            if (write(descriptor, line, sizeof line) < 0)
                break;
}

/* A word of each node's at the next, while all print. */
static const char *exchange(struct gravel *gravel)
{
    const uint32_t node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    uint32_t words[N_WORDS];
    uint64_t at;
    if (gravel_alloc(gravel, sizeof words, &at))
        return "gravel_alloc";
    for (uint32_t i = 0; i < N_WORDS; i++)
        words[i] = node + i;
    print_much();
    if (gravel_put(gravel, at, words, sizeof words, (node + 1) % n_nodes) ||
        gravel_barrier(gravel) || gravel_get(gravel, at, words, sizeof words, node))
        return "put, barrier or get";
    for (uint32_t i = 0; i < N_WORDS; i++)
        if (words[i] != (node + n_nodes - 1) % n_nodes + i)
            return "a word is wrong";
    return gravel_barrier(gravel) ? "gravel_barrier" : NULL;
}

int main(int argc, char **argv)
{
    char trace[256];
    struct gravel_config config;
    struct gravel *gravel;
    folder = argc > 1 ? argv[1] : ".";
    snprintf(trace, sizeof trace, "%s/trace.json", folder);
    setenv("GRAVEL_TRACE", trace, 1);
    if (gravel_config_load(&config, sizeof config))
        return give_up(99, "gravel_config_load");
    config.heap_bytes = 1 << 20;
    if (gravel_open(&gravel, &config, NULL))
        return give_up(99, "gravel_open");
    uint32_t node = gravel_node(gravel);
    snprintf(trace, sizeof trace, "%s/trace.%u.json", folder, node);
    const char *why = check_descriptors(trace);
    if (!why)
        why = exchange(gravel);
    if (!why && gravel_close(gravel))
        why = "gravel_close";
    return why ? give_up(node, why) : 0;
}
