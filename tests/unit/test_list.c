/* SPDX-License-Identifier: MIT */
/*
 * The list of node buffers: they leave in the order in which they came, whoever pushed them, and whenever it is gathered.
 *
 * Path: meson test -> this -> lib/transport/list.h; several threads: tests/stress/list.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "transport/list.h"

#define N 5u

static struct gravel_buffer buffers[N];

static void an_empty_list_has_nothing(void **state)
{
    (void)state;
    struct gravel_list list = {.in_hand = NULL};
    assert_false(gravel_list_gather(&list));
    assert_null(gravel_list_next(&list));
    assert_null(gravel_list_take(&list));
}

static void buffers_leave_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    struct gravel_list list = {.in_hand = NULL};
    for (uint32_t i = 0; i < N; i++)
        gravel_list_push(&list, &buffers[i]);
    for (uint32_t i = 0; i < N; i++)
        assert_ptr_equal(gravel_list_take(&list), &buffers[i]);
    assert_null(gravel_list_take(&list));
}

static void what_is_pushed_meanwhile_comes_behind_what_is_in_hand(void **state)
{
    (void)state;
    struct gravel_list list = {.in_hand = NULL};
    gravel_list_push(&list, &buffers[0]);
    gravel_list_push(&list, &buffers[1]);
    assert_ptr_equal(gravel_list_take(&list), &buffers[0]);
    gravel_list_push(&list, &buffers[2]);
    gravel_list_push(&list, &buffers[0]); /* again */
    assert_ptr_equal(gravel_list_next(&list), &buffers[1]);
    assert_null(gravel_list_next(&list)); /* of those in hand */
    assert_true(gravel_list_gather(&list));
    assert_ptr_equal(gravel_list_next(&list), &buffers[2]);
    assert_ptr_equal(gravel_list_next(&list), &buffers[0]);
    assert_null(gravel_list_take(&list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_list_has_nothing),
        cmocka_unit_test(buffers_leave_in_the_order_in_which_they_came),
        cmocka_unit_test(what_is_pushed_meanwhile_comes_behind_what_is_in_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
