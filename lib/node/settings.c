/* SPDX-License-Identifier: MIT */
/*
 * Fills a configuration from defaults and GRAVEL_* environment variables, and checks it.
 *
 * Path:    gravel_config_init -> the caller's changes -> gravel_config_check in gravel_open.
 * Threads: any; reads the environment.
 */
#include "node/settings.h"

#include "aggregate/aggregation.h"
#include "base/error.h"
#include "layout/package.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parse a whole number with an optional k, M or G (powers of 1024). False if it is anything else. */
static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 0);
    if (errno || end == text)
        return false;
    unsigned shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift)
        end++;
    *value = (uint64_t)number << shift;
    return *end == '\0' && *value >> shift == number;
}

static int set_number(const char *variable, const char *text, uint64_t min, uint64_t max,
                      uint64_t *value)
{
    if (!parse_number(text, value))
        return gravel_fail(GRAVEL_ECONFIG, "%s=%s: not a number", variable, text);
    if (*value < min || *value > max)
        return gravel_fail(GRAVEL_ECONFIG, "%s=%s: out of range %llu to %llu", variable, text,
                           (unsigned long long)min, (unsigned long long)max);
    return 0;
}

#define SET_STRING(field, variable, min, max)                                          \
    if (strlen(text) >= sizeof config->field)                                          \
        return gravel_fail(GRAVEL_ECONFIG, "%s: longer than %zu characters", variable, \
                           sizeof config->field - 1);                                  \
    strcpy(config->field, text);
#define SET_NUMBER(field, variable, min, max)                 \
    int code = set_number(variable, text, min, max, &number); \
    if (code)                                                 \
        return code;
#define SET_BOOL(field, variable, min, max) \
    SET_NUMBER(field, variable, min, max) config->field = number != 0;
#define SET_COUNT(field, variable, min, max) \
    SET_NUMBER(field, variable, min, max) config->field = (uint32_t)number;
#define SET_BYTES(field, variable, min, max) \
    SET_NUMBER(field, variable, min, max) config->field = number;

#define PRESET_STRING(field, preset) strcpy(config->field, preset);
#define PRESET_BOOL(field, preset) config->field = (preset) != 0;
#define PRESET_COUNT(field, preset) config->field = (uint32_t)(preset);
#define PRESET_BYTES(field, preset) config->field = (uint64_t)(preset);
/* Numbers and strings share the table, and a string's preset is no number: pass each to its own macro. */

int gravel_config_init(struct gravel_config *config)
{
    const char *text;
    uint64_t number;
    (void)number;
    if (!config)
        return gravel_fail(GRAVEL_EINVAL, "gravel_config_init: config is NULL");
    memset(config, 0, sizeof *config);
#define GRAVEL_FIELD(kind, field, variable, preset, min, max, category, help) \
    PRESET_##kind(field, preset) if ((text = getenv(#variable)) &&            \
                                     *text){SET_##kind(field, #variable, min, max)}
    GRAVEL_CONFIG_FIELDS(GRAVEL_FIELD)
#undef GRAVEL_FIELD
    return 0;
}

static int check_number(const char *field, uint64_t value, uint64_t min, uint64_t max)
{
    if (value < min || value > max)
        return gravel_fail(GRAVEL_ECONFIG, "%s = %llu: out of range %llu to %llu", field,
                           (unsigned long long)value, (unsigned long long)min,
                           (unsigned long long)max);
    return 0;
}

#define CHECK_STRING(field, min, max)                       \
    if (!memchr(config->field, '\0', sizeof config->field)) \
        return gravel_fail(GRAVEL_ECONFIG, #field ": not terminated");
#define CHECK_NUMBER(field, min, max)                                \
    if ((code = check_number(#field, config->field, min, max)) != 0) \
        return code;
#define CHECK_BOOL CHECK_NUMBER
#define CHECK_COUNT CHECK_NUMBER
#define CHECK_BYTES CHECK_NUMBER

static int check_choice(const char *field, const char *value, const char *const *choices)
{
    for (const char *const *choice = choices; *choice; choice++)
        if (!strcmp(value, *choice))
            return 0;
    return gravel_fail(GRAVEL_ECONFIG, "%s = \"%s\": not one of %s, %s%s%s", field, value,
                       choices[0], choices[1], choices[2] ? ", " : "",
                       choices[2] ? choices[2] : "");
}

/* 0 leaves the size to gravel_derive. */
static int check_size(const char *field, uint64_t bytes, uint64_t least)
{
    if (bytes == 0 || bytes >= least)
        return 0;
    return gravel_fail(GRAVEL_ECONFIG, "%s = %llu: neither 0 nor at least %llu", field,
                       (unsigned long long)bytes, (unsigned long long)least);
}

int gravel_config_check(const struct gravel_config *config)
{
    int code;
#define GRAVEL_FIELD(kind, field, variable, preset, min, max, category, help) \
    CHECK_##kind(field, min, max)
    GRAVEL_CONFIG_FIELDS(GRAVEL_FIELD)
#undef GRAVEL_FIELD
    const char *const steps[] = {"auto", "svm", "usm", "pump", "drain", NULL};
    const char *const aggregations[] = {"auto", "on", "off", NULL};
    const char *const transports[] = {"auto", "self", "mpi", NULL};
    if ((code = check_choice("step", config->step, steps)) != 0 ||
        (code = check_choice("aggregation", config->aggregation, gravel_aggregation_names)) != 0 ||
        (code = check_choice("device_aggregation", config->device_aggregation, aggregations)) !=
            0 ||
        (code = check_choice("transport", config->transport, transports)) != 0)
        return code;
    if ((code = check_size("slot_bytes", config->slot_bytes, GRAVELP_SLOT_MIN_BYTES)) != 0)
        return code;
    return check_size("buffer_bytes", config->buffer_bytes, 256);
}
