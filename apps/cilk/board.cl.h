/* SPDX-License-Identifier: MIT */
/*
 * What both forms of queens call; and with PLAIN the plain kernel, a work-item for each board that the host has begun.
 *
 * Path: queens.cl; queens.c for form plain -> this
 * Source: Richards, Backtracking Algorithms in MCPL, 1997.
 */
/* ---- both forms -------------------------------------------------------------------------------- */

/*
 * Counts how the QUEENS_BASE rows that are left can be filled, depth first, with a stack: for each row its free places.
 * A board has a bit for each place of the next row that queens of the rows above attack.
 */
static inline uint solutions(uint all_columns, uint all_left, uint all_right, uint full)
{
    uint columns[QUEENS_BASE], left[QUEENS_BASE], right[QUEENS_BASE];
    uint places[QUEENS_BASE];
    uint row = 0, n = 0;
    columns[0] = all_columns;
    left[0] = all_left;
    right[0] = all_right;
    places[0] = full & ~(all_columns | all_left | all_right);
    while (row < QUEENS_BASE) {
        uint place = places[row] & -places[row];
        places[row] ^= place;
        if (place == 0) {
            row--; /* before the first: ends the loop */
        } else if ((columns[row] | place) == full) {
            n++;
        } else {
            columns[row + 1] = columns[row] | place;
            left[row + 1] = (left[row] | place) << 1;
            right[row + 1] = (right[row] | place) >> 1;
            row++;
            places[row] = full & ~(columns[row] | left[row] | right[row]);
        }
    }
    return n;
}

#ifdef PLAIN
/* ---- plain ------------------------------------------------------------------------------------- */

/* Rows of columns, left and right [3][n]; how many solutions each has [n]. */
kernel void solve(const global uint *boards, global uint *found, uint n, uint full)
{
    uint i = (uint)get_global_id(0);
    if (i < n)
        found[i] = solutions(boards[i], boards[n + i], boards[2 * n + i], full);
}
#endif
