/* SPDX-License-Identifier: MIT */
/*
 * Checked mode of calls of sub-groups: as check.cl.h of calls of work-groups.
 *
 * Path:    subgroup.cl.h's calls (subgroup_forms.cl.h) -> this, or subgroup_send.cl.h and fbar_send.cl.h as they are ->
 *          gravelp_send_alone in send.cl.h -> lib/aggregate/check.c.
 */
#ifndef GRAVELP_SUBGROUP_CHECK_CL_H
#define GRAVELP_SUBGROUP_CHECK_CL_H

#include "check.cl.h"
#include "fbar_send.cl.h"
#include "subgroup_send.cl.h"

#if !defined(GRAVEL_HAS_SUBGROUPS)
#elif !defined(GRAVEL_CHECK) || !GRAVEL_CHECK

#define GRAVELP_SEND_SG gravelp_send_sg
#define GRAVELP_SEND_FBAR gravelp_send_fbar

#else

#define gravelp_check_sg(g, line) \
    gravelp_check_arrive(g, 1 + gravelp_sg_number(), gravelp_sg_items(), line)
#define GRAVELP_SEND_SG(g, active, command, base, ...)                                            \
    GRAVELP_CHECK_SEND(g, gravelp_check_sg(g, __LINE__), active, command, base, GRAVELP_NO_REPLY, \
                       __VA_ARGS__)
/* A member's sub-group; which of them are members is the loop's business. */
#define GRAVELP_SEND_FBAR(g, f, active, ...) GRAVELP_SEND_SG(g, active, __VA_ARGS__)

#endif
#endif
