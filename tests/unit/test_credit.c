/* SPDX-License-Identifier: MIT */
/*
 * Credit for frames of records: a window of them is under way to each node, what is beyond waits in its order, and
 * neither side believes a count that cannot be; and a node knows whether its questions are answered.
 *
 * Path: cmocka -> lib/network/credit.c
 */
#include "network/credit.h"
#include "transport/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define N_NODES 3u
#define WINDOW 4u

static struct gravel_credit credit;

static int set_up(void **state)
{
    (void)state;
    return gravel_credit_create(&credit, N_NODES, WINDOW);
}

static int tear_down(void **state)
{
    (void)state;
    gravel_credit_destroy(&credit);
    return 0;
}

static struct gravel_buffer *frame_to(uint32_t node)
{
    struct gravel_buffer *buffer = gravel_buffer_create(GRAVEL_RECORDS_LEAST_BYTES);
    assert_non_null(buffer);
    gravel_buffer_reset(buffer, GRAVEL_FRAME_RECORDS, 0, node);
    return buffer;
}

/* @return whether it left at once. */
static bool offer(uint32_t node, struct gravel_buffer **out)
{
    struct gravel_buffer *buffer = frame_to(node);
    const bool leaves = gravel_credit_admit(&credit, buffer, false);
    if (out)
        *out = buffer;
    if (leaves)
        gravel_buffer_destroy(buffer);
    return leaves;
}

static void expect_take(const struct gravel_buffer *expected)
{
    struct gravel_buffer *buffer = gravel_credit_take(&credit);
    assert_ptr_equal(buffer, expected);
    gravel_buffer_destroy(buffer);
}

static void a_window_is_the_share_of_a_source_and_two_at_least(void **state)
{
    (void)state;
    assert_int_equal(gravel_credit_window(16u << 20, 1), 256);
    assert_int_equal(gravel_credit_window(16u << 20, 3), 85);
    assert_int_equal(gravel_credit_window(16u << 20, 1000), 2);
    assert_int_equal(gravel_credit_window(4096, 1), 2);
}

static void a_window_leaves_and_the_next_frame_waits_for_that_node_alone(void **state)
{
    (void)state;
    struct gravel_buffer *parked;
    for (uint32_t i = 0; i < WINDOW; i++)
        assert_true(offer(1, NULL));
    assert_false(offer(1, &parked));
    assert_true(offer(2, NULL));
    assert_null(gravel_credit_take(&credit));
    assert_true(gravel_credit_hear(&credit, 1, 1));
    expect_take(parked);
    assert_null(gravel_credit_take(&credit));
}

static void frames_leave_in_their_order_behind_those_that_are_parked(void **state)
{
    (void)state;
    struct gravel_buffer *of_1[2], *of_2, *late;
    for (uint32_t i = 0; i < WINDOW; i++)
        assert_true(offer(1, NULL) && offer(2, NULL));
    assert_false(offer(1, &of_1[0]));
    assert_false(offer(2, &of_2));
    assert_false(offer(1, &of_1[1]));
    assert_true(gravel_credit_hear(&credit, 1, WINDOW));
    assert_false(offer(1, &late)); /* there is credit, and others are before it */
    expect_take(of_1[0]);
    expect_take(of_1[1]);
    expect_take(late);
    assert_null(gravel_credit_take(&credit));
    assert_true(gravel_credit_hear(&credit, 2, 1));
    expect_take(of_2);
    assert_true(offer(1, NULL)); /* the fourth of the new window */
    assert_false(offer(1, NULL));
}

static void a_mark_has_passed_when_what_was_parked_before_it_has_left(void **state)
{
    (void)state;
    struct gravel_buffer *parked;
    const uint64_t first = gravel_credit_mark(&credit);
    assert_true(gravel_credit_has_passed(&credit, first));
    for (uint32_t i = 0; i < WINDOW; i++)
        assert_true(offer(1, NULL));
    assert_false(offer(1, &parked));
    const uint64_t mark = gravel_credit_mark(&credit);
    assert_true(gravel_credit_has_passed(&credit, first));
    assert_false(gravel_credit_has_passed(&credit, mark));
    assert_false(offer(1, NULL)); /* behind the mark */
    assert_true(gravel_credit_hear(&credit, 1, 1));
    expect_take(parked);
    assert_true(gravel_credit_has_passed(&credit, mark));
    assert_false(gravel_credit_has_passed(&credit, gravel_credit_mark(&credit)));
}

static void counts_of_written_frames_that_cannot_be_are_refused(void **state)
{
    (void)state;
    assert_true(offer(1, NULL) && offer(1, NULL));
    assert_false(gravel_credit_hear(&credit, 1, 3));
    assert_true(gravel_credit_hear(&credit, 1, 2));
    assert_false(gravel_credit_hear(&credit, 1, 1));
    assert_false(gravel_credit_hear(&credit, 1, UINT64_MAX));
}

static void a_source_hears_after_half_a_window_and_sends_none_beyond_it(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOW; i++)
        assert_true(gravel_credit_come(&credit, 2));
    assert_false(gravel_credit_done(&credit, 2, false));
    assert_true(gravel_credit_done(&credit, 2, false));
    assert_int_equal(credit.sides[2].n_told, WINDOW / 2);
    assert_false(gravel_credit_done(&credit, 2, false)); /* it does not know of this one */
    assert_true(gravel_credit_come(&credit, 2));
    assert_true(gravel_credit_come(&credit, 2));
    assert_false(gravel_credit_come(&credit, 2));
}

static bool ask(uint32_t node)
{
    struct gravel_buffer *buffer = frame_to(node);
    const bool leaves = gravel_credit_admit(&credit, buffer, true);
    if (leaves)
        gravel_buffer_destroy(buffer);
    return leaves;
}

static void expect_unanswered(uint32_t n_nodes)
{
    assert_int_equal(atomic_load_explicit(&credit.n_unanswered, memory_order_relaxed), n_nodes);
}

static void a_node_is_unanswered_until_its_last_question_is_written(void **state)
{
    (void)state;
    assert_true(offer(1, NULL));
    expect_unanswered(0);
    assert_true(ask(1));
    expect_unanswered(1);
    assert_true(gravel_credit_hear(&credit, 1, 1)); /* what was before it */
    expect_unanswered(1);
    assert_true(ask(1) && ask(2));
    expect_unanswered(2);
    gravel_credit_written_here(&credit, 2);
    expect_unanswered(1);
    assert_true(gravel_credit_hear(&credit, 1, 2));
    expect_unanswered(1);
    assert_true(offer(1, NULL));
    assert_true(gravel_credit_hear(&credit, 1, 3)); /* behind it is a frame without */
    expect_unanswered(0);
}

static void a_question_that_is_parked_is_unanswered(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOW; i++)
        assert_true(offer(1, NULL));
    assert_false(ask(1));
    expect_unanswered(1);
    assert_true(gravel_credit_hear(&credit, 1, WINDOW));
    expect_unanswered(1);
    gravel_buffer_destroy(gravel_credit_take(&credit));
    expect_unanswered(1);
    assert_true(gravel_credit_hear(&credit, 1, WINDOW + 1));
    expect_unanswered(0);
}

static void a_source_that_asks_hears_at_once(void **state)
{
    (void)state;
    assert_true(gravel_credit_come(&credit, 2) && gravel_credit_come(&credit, 2));
    assert_true(gravel_credit_done(&credit, 2, true));
    assert_int_equal(credit.sides[2].n_told, 1);
    assert_false(gravel_credit_done(&credit, 2, false));
}

int main(void)
{
#define EACH(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_is_the_share_of_a_source_and_two_at_least),
        EACH(a_window_leaves_and_the_next_frame_waits_for_that_node_alone),
        EACH(frames_leave_in_their_order_behind_those_that_are_parked),
        EACH(a_mark_has_passed_when_what_was_parked_before_it_has_left),
        EACH(counts_of_written_frames_that_cannot_be_are_refused),
        EACH(a_source_hears_after_half_a_window_and_sends_none_beyond_it),
        EACH(a_node_is_unanswered_until_its_last_question_is_written),
        EACH(a_question_that_is_parked_is_unanswered),
        EACH(a_source_that_asks_hears_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
