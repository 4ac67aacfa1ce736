/* SPDX-License-Identifier: MIT */
/*
 * Nodes of this process whose handlers with keys own accounts: an array in each node's heap, which is constant 0 of the
 * handlers. The program of clients and servers is the handlers' own text; its kernel `send` sends to them.
 *
 * Path:    tests of keys in device/ and mpi/ -> bank.h -> gravel/server.h
 * Owner:   the caller, from open_bank to close_bank.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_BANK_H
#define GRAVEL_TESTS_BANK_H

#include "support.h"

#include <gravel/server.h>

struct bank {
    struct gravel *gravel;
    cl_program program;
    cl_kernel send;
    uint64_t accounts; /* offset in every node's heap */
};

/**
 * Opens nodes, or ends with the reason.
 *
 * @param config    NULL: what the environment says.
 * @param bindings  with handlers in OpenCL C (device_code), whose text has a kernel `send`.
 * @param bytes     of a node's accounts.
 */
static inline struct bank open_bank(const struct gravel_config *config,
                                    const struct gravel_bindings *bindings, uint64_t bytes)
{
    const struct gravel_device_code *code = &bindings->device_code;
    struct bank bank = {.gravel = NULL};
    OK(gravel_open(&bank.gravel, config, bindings));
    bank.accounts = alloc_or_die(bank.gravel, bytes);
    OK(gravel_set_constant(bank.gravel, 0, bank.accounts));
    OK(gravel_server_build(bank.gravel, code->name, code->source, NULL, &bank.program));
    bank.send = kernel_or_die(bank.gravel, bank.program, "send");
    return bank;
}

static inline void close_bank(struct bank *bank)
{
    clReleaseKernel(bank->send);
    clReleaseProgram(bank->program);
    OK(gravel_close(bank->gravel));
}

/** A node's accounts, to be written; to be unmapped. */
static inline void *write_accounts(const struct bank *bank, uint32_t node, uint64_t bytes)
{
    return map_or_die(bank->gravel, node, bank->accounts, bytes, CL_MAP_WRITE_INVALIDATE_REGION);
}

/** Launches n clients of `send`, whose arguments are set. @return as gravel_server_launch */
static inline int launch_bank(const struct bank *bank, uint64_t n)
{
    return gravel_server_launch(bank->gravel, bank->send, n, 0, NULL, NULL);
}

#endif
