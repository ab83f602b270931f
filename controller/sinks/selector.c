#include "controller/sinks/selector.h"

#include <json-c/json_object.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/text.h"

/* --- reading a line --- */

/* The members that classes are told by. */
struct line {
    char *type;
    char *subtype;
    char *role;
    struct json_slice result;
    struct json_slice content;         /* of a message of Gemini's */
    struct json_slice message_content; /* of one of Claude's */
    struct json_slice item;
};

static void line_read(struct json_slice bytes, struct line *line)
{
    struct json_slice type;
    struct json_slice subtype;
    struct json_slice role;
    struct json_slice message;
    const struct json_member members[] = {
        {"type",    &type         },
        {"subtype", &subtype      },
        {"role",    &role         },
        {"message", &message      },
        {"result",  &line->result },
        {"content", &line->content},
        {"item",    &line->item   },
    };

    json_slice_find(bytes, members, ARRAY_SIZE(members));
    line->type = json_slice_text(type);
    line->subtype = json_slice_text(subtype);
    line->role = json_slice_text(role);
    line->message_content = json_slice_get(message, "content");
}

static void line_release(struct line *line)
{
    free(line->type);
    free(line->subtype);
    free(line->role);
}

static bool is_container(struct json_slice value, char open)
{
    return value.bytes != NULL && *value.bytes == open;
}

/* Adds the text of a string; nothing for any other value. */
static void add_text(struct selector_view *view, struct json_slice value)
{
    struct json_object *string;

    if (!is_container(value, '"'))
        return;
    string = json_slice_parse(value);
    buffer_append(&view->text, json_object_get_string(string),
                  (size_t)json_object_get_string_len(string));
    json_object_put(string);
}

/* The first block that is a call of a tool or its result decides; true when there is one. */
static bool read_tool_block(struct json_slice blocks, struct selector_view *view)
{
    struct json_slice block;
    size_t next = 0;

    while (json_slice_next(blocks, &next, &block)) {
        char *type = json_slice_text(json_slice_get(block, "type"));

        if (text_equal(type, "tool_use")) {
            view->event_class = SELECTOR_TOOL_CALL;
            view->tool = json_slice_text(json_slice_get(block, "name"));
        } else if (text_equal(type, "tool_result")) {
            view->event_class = SELECTOR_TOOL_RESULT;
            add_text(view, json_slice_get(block, "content"));
        }
        free(type);
        if (view->event_class != SELECTOR_UNCLASSIFIED)
            return true;
    }
    return false;
}

static void read_message(struct json_slice content, struct selector_view *view)
{
    struct json_slice block;
    size_t next = 0;

    if (is_container(content, '[') && read_tool_block(content, view))
        return;
    view->event_class = SELECTOR_MESSAGE;
    add_text(view, content);
    if (!is_container(content, '['))
        return;
    while (json_slice_next(content, &next, &block)) {
        char *type = json_slice_text(json_slice_get(block, "type"));

        if (text_equal(type, "text"))
            add_text(view, json_slice_get(block, "text"));
        free(type);
    }
}

static void read_claude(const struct line *line, struct selector_view *view)
{
    if (text_equal(line->type, "result")) {
        view->event_class = SELECTOR_RESULT;
        add_text(view, line->result);
    } else if (text_equal(line->type, "assistant") || text_equal(line->type, "user")) {
        read_message(line->message_content, view);
    } else if (text_equal(line->type, "system") && line->subtype != NULL &&
               strstr(line->subtype, "token") != NULL) {
        view->event_class = SELECTOR_USAGE;
    }
}

static void read_gemini(const struct line *line, struct selector_view *view)
{
    if (text_equal(line->type, "message") && text_equal(line->role, "assistant")) {
        view->event_class = SELECTOR_MESSAGE;
        add_text(view, line->content);
    } else {
        read_claude(line, view);
    }
}

static void read_item(struct json_slice item, struct selector_view *view)
{
    char *type = json_slice_text(json_slice_get(item, "type"));

    if (text_equal(type, "agent_message")) {
        view->event_class = SELECTOR_MESSAGE;
        add_text(view, json_slice_get(item, "text"));
    } else if (text_equal(type, "command_execution")) {
        view->event_class = SELECTOR_TOOL_CALL;
        add_text(view, json_slice_get(item, "command"));
    } else if (text_equal(type, "mcp_tool_call")) {
        view->event_class = SELECTOR_TOOL_CALL;
        view->tool = json_slice_text(json_slice_get(item, "tool"));
    } else if (text_equal(type, "file_change") || text_equal(type, "web_search")) {
        view->event_class = SELECTOR_TOOL_CALL;
    }
    free(type);
}

static void read_codex(const struct line *line, struct selector_view *view)
{
    if (text_equal(line->type, "item.completed"))
        read_item(line->item, view);
    else if (text_equal(line->type, "turn.completed"))
        view->event_class = SELECTOR_USAGE;
}

void selector_view_read(enum selector_vendor vendor, const char *line, size_t size,
                        struct selector_view *view)
{
    static void (*const readers[])(const struct line *line, struct selector_view *view) = {
        [SELECTOR_CLAUDE] = read_claude,
        [SELECTOR_CODEX] = read_codex,
        [SELECTOR_GEMINI] = read_gemini,
    };
    struct line parts;

    *view = (struct selector_view){.text = BUFFER_INIT(size)}; /* a text is never longer */
    if (!json_check(line, size, JSON_BYTES_MAX, NULL))
        return;
    line_read((struct json_slice){line, size}, &parts);
    readers[vendor](&parts, view);
    line_release(&parts);
}

void selector_view_release(struct selector_view *view)
{
    free(view->tool);
    buffer_release(&view->text);
}

/* --- matching --- */

static enum selector_class class_of(const struct selector *selector)
{
    static const char *const names[] = {
        [SELECTOR_RESULT] = "result",       [SELECTOR_MESSAGE] = "message",
        [SELECTOR_TOOL_CALL] = "tool_call", [SELECTOR_TOOL_RESULT] = "tool_result",
        [SELECTOR_USAGE] = "usage",
    };

    for (size_t i = SELECTOR_RESULT; i < ARRAY_SIZE(names); i++)
        if (text_equal(selector->event, names[i]))
            return (enum selector_class)i;
    return SELECTOR_UNCLASSIFIED;
}

/* What is sought has no NUL, so it lies between those of the text. */
static bool contains(const struct buffer *text, const char *sought)
{
    const char *at = buffer_text(text);
    const char *end = at + text->size;

    for (; at <= end; at += strlen(at) + 1)
        if (strstr(at, sought) != NULL)
            return true;
    return false;
}

static bool matches(const struct selector *selector, const struct selector_view *view)
{
    if (class_of(selector) != view->event_class)
        return false;
    if (!text_is_empty(selector->tool) && !text_equal(selector->tool, view->tool))
        return false;
    return text_is_empty(selector->contains) || contains(&view->text, selector->contains);
}

bool selector_passes(const struct selector *selectors, size_t count, enum selector_vendor vendor,
                     const char *line, size_t size)
{
    struct selector_view view;
    size_t known = 0;
    bool passes = false;

    for (size_t i = 0; i < count; i++)
        known += class_of(&selectors[i]) != SELECTOR_UNCLASSIFIED;
    if (known == 0)
        return true;
    selector_view_read(vendor, line, size, &view);
    for (size_t i = 0; i < count && view.event_class != SELECTOR_UNCLASSIFIED && !passes; i++)
        passes = matches(&selectors[i], &view);
    selector_view_release(&view);
    return passes;
}
