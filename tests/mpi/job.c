/* SPDX-License-Identifier: MIT */
/*
 * A process of a job. See job.h.
 */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank;

int nothing(struct gravel *gravel, void *user, uint32_t source,
            const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
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
    struct gravel *gravel;
    int code = gravel_open(&gravel, NULL, bindings);
    MUST(code == 0 ? gravel != NULL : gravel == NULL);
    if (code == 0)
        gravel_close(gravel);
    return code;
}

static cl_kernel busy_kernel(struct gravel *gravel, uint64_t words)
{
    return body_kernel(gravel,
                       "for (uint n = 0; n < 16; n++)\n"
                       "    gravel_inc_uint_wg(g, a, i % 1024, (i + n) % gravel_n_nodes(g));",
                       (const uint64_t[3]){words});
}

int send_some(struct gravel *gravel, cl_kernel kernel)
{
    const size_t global_size = 65536, local_size = 256;
    return gravel_launch(gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL);
}

struct gravel *open_busy(cl_kernel *kernel)
{
    struct gravel *gravel = open_default(NULL);
    uint64_t words = alloc_or_die(gravel, 4096);
    bool is_first =
        gravel_node(gravel) == 0; /* compiles for all, which find the kernel in the cache */
    if (is_first) {
        *kernel = busy_kernel(gravel, words);
        OK(send_some(gravel, *kernel));
    }
    OK(gravel_barrier(gravel));
    if (!is_first)
        *kernel = busy_kernel(gravel, words);
    return gravel;
}

void run_mode(const struct mode *modes, size_t n_modes, int n_arguments, char **arguments)
{
    MUST(n_arguments == 2);
    rank = launched_rank();
    for (size_t i = 0; i < n_modes; i++)
        if (!strcmp(arguments[1], modes[i].name)) {
            watch(50, modes[i].name);
            modes[i].run();
            return;
        }
    die(__FILE__, __LINE__, "no such mode: %s", arguments[1]);
}
