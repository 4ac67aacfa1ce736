/* SPDX-License-Identifier: MIT */
/*
 * A thread made by the host. See host_role.h.
 *
 * Orders are constants at each operation: compilers take one that they do not know for seq_cst.
 */
#include "run/host_role.h"

#include "checker/execution.h"

#include <sched.h>

#define MAX_POLLS 4096u /* of a wait, as on the device */
#define POLLS_A_YIELD 64u

/* ---- operations by their order --------------------------------------------------------------- */

static uint32_t load(const _Atomic uint32_t *word, uint8_t order)
{
    switch (order) {
    case HRF_SEQ_CST:
        return atomic_load_explicit(word, memory_order_seq_cst);
    case HRF_ACQUIRE:
        return atomic_load_explicit(word, memory_order_acquire);
    default:
        return atomic_load_explicit(word, memory_order_relaxed);
    }
}

static void store(_Atomic uint32_t *word, uint32_t value, uint8_t order)
{
    switch (order) {
    case HRF_SEQ_CST:
        atomic_store_explicit(word, value, memory_order_seq_cst);
        return;
    case HRF_RELEASE:
        atomic_store_explicit(word, value, memory_order_release);
        return;
    default:
        atomic_store_explicit(word, value, memory_order_relaxed);
    }
}

#define SWAP(order) \
    atomic_compare_exchange_weak_explicit(word, old, value, order, memory_order_relaxed)

static bool swap(_Atomic uint32_t *word, uint32_t *old, uint32_t value, uint8_t order)
{
    switch (order) {
    case HRF_SEQ_CST:
        return SWAP(memory_order_seq_cst);
    case HRF_ACQ_REL:
        return SWAP(memory_order_acq_rel);
    case HRF_RELEASE:
        return SWAP(memory_order_release);
    case HRF_ACQUIRE:
        return SWAP(memory_order_acquire);
    default:
        return SWAP(memory_order_relaxed);
    }
}

static void fence(uint8_t order)
{
    switch (order) {
    case HRF_SEQ_CST:
        atomic_thread_fence(memory_order_seq_cst);
        return;
    case HRF_ACQ_REL:
        atomic_thread_fence(memory_order_acq_rel);
        return;
    case HRF_RELEASE:
        atomic_thread_fence(memory_order_release);
        return;
    case HRF_ACQUIRE:
        atomic_thread_fence(memory_order_acquire);
        return;
    default:
        return;
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The thread that makes them. */
struct role {
    const struct hrf_program *program;
    uint32_t thread;
    struct hrf_locals *locals;
};

static struct hrf_event event_after(const struct role *role, uint32_t old)
{
    struct hrf_event event;
    hrf_make_event(role->program, role->thread, role->locals, old, &event);
    return event;
}

/* A compare-and-swap that fails is a load of the order for that, here by a fence behind it. @return what it read. */
static uint32_t modify(const struct role *role, _Atomic uint32_t *word)
{
    uint32_t old = load(word, HRF_RELAXED);
    struct hrf_event event = event_after(role, old);
    while (event.writes && !swap(word, &old, event.value, event.order))
        event = event_after(role, old);
    if (!event.writes)
        fence(event.order);
    return old;
}

static bool await(const struct role *role, const struct hrf_instruction *i,
                  const _Atomic uint32_t *word, uint32_t *value)
{
    for (uint32_t polls = 1; polls <= MAX_POLLS; polls++) {
        *value = load(word, i->order);
        if (hrf_accepts(role->program, i, role->locals, *value))
            return true;
        if (polls % POLLS_A_YIELD == 0)
            sched_yield();
    }
    return false;
}

/* @param old  [out] what it reads, if it reads. @return false: waited too long. */
static bool make(const struct role *role, const struct hrf_instruction *i, _Atomic uint32_t *word,
                 uint32_t *old)
{
    *old = 0;
    switch (i->op) {
    case HRF_READ:
        *old = *(volatile uint32_t *)word;
        return true;
    case HRF_WRITE:
        *(volatile uint32_t *)word = event_after(role, 0).value;
        return true;
    case HRF_LOAD:
        *old = load(word, i->order);
        return true;
    case HRF_AWAIT:
        return await(role, i, word, old);
    case HRF_STORE:
        store(word, event_after(role, 0).value, i->order);
        return true;
    case HRF_FENCE:
        fence(i->order);
        return true;
    default:
        *old = modify(role, word);
        return true;
    }
}

bool host_role_play(const struct hrf_program *program, uint32_t thread,
                    _Atomic uint32_t *const *words, struct hrf_locals *locals)
{
    const struct role role = {program, thread, locals};
    const struct hrf_instruction *i;
    hrf_locals_init(program, thread, locals);
    while ((i = hrf_next_event(program, thread, locals))) {
        uint32_t old;
        if (!make(&role, i, i->location < 0 ? NULL : words[i->location], &old))
            return false;
        hrf_step(program, thread, locals, old);
    }
    return !locals->is_cut;
}
