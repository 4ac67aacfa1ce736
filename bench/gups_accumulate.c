/* SPDX-License-Identifier: MIT */
/*
 * Peer: one MPI_Accumulate an update, passive target, all windows locked once.
 *
 * Path:    bench_gups.c -> gups_accumulate.c -> MPI.
 * Memory:  the window owns the table.
 * Threads: the main thread.
 * Source:  MPI 3.1, section 11.5.3.
 */
#include "gups.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct accumulate {
    struct gups gups;
    uint64_t *table;
    MPI_Win window;
};

static void accumulate_run(struct gups *gups)
{
    struct accumulate *self = (struct accumulate *)gups;
    const struct gups_problem *problem = gups->problem;
    const uint64_t one = 1;
    for (uint64_t i = 0; i < problem->n_updates; i++) {
        uint64_t random = gups_random(problem->rank, i);
        MPI_Accumulate(&one, 1, MPI_UINT64_T, (int)gups_destination(random, problem->n_ranks),
                       gups_index(random, problem->mask), 1, MPI_UINT64_T, MPI_SUM, self->window);
    }
    MPI_Win_flush_all(self->window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(self->window);
}

static void accumulate_close(struct gups *gups)
{
    struct accumulate *self = (struct accumulate *)gups;
    MPI_Win_unlock_all(self->window);
    MPI_Win_free(&self->window);
    free(self);
}

static struct gups *accumulate_open(const struct gups_problem *problem)
{
    struct accumulate *self = calloc(1, sizeof *self);
    size_t bytes = ((size_t)problem->mask + 1) * sizeof *self->table;
    if (!self || MPI_Win_allocate((MPI_Aint)bytes, sizeof *self->table, MPI_INFO_NULL,
                                  MPI_COMM_WORLD, &self->table, &self->window) != MPI_SUCCESS) {
        fprintf(stderr, "mpi-accumulate: no window of %zu bytes\n", bytes);
        free(self);
        return NULL;
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, self->window);
    memset(self->table, 0, bytes);
    MPI_Win_sync(self->window);
    self->gups = (struct gups){
        .problem = problem, .table = self->table, .run = accumulate_run, .close = accumulate_close};
    return &self->gups;
}

const struct gups_variant gups_accumulate = {
    .name = "mpi-accumulate", .updates_shift = 4, .open = accumulate_open};
