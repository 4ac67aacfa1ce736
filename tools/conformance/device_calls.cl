/* SPDX-License-Identifier: MIT */
/*
 * Handlers and kernels of calls.c, in one text: it is both device_code and a program.
 *
 * Path:    calls.c -> kernels here -> handlers here, at the destination -> sums in its heap.
 */
/* As in calls.c. */
#define N_SUMS 16u
#define N_ITEMS 256u
#define HEAP_AT 64ul /* the first allocation of a node */
#define ANSWERS_AT 512ul
#define MIX(mixed, word) ((mixed ^ (word)) * 16777619u)

uint half_of(ulong4 args, uint k)
{
    const ulong all[4] = {args.s0, args.s1, args.s2, args.s3};
    return (uint)(all[k / 2] >> 32 * (k % 2));
}

/* All of a message taken together. */
uint mix_all(struct gravel_call call, ulong4 args)
{
    uint mixed = call.source;
    for (uint k = 0; k < 8; k++)
        mixed = MIX(mixed, half_of(args, k));
    return mixed;
}

/* Sums of one handler: number, halves of the arguments, node, n_nodes, all of a message taken together. */
void add_up(struct gravel_call call, uint n_args, ulong4 args)
{
    volatile global uint *sums =
        (volatile global uint *)gravel_call_local(call, HEAP_AT) + n_args * N_SUMS;
    atomic_inc(&sums[0]);
    for (uint k = 0; k < 8; k++)
        atomic_add(&sums[1 + k], half_of(args, k));
    atomic_add(&sums[9], call.node);
    atomic_add(&sums[10], call.n_nodes);
    atomic_add(&sums[11], mix_all(call, args));
}

/* Returns a message's answer: all of it taken together, and the node that answers. */
ulong mix_up(struct gravel_call call, uint n_args, ulong4 args)
{
    return (ulong)(100 * n_args + call.node) << 32 | mix_all(call, args);
}

/* ...: parameters behind the call. Answers with arguments have the first as their key. */
#define HANDLER(name, returns, DO, n_args, args, ...)    \
    returns name(struct gravel_call call, ##__VA_ARGS__) \
    {                                                    \
        DO(call, n_args, (ulong4)args);                  \
    }
HANDLER(take0, void, add_up, 0, (0, 0, 0, 0))
HANDLER(take1, void, add_up, 1, (a, 0, 0, 0), ulong a)
HANDLER(take2, void, add_up, 2, (a, b, 0, 0), ulong a, ulong b)
HANDLER(take3, void, add_up, 3, (a, b, c, 0), ulong a, ulong b, ulong c)
HANDLER(take4, void, add_up, 4, (a, b, c, d), ulong a, ulong b, ulong c, ulong d)
HANDLER(narrow1, void, add_up, 1, (a, 0, 0, 0), uint a)
HANDLER(narrow2, void, add_up, 2, (a, b, 0, 0), uint a, uint b)
HANDLER(narrow3, void, add_up, 3, (a, b, c, 0), uint a, uint b, uint c)
HANDLER(narrow4, void, add_up, 4, (a, b, c, d), uint a, uint b, uint c, uint d)
HANDLER(answer0, ulong, return mix_up, 0, (0, 0, 0, 0))
HANDLER(answer1, ulong, return mix_up, 1, (a, 0, 0, 0), ulong a)
HANDLER(answer2, ulong, return mix_up, 2, (a, b, 0, 0), ulong a, ulong b)
HANDLER(answer3, ulong, return mix_up, 3, (a, b, c, 0), ulong a, ulong b, ulong c)

/* CALL: am or ask, and how many arguments. */
#define SENDERS(CALL, handler, ...) \
    FORMS(to_##handler, CALL, ulong, GRAVEL_HANDLER(handler), ##__VA_ARGS__)
/* Answers lie ANSWERS_AT bytes into the allocation, one an item, and after them the signal. */
#define REPLY ((struct gravel_reply){HEAP_AT + ANSWERS_AT, HEAP_AT + ANSWERS_AT + 8 * N_ITEMS})
SENDERS(am0, take0)
SENDERS(am1, take1, A(0))
SENDERS(am2, take2, A(0), A(1))
SENDERS(am3, take3, A(0), A(1), A(2))
SENDERS(am4, take4, A(0), A(1), A(2), A(3))
SENDERS(am1, narrow1, A(0))
SENDERS(am2, narrow2, A(0), A(1))
SENDERS(am3, narrow3, A(0), A(1), A(2))
SENDERS(am4, narrow4, A(0), A(1), A(2), A(3))
SENDERS(ask0, answer0, REPLY, i)
SENDERS(ask1, answer1, A(0), REPLY, i)
SENDERS(ask2, answer2, A(0), A(1), REPLY, i)
SENDERS(ask3, answer3, A(0), A(1), A(2), REPLY, i)
