/* credentials - tokens, certificates, and the files that hold them. */
#include "fakeapi/credentials.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* A file that holds one token. */
#define ONE_TOKEN_FILE_BYTES_MAX 4096
#define KUBECONFIG_BYTES_MAX ((size_t)256 * 1024)
/* Credentials are for tests: a year is enough. */
#define LIFE_US (365 * US_PER_DAY)

static char *make_token(struct runtime *rt)
{
    char hex[4 * 16 + 1];

    for (size_t i = 0; i < 4; i++)
        snprintf(hex + 16 * i, 17, "%016" PRIx64, runtime_random(rt));
    return xstrdup(hex);
}

bool credentials_read_token(struct runtime *rt, const char *path, char **ret_token,
                            struct error *err)
{
    struct buffer bytes = BUFFER_INIT(ONE_TOKEN_FILE_BYTES_MAX);
    bool ok = runtime_read_file(rt, path, &bytes, err);
    char *token = NULL;

    if (ok) {
        token = xstrdup(buffer_text(&bytes));
        token[strcspn(token, "\r\n")] = '\0';
        if (strspn(buffer_text(&bytes) + strlen(token), "\r\n") != bytes.size - strlen(token))
            ok = error_set(err, ERROR_USAGE, "%s: must hold one line", path);
        else
            ok = fakeapi_token_check(token, path, err);
    }
    if (ok)
        *ret_token = token;
    else
        free(token);
    buffer_release(&bytes);
    return ok;
}

bool credentials_token(struct runtime *rt, const struct fakeapi_options *options, const char *kept,
                       char **ret_token, struct error *err)
{
    const char *setting = runtime_setting(rt, "FAKEAPI_TOKEN");

    *ret_token = NULL;
    if (options->token_file != NULL)
        return credentials_read_token(rt, options->token_file, ret_token, err);
    if (options->token != NULL) {
        *ret_token = xstrdup(options->token);
    } else if (setting != NULL) {
        if (!fakeapi_token_check(setting, "FAKEAPI_TOKEN", err))
            return false;
        *ret_token = xstrdup(setting);
    } else if (options->tls || options->access) {
        *ret_token = kept != NULL ? xstrdup(kept) : make_token(rt);
    }
    return true;
}

/* Whether others than this machine may reach it. What is no address is refused by the listener. */
static bool is_reachable(const char *address)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (inet_pton(AF_INET, address, &v4) == 1)
        return !text_starts_with(address, "127.");
    return inet_pton(AF_INET6, address, &v6) == 1 && !IN6_IS_ADDR_LOOPBACK(&v6);
}

bool credentials_mode(const struct fakeapi_options *options, const char *token,
                      enum access_mode *ret_mode, struct error *err)
{
    if (options->access) {
        *ret_mode = ACCESS_RBAC;
    } else if (token != NULL || options->token_auth_file != NULL) {
        *ret_mode = ACCESS_CREDENTIALS;
    } else {
        *ret_mode = ACCESS_OPEN;
        if (!options->open && is_reachable(options->address))
            return error_set(err, ERROR_USAGE,
                             "--listen %s: others than this machine could do everything there; "
                             "use --access or --token-file (and --tls), or --open if that is meant",
                             options->address);
    }
    return true;
}

static bool load_token_auth_file(struct runtime *rt, const char *path, struct token_table *table,
                                 struct error *err)
{
    struct buffer bytes = BUFFER_INIT(TOKEN_FILE_BYTES_MAX);
    bool ok = runtime_read_file(rt, path, &bytes, err);

    if (ok && !token_table_load(table, buffer_text(&bytes), bytes.size, err))
        ok = error_prefix(err, "%s", path);
    buffer_release(&bytes);
    return ok;
}

bool credentials_fill(struct runtime *rt, const struct fakeapi_options *options, const char *token,
                      struct access_secrets *secrets, struct error *err)
{
    struct token_table *table = secrets->tokens;
    struct access_user admin = access_user_named("fakeapi", GROUP_MASTERS);

    if (token == NULL)
        access_user_release(&admin);
    else if (!token_table_add(table, token, &admin, err))
        return error_prefix(err, "--token");
    return options->token_auth_file == NULL ||
           load_token_auth_file(rt, options->token_auth_file, table, err);
}

/* --- kubeconfigs of more users --- */

/* Of NAME[,GROUP...]=FILE. */
static struct access_user parse_user(const char *text, const char **ret_file)
{
    const char *end = strrchr(text, '=');
    size_t size = strcspn(text, ",=");
    struct access_user user = {.name = xmemdup(text, size)};

    *ret_file = end + 1;
    for (text += size; text < end; text += size) {
        char *group;

        text++;
        size = strcspn(text, ",");
        if (size > (size_t)(end - text))
            size = (size_t)(end - text);
        group = xmemdup(text, size);
        words_add(&user.groups, group);
        free(group);
    }
    return user;
}

static bool issue_certificate(struct runtime *rt, const struct access_user *user,
                              const struct certificate *ca, struct certificate *ret_certificate,
                              struct error *err)
{
    int64_t now_us = runtime_wall_us(rt);
    const struct certificate_options options = {.common_name = access_user_name(user),
                                                .organizations =
                                                    (const char *const *)user->groups.items,
                                                .organization_count = user->groups.count,
                                                .not_before_us = now_us - US_PER_DAY,
                                                .not_after_us = now_us + LIFE_US};

    return certificate_issue(&options, ca, ret_certificate, err);
}

static bool issue_account_token(struct runtime *rt, struct store *store, struct access *access,
                                const char *namespace, const char *name, char **ret_token,
                                struct error *err)
{
    const struct store_object *account =
        store_get(store_find_resource(store, "", "serviceaccounts"), namespace, name);
    struct account_claims claims = {0};

    if (account == NULL)
        return error_set(err, ERROR_NOT_FOUND, "no ServiceAccount %s/%s was loaded", namespace,
                         name);
    claims.namespace = xstrdup(namespace);
    claims.account = (struct account_ref){xstrdup(name), xstrdup(account->uid)};
    words_add(&claims.audiences, ACCOUNTS_AUDIENCE);
    claims.issued_s = runtime_wall_us(rt) / US_PER_SECOND;
    claims.expires_s = claims.issued_s + LIFE_US / US_PER_SECOND;
    *ret_token = accounts_make(access_accounts(access), &claims);
    account_claims_release(&claims);
    return true;
}

static bool issue_token(struct runtime *rt, struct access_user *user, struct access *access,
                        char **ret_token, struct error *err)
{
    *ret_token = make_token(rt);
    return token_table_add(access_tokens(access), *ret_token, user, err);
}

static bool write_kubeconfig(struct runtime *rt, const struct fakeapi_kubeconfig *config,
                             const char *file, struct error *err)
{
    struct buffer text = BUFFER_INIT(KUBECONFIG_BYTES_MAX);
    bool ok;

    fakeapi_kubeconfig_append(&text, config);
    ok = buffer_check(&text, err) &&
         runtime_write_file(rt, file, buffer_text(&text), text.size, true, err);
    buffer_release(&text);
    return ok;
}

static bool write_user(struct runtime *rt, const char *flag,
                       const struct fakeapi_kubeconfig *server, const struct certificate *ca,
                       struct store *store, struct access *access, struct error *err)
{
    struct fakeapi_kubeconfig config = *server;
    struct certificate certificate = {NULL, NULL};
    const char *file;
    struct access_user user = parse_user(flag, &file);
    char *namespace;
    char *name;
    char *token = NULL;
    bool ok;

    if (access_user_split_account(access_user_name(&user), &namespace, &name)) {
        ok = issue_account_token(rt, store, access, namespace, name, &token, err);
        free(namespace);
        free(name);
    } else if (text_starts_with(access_user_name(&user), "system:serviceaccount:")) {
        ok = error_set(err, ERROR_USAGE, "want system:serviceaccount:NAMESPACE:NAME");
    } else if (ca->certificate_pem != NULL) {
        ok = issue_certificate(rt, &user, ca, &certificate, err);
    } else {
        ok = issue_token(rt, &user, access, &token, err);
    }
    config.token = token;
    config.certificate_pem = certificate.certificate_pem;
    config.key_pem = certificate.key_pem;
    ok = ok && write_kubeconfig(rt, &config, file, err);
    if (!ok)
        error_prefix(err, "--user %s", flag);
    free(token);
    certificate_release(&certificate);
    access_user_release(&user);
    return ok;
}

bool credentials_write_users(struct runtime *rt, const struct fakeapi_options *options,
                             const struct fakeapi_kubeconfig *server, const struct certificate *ca,
                             struct store *store, struct access *access, struct error *err)
{
    for (size_t i = 0; i < options->user_count; i++)
        if (!write_user(rt, options->users[i], server, ca, store, access, err))
            return false;
    return true;
}
