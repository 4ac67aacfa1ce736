/* SPDX-License-Identifier: MIT */
/*
 * A process of a job. See job.h.
 */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank;
struct gravel *gravel;
uint32_t node, n_nodes, n_speakers;

void open_nodes(const struct gravel_bindings *bindings)
{
    const int code = gravel_open(&gravel, NULL, bindings);
    skip_if_refused(code);
    OK(code);
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    n_speakers = gravel_is_local(gravel, (node + 1) % n_nodes) ? 1 : n_nodes;
    rank = (int)node;
}

void close_nodes(void)
{
    OK(gravel_close(gravel));
}

void wait_for_all(void)
{
    OK(gravel_barrier(gravel));
}

int nothing(struct gravel *here, void *user, uint32_t source,
            const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)here, (void)user, (void)source, (void)args;
    return 0;
}

static double set_s; /* by set_limit */

void set_limit(const char *setting, unsigned ms)
{
    char text[16];
    set_s = 1e-3 * ms * patience();
    snprintf(text, sizeof text, "%u", ms * patience());
    setenv(setting, text, 1);
}

bool is_in_time(double begin)
{
    return is_within(begin, set_s + 4);
}

void as_expected(void)
{
    printf("node %d: as expected: %s\n", rank, gravel_last_error());
    fflush(stdout);
}

void expect(int code, int expected, const char *part)
{
    if (code != expected || (code && !strstr(gravel_last_error(), part)))
        die(__FILE__, __LINE__, "node %d got %d (%s: %s), expected %d naming \"%s\"", rank, code,
            gravel_strerror(code), gravel_last_error(), expected, part);
}

int try_open(const struct gravel_bindings *bindings)
{
    struct gravel *opened;
    int code = gravel_open(&opened, NULL, bindings);
    MUST(code == 0 ? opened != NULL : opened == NULL);
    if (code == 0)
        gravel_close(opened);
    return code;
}

static cl_kernel busy_kernel(struct gravel *from, uint64_t words)
{
    return body_kernel(from,
                       "for (uint n = 0; n < 16; n++)\n"
                       "    gravel_inc_uint_wg(g, a, i % 1024, (i + n) % gravel_n_nodes(g));",
                       (const uint64_t[3]){words});
}

int send_some(struct gravel *from, cl_kernel kernel)
{
    const size_t global_size = 65536, local_size = 256;
    return gravel_launch(from, kernel, 1, &global_size, &local_size, 0, NULL, NULL);
}

struct gravel *open_busy(cl_kernel *kernel)
{
    struct gravel *opened = open_default(NULL);
    uint64_t words = alloc_or_die(opened, 4096);
    bool is_first =
        gravel_node(opened) == 0; /* compiles for all, which find the kernel in the cache */
    if (is_first) {
        *kernel = busy_kernel(opened, words);
        OK(send_some(opened, *kernel));
    }
    OK(gravel_barrier(opened));
    if (!is_first)
        *kernel = busy_kernel(opened, words);
    return opened;
}
