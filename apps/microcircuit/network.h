/* SPDX-License-Identifier: MIT */
/*
 * A network in whole numbers, which host and device compile alike: each spike is the same wherever it is computed. The host alone
 * makes its tables, from the numbers of the paper and a scale.
 *
 * A potential is above rest [2^-15 mV], a current [2^-10 pA], a time counts steps of 0.1 ms. Neurons are numbered through the
 * populations, and what is random follows from the seed and a counter alone. Nothing overflows: a neuron's weights of one sign add up
 * to 2^30 in magnitude at most (to half of it in the mean, and to more with a chance below 10^-90), a source fires once in
 * REFRACTORY + 1 steps, and a pA that stays moves the potential by 0.037 mV.
 *
 * Path:    open_node -> tables_make -> microcircuit.cl, check of microcircuit.c -> neuron_advance
 * Source:  Potjans, Diesmann, The Cell-Type Specific Cortical Microcircuit, Cerebral Cortex 24, 2014, 785, tables 4 and 5;
 *          van Albada, Helias, Diesmann, PLoS Computational Biology 11, 2015 (below scale 1);
 *          Rotter, Diesmann, Exact Digital Simulation of Time-Invariant Linear Systems, Biological Cybernetics 81, 1999;
 *          Salmon et al., Parallel Random Numbers: as Easy as 1, 2, 3, SC 2011 (Philox 4x32-7).
 */
#ifndef APPS_MICROCIRCUIT_NETWORK_H
#define APPS_MICROCIRCUIT_NETWORK_H

#if defined(__OPENCL_C_VERSION__)
#define TABLES local const
#else
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#define TABLES const
#endif

#define POPULATIONS 8 /* odd ones are inhibitory */
#define PAIRS 64      /* of a source's population % 8, and a target's / 8 */
#define LEVELS 128    /* of a normal distribution, whose deviation is an eighth of them */
#define MOST_INPUTS 32
#define STEPS_A_SECOND 10000
#define REFRACTORY 20 /* [steps] */
#define POTENTIAL_MV 32768
#define CURRENT_PA 1024
#define THRESHOLD (15 * POTENTIAL_MV)
#define SLOTS 64 /* of a ring: steps that a delay reaches */

/* A synapse is a word: its target, its delay, and which level of weights it has. */
#define TARGET_BITS 19
#define DELAY_BITS 6

/* Words of 4 bytes. An entry of a cumulative table is the last random word that draws it. */
struct tables {
    uint first[POPULATIONS + 1]; /* neuron of each population; how many there are */
    uint n_synapses[PAIRS];
    uint inputs[POPULATIONS][MOST_INPUTS]; /* from outside, in a step: cumulative */
    uint delays[2][SLOTS - 1]; /* of excitatory, inhibitory sources, from 1 on: cumulative */
    uint levels[LEVELS];       /* of weights, and of first potentials: cumulative */
    int weights[3][LEVELS];    /* weights_of chooses the row */
    int drive[POPULATIONS];    /* what a constant current adds to a potential in a step */
    int input;                 /* weight of an input from outside */
    uint keep_current, keep_potential, gain; /* of 2^32: what a step keeps, adds to a potential */
};

/* Returns four random words of a counter, whose last word says what for. */
enum { DRAWS_INPUTS, DRAWS_BEGIN, DRAWS_SYNAPSE };
struct words {
    uint x, y, z, w;
};
static inline struct words draw(struct words counter, ulong seed)
{
    uint key = (uint)seed, key2 = (uint)(seed >> 32);
    for (uint i = 0; i < 7; i++, key += 0x9e3779b9u, key2 += 0xbb67ae85u) {
        const ulong a = (ulong)0xd2511f53u * counter.x, b = (ulong)0xcd9e8d57u * counter.z;
        counter = (struct words){(uint)(b >> 32) ^ counter.y ^ key, (uint)b,
                                 (uint)(a >> 32) ^ counter.w ^ key2, (uint)a};
    }
    return counter;
}

/* Returns which entry of a cumulative table [n] a random word draws. */
static inline uint draw_entry(TABLES uint *table, uint n, uint random)
{
    uint i = 0;
    for (uint left = n, half_down; left > 1; left -= half_down) {
        half_down = left / 2;
        i += random > table[i + half_down - 1] ? half_down : 0;
    }
    return i;
}

/* Returns x * parts / 2^32, rounded. */
static inline int parts_of(int x, uint parts)
{
    return (int)(((long)x * (long)parts + (long)0x80000000u) >> 32);
}

static inline uint population_of(TABLES struct tables *tables, uint number)
{
    uint n = 0; /* whose loads do not wait for each other */
    for (uint i = 1; i < POPULATIONS; i++)
        n += number >= tables->first[i] ? 1 : 0;
    return n;
}

/* What is known of a time: neurons that fired, own ones and others', and how many own spikes of the run are older. */
struct known {
    uint own, others, older;
};

/* What a list has of a neuron that fired. */
struct fired {
    uint first, end; /* its row */
    uint population;
};

struct neuron {
    int potential, current;
    uint rests_until;
};

/* Takes a neuron through a step, at whose end input of synapses arrives. @return whether it fires */
static inline bool neuron_advance(TABLES struct tables *tables, ulong seed, uint number, uint time,
                                  int arrives, struct neuron *neuron)
{
    const uint population = population_of(tables, number);
    const struct words random = draw((struct words){number, time, 0, DRAWS_INPUTS}, seed);
    const int n_inputs = (int)draw_entry(tables->inputs[population], MOST_INPUTS, random.x);
    if (time == 0) {
        const struct words first = draw((struct words){number, 0, 0, DRAWS_BEGIN}, seed);
        const int level = (int)draw_entry(tables->levels, LEVELS, first.x) * 2 - (LEVELS - 1);
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
    uint source, target, delay, level;
};

/* Returns synapse i of a pair of populations. */
static inline struct synapse synapse_draw(TABLES struct tables *tables, ulong seed, uint pair,
                                          uint i)
{
    TABLES uint *from = tables->first + pair % POPULATIONS,
                *to = tables->first + pair / POPULATIONS;
    const struct words random = draw((struct words){i, 0, 0, DRAWS_SYNAPSE + pair}, seed);
    return (struct synapse){from[0] + (uint)((ulong)random.x * (from[1] - from[0]) >> 32),
                            to[0] + (uint)((ulong)random.y * (to[1] - to[0]) >> 32),
                            1 + draw_entry(tables->delays[pair % 2], SLOTS - 1, random.z),
                            draw_entry(tables->levels, LEVELS, random.w)};
}

/* Returns the row of weights of synapses from a population to a target: inhibitory 2, doubled (4e to 2/3e) 1. */
static inline uint weights_of(TABLES struct tables *tables, uint population, uint target)
{
    return population % 2 ? 2 : population == 2 && target < tables->first[1] ? 1 : 0;
}

#if !defined(__OPENCL_C_VERSION__) /* the model */

static const struct {
    const char *name;
    double n, inputs, rate;      /* neurons, a neuron's inputs from outside, spikes a second */
    double chances[POPULATIONS]; /* that a neuron of it has a synapse of one of each population */
} full_model[POPULATIONS] = {
    {"2/3e", 20683, 1600, 0.9, {.1009, .1689, .0437, .0818, .0323, 0, .0076, 0}},
    {"2/3i", 5834, 1500, 2.8, {.1346, .1371, .0316, .0515, .0755, 0, .0042, 0}},
    {"4e", 21915, 2100, 4.5, {.0077, .0059, .0497, .135, .0067, .0003, .0453, 0}},
    {"4i", 5479, 1900, 5.9, {.0691, .0029, .0794, .1597, .0033, 0, .1057, 0}},
    {"5e", 4850, 2000, 7.5, {.1004, .0622, .0505, .0057, .0831, .3726, .0204, 0}},
    {"5i", 1065, 1900, 8.6, {.0548, .0269, .0257, .0022, .06, .3158, .0086, 0}},
    {"6e", 14395, 2900, 1.1, {.0156, .0066, .0211, .0166, .0572, .0197, .0396, .2252}},
    {"6i", 2948, 2100, 7.8, {.0364, .001, .0034, .0005, .0277, .008, .0658, .1443}}};

/* Returns a chance as tables have it. */
static inline uint chance_word(double chance)
{
    return chance < 1 ? (uint)(chance * 0x1p32) : UINT32_MAX;
}

static inline double normal(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* Fills in a cumulative table of n whole numbers, from 0 on, of a normal distribution that ends with them. */
static inline void make_normal(uint *table, int n, double mean, double deviation)
{
    const double below = normal((-0.5 - mean) / deviation),
                 within = normal((n - 0.5 - mean) / deviation) - below;
    for (int i = 0; i < n; i++)
        table[i] = chance_word((normal((i + 0.5 - mean) / deviation) - below) / within);
}

/**
 * Make the tables, all 0 before, of a scale. Below 1 a neuron has that part of its synapses and inputs. Weights grow by
 * the root, so that the variance of its input stays, and a constant current is the part of the mean that is missing, at
 * the rates of the full model.
 */
static inline void tables_make(struct tables *tables, double scale)
{
    const double step_ms = 1e3 / STEPS_A_SECOND, membrane_ms = 10, synapse_ms = 0.5,
                 capacity_pf = 250, weight_pa = 87.8, input_rate = 0.008 /* [1/ms] */,
                 row_weights[3] = {weight_pa, 2 * weight_pa, -4 * weight_pa},
                 part = scale < 1 ? scale : 1, unit = CURRENT_PA / sqrt(part),
                 level_mean = LEVELS / 2 - 0.5, level_deviation = LEVELS / 8.0,
                 keep_current = exp(-step_ms / synapse_ms),
                 keep_potential = exp(-step_ms / membrane_ms),
                 gain = (keep_potential - keep_current) * synapse_ms * membrane_ms /
                        (capacity_pf * (membrane_ms - synapse_ms)),
                 of_current = -expm1(-step_ms / membrane_ms) * membrane_ms / capacity_pf;
    make_normal(tables->levels, LEVELS, level_mean, level_deviation);
    make_normal(tables->delays[0], SLOTS - 1, 15 - 1, 7.5);
    make_normal(tables->delays[1], SLOTS - 1, 7.5 - 1, 3.75);
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < LEVELS; i++)
            tables->weights[row][i] = (int)lround(unit * row_weights[row] *
                                                  (1 + 0.1 * ((i - level_mean) / level_deviation)));
    for (uint to = 0; to < POPULATIONS; to++) {
        const double mean = part * full_model[to].inputs * input_rate * step_ms;
        double term = exp(-mean), sum = 0, current = weight_pa * full_model[to].inputs * input_rate;
        for (int k = 0; k < MOST_INPUTS; term *= mean / ++k) {
            sum += term;
            tables->inputs[to][k] = chance_word(sum);
        }
        tables->first[to + 1] = tables->first[to] + (uint)llround(scale * full_model[to].n);
        for (uint from = 0; from < POPULATIONS; from++) {
            const double n = log1p(-full_model[to].chances[from]) /
                             log1p(-1 / (full_model[to].n * full_model[from].n));
            tables->n_synapses[to * POPULATIONS + from] = (uint)llround(n * scale * part);
            current += row_weights[weights_of(tables, from, tables->first[to])] * n /
                       full_model[to].n * full_model[from].rate / 1000;
        }
        tables->drive[to] =
            (int)lround((1 - sqrt(part)) * current * synapse_ms * of_current * POTENTIAL_MV);
    }
    tables->input = (int)lround(unit * weight_pa);
    tables->keep_current = chance_word(keep_current);
    tables->keep_potential = chance_word(keep_potential);
    tables->gain = chance_word(gain * POTENTIAL_MV / CURRENT_PA);
}

#endif

#endif
