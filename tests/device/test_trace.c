/* SPDX-License-Identifier: MIT */
/*
 * The trace: valid JSON with the events there must be, a file per node; and a full disk.
 *
 * Path: meson test -> this -> lib/base/trace.c
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

#include <gravel/rounds.h>

static struct gravel_config traced(const char *path)
{
    struct gravel_config config = loopback_config(2);
    snprintf(config.trace, sizeof config.trace, "%s", path);
    return config;
}

static unsigned count_events(const json_t *events, const char *name)
{
    unsigned n = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char *text = json_string_value(json_object_get(event, "name"));
        assert_true(json_is_object(event));
        assert_non_null(text);
        assert_true(json_is_integer(json_object_get(event, "pid")));
        n += !strcmp(text, name);
    }
    return n;
}

static int note(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static const char around[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void around(GRAVEL_ARENA, GRAVEL_ROUND) {\n"
    "    GRAVEL_ROUND_OPEN(r);\n"
    "    GRAVEL_EACH_ROUND(r) GRAVEL_PHASE(r, all) { gravel_round_count_wg(r, 1); } }\n";

TEST(trace_is_json_with_all_events)
{
    char folder[] = "/tmp/gravel-trace-XXXXXX", path[64], written[64];
    MUST(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.json", folder);
    snprintf(written, sizeof written, "%s/t.0.json", folder);
    struct gravel_config config = traced(path);
    const struct gravel_handler handler = {.name = "note", .n_args = 1, .function = note};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "around.cl", .source = around, .function = "around");
    const uint64_t one = 1;
    struct gravel *gravel;
    struct gravel_rounds *rounds;
    OK(gravel_open(&gravel, &config, &bindings));
    expect_works(gravel);
    expect_works(gravel);
    OK(gravel_am(gravel, 0, &one, 1, 1));
    OK(gravel_fence(gravel));
    OK(gravel_quiet(gravel));
    OK(gravel_rounds_create(&rounds, gravel, &program));
    OK(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 3, NULL, 0));
    OK(gravel_rounds_destroy(rounds));
    OK(gravel_close(gravel));
    json_error_t error;
    json_t *events = json_load_file(written, 0, &error);
    if (!events)
        fail_msg("%s, line %d: %s", written, error.line, error.text);
    assert_true(json_is_array(events));
    assert_int_equal(count_events(events, "process_name"), 1);
    assert_int_equal(count_events(events, "body"), 4); /* kernels: begin and end of each */
    assert_true(count_events(events, "quiet") >= 1);
    assert_true(count_events(events, "barrier") >= 4);
    assert_true(count_events(events, "resolve") >= 2);
    assert_int_equal(count_events(events, "handler note"), 1);
    assert_int_equal(count_events(events, "fence"), 1);
    assert_true(count_events(events, "flush") >= 4);
    assert_int_equal(count_events(events, "round"), 3);
    assert_int_equal(count_events(events, "rounds"), 1);
    json_decref(events);
    unlink(written);
    rmdir(folder);
}

/* A full disk must not end the node: the trace is cut short, the messages are not. */
TEST(trace_on_a_full_disk_does_not_stop_messages)
{
    if (access("/dev/full", W_OK))
        skip_because("no /dev/full");
    char folder[] = "/tmp/gravel-trace-XXXXXX", path[64], link[64];
    MUST(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.json", folder);
    snprintf(link, sizeof link, "%s/t.0.json", folder);
    MUST(symlink("/dev/full", link) == 0);
    struct gravel_config config = traced(path);
    struct gravel *gravel;
    OK(gravel_open(&gravel, &config, NULL));
    expect_works(gravel);
    expect_error(gravel_close(gravel), GRAVEL_ESYSTEM, "ends early: No space left on device");
    unlink(link);
    rmdir(folder);
}

const struct fixture fixture = {.limit_s = 60};
