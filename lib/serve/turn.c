/* SPDX-License-Identifier: MIT */
/*
 * Turns. See turn.h.
 */
#include "serve/turn.h"

#include "base/error.h"

static const char what[] = "handlers with keys, which run on another queue";

static struct gravel_wait wait_for(const struct gravel_key_turn *turn, struct gravel_limit limit)
{
    return (struct gravel_wait){.limit = limit, .what = what, .waited.limit_ns = turn->patience_ns};
}

/* Until the other side, if it waits, has had its turn. */
static int let_go_first(struct gravel_wait *wait, const _Atomic bool *waits)
{
    int code = 0;
    while (!code && atomic_load_explicit(waits, memory_order_relaxed)) /* H9 */
        code = gravel_wait_pause(wait);
    return code;
}

static int take(struct gravel_key_turn *turn, struct gravel_wait *wait, _Atomic bool *waits)
{
    atomic_store_explicit(waits, true, memory_order_relaxed); /* H9 */
    int code = gravel_wait_lock(wait, &turn->lock);
    atomic_store_explicit(waits, false, memory_order_relaxed); /* H9 */
    return code;
}

int gravel_turn_take(struct gravel_key_turn *turn, struct gravel_limit limit)
{
    struct gravel_wait wait = wait_for(turn, limit);
    GRAVEL_TRY(let_go_first(&wait, &turn->is_awaited));
    return take(turn, &wait, &turn->is_wanted);
}

int gravel_turn_take_last(struct gravel_key_turn *turn, struct gravel_limit limit)
{
    struct gravel_wait wait = wait_for(turn, limit);
    GRAVEL_TRY(let_go_first(&wait, &turn->is_wanted));
    return take(turn, &wait, &turn->is_awaited);
}
