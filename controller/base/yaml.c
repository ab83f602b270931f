#include "controller/base/yaml.h"

#include <assert.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json_keys.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml_gate.h"
#include "controller/base/yaml_scalar.h"

/* An arena's chunks double from the one to the other, so that many small documents stay small. */
#define CHUNK_SIZE_MIN 256
#define CHUNK_SIZE_MAX 65536

struct chunk {
    struct chunk *next;
    size_t used;
    size_t size;
    _Alignas(max_align_t) char room[];
};

struct yaml_document {
    struct chunk *chunks; /* the newest first */
    const struct yaml_node *root;
};

/* A collection whose end has not come yet. */
struct open_node {
    struct yaml_node *node;
    size_t first_member; /* in builder.members */
    bool expects_value;  /* a mapping, behind a key */
};

struct builder {
    struct yaml_document *document;
    struct open_node open[YAML_DEPTH_MAX];
    size_t depth;
    struct yaml_member *members; /* of all open collections, the innermost's last */
    size_t member_count;
    size_t member_capacity;
    struct json_keys keys;
    struct fy_token_iter *pieces;
    struct buffer text; /* of one scalar */
    const struct yaml_gate *gate;
    struct yaml_position at; /* of the last event that has one */
    struct error *err;
};

static void *allocate(struct yaml_document *document, size_t size)
{
    struct chunk *chunk = document->chunks;
    size_t aligned = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    void *room;

    if (chunk == NULL || chunk->size - chunk->used < aligned) {
        size_t chunk_size = chunk == NULL ? CHUNK_SIZE_MIN : chunk->size * 2;

        if (chunk_size > CHUNK_SIZE_MAX)
            chunk_size = CHUNK_SIZE_MAX;
        if (chunk_size < aligned)
            chunk_size = aligned;
        chunk = xrealloc(NULL, sizeof(*chunk) + chunk_size);
        *chunk = (struct chunk){.next = document->chunks, .size = chunk_size};
        document->chunks = chunk;
    }
    room = chunk->room + chunk->used;
    chunk->used += aligned;
    return room;
}

void yaml_free(struct yaml_document *document)
{
    if (document == NULL)
        return;
    while (document->chunks != NULL) {
        struct chunk *next = document->chunks->next;

        free(document->chunks);
        document->chunks = next;
    }
    free(document);
}

const struct yaml_node *yaml_root(const struct yaml_document *document)
{
    return document->root;
}

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
    if (mapping == NULL || mapping->kind != YAML_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->member_count; i++) {
        if (strcmp(mapping->members[i].key, key) == 0)
            return mapping->members[i].value;
    }
    return NULL;
}

static bool refuse(struct builder *builder, const char *what)
{
    return error_set(builder->err, ERROR_MALFORMED, "%s", what);
}

static struct yaml_node *new_node(struct builder *builder, enum yaml_kind kind)
{
    struct yaml_node *node = allocate(builder->document, sizeof(*node));

    *node =
        (struct yaml_node){.kind = kind, .line = builder->at.line, .column = builder->at.column};
    return node;
}

static void read_single_quoted(struct builder *builder, struct fy_token *token)
{
    size_t start = fy_token_start_mark(token)->input_pos;
    size_t end = fy_token_end_mark(token)->input_pos;
    char *room;

    assert(start <= end && end <= builder->gate->size);
    room = buffer_reserve(&builder->text, end - start);
    buffer_extend(&builder->text,
                  yaml_read_single_quoted(builder->gate->bytes + start, end - start, room));
}

/* Piece by piece: libfyaml's own way to a whole text leaks memory over some of many lines. */
static void read_pieces(struct builder *builder, struct fy_token *token)
{
    const struct fy_iter_chunk *piece = NULL;

    fy_token_iter_start(token, builder->pieces);
    while ((piece = fy_token_iter_chunk_next(builder->pieces, piece, NULL)) != NULL)
        buffer_append(&builder->text, piece->str, piece->len);
    fy_token_iter_finish(builder->pieces);
}

static void read_text(struct builder *builder, struct fy_token *token)
{
    buffer_clear(&builder->text);
    if (token == NULL)
        return;
    if (fy_token_scalar_style(token) == FYSS_SINGLE_QUOTED)
        read_single_quoted(builder, token);
    else
        read_pieces(builder, token);
}

/* A scalar's text in the document, with the gate's stand-ins taken out again. */
static const char *copy_text(struct builder *builder, struct fy_token *token)
{
    size_t size;
    char *copy;

    read_text(builder, token);
    size = builder->text.size;
    if (size > 0 && memchr(builder->text.bytes, '\0', size) != NULL) {
        refuse(builder, "a NUL");
        return NULL;
    }
    if (!text_is_utf8(builder->text.bytes, size)) {
        refuse(builder, "not UTF-8");
        return NULL;
    }
    copy = allocate(builder->document, size + 1);
    memcpy(copy, buffer_text(&builder->text), size + 1);
    if (builder->gate->stand_in != '\0') {
        for (char *at = copy; (at = strchr(at, builder->gate->stand_in)) != NULL; at++)
            *at = '?';
    }
    return copy;
}

static struct yaml_member *push_member(struct builder *builder)
{
    if (builder->member_count == builder->member_capacity) {
        builder->member_capacity =
            builder->member_capacity == 0 ? 16 : builder->member_capacity * 2;
        builder->members =
            xrealloc(builder->members, builder->member_capacity * sizeof(*builder->members));
    }
    return &builder->members[builder->member_count++];
}

/* Puts a finished or just opened node where it belongs. */
static bool place(struct builder *builder, const struct open_node *parent, struct yaml_node *node)
{
    if (parent == NULL) {
        builder->document->root = node;
    } else if (parent->node->kind == YAML_SEQUENCE) {
        *push_member(builder) = (struct yaml_member){.value = node};
    } else {
        builder->members[builder->member_count - 1].value = node;
    }
    return true;
}

static struct open_node *innermost(struct builder *builder)
{
    return builder->depth == 0 ? NULL : &builder->open[builder->depth - 1];
}

static bool add_key(struct builder *builder, struct fy_token *token, bool plain)
{
    const char *text = copy_text(builder, token);

    if (text == NULL)
        return false;
    if (plain && text[0] == '\0')
        return refuse(builder, "a mapping without a key");
    if (plain && strcmp(text, "<<") == 0)
        return refuse(builder, "merge keys are not taken");
    json_keys_push(&builder->keys, text, strlen(text), false);
    *push_member(builder) = (struct yaml_member){
        .key = text, .key_line = builder->at.line, .key_column = builder->at.column};
    innermost(builder)->expects_value = true;
    return true;
}

static bool add_scalar(struct builder *builder, const struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    bool plain = token == NULL || fy_token_scalar_style(token) == FYSS_PLAIN;
    struct open_node *parent = innermost(builder);
    struct yaml_node *node;

    if (event->scalar.anchor != NULL)
        return refuse(builder, "anchors are not taken");
    if (event->scalar.tag != NULL)
        return refuse(builder, "tags are not taken");
    if (parent == NULL && token == NULL)
        return true; /* an empty document */
    if (parent != NULL && parent->node->kind == YAML_MAPPING && !parent->expects_value)
        return add_key(builder, token, plain);
    node = new_node(builder, YAML_SCALAR);
    node->plain = plain;
    node->text = copy_text(builder, token);
    if (parent != NULL)
        parent->expects_value = false;
    return node->text != NULL && place(builder, parent, node);
}

static bool open_collection(struct builder *builder, enum yaml_kind kind,
                            const struct fy_token *anchor, const struct fy_token *tag)
{
    struct open_node *parent = innermost(builder);
    struct yaml_node *node;

    if (anchor != NULL)
        return refuse(builder, "anchors are not taken");
    if (tag != NULL)
        return refuse(builder, "tags are not taken");
    if (parent != NULL && parent->node->kind == YAML_MAPPING && !parent->expects_value)
        return refuse(builder, "a key that is not a scalar");
    if (builder->depth == YAML_DEPTH_MAX)
        return error_set(builder->err, ERROR_TOO_LARGE, "nested too deeply");
    node = new_node(builder, kind);
    place(builder, parent, node);
    if (parent != NULL)
        parent->expects_value = false;
    builder->open[builder->depth++] =
        (struct open_node){.node = node, .first_member = builder->member_count};
    return true;
}

/* Sets the position to a key that repeats an earlier one. */
static bool check_keys(struct builder *builder, const struct open_node *open)
{
    size_t count = builder->member_count - open->first_member;
    const char *duplicate = json_keys_close(&builder->keys, builder->keys.count - count);
    const struct yaml_member *member;

    if (duplicate == NULL)
        return true;
    member = &builder->members[open->first_member];
    while (member->key != duplicate)
        member++;
    builder->at = (struct yaml_position){.line = member->key_line, .column = member->key_column};
    return error_set(builder->err, ERROR_MALFORMED, "key '%s' for the second time", duplicate);
}

static bool close_collection(struct builder *builder)
{
    struct open_node *open = innermost(builder);
    struct yaml_node *node = open->node;

    if (node->kind == YAML_MAPPING && !check_keys(builder, open))
        return false;
    node->member_count = builder->member_count - open->first_member;
    if (node->member_count > 0) {
        size_t size = node->member_count * sizeof(*node->members);

        node->members = allocate(builder->document, size);
        memcpy(node->members, builder->members + open->first_member, size);
    }
    builder->member_count = open->first_member;
    builder->depth--;
    return true;
}

/* Whether the parser's mark of it is behind its first character: a quote, or an alias' '*'. */
static bool is_marked_late(const struct fy_event *event)
{
    enum fy_scalar_style style;

    if (event->type != FYET_SCALAR || event->scalar.value == NULL)
        return event->type == FYET_ALIAS;
    style = fy_token_scalar_style(event->scalar.value);
    return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

/* What is empty has no mark. */
static void note_position(struct builder *builder, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);

    if (mark == NULL || mark->line < 0 || mark->column < 0)
        return;
    builder->at = (struct yaml_position){.line = (unsigned)mark->line + 1,
                                         .column = (unsigned)mark->column + 1};
    if (builder->at.column > 1 && is_marked_late(event))
        builder->at.column--;
}

static bool add_event(struct builder *builder, struct fy_event *event)
{
    note_position(builder, event);
    switch (event->type) {
    case FYET_SCALAR:
        return add_scalar(builder, event);
    case FYET_SEQUENCE_START:
        return open_collection(builder, YAML_SEQUENCE, event->sequence_start.anchor,
                               event->sequence_start.tag);
    case FYET_MAPPING_START:
        return open_collection(builder, YAML_MAPPING, event->mapping_start.anchor,
                               event->mapping_start.tag);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return close_collection(builder);
    case FYET_ALIAS:
        return refuse(builder, "aliases are not taken");
    default:
        return true; /* a stream's and a document's ends */
    }
}

struct document_list {
    struct yaml_document **documents;
    size_t count;
    size_t capacity;
};

static void keep_document(struct document_list *list, struct builder *builder)
{
    if (builder->document->root == NULL) {
        yaml_free(builder->document);
    } else {
        if (list->count == list->capacity) {
            list->capacity = list->capacity == 0 ? 4 : list->capacity * 2;
            list->documents =
                xrealloc(list->documents, list->capacity * sizeof(struct yaml_document *));
        }
        list->documents[list->count++] = builder->document;
    }
    builder->document = NULL;
}

static void discard_documents(struct document_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        yaml_free(list->documents[i]);
    free(list->documents);
}

/* The parser's own complaint, the first if it has several. */
static bool report_parser_error(struct builder *builder, struct fy_diag *diag)
{
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);

    if (first == NULL)
        return refuse(builder, "malformed");
    if (first->line > 0 && first->column > 0)
        builder->at = (struct yaml_position){.line = (unsigned)first->line,
                                             .column = (unsigned)first->column};
    return refuse(builder, first->msg);
}

static bool build_documents(struct builder *builder, struct fy_parser *parser, struct fy_diag *diag,
                            size_t count_max, struct document_list *list)
{
    struct fy_event *event;

    while ((event = fy_parser_parse(parser)) != NULL) {
        enum fy_event_type type = event->type;
        bool ok = true;

        if (type == FYET_DOCUMENT_START)
            builder->document = xcalloc(1, sizeof(*builder->document));
        else if (type == FYET_DOCUMENT_END)
            keep_document(list, builder);
        else
            ok = add_event(builder, event);
        fy_parser_event_free(parser, event);
        if (ok && list->count == count_max && builder->document != NULL &&
            builder->document->root != NULL)
            ok = refuse(builder, "a second document");
        if (!ok)
            return false;
        if (type == FYET_STREAM_END)
            return true;
    }
    return report_parser_error(builder, diag);
}

/* Diagnostics are collected; what libfyaml writes past that is dropped. */
static void drop_output(struct fy_diag *diag, void *user, const char *bytes, size_t size)
{
    (void)diag;
    (void)user;
    (void)bytes;
    (void)size;
}

static struct fy_diag *new_diag(void)
{
    struct fy_diag_cfg config;
    struct fy_diag *diag;

    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = drop_output;
    config.level = FYET_ERROR;
    config.colorize = false;
    diag = fy_diag_create(&config);
    assert(diag != NULL);
    fy_diag_set_collect_errors(diag, true);
    return diag;
}

static bool parse_gated(const struct yaml_gate *gate, size_t count_max, struct document_list *list,
                        struct yaml_position *ret_at, struct error *err)
{
    struct fy_diag *diag = new_diag();
    struct fy_parse_cfg config = {
        /* The depth limit is ours, and the parser keeps no stack of its own on the machine's. */
        .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                 FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_DISABLE_DEPTH_LIMIT,
        .diag = diag,
    };
    struct fy_parser *parser = fy_parser_create(&config);
    struct builder *builder = xcalloc(1, sizeof(*builder));
    bool ok;

    assert(parser != NULL);
    builder->gate = gate;
    builder->text = BUFFER_INIT(SIZE_MAX / 2);
    builder->pieces = fy_token_iter_create(NULL);
    builder->at = (struct yaml_position){.line = 1, .column = 1};
    builder->err = err;
    ok = fy_parser_set_string(parser, gate->bytes, gate->size) == 0
             ? build_documents(builder, parser, diag, count_max, list)
             : refuse(builder, "malformed");
    *ret_at = builder->at;
    yaml_free(builder->document);
    fy_token_iter_destroy(builder->pieces);
    buffer_release(&builder->text);
    free(builder->members);
    json_keys_release(&builder->keys);
    free(builder);
    fy_diag_reset_error(diag); /* the errors collected hold tokens of the parser */
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return ok;
}

static bool parse(const char *bytes, size_t size, size_t size_max, size_t count_max,
                  struct document_list *list, struct yaml_position *ret_at, struct error *err)
{
    struct yaml_gate gate;
    bool ok;

    *ret_at = (struct yaml_position){.line = 1, .column = 1};
    if (size > size_max)
        return error_set(err, ERROR_TOO_LARGE, "more than %zu bytes", size_max);
    if (size == 0)
        return true;
    if (!yaml_gate_open(bytes, size, &gate, ret_at, err))
        return false;
    ok = parse_gated(&gate, count_max, list, ret_at, err);
    yaml_gate_release(&gate);
    return ok;
}

/* As parse(), with the position in front of the error and in *ret_line and *ret_column. */
static bool parse_at(const void *bytes, size_t size, size_t size_max, size_t count_max,
                     struct document_list *list, unsigned *ret_line, unsigned *ret_column,
                     struct error *err)
{
    struct yaml_position at;

    if (parse(bytes, size, size_max, count_max, list, &at, err))
        return true;
    error_prefix(err, "line %u, column %u", at.line, at.column);
    if (ret_line != NULL)
        *ret_line = at.line;
    if (ret_column != NULL)
        *ret_column = at.column;
    discard_documents(list);
    return false;
}

bool yaml_parse(const void *bytes, size_t size, size_t size_max,
                struct yaml_document **ret_document, unsigned *ret_line, unsigned *ret_column,
                struct error *err)
{
    struct document_list list = {0};

    if (!parse_at(bytes, size, size_max, 1, &list, ret_line, ret_column, err))
        return false;
    *ret_document = list.count == 0 ? xcalloc(1, sizeof(**ret_document)) : list.documents[0];
    free(list.documents);
    return true;
}

bool yaml_parse_stream(const void *bytes, size_t size, size_t size_max,
                       struct yaml_document ***ret_documents, size_t *ret_count, unsigned *ret_line,
                       unsigned *ret_column, struct error *err)
{
    struct document_list list = {0};

    if (!parse_at(bytes, size, size_max, SIZE_MAX, &list, ret_line, ret_column, err))
        return false;
    if (list.documents == NULL)
        list.documents = xcalloc(1, sizeof(struct yaml_document *));
    *ret_documents = list.documents;
    *ret_count = list.count;
    return true;
}
