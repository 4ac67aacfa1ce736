/* SPDX-License-Identifier: MIT */
/*
 * Node buffers that a sender fills: which of them leave, when and in which order; each message leaves once.
 *
 * Path: meson test -> this -> lib/aggregate/sender.c
 */
#include <string.h>

#include "draws.h"
#include "aggregate/sender.h"
#include "base/error.h"
#include "gravel/operation.h"

#define N_NODES 50u
#define BYTES 256u
#define AGE_NS UINT64_C(1000)
#define NEVER UINT64_MAX

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

/* A buffer that would wait behind other frames stays and fills, however late it is: another buffer would only lie behind the first. */
TEST(buffers_stay_until_the_network_thread_comes_for_those_before)
{
    static const uint64_t rows[][3] = {
        /* when, and what is then returned */
        {2 * AGE_NS, 1, AGE_NS / 2},
        {100 * GRAVEL_SENDER_AGES * AGE_NS, AGE_NS, 50 * GRAVEL_SENDER_AGES * AGE_NS}};
    for (size_t i = 0; i < 2; i++) {
        send_to(1, 0);
        gravel_sender_flush_aged(sender, AGE_NS);
        send_to(2, AGE_NS);
        assert_in_range(gravel_sender_flush_aged(sender, rows[i][0]), rows[i][1], rows[i][2]);
        send_to(2, rows[i][0]);
        assert_true(sender->oldest);
        expect_shipped(1); /* by which the thread has caught up */
        expect_none();
        assert_true(gravel_sender_flush_aged(sender, rows[i][0] + AGE_NS) == NEVER);
        assert_int_equal(expect_shipped(2), 2);
    }
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
    gravel_sender_flush_urgent(sender); /* no thread waits for this one */
    expect_none();
}

/* ---- by a model: of each node the messages that are open, and since when --------------------- */

static struct open {
    uint32_t n; /* 0: none is open */
    uint64_t since_ns;
} model[N_NODES];

/* Takes what was shipped: whole buffers, oldest first. @param before_ns  all that are as old leave, and no other */
static const char *take(uint64_t before_ns)
{
    struct gravel_buffer *buffer;
    uint64_t last_ns = 0;
    while ((buffer = gravel_list_take(&shipped))) {
        const uint32_t node = buffer->frame->destination, n = buffer->frame->n_messages;
        gravel_pool_return(buffer);
        HOLDS(n == model[node].n && model[node].since_ns >= last_ns);
        HOLDS(model[node].since_ns <= before_ns);
        last_ns = model[node].since_ns;
        model[node].n = 0;
    }
    for (uint32_t node = 0; node < N_NODES; node++)
        HOLDS(!model[node].n || model[node].since_ns > before_ns);
    return NULL;
}

static const char *buffers_leave_as_the_model_says(struct draws *draws)
{
    const uint32_t fits = gravel_buffer_fits(BYTES, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT));
    const char *wrong = NULL;
    uint64_t now_ns = AGE_NS;
    memset(model, 0, sizeof model);
    for (uint32_t step = 0; step < 20 * draws->size && !wrong; step++) {
        const uint32_t node = draw_below(draws, step % 2 ? N_NODES : 3);
        now_ns += 1 + draw_below(draws, AGE_NS / 8);
        send_to(node, now_ns);
        if (model[node].n == fits) { /* that is full, and leaves the list */
            struct gravel_buffer *buffer = gravel_list_take(&shipped);
            HOLDS(buffer && buffer->frame->destination == node &&
                  buffer->frame->n_messages == fits);
            gravel_pool_return(buffer);
            model[node].n = 0;
        }
        if (model[node].n++ == 0)
            model[node].since_ns = now_ns;
        if (draw_below(draws, 8) == 0) {
            gravel_sender_flush_aged(sender, now_ns);
            wrong = take(now_ns - AGE_NS);
        } else if (draw_below(draws, 64) == 0) {
            gravel_sender_flush(sender);
            wrong = take(now_ns);
        }
    }
    gravel_sender_flush(sender);
    wrong = wrong ? wrong : take(now_ns);
    HOLDS(wrong || !sender->oldest);
    return wrong;
}

TEST(each_message_leaves_once_at_its_age_oldest_first)
{
    expect_property(buffers_leave_as_the_model_says, 200, 50);
}

const struct fixture fixture = {.before = set_up, .after = tear_down};
