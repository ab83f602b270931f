#include "controller/kube/watch_wire.h"

#include <stdlib.h>

#include "controller/base/text.h"

static enum kube_event_type type_of(const char *text)
{
    static const char *const names[] = {
        [KUBE_ADDED] = "ADDED",
        [KUBE_MODIFIED] = "MODIFIED",
        [KUBE_DELETED] = "DELETED",
        [KUBE_BOOKMARK] = "BOOKMARK",
    };

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (text_equal(text, names[i]))
            return (enum kube_event_type)i;
    return KUBE_OTHER;
}

static char *resource_version_of(struct json_slice object)
{
    struct json_slice metadata = json_slice_get(object, "metadata");
    char *text = json_slice_begins(metadata, '{')
                     ? json_slice_text(json_slice_get(metadata, "resourceVersion"))
                     : NULL;

    if (text != NULL && text[0] == '\0') {
        free(text);
        text = NULL;
    }
    return text;
}

enum watch_line watch_line_decode(const char *bytes, size_t size,
                                  struct watch_line_content *ret_content)
{
    struct json_slice line = {bytes, size};
    char *type;
    bool typed, failed;

    *ret_content = (struct watch_line_content){.type = KUBE_OTHER};
    if (!json_check(bytes, size, KUBE_WATCH_LINE_BYTES_MAX, NULL))
        return WATCH_LINE_MALFORMED;
    type = json_slice_text(json_slice_get(line, "type"));
    ret_content->object = json_slice_get(line, "object");
    ret_content->type = type_of(type);
    typed = type != NULL;
    failed = text_equal(type, "ERROR");
    if (failed)
        kube_status_read(ret_content->object, &ret_content->status);
    free(type);
    if (failed)
        return WATCH_LINE_ERROR;
    if (!typed || !json_slice_begins(ret_content->object, '{'))
        return WATCH_LINE_MALFORMED;
    ret_content->resource_version = resource_version_of(ret_content->object);
    return WATCH_LINE_EVENT;
}

void watch_line_release(struct watch_line_content *content)
{
    free(content->resource_version);
    kube_status_release(&content->status);
}
