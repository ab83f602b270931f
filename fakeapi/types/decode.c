/* decode - trees of built-in kinds through their field tables. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/schema/path.h"
#include "fakeapi/types/scalars.h"
#include "fakeapi/types/table.h"
#include "fakeapi/types/types.h"

/* --- where one is --- */

/* A step from a value to one inside it. */
struct step {
    const struct step *up;              /* NULL: from the object itself */
    const struct type_message *message; /* whose field this is; NULL: an item of a list or map */
    const char *key;                    /* NULL: an item of a list */
    size_t index;                       /* of that item */
};

struct decoding {
    const char *place;
    struct schema_unknown *unknown; /* NULL: nobody asks */
    struct buffer *why;             /* empty: nothing is wrong so far */
};

/* "spec.containers[0].image" */
static void append_place(struct path *path, const struct step *step)
{
    if (step == NULL)
        return;
    append_place(path, step->up);
    if (step->key == NULL)
        path_index(path, step->index);
    else
        path_member(path, step->key);
}

/* ".spec.containers.image": the names of fields alone. */
static void append_field(struct buffer *text, const struct step *step)
{
    if (step == NULL)
        return;
    append_field(text, step->up);
    if (step->message != NULL)
        buffer_append_format(text, ".%s", step->key);
}

static void note_unknown(const struct decoding *d, const struct step *step)
{
    struct path path;

    if (d->unknown == NULL || d->unknown->count == TYPES_UNKNOWN_MAX)
        return;
    path_init(&path, d->place);
    append_place(&path, step);
    schema_unknown_add(d->unknown, path.text);
}

/* --- refusing --- */

const char *types_word(const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return "bool";
    case json_type_int:
    case json_type_double:
        return "number";
    case json_type_object:
        return "object";
    case json_type_array:
        return "array";
    case json_type_string:
        return "string";
    case json_type_null:
        break;
    }
    return "null";
}

/* A number that does not fit where numbers go is shown. */
static void append_refusal(const struct decoding *d, const struct step *step,
                           const struct json_object *value, bool shown, const char *want)
{
    while (step->message == NULL)
        step = step->up;
    buffer_append_format(d->why, "json: cannot unmarshal %s", types_word(value));
    if (shown && (json_is(value, json_type_int) || json_is(value, json_type_double))) {
        buffer_append_char(d->why, ' ');
        json_append(d->why, value);
    }
    buffer_append_format(d->why, " into Go struct field %s",
                         strchr(type_texts + step->message->go_type, '.') + 1);
    append_field(d->why, step);
    buffer_append_format(d->why, " of type %s", want);
}

/* Go's decoder goes on behind a value of a wrong type, and tells the first. */
static bool refuse(const struct decoding *d, const struct step *step,
                   const struct json_object *value, bool shown, uint16_t want)
{
    if (d->why->size == 0)
        append_refusal(d, step, value, shown, type_texts + want);
    return true;
}

/* What types find that decode themselves comes before that, and ends it. */
static bool stop(const struct decoding *d, const struct step *step, const struct json_object *value,
                 bool shown, const char *want)
{
    buffer_clear(d->why);
    append_refusal(d, step, value, shown, want);
    return false;
}

/* --- values. False: decoding must end. *value is what is to stand there instead: when it is not
 * the same, a new reference; NULL for nothing. --- */

static bool decode_members(const struct decoding *d, const struct step *at,
                           const struct type_message *message, struct json_object *object);

static bool is_integer(const struct json_object *value, int64_t min, int64_t max)
{
    int64_t number;

    if (!json_is(value, json_type_int))
        return false;
    number = json_object_get_int64(value);
    return number >= min && number <= max &&
           (number != INT64_MAX || json_object_get_uint64(value) == (uint64_t)INT64_MAX);
}

static bool decode_time(const struct decoding *d, const struct step *step, bool micro,
                        struct json_object **value)
{
    const char *given = json_object_get_string(*value);
    char text[TIME_TEXT_SIZE];

    if (!json_is(*value, json_type_string))
        return stop(d, step, *value, false, "string");
    if (!scalar_time(given, micro, text, d->why))
        return false;
    if (strcmp(text, given) != 0)
        *value = json_object_new_string(text);
    return true;
}

/* A number is one too, and becomes a text. */
static bool decode_quantity(const struct decoding *d, struct json_object **value)
{
    bool is_text = json_is(*value, json_type_string);
    const char *given = json_object_get_string(*value);
    char text[QUANTITY_TEXT_SIZE];

    if (!scalar_quantity(given, text, d->why))
        return false;
    if (text[0] != '\0' && (!is_text || strcmp(text, given) != 0))
        *value = json_object_new_string(text);
    else if (!is_text)
        *value = json_object_new_string(given);
    return true;
}

static bool decode_int_or_string(const struct decoding *d, const struct step *step,
                                 const struct json_object *value)
{
    if (json_is(value, json_type_string) || is_integer(value, INT32_MIN, INT32_MAX))
        return true;
    return stop(d, step, value, true, "int32");
}

static void decode_bytes(const struct decoding *d, struct json_object **value)
{
    char *canonical = NULL;
    size_t bad;

    if (!scalar_base64(json_object_get_string(*value), (size_t)json_object_get_string_len(*value),
                       &canonical, &bad)) {
        if (d->why->size == 0)
            buffer_append_format(d->why, "illegal base64 data at input byte %zu", bad);
    } else if (canonical != NULL) {
        *value = json_object_new_string(canonical);
    }
    free(canonical);
}

/* A list of texts, as a whole or where a schema may stand too. */
static bool decode_texts(const struct decoding *d, const struct step *step,
                         struct json_object *list)
{
    struct step item = {.up = step};

    for (; item.index < json_object_array_length(list); item.index++) {
        struct json_object *text = json_object_array_get_idx(list, item.index);

        if (text == NULL)
            json_object_array_put_idx(list, item.index, json_object_new_string(""));
        else if (!json_is(text, json_type_string) && d->why->size == 0)
            append_refusal(d, &item, text, false, "string");
    }
    return true;
}

/* Schemas behind a type of their own are decoded by another decoder, which tells nobody what it
 * does not know. */
static bool decode_schema(const struct decoding *d, const struct step *step,
                          struct json_object *schema)
{
    struct decoding quiet = *d;

    quiet.unknown = NULL;
    return decode_members(&quiet, step, &type_messages[type_json_schema], schema);
}

static bool decode_schema_or(const struct decoding *d, const struct step *step, enum type type,
                             struct json_object **value)
{
    bool list = json_is(*value, json_type_array);

    if (json_is(*value, json_type_object))
        return decode_schema(d, step, *value);
    if (type == TYPE_SCHEMA_OR_BOOL) {
        if (json_is(*value, json_type_boolean))
            return true;
        buffer_clear(d->why);
        buffer_append_text(d->why, "boolean or JSON schema expected");
        return false;
    }
    if (!list)
        *value = NULL;
    else if (type == TYPE_SCHEMA_OR_TEXTS)
        return decode_texts(d, step, *value);
    for (size_t i = 0; list && i < json_object_array_length(*value); i++) {
        struct step item = {.up = step, .index = i};
        struct json_object *schema = json_object_array_get_idx(*value, i);

        if (schema == NULL)
            json_object_array_put_idx(*value, i, json_object_new_object());
        else if (!json_is(schema, json_type_object))
            return stop(d, &item, schema, false, "v1.JSONSchemaProps");
        else if (!decode_schema(d, &item, schema))
            return false;
    }
    return true;
}

/* Whether a value of the types that JSON has too is of its type. */
static bool is_plain(enum type type, const struct json_object *value)
{
    switch (type) {
    case TYPE_TEXT:
    case TYPE_BYTES:
        return json_is(value, json_type_string);
    case TYPE_BOOL:
        return json_is(value, json_type_boolean);
    case TYPE_INT32:
        return is_integer(value, INT32_MIN, INT32_MAX);
    case TYPE_INT64:
        return is_integer(value, INT64_MIN, INT64_MAX);
    case TYPE_DOUBLE:
        return json_is(value, json_type_double) || json_is(value, json_type_int);
    case TYPE_TEXTS:
        return json_is(value, json_type_array);
    case TYPE_MESSAGE:
        return json_is(value, json_type_object);
    default:
        return true;
    }
}

/* *value is not null. */
static bool decode_value(const struct decoding *d, const struct step *step,
                         const struct type_field *field, struct json_object **value)
{
    enum type type = (enum type)field->type;

    if (!is_plain(type, *value))
        return refuse(d, step, *value, type == TYPE_INT32 || type == TYPE_INT64, field->item_type);
    switch (type) {
    case TYPE_BYTES:
        decode_bytes(d, value);
        return true;
    case TYPE_TIME:
    case TYPE_MICRO_TIME:
        return decode_time(d, step, type == TYPE_MICRO_TIME, value);
    case TYPE_QUANTITY:
        return decode_quantity(d, value);
    case TYPE_INT_OR_STRING:
        return decode_int_or_string(d, step, *value);
    case TYPE_TEXTS:
        return decode_texts(d, step, *value);
    case TYPE_SCHEMA_OR_ARRAY:
    case TYPE_SCHEMA_OR_BOOL:
    case TYPE_SCHEMA_OR_TEXTS:
        return decode_schema_or(d, step, type, value);
    case TYPE_MESSAGE:
        return decode_members(d, step, &type_messages[field->message], *value);
    default:
        return true;
    }
}

/* --- lists and maps --- */

/* What a null is in a list or map. NULL: it stays one. */
static struct json_object *zero_value(enum type type)
{
    switch (type) {
    case TYPE_TEXT:
    case TYPE_BYTES:
        return json_object_new_string("");
    case TYPE_BOOL:
        return json_object_new_boolean(false);
    case TYPE_INT32:
    case TYPE_INT64:
    case TYPE_DOUBLE:
        return json_object_new_int(0);
    case TYPE_QUANTITY:
        return json_object_new_string("0");
    case TYPE_TEXTS:
        return json_object_new_array();
    case TYPE_MESSAGE:
        return json_object_new_object();
    default:
        return NULL;
    }
}

static bool decode_item(const struct decoding *d, const struct step *step,
                        const struct type_field *field, struct json_object **value)
{
    if (*value != NULL)
        return decode_value(d, step, field, value);
    *value = zero_value((enum type)field->type);
    return true;
}

static bool decode_list(const struct decoding *d, const struct step *at,
                        const struct type_field *field, struct json_object *list)
{
    struct step step = {.up = at};

    for (; step.index < json_object_array_length(list); step.index++) {
        struct json_object *before = json_object_array_get_idx(list, step.index);
        struct json_object *value = before;

        if (!decode_item(d, &step, field, &value))
            return false;
        if (value != before)
            json_object_array_put_idx(list, step.index, value);
    }
    return true;
}

static bool decode_map(const struct decoding *d, const struct step *at,
                       const struct type_field *field, struct json_object *map)
{
    json_object_object_foreach(map, key, before)
    {
        const struct step step = {.up = at, .key = key};
        struct json_object *value = before;

        if (!decode_item(d, &step, field, &value))
            return false;
        if (value != before)
            json_set(map, key, value);
    }
    return true;
}

/* --- members --- */

static bool decode_whole(const struct decoding *d, const struct step *step,
                         const struct type_field *field, struct json_object **value)
{
    bool list = field->shape == SHAPE_LIST;

    if (field->shape == SHAPE_ONE)
        return decode_value(d, step, field, value);
    if (!json_is(*value, list ? json_type_array : json_type_object))
        return refuse(d, step, *value, false, field->whole_type);
    return list ? decode_list(d, step, field, *value) : decode_map(d, step, field, *value);
}

/* Whether the value is one that is not written. */
static bool is_left_out(const struct type_field *field, const struct json_object *value)
{
    if (value == NULL)
        return true;
    if (field->flags & (FIELD_POINTER | FIELD_KEPT))
        return false;
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return !json_object_get_boolean(value);
    case json_type_int:
        return field->type != TYPE_INT_OR_STRING && json_object_get_int64(value) == 0;
    case json_type_double:
        return json_object_get_double(value) == 0;
    case json_type_string:
        return (field->type == TYPE_TEXT || field->type == TYPE_BYTES) &&
               json_object_get_string_len(value) == 0;
    case json_type_array:
        return field->shape == SHAPE_LIST && json_object_array_length(value) == 0;
    case json_type_object:
        return field->shape == SHAPE_MAP && json_object_object_length(value) == 0;
    case json_type_null:
        break;
    }
    return true;
}

/* The two that every whole object has besides. */
static bool is_type_meta(const struct decoding *d, const struct step *step)
{
    return step->up == NULL && d->place[0] == '\0' &&
           (strcmp(step->key, "apiVersion") == 0 || strcmp(step->key, "kind") == 0);
}

static bool decode_members(const struct decoding *d, const struct step *at,
                           const struct type_message *message, struct json_object *object)
{
    json_object_object_foreach(object, key, before)
    {
        const struct step step = {.up = at, .message = message, .key = key};
        const struct type_field *field = types_field(message, key);
        struct json_object *value = before;

        if (field == NULL) {
            if (is_type_meta(d, &step))
                continue;
            note_unknown(d, &step);
            json_object_object_del(object, key);
            continue;
        }
        if (value != NULL && !decode_whole(d, &step, field, &value))
            return false;
        if (is_left_out(field, value))
            json_object_object_del(object, key);
        else if (value != before)
            json_set(object, key, value);
    }
    return true;
}

bool types_decode(const struct type_message *message, struct json_object *object,
                  struct schema_unknown *unknown, struct buffer *why)
{
    const struct decoding d = {.place = "", .unknown = unknown, .why = why};

    return decode_members(&d, NULL, message, object) && why->size == 0;
}

bool types_decode_metadata(struct json_object *object, struct schema_unknown *unknown,
                           struct buffer *why)
{
    const struct decoding d = {.place = "metadata", .unknown = unknown, .why = why};
    struct json_object *metadata = json_get(object, "metadata");

    if (metadata == NULL)
        return true;
    if (json_is(metadata, json_type_object))
        return decode_members(&d, NULL, &type_messages[type_object_meta], metadata) &&
               why->size == 0;
    buffer_append_format(why, "json: cannot unmarshal %s into Go value of type v1.ObjectMeta",
                         types_word(metadata));
    return false;
}
