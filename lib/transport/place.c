/* SPDX-License-Identifier: MIT */
/*
 * Describes the host of a process. See place.h.
 */
#include "transport/place.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An address in use that other hosts can see; link-local ones of IPv6, which every interface has, say nothing. */
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

void gravel_place_describe(char *text, size_t bytes)
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
