#include "controller/kube/kubeconfig_wire.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "controller/kube/kube_config.h"

/* Longest piece of an error that quotes the file. */
#define QUOTE_SIZE 256

struct reading {
    struct kubeconfig *config;
    struct kubeconfig_position *position;
    struct error *err;
};

/* Remembers where, says what; returns false. */
static bool PRINTF_LIKE(3, 4)
    fail_at(const struct reading *reading, const struct yaml_node *node, const char *format, ...)
{
    char text[2 * QUOTE_SIZE];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    *reading->position = (struct kubeconfig_position){node->line, node->column};
    return error_set(reading->err, ERROR_INVALID, "%s", text);
}

static bool is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->plain &&
           (node->text[0] == '\0' || text_equal(node->text, "null") || text_equal(node->text, "~"));
}

/* The value of a key; an explicit null is as good as none. */
static const struct yaml_node *find(const struct yaml_node *mapping, const char *key)
{
    const struct yaml_node *node = mapping == NULL ? NULL : yaml_get(mapping, key);

    return node == NULL || is_null(node) ? NULL : node;
}

/* Copies a text; absent or empty leaves NULL, as in client-go. */
static bool read_text(const struct reading *reading, const struct yaml_node *mapping,
                      const char *key, char **ret_text)
{
    const struct yaml_node *node = find(mapping, key);

    if (node == NULL)
        return true;
    if (node->kind != YAML_SCALAR)
        return fail_at(reading, node, "%s must be a text", key);
    if (node->text[0] != '\0')
        *ret_text = xstrdup(node->text);
    return true;
}

static bool read_flag(const struct reading *reading, const struct yaml_node *mapping,
                      const char *key, bool *ret_flag)
{
    const struct yaml_node *node = find(mapping, key);

    if (node == NULL)
        return true;
    if (node->kind == YAML_SCALAR && node->plain && text_equal(node->text, "true"))
        *ret_flag = true;
    else if (node->kind != YAML_SCALAR || !node->plain || !text_equal(node->text, "false"))
        return fail_at(reading, node, "%s must be true or false", key);
    return true;
}

/* Base64 may be broken into lines. */
static char *decode_data(const char *text, size_t *ret_size)
{
    char *packed = xmemdup(text, strlen(text));
    char *bytes;
    size_t size = 0;

    for (size_t i = 0; text[i] != '\0'; i++)
        if (!isspace((unsigned char)text[i]))
            packed[size++] = text[i];
    packed[size] = '\0';
    bytes = base64_decode(packed, false, ret_size);
    free(packed);
    return bytes;
}

static bool read_pem(const struct reading *reading, const struct yaml_node *mapping,
                     const char *key, char **ret_pem)
{
    const struct yaml_node *node = find(mapping, key);
    size_t size = 0;
    char *pem;

    if (node == NULL || (node->kind == YAML_SCALAR && node->text[0] == '\0'))
        return true;
    if (node->kind != YAML_SCALAR)
        return fail_at(reading, node, "%s must be a text", key);
    pem = decode_data(node->text, &size);
    if (pem == NULL)
        return fail_at(reading, node, "%s is not base64", key);
    if (strlen(pem) != size || strstr(pem, "-----BEGIN ") == NULL) {
        free(pem);
        return fail_at(reading, node, "%s is not PEM", key);
    }
    *ret_pem = pem;
    return true;
}

/* "<name>-data", and only without it the path in "<name>" (client-go: data wins). */
static bool read_pem_or_path(const struct reading *reading, const struct yaml_node *mapping,
                             const char *name, char **ret_pem, char **ret_path)
{
    char key[64];

    snprintf(key, sizeof(key), "%s-data", name);
    if (!read_pem(reading, mapping, key, ret_pem))
        return false;
    return *ret_pem != NULL || read_text(reading, mapping, name, ret_path);
}

/* What would change who we are or where we connect, and is not supported, must not be ignored. */
static bool refuse(const struct reading *reading, const struct yaml_node *mapping,
                   const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct yaml_node *node = find(mapping, keys[i]);

        if (node != NULL)
            return fail_at(reading, node, "%s is not supported", keys[i]);
    }
    return true;
}

/* --- named entries --- */

/* The name of a list's entry; NULL with an error. */
static const char *entry_name(const struct reading *reading, const struct yaml_node *entry,
                              const char *list)
{
    const struct yaml_node *name = entry->kind == YAML_MAPPING ? find(entry, "name") : NULL;

    if (name == NULL || name->kind != YAML_SCALAR) {
        fail_at(reading, entry, "an entry of %s needs a name", list);
        return NULL;
    }
    return name->text;
}

/* Finds the entry called name in the list under key, and in it the mapping under inner. at is who
 * asks, for the message. */
static bool find_entry(const struct reading *reading, const struct yaml_node *root,
                       const char *list, const char *inner, const struct yaml_node *at,
                       const char *name, const struct yaml_node **ret_entry)
{
    const struct yaml_node *entries = find(root, list);
    const struct yaml_node *found = NULL;

    if (entries != NULL && entries->kind != YAML_SEQUENCE)
        return fail_at(reading, entries, "%s must be a list", list);
    for (size_t i = 0; entries != NULL && i < entries->member_count; i++) {
        const struct yaml_node *entry = entries->members[i].value;
        const char *entry_text = entry_name(reading, entry, list);

        if (entry_text == NULL)
            return false;
        if (!text_equal(entry_text, name))
            continue;
        if (found != NULL)
            return fail_at(reading, entry, "a second \"%.100s\" in %s", name, list);
        found = entry;
    }
    if (found == NULL)
        return fail_at(reading, at, "no \"%.100s\" in %s", name, list);
    *ret_entry = find(found, inner);
    if (*ret_entry == NULL || (*ret_entry)->kind != YAML_MAPPING)
        return fail_at(reading, found, "\"%.100s\" in %s has no %s", name, list, inner);
    return true;
}

static bool read_cluster(const struct reading *reading, const struct yaml_node *cluster)
{
    static const char *const refused[] = {"proxy-url"};
    struct kubeconfig *config = reading->config;

    if (!refuse(reading, cluster, refused, ARRAY_SIZE(refused)) ||
        !read_text(reading, cluster, "server", &config->server) ||
        !read_pem_or_path(reading, cluster, "certificate-authority", &config->ca_pem,
                          &config->ca_path) ||
        !read_text(reading, cluster, "tls-server-name", &config->server_name) ||
        !read_flag(reading, cluster, "insecure-skip-tls-verify", &config->skip_verify) ||
        !read_flag(reading, cluster, "disable-compression", &config->no_gzip))
        return false;
    if (config->server == NULL)
        return fail_at(reading, cluster, "the cluster has no server");
    if (config->skip_verify && (config->ca_pem != NULL || config->ca_path != NULL))
        return fail_at(reading, cluster,
                       "insecure-skip-tls-verify and a certificate-authority exclude each other");
    return true;
}

static bool read_user(const struct reading *reading, const struct yaml_node *user)
{
    static const char *const refused[] = {"exec", "auth-provider", "username",  "password",
                                          "as",   "as-uid",        "as-groups", "as-user-extra"};
    struct kubeconfig *config = reading->config;

    if (!refuse(reading, user, refused, ARRAY_SIZE(refused)) ||
        !read_text(reading, user, "token", &config->token) ||
        !read_text(reading, user, "tokenFile", &config->token_path) ||
        !read_pem_or_path(reading, user, "client-certificate", &config->certificate_pem,
                          &config->certificate_path) ||
        !read_pem_or_path(reading, user, "client-key", &config->key_pem, &config->key_path))
        return false;
    if ((config->certificate_pem == NULL && config->certificate_path == NULL) !=
        (config->key_pem == NULL && config->key_path == NULL))
        return fail_at(reading, user, "a client-certificate and a client-key need each other");
    return true;
}

static bool read_context(const struct reading *reading, const struct yaml_node *root,
                         const struct yaml_node *context)
{
    const struct yaml_node *cluster_name = find(context, "cluster");
    const struct yaml_node *user_name = find(context, "user");
    const struct yaml_node *cluster, *user;

    if (cluster_name == NULL || cluster_name->kind != YAML_SCALAR)
        return fail_at(reading, context, "the context names no cluster");
    if (!find_entry(reading, root, "clusters", "cluster", cluster_name, cluster_name->text,
                    &cluster) ||
        !read_cluster(reading, cluster) ||
        !read_text(reading, context, "namespace", &reading->config->namespace_name))
        return false;
    if (user_name == NULL)
        return true;
    if (user_name->kind != YAML_SCALAR)
        return fail_at(reading, user_name, "user must be a text");
    return find_entry(reading, root, "users", "user", user_name, user_name->text, &user) &&
           read_user(reading, user);
}

static bool read_root(const struct reading *reading, const struct yaml_node *root,
                      const char *context_name)
{
    const struct yaml_node *at = root;
    const struct yaml_node *context;

    if (root == NULL)
        return error_set(reading->err, ERROR_INVALID, "the file is empty");
    if (root->kind != YAML_MAPPING)
        return fail_at(reading, root, "a kubeconfig must be a mapping");
    if (context_name == NULL) {
        at = find(root, "current-context");
        if (at == NULL || at->kind != YAML_SCALAR || at->text[0] == '\0')
            return error_set(reading->err, ERROR_INVALID,
                             "no current-context, and no context was asked for");
        context_name = at->text;
    }
    return find_entry(reading, root, "contexts", "context", at, context_name, &context) &&
           read_context(reading, root, context);
}

/* The gate's messages begin with the position, which goes before the message elsewhere. */
static void strip_position(struct error *err, const struct kubeconfig_position *position)
{
    char prefix[64];
    size_t size;

    if (err == NULL)
        return;
    snprintf(prefix, sizeof(prefix), "line %u, column %u: ", position->line, position->column);
    size = strlen(prefix);
    if (text_starts_with(err->text, prefix))
        memmove(err->text, err->text + size, strlen(err->text + size) + 1);
}

bool kubeconfig_parse(const void *bytes, size_t size, const char *context,
                      struct kubeconfig *ret_config, struct kubeconfig_position *ret_position,
                      struct error *err)
{
    struct kubeconfig config = {0};
    struct kubeconfig_position position = {0};
    const struct reading reading = {&config, &position, err};
    struct yaml_document *document = NULL;
    bool ok;

    if (!yaml_parse(bytes, size, KUBE_CONFIG_BYTES_MAX, &document, &position.line, &position.column,
                    err)) {
        strip_position(err, &position);
        *ret_position = position;
        return false;
    }
    position = (struct kubeconfig_position){0};
    ok = read_root(&reading, yaml_root(document), context);
    yaml_free(document);
    if (ok)
        *ret_config = config;
    else
        kubeconfig_release(&config);
    *ret_position = position;
    return ok;
}

void kubeconfig_release(struct kubeconfig *config)
{
    free(config->server);
    free(config->namespace_name);
    free(config->token);
    free(config->token_path);
    free(config->ca_pem);
    free(config->ca_path);
    free(config->certificate_pem);
    free(config->certificate_path);
    free(config->key_pem);
    free(config->key_path);
    free(config->server_name);
    *config = (struct kubeconfig){0};
}
