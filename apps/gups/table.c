/* SPDX-License-Identifier: MIT */
/*
 * Launch the kernels of table.cl. See table.h.
 */
#include <sys/types.h>

#include "gups/table.h"
#include "frame/die.h"
#include "gups/divergent.h"

#include <stdlib.h>

#define N_ITEMS 65536u /* work-items that share the words of a table */
#define GROUP 64u      /* work-items of a group */
#define PIECE 1024u    /* updates from one mark to the next */
/* Of one kernel, so that on a CPU device the pump's copies have their turn between two. */
#define MOST_MARKS 16384u
#define MOST_WORDS (UINT64_C(1) << 24)
#define MOST_ITEMS (UINT64_C(1) << 20)
#define EVERY_NODE UINT32_MAX

extern const char table_cl[];

uint32_t table_word_bytes(const struct table *table)
{
    return table->op == TABLE_ADD ? sizeof(cl_float) : sizeof(cl_ulong);
}

void table_open(struct table *table)
{
    struct node *node = table->node;
    cl_program program;
    TRY(gravel_program_build(node->gravel, "table.cl", table_cl, NULL, &program));
    table->fill = node_kernel_of(node, program, "fill_table");
    table->undo_stream = node_kernel_of(node, program, "undo_updates");
    table->undo_divergent = node_kernel_of(node, program, "undo_divergent");
    table->count = node_kernel_of(node, program, "count_wrong");
    clReleaseProgram(program); /* its kernels hold it */
}

static void run(struct table *table, cl_kernel kernel, size_t n_items)
{
    node_enqueue(table->node, kernel, n_items, n_items % GROUP == 0 ? GROUP : 1);
}

/* Run a kernel for the table of each node that is in this process, part by part. */
static void run_each(struct table *table, cl_kernel kernel)
{
    const struct node *node = table->node;
    NODE_SET(kernel, 5, UINT(N_ITEMS), UINT(table->op));
    for (uint32_t i = 0; i < node->n_local; i++) {
        NODE_SET(kernel, 1, UINT(i));
        for (uint64_t done = 0, part; done < table->n_words; done += part) {
            part = table->n_words - done < MOST_WORDS ? table->n_words - done : MOST_WORDS;
            NODE_SET(kernel, 2, ULONG(table->offset + done * table_word_bytes(table)), ULONG(part),
                     ULONG((node->number + i) * table->n_words + done));
            run(table, kernel, N_ITEMS);
        }
    }
}

void table_fill(struct table *table)
{
    run_each(table, table->fill);
    node_finish(table->node);
}

/* Walk the stream from *ran, and note where each piece begins. @return marks made. */
static uint32_t walk(uint64_t *ran, uint64_t n_updates, cl_ulong marks[MOST_MARKS])
{
    uint32_t n = 0;
    for (uint64_t k = 0; k < n_updates && k < (uint64_t)MOST_MARKS * PIECE; k++) {
        if (k % PIECE == 0)
            marks[n++] = *ran;
        *ran = *ran << 1 ^ ((int64_t)*ran < 0 ? 7 : 0);
    }
    return n;
}

/* The node whose updates a process undoes. */
static cl_uint own_node(const struct node *node)
{
    return node->n_processes == 1 ? EVERY_NODE : node->number;
}

static void set_undo_stream(struct table *table, cl_mem marks)
{
    struct node *node = table->node;
    NODE_SET(table->undo_stream, 1, UINT(own_node(node)), ULONG(table->offset),
             ULONG(table->n_words - 1), UINT(node->n_nodes), UINT(table->op), ARRAY(marks),
             UINT(PIECE));
    NODE_SET(table->undo_stream, 9, ARRAY(table->levels), UINT(table->n_levels));
}

void table_undo_stream(struct table *table, uint64_t n_updates)
{
    uint64_t ran = 1;
    cl_ulong *marks = app_array(MOST_MARKS, sizeof *marks, "marks");
    cl_mem on_device = node_array(table->node, MOST_MARKS * sizeof *marks, NULL);
    set_undo_stream(table, on_device);
    for (uint64_t left = n_updates; left;) {
        uint32_t n = walk(&ran, left, marks); /* while the kernel of the marks before runs */
        NODE_SET(table->undo_stream, 8, ULONG(left));
        node_write(table->node, on_device, 0, n * sizeof *marks, marks);
        run(table, table->undo_stream, n);
        clFlush(gravel_cl_queue(table->node->gravel));
        left = left > (uint64_t)n * PIECE ? left - (uint64_t)n * PIECE : 0;
    }
    node_finish(table->node);
    free(marks);
}

void table_undo_divergent(struct table *table, const struct divergent *problem, uint64_t n_items)
{
    NODE_SET(table->undo_divergent, 1, UINT(own_node(table->node)), UINT(table->node->n_nodes));
    NODE_SET(table->undo_divergent, 4, {sizeof *problem, problem});
    for (uint64_t done = 0, part; done < n_items; done += part) {
        part = n_items - done < MOST_ITEMS ? n_items - done : MOST_ITEMS;
        NODE_SET(table->undo_divergent, 3, ULONG(done));
        run(table, table->undo_divergent, part);
    }
    node_finish(table->node);
}

uint64_t table_count_wrong(struct table *table)
{
    uint64_t sum = 0;
    cl_ulong *wrong = app_array(N_ITEMS, sizeof *wrong, "counts");
    cl_mem on_device = node_array(table->node, N_ITEMS * sizeof *wrong, wrong);
    NODE_SET(table->count, 7, ARRAY(on_device));
    run_each(table, table->count);
    node_read(table->node, on_device, N_ITEMS * sizeof *wrong, wrong);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        sum += wrong[i];
    free(wrong);
    return sum;
}
