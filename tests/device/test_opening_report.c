/* SPDX-License-Identifier: MIT */
/*
 * The node fails while it opens, by a report of another thread, as where a peer dies: at the moment when arena and
 * aggregators are made. gravel_open says why; ThreadSanitizer finds what both threads touch.
 *
 * Path: meson test -> this -> lib/node/log.c, lib/node/outbound.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "expect.h"
#include "node/node.h"

static struct gravel *opening;
static unsigned late_us; /* before the report */

static void *report(void *unused)
{
    (void)unused;
    usleep(late_us);
    gravel_report(opening, GRAVEL_EPEER, true, "node 1 of another machine is silent");
    return NULL;
}

static pthread_t reporter;

int __real_gravel_network_attach(struct gravel_network *, const struct gravel_memory *,
                                 unsigned char *, struct gravel_device_calls *,
                                 struct gravel_trace *);
int __wrap_gravel_network_attach(struct gravel_network *, const struct gravel_memory *,
                                 unsigned char *, struct gravel_device_calls *,
                                 struct gravel_trace *);
int __wrap_gravel_network_attach(struct gravel_network *network, const struct gravel_memory *memory,
                                 unsigned char *host_frames, struct gravel_device_calls *calls,
                                 struct gravel_trace *trace)
{
    int code = __real_gravel_network_attach(network, memory, host_frames, calls, trace);
    opening = (struct gravel *)(void *)((char *)network - offsetof(struct gravel, network));
    MUST(pthread_create(&reporter, NULL, report, NULL) == 0);
    return code;
}

/* Where the network's thread ends, too. */
bool __real_gravel_network_stop(struct gravel_network *, bool);
bool __wrap_gravel_network_stop(struct gravel_network *, bool);
bool __wrap_gravel_network_stop(struct gravel_network *network, bool keep_resolver)
{
    MUST(pthread_join(reporter, NULL) == 0);
    return __real_gravel_network_stop(network, keep_resolver);
}

/* Both before aggregators are there and while they are made. */
TEST(report_while_a_node_opens_ends_the_opening)
{
    const struct gravel_config config = loopback_config(2);
    for (late_us = 0; late_us <= 2000; late_us = late_us ? 2 * late_us : 250) {
        struct gravel *gravel = NULL;
        int code = gravel_open(&gravel, &config, NULL);
        if (code == 0) { /* the report comes behind the last barrier */
            while (!gravel_node_has_failed(gravel))
                usleep(100);
            expect_error(gravel_quiet(gravel), GRAVEL_EPEER, "node 1 of another machine is silent");
            gravel_close(gravel);
        } else {
            expect_error(code, GRAVEL_EPEER, "node 1 of another machine is silent");
        }
    }
}
