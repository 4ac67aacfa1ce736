/* SPDX-License-Identifier: MIT */
/*
 * The choices of a setting have the library's numbers, and numbers are read alike in every locale.
 *
 * Path: meson test -> this -> include/gravel/config.h, lib/settings/settings.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "aggregate/sender.h"
#include "decimal_commas.h"
#include "gravel/gravel.h"
#include "layout/steal.h"
#include "settings/scheduler.h"
#include "settings/settings.h"

static struct gravel_config config;

static void load(void)
{
    assert_int_equal(gravel_config_load(&config, sizeof config), 0);
}

#define EXPECT_NUMBER(field, text, number)                   \
    snprintf(config.field, sizeof config.field, "%s", text); \
    assert_int_equal(gravel_config_check(&config), 0);       \
    assert_int_equal(GRAVEL_CHOICE(&config, field), (uint32_t)(number))

TEST(choices_have_the_numbers_of_the_library)
{
    EXPECT_NUMBER(steal_policy, "promoted", GRAVELP_STEAL_PROMOTED);
    EXPECT_NUMBER(steal_policy, "private", GRAVELP_STEAL_PRIVATE);
    EXPECT_NUMBER(steal_policy, "counter", GRAVELP_STEAL_COUNTER);
    EXPECT_NUMBER(aggregation, "destination", GRAVEL_AGGREGATE_DESTINATION);
    EXPECT_NUMBER(aggregation, "group", GRAVEL_AGGREGATE_GROUP);
    EXPECT_NUMBER(aggregation, "off", GRAVEL_AGGREGATE_OFF);
    EXPECT_NUMBER(scheduler, "auto", 0);
    EXPECT_NUMBER(scheduler, "host", 1 + GRAVEL_SCHEDULER_HOST);
    EXPECT_NUMBER(scheduler, "resident", 1 + GRAVEL_SCHEDULER_RESIDENT);
}

static void expect_load(const char *text, int code)
{
    setenv("GRAVEL_HEAP", text, 1);
    assert_int_equal(gravel_config_load(&config, sizeof config), code);
    unsetenv("GRAVEL_HEAP");
}

TEST(numbers_are_read_alike_in_every_locale)
{
    static const char *const wrong[] = {"1,5M", "1.5M", "1.048.576", "1,048,576", "3 M"};
    char folder[] = "/tmp/gravel-settings-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const bool has_commas = take_decimal_commas(folder);
    expect_load("3M", 0);
    assert_int_equal(config.heap_bytes, 3 << 20);
    expect_load("1234567", 0);
    assert_int_equal(config.heap_bytes, 1234567);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_load(wrong[i], GRAVEL_ECONFIG);
    leave_decimal_commas(folder);
    assert_int_equal(rmdir(folder), 0);
    if (!has_commas)
        skip();
}

const struct fixture fixture = {.before = load};
