/* SPDX-License-Identifier: MIT */
/*
 * Proves in bounded time that a device can take its step; queries alone mislead both ways.
 *
 * svm, usm: host and a running kernel hand over words there and back, in order, and device atomics are exact.
 * pump:     the same through copies; and on as many command queues as a node may have, a kernel and a copy get to run
 *           while a kernel fills all compute units but one, with another one enqueued behind it, which is what a
 *           launch's slices rely on.
 * drain:    device atomics are exact.
 * svm, usm with handlers in OpenCL C: a kernel gets to run while others hold all units that launches may hold.
 * meet:     groups of a launch that have started continue while other groups wait for them; flows and resident servers
 *           ask for it.
 *
 * Path:    gravel_open, gravel-info -> self_test.c -> cl/kernels/self_test.cl.
 * Threads: one at a time.
 */
#ifndef GRAVEL_SELF_TEST_SELF_TEST_H
#define GRAVEL_SELF_TEST_SELF_TEST_H

#include "device/device.h"

/** What was proved. */
struct gravel_self_test {
    uint32_t n_rounds;     /* hand-overs, there and back */
    double round_us;       /* mean time of one [microseconds] */
    uint32_t n_increments; /* exact ones */
    bool can_yield;        /* kernels can give their core away */
};

/**
 * Test the device's step.
 *
 * @param device    open; can_yield is set, poll_ns, and has_c11_atomics if they may be there and are.
 * @param n_rounds  hand-overs to make [count].
 * @param result    [out] or NULL.
 * @return          0; GRAVEL_ECAPABILITY (what did not work); GRAVEL_ETIMEOUT; GRAVEL_EBUILD; GRAVEL_ECL;
 *                  GRAVEL_ENOMEM.
 */
int gravel_self_test(struct gravel_device *device, uint32_t n_rounds,
                     struct gravel_self_test *result);

/**
 * Prove that a handler written in OpenCL C runs where device/device.h puts it, while launches hold all that they may
 * hold. Bounded in time. Only steps svm and usm need it; for pump gravel_self_test has proved it.
 *
 * @return  0, also where the bindings have no such handler; GRAVEL_ECAPABILITY; GRAVEL_EBUILD; GRAVEL_ECL.
 */
int gravel_self_test_handlers(const struct gravel_device *device,
                              const struct gravel_bindings *bindings);

/**
 * one_at_a_time.c: wait until no other process of the machine tests the device.
 *
 * @param identity  of the device; 0: unknown, and there is no lock.
 * @param limit_ns  longest wait [ns], as a process may be stuck in its test: then without the lock.
 * @return          to give back; -1 without the lock.
 */
int gravel_test_lock(uint64_t identity, uint64_t limit_ns);
/** one_at_a_time.c: lets the next one test. @param lock  of gravel_test_lock; -1 is allowed. */
void gravel_test_unlock(int lock);

/** What `meet` saw, of the best of a few launches. */
struct gravel_meeting {
    uint32_t n_groups;  /* of the launch */
    uint32_t n_members; /* of them, those that had started when the list was closed */
    uint32_t n_rounds;  /* in which all members met */
    double round_us;    /* mean time of one [microseconds] */
};

/**
 * Prove that groups of a launch that have started continue while others wait for them, as a resident flow and resident
 * servers need. Bounded in time.
 *
 * @param n_groups  of the launch.
 * @param n_least   of them must have met, or all.
 * @param seen      [out]
 * @return          0; GRAVEL_ECAPABILITY: what was seen instead; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ETIMEOUT.
 */
int gravel_self_test_meet(const struct gravel_device *device, uint32_t n_groups, uint32_t n_least,
                          struct gravel_meeting *seen);

#endif
