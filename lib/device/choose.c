/* SPDX-License-Identifier: MIT */
/*
 * Chooses among the devices that there are. See select.h.
 */
#include "device/select.h"

#include "base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool gravel_device_parse_numbers(const char *name, unsigned *platform, unsigned *device)
{
    int end = 0;
    return isdigit((unsigned char)name[0]) &&
           sscanf(name, "%4u:%4u%n", platform, device, &end) == 2 && name[end] == '\0';
}

/* Which of them a node takes makes no difference. */
static bool are_equal(const struct gravel_candidate *a, const struct gravel_candidate *b)
{
    return a->platform_number == b->platform_number &&
           !strcmp(a->capability.name, b->capability.name);
}

/* Chooses the one of the devices equal to `first` whose turn it is. */
static void take_turn(const struct gravel_candidate *first, uint32_t local,
                      const struct gravel_candidate *candidates, unsigned n,
                      struct gravel_choice *choice)
{
    *choice = (struct gravel_choice){.taken = first};
    for (unsigned i = 0; i < n; i++)
        choice->n_equal += are_equal(&candidates[i], first);
    choice->turn = local % choice->n_equal;
    for (unsigned i = 0, turn = 0; i < n; i++)
        if (are_equal(&candidates[i], first) && turn++ == choice->turn)
            choice->taken = &candidates[i];
}

static int refuse(const char *name, const char *why, const struct gravel_candidate *candidates,
                  unsigned n)
{
    char list[900] = "";
    for (unsigned i = 0; i < n; i++)
        gravel_append(list, sizeof list, "%s%u:%u %s: %s", i ? "; " : "",
                      candidates[i].platform_number, candidates[i].device_number,
                      candidates[i].capability.platform, candidates[i].capability.name);
    return gravel_fail(GRAVEL_EDEVICE, "device \"%s\" %s; there is: %s", name, why,
                       n ? list : "no device at all");
}

/* Whether a name that is not empty means a device. */
static bool is_named(const char *name, const struct gravel_candidate *candidate)
{
    unsigned platform, device;
    if (gravel_device_parse_numbers(name, &platform, &device))
        return candidate->platform_number == platform && candidate->device_number == device;
    return strcasestr(candidate->capability.platform, name) ||
           strcasestr(candidate->capability.name, name);
}

int gravel_device_choose(const char *name, const char *wanted_step, uint32_t local,
                         const struct gravel_candidate *candidates, unsigned n,
                         struct gravel_choice *choice)
{
    char reasons[900] = "";
    unsigned best = 0, numbers[2];
    const struct gravel_candidate *first = NULL;
    for (unsigned i = 0; i < n; i++) {
        const struct gravel_candidate *c = &candidates[i];
        enum gravel_step step = GRAVEL_STEP_DRAIN;
        const char *lack = *name ? NULL : gravel_step_choose(wanted_step, &c->capability, &step);
        if (lack)
            gravel_append(reasons, sizeof reasons, "; %u:%u %s: %s", c->platform_number,
                          c->device_number, c->capability.name, lack);
        if (lack || (*name && !is_named(name, c)))
            continue;
        if (*name && first && !are_equal(first, c))
            return refuse(name, "is ambiguous", candidates, n);
        /* A GPU whose kernels' messages leave while they run; else the best step; else the first. */
        const bool is_last_resort = c->capability.is_cpu || !gravel_step_may_wait(step);
        const unsigned rank = *name ? 0 : step + is_last_resort * GRAVEL_N_STEPS;
        if (!first || rank < best)
            first = c, best = rank;
    }
    if (!first && *name)
        return refuse(name, "names nothing", candidates, n);
    if (!first)
        return gravel_fail(GRAVEL_ECAPABILITY, "no OpenCL device can take step %s%s", wanted_step,
                           n ? reasons : "; there is no device at all");
    if (gravel_device_parse_numbers(name, &numbers[0], &numbers[1]))
        *choice = (struct gravel_choice){.taken = first, .n_equal = 1};
    else
        take_turn(first, local, candidates, n, choice);
    return 0;
}
