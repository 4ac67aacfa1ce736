/* SPDX-License-Identifier: MIT */
/*
 * The symmetric heap and the limits of memory: what is asked, free and allowed is told in numbers; what is too
 * small to work is refused when a node opens.
 *
 * Path: meson test -> this -> lib/node/messages.c, lib/memory/arena.c, lib/aggregate/sender.c
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"
#include "resident.h"

/* @return whether there is anything to keep. */
static bool open_and_close(int n_times)
{
    bool has_buffers = false;
    for (int i = 0; i < n_times; i++) {
        struct gravel *gravel = open_loopback(2, NULL);
        has_buffers = is_sliced(gravel);
        expect_works(gravel);
        OK(gravel_close(gravel));
    }
    return has_buffers;
}

/* Free memory that the process keeps. */
static long kept_bytes(void)
{
    long left = process_bytes(true);
    malloc_trim(0);
    long used = process_bytes(true);
    print_message("%ld MiB, %ld in use\n", left >> 20, used >> 20);
    return left - used;
}

/* A service that opens a node for each request: where buffers are the process' memory, it keeps none that is free. A
 * thread of the driver may free a buffer after a node has closed, which the next one that closes gives back. */
TEST(nodes_one_after_another_leave_no_memory)
{
    const long most = 24 << 20;
    if (!open_and_close(6) || KEEPS_FREED)
        skip();
    long kept = kept_bytes();
    for (int i = 0; i < 4 && kept >= most; i++) {
        open_and_close(1);
        kept = kept_bytes();
    }
    assert_true(kept < most);
}

/* Clearing goes by pieces of 256 MB where the heap is the device's. */
TEST(memory_is_zero_and_aligned_also_the_second_time)
{
    const uint64_t bytes = (256u << 20) + 4100, places[] = {0, (256u << 20) - 512, bytes - 1024};
    struct gravel_config config = loopback_config(1);
    char data[1024], none[1024] = {0};
    config.heap_bytes = bytes;
    uint64_t none_at;
    struct gravel *gravel = scoped_node(&config, NULL);
    expect_error(gravel_alloc(gravel, UINT64_MAX, &none_at), GRAVEL_EHEAP, "18446744073709551615");
    for (int round = 0; round < 2; round++) {
        uint64_t offset = alloc_or_die(gravel, bytes);
        assert_int_equal(offset % 64, 0);
        for (int i = 0; i < 3; i++) {
            OK(gravel_get(gravel, offset + places[i], data, sizeof data, 0));
            assert_memory_equal(data, none, sizeof data);
            fill(gravel, 0, offset + places[i], 0xff, sizeof data);
        }
        OK(gravel_free(gravel, offset));
    }
}

/* What the device allows fits; what the process may address does not. */
TEST(heap_beyond_the_addresses_of_the_process_tells_the_limit)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel = NULL;
    config.heap_bytes = 1u << 30;
    const rlim_t before = set_limit(RLIMIT_AS, (rlim_t)process_bytes(false) + (768u << 20));
    int code = gravel_open(&gravel, &config, NULL);
    set_limit(RLIMIT_AS, before);
    expect_error(code, GRAVEL_ENOMEM, "RLIMIT_AS");
}

/* 2^46 bytes times 4096 is 2^58; more would overflow, and nothing may. */
TEST(what_cannot_be_is_refused_with_its_numbers)
{
    static const struct {
        uint32_t n_nodes;
        const char *settings;
        int code;
        const char *part;
    } rows[] = {
        {1, "heap_bytes=64T", GRAVEL_ENOMEM, "heaps of 70368744181760"},
        {1, "heap_bytes=64T", GRAVEL_ENOMEM, "largest allocation"},
        {4096, "heap_bytes=1T n_buffers=2", GRAVEL_ENOMEM, "4096 heaps"},
        {4096, "heap_bytes=64T queue_bytes=1T n_aggregators=64 n_buffers=65536 buffer_bytes=64M",
         GRAVEL_ENOMEM, ""},
        {2, "queue_bytes=1T slot_bytes=16M", GRAVEL_ENOMEM, "queues 1099511627776"},
        {2, "queue_bytes=9279 slot_bytes=9280", GRAVEL_ECONFIG, "queue of 9279 bytes"},
        {2, "queue_bytes=27840 slot_bytes=9280 n_aggregators=4", GRAVEL_ECONFIG,
         "each of 4 aggregators"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gravel_config config = loopback_with(rows[i].n_nodes, rows[i].settings);
        expect_no_open(&config, NULL, rows[i].code, rows[i].part);
    }
}

TEST(many_loopback_nodes_work)
{
    const struct gravel_config config = loopback_with(1000, "heap_bytes=4k buffer_bytes=512");
    struct gravel *gravel = scoped_node(&config, NULL);
    uint64_t word = alloc_or_die(gravel, 64);
    OK(run_body(gravel, BODY("gravel_add_uint_wg(g, a, i % 16, i, i % 1000);"), 16000, 64, word, 0,
                0));
    uint64_t sum = 0;
    for (uint32_t node = 0; node < 1000; node++) {
        const uint32_t *words = read_map(gravel, node, word, 64);
        for (uint32_t i = 0; i < 16; i++)
            sum += words[i];
        unmap(gravel, words);
    }
    assert_int_equal(sum, 15999ull * 16000 / 2);
}

/* As unaligned as a slot, a queue and a buffer can be. */
TEST(odd_sizes_work)
{
    const struct gravel_config config =
        loopback_with(3, "heap_bytes=123457 slot_bytes=1001 queue_bytes=12347 buffer_bytes=1003 "
                         "n_aggregators=3");
    struct gravel *gravel = scoped_node(&config, NULL);
    uint64_t table = alloc_or_die(gravel, 4 * 5000);
    OK(run_body(gravel, BODY("gravel_add_uint_wg(g, a, i, i + 1, i % 3);"), 5000, 100, table, 0,
                0));
    for (uint32_t node = 0; node < 3; node++) {
        const uint32_t *words = read_map(gravel, node, table, 4 * 5000);
        for (uint32_t i = 0; i < 5000; i++)
            assert_int_equal(words[i], i % 3 == node ? i + 1 : 0);
        unmap(gravel, words);
    }
    char data[5000], back[5000];
    for (int i = 0; i < 5000; i++)
        data[i] = (char)(i * 7);
    OK(gravel_put(gravel, table + 3, data, sizeof data, 2)); /* pieces, unaligned */
    OK(gravel_quiet(gravel));
    OK(gravel_get(gravel, table + 3, back, sizeof back, 2));
    assert_memory_equal(data, back, sizeof data);
}

const struct fixture fixture = {.limit_s = 120};
