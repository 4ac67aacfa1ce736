/* SPDX-License-Identifier: MIT */
/*
 * A map from numbers to elements of one size, which begin as zeros and stay where they are.
 *
 * Path:    trace.c -> map.c.
 * Owner:   the caller, by hrf_map_free.
 */
#ifndef GRAVEL_HRF_MAP_H
#define GRAVEL_HRF_MAP_H

#include <stddef.h>
#include <stdint.h>

#define HRF_MAP_LISTS 65536u

struct hrf_map {
    size_t bytes; /* of an element */
    uint64_t n;
    struct hrf_map_node *lists[HRF_MAP_LISTS];
};

/** Returns the element of a key, or NULL if there is none. */
void *hrf_map_find(const struct hrf_map *map, uint64_t key);
/** Returns the element of a key, a new one if need be; NULL without memory. */
void *hrf_map_at(struct hrf_map *map, uint64_t key);
/** Frees all. @param release  called for each element, or NULL. */
void hrf_map_free(struct hrf_map *map, void (*release)(void *element));

#endif
