/* SPDX-License-Identifier: MIT */
/*
 * A network in whole numbers, which host and device compile alike: each spike is the same wherever it is computed.
 *
 * A potential is above rest [2^-15 mV], a current [2^-10 pA], a time counts steps of 0.1 ms. Neurons are numbered through the
 * populations, and what is random follows from the seed and a counter alone. Nothing overflows: a neuron's weights add up to
 * MOST_WEIGHTS at most, in magnitude, a source fires once in REFRACTORY + 1 steps, and a pA that stays moves the potential by
 * 0.037 mV.
 *
 * Path:    model.h makes the tables -> microcircuit.cl, check.h -> this
 * Source:  Rotter, Diesmann, Exact Digital Simulation of Time-Invariant Linear Systems, Biological Cybernetics 81, 1999;
 *          Salmon et al., Parallel Random Numbers: as Easy as 1, 2, 3, SC 2011 (Philox 4x32-7).
 */
#ifndef APPS_MICROCIRCUIT_NETWORK_H
#define APPS_MICROCIRCUIT_NETWORK_H

#if defined(__OPENCL_C_VERSION__)
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;
#define TABLES local const
#else
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
#define TABLES const
#endif

#define POPULATIONS 8 /* odd ones are inhibitory */
#define LEVELS 128    /* of a normal distribution, whose deviation is an eighth of them */
#define MOST_INPUTS 32
#define REFRACTORY 20 /* [steps] */
#define POTENTIAL_MV 32768
#define CURRENT_PA 1024
#define THRESHOLD (15 * POTENTIAL_MV)
#define MOST_WEIGHTS (1u << 30)
#define SLOTS 64 /* of a ring: steps that a delay reaches */

/* A synapse is a word: its target, its delay, and which level of weights it has. */
#define TARGET_BITS 19
#define DELAY_BITS 6

/* Words of 4 bytes. An entry of a cumulative table is the last random word that draws it. */
struct tables {
    u32 first[POPULATIONS + 1];               /* neuron of each population; how many there are */
    u32 n_synapses[POPULATIONS][POPULATIONS]; /* of a target's population, from a source's */
    u32 inputs[POPULATIONS][MOST_INPUTS];     /* from outside, in a step: cumulative */
    u32 delays[2][SLOTS - 1]; /* of excitatory, inhibitory sources, from 1 on: cumulative */
    u32 levels[LEVELS];       /* of weights, and of first potentials: cumulative */
    i32 weights[3][LEVELS];   /* weights_of chooses the row */
    i32 drive[POPULATIONS];   /* what a constant current adds to a potential in a step */
    i32 input;                /* weight of an input from outside */
    u32 keep_current, keep_potential,
        gain; /* of 2^32: what a step leaves, and moves to a potential */
};

/* Returns four random words of a counter, whose last word says what for. */
enum { DRAWS_INPUTS, DRAWS_BEGIN, DRAWS_SYNAPSE };
struct words {
    u32 x, y, z, w;
};
static inline struct words draw(struct words counter, u64 seed)
{
    u32 key = (u32)seed, key2 = (u32)(seed >> 32);
    for (u32 i = 0; i < 7; i++) {
        const u64 a = (u64)0xd2511f53u * counter.x, b = (u64)0xcd9e8d57u * counter.z;
        counter = (struct words){(u32)(b >> 32) ^ counter.y ^ key, (u32)b,
                                 (u32)(a >> 32) ^ counter.w ^ key2, (u32)a};
        key += 0x9e3779b9u;
        key2 += 0xbb67ae85u;
    }
    return counter;
}

/* Returns which entry of a cumulative table [n] a random word draws. */
static inline u32 draw_entry(TABLES u32 *table, u32 n, u32 random)
{
    u32 i = 0;
    for (u32 left = n; left > 1;) {
        const u32 half_down = left / 2;
        i += random > table[i + half_down - 1] ? half_down : 0;
        left -= half_down;
    }
    return i;
}

/* Returns x * parts / 2^32, rounded. */
static inline i32 parts_of(i32 x, u32 parts)
{
    return (i32)(((i64)x * (i64)parts + (i64)0x80000000u) >> 32);
}

static inline u32 population_of(TABLES struct tables *tables, u32 number)
{
    u32 n = 0; /* whose loads do not wait for each other */
    for (u32 i = 1; i < POPULATIONS; i++)
        n += number >= tables->first[i] ? 1 : 0;
    return n;
}

/* What is known of a time: neurons that fired, own ones and others', and how many own spikes of the run are older. */
struct known {
    u32 own, others, older;
};

struct neuron {
    i32 potential, current;
    u32 rests_until;
};

/* Takes a neuron through a step, at whose end input of synapses arrives. @return whether it fires */
static inline bool neuron_advance(TABLES struct tables *tables, u64 seed, u32 number, u32 time,
                                  i32 arrives, struct neuron *neuron)
{
    const u32 population = population_of(tables, number);
    const struct words random = draw((struct words){number, time, 0, DRAWS_INPUTS}, seed);
    const i32 n_inputs = (i32)draw_entry(tables->inputs[population], MOST_INPUTS, random.x);
    if (time == 0) {
        const struct words first = draw((struct words){number, 0, 0, DRAWS_BEGIN}, seed);
        const i32 level = (i32)draw_entry(tables->levels, LEVELS, first.x) * 2 - (LEVELS - 1);
        *neuron = (struct neuron){7 * POTENTIAL_MV + level * (40 * POTENTIAL_MV / LEVELS), 0, 0};
    }
    if (time >= neuron->rests_until)
        neuron->potential = parts_of(neuron->potential, tables->keep_potential) +
                            parts_of(neuron->current, tables->gain) + tables->drive[population];
    neuron->current =
        parts_of(neuron->current, tables->keep_current) + arrives + n_inputs * tables->input;
    if (neuron->potential < THRESHOLD)
        return false;
    neuron->potential = 0;
    neuron->rests_until = time + 1 + REFRACTORY;
    return true;
}

struct synapse {
    u32 source, target, delay, level;
};

/* Returns synapse i of those to a population from one. */
static inline struct synapse synapse_draw(TABLES struct tables *tables, u64 seed, u32 to, u32 from,
                                          u32 i)
{
    TABLES u32 *first = tables->first;
    const struct words random =
        draw((struct words){i, 0, 0, DRAWS_SYNAPSE + to * POPULATIONS + from}, seed);
    return (struct synapse){first[from] +
                                (u32)((u64)random.x * (first[from + 1] - first[from]) >> 32),
                            first[to] + (u32)((u64)random.y * (first[to + 1] - first[to]) >> 32),
                            1 + draw_entry(tables->delays[from % 2], SLOTS - 1, random.z),
                            draw_entry(tables->levels, LEVELS, random.w)};
}

/* Returns the row of weights of synapses from a population to a target: inhibitory 2, doubled (4e to 2/3e) 1. */
static inline u32 weights_of(TABLES struct tables *tables, u32 population, u32 target)
{
    return population % 2 ? 2 : population == 2 && target < tables->first[1] ? 1 : 0;
}

#endif
