/* SPDX-License-Identifier: MIT */
/*
 * The trace where numbers, files or disks are not as usual: decimal commas, a limit for files, no room. What is written
 * is whole events, and what is missing is named.
 *
 * Path: meson test -> this -> lib/base/trace.c
 */

#include <fcntl.h>
#include <signal.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "base/error.h"
#include "base/trace.h"
#include "decimal_commas.h"
#include "resident.h"

static char folder[] = "/tmp/gravel-trace-XXXXXX";
static char path[64], written[64];

static void make_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.json", folder);
    snprintf(written, sizeof written, "%s/t.7.json", folder);
}

static void remove_folder(void)
{
    unlink(written);
    rmdir(folder);
}

/* @return its text; the caller's to free. */
static char *read_trace(void)
{
    struct stat status;
    FILE *file = fopen(written, "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    char *text = calloc(1, (size_t)status.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)status.st_size, file), status.st_size);
    fclose(file);
    return text;
}

/* Whole lines of events, in brackets. */
static void expect_whole(const char *text)
{
    size_t n = strlen(text);
    assert_true(n > 8);
    assert_memory_equal(text, "[\n{", 3);
    assert_string_equal(text + n - 4, "}\n]\n");
    for (const char *end = strchr(text + 2, '\n'); end[1] != ']'; end = strchr(end + 1, '\n'))
        assert_memory_equal(end - 2, "},\n{", 4);
}

TEST(numbers_have_points_in_every_locale)
{
    struct gravel_trace *trace;
    bool has_commas = take_decimal_commas(folder);
    assert_int_equal(gravel_trace_open(&trace, path, 7), 0);
    gravel_trace_span(trace, "wait", 1234567, 2000000);
    gravel_trace_async(trace, "kernel", 1, 5, UINT64_C(12345678901234567));
    gravel_trace_buffer(trace, "send", 3, 1000000);
    assert_int_equal(gravel_trace_close(trace, false), 0);
    leave_decimal_commas(folder);
    char *text = read_trace();
    expect_whole(text);
    assert_non_null(strstr(text, "\"ts\":1234.567,\"dur\":765.433,\"pid\":7"));
    assert_non_null(strstr(text, "\"ts\":0.005,\"pid\":7"));
    assert_non_null(strstr(text, "\"ts\":12345678901234.567,\"pid\":7"));
    assert_non_null(strstr(text, "\"bytes\":1000000}"));
    free(text);
    if (!has_commas)
        skip();
}

/* To write more would end the process. */
TEST(trace_ends_at_the_limit_of_files)
{
    struct gravel_trace *trace;
    const rlim_t before = set_limit(RLIMIT_FSIZE, 10000);
    assert_int_equal(gravel_trace_open(&trace, path, 7), 0);
    for (uint32_t i = 0; i < 1000; i++)
        gravel_trace_buffer(trace, "send", i, i);
    int code = gravel_trace_close(trace, false);
    set_limit(RLIMIT_FSIZE, 0);
    int refused = gravel_trace_open(&trace, path, 8);
    set_limit(RLIMIT_FSIZE, before);
    assert_int_equal(code, GRAVEL_ESYSTEM);
    assert_int_equal(refused, GRAVEL_ESYSTEM);
    assert_non_null(strstr(gravel_last_error(), "t.8.json: File too large"));
    char *text = read_trace();
    assert_in_range(strlen(text), 9000, 10000);
    expect_whole(text);
    free(text);
}

struct late {
    struct gravel_trace *trace;
    useconds_t late_us;
};

static void *end_kernel_late(void *argument)
{
    const struct late *late = argument;
    usleep(late->late_us);
    gravel_trace_async(late->trace, "body", 1, 1, 2);
    gravel_trace_let_go(late->trace);
    return NULL;
}

TEST(kernel_that_the_driver_reports_late_is_written_or_left_out)
{
    const useconds_t late_us[] = {200000, 2000000};
    for (int i = 0; i < 2; i++) {
        struct late late = {.late_us = late_us[i]};
        pthread_t thread;
        assert_int_equal(gravel_trace_open(&late.trace, path, 7), 0);
        gravel_trace_hold(late.trace);
        assert_int_equal(pthread_create(&thread, NULL, end_kernel_late, &late), 0);
        assert_int_equal(gravel_trace_close(late.trace, true), 0);
        pthread_join(thread, NULL);
        char *text = read_trace();
        expect_whole(text);
        assert_int_equal(!strstr(text, "\"body\""), i);
        free(text);
    }
}

const struct fixture fixture = {.before = make_folder, .after = remove_folder};
