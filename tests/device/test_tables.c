/* SPDX-License-Identifier: MIT */
/*
 * Tables of handlers and streams that gravel_open refuses: a row each, with the code and what the text names.
 *
 * Path: meson test -> this -> lib/node/tables.c
 */
#include <stdio.h>

#include "expect.h"

#define N(rows) (sizeof(rows) / sizeof *(rows))
#define HEADER "#include \"gravel.cl.h\"\n"

static int function(struct gravel *node, void *user, uint32_t from,
                    const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)from, (void)args;
    return 0;
}

static int answer(struct gravel *node, void *user, uint32_t from, const uint64_t *args,
                  uint64_t *value)
{
    (void)node, (void)user, (void)from, (void)args, (void)value;
    return 0;
}

static int take(struct gravel *node, void *user, uint32_t from, const void *records, uint32_t n)
{
    (void)node, (void)user, (void)from, (void)records, (void)n;
    return 0;
}

static void expect_bad(struct gravel_bindings bindings, int code, const char *part)
{
    struct gravel_config config = loopback_config(1);
    expect_no_open(&config, &bindings, code, part);
}

static const char text[] =
    HEADER "struct account { ulong n; };\n"
           "void account_load(struct gravel_call call, ulong key, ulong *words) {}\n"
           "void account_store(struct gravel_call call, ulong key, const ulong *words) {}\n"
           "void swap(struct gravel_call call, ulong *a, ulong *b, ulong c, ulong d) {}\n"
           "void wide(struct gravel_call call, ulong a, ulong b) {}\n"
           "void narrow(struct gravel_call call, uint a, uint b) {}\n"
           "void mute(struct gravel_call call, ulong a) {}\n";

/* Two keys, and a datum. */
#define TWO(name, words)                                 \
    {                                                    \
        .n_keys = 2, .datum = name, .datum_words = words \
    }

struct row {
    struct gravel_handler handler;
    const char *part;
};

static void expect_bad_handlers(const struct row *rows, size_t n, int code)
{
    for (size_t i = 0; i < n; i++) {
        const struct gravel_handler *handler = &rows[i].handler;
        const bool is_hosts = handler->function || handler->answer;
        expect_bad(
            (struct gravel_bindings)GRAVEL_BINDINGS(.handlers = handler, .n_handlers = 1,
                                                    .device_code.source = is_hosts ? NULL : text,
                                                    .device_code.name = "mine.cl"),
            code, rows[i].part);
    }
}

TEST(handlers_that_cannot_be_are_refused)
{
    static int something;
    static const struct row rows[] = {
        {{.name = NULL, .function = function}, "handler 0"},
        {{.name = "", .function = function}, "handler 0"},
        {{.name = "7up", .function = function}, "7up"},
        {{.name = "not fine", .function = function}, "not fine"},
        {{.name = "greedy", .n_args = 5, .function = function}, "greedy"},
        {{.name = "idle", .user = &something}, "cannot use `user`"},
        {{.name = "wide", .n_args = 2, .arg_bytes = 5}, "wide: arg_bytes is 5 (4 or 8 allowed)"},
        {{.name = "swap", .n_args = 4, .arg_bytes = 4, .serve = TWO("account", 1)},
         "swap: arg_bytes is 4, and arguments of handlers with 2 keys"},
        {{.name = "idle", .function = function, .n_answers = 1},
         "idle: it answers, and has a function of the host"},
        {{.name = "both", .function = function, .answer = answer},
         "both: it answers, and has a function of the host that does not; member `answer` is for"},
        {{.name = "many", .n_args = 4, .answer = answer}, "many: it answers, and n_args is 4"},
        {{.name = "keyed", .n_args = 1, .answer = answer, .serve = {.n_keys = 1}},
         "keyed: it has a key and a function of the host"},
        {{.name = "mute", .function = function, .blocks = 1},
         "handler mute: blocks is 1; it is 1 of a function of the host that answers"},
        {{.name = "late", .answer = answer, .blocks = 2}, "handler late: blocks is 2"},
        {{.name = "wide", .n_args = 4, .n_answers = 1}, "wide: it answers, and n_args is 4"},
        {{.name = "swap", .n_args = 3, .n_answers = 1, .serve = TWO("account", 1)},
         "swap: it answers, and has 2 keys"},
        {{.name = "wide", .n_args = 3, .n_answers = 1, .serve = {.n_keys = 1, .max_pending = 1}},
         "wide: it answers, and may send"},
        {{.name = "wide", .n_args = 1, .n_answers = 2}, "wide: n_answers is 2, at most 1"},
        {{.name = "wide", .n_args = 3, .serve = {.n_keys = 3}}, "wide: n_keys is 3, at most 2"},
        {{.name = "wide", .n_args = 0, .serve = {.n_keys = 1}},
         "wide: the first 1 arguments are keys, and n_args is 0"},
        {{.name = "note", .n_args = 1, .function = function, .serve = {.n_keys = 1}},
         "note: it has a key and a function of the host"},
        {{.name = "note", .n_args = 1, .function = function, .serve = {.max_pending = 5}},
         "handler note: max_pending is 5"},
        {{.name = "wide", .n_args = 2, .serve = {.n_keys = 1, .max_pending = UINT64_MAX}},
         "at most 1073741824"},
        {{.name = "swap", .n_args = 1, .serve = TWO("account", 1)},
         "swap: the first 2 arguments are keys, and n_args is 1"},
        {{.name = "swap", .n_args = 4, .serve = TWO(NULL, 1)},
         "swap: it has 2 keys, and datum \"NULL\""},
        {{.name = "swap", .n_args = 4, .serve = TWO("account", 0)},
         "swap: datum_words is 0, not in 1..16"},
        {{.name = "swap", .n_args = 4, .serve = TWO("account", 17)},
         "swap: datum_words is 17, not in 1..16"},
        {{.name = "swap",
          .n_args = 4,
          .serve = {.n_keys = 1, .datum = "account", .datum_words = 1}},
         "swap: it has a datum, which is for 2 keys, and n_keys is 1"},
    };
    expect_bad_handlers(rows, N(rows), GRAVEL_EINVAL);
}

TEST(handlers_unlike_their_text_do_not_build)
{
    static const struct row rows[] = {
        {{.name = "wide", .n_args = 2, .arg_bytes = 4}, "wide"},
        {{.name = "narrow", .n_args = 2}, "narrow"},
        {{.name = "mute", .n_args = 1, .n_answers = 1}, "mute"},
        {{.name = "swap", .n_args = 4, .serve = TWO("absent", 1)}, "absent_load"},
        {{.name = "swap", .n_args = 3, .serve = TWO("account", 1)}, "handler swap"},
    };
    expect_bad_handlers(rows, N(rows), GRAVEL_EBUILD);
}

TEST(texts_that_have_no_such_handler_are_refused)
{
    static const struct gravel_handler one = {.name = "one", .n_args = 1};
    static const char *const rows[][2] = {
        {HEADER "\nvoid one(struct gravel_call call, ulong a) { typo; }\n", "mine.cl:3:"},
        {HEADER "void two(struct gravel_call call, ulong a) {}\n", "handler one"},
        {HEADER "void one(struct gravel_call call) {}\n", "handler one"},
        {HEADER "int one(struct gravel_call call, ulong a) { return 1; }\n", "handler one"},
        {HEADER "void one(struct gravel_call call, ulong a)\n"
                "{ gravel_inc_uint_wi(call, a, 0, 0); }\n",
         "mine.cl:3:"},
        {HEADER "void one(struct gravel_call call, ulong a)\n"
                "{ GRAVEL_OPEN(g); }\n",
         "mine.cl:3:"},
    };
    for (size_t i = 0; i < N(rows); i++)
        expect_bad((struct gravel_bindings)GRAVEL_BINDINGS(.handlers = &one, .n_handlers = 1,
                                                           .device_code.source = rows[i][0],
                                                           .device_code.name = "mine.cl"),
                   GRAVEL_EBUILD, rows[i][1]);
}

TEST(streams_that_cannot_be_are_refused)
{
    static const struct {
        struct gravel_stream stream;
        const char *part;
    } rows[] = {
        {{"a b", 4, take, NULL}, "stream 0: name \"a b\" is not a C identifier"},
        {{NULL, 4, take, NULL}, "stream 0: name \"NULL\""},
        {{"a", 0, take, NULL}, "stream a: record_bytes is 0, not a multiple of 4 from 4 to 240"},
        {{"a", 6, take, NULL}, "record_bytes is 6"},
        {{"a", 244, take, NULL}, "record_bytes is 244"},
        {{"a", 4, NULL, NULL}, "stream a: function is NULL"},
    };
    for (size_t i = 0; i < N(rows); i++)
        expect_bad(
            (struct gravel_bindings)GRAVEL_BINDINGS(.streams = &rows[i].stream, .n_streams = 1),
            GRAVEL_EINVAL, rows[i].part);
}

TEST(tables_that_cannot_be_are_refused)
{
    const struct gravel_handler idle = {.name = "idle"};
    const struct gravel_handler twins[] = {{.name = "twin", .function = function},
                                           {.name = "twin", .n_args = 1, .function = function}};
    const struct gravel_stream streams[] = {{"b", 4, take, NULL}, {"b", 8, take, NULL}};
    const struct {
        struct gravel_bindings bindings;
        const char *part;
    } rows[] = {
        {GRAVEL_BINDINGS(.handlers = twins, .n_handlers = 2), "twin"},
        {GRAVEL_BINDINGS(.handlers = twins, .n_handlers = UINT32_MAX), "4294967295"},
        {GRAVEL_BINDINGS(.n_handlers = 1), "1 handlers"},
        {GRAVEL_BINDINGS(.handlers = &idle, .n_handlers = 1),
         "idle: no function, and no device_code"},
        {GRAVEL_BINDINGS(.handlers = twins, .n_handlers = 1, .device_code.source = text),
         "device_code is given"},
        {GRAVEL_BINDINGS(.streams = streams, .n_streams = 2), "stream b is registered twice"},
        {GRAVEL_BINDINGS(.streams = streams, .n_streams = 128), "bindings: 128 streams at "},
        {GRAVEL_BINDINGS(.n_streams = 1), "bindings: 1 streams at (nil)"},
        {{.n_handlers = 0}, "bindings.bytes is 0"},
    };
    for (size_t i = 0; i < N(rows); i++)
        expect_bad(rows[i].bindings, GRAVEL_EINVAL, rows[i].part);
}

/* A row as a later version may have it. */
struct wide_handler {
    struct gravel_handler handler;
    uint64_t later;
};

TEST(rows_of_a_newer_caller_are_as_long_as_the_caller_has_them)
{
    static struct wide_handler table[] = {{{.name = "a", .n_args = 1, .function = function}, 0},
                                          {{.name = "b", .n_args = 2, .function = function}, 0}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &table[0].handler, .n_handlers = 2);
    const uint64_t args[2] = {0};
    char refusal[64];
    bindings.handler_bytes = sizeof *table;
    struct gravel *gravel = scoped_loopback(1, &bindings);
    OK(gravel_am(gravel, 1, args, 2, 0));
    OK(gravel_barrier(gravel));
    table[1].later = 1;
    snprintf(refusal, sizeof refusal, "bindings.handler_bytes is %zu, and", sizeof *table);
    expect_bad(bindings, GRAVEL_EINVAL, refusal);
}
