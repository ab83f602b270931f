/* escape - texts of a run as the formats of reports take them. What stands in an object's name or a
 * log line is anybody's: bytes that are no UTF-8, and characters that command a terminal, turn text
 * around or that no XML can hold, are shown instead of passed on. */
#ifndef SCENARIOS_REPORT_ESCAPE_H
#define SCENARIOS_REPORT_ESCAPE_H

#include <stdbool.h>

#include "controller/base/buffer.h"

/** As it is, but "\x1b", "\u202e" and U+FFFD for such; lines and tabs stay. NULL appends nothing.
 */
void plain_append(struct buffer *buffer, const char *text);

/** On one line: other white space becomes a space. */
void plain_append_line(struct buffer *buffer, const char *text);

/** Content of an element; in an attribute also '"', and lines and tabs as references. */
void xml_append(struct buffer *buffer, const char *text);
void xml_append_attribute(struct buffer *buffer, const char *name, const char *text);

/** A command of GitHub's runners, "::error file=...::message": its properties and its message. */
void github_append_property(struct buffer *buffer, const char *text);
void github_append_message(struct buffer *buffer, const char *text);

/** A word of a shell's command line, quoted where it needs to be. */
void shell_append(struct buffer *buffer, const char *word);

#endif
