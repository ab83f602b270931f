/* impersonate - headers into another user, each of them asked for. */
#include "fakeapi/access/impersonate.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"

#define AUTHENTICATION_GROUP "authentication.k8s.io"
#define EXTRA_PREFIX "Impersonate-Extra-"
/* Longest error; it names what was asked for. */
#define ERROR_BYTES_MAX ((size_t)64 * 1024)

/* What the headers name. */
struct wish {
    const char *name; /* NULL or "": nobody */
    const char *uid;
    const char *groups[IMPERSONATE_HEADERS_MAX];
    size_t group_count;
    struct {
        char *key; /* lower case, decoded; owned */
        const char *value;
    } extras[IMPERSONATE_HEADERS_MAX];
    size_t extra_count;
};

void impersonate_refusal_release(struct impersonate_refusal *refusal)
{
    free(refusal->error);
    free(refusal->subresource);
    free(refusal->namespace);
    free(refusal->name);
    free(refusal->reason);
    *refusal = (struct impersonate_refusal){0};
}

/* --- reading the headers --- */

static bool has_prefix(const char *name, const char *prefix)
{
    size_t size = strlen(prefix);
    char *head;
    bool same;

    if (strlen(name) <= size)
        return false;
    head = xmemdup(name, size);
    same = text_equal_ignoring_case(head, prefix);
    free(head);
    return same;
}

static char *extra_key(const char *name)
{
    char *lower = xstrdup(name + strlen(EXTRA_PREFIX));
    char *decoded;

    for (char *at = lower; *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at + ('a' - 'A'));
    decoded = url_decode(lower, strlen(lower), false);
    if (decoded == NULL)
        return lower;
    free(lower);
    return decoded;
}

static bool read_header(struct wish *wish, const struct http_header *header)
{
    if (text_equal_ignoring_case(header->name, "Impersonate-User")) {
        if (wish->name == NULL)
            wish->name = header->value;
    } else if (text_equal_ignoring_case(header->name, "Impersonate-Uid")) {
        if (wish->uid == NULL)
            wish->uid = header->value;
    } else if (text_equal_ignoring_case(header->name, "Impersonate-Group")) {
        if (wish->group_count == IMPERSONATE_HEADERS_MAX)
            return false;
        wish->groups[wish->group_count++] = header->value;
    } else if (has_prefix(header->name, EXTRA_PREFIX)) {
        if (wish->extra_count == IMPERSONATE_HEADERS_MAX)
            return false;
        wish->extras[wish->extra_count].key = extra_key(header->name);
        wish->extras[wish->extra_count++].value = header->value;
    }
    return true;
}

static void wish_release(struct wish *wish)
{
    for (size_t i = 0; i < wish->extra_count; i++)
        free(wish->extras[i].key);
}

static bool is_empty(const struct wish *wish)
{
    return text_is_empty(wish->name) && text_is_empty(wish->uid) && wish->group_count == 0 &&
           wish->extra_count == 0;
}

/* As Go prints the references that it made of the headers. */
static char *say_nobody(const struct wish *wish)
{
    struct buffer text = BUFFER_INIT(ERROR_BYTES_MAX);
    const char *separator = "";
    size_t size;

    buffer_append_text(&text, "requested [");
    for (size_t i = 0; i < wish->group_count; i++) {
        buffer_append_format(&text, "%s{Group  %s    }", separator, wish->groups[i]);
        separator = " ";
    }
    for (size_t i = 0; i < wish->extra_count; i++) {
        buffer_append_format(&text, "%s{UserExtra  %s  " AUTHENTICATION_GROUP "/v1  %s}", separator,
                             wish->extras[i].value, wish->extras[i].key);
        separator = " ";
    }
    if (!text_is_empty(wish->uid))
        buffer_append_format(&text, "%s{UID  %s  " AUTHENTICATION_GROUP "/v1  }", separator,
                             wish->uid);
    buffer_append_text(&text, "] without impersonating a user");
    return buffer_take(&text, &size);
}

/* --- asking for each --- */

struct asking {
    struct access *access;
    const struct access_user *user;
    struct impersonate_refusal *refusal;
};

static bool ask(const struct asking *asking, const char *group, const char *resource,
                const char *subresource, const char *namespace, const char *name)
{
    const struct attributes attributes = {.user = asking->user,
                                          .verb = "impersonate",
                                          .resource_request = true,
                                          .group = group,
                                          .resource = resource,
                                          .subresource = subresource,
                                          .namespace = namespace,
                                          .name = name,
                                          .path = ""};
    char *reason = NULL;

    if (access_allows(asking->access, &attributes, &reason)) {
        free(reason);
        return true;
    }
    *asking->refusal = (struct impersonate_refusal){.group = group,
                                                    .resource = resource,
                                                    .subresource = xstrdup(subresource),
                                                    .namespace = xstrdup(namespace),
                                                    .name = xstrdup(name),
                                                    .reason = reason};
    return false;
}

static bool ask_user(const struct asking *asking, const char *name)
{
    char *namespace;
    char *account;
    bool ok;

    if (!access_user_split_account(name, &namespace, &account))
        return ask(asking, "", "users", "", "", name);
    ok = ask(asking, "", "serviceaccounts", "", namespace, account);
    free(namespace);
    free(account);
    return ok;
}

static bool ask_all(const struct asking *asking, const struct wish *wish)
{
    if (!ask_user(asking, wish->name))
        return false;
    for (size_t i = 0; i < wish->group_count; i++)
        if (!ask(asking, "", "groups", "", "", wish->groups[i]))
            return false;
    for (size_t i = 0; i < wish->extra_count; i++)
        if (!ask(asking, AUTHENTICATION_GROUP, "userextras", wish->extras[i].key, "",
                 wish->extras[i].value))
            return false;
    return text_is_empty(wish->uid) || ask(asking, AUTHENTICATION_GROUP, "uids", "", "", wish->uid);
}

/* --- the other user --- */

static void add_own_group(struct access_user *user)
{
    bool anonymous = strcmp(access_user_name(user), USER_ANONYMOUS) == 0;

    if (words_has(&user->groups, GROUP_UNAUTHENTICATED))
        return;
    words_add_new(&user->groups, anonymous ? GROUP_UNAUTHENTICATED : GROUP_AUTHENTICATED);
}

static struct access_user become(const struct wish *wish)
{
    struct access_user user;
    char *namespace;
    char *account;

    if (wish->group_count == 0 && access_user_split_account(wish->name, &namespace, &account)) {
        user = access_user_of_account(namespace, account, NULL);
        free(namespace);
        free(account);
    } else {
        user = access_user_named(wish->name, NULL);
    }
    if (!text_is_empty(wish->uid))
        user.uid = xstrdup(wish->uid);
    for (size_t i = 0; i < wish->group_count; i++)
        words_add(&user.groups, wish->groups[i]);
    for (size_t i = 0; i < wish->extra_count; i++)
        access_user_add_extra(&user, wish->extras[i].key, wish->extras[i].value);
    add_own_group(&user);
    return user;
}

bool impersonate(struct access *access, const struct http_header *headers, size_t header_count,
                 struct access_user *user, struct impersonate_refusal *ret_refusal)
{
    const struct asking asking = {.access = access, .user = user, .refusal = ret_refusal};
    struct wish wish = {0};
    struct access_user other;
    bool read = true;
    bool ok = false;

    for (size_t i = 0; read && i < header_count; i++)
        read = read_header(&wish, &headers[i]);
    if (!read) {
        *ret_refusal = (struct impersonate_refusal){
            .error = xprintf("more than %d headers of impersonation", IMPERSONATE_HEADERS_MAX)};
    } else if (is_empty(&wish)) {
        ok = true;
    } else if (text_is_empty(wish.name)) {
        *ret_refusal = (struct impersonate_refusal){.error = say_nobody(&wish)};
    } else if (ask_all(&asking, &wish)) {
        other = become(&wish);
        access_user_release(user);
        *user = other;
        ok = true;
    }
    wish_release(&wish);
    return ok;
}
