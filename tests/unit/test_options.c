/* SPDX-License-Identifier: MIT */
/*
 * The applications' command line, their reports, their progress bar and their last words.
 *
 * Path: meson test -> this -> apps/common/options.h, app.h, trials.h, progress.h
 *
 * What exits or writes to stderr runs in a child process, whose stderr comes back through a pipe.
 */
#include "app.h"
#include "progress.h"
#include "trials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

/* An application's own options beside the common ones. */
struct app_options {
    struct options common;
    uint64_t table_bytes;
};

static error_t parse_own(int key, char *value, struct argp_state *state)
{
    struct app_options *mine = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &mine->common;
        return 0;
    case 't':
        return options_number(state, "-t", value, 8, 1 << 20, &mine->table_bytes);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&options_run_argp, 0, NULL, 0}, {&options_graph_argp, 0, NULL, 0}, {0}};
static const struct argp_option own_options[] = {{"table", 't', "BYTES", 0, "Table", 0}, {0}};
static const struct argp own_argp = {
    .options = own_options, .parser = parse_own, .children = children};

#define MAX_WORDS 16

/* Parse a command line written as words with single blanks between them. */
static struct app_options parse(char *line)
{
    struct app_options mine = {.common = OPTIONS_DEFAULT};
    char *words[MAX_WORDS] = {(char *)"app"};
    int n = 1;
    for (char *word = strtok(line, " "); word && n < MAX_WORDS - 1; word = strtok(NULL, " "))
        words[n++] = word;
    argp_parse(&own_argp, n, words, 0, NULL, &mine);
    return mine;
}

#define PARSE(line) parse((char[]){line})

/* Run `body` in a child; its stderr goes to `said`; returns its exit status. */
static int run_child(void (*body)(void *), void *argument, char *said, size_t said_bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body(argument);
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n<said_bytes - 1; n += got> 0 ? (size_t)got : 0)
        got = read(ends[0], said + n, said_bytes - 1 - n);
    said[n] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void nothing_given_leaves_the_defaults(void **state)
{
    (void)state;
    struct app_options mine = PARSE("");
    assert_int_equal(mine.common.n_trials, 3);
    assert_int_equal(mine.common.degree, 16);
    assert_int_equal(mine.common.seed, 1);
    assert_int_equal(mine.common.graph_source, GRAPH_FROM_NOTHING);
    assert_false(mine.common.verify || mine.common.json || mine.common.quiet);
}

static void all_options_are_read(void **state)
{
    (void)state;
    struct app_options mine =
        PARSE("-g 20 -k 7 -n 5 -v -q --json --seed 9223372036854775807 -t 64");
    assert_int_equal(mine.common.graph_source, GRAPH_FROM_KRONECKER);
    assert_int_equal(mine.common.scale, 20);
    assert_int_equal(mine.common.degree, 7);
    assert_int_equal(mine.common.n_trials, 5);
    assert_int_equal(mine.common.seed, INT64_MAX);
    assert_true(mine.common.verify && mine.common.json && mine.common.quiet);
    assert_int_equal(mine.table_bytes, 64);
}

static void file_replaces_the_applications_default(void **state)
{
    (void)state;
    struct app_options mine = {.common = OPTIONS_DEFAULT};
    mine.common.graph_source = GRAPH_FROM_UNIFORM;
    char *words[] = {(char *)"app", (char *)"-f", (char *)"x.el", NULL};
    assert_int_equal(argp_parse(&own_argp, 3, words, 0, NULL, &mine), 0);
    assert_int_equal(mine.common.graph_source, GRAPH_FROM_FILE);
    assert_string_equal(mine.common.graph_file, "x.el");
}

static void parse_in_child(void *line)
{
    program_invocation_short_name = (char *)"app";
    parse(line);
}

static void bad_values_are_refused_in_one_line(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"-g x", "app: -g: 'x' is not in 0..31\n"},
        {"-g 32", "app: -g: '32' is not in 0..31\n"},
        {"-g -1", "app: -g: '-1' is not in 0..31\n"},
        {"-g 1e3", "app: -g: '1e3' is not in 0..31\n"},
        {"-u 4x", "app: -u: '4x' is not in 0..31\n"},
        {"-u +4", "app: -u: '+4' is not in 0..31\n"},
        {"-k 0", "app: -k: '0' is not in 1..65536\n"},
        {"-k 4294967297", "app: -k: '4294967297' is not in 1..65536\n"},
        {"-k 18446744073709551620", "app: -k: '18446744073709551620' is not in 1..65536\n"},
        {"-n 0", "app: -n: '0' is not in 1..1000000\n"},
        {"-n nan", "app: -n: 'nan' is not in 1..1000000\n"},
        {"--seed=", "app: --seed: '' is not in 0..9223372036854775807\n"},
        {"--seed 18446744073709551617",
         "app: --seed: '18446744073709551617' is not in 0..9223372036854775807\n"},
        {"-t 7", "app: -t: '7' is not in 8..1048576\n"},
        {"-g 3 -u 3", "app: -u 3: give only one of -f, -g and -u\n"},
        {"-f x.el -g 3", "app: -g 3: give only one of -f, -g and -u\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[64], said[256];
        strcpy(line, rows[i][0]);
        assert_int_equal(run_child(parse_in_child, line, said, sizeof said), 64);
        assert_string_equal(said, rows[i][1]);
    }
}

static void graph_in_child(void *options)
{
    struct graph graph;
    program_invocation_short_name = (char *)"app";
    app_graph(&graph, options);
    graph_free(&graph);
}

static void missing_graph_dies_in_one_line(void **state)
{
    (void)state;
    char said[256];
    struct options options = OPTIONS_DEFAULT;
    assert_int_equal(run_child(graph_in_child, &options, said, sizeof said), 1);
    assert_string_equal(said, "app: no graph: give one of -f FILE, -g SCALE and -u SCALE\n");
    options.graph_source = GRAPH_FROM_FILE;
    options.graph_file = "/nonexistent/x.el";
    assert_int_equal(run_child(graph_in_child, &options, said, sizeof said), 1);
    assert_string_equal(said, "app: /nonexistent/x.el: cannot open: No such file or directory\n");
}

static void graph_comes_from_where_the_options_say(void **state)
{
    (void)state;
    struct options options = PARSE("-u 5 -k 2").common;
    struct graph graph;
    char name[64];
    app_graph(&graph, &options);
    app_graph_name(name, sizeof name, &options);
    assert_int_equal(graph.n_edges, 2 * 2 * 32);
    assert_string_equal(name, "uniform-5");
    json_t *parameters = app_graph_parameters(&options, &graph);
    assert_int_equal(json_integer_value(json_object_get(parameters, "edges_per_vertex")), 2);
    json_decref(parameters);
    graph_free(&graph);
    options.graph_source = GRAPH_FROM_FILE;
    options.graph_file = TEST_DATA "/diamond.graph";
    app_graph(&graph, &options);
    app_graph_name(name, sizeof name, &options);
    assert_int_equal(graph.n_vertices, 5);
    assert_string_equal(name, "diamond.graph");
    graph_free(&graph);
}

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

static void trials_keep_minimum_median_and_maximum(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){12, 1, 6, 3}};
    struct trials trials = trials_to(out, 4);
    assert_int_equal(trials_run(&trials, prepare, run, &sleeper), 0);
    assert_int_equal(sleeper.n_prepared, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(trials.min_s <= trials.seconds[i] && trials.seconds[i] <= trials.max_s);
    assert_true(trials.min_s >= 0.001);
    assert_true(trials.max_s >= 0.012 && trials.min_s <= trials.median_s);
    assert_true(trials.median_s >= 0.0045 && trials.median_s <= trials.max_s);
    assert_int_equal(trials_report(&trials, TRIALS_PASSED), 0);
    trials_free(&trials);
    fclose(out);
    unsigned n_lines = 0;
    for (char *c = text; *c; c++)
        n_lines += *c == '\n';
    assert_int_equal(n_lines, 5);
    assert_int_equal(strncmp(text, "gups/inc  uniform-5  4 nodes  0.0", 33), 0);
    assert_non_null(strstr(text, " M updates/s\n"));
    assert_non_null(strstr(text, "4 trials)"));
    assert_non_null(strstr(text, "  PASS\n"));
    free(text);
}

static json_t *report_json(enum trials_check check, json_t *parameters, const char *input)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){1, 1}};
    struct trials trials = trials_to(out, 2);
    trials.json = true;
    trials.input = input;
    trials.parameters = parameters;
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), 0);
    assert_int_equal(trials_report(&trials, check), 0);
    trials_free(&trials);
    fclose(out);
    assert_ptr_equal(strchr(text, '\n'), text + n - 1);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    free(text);
    return object;
}

static void json_report_has_every_field(void **state)
{
    (void)state;
    json_t *object =
        report_json(TRIALS_PASSED, json_pack("{s:i}", "table_bytes", 4096), "uniform-5");
    assert_string_equal(json_string_value(json_object_get(object, "name")), "gups");
    assert_string_equal(json_string_value(json_object_get(object, "variant")), "inc");
    assert_string_equal(json_string_value(json_object_get(object, "unit")), "updates/s");
    assert_int_equal(json_integer_value(json_object_get(object, "nodes")), 4);
    assert_int_equal(json_integer_value(json_object_get(object, "runs")), 2);
    assert_int_equal(json_array_size(json_object_get(object, "seconds_each")), 2);
    assert_true(json_is_true(json_object_get(object, "valid")));
    double seconds = json_real_value(json_object_get(object, "seconds"));
    double rate = json_real_value(json_object_get(object, "rate"));
    assert_true(rate > 0.999e6 / seconds && rate < 1.001e6 / seconds);
    json_t *parameters = json_object_get(object, "parameters");
    assert_int_equal(json_integer_value(json_object_get(parameters, "table_bytes")), 4096);
    json_decref(object);
}

static void json_report_of_an_unchecked_run_has_valid_null(void **state)
{
    (void)state;
    json_t *object = report_json(TRIALS_UNCHECKED, NULL, "\xff.el");
    assert_true(json_is_null(json_object_get(object, "valid")));
    assert_true(json_is_null(json_object_get(object, "input"))); /* not UTF-8 */
    json_decref(object);
    object = report_json(TRIALS_FAILED, NULL, "x");
    assert_true(json_is_false(json_object_get(object, "valid")));
    json_decref(object);
}

static void other_nodes_print_nothing(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){0}};
    struct trials trials = trials_to(out, 1);
    trials.node = 1;
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), 0);
    assert_int_equal(trials_report(&trials, TRIALS_PASSED), 0);
    trials.json = true;
    assert_int_equal(trials_report(&trials, TRIALS_PASSED), 0);
    trials_free(&trials);
    fclose(out);
    assert_int_equal(n, 0);
    free(text);
}

static void failed_step_ends_the_series(void **state)
{
    (void)state;
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){0, 0, 0}, .status = -42};
    struct trials trials = trials_to(NULL, 3);
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), -42);
    assert_int_equal(sleeper.n_run, 1);
    assert_int_equal(trials_report(&trials, TRIALS_PASSED), -EINVAL);
    trials_free(&trials);
    trials = trials_to(NULL, 0);
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), -EINVAL);
}

static void full_disk_is_reported(void **state)
{
    (void)state;
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    struct sleeper sleeper = {.sleeps_ms = (const unsigned[]){0}};
    struct trials trials = trials_to(out, 1);
    assert_int_equal(trials_run(&trials, NULL, run, &sleeper), -EIO);
    trials_free(&trials);
    fclose(out);
}

/* Draw a bar on a pseudo-terminal; how many bytes came out. */
static size_t draw_on_terminal(bool quiet, char *drawn, size_t drawn_bytes)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
        skip();
    FILE *stream = fopen(ptsname(terminal), "w");
    assert_non_null(stream);
    struct progress progress;
    progress_begin(&progress, stream, "edges", 200, quiet);
    progress_at(&progress, 100);
    progress.drawn_at_s += 1000; /* however slow the machine, too soon to draw again */
    progress_at(&progress, 101);
    progress_end(&progress);
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    ssize_t n = read(terminal, drawn, drawn_bytes - 1);
    drawn[n > 0 ? n : 0] = '\0';
    fclose(stream);
    close(terminal);
    return n > 0 ? (size_t)n : 0;
}

static void progress_shows_on_a_terminal_only_when_wanted(void **state)
{
    (void)state;
    char drawn[256];
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_true(draw_on_terminal(false, drawn, sizeof drawn) > 0);
    assert_string_equal(drawn,
                        "\r\033[Kedges [####################....................]  50%\r\033[K");
    assert_int_equal(draw_on_terminal(true, drawn, sizeof drawn), 0);
    setenv("NO_COLOR", "1", 1);
    assert_int_equal(draw_on_terminal(false, drawn, sizeof drawn), 0);
    setenv("NO_COLOR", "", 1);
    assert_true(draw_on_terminal(false, drawn, sizeof drawn) > 0);
    setenv("TERM", "dumb", 1);
    assert_int_equal(draw_on_terminal(false, drawn, sizeof drawn), 0);
}

static void progress_is_silent_in_a_file(void **state)
{
    (void)state;
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    FILE *file = tmpfile();
    assert_non_null(file);
    struct progress progress;
    progress_begin(&progress, file, "edges", 0, false);
    progress_at(&progress, 0);
    progress_end(&progress);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_leaves_the_defaults),
        cmocka_unit_test(all_options_are_read),
        cmocka_unit_test(file_replaces_the_applications_default),
        cmocka_unit_test(bad_values_are_refused_in_one_line),
        cmocka_unit_test(missing_graph_dies_in_one_line),
        cmocka_unit_test(graph_comes_from_where_the_options_say),
        cmocka_unit_test(trials_keep_minimum_median_and_maximum),
        cmocka_unit_test(json_report_has_every_field),
        cmocka_unit_test(json_report_of_an_unchecked_run_has_valid_null),
        cmocka_unit_test(other_nodes_print_nothing),
        cmocka_unit_test(failed_step_ends_the_series),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(progress_shows_on_a_terminal_only_when_wanted),
        cmocka_unit_test(progress_is_silent_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
