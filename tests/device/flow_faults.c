/* SPDX-License-Identifier: MIT */
/*
 * Nodes that break a rule of flows: the run says which, and nothing is overwritten.
 *
 * Path: test_flow.c -> this -> lib/flow/report.c, cl/device/channel.cl.h
 */

#include "expect.h"

#include "flow/flow.h"

#include <stdlib.h>

enum fault { MANY, NO_EDGE, DEEP, BAD_SLOT, TASK_SLOT, OPEN, NONE };

extern const char flow_faults_cl[]; /* kernels/flow_faults.cl */

static const struct gravel_edge edges[] = {{"task", 1}, {"after", 1}, {"out", 2}};
static const struct gravel_channel channels[] = {{"other", 4, GRAVEL_OUTPUT, 64, 0, NULL},
                                                 {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL},
                                                 {"task", 8, GRAVEL_SPAWN, 64, 3, edges},
                                                 {"after", 4, GRAVEL_AFTER, 64, 0, NULL}};

/* ---- rows that nobody may write --------------------------------------------------------------- */

#define PATTERN 0xfeedc0deu

static uint32_t n_row_words(const struct gravel_flow *flow)
{
    return (uint32_t)(flow->layout.back_at - flow->layout.front_bytes) / 4;
}

static void fill_rows(struct gravel_flow *flow)
{
    uint32_t n = n_row_words(flow), *rows = malloc(4 * n);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = PATTERN;
    OK(gravel_flow_memory_write(&flow->memory, 0, rows, n));
    free(rows);
}

/* Columns of a level that a run may have written at most. */
static uint32_t most_written(enum fault fault, const char *name, uint32_t level)
{
    if (strcmp(name, "out") == 0)
        return fault == MANY ? 40 : fault == DEEP ? 21 : 20;
    if (strcmp(name, "task") == 0)
        return level == 0 ? 20 : fault == DEEP;
    return strcmp(name, "after") == 0 && level == 0 && fault == TASK_SLOT;
}

/* The result, and all columns behind what was admitted, are as they were. */
static void expect_rows(struct gravel_flow *flow, enum fault fault)
{
    uint32_t n = n_row_words(flow), *rows = malloc(4 * n);
    OK(gravel_flow_memory_read(&flow->memory, 0, rows, n));
    for (uint32_t i = 0; i < GRAVEL_RESULT_WORDS; i++)
        assert_int_equal(rows[i], PATTERN);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++) {
        const struct gravelp_channel *channel = &flow->graph.channels[c];
        for (uint32_t level = 0; level < (channel->level_words ? 2 : 1); level++)
            for (uint32_t w = 0; w < channel->n_words; w++) {
                const uint32_t *row =
                    rows + channel->base + level * channel->level_words + w * channel->width;
                for (uint32_t column = most_written(fault, flow->graph.names[c], level);
                     column < channel->width; column++)
                    assert_int_equal(row[column], PATTERN);
            }
    }
    free(rows);
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* Of 20 elements one breaks the rule, or all that `all` says. @return what the run returned. */
static int run_fault(struct gravel *gravel, enum fault fault, bool all, struct gravel_flow **flow)
{
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 4, .depth = 2, .group_items = 32);
    cl_uint tasks[20][2], keeps = fault == OPEN;
    OK(gravel_flow_create(flow, gravel, &graph));
    OK(gravel_flow_build(*flow, "faults.cl", flow_faults_cl, NULL, "faults"));
    OK(gravel_flow_set_argument(*flow, 2, sizeof keeps, &keeps));
    for (uint32_t i = 0; i < 20; i++)
        tasks[i][0] = all || i == 13 ? fault : NONE, tasks[i][1] = 0;
    fill_rows(*flow);
    OK(gravel_flow_push(*flow, "task", tasks, 20));
    return gravel_flow_run(*flow);
}

TEST(fault_ends_the_run_with_its_name)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    static const struct {
        enum fault fault;
        const char *text;
    } cases[] = {
        {NO_EDGE,
         "node 'task', level 0: 20 elements made at least 1 of channel 'other' more than the 0"},
        {DEEP, "node 'task', level 1: a group spawned 1 of channel 'task' at the last of 2 levels"},
        {BAD_SLOT, "node 'task', level 0: a result for slot 4294967280"},
        {TASK_SLOT, "node 'task', level 0: a result for slot "},
        {OPEN, "node 'task', level 0: 1 calls of gravel_talloc of channel 'out' more than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_flow *flow;
        cl_uint task[2] = {NONE, 0};
        expect_error(run_fault(gravel, cases[i].fault, false, &flow), GRAVEL_EKERNEL,
                     cases[i].text);
        expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, "failed before");
        expect_error(gravel_flow_push(flow, "task", task, 1), GRAVEL_EKERNEL, "failed before");
        expect_rows(flow, cases[i].fault);
        OK(gravel_flow_destroy(flow));
    }
    expect_works(gravel);
}

/*
 * All make 3 where 2 were declared: more than the round was admitted for. One that does takes room that another left.
 */
TEST(more_than_declared_is_refused_when_room_ends)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    struct gravel_flow *flow;
    uint32_t n, numbers[64];
    expect_error(run_fault(gravel, MANY, true, &flow), GRAVEL_EKERNEL,
                 "20 elements made at least 20 of channel 'out' more than the 2 each");
    expect_rows(flow, MANY);
    OK(gravel_flow_destroy(flow));
    OK(run_fault(gravel, MANY, false, &flow));
    OK(gravel_flow_take(flow, "out", numbers, 64, &n));
    assert_int_equal(n, 22);
    OK(gravel_flow_destroy(flow));
}
