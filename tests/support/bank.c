/* SPDX-License-Identifier: MIT */
/*
 * Nodes whose handlers own accounts. See bank.h.
 */
#include "bank.h"

struct bank open_bank(const struct gravel_config *config, const struct gravel_bindings *bindings,
                      uint64_t bytes)
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

void close_bank(struct bank *bank)
{
    clReleaseKernel(bank->send);
    clReleaseProgram(bank->program);
    OK(gravel_close(bank->gravel));
}

void *write_accounts(const struct bank *bank, uint32_t node, uint64_t bytes)
{
    return map_or_die(bank->gravel, node, bank->accounts, bytes, CL_MAP_WRITE_INVALIDATE_REGION);
}

int launch_bank(const struct bank *bank, uint64_t n)
{
    return gravel_server_launch(bank->gravel, bank->send, n, 0, NULL, NULL);
}
