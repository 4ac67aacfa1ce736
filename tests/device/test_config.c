/* SPDX-License-Identifier: MIT */
/*
 * Settings from the environment and from the caller: what is malformed or out of range is refused by name,
 * never replaced by a default.
 *
 * Path: meson test -> this -> lib/settings/settings.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

enum kind { STRING, BOOL, COUNT, BYTES };

static const struct variable {
    enum kind kind;
    const char *name, *field;
    uint64_t min, max;
} variables[] = {
#define LEAST_STRING(choices) 0
#define LEAST_BOOL(min) min
#define LEAST_COUNT(min) min
#define LEAST_BYTES(min) min
#define VARIABLE(kind, field, VARIABLE, preset, min, max, category, help) \
    {kind, #VARIABLE, #field, LEAST_##kind(min), max},
    GRAVEL_CONFIG_FIELDS(VARIABLE)
#undef VARIABLE
};
#define LONG_NAME                                                                                  \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
    "xx"
#define N_VARIABLES (sizeof variables / sizeof *variables)

static void expect_refused(const char *name, const char *text)
{
    struct gravel_config config;
    setenv(name, text, 1);
    int code = gravel_config_load(&config, sizeof config);
    unsetenv(name);
    if (code != GRAVEL_ECONFIG)
        fail_msg("%s=%s gave %d", name, text, code);
    expect_error(code, GRAVEL_ECONFIG, name);
}

static void garbage_in_any_number_is_refused_and_named(void **state)
{
    (void)state;
    const char *const garbage[] = {"NaN",
                                   "nan",
                                   "inf",
                                   "many",
                                   "-1",
                                   "+1",
                                   " 1",
                                   "1 ",
                                   "1.5",
                                   "1e3",
                                   "0x",
                                   "1kk",
                                   "1kB",
                                   "k",
                                   "1,000",
                                   "--",
                                   "1;2",
                                   "18446744073709551616",
                                   "99999999999999999999999999",
                                   "18014398509481984k",
                                   "17592186044416M",
                                   "17179869184G"};
    for (size_t v = 0; v < N_VARIABLES; v++)
        for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
            if (variables[v].kind != STRING)
                expect_refused(variables[v].name, garbage[i]);
}

static void numbers_beyond_the_range_are_refused_and_named(void **state)
{
    (void)state;
    char text[32];
    for (size_t v = 0; v < N_VARIABLES; v++) {
        const struct variable *variable = &variables[v];
        if (variable->kind == STRING)
            continue;
        snprintf(text, sizeof text, "%llu", (unsigned long long)variable->max + 1);
        expect_refused(variable->name, text);
        snprintf(text, sizeof text, "%llu", (unsigned long long)variable->min - 1);
        if (variable->min)
            expect_refused(variable->name, text);
    }
}

static void numbers_at_the_ends_of_the_range_are_taken(void **state)
{
    (void)state;
    char text[32];
    struct gravel_config config;
    for (size_t v = 0; v < N_VARIABLES; v++)
        for (unsigned at_max = 0; at_max < 2 && variables[v].kind != STRING; at_max++) {
            uint64_t value = at_max ? variables[v].max : variables[v].min;
            snprintf(text, sizeof text, "%llu", (unsigned long long)value);
            setenv(variables[v].name, text, 1);
            OK(gravel_config_load(&config, sizeof config));
            unsetenv(variables[v].name);
        }
}

static void long_text_is_refused_and_named(void **state)
{
    (void)state;
    char text[GRAVEL_CONFIG_STRING_BYTES + 1];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t v = 0; v < N_VARIABLES; v++)
        if (variables[v].kind == STRING)
            expect_refused(variables[v].name, text);
}

static void empty_variable_means_the_default(void **state)
{
    (void)state;
    struct gravel_config preset, config;
    OK(gravel_config_load(&preset, sizeof preset));
    for (size_t v = 0; v < N_VARIABLES; v++)
        setenv(variables[v].name, "", 1);
    OK(gravel_config_load(&config, sizeof config));
    for (size_t v = 0; v < N_VARIABLES; v++)
        unsetenv(variables[v].name);
    assert_memory_equal(&preset, &config, sizeof config);
}

static void suffixes_multiply(void **state)
{
    (void)state;
    struct gravel_config config;
    setenv("GRAVEL_HEAP", "3M", 1);
    setenv("GRAVEL_BUFFER", "0x10k", 1);
    setenv("GRAVEL_QUEUE", "1T", 1);
    OK(gravel_config_load(&config, sizeof config));
    unsetenv("GRAVEL_HEAP");
    unsetenv("GRAVEL_BUFFER");
    unsetenv("GRAVEL_QUEUE");
    assert_int_equal(config.heap_bytes, 3u << 20);
    assert_int_equal(config.buffer_bytes, 16u << 10);
    assert_int_equal(config.queue_bytes, 1ull << 40);
}

/* 0 stands for a size that is derived; what lies between it and the least is no size. */
static void leading_zeros_are_no_octal(void **state)
{
    (void)state;
    struct gravel_config config;
    setenv("GRAVEL_TIMEOUT", "010000", 1);
    setenv("GRAVEL_HEAP", "00008M", 1);
    OK(gravel_config_load(&config, sizeof config));
    unsetenv("GRAVEL_TIMEOUT");
    unsetenv("GRAVEL_HEAP");
    assert_int_equal(config.timeout_ms, 10000);
    assert_int_equal(config.heap_bytes, 8u << 20);
}

/* A letter left out, put in, or another; a field's name; and what is far from all of them. */
static void misspelt_variables_are_refused_with_the_one_that_is_meant(void **state)
{
    (void)state;
    static const struct {
        const char *name, *meant;
    } rows[] = {{"GRAVEL_HEEP", "GRAVEL_HEAP"},
                {"GRAVEL_STAT", "GRAVEL_STATS"},
                {"GRAVEL_HEAP_BYTES", "GRAVEL_HEAP"},
                {"GRAVEL_LOOPBACK_NODES", "GRAVEL_LOOPBACK"},
                {"GRAVEL_TIMEOUT_MS", "GRAVEL_TIMEOUT"},
                {"GRAVEL_AGREGATION", "GRAVEL_AGGREGATION"},
                {"GRAVEL_ROOT", NULL},
                {"GRAVEL_DIR", NULL},
                {"GRAVEL_HOME", NULL},
                {"GRAVEL_LIB", NULL},
                {"GRAVEL_VERSION", NULL},
                {"GRAVEL_LIBRARY", NULL}};
    const struct gravel_config config = loopback_config(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char part[64];
        struct gravel *gravel;
        setenv(rows[i].name, "1", 1);
        int code = gravel_open(&gravel, &config, NULL);
        unsetenv(rows[i].name);
        snprintf(part, sizeof part, "%s, which is no setting: set %s instead", rows[i].name,
                 rows[i].meant);
        if (rows[i].meant)
            expect_error(code, GRAVEL_ECONFIG, part);
        else
            OK(code);
        OK(gravel_close(gravel));
    }
}

static void a_heap_beyond_the_largest_allocation_names_what_would_do(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    config.heap_bytes = 1ull << 45;
    expect_error(gravel_open(&gravel, &config, NULL), GRAVEL_ENOMEM, "GRAVEL_HEAP may be ");
    const char *most = strstr(gravel_last_error(), "GRAVEL_HEAP may be ") + 19;
    config.heap_bytes = strtoull(most, NULL, 10) + 4096 * 2;
    expect_error(gravel_open(&gravel, &config, NULL), GRAVEL_ENOMEM, most);
}

static char heard[4096];

static void hear(void *user, const char *text)
{
    size_t n = strlen(heard);
    (void)user;
    snprintf(heard + n, sizeof heard - n, "%s\n", text);
}

static void variables_of_others_are_told(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = hear);
    struct gravel *gravel;
    setenv("GRAVEL_OF_MY_OWN", "1", 1);
    heard[0] = '\0';
    OK(gravel_open(&gravel, &config, &bindings));
    OK(gravel_close(gravel));
    unsetenv("GRAVEL_OF_MY_OWN");
    assert_non_null(strstr(heard, "GRAVEL_OF_MY_OWN, which is no setting\n"));
    assert_null(strstr(heard, "GRAVEL_STEP"));
}

static void sizes_too_small_are_refused_and_named(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, 16, 255};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct gravel_config config = loopback_config(1);
        config.buffer_bytes = sizes[i];
        expect_no_open(&config, NULL, GRAVEL_ECONFIG, "buffer_bytes");
        config.buffer_bytes = 256;
        config.slot_bytes = sizes[i] + 384;
        expect_no_open(&config, NULL, GRAVEL_ECONFIG, "slot_bytes");
    }
}

static void memory_that_buffers_do_not_fit_is_refused_and_named(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(3);
    config.route_memory = 65536;
    expect_no_open(&config, NULL, GRAVEL_ECONFIG, "GRAVEL_ROUTE_MEMORY");
}

static void null_config_is_refused(void **state)
{
    (void)state;
    expect_error(gravel_config_load(NULL, sizeof(struct gravel_config)), GRAVEL_EINVAL, "NULL");
}

/* The caller may assign anything; gravel_open looks before it opens. */
static void callers_numbers_beyond_the_range_are_refused_and_named(void **state)
{
    (void)state;
#define TRY(field, value)                                      \
    {                                                          \
        struct gravel_config config = loopback_config(1);      \
        config.field = (value);                                \
        expect_no_open(&config, NULL, GRAVEL_ECONFIG, #field); \
    }
#define TRY_STRING(field, min, max)
#define TRY_BOOL(field, min, max)
#define TRY_COUNT(field, min, max)      \
    if ((max) < UINT32_MAX)             \
        TRY(field, (uint32_t)(max) + 1) \
    if ((min) > 0)                      \
    TRY(field, (uint32_t)(min)-1)
#define TRY_BYTES(field, min, max)  \
    TRY(field, (uint64_t)(max) + 1) \
    if ((min) > 0)                  \
    TRY(field, (uint64_t)(min)-1)
#define TRY_FIELD(kind, field, variable, preset, min, max, category, help) \
    TRY_##kind(field, min, max)
    GRAVEL_CONFIG_FIELDS(TRY_FIELD)
}

static void bindings_without_their_size_are_refused_and_named(void **state)
{
    const struct gravel_bindings forgotten = {.n_handlers = 0};
    struct gravel_config config = loopback_config(1);
    (void)state;
    expect_no_open(&config, &forgotten, GRAVEL_EINVAL, "bindings.bytes is 0");
}

/* ---- by name ----------------------------------------------------------------------------------- */

static void a_setting_is_set_by_its_name(void **state)
{
    struct gravel_config config = loopback_config(1);
    (void)state;
    OK(gravel_config_set(&config, "heap_bytes", "3M"));
    OK(gravel_config_set(&config, "step", "drain"));
    OK(gravel_config_set(&config, "huge_pages", "0"));
    OK(gravel_config_set(&config, "flush_us", "0x10"));
    assert_int_equal(config.heap_bytes, 3 << 20);
    assert_string_equal(config.step, "drain");
    assert_false(config.huge_pages);
    assert_int_equal(config.flush_us, 16);
}

static void expect_not_set(const char *name, const char *text, int code, const char *part)
{
    struct gravel_config config = loopback_config(1), before = config;
    expect_error(gravel_config_set(&config, name, text), code, part);
    assert_memory_equal(&config, &before, sizeof config);
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    (void)state;
    expect_not_set("heap_byte", "1M", GRAVEL_ECONFIG,
                   "there is no setting heap_byte; the nearest are heap_bytes, ");
    expect_not_set("Step", "svm", GRAVEL_ECONFIG, "the nearest are step, ");
    expect_not_set("n_agregators", "1", GRAVEL_ECONFIG, "the nearest are n_aggregators, ");
    expect_not_set("", "1", GRAVEL_ECONFIG, "the nearest are ");
    expect_not_set(LONG_NAME, "1", GRAVEL_ECONFIG, "there is no setting xxxxxxxx");
}

static void a_bad_value_is_refused_with_its_range(void **state)
{
    (void)state;
    expect_not_set("heap_bytes", "1k", GRAVEL_ECONFIG, "heap_bytes=1k: out of range 4096 to ");
    expect_not_set("heap_bytes", "99999999999999999999", GRAVEL_ECONFIG,
                   "heap_bytes=99999999999999999999: out of range 4096 to ");
    expect_not_set("steal_policy", "never", GRAVEL_ECONFIG, "private, counter");
    expect_not_set("heap_bytes", "much", GRAVEL_ECONFIG, "heap_bytes=much: not a number");
    expect_not_set("buffer_bytes", "8", GRAVEL_ECONFIG,
                   "buffer_bytes = 8: neither 0 nor at least 256");
    expect_not_set("step", "sometimes", GRAVEL_ECONFIG,
                   "step = \"sometimes\": not one of auto, svm, usm, pump, drain");
    expect_not_set("huge_pages", NULL, GRAVEL_EINVAL, "NULL");
    expect_not_set(NULL, "1", GRAVEL_EINVAL, "NULL");
}

/* What gravel_config_get gives is what gravel_config_set takes, for each setting. */
static void all_settings_are_told_in_order(void **state)
{
    struct gravel_config config = loopback_config(3), copy;
    char text[GRAVEL_CONFIG_STRING_BYTES];
    const char *name;
    uint32_t i = 0;
    (void)state;
    OK(gravel_config_load(&copy, sizeof copy));
    for (; gravel_config_get(&config, i, &name, text, sizeof text) == 0; i++) {
        assert_string_equal(name, variables[i].field);
        OK(gravel_config_set(&copy, name, text));
    }
    assert_int_equal(i, N_VARIABLES);
    assert_memory_equal(&config, &copy, sizeof config);
    expect_error(gravel_config_get(&config, i, &name, text, sizeof text), GRAVEL_ERANGE,
                 "there are");
    expect_error(gravel_config_get(&config, 0, NULL, text, sizeof text), GRAVEL_EINVAL, "NULL");
    for (i = 0; strcmp(variables[i].field, "heap_bytes") != 0;)
        i++;
    expect_error(gravel_config_get(&config, i, &name, text, 7), GRAVEL_EINVAL,
                 "heap_bytes has 7 characters, and there is room for 7");
}

/* ---- headers of other versions ----------------------------------------------------------------- */

static void a_caller_without_the_structure_sets_by_name(void **state)
{
    static uint64_t memory[65536 / 8];
    struct gravel_config *config = (struct gravel_config *)memory;
    struct gravel *gravel;
    (void)state;
    OK(gravel_config_load(config, sizeof memory));
    OK(gravel_config_set(config, "transport", "self"));
    OK(gravel_config_set(config, "heap_bytes", "1M"));
    OK(gravel_open(&gravel, config, NULL));
    assert_int_equal(gravel_config_of(gravel)->heap_bytes, 1 << 20);
    assert_int_equal(gravel_config_of(gravel)->bytes, sizeof *config);
    OK(gravel_close(gravel));
}

/* One that ends before its last field: a block of that size, so that a sanitizer sees more being read. */
static void a_field_that_the_caller_does_not_have_is_the_environments(void **state)
{
    const size_t bytes = offsetof(struct gravel_config, trace) & ~(sizeof(void *) - 1);
    struct gravel_config *older = malloc(bytes);
    struct gravel *gravel;
    (void)state;
    OK(gravel_config_load(older, bytes));
    OK(gravel_config_set(older, "transport", "self"));
    OK(gravel_config_set(older, "heap_bytes", "1M"));
    expect_error(gravel_config_set(older, "trace", "x"), GRAVEL_EINVAL, "trace");
    setenv("GRAVEL_TRACE", "/dev/null", 1);
    OK(gravel_open(&gravel, older, NULL));
    unsetenv("GRAVEL_TRACE");
    assert_int_equal(gravel_config_of(gravel)->heap_bytes, 1 << 20);
    assert_string_equal(gravel_config_of(gravel)->trace, "/dev/null");
    OK(gravel_close(gravel));
    free(older);
}

static void a_field_that_the_library_does_not_have_is_refused(void **state)
{
    struct {
        struct gravel_config config;
        uint64_t later;
    } newer;
    (void)state;
    OK(gravel_config_load(&newer.config, sizeof newer));
    assert_int_equal(newer.later, 0);
    newer.later = 1;
    expect_no_open(&newer.config, NULL, GRAVEL_EINVAL, "which is set");
}

static void a_size_of_no_version_is_refused_and_named(void **state)
{
    const size_t sizes[] = {0, 8, sizeof(struct gravel_config) - 4,
                            sizeof(struct gravel_config) + 4, 65544};
    struct gravel_config config = loopback_config(1);
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expect_error(gravel_config_load(&config, sizes[i]), GRAVEL_EINVAL, "config.bytes is ");
        config.bytes = sizes[i];
        expect_no_open(&config, NULL, GRAVEL_EINVAL, "gravel_config_load() sets it");
        expect_error(gravel_config_set(&config, "step", "svm"), GRAVEL_EINVAL, "config.bytes is ");
    }
}

static void the_library_tells_its_version(void **state)
{
    uint32_t numbers[3];
    char text[64];
    (void)state;
    const char *version = gravel_version(numbers);
    snprintf(text, sizeof text, "%u.%u.%u", numbers[0], numbers[1], numbers[2]);
    assert_string_equal(version, text);
    assert_int_equal(numbers[0], GRAVEL_API_MAJOR);
    assert_int_equal(numbers[1], GRAVEL_API_MINOR);
    assert_int_equal(numbers[2], GRAVEL_API_PATCH);
    assert_string_equal(gravel_version(NULL), version);
}

int main(void)
{
    for (size_t v = 0; v < N_VARIABLES; v++)
        unsetenv(variables[v].name);
    watch(60, "settings");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(garbage_in_any_number_is_refused_and_named),
        cmocka_unit_test(numbers_beyond_the_range_are_refused_and_named),
        cmocka_unit_test(numbers_at_the_ends_of_the_range_are_taken),
        cmocka_unit_test(long_text_is_refused_and_named),
        cmocka_unit_test(empty_variable_means_the_default),
        cmocka_unit_test(suffixes_multiply),
        cmocka_unit_test(leading_zeros_are_no_octal),
        cmocka_unit_test(misspelt_variables_are_refused_with_the_one_that_is_meant),
        cmocka_unit_test(a_heap_beyond_the_largest_allocation_names_what_would_do),
        cmocka_unit_test(variables_of_others_are_told),
        cmocka_unit_test(sizes_too_small_are_refused_and_named),
        cmocka_unit_test(memory_that_buffers_do_not_fit_is_refused_and_named),
        cmocka_unit_test(null_config_is_refused),
        cmocka_unit_test(callers_numbers_beyond_the_range_are_refused_and_named),
        cmocka_unit_test(bindings_without_their_size_are_refused_and_named),
        cmocka_unit_test(a_setting_is_set_by_its_name),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
        cmocka_unit_test(a_bad_value_is_refused_with_its_range),
        cmocka_unit_test(all_settings_are_told_in_order),
        cmocka_unit_test(a_caller_without_the_structure_sets_by_name),
        cmocka_unit_test(a_field_that_the_caller_does_not_have_is_the_environments),
        cmocka_unit_test(a_field_that_the_library_does_not_have_is_refused),
        cmocka_unit_test(a_size_of_no_version_is_refused_and_named),
        cmocka_unit_test(the_library_tells_its_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
