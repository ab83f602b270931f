/* Properties of controller/sinks: what is put into an envelope is one JSON value that holds the
 * line, and no envelope gets another; a line that passes selectors is of a class that one of them
 * names; no headers but whole ones come of a secret.
 *
 * The first byte chooses the vendor, the rest of the first line is a selector: event, tool and
 * contains, with tabs between; the line of the agent is what follows. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/sinks/envelope.h"
#include "controller/sinks/header_block.h"
#include "controller/sinks/selector.h"
#include "fuzz/harness.h"

static const struct envelope_source source = {"run", "st", "", NULL, "ai"};

static bool is_envelope(struct json_slice value)
{
    return json_slice_get(value, "source").bytes != NULL &&
           json_slice_get(value, "event").bytes != NULL;
}

/* --- envelopes --- */

static void check_event(struct json_slice event, struct json_slice line)
{
    struct buffer again = BUFFER_INIT(ENVELOPE_BYTES_MAX);
    struct json_object *got = json_slice_parse(event);
    struct json_object *want = NULL;

    json_append_compact(&again, event);
    assert(again.size == event.size && memcmp(again.bytes, event.bytes, event.size) == 0);
    if (json_parse(line.bytes, line.size, ENVELOPE_BYTES_MAX, &want, NULL) &&
        json_equal(got, want)) {
        assert(!is_envelope(line));
    } else {
        assert(json_is(got, json_type_string));
        if (text_is_utf8(line.bytes, line.size)) {
            assert((size_t)json_object_get_string_len(got) == line.size);
            assert(memcmp(json_object_get_string(got), line.bytes, line.size) == 0);
        }
    }
    json_object_put(got);
    json_object_put(want);
    buffer_release(&again);
}

static void check_envelope(struct json_slice line)
{
    static const char start[] =
        "{\"source\":{\"agent\":\"run\",\"station\":\"st\",\"namespace\":\"ai\"},\"event\":";
    struct error err = ERROR_INIT;
    struct bytes *envelope;
    struct bytes *second;

    if (!envelope_new(&source, line.bytes, line.size, &envelope, &err)) {
        assert(err.kind == ERROR_TOO_LARGE || (err.kind == ERROR_INVALID && is_envelope(line)));
        return;
    }
    if (!json_check(envelope->data, envelope->size, ENVELOPE_BYTES_MAX, &err))
        abort();
    assert(envelope->size > sizeof(start) && memcmp(envelope->data, start, sizeof(start) - 1) == 0);
    check_event(
        (struct json_slice){envelope->data + sizeof(start) - 1, envelope->size - sizeof(start)},
        line);
    if (envelope_new(&source, envelope->data, envelope->size, &second, &err))
        abort();
    bytes_unref(envelope);
}

/* --- selectors --- */

static void check_selector(enum selector_vendor vendor, const struct selector *selector,
                           struct json_slice line)
{
    static const char *const names[] = {
        [SELECTOR_RESULT] = "result",       [SELECTOR_MESSAGE] = "message",
        [SELECTOR_TOOL_CALL] = "tool_call", [SELECTOR_TOOL_RESULT] = "tool_result",
        [SELECTOR_USAGE] = "usage",
    };
    bool passes = selector_passes(selector, 1, vendor, line.bytes, line.size);
    bool known = false;
    struct selector_view view;

    for (size_t i = SELECTOR_RESULT; i < ARRAY_SIZE(names); i++)
        known = known || text_equal(selector->event, names[i]);
    selector_view_read(vendor, line.bytes, line.size, &view);
    assert(view.text.size <= line.size && !view.text.overflowed);
    if (view.event_class != SELECTOR_UNCLASSIFIED)
        assert(json_check(line.bytes, line.size, FUZZ_BYTES_MAX, NULL));
    assert(known || passes);
    if (known && passes) {
        assert(view.event_class != SELECTOR_UNCLASSIFIED);
        assert(text_equal(names[view.event_class], selector->event));
        assert(text_is_empty(selector->tool) || text_equal(selector->tool, view.tool));
    }
    selector_view_release(&view);
}

/* --- headers --- */

static void check_headers(const uint8_t *bytes, size_t size)
{
    struct header_block block;
    struct http_request request = {.method = "POST"};

    header_block_read((const char *)bytes, size, &block);
    request.headers = block.headers;
    request.header_count = block.count;
    assert(http_request_fault(&request) == NULL);
    assert(block.count <= HEADER_BLOCK_COUNT_MAX && block.size <= HEADER_BLOCK_BYTES_MAX);
    assert((block.fault == NULL) == (block.fault_count == 0));
    for (size_t i = 0; i < block.count; i++) {
        assert(!text_equal_ignoring_case(block.headers[i].name, "Host"));
        assert(!text_equal_ignoring_case(block.headers[i].name, "Content-Length"));
        assert(!text_equal_ignoring_case(block.headers[i].name, "Transfer-Encoding"));
        assert(strpbrk(block.headers[i].value, "\r\n") == NULL);
    }
    header_block_release(&block);
}

static char *take_word(char **rest)
{
    char *word = *rest;
    size_t size = strcspn(word, "\t");

    *rest = word + size + (word[size] == '\t' ? 1 : 0);
    word[size] = '\0';
    return word;
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    const uint8_t *feed = memchr(bytes, '\n', size);
    size_t first = feed == NULL ? size : (size_t)(feed - bytes);
    struct json_slice line = {(const char *)bytes, size};
    struct selector selector;
    char *text;
    char *rest;

    check_headers(bytes, size);
    if (feed == NULL || first == 0)
        return 0;
    line.bytes += first + 1;
    line.size -= first + 1;
    text = xmemdup(bytes + 1, first - 1);
    rest = text;
    selector.event = take_word(&rest);
    selector.tool = take_word(&rest);
    selector.contains = rest;
    check_selector((enum selector_vendor)(bytes[0] % 3), &selector, line);
    check_envelope(line);
    free(text);
    return 0;
}
