/* SPDX-License-Identifier: MIT */
/*
 * The applications' reports.
 *
 * Path: meson test -> this -> apps/frame/trials.h
 */
#include "cases.h"
#include "frame/trials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Trial i sleeps sleeps_ms[i]. */
struct sleeper {
    const unsigned *sleeps_ms;
    unsigned n_prepared, n_run;
    int status;
};

static int prepare(void *app, unsigned trial)
{
    struct sleeper *sleeper = app;
    assert_int_equal(sleeper->n_prepared++, trial);
    usleep(20000); /* must not be counted */
    return 0;
}

static int run(void *app, unsigned trial)
{
    struct sleeper *sleeper = app;
    assert_int_equal(sleeper->n_run++, trial);
    usleep(1000 * sleeper->sleeps_ms[trial]);
    return sleeper->status;
}

static struct trials trials_to(FILE *out, unsigned n_trials)
{
    return (struct trials){.name = "gups",
                           .variant = "inc",
                           .input = "uniform-5",
                           .unit = "updates/s",
                           .work = 1e6,
                           .n_nodes = 4,
                           .n_trials = n_trials,
                           .out = out};
}

TEST(trials_keep_minimum_median_and_maximum)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){12, 1, 6, 3}};
    struct trials trials = trials_to(out, 4);
    assert_int_equal(trials_run(&trials, prepare, run, &sleeper), 0);
    assert_int_equal(sleeper.n_prepared, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(trials.min_s <= trials.seconds[i] && trials.seconds[i] <= trials.max_s);
    assert_true(trials.min_s >= 0.001 && trials.max_s >= 0.012); /* as the sleeps */
    assert_true(trials.min_s <= trials.median_s && trials.median_s <= trials.max_s);
    assert_int_equal(trials_report(&trials, TRIALS_PASSED), 0);
    trials_free(&trials);
    fclose(out);
    unsigned n_lines = 0;
    for (char *c = text; *c; c++)
        n_lines += *c == '\n';
    assert_int_equal(n_lines, 5);
    assert_int_equal(strncmp(text, "gups/inc  uniform-5  4 nodes  ", 30),
                     0); /* however long it took */
    assert_non_null(strstr(text, " M updates/s\n"));
    assert_non_null(strstr(text, "4 trials)"));
    assert_non_null(strstr(text, "  PASS\n"));
    free(text);
}

/* A report of two trials of a millisecond. */
static char *report(enum trials_check check, json_t *parameters, const char *input, uint32_t node,
                    bool is_quiet)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){1, 1}};
    struct trials trials = trials_to(out, 2);
    trials.json = !is_quiet;
    trials.is_quiet = is_quiet;
    trials.node = node;
    snprintf(trials.input, sizeof trials.input, "%s", input);
    trials.parameters = parameters;
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), 0);
    assert_int_equal(trials_report(&trials, check), 0);
    trials_free(&trials);
    fclose(out);
    assert_true(node ? n == 0 : strchr(text, '\n') == text + n - 1); /* one line, of node 0 alone */
    return text;
}

static json_t *report_json(enum trials_check check, json_t *parameters, const char *input)
{
    char *text = report(check, parameters, input, 0, false);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    free(text);
    return object;
}

TEST(json_report_has_every_field)
{
    json_t *object =
        report_json(TRIALS_PASSED, json_pack("{s:i}", "table_bytes", 4096), "uniform-5");
    const char *name, *variant, *unit;
    double seconds, rate;
    int nodes, runs, valid, table_bytes;
    json_t *each;
    assert_int_equal(json_unpack(object, "{s:s, s:s, s:s, s:i, s:i, s:b, s:f, s:f, s:o, s:{s:i}}",
                                 "name", &name, "variant", &variant, "unit", &unit, "nodes", &nodes,
                                 "runs", &runs, "valid", &valid, "seconds", &seconds, "rate", &rate,
                                 "seconds_each", &each, "parameters", "table_bytes", &table_bytes),
                     0);
    assert_string_equal(name, "gups");
    assert_string_equal(variant, "inc");
    assert_string_equal(unit, "updates/s");
    assert_true(nodes == 4 && runs == 2 && valid && table_bytes == 4096);
    assert_int_equal(json_array_size(each), 2);
    assert_true(rate > 0.999e6 / seconds && rate < 1.001e6 / seconds);
    json_decref(object);
}

TEST(json_report_of_an_unchecked_run_has_valid_null)
{
    json_t *object = report_json(TRIALS_UNCHECKED, NULL, "\xff.el");
    assert_true(json_is_null(json_object_get(object, "valid")));
    assert_true(json_is_null(json_object_get(object, "input"))); /* not UTF-8 */
    json_decref(object);
    object = report_json(TRIALS_FAILED, NULL, "x");
    assert_true(json_is_false(json_object_get(object, "valid")));
    json_decref(object);
}

TEST(failed_step_ends_the_series)
{
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){0, 0, 0}, .status = -42};
    struct trials trials = trials_to(NULL, 3);
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), -42);
    assert_int_equal(sleeper.n_run, 1);
    assert_int_equal(trials_report(&trials, TRIALS_PASSED), -EINVAL);
    trials_free(&trials);
    trials = trials_to(NULL, 0);
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), -EINVAL);
}

TEST(quiet_report_is_its_summary_and_other_nodes_have_none)
{
    for (uint32_t node = 0; node < 2; node++) {
        char *text = report(TRIALS_PASSED, NULL, "x", node, true);
        assert_true(node || strstr(text, "2 trials)"));
        free(text);
    }
}
