/* SPDX-License-Identifier: MIT */
/*
 * What gravel-info --cluster finds in a job, by ranks that are made up: what keeps it from opening, what makes it slow, and
 * nothing where nothing is wrong.
 *
 * Path: meson test -> this -> tools/info/findings.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "info/info.h"

static json_t *ranks;

/* One more rank on host gh1, gh2 ...: a CPU device, all of 64 cores, no limits. */
static json_t *add_rank(int host)
{
    const int number = (int)json_array_size(ranks);
    int first = number, local = 0;
    size_t i;
    json_t *other;
    char name[16];
    snprintf(name, sizeof name, "gh%d", host);
    json_array_foreach(ranks, i, other)
    {
        if (strcmp(json_string_value(json_object_get(other, "host")), name))
            continue;
        first = local ? first : (int)i;
        local++;
    }
    json_t *rank =
        json_pack("{s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:{}, s:{s:i, s:i, s:i}, s:{s:n, s:n, s:n},"
                  " s:{s:s, s:s}, s:{s:s, s:b}}",
                  "rank", number, "first", first, "local", local, "host", name, "version", "1.0",
                  "mpi", "MPI 4", "step", "svm", "settings", "cores", "online", 64, "allowed", 64,
                  "sharing", 1, "limits", "rdma_bytes", "address_bytes", "descriptors", "handover",
                  "error", "", "why_not", "", "device", "identity", "00ff", "is_cpu", 1);
    assert_non_null(rank);
    json_array_append_new(ranks, rank);
    return rank;
}

/* Sets what a line "RANK OBJECT KEY VALUE" says, where an object "-" is the rank itself; or of a GPU its identity, "?" if it
 * has none. */
static void change(const char *line)
{
    int number, at;
    char object[16], key[16], text[80];
    assert_int_equal(sscanf(line, "%d %15s %15s%n", &number, object, key, &at), 3);
    line += at + 1;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    json_t *rank = json_array_get(ranks, (size_t)number);
    json_t *of = strcmp(object, "-") ? json_object_get(rank, object) : rank;
    char *end;
    const json_int_t value = strtoll(text, &end, 10);
    const bool is_number = *end == '\0' && strcmp(object, "settings");
    assert_non_null(rank);
    if (!strcmp(key, "gpu"))
        json_object_set_new(
            rank, "device",
            json_pack("{s:s?, s:b}", "identity", *text == '?' ? NULL : text, "is_cpu", 0));
    else
        json_object_set_new(of, key, is_number ? json_integer(value) : json_string(text));
}

static void find_own(json_t *rank)
{
    size_t i, n_local = 0;
    json_t *other;
    json_array_foreach(ranks, i, other) n_local +=
        json_equal(json_object_get(rank, "host"), json_object_get(other, "host"));
    json_object_set_new(rank, "n_local", json_integer((json_int_t)n_local));
    json_object_set_new(rank, "n_ranks", json_integer((json_int_t)json_array_size(ranks)));
    info_find_own(rank);
}

/* Jobs: each rank's host, what else differs, and of the n findings what the first one says and advises; one that is fatal
 * begins with "!". */
static const struct {
    const char *hosts, *changes;
    size_t n;
    const char *what, *remedy;
} rows[] = {
    {"11112222", "", 0, NULL, NULL},
    {"12", "1 - error no device", 1, "!rank 1 on gh2: no device", "gravel-info on that host"},
    /* devices: shared by identity on one host; what has none is unknown, not shared */
    {"112", "0 - gpu 00aa\n1 - gpu 00aa\n2 - gpu 00aa", 1,
     "ranks 0, 1 on gh1: have no device of their own", "one rank a device"},
    {"112", "0 - gpu 00aa\n1 - gpu 00bb\n2 - gpu 00aa", 0, NULL, NULL},
    {"112", "0 - gpu ?\n1 - gpu ?\n2 - gpu ?", 1,
     "ranks 0, 1 on gh1: whether they share a device is unknown, for its driver has no UUID, and "
     "each may be shown some devices only",
     "at each rank"},
    {"112", "0 - gpu ?\n1 - gpu 00bb\n2 - gpu ?", 0, NULL, NULL},
    /* cores: a host that has no more is no launcher's oversight */
    {"11", "0 cores allowed 1", 1, "rank 0 on gh1: may run on 1 of 64 cores", "--bind-to none"},
    {"1", "0 cores allowed 2\n0 cores online 2", 0, NULL, NULL},
#define SHARE(rank, n) "\n" #rank " cores allowed " #n "\n" #rank " cores sharing 3"
    {"1112", SHARE(0, 9) SHARE(1, 9) SHARE(2, 9), 0, NULL, NULL},
    {"2111", SHARE(1, 8) SHARE(2, 8) SHARE(3, 8), 1,
     "ranks 1, 2, 3 on gh1: ranks share 8 cores, and each has 3 threads next to its kernels",
     "srun -c CORES"},
#define ALL(LINE) \
    LINE(0) LINE(1) LINE(2) LINE(3) LINE(4) LINE(5) LINE(6) LINE(7) LINE(8) LINE(9) LINE(10)
#define LOCK(rank) "\n" #rank " limits rdma_bytes 1024"
    {"11111111112", ALL(LOCK), 1,
     "ranks 0, 1, 2, 3, 4, 5, 6, 7 on gh1 and 3 more: may lock 1 kB, and InfiniBand reads memory "
     "that is locked: node buffers take 65536 kB",
     "ulimit -l"},
/* node buffers */
#define NOT_MAPPED \
    "0 handover why_not of node 1 (/proc/7/fd/9)\n2 handover why_not of node 1 (/proc/7/fd/9)"
    {"111", NOT_MAPPED, 1,
     "ranks 0, 2 on gh1: cannot map node buffers of others there, which MPI sends instead: of node "
     "1 (/proc/7/fd/9)",
     "no hidepid"},
    {"111", "1 handover error files may have 512 bytes", 1,
     "rank 1 on gh1: files may have 512 bytes", "ulimit -f"},
    /* limits: locked memory matters to InfiniBand alone */
    {"1122",
     "2 limits descriptors 68\n3 limits descriptors 68\n0 limits address_bytes 7516192768\n0 "
     "limits locked_bytes 65536",
     0, NULL, NULL},
    {"1122", "1 limits descriptors 40\n2 limits descriptors 40", 1,
     "ranks 1 on gh1, 2 on gh2: may open 40 descriptors, and MPI may need 68: a connection to each "
     "rank, and its own",
     "ulimit -n"},
    {"1", "0 limits address_bytes 6442450944", 0, NULL, NULL},
    {"11", "0 limits address_bytes 6442450944", 1,
     "rank 0 on gh1: may have 6144 MiB of addresses, and may need 6148: a gigabyte for each rank "
     "of "
     "the host, and heap, queues and driver",
     "ulimit -v"},
    {"1", "0 limits rdma_bytes 65536", 1,
     "rank 0 on gh1: may lock 64 kB, and InfiniBand reads memory that is locked: node buffers take "
     "65536 kB",
     "ulimit -l"},
};

TEST(each_job_has_its_findings)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ranks = json_array();
        for (const char *host = rows[i].hosts; *host; host++)
            add_rank(*host - '0');
        for (const char *line = rows[i].changes; *line;
             line += strcspn(line, "\n"), line += *line == '\n')
            change(line);
        json_t *findings = json_array(), *rank;
        size_t number;
        json_array_foreach(ranks, number, rank) find_own(rank);
        const bool is_broken = info_find(ranks, findings);
        const json_t *first = json_array_get(findings, 0);
        if (json_array_size(findings) != rows[i].n)
            json_dumpf(findings, stderr, JSON_INDENT(4));
        assert_int_equal(json_array_size(findings), rows[i].n);
        if (rows[i].n) {
            const bool is_fatal = *rows[i].what == '!';
            assert_int_equal(is_broken, is_fatal);
            assert_string_equal(json_string_value(json_object_get(first, "what")),
                                rows[i].what + is_fatal);
            assert_non_null(
                strstr(json_string_value(json_object_get(first, "remedy")), rows[i].remedy));
        }
        json_decref(findings);
        json_decref(ranks);
    }
}
