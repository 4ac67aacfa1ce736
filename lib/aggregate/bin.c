/* SPDX-License-Identifier: MIT */
/*
 * The loops that bin. See bin.h.
 */
#include "aggregate/bin.h"

#include <string.h>

/*
 * The sizes are constants wherever this is inlined. Computing all positions first gained nothing with two nodes and
 * made messages of four values 10 % slower.
 */
static inline __attribute__((always_inline)) uint32_t
bin_shape(const struct gravel_bins *bins, const struct gravel_columns *columns,
          const uint32_t *nodes, size_t first, uint32_t n, uint32_t index_bytes,
          uint32_t value_bytes, uint32_t n_values)
{
    struct gravel_bin *all =
        bins->bins; /* locals: the stores below might change what is in memory */
    uint32_t run = bins->run;
    const unsigned char *index = index_bytes ? columns->index + first * index_bytes : NULL;
    const unsigned char *values[GRAVEL_AM_MAX_ARGS];
    for (uint32_t row = 0; row < n_values; row++)
        values[row] = columns->values[row] + first * value_bytes;
    for (uint32_t i = 0; i < n; i++) {
        struct gravel_bin *bin = &all[nodes[i]];
        if (__builtin_expect(bin->n == bin->end || bin->run != run, 0))
            return i;
        size_t to = bin->n++;
        if (index_bytes)
            memcpy(bin->index + to * index_bytes, index + (size_t)i * index_bytes, index_bytes);
        for (uint32_t row = 0; row < n_values; row++)
            memcpy(bin->values[row] + to * value_bytes, values[row] + (size_t)i * value_bytes,
                   value_bytes);
    }
    return n;
}

/* A loop for each usual shape of message. */
uint32_t gravel_bin_messages(const struct gravel_bins *bins, const struct gravel_columns *columns,
                             const uint32_t *nodes, size_t first, uint32_t n)
{
    uint32_t command = columns->key.command;
    uint32_t index_bytes = GRAVELP_INDEX_BYTES(command), value_bytes = GRAVELP_VALUE_BYTES(command);
    uint32_t n_values = GRAVELP_N_VALUES(command);
#define SHAPE(index, value, values)                                                          \
    if (index_bytes == index && n_values == values && (values == 0 || value_bytes == value)) \
        return bin_shape(bins, columns, nodes, first, n, index, value, values);
    SHAPE(4, 0, 0)
    SHAPE(4, 4, 1)
    SHAPE(4, 8, 1)
    SHAPE(8, 0, 0)
    SHAPE(8, 4, 1)
    SHAPE(8, 8, 1)
    SHAPE(0, 8, 1)
    SHAPE(0, 8, 2)
    SHAPE(0, 8, 3)
    SHAPE(0, 8, 4)
#undef SHAPE
    return bin_shape(bins, columns, nodes, first, n, index_bytes, value_bytes, n_values);
}

uint32_t gravel_bin_rows(const struct gravel_bins *bins, const struct gravel_columns *columns,
                         uint32_t node, size_t first, uint32_t n)
{
    struct gravel_bin *bin = &bins->bins[node];
    uint32_t command = columns->key.command;
    size_t index_bytes = GRAVELP_INDEX_BYTES(command), value_bytes = GRAVELP_VALUE_BYTES(command);
    uint32_t room = bin->run == bins->run ? bin->end - bin->n : 0;
    if (n > room)
        n = room;
    if (n && index_bytes)
        memcpy(bin->index + bin->n * index_bytes, columns->index + first * index_bytes,
               n * index_bytes);
    for (uint32_t row = 0; n && row < GRAVELP_N_VALUES(command); row++)
        memcpy(bin->values[row] + bin->n * value_bytes, columns->values[row] + first * value_bytes,
               n * value_bytes);
    bin->n += n;
    return n;
}
