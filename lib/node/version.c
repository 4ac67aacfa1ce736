/* SPDX-License-Identifier: MIT */
/*
 * The library's version at run time.
 *
 * Threads: any.
 */
#include "gravel/gravel.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *gravel_version(uint32_t numbers[3])
{
    if (numbers) {
        numbers[0] = GRAVEL_API_MAJOR;
        numbers[1] = GRAVEL_API_MINOR;
        numbers[2] = GRAVEL_API_PATCH;
    }
    return TEXT(GRAVEL_API_MAJOR) "." TEXT(GRAVEL_API_MINOR) "." TEXT(GRAVEL_API_PATCH);
}
