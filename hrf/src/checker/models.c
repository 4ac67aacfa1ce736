/* SPDX-License-Identifier: MIT */
/*
 * The models as tables and one question. See models.h.
 */
#include "checker/models.h"

#include "checker/execution.h"
#include "checker/program.h"

#include <string.h>

const struct hrf_rules hrf_rules[HRF_N_MODELS] = {
    [HRF_DIRECT] = {.name = "direct", .by_scope = true},
    [HRF_INDIRECT] = {.name = "indirect"},
    [HRF_DIRECT_RELAXED] = {.name = "direct-relaxed",
                            .by_scope = true,
                            .is_inclusive = true,
                            .has_weak = true},
    [HRF_INDIRECT_RELAXED] = {.name = "indirect-relaxed", .is_inclusive = true, .has_weak = true},
    [HRF_RSP] = {.name = "rsp", .is_inclusive = true, .promotes = true, .has_weak = true},
    [HRF_RSP_PAIR] = {.name = "rsp-pair",
                      .is_inclusive = true,
                      .pairs_remotely = true,
                      .has_weak = true},
    [HRF_OPENCL] = {.name = "opencl", .by_reads_from = true, .by_region = true, .has_weak = true},
};

const struct hrf_rules hrf_rules_sc = {.name = "sc", .is_sc = true};

bool hrf_model_of(const char *name, uint32_t n_bytes, enum hrf_model *model)
{
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (strlen(hrf_rules[m].name) == n_bytes && !memcmp(hrf_rules[m].name, name, n_bytes)) {
            *model = (enum hrf_model)m;
            return true;
        }
    return false;
}

bool hrf_scopes_meet(const struct hrf_rules *rules, const struct hrf_program *program,
                     const struct hrf_event *a, uint16_t at_a, const struct hrf_event *b,
                     uint16_t at_b, bool may_promote)
{
    if (at_a == at_b)
        return true;
    bool a_has_b = hrf_instance_has(program, at_a, b->thread);
    bool b_has_a = hrf_instance_has(program, at_b, a->thread);
    if ((rules->pairs_remotely || (rules->promotes && may_promote)) &&
        ((a->is_remote && a_has_b) || (b->is_remote && b_has_a)))
        return true;
    return rules->is_inclusive && a_has_b && b_has_a;
}
