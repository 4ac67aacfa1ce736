/* SPDX-License-Identifier: MIT */
/*
 * What messages are refused, as rows of (body, arguments, code, text). Each is named by the number that is wrong, of up to
 * 64 bits, nothing is written, and the node works on. Runs in checked mode and for arrays that 32 bits do not number, too.
 * What the host's calls refuse is in tests/spec/calls.c.
 *
 * Path: meson test -> this -> aggregator.c, decode.c, fault.c, node/messages.c, maps.c, heap.c, block_pool.c, waits.c
 */
#include <stdio.h>

#include "expect.h"
#include "layout/command.h"

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
         GRAVEL_ERANGE, "position 4294967301 of ulong"},
        {BODY(ASK "if (i == 6) gravel_cas_uint_wi(g, a, 1ul << 32, 0, 1, reply, 0, 1);"), words, 0,
         GRAVEL_ERANGE, "index 4294967296 of uint"},
        {BODY(ASK "if (i == 6) gravel_swap_long_wi(g, a, 3, 1, reply, 1ul << 40, 0);"), words, 0,
         GRAVEL_ERANGE, "position 1099511627776 of long"},
        {BODY(ASK "gravel_get_uint_wg(g, a, i, reply, i % 64 == 3 ? 1024 : i, 1);"), words, 0,
         GRAVEL_ERANGE, "position 1024 of uint at result"},
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

const struct fixture fixture = {.limit_s = 120, .open = open_node, .close = close_node};
