/* SPDX-License-Identifier: MIT */
/*
 * Variants, trials and report of a rival in plain C. See peer.h.
 */
#include "peer.h"

#include "frame/die.h"

#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum peer_variant peer_default(void)
{
#ifdef _OPENMP
    return PEER_PARALLEL;
#else
    return PEER_SERIAL;
#endif
}

error_t peer_take_variant(struct argp_state *state, const struct app_option *option,
                          const char *value, const char *parallel, enum peer_variant *variant)
{
    bool is_serial = !strcmp(value, "serial");
    if (!is_serial && (peer_default() == PEER_SERIAL || strcmp(value, parallel) != 0))
        return option_refuse(state, option, "'%s' is none of %s, serial", value, parallel);
    *variant = is_serial ? PEER_SERIAL : PEER_PARALLEL;
    return 0;
}

const char *peer_name(enum peer_variant variant, const char *parallel)
{
    return variant == PEER_PARALLEL ? parallel : "serial";
}

unsigned peer_threads(enum peer_variant variant)
{
#ifdef _OPENMP
    return variant == PEER_PARALLEL ? (unsigned)omp_get_max_threads() : 1;
#else
    (void)variant;
    return 1;
#endif
}

void peer_run(struct trials *trials, trial_step *reset, trial_step *run, void *app)
{
    int status = trials_run(trials, reset, run, app);
    if (status)
        die("cannot run the trials: %s", strerror(-status));
}

uint64_t peer_report(struct trials *trials, bool is_checked, uint64_t n_wrong)
{
    int status = trials_report(trials, !is_checked ? TRIALS_UNCHECKED
                                       : n_wrong   ? TRIALS_FAILED
                                                   : TRIALS_PASSED);
    if (status)
        die("cannot write the report: %s", strerror(-status));
    trials_free(trials);
    return n_wrong;
}
