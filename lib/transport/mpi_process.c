/* SPDX-License-Identifier: MIT */
/*
 * Who initialised MPI, who uses it, who finalises it. See mpi_parts.h.
 *
 * MPI can be initialised once in a process, so closing a node leaves it: later nodes and the application may use it.
 *
 * Threads: any; one lock guards all.
 */
#include "transport/mpi_parts.h"

#include "transport/launcher.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t
    initialised_by;     /* this process, if Gravel initialised MPI; a forked child is another */
static uint32_t n_open; /* transports */
static bool has_failed; /* with a dead peer MPI_Finalize could hang */
static bool is_exiting;
static void (*program_finalises)(void); /* set once */

int gravel_mpi_fail(const char *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", error);
    return gravel_fail(GRAVEL_EMPI, "%s: %s", call, text);
}

/* Locked. The application may have finalised MPI itself. */
static void finalise(void)
{
    int is_finalised = 1;
    if (initialised_by != getpid() || n_open || has_failed)
        return;
    if (MPI_Finalized(&is_finalised) == MPI_SUCCESS && !is_finalised)
        MPI_Finalize();
}

static void finalise_at_exit(void)
{
    pthread_mutex_lock(&lock);
    is_exiting = true; /* the application may close its node later, in a handler of its own */
    finalise();
    pthread_mutex_unlock(&lock);
}

static int initialise(void)
{
    int level = MPI_THREAD_SINGLE;
    TRY_MPI(MPI_Init_thread, NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    initialised_by = getpid();
    atexit(finalise_at_exit); /* without it the launcher complains: no reason not to open */
    if (level < MPI_THREAD_FUNNELED)
        return gravel_fail(GRAVEL_EMPI, "MPI offers no MPI_THREAD_FUNNELED");
    return 0;
}

static int enter(void)
{
    int is_initialised = 0, is_finalised = 0, level = MPI_THREAD_SINGLE;
    TRY_MPI(MPI_Finalized, &is_finalised);
    if (is_finalised)
        return gravel_fail(GRAVEL_EMPI, "MPI is finalised already: open nodes before");
    TRY_MPI(MPI_Initialized, &is_initialised);
    if (!is_initialised)
        return initialise();
    TRY_MPI(MPI_Query_thread, &level);
    if (initialised_by != getpid())
        return level == MPI_THREAD_MULTIPLE
                   ? 0
                   : gravel_fail(GRAVEL_EMPI, "the application initialised MPI without "
                                              "MPI_THREAD_MULTIPLE, which the network thread needs "
                                              "beside it");
    if (has_failed) /* MPI is of an earlier node */
        return gravel_fail(GRAVEL_EMPI,
                           "a node of this process has failed: other processes may be dead, and "
                           "MPI would wait for them");
    if (level < MPI_THREAD_SERIALIZED || (level < MPI_THREAD_MULTIPLE && n_open))
        return gravel_fail(GRAVEL_EMPI, /* one network thread at a time may use it */
                           "MPI offers no MPI_THREAD_%s, which a second node of this process needs",
                           n_open ? "MULTIPLE" : "SERIALIZED");
    return 0;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, and MPI works until that is done. */
static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    program_finalises();
    return MPI_SUCCESS;
}

/* Locked. */
static int await_finalise(void (*finalising)(void))
{
    int key;
    if (program_finalises || !finalising)
        return 0;
    TRY_MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL);
    TRY_MPI(MPI_Comm_set_attr, MPI_COMM_SELF, key, NULL);
    program_finalises = finalising;
    return 0;
}

int gravel_mpi_enter(void (*finalising)(void))
{
    pthread_mutex_lock(&lock);
    int code = enter();
    if (!code)
        code = await_finalise(finalising);
    n_open += code == 0;
    pthread_mutex_unlock(&lock);
    return code;
}

/* The first words of the library's version: its name and number, of which MPICH makes two columns. */
void gravel_transport_mpi_name(char name[GRAVEL_MPI_NAME_BYTES])
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    size_t n = 0;
    for (const char *c = text; *c && n + 1 < GRAVEL_MPI_NAME_BYTES; c++)
        if (*c != '\t')
            name[n++] = *c;
        else if (n && name[n - 1] != ' ')
            name[n++] = ' ';
    name[n] = '\0';
}

int gravel_mpi_check_launcher(void)
{
    const struct gravel_launched launched = gravel_launcher_read();
    char library[GRAVEL_MPI_NAME_BYTES];
    int n = 0;
    TRY_MPI(MPI_Comm_size, MPI_COMM_WORLD, &n);
    if (launched.n_processes <= (uint32_t)n)
        return 0;
    gravel_transport_mpi_name(library);
    return gravel_fail(GRAVEL_ECONFIG,
                       "launched as %u processes (%s), of which MPI knows %d, so each would be a "
                       "job of its own: the launcher belongs to another MPI than this library, "
                       "which has %s; take the mpirun of that",
                       launched.n_processes, launched.variable, n, library);
}

void gravel_mpi_leave(bool is_clean)
{
    pthread_mutex_lock(&lock);
    n_open--;
    has_failed |= !is_clean;
    if (is_exiting)
        finalise();
    pthread_mutex_unlock(&lock);
}
