/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send: every message is run once, those with equal keys never at once, and after what its sender stored;
 * a launch ends behind the last of them; what is refused, what is told.
 *
 * usage: test_sender [resident]     the same cases with resident servers; else in phases
 *
 * The witness is that of tests/support/witness.h. A ledger has a counter for each message, set by its handler.
 *
 * Path: meson test -> this -> lib/serve/sender.c, cl/device/spill.cl.h
 */
#include <gravel/server.h>

#include "expect.h"
#include "kernels/sender.h"
#include "witness.h"

#define N_HOPS 30000u

/* Ids by position in the table below. */
enum { GROW, HOP, FLOOD, QUIET };

extern const char sender_cl[]; /* kernels/sender.cl */

#define HANDLERS(room)                                                            \
    {.name = "grow", .n_args = 4, .serve = {.n_keys = 1, .max_pending = (room)}}, \
        {.name = "hop", .n_args = 2, .serve = {.n_keys = 1, .max_pending = 1}},   \
        {.name = "flood", .n_args = 2, .serve = {.n_keys = 1, .max_pending = 1}}, \
        {.name = "quiet", .n_args = 1, .serve = {.n_keys = 1}},                   \
        {.name = "unkeyed", .n_args = 1, .function = unkeyed},

static int unkeyed(struct gravel *gravel, void *user, uint32_t from, const uint64_t args[])
{
    (void)gravel, (void)user, (void)from, (void)args;
    return 0;
}

static const struct gravel_handler wide[] = {HANDLERS(N_MESSAGES)};
static const struct gravel_handler narrow[] = {HANDLERS(1)};

static struct gravel_bindings bindings_of(const struct gravel_handler *handlers)
{
    return (struct gravel_bindings)GRAVEL_BINDINGS(.handlers = handlers,
                                                   .n_handlers = sizeof wide / sizeof *wide,
                                                   .device_code.source = sender_cl,
                                                   .device_code.name = "sender.cl");
}

/* A node with its program and memory. */
struct served {
    struct gravel *gravel;
    cl_program program;
    uint64_t keys, ledger, marks; /* heap offsets */
};

static struct served open_with(struct gravel_config config, const struct gravel_handler *handlers)
{
    struct served served = {.gravel = NULL};
    const struct gravel_bindings bindings = bindings_of(handlers);
    config.timeout_ms *= patience();
    strcpy(config.server_mode, has_argument("resident") ? "resident" : "phases");
    served.gravel = scoped_node(&config, &bindings);
    served.keys = alloc_or_die(served.gravel, N_KEYS * sizeof(struct guarded_key));
    served.ledger = alloc_or_die(served.gravel, N_MESSAGES * sizeof(uint32_t));
    served.marks = alloc_or_die(served.gravel, N_MESSAGES * sizeof(uint32_t));
    OK(gravel_set_constant(served.gravel, 0, served.keys));
    OK(gravel_set_constant(served.gravel, 1, served.ledger));
    OK(gravel_set_constant(served.gravel, 2, served.marks));
    OK(gravel_server_build(served.gravel, "sender.cl", sender_cl, NULL, &served.program));
    scoped_program(served.program);
    return served;
}

static int launch(const struct served *served, const char *name, uint64_t argument,
                  uint64_t n_items)
{
    cl_kernel kernel = scoped_program_kernel(served->gravel, served->program, name);
    SET(kernel, 1, argument);
    return gravel_server_launch(served->gravel, kernel, n_items, 0, NULL, NULL);
}

/* So many messages were run with the witness, and none of equal keys beside each other. */
static void expect_held(const struct served *served, uint64_t n_messages)
{
    const struct guarded_key *keys =
        read_map(served->gravel, 0, served->keys, N_KEYS * sizeof *keys);
    uint64_t n_run = 0;
    for (uint32_t key = 0; key < N_KEYS; key++) {
        n_run += keys[key].n_run;
        assert_int_equal(keys[key].n_clashes, 0);
    }
    assert_int_equal(n_run, n_messages);
    unmap(served->gravel, keys);
}

static void plant_and_expect(const struct served *served, uint32_t n_trees, uint32_t n_keys)
{
    fill(served->gravel, 0, served->keys, 0, N_KEYS * sizeof(struct guarded_key));
    fill(served->gravel, 0, served->ledger, 0, N_MESSAGES * sizeof(uint32_t));
    fill(served->gravel, 0, served->marks, 0, N_MESSAGES * sizeof(uint32_t));
    OK(launch(served, "plant", n_keys, n_trees));
    expect_held(served, n_trees * TREE);
    expect_words(served->gravel, 0, served->ledger, 1, n_trees * TREE);
    expect_words(served->gravel, 0, served->ledger + n_trees * TREE * 4, 0,
                 N_MESSAGES - n_trees * TREE);
}

TEST(messages_of_handlers_are_run_once_and_alone)
{
    struct served served = open_with(loopback_config(1), wide);
    plant_and_expect(&served, 0, 1);
    plant_and_expect(&served, 1, N_KEYS);
    plant_and_expect(&served, N_TREES, 1);
    OK(gravel_stats_reset(served.gravel));
    plant_and_expect(&served, N_TREES, N_KEYS);
    const struct gravel_stats stats = stats_of(served.gravel);
    assert_int_equal(stats.served_messages, N_MESSAGES);
}

/* As on a GPU: outboxes that are collected, lists. */
TEST(messages_of_handlers_are_run_once_and_alone_in_lists)
{
    struct gravel_config config = loopback_config(1);
    config.n_servers = has_argument("resident") ? 2 : 5;
    config.server_items = 32;
    strcpy(config.build_options, "-DGRAVEL_FORM_SCAN");
    struct served served = open_with(config, wide);
    plant_and_expect(&served, 1, 5);
    plant_and_expect(&served, N_TREES, N_KEYS);
    plant_and_expect(&served, N_TREES, 3);
}

/* One message at a time, from server to server: none leaves before the last. Its numbers go round the ring. */
TEST(a_launch_ends_behind_the_last_message)
{
    struct gravel_config config = loopback_config(1);
    if (!has_argument("resident"))
        config.n_servers = 1; /* else each hop is a kernel */
    struct served served = open_with(config, narrow);
    OK(launch(&served, "begin", N_HOPS - 1, 1));
    expect_held(&served, N_HOPS);
}

TEST(chains_in_phases_go_from_kernel_to_kernel)
{
    if (has_argument("resident"))
        return;
    struct gravel_config config = loopback_config(1);
    config.n_servers = 3;
    struct served served = open_with(config, narrow);
    OK(launch(&served, "begin", 99, 2));
    expect_held(&served, 200);
}

/* Two nodes: each its own messages. */
TEST(nodes_serve_what_their_handlers_send)
{
    if (has_argument("resident"))
        return;
    struct served served = open_with(loopback_config(2), wide);
    plant_and_expect(&served, 10, 7);
}

/* ---- what is refused, what is told --------------------------------------------------------------- */

static void expect_fault(const char *kernel, uint64_t argument, const char *part)
{
    struct served served = open_with(loopback_config(1), narrow);
    expect_error(launch(&served, kernel, argument, 1), GRAVEL_EKERNEL, part);
    closes_with(served.gravel, ANY_CODE, "");
}

TEST(rings_that_overflow_are_told)
{
    expect_fault("open_flood", 5000, "raise max_pending");
}

TEST(handlers_that_may_not_send_are_told)
{
    expect_fault("send_quietly", 5, "sends to handler 3 and may not");
}

TEST(messages_from_elsewhere_are_refused)
{
    struct served served = open_with(loopback_config(1), narrow);
    const uint64_t args[] = {1, 0};
    OK(gravel_am(served.gravel, HOP, args, 2, 0));
    expect_error(gravel_quiet(served.gravel), GRAVEL_EHANDLER, "(hop) may send");
}

TEST(messages_to_wrong_handlers_do_not_compile)
{
    struct served served = open_with(loopback_config(1), narrow);
    cl_program program = NULL;
    char *text = malloc(strlen(sender_cl) + 200);
    MUST(text);
    snprintf(text, strlen(sender_cl) + 200,
             "%svoid wrong(struct gravel_call call) { gravel_serve_am1(call, "
             "GRAVEL_HANDLER(unkeyed), 0); }\n",
             sender_cl);
    expect_error(gravel_server_build(served.gravel, "wrong.cl", text, NULL, &program),
                 GRAVEL_EBUILD, "gravel_error_no_handler_with_one_key_and_so_many_arguments");
    free(text);
}
