/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a file, expanded, with one kind of line end. See infile.h.
 *
 * Source: P. Deutsch, RFC 1952, GZIP file format specification, 1996 (members).
 */
#include "frame/infile.h"
#include "frame/random.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define BLOCK_BYTES ((size_t)1 << 16)
#define SHOWN_PATH_BYTES 200
#define GZIP_WINDOW (15 + 16) /* for zlib: the largest window, and gzip's header */

struct infile_block {
    z_stream stream; /* its input is what has been read and not yet taken */
    unsigned char
        raw[BLOCK_BYTES + sizeof(uint64_t)]; /* a last word of the block has zeros behind it */
};

static bool fail(struct infile *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct infile *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!infile_has_failed(file))
        vsnprintf(file->reason, sizeof file->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* Has unused bytes in the stream's input; false at the end of the file, or after a failure. Blocks are full except the last,
 * so that the hash depends on the bytes alone. */
static bool fill(struct infile *file)
{
    uint64_t word;
    struct infile_block *block = file->block;
    if (block->stream.avail_in)
        return true;
    const size_t n = fread(block->raw, 1, BLOCK_BYTES, file->stored);
    if (ferror(file->stored))
        return fail(file, "cannot read: %s", strerror(errno));
    memset(block->raw + n, 0, sizeof word);
    for (size_t i = 0; i < n; i += sizeof word) {
        memcpy(&word, block->raw + i, sizeof word);
        file->print.hash = random_mix(file->print.hash ^ word);
    }
    file->print.n_bytes += n;
    block->stream.next_in = block->raw;
    block->stream.avail_in = (uInt)n;
    return n > 0;
}

uint64_t infile_n_used(const struct infile *file)
{
    return file->print.n_bytes - file->block->stream.avail_in;
}

/* ---- expanded ------------------------------------------------------------------------------------ */

static size_t read_plain(struct infile *file, unsigned char *to, size_t room)
{
    z_stream *stream = &file->block->stream;
    if (!fill(file))
        return 0;
    const size_t n = stream->avail_in < room ? stream->avail_in : room;
    memcpy(to, stream->next_in, n);
    stream->next_in += n;
    stream->avail_in -= (uInt)n;
    return n;
}

/* Zeros pad a file to a tape's or a disk's block. */
static bool skip_zeros(struct infile *file)
{
    z_stream *stream = &file->block->stream;
    for (; fill(file); stream->next_in++, stream->avail_in--)
        if (*stream->next_in != 0)
            return fail(file,
                        "byte %llu, behind zeros that are behind the compressed data, is none",
                        (unsigned long long)infile_n_used(file) + 1);
    return false;
}

/* Begins the member that follows another one; false if there is none. */
static bool begin_member(struct infile *file)
{
    if (!fill(file))
        return false;
    if (*file->block->stream.next_in == 0)
        return skip_zeros(file);
    if (*file->block->stream.next_in != 0x1f)
        return fail(file, "what follows the compressed data, from byte %llu on, is not compressed",
                    (unsigned long long)infile_n_used(file) + 1);
    return inflateReset(&file->block->stream) == Z_OK || fail(file, "no memory");
}

static size_t read_packed(struct infile *file, unsigned char *to, size_t room)
{
    z_stream *stream = &file->block->stream;
    stream->next_out = to;
    stream->avail_out = (uInt)room;
    while (stream->avail_out == room) {
        if (file->is_between && !begin_member(file))
            return 0;
        if (!fill(file))
            return fail(file, "the compressed data end early");
        const int code = inflate(stream, Z_NO_FLUSH);
        file->is_between = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END)
            return fail(file, "bad compressed data: %s", stream->msg ? stream->msg : zError(code));
    }
    return room - stream->avail_out;
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* Whether a file's first bytes are. What else is compressed, binary, wider than a byte a character, or behind a mark of byte
 * order has a byte among its first four that text has not; readers refuse what is left, by its line. */
static bool begins_as_text(struct infile *file, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < 4; i++)
        if (bytes[i] >= 0x7f || (bytes[i] < ' ' && !isspace(bytes[i])))
            return fail(file, "%s no text: byte %zu is 0x%02x; plain text and gzip are read",
                        file->is_packed ? "expands to" : "is", i + 1, bytes[i]);
    return true;
}

/* CR LF and CR become LF, in place. @return  how many bytes are left. */
static size_t unify_line_ends(struct infile *file, unsigned char *bytes, size_t n)
{
    size_t n_left = 0;
    bool is_behind_cr = file->ended_in_cr;
    file->ended_in_cr = bytes[n - 1] == '\r';
    if (!is_behind_cr && !memchr(bytes, '\r', n))
        return n;
    for (size_t i = 0; i < n; i++) {
        const bool is_cr = bytes[i] == '\r';
        if (!(is_behind_cr && bytes[i] == '\n'))
            bytes[n_left++] = is_cr ? '\n' : bytes[i];
        is_behind_cr = is_cr;
    }
    return n_left;
}

size_t infile_read(struct infile *file, unsigned char *to, size_t room)
{
    size_t n_left = 0;
    while (n_left == 0 && !infile_has_failed(file)) {
        const size_t n = (file->is_packed ? read_packed : read_plain)(file, to, room);
        if (n == 0 || (file->n_given == 0 && !begins_as_text(file, to, n)))
            return 0;
        file->n_given += n;
        n_left = unify_line_ends(file, to, n);
    }
    return n_left;
}

/* ---- open and close ------------------------------------------------------------------------------ */

/* Asks what it is before it is opened, for a pipe would wait for its other end. */
static bool open_stored(struct infile *file, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return fail(file, "is %s, and is to be read several times: give a regular file",
                    S_ISDIR(status.st_mode)    ? "a directory"
                    : S_ISFIFO(status.st_mode) ? "a pipe"
                                               : "no regular file");
    file->stored = fopen(path, "rbe");
    return file->stored || fail(file, "cannot open: %s", strerror(errno));
}

bool infile_open(struct infile *file, const char *path)
{
    *file = (struct infile){.block = calloc(1, sizeof *file->block)};
    bool is_open = file->block ? open_stored(file, path) : fail(file, "cannot open: no memory");
    file->is_packed =
        is_open && fill(file) && file->block->raw[0] == 0x1f && file->block->raw[1] == 0x8b;
    if (file->is_packed && inflateInit2(&file->block->stream, GZIP_WINDOW) != Z_OK)
        is_open = fail(file, "cannot open: no memory");
    if (!is_open)
        infile_close(file);
    return is_open;
}

const char *infile_shown_path(const char *path)
{
    size_t n = strlen(path);
    return n > SHOWN_PATH_BYTES ? path + n - SHOWN_PATH_BYTES : path;
}

void infile_close(struct infile *file)
{
    if (file->block)
        inflateEnd(&file->block->stream);
    if (file->stored)
        fclose(file->stored);
    free(file->block);
    file->stored = NULL;
    file->block = NULL;
}
