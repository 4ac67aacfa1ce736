/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a file, expanded, with one kind of line end. See infile.h.
 *
 * Source: P. Deutsch, RFC 1952, GZIP file format specification, 1996 (members).
 */
#include "frame/infile.h"

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

struct infile_packed {
    z_stream stream;
    unsigned char raw[BLOCK_BYTES]; /* of the file, which the stream takes */
};

__attribute__((format(printf, 2, 3))) static bool fail(struct infile *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*file->reason)
        vsnprintf(file->reason, sizeof file->reason, format, arguments);
    va_end(arguments);
    return false;
}

uint64_t infile_n_used(const struct infile *file)
{
    return (uint64_t)ftello(file->stored) - (file->packed ? file->packed->stream.avail_in : 0);
}

static size_t read_packed(struct infile *file, unsigned char *to, size_t room)
{
    struct infile_packed *packed = file->packed;
    z_stream *stream = &packed->stream;
    stream->next_out = to;
    stream->avail_out = (uInt)room;
    while (stream->avail_out == room) {
        if (!stream->avail_in) {
            stream->next_in = packed->raw;
            stream->avail_in = (uInt)fread(packed->raw, 1, BLOCK_BYTES, file->stored);
        }
        if (!stream->avail_in && (file->is_between || ferror(file->stored)))
            return 0;
        if (!stream->avail_in)
            return fail(file, "the compressed data end early");
        if (file->is_between && *stream->next_in == 0) {
            stream->next_in++;
            stream->avail_in--;
            continue;
        }
        if (file->is_between)
            inflateReset(stream);
        const int code = inflate(stream, Z_NO_FLUSH);
        file->is_between = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END)
            return fail(file, "bad compressed data: %s", stream->msg ? stream->msg : zError(code));
    }
    return room - stream->avail_out;
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* Returns whether a file's first bytes are. What else is compressed, binary, wider than a byte a character, or behind a mark of byte
 * order has a byte among its first four that text has not; readers refuse what is left, by its line. */
static bool begins_as_text(struct infile *file, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < 4; i++)
        if (bytes[i] >= 0x7f || (bytes[i] < ' ' && !isspace(bytes[i])))
            return fail(file, "%s no text: byte %zu is 0x%02x; plain text and gzip are read",
                        file->packed ? "expands to" : "is", i + 1, bytes[i]);
    return true;
}

/* Makes CR LF and CR to LF, in place. @return  how many bytes are left. */
static size_t unify_line_ends(struct infile *file, unsigned char *bytes, size_t n)
{
    size_t n_left = 0;
    if (!file->ended_in_cr && !memchr(bytes, '\r', n))
        return n;
    for (size_t i = 0; i < n; i++) {
        const unsigned char byte = bytes[i];
        if (byte != '\n' || !file->ended_in_cr)
            bytes[n_left++] = byte == '\r' ? '\n' : byte;
        file->ended_in_cr = byte == '\r';
    }
    return n_left;
}

size_t infile_read(struct infile *file, unsigned char *to, size_t room)
{
    size_t n_left = 0;
    while (n_left == 0 && !*file->reason) {
        const size_t n =
            file->packed ? read_packed(file, to, room) : fread(to, 1, room, file->stored);
        if (ferror(file->stored))
            fail(file, "cannot read: %s", strerror(errno));
        if (n == 0 || (file->n_given == 0 && !begins_as_text(file, to, n)))
            return 0;
        file->n_given += n;
        file->print = file->n_given << 32 | crc32((uint32_t)file->print, to, (uInt)n);
        n_left = unify_line_ends(file, to, n);
    }
    return n_left;
}

/* ---- open and close ------------------------------------------------------------------------------ */

/* Asks what it is before it is opened, for a pipe would wait for its other end. */
bool infile_open(struct infile *file, const char *path)
{
    struct stat status;
    *file = (struct infile){0};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return fail(file, "is no regular file, and is to be read several times");
    file->stored = fopen(path, "rbe");
    if (!file->stored)
        return fail(file, "cannot open: %s", strerror(errno));
    const bool is_packed = getc(file->stored) == 0x1f && getc(file->stored) == 0x8b;
    rewind(file->stored);
    if (!is_packed)
        return true;
    file->is_between = true;
    file->packed = calloc(1, sizeof *file->packed);
    if (file->packed && inflateInit2(&file->packed->stream, GZIP_WINDOW) == Z_OK)
        return true;
    infile_close(file);
    return fail(file, "cannot open: no memory");
}

const char *infile_shown_path(const char *path)
{
    const size_t n = strlen(path);
    return n > SHOWN_PATH_BYTES ? path + n - SHOWN_PATH_BYTES : path;
}

void infile_close(struct infile *file)
{
    if (file->packed)
        inflateEnd(&file->packed->stream);
    if (file->stored)
        fclose(file->stored);
    free(file->packed);
    file->stored = NULL;
    file->packed = NULL;
}
