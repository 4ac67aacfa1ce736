/* SPDX-License-Identifier: MIT */
/*
 * Rules that hold for every public call. One with an argument that is wrong fails at once, names itself and what is
 * wrong, gives nothing and changes nothing; of a collective call it fails at all nodes, which stay in step. A forked child has
 * the node's memory and none of its threads: every call there fails. A handler may not make a call that waits, for it would
 * wait for the handler's own thread; every other call does what it does elsewhere.
 *
 * Calls are judged without cmocka's assertions, for forked children make them, too.
 *
 * Path: meson test, mpirun -> this -> calls.c; tests/headers/symbols.py finds a call that has no row
 */
#include "calls.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned n_faults;

static void count_fault(const char *call, const char *what)
{
    fprintf(stderr, "%s: %s; the last error: %s\n", call, what, gravel_last_error());
    n_faults++;
}

/* Faults if the call has not failed with this code, and an error that has `text`, first or behind the call's name. */
static void expect_refusal(const char *call, int code, int expected, const char *text)
{
    char what[192];
    snprintf(what, sizeof what, "got %d, expected %d, naming \"%s\"", code, expected, text);
    const char *error = gravel_last_error(), *at_text = strstr(error, text);
    if (code != expected || !at_text || (at_text != error && strncmp(error, call, strlen(call))))
        count_fault(call, what);
}

/* ---- a row --------------------------------------------------------------------------------- */

/* What rows are called with: what is right; one value that is wrong, at all nodes; or, in collective calls, at node 0 alone. */
static enum arguments { RIGHT, ONE_WRONG, WRONG_AT_NODE_0 } arguments;

/* Judges what a call came to, of which `row` says what is wrong. */
static void (*judge)(const char *call, int code);

static struct {
    const char *call;
    enum waits waits;
    unsigned pass,
        n; /* times that it has been made; values that can be wrong, of which pass is the one that is */
    int due;        /* code for the argument that is wrong, or 0 */
    char part[128]; /* of the text, that names it */
    bool is_of_all; /* it is wrong at all nodes */
    void *given;    /* by the call */
    bool gives;
} row;

bool is_right(void)
{
    return arguments == RIGHT;
}

uint64_t choose(uint64_t right, const struct wrong *wrong, unsigned n, bool is_object)
{
    while (arguments == ONE_WRONG && n > 0 && wrong[n - 1].code == GRAVEL_EMISMATCH)
        n--;
    const unsigned i = row.pass - row.n;
    row.n += n;
    if (is_right() || i >= n)
        return right;
    row.due = wrong[i].code;
    row.is_of_all = is_object || arguments == ONE_WRONG;
    snprintf(row.part, sizeof row.part, wrong[i].part, (unsigned long long)wrong[i].value);
    return row.is_of_all || gravel_node(gravel) == 0 ? wrong[i].value : right;
}

static const struct wrong null = BAD(0, "NULL");

void *p(const void *pointer)
{
    return (void *)(uintptr_t)choose((uintptr_t)pointer, &null, 1, false);
}

void *of(const void *object)
{
    return (void *)(uintptr_t)choose((uintptr_t)object, &null, 1, true);
}

void *out(void)
{
    row.given = &row.given;
    void *pointer = p(&row.given);
    row.gives = pointer != NULL;
    return pointer;
}

uint32_t node(uint32_t number)
{
    return (uint32_t)NUMBER(number, FAR(2, "node %llu"), FAR(0x80000000u, "node %llu"),
                            FAR(UINT32_MAX, "node %llu"));
}

uint64_t at(uint64_t offset)
{
    return NUMBER(offset, FAR(UINT64_C(1) << 62, "offset %llu"), FAR(UINT64_MAX - 7, "offset %llu"),
                  FAR(freed, "offset %llu"));
}

size_t size(size_t bytes)
{
    return (size_t)NUMBER(bytes, BAD(0, "%llu bytes"), BAD(12, "%llu bytes"));
}

void begin(const char *call, enum waits waits)
{
    row.call = call;
    row.waits = waits;
    row.pass = 0;
}

/* Returns whether the call is to be made, once more. */
bool is_next(void)
{
    if (row.pass > 0 && (is_right() || row.pass >= row.n))
        return false;
    row.n = 0;
    row.due = 0;
    row.part[0] = '\0';
    row.gives = false;
    return arguments != WRONG_AT_NODE_0 || row.waits == FOR_ALL;
}

void end(int code)
{
    judge(row.call, code);
    if (code && row.gives && row.given)
        count_fault(row.call, "fails, and gives something");
    row.pass++;
}

/* ---- rules --------------------------------------------------------------------------------- */

static void make_calls(enum arguments of_rows, void (*judge_of_rows)(const char *call, int code))
{
    arguments = of_rows;
    judge = judge_of_rows;
    call_node();
}

static void refused_and_named(const char *call, int code)
{
    expect_refusal(call, code, row.due, row.part);
}

/* Node 0 refuses its argument, the others what it could not do; or all compare, and name what does not fit. */
static void refused_by_all(const char *call, int code)
{
    if (code == GRAVEL_EMISMATCH && row.due != code)
        expect_refusal("gravel_", code, code, "node 0");
    else if (code == GRAVEL_EMISMATCH || row.is_of_all || gravel_node(gravel) == 0)
        refused_and_named(call, code);
    else
        expect_refusal(call, code, row.due, "node 0 cannot");
}

static void refused_in_a_handler(const char *call, int code)
{
    if (row.waits == NEVER || (row.waits == IN_COPIES && !is_sliced(gravel))) {
        if (code)
            count_fault(call, "fails in a handler");
    } else
        expect_refusal(call, code, GRAVEL_EINVAL, "waits and cannot be called by a handler");
}

static void refused_after_a_fork(const char *call, int code)
{
    expect_refusal(call, code, GRAVEL_EINVAL, "after fork");
}

static uint32_t n_handled;

/* Once, of the handler that a message runs: what it sends itself, it sends to itself. */
static int call_everything(struct gravel *here, void *user, uint32_t source,
                           const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)here, (void)user, (void)source;
    if (args[0] == 0 && n_handled++ == 0)
        make_calls(RIGHT, refused_in_a_handler);
    return 0;
}

static const struct gravel_handler handler = {
    .name = "call_everything", .n_args = 1, .function = call_everything};

static void open_all(void)
{
    open_objects(
        &(const struct gravel_bindings)GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1));
}

/* ---- tests --------------------------------------------------------------------------------- */

/* Constants stay, no counter is taken, nothing is allocated, and the nodes are in step. */
TEST_OF("ranks", what_one_node_refuses_all_refuse)
{
    const uint64_t next = alloc_or_die(gravel, 64);
    uint64_t sum;
    OK(gravel_free(gravel, next));
    fill(gravel, gravel_node(gravel), words.memory, 1, 4);
    OK(gravel_set_constant(gravel, 0, 1));
    OK(gravel_barrier(gravel));
    make_calls(WRONG_AT_NODE_0, refused_by_all);
    assert_int_equal(n_faults, 0);
    OK(run_body(
        gravel,
        BODY("if (i == 0) *(global ulong *)gravel_local(g, a) = gravel_arena_->constants[0];"), 1,
        1, words.memory + 8, 0, 0));
    assert_int_equal(word64(gravel, gravel_node(gravel), words.memory + 8), 1);
    OK(gravel_barrier_sum(gravel, words.memory, 1, NULL, &sum));
    assert_int_equal(sum, UINT64_C(0x01010101) * gravel_n_nodes(gravel));
    assert_int_equal(alloc_or_die(gravel, 64), next);
    OK(gravel_free(gravel, next));
}

TEST(a_wrong_argument_is_refused_and_named)
{
    make_calls(ONE_WRONG, refused_and_named);
    call_settings();
    expect_refusal("gravel_abort", gravel_abort(NULL, "why"), GRAVEL_EINVAL, "NULL");
    assert_int_equal(n_faults, 0);
    OK(gravel_quiet(gravel));
    guarded_check(gravel, &words);
    for (uint32_t n = 0; n < 2; n++)
        expect_words(gravel, n, words.memory, 0, N_WORDS);
    expect_works(gravel);
}

static void expect_nothing(const char *call, uintptr_t value)
{
    if (value)
        count_fault(call, "returns something of NULL");
    expect_refusal(call, 0, 0, "NULL");
}

#define NOTHING(call, ...) expect_nothing(#call, (uintptr_t)call(__VA_ARGS__))

TEST(calls_without_a_code_return_0_of_nothing)
{
    NOTHING(gravel_node, NULL);
    NOTHING(gravel_n_nodes, NULL);
    NOTHING(gravel_config_of, NULL);
    NOTHING(gravel_step, NULL);
    NOTHING(gravel_group_size, NULL);
    NOTHING(gravel_cores, NULL);
    NOTHING(gravel_cl_context, NULL);
    NOTHING(gravel_cl_device, NULL);
    NOTHING(gravel_cl_queue, NULL);
    NOTHING(gravel_is_local, NULL, 0);
    NOTHING(gravel_steal_n_groups, NULL);
    NOTHING(gravel_mirror_offset, NULL);
    NOTHING(gravel_block_pool_offset, NULL);
    assert_int_equal(n_faults, 0);
}

static void expect_allowed(const char *call, int code)
{
    if (code)
        count_fault(call, "refuses a NULL that is allowed");
}

#define ALLOWED(call, ...) expect_allowed(#call, call(__VA_ARGS__))

TEST(what_may_be_null_may_be)
{
    uint64_t value;
    assert_non_null(gravel_version(NULL));
    assert_non_null(gravel_strerror(1));
    assert_int_equal(gravel_set_error(GRAVEL_EINVAL, "of a library on top"), GRAVEL_EINVAL);
    assert_string_equal(gravel_last_error(), "of a library on top");
    assert_int_equal(gravel_set_error(0, NULL), 0);
    assert_string_equal(gravel_last_error(), "");
    ALLOWED(gravel_close, NULL);
    ALLOWED(gravel_unmap, gravel, NULL);
    ALLOWED(gravel_barrier_sum, gravel, words.memory, 1, NULL, &value);
    ALLOWED(gravel_put, gravel, freed, NULL, 0, 0); /* no bytes are nowhere outside */
    ALLOWED(gravel_get, gravel, freed, NULL, 0, 0);
    ALLOWED(gravel_update, gravel, GRAVEL_INC, GRAVEL_ULONG, words.memory, NULL, 0);
    ALLOWED(gravel_steal_destroy, NULL);
    ALLOWED(gravel_mirror_destroy, NULL);
    ALLOWED(gravel_accumulator_destroy, NULL);
    ALLOWED(gravel_block_pool_destroy, NULL);
    ALLOWED(gravel_rounds_destroy, NULL);
    ALLOWED(gravel_flow_destroy, NULL);
    assert_int_equal(n_faults, 0);
}

/* In the child, where no assertion of cmocka may be: it would go on with the parent's tests. */
static void call_all_and_exit(void)
{
    alarm(10 * patience()); /* which ends the child if a call hangs */
    make_calls(RIGHT, refused_after_a_fork);
    expect_refusal("gravel_abort", gravel_abort(gravel, "no"), GRAVEL_EINVAL, "after fork");
    _exit(n_faults != 0);
}

TEST(a_child_can_call_nothing)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        call_all_and_exit();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_works(gravel);
    struct gravel *other = scoped_loopback(1, NULL); /* the parent can */
    expect_works(other);
}

TEST(a_handler_can_call_what_does_not_wait)
{
    const uint64_t argument = 0;
    OK(gravel_am(gravel, 0, &argument, 1, 1));
    OK(gravel_barrier(gravel));
    assert_int_equal(n_faults, 0);
    assert_int_equal(n_handled, 1);
}

const struct fixture fixture = {.limit_s = 60, .open = open_all, .close = close_objects};
