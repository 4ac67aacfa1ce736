/* SPDX-License-Identifier: MIT */
/*
 * Widths and offsets, which the text of a program begins with. See layout.h.
 *
 * Channels whose width is left to the library get the widest power of two, up to the shape's, with which all fits. The
 * rows of all continuations have one width, so that the words of a long in a slot are that far apart; and so have held
 * channels.
 */
#include "flow/layout.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/rounding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WORDS (GRAVELP_CACHELINE / 4)

static uint64_t in_lines(uint64_t words)
{
    return (words + LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS;
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* Returns a group's worth; little of a narrow channel. */
static uint32_t reserve_of(uint32_t width, uint32_t group_items)
{
    uint32_t quarter = width / 4 ? width / 4 : 1;
    return quarter < group_items ? quarter : group_items;
}

/* Returns the least width with which what one CE makes fits in what the reserve leaves. */
static uint32_t least_width(const struct gravel_flow_graph *graph, uint32_t c)
{
    uint32_t most = gravel_flow_graph_most_into(graph, c);
    if (!gravel_flow_graph_feeds_itself(graph, c))
        return gravel_power_from(most);
    uint32_t width = gravel_power_from(most + 1);
    while (width - reserve_of(width, UINT32_MAX) < most)
        width *= 2;
    return width;
}

/* Returns the widest width of the channels of a kind; 0 if there is none. */
static uint32_t widest_of(const struct gravel_flow_graph *graph, uint32_t kind)
{
    uint32_t widest = 0;
    for (uint32_t c = 0; c < graph->n_channels; c++)
        if (graph->channels[c].kind == kind && graph->channels[c].width > widest)
            widest = graph->channels[c].width;
    return widest;
}

/* Sets widths: as asked, unless `all` are derived, and every other width to `width` or the least. */
static void set_widths(struct gravel_flow_graph *graph, uint32_t width, bool all)
{
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        struct gravelp_channel *channel = &graph->channels[c];
        const uint32_t least = least_width(graph, c), derived = least > width ? least : width;
        channel->width = graph->asked[c].width && !all ? graph->asked[c].width : derived;
    }
    uint32_t widest = widest_of(graph, GRAVEL_AFTER), widest_held = widest_of(graph, GRAVEL_HELD);
    for (uint32_t c = 0; c < graph->n_channels; c++)
        if (graph->channels[c].kind == GRAVEL_AFTER)
            graph->channels[c].width = widest;
        else if (graph->channels[c].kind == GRAVEL_HELD)
            graph->channels[c].width = widest_held;
}

static int set_reserves(struct gravel_flow_graph *graph, uint32_t group_items)
{
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        struct gravelp_channel *channel = &graph->channels[c];
        uint32_t most = gravel_flow_graph_most_into(graph, c);
        channel->reserve =
            gravel_flow_graph_feeds_itself(graph, c) ? reserve_of(channel->width, group_items) : 0;
        if (channel->width - channel->reserve < most)
            return gravel_fail(GRAVEL_EINVAL,
                               "channel '%s', which feeds itself: its width, %u, less the %u kept "
                               "for that is less than the %u that an element makes at most",
                               graph->names[c], channel->width, channel->reserve, most);
    }
    return 0;
}

/* ---- offsets -------------------------------------------------------------------------------- */

static uint64_t words_of(const struct gravelp_channel *channel)
{
    return (uint64_t)channel->width * channel->n_words;
}

/* Returns the words of a held channel's states, and of the ring of those that are enqueued. */
static uint64_t words_of_states(const struct gravelp_channel *channel)
{
    return channel->kind == GRAVEL_HELD ? (uint64_t)channel->width * 2 : 0;
}

/* Lays out the rows of the channels of a kind, one after the other. @return where they end; numbers beyond 32 bits are
 * refused later */
static uint64_t lay_out(struct gravel_flow_graph *graph, uint32_t kind, uint64_t at)
{
    for (uint32_t c = 0; c < graph->n_channels; c++)
        if (graph->channels[c].kind == kind) {
            graph->channels[c].base = (uint32_t)at;
            at += in_lines(words_of(&graph->channels[c]));
        }
    return at;
}

/* Lays out the states of held channels, and numbers their done counts. @return where they end. */
static uint64_t lay_out_states(struct gravel_flow_graph *graph, uint64_t at, uint32_t *n_done)
{
    *n_done = 0;
    for (uint32_t c = 0; c < graph->n_flat; c++)
        if (graph->channels[c].kind == GRAVEL_HELD) {
            graph->channels[c].states = (uint32_t)at;
            graph->channels[c].done = *n_done;
            at += in_lines(words_of_states(&graph->channels[c]));
            *n_done += gravelp_held_n_done(graph->channels[c].width);
        }
    return at;
}

/* Lays out result and rows. @return their words */
static uint64_t lay_out_rows(struct gravel_flow_layout *layout, struct gravel_flow_graph *graph)
{
    const uint64_t held_at = lay_out(graph, GRAVEL_STREAM, GRAVEL_RESULT_WORDS);
    const uint64_t held_end = lay_out(graph, GRAVEL_HELD, held_at);
    const uint64_t levels_at =
        lay_out_states(graph, lay_out(graph, GRAVEL_OUTPUT, held_end), &layout->header.n_done);
    const uint64_t after_end = lay_out(graph, GRAVEL_AFTER, levels_at);
    const uint64_t level_words = lay_out(graph, GRAVEL_SPAWN, after_end) - levels_at;
    layout->held_at = (uint32_t)held_at;
    layout->held_words = (uint32_t)(held_end - held_at);
    layout->levels_at = (uint32_t)levels_at;
    layout->after_words = (uint32_t)(after_end - levels_at);
    layout->level_words = (uint32_t)level_words;
    layout->header.n_level_words = (uint32_t)(level_words * graph->n_levels);
    for (uint32_t c = 0; c < graph->n_channels; c++)
        graph->channels[c].level_words = c < graph->n_flat ? 0 : layout->level_words;
    return levels_at + level_words * graph->n_levels;
}

/* Lays out what is before the rows. @return its words. */
static uint64_t lay_out_control(struct gravelp_flow *header, const struct gravel_flow_graph *graph)
{
    uint64_t at = sizeof *header / 4;
    header->limits_at = (uint32_t)at;
    header->launch_at = (uint32_t)(at += in_lines(graph->n_channels));
    header->fault_at = (uint32_t)(at += sizeof(struct gravelp_flow_launch) / 4);
    header->unenqueued_at = (uint32_t)(at += sizeof(struct gravelp_flow_fault) / 4);
    header->tails_at = (uint32_t)(at += graph->n_channels);
    header->enqueued_at = (uint32_t)(at += header->n_layers);
    header->done_at = (uint32_t)(at += graph->n_channels);
    header->heads_at = (uint32_t)(at = in_lines(at + header->n_done));
    header->taken_at = (uint32_t)(at += header->n_layers);
    header->peaks_at = (uint32_t)(at = in_lines(at + graph->n_channels));
    header->channels_at = (uint32_t)(at += in_lines(graph->n_channels));
    header->edges_at = (uint32_t)(at += graph->n_channels * sizeof *graph->channels / 4);
    return in_lines(at + graph->n_edges * sizeof *graph->edges / 4);
}

static void begin_header(struct gravelp_flow *header, const struct gravel_flow_graph *graph)
{
    *header = (struct gravelp_flow){
        .version = GRAVELP_FLOW_VERSION,
        .n_channels = graph->n_channels,
        .n_flat = graph->n_flat,
        .n_levels = graph->n_levels,
        .n_layers = graph->n_flat + (graph->n_channels - graph->n_flat) * graph->n_levels,
    };
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Lays all out with a width. @return false if it is larger than the shape allows, or a word of rows would have no
 * number. */
static bool fits(struct gravel_flow_layout *layout, struct gravel_flow_graph *graph,
                 const struct gravel_flow_shape *shape, uint32_t width, bool all)
{
    set_widths(graph, width, all);
    const uint64_t row_words = lay_out_rows(layout, graph);
    layout->rows_at = 4 * lay_out_control(&layout->header, graph);
    layout->bytes = layout->rows_at + 4 * row_words;
    return layout->bytes <= shape->max_bytes && row_words < UINT32_MAX;
}

/* Fails as flow memory is too large, and says with which width it would not be: lays the graph out anew. */
static int fail_size(struct gravel_flow_graph *graph, uint64_t bytes,
                     const struct gravel_flow_shape *shape)
{
    char *table = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&table, &length);
    for (uint32_t c = 0; out && c < graph->n_channels; c++) {
        const struct gravelp_channel *channel = &graph->channels[c];
        uint32_t n_levels = c < graph->n_flat ? 1 : graph->n_levels;
        fprintf(out, "%s %s: %u words x %u wide x %u levels = %" PRIu64 " bytes", c ? ";" : "",
                graph->names[c], channel->n_words, channel->width, n_levels,
                4 * (words_of(channel) + words_of_states(channel)) * n_levels);
    }
    if (out)
        fclose(out);
    struct gravel_flow_layout layout = {0};
    uint32_t width = GRAVEL_FLOW_MAX_WIDTH;
    begin_header(&layout.header, graph);
    while (width && !fits(&layout, graph, shape, width, true))
        width /= 2;
    int code = gravel_fail(GRAVEL_ENOMEM,
                           "a flow of %" PRIu64 " bytes, of %" PRIu64
                           " at most; channels of width %u would fit:%s",
                           bytes, shape->max_bytes, width, table ? table : "");
    free(table);
    return code;
}

int gravel_flow_layout(struct gravel_flow_layout *layout, struct gravel_flow_graph *graph,
                       const struct gravel_flow_shape *shape)
{
    uint32_t width = shape->width;
    *layout = (struct gravel_flow_layout){0};
    begin_header(&layout->header, graph);
    while (width && !fits(layout, graph, shape, width, false))
        width /= 2;
    if (!width)
        return fail_size(graph, layout->bytes, shape);
    layout->slot_stride = widest_of(graph, GRAVEL_AFTER);
    layout->held_stride = widest_of(graph, GRAVEL_HELD);
    layout->group_items = shape->group_items;
    int code = set_reserves(graph, shape->group_items);
    /* a sum of all that the program of the graph depends on */
    uint64_t hash = gravel_hash_bytes(gravel_hash_step(GRAVEL_HASH_BEGIN, layout->rows_at),
                                      graph->channels, graph->n_channels * sizeof *graph->channels);
    for (uint32_t c = 0; c < graph->n_channels; c++)
        hash = gravel_hash_bytes(hash, graph->names[c], strlen(graph->names[c]) + 1);
    layout->header.sign = (uint32_t)(hash ^ hash >> 32);
    return code;
}

void gravel_flow_layout_write(const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph, struct gravelp_flow *control)
{
    memset(control, 0, layout->rows_at);
    *control = layout->header;
    memcpy(gravelp_flow_channels(control), graph->channels,
           graph->n_channels * sizeof *graph->channels);
    memcpy(gravelp_flow_edges(control), graph->edges, graph->n_edges * sizeof *graph->edges);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Writes the graph as macros. */
static void write_graph(FILE *out, const struct gravel_flow_graph *graph,
                        const struct gravel_flow_layout *layout)
{
    fprintf(out, "#define GRAVELP_FLOW_SIGN 0x%08xu\n", layout->header.sign);
    fprintf(out, "#define GRAVELP_FLOW_N_CHANNELS %uu\n", graph->n_channels);
    fprintf(out, "#define GRAVELP_FLOW_N_FLAT %uu\n", graph->n_flat);
    fprintf(out, "#define GRAVELP_FLOW_SLOT_STRIDE %uu\n", layout->slot_stride);
    fprintf(out, "#define GRAVELP_FLOW_ROWS_AT %uu\n", (unsigned)(layout->rows_at / 4));
    fprintf(out, "#define GRAVELP_FLOW_LEVELS_AT %uu\n", layout->levels_at);
    fprintf(out, "#define GRAVELP_FLOW_LEVEL_WORDS %uu\n",
            layout->level_words ? layout->level_words : 1);
    fprintf(out, "#define GRAVELP_FLOW_AFTER_WORDS %uu\n", layout->after_words);
    fprintf(out, "#define GRAVELP_FLOW_HELD_AT %uu\n", layout->held_at);
    fprintf(out, "#define GRAVELP_FLOW_HELD_WORDS %uu\n", layout->held_words);
    fprintf(out, "#define GRAVELP_FLOW_HELD_STRIDE %uu\n", layout->held_stride);
    fprintf(out, "#define GRAVELP_FLOW_CHANNELS");
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        const struct gravelp_channel *channel = &graph->channels[c];
        fprintf(out, "%s {%uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu, %uu}", c ? "," : "",
                channel->kind, channel->n_words, channel->width, channel->reserve, channel->base,
                channel->level_words, channel->first_edge, channel->n_edges, channel->is_by_group,
                channel->states, channel->done);
    }
    fprintf(out, "\n");
}

char *gravel_flow_prelude(const struct gravel_flow_graph *graph,
                          const struct gravel_flow_layout *layout, bool loops, const char *name,
                          const char *source)
{
    char *text = NULL;
    size_t bytes = 0;
    /* elements of what each work-item of a group has */
    const unsigned lanes = gravel_power_from(layout->group_items);
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    write_graph(out, graph, layout);
    if (loops)
        fprintf(out, "#define GRAVELP_FLOW_LOOP\n");
    fprintf(out, "#ifndef GRAVEL_MAX_GROUP\n#define GRAVEL_MAX_GROUP %u\n#endif\n", lanes);
    for (uint32_t c = 0; c < graph->n_channels; c++)
        fprintf(out, "#define GRAVEL_CHANNEL_%s %uu\n#define GRAVELP_RECORD_BYTES_%s %uu\n",
                graph->names[c], c, graph->names[c], 4 * graph->channels[c].n_words);
    fprintf(out, "#include \"gravel.cl.h\"\n#line 1 \"%.256s\"\n%s", name, source);
    fclose(out);
    return text;
}
