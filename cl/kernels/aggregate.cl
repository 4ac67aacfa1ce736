/* SPDX-License-Identifier: MIT */
/*
 * Bins a run of packages on the device: groups their messages by destination, in one block.
 *
 * Two kernels, one after the other: every group counts the destinations of its packages, and adds its counts to those
 * of the run. Then every group takes tiles of the messages: it ranks those for each destination, reserves room for them
 * in the destination's part by one atomic operation, sorts them in local memory and stores neighbours next to each
 * other. Its lanes take few messages at once and there are few groups: senders and the resolver have need of registers
 * too. No group waits for another.
 *
 * Messages of a run that commutes stand in any order in their destination's part. Puts stand in the order of their
 * packages: groups count a tile each, a third kernel in between sums up what is before each tile, and a tile's
 * counters are of one package each. So the last put to a word is the last in the part too.
 *
 * Destinations that do not exist, and packages that are not what the host took them for, are counted as messages
 * for node n_nodes: then nothing is stored, and the host reads the packages itself.
 *
 * Path:    lib/pump/device_aggregator.c enqueues these; slots (queue.cl.h) -> block.h.
 * Memory:  K1 acquires what a leader released by P2; the block is the host's when its copy has ended.
 * Source:  Orr 2016, section 5.6.1 (dedicated aggregator work-groups). Different there: aggregators stay on the
 *          device and poll; here they are launched for packages that are ready, and never wait.
 */
#include "gravel.cl.h"

/*
 * A run of packages: slots that follow one another from slots_at [bytes] on, the first with `ticket`; each group
 * takes packages_each of them. All have one command and one base, and none has more than `most` messages.
 *
 * state [3][n_nodes + 1]: of this run and of the next, messages to each node, which begin as 0; then how many of
 * each node's have room in the block. `parity` is that of the run's number.
 */
#define RUN                                                                                        \
    global uchar *arena, ulong slots_at, uint slot_bytes, uint ticket, uint n_packages,            \
        uint packages_each, uint most, uint command, ulong base, uint n_nodes, global uint *state, \
        uint parity
#define TOTALS (state + parity * (n_nodes + 1))
#define NEXT_TOTALS (state + (1 - parity) * (n_nodes + 1))
#define TAKEN (state + 2 * (n_nodes + 1))

#define SLOT_OF(i) ((global struct gravelp_package *)(arena + slots_at + (ulong)(i)*slot_bytes))

/* A package's messages and its stride; none if it is not one of this run, or malformed. */
GRAVELP_INLINE uint2 shape_of(global struct gravelp_package *package, uint slot_bytes, uint ticket,
                              uint most, uint command, ulong base)
{
    if (gravelp_device_load_acquire(&package->published) != ticket + 1) /* K1, pairs with P2 */
        return (uint2)(0, 0);
    uint n = package->n_messages, stride = package->stride;
    bool is_right = package->command == command && package->base == base && n <= most &&
                    n <= stride && stride % 16 == 0 &&
                    stride <= GRAVELP_SLOT_COLUMNS(slot_bytes, command);
    return is_right ? (uint2)(n, stride) : (uint2)(0, 0);
}

/* Loads stand before what is done with them: a store or an atomic operation between two makes the second one wait. */
#define AT_ONCE 4u
#define NONE 0xffffffffu /* where there is no message */
/* Counts, for a run in order: messages to each node before tile `number`, and once tiles are stored, in that tile
 * too. */
#define ROW_OF(tiles, number) ((tiles) + (ulong)(number)*n_nodes)
/* Lanes that count for one node seldom meet. n: a power of two. */
#define REPLICA(n) ((uint)get_local_id(0) & ((n)-1))

/* Every lane: what the lanes up to this one have. Only the first n lanes have any. sums [local size] keeps all sums. */
GRAVELP_INLINE ulong add_lanes(local ulong *sums, uint n, ulong own)
{
    uint lane = (uint)get_local_id(0);
    sums[lane] = own;
    gravelp_barrier_group();
    for (uint step = 1; step < n; step *= 2) {
        ulong left = lane >= step ? sums[lane - step] : 0;
        gravelp_barrier_group(); /* all have read */
        sums[lane] += left;
        gravelp_barrier_group(); /* all have added */
    }
    return sums[lane];
}

#define FIRST_PACKAGE ((uint)get_group_id(0) * packages_each) /* of this group */
#define SHAPE_OF(i) shape_of(SLOT_OF(i), slot_bytes, ticket + (i), most, command, base)

/* Any local size that is a multiple of team, the lanes that share a package; as many groups as the packages
 * need. counts [n_nodes + 1][n_replicas]; lengths [packages_each]. in_order: packages_each are a tile, and tiles
 * [groups][n_nodes] becomes the messages of each tile to each node; otherwise it is not used. */
kernel void count_messages(RUN, global uint *tiles, uint in_order, uint team, uint n_replicas,
                           local uint *counts, local uint *lengths)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint first = FIRST_PACKAGE, n = min(packages_each, n_packages - first);
    for (uint i = lane; i < (n_nodes + 1) * n_replicas; i += n_lanes)
        counts[i] = 0;
    gravelp_barrier_group();
    for (uint p = lane; p < n; p += n_lanes) {
        lengths[p] = SHAPE_OF(first + p).x;
        if (lengths[p] == 0)
            atomic_inc(&counts[n_nodes * n_replicas]);
    }
    gravelp_barrier_group();
    for (uint p = lane / team; p < n; p += n_lanes / team) {
        global const uint *nodes = (global const uint *)(SLOT_OF(first + p) + 1);
        for (uint i = lane % team; i < lengths[p]; i += AT_ONCE * team) {
            uint seen[AT_ONCE];
            for (uint k = 0; k < AT_ONCE; k++)
                seen[k] = i + k * team < lengths[p] ? nodes[i + k * team] : NONE;
            for (uint k = 0; k < AT_ONCE; k++)
                if (i + k * team < lengths[p])
                    atomic_inc(&counts[min(seen[k], n_nodes) * n_replicas + REPLICA(n_replicas)]);
        }
    }
    gravelp_barrier_group();
    for (uint node = lane; node <= n_nodes; node += n_lanes) {
        uint sum = 0;
        for (uint i = 0; i < n_replicas; i++)
            sum += counts[node * n_replicas + i];
        if (sum)
            atomic_add(&TOTALS[node], sum);
        if (in_order && node < n_nodes)
            ROW_OF(tiles, get_group_id(0))[node] = sum;
        if (get_group_id(0) == 0)
            TAKEN[node] = 0; /* the kernel that counts them comes behind this one */
    }
}

/* Behind count_messages, of a run whose messages keep their order: a group for each node, of any size. sums [local
 * size]. tiles [n_tiles][n_nodes]: messages of each tile; then those of the tiles before it. */
kernel void order_tiles(global uint *tiles, uint n_tiles, uint n_nodes, local ulong *sums)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint node = (uint)get_group_id(0), each = (n_tiles + n_lanes - 1) / n_lanes;
    uint begin = min(lane * each, n_tiles), end = min(begin + each, n_tiles), sum = 0;
    for (uint i = begin; i < end; i++)
        sum += ROW_OF(tiles, i)[node];
    uint before = (uint)add_lanes(sums, n_lanes, sum) - sum;
    for (uint i = begin; i < end; i++) {
        uint n = ROW_OF(tiles, i)[node];
        ROW_OF(tiles, i)[node] = before;
        before += n;
    }
}

/* ---- tiles ------------------------------------------------------------------------------------ */

#define EACH 8u /* messages of a tile that a lane takes, at most */

/* A lane's messages of a tile: packages of `columns` messages, the lane's first, and how far it is to its next. */
struct walk {
    uint columns, package, column, packages_on, columns_on;
};

GRAVELP_INLINE struct walk first_message(uint columns)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    struct walk walk = {columns, lane / columns, lane % columns, n_lanes / columns,
                        n_lanes % columns};
    return walk;
}

GRAVELP_INLINE struct walk next_message(struct walk walk)
{
    walk.package += walk.packages_on;
    walk.column += walk.columns_on;
    if (walk.column >= walk.columns) {
        walk.column -= walk.columns;
        walk.package++;
    }
    return walk;
}

/* Returns a tile's messages for one node: those that its counters have. @param starts  [out] [n_replicas] position in
 * the tile of each counter's first, given that of the node's; NULL: unwanted. */
GRAVELP_INLINE uint add_up(local const uint *counts, uint n_replicas, uint start,
                           local uint *starts)
{
    uint n = 0;
    for (uint i = 0; i < n_replicas; i++) {
        if (starts)
            starts[i] = start + n;
        n += counts[i];
    }
    return n;
}

/*
 * Gives each node's messages of a tile their positions: those for one node are together in the block, and in the tile.
 *
 * @param counts  [n_nodes][n_replicas] messages of the tile to each. Then in each node's first the position in the
 *                block of its first message, less, if tiles are sorted, that message's position in the tile.
 * @param starts  [out] [n_nodes][n_replicas] positions in the tile, if tiles are sorted; else NULL.
 * @param sums    [local size] scratch.
 * @return        messages of the tile that go somewhere.
 */
GRAVELP_INLINE uint find_positions(global const uint *totals, global uint *taken, uint n_nodes,
                                   uint n_replicas, local uint *counts, local uint *starts,
                                   local ulong *sums)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint each = (n_nodes + n_lanes - 1) / n_lanes, n_used = (n_nodes + each - 1) / each;
    uint begin = min(lane * each, n_nodes), end = min(begin + each, n_nodes);
    ulong sum = 0; /* messages in the block's parts, and in the lower half in the tile */
    for (uint node = begin; node < end; node++)
        sum += (ulong)GRAVELP_BLOCK_PART(totals[node]) << 32 |
               add_up(counts + node * n_replicas, n_replicas, 0, 0);
    ulong position = add_lanes(sums, n_used, sum) - sum;
    for (uint node = begin; node < end; node++) {
        uint first = node * n_replicas, start = (uint)position;
        uint n = add_up(counts + first, n_replicas, start, starts ? starts + first : 0);
        uint at = (uint)(position >> 32) + (n ? atomic_add(&taken[node], n) : 0);
        counts[first] = starts ? at - start : at;
        position += (ulong)GRAVELP_BLOCK_PART(totals[node]) << 32 | n;
    }
    return (uint)sums[n_used - 1];
}

/* A group's tile, and where it goes. */
struct tile {
    global const uchar *slots; /* of its packages */
    uint slot_bytes, first_column, columns, each;
    local const uint2 *shapes; /* of its packages: messages and stride */
    uint n_positions;          /* in the block: nothing is stored beyond, whatever a package says */
};

GRAVELP_INLINE global const uchar *row_of(const struct tile *tile, uint package, uint command,
                                          bool is_value)
{
    uint stride = tile->shapes[package].y;
    return tile->slots + (ulong)package * tile->slot_bytes +
           (is_value ? GRAVELP_VALUE_ROW(command, stride, 0) : GRAVELP_INDEX_ROW(stride));
}

/* move_row_TYPE, of which a lane takes MOST elements of a tile at most: loads the lane's elements, then stores them in
 * the block's row `to`, or sorts them: element `at` is for the node whose first counter is firsts[at]. */
#define DEFINE_ROWS(type, MOST)                                                                    \
    GRAVELP_INLINE void move_row_##type(const struct tile *tile, const uint *keys, uint command,   \
                                        bool is_value, global type *to,                            \
                                        local const uint *positions, local const uint *starts,     \
                                        uint n_replicas, local ushort *firsts, local type *sorted) \
    {                                                                                              \
        type values[MOST];                                                                         \
        struct walk walk = first_message(tile->columns);                                           \
        for (uint j = 0; j < (MOST); j++, walk = next_message(walk))                               \
            if (keys[j] != NONE)                                                                   \
                values[j] = ((global const type *)row_of(                                          \
                    tile, walk.package, command, is_value))[tile->first_column + walk.column];     \
        for (uint j = 0; j < (MOST); j++) {                                                        \
            if (keys[j] == NONE)                                                                   \
                continue;                                                                          \
            uint counter = keys[j] & 0xffffu, rank = keys[j] >> 16;                                \
            if (starts) {                                                                          \
                firsts[starts[counter] + rank] = (ushort)(counter & ~(n_replicas - 1));            \
                sorted[starts[counter] + rank] = values[j];                                        \
            } else if (positions[counter] + rank < tile->n_positions) {                            \
                to[positions[counter] + rank] = values[j];                                         \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_ROWS(uint, EACH)
DEFINE_ROWS(ulong, EACH / 2)

/*
 * Rank the messages of a tile among those that their counter has. With one node every rank is known without counting.
 *
 * @param package_replicas  counters that each package has of its own for a node; 0: they count for all packages.
 * @param keys    [out] [EACH] the lane's: counter, and 2^16 times the rank; or NONE.
 * @param counts  [n_nodes][n_replicas] 0 as it begins; then messages to each node, as different lanes count them.
 * @param starts  [packages] scratch.
 */
GRAVELP_INLINE void rank_messages(const struct tile *tile, uint n, uint n_nodes, uint n_replicas,
                                  uint package_replicas, uint *keys, local uint *counts,
                                  local uint *starts)
{
    struct walk walk = first_message(tile->columns);
    if (n_nodes == 1 && get_local_id(0) == 0)
        for (uint p = 0; p < n; p++) {
            uint length = tile->shapes[p].x;
            starts[p] = counts[0];
            counts[0] += min(length - min(tile->first_column, length), tile->columns);
        }
    gravelp_barrier_group();
    for (uint j = 0; j < EACH; j++, walk = next_message(walk)) {
        uint column = tile->first_column + walk.column;
        keys[j] = NONE;
        if (j >= tile->each || walk.package >= n || column >= tile->shapes[walk.package].x)
            continue;
        global const uint *nodes =
            (global const uint *)(tile->slots + (ulong)walk.package * tile->slot_bytes +
                                  GRAVELP_NODE_ROW);
        keys[j] = n_nodes == 1 ? (starts[walk.package] + walk.column) << 16 : nodes[column];
    }
    uint spread = REPLICA(package_replicas ? package_replicas : n_replicas);
    walk = first_message(tile->columns);
    for (uint j = 0; j < EACH && n_nodes > 1; j++, walk = next_message(walk)) {
        uint node = keys[j];
        uint counter = node * n_replicas + walk.package * package_replicas + spread;
        keys[j] = node < n_nodes ? counter | atomic_inc(&counts[counter]) << 16 : NONE;
    }
    gravelp_barrier_group();
}

/* Stores the rows of a tile in the block. keys, positions, starts: as rank_messages and find_positions left them; n
 * messages. starts: NULL if tiles are not sorted. */
GRAVELP_INLINE void store_rows(const struct tile *tile, const uint *keys, uint n_rows, uint command,
                               local const uint *positions, local const uint *starts,
                               uint n_replicas, uint n, global uchar *indices, global uchar *values,
                               local ushort *firsts, local ulong *sorted)
{
    for (uint row = 0; row < n_rows; row++) {
        global uchar *to = row ? values : indices;
        uint bytes = row ? GRAVELP_VALUE_BYTES(command) : GRAVELP_INDEX_BYTES(command);
        if (bytes == 8)
            move_row_ulong(tile, keys, command, row, (global ulong *)to, positions, starts,
                           n_replicas, firsts, sorted);
        else
            move_row_uint(tile, keys, command, row, (global uint *)to, positions, starts,
                          n_replicas, firsts, (local uint *)sorted);
        gravelp_barrier_group(); /* the row is sorted */
        for (uint at = (uint)get_local_id(0); starts && at < n; at += (uint)get_local_size(0)) {
            uint position = positions[firsts[at]] + at; /* neighbours are stored together */
            if (position < tile->n_positions && bytes == 8)
                ((global ulong *)to)[position] = sorted[at];
            else if (position < tile->n_positions)
                ((global uint *)to)[position] = ((local const uint *)sorted)[at];
        }
        gravelp_barrier_group(); /* the next row is sorted where this one was, and counts begin anew */
    }
}

/*
 * The run of count_messages, behind it. packages_each * columns <= each * local size; n_rounds tiles, of so many
 * columns, reach a package's last. Of blocks: from counts_at [bytes] on messages to each node [n_nodes + 1], from
 * indices_at on indices, from values_at on values, each [n_messages + n_nodes]; neither is more than scratch if the
 * counts are not just those of n_messages that may go. Each node has n_replicas counters, a power of two and one if
 * tiles are not sorted; there are not more than 2^16. in_order, tiles: as order_tiles left them, of the packages_each
 * of count_messages; package_replicas is then a power of two, and packages_each times it not more than n_replicas, or
 * n_nodes is 1; otherwise it is 0.
 *
 * counts [n_nodes][n_replicas]; starts [so many and packages_each at least]; sums [local size]; shapes [packages_each];
 * firsts, sorted: [each * local size], of 2 bytes, and of 8 or, if no row has 8, 4. is_sorted 0: neither is used.
 */
kernel void group_by_node(RUN, global uint *tiles, uint in_order, uint columns, uint each,
                          uint n_rounds, uint is_sorted, uint n_replicas, uint package_replicas,
                          global uchar *blocks, ulong counts_at, uint n_messages, ulong indices_at,
                          ulong values_at, local uint *counts, local uint *starts,
                          local ulong *sums, local uint2 *shapes, local ushort *firsts,
                          local ulong *sorted)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint keys[EACH], n_rows = TOTALS[n_nodes] ? 0 : 1 + GRAVELP_N_VALUES(command);
    struct tile tile = {0, slot_bytes, 0, columns, each, shapes, n_messages + n_nodes};
    if (get_group_id(0) == 0)
        for (uint node = lane; node <= n_nodes; node += n_lanes) {
            ((global uint *)(blocks + counts_at))[node] = TOTALS[node];
            NEXT_TOTALS[node] = 0;
        }
    for (uint first = FIRST_PACKAGE; first < n_packages;
         first += packages_each * (uint)get_num_groups(0)) {
        uint n = min(packages_each, n_packages - first);
        global uint *taken = in_order ? ROW_OF(tiles, first / packages_each) : TAKEN;
        tile.slots = (global const uchar *)SLOT_OF(first);
        for (uint p = lane; p < n; p += n_lanes)
            shapes[p] = SHAPE_OF(first + p);
        for (uint round = 0; round < n_rounds; round++) {
            tile.first_column = round * columns;
            for (uint i = lane; i < n_nodes * n_replicas; i += n_lanes)
                counts[i] = 0;
            gravelp_barrier_group();
            rank_messages(&tile, n, n_nodes, n_replicas, package_replicas, keys, counts, starts);
            uint n_sorted = find_positions(TOTALS, taken, n_nodes, n_replicas, counts,
                                           is_sorted ? starts : 0, sums);
            gravelp_barrier_group(); /* positions are found */
            store_rows(&tile, keys, n_rows, command, counts, is_sorted ? starts : 0, n_replicas,
                       n_sorted, blocks + indices_at, blocks + values_at, firsts, sorted);
        }
    }
}
