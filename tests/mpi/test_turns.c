/* SPDX-License-Identifier: MIT */
/*
 * Nodes of one host take equal devices in turn; those that share one are told of each other.
 *
 * usage: mpirun -np N test_turns <devices>    exit: 0, 1, or 77 where there are not so many equal devices
 *
 * Path: meson test -> mpirun -> this -> lib/device/select.c, lib/node/neighbours.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"

static char heard[8192];

static void hear(void *user, const char *text)
{
    size_t n = strlen(heard);
    (void)user;
    snprintf(heard + n, sizeof heard - n, "%s\n", text);
}

static struct gravel *open_heard(void)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = hear);
    struct gravel_config config;
    struct gravel *gravel;
    heard[0] = '\0';
    OK(gravel_config_load(&config, sizeof config));
    config.heap_bytes = 1 << 20;
    OK(gravel_open(&gravel, &config, &bindings));
    return gravel;
}

static void must_hear(const char *part)
{
    if (!strstr(heard, part))
        die(__FILE__, __LINE__, "not told \"%s\" but: %s", part, heard);
}

/* All work-items of all nodes count in node 0. */
static void must_work(struct gravel *gravel)
{
    uint64_t word = alloc_or_die(gravel, 64);
    OK(run_body(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", 256, 64, word, 0, 0));
    if (gravel_node(gravel) == 0)
        MUST(word32(gravel, 0, word) == 256 * gravel_n_nodes(gravel));
    OK(gravel_barrier(gravel));
}

/* "0, 4" for the nodes that take the same device as this one. */
static void list_sharers(uint32_t node, uint32_t n_nodes, uint32_t n_devices, char *text)
{
    *text = '\0';
    for (uint32_t other = node % n_devices; other < n_nodes; other += n_devices)
        if (other != node)
            sprintf(text + strlen(text), "%s%u", *text ? ", " : "", other);
}

int main(int argc, char **argv)
{
    uint32_t n_devices = argc > 1 ? (uint32_t)atoi(argv[1]) : 2;
    char part[256], sharers[128];
    watch(100, "devices in turn");
    struct gravel *gravel = open_heard();
    uint32_t node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    snprintf(part, sizeof part, "of %u equal devices", n_devices);
    if (!strstr(heard, part))
        skip_all("there are not so many equal devices");
    snprintf(part, sizeof part,
             ":%u, number %u of %u equal devices, as this is node %u of its host", node % n_devices,
             node % n_devices + 1, n_devices, node + 1);
    must_hear(part);
    list_sharers(node, n_nodes, n_devices, sharers);
    snprintf(part, sizeof part, "of its host (%s)", sharers);
    if (*sharers && takes_step(gravel, "pump"))
        must_hear(part);
    else
        MUST(!strstr(heard, "shares"));
    must_work(gravel);
    OK(gravel_close(gravel));
    if (node == 0)
        puts("PASS");
    return 0;
}
