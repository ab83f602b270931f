/* header_block - the headers of an http sink, as its secret holds them (RULES 10.1).
 *
 * A secret is written by people, and a recipe may name any key of it: what it holds never becomes
 * more than a header's name and value. */
#ifndef CONTROLLER_SINKS_HEADER_BLOCK_H
#define CONTROLLER_SINKS_HEADER_BLOCK_H

#include <stddef.h>

#include "controller/runtime/runtime.h"

/** Most headers that are taken, and most bytes of their lines: servers take 8 to 16 KiB. */
#define HEADER_BLOCK_COUNT_MAX 64
#define HEADER_BLOCK_BYTES_MAX ((size_t)8 * 1024)

/** Init with {0}. */
struct header_block {
    struct http_header *headers; /* into lines */
    size_t count;
    char **lines; /* count of them */
    size_t size;  /* bytes of the lines */
    size_t fault_count;
    size_t fault_line; /* the first line that was left out, from 1 */
    const char *fault; /* why, a constant without a word of the secret; NULL: none was */
};

/** Reads lines "Name: value" of size bytes, which may be NULL: blank lines are dropped, each other
 * is split at its first colon and both sides are trimmed. A line that is no header, and one whose
 * header belongs to the connection or to us, is left out; the others count. */
void header_block_read(const char *bytes, size_t size, struct header_block *block);
void header_block_release(struct header_block *block);

#endif
