/* SPDX-License-Identifier: MIT */
/*
 * Capabilities and steps as JSON. See describe.h.
 */
#include "describe.h"

#include "device/capability.h"

#include <string.h>

json_t *info_capabilities(const struct gravel_capability *capability)
{
#define PAIR(key, member, name, lack) \
    json_object_set_new(has, key, json_boolean(capability->member));
    json_t *has = json_object();
    INFO_CAPABILITIES(PAIR)
    return has;
#undef PAIR
}

json_t *info_steps(const struct gravel_capability *capability)
{
    json_t *steps = json_array();
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++) {
        const char *lack = gravel_step_lack((enum gravel_step)i, capability);
        json_array_append_new(steps, json_pack("{s:s, s:b, s:s?}", "name",
                                               gravel_step_name((enum gravel_step)i), "possible",
                                               !lack, "lack", lack));
    }
    return steps;
}

void info_steps_refuse(json_t *steps, const char *name, const char *lack)
{
    size_t i;
    json_t *step;
    json_array_foreach(steps, i, step)
    {
        if (strcmp(json_string_value(json_object_get(step, "name")), name))
            continue;
        json_object_set_new(step, "possible", json_false());
        json_object_set_new(step, "lack", lack ? json_string(lack) : json_null());
    }
}
