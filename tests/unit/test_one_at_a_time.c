/* SPDX-License-Identifier: MIT */
/*
 * Turns of processes to test a device: one at a time, by the device; a process that ends or hangs keeps no other one.
 *
 * Path: meson test -> this -> lib/self_test/one_at_a_time.c
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "base/clock.h"
#include "self_test/self_test.h"

#define LONG_NS (60 * GRAVEL_NS_PER_S)
#define SHORT_NS (GRAVEL_NS_PER_S / 10)

static uint64_t device; /* of this test alone */

/* A process that takes the turn, says so, and keeps it until it is asked to end. */
static pid_t start_holder(int *to_holder)
{
    int said[2], ended[2];
    char byte = 0;
    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(ended), 0);
    pid_t holder = fork();
    if (holder == 0) {
        close(ended[1]);
        int lock = gravel_test_lock(device, LONG_NS);
        byte = lock >= 0;
        if (write(said[1], &byte, 1) != 1 || read(ended[0], &byte, 1) < 0)
            _exit(1);
        gravel_test_unlock(lock);
        _exit(0);
    }
    assert_int_equal(read(said[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    close(said[0]), close(said[1]), close(ended[0]);
    *to_holder = ended[1];
    return holder;
}

TEST(one_process_has_the_turn_until_it_ends)
{
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        int to_holder, other;
        pid_t holder = start_holder(&to_holder);
        assert_int_equal(gravel_test_lock(device, SHORT_NS), -1);
        assert_true((other = gravel_test_lock(device + 1, SHORT_NS)) >= 0); /* another device */
        gravel_test_unlock(other);
        if (is_killed)
            kill(holder, SIGKILL);
        else
            close(to_holder);
        int lock = gravel_test_lock(device, LONG_NS);
        assert_true(lock >= 0);
        gravel_test_unlock(lock);
        assert_int_equal(waitpid(holder, NULL, 0), holder);
        if (is_killed)
            close(to_holder);
    }
}

static void name_device(void)
{
    device = gravel_clock_ns() << 16 | (uint64_t)getpid() << 1;
}

const struct fixture fixture = {.open = name_device};
