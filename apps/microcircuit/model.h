/* SPDX-License-Identifier: MIT */
/*
 * The model: from the numbers of the paper, and a scale, to tables of whole numbers.
 *
 * Below scale 1 a neuron has that part of its synapses and inputs. Weights grow by the root, so that the variance of a neuron's
 * input stays, and a constant current is the part of the mean that is missing, at the rates of the full model.
 *
 * Path:    microcircuit.c -> this -> struct tables
 * Threads: main's.
 * Source:  Potjans, Diesmann, The Cell-Type Specific Cortical Microcircuit, Cerebral Cortex 24, 2014, 785, tables 4 and 5;
 *          van Albada, Helias, Diesmann, Scalability of Asynchronous Networks Is Limited by One-to-One Mapping between
 *          Effective Connectivity and Correlations, PLoS Computational Biology 11, 2015.
 */
#ifndef APPS_MICROCIRCUIT_MODEL_H
#define APPS_MICROCIRCUIT_MODEL_H

#include "microcircuit/network.h"

#include <math.h>

static const char *const population_names[POPULATIONS] = {"2/3e", "2/3i", "4e", "4i",
                                                          "5e",   "5i",   "6e", "6i"};
static const double n_full[POPULATIONS] = {20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948};
static const double full_inputs[POPULATIONS] = {1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100};
static const double full_rates[POPULATIONS] = {0.9, 2.8, 4.5, 5.9, 7.5, 8.6, 1.1, 7.8}; /* [1/s] */

/* Chances that a target of the row's population has a synapse of a source of the column's. */
static const double chances[POPULATIONS][POPULATIONS] = {
    {.1009, .1689, .0437, .0818, .0323, 0, .0076, 0},
    {.1346, .1371, .0316, .0515, .0755, 0, .0042, 0},
    {.0077, .0059, .0497, .135, .0067, .0003, .0453, 0},
    {.0691, .0029, .0794, .1597, .0033, 0, .1057, 0},
    {.1004, .0622, .0505, .0057, .0831, .3726, .0204, 0},
    {.0548, .0269, .0257, .0022, .06, .3158, .0086, 0},
    {.0156, .0066, .0211, .0166, .0572, .0197, .0396, .2252},
    {.0364, .001, .0034, .0005, .0277, .008, .0658, .1443}};

#define STEP_MS 0.1
#define MEMBRANE_MS 10.0
#define SYNAPSE_MS 0.5
#define CAPACITY_PF 250.0
#define WEIGHT_PA 87.8
#define INPUT_RATE 0.008 /* [1/ms] */
#define LEVEL_MEAN (LEVELS / 2 - 0.5)
#define LEVELS_A_DEVIATION (LEVELS / 8.0)

static const double row_weights[3] = {WEIGHT_PA, 2 * WEIGHT_PA, -4 * WEIGHT_PA};

/* Returns a chance as tables have it. */
static inline uint32_t chance_word(double chance)
{
    return chance < 1 ? (uint32_t)(chance * 0x1p32) : UINT32_MAX;
}

static inline double normal(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* Fills in a cumulative table of n whole numbers, from 0 on, of a normal distribution that ends with them. */
static inline void make_normal(uint32_t *table, int n, double mean, double deviation)
{
    const double below = normal((-0.5 - mean) / deviation),
                 within = normal((n - 0.5 - mean) / deviation) - below;
    for (int i = 0; i < n; i++)
        table[i] = chance_word((normal((i + 0.5 - mean) / deviation) - below) / within);
}

/* Fills in what a population gets. @param part  of its synapses and inputs that there are */
static inline void make_population(struct tables *tables, int to, double scale, double part)
{
    const double mean = part * full_inputs[to] * INPUT_RATE * STEP_MS;
    double term = exp(-mean), sum = 0, current = WEIGHT_PA * full_inputs[to] * INPUT_RATE;
    for (int k = 0; k < MOST_INPUTS; k++) {
        sum += term;
        tables->inputs[to][k] = chance_word(sum);
        term *= mean / (k + 1);
    }
    for (int from = 0; from < POPULATIONS; from++) {
        const int row = from % 2 ? 2 : from == 2 && to == 0;
        const double n = log1p(-chances[to][from]) / log1p(-1 / (n_full[to] * n_full[from]));
        tables->n_synapses[to][from] = (uint32_t)llround(n * scale * part);
        current += row_weights[row] * n / n_full[to] * full_rates[from] / 1000;
    }
    const double of_current = -expm1(-STEP_MS / MEMBRANE_MS) * MEMBRANE_MS / CAPACITY_PF;
    tables->drive[to] =
        (int32_t)lround((1 - sqrt(part)) * current * SYNAPSE_MS * of_current * POTENTIAL_MV);
    tables->first[to + 1] = tables->first[to] + (uint32_t)llround(scale * n_full[to]);
}

/** Make the tables, all 0 before, of a scale. */
static inline void model_make(struct tables *tables, double scale)
{
    const double part = scale < 1 ? scale : 1, unit = CURRENT_PA / sqrt(part),
                 keep_current = exp(-STEP_MS / SYNAPSE_MS),
                 keep_potential = exp(-STEP_MS / MEMBRANE_MS),
                 gain = (keep_potential - keep_current) * SYNAPSE_MS * MEMBRANE_MS /
                        (CAPACITY_PF * (MEMBRANE_MS - SYNAPSE_MS));
    for (int i = 0; i < LEVELS; i++) {
        const double deviations = (i - LEVEL_MEAN) / LEVELS_A_DEVIATION;
        for (int row = 0; row < 3; row++)
            tables->weights[row][i] =
                (int32_t)lround(unit * row_weights[row] * (1 + 0.1 * deviations));
    }
    make_normal(tables->levels, LEVELS, LEVEL_MEAN, LEVELS_A_DEVIATION);
    make_normal(tables->delays[0], SLOTS - 1, 15 - 1, 7.5);
    make_normal(tables->delays[1], SLOTS - 1, 7.5 - 1, 3.75);
    for (int i = 0; i < POPULATIONS; i++)
        make_population(tables, i, scale, part);
    tables->input = (int32_t)lround(unit * WEIGHT_PA);
    tables->keep_current = chance_word(keep_current);
    tables->keep_potential = chance_word(keep_potential);
    tables->gain = chance_word(gain * POTENTIAL_MV / CURRENT_PA);
}

#endif
