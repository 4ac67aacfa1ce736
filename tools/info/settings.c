/* SPDX-License-Identifier: MIT */
/*
 * The table of settings. See devices.h.
 */
#include "devices.h"
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

/* Returns what the environment says, or NULL; the library takes an empty variable for an unset one. */
static const char *from_environment(const struct gravel_setting *setting)
{
    const char *value = getenv(setting->variable);
    return value && *value ? value : NULL;
}

void info_settings_print(void)
{
    const struct gravel_setting *s;
    const char *category = "";
    for (uint32_t i = 0; (s = gravel_setting_at(i)); i++) {
        char preset[VALUE_BYTES], low[VALUE_BYTES], high[VALUE_BYTES];
        const bool is_text = s->kind == GRAVEL_SETTING_STRING;
        const char *value = from_environment(s);
        format_number(s, s->number, preset);
        format_number(s, s->min, low);
        format_number(s, s->max, high);
        if (is_text)
            snprintf(preset, sizeof preset, "%s", *s->text ? s->text : "\"\"");
        if (strcmp(category, meanings[i].category))
            printf("%s%s\n", *category ? "\n" : "", meanings[i].category);
        category = meanings[i].category;
        printf("  %-22s %-10s %s  (default %s, %s%s%s)\n      %s\n", s->variable,
               value ? value : preset, value ? "set    " : "not set", preset,
               !is_text     ? low
               : s->choices ? s->choices
                            : "text",
               is_text ? "" : " to ", is_text ? "" : high, meanings[i].help);
    }
}

json_t *info_settings_json(void)
{
    static const char *const kinds[] = {"string", "bool", "count", "bytes"};
    const struct gravel_setting *s;
    json_t *all = json_array();
    for (uint32_t i = 0; (s = gravel_setting_at(i)); i++) {
        const bool is_text = s->kind == GRAVEL_SETTING_STRING;
        const char *value = from_environment(s);
        char preset[VALUE_BYTES];
        format_number(s, s->number, preset);
        json_t *current = json_string(value ? value : is_text ? s->text : preset);
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s?, s:o, s:b, s:s}", "variable",
                           s->variable, "kind", kinds[s->kind], "category", meanings[i].category,
                           "default",
                           is_text ? json_string(s->text) : json_integer((json_int_t)s->number),
                           "min", is_text ? json_null() : json_integer((json_int_t)s->min), "max",
                           is_text ? json_null() : json_integer((json_int_t)s->max), "choices",
                           s->choices, "value", current ? current : json_null(), "is_set",
                           value != NULL, "help", meanings[i].help));
    }
    return json_pack("{s:o}", "settings", all);
}
