/* SPDX-License-Identifier: MIT */
/*
 * Frames of transactions: what is sent arrives; a field that cannot be right is named, and nothing of its frame
 * is done.
 *
 * transactions.c and the network thread, as a courier, are stood for here.
 *
 * Path: meson test -> this -> lib/serve/grant.c, incoming.c
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "serve/transactions_parts.h"

#define N_NODES 3u
#define HERE 1u
#define WORDS 2u
#define RECORD_BYTES GRAVELP_TRANSACTION_BYTES(WORDS)
#define BUFFER_BYTES 1024u

/* ---- what it calls ------------------------------------------------------------------------------- */

static struct gravel_buffer *sent[64];
static uint32_t n_sent, n_bad, n_invited, n_returned;
static char bad[GRAVEL_WHY_BYTES];  /* the field */
static struct transaction *granted; /* the only one */

static struct gravel_buffer *make_frame(void *context, uint16_t kind, uint32_t node, uint32_t bytes)
{
    struct gravel_buffer *buffer = calloc(1, sizeof *buffer);
    (void)context;
    buffer->frame = calloc(1, bytes);
    *buffer->frame =
        (struct gravel_frame){.kind = kind, .source = HERE, .destination = node, .bytes = bytes};
    return buffer;
}

static void put(void *context, struct gravel_buffer *buffer)
{
    (void)context;
    sent[n_sent++] = buffer;
}

static void node_fails(void *context, int code, const char *text)
{
    (void)context;
    fail_msg("%d: %s", code, text);
}

bool gravel_device_steps_have(const struct gravel_device_steps *steps, uint32_t handler)
{
    (void)steps;
    return handler == 1;
}

void gravel_transactions_invite(struct gravel_transactions *transactions, uint32_t handler,
                                const struct gravelp_transaction *record)
{
    (void)transactions, (void)handler, (void)record;
    n_invited++;
}

struct transaction *gravel_transactions_granted(const struct gravel_transactions *transactions,
                                                uint32_t handler,
                                                const struct gravelp_transaction *record)
{
    (void)transactions, (void)handler;
    return granted && granted->record.key[0] == record->key[0] ? granted : NULL;
}

void gravel_transactions_return(struct gravel_transactions *transactions,
                                struct transaction *transaction,
                                const struct gravelp_transaction *record)
{
    (void)transactions, (void)record;
    assert_ptr_equal(transaction, granted);
    n_returned++;
    granted = NULL;
}

/* ---- set-up -------------------------------------------------------------------------------------- */

struct world {
    struct gravel_handler handlers[2];
    struct gravel_transport transport;
    struct gravel_device_calls_shape shape;
    struct gravel_transactions transactions;
    struct gravel_buffer *open[N_NODES];
};

static struct world world;

static int set_up(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    world.handlers[1].serve.datum_words = WORDS;
    world.transport.n_nodes = N_NODES;
    world.transport.node = HERE;
    world.shape.handlers = world.handlers;
    world.shape.n_handlers = 2;
    world.transactions.shape = &world.shape;
    world.transactions.n_nodes = N_NODES;
    world.transactions.courier = (struct gravel_courier){
        .transport = &world.transport,
        .patience_ns = UINT64_C(8000000000),
        .most_bytes = BUFFER_BYTES,
        .frame = make_frame,
        .put = put,
        .fail = node_fails,
    };
    world.transactions.open = world.open;
    n_sent = n_bad = n_invited = n_returned = 0;
    granted = NULL;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < n_sent; i++) {
        free(sent[i]->frame);
        free(sent[i]);
    }
    return 0;
}

/* ---- frames that arrive --------------------------------------------------------------------------- */

union arriving {
    struct gravel_transactions_frame frame;
    unsigned char bytes[sizeof(struct gravel_transactions_frame) + 4 * RECORD_BYTES];
};

static struct gravelp_transaction *record_in(union arriving *arriving, uint32_t i)
{
    return (void *)(arriving->bytes + sizeof arriving->frame + i * RECORD_BYTES);
}

/* n grants from node 0 to here, or unlocks from node 2. */
static void fill(union arriving *arriving, uint32_t what, uint32_t n)
{
    const uint32_t lesser = what == GRAVEL_TRANSACTIONS_GRANT ? 0 : HERE;
    memset(arriving, 0, sizeof *arriving);
    arriving->frame.what = what;
    arriving->frame.handler = 1;
    arriving->frame.n = n;
    for (uint32_t i = 0; i < n; i++)
        *record_in(arriving, i) =
            (struct gravelp_transaction){.key = {7 + i, 9}, .node = {lesser, lesser + 1}};
}

static void arrive_at(struct gravel_transactions *transactions, const union arriving *arriving,
                      uint32_t source, uint64_t bytes)
{
    union arriving whole = *arriving;
    whole.frame.frame =
        (struct gravel_frame){.source = source, .destination = HERE, .bytes = (uint32_t)bytes};
    n_bad += !gravel_transactions_arrive(transactions, &whole.frame, bad);
}

static void arrive(const union arriving *arriving, uint32_t source, uint64_t bytes)
{
    arrive_at(&world.transactions, arriving, source, bytes);
}

static uint64_t bytes_of(const union arriving *arriving)
{
    return sizeof arriving->frame + arriving->frame.n * RECORD_BYTES;
}

static void grants_arrive_and_unlocks_do_once(void **state)
{
    (void)state;
    union arriving arriving;
    struct transaction *transaction = calloc(1, sizeof *transaction);
    fill(&arriving, GRAVEL_TRANSACTIONS_GRANT, 3);
    arrive(&arriving, 0, bytes_of(&arriving));
    assert_int_equal(n_invited, 3);
    fill(&arriving, GRAVEL_TRANSACTIONS_UNLOCK, 1);
    transaction->record.key[0] = 7;
    granted = transaction;
    arrive(&arriving, 2, bytes_of(&arriving));
    assert_int_equal(n_returned, 1);
    assert_int_equal(n_bad, 0);
    arrive(&arriving, 2, bytes_of(&arriving));
    assert_string_equal(bad, "record 0 of 1 (of no transaction between these nodes)");
    granted = transaction;
    fill(&arriving, GRAVEL_TRANSACTIONS_UNLOCK, 2);
    record_in(&arriving, 1)->key[0] = 7; /* the same one */
    arrive(&arriving, 2, bytes_of(&arriving));
    assert_string_equal(bad, "record 1 of 2 (it comes twice)");
    assert_int_equal(n_bad, 2);
    free(transaction);
}

static void expect_bad(const char *field, const union arriving *arriving, uint32_t source,
                       uint64_t bytes)
{
    const uint32_t before = n_bad;
    arrive(arriving, source, bytes);
    assert_int_equal(n_bad, before + 1);
    assert_int_equal(n_invited + n_returned, 0);
    assert_non_null(strstr(bad, field));
}

static void fields_that_cannot_be_right_are_named(void **state)
{
    (void)state;
    union arriving good, bad_one;
    fill(&good, GRAVEL_TRANSACTIONS_GRANT, 2);
    expect_bad("count of records (2 of 80 bytes)", &good, 0, bytes_of(&good) - 8);
    expect_bad("count of records", &good, 0, bytes_of(&good) + 8);
    expect_bad("record 0", &good, 2, bytes_of(&good)); /* its lesser key is of node 0 */
    bad_one = good, bad_one.frame.handler = 0;
    expect_bad("handler (0", &bad_one, 0, bytes_of(&good));
    bad_one = good, bad_one.frame.handler = 2;
    expect_bad("handler (2", &bad_one, 0, bytes_of(&good));
    bad_one = good, bad_one.frame.what = 2;
    expect_bad("kind of transactions (2)", &bad_one, 0, bytes_of(&good));
    bad_one = good, bad_one.frame.n = 0;
    expect_bad("count of records (0", &bad_one, 0, sizeof bad_one.frame);
    bad_one = good, bad_one.frame.n = UINT32_MAX;
    expect_bad("count of records (4294967295", &bad_one, 0, bytes_of(&good));
    bad_one = good, record_in(&bad_one, 1)->lesser = 2; /* the last of them */
    expect_bad("record 1 of 2", &bad_one, 0, bytes_of(&good));
    bad_one = good, record_in(&bad_one, 1)->lesser = 1;
    expect_bad("record 1 of 2", &bad_one, 0, bytes_of(&good));
    bad_one = good, record_in(&bad_one, 1)->node[1] = 2; /* another node's guest */
    expect_bad("record 1 of 2", &bad_one, 0, bytes_of(&good));
    bad_one = good, record_in(&bad_one, 1)->node[0] = N_NODES;
    expect_bad("record 1 of 2", &bad_one, 0, bytes_of(&good));
    bad_one = good, record_in(&bad_one, 0)->source = N_NODES;
    expect_bad("record 0 of 2", &bad_one, 0, bytes_of(&good));
    bad_one = good, bad_one.frame.what = GRAVEL_TRANSACTIONS_UNLOCK;
    expect_bad("record 0 of 2", &bad_one, 0, bytes_of(&good));
    bad[0] = '\0';
    arrive_at(NULL, &good, 0, bytes_of(&good)); /* this node has none */
    assert_string_equal(bad, "handler (1 has no transactions between nodes)");
}

/* ---- frames that leave ---------------------------------------------------------------------------- */

static void frames_are_as_long_as_their_records(void **state)
{
    (void)state;
    struct transaction *transaction = calloc(1, sizeof *transaction + 8 * WORDS);
    transaction->handler = 1;
    for (uint32_t i = 0; i < 40; i++)
        gravel_transactions_send(&world.transactions, GRAVEL_TRANSACTIONS_GRANT, i % 2 ? 2 : 0,
                                 transaction);
    gravel_transactions_flush(&world.transactions);
    uint32_t n[N_NODES] = {0};
    for (uint32_t i = 0; i < n_sent; i++) {
        const struct gravel_transactions_frame *frame = (const void *)sent[i]->frame;
        assert_int_equal(frame->frame.kind, GRAVEL_FRAME_TRANSACTIONS);
        assert_int_equal(frame->frame.bytes, sizeof *frame + frame->n * RECORD_BYTES);
        assert_true(frame->frame.bytes <= BUFFER_BYTES);
        n[frame->frame.destination] += frame->n;
    }
    assert_int_equal(n[0], 20);
    assert_int_equal(n[2], 20);
    free(transaction);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grants_arrive_and_unlocks_do_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fields_that_cannot_be_right_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(frames_are_as_long_as_their_records, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
