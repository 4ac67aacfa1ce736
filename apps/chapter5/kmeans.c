/* SPDX-License-Identifier: MIT */
/*
 * K-means as the dissertation measures it: a message for each coordinate of each point, in any model's way.
 *
 * Path:    this -> kmeans/rounds.c, which has the rest -> kmeans.cl
 * Source:  Orr 2016, section 5.4.
 */
#include "kmeans/kmeans.h"

int main(int argc, char **argv)
{
    extern const char kmeans_cl[];
    const struct kmeans_form form = {.doc = "Divide random points into clusters by k-means, by a "
                                            "message for each coordinate, and say how many points "
                                            "a second found theirs.",
                                     .source = kmeans_cl};
    return kmeans_main(&form, argc, argv);
}
