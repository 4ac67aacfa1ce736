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

#define VALUE_BYTES (GRAVEL_CONFIG_STRING_BYTES + 8)

/* As the variable takes it: 64k, not 65536. */
static void format_number(const struct gravel_setting *setting, uint64_t number, char *text)
{
    static const char *const suffixes[] = {"", "k", "M", "G"};
    unsigned power = 0;
    for (; setting->kind == GRAVEL_SETTING_BYTES && number && number % 1024 == 0 && power < 3;
         power++)
        number /= 1024;
    snprintf(text, VALUE_BYTES, "%" PRIu64 "%s", number, suffixes[power]);
}

/* Returns what a setting may be, for people. */
static json_t *range_of(const struct gravel_setting *setting)
{
    char low[VALUE_BYTES], high[VALUE_BYTES];
    if (setting->kind == GRAVEL_SETTING_STRING)
        return json_string(setting->choices ? setting->choices : "text");
    format_number(setting, setting->min, low);
    format_number(setting, setting->max, high);
    return json_sprintf("%s to %s", low, high);
}

json_t *info_settings(void)
{
    const struct gravel_setting *s;
    json_t *all = json_array();
    for (uint32_t i = 0; (s = gravel_setting_at(i)); i++) {
        /* The library takes an empty variable for an unset one. */
        const char *value = getenv(s->variable);
        const bool is_set = value && *value;
        char preset[VALUE_BYTES];
        format_number(s, s->number, preset);
        const char *unset = s->kind == GRAVEL_SETTING_STRING ? s->text : preset;
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:o, s:s, s:b, s:s}", "variable",
                                             s->variable, "category", meanings[i].category,
                                             "default", unset, "range", range_of(s), "value",
                                             is_set ? value : unset, "is_set", (int)is_set, "help",
                                             meanings[i].help));
    }
    return json_pack("{s:o}", "settings", all);
}
