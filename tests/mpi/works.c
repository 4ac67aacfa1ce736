/* SPDX-License-Identifier: MIT */
/*
 * What nodes do until one of them dies: send, wait, live, pay by transactions, print. See die.h.
 *
 * Path: die.c -> this
 */
#include "bank.h"
#include "die.h"

#include <gravel/rounds.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_kernel kernel;
static uint64_t word; /* offset of 64 bytes in each heap */

static int meet(void)
{
    return gravel_barrier(gravel);
}

static cl_kernel build_kernel(const char *source, const char *name)
{
    cl_program program = build_or_die(gravel, source, "");
    cl_kernel built = kernel_or_die(gravel, program, name);
    clReleaseProgram(program);
    return built;
}

/* ---- sends, or does nothing --------------------------------------------------------------------- */

static void begin_busy(void)
{
    gravel = open_busy(&kernel);
    OK(meet());
}

static void launch_busy(void)
{
    OK(send_some(gravel, kernel));
}

static int go_on_busy(void)
{
    int code = send_some(gravel, kernel);
    return code ? code : meet();
}

static void end_busy(int code)
{
    MUST(gravel_quiet(gravel) == code);
    clReleaseKernel(kernel);
}

static void begin_waiting(void)
{
    gravel = open_default(NULL);
    word = alloc_or_die(gravel, 64);
    OK(meet());
}

/* Each call reports the end, and its process opens no node again. */
static void end_waiting(int code)
{
    const uint64_t value = 1;
    MUST(gravel_put(gravel, word, &value, sizeof value, 0) == code);
    MUST(gravel_update(gravel, GRAVEL_ADD, GRAVEL_ULONG, word, &value, 0) == code);
    MUST(gravel_quiet(gravel) == code);
    MUST(gravel_close(gravel) == code);
    gravel = NULL;
    expect(try_open(NULL), GRAVEL_EMPI, "a node of this process has failed");
}

const struct work busy = {begin_busy, go_on_busy, launch_busy, end_busy};
const struct work waiting = {begin_waiting, meet, NULL, end_waiting};

/* ---- runs rounds -------------------------------------------------------------------------------- */

static struct gravel_rounds *rounds;
static cl_mem gate_memory;                        /* that the device uses as it is */
static _Alignas(4096) _Atomic cl_uint gate[1024]; /* the first: 0 while phases do not end */

void stay_in_phase(const struct death *death)
{
    (void)death;
    atomic_store(gate, 0);
}

struct gravel_rounds *make_rounds(uint64_t at)
{
    static const char source[] =
        "#include \"gravel.cl.h\"\n"
        "kernel void around(GRAVEL_ARENA, GRAVEL_ROUND, ulong word, volatile global uint *gate) {\n"
        "    GRAVEL_ROUND_OPEN(r);\n"
        "    GRAVEL_EACH_ROUND(r) GRAVEL_PHASE(r, send) {\n"
        "        while (*gate == 0) ;\n"
        "        uint node = (gravel_node(r.group) + 1) % gravel_n_nodes(r.group);\n"
        "        gravel_inc_uint_wg(r.group, word, 0, node);\n"
        "        gravel_round_count_wg(r, 1);\n"
        "    } }\n";
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "around.cl", .source = source, .function = "around");
    struct gravel_rounds *made;
    cl_int error;
    gate_memory =
        clCreateBuffer(gravel_cl_context(gravel), CL_MEM_USE_HOST_PTR, sizeof gate, gate, &error);
    atomic_store(gate, 1);
    OK(gravel_rounds_create(&made, gravel, &program));
    OK(gravel_rounds_kernel(made, &kernel));
    MUST(error == CL_SUCCESS && clSetKernelArg(kernel, 2, sizeof at, &at) == CL_SUCCESS &&
         clSetKernelArg(kernel, 3, sizeof gate_memory, &gate_memory) == CL_SUCCESS);
    OK(meet());
    return made;
}

static void begin_rounds(void)
{
    gravel = open_default(NULL);
    word = alloc_or_die(gravel, 64);
    rounds = make_rounds(word);
}

static int go_around(void)
{
    return gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 40, NULL, 0);
}

static void end_rounds(int code)
{
    MUST(gravel_rounds_destroy(rounds) == code);
    clReleaseKernel(kernel);
    clReleaseMemObject(gate_memory);
}

/* As begin_paying_in_a_hurry. */
static void begin_limited_rounds(void)
{
    begin_rounds();
    OK(go_around());
    end_rounds(0);
    OK(gravel_close(gravel));
    setenv("GRAVEL_KERNEL_LIMIT", "1000", 1);
    begin_rounds();
}

const struct work rounding = {begin_rounds, go_around, NULL, end_rounds};
const struct work rounding_in_a_hurry = {begin_limited_rounds, go_around, NULL, end_rounds};

/* ---- lives -------------------------------------------------------------------------------------- */

/* Takes 300 ms of a life. */
static int take_its_time(struct gravel *here, void *user, uint32_t source,
                         const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)here, (void)user, (void)source, (void)args;
    for (unsigned i = 0; i < 30; i++)
        usleep(10000);
    return 0;
}

static void begin_living(void)
{
    static const struct gravel_handler handler = {.name = "live", .function = take_its_time};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    gravel = open_default(&bindings);
    OK(meet());
}

static int go_on_living(void)
{
    OK(gravel_am(gravel, 0, NULL, 0, ((uint32_t)rank + 1) % gravel_n_nodes(gravel)));
    OK(gravel_quiet(gravel));
    return meet();
}

const struct work living = {begin_living, go_on_living, NULL, NULL};

/* ---- transactions, which other ranks send too -------------------------------------------------------- */

#define N_KEYS 24u
#define MONEY 1000u
#define N_ITEMS 1024u

extern const char pay_cl[]; /* kernels/ */

static struct bank bank;

/* Keys of a node. */
static uint64_t n_here(void)
{
    return N_KEYS / gravel_n_nodes(gravel);
}

static void begin_paying(void)
{
    static const struct gravel_handler handler = {
        .name = "pay", .n_args = 3, .serve = {.n_keys = 2, .datum = "money", .datum_words = 1}};
    const struct gravel_bindings table =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1, .device_code.source = pay_cl,
                        .device_code.name = "pay.cl");
    const uint64_t n_keys = N_KEYS;
    bank = open_bank(NULL, &table, N_KEYS * sizeof(uint64_t)); /* enough for one node */
    gravel = bank.gravel;
    MUST(clSetKernelArg(bank.send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    uint64_t *money = write_accounts(&bank, (uint32_t)rank, n_here() * sizeof *money);
    for (uint64_t i = 0; i < n_here(); i++)
        money[i] = MONEY;
    unmap(gravel, money);
    OK(meet());
}

static void launch_paying(void)
{
    OK(launch_bank(&bank, N_ITEMS));
}

static int go_on_paying(void)
{
    int code = launch_bank(&bank, N_ITEMS);
    if (!code)
        code = gravel_quiet(gravel);
    return code ? code : meet();
}

/* None is lost, and none made. */
static void check_money(void)
{
    uint64_t sum = 0;
    OK(meet());
    const uint64_t *money =
        read_map(gravel, (uint32_t)rank, bank.accounts, n_here() * sizeof *money);
    for (uint64_t i = 0; i < n_here(); i++) {
        MUST(money[i] <= N_KEYS * MONEY); /* else it is less than 0 */
        sum += money[i];
    }
    unmap(gravel, money);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1));
    MUST(sum == (uint64_t)N_KEYS * MONEY);
}

static void end_paying(int code)
{
    if (code == 0)
        check_money();
    MUST(gravel_barrier(gravel) == code);
    clReleaseKernel(bank.send);
    clReleaseProgram(bank.program);
}

/*
 * Opens with a short GRAVEL_TIMEOUT, for which the others wait. Drivers compile at a first launch, on a busy machine for longer
 * than that: so a node before, with a long one, launches first.
 */
static void begin_paying_in_a_hurry(void)
{
    setenv("GRAVEL_TIMEOUT", "40000", 1);
    begin_paying();
    launch_paying();
    close_bank(&bank);
    set_limit("GRAVEL_TIMEOUT", 1000);
    begin_paying();
}

const struct work paying = {begin_paying, go_on_paying, launch_paying, end_paying};
const struct work paying_in_a_hurry = {begin_paying_in_a_hurry, go_on_paying, launch_paying,
                                       end_paying};

/* ---- lines ---------------------------------------------------------------------------------------- */

static const char print_cl[] = "#include \"gravel.cl.h\"\n"
                               "#include \"print.cl.h\"\n"
                               "kernel void print(GRAVEL_ARENA)\n"
                               "{\n"
                               "    GRAVEL_OPEN(g);\n"
                               "    for (uint n = 0; n < 16; n++)\n"
                               "        gravel_printf_wg(g, \"line %u of 16\", n);\n"
                               "}\n";

static FILE *lines;     /* node 0's standard output, if it is a file */
static int real_output; /* that fault.sh reads */

/* Prints more lines than may be unwritten, so that senders wait for credit when something fails.
 * @param output  becomes node 0's standard output, and is closed here. */
static void begin_printing(int output)
{
    setenv("GRAVEL_SPOOL", "4096", 1);
    gravel = open_default(NULL);
    kernel = build_kernel(print_cl, "print");
    real_output = dup(STDOUT_FILENO);
    MUST(real_output >= 0 && output >= 0);
    if (rank == 0)
        MUST(dup2(output, STDOUT_FILENO) >= 0);
    close(output);
    int code = meet();
    MUST(code == 0 || code == GRAVEL_ESYSTEM); /* another node may have left it, and print */
}

static void begin_printing_to_file(void)
{
    lines = tmpfile();
    MUST(lines);
    begin_printing(dup(fileno(lines)));
}

/* Nobody reads the pipe. */
static void begin_printing_to_pipe(void)
{
    int ends[2];
    MUST(pipe(ends) == 0);
    begin_printing(ends[1]);
}

static int launch_lines(size_t global)
{
    const size_t local = 256;
    return gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL);
}

#define MANY_ITEMS 25600u

static void launch_printing(void)
{
    OK(launch_lines(MANY_ITEMS));
}

static int go_on_printing(void)
{
    int code = launch_lines(MANY_ITEMS);
    return code ? code : meet();
}

/* What has come is whole. */
static void expect_whole_lines(void)
{
    char line[128];
    unsigned from, item, n, n_lines = 0;
    int end = 0;
    rewind(lines);
    while (fgets(line, sizeof line, lines)) {
        MUST(sscanf(line, "[%u:%u] line %u of 16\n%n", &from, &item, &n, &end) == 3 && !line[end]);
        n_lines++;
    }
    MUST(n_lines > 0);
}

static void end_printing(int code)
{
    MUST(gravel_close(gravel) == code);
    gravel = NULL;
    clReleaseKernel(kernel);
    MUST(dup2(real_output, STDOUT_FILENO) >= 0);
    if (rank == 0 && lines)
        expect_whole_lines();
}

const struct work printing_to_file = {begin_printing_to_file, go_on_printing, launch_printing,
                                      end_printing};
const struct work printing_to_pipe = {begin_printing_to_pipe, go_on_printing, launch_printing,
                                      end_printing};

/* No kernel waits longer for a disk that is full, and node 0 reports how much is lost. */
void disk_full(const struct death *death)
{
    (void)death;
    const size_t n_items = 2560;
    char lost[96];
    begin_printing(open("/dev/full", O_WRONLY));
    OK(launch_lines(n_items));
    const int code = meet();
    snprintf(lost, sizeof lost, "No space left on device; %u lines are lost, behind 0 written",
             16 * (unsigned)n_items * gravel_n_nodes(gravel));
    expect(code, rank == 0 ? GRAVEL_ESYSTEM : 0, lost);
    OK(meet());
    end_printing(0);
    as_expected();
}
