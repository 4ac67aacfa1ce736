/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a file, expanded, with one kind of line end. See infile.h.
 *
 * Path: infile.h -> this -> zlib
 * Owner: the file owns its descriptor and its block.
 * Threads: one at a time.
 * Source: P. Deutsch, RFC 1952, GZIP file format specification, 1996 (members).
 */
#include "frame/infile.h"
#include "frame/random.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)1 << 16)
#define SHOWN_PATH_BYTES 200
#define GZIP_WINDOW (15 + 16) /* for zlib: the largest window, and gzip's header */

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

/* ---- the file as it is stored ------------------------------------------------------------------ */

/* Blocks are full but for the last, so that the hash depends on the bytes alone. */
static void hash_block(struct fingerprint *print, const unsigned char *block, size_t n)
{
    print->n_bytes += n;
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, block + i, n - i < sizeof word ? n - i : sizeof word);
        print->hash = random_mix(print->hash ^ word);
    }
}

/* Have unused bytes in the stream's input; false at the end of the file, or after a failure. */
static bool fill(struct infile *file)
{
    size_t n = 0;
    if (file->stream.avail_in)
        return true;
    while (n < BLOCK_BYTES && !file->has_all) {
        const ssize_t got = read(file->descriptor, file->raw + n, BLOCK_BYTES - n);
        if (got < 0 && errno != EINTR)
            return fail(file, "cannot read: %s", strerror(errno));
        file->has_all = got == 0;
        n += got > 0 ? (size_t)got : 0;
    }
    hash_block(&file->print, file->raw, n);
    file->stream.next_in = file->raw;
    file->stream.avail_in = (uInt)n;
    return n > 0;
}

/* ---- expanded ------------------------------------------------------------------------------------ */

static size_t read_plain(struct infile *file, unsigned char *to, size_t room)
{
    z_stream *stream = &file->stream;
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
    z_stream *stream = &file->stream;
    for (; fill(file); stream->next_in++, stream->avail_in--)
        if (*stream->next_in != 0)
            return fail(file,
                        "byte %llu, behind zeros that are behind the compressed data, is none",
                        (unsigned long long)infile_n_used(file) + 1);
    return false;
}

/* Behind a member of compressed data: is there another? */
static bool begin_member(struct infile *file)
{
    if (!fill(file))
        return false;
    if (*file->stream.next_in == 0)
        return skip_zeros(file);
    if (*file->stream.next_in != 0x1f)
        return fail(file, "what follows the compressed data, from byte %llu on, is not compressed",
                    (unsigned long long)infile_n_used(file) + 1);
    file->is_between = false;
    return inflateReset(&file->stream) == Z_OK || fail(file, "no memory");
}

static bool inflate_some(struct infile *file)
{
    if (file->is_between && !begin_member(file))
        return false;
    if (!fill(file))
        return fail(file, "the compressed data end early");
    const int code = inflate(&file->stream, Z_NO_FLUSH);
    file->is_between = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END)
        return true;
    return fail(file, "bad compressed data: %s",
                file->stream.msg ? file->stream.msg : zError(code));
}

static size_t read_packed(struct infile *file, unsigned char *to, size_t room)
{
    file->stream.next_out = to;
    file->stream.avail_out = (uInt)room;
    while (file->stream.avail_out == room)
        if (!inflate_some(file))
            return 0;
    return room - file->stream.avail_out;
}

/* ---- what is no text ----------------------------------------------------------------------------- */

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

/* ---- line ends ----------------------------------------------------------------------------------- */

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
        const size_t n = file->is_packed ? read_packed(file, to, room) : read_plain(file, to, room);
        if (n == 0 || (file->n_given == 0 && !begins_as_text(file, to, n)))
            return 0;
        file->n_given += n;
        n_left = unify_line_ends(file, to, n);
    }
    return n_left;
}

/* ---- open and close ------------------------------------------------------------------------------ */

/* What cannot be read twice, or not at all. */
static bool check_kind(struct infile *file)
{
    struct stat status;
    if (fstat(file->descriptor, &status))
        return fail(file, "cannot open: %s", strerror(errno));
    if (S_ISREG(status.st_mode))
        return true;
    if (S_ISDIR(status.st_mode))
        return fail(file, "is a directory");
    return fail(file, "is %s, and is to be read several times: give a regular file",
                S_ISFIFO(status.st_mode) ? "a pipe" : "no regular file");
}

/* Nonblocking, for a pipe would wait for its other end. */
static bool open_file(struct infile *file, const char *path)
{
    file->raw = malloc(BLOCK_BYTES);
    if (!file->raw)
        return fail(file, "cannot open: no memory");
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0)
        return fail(file, "cannot open: %s", strerror(errno));
    return check_kind(file);
}

bool infile_open(struct infile *file, const char *path)
{
    *file = (struct infile){.descriptor = -1};
    bool is_open = open_file(file, path);
    if (is_open && fill(file) && file->stream.avail_in > 1)
        file->is_packed = file->raw[0] == 0x1f && file->raw[1] == 0x8b;
    if (is_open && file->is_packed && inflateInit2(&file->stream, GZIP_WINDOW) != Z_OK)
        is_open = fail(file, "cannot open: no memory");
    if (!is_open) {
        char reason[INFILE_REASON_BYTES];
        strcpy(reason, file->reason);
        infile_close(file);
        strcpy(file->reason, reason);
    }
    return is_open;
}

const char *infile_shown_path(const char *path)
{
    size_t n = strlen(path);
    return n > SHOWN_PATH_BYTES ? path + n - SHOWN_PATH_BYTES : path;
}

void infile_close(struct infile *file)
{
    if (file->stream.state)
        inflateEnd(&file->stream);
    if (file->raw && file->descriptor >= 0)
        close(file->descriptor);
    free(file->raw);
    *file = (struct infile){.descriptor = -1};
}
