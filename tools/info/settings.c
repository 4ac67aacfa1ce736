/* SPDX-License-Identifier: MIT */
/*
 * The table of settings. See info.h.
 */
#include "info.h"
#include "settings/settings.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a setting is for; in the order of gravel_setting_at. */
static const struct {
    const char *category, *help;
} meanings[] = {
#define MEANING(kind, field, variable, preset, low, high, category, help) {category, help},
    GRAVEL_CONFIG_FIELDS(MEANING)};

#define VALUE_BYTES GRAVEL_CONFIG_STRING_BYTES
#define NUMBER_BYTES 32u

/* Writes a number as the variable takes it: 64k, not 65536. */
static void format_number(const struct gravel_setting *setting, uint64_t number, char *text)
{
    unsigned power = 0;
    for (; setting->kind == GRAVEL_SETTING_BYTES && number && number % 1024 == 0 && power < 3;
         power++)
        number /= 1024;
    snprintf(text, NUMBER_BYTES, "%" PRIu64 "%.1s", number, &"\0kMG"[power]);
}

/* Writes what a setting may be, and what it is if it is not set. */
static void describe(const struct gravel_setting *setting, char *range, char *preset)
{
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    if (setting->kind == GRAVEL_SETTING_STRING) {
        snprintf(range, VALUE_BYTES, "%s", setting->choices ? setting->choices : "text");
        snprintf(preset, VALUE_BYTES, "%s", setting->text);
        return;
    }
    format_number(setting, setting->min, low);
    format_number(setting, setting->max, high);
    snprintf(range, VALUE_BYTES, "%s to %s", low, high);
    format_number(setting, setting->number, preset);
}

json_t *info_settings(bool is_json)
{
    const struct gravel_setting *s;
    const char *category = "";
    json_t *all = json_array();
    for (uint32_t i = 0; (s = gravel_setting_at(i)); category = meanings[i++].category) {
        /* The library takes an empty variable for an unset one. */
        char range[VALUE_BYTES], preset[VALUE_BYTES];
        const char *set = getenv(s->variable);
        const bool is_set = set && *set;
        describe(s, range, preset);
        const char *value = is_set ? set : preset;
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s}", "variable",
                                             s->variable, "category", meanings[i].category,
                                             "default", preset, "range", range, "value", value,
                                             "is_set", (int)is_set, "help", meanings[i].help));
        if (is_json)
            continue;
        if (strcmp(category, meanings[i].category))
            printf("%s%s\n", i ? "\n" : "", meanings[i].category);
        printf("  %-22s %-10s %s  (default %s, %s)\n      %s\n", s->variable,
               *value ? value : "\"\"", is_set ? "set    " : "not set", *preset ? preset : "\"\"",
               range, meanings[i].help);
    }
    return json_pack("{s:o}", "settings", all);
}
