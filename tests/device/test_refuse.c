/* SPDX-License-Identifier: MIT */
/*
 * What messages and calls refuse: kernels' as rows of (body, arguments, code, text), the host's call by call. Each is named by
 * the number that is wrong, of up to 64 bits, nothing is written, and the node works on. Runs in checked mode and for arrays
 * that 32 bits do not number, too. What is wrong of any call, as a NULL or a node that does not exist, is in calls.c.
 *
 * Path: meson test -> this -> aggregator.c, decode.c, fault.c, node/messages.c, maps.c, heap.c, block_pool.c, waits.c
 */
#include <stdio.h>

#include "expect.h"
#include "layout/command.h"

#include <gravel/block_pool.h>

#define N_WORDS 1024u
#define BYTES (N_WORDS * 4u)

static struct gravel *gravel;
static struct guarded table; /* N_WORDS words of 4 bytes */
static uint64_t odd;         /* offset of an allocation of 12 bytes */
static uint64_t freed;       /* offset of an allocation that is gone */

static int nothing(struct gravel *node, void *user, uint32_t source,
                   const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source, (void)args;
    return 0;
}

static const struct gravel_handler handlers[] = {{.name = "none", .n_args = 0, .function = nothing},
                                                 {.name = "two", .n_args = 2, .function = nothing}};

static void open_node(void)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2);
    gravel = open_loopback(2, &bindings);
    table = guarded_alloc(gravel, BYTES);
    odd = alloc_or_die(gravel, 12);
    freed = alloc_or_die(gravel, 4096);
    OK(gravel_free(gravel, freed));
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

/* Fails if anything is written anywhere, if a refusal is reported again, or if the node does not work. */
static void expect_unharmed(void)
{
    guarded_check(gravel, &table);
    for (uint32_t node = 0; node < 2; node++)
        expect_words(gravel, node, table.memory, 0, N_WORDS);
    OK(gravel_quiet(gravel));
    expect_works(gravel);
}

/* ---- of kernels ------------------------------------------------------------------------------ */

/* In each group one work-item's number has more than 32 bits. */
#define FAR "ulong k = i % 64 == 6 ? (1ul << 32) + 5 : 5;"
#define FAR_NODE "ulong n = i % 64 == 6 ? (1ul << 32) + 1 : 1;"
#define FAR_INDEX "index 4294967301 of "
#define ASK "struct gravel_reply reply = {a, GRAVEL_NO_SIGNAL};"
/* Nothing where the device has no sub-groups. */
#define BODY_SG(text) BODY("\n#ifdef GRAVEL_HAS_SUBGROUPS\n" text "\n#endif\n")
#define FBAR(call) "GRAVEL_FBAR(f); GRAVEL_FOR_FBAR(g, f, turn, active, 1u) { " call " }"

TEST(messages_of_kernels_are_refused_and_named)
{
    const uint64_t words = table.memory;
    const char *to = BODY("gravel_inc_uint_wg(g, a, i, (uint)b);"),
               *index = BODY("gravel_inc_uint_wg(g, a, (uint)b, 1);"),
               *at = BODY("gravel_put_ulong_wg(g, a, 0, 1, 1);"),
               *wide = BODY("gravel_add_ulong_wg(g, a, (uint)b, 1, 1);"),
               *handler = BODY("gravel_am1_wg(g, (uint)b, a, 1);");
    const char *raw = /* a header that no device function writes */
        BODY("uint ticket; global uchar *slot;"
             "if (get_local_id(0) == 0) {"
             "    slot = gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);"
             "    if (slot) gravelp_queue_publish(slot, ticket, (uint)a, (uint)b, c);"
             "}");
    const uint32_t put = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT);
    const bool is_checked = gravel_config_of(gravel)->check; /* calls of groups are named */
    const struct {
        const char *body;
        uint64_t a, b;
        int code;
        const char *part; /* NULL: the number a */
    } rows[] = {
        {to, words, 2, GRAVEL_ERANGE, "destination 2 "},
        {to, words, 0x80000000u, GRAVEL_ERANGE, "2147483648"},
        {to, words, UINT32_MAX, GRAVEL_ERANGE, "4294967295"},
        {to, words, 5, GRAVEL_ERANGE, "and 3 more"},
        {BODY("gravel_put_uint_wg(g, a, i, 0u, i % 64 == 13 ? 77 : i % 2);"), words, 0,
         GRAVEL_ERANGE, "destination 77 "},
        {BODY("if (i == 5) gravel_inc_uint_wi(g, a, i, 9);"), words, 0, GRAVEL_ERANGE,
         "destination 9 "},
        {BODY("gravel_inc_uint_wg_if(g, i == 70, a, i, 9);"), words, 0, GRAVEL_ERANGE,
         "destination 9 "},
        {index, words, N_WORDS, GRAVEL_ERANGE, "index 1024 "},
        {index, words, UINT32_MAX, GRAVEL_ERANGE, "index 4294967295 "},
        {wide, words, N_WORDS / 2, GRAVEL_ERANGE, "index 512 "},
        {at, UINT64_MAX - 7, 0, GRAVEL_ERANGE, "18446744073709551608"},
        {at, UINT64_C(1) << 63, 0, GRAVEL_ERANGE, "9223372036854775808"},
        {at, 4u << 20, 0, GRAVEL_ERANGE, "4194304"},
        {index, words + 2, 0, GRAVEL_ERANGE, NULL},
        {BODY("gravel_add_ulong_wg_if(g, i < 3, a, 0, 1, 1);"), words + 4, 0, GRAVEL_ERANGE, NULL},
        {wide, words + 4, 0, GRAVEL_ERANGE, NULL},
        {wide, odd, 1, GRAVEL_ERANGE, "index 1 "},
        {wide, odd + 8, 0, GRAVEL_ERANGE, NULL},
        {index, freed, 0, GRAVEL_ERANGE, "in no allocation"},
        {handler, 0, 77, GRAVEL_EHANDLER, "handler 77 "},
        {handler, 0, 65535, GRAVEL_EHANDLER, "handler 65535 "},
        {handler, 0, 1, GRAVEL_EHANDLER, "takes 2"},
        {BODY("gravel_am4_wg_if(g, i == 1, GRAVEL_HANDLER(none), a, b, c, a, 1);"), 0, 0,
         GRAVEL_EHANDLER, "takes 0"},
        {raw, put, 0, GRAVEL_ECORRUPT, "0 messages"},
        {raw, put, 100000, GRAVEL_ECORRUPT, "100000 messages"},
        {raw, put, 0xfffffff0u, GRAVEL_ECORRUPT, "malformed"},
        {raw, 0, 1, GRAVEL_ECORRUPT, "command 0x0"},
        {raw, 0xff, 1, GRAVEL_ECORRUPT, "command 0xff"},
        {raw, 0xb1, 1, GRAVEL_ECORRUPT, "malformed"}, /* GRAVEL_BINNED: the library's own */
        {raw, GRAVELP_COMMAND(GRAVEL_PUT, 6), 1, GRAVEL_ECORRUPT, "malformed"},
        {raw, GRAVEL_AM | 7u << 13, 1, GRAVEL_ECORRUPT, "malformed"},
        {BODY(FAR "gravel_put_uint_wg(g, a, k, 77, 0);"), words, 0, GRAVEL_ERANGE,
         FAR_INDEX "uint"},
        {BODY(FAR "gravel_inc_ulong_wg(g, a, k, 1);"), words, 0, GRAVEL_ERANGE,
         "must be below 512"},
        {BODY(FAR "gravel_add_int_wg_if(g, i == 6, a, k, 1, 1);"), words, 0, GRAVEL_ERANGE,
         FAR_INDEX "int"},
        {BODY("if (i == 6) gravel_max_long_wi(g, a, -1l, 1, 0);"), words, 0, GRAVEL_ERANGE,
         "index 18446744073709551615 of long"},
        {BODY(FAR "gravel_put_signal_uint_wg(g, a, k, 77, a, 0);"), words, 0, GRAVEL_ERANGE,
         FAR_INDEX "uint"},
        {BODY("if (i == 6) gravel_add_float_wi(g, a, 1ul << 63, 1.f, 0);"), words, 0, GRAVEL_ERANGE,
         "index 9223372036854775808 of float"},
        {BODY(FAR ASK "gravel_get_uint_wg(g, a, k, reply, i, 1);"), words, 0, GRAVEL_ERANGE,
         FAR_INDEX "uint"},
        {BODY(FAR ASK "gravel_fetch_add_ulong_wg(g, a, (uint)i, 1, reply, k, 1);"), words, 0,
         GRAVEL_ERANGE, "place 4294967301 of ulong"},
        {BODY(ASK "if (i == 6) gravel_cas_uint_wi(g, a, 1ul << 32, 0, 1, reply, 0, 1);"), words, 0,
         GRAVEL_ERANGE, "index 4294967296 of uint"},
        {BODY(ASK "if (i == 6) gravel_swap_long_wi(g, a, 3, 1, reply, 1ul << 40, 0);"), words, 0,
         GRAVEL_ERANGE, "place 1099511627776 of long"},
        {BODY(ASK "gravel_get_uint_wg(g, a, i, reply, i % 64 == 3 ? 1024 : i, 1);"), words, 0,
         GRAVEL_ERANGE, "place 1024 of uint at result"},
        {BODY("gravel_put_signal_uint_wg(g, a, 0, 7, b, 1);"), words, freed, GRAVEL_ERANGE,
         "is in no allocation"},
        {BODY("if (i == 6) gravel_inc_uint_wi(g, a, 5, 1ul << 32);"), words, 0, GRAVEL_ERANGE,
         "destination 4294967296 "},
        {BODY(FAR_NODE "gravel_put_ulong_wg(g, a, (uint)i, 7, n);"), words, 0, GRAVEL_ERANGE,
         "destination 4294967297 "},
        {BODY(ASK "gravel_get_uint_wg_if(g, i == 6, a, 5, reply, 5, 1ul << 33);"), words, 0,
         GRAVEL_ERANGE, "destination 8589934592 "},
        {BODY("if (i == 6) gravel_am0_wi(g, GRAVEL_HANDLER(none), (1ul << 32) + 1);"), 0, 0,
         GRAVEL_ERANGE, "destination 4294967297 "},
        {BODY_SG(FAR "gravel_put_uint_sg(g, a, k, 77, 0);"), words, 0, GRAVEL_ERANGE,
         FAR_INDEX "uint"},
        {BODY_SG(FAR "gravel_add_ulong_sg_if(g, i == 6, a, k, 1, 1);"), words, 0, GRAVEL_ERANGE,
         "must be below 512"},
        {BODY_SG(FAR_NODE "if (i < 64) gravel_put_uint_sg(g, a, (uint)i, 0, n);"), words, 0,
         GRAVEL_ERANGE, "destination 4294967297 "},
        {BODY_SG(FAR FBAR("gravel_put_uint_fbar(g, f, a, k, 77, 0);")), words, 0, GRAVEL_ERANGE,
         FAR_INDEX "uint"},
        {BODY_SG(FAR FBAR("gravel_inc_ulong_fbar_if(g, f, active && i == 6, a, k, 1);")), words, 0,
         GRAVEL_ERANGE, FAR_INDEX "ulong"},
        {BODY_SG(FAR_NODE FBAR("gravel_put_ulong_fbar(g, f, a, (uint)i, 7, n);")), words, 0,
         GRAVEL_ERANGE, "destination 4294967297 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)rows[i].a);
        const int code = run_body(gravel, rows[i].body, 256, 64, rows[i].a, rows[i].b, 0);
        if (code || !strstr(rows[i].body, "GRAVEL_HAS_SUBGROUPS"))
            expect_error(code, rows[i].code, rows[i].part ? rows[i].part : number);
        /* What a signal names is known to its owner alone. */
        if (is_checked && rows[i].part && rows[i].a == words && rows[i].b != freed &&
            strstr(rows[i].body, "_wg"))
            expect_error(code, GRAVEL_ERANGE, "work-group at (");
        expect_unharmed();
    }
}

TEST(refusals_are_counted_in_statistics)
{
    struct gravel_stats stats;
    OK(gravel_stats_reset(gravel));
    expect_error(
        run_body(gravel, BODY("gravel_inc_uint_wg(g, a, i, 5);"), 128, 64, table.memory, 0, 0),
        GRAVEL_ERANGE, "destination 5 ");
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    assert_int_equal(stats.refused_messages, 128);
    expect_error(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, 0, 0);"), 128, 64, freed, 0, 0),
                 GRAVEL_ERANGE, "no allocation");
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    assert_true(gravel_config_of(gravel)->check ? stats.refused_messages > 128
                                                : stats.refused_buffers >= 1);
    expect_error(gravel_stats_read(gravel, &stats, sizeof stats, 2), GRAVEL_EINVAL,
                 "node 2 does not exist (there are 2)");
}

/* ---- of the host ----------------------------------------------------------------------------- */

/* As a whole: of a put of many pieces, none goes to what lies behind the gap, or behind the end of all numbers. */
TEST(bytes_outside_are_refused_at_once)
{
    static char data[8 << 20] = {1};
    const uint64_t words = table.memory;
    void *map = &map;
    char part[96];
    snprintf(part, sizeof part, ": theirs is of %u from %llu on", BYTES, (unsigned long long)words);
    expect_error(gravel_put(gravel, words + BYTES - 32, data, sizeof data, 1), GRAVEL_ERANGE, part);
    expect_error(gravel_put(gravel, UINT64_MAX - sizeof data / 2, data, sizeof data, 1),
                 GRAVEL_ERANGE, "8388608 bytes from offset 18446744073705357311 on are not in one");
    expect_error(gravel_get(gravel, words + 8, data, BYTES, 1), GRAVEL_ERANGE, "not in one");
    expect_error(gravel_get(gravel, words, data, UINT64_MAX, 1), GRAVEL_ERANGE, "not in one");
    expect_error(gravel_map(gravel, words + 4, BYTES, CL_MAP_READ, 0, &map), GRAVEL_ERANGE,
                 "not in one");
    expect_error(gravel_map(gravel, words, UINT64_MAX, CL_MAP_READ, 0, &map), GRAVEL_ERANGE,
                 "18446744073709551615 bytes from offset");
    assert_null(map);
    OK(gravel_put(gravel, freed, NULL, 0, 1)); /* no bytes are nowhere outside */
    OK(gravel_get(gravel, freed, NULL, 0, 1));
    expect_unharmed();
}

TEST(updates_outside_are_refused_by_quiet)
{
    const uint64_t offsets[] = {table.memory + 2, UINT64_MAX - 3, UINT64_MAX, freed,
                                UINT64_C(1) << 62};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, offsets[i], NULL, 1));
        expect_error(gravel_quiet(gravel), GRAVEL_ERANGE, "base");
        expect_unharmed();
    }
}

TEST(updates_that_do_not_exist_are_refused_at_once)
{
    uint64_t one = 1;
    const uint32_t wrong[][2] = {{0, GRAVEL_INT},
                                 {GRAVEL_AM, GRAVEL_INT},
                                 {99, GRAVEL_INT},
                                 {UINT32_MAX, GRAVEL_UINT},
                                 {GRAVEL_PUT, 6},
                                 {GRAVEL_PUT, UINT32_MAX},
                                 {GRAVEL_MIN, GRAVEL_FLOAT},
                                 {GRAVEL_INC, GRAVEL_DOUBLE},
                                 {GRAVEL_XOR, GRAVEL_DOUBLE}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_error(gravel_update(gravel, wrong[i][0], wrong[i][1], table.memory, &one, 0),
                     GRAVEL_EINVAL, "gravel_update: there is no ");
    expect_unharmed();
}

TEST(calls_check_their_arguments)
{
    const uint64_t words = table.memory, pattern[32] = {0}, args[5] = {0};
    const char *name = "a name of forty-eight characters is one too many";
    int64_t value[65] = {0};
    uint64_t offset, sums[33] = {7};
    void *map = &map;
    cl_mem buffer = (cl_mem)&table;
    struct gravel_block_pool *pool = (struct gravel_block_pool *)&pool;
    expect_error(gravel_am(gravel, 2, args, 0, 0), GRAVEL_EHANDLER, "handler 2 ");
    expect_error(gravel_am(gravel, UINT32_MAX, args, 0, 0), GRAVEL_EHANDLER, "4294967295");
    expect_error(gravel_am(gravel, 1, args, 1, 0), GRAVEL_EINVAL, "takes 2 ");
    expect_error(gravel_am(gravel, 1, args, 5, 0), GRAVEL_EINVAL, "takes 2 ");
    expect_error(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_LONG, value, 0), GRAVEL_EINVAL,
                 "0 values");
    expect_error(gravel_reduce(gravel, GRAVEL_XOR, GRAVEL_LONG, value, 1), GRAVEL_EINVAL,
                 "gravel_reduce: there is no xor on long; add, min and max");
    expect_error(gravel_reduce(gravel, GRAVEL_ADD, 6, value, 1), GRAVEL_EINVAL, "add on type 6");
    expect_error(gravel_reduce(gravel, 77, GRAVEL_INT, value, 1), GRAVEL_EINVAL,
                 "operation 77 on int");
    expect_error(gravel_barrier_sum(gravel, words, 0, NULL, sums), GRAVEL_EINVAL,
                 "gravel_barrier_sum: 0 counters");
    expect_error(gravel_barrier_sum(gravel, words, 33, NULL, sums), GRAVEL_EINVAL,
                 "33 counters at offset ");
    expect_error(gravel_barrier_sum(gravel, words + 2, 1, NULL, sums), GRAVEL_EINVAL,
                 "at a multiple of 4");
    expect_error(gravel_barrier_sum(gravel, words + BYTES - 4, 2, NULL, sums), GRAVEL_ERANGE,
                 "not in one allocation");
    assert_int_equal(sums[0], 7);
    expect_error(gravel_alloc(gravel, 0, &offset), GRAVEL_EINVAL, "0 bytes");
    expect_error(gravel_alloc_named(gravel, "", 64, &offset), GRAVEL_EINVAL, "0 characters");
    expect_error(gravel_alloc_named(gravel, name, 64, &offset), GRAVEL_EINVAL,
                 "48 characters; 1 to 47 allowed");
    OK(gravel_alloc_named(gravel, name + 1, 64, &offset));
    OK(gravel_free(gravel, offset));
    expect_error(gravel_free(gravel, words + 64), GRAVEL_EINVAL, "no allocation starts");
    expect_error(gravel_free(gravel, freed), GRAVEL_EINVAL, "no allocation starts");
    expect_error(gravel_set_constant(gravel, GRAVEL_N_CONSTANTS, 1), GRAVEL_ERANGE,
                 "number 8 out of range");
    expect_error(gravel_map(gravel, words, 4, 0, 0, &map), GRAVEL_EINVAL, "flags 0x0");
    expect_error(gravel_map(gravel, words, 4, 1 << 20, 0, &map), GRAVEL_EINVAL, "flags 0x100000");
    expect_error(gravel_heap_part(gravel, words, 1 << 20, 1, &buffer, &offset, &map), GRAVEL_ERANGE,
                 "gravel_heap_part: 1048576 bytes");
    assert_true(!buffer && !map);
    expect_error(gravel_fill(gravel, words, 12, pattern, 3, 0), GRAVEL_EINVAL,
                 "gravel_fill: a pattern of 3 bytes (a power of two up to 128 allowed)");
    expect_error(gravel_fill(gravel, words, 0, pattern, 0, 0), GRAVEL_EINVAL, "of 0 bytes");
    expect_error(gravel_fill(gravel, words, 256, pattern, 256, 0), GRAVEL_EINVAL, "of 256 bytes");
    expect_error(gravel_fill(gravel, words + 4, 8, pattern, 8, 0), GRAVEL_EINVAL,
                 "are not multiples of the pattern's 8");
    expect_error(gravel_fill(gravel, words, 12, pattern, 8, 0), GRAVEL_EINVAL, "12 bytes at");
    expect_error(gravel_block_pool_create(&pool, gravel, 48, 10), GRAVEL_EINVAL,
                 "blocks of 48 bytes, which is not a power of two");
    assert_null(pool);
    expect_error(gravel_block_pool_create(&pool, gravel, 4, 10), GRAVEL_EINVAL,
                 "blocks of 4 bytes");
    expect_error(gravel_block_pool_create(&pool, gravel, UINT64_C(1) << 31, 1), GRAVEL_EINVAL,
                 "from 8 to 1073741824");
    expect_error(gravel_block_pool_create(&pool, gravel, 64, 0), GRAVEL_EINVAL, "0 blocks");
    expect_error(gravel_block_pool_create(&pool, gravel, 64, UINT64_C(1) << 32), GRAVEL_EINVAL,
                 "4294967296 blocks");
    expect_error(gravel_block_pool_create(&pool, gravel, 1u << 30, 1u << 31), GRAVEL_EHEAP,
                 "asked");
    expect_unharmed();
}

const struct fixture fixture = {.limit_s = 120, .open = open_node, .close = close_node};
