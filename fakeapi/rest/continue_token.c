/* continue_token - base64url of {"v":"meta.k8s.io/v1","rv":N,"start":"key\0"}. */
#include "fakeapi/rest/continue_token.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Longest token that is read, decoded. */
#define TOKEN_BYTES_MAX 2048

/* Sorts directly behind the key, like the NUL of the wire, and is a text. No name has it. */
#define BEHIND "\x01"

static char *encode(int64_t revision, const char *key)
{
    struct buffer text = BUFFER_INIT(TOKEN_BYTES_MAX);
    char *token;

    buffer_append_format(&text,
                         "{\"v\":\"meta.k8s.io/v1\",\"rv\":%" PRId64 ",\"start\":\"%s\\u0000\"}",
                         revision, key);
    token = base64_encode(text.bytes, text.size, true);
    buffer_release(&text);
    return token;
}

char *continue_token_after(int64_t revision, const char *key)
{
    return encode(revision, key);
}

char *continue_token_from_start(int64_t revision, const char *start)
{
    char *key = xmemdup(start, strcspn(start, BEHIND));
    char *token = encode(revision, key);

    free(key);
    return token;
}

static bool refuse(struct rest_status *status, const char *why)
{
    return rest_status_bad_request(status, "invalid continue token: continue key is not valid: %s",
                                   why);
}

/* The key of a start that ends in NUL; NULL when it has none or is no key. */
static char *read_start(const struct json_object *start)
{
    struct json_object *copy = json_copy(start);
    const char *text = json_object_get_string(copy);
    size_t size = json_is(copy, json_type_string) ? (size_t)json_object_get_string_len(copy) : 0;
    char *key = NULL;

    if (size > 1 && text[size - 1] == '\0' && strlen(text) == size - 1 && text[0] != '/' &&
        strstr(text, "..") == NULL)
        key = xprintf("%s" BEHIND, text);
    json_object_put(copy);
    return key;
}

bool continue_token_read(const char *token, int64_t *ret_revision, char **ret_start,
                         struct rest_status *status)
{
    struct json_object *tree = NULL;
    size_t size = 0;
    char *bytes = base64_decode(token, true, &size);
    struct error err = ERROR_INIT;
    char *start = NULL;
    bool ok = false;

    if (bytes == NULL || !json_parse(bytes, size, TOKEN_BYTES_MAX, &tree, &err)) {
        refuse(status, bytes == NULL ? "illegal base64 data" : err.text);
    } else if (!text_equal(json_get_text(tree, "v"), "meta.k8s.io/v1")) {
        refuse(status, "unrecognized version");
    } else if ((start = read_start(json_get(tree, "start"))) == NULL) {
        refuse(status, "the start key is not valid");
    } else {
        *ret_revision = json_get_int64(tree, "rv", 0);
        *ret_start = start;
        ok = *ret_revision != 0 || refuse(status, "incorrect encoded start resourceVersion");
        if (!ok)
            free(start);
    }
    json_object_put(tree);
    free(bytes);
    return ok;
}
