/* SPDX-License-Identifier: MIT */
/*
 * Peers: boost::lockfree::queue (any number of producers and consumers) and spsc_queue, the latter
 * also in batches.
 *
 * Path:    bench_queue.c -> queue_boost.cc -> boost/lockfree.
 * Memory:  a queue owns its boost queue.
 * Threads: one producer, one consumer.
 * Source:  boost.org, "Boost.Lockfree".
 */
#include "queue_variant.h"

#include "bench_thread.h"

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdio>
#include <new>

namespace
{

template <uint32_t bytes> struct message {
    uint64_t words[bytes / 8];
};

/* A queue whose produce and consume are those of the derived Loops. */
template <typename Loops> struct boost_queue : queue {
    Loops loops;

    boost_queue(uint32_t n_slots, uint32_t batch) : loops(n_slots, batch)
    {
        ring_bytes = QUEUE_RING_BYTES;
        produce = [](struct queue *self, uint64_t n) {
            static_cast<boost_queue *>(self)->loops.produce(n);
        };
        consume = [](struct queue *self, uint64_t n) {
            return static_cast<boost_queue *>(self)->loops.consume(n);
        };
        close = [](struct queue *self) { delete static_cast<boost_queue *>(self); };
    }
};

/* One message a call, on either queue: bounded_push keeps the general queue within its capacity. */
template <typename T> bool push(boost::lockfree::queue<T> &ring, const T &message)
{
    return ring.bounded_push(message);
}

template <typename T> bool push(boost::lockfree::spsc_queue<T> &ring, const T &message)
{
    return ring.push(message);
}

template <uint32_t bytes, template <typename, typename...> class Ring> struct single_loops {
    Ring<message<bytes>> ring;

    single_loops(uint32_t n_slots, uint32_t) : ring(n_slots)
    {
    }

    void produce(uint64_t n_messages)
    {
        for (uint64_t i = 0; i < n_messages; i++) {
            struct bench_wait_state wait = {};
            message<bytes> next;
            queue_message_write(next.words, bytes / 8, i);
            while (!push(ring, next))
                bench_wait(&wait, "room in a boost queue");
        }
    }

    uint64_t consume(uint64_t n_messages)
    {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < n_messages; i++) {
            struct bench_wait_state wait = {};
            message<bytes> next;
            while (!ring.pop(next))
                bench_wait(&wait, "a message in a boost queue");
            sum += queue_message_sum(next.words, bytes / 8);
        }
        return sum;
    }
};

/* Batches: push and pop take what fits, so each loop counts what was moved. */
template <uint32_t bytes> struct batch_loops {
    boost::lockfree::spsc_queue<message<bytes>> ring;
    uint32_t batch;

    batch_loops(uint32_t n_slots, uint32_t batch_messages) : ring(n_slots), batch(batch_messages)
    {
    }

    void produce(uint64_t n_messages)
    {
        message<bytes> messages[QUEUE_MAX_BATCH];
        for (uint64_t i = 0; i < n_messages; i += batch) {
            for (uint32_t j = 0; j < batch; j++)
                queue_message_write(messages[j].words, bytes / 8, i + j);
            struct bench_wait_state wait = {};
            for (size_t sent = 0; sent < batch;) {
                size_t n = ring.push(messages + sent, batch - sent);
                sent += n;
                if (n == 0)
                    bench_wait(&wait, "room in a boost spsc_queue");
            }
        }
    }

    uint64_t consume(uint64_t n_messages)
    {
        message<bytes> messages[QUEUE_MAX_BATCH];
        uint64_t sum = 0;
        struct bench_wait_state wait = {};
        for (uint64_t taken = 0; taken < n_messages;) {
            size_t n = ring.pop(messages, batch);
            taken += n;
            sum += queue_message_sum(messages[0].words, n * (bytes / 8));
            if (n == 0)
                bench_wait(&wait, "messages in a boost spsc_queue");
            else
                wait = {};
        }
        return sum;
    }
};

template <uint32_t bytes> queue *create(const queue_variant *variant)
{
    const uint32_t n_slots = QUEUE_RING_BYTES / bytes;
    if (!variant->is_single_producer)
        return new boost_queue<single_loops<bytes, boost::lockfree::queue>>(n_slots, 1);
    if (variant->batch == 1)
        return new boost_queue<single_loops<bytes, boost::lockfree::spsc_queue>>(n_slots, 1);
    return new boost_queue<batch_loops<bytes>>(n_slots, variant->batch);
}

queue *open(const queue_variant *variant, const queue_case *measured)
{
    try {
        switch (measured->message_bytes) {
#define CASE(bytes) \
    case bytes:     \
        return create<bytes>(variant);
            QUEUE_MESSAGE_BYTES(CASE)
        }
    } catch (const std::bad_alloc &) {
        std::fprintf(stderr, "%s: out of memory\n", variant->name);
    }
    return nullptr;
}

} // namespace

const queue_variant queue_boost_variants[] = {{"boost_queue", open, 1, 0},
                                              {"boost_spsc", open, 1, 1},
                                              {"boost_spsc-bulk64", open, 64, 1},
                                              {"boost_spsc-bulk256", open, 256, 1},
                                              {nullptr, nullptr, 0, 0}};
