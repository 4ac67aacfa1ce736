/* SPDX-License-Identifier: MIT */
/*
 * A call of the driver that does not return: the node fails in time with the thread's name and the call's, whichever
 * thread stands in it; every other thread's calls return, and the node closes. A call that compiles may take longer.
 *
 * Path: meson test -> standing.h, failing_opencl.h -> lib/node/watch.c, lib/base/mark.h
 */
#include <fcntl.h>
#include <stdio.h>

#include "expect.h"
#include "standing.h"

#define TIMEOUT_MS 500u
#define LIMIT_S 8.0 /* of anything here; generous: the machine is shared */

static struct gravel *open_impatient(void)
{
    const struct gravel_bindings bindings = STANDING_BINDINGS;
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    config.timeout_ms = TIMEOUT_MS;
    config.queue_bytes = 4 * 9280;
    standing_log[0] = '\0';
    OK(gravel_open(&gravel, &config, &bindings));
    return gravel;
}

static void return_again(void)
{
    atomic_store(&failing.holds, 0);
    atomic_store(&failing.build_ms, 0);
}

/* A barrier by itself may succeed until the limit is over. */
static void expect_told_in_time(struct gravel *gravel, double begin, const char *thread)
{
    int code = 0;
    while (!code && may_wait(begin, LIMIT_S))
        code = gravel_barrier(gravel);
    print_message("%.2f s: %s\n", seconds_now() - begin, gravel_last_error());
    expect_error(code, GRAVEL_ETIMEOUT, thread);
    expect_error(code, GRAVEL_ETIMEOUT, " has not returned for 0.");
    assert_non_null(strstr(standing_log, gravel_last_error()));
    assert_true(is_within(begin, LIMIT_S));
    assert_true(gravel_quiet(gravel) < 0);
    uint64_t offset;
    assert_true(gravel_alloc(gravel, 64, &offset) < 0);
    assert_true(gravel_close(gravel) < 0);
    assert_true(is_within(begin, 2 * LIMIT_S));
}

/* What the library prints while the call runs, whatever the settings say. */
static void expect_told_and_printed(struct standing *standing, double begin)
{
    char path[] = "/tmp/gravel-standing-XXXXXX", text[1024] = "";
    int file = mkstemp(path), terminal = dup(STDERR_FILENO);
    MUST(file >= 0 && terminal >= 0 && dup2(file, STDERR_FILENO) >= 0);
    expect_told_in_time(standing->gravel, begin, "thread launcher (");
    MUST(dup2(terminal, STDERR_FILENO) >= 0);
    MUST(pread(file, text, sizeof text - 1, 0) >= 0);
    close(file), close(terminal), unlink(path);
    assert_non_null(strstr(text, "thread launcher ("));
    assert_non_null(strstr(text, ", in a call of the driver: cl"));
}

TEST(thread_that_launches_is_told)
{
    struct standing standing = make_standing(open_impatient());
    double begin = seconds_now();
    stand_in_launch(&standing);
    expect_told_and_printed(&standing, begin);
    end_standing(&standing);
}

TEST(network_thread_is_told)
{
    struct standing standing = make_standing(open_impatient());
    double begin = seconds_now();
    stand_in_network_thread(&standing);
    expect_told_in_time(standing.gravel, begin, "thread gravel-net (");
    end_standing(&standing);
}

TEST(pump_is_told)
{
    struct gravel *gravel = open_impatient();
    if (!takes_step(gravel, "pump")) {
        OK(gravel_close(gravel));
        skip_because("a pump of its own is on step pump only");
    }
    struct standing standing = make_standing(gravel);
    double begin = seconds_now();
    stand_in_pump(&standing);
    expect_told_in_time(gravel, begin, "thread gravel-pump (");
    end_standing(&standing);
}

/* Nor are other threads told that must wait for it. */
TEST(program_may_be_built_for_longer)
{
    struct gravel *gravel = open_impatient();
    atomic_store(&failing.build_ms, 3 * TIMEOUT_MS);
    expect_works(gravel);
    OK(gravel_close(gravel));
}

TEST(node_may_be_opened_for_longer)
{
    struct gravel *one = open_impatient();
    atomic_store(&failing.build_ms, 2 * TIMEOUT_MS);
    struct gravel *other = open_impatient();
    atomic_store(&failing.build_ms, 0);
    expect_works(one);
    expect_works(other);
    OK(gravel_close(one));
    OK(gravel_close(other));
}

const struct fixture fixture = {.open = skip_untaken_step, .after = return_again};
