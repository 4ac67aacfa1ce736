/* SPDX-License-Identifier: MIT */
/*
 * Settings from the environment and from the caller: what is malformed or out of range is refused by name,
 * never replaced by a default.
 *
 * Path: meson test -> this -> lib/node/settings.c
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
#define VARIABLE(kind, field, VARIABLE, preset, min, max, category, help) \
    {kind, #VARIABLE, #field, min, max},
    GRAVEL_CONFIG_FIELDS(VARIABLE)
#undef VARIABLE
};
#define N_VARIABLES (sizeof variables / sizeof *variables)

static void expect_refused(const char *name, const char *text)
{
    struct gravel_config config;
    setenv(name, text, 1);
    int code = gravel_config_init(&config);
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
            OK(gravel_config_init(&config));
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
    OK(gravel_config_init(&preset));
    for (size_t v = 0; v < N_VARIABLES; v++)
        setenv(variables[v].name, "", 1);
    OK(gravel_config_init(&config));
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
    setenv("GRAVEL_QUEUE", "2G", 1);
    OK(gravel_config_init(&config));
    unsetenv("GRAVEL_HEAP");
    unsetenv("GRAVEL_BUFFER");
    unsetenv("GRAVEL_QUEUE");
    assert_int_equal(config.heap_bytes, 3u << 20);
    assert_int_equal(config.buffer_bytes, 16u << 10);
    assert_int_equal(config.queue_bytes, 2ull << 30);
}

/* 0 stands for a size that is derived; what lies between it and the least is no size. */
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

static void null_config_is_refused(void **state)
{
    (void)state;
    expect_error(gravel_config_init(NULL), GRAVEL_EINVAL, "NULL");
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
        cmocka_unit_test(sizes_too_small_are_refused_and_named),
        cmocka_unit_test(null_config_is_refused),
        cmocka_unit_test(callers_numbers_beyond_the_range_are_refused_and_named),
        cmocka_unit_test(bindings_without_their_size_are_refused_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
