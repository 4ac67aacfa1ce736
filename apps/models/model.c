/* SPDX-License-Identifier: MIT */
/*
 * The table of models. See model.h.
 */
#include "model.h"

#include <stddef.h>
#include <string.h>

extern const char coalesced_cl[], coprocessor_cl[];

const struct model models[] = {{"coprocessor", "destination", coprocessor_cl, 64 << 10},
                               {"coprocessor-1m", "destination", coprocessor_cl, 1 << 20},
                               {"lane", "off", "", 0},
                               {"coalesced", "group", coalesced_cl, 0},
                               {"coalesced-aggregated", "destination", coalesced_cl, 0},
                               {"gravel", "destination", "", 0},
                               {NULL, NULL, NULL, 0}};

const struct model *const model_gravel = &models[5];

const struct model *model_named(const char *name)
{
    for (const struct model *model = models; model->name; model++)
        if (!strcmp(model->name, name))
            return model;
    return NULL;
}
