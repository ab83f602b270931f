#include "controller/kube/kube_config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/log.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "controller/kube/kubeconfig_wire.h"

/* A DNS label, with room for a line end. */
#define NAMESPACE_BYTES_MAX 256

/* A PEM text, from a file that may change under us, or fixed. */
struct pem {
    char *path; /* NULL: fixed */
    char *text; /* the last good content; NULL: none yet */
    struct file_info info;
    bool stale; /* reading it again failed the last time, and that was logged */
};

struct kube_config {
    char *server;
    char *namespace_name;
    char *token;      /* the last good content of token_path, or the fixed one */
    char *token_path; /* NULL: fixed */
    bool token_read;  /* from token_path, once at least */
    bool token_stale; /* as in struct pem */
    struct pem ca;
    struct pem certificate;
    struct pem key;
    char *server_name;
    bool skip_verify;
    bool gzip;
};

/* --- files --- */

/* Logs once when what was good cannot be read again, and once when it can. err names the file and
 * holds nothing of it. */
static void note_stale(bool *stale, bool is_stale, struct runtime *rt, const char *path,
                       const struct error *err)
{
    const struct log_field fields[] = {LOG_TEXT("file", path), LOG_TEXT("error", err->text)};
    const struct log_record record = {
        is_stale ? LOG_WARN : LOG_INFO,
        is_stale ? "credentials not read again: the last good ones stay in force"
                 : "credentials read again",
        fields, is_stale ? 2 : 1};

    if (*stale == is_stale)
        return;
    *stale = is_stale;
    runtime_log(rt, &record);
}

static bool pem_is_fit(const struct buffer *bytes)
{
    return strlen(buffer_text(bytes)) == bytes->size &&
           strstr(buffer_text(bytes), "-----BEGIN ") != NULL;
}

static bool pem_read(struct pem *pem, struct runtime *rt, struct error *err)
{
    struct buffer bytes = BUFFER_INIT(KUBE_CONFIG_BYTES_MAX);
    struct file_info info = {0};
    bool ok = false;

    /* The stamp before the content: a change in between is seen the next time. */
    if (!runtime_stat_file(rt, pem->path, &info, err) ||
        !runtime_read_file(rt, pem->path, &bytes, err))
        goto out;
    if (!pem_is_fit(&bytes)) {
        error_set(err, ERROR_MALFORMED, "%s: not PEM", pem->path);
        goto out;
    }
    free(pem->text);
    pem->text = buffer_take(&bytes, NULL);
    pem->info = info;
    ok = true;
out:
    buffer_release(&bytes);
    return ok;
}

static void pem_refresh(struct pem *pem, struct runtime *rt)
{
    struct file_info info;
    struct error err = ERROR_INIT;
    bool ok;

    if (pem->path == NULL)
        return;
    ok = runtime_stat_file(rt, pem->path, &info, &err);
    if (ok && (pem->text == NULL || info.size != pem->info.size ||
               info.changed_at_us != pem->info.changed_at_us))
        ok = pem_read(pem, rt, &err);
    if (pem->text != NULL) /* else there never was any: the server's answers tell */
        note_stale(&pem->stale, !ok, rt, pem->path, &err);
}

static void pem_release(struct pem *pem)
{
    free(pem->path);
    free(pem->text);
}

/* What may stand in a header's value, without the blanks around it; NULL when it may not. */
static char *fit_token(const char *bytes, size_t size)
{
    while (size > 0 && isspace((unsigned char)bytes[size - 1]))
        size--;
    while (size > 0 && isspace((unsigned char)bytes[0])) {
        bytes++;
        size--;
    }
    for (size_t i = 0; i < size; i++)
        if (bytes[i] <= ' ' || bytes[i] >= 0x7f)
            return NULL;
    return size == 0 ? NULL : xmemdup(bytes, size);
}

/* The content of a small file; NULL when it cannot be read or is not fit to be a token. */
static char *read_token(struct runtime *rt, const char *path, struct error *err)
{
    struct buffer bytes = BUFFER_INIT(KUBE_TOKEN_BYTES_MAX);
    char *token = NULL;

    if (runtime_read_file(rt, path, &bytes, err)) {
        token = fit_token(buffer_text(&bytes), bytes.size);
        if (token == NULL)
            error_set(err, ERROR_MALFORMED, "%s: not a token", path);
    }
    buffer_release(&bytes);
    return token;
}

/* --- common to both forms --- */

/* Takes a base URL: http or https, a path perhaps, but no query and no '/' at its end. */
static bool set_server(struct kube_config *config, const char *text, struct error *err)
{
    struct url url;
    size_t size = strlen(text);

    if (!url_parse(text, &url, err))
        return error_prefix(err, "server %s", text);
    url_release(&url);
    if (strpbrk(text, "?#") != NULL)
        return error_set(err, ERROR_INVALID, "a server's URL has no query and no fragment");
    while (size > 0 && text[size - 1] == '/')
        size--;
    config->server = xmemdup(text, size);
    return true;
}

static bool set_token(struct kube_config *config, const char *token, struct error *err)
{
    if (token == NULL)
        return true;
    config->token = strlen(token) > KUBE_TOKEN_BYTES_MAX ? NULL : fit_token(token, strlen(token));
    return config->token != NULL ||
           error_set(err, ERROR_INVALID, "the token is not fit to be sent");
}

/* --- kubeconfig --- */

/* A path of the file counts from the file's own directory. */
static char *resolve_path(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');

    if (path == NULL)
        return NULL;
    if (path[0] == '/' || slash == NULL)
        return xstrdup(path);
    return xprintf("%.*s/%s", (int)(slash - file), file, path);
}

static bool set_pem(struct pem *pem, struct runtime *rt, const char *file, const char *text,
                    const char *path, struct error *err)
{
    pem->text = xstrdup(text);
    pem->path = resolve_path(file, path);
    return pem->path == NULL || pem_read(pem, rt, err);
}

static bool apply_kubeconfig(struct kube_config *config, struct runtime *rt, const char *file,
                             const struct kubeconfig *parsed, struct error *err)
{
    char *token;

    if (!set_server(config, parsed->server, err) || !set_token(config, parsed->token, err))
        return false;
    config->namespace_name = xstrdup(parsed->namespace_name);
    config->server_name = xstrdup(parsed->server_name);
    config->skip_verify = parsed->skip_verify;
    config->gzip = !parsed->no_gzip;
    config->token_path = resolve_path(file, parsed->token_path);
    if (config->token_path != NULL) {
        token = read_token(rt, config->token_path, config->token == NULL ? err : NULL);
        if (token == NULL && config->token == NULL)
            return false;
        free(token);
    }
    return set_pem(&config->ca, rt, file, parsed->ca_pem, parsed->ca_path, err) &&
           set_pem(&config->certificate, rt, file, parsed->certificate_pem,
                   parsed->certificate_path, err) &&
           set_pem(&config->key, rt, file, parsed->key_pem, parsed->key_path, err);
}

static bool load_kubeconfig(struct kube_config *config, struct runtime *rt,
                            const struct kube_config_options *options, struct error *err)
{
    const char *file = options->kubeconfig;
    struct buffer bytes = BUFFER_INIT(KUBE_CONFIG_BYTES_MAX);
    struct kubeconfig parsed = {0};
    struct kubeconfig_position position = {0};
    bool ok = false;

    if (!runtime_read_file(rt, file, &bytes, err))
        goto out;
    if (!kubeconfig_parse(bytes.bytes, bytes.size, options->context, &parsed, &position, err)) {
        if (position.line > 0)
            error_prefix(err, "%s:%u:%u", file, position.line, position.column);
        else
            error_prefix(err, "%s", file);
    } else {
        ok = apply_kubeconfig(config, rt, file, &parsed, err) || error_prefix(err, "%s", file);
    }
out:
    kubeconfig_release(&parsed);
    buffer_release(&bytes);
    return ok;
}

/* --- in the cluster --- */

static bool set_cluster_server(struct kube_config *config, struct runtime *rt, struct error *err)
{
    const char *url = runtime_setting(rt, "KUBE_API_URL");
    const char *host = runtime_setting(rt, "KUBERNETES_SERVICE_HOST");
    const char *port = runtime_setting(rt, "KUBERNETES_SERVICE_PORT");
    bool bare_ipv6;
    char *text;
    bool ok;

    if (!text_is_empty(url))
        return set_server(config, url, err) || error_prefix(err, "KUBE_API_URL");
    if (text_is_empty(host))
        return error_set(err, ERROR_USAGE,
                         "no API server: no kubeconfig was given, and neither KUBE_API_URL nor "
                         "KUBERNETES_SERVICE_HOST is set");
    bare_ipv6 = strchr(host, ':') != NULL && host[0] != '[';
    text = xprintf("https://%s%s%s:%s", bare_ipv6 ? "[" : "", host, bare_ipv6 ? "]" : "",
                   text_or(port, "443"));
    ok = set_server(config, text, err) ||
         error_prefix(err, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT");
    free(text);
    return ok;
}

static bool load_service_account(struct kube_config *config, struct runtime *rt,
                                 const struct kube_config_options *options, struct error *err)
{
    const char *directory =
        text_or(options->service_account_directory, KUBE_SERVICE_ACCOUNT_DIRECTORY);
    const char *fixed = runtime_setting(rt, "KUBE_API_TOKEN");
    char *namespace_path = xprintf("%s/namespace", directory);
    struct buffer bytes = BUFFER_INIT(NAMESPACE_BYTES_MAX);
    bool ok = set_cluster_server(config, rt, err);

    config->gzip = true;
    config->token_path = xprintf("%s/token", directory);
    config->ca.path = xprintf("%s/ca.crt", directory);
    if (ok && !text_is_empty(fixed))
        ok = set_token(config, fixed, err) || error_prefix(err, "KUBE_API_TOKEN");
    if (runtime_read_file(rt, namespace_path, &bytes, NULL))
        config->namespace_name = fit_token(buffer_text(&bytes), bytes.size);
    buffer_release(&bytes);
    free(namespace_path);
    return ok;
}

/* --- public --- */

bool kube_config_load(struct runtime *rt, const struct kube_config_options *options,
                      struct kube_config **ret_config, struct error *err)
{
    struct kube_config *config = xcalloc(1, sizeof(*config));
    bool ok = options->kubeconfig != NULL ? load_kubeconfig(config, rt, options, err)
                                          : load_service_account(config, rt, options, err);

    if (ok)
        *ret_config = config;
    else
        kube_config_free(config);
    return ok;
}

void kube_config_free(struct kube_config *config)
{
    if (config == NULL)
        return;
    free(config->server);
    free(config->namespace_name);
    free(config->token);
    free(config->token_path);
    pem_release(&config->ca);
    pem_release(&config->certificate);
    pem_release(&config->key);
    free(config->server_name);
    free(config);
}

const char *kube_config_server(const struct kube_config *config)
{
    return config->server;
}

const char *kube_config_namespace(const struct kube_config *config)
{
    return config->namespace_name;
}

static void refresh_token(struct kube_config *config, struct runtime *rt)
{
    struct error err = ERROR_INIT;
    char *token;

    if (config->token_path == NULL)
        return;
    token = read_token(rt, config->token_path, &err);
    if (token != NULL || config->token_read)
        note_stale(&config->token_stale, token == NULL, rt, config->token_path, &err);
    if (token == NULL)
        return;
    free(config->token);
    config->token = token;
    config->token_read = true;
}

void kube_config_refresh(struct kube_config *config, struct runtime *rt,
                         struct kube_credentials *ret_credentials)
{
    refresh_token(config, rt);
    pem_refresh(&config->ca, rt);
    pem_refresh(&config->certificate, rt);
    pem_refresh(&config->key, rt);
    *ret_credentials = (struct kube_credentials){
        .token = config->token,
        .tls = {.ca_pem = config->ca.text,
                .certificate_pem = config->certificate.text,
                .key_pem = config->key.text,
                .server_name = config->server_name,
                .skip_verify = config->skip_verify},
        .gzip = config->gzip,
    };
}
