/* expand - a scenario file as it is read: what it includes put in, templates in place, and every
 * "${...}" that has a value filled in.
 *
 * All that comes of hostile files is bounded: files, their depth, nodes and bytes. */
#ifndef SCENARIOS_LANGUAGE_EXPAND_H
#define SCENARIOS_LANGUAGE_EXPAND_H

#include "scenarios/language/expression.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/scenario.h"

/** Most files that one scenario includes, and their deepest nesting; templates nest as deeply. */
#define EXPAND_FILES_MAX 32
#define EXPAND_DEPTH_MAX 8
/** Most nodes that become of a file, and bytes that are filled in. */
#define EXPAND_NODES_MAX 200000
#define EXPAND_BYTES_MAX ((size_t)8 * 1024 * 1024)
/** Most names of a matrix, and bindings of steps; most of one 'with'. */
#define EXPAND_NAMES_MAX 64

/** The file's top mapping, expanded, without 'templates' and 'matrix'; in the arena. What is wrong
 * becomes a problem. names are those of the matrix, and of bindings, whose values come later. */
const struct yaml_node *expand(struct reader *reader, const char *path,
                               const struct scenario_files *files, const struct yaml_node *root,
                               const struct expression_names *names);

/** The node with all names filled in that have values; itself where there is nothing to do. False
 * after a problem. */
bool expand_values(struct reader *reader, const struct yaml_node *node,
                   const struct expression_names *names, const struct yaml_node **ret_node);

/** Some text in it is not whole yet. */
bool node_has_later(const struct yaml_node *node);

/** A scalar as a value: a whole number, true or false, else a text. */
struct expression_value node_value(struct reader *reader, const struct yaml_node *node);

#endif
