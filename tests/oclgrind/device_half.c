/* SPDX-License-Identifier: MIT */
/*
 * Runs the device half alone: kernels send into an arena in a plain buffer, whose queue is large
 * enough never to wait; afterwards every package is taken out and checked. So it runs where there
 * is no shared virtual memory and no host concurrency - oclgrind - and on any other OpenCL device
 * by the same calls.
 *
 *     device_half OPTIONS KERNELS kernels.cl gravel.cl.h messages.h [GROUP...]
 *         KERNELS: names, with commas; GROUP: local size, as 64 or 8x4; default: a few
 *
 * Path:    kernels.cl -> gravel.cl.h -> lib/memory/package.h -> the check here. Laid out by
 * lib/memory/arena.c. Exit:    0; 1 with what is wrong; 77 if there is no device. Kernels named
 * wrong_* are only run.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare_device.h"
#include "device/device.h"
#include "memory/arena.h"
#include "messages.h"
#include "memory/package.h"

#define N_GROUPS 3u
#define SLOT_BYTES GRAVELP_SLOT_MIN_BYTES /* so that larger groups need several packages a call */
#define N_SLOTS 4096u

enum form { FORM_INC, FORM_ADD, FORM_AM, FORM_PUT, N_FORMS };

struct bench {
    struct bare bare;
    cl_kernel kernel;
    const char *name; /* of the kernel */
    struct gravelp_arena *arena;
    size_t arena_bytes;
    uint32_t n_items;
    unsigned char *seen[N_FORMS]; /* [n_items * MESSAGE_MAX_TURNS] */
};

/* ---- running --------------------------------------------------------------------------------- */

static void make_arena(struct bench *bench)
{
    const struct gravel_device device = {.capability = {.max_alloc = UINT64_MAX}};
    const struct gravel_arena_shape shape = {.node = 1,
                                             .n_nodes = MESSAGE_N_NODES,
                                             .n_heaps = 1,
                                             .n_queues = 2,
                                             .queue_bytes = 2ull * N_SLOTS * SLOT_BYTES,
                                             .slot_bytes = SLOT_BYTES,
                                             .heap_bytes = 1}; /* and no wait */
    if (gravel_arena_create(&device, &shape, &bench->arena))
        fail("no arena");
    bench->arena_bytes = bench->arena->heap_offset + bench->arena->heap_bytes;
}

static void run_kernel(struct bench *bench, cl_uint n_dimensions, const size_t *local)
{
    size_t size[2] = {local[0] * N_GROUPS, local[1]};
    cl_mem arena = bare_buffer(&bench->bare, bench->arena_bytes, bench->arena);
    cl_mem seen = bare_buffer(&bench->bare, size[0] * size[1] * 4, NULL);
    check_cl(clSetKernelArg(bench->kernel, 0, sizeof arena, &arena), "clSetKernelArg");
    if (!strcmp(bench->name, "wrong_race"))
        check_cl(clSetKernelArg(bench->kernel, 1, sizeof seen, &seen), "clSetKernelArg");
    bare_launch(&bench->bare, bench->kernel, n_dimensions, size, local);
    bare_read(&bench->bare, arena, bench->arena_bytes, bench->arena);
    clReleaseMemObject(arena);
    clReleaseMemObject(seen);
}

/* ---- checking -------------------------------------------------------------------------------- */

static enum form form_of(const struct gravelp_package *package)
{
    static const uint32_t commands[N_FORMS] = {
        GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT), GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG),
        GRAVELP_COMMAND_AM(MESSAGE_HANDLER, 4), GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)};
    for (enum form form = 0; form < N_FORMS; form++)
        if (package->command == commands[form])
            return form;
    fail("command 0x%x", package->command);
}

static void expect(const struct bench *bench, bool holds, enum form form, uint64_t number)
{
    if (!holds)
        fail("%s: form %d, message %" PRIu64 " is not as it was sent", bench->name, form, number);
}

static void check_message(struct bench *bench, const unsigned char *slot, uint32_t column)
{
    const struct gravelp_package *package = (const struct gravelp_package *)slot;
    enum form form = form_of(package);
    const void *index = slot + GRAVELP_INDEX_ROW(package->stride);
    const void *row = slot + GRAVELP_VALUE_ROW(package->command, package->stride, 0);
    const uint64_t *words = row;
    uint64_t number;
    if (form == FORM_AM)
        number = words[column];
    else
        number = ((const uint32_t *)index)[column];
    uint32_t n = (uint32_t)number;
    expect(bench, number < bench->n_items * (form == FORM_PUT ? MESSAGE_MAX_TURNS : 1), form,
           number);
    expect(bench, ((const uint32_t *)(slot + GRAVELP_NODE_ROW))[column] == message_node(n), form,
           number);
    expect(bench, package->base == (form == FORM_AM ? 0 : MESSAGE_BASE), form, number);
    if (form == FORM_ADD)
        expect(bench, words[column] == message_value(n, 0), form, number);
    if (form == FORM_PUT)
        expect(bench, ((const uint32_t *)row)[column] == message_value(n, 0), form, number);
    for (uint32_t r = 1; form == FORM_AM && r < GRAVEL_AM_MAX_ARGS; r++)
        expect(bench, words[(size_t)r * package->stride + column] == message_value(n, r), form,
               number);
    expect(bench, bench->seen[form][number]++ == 0, form, number);
}

/* @return packages in the queue. */
static uint32_t check_queue(struct bench *bench, uint32_t number)
{
    struct gravel_package_queue queue = {.words = gravel_arena_queue(bench->arena, number),
                                         .slots = gravel_arena_slots(bench->arena, number),
                                         .n_slots = bench->arena->n_slots,
                                         .slot_bytes = bench->arena->slot_bytes};
    const struct gravelp_package *package;
    while ((package = gravel_package_peek(&queue))) {
        for (uint32_t column = 0; column < package->n_messages; column++)
            check_message(bench, (const unsigned char *)package, column);
        gravel_package_release(&queue, 1);
    }
    if (queue.head != gravel_package_reserved(&queue))
        fail("%s: queue %u has %u tickets and %u packages", bench->name, number,
             gravel_package_reserved(&queue), queue.head);
    return queue.head;
}

static bool is_sent(const struct bench *bench, enum form form, uint32_t number)
{
    static const char *const forms[N_FORMS] = {"group_form", "if_form", "wi_form", "for_form"};
    bool is_uniform_if = form == FORM_INC && !strcmp(bench->name, "uniform_if");
    bool is_shared = form == FORM_PUT && !strcmp(bench->name, "shared_form");
    if (strcmp(bench->name, "all_forms") != 0 && strcmp(bench->name, forms[form]) != 0 &&
        !is_uniform_if && !is_shared)
        return false;
    if (form == FORM_PUT)
        return number % MESSAGE_MAX_TURNS < message_turns(number / MESSAGE_MAX_TURNS);
    return form == FORM_INC || message_is_sent(number);
}

static void check_arena(struct bench *bench)
{
    if (bench->arena->fault)
        fail("%s: fault %u", bench->name, bench->arena->fault);
    for (uint32_t q = 0; q < bench->arena->n_queues; q++)
        check_queue(bench, q);
    for (enum form form = 0; form < N_FORMS; form++)
        for (uint32_t i = 0; i < bench->n_items * (form == FORM_PUT ? MESSAGE_MAX_TURNS : 1); i++)
            expect(bench, bench->seen[form][i] == is_sent(bench, form, i), form, i);
}

static void run_group(struct bench *bench, const char *group)
{
    size_t local[2] = {0, 1};
    int n = sscanf(group, "%zux%zu", &local[0], &local[1]);
    if (n < 1 || local[0] == 0 || local[1] == 0)
        fail("group \"%s\"", group);
    bench->n_items = (uint32_t)(N_GROUPS * local[0] * local[1]);
    for (enum form form = 0; form < N_FORMS; form++)
        bench->seen[form] = calloc(bench->n_items, MESSAGE_MAX_TURNS);
    make_arena(bench);
    run_kernel(bench, (cl_uint)n, local);
    if (strncmp(bench->name, "wrong_", 6) != 0)
        check_arena(bench);
    gravel_shared_free(&(struct gravel_device){.queue = NULL}, bench->arena);
    for (enum form form = 0; form < N_FORMS; form++)
        free(bench->seen[form]);
}

static void run_kernels(struct bench *bench, cl_program program, char *names, int n_groups,
                        char **groups)
{
    static char *const usual[] = {"1", "7", "64", "8x4"};
    char *rest = names;
    while ((bench->name = strsep(&rest, ","))) {
        bench->kernel = bare_kernel(program, bench->name);
        for (int i = 0; i < n_groups; i++)
            run_group(bench, groups[i]);
        for (size_t i = 0; n_groups == 0 && i < sizeof usual / sizeof *usual; i++)
            run_group(bench, usual[i]);
        clReleaseKernel(bench->kernel);
        printf("%s: as sent\n", bench->name);
    }
}

int main(int argc, char **argv)
{
    static const char *names[] = {"gravel.cl.h", "messages.h"};
    if (argc < 6)
        fail("usage: device_half OPTIONS KERNEL[,KERNEL...] kernels.cl gravel.cl.h messages.h "
             "[GROUP...]");
    struct bench bench = {.name = "", .bare = open_bare_device()};
    char *text = read_text(argv[3]);
    cl_program program = bare_build(&bench.bare, text, names, argv + 4, 2, argv[1]);
    run_kernels(&bench, program, argv[2], argc - 6, argv + 6);
    free(text);
    clReleaseProgram(program);
    close_bare_device(&bench.bare);
    return 0;
}
