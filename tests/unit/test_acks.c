/* SPDX-License-Identifier: MIT */
/*
 * Acknowledgements wait for messages with keys and then for records, in order, and those who wait hear that they move.
 *
 * Transactions, the spool and what sends frames are stood for here.
 *
 * Path: meson test -> this -> lib/network/acks.c
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "network/parts.h"
#include "serve/transactions.h"
#include "spool/spool.h"

#define PATIENCE_MS 1000u
#define EIGHTH_NS UINT64_C(125000000) /* of the patience */

static uint64_t n_come, n_run, n_records, n_written,
    moved_ns; /* keys, records; of keys the last move */
static struct gravel_ack_frame frame;
static uint64_t acked[8]; /* what has been sent */
static uint32_t n_acked;

uint64_t gravel_transactions_mark(const struct gravel_transactions *transactions)
{
    (void)transactions;
    return n_come;
}

bool gravel_transactions_have_passed(const struct gravel_transactions *transactions, uint64_t mark)
{
    (void)transactions;
    return n_run >= mark;
}

bool gravel_transactions_have_moved(const struct gravel_transactions *transactions, uint64_t since)
{
    (void)transactions;
    return moved_ns >= since;
}

uint64_t gravel_spool_mark(const struct gravel_spool *spool)
{
    (void)spool;
    return n_records;
}

bool gravel_spool_has_passed(const struct gravel_spool *spool, uint64_t mark)
{
    (void)spool;
    return n_written >= mark;
}

uint64_t gravel_network_patience_ns(const struct gravel_network *network)
{
    (void)network;
    return PATIENCE_MS * UINT64_C(1000000);
}

struct gravel_buffer *gravel_network_frame(void *network, uint16_t kind, uint32_t node,
                                           uint32_t bytes)
{
    static struct gravel_buffer buffer = {.frame = &frame.frame};
    (void)network, (void)node;
    assert_int_equal(kind, GRAVEL_FRAME_ACK);
    assert_int_equal(bytes, sizeof frame);
    return &buffer;
}

void gravel_network_put(void *network, struct gravel_buffer *buffer)
{
    (void)network, (void)buffer;
    acked[n_acked++] = frame.acked;
}

/* A step at a time of the thread's own clock. */
static void expect(struct gravel_network *network, uint64_t now_ns, uint32_t n, uint64_t last)
{
    network->lived.lived_ns = now_ns;
    gravel_acks_step(network);
    assert_int_equal(n_acked, n);
    assert_int_equal(acked[n - 1], last);
}

static void acknowledgements_wait_for_what_came_before(void **state)
{
    static struct gravel_network network; /* whose clock shows what it is set to */
    (void)state;
    gravel_acks_give(&network, 0, 5); /* nothing to wait for */
    n_come = 1;
    gravel_acks_give(&network, 0, 6);
    n_come = 2;
    gravel_acks_give(&network, 2, 7);
    expect(&network, 1, 1, 5);
    moved_ns = 1;
    expect(&network, EIGHTH_NS, 3, 0);     /* keys move: both hear of it */
    expect(&network, 2 * EIGHTH_NS, 3, 0); /* they do not */
    n_records = 1;                         /* written by a message with a key */
    n_run = 1;
    expect(&network, 2 * EIGHTH_NS - 1, 3, 0);
    n_written = 1;
    expect(&network, 2 * EIGHTH_NS - 1, 4, 6);
    n_run = 2;
    n_records = 2;
    expect(&network, 2 * EIGHTH_NS - 1, 4, 6);
    expect(&network, 2 * EIGHTH_NS, 5, 0); /* records have a limit of their own */
    gravel_acks_free(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledgements_wait_for_what_came_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
