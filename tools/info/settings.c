/* SPDX-License-Identifier: MIT */
/*
 * The table of settings. See info.h.
 */
#include "info.h"
#include "settings/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* In the order of gravel_setting_at. */
static const char *const meanings[] = {
#define MEANING(kind, field, variable, preset, low, high, category, help) help,
    GRAVEL_CONFIG_FIELDS(MEANING)};

json_t *info_settings(bool is_json)
{
    const struct gravel_setting *s;
    json_t *all = json_array();
    for (uint32_t i = 0; (s = gravel_setting_at(i)); i++) {
        const char *set = getenv(s->variable);
        const bool is_set = set && *set; /* as the library sees it */
        char preset[24];
        snprintf(preset, sizeof preset, "%" PRIu64, s->number);
        const char *value = is_set ? set : s->kind == GRAVEL_SETTING_STRING ? s->text : preset;
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:b, s:s}", "variable", s->variable, "value",
                                        value, "is_set", (int)is_set, "help", meanings[i]));
        if (!is_json)
            printf("%-24s  %-10s  %s\n      %s\n", s->variable, *value ? value : "\"\"",
                   is_set ? "set" : "not set", meanings[i]);
    }
    return json_pack("{s:o}", "settings", all);
}
