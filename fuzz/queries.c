/* Properties of what requests say in their queries, targets and headers, and of the small languages
 * in their objects: each text is refused with words or can be used. The first byte says which of
 * them reads the rest. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/accept.h"
#include "fakeapi/rest/continue_token.h"
#include "fakeapi/rest/index_set.h"
#include "fakeapi/rest/jsonpath.h"
#include "fakeapi/rest/route.h"
#include "fakeapi/rest/selector.h"
#include "fuzz/harness.h"

static void check_refusal(bool ok, struct rest_status *status)
{
    assert(ok ? status->code == 0 : status->code >= 400 && status->message != NULL);
    rest_status_release(status);
}

static void try_labels(const char *text)
{
    struct store_object object = {0};
    struct selector selector = {0};
    struct rest_status status = {0};
    bool ok = selector_parse_labels(text, &selector, &status);

    assert(selector.label_count <= SELECTOR_REQUIREMENTS_MAX);
    if (ok && !selector_is_empty(&selector))
        (void)selector_matches(&selector, &object);
    check_refusal(ok, &status);
    selector_release(&selector);
}

static void try_fields(const char *text)
{
    char name[] = "Thing";
    const struct kind kind = {.kind = name};
    struct selector selector = {0};
    struct rest_status status = {0};
    bool ok = selector_parse_fields(text, &kind, &selector, &status);

    assert(selector.field_count <= SELECTOR_REQUIREMENTS_MAX);
    if (ok)
        (void)selector_name(&selector);
    check_refusal(ok, &status);
    selector_release(&selector);
}

/* What is read is written and read again alike. */
static void try_token(const char *text)
{
    struct rest_status status = {0};
    int64_t revision;
    int64_t again_revision;
    char *start = NULL;
    char *again = NULL;
    bool ok = continue_token_read(text, &revision, &start, &status);

    assert(ok == (start != NULL));
    check_refusal(ok, &status);
    if (ok) {
        char *token = continue_token_from_start(revision, start);

        /* Escapes may make it longer than what is read. */
        if (continue_token_read(token, &again_revision, &again, &status))
            assert(again_revision == revision && strcmp(again, start) == 0);
        rest_status_release(&status);
        free(token);
    }
    free(start);
    free(again);
}

/* A path, and from the second line on an object. */
static void try_jsonpath(char *text)
{
    size_t size = strcspn(text, "\n");
    const char *object = text[size] == '\n' ? text + size + 1 : "{}";
    struct jsonpath *path = NULL;
    struct error err = ERROR_INIT;

    text[size] = '\0';
    if (!jsonpath_new(text, &path, &err)) {
        assert(err.kind != ERROR_NONE && path == NULL);
        return;
    }
    if (json_check(object, strlen(object), FUZZ_BYTES_MAX, &err)) {
        struct json_slice whole = {object, strlen(object)};
        struct json_slice found = jsonpath_find(path, whole);

        assert(found.bytes == NULL ||
               (found.bytes >= object && found.bytes + found.size <= object + strlen(object)));
    }
    (void)jsonpath_first_name(path);
    jsonpath_free(path);
}

static void try_target(const char *text)
{
    struct route route;

    if (!route_parse(text, &route))
        return;
    assert(route.segment_count <= ROUTE_SEGMENTS_MAX);
    assert(!route.resource || (route.version[0] != '\0' || route.plural != NULL));
    free(route_query(&route, "limit"));
    (void)route_query_flag(&route, "watch");
    route_release(&route);
}

static void try_accept(const char *text)
{
    static const struct accept_offer all = {
        .table = true, .partial = true, .discovery = true, .watch = true};
    struct accept accept;

    if (accept_choose(text, &all, &accept))
        assert(accept.version != NULL);
}

/* What is read is written and read again alike. */
static void try_indexes(const char *text)
{
    struct index_set set;
    struct index_set again;
    struct error err = ERROR_INIT;
    struct buffer first = BUFFER_INIT(FUZZ_BYTES_MAX * 4);
    struct buffer second = BUFFER_INIT(FUZZ_BYTES_MAX * 4);

    if (index_set_parse(text, INT32_MAX, &set, &err)) {
        index_set_append(&first, &set);
        assert(index_set_parse(buffer_text(&first), INT32_MAX, &again, &err));
        index_set_append(&second, &again);
        assert(text_equal(buffer_text(&first), buffer_text(&second)));
        assert(index_set_common(&set, &again) == index_set_total(&set));
        index_set_release(&set);
        index_set_release(&again);
    }
    buffer_release(&first);
    buffer_release(&second);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    char *text;

    if (size == 0)
        return 0;
    text = xmemdup(bytes + 1, size - 1);
    switch (bytes[0]) {
    case 'l':
        try_labels(text);
        break;
    case 'f':
        try_fields(text);
        break;
    case 'c':
        try_token(text);
        break;
    case 'j':
        try_jsonpath(text);
        break;
    case 't':
        try_target(text);
        break;
    case 'a':
        try_accept(text);
        break;
    default:
        try_indexes(text);
        break;
    }
    free(text);
    return 0;
}
