/* SPDX-License-Identifier: MIT */
/*
 * Reads the variables of MPI launchers, and describes the host. See launcher.h.
 */
#include "transport/launcher.h"

#include "base/number.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns a launcher's variable; 0 if it is not set or is not a number of processes. */
static uint32_t number_of(const char *variable)
{
    const char *text = getenv(variable);
    uint64_t number;
    return text && gravel_number_within(text, 0, UINT32_MAX - 1, &number) ? (uint32_t)number : 0;
}

/* Open MPI, MPICH and Intel, MVAPICH; PMIx, which srun may start too, and PALS of Cray, which set a rank alone; srun
 * without any of them, and last: launchers in a step of Slurm count from 0 again. A batch script has no size.
 * apps/frame/process.h and python/gravel/_opening.py name the same (tests/headers/names.py). */
static const struct {
    const char *size, *rank;
    bool is_mpi;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", true},
    {"PMI_SIZE", "PMI_RANK", true},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", true},
    {NULL, "PMIX_RANK", true},
    {NULL, "PALS_RANKID", true},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", false},
};

struct gravel_launched gravel_launcher_read(void)
{
    struct gravel_launched launched = {.variable = NULL};
    bool has_rank = false, has_size = false;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = launchers[i].size, *rank = launchers[i].rank;
        const uint32_t n = size ? number_of(size) : 0;
        const bool is_ranked = getenv(rank) != NULL;
        if (is_ranked && !has_rank)
            launched.rank = number_of(rank);
        has_rank |= is_ranked;
        launched.is_mpi |= !size && is_ranked;
        if (n && !has_size) {
            launched.variable = size;
            launched.n_processes = n;
            launched.is_mpi |= launchers[i].is_mpi;
            has_size = true;
        } else if (!size && is_ranked && !launched.n_processes) {
            launched.variable = rank;
            launched.n_processes = number_of(rank) + 1;
        }
    }
    return launched;
}

/* ---- the host --------------------------------------------------------------------------------- */

/* Reads an address in use that other hosts can see; link-local ones of IPv6, which every interface has, say nothing. */
static bool read_address(const struct ifaddrs *interface, char *text, socklen_t bytes)
{
    const struct sockaddr *address = interface->ifa_addr;
    const unsigned flags = interface->ifa_flags;
    if (!address || !(flags & IFF_UP) || (flags & IFF_LOOPBACK))
        return false;
    if (address->sa_family == AF_INET)
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr,
                         text, bytes);
    if (address->sa_family != AF_INET6)
        return false;
    const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return !IN6_IS_ADDR_LINKLOCAL(six) && inet_ntop(AF_INET6, six, text, bytes);
}

static void append(char *text, size_t bytes, const char *begin, const char *what)
{
    size_t length = strlen(text);
    snprintf(text + length, bytes - length, "%s%s", begin, what);
}

void gravel_host_describe(char *text, size_t bytes)
{
    char name[128] = "", address[INET6_ADDRSTRLEN];
    struct ifaddrs *all = NULL;
    const char *begin = " (";
    if (gethostname(name, sizeof name - 1) != 0)
        name[0] = '\0';
    snprintf(text, bytes, "host %s", name[0] ? name : "without a name");
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next)
        if (read_address(i, address, sizeof address)) {
            append(text, bytes, begin, i->ifa_name);
            append(text, bytes, " ", address);
            begin = ", ";
        }
    append(text, bytes, "", begin[0] == ',' ? ")" : " (without addresses)");
    freeifaddrs(all);
}
