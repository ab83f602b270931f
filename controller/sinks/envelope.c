#include "controller/sinks/envelope.h"

#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "controller/base/text.h"

static void append_source(struct buffer *into, const struct envelope_source *source)
{
    const struct {
        const char *key;
        const char *id;
    } ids[] = {
        {"agent",     source->agent         },
        {"station",   source->station       },
        {"task",      source->task          },
        {"pod",       source->pod           },
        {"namespace", source->namespace_name},
    };
    const char *separator = "";

    buffer_append_text(into, "{\"source\":{");
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        if (text_is_empty(ids[i].id))
            continue;
        buffer_append_format(into, "%s\"%s\":", separator, ids[i].key);
        json_append_quoted(into, ids[i].id, strlen(ids[i].id));
        separator = ",";
    }
    buffer_append_text(into, "},\"event\":");
}

static bool has_envelope(struct json_slice line)
{
    return json_slice_get(line, "source").bytes != NULL &&
           json_slice_get(line, "event").bytes != NULL;
}

/* False when the line within its envelope is no JSON for the gate: it was already as deep as can
 * be. */
static bool append_json(struct buffer *into, struct json_slice line)
{
    json_append_compact(into, line);
    buffer_append_char(into, '}');
    return into->overflowed || json_check(into->bytes, into->size, ENVELOPE_BYTES_MAX, NULL);
}

static void append_text(struct buffer *into, struct json_slice line)
{
    json_append_quoted(into, line.bytes, line.size);
    buffer_append_char(into, '}');
}

bool envelope_new(const struct envelope_source *source, const char *line, size_t size,
                  struct bytes **ret_envelope, struct error *err)
{
    struct buffer whole = BUFFER_INIT(ENVELOPE_BYTES_MAX);
    const struct json_slice slice = {line, size};
    bool ok = false;
    size_t start;

    if (size > ENVELOPE_BYTES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "more than %zu bytes", ENVELOPE_BYTES_MAX);
    append_source(&whole, source);
    start = whole.size;
    if (!json_check(line, size, ENVELOPE_BYTES_MAX, NULL)) {
        append_text(&whole, slice);
    } else if (has_envelope(slice)) {
        (void)error_set(err, ERROR_INVALID, "it has a source and an event already");
        goto out;
    } else if (!append_json(&whole, slice)) {
        buffer_cut(&whole, start);
        append_text(&whole, slice);
    }
    if (!buffer_check(&whole, err))
        goto out;
    *ret_envelope = bytes_new(whole.bytes, whole.size);
    ok = true;
out:
    buffer_release(&whole);
    return ok;
}
