/* SPDX-License-Identifier: MIT */
/*
 * Node buffers that a sender fills: which of them leave, when and in which order; each message leaves once.
 *
 * Path: meson test -> this -> lib/aggregate/sender.c
 */
#include <stdlib.h>

#include "cases.h"
#include "aggregate/sender.h"
#include "base/error.h"
#include "gravel/operation.h"

#define N_NODES 50u
#define BYTES 256u
#define AGE_NS UINT64_C(1000)
#define NEVER UINT64_MAX
#define N_STEPS 20000u

static struct gravel_sender *sender;
static struct gravel_list shipped;
static struct gravel_failure failure;

static void ship(void *context, struct gravel_buffer *buffer)
{
    gravel_list_push(context, buffer);
}

static void set_up(void)
{
    const struct gravel_sender_shape shape = {.n_nodes = N_NODES,
                                              .buffer_bytes = BYTES,
                                              .flush_ns = AGE_NS,
                                              .ship = ship,
                                              .shipped = &shipped,
                                              .context = &shipped,
                                              .failure = &failure};
    assert_int_equal(gravel_sender_create(&sender, &shape), 0);
}

static void tear_down(void)
{
    struct gravel_buffer *buffer;
    while ((buffer = gravel_list_take(&shipped)))
        gravel_pool_return(buffer);
    gravel_sender_destroy(sender);
}

static void send_command(uint32_t command, uint32_t node, uint64_t now_ns)
{
    static const uint64_t zeros[GRAVEL_AM_MAX_ARGS];
    const unsigned char *row = (const unsigned char *)zeros;
    const struct gravel_columns columns = {.key = {.command = command},
                                           .n = 1,
                                           .nodes = &node,
                                           .index = row,
                                           .values = {row, row, row, row}};
    uint32_t refused;
    assert_int_equal(gravel_sender_append(sender, &columns, now_ns, &refused), 0);
}

static void send_to(uint32_t node, uint64_t now_ns)
{
    send_command(GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT), node, now_ns);
}

/* The next buffer that was shipped is this node's. @return its messages. */
static uint32_t expect_shipped(uint32_t node)
{
    struct gravel_buffer *buffer = gravel_list_take(&shipped);
    assert_non_null(buffer);
    const uint32_t n = buffer->frame->n_messages;
    assert_int_equal(buffer->frame->destination, node);
    gravel_pool_return(buffer);
    return n;
}

static void expect_none(void)
{
    assert_null(gravel_list_take(&shipped));
}

/* In the order in which their first messages came, whatever the nodes' numbers. */
TEST(buffers_leave_oldest_first)
{
    static const uint32_t nodes[] = {40, 3, 49, 0, 17};
    for (uint32_t i = 0; i < 5; i++)
        send_to(nodes[i], i);
    send_to(40, 5);
    gravel_sender_flush(sender);
    assert_int_equal(expect_shipped(40), 2);
    for (uint32_t i = 1; i < 5; i++)
        assert_int_equal(expect_shipped(nodes[i]), 1);
    expect_none();
    assert_false(gravel_sender_has_open(sender));
}

TEST(each_buffer_leaves_at_its_age)
{
    assert_true(gravel_sender_flush_aged(sender, 0) == NEVER);
    send_to(7, 100);
    send_to(2, 300);
    send_to(5, 300);
    assert_int_equal(gravel_sender_flush_aged(sender, 400), 100 + AGE_NS - 400);
    expect_none();
    assert_int_equal(gravel_sender_flush_aged(sender, 100 + AGE_NS), 200);
    expect_shipped(7);
    expect_none();
    send_to(7, 350 + AGE_NS); /* a new one, with an age of its own */
    assert_int_equal(gravel_sender_flush_aged(sender, 400 + AGE_NS), AGE_NS - 50);
    expect_shipped(2);
    expect_shipped(5);
    expect_none();
    assert_true(gravel_sender_flush_aged(sender, 400 + 2 * AGE_NS) == NEVER);
    expect_shipped(7);
}

TEST(a_full_buffer_leaves_its_place_in_the_list)
{
    const uint32_t fits = gravel_buffer_fits(BYTES, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT));
    for (uint32_t node = 1; node <= 3; node++)
        send_to(node, node);
    for (uint32_t i = 0; i < fits; i++)
        send_to(2, 50);
    assert_int_equal(expect_shipped(2), fits);
    gravel_sender_flush(sender);
    expect_shipped(1);
    expect_shipped(3);
    assert_int_equal(expect_shipped(2), 1);
    expect_none();
}

/* What would wait behind other frames stays and fills. */
TEST(no_buffer_ages_while_the_network_thread_is_behind)
{
    send_to(1, 0);
    gravel_sender_flush_aged(sender, AGE_NS);
    send_to(2, AGE_NS);
    assert_in_range(gravel_sender_flush_aged(sender, 2 * AGE_NS), 1, AGE_NS / 2);
    send_to(2, 3 * AGE_NS);
    assert_int_equal(gravel_sender_has_open(sender), true);
    expect_shipped(1); /* by which the thread has caught up */
    expect_none();
    assert_true(gravel_sender_flush_aged(sender, 3 * AGE_NS) == NEVER);
    assert_int_equal(expect_shipped(2), 2);
}

/* However late it is, another buffer would only lie behind the first. */
TEST(buffers_stay_until_the_network_thread_comes_for_those_before)
{
    const uint64_t late_ns = 100 * GRAVEL_SENDER_AGES * AGE_NS;
    send_to(1, 0);
    gravel_sender_flush_aged(sender, AGE_NS);
    send_to(2, AGE_NS);
    assert_in_range(gravel_sender_flush_aged(sender, late_ns), AGE_NS, late_ns / 2);
    send_to(2, late_ns);
    expect_shipped(1);
    expect_none();
    assert_true(gravel_sender_flush_aged(sender, late_ns + 1) == NEVER);
    assert_int_equal(expect_shipped(2), 2);
}

/* Which may come without an end. */
TEST(behind_buffers_of_another_sender_none_stays_for_long)
{
    const uint64_t latest_ns = (2 + GRAVEL_SENDER_AGES) * AGE_NS;
    struct gravel_sender *first = sender, *other;
    set_up();
    other = sender;
    sender = first;
    send_to(1, 0);
    gravel_sender_flush(sender);
    expect_shipped(1);
    send_to(2, AGE_NS);
    sender = other;
    send_to(3, 0);
    gravel_sender_flush(sender);
    sender = first;
    assert_true(gravel_sender_flush_aged(sender, latest_ns - 1) != NEVER);
    assert_true(gravel_sender_flush_aged(sender, latest_ns) == NEVER);
    expect_shipped(3);
    expect_shipped(2);
    gravel_sender_destroy(other);
}

TEST(what_somebody_waits_for_stays_urgent_behind_a_full_buffer)
{
    const uint32_t command = GRAVELP_COMMAND(GRAVEL_FETCH_ADD, GRAVEL_UINT);
    uint32_t n = 0;
    while (!shipped.newest) { /* each is a run of its own */
        send_command(command, 4, 0);
        n++;
    }
    gravel_sender_flush_urgent(sender);
    assert_int_equal(expect_shipped(4), n - 1);
    assert_int_equal(expect_shipped(4), 1);
    send_to(4, 0);
    gravel_sender_flush_urgent(sender); /* nobody waits for this one */
    expect_none();
}

/* Of each node: messages sent, and those that have left. */
static uint32_t n_sent[N_NODES], n_left[N_NODES];

static void take_all(void)
{
    struct gravel_buffer *buffer;
    while ((buffer = gravel_list_take(&shipped))) {
        n_left[buffer->frame->destination] += buffer->frame->n_messages;
        gravel_pool_return(buffer);
    }
}

TEST(whatever_comes_and_leaves_each_message_leaves_once)
{
    uint64_t now_ns = 1;
    srand(5);
    for (uint32_t step = 0; step < N_STEPS; step++, now_ns += (uint64_t)rand() % (AGE_NS / 8)) {
        const uint32_t node = (uint32_t)rand() % (step % 2 ? N_NODES : 3);
        send_to(node, now_ns);
        n_sent[node]++;
        if (rand() % 8 == 0)
            gravel_sender_flush_aged(sender, now_ns);
        if (rand() % 512 == 0)
            gravel_sender_flush(sender);
        if (rand() % 16 == 0)
            take_all();
        if (rand() % 64 == 0) {
            take_all();
            gravel_sender_flush_aged(sender, now_ns);
            for (uint32_t i = 0; i < N_NODES; i++)
                assert_true(!sender->open[i] || now_ns - sender->open[i]->opened_ns < AGE_NS);
        }
    }
    gravel_sender_flush(sender);
    take_all();
    for (uint32_t node = 0; node < N_NODES; node++)
        assert_int_equal(n_left[node], n_sent[node]);
}

const struct fixture fixture = {.before = set_up, .after = tear_down};
