/* SPDX-License-Identifier: MIT */
/*
 * Closes a node: stops its threads, then frees what they and the device used, as far as the device lets go of it.
 *
 * Path:    gravel_close, and gravel_open that failed -> aggregators -> network thread -> device -> arena.
 */
#include "node/node.h"
#include "opencl/objects.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>

/* Nodes whose device still uses what they own when they close. Leaked on purpose; listed for leak checkers. */
static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gravel *left_behind;

/* @return maps that are out. */
static uint32_t end_node(struct gravel *gravel, enum gravel_end end)
{
    pthread_mutex_lock(&gravel->maps_lock);
    gravel->end = end;
    uint32_t n_maps = gravel->n_maps;
    pthread_mutex_unlock(&gravel->maps_lock);
    return n_maps;
}

static void leave_behind(struct gravel *gravel)
{
    end_node(gravel, GRAVEL_LEFT);
    pthread_mutex_lock(&left_lock);
    gravel->next = left_behind;
    left_behind = gravel;
    pthread_mutex_unlock(&left_lock);
}

/*
 * Frees what kernels and copies use. @return false if one is still under way, though the wait for it has
 * ended and has named it: then all of it stays until the process ends, for the device would write
 * to freed memory, and to release its queue may be to wait for it. Leaders need not wait for room.
 */
static bool free_device(struct gravel *gravel, bool are_running)
{
    if (are_running && gravel->arena)
        gravel_word_store(&gravel->arena->abort, 1, memory_order_relaxed); /* H1 */
    if (are_running)
        gravel_pump_abandon(gravel->pump);
    if (are_running || gravel_node_is_stuck(gravel) || !gravel_pump_destroy(gravel->pump))
        return false;
    gravel_device_calls_destroy(gravel->calls); /* it may still release the lock of keys */
    if (gravel_node_is_stuck(gravel))
        return false;
    gravel_servers_close(&gravel->servers);
    if (!gravel_wait_is_done(&gravel->device, gravel->copies, "copies of accumulators and deques"))
        return false;
    gravel_cl_queue_release(gravel->copies);
    gravel->copies = NULL;
    return true;
}

void gravel_node_free_heap(struct gravel *gravel)
{
    const bool has_buffers = gravel->device.capability.is_cpu && gravel->memory.region.buffer;
    gravel_exchange_close(&gravel->network);
    gravel_memory_destroy(&gravel->memory);
    if (gravel_node_is_stuck(gravel) || gravel->memory.device) { /* which stays if it must */
        leave_behind(gravel);
        return;
    }
    gravel_launches_destroy(&gravel->launches); /* until here waits for the device ask for them */
    gravel_built_release(&gravel->built);
    gravel_device_close(&gravel->device);
    gravel_segment_destroy(gravel->segment);
    free(gravel);
#if defined(__GLIBC__)
    if (has_buffers) /* memory of the process, of which the C library keeps much, in pieces */
        malloc_trim(0);
#else
    (void)has_buffers;
#endif
}

int gravel_node_free(struct gravel *gravel)
{
    const bool is_aborting = !gravel_abort_refuse(gravel);
    gravel_watch_progress(gravel, false);
    if (is_aborting)
        gravel->log = NULL;         /* it may wait for what the function that does not return has */
    gravel_pump_stop(gravel->pump); /* it wakes aggregators */
    for (uint32_t i = 0; gravel->aggregators && i < gravel->config.n_aggregators; i++)
        gravel_aggregator_stop(&gravel->aggregators[i]);
    bool are_running = gravel_launches_are_running(&gravel->launches, true) ||
                       gravel_device_calls_are_stuck(gravel->calls);
    bool keep_resolver = (gravel->pump && are_running) || gravel_node_is_stuck(gravel);
    const bool is_stopped = gravel_network_stop(&gravel->network, keep_resolver);
    const int code = is_stopped ? gravel_trace_close(gravel->trace, !are_running) : 0;
    if (!is_stopped || !free_device(gravel, are_running) || is_aborting) {
        gravel_log(gravel, "%s: its memory and OpenCL objects stay",
                   is_aborting          ? "gravel_abort has not returned from the log function"
                   : are_running        ? "a kernel still runs"
                   : !gravel->device.id ? "MPI has not answered"
                                        : "the device has not answered");
        gravel_watch_stop(gravel);
        leave_behind(gravel);
        return code;
    }
    gravel_report_to_outbound(gravel, false); /* freeing the heap may still report a failure */
    for (uint32_t i = 0; gravel->aggregators && i < gravel->config.n_aggregators; i++) {
        gravel_sender_destroy(gravel->aggregators[i].sender);
        gravel_sender_destroy(gravel->aggregators[i].records);
        gravel_check_end(&gravel->aggregators[i].check, NULL, 0);
    }
    free(gravel->kernel_names.list);
    free(gravel->aggregators);
    gravel->aggregators = NULL;
    gravel_heap_destroy(gravel->heap);
    gravel_endpoints_free(&gravel->endpoints);
    free(gravel->destination_base);
    gravel_watch_stop(gravel);
    const uint32_t n_maps = end_node(gravel, GRAVEL_IN_USE); /* until its last line */
    if (n_maps)
        gravel_log(gravel, "%u maps are out: the last gravel_unmap frees the heap", n_maps);
    gravel->log = n_maps ? NULL : gravel->log; /* it may not be called after gravel_close */
    if (end_node(gravel, GRAVEL_CLOSED) == 0)
        gravel_node_free_heap(gravel);
    return code;
}

/* Warns that a program, by what it asked, has taken itself for one rank of several. */
static void warn_of_loopback(struct gravel *gravel)
{
    char text[256];
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    if (!gravel->network.transport->is_loopback || n_nodes == 1 || !getenv("GRAVEL_LOOPBACK") ||
        atomic_load_explicit(&gravel->knows_locals, memory_order_relaxed)) /* relaxed: a hint */
        return;
    snprintf(text, sizeof text,
             "GRAVEL_LOOPBACK is %u, and the program asked for no node but its own "
             "(gravel_is_local): if each rank launches a part of the work, this run did 1 of %u",
             n_nodes, n_nodes);
    gravel_warn(gravel, text);
}

int gravel_close(struct gravel *gravel)
{
    if (!gravel)
        return 0;
    GRAVEL_TRY(gravel_enter(gravel, "gravel_close", GRAVEL_WAITS));
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_CLOSE};
    warn_of_loopback(gravel); /* the network thread frees what this asks once all nodes close */
    struct gravel_kept met =
        gravel_keep(gravel_leave_wait(gravel, gravel_node_barrier(gravel, &call, false)));
    if (gravel->config.stats)
        gravel_stats_print(gravel);
    const bool has_table = gravel->shared.config.stats; /* node 0's: all know whether it has one */
    const int code =
        has_table && !gravel_node_has_failed(gravel) ? gravel_stats_print_job(gravel) : 0;
    met = met.code ? met : gravel_keep(code);
    const int trace_code = gravel_node_free(gravel);
    return met.code ? gravel_fail_again(&met) : trace_code;
}
