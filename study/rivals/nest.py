# SPDX-License-Identifier: MIT
"""NEST simulates the network of apps/microcircuit on all cores, by the same numbers of the same papers.

Potjans, Diesmann, Cerebral Cortex 24, 2014, 785, tables 4 and 5; below scale 1 van Albada, Helias, Diesmann, PLoS Computational
Biology 11, 2015: synapses and inputs are fewer, weights grow by the root, and a constant current is what is then missing of the mean.
NEST is under the GPL: it is installed beside the tree, and nothing of it is here.
"""
import math
import os

from study.rivals import problems

NAME, PACKAGE = "NEST", "nest-simulator"
os.environ["PYNEST_QUIET"] = "1"  # before NEST is imported, which else writes on the output
INPUTS = (1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100)  # from outside, of 8 Hz each
CHANCES = ((.1009, .1689, .0437, .0818, .0323, 0, .0076, 0),  # of a target's population, for a source's
           (.1346, .1371, .0316, .0515, .0755, 0, .0042, 0),
           (.0077, .0059, .0497, .135, .0067, .0003, .0453, 0),
           (.0691, .0029, .0794, .1597, .0033, 0, .1057, 0),
           (.1004, .0622, .0505, .0057, .0831, .3726, .0204, 0),
           (.0548, .0269, .0257, .0022, .06, .3158, .0086, 0),
           (.0156, .0066, .0211, .0166, .0572, .0197, .0396, .2252),
           (.0364, .001, .0034, .0005, .0277, .008, .0658, .1443))
STEP, WEIGHT, INPUT_RATE, SYNAPSE = 0.1, 87.8, 8.0, 0.5  # [ms, pA, 1/s, ms]
NEURON = {"C_m": 250.0, "tau_m": 10.0, "tau_syn_ex": SYNAPSE, "tau_syn_in": SYNAPSE, "t_ref": 2.0, "E_L": -65.0, "V_reset": -65.0,
          "V_th": -50.0}


def library():
    import nest
    return nest


def synapses(to, source):
    return math.log(1 - CHANCES[to][source]) / math.log(1 - 1 / (problems.NEURONS[to] * problems.NEURONS[source]))


def weight(to, source):
    return WEIGHT * (-4 if source % 2 else 2 if (to, source) == (0, 2) else 1)


def build(scale, seed, n_threads):
    """@return a recorder of the spikes of neurons 1 and up, through the populations."""
    nest, part = library(), min(scale, 1)
    nest.ResetKernel()
    nest.set(resolution=STEP, rng_seed=seed, local_num_threads=n_threads, verbosity=type(nest.verbosity).ERROR)
    currents = [SYNAPSE * (WEIGHT * INPUTS[to] * INPUT_RATE + sum(
        weight(to, i) * synapses(to, i) / problems.NEURONS[to] * problems.RATES[i] for i in range(8))) / 1000 for to in range(8)]
    populations = [nest.Create("iaf_psc_exp", n, {**NEURON, "V_m": nest.random.normal(-58.0, 10.0),
                                                  "I_e": (1 - math.sqrt(part)) * currents[i]})
                   for i, n in enumerate(problems.sizes(scale))]
    recorder = nest.Create("spike_recorder")
    for to, targets in enumerate(populations):
        outside = nest.Create("poisson_generator", params={"rate": part * INPUTS[to] * INPUT_RATE})
        nest.Connect(outside, targets, "all_to_all", {"weight": WEIGHT / math.sqrt(part)})
        nest.Connect(targets, recorder)
        for i, sources in enumerate(populations):
            mean, delay = weight(to, i) / math.sqrt(part), 0.75 if i % 2 else 1.5
            nest.Connect(sources, targets, {"rule": "fixed_total_number", "N": round(synapses(to, i) * scale * part)}, {
                "weight": nest.random.normal(mean, abs(mean) / 10),
                "delay": nest.math.redraw(nest.random.normal(delay, delay / 2), STEP / 2 + 1e-6, 6.35 - 1e-6)})
    return recorder


def microcircuit(given, _options):
    recorder = build(given.scale, given.seed, len(os.sched_getaffinity(0)))

    def run():
        recorder.n_events = 0
        library().Simulate(1000 * given.seconds)

    return run, lambda _: recorder.events["senders"] - 1
