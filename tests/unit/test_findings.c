/* SPDX-License-Identifier: MIT */
/*
 * What gravel-info --cluster finds in a job, by ranks that are made up: what keeps it from opening, what makes it slow, and
 * nothing where nothing is wrong.
 *
 * Path: meson test -> this -> tools/info/findings.c, cores_list.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "info/cores_list.h"
#include "info/findings.h"

#define GIB (INT64_C(1) << 30)

static json_t *ranks, *findings;

/* Empty jobs and findings. */
static int begin(void **state)
{
    (void)state;
    ranks = json_array();
    findings = NULL;
    return ranks ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    json_decref(ranks);
    json_decref(findings);
    return 0;
}

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
    json_t *rank = json_pack(
        "{s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:{}, s:{s:i, s:i, s:s}, s:{s:n, s:n, s:n, s:n}, s:b,"
        " s:n, s:{s:i, s:n, s:n}, s:{s:s, s:s, s:[s], s:[s], s:b}}",
        "rank", number, "first", first, "local", local, "host", name, "version", "1.0", "mpi",
        "MPI 4", "step", "svm", "settings", "cores", "online", 64, "allowed", 64, "list", "0-63",
        "limits", "locked_bytes", "file_bytes", "address_bytes", "descriptors", "has_rdma", 0,
        "selection", "handover", "takers", local, "error", "why_not", "device", "name", "CPU",
        "driver", "1", "numbers", "0:0", "identities", "00ff", "is_cpu", 1);
    assert_non_null(rank);
    json_array_append_new(ranks, rank);
    return rank;
}

static void add_ranks(int n, int host)
{
    for (int i = 0; i < n; i++)
        add_rank(host);
}

static void set_text(json_t *rank, const char *object, const char *key, const char *text)
{
    json_object_set_new(object ? json_object_get(rank, object) : rank, key, json_string(text));
}

static void set_number(json_t *rank, const char *object, const char *key, json_int_t number)
{
    json_object_set_new(json_object_get(rank, object), key, json_integer(number));
}

static void give_cores(json_t *rank, const char *list)
{
    cpu_set_t set;
    info_cores_read(list, &set);
    set_text(rank, "cores", "list", list);
    set_number(rank, "cores", "allowed", CPU_COUNT(&set));
}

/* @param identity  NULL: unknown. */
static void give_gpu(json_t *rank, const char *identity)
{
    json_object_set_new(rank, "device",
                        json_pack("{s:s, s:s, s:[s], s:[s?], s:b}", "name", "GPU", "driver", "1",
                                  "numbers", "1:0", "identities", identity, "is_cpu", 0));
}

/* So many findings, of which the first says and advises this; one that is fatal begins with "!". */
static void expect(size_t n, const char *what, const char *remedy)
{
    json_decref(findings);
    findings = info_find(ranks);
    const json_t *first = json_array_get(findings, 0);
    const char *said = n ? json_string_value(json_object_get(first, "what")) : NULL;
    if (json_array_size(findings) != n)
        json_dumpf(findings, stderr, JSON_INDENT(4));
    assert_int_equal(json_array_size(findings), n);
    if (n == 0)
        return;
    assert_int_equal(json_is_true(json_object_get(first, "is_fatal")), *what == '!');
    assert_string_equal(said, what + (*what == '!'));
    assert_non_null(strstr(json_string_value(json_object_get(first, "remedy")), remedy));
}

static void nothing_is_found_where_nothing_is_wrong(void **state)
{
    (void)state;
    add_ranks(4, 1);
    add_ranks(4, 2);
    expect(0, NULL, NULL);
}

static void ranks_that_cannot_open_are_told(void **state)
{
    (void)state;
    json_t *rank = add_rank(1);
    json_t *other = add_rank(2);
    set_text(other, NULL, "error", "no device");
    expect(1, "!rank 1 on gh2: no device", "gravel-info on that host");
    json_object_del(other, "error");
    set_text(other, NULL, "mpi", "MPI 5");
    expect(1, "!MPI: MPI 4 at rank 0 on gh1; MPI 5 at rank 1 on gh2", "one version");
    set_text(other, NULL, "mpi", "MPI 4");
    set_text(other, "settings", "GRAVEL_HEAP", "4096");
    expect(1, "!GRAVEL_HEAP: 268435456 at rank 0 on gh1; 4096 at rank 1 on gh2", "node 0 alone");
    set_text(rank, "settings", "GRAVEL_HEAP", "4096");
    expect(0, NULL, NULL);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void shared_devices_are_told_by_what_names_them(void **state)
{
    (void)state;
    give_gpu(add_rank(1), "00aa");
    give_gpu(add_rank(1), "00aa");
    give_gpu(add_rank(2), "00aa");
    expect(1, "rank 0 on gh1 shares its device with rank 1", "one rank a device");
    give_gpu(json_array_get(ranks, 1), "00bb");
    expect(0, NULL, NULL);
}

static void devices_without_a_name_are_unknown_not_shared(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        give_gpu(add_rank(i < 2 ? 1 : 2), NULL);
    expect(
        1,
        "ranks 0, 1 on gh1: whether they share a device is unknown, for its driver tells no UUID",
        "at each rank");
    set_text(json_array_get(ranks, 0), NULL, "selection", "ROCR_VISIBLE_DEVICES=0");
    set_text(json_array_get(ranks, 1), NULL, "selection", "ROCR_VISIBLE_DEVICES=1");
    expect(
        1,
        "ranks 0, 1 on gh1: whether they share a device is unknown, for its driver tells no UUID, "
        "and a rank may see some devices only: ROCR_VISIBLE_DEVICES=0",
        "at each rank");
    give_gpu(json_array_get(ranks, 1), "00bb"); /* one alone shares with none */
    expect(0, NULL, NULL);
}

/* ---- cores ----------------------------------------------------------------------------------- */

static void one_core_for_all_threads_is_told(void **state)
{
    (void)state;
    give_cores(add_rank(1), "3");
    give_cores(add_rank(1), "4-6");
    expect(1, "rank 0 on gh1 may run on core 3 alone, of 64", "--bind-to none");
}

/* A host that has no more is no launcher's oversight. */
static void a_host_of_few_cores_is_not_told(void **state)
{
    (void)state;
    json_t *rank = add_rank(1);
    give_cores(rank, "0-1");
    set_number(rank, "cores", "online", 2);
    expect(0, NULL, NULL);
}

static void cores_that_ranks_share_are_told(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        give_cores(add_rank(i < 4 ? 1 : 2), "0-11");
    expect(0, NULL, NULL); /* 3 for each */
    for (size_t i = 4; i < 8; i++)
        give_cores(json_array_get(ranks, i), "0-7,9-11");
    expect(
        1,
        "ranks 4, 5, 6, 7 on gh2 share cores 0-7,9-11, and each has 3 threads beside its kernels",
        "srun -c CORES");
}

/* By way of the second, and of no other host's. */
static void cores_are_shared_by_way_of_a_third_rank(void **state)
{
    (void)state;
    give_cores(add_rank(1), "6-8");
    give_cores(add_rank(1), "0-3");
    give_cores(add_rank(1), "3-6");
    give_cores(add_rank(1), "16-18");
    give_cores(add_rank(2), "0-3");
    expect(0, NULL, NULL); /* nine cores for three */
    give_cores(json_array_get(ranks, 1), "1-3");
    expect(1, "ranks 0, 1, 2 on gh1 share cores 1-8, and each has 3 threads beside its kernels",
           "fewer ranks a host");
}

static void the_first_of_many_ranks_are_named(void **state)
{
    (void)state;
    for (int i = 0; i < 11; i++) {
        json_t *rank = add_rank(1);
        give_cores(rank, "0");
        set_number(rank, "cores", "online", 1);
    }
    expect(1,
           "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 3 more on gh1 share core 0, and each has 3 threads "
           "beside its kernels",
           "fewer ranks a host");
}

static void unknown_cores_are_not_shared(void **state)
{
    (void)state;
    set_text(add_rank(1), "cores", "list", "");
    set_text(add_rank(1), "cores", "list", "");
    expect(0, NULL, NULL);
}

static void lists_of_cores_are_read_as_they_are_written(void **state)
{
    static const char *const lists[] = {"0", "0-3", "1,3", "0-3,8", "5,7-9,1022-1023"};
    static const char *const wrong[] = {"", ",", "-1", "a", "1024", "1024-9999999999"};
    char text[INFO_CORES_BYTES];
    cpu_set_t set, read;
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        info_cores_read(lists[i], &set);
        info_cores_write(&set, text);
        assert_string_equal(text, lists[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        info_cores_read(wrong[i], &set);
        assert_int_equal(CPU_COUNT(&set), 0);
    }
    CPU_ZERO(&set);
    for (size_t core = 0; core < CPU_SETSIZE; core += 2)
        CPU_SET(core, &set);
    info_cores_write(&set, text);
    info_cores_read(text, &read);
    assert_true(CPU_EQUAL(&set, &read));
}

/* ---- node buffers and limits ----------------------------------------------------------------- */

static void ranks_that_cannot_map_each_other_are_told(void **state)
{
    (void)state;
    add_ranks(3, 1);
    for (size_t i = 0; i < 3; i += 2)
        set_text(json_array_get(ranks, i), "handover", "why_not",
                 "of node 1 (/proc/7/fd/9: Permission denied)");
    expect(1,
           "ranks 0, 2 on gh1 cannot map node buffers of others there, which MPI sends instead: of "
           "node 1 (/proc/7/fd/9: Permission denied)",
           "no hidepid");
    set_text(json_array_get(ranks, 1), "handover", "error", "files may have 512 bytes");
    expect(1, "rank 1 on gh1: files may have 512 bytes", "ulimit -f"); /* the others' reason, too */
}

static void short_limits_are_told_by_the_shortest(void **state)
{
    (void)state;
    add_ranks(2, 1);
    add_ranks(2, 2);
    for (int i = 0; i < 4; i++) {
        json_t *rank = json_array_get(ranks, (size_t)i);
        set_number(rank, "limits", "descriptors", 68);
        set_number(rank, "limits", "address_bytes", 7 * GIB);
        set_number(rank, "limits", "locked_bytes", 65536);
    }
    expect(0, NULL, NULL);
    set_number(json_array_get(ranks, 2), "limits", "descriptors", 67);
    set_number(json_array_get(ranks, 3), "limits", "descriptors", 40);
    expect(
        1,
        "ranks 2, 3 on gh2 may open 40 descriptors, and MPI may need 68: a connection to each of 4 "
        "ranks, and its own",
        "ulimit -n");
}

static void a_short_address_space_is_told(void **state)
{
    (void)state;
    set_number(add_rank(1), "limits", "address_bytes", 6 * GIB);
    expect(0, NULL, NULL);
    add_rank(1);
    expect(1,
           "rank 0 on gh1 may have 6144 MiB of addresses, and may need 6148: a gigabyte for each "
           "rank of the host (2), and heap, queues and driver",
           "ulimit -v");
}

/* Networks that do not read memory by themselves need none that is locked. */
static void little_locked_memory_matters_to_infiniband(void **state)
{
    (void)state;
    json_t *rank = add_rank(1);
    set_number(rank, "limits", "locked_bytes", 65536);
    expect(0, NULL, NULL);
    json_object_set_new(rank, "has_rdma", json_true());
    expect(1,
           "rank 0 on gh1 may lock 64 kB, and InfiniBand reads memory that is locked: node buffers "
           "take 65536 kB",
           "ulimit -l");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_found_where_nothing_is_wrong),
        TEST(ranks_that_cannot_open_are_told),
        TEST(shared_devices_are_told_by_what_names_them),
        TEST(devices_without_a_name_are_unknown_not_shared),
        TEST(one_core_for_all_threads_is_told),
        TEST(a_host_of_few_cores_is_not_told),
        TEST(cores_that_ranks_share_are_told),
        TEST(cores_are_shared_by_way_of_a_third_rank),
        TEST(the_first_of_many_ranks_are_named),
        TEST(unknown_cores_are_not_shared),
        TEST(lists_of_cores_are_read_as_they_are_written),
        TEST(ranks_that_cannot_map_each_other_are_told),
        TEST(short_limits_are_told_by_the_shortest),
        TEST(a_short_address_space_is_told),
        TEST(little_locked_memory_matters_to_infiniband),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
