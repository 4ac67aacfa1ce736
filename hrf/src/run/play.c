/* SPDX-License-Identifier: MIT */
/*
 * Outcomes on a device, shown. See play.h.
 */
#include "run/play.h"

#include "checker/mutate.h"

#include <inttypes.h>
#include <stdio.h>

#define WHY_BYTES 512

static struct devices *devices; /* opened once for all files */

void play_end(void)
{
    devices_close(devices);
    devices = NULL;
}

/* Returns the exit status. */
static int refuse(const struct hrf_program *program, json_t *object, const char *why)
{
    if (object)
        json_object_set_new(object, "not_run", json_string(why));
    else
        printf("  %s is not run: %s\n", program->name, why);
    return SHOW_NO_DEVICE;
}

static void put_name(char *name, size_t bytes, const struct hrf_program *program,
                     const struct hrf_expression *value)
{
    if (value->operator_ == HRF_FINAL_REGISTER)
        snprintf(name, bytes, "%s:%s", program->threads[value->a].name,
                 program->threads[value->a].registers[value->b]);
    else
        snprintf(name, bytes, "%s", program->locations[value->a].name);
}

/* Names the values that a bin stands for: P1:r=0 P1:s=1. The last value is in the lowest digit. */
static void name_bin(char *text, size_t bytes, const struct hrf_program *program,
                     const struct shape *shape, uint32_t bin)
{
    size_t n = 0;
    for (uint32_t w = 0; w < shape->n_watched && n < bytes; w++) {
        char name[2 * HRF_NAME_BYTES];
        const uint32_t value = bin >> 2 * (shape->n_watched - 1 - w) & (SHAPE_VALUES - 1);
        put_name(name, sizeof name, program, &program->expressions[shape->watched[w]]);
        n += (size_t)snprintf(text + n, bytes - n, "%s%s=%u%s", w ? " " : "", name, value,
                              value == SHAPE_VALUES - 1 ? "+" : "");
    }
}

static void show_outcomes(const struct hrf_program *program, const struct devices_outcome *outcome,
                          json_t *json)
{
    for (uint32_t bin = 0; bin < SHAPE_BINS; bin++) {
        char text[512] = "";
        if (!outcome->bins[bin] || outcome->shape.n_watched == 0)
            continue;
        name_bin(text, sizeof text, program, &outcome->shape, bin);
        if (json)
            json_object_set_new(json, text, json_integer((json_int_t)outcome->bins[bin]));
        else
            printf("    %12" PRIu64 "  %s\n", outcome->bins[bin], text);
    }
}

/* Returns whether a thread reads before it stores, and whether one of the two does not synchronize. */
static bool reads_then_stores(const struct hrf_thread *thread, bool *is_weak)
{
    bool has_read = false, has_weak_read = false, is_found = false;
    for (uint32_t k = 0; k < thread->n_code; k++) {
        const struct hrf_instruction *i = &thread->code[k];
        if (has_read && hrf_may_write(i->op)) {
            is_found = true;
            *is_weak |= has_weak_read || !(i->order & HRF_RELEASE);
        }
        has_read |= hrf_reads(i->op);
        has_weak_read |= hrf_reads(i->op) && !(i->order & HRF_ACQUIRE);
    }
    return is_found;
}

/*
 * Returns whether two threads could each read what the other stores later. OpenCL allows such cycles of relaxed
 * operations, and GPUs show them; the checker, as RC11, does not follow them.
 */
static bool may_buffer_loads(const struct hrf_program *program)
{
    uint32_t n = 0;
    bool is_weak = false;
    for (uint32_t t = 0; t < program->n_threads; t++)
        n += reads_then_stores(&program->threads[t], &is_weak);
    return n >= 2 && is_weak;
}

/* Returns whether an execution does what is counted: meets the condition, or fails an assert. */
static bool is_possible(const struct hrf_program *program, const struct hrf_verdict *verdict)
{
    return shape_counts_asserts(program) ? verdict->fault == HRF_FAILED_ASSERT
                                         : verdict->of[HRF_OPENCL].exists;
}

static bool is_forbidden(const struct hrf_program *program, const struct hrf_verdict *verdict)
{
    return verdict->of[HRF_OPENCL].answer == HRF_IS_FREE && !is_possible(program, verdict) &&
           !may_buffer_loads(program);
}

/* Returns what is counted, as text and as a name in JSON. */
static const char *what_is_counted(const struct hrf_program *program)
{
    return shape_counts_asserts(program) ? "failed asserts" : "`exists`";
}
static const char *key_of_counted(const struct hrf_program *program)
{
    return shape_counts_asserts(program) ? "failed_asserts" : "exists";
}

/* Returns what OpenCL says of what is counted. */
static const char *allowance(const struct hrf_program *program, const struct hrf_verdict *verdict)
{
    const struct hrf_answer_of_model *of = &verdict->of[HRF_OPENCL];
    if (of->answer == HRF_HAS_RACE)
        return "anything, for there is a race";
    if (of->answer != HRF_IS_FREE)
        return "undecided";
    if (is_possible(program, verdict))
        return "sometimes";
    return is_forbidden(program, verdict) ? "never" : "never unless loads are buffered";
}

/* Returns the exit status. */
static int judge(const struct hrf_program *program, const struct hrf_verdict *verdict,
                 const struct devices_wish *device, const struct devices_outcome *outcome)
{
    if (!is_forbidden(program, verdict) || !outcome->n_held)
        return SHOW_AS_EXPECTED;
    const bool is_narrow = outcome->shape.n_host && !outcome->has_scope_sys;
    printf("  %s: %" PRIu64 " times, seed %u, %s, driver %s\n",
           is_narrow ? "DEVICE SCOPE DOES NOT REACH THE HOST" : "DEVICE BREAKS opencl",
           outcome->n_held, device->seed, outcome->device, outcome->driver);
    return SHOW_NOT_SO;
}

/* Returns whether a thread on the device names a scope that its compiler does not have. */
static bool is_narrowed(const struct hrf_program *program, const struct devices_outcome *outcome)
{
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++)
            if (outcome->shape.group[t] != SHAPE_ON_HOST &&
                hrf_is_sync(program->threads[t].code[k].op) &&
                program->threads[t].code[k].level == HRF_SYS)
                return !outcome->has_scope_sys;
    return false;
}

static void show(const struct hrf_program *program, const struct hrf_verdict *verdict,
                 const struct devices_outcome *outcome, json_t *object)
{
    json_t *bins = object ? json_object() : NULL;
    const char *allowed = allowance(program, verdict);
    if (!object)
        printf("  %s%s: %" PRIu64 " instances in %.1f s, %" PRIu64 " given up\n", outcome->device,
               outcome->shape.n_host ? " and the host" : "", outcome->n_played, outcome->seconds,
               outcome->n_dead);
    if (!object && is_narrowed(program, outcome))
        puts("    scope sys is played as dev: the compiler has no memory_scope_all_svm_devices");
    show_outcomes(program, outcome, bins);
    if (!object) {
        printf("    %s %" PRIu64 " times, by opencl %s\n", what_is_counted(program),
               outcome->n_held, allowed);
        return;
    }
    json_object_set_new(
        object, "run",
        json_pack("{s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:f, s:s, s:o}", "device", outcome->device,
                  "driver", outcome->driver, "host_threads", (json_int_t)outcome->shape.n_host,
                  "sys_played_as_dev", is_narrowed(program, outcome), "instances",
                  (json_int_t)outcome->n_played, "given_up", (json_int_t)outcome->n_dead,
                  key_of_counted(program), (json_int_t)outcome->n_held, "seconds", outcome->seconds,
                  "by_opencl", allowed, "outcomes", bins));
}

/* Plays each mutant that a device can play, and counts how often its condition was met. */
static int play_mutants(const struct devices_wish *wish, struct hrf_program *program,
                        json_t *object)
{
    static struct devices_outcome outcome;
    struct hrf_mutant mutant = hrf_before_mutants();
    json_t *list = object ? json_object() : NULL;
    uint32_t n = 0, n_seen = 0;
    while (hrf_mutant_next(program, &mutant)) {
        char why[WHY_BYTES];
        int code = devices_play(devices, program, wish, &outcome, why, sizeof why);
        hrf_mutant_undo(program, &mutant);
        if (code)
            continue; /* no OpenCL C has that scope */
        n++;
        n_seen += outcome.n_held > 0;
        if (list)
            json_object_set_new(list, mutant.text, json_integer((json_int_t)outcome.n_held));
        else
            printf("    %-36s %s %" PRIu64 " of %" PRIu64 "\n", mutant.text,
                   what_is_counted(program), outcome.n_held, outcome.n_played - outcome.n_dead);
    }
    if (object)
        json_object_set_new(object, "run_mutants", list);
    else
        printf("  mutation score: %u of %u mutants\n", n_seen, n);
    return SHOW_AS_EXPECTED;
}

int play_program(const struct show_wish *wish, struct hrf_program *program,
                 const struct hrf_verdict *verdict, json_t *object)
{
    static struct devices_outcome outcome;
    const struct devices_wish device = {
        .name = wish->device, .seconds = wish->seconds, .seed = wish->seed};
    char why[WHY_BYTES];
    if (!devices && devices_open(&device, &devices, why, sizeof why))
        return refuse(program, object, why);
    if (devices_play(devices, program, &device, &outcome, why, sizeof why))
        return refuse(program, object, why);
    show(program, verdict, &outcome, object);
    if (outcome.n_dead == outcome.n_played)
        return refuse(program, object,
                      "each instance was given up, for its threads do not run at once");
    int status = judge(program, verdict, &device, &outcome);
    return wish->has_mutants ? show_worse(status, play_mutants(&device, program, object)) : status;
}
