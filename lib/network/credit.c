/* SPDX-License-Identifier: MIT */
/*
 * Counts of frames of records, and those that are parked. See credit.h.
 */
#include "network/credit.h"

#include "base/error.h"
#include "transport/frames.h"
#include "transport/pool.h"

#include <stdlib.h>

#define LEAST_WINDOW 2u /* one is written while the next one travels */

uint64_t gravel_credit_window(uint64_t spool_bytes, uint32_t n_nodes)
{
    const uint64_t window = spool_bytes / GRAVEL_RECORDS_MOST_BYTES / n_nodes;
    return window < LEAST_WINDOW ? LEAST_WINDOW : window;
}

int gravel_credit_create(struct gravel_credit *credit, uint32_t n_nodes, uint64_t window)
{
    *credit =
        (struct gravel_credit){.sides = calloc(n_nodes, sizeof *credit->sides), .window = window};
    credit->n_nodes = credit->sides ? n_nodes : 0;
    return credit->sides ? 0 : gravel_fail(GRAVEL_ENOMEM, "credit of %u nodes", n_nodes);
}

static struct gravel_buffer *unpark(struct gravel_credit *credit, struct gravel_credit_side *side)
{
    struct gravel_buffer *buffer = side->parked;
    side->parked = buffer->next;
    side->n_parked--;
    credit->n_waiting--;
    return buffer;
}

void gravel_credit_destroy(struct gravel_credit *credit)
{
    for (uint32_t node = 0; node < credit->n_nodes; node++)
        while (credit->sides[node].n_parked)
            gravel_pool_return(unpark(credit, &credit->sides[node]));
    credit->n_nodes = 0;
    free(credit->sides);
    credit->sides = NULL;
}

/* ---- who sends -------------------------------------------------------------------------------- */

static bool has_credit(const struct gravel_credit *credit, const struct gravel_credit_side *side)
{
    return side->n_sent - side->n_written < credit->window;
}

static bool is_unanswered(const struct gravel_credit_side *side)
{
    return side->n_asking > side->n_written;
}

/* @param before  whether it was, before the side changed. */
static void count_unanswered(struct gravel_credit *credit, const struct gravel_credit_side *side,
                             bool before)
{
    const uint32_t n = atomic_load_explicit(&credit->n_unanswered, memory_order_relaxed);
    atomic_store_explicit(&credit->n_unanswered, n + is_unanswered(side) - before,
                          memory_order_relaxed); /* U10 */
}

static void note_written(struct gravel_credit *credit, struct gravel_credit_side *side,
                         uint64_t n_written)
{
    const bool before = is_unanswered(side);
    side->n_written = n_written;
    count_unanswered(credit, side, before);
    if (side->is_heard || !side->n_parked)
        return;
    side->is_heard = true;
    side->next_heard = credit->heard;
    credit->heard = side;
}

bool gravel_credit_admit(struct gravel_credit *credit, struct gravel_buffer *buffer, bool asks)
{
    struct gravel_credit_side *side = &credit->sides[buffer->frame->destination];
    const bool before = is_unanswered(side);
    if (asks) {
        side->n_asking = side->n_sent + side->n_parked + 1;
        count_unanswered(credit, side, before);
    }
    if (!side->n_parked && has_credit(credit, side)) {
        side->n_sent++;
        return true;
    }
    *(side->n_parked++ ? side->end : &side->parked) = buffer;
    side->end = &buffer->next;
    buffer->next = NULL;
    buffer->frame->sequence = credit->n_parked++;
    credit->n_waiting++;
    return false;
}

struct gravel_buffer *gravel_credit_take(struct gravel_credit *credit)
{
    for (struct gravel_credit_side *side; (side = credit->heard);
         credit->heard = side->next_heard) {
        if (side->n_parked && has_credit(credit, side)) {
            side->n_sent++;
            return unpark(credit, side);
        }
        side->is_heard = false;
    }
    return NULL;
}

bool gravel_credit_hear(struct gravel_credit *credit, uint32_t node, uint64_t n_written)
{
    struct gravel_credit_side *side = &credit->sides[node];
    if (n_written < side->n_written || n_written > side->n_sent)
        return false;
    note_written(credit, side, n_written);
    return true;
}

void gravel_credit_written_here(struct gravel_credit *credit, uint32_t node)
{
    note_written(credit, &credit->sides[node], credit->sides[node].n_written + 1);
}

uint64_t gravel_credit_mark(const struct gravel_credit *credit)
{
    return credit->n_parked;
}

bool gravel_credit_has_passed(const struct gravel_credit *credit, uint64_t mark)
{
    uint32_t node = credit->n_waiting ? 0 : credit->n_nodes;
    while (node < credit->n_nodes &&
           (!credit->sides[node].n_parked || credit->sides[node].parked->frame->sequence >= mark))
        node++;
    return node == credit->n_nodes;
}

/* ---- who writes ------------------------------------------------------------------------------- */

bool gravel_credit_come(struct gravel_credit *credit, uint32_t source)
{
    struct gravel_credit_side *side = &credit->sides[source];
    side->n_come++;
    return side->n_come - side->n_told <= credit->window;
}

bool gravel_credit_done(struct gravel_credit *credit, uint32_t source, bool is_awaited)
{
    struct gravel_credit_side *side = &credit->sides[source];
    side->n_done++;
    if (!is_awaited && side->n_done - side->n_told < credit->window / 2)
        return false;
    side->n_told = side->n_done;
    return true;
}
