/* SPDX-License-Identifier: MIT */
/*
 * Who initialised MPI, who uses it, who finalises it; and which nodes a process has on its machine. See mpi_parts.h.
 *
 * MPI can be initialised once in a process, so closing a node leaves it: later nodes and the application may use it.
 *
 * Threads: any; one lock guards who uses MPI.
 */
#include "transport/mpi_parts.h"

#include "device/cores.h"
#include "transport/launcher.h"

#include <inttypes.h>
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
                                              "MPI_THREAD_MULTIPLE, which the network thread "
                                              "needs");
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

/* Writes the first words of the library's version: its name and number, of which MPICH makes two columns. */
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

/* ---- the other nodes of this machine ------------------------------------------------------------ */

/* What a node sends to the other nodes of its machine. */
struct introduction {
    struct gravel_segment_card card;
    uint64_t node;
};

/* Maps all others' segments; all agree whether they could. */
static int meet(MPI_Comm local, struct gravel_transport *transport)
{
    struct gravel_handover *handover = &transport->handover;
    struct introduction self = {gravel_segment_card(handover->segment), transport->node};
    struct introduction all[GRAVEL_SEGMENT_PEERS];
    unsigned char takes[GRAVEL_SEGMENT_PEERS] = {0}, is_taken[GRAVEL_SEGMENT_PEERS] = {0};
    TRY_MPI(MPI_Allgather, &self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, local);
    /* They are in the order of their numbers, and one of them is this node. */
    for (uint32_t i = 0; i < transport->n_local; i++)
        if (all[i].node >= transport->n_nodes || (i && all[i].node <= all[i - 1].node) ||
            (i == transport->local) != (all[i].node == transport->node))
            return gravel_fail(
                GRAVEL_ECORRUPT,
                "introduction %u of %u nodes of this machine has a bad node (%" PRIu64 " of %u)", i,
                transport->n_local, all[i].node, transport->n_nodes);
    for (uint32_t i = 0; i < transport->n_local; i++)
        takes[i] =
            i != transport->local && gravel_handover_take_from(handover, (uint32_t)all[i].node,
                                                               transport->local, &all[i].card);
    TRY_MPI(MPI_Alltoall, takes, 1, MPI_BYTE, is_taken, 1, MPI_BYTE, local);
    for (uint32_t i = 0; i < transport->n_local; i++)
        if (is_taken[i])
            gravel_handover_give_to(handover, (uint32_t)all[i].node, i);
    return 0;
}

/* Number the nodes of the machine. */
static int number(MPI_Comm local, struct gravel_transport *transport)
{
    int n = 0, rank = 0;
    uint32_t host = transport->node;
    TRY_MPI(MPI_Comm_size, local, &n);
    TRY_MPI(MPI_Comm_rank, local, &rank);
    TRY_MPI(MPI_Bcast, &host, 1, MPI_UINT32_T, 0, local);
    if (rank < 0 || rank >= n || (uint32_t)n > transport->n_nodes || host > transport->node)
        return gravel_fail(
            GRAVEL_ECORRUPT,
            "node %u of %u has a bad rank on its machine (%d of %d, the first is node "
            "%u)",
            transport->node, transport->n_nodes, rank, n, host);
    transport->n_local = (uint32_t)n;
    transport->local = (uint32_t)rank;
    transport->host = host;
    return 0;
}

/* Finds the nodes of the machine. If a step fails, MPI keeps the communicator: the transport does not open. */
int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport)
{
    MPI_Comm local = MPI_COMM_NULL, sharing = MPI_COMM_NULL;
    int n = 1, colour = (int)(gravel_cores_identity() >> 33);
    TRY_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    GRAVEL_TRY(number(local, transport));
    /* Nodes that a launcher has given cores of their own have divided the machine; others share. */
    TRY_MPI(MPI_Comm_split, local, colour, 0, &sharing);
    TRY_MPI(MPI_Comm_size, sharing, &n);
    transport->n_sharing = (uint32_t)n;
    TRY_MPI(MPI_Comm_free, &sharing);
    if (transport->n_local > 1 && transport->n_local <= GRAVEL_SEGMENT_PEERS)
        GRAVEL_TRY(meet(local, transport));
    TRY_MPI(MPI_Comm_free, &local);
    return 0;
}
