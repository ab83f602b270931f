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
/* Longest one that is written, before it is encoded: a key may be one that was read, its characters
 * escaped. */
#define WRITTEN_BYTES_MAX ((size_t)8 * TOKEN_BYTES_MAX)

/* Sorts directly behind the key, like the NUL of the wire, and is a text. No name has it. */
#define BEHIND "\x01"

/* start holds size bytes, the NUL at its end among them if there is one. */
static char *encode(int64_t revision, const char *start, size_t size)
{
    struct buffer text = BUFFER_INIT(WRITTEN_BYTES_MAX);
    char *token;

    buffer_append_format(&text,
                         "{\"v\":\"meta.k8s.io/v1\",\"rv\":%" PRId64 ",\"start\":", revision);
    json_append_quoted(&text, start, size);
    buffer_append_char(&text, '}');
    token = base64_encode(text.bytes, text.size, true);
    buffer_release(&text);
    return token;
}

char *continue_token_after(int64_t revision, const char *key)
{
    return encode(revision, key, strlen(key) + 1);
}

char *continue_token_from_start(int64_t revision, const char *start)
{
    size_t size = strcspn(start, BEHIND);
    char *key = xmemdup(start, size);
    char *token = encode(revision, key, size + (start[size] != '\0'));

    free(key);
    return token;
}

static bool refuse(struct rest_status *status, const char *why, const char *what)
{
    return rest_status_bad_request(
        status, "invalid continue token: continue key is not valid: %s%s", why, what);
}

/* A path below the list's own, of no empty segments and none that leads elsewhere. */
static bool is_clean(const char *key)
{
    while (*key != '\0') {
        size_t size = strcspn(key, "/");

        if (size == 0 || (size == 1 && key[0] == '.') || (size == 2 && strncmp(key, "..", 2) == 0))
            return false;
        key += size;
        if (key[0] == '/' && key[1] == '\0')
            return false;
        key += *key == '/';
    }
    return true;
}

/* A key; with a NUL at its end, what is directly behind it. False with a 400. */
static bool read_start(struct json_object *start, char **ret_start, struct rest_status *status)
{
    bool is_text = json_is(start, json_type_string);
    const char *text = is_text ? json_object_get_string(start) : "";
    size_t size = strlen(text);
    bool behind = is_text && (size_t)json_object_get_string_len(start) == size + 1;

    if (size == 0)
        return refuse(status, "encoded start key empty (version meta.k8s.io/v1)", "");
    if (!is_clean(text) || (is_text && !behind && json_text(start) == NULL))
        return refuse(status, text, "");
    *ret_start = xprintf("%s%s", text, behind ? BEHIND : "");
    return true;
}

static bool read_tree(const struct json_object *tree, int64_t *ret_revision, char **ret_start,
                      struct rest_status *status)
{
    const char *version = text_or(json_get_text(tree, "v"), "");
    int64_t revision = json_get_int64(tree, "rv", 0);

    if (!text_equal(version, "meta.k8s.io/v1"))
        return refuse(status, "server does not recognize this encoded version ", version);
    if (revision == 0)
        return refuse(status, "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
                      "");
    if (!read_start(json_get(tree, "start"), ret_start, status))
        return false;
    *ret_revision = revision;
    return true;
}

bool continue_token_read(const char *token, int64_t *ret_revision, char **ret_start,
                         struct rest_status *status)
{
    struct json_object *tree = NULL;
    size_t size = 0;
    char *bytes = base64_decode(token, true, &size);
    struct error err = ERROR_INIT;
    bool ok;

    if (bytes == NULL)
        ok = refuse(status, "illegal base64 data", "");
    else if (!json_parse(bytes, size, TOKEN_BYTES_MAX, &tree, &err))
        ok = refuse(status, err.text, "");
    else
        ok = read_tree(tree, ret_revision, ret_start, status);
    json_object_put(tree);
    free(bytes);
    return ok;
}
