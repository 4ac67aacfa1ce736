/* SPDX-License-Identifier: MIT */
/*
 * Fills a configuration from defaults and GRAVEL_* environment variables, and checks it.
 *
 * Path:    gravel_config_load -> the caller's changes -> gravel_config_check in gravel_open.
 * Threads: any; reads the environment.
 */
#include "settings/settings.h"

#include "base/error.h"
#include "base/growing.h"
#include "base/number.h"
#include "layout/package.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BUFFER 256u /* [bytes] */

/* Numbers and strings share the list of config.h, and a string's preset and choices are no numbers. */
#define PRESET_STRING(value, list, none) .text = value, .choices = list
#define PRESET_BOOL(value, low, high) .number = value, .min = low, .max = high
#define PRESET_COUNT PRESET_BOOL
#define PRESET_BYTES PRESET_BOOL
#define SETTING(kind, field, variable, preset, low, high, category, help) \
    {GRAVEL_SETTING_##kind,                                               \
     #field,                                                              \
     #variable,                                                           \
     offsetof(struct gravel_config, field),                               \
     sizeof((struct gravel_config *)0)->field,                            \
     PRESET_##kind(preset, low, high)},
static const struct gravel_setting settings[] = {GRAVEL_CONFIG_FIELDS(SETTING)};
#define N_SETTINGS (sizeof settings / sizeof *settings)

const struct gravel_setting *gravel_setting_at(uint32_t i)
{
    return i < N_SETTINGS ? &settings[i] : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void *field_of(struct gravel_config *config, const struct gravel_setting *setting)
{
    return (unsigned char *)config + setting->offset;
}

uint64_t gravel_setting_number(const struct gravel_config *config,
                               const struct gravel_setting *setting)
{
    const void *field = (const unsigned char *)config + setting->offset;
    if (setting->kind == GRAVEL_SETTING_BOOL)
        return *(const bool *)field;
    return setting->kind == GRAVEL_SETTING_COUNT ? *(const uint32_t *)field
                                                 : *(const uint64_t *)field;
}

static void set_number(struct gravel_config *config, const struct gravel_setting *setting,
                       uint64_t number)
{
    void *field = field_of(config, setting);
    if (setting->kind == GRAVEL_SETTING_BOOL)
        *(bool *)field = number != 0;
    else if (setting->kind == GRAVEL_SETTING_COUNT)
        *(uint32_t *)field = (uint32_t)number;
    else
        *(uint64_t *)field = number;
}

int gravel_setting_assign(struct gravel_config *config, const struct gravel_setting *setting,
                          const char *name, const char *text)
{
    if (setting->kind != GRAVEL_SETTING_STRING) {
        uint64_t number = 0;
        const enum gravel_number parsed = gravel_number_parse(text, true, &number);
        if (parsed == GRAVEL_NUMBER_NONE)
            return gravel_fail(GRAVEL_ECONFIG, "%s=%s: not a number", name, text);
        if (parsed == GRAVEL_NUMBER_TOO_LARGE || number < setting->min || number > setting->max)
            return gravel_fail(GRAVEL_ECONFIG, "%s=%s: out of range %" PRIu64 " to %" PRIu64, name,
                               text, setting->min, setting->max);
        set_number(config, setting, number);
        return 0;
    }
    if (strlen(text) >= setting->bytes)
        return gravel_fail(GRAVEL_ECONFIG, "%s: longer than %zu characters", name,
                           setting->bytes - 1);
    strcpy(field_of(config, setting), text);
    return 0;
}

static int fill(struct gravel_config *config)
{
    int code = 0;
    memset(config, 0, sizeof *config);
    for (const struct gravel_setting *s = settings; s < settings + N_SETTINGS && !code; s++) {
        const char *text = getenv(s->variable);
        if (s->kind == GRAVEL_SETTING_STRING)
            strcpy(field_of(config, s), s->text);
        else
            set_number(config, s, s->number);
        if (text && *text)
            code = gravel_setting_assign(config, s, s->variable, text);
    }
    return code;
}

/* @return the number of a value in "a, b, c"; UINT32_MAX: it is not among them. */
static uint32_t number_of(const char *value, const char *choices)
{
    const size_t n = strlen(value);
    uint32_t number = 0;
    for (size_t bytes; *choices; choices += bytes + strspn(choices + bytes, ", "), number++) {
        bytes = strcspn(choices, ",");
        if (bytes == n && !memcmp(choices, value, n))
            return number;
    }
    return UINT32_MAX;
}

/* ---- one job's settings ---------------------------------------------------------------------- */

enum gravel_setting_reach gravel_setting_reach(const struct gravel_setting *setting)
{
    static const char per_host[] = "device, host_cores, transport, loopback_nodes, trace",
                      agreed[] = "heap_bytes, buffer_bytes, timeout_ms, spool_bytes";
    if (number_of(setting->field, per_host) != UINT32_MAX)
        return GRAVEL_SETTING_PER_HOST;
    return number_of(setting->field, agreed) != UINT32_MAX ? GRAVEL_SETTING_AGREED
                                                           : GRAVEL_SETTING_OF_THE_JOB;
}

void gravel_config_take(struct gravel_config *config, const struct gravel_config *from)
{
    for (const struct gravel_setting *s = settings; s < settings + N_SETTINGS; s++) {
        const bool is_default = s->kind == GRAVEL_SETTING_STRING
                                    ? !strcmp((const char *)config + s->offset, s->text)
                                    : gravel_setting_number(config, s) == s->number;
        if (is_default && gravel_setting_reach(s) != GRAVEL_SETTING_PER_HOST)
            memcpy(field_of(config, s), (const unsigned char *)from + s->offset, s->bytes);
    }
}

void gravel_config_fall_back(struct gravel_config *config)
{
    const char *wanted = config->transport[0] ? config->transport : getenv("GRAVEL_TRANSPORT");
    const uint32_t n = wanted ? number_of(wanted, "self, mpi") : UINT32_MAX;
    strcpy(config->transport, n == 0 ? "self" : n == 1 ? "mpi" : "auto");
    config->loopback_nodes = 1;
    config->timeout_ms = 8000;
    config->open_timeout_ms = 60000;
}

/* ---- checks ---------------------------------------------------------------------------------- */

uint32_t gravel_config_choice(const struct gravel_config *config, size_t offset)
{
    const struct gravel_setting *setting = settings;
    while (setting->offset != offset)
        setting++;
    return number_of((const char *)config + offset, setting->choices);
}

int gravel_setting_check(const struct gravel_config *config, const struct gravel_setting *setting)
{
    if (setting->kind == GRAVEL_SETTING_STRING) {
        const char *text = (const char *)config + setting->offset;
        if (!memchr(text, '\0', setting->bytes))
            return gravel_fail(GRAVEL_ECONFIG, "%s: not terminated", setting->field);
        if (!setting->choices || number_of(text, setting->choices) != UINT32_MAX)
            return 0;
        return gravel_fail(GRAVEL_ECONFIG, "%s = \"%s\": not one of %s", setting->field, text,
                           setting->choices);
    }
    const uint64_t value = gravel_setting_number(config, setting);
    if (value < setting->min || value > setting->max)
        return gravel_fail(GRAVEL_ECONFIG, "%s = %" PRIu64 ": out of range %" PRIu64 " to %" PRIu64,
                           setting->field, value, setting->min, setting->max);
    /* 0 leaves the size to gravel_derive. */
    const uint64_t least =
        setting->offset == offsetof(struct gravel_config, slot_bytes)     ? GRAVELP_SLOT_MIN_BYTES
        : setting->offset == offsetof(struct gravel_config, buffer_bytes) ? LEAST_BUFFER
                                                                          : 0;
    if (value == 0 || value >= least)
        return 0;
    return gravel_fail(GRAVEL_ECONFIG, "%s = %" PRIu64 ": neither 0 nor at least %" PRIu64,
                       setting->field, value, least);
}

int gravel_config_check(const struct gravel_config *config)
{
    for (const struct gravel_setting *s = settings; s < settings + N_SETTINGS; s++)
        GRAVEL_TRY(gravel_setting_check(config, s));
    return 0;
}

/* ---- the caller's structure ------------------------------------------------------------------ */

/* Any size from the first field on may be an older header's: fields are added at the end, and the rest is filled in. */
static const struct gravel_growing of_config =
    GRAVEL_GROWING("config.bytes", gravel_config, "gravel_config_load()", device);

int gravel_config_load(struct gravel_config *config, size_t bytes)
{
    struct gravel_config own;
    if (!config)
        return gravel_fail(GRAVEL_EINVAL, "gravel_config_load: config is NULL");
    GRAVEL_TRY(gravel_growing_check(&of_config, bytes));
    GRAVEL_TRY(fill(&own));
    own.bytes = bytes;
    memset(config, 0, bytes);
    memcpy(config, &own, bytes < sizeof own ? bytes : sizeof own);
    return 0;
}

int gravel_config_read(struct gravel_config *out, const struct gravel_config *config)
{
    struct gravel_config given;
    GRAVEL_TRY(gravel_growing_read(&of_config, &given, config, config->bytes, 1));
    if (config->bytes < sizeof *out)
        GRAVEL_TRY(fill(out)); /* what the caller's header does not have */
    memcpy(out, &given, config->bytes < sizeof *out ? config->bytes : sizeof *out);
    out->bytes = sizeof *out;
    return 0;
}
