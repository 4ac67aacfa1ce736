/* SPDX-License-Identifier: MIT */
/*
 * Reads a FASTA file, and packs its sequences; and checks what was counted.
 *
 * What is wrong ends the process, with its line: what is before the first record, or a base that is no letter.
 *
 * Path:   frame/text.h -> this -> mer.c, chapter5/mer.c -> mer.cl; counts -> the check
 */
#include "kmers.h"
#include "frame/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns a character as a reason shows it: some are invisible. */
static const char *show(int c)
{
    static char shown[16];
    snprintf(shown, sizeof shown, isgraph(c) && c < 127 ? "'%c'" : "byte 0x%02x", c);
    return shown;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Appends a place to the text. @param base  its number and 1; 0 if it has none */
static void put_base(struct kmers *kmers, unsigned base)
{
    const uint64_t i = kmers->n_places++;
    if (i % 64 == 0) {
        kmers->text =
            app_room(kmers->text, i / 64, &kmers->room, sizeof *kmers->text, "blocks of the text");
        kmers->text[i / 64] = (struct text_block){0};
    }
    kmers->n_known = base ? kmers->n_known + 1 : 0;
    if (base == 0)
        return;
    kmers->n_kmers += kmers->n_known >= kmers->k;
    kmers->text[i / 64].valid |= UINT64_C(1) << i % 64;
    kmers->text[i / 64].bases[i / 32 % 2] |= (uint64_t)(base - 1) << (62 - i % 32 * 2);
}

/* Reads records: a line that begins with '>', and lines of bases, of which letters other than A, C, G, T are none. */
static void read_file(struct kmers *kmers)
{
    static const unsigned char bases[256] = {
        ['A'] = 1, ['a'] = 1, ['C'] = 2, ['c'] = 2, ['G'] = 3, ['g'] = 3, ['T'] = 4, ['t'] = 4};
    struct text *text = text_open(kmers->path);
    while (text_next(text)) {
        const bool is_head = *text->line == '>';
        if (is_head && memchr(text->line, '\r', text->n_bytes))
            text_fail(text, "lines end in CR, and not in LF or CR LF");
        if (is_head) {
            kmers->n_records++;
            put_base(kmers, 0);
        } else if (text->n_bytes && !kmers->n_records) {
            text_fail(text, "begins with %s, and FASTA with '>'", show((unsigned char)*text->line));
        }
        for (size_t i = 0; i < text->n_bytes && !is_head; i++) {
            const int c = (unsigned char)text->line[i];
            if (!isalpha(c) && c != '-' && c != '.' && c != '*')
                text_fail(text, "%s is no base", show(c));
            kmers->n_bases++;
            put_base(kmers, bases[c]);
        }
    }
    if (!kmers->n_records)
        text_fail(text, "holds no sequence");
    kmers->print = text->print;
    text_close(text);
}

/* ---- the text ---------------------------------------------------------------------------------- */

void kmers_read(struct kmers *kmers)
{
    if (!kmers->path)
        die("no sequences: give -f FILE");
    read_file(kmers);
    if (kmers->n_kmers > UINT32_MAX)
        die("%" PRIu64 " k-mers: at most 4294967295 are counted", kmers->n_kmers);
    for (int i = 0; i < TEXT_PAD; i++)
        put_base(kmers, 0);
    kmers->n_places -= TEXT_PAD;
}

void kmers_build(struct kmers *kmers, const char *options)
{
    extern const char mer_cl[];
    char all[64];
    node_agree(&kmers->node, kmers->path, kmers->print);
    snprintf(all, sizeof all, "-DK=%u %s", (unsigned)kmers->k, options);
    node_build(&kmers->node, "mer.cl", mer_cl, all);
}

void kmers_add(struct kmers *kmers, const struct kmer_count *count)
{
    kmers->counts = app_room(kmers->counts, kmers->n_counts, &kmers->counts_room, sizeof *count,
                             "different k-mers");
    kmers->counts[kmers->n_counts++] = *count;
}

void kmers_free(void *self)
{
    struct kmers *kmers = self;
    free(kmers->text);
    free(kmers->counts);
}

static void describe(void *self, struct trials *trials)
{
    const struct kmers *kmers = self;
    const char *slash = strrchr(kmers->path, '/');
    snprintf(trials->input, sizeof trials->input, "%s", slash ? slash + 1 : kmers->path);
    snprintf(trials->variant, sizeof trials->variant, "k%u", (unsigned)kmers->k);
    trials->work = (double)kmers->n_kmers;
    trials_add_number(trials, "records", kmers->n_records);
    trials_add_number(trials, "bases", kmers->n_bases);
    trials_add_number(trials, "kmers", kmers->n_kmers);
}

void kmers_result(struct kmers *kmers, struct trials *trials)
{
    const uint64_t n_distinct = node_sum(&kmers->node, kmers->n_counts);
    trials_add_number(trials, "distinct", n_distinct);
    trials_say(trials,
               "  %" PRIu64 " records, %" PRIu64 " bases, %" PRIu64 " k-mers, %" PRIu64
               " distinct\n",
               kmers->n_records, kmers->n_bases, kmers->n_kmers, n_distinct);
}

/* ---- the check ---------------------------------------------------------------------------------
 *
 * Goes through the text base by base, and adds up a hash of each k-mer of this process's owners with each of its neighbours:
 * hashes times counts come to the same. It shares only the text and the owners with what counts.
 */

#define NO_BASE 4

static uint8_t base_at(const struct kmers *kmers, uint64_t i)
{
    const struct text_block *block = &kmers->text[i / 64];
    const uint8_t base = block->bases[i / 32 % 2] >> (62 - i % 32 * 2) & 3;
    return block->valid >> i % 64 & 1 ? base : NO_BASE;
}

static uint8_t turned(uint8_t base)
{
    return base == NO_BASE ? base : (uint8_t)(3 - base);
}

/* Returns a hash of a k-mer with the neighbour of a place of struct kmer_count. */
static uint64_t hash_with(uint64_t kmer, unsigned place)
{
    return random_at(random_mix(~kmer), place);
}

/* Keeps both strands of the last k bases. */
static uint64_t sum_text(const struct kmers *kmers)
{
    const unsigned k = (unsigned)kmers->k;
    const uint64_t mask = (UINT64_C(1) << 2 * k) - 1;
    uint64_t forward = 0, backward = 0, sum = 0;
    for (uint64_t i = 1, n_known = 0; i < kmers->n_places; i++) {
        const uint8_t base = base_at(kmers, i);
        n_known = base == NO_BASE ? 0 : n_known + 1;
        if (n_known == 0)
            continue;
        forward = (forward << 2 | base) & mask;
        backward = backward >> 2 | (uint64_t)(3 - base) << 2 * (k - 1);
        const bool is_turned = backward < forward;
        const uint64_t kmer = is_turned ? backward : forward;
        const uint64_t owner = (kmer_hash(kmer) >> 32) * kmers->node.n_nodes >> 32;
        if (n_known < k || owner - kmers->node.number >= kmers->node.n_local)
            continue;
        const uint8_t before = base_at(kmers, i - k), after = base_at(kmers, i + 1);
        const uint8_t left = is_turned ? turned(after) : before;
        const uint8_t right = is_turned ? turned(before) : after;
        sum += hash_with(kmer, left) + (right == NO_BASE ? 0 : hash_with(kmer, 5u + right));
    }
    return sum;
}

/* @return  k-mers that are there twice, or without an occurrence, and 1 for a wrong sum [count] */
static uint64_t check(void *self, struct trials *trials)
{
    struct kmers *kmers = self;
    uint64_t sum = sum_text(kmers), n_wrong = 0;
    (void)trials;
    if (kmers->n_counts)
        qsort(kmers->counts, kmers->n_counts, sizeof *kmers->counts, app_compare);
    for (uint64_t i = 0; i < kmers->n_counts; i++) {
        const struct kmer_count *count = &kmers->counts[i];
        uint64_t n = 0;
        for (unsigned place = 0; place < 9; place++) {
            n += place < 5 ? count->counts[place] : 0;
            sum -= count->counts[place] * hash_with(count->kmer, place);
        }
        n_wrong += n == 0 || (i && count[-1].kmer == count->kmer);
    }
    return n_wrong + (sum != 0);
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option options[] = {
    {"file", 'f', "FILE", "Read FASTA", OPTION_WORD(struct kmers, path)},
    {"length", 'k', "K", "Bases of a k-mer, up to 31 (31)",
     OPTION_NUMBER(struct kmers, k, 1, MAX_K)},
    {0}};

int kmers_main(struct app app, struct kmers *kmers, int argc, char **argv)
{
    kmers->k = MAX_K;
    app.name = "mer";
    app.unit = "k-mers/s";
    app.groups[0] = (struct option_group){"K-mers:", 1, options, 0};
    app.options = offsetof(struct kmers, options);
    app.node = offsetof(struct kmers, node);
    app.describe = describe;
    app.check = check;
    app.method = "serial, of node 0's k-mers";
    return app_main(&app, kmers, argc, argv);
}
