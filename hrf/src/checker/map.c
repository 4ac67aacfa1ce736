/* SPDX-License-Identifier: MIT */
/*
 * Lists of elements by a hash of their keys. See map.h.
 */
#include "checker/map.h"

#include <stdlib.h>

struct hrf_map_node {
    struct hrf_map_node *next;
    uint64_t key;
    uint64_t element[];
};

static uint32_t list_of(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48) % HRF_MAP_LISTS;
}

void *hrf_map_find(const struct hrf_map *map, uint64_t key)
{
    struct hrf_map_node *node = map->lists[list_of(key)];
    while (node && node->key != key)
        node = node->next;
    return node ? node->element : NULL;
}

void *hrf_map_at(struct hrf_map *map, uint64_t key)
{
    struct hrf_map_node **list = &map->lists[list_of(key)], *node;
    void *found = hrf_map_find(map, key);
    if (found || !(node = calloc(1, sizeof *node + map->bytes)))
        return found;
    node->next = *list;
    node->key = key;
    *list = node;
    map->n++;
    return node->element;
}

void hrf_map_free(struct hrf_map *map, void (*release)(void *element))
{
    for (uint32_t i = 0; i < HRF_MAP_LISTS; i++)
        for (struct hrf_map_node *node = map->lists[i], *next; node; node = next) {
            next = node->next;
            if (release)
                release(node->element);
            free(node);
        }
}
