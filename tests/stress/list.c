/* SPDX-License-Identifier: MIT */
/* Stress mode: the list of node buffers, which many threads fill and one empties. Path: list.c -> queue.c ->
 * lib/transport/list.h. */
#include "transport/list.h"

#include "queue.h"

#include <stdlib.h>

struct element {
    struct gravel_buffer buffer; /* first */
    struct stress_message message;
};

static void *create(uint32_t capacity, uint64_t start)
{
    (void)capacity, (void)start; /* it has neither room nor indices */
    return calloc(1, sizeof(struct gravel_list));
}

static void destroy(void *list)
{
    struct gravel_buffer *buffer;
    while ((buffer = gravel_list_take(list)))
        free(buffer);
    free(list);
}

static bool push(void *list, const struct stress_message *message)
{
    struct element *element = malloc(sizeof *element);
    if (!element)
        return false;
    element->message = *message;
    gravel_list_push(list, &element->buffer);
    return true;
}

static bool pop(void *list, struct stress_message *message)
{
    struct element *element = (struct element *)gravel_list_take(list);
    if (!element)
        return false;
    *message = element->message;
    free(element);
    return true;
}

int main(int argc, char **argv)
{
    const struct stress_mode mode = {"list", 64, 1, create, destroy, push, pop};
    return stress_main(&mode, argc, argv);
}
