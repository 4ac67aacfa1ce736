/* SPDX-License-Identifier: MIT */
/*
 * The stress test that all host queues share: what a mode provides, and its main function.
 *
 * Path:    list.c, spsc.c, mpmc.c (one mode each) -> queue.c (the body).
 */
#ifndef GRAVEL_STRESS_QUEUE_H
#define GRAVEL_STRESS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* What travels: enough to see a lost, repeated, torn or reordered element. */
struct stress_message {
    uint64_t magic; /* a hash of seed, producer and sequence */
    uint32_t producer;
    uint32_t sequence;  /* per producer, from 0 */
    uint64_t not_magic; /* its complement, written last: a torn element does not fit */
};

struct stress_mode {
    const char *name;
    uint32_t max_producers;
    uint32_t max_consumers;
    void *(*create)(uint32_t capacity, uint64_t start); /* NULL without memory */
    void (*destroy)(void *queue);
    bool (*push)(void *queue, const struct stress_message *message); /* false if full */
    bool (*pop)(void *queue, struct stress_message *message);        /* false if empty */
};

/**
 * Run a mode over all capacities.
 *
 * Arguments: [seed [PRODUCERSxCONSUMERS [rounds]]], rounds being messages per producer and
 * capacity.
 *
 * @return  exit code: 0; 1 after a failure, which is printed with the arguments that led to it; 2
 * if an argument is malformed.
 */
int stress_main(const struct stress_mode *mode, int argc, char **argv);

#endif
