/* SPDX-License-Identifier: MIT */
/*
 * One round of k-means: every point finds the nearest centre and adds itself to that cluster's sums, wherever they live.
 *
 * Path:    kmeans/kmeans.c launches it -> gravel_add; label -> kmeans/kmeans.c
 */
#include "kmeans/nearest.cl.h"

/*
 * Sends a message for each coordinate of each point, and one to count it.
 *
 * Global size: this node's points from number `first`, a work-item each; local size: any.
 * label: [n_points] each point's cluster. sums, centres: heap offsets. When it ends, all is sent.
 */
kernel void assign(GRAVEL_ARENA, ulong first, global const uint *restrict points, ulong n_points,
                   uint per_item, ulong centres_at, global uchar *restrict label, ulong sums)
{
    GRAVEL_OPEN(g);
    global const uint *restrict centres = gravel_local(g, centres_at);
    const ulong point = first + get_global_id(0);
    const uint c = find_nearest(points, n_points, point, centres);
    label[point] = (uchar)c;
    for (uint d = 0; d < N_DIMENSIONS; d++)
        gravel_add_ulong_wg(g, sums, SUM_OF(c, d), points[d * n_points + point], NODE_OF(c));
    gravel_add_ulong_wg(g, sums, SUM_OF(c, N_DIMENSIONS), 1, NODE_OF(c));
}
