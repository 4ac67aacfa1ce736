/* SPDX-License-Identifier: MIT */
/*
 * Checks a configuration that the caller may have changed.
 *
 * Path:    gravel_open -> settings.h.
 */
#ifndef GRAVEL_NODE_SETTINGS_H
#define GRAVEL_NODE_SETTINGS_H

#include "gravel/config.h"

/** @return 0; GRAVEL_ECONFIG naming the field and its range. */
int gravel_config_check(const struct gravel_config *config);

#endif
