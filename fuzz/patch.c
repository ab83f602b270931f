/* Properties of patches: of the three kinds each says why not or gives a result; the document stays
 * as it was; a result is no deeper than a document may be; merging twice is merging once.
 *
 * Input: a document, a newline, a patch. */
#include <assert.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fakeapi/patch/patch.h"
#include "fakeapi/patch/strategic.h"
#include "fuzz/harness.h"

static bool parse(const void *bytes, size_t size, struct json_object **ret_value)
{
    *ret_value = NULL;
    return json_parse(bytes, size, FUZZ_BYTES_MAX, ret_value, NULL);
}

/* The result passes the gate again. */
static void check_result(const struct json_object *result)
{
    size_t size;
    char *text = json_to_text(result, &size);

    assert(json_check(text, size, SIZE_MAX / 2, NULL));
    free(text);
}

static void check_operations(const struct json_object *document, const struct json_object *patch)
{
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;

    if (patch_apply_operations(document, patch, &result, &err))
        check_result(result);
    else
        assert(err.text[0] != '\0' && result == NULL);
    json_object_put(result);
}

static void check_merge(const struct json_object *document, const struct json_object *patch)
{
    struct json_object *once = NULL;
    struct json_object *twice = NULL;
    struct error err = ERROR_INIT;

    if (!patch_apply_merge(document, patch, &once, &err)) {
        assert(err.kind == ERROR_MALFORMED);
        return;
    }
    check_result(once);
    if (!patch_apply_merge(once, patch, &twice, &err))
        abort();
    assert(json_equal(once, twice));
    json_object_put(twice);
    json_object_put(once);
}

static void check_strategic(const struct json_object *document, const struct json_object *patch)
{
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;

    if (patch_apply_strategic(document, patch, "Pod", &result, &err))
        check_result(result);
    else
        assert(err.text[0] != '\0' && result == NULL);
    json_object_put(result);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    const uint8_t *newline = size == 0 ? NULL : memchr(bytes, '\n', size);
    size_t document_size = newline == NULL ? size : (size_t)(newline - bytes);
    struct json_object *document = NULL;
    struct json_object *patch = NULL;
    struct json_object *before = NULL;

    if (newline != NULL && parse(bytes, document_size, &document) &&
        parse(newline + 1, size - document_size - 1, &patch)) {
        before = json_copy(document);
        check_operations(document, patch);
        check_merge(document, patch);
        check_strategic(document, patch);
        assert(json_equal(document, before));
    }
    json_object_put(before);
    json_object_put(patch);
    json_object_put(document);
    return 0;
}
