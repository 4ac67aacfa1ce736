/* SPDX-License-Identifier: MIT */
/*
 * The table of settings, made from GRAVEL_CONFIG_FIELDS: as text, as JSON.
 *
 * Path:    include/gravel/config.h -> settings.c -> standard output.
 * Threads: any one; reads the environment.
 */
#ifndef TOOLS_INFO_SETTINGS_H
#define TOOLS_INFO_SETTINGS_H

#include <jansson.h>

/** What is in force: each variable, its value, whether it is set, default, range and meaning. */
void info_settings_print(void);
/** {"settings": [{variable, kind, category, default, min, max, choices, value, is_set, help}]}; NULL without
 * memory. */
json_t *info_settings_json(void);

/** @return 0; GRAVEL_ECONFIG if a variable is malformed or out of range (gravel_last_error names
 * it). */
int info_settings_check(void);

#endif
