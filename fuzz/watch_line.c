/* Properties of kube/watch_wire: any line is an event with a whole object, an error, or nothing. */
#include <assert.h>

#include "controller/kube/watch_wire.h"
#include "fuzz/harness.h"

static void check_event(const struct watch_line_content *content)
{
    struct json_object *object = json_slice_parse(content->object);

    assert(json_is(object, json_type_object));
    assert(content->resource_version == NULL || content->resource_version[0] != '\0');
    json_object_put(object);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct watch_line_content content;

    if (watch_line_decode((const char *)bytes, size, &content) == WATCH_LINE_EVENT)
        check_event(&content);
    watch_line_release(&content);
    return 0;
}
