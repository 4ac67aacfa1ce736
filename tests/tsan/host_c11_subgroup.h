/* SPDX-License-Identifier: MIT */
/*
 * Built-in sub-groups for a C11 compiler: of up to 4 work-items, which are threads, so sub-groups run concurrently.
 *
 * A sub-group is every n-th work-item of the group, since kernels must not rely on neighbours being one. No work-item returns from
 * a call before all of the sub-group have made it. It orders no memory, as the built-ins need not, so all is relaxed;
 * except for the barrier.
 *
 * Path:    host_c11.h -> this.
 */
#ifndef GRAVEL_HOST_C11_SUBGROUP_H
#define GRAVEL_HOST_C11_SUBGROUP_H

#define GRAVELP_WAVE_ITEMS 4

struct gravelp_wave {
    /* By parity of the call, so that the next call's values do not meet readers of this one's: number of the call in the
     * upper half, value in the lower. */
    _Atomic uint64_t values[2][GRAVELP_WAVE_ITEMS];
    _Atomic uint64_t n_calls, n_barriers; /* arrivals so far */
};

#define get_num_sub_groups() \
    ((uint)(gravelp_lane->local_size + GRAVELP_WAVE_ITEMS - 1) / GRAVELP_WAVE_ITEMS)
#define get_sub_group_id() ((uint)gravelp_lane->local_id % get_num_sub_groups())
#define get_sub_group_local_id() ((uint)gravelp_lane->local_id / get_num_sub_groups())
#define get_sub_group_size()                                                            \
    (((uint)gravelp_lane->local_size - get_sub_group_id() + get_num_sub_groups() - 1) / \
     get_num_sub_groups())

static inline void gravelp_wave_give(uint value)
{
    struct gravelp_lane *lane = gravelp_lane;
    struct gravelp_wave *wave = &lane->waves[get_sub_group_id()];
    uint64_t call = ++lane->n_wave_calls;
    atomic_store_explicit(&wave->values[call % 2][get_sub_group_local_id()], call << 32 | value,
                          memory_order_relaxed);
    atomic_fetch_add_explicit(&wave->n_calls, 1, memory_order_relaxed);
    while (atomic_load_explicit(&wave->n_calls, memory_order_relaxed) < call * get_sub_group_size())
        sched_yield();
}

/* Returns what a work-item of the sub-group gave to this call. */
static inline uint gravelp_wave_value(uint member)
{
    struct gravelp_lane *lane = gravelp_lane;
    _Atomic uint64_t *place =
        &lane->waves[get_sub_group_id()].values[lane->n_wave_calls % 2][member];
    uint64_t value;
    while ((value = atomic_load_explicit(place, memory_order_relaxed)) >> 32 != lane->n_wave_calls)
        sched_yield();
    return (uint)value;
}

/* Sum of what the first n work-items of the sub-group give. */
static inline uint gravelp_wave_sum(uint value, uint n)
{
    uint sum = 0;
    gravelp_wave_give(value);
    for (uint i = 0; i < n; i++)
        sum += gravelp_wave_value(i);
    return sum;
}
#define sub_group_scan_exclusive_add(value) gravelp_wave_sum((value), get_sub_group_local_id())
#define sub_group_reduce_add(value) gravelp_wave_sum((value), get_sub_group_size())
#define sub_group_any(flag) (gravelp_wave_sum((flag) != 0, get_sub_group_size()) != 0)
static inline uint sub_group_reduce_max(uint value)
{
    uint most = 0;
    gravelp_wave_give(value);
    for (uint i = 0; i < get_sub_group_size(); i++)
        most = gravelp_wave_value(i) > most ? gravelp_wave_value(i) : most;
    return most;
}
static inline uint sub_group_broadcast(uint value, uint member)
{
    gravelp_wave_give(value);
    return gravelp_wave_value(member);
}

#define sub_group_barrier(flags) gravelp_wave_barrier()
static inline void gravelp_wave_barrier(void)
{
    struct gravelp_lane *lane = gravelp_lane;
    struct gravelp_wave *wave = &lane->waves[get_sub_group_id()];
    uint64_t n = (uint64_t)++lane->n_wave_barriers * get_sub_group_size();
    atomic_fetch_add_explicit(&wave->n_barriers, 1, memory_order_acq_rel);
    while (atomic_load_explicit(&wave->n_barriers, memory_order_acquire) < n)
        sched_yield();
}

#endif
