/* SPDX-License-Identifier: MIT */
/*
 * Makes mirrors: checks the plan, lets nodes exchange theirs, builds the kernels, and gives the device
 * the lists that they go through. Where one node cannot, all refuse.
 *
 * Path:    gravel_mirror_create -> this -> plan.c, order.c.
 */
#include "mirror/mirror.h"

#include "base/growing.h"
#include "settings/defaults.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char gravel_mirror_cl[];

static const struct gravel_growing of_words =
    GRAVEL_GROWING("words.bytes", gravel_words, "GRAVEL_WORDS()", indices);

/* All nodes make one kind of mirror, of one array. */
static int agree_on_kind(struct gravel_mirror *mirror)
{
    const struct gravel_collective_call call = {
        .kind = gravel_mirror_call(mirror->is_read),
        .arguments = {(uint64_t)mirror->op << 8 | mirror->type, mirror->array}};
    return gravel_node_agree(mirror->gravel, &call);
}

/* ---- checks ------------------------------------------------------------------------------------ */

static bool is_operation(uint32_t op, uint32_t type)
{
    return type <= GRAVEL_ULONG ? op >= GRAVEL_ADD && op <= GRAVEL_XOR
                                : type <= GRAVEL_DOUBLE && op == GRAVEL_ADD;
}

static int check_kind(const struct gravel_mirror *mirror)
{
    const struct gravel_capability *capability = &mirror->gravel->device.capability;
    char named[GRAVEL_NAMED_BYTES];
    if (mirror->type > GRAVEL_DOUBLE)
        return gravel_fail(GRAVEL_EINVAL, "%s: there is no type %u", mirror->call, mirror->type);
    if (!mirror->is_read && !is_operation(mirror->op, mirror->type))
        return gravel_fail(GRAVEL_EINVAL, "%s: there is no %s", mirror->call,
                           gravel_name_operation(named, mirror->op, mirror->type));
    if (!mirror->is_read && mirror->type == GRAVEL_DOUBLE && !capability->has_double)
        return gravel_fail(GRAVEL_ECAPABILITY, "%s: %s has no double", mirror->call,
                           capability->name);
    if (mirror->array % mirror->word_bytes)
        return gravel_fail(GRAVEL_EINVAL, "%s: offset %" PRIu64 " is no multiple of %u bytes",
                           mirror->call, mirror->array, mirror->word_bytes);
    return 0;
}

static int count_words(struct gravel_mirror *mirror, const struct gravel_words *words)
{
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->gravel); node++) {
        mirror->near[node].first = mirror->n_near;
        mirror->near[node].n = words->n_words[node];
        if (words->n_words[node] > GRAVEL_MIRROR_MOST_WORDS - mirror->n_near)
            return gravel_fail(GRAVEL_ERANGE,
                               "%s: %" PRIu64 " words of nodes up to %u, and %" PRIu64
                               " more of node %u: %u at most",
                               mirror->call, mirror->n_near, node, words->n_words[node], node,
                               GRAVEL_MIRROR_MOST_WORDS);
        mirror->n_near += words->n_words[node];
    }
    return mirror->n_near ? gravel_require(mirror->call, "words->indices", words->indices) : 0;
}

/* The heap is symmetric: what is not here is not there. */
static int check_indices(const struct gravel_mirror *mirror, const uint32_t *indices)
{
    uint64_t most = 0;
    for (uint64_t i = 1; i < mirror->n_near; i++)
        if (indices[i] > indices[most])
            most = i;
    uint64_t n = mirror->n_near ? (uint64_t)indices[most] + 1 : 0;
    int code = gravel_node_refuse_bytes(mirror->gravel, mirror->call, mirror->array,
                                        n * mirror->word_bytes);
    return code && n
               ? gravel_fail(code,
                             "%s: indices[%" PRIu64 "] is %u, which is outside the allocation "
                             "at offset %" PRIu64,
                             mirror->call, most, indices[most], mirror->array)
               : code;
}

static int check(struct gravel_mirror *mirror, const struct gravel_words *words)
{
    int code = check_kind(mirror);
    if (!code)
        code = gravel_require(mirror->call, "words->n_words", words->n_words);
    if (!code && !mirror->near)
        code = gravel_fail(GRAVEL_ENOMEM, "%s: books of %u nodes", mirror->call,
                           gravel_n_nodes(mirror->gravel));
    if (!code)
        code = count_words(mirror, words);
    return code ? code : check_indices(mirror, words->indices);
}

/* ---- lists for the device ---------------------------------------------------------------------- */

/* @param n  0 is allowed: a kernel does not run then. */
static int upload(struct gravel_mirror *mirror, const uint32_t *list, uint64_t n, cl_mem *buffer)
{
    struct gravel *gravel = mirror->gravel;
    uint64_t bytes = (n ? n : 1) * sizeof *list;
    int code = gravel_cl_buffer_create(&gravel->device, mirror->call, bytes, buffer);
    if (code || n == 0)
        return code;
    cl_event copied = NULL;
    cl_int error = clEnqueueWriteBuffer(gravel->device.queue, *buffer, CL_FALSE, 0, bytes, list, 0,
                                        NULL, &copied);
    return gravel_wait_command(&gravel->device, gravel->device.queue, error, copied,
                               "mirror: copying lists");
}

/* Writes what combine goes through, of items that are sorted by index: [n] of each list, and one more of starts.
 * @return the number of targets. */
static uint64_t list_targets(const struct gravel_mirror_item *items, uint64_t n, uint32_t *targets,
                             uint32_t *starts, uint32_t *places)
{
    uint64_t n_targets = 0;
    for (uint64_t i = 0; i < n; i++) {
        places[i] = items[i].place;
        if (i && items[i].index == items[i - 1].index)
            continue;
        targets[n_targets] = items[i].index;
        starts[n_targets++] = (uint32_t)i;
    }
    starts[n_targets] = (uint32_t)n;
    return n_targets;
}

static int upload_sorted(struct gravel_mirror *mirror, struct gravel_mirror_owner *owner)
{
    uint64_t n = owner->n_given;
    struct gravel_mirror_item *items = malloc((2 * n + 1) * sizeof *items);
    uint32_t *lists = malloc((3 * n + 1) * sizeof *lists);
    int code = items && lists
                   ? 0
                   : gravel_fail(GRAVEL_ENOMEM, "%s: lists of %" PRIu64 " words", mirror->call, n);
    if (!code) {
        uint32_t *targets = lists, *places = lists + n, *starts = lists + 2 * n;
        for (uint64_t i = 0; i < n; i++)
            items[i] = (struct gravel_mirror_item){owner->indices[i], (uint32_t)i};
        owner->n_targets =
            list_targets(gravel_mirror_sort(items, items + n, n), n, targets, starts, places);
        code = upload(mirror, targets, owner->n_targets, &owner->targets);
        if (!code)
            code = upload(mirror, starts, owner->n_targets + 1, &owner->starts);
        if (!code)
            code = upload(mirror, places, n, &owner->places);
    }
    free(items);
    free(lists);
    return code;
}

static int upload_lists(struct gravel_mirror *mirror)
{
    int code = 0;
    for (uint32_t heap = 0; heap < mirror->gravel->n_heaps && !code; heap++) {
        struct gravel_mirror_owner *owner = &mirror->owners[heap];
        owner->n_targets = owner->n_given;
        code = mirror->is_read ? upload(mirror, owner->indices, owner->n_given, &owner->targets)
                               : upload_sorted(mirror, owner);
        free(owner->indices);
        owner->indices = NULL;
    }
    return code;
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static int build(struct gravel_mirror *mirror)
{
    const uint32_t command = GRAVELP_COMMAND(mirror->op, mirror->type);
    const char *op = gravel_operation_name(command), *type = gravel_type_name(command);
    const char *bits = mirror->word_bytes == 4 ? "uint" : "ulong";
    char options[160];
    /* The operation is a part of each name: compilers may have a macro `min`. */
    snprintf(options, sizeof options,
             "-DGRAVELP_MIRROR_TYPE=%s -DGRAVELP_MIRROR_NEXT=GRAVELP_NEXT_%s "
             "-DGRAVELP_MIRROR_NEUTRAL=NEUTRAL_%s",
             mirror->is_read ? bits : type, op, op);
    const struct gravel_program_request request = {
        .name = "mirror.cl", .source = gravel_mirror_cl, .options = options};
    return gravel_node_build(mirror->gravel, &request, &mirror->program);
}

static int make_kernels(struct gravel_mirror *mirror)
{
    static const char *const names[] = {"gather", "clear", "combine"};
    const struct gravel_device *device = &mirror->gravel->device;
    cl_kernel *kernels[] = {&mirror->gather, &mirror->clear, &mirror->combine};
    int code = build(mirror);
    mirror->group = gravel_derive_group_size(device);
    for (int i = 0; i < 3 && !code; i++) {
        code =
            gravel_cl_kernel_create(device, mirror->program, names[i], &mirror->group, kernels[i]);
        if (!code)
            code = gravel_check_cl(
                "mirror: setting the arena",
                gravel_memory_set_argument(&mirror->gravel->memory, *kernels[i], 0));
    }
    return code;
}

/* ---- create and destroy ------------------------------------------------------------------------ */

static void free_all(struct gravel_mirror *mirror)
{
    bool is_done = !gravel_node_is_stuck(mirror->gravel);
    for (uint32_t heap = 0; mirror->owners && heap < mirror->gravel->n_heaps; heap++) {
        struct gravel_mirror_owner *owner = &mirror->owners[heap];
        free(owner->indices);
        free(owner->given);
        if (!is_done)
            continue;
        gravel_cl_buffer_release(owner->targets);
        gravel_cl_buffer_release(owner->starts);
        gravel_cl_buffer_release(owner->places);
    }
    if (is_done) {
        const cl_kernel kernels[] = {mirror->gather, mirror->clear, mirror->combine};
        gravel_cl_kernels_release(kernels, 3);
        gravel_cl_program_release(mirror->program);
    }
    free(mirror->owners);
    free(mirror->near);
    free(mirror);
}

static int make_owners(struct gravel_mirror *mirror)
{
    struct gravel *gravel = mirror->gravel;
    uint32_t n_nodes = gravel_n_nodes(gravel);
    mirror->owners = calloc(gravel->n_heaps, sizeof *mirror->owners);
    bool has_all = mirror->owners;
    for (uint32_t heap = 0; heap < gravel->n_heaps && has_all; heap++)
        has_all = (mirror->owners[heap].given = calloc(n_nodes, sizeof *mirror->near));
    return has_all ? 0 : gravel_fail(GRAVEL_ENOMEM, "%s: books of %u nodes", mirror->call, n_nodes);
}

/* The caller's plan, whose header may be older or newer. */
static int read_words(struct gravel_mirror *mirror, struct gravel_words *words,
                      const struct gravel_words *given)
{
    int code = gravel_require(mirror->call, "words", given);
    if (!code)
        code = gravel_growing_read(&of_words, words, given, given->bytes);
    mirror->type = words->type;
    mirror->array = words->offset;
    mirror->word_bytes = GRAVEL_TYPE_BYTES(mirror->type % 8);
    return code ? code : check(mirror, words);
}

static int make(struct gravel_mirror *mirror, const struct gravel_words *given)
{
    struct gravel_words words = {0};
    int code = read_words(mirror, &words, given);
    if (!code)
        code = make_owners(mirror);
    code = gravel_mirror_agree(mirror, code);
    if (!code)
        code = agree_on_kind(mirror);
    if (!code)
        code = gravel_mirror_exchange(mirror, &words);
    if (code)
        return code;
    code = gravel_node_hold_launches(mirror->gravel, "before a mirror's lists");
    if (!code) {
        code = upload_lists(mirror);
        gravel_node_let_launches(mirror->gravel);
    }
    if (!code)
        code = make_kernels(mirror);
    if (!code && !mirror->is_read)
        code = gravel_mirror_clear(mirror);
    return gravel_mirror_agree(mirror, code);
}

/* The array is guarded by its first byte, for plans differ. */
static void guard(struct gravel_mirror *mirror)
{
    mirror->guards[0] =
        (struct gravel_guard){.object = "mirror", .begin = mirror->array, .end = mirror->array + 1};
    mirror->guards[1] = (struct gravel_guard){
        .object = "mirror", .begin = mirror->memory, .end = mirror->memory + mirror->memory_bytes};
    for (int i = 0; i < 2; i++)
        gravel_guards_add(&mirror->gravel->guards, &mirror->guards[i]);
}

/* The heap's part is freed if there is one, at all nodes. */
static int destroy(struct gravel_mirror *mirror)
{
    for (int i = 0; i < 2; i++)
        gravel_guards_remove(&mirror->gravel->guards, &mirror->guards[i]);
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_MIRROR_DESTROY,
                                                .arguments = {mirror->memory}};
    int code = 0;
    if (mirror->memory_bytes) {
        code = gravel_node_barrier(mirror->gravel, &call, false);
        code = gravel_node_agree_on(mirror->gravel, &call, true, code);
        if (!code)
            code = gravel_node_release(mirror->gravel, "gravel_mirror_destroy", mirror->memory);
    }
    free_all(mirror);
    return code;
}

/* @param op  GRAVEL_PUT for a mirror. */
static int create(struct gravel_mirror **out, struct gravel *gravel, const char *call, bool is_read,
                  uint32_t op, const struct gravel_words *words)
{
    if (gravel_require(call, "out", out))
        return GRAVEL_EINVAL;
    *out = NULL;
    if (gravel_node_refuse_wait(gravel, call))
        return GRAVEL_EINVAL;
    struct gravel_mirror *mirror = calloc(1, sizeof *mirror);
    if (!mirror)
        return gravel_node_agree_on_code(
            gravel, gravel_mirror_call(is_read), call,
            gravel_fail(GRAVEL_ENOMEM, "%s: %zu bytes", call, sizeof *mirror));
    mirror->gravel = gravel;
    mirror->call = call;
    mirror->is_read = is_read;
    mirror->op = op;
    mirror->near = calloc(gravel_n_nodes(gravel), sizeof *mirror->near);
    int code = make(mirror, words);
    if (code) {
        char text[GRAVEL_ERROR_BYTES];
        snprintf(text, sizeof text, "%s", gravel_last_error());
        destroy(mirror);
        return gravel_fail(code, "%s", text);
    }
    guard(mirror);
    *out = mirror;
    return 0;
}

int gravel_mirror_create(struct gravel_mirror **out, struct gravel *gravel,
                         const struct gravel_words *words)
{
    return create(out, gravel, "gravel_mirror_create", true, GRAVEL_PUT, words);
}

int gravel_mirror_create_slots(struct gravel_mirror **out, struct gravel *gravel, uint32_t op,
                               const struct gravel_words *words)
{
    return create(out, gravel, "gravel_mirror_create_slots", false, op, words);
}

int gravel_mirror_destroy(struct gravel_mirror *mirror)
{
    if (!mirror)
        return 0;
    int code = gravel_node_refuse_wait(mirror->gravel, "gravel_mirror_destroy");
    return code ? code : destroy(mirror);
}
