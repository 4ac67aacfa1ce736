/* SPDX-License-Identifier: MIT */
/*
 * Calls that cannot be right, in the middle of a history: each is refused, and changes nothing.
 *
 * Path: run.c -> this
 */
#include "nodes.h"

#define FAR (UINT64_C(1) << 40) /* beyond every heap */

static int put_far(struct nodes *nodes)
{
    return gravel_put(nodes->gravel, FAR, &(uint32_t){7}, 4, 0);
}

static int put_to_nobody(struct nodes *nodes)
{
    return gravel_put(nodes->gravel, nodes->layout.words, &(uint32_t){7}, 4, nodes->n_nodes);
}

static int get_far(struct nodes *nodes)
{
    uint32_t word;
    return gravel_get(nodes->gravel, FAR, &word, 4, nodes->node);
}

static int update_of_no_type(struct nodes *nodes)
{
    return gravel_update(nodes->gravel, GRAVEL_ADD, 7, nodes->layout.words, &(uint64_t){7}, 0);
}

static int no_handler(struct nodes *nodes)
{
    return gravel_am(nodes->gravel, 1000, &(uint64_t){7}, 1, 0);
}

static int launch_of_nothing(struct nodes *nodes)
{
    const size_t size = 8;
    return gravel_launch(nodes->gravel, nodes->kernels[0], 0, &size, &size, 0, NULL, NULL);
}

static int flush_of_nothing(struct nodes *nodes)
{
    (void)nodes;
    return gravel_accumulator_flush(NULL);
}

static int map_far(struct nodes *nodes)
{
    void *mapped;
    return gravel_map(nodes->gravel, FAR, 4, CL_MAP_READ, nodes->node, &mapped);
}

static int alloc_of_everything(struct nodes *nodes)
{
    uint64_t offset;
    return gravel_alloc(nodes->gravel, FAR, &offset);
}

static int free_of_a_middle(struct nodes *nodes)
{
    return gravel_free(nodes->gravel, nodes->layout.words + 64);
}

static int free_under_an_accumulator(struct nodes *nodes)
{
    return gravel_free(nodes->gravel, nodes->layout.words);
}

static int sum_of_nothing(struct nodes *nodes)
{
    uint64_t sum;
    return gravel_barrier_sum(nodes->gravel, nodes->layout.words, 0, NULL, &sum);
}

static int end_of_no_exchange(struct nodes *nodes)
{
    return gravel_mirror_end(nodes->copies);
}

static int accumulator_over_another(struct nodes *nodes)
{
    struct gravel_accumulator *accumulator;
    return gravel_accumulator_create(&accumulator, nodes->gravel,
                                     cell_offset(&nodes->layout, HISTORY_TOTAL), 1, GRAVEL_ADD,
                                     GRAVEL_UINT);
}

static int mirror_far(struct nodes *nodes)
{
    struct gravel_mirror *mirror;
    const uint64_t n_words[HISTORY_NODES] = {1};
    const uint32_t indices[] = {UINT32_MAX};
    const struct gravel_words plan =
        GRAVEL_WORDS(.offset = nodes->layout.words, .type = GRAVEL_UINT, .n_words = n_words,
                     .indices = indices);
    return gravel_mirror_create(&mirror, nodes->gravel, &plan);
}

/* At one node alone: the others are told. */
static int pool_of_odd_blocks(struct nodes *nodes)
{
    struct gravel_block_pool *pool;
    return gravel_block_pool_create(&pool, nodes->gravel, nodes->node ? 64 : 48, 8);
}

struct refusal {
    const char *name;
    int (*call)(struct nodes *nodes);
    int code; /* 0: any */
};
#define REFUSAL(call, code)                               \
    {                                                     \
        "not refused as it should be: " #call, call, code \
    }

static const struct refusal own[] = {
    REFUSAL(put_far, GRAVEL_ERANGE),          REFUSAL(put_to_nobody, GRAVEL_ERANGE),
    REFUSAL(get_far, GRAVEL_ERANGE),          REFUSAL(update_of_no_type, GRAVEL_EINVAL),
    REFUSAL(no_handler, GRAVEL_EHANDLER),     REFUSAL(launch_of_nothing, GRAVEL_EINVAL),
    REFUSAL(flush_of_nothing, GRAVEL_EINVAL), REFUSAL(map_far, GRAVEL_ERANGE),
};

static const struct refusal of_all[] = {
    REFUSAL(alloc_of_everything, GRAVEL_EHEAP),
    REFUSAL(free_of_a_middle, GRAVEL_EINVAL),
    REFUSAL(free_under_an_accumulator, GRAVEL_EINVAL),
    REFUSAL(sum_of_nothing, GRAVEL_EINVAL),
    REFUSAL(end_of_no_exchange, GRAVEL_EINVAL),
    REFUSAL(accumulator_over_another, GRAVEL_EINVAL),
    REFUSAL(mirror_far, GRAVEL_ERANGE),
    REFUSAL(pool_of_odd_blocks, 0),
};

void be_refused(struct nodes *nodes, const struct event *event)
{
    const struct refusal *refusals = is_joint(event) ? of_all : own;
    const size_t n = is_joint(event) ? sizeof of_all / sizeof *of_all : sizeof own / sizeof *own;
    const size_t row = event->value % n;
    const int code = refusals[row].call(nodes);
    const bool is_expected = refusals[row].code ? code == refusals[row].code : code != 0;
    if (is_joint(event) && code == GRAVEL_ERANGE && refusals[row].code != code) {
        REPORTS(nodes, code); /* with a barrier ahead of what is refused */
        return;
    }
    if (!is_expected)
        nodes_fail(nodes, refusals[row].name);
}
