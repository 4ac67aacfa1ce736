/* SPDX-License-Identifier: MIT */
/* Stress mode: the many-producer, many-consumer queue. Path: mpmc.c -> queue.c -> bench/queue/mpmc.h.
 */
#include "queue/mpmc.h"

#include "queue.h"

static void *create(uint32_t capacity, uint64_t start)
{
    struct gravel_mpmc *queue;
    gravel_mpmc_create(&queue, capacity, sizeof(struct stress_message), start);
    return queue;
}

static void destroy(void *queue)
{
    gravel_mpmc_destroy(queue);
}

static bool push(void *queue, const struct stress_message *message)
{
    struct stress_message *element = gravel_mpmc_reserve(queue);
    if (!element)
        return false;
    *element = *message;
    gravel_mpmc_publish(queue, element);
    return true;
}

static bool pop(void *queue, struct stress_message *message)
{
    struct stress_message *element = gravel_mpmc_peek(queue);
    if (!element)
        return false;
    *message = *element;
    gravel_mpmc_release(queue, element);
    return true;
}

int main(int argc, char **argv)
{
    const struct stress_mode mode = {"mpmc", 64, 64, create, destroy, push, pop};
    return stress_main(&mode, argc, argv);
}
