/* SPDX-License-Identifier: MIT */
/* Stress mode: the one-producer, one-consumer queue. Path: spsc.c -> queue.c -> bench/queue/spsc.h.
 */
#include "queue/spsc.h"

#include "queue.h"

static void *create(uint32_t capacity, uint64_t start)
{
    struct gravel_spsc *queue;
    gravel_spsc_create(&queue, capacity, sizeof(struct stress_message), (uint32_t)start);
    return queue;
}

static void destroy(void *queue)
{
    gravel_spsc_destroy(queue);
}

static bool push(void *queue, const struct stress_message *message)
{
    struct stress_message *element = gravel_spsc_reserve(queue);
    if (!element)
        return false;
    *element = *message;
    gravel_spsc_publish(queue);
    return true;
}

static bool pop(void *queue, struct stress_message *message)
{
    struct stress_message *element = gravel_spsc_peek(queue);
    if (!element)
        return false;
    *message = *element;
    gravel_spsc_release(queue);
    return true;
}

int main(int argc, char **argv)
{
    const struct stress_mode mode = {"spsc", 1, 1, create, destroy, push, pop};
    return stress_main(&mode, argc, argv);
}
