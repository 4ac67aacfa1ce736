/* SPDX-License-Identifier: MIT */
/*
 * Graph readers on bad files: each is refused in one line that names the file, the line and the
 * fault.
 *
 * Path: meson test -> this -> apps/graph/read.h
 */
#include "cases.h"
#include "test_graph_file.h"

#include <sys/stat.h>

static char reason[GRAPH_REASON_BYTES];

/* `tail` is what must follow the path: ":LINE: reason". */
static void assert_refused(const char *path, const char *tail)
{
    struct graph graph;
    if (read_whole(&graph, path, reason))
        fail_msg("%s was read; expected %s", path, tail);
    assert_null(graph.offsets);
    assert_null(strchr(reason, '\n'));
    assert_int_equal(strncmp(reason, path, strlen(path)), 0);
    assert_string_equal(reason + strlen(path), tail);
}

#define MTX(rest) "%%MatrixMarket matrix coordinate " rest

/* What each reader finds wrong itself, and the bounds that it gives; how numbers are written is read in one place for all. */
static const struct {
    const char *suffix, *text, *tail;
} rows[] = {
    {".graph", "", ":1: the file has no header line \"n m [fmt [ncon]]\""},
    {".graph", "3 2\n2\n1 3\n", ":4: the file ends after 2 of 3 vertices"},
    {".graph", "0 0\n", ":2: the graph has no vertices"},
    {".graph", "3\n", ":1: number of edges is missing"},
    {".graph", "x 1\n", ":1: number of vertices 'x' is not a whole number"},
    {".graph", "2 9223372036854775808\n",
     ":1: number of edges 9223372036854775808 is not in 0..9223372036854775807"},
    {".graph", "2 1 2\n", ":1: fmt 002 has a digit other than 0 and 1"},
    {".graph", "2 1 20\n", ":1: fmt 020 has a digit other than 0 and 1"},
    {".graph", "2 1 1000\n", ":1: fmt 1000 is not in 0..111"},
    {".graph", "2 1 0001\n", ":1: fmt 0001 has more than three digits"},
    {".graph", "2 1 1 2\n", ":1: ncon is 2, but fmt 001 has no vertex weights"},
    {".graph", "2 1 0 0 0\n", ":1: '0' is one word too many"},
    {".graph", "2 1\n0\n1\n", ":2: neighbour 0 is not in 1..2"},
    {".graph", "2 1\n2\n3\n", ":3: neighbour 3 is not in 1..2"},
    {".graph", "2 1 1\n2 1\n1\n", ":3: edge weight is missing"},
    {".graph", "2 1 1\n2 4294967296\n1 4294967296\n",
     ":2: edge weight 4294967296 is not in 0..4294967295"},
    {".graph", "2 1 10\n\n1\n", ":2: vertex size or weight is missing"},
    {".graph", "2 1\n2 2\n1\n", ":3: more than the declared 1 edges, twice each"},
    {".graph", "2 2\n2\n1\n", ":4: 2 neighbours in all, but 2 edges need 4"},
    {".graph", "2 1\n2\n1\n1\n", ":4: more lines than the declared 2 vertices"},
    {".graph", "3 2\n2 2\n1 3\n\n", ":5: row 1 lists 2 more often than row 2 lists 1"},
    {".graph", "2 1 1\n2 5\n1 6\n", ":4: the edge of 1 and 2 weighs 5 in row 1 and 6 in row 2"},
    {".graph", "2 2\n1 2\n1\n",
     ":4: 3 neighbours in all, but 2 edges need 4; a loop needs two in its row"},
    {".mtx", "", ":1: the first line does not start with %%MatrixMarket"},
    {".mtx", "%%MatrixMarket vector coordinate real general\n",
     ":1: object 'vector' is not matrix"},
    {".mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n",
     ":1: an array is a dense matrix; a graph needs coordinate"},
    {".mtx", MTX("complex general\n1 1 0\n"), ":1: complex entries cannot be edge weights"},
    {".mtx", MTX("quad general\n"), ":1: field 'quad' is not pattern, integer or real"},
    {".mtx", MTX("real hermitian\n"),
     ":1: symmetry 'hermitian' is not general, symmetric or skew-symmetric"},
    {".mtx", MTX("pattern skew-symmetric\n"),
     ":1: a pattern has no sign and cannot be skew-symmetric"},
    {".mtx", MTX("real general now\n"), ":1: 'now' is one word too many"},
    {".mtx", MTX("real general\n"), ":2: the line \"rows columns entries\" is missing"},
    {".mtx", MTX("real general\n% x\n2 2\n"), ":3: number of entries is missing"},
    {".mtx", MTX("real general\n2 3 1\n1 1 1\n"), ":2: a graph needs a square matrix, not 2 x 3"},
    {".mtx", MTX("pattern general\n2 2 2\n1 2\n"), ":4: the file ends after 1 of 2 entries"},
    {".mtx", MTX("pattern general\n2 2 1\n1 2\n2 1\n"), ":4: more than the declared 1 entries"},
    {".mtx", MTX("pattern general\n2 2 1\n0 2\n"), ":3: row 0 is not in 1..2"},
    {".mtx", MTX("pattern general\n2 2 1\n1 3\n"), ":3: column 3 is not in 1..2"},
    {".mtx", MTX("pattern general\n2 2 1\n1 2 3\n"), ":3: '3' is one word too many"},
    {".mtx", MTX("pattern symmetric\n2 2 1\n1 2\n"),
     ":3: entry 1 2 is not in the lower triangle that a symmetric matrix stores"},
    {".mtx", MTX("real skew-symmetric\n2 2 1\n1 1 1\n"),
     ":3: entry 1 1 is not in the lower triangle that a skew-symmetric matrix stores"},
    {".mtx", MTX("real general\n1 1 1\n1 1\n"), ":3: weight is missing"},
    {".mtx", MTX("real general\n1 1 1\n1 1 0x1p3\n"), ":3: weight '0x1p3' is not a decimal number"},
    {".mtx", MTX("real general\n1 1 1\n1 1 1e39\n"), ":3: weight 1e39 is too large for a float"},
    {".mtx", MTX("integer general\n1 1 1\n1 1 4294967296\n"),
     ":3: weight 4294967296 is not in 0..4294967295"},
    {".mtx", MTX("integer general\n1 1 1\n1 1 1.5\n"), ":3: weight '1.5' is not a whole number"},
    {".el", "", ":1: the file has no edges"},
    {".txt", "# only\n% comments\n", ":3: the file has no edges"},
    {".el", "0 1\n1\n", ":2: vertex is missing"},
    {".el", "0 1 2\n", ":1: '2' is one word too many"},
    {".el", "0 -1\n", ":1: vertex -1 is not in 0..4294967294"},
    {".el", "0 4294967295\n", ":1: vertex 4294967295 is not in 0..4294967294"},
    {".el", "0 18446744073709551620\n",
     /* 2^64 + 4 */ ":1: vertex 18446744073709551620 is not in 0..4294967294"},
    {".el", "0 4294967294\n",
     ":2: 4294967295 vertices are too many for 1 edges: number them densely"},
    {".el", "0 a\n", ":1: vertex 'a' is not a whole number"},
    {".el", "\xff\x01 1\n", ":1: vertex '\\xff\\x01' is not a whole number"},
    {".el", "0 -\n", ":1: vertex '-' is not a whole number"},
    {".el", "0 12345678901234567890123456789\n",
     ":1: vertex 123456789012345678901... is not in 0..4294967294"},
    {".wel", "0 1\n", ":1: weight is missing"},
    {".wel", "0 1 4294967296\n", ":1: weight 4294967296 is not in 0..4294967295"},
    {".wel", "0 1 1\n0 2 18446744073709551617\n0 3 4294967296\n",
     ":2: weight 18446744073709551617 is not in 0..4294967295"},
    {".tsv", "0 1 1\n1 2\n", ":2: weight is missing"},
    {".tsv", "0 1 1 5\n1 2 1\n", ":2: time is missing"},
    {".tsv", "% sym weighted\n% 1 2 2\n0 1 1\n", ":3: vertex 0 is not in 1..4294967295"},
    {".tsv", "% bip unweighted\n1 1\n",
     ":1: a bipartite list numbers the vertices of each side from 1"},
    {".gr", "", ":1: the line \"p sp n m\" is missing"},
    {".gr", "a 1 2 3\n", ":1: 'a' before the line \"p sp n m\""},
    {".gr", "p edge 3 2\n", ":1: problem 'edge' is not sp"},
    {".gr", "p sp 3\n", ":1: number of arcs is missing"},
    {".gr", "p sp 3 2\n", ":2: the file ends after 0 of 2 arcs"},
    {".gr", "p sp 2 1\na 0 2 3\n", ":2: vertex 0 is not in 1..2"},
    {".gr", "p sp 2 1\na 1 3 3\n", ":2: vertex 3 is not in 1..2"},
    {".gr", "p sp 2 1\na 1 2\n", ":2: weight is missing"},
    {".gr", "p sp 2 1\na 1 2 3 4\n", ":2: '4' is one word too many"},
    {".gr", "p sp 2 1\ne 1 2\n", ":2: 'e' does not start an arc \"a from to weight\""},
    {".gr", "p sp 2 2\na 1 2 3\n", ":3: the file ends after 1 of 2 arcs"},
    {".gr", "p sp 2 1\na 1 2 3\na 2 1 3\n", ":3: more than the declared 1 arcs"},
};

/* Plain, and in gzip. */
TEST(bad_files_are_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char gz_suffix[16];
        snprintf(gz_suffix, sizeof gz_suffix, "%s.gz", rows[i].suffix);
        assert_refused(write_text(rows[i].suffix, rows[i].text), rows[i].tail);
        assert_refused(write_text(gz_suffix, rows[i].text), rows[i].tail);
    }
}

TEST(unknown_suffix_is_refused_with_the_list)
{
    static const char *const paths[] = {"x", "x.sg", "x.gz", "graph", ".el", "x.el.bz2"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_refused(paths[i], ": unknown suffix; known, each also with .gz: .graph .mtx .el "
                                 ".wel .txt .tsv .gr");
}

TEST(missing_file_and_folder_are_refused)
{
    assert_refused("/nonexistent/x.el", ": cannot open: No such file or directory");
    char folder[] = "/tmp/gravel-folder-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s.el", folder);
    assert_int_equal(rename(folder, path), 0);
    assert_refused(path, ": is a directory");
    rmdir(path);
}

/* Nobody waits for its other end. */
TEST(pipe_is_refused)
{
    unlink(file_path);
    snprintf(file_path, sizeof file_path, "%s/x.el", file_folder);
    assert_int_equal(mkfifo(file_path, 0600), 0);
    assert_refused(file_path, ": is a pipe, and is to be read several times: give a regular file");
}

TEST(what_is_no_text_is_named)
{
    static char tar[512] = "x.el";
    memcpy(tar + 257, "ustar", 5);
    assert_refused(write_bytes(".gr", "\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 16),
                   ":1: is a binary graph of Galois; plain text and gzip are read");
    assert_refused(write_bytes(".el", "\x78\x9c\x33\x50\x30", 5),
                   ":1: is a stream of zlib; plain text and gzip are read");
    assert_refused(write_bytes(".el", tar, sizeof tar),
                   ":1: is a tar archive; plain text and gzip are read");
}

TEST(long_path_keeps_its_end_and_the_reason)
{
    char path[2000];
    memset(path, 'a', sizeof path);
    strcpy(path + sizeof path - 4, ".el");
    struct graph graph;
    assert_false(read_whole(&graph, path, reason));
    assert_non_null(strstr(reason, "aaa.el: cannot open: "));
}

static size_t read_back(unsigned char *bytes, size_t n_max)
{
    FILE *file = fopen(file_path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, n_max, file);
    fclose(file);
    assert_in_range(n, 1, n_max - 1);
    return n;
}

static void rewrite(const unsigned char *bytes, size_t n)
{
    FILE *file = fopen(file_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

/* A gzip header is 10 bytes; cut before byte 2 it is plain text, and refused as that. */
TEST(gzip_cut_at_every_byte_is_refused)
{
    write_text(".el.gz", "0 1\n1 2\n2 3\n3 0\n0 2\n");
    unsigned char bytes[256];
    size_t n = read_back(bytes, sizeof bytes);
    for (size_t cut = 2; cut < n; cut++) {
        rewrite(bytes, cut);
        struct graph graph;
        assert_false(read_whole(&graph, file_path, reason));
        assert_non_null(strstr(reason, ": the compressed data end early"));
    }
    for (size_t cut = 0; cut < 2; cut++) {
        struct graph graph;
        rewrite(bytes, cut);
        assert_false(read_whole(&graph, file_path, reason));
    }
}

/* Behind a member of gzip: another one, or zeros up to the end, as for gzip -t. */
TEST(what_follows_gzip_is_read_or_refused)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *tail; /* NULL: taken */
    } tails[] = {
        {"\0\0\0\0", 4, NULL},
        {"\0\0\0x", 4, ":2: byte 28, behind zeros that are behind the compressed data, is none"},
        {"1 2\n", 4, ":2: what follows the compressed data, from byte 25 on, is not compressed"},
        {"\x1f", 1, ":2: the compressed data end early"},
        {"\x1f\x8b", 2, ":2: the compressed data end early"},
        {"\x1f\x8c", 2, ":2: bad compressed data: incorrect header check"}};
    unsigned char bytes[256];
    write_text(".el.gz", "0 1\n");
    const size_t n = read_back(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct graph graph;
        memcpy(bytes + n, tails[i].bytes, tails[i].n);
        rewrite(bytes, n + tails[i].n);
        const bool was_read = read_whole(&graph, file_path, reason);
        assert_string_equal(reason + (was_read ? 0 : strlen(file_path)),
                            tails[i].tail ? tails[i].tail : "");
        graph_free(&graph);
    }
}

TEST(gzip_with_a_wrong_checksum_is_refused)
{
    write_text(".el.gz", "0 1\n1 2\n");
    unsigned char bytes[256];
    size_t n = read_back(bytes, sizeof bytes);
    bytes[n - 6] ^= 1;
    rewrite(bytes, n);
    struct graph graph;
    assert_false(read_whole(&graph, file_path, reason));
    assert_non_null(strstr(reason, "bad compressed data: "));
}

/* 128 MB of comments in 130 kB: nothing is allocated for it, and nobody waits for its end. */
TEST(gzip_bomb_is_refused)
{
    write_text(".el.gz", "0 1\n");
    gzFile file = gzopen(file_path, "wb9");
    assert_non_null(file);
    static char comments[1 << 16];
    memset(comments, '#', sizeof comments);
    comments[sizeof comments - 1] = '\n';
    for (int i = 0; i < 2048; i++)
        assert_int_equal(gzwrite(file, comments, sizeof comments), sizeof comments);
    assert_int_equal(gzclose(file), Z_OK);
    struct graph graph;
    assert_false(read_whole(&graph, file_path, reason));
    assert_non_null(strstr(reason, "expands to more than 200 times its size"));
}

TEST(endless_word_is_refused)
{
    static char word[200000];
    memset(word, '1', sizeof word);
    assert_refused(write_bytes(".el", word, sizeof word), ":1: a word of more than 65535 bytes");
}

const struct fixture fixture = {.open = make_folder, .close = remove_folder};
