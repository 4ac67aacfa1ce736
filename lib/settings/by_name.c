/* SPDX-License-Identifier: MIT */
/*
 * Settings by their names, for callers that do not know the structure: gravel_config_set and gravel_config_get.
 *
 * Path:    gravel.h -> by_name.c -> settings.c.
 * Threads: any.
 */
#include "base/error.h"
#include "settings/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 64u /* more than any field's name has */
#define N_NEAREST 3u
#define PREFIX 7u /* letters of GRAVEL_ */

/* Counts letters to insert, remove or exchange until a is b; of long names the first part counts. */
static uint32_t distance(const char *a, const char *b)
{
    uint32_t row[NAME_BYTES + 1], n = (uint32_t)strnlen(b, NAME_BYTES);
    for (uint32_t j = 0; j <= n; j++)
        row[j] = j;
    for (uint32_t i = 0; a[i] && i < NAME_BYTES; i++) {
        uint32_t diagonal = row[0];
        row[0] = i + 1;
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t longer = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1,
                           other = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = longer < other ? longer : other;
        }
    }
    return row[n];
}

/* Names the nearest settings, the nearest first. */
static int fail_unknown(const char *name)
{
    struct {
        uint32_t distance;
        const char *field;
    } nearest[N_NEAREST + 1]; /* and the next one to compare */
    const struct gravel_setting *setting;
    for (uint32_t i = 0; (setting = gravel_setting_at(i)); i++) {
        uint32_t position = i < N_NEAREST ? i : N_NEAREST;
        const uint32_t d = distance(name, setting->field);
        for (; position > 0 && d < nearest[position - 1].distance; position--)
            nearest[position] = nearest[position - 1];
        nearest[position].distance = d;
        nearest[position].field = setting->field;
    }
    return gravel_fail(GRAVEL_ECONFIG, "there is no setting %.64s; the nearest are %s, %s, %s",
                       name, nearest[0].field, nearest[1].field, nearest[2].field);
}

/* Returns a setting's variable if a variable of the environment is that, misspelt (at most a letter in three of its own
 * is another), or the setting's field in capitals. Else NULL.
 * @param apart  [out] letters between it and the nearest variable */
static const char *find_slip(const char *name, uint32_t *apart)
{
    const struct gravel_setting *setting;
    const char *nearest = NULL;
    char field[NAME_BYTES];
    size_t n = strlen(name + PREFIX);
    for (size_t i = 0; i <= n; i++)
        field[i] = (char)tolower((unsigned char)name[PREFIX + i]);
    *apart = UINT32_MAX;
    for (uint32_t i = 0; (setting = gravel_setting_at(i)); i++) {
        uint32_t d = distance(name, setting->variable);
        if (!strcmp(field, setting->field))
            nearest = setting->variable;
        if (d < *apart && 3 * d <= n)
            nearest = setting->variable;
        *apart = d < *apart ? d : *apart;
    }
    return nearest;
}

int gravel_settings_check_names(void (*log)(void *context, const char *text), void *context)
{
    for (char **entry = environ; *entry; entry++) {
        char name[NAME_BYTES], text[256];
        uint32_t apart;
        size_t n = strcspn(*entry, "=");
        if (strncmp(*entry, "GRAVEL_", PREFIX) != 0 || n >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, *entry);
        const char *meant = find_slip(name, &apart);
        if (apart == 0)
            continue;
        if (meant && !log)
            return gravel_fail(GRAVEL_ECONFIG,
                               "the environment has %s, which is not a setting: set %s instead, or "
                               "unset it",
                               name, meant);
        snprintf(text, sizeof text, "the environment has %s, which is not a setting", name);
        if (log)
            log(context, text);
    }
    return 0;
}

int gravel_config_set(struct gravel_config *config, const char *name, const char *text)
{
    struct gravel_config trial;
    static const char call[] = "gravel_config_set";
    GRAVEL_TRY(gravel_require(call, "config", config));
    GRAVEL_TRY(gravel_require(call, "name", name));
    GRAVEL_TRY(gravel_require(call, "text", text));
    const struct gravel_setting *setting;
    for (uint32_t i = 0; (setting = gravel_setting_at(i)) && strcmp(setting->field, name); i++)
        ;
    if (!setting)
        return fail_unknown(name);
    GRAVEL_TRY(gravel_config_read(&trial, config));
    if (setting->offset + setting->bytes > config->bytes)
        return gravel_fail(GRAVEL_EINVAL, "gravel_config_set: config.bytes is %zu: no room for %s",
                           config->bytes, name);
    GRAVEL_TRY(gravel_setting_assign(&trial, setting, name, text));
    GRAVEL_TRY(gravel_setting_check(&trial, setting));
    memcpy((unsigned char *)config + setting->offset,
           (const unsigned char *)&trial + setting->offset, setting->bytes);
    return 0;
}

int gravel_config_get(const struct gravel_config *config, uint32_t i, const char **name, char *text,
                      size_t text_bytes)
{
    struct gravel_config own;
    const struct gravel_setting *setting = gravel_setting_at(i);
    static const char call[] = "gravel_config_get";
    GRAVEL_TRY(gravel_require(call, "config", config));
    GRAVEL_TRY(gravel_require(call, "name", name));
    GRAVEL_TRY(gravel_require(call, "text", text));
    if (!setting)
        return gravel_fail(GRAVEL_ERANGE, "gravel_config_get: there are %u settings", i);
    GRAVEL_TRY(gravel_config_read(&own, config));
    *name = setting->field;
    int n = setting->kind == GRAVEL_SETTING_STRING
                ? snprintf(text, text_bytes, "%s", (const char *)&own + setting->offset)
                : snprintf(text, text_bytes, "%" PRIu64, gravel_setting_number(&own, setting));
    return n >= 0 && (size_t)n < text_bytes
               ? 0
               : gravel_fail(GRAVEL_EINVAL,
                             "gravel_config_get: %s has %d characters, and there is "
                             "room for %zu",
                             setting->field, n, text_bytes);
}
