/* SPDX-License-Identifier: MIT */
/*
 * Locks by key: who claims a key holds it, or waits behind those that claimed it before. A lock is its claims: no
 * claim, no lock.
 *
 * Path:    transactions.c -> claims.c.
 * Owner:   claims are the caller's, and stay where they are until they are released.
 * Threads: one.
 * Source:  Wang, Fussell, Lin 2019, section 3.3 (a server's locks).
 */
#ifndef GRAVEL_SERVE_CLAIMS_H
#define GRAVEL_SERVE_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

struct gravel_claim {
    uint64_t key;
    void *owner;                 /* the caller's */
    struct gravel_claim *beside; /* of a holder: the next holder of its bucket */
    struct gravel_claim *behind; /* who gets the key next */
    struct gravel_claim *last;   /* of a holder: of those who wait, itself if none does */
};

#define GRAVEL_CLAIM_BUCKETS 8192u /* a power of two */

/* Zeroed: nothing is claimed. */
struct gravel_claims {
    struct gravel_claim *buckets[GRAVEL_CLAIM_BUCKETS]; /* holders */
};

/** Claim claim->key. @return whether it is held; else gravel_claims_release of another one will return it. */
bool gravel_claims_take(struct gravel_claims *claims, struct gravel_claim *claim);

/** Let go of a key that is held. @return who holds it then, or NULL. */
struct gravel_claim *gravel_claims_release(struct gravel_claims *claims,
                                           struct gravel_claim *claim);

/** Take back claims that wait, those for which `leaves` is true, in the order in which they were made. */
void gravel_claims_withdraw(struct gravel_claims *claims,
                            bool (*leaves)(void *context, struct gravel_claim *claim),
                            void *context);

/** Who holds a key, or NULL. */
struct gravel_claim *gravel_claims_holder(const struct gravel_claims *claims, uint64_t key);

#endif
