/* SPDX-License-Identifier: MIT */
/*
 * Frames of records: checked, and spooled for the writer.
 *
 * Path:    control.c -> records.c -> decode.c, lib/spool.
 * Threads: the network thread.
 */
#include "network/parts.h"
#include "spool/spool.h"

void gravel_records_take(struct gravel_network *network, const struct gravel_frame *frame,
                         const struct gravel_loan *loan)
{
    struct gravel_refusal refusal;
    const struct gravel_expect expect = gravel_loan_expects(loan);
    if (gravel_decode_records(frame, loan->bytes, &expect, &refusal)) {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_resolving_refuse(network, refusal.code, refusal.text, loan->source,
                                loan->destination);
        return;
    }
    gravel_network_check(network, gravel_spool_push(network->spool, frame));
}

bool gravel_records_look(struct gravel_network *network)
{
    bool has_moved;
    int code = gravel_spool_look(network->spool, gravel_network_lived_ns(network), &has_moved);
    if (code && !gravel_network_has_aborted(network))
        gravel_network_check(network, code);
    return gravel_acks_step(network) || has_moved;
}
