/* SPDX-License-Identifier: MIT */
/*
 * The kernels that play many instances of a litmus program at once. kernel.c puts definitions before this text, and the
 * threads' code where PROGRAM is.
 *
 * clear_words sets the words of all instances; play makes them; judge_instances evaluates the condition, or looks whether
 * an assert failed, and counts.
 *
 * Instance i of location l is word(l, i): locations of an instance are far apart, and neighbours of one location are not
 * neighbours of the next. Work-group `player` + a multiple of N_GROUPS - 1 plays group g of that player's instances: all groups
 * of an instance in the same step of the loop, on different work-groups. Where the host plays too, there are as many
 * players as the program has groups, and all play one instance in a step.
 *
 * Source:  Levine et al. 2023, "MC Mutants": parallel instances, permuted partners, stress.
 */
#if defined(__opencl_c_atomic_scope_all_devices) || __OPENCL_C_VERSION__ == 200
#define HAS_SCOPE_SYS 1u
#define SCOPE_sys memory_scope_all_svm_devices
#else
#define HAS_SCOPE_SYS 0u
#define SCOPE_sys memory_scope_device
#endif
#define SCOPE_dev memory_scope_device
#define SCOPE_wg memory_scope_work_group
#define ADD(word, value, scope) atomic_fetch_add_explicit(word, value, memory_order_relaxed, scope)

#define MAX_POLLS 4096u /* of a wait: its partner may not run */
#if N_HOST
#define MEETING_SCOPE SCOPE_sys
#define MEETING_POLLS 32768u /* the host may not have its core */
#define MEETING_LEAST 64u
#else
#define MEETING_SCOPE SCOPE_dev
#define MEETING_POLLS 512u
#define MEETING_LEAST MEETING_POLLS
#endif

uint remainder_of(uint a, uint b)
{
    return b ? a % b : 0u;
}

uint mixed(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Odd factors permute instances, of which there are a power of two. */
ulong word(uint l, uint i, uint n)
{
    return (ulong)l * n + ((i * (2u * (l * 7919u) + 1u) + l * 12289u) & (n - 1u));
}

kernel void clear_words(global uint *words, global uint *marks, uint n)
{
    const uint i = get_global_id(0);
    for (uint l = 0; l < N_LOCATIONS; l++)
        words[word(l, i, n)] = initial[l];
    marks[i] = 0;
}

/* Returns whether all groups, and the threads of the host, have come to a step. */
bool all_are_at(global atomic_uint *meeting, uint number, uint n_players)
{
    if (atomic_load_explicit(meeting, memory_order_relaxed, MEETING_SCOPE) < number * n_players)
        return false;
    for (uint h = 1; h <= N_HOST; h++)
        if (atomic_load_explicit(meeting + h * MEETING_STRIDE, memory_order_relaxed,
                                 MEETING_SCOPE) < number)
            return false;
    return true;
}

/* Waits for all others, `patience` polls at most: they need not run at once. Returns the patience for the next step. */
uint meet(global atomic_uint *meeting, uint number, uint n_players, uint patience)
{
    ADD(meeting, 1u, MEETING_SCOPE);
    uint k = 0;
    while (k < patience && !all_are_at(meeting, number, n_players))
        k++;
    return k < patience ? MEETING_POLLS : max(patience / 2u, MEETING_LEAST);
}

/* Plays the program in the first n_players groups; all others make noise. */
kernel void play(global atomic_uint *words, global uint *results, global atomic_uint *marks,
                 global atomic_uint *meeting, global uint *noise, uint n, uint n_players,
                 uint rounds, uint each, uint seed)
{
    const uint group = get_group_id(0), item = get_local_id(0);
    const uint role = item / each, sub = item % each;
    uint patience = MEETING_POLLS;
#if N_LOCALS
    local atomic_uint locals[N_LOCALS][MOST_EACH];
#endif
    if (group >= n_players) {
        for (uint k = 0; k < rounds * 64u; k++)
            noise[mixed(seed + k * 977u + item) & (NOISE_WORDS - 1u)] += k;
        return;
    }
    for (uint round = 0; round < rounds; round++)
        for (uint step = 0; step < N_GROUPS; step++) {
            const uint g = (group + step) % N_GROUPS;
            const uint player = (group + g * (N_GROUPS - 1u)) % n_players;
            const uint i = (round * n_players + player) * each + sub;
            uint lives = 1, fails = 0, r[N_REGISTERS] = {0};
#if N_LOCALS
            for (uint l = 0; l < N_LOCALS && role == 0; l++)
                atomic_store_explicit(&locals[l][sub], initial_local[l], memory_order_relaxed,
                                      SCOPE_wg);
#endif
            if (item == 0)
                patience = meet(meeting, round * N_GROUPS + step + 1u, n_players, patience);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            for (uint k = mixed(seed ^ (i * 31u + role)) & 15u; k; k--)
                (void)*(volatile global uint *)&noise[k];
            PROGRAM;
            if (!lives || fails) /* relaxed: the launch's end orders it */
                atomic_fetch_or_explicit(&marks[i], lives ? FAILED : GIVEN_UP, memory_order_relaxed,
                                         SCOPE_dev);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
}

/* Bins are counted in local memory, and added to the device's at the end. */
kernel void judge_instances(global const uint *words, global const uint *results,
                            global const uint *marks, global atomic_uint *bins,
                            global atomic_uint *counts, uint n, uint n_instances)
{
    local atomic_uint found[N_BINS];
    uint last = 0, n_last = 0, n_held = 0, n_dead = 0;
    for (uint b = get_local_id(0); b < N_BINS; b += get_local_size(0))
        atomic_store_explicit(&found[b], 0u, memory_order_relaxed, SCOPE_wg);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n_instances; i += get_global_size(0)) {
        uint mark = marks[i];
        for (uint h = 0; h < N_HOST; h++)
            mark |= results[(ulong)(N_WATCHED + h) * n + i];
        if (mark & GIVEN_UP) {
            n_dead++;
            continue;
        }
        const uint bin = BIN;
        if (bin != last && n_last) {
            ADD(&found[last], n_last, SCOPE_wg);
            n_last = 0;
        }
        last = bin;
        n_last++;
        n_held += HELD;
    }
    if (n_last)
        ADD(&found[last], n_last, SCOPE_wg);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < N_BINS; b += get_local_size(0)) {
        const uint n_found = atomic_load_explicit(&found[b], memory_order_relaxed, SCOPE_wg);
        if (n_found)
            ADD(&bins[b], n_found, SCOPE_dev);
    }
    if (n_held)
        ADD(&counts[COUNT_HELD], n_held, SCOPE_dev);
    if (n_dead)
        ADD(&counts[COUNT_DEAD], n_dead, SCOPE_dev);
    if (get_global_id(0) == 0)
        atomic_store_explicit(&counts[COUNT_HAS_SYS], HAS_SCOPE_SYS, memory_order_relaxed,
                              SCOPE_dev);
}
