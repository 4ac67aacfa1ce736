/* SPDX-License-Identifier: MIT */
/* Makes rounds: chooses the form of the kernel, and builds it. See rounds.h. */
#include "rounds/rounds.h"

#include "base/error.h"
#include "base/growing.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_ITEMS 256u
#define UNIT_ITEMS \
    512u /* of a group with a unit to itself: as many as two have, which meet slower */
#define DRAINED_GROUPS \
    1024u /* many, of few messages each: all that one sends must fit the queues */
/* Of all frames that go, and of all that come: a share of the heap, at most so much. */
#define FRAMES_SHARE 16u
#define FRAMES_BYTES (UINT64_C(64) << 20)
#define FIRST_ROUNDS 64u /* of a launch, before any has shown how long they take */

/* Returns why the kernel may not stay for many rounds; NULL: it may. */
static const char *why_not(const struct gravel *gravel)
{
    return gravel->n_heaps > 1                           ? "several nodes are of one process"
           : gravel->config.check                        ? "GRAVEL_CHECK is set"
           : !gravel_step_may_wait(gravel->device.step)  ? "step drain"
           : !gravel->device.capability.has_long_atomics ? "no atomics of 64 bits"
                                                         : NULL;
}

static int choose(struct gravel_rounds *rounds)
{
    const struct gravel *gravel = rounds->object.gravel;
    struct gravel_scheduling *scheduling = &rounds->scheduling;
    const char *why = why_not(gravel);
    GRAVEL_TRY(gravel_scheduling_choose(scheduling, &gravel->device, &gravel->config, true));
    if (why && !strcmp(gravel->config.scheduler, "resident"))
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "%s: GRAVEL_SCHEDULER=resident, and here a launch is a phase: %s",
                           rounds->object.name, why);
    if (why)
        scheduling->scheduler = GRAVEL_SCHEDULER_HOST;
    return 0;
}

static int check(struct gravel_object *object, const void *request)
{
    const struct gravel_rounds_program *program = request;
    struct gravel_rounds *rounds = (struct gravel_rounds *)object;
    GRAVEL_TRY(gravel_require(object->name, "program", program));
    if (program->bytes != sizeof *program)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: program.bytes is %zu (%zu): use GRAVEL_ROUNDS_PROGRAM",
                           object->name, program->bytes, sizeof *program);
    GRAVEL_TRY(gravel_require(object->name, "program.name", program->name));
    GRAVEL_TRY(gravel_require(object->name, "program.source", program->source));
    GRAVEL_TRY(gravel_require(object->name, "program.function", program->function));
    snprintf(object->call.name, sizeof object->call.name, "%s", program->name);
    object->call.arguments[1] =
        gravel_hash_bytes(GRAVEL_HASH_BEGIN, program->source, strlen(program->source));
    rounds->slice_rounds = FIRST_ROUNDS;
    return choose(rounds);
}

static int check_arguments(const struct gravel_object *object, const char *function)
{
    char name[64] = "";
    cl_uint n = 0;
    clGetKernelInfo(object->kernels[0], CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
    const cl_int error = n < 2 ? CL_SUCCESS
                               : clGetKernelArgInfo(object->kernels[0], 1, CL_KERNEL_ARG_NAME,
                                                    sizeof name, name, NULL);
    return error || !strcmp(name, "gravel_round_")
               ? 0 /* the driver does not say */
               : gravel_fail(GRAVEL_EINVAL, "%s: argument 1 of kernel %s is no GRAVEL_ROUND",
                             object->name, function);
}

/* Chooses the size of groups, as the kernel allows or requires it, and their number. */
static int choose_groups(struct gravel_rounds *rounds, const struct gravel_rounds_program *program)
{
    const struct gravel *gravel = rounds->object.gravel;
    const cl_kernel kernel = rounds->object.kernels[0];
    size_t most = SIZE_MAX, required[3] = {0};
    GRAVEL_TRY(gravel_check_cl(rounds->object.name,
                               gravel_cl_kernel_group(&gravel->device, kernel, &most)));
    clGetKernelWorkGroupInfo(kernel, gravel->device.id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                             sizeof required, required, NULL);
    most = required[0] ? required[0] : most; /* NVIDIA's driver says 256 of any kernel */
    if (program->group_items > most || (program->group_items && program->group_items < required[0]))
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: group_items = %u (%zu to %zu, which kernel %s allows)",
                           rounds->object.name, program->group_items, required[0] ? most : 1, most,
                           program->function);
    const uint32_t preset = most < GROUP_ITEMS || required[0] ? (uint32_t)most : GROUP_ITEMS;
    rounds->group_items = program->group_items ? program->group_items : preset;
    rounds->n_groups =
        gravel_step_may_wait(gravel->device.step) ? rounds->scheduling.n_groups : DRAINED_GROUPS;
    if (rounds->group_items > GROUP_ITEMS && !gravel->config.flow_groups)
        rounds->n_groups = (rounds->n_groups + 1) / 2;
    if (program->n_groups && program->n_groups < rounds->n_groups)
        rounds->n_groups = program->n_groups;
    if (!gravel_rounds_stay(rounds))
        return 0;
    /* Kernels that bin and apply messages run while one stays. */
    const uint32_t room =
        gravel_n_nodes(gravel) > 1 ? gravel_node_groups_at_once(gravel) : GRAVELP_ROUNDS_MOST - 1;
    if (rounds->n_groups > room)
        rounds->n_groups = room;
    if (rounds->n_groups >= GRAVELP_ROUNDS_MOST)
        rounds->n_groups = GRAVELP_ROUNDS_MOST - 1;
    return 0;
}

/* Agrees with all nodes, whose steps may differ, on whether kernels stay, and on frames. Where the host applies
 * messages too (svm, usm), kernels change no words themselves, so all messages go as those of any kernel. */
static int agree(struct gravel_rounds *rounds)
{
    struct gravel *gravel = rounds->object.gravel;
    const uint64_t share = gravel->config.heap_bytes / FRAMES_SHARE,
                   bytes = share < FRAMES_BYTES ? share : FRAMES_BYTES;
    uint64_t least[2] = {gravel_rounds_stay(rounds),
                         gravel_step_is_shared(gravel->device.step)
                             ? 0
                             : bytes / gravel_n_nodes(gravel) /
                                   sizeof(struct gravelp_round_message)};
    GRAVEL_TRY(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, least, 2));
    rounds->room = (uint32_t)least[1];
    if (least[0])
        return 0;
    if (!strcmp(gravel->config.scheduler, "resident"))
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "%s: GRAVEL_SCHEDULER=resident, and at another node a launch is a phase",
                           rounds->object.name);
    rounds->scheduling.scheduler = GRAVEL_SCHEDULER_HOST;
    return 0;
}

/* Allocates what groups meet by, and what nodes do. */
static int alloc(struct gravel_rounds *rounds)
{
    struct gravel *gravel = rounds->object.gravel;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    if (n_nodes > 1)
        GRAVEL_TRY(agree(rounds));
    if (n_nodes == 1 || !gravel_rounds_stay(rounds))
        return gravel_object_alloc(&rounds->object, sizeof(struct gravelp_rounds));
    struct gravel_exchange *exchange = &gravel->network.exchange;
    const int opened = gravel_exchange_open(&gravel->network, rounds->room);
    int code = gravel_object_alloc(&rounds->object, sizeof(struct gravelp_rounds));
    if (!code && exchange->n_users == 0)
        code = gravel_alloc(gravel, GRAVELP_ROUNDS_BYTES(n_nodes, rounds->room), &exchange->at);
    if (code)
        return code;
    exchange->n_users++;
    rounds->nodes_at = exchange->at;
    GRAVEL_TRY(opened);
    GRAVEL_TRY(gravel_exchange_meet(&gravel->network));
    rounds->counts = calloc(n_nodes, sizeof *rounds->counts);
    rounds->ahead = calloc(n_nodes, sizeof *rounds->ahead);
    if (!rounds->counts || !rounds->ahead)
        return gravel_fail_memory(rounds->object.name, n_nodes * sizeof *rounds->counts);
    if (rounds->room)
        return gravel_pinned_create(&rounds->image, &gravel->device, gravel->memory.copies,
                                    "pinned memory for what nodes meet by", NULL,
                                    GRAVELP_ROUNDS_COUNTS(n_nodes));
    rounds->image.begin = calloc(1, GRAVELP_ROUNDS_COUNTS(n_nodes));
    return rounds->image.begin ? 0 : gravel_fail_memory(rounds->object.name, n_nodes);
}

static bool free_nodes(struct gravel_object *object)
{
    struct gravel_rounds *rounds = (struct gravel_rounds *)object;
    struct gravel_exchange *exchange = &object->gravel->network.exchange;
    if (rounds->nodes_at && --exchange->n_users == 0)
        gravel_node_release(object->gravel, object->name, exchange->at);
    free(rounds->ahead);
    free(rounds->counts);
    if (rounds->room)
        gravel_pinned_destroy(&rounds->image);
    else
        free(rounds->image.begin);
    return true;
}

static int make(struct gravel_object *object, const void *request)
{
    const struct gravel_rounds_program *program = request;
    struct gravel_rounds *rounds = (struct gravel_rounds *)object;
    GRAVEL_TRY(alloc(rounds));
    const struct gravel_capability *device = &object->gravel->device.capability;
    const uint32_t items = program->group_items              ? program->group_items
                           : device->max_group >= UNIT_ITEMS ? UNIT_ITEMS
                                                             : GROUP_ITEMS;
    char prelude[256], size[64] = "";
    if (!device->is_cpu)
        snprintf(size, sizeof size, "#define GRAVELP_ROUND_ITEMS %u\n", items);
    snprintf(prelude, sizeof prelude, "#define GRAVELP_ROUNDS\n%s%s%s%s", size,
             gravel_rounds_stay(rounds) ? "#define GRAVELP_STAYS\n" : "",
             gravel_rounds_stay(rounds) && gravel_n_nodes(object->gravel) > 1
                 ? "#define GRAVELP_NODES\n"
                 : "",
             gravel_rounds_stay(rounds) && (gravel_n_nodes(object->gravel) == 1 || rounds->room)
                 ? "#define GRAVELP_DIRECT\n"
                 : "");
    const struct gravel_program_request texts = {.name = program->name,
                                                 .source = program->source,
                                                 .options = program->options,
                                                 .prelude = prelude};
    GRAVEL_TRY(gravel_node_build(object->gravel, &texts, &object->program));
    GRAVEL_TRY(gravel_cl_kernel_create(&object->gravel->device, object->program, program->function,
                                       NULL, &object->kernels[0]));
    GRAVEL_TRY(check_arguments(object, program->function));
    GRAVEL_TRY(gravel_kernel_set_arena(object->gravel, object->kernels[0], 0));
    return choose_groups(rounds, program);
}

static const struct gravel_object_kind of_rounds = {.name = "rounds",
                                                    .destroy = GRAVEL_CALL_ROUNDS_DESTROY,
                                                    .bytes = sizeof(struct gravel_rounds),
                                                    .changes_heap = true,
                                                    .check = check,
                                                    .make = make,
                                                    .free = free_nodes};

int gravel_rounds_create(struct gravel_rounds **out, struct gravel *gravel,
                         const struct gravel_rounds_program *program)
{
    return gravel_object_create(out, gravel, GRAVEL_CALL_ROUNDS, &of_rounds, program);
}

int gravel_rounds_kernel(const struct gravel_rounds *rounds, cl_kernel *kernel)
{
    static const char call[] = "gravel_rounds_kernel";
    GRAVEL_TRY(gravel_require(call, "kernel", kernel));
    *kernel = NULL;
    GRAVEL_TRY(gravel_require(call, "rounds", rounds));
    GRAVEL_TRY(gravel_enter(rounds->object.gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_check_cl(call, clRetainKernel(rounds->object.kernels[0])));
    *kernel = rounds->object.kernels[0];
    return 0;
}

int gravel_rounds_stats_read(const struct gravel_rounds *rounds, struct gravel_rounds_stats *stats,
                             size_t bytes)
{
    static const char call[] = "gravel_rounds_stats_read";
    GRAVEL_TRY(gravel_require(call, "rounds", rounds));
    GRAVEL_TRY(gravel_require(call, "stats", stats));
    GRAVEL_TRY(gravel_enter(rounds->object.gravel, call, GRAVEL_WAITS));
    return gravel_growing_give(call, stats, bytes, &rounds->stats, sizeof rounds->stats);
}

int gravel_rounds_destroy(struct gravel_rounds *rounds)
{
    return gravel_object_destroy((struct gravel_object *)rounds);
}
