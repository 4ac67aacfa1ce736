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

/* Some MPIs have no windows for some networks: Open MPI 4.1 has none for threads over TCP. */
static const char *accumulate_why_not(void)
{
    static char text[MPI_MAX_ERROR_STRING + 32] = "MPI_Win_allocate: ";
    MPI_Comm comm;
    MPI_Win window;
    void *memory;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int error =
        MPI_Win_allocate(sizeof(uint64_t), sizeof(uint64_t), MPI_INFO_NULL, comm, &memory, &window);
    int worst = error, length;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm);
    if (worst == MPI_SUCCESS)
        MPI_Win_free(&window);
    else
        MPI_Error_string(worst, text + strlen(text), &length);
    MPI_Comm_free(&comm);
    return worst == MPI_SUCCESS ? NULL : text;
}

static struct gups *accumulate_open(const struct gups_problem *problem, bool is_alone)
{
    (void)is_alone;
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
    .updates_shift = 4, .why_not = accumulate_why_not, .open = accumulate_open};
