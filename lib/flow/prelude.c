/* SPDX-License-Identifier: MIT */
/*
 * The graph as macros. See prelude.h.
 */
#include "flow/prelude.h"

#include "base/power.h"

#include <stdio.h>

static void write_graph(FILE *out, const struct gravel_flow_graph *graph,
                        const struct gravel_flow_layout *layout)
{
    fprintf(out, "#define GRAVELP_FLOW_SIGN 0x%08xu\n", layout->header.sign);
    fprintf(out, "#define GRAVELP_FLOW_N_CHANNELS %uu\n", graph->n_channels);
    fprintf(out, "#define GRAVELP_FLOW_N_FLAT %uu\n", graph->n_flat);
    fprintf(out, "#define GRAVELP_FLOW_SLOT_STRIDE %uu\n", layout->slot_stride);
    fprintf(out, "#define GRAVELP_FLOW_ROWS_AT %uu\n", (unsigned)(layout->front_bytes / 4));
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
