/* SPDX-License-Identifier: MIT */
/*
 * Messages to places that do not exist, from kernels and from the host: refused with the number that is
 * wrong, nothing written beside, and the node works on.
 *
 * Path: meson test -> this -> aggregator.c, decode.c, node/messages.c
 */
#include <stdio.h>

#include "expect.h"
#include "layout/command.h"

#define N_WORDS 1024u

static struct gravel *gravel;
static struct guarded table; /* N_WORDS words of 4 bytes */
static uint64_t freed;       /* offset of an allocation that is gone */

static int nothing(struct gravel *node, void *user, uint32_t source,
                   const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source, (void)args;
    return 0;
}

static const struct gravel_handler handlers[] = {{.name = "none", .n_args = 0, .function = nothing},
                                                 {.name = "two", .n_args = 2, .function = nothing}};

static int open_node(void **state)
{
    (void)state;
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2);
    gravel = open_loopback(2, &bindings);
    table = guarded_alloc(gravel, N_WORDS * 4u);
    freed = alloc_or_die(gravel, 4096);
    OK(gravel_free(gravel, freed));
    return 0;
}

static int close_node(void **state)
{
    (void)state;
    return gravel_close(gravel);
}

/* Refused, nothing written anywhere, told once, and the node works. */
static void expect_refused(int code, int expected, const char *part)
{
    expect_error(code, expected, part);
    guarded_check(gravel, &table);
    for (uint32_t node = 0; node < 2; node++)
        expect_words(gravel, node, table.memory, 0, N_WORDS);
    assert_int_equal(gravel_quiet(gravel), 0);
    expect_works(gravel);
}

static void expect_kernel_refused(const char *body, uint64_t a, uint64_t b, uint64_t c,
                                  int expected, const char *part)
{
    expect_refused(run_body(gravel, body, 128, 64, a, b, c), expected, part);
}

static void destination_beyond_the_last_is_named(void **state)
{
    (void)state;
    const char *body = BODY("gravel_inc_uint_wg(g, a, i, (uint)b);");
    expect_kernel_refused(body, table.memory, 2, 0, GRAVEL_ERANGE, "destination 2 ");
    expect_kernel_refused(body, table.memory, 0x80000000u, 0, GRAVEL_ERANGE, "2147483648");
    expect_kernel_refused(body, table.memory, 0xffffffffu, 0, GRAVEL_ERANGE, "4294967295");
}

static void one_bad_destination_among_good_ones_is_named(void **state)
{
    (void)state;
    expect_kernel_refused(BODY("gravel_put_uint_wg(g, a, i, 0u, i % 64 == 13 ? 77 : i % 2);"),
                          table.memory, 0, 0, GRAVEL_ERANGE, "destination 77 ");
}

static void bad_destination_of_a_single_work_item_is_named(void **state)
{
    (void)state;
    expect_kernel_refused(BODY("if (i == 5) gravel_inc_uint_wi(g, a, i, 9);"), table.memory, 0, 0,
                          GRAVEL_ERANGE, "destination 9 ");
    expect_kernel_refused(BODY("gravel_inc_uint_wg_if(g, i == 70, a, i, 9);"), table.memory, 0, 0,
                          GRAVEL_ERANGE, "destination 9 ");
}

static void index_beyond_the_allocation_is_named(void **state)
{
    (void)state;
    const char *body = BODY("gravel_inc_uint_wg(g, a, (uint)b, 1);");
    expect_kernel_refused(body, table.memory, N_WORDS, 0, GRAVEL_ERANGE, "index 1024 ");
    expect_kernel_refused(body, table.memory, 0xffffffffu, 0, GRAVEL_ERANGE, "index 4294967295 ");
    expect_kernel_refused(BODY("gravel_add_ulong_wg(g, a, (uint)b, 1, 1);"), table.memory,
                          N_WORDS / 2, 0, GRAVEL_ERANGE, "index 512 ");
}

static void address_outside_of_allocations_is_named(void **state)
{
    (void)state;
    const char *body = BODY("gravel_put_ulong_wg(g, a, 0, 1, 1);");
    expect_kernel_refused(body, UINT64_MAX - 7, 0, 0, GRAVEL_ERANGE, "18446744073709551608");
    expect_kernel_refused(body, UINT64_C(1) << 63, 0, 0, GRAVEL_ERANGE, "9223372036854775808");
    expect_kernel_refused(body, 4u << 20, 0, 0, GRAVEL_ERANGE, "4194304");
}

static void misaligned_address_is_named(void **state)
{
    (void)state;
    char part[32];
    snprintf(part, sizeof part, "%llu", (unsigned long long)table.memory + 2);
    expect_kernel_refused(BODY("gravel_inc_uint_wg(g, a, 0, 1);"), table.memory + 2, 0, 0,
                          GRAVEL_ERANGE, part);
    snprintf(part, sizeof part, "%llu", (unsigned long long)table.memory + 4);
    expect_kernel_refused(BODY("gravel_add_ulong_wg_if(g, i < 3, a, 0, 1, 1);"), table.memory + 4,
                          0, 0, GRAVEL_ERANGE, part);
    expect_kernel_refused(BODY("gravel_inc_ulong_wg(g, a, 0, 1);"), table.memory + 4, 0, 0,
                          GRAVEL_ERANGE, part);
}

static void word_across_the_end_is_refused(void **state)
{
    (void)state;
    uint64_t odd = alloc_or_die(gravel, 12);
    expect_kernel_refused(BODY("gravel_add_ulong_wg(g, a, 1, 1, 1);"), odd, 0, 0, GRAVEL_ERANGE,
                          "index 1 ");
    expect_kernel_refused(BODY("gravel_add_ulong_wg(g, a + 8, 0, 1, 1);"), odd, 0, 0, GRAVEL_ERANGE,
                          "");
    OK(gravel_free(gravel, odd));
}

static void freed_memory_is_refused(void **state)
{
    (void)state;
    expect_kernel_refused(BODY("gravel_inc_uint_wg(g, a, 0, 1);"), freed, 0, 0, GRAVEL_ERANGE,
                          "in no allocation");
    uint32_t value = 1;
    OK(gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, freed, &value, 1));
    expect_refused(gravel_quiet(gravel), GRAVEL_ERANGE, "in no allocation");
}

static void unknown_handler_number_is_named(void **state)
{
    (void)state;
    expect_kernel_refused(BODY("gravel_am1_wg(g, 77, a, 1);"), 0, 0, 0, GRAVEL_EHANDLER,
                          "handler 77 ");
    expect_kernel_refused(BODY("gravel_am0_wg(g, 65535, 0);"), 0, 0, 0, GRAVEL_EHANDLER,
                          "handler 65535 ");
}

static void wrong_number_of_arguments_is_named(void **state)
{
    (void)state;
    expect_kernel_refused(BODY("gravel_am1_wg(g, GRAVEL_HANDLER(two), a, 1);"), 0, 0, 0,
                          GRAVEL_EHANDLER, "takes 2");
    expect_kernel_refused(BODY("gravel_am4_wg_if(g, i == 1, GRAVEL_HANDLER(none), a, b, c, a, 1);"),
                          0, 0, 0, GRAVEL_EHANDLER, "takes 0");
}

/* A header that no device function writes. */
static void malformed_package_is_refused(void **state)
{
    (void)state;
    const char *body =
        BODY("uint ticket; global uchar *slot;"
             "if (get_local_id(0) == 0) {"
             "    slot = gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);"
             "    if (slot) gravelp_queue_publish(slot, ticket, (uint)a, (uint)b, c);"
             "}");
    uint32_t put = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT);
    expect_kernel_refused(body, put, 0, 0, GRAVEL_ECORRUPT, "0 messages");
    expect_kernel_refused(body, put, 100000, 0, GRAVEL_ECORRUPT, "100000 messages");
    expect_kernel_refused(body, put, 0xfffffff0u, 0, GRAVEL_ECORRUPT, "malformed");
    expect_kernel_refused(body, 0, 1, 0, GRAVEL_ECORRUPT, "command 0x0");
    expect_kernel_refused(body, 0xff, 1, 0, GRAVEL_ECORRUPT, "command 0xff");
    expect_kernel_refused(body, GRAVELP_COMMAND(GRAVEL_PUT, 6), 1, 0, GRAVEL_ECORRUPT, "malformed");
    expect_kernel_refused(body, GRAVEL_AM | 7u << 13, 1, 0, GRAVEL_ECORRUPT, "malformed");
}

static void host_call_to_no_node_is_refused_at_once(void **state)
{
    (void)state;
    const uint32_t nodes[] = {2, 0x80000000u, 0xffffffffu};
    uint64_t word = 0;
    for (size_t i = 0; i < 3; i++) {
        char part[32];
        snprintf(part, sizeof part, "node %u ", nodes[i]);
        expect_error(gravel_put(gravel, table.memory, &word, 4, nodes[i]), GRAVEL_ERANGE, part);
        expect_error(gravel_get(gravel, table.memory, &word, 4, nodes[i]), GRAVEL_ERANGE, part);
        expect_error(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, table.memory, NULL, nodes[i]),
                     GRAVEL_ERANGE, part);
        expect_error(gravel_am(gravel, 0, NULL, 0, nodes[i]), GRAVEL_ERANGE, part);
    }
    expect_refused(gravel_quiet(gravel), 0, "");
}

/* As a whole: of a put of many pieces, none goes to what lies behind the gap, or behind the end of all numbers. */
static void host_put_outside_is_refused_at_once(void **state)
{
    (void)state;
    static char data[8 << 20] = {1};
    char part[96];
    snprintf(part, sizeof part, ": theirs is of %u from %llu on", N_WORDS * 4u,
             (unsigned long long)table.memory);
    expect_error(gravel_put(gravel, table.memory + N_WORDS * 4u - 32, data, sizeof data, 1),
                 GRAVEL_ERANGE, part);
    expect_error(gravel_put(gravel, UINT64_MAX - sizeof data / 2, data, sizeof data, 1),
                 GRAVEL_ERANGE, "8388608 bytes from offset 18446744073705357311 on are not in one");
    expect_error(gravel_put(gravel, freed, data, 1, 0), GRAVEL_ERANGE, "not in one allocation");
    expect_refused(gravel_quiet(gravel), 0, "");
}

static void host_put_of_nothing_does_nothing(void **state)
{
    (void)state;
    OK(gravel_put(gravel, freed, NULL, 0, 1));
    OK(gravel_get(gravel, freed, NULL, 0, 1));
    expect_error(gravel_put(gravel, table.memory, NULL, 1, 1), GRAVEL_EINVAL, "NULL");
    expect_refused(gravel_quiet(gravel), 0, "");
}

static void host_get_outside_is_refused_at_once(void **state)
{
    (void)state;
    static char data[N_WORDS * 4u + 8];
    expect_error(gravel_get(gravel, table.memory + 8, data, N_WORDS * 4u, 1), GRAVEL_ERANGE,
                 "not in one allocation");
    expect_error(gravel_get(gravel, table.memory, data, UINT64_MAX, 1), GRAVEL_ERANGE,
                 "not in one allocation");
    expect_error(gravel_get(gravel, UINT64_MAX, data, 2, 0), GRAVEL_ERANGE,
                 "gravel_get: 2 bytes from offset 18446744073709551615 on are not in one");
    expect_error(gravel_get(gravel, freed, data, 1, 1), GRAVEL_ERANGE, "not in one allocation");
    expect_refused(gravel_quiet(gravel), 0, "");
}

static void host_update_outside_is_refused_by_quiet(void **state)
{
    (void)state;
    const uint64_t offsets[] = {table.memory + 2, UINT64_MAX - 3, UINT64_MAX, freed,
                                UINT64_C(1) << 62};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, offsets[i], NULL, 1));
        expect_refused(gravel_quiet(gravel), GRAVEL_ERANGE, "offset");
    }
}

static void host_update_that_does_not_exist_is_refused_at_once(void **state)
{
    (void)state;
    uint64_t one = 1;
    const uint32_t wrong[][2] = {{0, GRAVEL_INT},
                                 {GRAVEL_AM, GRAVEL_INT},
                                 {99, GRAVEL_INT},
                                 {UINT32_MAX, GRAVEL_UINT},
                                 {GRAVEL_PUT, 6},
                                 {GRAVEL_PUT, UINT32_MAX},
                                 {GRAVEL_MIN, GRAVEL_FLOAT},
                                 {GRAVEL_INC, GRAVEL_DOUBLE},
                                 {GRAVEL_XOR, GRAVEL_DOUBLE}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_error(gravel_update(gravel, wrong[i][0], wrong[i][1], table.memory, &one, 0),
                     GRAVEL_EINVAL, "there is no ");
    expect_error(gravel_update(gravel, GRAVEL_ADD, GRAVEL_INT, table.memory, NULL, 0),
                 GRAVEL_EINVAL, "value");
    expect_refused(gravel_quiet(gravel), 0, "");
}

static void host_call_of_a_wrong_handler_is_refused_at_once(void **state)
{
    (void)state;
    uint64_t args[5] = {0};
    expect_error(gravel_am(gravel, 2, args, 0, 0), GRAVEL_EHANDLER, "handler 2 ");
    expect_error(gravel_am(gravel, UINT32_MAX, args, 0, 0), GRAVEL_EHANDLER, "4294967295");
    expect_error(gravel_am(gravel, 1, args, 1, 0), GRAVEL_EINVAL, "takes 2 ");
    expect_error(gravel_am(gravel, 1, args, 5, 0), GRAVEL_EINVAL, "takes 2 ");
    expect_error(gravel_am(gravel, 1, NULL, 2, 0), GRAVEL_EINVAL, "");
    expect_refused(gravel_quiet(gravel), 0, "");
}

static void several_refusals_are_counted(void **state)
{
    (void)state;
    expect_refused(
        run_body(gravel, BODY("gravel_inc_uint_wg(g, a, i, 5);"), 256, 64, table.memory, 0, 0),
        GRAVEL_ERANGE, "and 3 more");
}

static void collectives_check_their_arguments(void **state)
{
    (void)state;
    int64_t value[65] = {0};
    uint64_t offset, sums[33] = {7};
    expect_error(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_LONG, value, 0), GRAVEL_EINVAL,
                 "0 values");
    expect_error(gravel_reduce(gravel, GRAVEL_XOR, GRAVEL_LONG, value, 1), GRAVEL_EINVAL,
                 "gravel_reduce: there is no xor on long; add, min and max");
    expect_error(gravel_reduce(gravel, GRAVEL_ADD, 6, value, 1), GRAVEL_EINVAL, "add on type 6");
    expect_error(gravel_reduce(gravel, 77, GRAVEL_INT, value, 1), GRAVEL_EINVAL,
                 "operation 77 on int");
    expect_error(gravel_update(gravel, GRAVEL_MIN, GRAVEL_FLOAT, table.memory, value, 0),
                 GRAVEL_EINVAL, "gravel_update: there is no min on float");
    expect_error(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_LONG, NULL, 1), GRAVEL_EINVAL, "");
    expect_error(gravel_barrier_sum(gravel, table.memory, 0, NULL, sums), GRAVEL_EINVAL,
                 "gravel_barrier_sum: 0 counters");
    expect_error(gravel_barrier_sum(gravel, table.memory, 33, NULL, sums), GRAVEL_EINVAL,
                 "33 counters at offset ");
    expect_error(gravel_barrier_sum(gravel, table.memory + 2, 1, NULL, sums), GRAVEL_EINVAL,
                 "at a multiple of 4");
    expect_error(gravel_barrier_sum(gravel, table.memory, 1, NULL, NULL), GRAVEL_EINVAL, "sums");
    expect_error(gravel_barrier_sum(gravel, freed, 1, NULL, sums), GRAVEL_ERANGE,
                 "gravel_barrier_sum: ");
    offset = alloc_or_die(gravel, 64);
    expect_error(gravel_barrier_sum(gravel, offset + 60, 2, NULL, sums), GRAVEL_ERANGE,
                 "not in one allocation");
    OK(gravel_free(gravel, offset));
    assert_int_equal(sums[0], 7);
    expect_error(gravel_alloc(gravel, 0, &offset), GRAVEL_EINVAL, "0 bytes");
    expect_error(gravel_alloc(gravel, 8, NULL), GRAVEL_EINVAL, "");
    expect_error(gravel_free(gravel, table.memory + 64), GRAVEL_EINVAL, "no allocation starts");
    expect_error(gravel_free(gravel, freed), GRAVEL_EINVAL, "no allocation starts");
    expect_refused(gravel_quiet(gravel), 0, "");
}

static void refusals_are_counted_in_statistics(void **state)
{
    (void)state;
    struct gravel_stats stats;
    OK(gravel_stats_reset(gravel));
    expect_error(
        run_body(gravel, BODY("gravel_inc_uint_wg(g, a, i, 5);"), 128, 64, table.memory, 0, 0),
        GRAVEL_ERANGE, "destination 5 ");
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    assert_int_equal(stats.refused_messages, 128);
    expect_error(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, 0, 0);"), 128, 64, freed, 0, 0),
                 GRAVEL_ERANGE, "no allocation");
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    assert_true(stats.refused_buffers >= 1);
    expect_error(gravel_stats_read(gravel, &stats, sizeof stats, 2), GRAVEL_EINVAL,
                 "node 2 does not exist (there are 2)");
}

int main(void)
{
    watch(120, "refusals");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destination_beyond_the_last_is_named),
        cmocka_unit_test(one_bad_destination_among_good_ones_is_named),
        cmocka_unit_test(bad_destination_of_a_single_work_item_is_named),
        cmocka_unit_test(index_beyond_the_allocation_is_named),
        cmocka_unit_test(address_outside_of_allocations_is_named),
        cmocka_unit_test(misaligned_address_is_named),
        cmocka_unit_test(word_across_the_end_is_refused),
        cmocka_unit_test(freed_memory_is_refused),
        cmocka_unit_test(unknown_handler_number_is_named),
        cmocka_unit_test(wrong_number_of_arguments_is_named),
        cmocka_unit_test(malformed_package_is_refused),
        cmocka_unit_test(host_call_to_no_node_is_refused_at_once),
        cmocka_unit_test(host_put_outside_is_refused_at_once),
        cmocka_unit_test(host_put_of_nothing_does_nothing),
        cmocka_unit_test(host_get_outside_is_refused_at_once),
        cmocka_unit_test(host_update_outside_is_refused_by_quiet),
        cmocka_unit_test(host_update_that_does_not_exist_is_refused_at_once),
        cmocka_unit_test(host_call_of_a_wrong_handler_is_refused_at_once),
        cmocka_unit_test(several_refusals_are_counted),
        cmocka_unit_test(collectives_check_their_arguments),
        cmocka_unit_test(refusals_are_counted_in_statistics),
    };
    return cmocka_run_group_tests(tests, open_node, close_node);
}
