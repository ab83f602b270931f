/* Properties of base/json: what the gate takes json-c's own tokener takes too, and builds the same
 * tree of; what is written reads back equal
 * and is written the same way again; slices see what the tree holds. */
#include <assert.h>
#include <json-c/json_tokener.h>
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "fuzz/harness.h"

static void check_same(const struct json_object *expected, struct json_slice slice)
{
    struct json_object *parsed = json_slice_parse(slice);

    assert(json_equal(expected, parsed));
    json_object_put(parsed);
}

static void check_slices(const struct json_object *value, struct json_slice slice);

static void check_array(const struct json_object *array, struct json_slice slice)
{
    size_t next = 0;
    size_t count = 0;
    struct json_slice item;

    while (json_slice_next(slice, &next, &item)) {
        check_slices(json_object_array_get_idx(array, count), item);
        count++;
    }
    assert(count == json_object_array_length(array));
}

static void check_object(const struct json_object *object, struct json_slice slice)
{
    struct json_object_iter member;
    struct json_slice key;
    struct json_slice value;
    size_t next = 0;
    size_t count = 0;

    while (json_slice_next_member(slice, &next, &key, &value)) {
        char *text = json_slice_text(key);

        assert(text != NULL && json_object_object_get_ex(object, text, NULL));
        check_slices(json_get(object, text), value);
        free(text);
        count++;
    }
    assert(count == (size_t)json_object_object_length(object));
    if (count > 64)
        return; /* looking each one up takes quadratic time */
    json_object_object_foreachC(object, member)
    {
        struct json_slice found = json_slice_get(slice, member.key);

        assert(found.bytes != NULL);
        check_same(member.val, found);
    }
}

static void check_string(const struct json_object *string, struct json_slice slice)
{
    const char *expected = json_text(string);
    char *text = json_slice_text(slice);

    assert((expected == NULL) == (text == NULL));
    assert(expected == NULL || strcmp(expected, text) == 0);
    free(text);
}

static void check_slices(const struct json_object *value, struct json_slice slice)
{
    assert(slice.bytes != NULL);
    if (json_is(value, json_type_array))
        check_array(value, slice);
    else if (json_is(value, json_type_object))
        check_object(value, slice);
    else if (json_is(value, json_type_string))
        check_string(value, slice);
    else
        check_same(value, slice);
}

static void check_text(const struct json_object *value, bool pretty)
{
    struct buffer text = BUFFER_INIT(SIZE_MAX / 2);
    struct buffer again = BUFFER_INIT(SIZE_MAX / 2);
    struct json_object *parsed = NULL;
    struct error err = ERROR_INIT;
    bool ok;

    if (pretty)
        json_append_pretty(&text, value);
    else
        json_append(&text, value);
    ok = json_parse(text.bytes, text.size, SIZE_MAX, &parsed, &err);
    assert(ok);
    assert(json_equal(value, parsed));
    if (!pretty) {
        json_append(&again, parsed);
        assert(again.size == text.size && memcmp(again.bytes, text.bytes, text.size) == 0);
    }
    json_object_put(parsed);
    buffer_release(&text);
    buffer_release(&again);
}

static void check_compact(const struct json_object *value, struct json_slice slice)
{
    struct buffer text = BUFFER_INIT(SIZE_MAX / 2);
    struct json_object *parsed = NULL;

    json_append_compact(&text, slice);
    if (!json_parse(text.bytes, text.size, SIZE_MAX, &parsed, NULL))
        abort();
    assert(json_equal(value, parsed));
    json_object_put(parsed);
    buffer_release(&text);
}

static void check_tokener(const struct json_object *expected, const uint8_t *bytes, size_t size)
{
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX + 2);
    struct json_object *value;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    value = json_tokener_parse_ex(tokener, (const char *)bytes, (int)size);
    if (json_tokener_get_error(tokener) == json_tokener_continue)
        value = json_tokener_parse_ex(tokener, "", 1); /* a number ends where the text ends */
    assert(json_tokener_get_error(tokener) == json_tokener_success);
    assert(json_equal(expected, value));
    json_object_put(value);
    json_tokener_free(tokener);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct json_slice whole = {.bytes = (const char *)bytes, .size = size};
    struct json_object *value = NULL;
    struct json_object *copy;
    struct error err = ERROR_INIT;
    bool taken = json_check(bytes, size, FUZZ_BYTES_MAX, &err);

    assert(taken || err.text[0] != '\0');
    if (json_parse(bytes, size, FUZZ_BYTES_MAX, &value, &err) != taken)
        abort();
    if (!taken)
        return 0;
    check_tokener(value, bytes, size);
    check_text(value, false);
    check_text(value, true);
    check_compact(value, whole);
    copy = json_copy(value);
    assert(json_equal(value, copy));
    json_object_put(copy);
    if (json_is(value, json_type_array) || json_is(value, json_type_object))
        check_slices(value, whole);
    json_object_put(value);
    return 0;
}
