/* user - who a request comes from. */
#include "fakeapi/access/user.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define ACCOUNT_PREFIX "system:serviceaccount:"

struct access_user access_user_named(const char *name, const char *group)
{
    struct access_user user = {.name = xstrdup(name)};

    if (group != NULL)
        words_add(&user.groups, group);
    return user;
}

void access_user_release(struct access_user *user)
{
    free(user->name);
    free(user->uid);
    words_release(&user->groups);
    for (size_t i = 0; i < user->extra_count; i++) {
        free(user->extras[i].key);
        words_release(&user->extras[i].values);
    }
    free(user->extras);
    *user = (struct access_user){0};
}

const char *access_user_name(const struct access_user *user)
{
    return text_or(user->name, "");
}

bool access_user_is_master(const struct access_user *user)
{
    return words_has(&user->groups, GROUP_MASTERS);
}

void access_user_add_extra(struct access_user *user, const char *key, const char *value)
{
    size_t index = 0;

    while (index < user->extra_count && strcmp(user->extras[index].key, key) != 0)
        index++;
    if (index == user->extra_count) {
        user->extras = xrealloc(user->extras, (index + 1) * sizeof(*user->extras));
        user->extras[index] = (struct access_extra){.key = xstrdup(key)};
        user->extra_count++;
    }
    words_add(&user->extras[index].values, value);
}

char *access_user_name_of_account(const char *namespace, const char *name)
{
    return xprintf(ACCOUNT_PREFIX "%s:%s", namespace, name);
}

struct access_user access_user_of_account(const char *namespace, const char *name, const char *uid)
{
    struct access_user user = {.name = access_user_name_of_account(namespace, name),
                               .uid = xstrdup(uid)};
    char *group = xprintf("system:serviceaccounts:%s", namespace);

    words_add(&user.groups, "system:serviceaccounts");
    words_add(&user.groups, group);
    free(group);
    return user;
}

bool access_user_split_account(const char *user_name, char **ret_namespace, char **ret_name)
{
    const char *namespace = user_name + strlen(ACCOUNT_PREFIX);
    const char *colon;

    if (!text_starts_with(user_name, ACCOUNT_PREFIX))
        return false;
    colon = strchr(namespace, ':');
    if (colon == NULL || colon == namespace || colon[1] == '\0' || strchr(colon + 1, ':') != NULL)
        return false;
    *ret_namespace = xmemdup(namespace, (size_t)(colon - namespace));
    *ret_name = xstrdup(colon + 1);
    return true;
}

struct json_object *access_user_to_json(const struct access_user *user)
{
    struct json_object *object = json_object_new_object();

    if (!text_is_empty(user->name))
        json_set_text(object, "username", user->name);
    if (!text_is_empty(user->uid))
        json_set_text(object, "uid", user->uid);
    if (user->groups.count > 0)
        json_set(object, "groups", words_to_json(&user->groups));
    for (size_t i = 0; i < user->extra_count; i++)
        json_set(json_ensure_object(object, "extra"), user->extras[i].key,
                 words_to_json(&user->extras[i].values));
    return object;
}
