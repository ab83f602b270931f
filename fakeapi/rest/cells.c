/* cells - writing cells, marks for ages, and the cells of custom kinds. */
#include "fakeapi/rest/cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* Parts an age's microseconds from the JSON around it, where control characters never are. */
#define MARK '\x01'

static void begin(struct cells *cells)
{
    if (cells->count++ > 0)
        buffer_append_char(&cells->text, ',');
}

void cells_add_text(struct cells *cells, const char *text)
{
    begin(cells);
    json_append_quoted(&cells->text, text, strlen(text));
}

void cells_add_format(struct cells *cells, const char *format, ...)
{
    struct buffer text = BUFFER_INIT(CELLS_BYTES_MAX);
    va_list values;

    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    cells_add_text(cells, buffer_text(&text));
    buffer_release(&text);
}

void cells_add_number(struct cells *cells, int64_t number)
{
    begin(cells);
    buffer_append_format(&cells->text, "%" PRId64, number);
}

static void add_null(struct cells *cells)
{
    begin(cells);
    buffer_append_text(&cells->text, "null");
}

/* Any value, as JSON. */
static void add_value(struct cells *cells, const struct json_object *value)
{
    begin(cells);
    json_append(&cells->text, value);
}

void cells_add_age_within(struct cells *cells, const char *before, int64_t at_us, const char *after)
{
    begin(cells);
    buffer_append_format(&cells->text, "\"%s%c%" PRId64 "%c%s\"", before, MARK, at_us, MARK, after);
}

void cells_add_age(struct cells *cells, const char *timestamp)
{
    int64_t at_us;

    if (timestamp == NULL)
        cells_add_text(cells, "<unknown>");
    else if (time_parse(timestamp, &at_us))
        cells_add_age_within(cells, "", at_us, "");
    else
        cells_add_text(cells, "<invalid>");
}

/* "3h", of a number that is not below 0. */
static void append_one(struct buffer *buffer, int64_t number, const char *unit)
{
    char text[24];
    char *at = text + sizeof(text);

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    buffer_append(buffer, at, (size_t)(text + sizeof(text) - at));
    buffer_append_text(buffer, unit);
}

/* "3h5m", or "3h" when the smaller part is none. */
static void append_two(struct buffer *buffer, int64_t large, const char *large_unit, int64_t small,
                       const char *small_unit)
{
    append_one(buffer, large, large_unit);
    if (small > 0)
        append_one(buffer, small, small_unit);
}

void cells_add_name(struct cells *cells, const struct json_object *tree)
{
    cells_add_text(cells, text_or(json_get_text(json_get(tree, "metadata"), "name"), ""));
}

void cells_add_created(struct cells *cells, const struct json_object *tree)
{
    cells_add_age(cells, json_get_text(json_get(tree, "metadata"), "creationTimestamp"));
}

void cells_add_or_none(struct cells *cells, const char *text)
{
    cells_add_text(cells, text_or(text, "<none>"));
}

bool cells_has_condition(const struct json_object *status, const char *type)
{
    struct json_object *conditions = json_get_array(status, "conditions");
    size_t count = conditions == NULL ? 0 : json_object_array_length(conditions);

    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(item, "type"), type))
            return text_equal(json_get_text(item, "status"), "True");
    }
    return false;
}

void cells_append_age(struct buffer *buffer, int64_t at_us, int64_t now_us)
{
    int64_t seconds = (now_us - at_us) / US_PER_SECOND;
    int64_t minutes = seconds / 60;
    int64_t hours = minutes / 60;
    int64_t days = hours / 24;

    if (seconds < -1)
        buffer_append_text(buffer, "<invalid>");
    else if (seconds < 0)
        buffer_append_text(buffer, "0s");
    else if (seconds < 120)
        append_one(buffer, seconds, "s");
    else if (minutes < 10)
        append_two(buffer, minutes, "m", seconds % 60, "s");
    else if (minutes < 180)
        append_one(buffer, minutes, "m");
    else if (hours < 8)
        append_two(buffer, hours, "h", minutes % 60, "m");
    else if (hours < 48)
        append_one(buffer, hours, "h");
    else if (days < 8)
        append_two(buffer, days, "d", hours % 24, "h");
    else if (days < 2 * 365)
        append_one(buffer, days, "d");
    else if (days < 8 * 365)
        append_two(buffer, days / 365, "y", days % 365, "d");
    else
        append_one(buffer, days / 365, "y");
}

void cells_render(struct buffer *buffer, const char *text, size_t size, int64_t now_us)
{
    const char *end = text + size;

    buffer_append_char(buffer, '[');
    while (text < end) {
        const char *mark = memchr(text, MARK, (size_t)(end - text));

        if (mark == NULL) {
            buffer_append(buffer, text, (size_t)(end - text));
            break;
        }
        buffer_append(buffer, text, (size_t)(mark - text));
        cells_append_age(buffer, strtoll(mark + 1, NULL, 10), now_us);
        text = (const char *)memchr(mark + 1, MARK, (size_t)(end - mark - 1)) + 1;
    }
    buffer_append_char(buffer, ']');
}

/* The value as a text, whatever it is (L20). */
static void add_printed(struct cells *cells, struct json_object *value)
{
    if (json_is(value, json_type_string)) {
        cells_add_text(cells, json_object_get_string(value));
    } else {
        size_t size;
        char *text = json_to_text(value, &size);

        cells_add_text(cells, text);
        free(text);
    }
}

static void add_custom(struct cells *cells, const struct served_column *column,
                       struct json_object *value)
{
    if (value == NULL)
        add_null(cells);
    else if (strcmp(column->type, "string") == 0)
        add_printed(cells, value);
    else if (strcmp(column->type, "date") == 0)
        cells_add_age(cells, json_is(value, json_type_string) ? json_object_get_string(value) : "");
    else if ((strcmp(column->type, "integer") == 0 && json_is(value, json_type_int)) ||
             (strcmp(column->type, "boolean") == 0 && json_is(value, json_type_boolean)) ||
             (strcmp(column->type, "number") == 0 &&
              (json_is(value, json_type_int) || json_is(value, json_type_double))))
        add_value(cells, value);
    else
        add_null(cells);
}

static struct json_slice value_of(const struct store_object *object, const struct jsonpath *path)
{
    const char *first = jsonpath_first_name(path);

    if (text_equal(first, "spec"))
        return jsonpath_find_below(path, store_object_spec(object));
    if (text_equal(first, "status"))
        return jsonpath_find_below(path, store_object_status(object));
    if (text_equal(first, "metadata"))
        return jsonpath_find_below(path, store_object_metadata(object));
    return jsonpath_find(path, (struct json_slice){object->bytes->data, object->bytes->size});
}

static void make_custom(struct cells *cells, const struct kind_version *version,
                        const struct store_object *object)
{
    cells_add_text(cells, object->name);
    for (size_t i = 1; i < version->column_count; i++) {
        struct json_slice found = value_of(object, version->columns[i].path);
        struct json_object *value = found.bytes == NULL ? NULL : json_slice_parse(found);

        add_custom(cells, &version->columns[i], value);
        json_object_put(value);
    }
}

static void make_builtin(struct cells *cells, const struct kind *kind,
                         const struct store_object *object)
{
    struct json_object *tree = store_object_parse_brief(object);

    kind->row->cells(cells, tree);
    json_object_put(tree);
}

/* An object is const but for this cache. */
static void keep(const struct store_object *object, struct bytes *cells, unsigned epoch)
{
    union {
        const struct store_object *readable;
        struct store_object *writable;
    } both = {.readable = object};

    bytes_unref(both.writable->cells);
    both.writable->cells = cells;
    both.writable->cells_epoch = epoch;
}

const struct bytes *cells_of(const struct store_object *object, const struct kind *kind,
                             const struct kind_version *version)
{
    struct cells cells = {.text = BUFFER_INIT(CELLS_BYTES_MAX)};

    if (object->cells != NULL && object->cells_epoch == version->epoch)
        return object->cells;
    if (kind->row != NULL)
        make_builtin(&cells, kind, object);
    else
        make_custom(&cells, version, object);
    if (cells.text.overflowed) { /* a row must have its cells: the name alone, and nulls */
        buffer_clear(&cells.text);
        cells.count = 0;
        cells_add_text(&cells, object->name);
        while (cells.count < version->column_count)
            add_null(&cells);
    }
    keep(object, bytes_new(cells.text.bytes, cells.text.size), version->epoch);
    buffer_release(&cells.text);
    return object->cells;
}
