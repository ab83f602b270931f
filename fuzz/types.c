/* Properties of types: decoding says why not or leaves what decodes into itself, with nothing in it
 * that is unknown; naming what is unknown changes nothing.
 *
 * Input: an object with apiVersion and kind. */
#include <assert.h>
#include <json-c/json.h>

#include "controller/base/text.h"
#include "fakeapi/types/types.h"
#include "fuzz/harness.h"

static void check(const struct type_message *type, struct json_object *object)
{
    struct json_object *other = json_copy(object);
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct buffer why = BUFFER_INIT(64 * FUZZ_BYTES_MAX);
    struct buffer again = BUFFER_INIT(64 * FUZZ_BYTES_MAX);

    if (types_decode(type, object, &unknown, &why)) {
        assert(unknown.count <= TYPES_UNKNOWN_MAX);
        assert(types_decode(type, other, NULL, &again));
        assert(json_equal(object, other));
        schema_unknown_release(&unknown);
        assert(types_decode(type, object, &unknown, &again));
        assert(unknown.count == 0);
        assert(json_equal(object, other));
    } else {
        assert(why.size > 0);
        assert(!types_decode(type, other, NULL, &again));
        assert(text_equal(buffer_text(&why), buffer_text(&again)));
    }
    json_object_put(other);
    schema_unknown_release(&unknown);
    buffer_release(&why);
    buffer_release(&again);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct json_object *object = NULL;
    const struct type_message *type;

    if (json_parse(bytes, size, FUZZ_BYTES_MAX, &object, NULL) &&
        json_is(object, json_type_object)) {
        type = types_find(text_or(json_get_text(object, "apiVersion"), ""),
                          text_or(json_get_text(object, "kind"), ""));
        if (type != NULL)
            check(type, object);
    }
    json_object_put(object);
    return 0;
}
