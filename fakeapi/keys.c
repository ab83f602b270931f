/* keys - one JSON object in a private file. */
#include "fakeapi/keys.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Two PEM texts of a kilobyte each, and two short ones. */
#define KEYS_BYTES_MAX ((size_t)64 * 1024)

void keys_release(struct keys *keys)
{
    certificate_release(&keys->ca);
    free(keys->token);
    keys->token = NULL;
}

/* What the file lacks or has in another form stays out, and is made anew. */
static void take(const struct json_object *tree, struct keys *keys)
{
    const char *accounts = json_get_text(tree, "accounts");
    const char *certificate = json_get_text(tree, "certificate");
    const char *key = json_get_text(tree, "key");

    keys->token = xstrdup(json_get_text(tree, "token"));
    keys->accounts.made = accounts != NULL && digest_from_hex(accounts, keys->accounts.bytes,
                                                              sizeof(keys->accounts.bytes));
    if (certificate != NULL && key != NULL)
        keys->ca = (struct certificate){xstrdup(certificate), xstrdup(key)};
}

bool keys_read(struct runtime *rt, const char *path, struct keys *ret_keys, struct error *err)
{
    struct buffer bytes = BUFFER_INIT(KEYS_BYTES_MAX);
    struct json_object *tree = NULL;
    struct error why = ERROR_INIT;
    bool ok = true;

    *ret_keys = (struct keys){0};
    if (!runtime_read_file(rt, path, &bytes, &why))
        ok = why.kind == ERROR_NOT_FOUND || error_set(err, why.kind, "%s", why.text);
    else if (!json_parse(buffer_text(&bytes), bytes.size, KEYS_BYTES_MAX, &tree, &why))
        ok = error_set(err, why.kind, "%s: %s", path, why.text);
    else
        take(tree, ret_keys);
    json_object_put(tree);
    buffer_release(&bytes);
    return ok;
}

bool keys_write(struct runtime *rt, const char *path, const struct keys *keys, struct error *err)
{
    struct json_object *tree = json_object_new_object();
    struct buffer text = BUFFER_INIT(KEYS_BYTES_MAX);
    char hex[2 * ACCOUNT_TOKEN_KEY_SIZE + 1];
    bool ok;

    digest_hex(keys->accounts.bytes, sizeof(keys->accounts.bytes), hex);
    json_set_text(tree, "accounts", hex);
    if (keys->token != NULL)
        json_set_text(tree, "token", keys->token);
    if (keys->ca.certificate_pem != NULL) {
        json_set_text(tree, "certificate", keys->ca.certificate_pem);
        json_set_text(tree, "key", keys->ca.key_pem);
    }
    json_append_pretty(&text, tree);
    buffer_append_char(&text, '\n');
    ok = buffer_check(&text, err) && runtime_write_file(rt, path, text.bytes, text.size, true, err);
    buffer_release(&text);
    json_object_put(tree);
    return ok;
}
