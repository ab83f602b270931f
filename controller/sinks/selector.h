/* selector - which lines of an agent's output reach its sinks (RULES 10.4).
 *
 * Lifecycle events are not asked for here: they reach every sink. */
#ifndef CONTROLLER_SINKS_SELECTOR_H
#define CONTROLLER_SINKS_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

/** Whose CLI the lines are of. */
enum selector_vendor { SELECTOR_CLAUDE /* and all others */, SELECTOR_CODEX, SELECTOR_GEMINI };

/** Of an item of output.select; NULL or "" where absent. role is not used. */
struct selector {
    const char *event;    /* a class by name; an item with any other is no selector */
    const char *tool;     /* exactly */
    const char *contains; /* in the text */
};

enum selector_class {
    SELECTOR_UNCLASSIFIED,
    SELECTOR_RESULT,
    SELECTOR_MESSAGE,
    SELECTOR_TOOL_CALL,
    SELECTOR_TOOL_RESULT,
    SELECTOR_USAGE,
};

/** What selectors look at. Init with {0}. */
struct selector_view {
    enum selector_class event_class;
    char *tool; /* NULL: none */
    struct buffer text;
};

/** Reads a line; one that json_check() refuses is unclassified. view is released by the caller. */
void selector_view_read(enum selector_vendor vendor, const char *line, size_t size,
                        struct selector_view *view);
void selector_view_release(struct selector_view *view);

/** Whether a line passes: always where there is no selector with a known class, else if one of
 * them matches. */
bool selector_passes(const struct selector *selectors, size_t count, enum selector_vendor vendor,
                     const char *line, size_t size);

#endif
