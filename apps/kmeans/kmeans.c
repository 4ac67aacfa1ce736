/* SPDX-License-Identifier: MIT */
/*
 * K-means whose groups add their points up before they send: see rounds.c.
 */
#include "kmeans.h"

int main(int argc, char **argv)
{
    extern const char kmeans_cl[];
    const struct kmeans_form form = {.doc = "Divide random points into clusters by k-means, and "
                                            "say how many points a second found theirs.",
                                     .source = kmeans_cl,
                                     .is_by_group = true};
    return kmeans_main(&form, argc, argv);
}
