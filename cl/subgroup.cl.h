/* SPDX-License-Identifier: MIT */
/*
 * Calls of sub-groups (wavefronts, NVIDIA's warps): groups whose work-items diverge send by sub-groups.
 *
 *     #include "gravel.cl.h"
 *     #include "subgroup.cl.h"
 *
 * All is there where the device has sub-groups: GRAVEL_HAS_SUBGROUPS is defined. The ends of names, beside those of
 * gravel.cl.h:
 *     _sg, _sg_if      every work-item of the sub-group; those whose `active` is 0 send nothing
 *     _fbar, _fbar_if  every work-item of every member of the fine-grain barrier f
 * A sub-group call in a branch that some work-items of the sub-group do not take loses messages or hangs.
 *
 * Updates and active messages have them, with the parameters and operations of gravel.cl.h:
 *     gravel_OP_TYPE_S(g, [f,] [active,] base, index, value, node)
 *     gravel_inc_TYPE_S(g, [f,] [active,] base, index, node)
 *     gravel_amN_S(g, [f,] [active,] GRAVEL_HANDLER(name), argument..., node)
 * A package holds the messages of one sub-group, or of all members of f. Messages of one sub-group to one node are
 * applied in order.
 *
 * Path:    the user's kernel -> this -> subgroup_forms.cl.h -> device/subgroup_send.cl.h.
 * Memory:  G5, W1, W2; P2 as in every form.
 * Source:  Orr 2016, section 5.3 (divergence, fbar).
 */
#ifndef GRAVEL_SUBGROUP_CL_H
#define GRAVEL_SUBGROUP_CL_H

#include "gravel.cl.h"
#include "subgroup_send.cl.h"
#include "subgroup_forms.cl.h"

#ifdef GRAVEL_HAS_SUBGROUPS
/* Every work-item of the sub-group goes round equally often: as GRAVEL_FOR_WG, for _sg_if calls. */
#define GRAVEL_FOR_SG(g, i, active, n) \
    for (uint i = 0, active = 0 < (n); gravelp_sg_any(active); i++, active = i < (n))

/*
 * A loop of the whole group that each sub-group leaves on its own; as GRAVEL_FOR_WG, for _fbar_if calls. A package
 * holds the messages of all sub-groups that are still in the loop. Calls of the whole group are not allowed in it.
 *
 *     GRAVEL_FBAR(f);                                     in the kernel's outermost scope
 *     GRAVEL_FOR_FBAR(g, f, i, active, n) {
 *         gravel_inc_uint_fbar_if(g, f, active, base, index(i), node(i));
 *     }
 *
 * Sound only where sub-groups of a group run on while one of them waits, which OpenCL does not promise: test with
 * gravel_fbar_rounds_wg first. Elsewhere a wait ends after GRAVEL_TIMEOUT and fails the node.
 */
#define GRAVEL_FBAR(f) GRAVELP_LOCAL(gravel_fbar, f, fbar)
#define GRAVEL_FOR_FBAR(g, f, i, active, n)                                  \
    for (uint i = gravelp_fbar_init((f), gravelp_n_sgs()), active = 0 < (n); \
         gravelp_fbar_goes_on((f), active); i++, active = i < (n))

/*
 * Every work-item of the group: how many phases of a barrier, of n_rounds, the calling sub-group passes in n_polls
 * polls each. If every sub-group passes all n_rounds, sub-groups make progress beside each other. Ends in any case.
 */
GRAVELP_INLINE uint gravel_fbar_rounds_wg(local struct gravel_fbar *f, uint n_rounds, uint n_polls)
{
    uint round = 0;
    gravelp_fbar_init(f, gravelp_n_sgs());
    if (gravelp_sg_lane() == 0)
        for (bool goes_on = true; goes_on && round < n_rounds; round += goes_on) {
            uint phase = gravelp_fbar_arrive(f), found = GRAVELP_FBAR_WAITS;
            for (uint i = 0; i < n_polls && found == GRAVELP_FBAR_WAITS; i++) {
                if (i % GRAVELP_FBAR_POLLS == GRAVELP_FBAR_POLLS - 1)
                    gravelp_pause(0, false);
                found = gravelp_fbar_poll(f, phase);
            }
            if (found == GRAVELP_FBAR_CLAIMED)
                gravelp_fbar_advance(f);
            goes_on = found != GRAVELP_FBAR_WAITS;
        }
    return gravelp_sg_first(round);
}

/* Every work-item of a member, within the loop: leave the barrier; join it again. */
GRAVELP_INLINE void gravel_fbar_leave_sg(local struct gravel_fbar *f)
{
    if (gravelp_sg_lane() == 0)
        gravelp_fbar_leave(f);
}
GRAVELP_INLINE void gravel_fbar_join_sg(struct gravel_group g, local struct gravel_fbar *f)
{
    if (gravelp_sg_lane() == 0)
        gravelp_fbar_join(g, f);
}
#endif

#endif
