/* SPDX-License-Identifier: MIT */
/*
 * Settings from the environment, by name and from the caller's structure: what is malformed or out of range is refused by
 * name, never replaced by a default.
 *
 * Path: meson test -> this -> lib/settings/settings.c, by_name.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"
#include "unit/decimal_commas.h"

enum kind { STRING, BOOL, COUNT, BYTES };

static const struct variable {
    enum kind kind;
    const char *name, *field, *choices; /* choices: of a STRING that has some; else NULL */
    size_t offset, bytes;
    uint64_t min, max;
} variables[] = {
#define LEAST_STRING(choices) 0
#define LEAST_BOOL(min) min
#define LEAST_COUNT(min) min
#define LEAST_BYTES(min) min
#define CHOICES_STRING(choices) choices
#define CHOICES_BOOL(min) NULL
#define CHOICES_COUNT(min) NULL
#define CHOICES_BYTES(min) NULL
#define VARIABLE(kind, field, VARIABLE, preset, min, max, category, help) \
    {kind,                                                                \
     #VARIABLE,                                                           \
     #field,                                                              \
     CHOICES_##kind(min),                                                 \
     offsetof(struct gravel_config, field),                               \
     sizeof((struct gravel_config *)0)->field,                            \
     LEAST_##kind(min),                                                   \
     max},
    GRAVEL_CONFIG_FIELDS(VARIABLE)
#undef VARIABLE
};
#define N_VARIABLES (sizeof variables / sizeof *variables)

/* ---- text ------------------------------------------------------------------------------------ */

static void expect_not_set(const char *field, const char *text, const char *part)
{
    struct gravel_config config = loopback_config(1), before = config;
    expect_error(gravel_config_set(&config, field, text), GRAVEL_ECONFIG, part);
    assert_memory_equal(&config, &before, sizeof config);
}

/* By name, and from the environment. */
static void expect_refused(const struct variable *variable, const char *text)
{
    struct gravel_config config;
    expect_not_set(variable->field, text, variable->field);
    setenv(variable->name, text, 1);
    int code = gravel_config_load(&config, sizeof config);
    unsetenv(variable->name);
    expect_error(code, GRAVEL_ECONFIG, variable->name);
}

TEST(garbage_in_any_number_is_refused_and_named)
{
    const char *const garbage[] = {"NaN", "nan", "inf", "many", "-1",    "+1",   " 1",
                                   "1 ",  "1.5", "1e3", "0x",   "1kk",   "1kB",  "k",
                                   "--",  "1;2", ",",   "0xg",  "1,000", "1,5M", "much"};
    for (size_t v = 0; v < N_VARIABLES; v++)
        for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
            if (variables[v].kind != STRING)
                expect_refused(&variables[v], garbage[i]);
}

TEST(words_that_are_no_choice_are_refused_with_those_that_are)
{
    static const char *const wrong[] = {"",      "aut",        "autos", "AUTO", "auto,",
                                        " auto", "auto, self", "0x0",   ","};
    struct gravel *gravel;
    for (const struct variable *v = variables; v < variables + N_VARIABLES; v++) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong && v->choices; i++)
            expect_not_set(v->field, wrong[i], v->choices);
        setenv(v->name, "sometimes", 1);
        if (v->choices)
            expect_error(gravel_open(&gravel, NULL, NULL), GRAVEL_ECONFIG, v->choices);
        unsetenv(v->name);
    }
}

TEST(a_bad_name_or_value_is_refused_with_what_is_right)
{
    static const char *const rows[][3] = {
        {"heap_bytes", "1k", "heap_bytes=1k: out of range 4096 to "},
        {"heap_bytes", "99999999999999999999", "=99999999999999999999: out of range 4096 to "},
        {"heap_bytes", "18446744073709551616", "out of range"},
        {"buffer_bytes", "18014398509481984k", "out of range"},
        {"buffer_bytes", "17592186044416M", "out of range"},
        {"buffer_bytes", "17179869184G", "out of range"},
        {"heap_bytes", "much", "heap_bytes=much: not a number"},
        {"buffer_bytes", "8", "buffer_bytes = 8: neither 0 nor at least 256"},
        {"buffer_bytes", "255", "buffer_bytes"},
        {"slot_bytes", "639", "slot_bytes"},
        {"heap_byte", "1M", "there is no setting heap_byte; the nearest are heap_bytes, "},
        {"Step", "svm", "the nearest are step, "},
        {"n_agregators", "1", "the nearest are n_aggregators, "},
        {"", "1", "the nearest are "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_not_set(rows[i][0], rows[i][1], rows[i][2]);
}

/* Suffixes multiply; leading zeros are no octal number. */
TEST(a_setting_is_set_by_its_name)
{
    static const char *const rows[][3] = {
        {"heap_bytes", "3M", "3145728"},    {"heap_bytes", "00008M", "8388608"},
        {"buffer_bytes", "0x10k", "16384"}, {"queue_bytes", "1T", "1099511627776"},
        {"timeout_ms", "010000", "10000"},  {"step", "drain", "drain"},
        {"huge_pages", "0", "0"},           {"flush_us", "0x10", "16"},
    };
    struct gravel_config config = loopback_config(1);
    char text[GRAVEL_CONFIG_STRING_BYTES];
    const char *name;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t v = 0;
        OK(gravel_config_set(&config, rows[i][0], rows[i][1]));
        while (strcmp(variables[v].field, rows[i][0]))
            v++;
        OK(gravel_config_get(&config, v, &name, text, sizeof text));
        assert_string_equal(text, rows[i][2]);
    }
}

TEST(empty_variable_means_the_default)
{
    struct gravel_config preset, config;
    OK(gravel_config_load(&preset, sizeof preset));
    for (size_t v = 0; v < N_VARIABLES; v++)
        setenv(variables[v].name, "", 1);
    OK(gravel_config_load(&config, sizeof config));
    for (size_t v = 0; v < N_VARIABLES; v++)
        unsetenv(variables[v].name);
    assert_memory_equal(&preset, &config, sizeof config);
}

static char heard[4096];

static void hear(void *user, const char *text)
{
    size_t n = strlen(heard);
    (void)user;
    snprintf(heard + n, sizeof heard - n, "%s\n", text);
}

/* A letter left out, put in, or another; a field's name; what is far from all of them is logged, but for common names. */
TEST(variables_that_are_no_settings_are_refused_or_told)
{
    static const struct {
        const char *name, *meant, *told;
    } rows[] = {{"GRAVEL_HEEP", "GRAVEL_HEAP", NULL},
                {"GRAVEL_STAT", "GRAVEL_STATS", NULL},
                {"GRAVEL_HEAP_BYTES", "GRAVEL_HEAP", NULL},
                {"GRAVEL_LOOPBACK_NODES", "GRAVEL_LOOPBACK", NULL},
                {"GRAVEL_TIMEOUT_MS", "GRAVEL_TIMEOUT", NULL},
                {"GRAVEL_AGREGATION", "GRAVEL_AGGREGATION", NULL},
                {"GRAVEL_OF_MY_OWN", NULL, "GRAVEL_OF_MY_OWN, which is not a setting\n"},
                {"GRAVEL_ROOT", NULL, ""},
                {"GRAVEL_VERSION", NULL, ""}};
    const struct gravel_config config = loopback_config(1);
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = hear);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char part[64];
        struct gravel *gravel;
        heard[0] = '\0';
        setenv(rows[i].name, "1", 1);
        int code = gravel_open(&gravel, &config, &bindings);
        unsetenv(rows[i].name);
        snprintf(part, sizeof part, "%s, which is not a setting: set %s instead", rows[i].name,
                 rows[i].meant);
        expect_error(code, rows[i].meant ? GRAVEL_ECONFIG : 0, part);
        assert_true(!rows[i].told || strstr(heard, rows[i].told));
        assert_null(strstr(heard, "GRAVEL_STEP"));
        OK(gravel_close(gravel));
    }
}

/* What gravel_config_get gives is what gravel_config_set takes, for each setting. */
TEST(all_settings_are_told_in_order)
{
    struct gravel_config config = loopback_config(3), copy;
    char text[GRAVEL_CONFIG_STRING_BYTES];
    const char *name;
    uint32_t i = 0;
    OK(gravel_config_load(&copy, sizeof copy));
    for (; gravel_config_get(&config, i, &name, text, sizeof text) == 0; i++) {
        assert_string_equal(name, variables[i].field);
        OK(gravel_config_set(&copy, name, text));
    }
    assert_int_equal(i, N_VARIABLES);
    assert_memory_equal(&config, &copy, sizeof config);
    expect_error(gravel_config_get(&config, i, &name, text, sizeof text), GRAVEL_ERANGE,
                 "there are");
    for (i = 0; strcmp(variables[i].field, "heap_bytes") != 0;)
        i++;
    expect_error(gravel_config_get(&config, i, &name, text, 7), GRAVEL_EINVAL,
                 "heap_bytes has 7 characters, and there is room for 7");
}

/* ---- the caller's structure -------------------------------------------------------------------- */

/* By name, from the environment, and in a structure, to which the caller may assign anything. */
TEST(numbers_beyond_the_range_are_refused_and_named)
{
    char text[32];
    for (const struct variable *v = variables; v < variables + N_VARIABLES; v++)
        for (int at_max = 0; at_max < 2 && v->kind != STRING; at_max++) {
            struct gravel_config config = loopback_config(1);
            const uint64_t right = at_max ? v->max : v->min, wrong = at_max ? right + 1 : right - 1;
            const uint32_t narrow = (uint32_t)wrong;
            snprintf(text, sizeof text, "%llu", (unsigned long long)right);
            OK(gravel_config_set(&config, v->field, text));
            snprintf(text, sizeof text, "%llu", (unsigned long long)wrong);
            expect_refused(v, text);
            if (v->kind == BOOL || (at_max ? v->kind == COUNT && right == UINT32_MAX : right == 0))
                continue;
            memcpy((unsigned char *)&config + v->offset,
                   v->kind == COUNT ? (const void *)&narrow : &wrong, v->bytes);
            expect_no_open(&config, NULL, GRAVEL_ECONFIG, v->field);
        }
}

TEST(text_that_is_too_long_is_refused_and_named)
{
    char text[GRAVEL_CONFIG_STRING_BYTES + 1];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    expect_not_set(text, "1", "there is no setting xxxxxxxx");
    for (const struct variable *v = variables; v < variables + N_VARIABLES; v++) {
        struct gravel_config config = loopback_config(1);
        if (v->kind != STRING)
            continue;
        expect_refused(v, text);
        memset((unsigned char *)&config + v->offset, 'x', v->bytes);
        expect_no_open(&config, NULL, GRAVEL_ECONFIG, v->field);
    }
}

TEST(a_heap_beyond_the_largest_allocation_names_what_would_do)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    config.heap_bytes = 1ull << 45;
    expect_error(gravel_open(&gravel, &config, NULL), GRAVEL_ENOMEM, "GRAVEL_HEAP may be ");
    const char *most = strstr(gravel_last_error(), "GRAVEL_HEAP may be ") + 19;
    config.heap_bytes = strtoull(most, NULL, 10) + 4096 * 2;
    expect_error(gravel_open(&gravel, &config, NULL), GRAVEL_ENOMEM, most);
}

/* ---- headers of other versions ----------------------------------------------------------------- */

TEST(a_caller_without_the_structure_sets_by_name)
{
    static uint64_t memory[65536 / 8];
    struct gravel_config *config = (struct gravel_config *)memory;
    struct gravel *gravel;
    OK(gravel_config_load(config, sizeof memory));
    OK(gravel_config_set(config, "transport", "self"));
    OK(gravel_config_set(config, "heap_bytes", "1M"));
    OK(gravel_open(&gravel, config, NULL));
    assert_int_equal(gravel_config_of(gravel)->heap_bytes, 1 << 20);
    assert_int_equal(gravel_config_of(gravel)->bytes, sizeof *config);
    OK(gravel_close(gravel));
}

/* One that ends before its last field: a block of that size, so that a sanitizer sees more being read. */
TEST(a_field_that_the_caller_does_not_have_is_the_environments)
{
    const size_t bytes = offsetof(struct gravel_config, trace) & ~(sizeof(void *) - 1);
    struct gravel_config *older = malloc(bytes);
    struct gravel *gravel;
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

TEST(a_field_that_the_library_does_not_have_is_refused)
{
    struct {
        struct gravel_config config;
        uint64_t later;
    } newer;
    OK(gravel_config_load(&newer.config, sizeof newer));
    assert_int_equal(newer.later, 0);
    newer.later = 1;
    expect_no_open(&newer.config, NULL, GRAVEL_EINVAL, "which is set");
}

TEST(a_size_of_no_version_is_refused_and_named)
{
    const size_t sizes[] = {0, 8, sizeof(struct gravel_config) - 4,
                            sizeof(struct gravel_config) + 4, 65544};
    struct gravel_config config = loopback_config(1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expect_error(gravel_config_load(&config, sizes[i]), GRAVEL_EINVAL, "config.bytes is ");
        config.bytes = sizes[i];
        expect_no_open(&config, NULL, GRAVEL_EINVAL, "gravel_config_load() sets it");
        expect_error(gravel_config_set(&config, "step", "svm"), GRAVEL_EINVAL, "config.bytes is ");
    }
}

TEST(the_library_tells_its_version)
{
    uint32_t numbers[3];
    char text[64];
    const char *version = gravel_version(numbers);
    snprintf(text, sizeof text, "%u.%u.%u", numbers[0], numbers[1], numbers[2]);
    assert_string_equal(version, text);
    assert_int_equal(numbers[0], GRAVEL_API_MAJOR);
    assert_int_equal(numbers[1], GRAVEL_API_MINOR);
    assert_int_equal(numbers[2], GRAVEL_API_PATCH);
    assert_string_equal(gravel_version(NULL), version);
}

static char folder[] = "/tmp/gravel-config-XXXXXX";

/* All of it where numbers have decimal commas, if the system can: settings are read alike in every locale. */
static void forget_variables(void)
{
    for (size_t v = 0; v < N_VARIABLES; v++)
        unsetenv(variables[v].name);
    MUST(mkdtemp(folder));
    if (!take_decimal_commas(folder))
        print_message("no locale with decimal commas\n");
}

static void remove_folder(void)
{
    leave_decimal_commas(folder);
    rmdir(folder);
}

const struct fixture fixture = {.limit_s = 60, .open = forget_variables, .close = remove_folder};
