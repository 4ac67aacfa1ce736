/* SPDX-License-Identifier: MIT */
/*
 * Makes mirrors: checks the plan, lets nodes exchange theirs, builds the kernels, and gives the device
 * the lists that they go through. Where one node cannot, all refuse.
 *
 * Nodes exchange their plans by puts into the heap: how many words each wants of each other one, where these begin at
 * the other end, and then which ones. So the exchange rests on put and barrier alone. The object has the tables first,
 * and the words replace them.
 *
 * Path:    gravel_mirror_create -> this -> gravel_put, gravel_node_barrier, gravel_object_alloc.
 */
#include "mirror/mirror.h"

#include "base/growing.h"
#include "node/enqueue.h"
#include "transport/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const char gravel_mirror_cl[];

static const struct gravel_growing of_words =
    GRAVEL_GROWING("words.bytes", gravel_words, "GRAVEL_WORDS()", indices);

/* What a caller asks for. */
struct request {
    const struct gravel_words *words;
    uint32_t op; /* GRAVEL_PUT for a mirror */
};

/* ---- checks ------------------------------------------------------------------------------------ */

static int count_words(struct gravel_mirror *mirror, const struct gravel_words *words)
{
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->object.gravel); node++) {
        mirror->near[node].first = mirror->n_near;
        mirror->near[node].n = words->n_words[node];
        if (words->n_words[node] > GRAVEL_MIRROR_MOST_WORDS - mirror->n_near)
            return gravel_fail(GRAVEL_ERANGE,
                               "%s: %" PRIu64 " words of nodes up to %u, and %" PRIu64
                               " more of node %u: %u at most",
                               mirror->object.name, mirror->n_near, node, words->n_words[node],
                               node, GRAVEL_MIRROR_MOST_WORDS);
        mirror->n_near += words->n_words[node];
    }
    return mirror->n_near ? gravel_require(mirror->object.name, "words->indices", words->indices)
                          : 0;
}

/* Checks indices here: the heap is symmetric, so what is not here is not there. */
static int check_indices(const struct gravel_mirror *mirror, const uint32_t *indices)
{
    uint64_t most = 0;
    for (uint64_t i = 1; i < mirror->n_near; i++)
        if (indices[i] > indices[most])
            most = i;
    uint64_t n = mirror->n_near ? (uint64_t)indices[most] + 1 : 0;
    int code = gravel_node_refuse_bytes(mirror->object.gravel, mirror->object.name, mirror->array,
                                        n * mirror->word_bytes);
    return code && n
               ? gravel_fail(code,
                             "%s: indices[%" PRIu64 "] is %u, which is outside the allocation "
                             "at offset %" PRIu64,
                             mirror->object.name, most, indices[most], mirror->array)
               : code;
}

static int make_owners(struct gravel_mirror *mirror)
{
    const uint32_t n_heaps = mirror->object.gravel->n_heaps,
                   n_nodes = gravel_n_nodes(mirror->object.gravel);
    const size_t n_blocks = (size_t)(n_heaps + 1) * n_nodes;
    mirror->near = calloc(n_blocks, sizeof *mirror->near);
    mirror->owners = calloc(n_heaps, sizeof *mirror->owners);
    if (!mirror->near || !mirror->owners)
        return gravel_fail_memory(mirror->object.name, n_blocks * sizeof *mirror->near);
    for (uint32_t heap = 0; heap < n_heaps; heap++)
        mirror->owners[heap].given = mirror->near + (heap + 1) * n_nodes;
    return 0;
}

/* Checks a request, whose header may be older or newer. */
static int check(struct gravel_object *object, const void *requested)
{
    struct gravel_mirror *mirror = (struct gravel_mirror *)object;
    const struct request *request = requested;
    struct gravel_words words = {0};
    char named[GRAVEL_NAMED_BYTES];
    GRAVEL_TRY(gravel_require(object->name, "words", request->words));
    GRAVEL_TRY(gravel_growing_read(&of_words, &words, request->words, request->words->bytes, 1));
    mirror->is_read = object->call.kind == GRAVEL_CALL_MIRROR;
    mirror->op = request->op;
    mirror->type = words.type;
    mirror->array = words.offset;
    GRAVEL_TRY(gravel_object_check_words(object, !mirror->is_read, mirror->op, mirror->type,
                                         mirror->array));
    mirror->word_bytes = GRAVEL_TYPE_BYTES(mirror->type);
    GRAVEL_TRY(gravel_require(object->name, "words->n_words", words.n_words));
    GRAVEL_TRY(make_owners(mirror));
    GRAVEL_TRY(count_words(mirror, &words));
    if (mirror->is_read)
        snprintf(object->call.name, sizeof object->call.name, "a mirror of %s",
                 gravel_name_type(named, mirror->type));
    else
        snprintf(object->call.name, sizeof object->call.name, "a mirror of slots by %s",
                 gravel_name_operation(named, mirror->op, mirror->type));
    object->range.begin = mirror->array;
    object->range.end = mirror->array + 1; /* plans differ */
    return check_indices(mirror, words.indices);
}

/* ---- plans ------------------------------------------------------------------------------------- */

/* Ends a step of all nodes, or fails at all of them with what one of them met. What they have put has arrived then. */
static int meet(const struct gravel_mirror *mirror, int code)
{
    const struct gravel_object *object = &mirror->object;
    code = gravel_node_agree_on(object->gravel, &object->call, true, code);
    if (!code)
        return gravel_node_barrier(object->gravel, &object->call, true);
    const struct gravel_kept met = gravel_keep(code);
    gravel_node_barrier(object->gravel, &object->call, true);
    return gravel_fail_again(&met);
}

/* Returns the bytes of a table: of each node, its block for the node of the heap. */
static uint64_t table_bytes(const struct gravel_mirror *mirror)
{
    return gravel_n_nodes(mirror->object.gravel) * sizeof(struct gravel_mirror_block);
}

/* Puts blocks [n_nodes] that node `own` has to the nodes that they are for: into the tables there. */
static int put_blocks(struct gravel *gravel, const struct gravel_mirror_block *blocks, uint32_t own,
                      uint64_t table)
{
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (blocks[node].n)
            GRAVEL_TRY(gravel_put(gravel, table + own * sizeof *blocks, &blocks[node],
                                  sizeof *blocks, node));
    return 0;
}

/* Reads a local heap's table: blocks [n_nodes], in order, as large as those there. @return also their `n` */
static int read_blocks(const struct gravel_mirror *mirror, uint32_t heap, uint64_t table,
                       struct gravel_mirror_block *blocks, uint64_t *n)
{
    struct gravel *gravel = mirror->object.gravel;
    int code = gravel_memory_read(&gravel->memory, heap, table, blocks, table_bytes(mirror));
    *n = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel) && !code; node++) {
        blocks[node].there = blocks[node].first;
        blocks[node].first = *n;
        *n += blocks[node].n;
    }
    return code;
}

/* Sends owners how much is wanted of them, which they answer with where it begins there. */
static int exchange_blocks(struct gravel_mirror *mirror)
{
    struct gravel *gravel = mirror->object.gravel;
    const uint64_t table = mirror->object.memory, answers = table + table_bytes(mirror);
    const uint32_t node = gravel_node(gravel);
    const bool is_loopback = gravel->network.transport->is_loopback;
    int code = 0;
    GRAVEL_TRY(meet(mirror, put_blocks(gravel, mirror->near, node, table)));
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code; heap++) {
        struct gravel_mirror_owner *owner = &mirror->owners[heap];
        code = read_blocks(mirror, heap, table, owner->given, &owner->n_given);
        if (!code)
            code = put_blocks(gravel, owner->given, is_loopback ? heap : node, answers);
    }
    GRAVEL_TRY(meet(mirror, code));
    return meet(mirror, read_blocks(mirror, gravel_mirror_own_heap(mirror), answers, mirror->near,
                                    &mirror->n_near));
}

/* @param n_most  [near, given] of any node. */
static int make_room(struct gravel_mirror *mirror, const uint64_t n_most[2])
{
    uint64_t *at[2] = {mirror->near_at, mirror->given_at}, bytes = 0;
    for (int side = 0; side < 2; side++) {
        bool is_arriving = (side == 0) == mirror->is_read;
        at[side][0] = gravel_object_take(&bytes, n_most[side] * mirror->word_bytes);
        at[side][1] = is_arriving ? gravel_object_take(&bytes, n_most[side] * mirror->word_bytes)
                                  : at[side][0];
    }
    int code = gravel_object_alloc(&mirror->object, bytes);
    for (int side = 0; side < 2; side++)
        for (int parity = 0; parity < 2; parity++)
            at[side][parity] += mirror->object.memory;
    return code;
}

/* Finds the most words of any node, near and given; 1 at least, as there is no empty allocation. */
static int find_most(struct gravel_mirror *mirror, uint64_t n_most[2])
{
    n_most[0] = mirror->n_near ? mirror->n_near : 1;
    n_most[1] = 1;
    for (uint32_t heap = 0; heap < mirror->object.gravel->n_heaps; heap++)
        if (mirror->owners[heap].n_given > n_most[1])
            n_most[1] = mirror->owners[heap].n_given;
    int code = gravel_reduce(mirror->object.gravel, GRAVEL_MAX, GRAVEL_ULONG, n_most, 2);
    if (code || n_most[1] <= GRAVEL_MIRROR_MOST_WORDS)
        return code;
    return gravel_fail(GRAVEL_ERANGE,
                       "%s: %" PRIu64 " words are wanted of one node, and %u at most",
                       mirror->object.name, n_most[1], GRAVEL_MIRROR_MOST_WORDS);
}

/* Sends every owner what is wanted of it, and makes room in the heap; indices of given words are then in the heap, at
 * `given_at[0]`. @param indices  [n_near] the caller's */
static int exchange(struct gravel_mirror *mirror, const uint32_t *indices)
{
    uint64_t n_most[2];
    GRAVEL_TRY(gravel_object_alloc(&mirror->object, 2 * table_bytes(mirror)));
    GRAVEL_TRY(exchange_blocks(mirror));
    GRAVEL_TRY(find_most(mirror, n_most));
    GRAVEL_TRY(make_room(mirror, n_most));
    int code = 0; /* indices of given words go to where these are packed from */
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->object.gravel) && !code; node++) {
        struct gravel_mirror_block *near = &mirror->near[node];
        near->from = mirror->near_at[0] + near->first * mirror->word_bytes; /* of slots */
        if (near->n)
            code = gravel_put(mirror->object.gravel,
                              mirror->given_at[0] + near->there * sizeof *indices,
                              indices + near->first, near->n * sizeof *indices, node);
    }
    return meet(mirror, code);
}

/* ---- lists for the device ---------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/*
 * Sorts the words that slots are for, by index, and keeps the order of those of one index.
 *
 * @param lists  [3 * n_given + 1] targets, starts and positions, as kernel combine has them; given words first
 */
static int sort_lists(struct gravel_mirror *mirror, struct gravel_mirror_owner *owner,
                      uint32_t *lists)
{
    const uint64_t n = owner->n_given;
    uint32_t *targets = lists, *starts = lists + n, *positions = lists + 2 * n + 1;
    uint64_t *items = malloc((n + 1) * sizeof *items); /* index, and position below it */
    if (!items)
        return gravel_fail_memory(mirror->object.name, (n + 1) * sizeof *items);
    for (uint64_t i = 0; i < n; i++)
        items[i] = (uint64_t)lists[i] << 32 | i;
    qsort(items, n, sizeof *items, compare);
    owner->n_targets = 0;
    for (uint64_t i = 0; i < n; i++) {
        positions[i] = (uint32_t)items[i];
        if (i && items[i] >> 32 == items[i - 1] >> 32)
            continue;
        targets[owner->n_targets] = (uint32_t)(items[i] >> 32);
        starts[owner->n_targets++] = (uint32_t)i;
    }
    starts[owner->n_targets] = (uint32_t)n;
    free(items);
    return 0;
}

/* Says where a block is sent from: a mirror's from the array itself, if its words are in a row there.
 * @param indices  [block->n] which words. @return whether it is packed before */
static bool place(const struct gravel_mirror *mirror, struct gravel_mirror_block *block,
                  const uint32_t *indices)
{
    uint64_t n = block->n > 0;
    while (n < block->n && indices[n] == indices[0] + n)
        n++;
    const bool is_packed = n < block->n;
    block->from = is_packed || !n ? mirror->given_at[0] + block->first * mirror->word_bytes
                                  : mirror->array + (uint64_t)indices[0] * mirror->word_bytes;
    return is_packed;
}

/* Gives the device the lists of a local heap's given words, whose indices the heap has. */
static int upload_lists(struct gravel_mirror *mirror, uint32_t heap)
{
    struct gravel_mirror_owner *owner = &mirror->owners[heap];
    const struct gravel_object *object = &mirror->object;
    const uint64_t n = owner->n_given,
                   bytes = (mirror->is_read ? n + !n : 3 * n + 1) * sizeof(uint32_t);
    uint32_t *lists = calloc(1, bytes);
    if (!lists)
        return gravel_fail_memory(object->name, bytes);
    owner->n_targets = n;
    int code = gravel_memory_read(&object->gravel->memory, heap, mirror->given_at[0], lists,
                                  n * sizeof *lists);
    for (uint32_t node = 0; node < gravel_n_nodes(object->gravel) && mirror->is_read && !code;
         node++)
        owner->is_packed |= place(mirror, &owner->given[node], lists + owner->given[node].first);
    if (!code && !mirror->is_read)
        code = sort_lists(mirror, owner, lists);
    if (!code)
        code = gravel_cl_buffer_create(&object->gravel->device, object->name, bytes, &owner->lists);
    if (!code)
        code = gravel_object_write(object, owner->lists, lists, bytes);
    free(lists);
    return code;
}

/* ---- create and destroy ------------------------------------------------------------------------ */

static int make(struct gravel_object *object, const void *requested)
{
    struct gravel_mirror *mirror = (struct gravel_mirror *)object;
    const struct request *request = requested;
    static const char *const names[] = {"gather", "clear", "combine"};
    const uint32_t command = GRAVELP_COMMAND(mirror->op, mirror->type);
    const char *bits = mirror->word_bytes == 4 ? "uint" : "ulong";
    char options[160];
    const struct gravel_program_request program = {
        .name = "mirror.cl", .source = gravel_mirror_cl, .options = options};
    /* The operation is a part of each name: compilers may have a macro `min`. */
    snprintf(options, sizeof options,
             "-DGRAVELP_MIRROR_TYPE=%s -DGRAVELP_MIRROR_NEXT=GRAVELP_NEXT_%s",
             mirror->is_read ? bits : gravel_type_name(command), gravel_operation_name(command));
    GRAVEL_TRY(exchange(mirror, request->words->indices));
    GRAVEL_TRY(gravel_node_hold_launches(object->gravel, "before a mirror's lists"));
    int code = 0;
    for (uint32_t heap = 0; heap < object->gravel->n_heaps && !code; heap++)
        code = upload_lists(mirror, heap);
    gravel_node_let_launches(object->gravel);
    if (!code)
        code = gravel_object_build(object, &program, names, NULL);
    return code || mirror->is_read ? code : gravel_mirror_clear(mirror);
}

static bool free_all(struct gravel_object *object)
{
    struct gravel_mirror *mirror = (struct gravel_mirror *)object;
    if (gravel_node_is_stuck(object->gravel))
        return false;
    for (uint32_t heap = 0; mirror->owners && heap < object->gravel->n_heaps; heap++)
        gravel_cl_buffer_release(mirror->owners[heap].lists);
    free(mirror->owners);
    free(mirror->near);
    return true;
}

static const struct gravel_object_kind of_mirrors = {.name = "mirror",
                                                     .destroy = GRAVEL_CALL_MIRROR_DESTROY,
                                                     .bytes = sizeof(struct gravel_mirror),
                                                     .changes_heap = true,
                                                     .check = check,
                                                     .make = make,
                                                     .free = free_all};

int gravel_mirror_create(struct gravel_mirror **out, struct gravel *gravel,
                         const struct gravel_words *words)
{
    const struct request request = {words, GRAVEL_PUT};
    return gravel_object_create(out, gravel, GRAVEL_CALL_MIRROR, &of_mirrors, &request);
}

int gravel_mirror_create_slots(struct gravel_mirror **out, struct gravel *gravel, uint32_t op,
                               const struct gravel_words *words)
{
    const struct request request = {words, op};
    return gravel_object_create(out, gravel, GRAVEL_CALL_SLOTS, &of_mirrors, &request);
}

int gravel_mirror_destroy(struct gravel_mirror *mirror)
{
    return gravel_object_destroy((struct gravel_object *)mirror);
}
