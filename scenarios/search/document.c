/* document - see document.h. */
#include "scenarios/search/document.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/language/scenario.h"

/* --- reading --- */

bool document_read(const void *bytes, size_t size, struct json_object **ret_tree, struct error *err)
{
    struct yaml_document *document;
    const struct yaml_node *root;
    bool ok = false;

    if (!yaml_parse(bytes, size, SCENARIO_BYTES_MAX, &document, NULL, NULL, err))
        return false;
    root = yaml_root(document);
    if (root == NULL || root->kind != YAML_MAPPING) {
        (void)error_set(err, ERROR_MALFORMED, "a scenario is a mapping of keys to values");
    } else {
        *ret_tree = yaml_to_json(root);
        ok = true;
    }
    yaml_free(document);
    return ok;
}

/** "${" as "$${". free() it. */
static char *escape(const char *text)
{
    struct buffer escaped = BUFFER_INIT(SIZE_MAX / 2);
    size_t size;

    for (; *text != '\0'; text++) {
        if (text[0] == '$' && text[1] == '{')
            buffer_append_char(&escaped, '$');
        buffer_append_char(&escaped, *text);
    }
    return buffer_take(&escaped, &size);
}

struct json_object *document_of(const struct yaml_node *root)
{
    struct json_object *tree;

    if (root->kind == YAML_MAPPING) {
        tree = json_object_new_object();
        for (size_t i = 0; i < root->member_count; i++)
            json_set(tree, root->members[i].key, document_of(root->members[i].value));
    } else if (root->kind == YAML_SEQUENCE) {
        tree = json_object_new_array();
        for (size_t i = 0; i < root->member_count; i++)
            json_add(tree, document_of(root->members[i].value));
    } else if (!root->later && strstr(root->text, "${") != NULL) {
        char *text = escape(root->text); /* nothing is to be filled in there again */

        tree = json_object_new_string(text);
        free(text);
    } else {
        tree = yaml_to_json(root);
    }
    return tree;
}

/* --- writing --- */

static bool is_collection(const struct json_object *value)
{
    return (json_is(value, json_type_object) && json_object_object_length(value) > 0) ||
           (json_is(value, json_type_array) && json_object_array_length(value) > 0);
}

static bool has_collections(const struct json_object *array)
{
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        if (is_collection(json_object_array_get_idx(array, i)))
            return true;
    }
    return false;
}

/** Somewhere in it is a list of several things that have members: these get lines of their own. */
static bool has_a_list(const struct json_object *value)
{
    if (json_is(value, json_type_array)) {
        size_t count = json_object_array_length(value);

        if (count > 1 && has_collections(value))
            return true;
        for (size_t i = 0; i < count; i++) {
            if (has_a_list(json_object_array_get_idx(value, i)))
                return true;
        }
    } else if (json_is(value, json_type_object)) {
        struct json_object_iter member;

        json_object_object_foreachC(value, member)
        {
            if (has_a_list(member.val))
                return true;
        }
    }
    return false;
}

/** Appends it in one line, if it is small enough for that at the column where the line stands. */
static bool append_line(struct buffer *buffer, const struct json_object *value, size_t column)
{
    size_t before = buffer->size;

    if (has_a_list(value))
        return false;
    yaml_append_flow(buffer, value);
    if (!is_collection(value) || column + (buffer->size - before) <= DOCUMENT_COLUMNS)
        return true;
    buffer_cut(buffer, before);
    return false;
}

static void append_indent(struct buffer *buffer, unsigned indent)
{
    buffer_append_format(buffer, "%*s", (int)indent, "");
}

static void append_block(struct buffer *buffer, const struct json_object *value, unsigned indent);

/** Behind a key and its colon; with a line end. */
static void append_value(struct buffer *buffer, const struct json_object *value, unsigned indent,
                         size_t column)
{
    bool is_array = json_is(value, json_type_array);
    bool split = indent == 0 && is_array && has_collections(value);

    if (!split) {
        buffer_append_char(buffer, ' ');
        if (append_line(buffer, value, column + 1)) {
            buffer_append_char(buffer, '\n');
            return;
        }
        buffer_cut(buffer, buffer->size - 1);
    }
    buffer_append_char(buffer, '\n');
    indent += is_array ? 0 : 2;
    append_indent(buffer, indent);
    append_block(buffer, value, indent);
}

/** The first member where the buffer stands. */
static void append_mapping(struct buffer *buffer, const struct json_object *object, unsigned indent)
{
    struct json_object_iter member;
    bool first = true;

    json_object_object_foreachC(object, member)
    {
        size_t before;

        if (!first)
            append_indent(buffer, indent);
        first = false;
        before = buffer->size;
        yaml_append_key(buffer, member.key);
        append_value(buffer, member.val, indent, indent + (buffer->size - before));
    }
}

/** What is but one key reads better as a block. */
static bool prefers_block(const struct json_object *item)
{
    return json_is(item, json_type_object) && json_object_object_length(item) == 1;
}

static void append_sequence(struct buffer *buffer, const struct json_object *array, unsigned indent)
{
    size_t count = json_object_array_length(array);

    for (size_t i = 0; i < count; i++) {
        const struct json_object *item = json_object_array_get_idx(array, i);

        if (i > 0)
            append_indent(buffer, indent);
        buffer_append_text(buffer, "- ");
        if (!prefers_block(item) && append_line(buffer, item, indent + 2))
            buffer_append_char(buffer, '\n');
        else
            append_block(buffer, item, indent + 2);
    }
}

/** A collection that is not empty. */
static void append_block(struct buffer *buffer, const struct json_object *value, unsigned indent)
{
    if (json_is(value, json_type_object))
        append_mapping(buffer, value, indent);
    else
        append_sequence(buffer, value, indent);
}

static void append_comment(struct buffer *buffer, const char *comment)
{
    while (*comment != '\0') {
        size_t size = strcspn(comment, "\n");

        buffer_append_text(buffer, size == 0 ? "#" : "# ");
        buffer_append(buffer, comment, size);
        buffer_append_char(buffer, '\n');
        comment += size + (comment[size] == '\n' ? 1 : 0);
    }
}

void document_append(struct buffer *buffer, const struct json_object *tree, const char *comment)
{
    append_comment(buffer, text_or(comment, ""));
    if (is_collection(tree))
        append_block(buffer, tree, 0);
    else
        buffer_append_text(buffer, "{}\n");
}
