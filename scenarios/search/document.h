/* document - a scenario file as a tree that can be changed, and a tree as a scenario file.
 *
 * Whoever makes scenarios or changes them does it on the tree and hands the text to
 * scenario_read(), so nothing exists that `scenario run` cannot repeat. Comments and the form of
 * the text are not kept: there is one form, in which every item of a list has a line of its own. */
#ifndef SCENARIOS_SEARCH_DOCUMENT_H
#define SCENARIOS_SEARCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/base/yaml.h"

/** Lines are broken so that they take so many columns, where there is a place to break them. */
#define DOCUMENT_COLUMNS 120

/** Reads the text of a scenario; its top is a mapping. Whether it means anything is not looked at.
 * Errors are those of yaml_parse(). json_object_put() the tree. */
bool document_read(const void *bytes, size_t size, struct json_object **ret_tree,
                   struct error *err) MUST_CHECK;

/** The tree of a file that was read: what it includes and fills in is in it, and a text means what
 * it meant. json_object_put() it. */
struct json_object *document_of(const struct yaml_node *root) MUST_CHECK;

/** Writes a mapping, below comment: whole lines without '#', NULL or "" for none. document_read()
 * makes an equal tree of it, unless a text holds a NUL. */
void document_append(struct buffer *buffer, const struct json_object *tree, const char *comment);

#endif
