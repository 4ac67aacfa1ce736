/* SPDX-License-Identifier: MIT */
/*
 * Bytes whose sender has not looked where they go: the owner refuses them, counts them as refused, and changes nothing.
 *
 * Path: meson test -> this -> lib/network/control.c
 */
#include "expect.h"

#include "transport/buffer.h"
#include "transport/frames.h"

struct gravel_sender;

void __real_gravel_sender_ship_frame(struct gravel_sender *sender, struct gravel_buffer *buffer);
void __wrap_gravel_sender_ship_frame(struct gravel_sender *sender, struct gravel_buffer *buffer);

static uint64_t wrong_by; /* added to what the sender has checked */

void __wrap_gravel_sender_ship_frame(struct gravel_sender *sender, struct gravel_buffer *buffer)
{
    ((struct gravel_bytes_frame *)buffer->frame)->offset += wrong_by;
    __real_gravel_sender_ship_frame(sender, buffer);
}

static void expect_refused(struct gravel *gravel, uint64_t memory, uint64_t offset,
                           const char *part)
{
    static const unsigned char data[64] = {1};
    struct gravel_stats stats;
    OK(gravel_stats_reset(gravel));
    wrong_by = offset - memory;
    int sent = gravel_put(gravel, memory, data, sizeof data, 1);
    wrong_by = 0;
    OK(sent);
    expect_error(gravel_barrier(gravel), GRAVEL_ERANGE, part);
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    assert_int_equal(stats.host_messages, 1);
    assert_int_equal(stats.resolved_messages, 0);
    assert_int_equal(stats.refused_buffers, 1);
    expect_words(gravel, 1, memory, 0, 32);
}

TEST(bytes_beyond_an_allocation_are_refused)
{
    struct gravel *gravel = scoped_loopback(2, NULL);
    uint64_t memory = alloc_or_die(gravel, 128), freed = alloc_or_die(gravel, 128);
    char part[128];
    OK(gravel_free(gravel, freed));
    snprintf(part, sizeof part, "node 1's heap: 64 bytes from offset %llu on are not in one",
             (unsigned long long)memory + 96);
    expect_refused(gravel, memory, memory + 96, part);
    expect_refused(gravel, memory, UINT64_MAX - 31, "18446744073709551584 on are not in one");
    expect_refused(gravel, memory, freed, "not in one allocation");
    expect_works(gravel);
}

const struct fixture fixture = {.limit_s = 60};
