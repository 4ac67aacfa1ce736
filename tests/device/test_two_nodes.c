/* SPDX-License-Identifier: MIT */
/*
 * Two nodes in one process, on one device: each gets its own messages, also while the other's kernels wait for room;
 * and one that fails leaves the other alone.
 *
 * Path: meson test -> this -> all of lib, twice
 */
#include <pthread.h>
#include <stdio.h>

#include "expect.h"

#define ROUNDS 5

#define PATIENT_MS 30000u /* nothing may be late, and other work may take the cores */
#define IMPATIENT_MS 500u /* leaders that are cut off end after 16 times as long */

struct half {
    struct gravel *gravel;
    cl_kernel kernel;
    uint64_t table;
    pthread_t thread;
    int code; /* of the first call that failed */
    char text[256];
};

static struct gravel *open_one(uint64_t queue_bytes, uint32_t timeout_ms)
{
    struct gravel_config config = loopback_config(2);
    config.queue_bytes = queue_bytes;
    config.timeout_ms = timeout_ms;
    return scoped_node(&config, NULL);
}

static void prepare(struct half *half, uint64_t queue_bytes, uint32_t timeout_ms)
{
    *half = (struct half){.gravel = open_one(queue_bytes, timeout_ms)};
    half->table = alloc_or_die(half->gravel, 256);
    half->kernel = scoped_body(
        half->gravel, "for (uint n = 0; n < 4; n++) gravel_inc_uint_wg(g, a, i % 64, i % 2);",
        half->table, 0, 0);
}

static void *send(void *argument)
{
    struct half *half = argument;
    for (int round = 0; round < ROUNDS && !half->code; round++) {
        half->code = run_kernel(half->gravel, half->kernel, 64 * 40, 64);
        if (half->code)
            snprintf(half->text, sizeof half->text, "%s", gravel_last_error());
    }
    return NULL;
}

static void expect_all(struct half *half)
{
    for (uint32_t node = 0; node < 2; node++)
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(word32(half->gravel, node, half->table + 4 * i),
                             i % 2 == node ? ROUNDS * 4 * 40 : 0);
}

/* @param may_fail  for want of room, which has to be said */
static void run_both(uint64_t queue_bytes, uint32_t timeout_ms, bool may_fail)
{
    struct half halves[2];
    for (int i = 0; i < 2; i++)
        prepare(&halves[i], queue_bytes, timeout_ms);
    for (int i = 0; i < 2; i++)
        MUST(pthread_create(&halves[i].thread, NULL, send, &halves[i]) == 0);
    for (int i = 0; i < 2; i++)
        MUST(pthread_join(halves[i].thread, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        if (halves[i].code == 0)
            expect_all(&halves[i]);
        else if (!may_fail || (!strstr(halves[i].text, "room in queue") &&
                               !strstr(halves[i].text, "the device did not answer")))
            fail_msg("node %d: %s", i, halves[i].text);
        closes_with(halves[i].gravel, halves[i].code, "");
    }
}

TEST(nodes_with_room_do_not_disturb_each_other)
{
    run_both(0, PATIENT_MS, false);
}

/* Where both fill the device together, leaders may wait for kernels that cannot start: they give up, and it is told. */
TEST(nodes_that_wait_for_room_end_well_or_say_why)
{
    run_both(8 * 9280, IMPATIENT_MS, true);
}

TEST(node_that_fails_leaves_the_other_alone)
{
    struct half good;
    struct gravel *bad = open_one(0, PATIENT_MS);
    prepare(&good, 0, PATIENT_MS);
    expect_error(run_body(bad, "if (i == 0) gravelp_fault(g.arena, GRAVELP_FAULT_QUEUE, 0, 0, 77);",
                          64, 64, 0, 0, 0),
                 GRAVEL_EKERNEL, "needs 77 slots");
    send(&good);
    assert_int_equal(good.code, 0);
    expect_all(&good);
    closes_with(bad, GRAVEL_EKERNEL, "needs 77 slots");
}

const struct fixture fixture = {.open = skip_untaken_step};
