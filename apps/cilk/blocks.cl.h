/* SPDX-License-Identifier: MIT */
/*
 * What both forms of sort call; and with PLAIN the plain kernels: one sorts blocks, one merges all pairs of runs, pass
 * after pass.
 *
 * Path: sort.cl; sort.c for form plain -> this
 * Source: the rank sort of Muller and Preparata, 1975; Green, McColl, Bader, GPU Merge Path, ICS 2012.
 */
/* ---- both forms: sort a few keys, merge two short runs ------------------------------------------ */

/* Every work-item of the group: sort n keys. Each key's place is the number of keys before it. @param own  [n] */
static inline void sort_block(const global uint *from, uint n, global uint *to, local uint *own)
{
    uint lane = get_local_id(0), n_lanes = get_local_size(0);
    for (uint i = lane; i < n; i += n_lanes)
        own[i] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lane; i < n; i += n_lanes) {
        uint key = own[i], place = 0;
        for (uint j = 0; j < i; j++)
            place += own[j] <= key;
        for (uint j = i + 1; j < n; j++)
            place += own[j] < key;
        to[place] = key;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* How many keys of run a are among the first `n` of both runs; of equal keys a's are first. */
#define DEFINE_PATH(name, space)                                                                  \
    static inline uint name(const space uint *a, uint n_a, const space uint *b, uint n_b, uint n) \
    {                                                                                             \
        uint low = n > n_b ? n - n_b : 0, high = min(n, n_a);                                     \
        while (low < high) {                                                                      \
            uint i = (low + high) / 2;                                                            \
            bool is_before = a[i] <= b[n - i - 1];                                                \
            low = is_before ? i + 1 : low;                                                        \
            high = is_before ? high : i;                                                          \
        }                                                                                         \
        return low;                                                                               \
    }
DEFINE_PATH(path, global)
DEFINE_PATH(path_inside, local)

/* A work-item: keys from number `first` on of two runs, PER_ITEM of them. */
static inline void merge_lane(const local uint *a, uint n_a, const local uint *b, uint n_b,
                              uint first, local uint *out)
{
    uint last = min(first + PER_ITEM, n_a + n_b);
    uint i = first < last ? path_inside(a, n_a, b, n_b, first) : 0, j = first - i;
    for (uint k = first; k < last; k++) {
        bool is_a = j >= n_b || (i < n_a && a[i] <= b[j]);
        out[k] = is_a ? a[i] : b[j];
        i += is_a;
        j += !is_a;
    }
}

/*
 * Every work-item of the group: merge two runs of n_a + n_b keys, BLOCK at most.
 *
 * @param in, out  [BLOCK]
 */
static inline void merge_block(const global uint *a, uint n_a, const global uint *b, uint n_b,
                               global uint *to, local uint *in, local uint *out)
{
    uint lane = get_local_id(0), n_lanes = get_local_size(0), n = n_a + n_b;
    for (uint i = lane; i < n; i += n_lanes)
        in[i] = i < n_a ? a[i] : b[i - n_a];
    barrier(CLK_LOCAL_MEM_FENCE);
    merge_lane(in, n_a, in + n_a, n_b, lane * PER_ITEM, out);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lane; i < n; i += n_lanes)
        to[i] = out[i];
}

#ifdef PLAIN
/* ---- plain ------------------------------------------------------------------------------------- */

/* A group each: blocks of BASE keys. */
kernel void sort_blocks(const global uint *input, global uint *keys, uint n)
{
    local uint own[BASE];
    uint from = (uint)get_group_id(0) * BASE;
    sort_block(input + from, min(n - from, (uint)BASE), keys + from, own);
}

/* A group each: blocks of at most BLOCK keys of a pair of runs of `run` keys, whose last are shorter. */
kernel void merge_runs(const global uint *from, global uint *to, uint n, uint run)
{
    local uint in[BLOCK], out[BLOCK];
    ulong both = 2 * (ulong)run;
    uint blocks = (uint)((both + BLOCK - 1) / BLOCK);
    ulong pair = get_group_id(0) / blocks * both;
    uint first = (uint)(get_group_id(0) % blocks) * BLOCK;
    uint n_both = pair < n ? (uint)min((ulong)n - pair, both) : 0, n_a = min(n_both, run);
    const global uint *a = from + pair, *b = a + n_a;
    uint begin = min(first, n_both), end = min(begin + BLOCK, n_both);
    uint i = path(a, n_a, b, n_both - n_a, begin), i_end = path(a, n_a, b, n_both - n_a, end);
    merge_block(a + i, i_end - i, b + (begin - i), end - i_end - (begin - i), to + pair + begin, in,
                out);
}
#endif
