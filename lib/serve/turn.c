/* SPDX-License-Identifier: MIT */
/*
 * Turns. See turn.h.
 */
#include "serve/turn.h"

static const char what[] = "handlers with keys, which run on another queue";

int gravel_turn_take(struct gravel_key_turn *turn, struct gravel_limit limit)
{
    struct gravel_wait wait = {.limit = limit, .what = what};
    atomic_store_explicit(&turn->is_wanted, true, memory_order_relaxed); /* H9 */
    int code = gravel_wait_lock(&wait, &turn->lock);
    atomic_store_explicit(&turn->is_wanted, false, memory_order_relaxed); /* H9 */
    return code;
}

int gravel_turn_take_last(struct gravel_key_turn *turn, struct gravel_limit limit)
{
    struct gravel_wait wait = {.limit = limit, .what = what};
    int code = 0;
    while (!code && gravel_turn_is_wanted(turn))
        code = gravel_wait_pause(&wait);
    return code ? code : gravel_wait_lock(&wait, &turn->lock);
}
