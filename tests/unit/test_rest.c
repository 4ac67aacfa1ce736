/* SPDX-License-Identifier: MIT */
/*
 * The network thread's sleeps: short while long frames may travel, else as long as the policy says.
 *
 * Path: meson test -> this -> lib/network/rest.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derive.h"
#include "network/rest.h"
#include "wait/clock.h"

static uint32_t n_cores; /* of the host, for each node */

uint32_t gravel_derive_cores(uint32_t n_local)
{
    return n_cores / n_local;
}

static void nothing_travels_inside_a_process(void **state)
{
    (void)state;
    const struct gravel_transport loopback = {.n_nodes = 4, .n_local = 1, .is_loopback = true};
    const struct gravel_transport alone = {.n_nodes = 1, .n_local = 1};
    n_cores = 64;
    assert_true(gravel_rest_derive(&loopback, 4 << 20) == UINT64_MAX);
    assert_true(gravel_rest_derive(&alone, 4 << 20) == UINT64_MAX);
}

static void long_buffers_shorten_sleeps(void **state)
{
    (void)state;
    const struct gravel_transport transport = {.n_nodes = 4, .n_local = 2};
    n_cores = 8;
    assert_true(gravel_rest_derive(&transport, 64 << 10) == UINT64_MAX);
    assert_int_equal(gravel_rest_derive(&transport, 4 << 20), 0);
    n_cores = 7;
    assert_int_equal(gravel_rest_derive(&transport, 4 << 20), GRAVEL_IDLE_MIN_NS);
}

static void only_soon_after_a_frame(void **state)
{
    (void)state;
    const uint64_t moved_ns = 1000 * GRAVEL_NS_PER_S, soon_ns = moved_ns + 1000;
    const struct gravel_rest rest = {moved_ns, GRAVEL_IDLE_MIN_NS};
    const struct gravel_rest unlimited = {moved_ns, UINT64_MAX};
    assert_int_equal(gravel_rest_limit(&rest, soon_ns, UINT64_MAX), GRAVEL_IDLE_MIN_NS);
    assert_int_equal(gravel_rest_limit(&rest, soon_ns, 5), 5);
    assert_true(gravel_rest_limit(&rest, moved_ns + GRAVEL_NS_PER_S, UINT64_MAX) == UINT64_MAX);
    assert_true(gravel_rest_limit(&unlimited, soon_ns, UINT64_MAX) == UINT64_MAX);
    assert_int_equal(gravel_rest_limit(&unlimited, soon_ns, 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_travels_inside_a_process),
        cmocka_unit_test(long_buffers_shorten_sleeps),
        cmocka_unit_test(only_soon_after_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
