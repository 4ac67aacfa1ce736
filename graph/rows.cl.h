/* SPDX-License-Identifier: MIT */
/*
 * Rows, for work-items that go over edges.
 *
 * Path:    components.cl, triangles.cl -> this
 */

/* Returns the row that edge `edge` is in: `row`, or one behind it. */
static uint row_of(global const uint *offsets, uint row, uint n_rows, uint edge)
{
    uint end = n_rows;
    if (edge < offsets[row + 1])
        return row;
    for (row++; end - row > 1;) {
        const uint middle = row + (end - row) / 2;
        if (offsets[middle] > edge)
            end = middle;
        else
            row = middle;
    }
    return row;
}
