/* SPDX-License-Identifier: MIT */
/*
 * A locale in which numbers have decimal commas, for tests of what must not depend on it.
 *
 * Path: test_trace.c, ../device/test_config.c -> this -> the system, or localedef.
 */
#ifndef GRAVEL_TESTS_DECIMAL_COMMAS_H
#define GRAVEL_TESTS_DECIMAL_COMMAS_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Returns whether programs may have decimal commas here, as this one now has: the system may have no such locale, or none but in
 * sources, of which `folder` gets it. */
static inline bool take_decimal_commas(const char *folder)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "gravel"};
    char command[256];
    snprintf(command, sizeof command,
             "localedef --no-archive -c -f UTF-8 -i de_DE %s/gravel >/dev/null 2>&1", folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(names[i], "gravel") && system(command) >= 0)
            setenv("LOCPATH", folder, 1);
        if (setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',')
            return true;
    }
    return false;
}

/** Decimal points again, and nothing of it in the folder. */
static inline void leave_decimal_commas(const char *folder)
{
    char command[128];
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s/gravel", folder);
    if (system(command))
        abort();
}

#endif
