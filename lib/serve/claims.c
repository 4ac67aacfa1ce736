/* SPDX-License-Identifier: MIT */
/*
 * Locks by key. See claims.h.
 */
#include "serve/claims.h"

#include <stddef.h>

/* Where the holder of a key is pointed to, or the end of its bucket. */
static struct gravel_claim **find(struct gravel_claims *claims, uint64_t key)
{
    const uint32_t hash = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    struct gravel_claim **place = &claims->buckets[hash & (GRAVEL_CLAIM_BUCKETS - 1)];
    while (*place && (*place)->key != key)
        place = &(*place)->beside;
    return place;
}

bool gravel_claims_take(struct gravel_claims *claims, struct gravel_claim *claim)
{
    struct gravel_claim **place = find(claims, claim->key), *holder = *place;
    claim->beside = claim->behind = NULL;
    claim->last = claim;
    if (!holder) {
        *place = claim;
        return true;
    }
    holder->last->behind = claim;
    holder->last = claim;
    return false;
}

struct gravel_claim *gravel_claims_release(struct gravel_claims *claims, struct gravel_claim *claim)
{
    struct gravel_claim **place = find(claims, claim->key), *next = claim->behind;
    *place = next ? next : claim->beside;
    if (next) {
        next->beside = claim->beside;
        next->last = claim->last;
    }
    return next;
}

/* Of the claims behind a holder. `leaves` may forget the claim. */
static void withdraw_behind(struct gravel_claim *holder,
                            bool (*leaves)(void *context, struct gravel_claim *claim),
                            void *context)
{
    struct gravel_claim *last = holder, *claim = holder->behind;
    while (claim) {
        struct gravel_claim *next = claim->behind;
        if (!leaves(context, claim)) {
            last->behind = claim;
            last = claim;
        }
        claim = next;
    }
    last->behind = NULL;
    holder->last = last;
}

void gravel_claims_withdraw(struct gravel_claims *claims,
                            bool (*leaves)(void *context, struct gravel_claim *claim),
                            void *context)
{
    for (uint32_t i = 0; i < GRAVEL_CLAIM_BUCKETS; i++)
        for (struct gravel_claim *holder = claims->buckets[i]; holder; holder = holder->beside)
            withdraw_behind(holder, leaves, context);
}

struct gravel_claim *gravel_claims_holder(const struct gravel_claims *claims, uint64_t key)
{
    return *find((struct gravel_claims *)claims, key);
}
