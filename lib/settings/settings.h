/* SPDX-License-Identifier: MIT */
/*
 * The settings one by one, and the caller's structure that holds them.
 *
 * Path:    gravel_open, gravel_config_set -> settings.h.
 */
#ifndef GRAVEL_SETTINGS_SETTINGS_H
#define GRAVEL_SETTINGS_SETTINGS_H

#include "gravel/config.h"

#include <stddef.h>

enum gravel_setting_kind {
    GRAVEL_SETTING_STRING,
    GRAVEL_SETTING_BOOL,
    GRAVEL_SETTING_COUNT,
    GRAVEL_SETTING_BYTES
};

/* Per host: the device, its cores, the transport, files. Of the job: node 0's, at each node that leaves its default.
 * Agreed: of the job, and equal at all nodes. */
enum gravel_setting_reach {
    GRAVEL_SETTING_PER_HOST,
    GRAVEL_SETTING_OF_THE_JOB,
    GRAVEL_SETTING_AGREED
};

/* One field of struct gravel_config. */
struct gravel_setting {
    enum gravel_setting_kind kind;
    const char *field, *variable;
    size_t offset, bytes;
    const char *text;          /* default of a string */
    const char *choices;       /* "auto, host, resident"; NULL: it may be any text */
    uint64_t number, min, max; /* default and range of a number */
};

/** Returns the i-th setting, or NULL. */
const struct gravel_setting *gravel_setting_at(uint32_t i);
/** Returns the value of a setting that is not a string. */
uint64_t gravel_setting_number(const struct gravel_config *config,
                               const struct gravel_setting *setting);
enum gravel_setting_reach gravel_setting_reach(const struct gravel_setting *setting);
/** Parse a value. @param name  for the error's text. @return 0; GRAVEL_ECONFIG naming the range. */
int gravel_setting_assign(struct gravel_config *config, const struct gravel_setting *setting,
                          const char *name, const char *text);
/** @return 0; GRAVEL_ECONFIG naming the field and its range or choices. */
int gravel_setting_check(const struct gravel_config *config, const struct gravel_setting *setting);

/**
 * Refuses a GRAVEL_ variable of the environment that is a misspelt setting. Reports others that are no setting: a site
 * or a program may have some of its own, such as GRAVEL_ROOT.
 *
 * @param log  NULL: logs none.
 * @return      0; GRAVEL_ECONFIG naming both.
 */
int gravel_settings_check_names(void (*log)(void *context, const char *text), void *context);

/** gravel_setting_check of all. */
int gravel_config_check(const struct gravel_config *config);

/** Take over what is set at another node, and left at its default here; except what is per host. */
void gravel_config_take(struct gravel_config *config, const struct gravel_config *from);

/** Replaces settings that cannot be read: just enough to report to the other nodes that this node cannot open. */
void gravel_config_fall_back(struct gravel_config *config);

/** The number of a checked configuration's value of a string, among its choices in config.h. */
#define GRAVEL_CHOICE(config, field) \
    gravel_config_choice(config, offsetof(struct gravel_config, field))
uint32_t gravel_config_choice(const struct gravel_config *config, size_t offset);

/**
 * Copy the caller's configuration; the defaults and the environment have what the caller's header does not.
 *
 * @return  0; GRAVEL_EINVAL (config->bytes); GRAVEL_ECONFIG (the environment).
 */
int gravel_config_read(struct gravel_config *out, const struct gravel_config *config);

#endif
