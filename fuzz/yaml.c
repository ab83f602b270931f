/* Properties of base/yaml: any bytes are taken or refused with a position; a tree is as deep and
 * as unique as promised; what is written as YAML or as JSON reads back equal. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/yaml.h"
#include "fuzz/harness.h"

static void check_node(const struct yaml_node *node, unsigned depth)
{
    assert(node != NULL && depth <= YAML_DEPTH_MAX);
    assert(node->line >= 1 && node->column >= 1);
    if (node->kind == YAML_SCALAR) {
        assert(node->text != NULL && node->member_count == 0);
        return;
    }
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        assert((member->key != NULL) == (node->kind == YAML_MAPPING));
        if (member->key != NULL)
            assert(member->key_line >= 1 && member->key_column >= 1);
        if (member->key != NULL && node->member_count < 64)
            assert(yaml_get(node, member->key) == member->value); /* so there is no other */
        check_node(member->value, depth + (member->value->kind == YAML_SCALAR ? 0 : 1));
    }
}

static void check_reads_back(const struct json_object *value, const struct buffer *text)
{
    struct yaml_document *document;
    struct json_object *again;
    struct error err = ERROR_INIT;

    if (!yaml_parse(text->bytes, text->size, SIZE_MAX, &document, NULL, NULL, &err))
        abort();
    again = yaml_to_json(yaml_root(document));
    assert(json_equal(value, again));
    json_object_put(again);
    yaml_free(document);
}

static void check_written(const struct json_object *value)
{
    struct buffer text = BUFFER_INIT(SIZE_MAX / 2);
    struct buffer line = BUFFER_INIT(SIZE_MAX / 2);

    yaml_append(&text, value);
    check_reads_back(value, &text);
    buffer_release(&text);
    yaml_append_flow(&line, value);
    assert(memchr(line.bytes, '\n', line.size) == NULL);
    check_reads_back(value, &line);
    buffer_release(&line);
}

static void check_document(const struct yaml_document *document)
{
    const struct yaml_node *root = yaml_root(document);
    struct json_object *value = yaml_to_json(root);

    check_node(root, root->kind == YAML_SCALAR ? 0 : 1);
    check_written(value);
    json_object_put(value);
}

/* JSON without NUL is YAML that yaml_append() can write too. */
static void check_json(const uint8_t *bytes, size_t size)
{
    struct json_object *value = NULL;
    struct buffer text = BUFFER_INIT(SIZE_MAX / 2);

    if (!json_parse(bytes, size, FUZZ_BYTES_MAX, &value, NULL))
        return;
    json_append(&text, value);
    if (strstr(buffer_text(&text), "u0000") == NULL)
        check_written(value);
    buffer_release(&text);
    json_object_put(value);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct yaml_document **documents;
    struct yaml_document *document;
    size_t count;
    unsigned line = 0;
    unsigned column = 0;
    struct error err = ERROR_INIT;

    check_json(bytes, size);
    if (!yaml_parse_stream(bytes, size, FUZZ_BYTES_MAX, &documents, &count, &line, &column, &err)) {
        assert(line >= 1 && column >= 1 && strncmp(err.text, "line ", 5) == 0);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        check_document(documents[i]);
        yaml_free(documents[i]);
    }
    free(documents);
    if (yaml_parse(bytes, size, FUZZ_BYTES_MAX, &document, NULL, NULL, NULL)) {
        assert(count <= 1 && (count == 1) == (yaml_root(document) != NULL));
        yaml_free(document);
    } else {
        assert(count > 1);
    }
    return 0;
}
