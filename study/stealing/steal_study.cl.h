/* SPDX-License-Identifier: MIT */
/*
 * Policies baseline, scope-only and steal-only of Orr et al.: a deque whose ends other groups see, and whose oldest task
 * thieves take one at a time. Included by cl/device/schedule.cl.h in place of policy promoted's part:
 *
 *     GRAVEL_BUILD_OPTIONS="-I study/stealing -DGRAVELP_STEAL_STUDY=STUDY_BASELINE"
 *
 * The owner lowers `bottom` and then loads `top`; a thief loads `top` and then `bottom`. A fence of order seq_cst separates
 * the two accesses of each, so that at least one of them sees the other's where one task is left, and the swap of top
 * decides. Indices run free and never come back, which is what the tag of Arora et al. is for. A thief may read a slot that
 * the owner writes again: both access its words by relaxed atomics, and the thief drops what it has read, because its
 * swap then fails. Launches run all tasks: no step drain.
 *
 *     S1  top: the thief's reads of a slot before the owner writes it again; the swap decides who has the task
 *     S2  bottom: pushed tasks, and all that the owner's group did before, before a thief runs them
 *     S3  fences of order seq_cst: a store before a load of the other word
 *     S4  words of a slot: relaxed; torn words are dropped, because the swap of S1 fails
 *
 * Path:    stealing_figure_10.py -> GRAVEL_BUILD_OPTIONS -> this; schedule.cl.h around it.
 * Threads: leaders.
 * Source:  Arora, Blumofe, Plaxton, SPAA 1998; Cederman and Tsigas, On Dynamic Load Balancing on Graphics Processors,
 *          2008; the orders are those of Lê, Pop, Cohen, Zappa Nardelli, PPoPP 2013; Orr et al. 2015, section 5, where
 *          an owner whose compare-and-swap fails does not acquire, as it must (Wickerson et al., OOPSLA 2015).
 */
#define STUDY_BASELINE 1   /* device scope, no stealing */
#define STUDY_SCOPE_ONLY 2 /* work-group scope, no stealing */
#define STUDY_STEAL_ONLY 3 /* device scope */

#if GRAVELP_STEAL_STUDY == STUDY_SCOPE_ONLY
#define STUDY_SCOPE memory_scope_work_group
#else
#define STUDY_SCOPE memory_scope_device
#endif

/* Words of a deque that policy promoted has other uses for, on lines of their own. */
#define STUDY_TOP(deque) ((gravelp_word *)&(deque)->wanted)
#define STUDY_BOTTOM(deque) ((gravelp_word *)&(deque)->offer_padding[0])

#define STUDY_LOAD(word, order) atomic_load_explicit((word), memory_order_##order, STUDY_SCOPE)
#define STUDY_STORE(word, value, order) \
    atomic_store_explicit((word), (value), memory_order_##order, STUDY_SCOPE)
#define STUDY_FENCE() \
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, STUDY_SCOPE)

/* Moves top on by one if it is `top`: whoever does has the task there. Acquires if it is another. */
GRAVELP_INLINE bool study_take(global struct gravelp_deque *whose, uint top)
{
    return atomic_compare_exchange_strong_explicit(STUDY_TOP(whose), &top, top + 1,
                                                   memory_order_acq_rel, memory_order_acquire,
                                                   STUDY_SCOPE); /* S1 */
}

/* A task as the words of its slot. */
union study_task {
    GRAVEL_STEAL_TASK task;
    uint words[sizeof(GRAVEL_STEAL_TASK) / sizeof(uint)];
};
#define STUDY_TASK_WORDS (sizeof(union study_task) / sizeof(uint))

/* Pushes a task as gravelp_deque_push does, whose callers it serves: a thief may read the slot meanwhile. */
GRAVELP_INLINE void study_push(struct gravel_deque deque, GRAVEL_STEAL_TASK task)
{
    const uint at = gravelp_local_add_relaxed(&deque.own->tail, 1);
    global gravelp_word *slot = (global gravelp_word *)gravelp_slot(deque.steal, deque.group, at);
    const union study_task whole = {.task = task};
    if (at - deque.own->head >= deque.steal->capacity)
        gravelp_local_add_relaxed(&deque.own->n_refused, 1);
    else
        for (uint i = 0; i < STUDY_TASK_WORDS; i++)
            STUDY_STORE(slot + i, whole.words[i], relaxed); /* S4 */
}
#define gravelp_deque_push study_push

/* Reads the task of a slot, torn if the owner writes the slot meanwhile. */
GRAVELP_INLINE GRAVEL_STEAL_TASK study_read(global struct gravelp_steal *steal, uint victim,
                                            uint at)
{
    global gravelp_word *slot = (global gravelp_word *)gravelp_slot(steal, victim, at);
    union study_task whole;
    for (uint i = 0; i < STUDY_TASK_WORDS; i++)
        whole.words[i] = STUDY_LOAD(slot + i, relaxed); /* S4 */
    return whole.task;
}

/* Leader: shows thieves what the group has pushed, behind a barrier. */
GRAVELP_INLINE void study_show(global struct gravelp_deque *me, local const struct gravelp_own *own)
{
    STUDY_STORE(STUDY_BOTTOM(me), own->tail, release); /* S2 */
}

/* Leader: pops the newest task. */
GRAVELP_INLINE uint gravelp_policy_decide(struct gravel_deque *deque)
{
    global struct gravelp_deque *me = gravelp_deque(deque->steal, deque->group);
    local struct gravelp_own *own = deque->own;
    const uint last = own->tail - 1;
    if (own->n_run == 0)
        STUDY_STORE(STUDY_TOP(me), own->head, relaxed);  /* as the last launch left it */
    STUDY_STORE(STUDY_BOTTOM(me), last, release);        /* S2 */
    STUDY_FENCE();                                       /* S3 */
    const uint top = STUDY_LOAD(STUDY_TOP(me), acquire); /* S1 */
    const uint n = last - top; /* tasks before the last; ~0 if there is none */
    bool has = n != ~0u;
    if (has)
        own->task = *gravelp_slot(deque->steal, deque->group, last);
    own->head = top;
    own->tail = last;
    if (has && n)
        return GRAVELP_VERDICT_TASK;
    if (has)
        has = study_take(me, top); /* against a thief */
    own->head = own->tail = n == 0 ? top + 1 : top;
    STUDY_STORE(STUDY_BOTTOM(me), own->tail, relaxed); /* empty: nothing is shown */
    if (has)
        return GRAVELP_VERDICT_TASK;
    return GRAVELP_STEAL_STUDY == STUDY_STEAL_ONLY ? GRAVELP_VERDICT_NONE : GRAVELP_VERDICT_END;
}

/* Thief: takes the oldest task of a group. */
GRAVELP_INLINE uint gravelp_policy_steal(global struct gravelp_steal *steal,
                                         local struct gravelp_own *own, uint victim)
{
    global struct gravelp_deque *whose = gravelp_deque(steal, victim);
    const uint top = STUDY_LOAD(STUDY_TOP(whose), acquire); /* S1 */
    if ((int)(STUDY_LOAD(STUDY_BOTTOM(whose), relaxed) - top) <= 0)
        return GRAVELP_VERDICT_NONE;
    STUDY_FENCE();                                                  /* S3 */
    if ((int)(STUDY_LOAD(STUDY_BOTTOM(whose), acquire) - top) <= 0) /* S2 */
        return GRAVELP_VERDICT_NONE;
    gravelp_count_idle(steal, own, 0);
    own->task = study_read(steal, victim, top);
    if (study_take(whose, top)) {
        own->counts.stolen++;
        return GRAVELP_VERDICT_TASK;
    }
    own->counts.failed++;
    gravelp_count_idle(steal, own, 1);
    return GRAVELP_VERDICT_NONE;
}

/* Leader, in a task: shows thieves what the group has pushed. */
GRAVELP_INLINE uint gravelp_policy_share(struct gravel_deque *deque, uint is_full)
{
    global struct gravelp_deque *me = gravelp_deque(deque->steal, deque->group);
    (void)is_full;
    deque->own->head = STUDY_LOAD(STUDY_TOP(me), acquire); /* S1 */
    if (deque->own->n_refused == 0)
        study_show(me, deque->own);
    return GRAVELP_VERDICT_NONE;
}
