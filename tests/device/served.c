/* SPDX-License-Identifier: MIT */
/*
 * Nodes of clients and servers. See served.h.
 */
#include "served.h"

static const struct gravel_handler handlers[] = {
    {.name = "witness", .n_args = 2, .serve = {.n_keys = 1}},
    {.name = "key_alone", .n_args = 1, .serve = {.n_keys = 1}},
    {.name = "four", .n_args = 4, .serve = {.n_keys = 1}},
    {.name = "slow", .n_args = 2, .serve = {.n_keys = 1}},
};

const struct gravel_bindings served_table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = server_cl, .device_code.name = "server.cl");

struct served open_with(struct gravel_config config)
{
    struct served served = {.gravel = NULL};
    config.timeout_ms *= patience();
    strcpy(config.server_mode, has_argument("resident") ? "resident" : "phases");
    served.gravel = scoped_node(&config, &served_table);
    served.keys = alloc_or_die(served.gravel, N_KEYS * sizeof(struct guarded_key));
    served.ledger = alloc_or_die(served.gravel, MOST_ITEMS * sizeof(uint32_t));
    served.counter = alloc_or_die(served.gravel, 64);
    OK(gravel_set_constant(served.gravel, 0, served.keys));
    OK(gravel_set_constant(served.gravel, 1, served.ledger));
    OK(gravel_server_build(served.gravel, "server.cl", server_cl, NULL, &served.program));
    scoped_program(served.program);
    return served;
}

static void clear(const struct served *served)
{
    for (uint32_t node = 0; node < gravel_n_nodes(served->gravel); node++) {
        fill(served->gravel, node, served->keys, 0, N_KEYS * sizeof(struct guarded_key));
        fill(served->gravel, node, served->ledger, 0, MOST_ITEMS * sizeof(uint32_t));
    }
    OK(gravel_barrier(served->gravel));
}

void expect_sent(const struct served *served, uint32_t n_items, uint32_t n_keys, uint32_t n_nodes)
{
    for (uint32_t node = 0; node < n_nodes; node++) {
        const struct guarded_key *keys =
            read_map(served->gravel, node, served->keys, N_KEYS * sizeof *keys);
        const uint32_t *ledger =
            read_map(served->gravel, node, served->ledger, MOST_ITEMS * sizeof *ledger);
        uint32_t n_run = 0, n_expected = 0;
        for (uint32_t key = 0; key < N_KEYS; key++) {
            n_run += keys[key].n_run;
            assert_int_equal(keys[key].n_clashes, 0);
        }
        for (uint32_t i = 0; i < MOST_ITEMS; i++) {
            bool is_here = i < n_items && i / n_keys % n_nodes == node;
            n_expected += is_here;
            assert_int_equal(ledger[i], is_here);
        }
        assert_int_equal(n_run, n_expected);
        unmap(served->gravel, keys);
        unmap(served->gravel, ledger);
    }
}

cl_kernel server_kernel(const struct served *served, const char *name)
{
    return scoped_program_kernel(served->gravel, served->program, name);
}

void send_and_expect(const struct served *served, uint32_t n_items, uint32_t n_keys,
                     uint32_t n_nodes)
{
    cl_kernel kernel = server_kernel(served, "send");
    SET(kernel, 1, n_keys);
    SET(kernel, 2, n_nodes);
    clear(served);
    OK(gravel_server_launch(served->gravel, kernel, n_items, 0, NULL, NULL));
    if (n_nodes == 1)
        expect_sent(served, n_items, n_keys, 1);
    OK(gravel_barrier(served->gravel));
    expect_sent(served, n_items, n_keys, n_nodes);
}

cl_kernel kernel_of_many(const struct served *served, cl_uint n_calls)
{
    cl_kernel kernel = server_kernel(served, "many");
    SET(kernel, 1, n_calls);
    return kernel;
}
