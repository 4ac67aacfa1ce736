/* SPDX-License-Identifier: MIT */
/*
 * The table of settings. See settings.h.
 */
#include "settings.h"
#include "settings/settings.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum kind { STRING, BOOL, COUNT, BYTES };

struct setting {
    enum kind kind;
    const char *variable;
    const char *text;          /* default of a STRING, else NULL */
    const char *choices;       /* of a STRING; NULL: any text */
    uint64_t number, min, max; /* default and range of a number */
    const char *category, *help;
};

#define PRESET_STRING(preset, list, none) .text = preset, .choices = list
#define PRESET_BOOL(preset, low, high) .number = preset, .min = low, .max = high
#define PRESET_COUNT PRESET_BOOL
#define PRESET_BYTES PRESET_BOOL
#define SETTING(kind, field, variable, preset, low, high, group, meaning) \
    {kind, #variable, PRESET_##kind(preset, low, high), .category = group, .help = meaning},
static const struct setting settings[] = {GRAVEL_CONFIG_FIELDS(SETTING)};
#define N_SETTINGS (sizeof settings / sizeof *settings)

#define VALUE_BYTES (GRAVEL_CONFIG_STRING_BYTES + 8)
#define RANGE_BYTES (2 * VALUE_BYTES + sizeof " to ")

/* As the variable takes it: 64k, not 65536. */
static void format_number(enum kind kind, uint64_t number, char *text)
{
    static const char suffixes[][2] = {"", "k", "M", "G"};
    unsigned power = 0;
    while (kind == BYTES && number && number % 1024 == 0 && power < 3) {
        number /= 1024;
        power++;
    }
    snprintf(text, VALUE_BYTES, "%" PRIu64 "%s", number, suffixes[power]);
}

static void format_default(const struct setting *setting, char *text)
{
    if (setting->text)
        snprintf(text, VALUE_BYTES, "%s", *setting->text ? setting->text : "\"\"");
    else
        format_number(setting->kind, setting->number, text);
}

static void format_range(const struct setting *setting, char *text)
{
    char low[VALUE_BYTES], high[VALUE_BYTES];
    format_number(setting->kind, setting->min, low);
    format_number(setting->kind, setting->max, high);
    if (setting->text)
        snprintf(text, RANGE_BYTES, "%s", setting->choices ? setting->choices : "text");
    else
        snprintf(text, RANGE_BYTES, "%s to %s", low, high);
}

/* What the environment says, or NULL; the library takes an empty variable for an unset one. */
static const char *from_environment(const struct setting *setting)
{
    const char *value = getenv(setting->variable);
    return value && *value ? value : NULL;
}

void info_settings_print(FILE *out)
{
    const char *category = "";
    for (const struct setting *s = settings; s < settings + N_SETTINGS; s++) {
        char preset[VALUE_BYTES], range[RANGE_BYTES];
        const char *value = from_environment(s);
        format_default(s, preset);
        format_range(s, range);
        if (strcmp(category, s->category))
            fprintf(out, "%s%s\n", *category ? "\n" : "", s->category);
        category = s->category;
        fprintf(out, "  %-22s %-10s %s  (default %s, %s)\n", s->variable, value ? value : preset,
                value ? "set    " : "not set", preset, range);
        fprintf(out, "      %s\n", s->help);
    }
}

static json_t *number_or_text(const struct setting *setting, uint64_t number)
{
    return setting->text ? json_null() : json_integer((json_int_t)number);
}

static json_t *setting_json(const struct setting *s)
{
    static const char *const kinds[] = {"string", "bool", "count", "bytes"};
    const char *value = from_environment(s);
    char preset[VALUE_BYTES];
    format_default(s, preset);
    json_t *current = json_string(value ? value : s->text ? s->text : preset);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s?, s:o, s:b, s:s}", "variable", s->variable,
                     "kind", kinds[s->kind], "category", s->category, "default",
                     s->text ? json_string(s->text) : json_integer((json_int_t)s->number), "min",
                     number_or_text(s, s->min), "max", number_or_text(s, s->max), "choices",
                     s->choices, "value", current ? current : json_null(), "is_set", value != NULL,
                     "help", s->help);
}

json_t *info_settings_json(void)
{
    json_t *all = json_array();
    for (const struct setting *s = settings; s < settings + N_SETTINGS; s++)
        json_array_append_new(all, setting_json(s));
    return json_pack("{s:o}", "settings", all);
}

int info_settings_check(void)
{
    struct gravel_config config;
    int code = gravel_config_load(&config, sizeof config);
    return code ? code : gravel_config_check(&config);
}
