/* yaml - the gate in front of libfyaml, and YAML as a tree with positions.
 *
 * The gate caps bytes, checks UTF-8, and refuses NUL, lines that begin with '%', '? ' keys,
 * aliases and anchors, tags, merge keys, tabs in the indentation, more than one document (unless
 * asked for), duplicate keys, and depth beyond the limit. Nothing is ever resolved or emitted
 * through libfyaml. */
#ifndef CONTROLLER_BASE_YAML_H
#define CONTROLLER_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

#define YAML_DEPTH_MAX 100

/** Most blank lines in a row, and most spaces and tabs, wherever: libfyaml takes quadratic time
 * over those of a scalar and those between tokens. */
#define YAML_BLANK_LINES_MAX 256
#define YAML_BLANKS_MAX 1024

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

/** One node. All of it belongs to its document. */
struct yaml_node {
    enum yaml_kind kind;
    unsigned line;    /* from 1; a block scalar's is that of its first line */
    unsigned column;  /* from 1, in characters; what is empty has its key's, or its parent's */
    bool plain;       /* a scalar without quotes or block style, so it may be a number or null */
    const char *text; /* a scalar's text, never NULL for one; no NUL inside */
    /* for those who join documents and fill in texts; the parser says NULL and false */
    const char *file;            /* where it comes from */
    bool later;                  /* the text is not whole yet */
    struct yaml_member *members; /* of a mapping, in file order; key is NULL in a sequence's */
    size_t member_count;
};

struct yaml_member {
    const char *key; /* NULL for an item of a sequence */
    unsigned key_line;
    unsigned key_column;
    const char *key_file;    /* as file above */
    struct yaml_node *value; /* never NULL: an empty value is a plain scalar "" */
};

struct yaml_document;

/** Parses one document. Errors are "line L, column C: what" (ERROR_MALFORMED, ERROR_TOO_LARGE);
 * *ret_line and *ret_column (may be NULL) get the position, 1 at least. */
bool yaml_parse(const void *bytes, size_t size, size_t size_max,
                struct yaml_document **ret_document, unsigned *ret_line, unsigned *ret_column,
                struct error *err) MUST_CHECK;

/** As yaml_parse, for a stream of documents parted by "---"; *ret_documents is a malloc()ed array
 * of *ret_count documents, empty ones left out. */
bool yaml_parse_stream(const void *bytes, size_t size, size_t size_max,
                       struct yaml_document ***ret_documents, size_t *ret_count, unsigned *ret_line,
                       unsigned *ret_column, struct error *err) MUST_CHECK;

/** The top node; NULL for an empty document. Borrowed. */
const struct yaml_node *yaml_root(const struct yaml_document *document);
void yaml_free(struct yaml_document *document);

/** The value of a key; NULL when absent or not a mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);

/** As JSON, by the YAML 1.2 core schema with the leniency of Kubernetes' reader: plain null, ~,
 * true, false, integers (also 0x, 0o), floats; everything else a string. Caller puts it. */
struct json_object *yaml_to_json(const struct yaml_node *node) MUST_CHECK;

/** Writes a JSON value as block YAML that yaml_parse() reads back to an equal value; but a NUL in a
 * string makes it one that yaml_parse() refuses. */
void yaml_append(struct buffer *buffer, const struct json_object *value);

/** The same value in one line without its end, brackets around what has members; to stand as an
 * item or as the value of a key in block YAML. */
void yaml_append_flow(struct buffer *buffer, const struct json_object *value);

/** A key of a block mapping with its colon. */
void yaml_append_key(struct buffer *buffer, const char *key);

#endif
