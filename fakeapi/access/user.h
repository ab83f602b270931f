/* user - who a request comes from (WIRE.md A1, A3). */
#ifndef FAKEAPI_ACCESS_USER_H
#define FAKEAPI_ACCESS_USER_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/json.h"
#include "fakeapi/access/words.h"

#define USER_ANONYMOUS "system:anonymous"
#define GROUP_AUTHENTICATED "system:authenticated"
#define GROUP_UNAUTHENTICATED "system:unauthenticated"
/** Its members may do everything (A9). */
#define GROUP_MASTERS "system:masters"

/** Something more that is known of a user. */
struct access_extra {
    char *key;
    struct words values;
};

struct access_user { /* init with {0}: nobody */
    char *name;      /* NULL: "" */
    char *uid;       /* NULL: none */
    struct words groups;
    struct access_extra *extras;
    size_t extra_count;
};

/** A user of that name in one group; group may be NULL. */
struct access_user access_user_named(const char *name, const char *group);
void access_user_release(struct access_user *user);
/** "" for nobody. */
const char *access_user_name(const struct access_user *user);
bool access_user_is_master(const struct access_user *user);
void access_user_add_extra(struct access_user *user, const char *key, const char *value);

/** "system:serviceaccount:ns:name"; free() it. */
char *access_user_name_of_account(const char *namespace, const char *name);
/** The ServiceAccount of that name and namespace, with its groups; uid may be NULL. */
struct access_user access_user_of_account(const char *namespace, const char *name, const char *uid);
/** The reverse: false when the name is of no ServiceAccount. free() both. */
bool access_user_split_account(const char *user_name, char **ret_namespace, char **ret_name);

/** {"username":..,"uid":..,"groups":[..],"extra":{..}}, what is empty left out. */
struct json_object *access_user_to_json(const struct access_user *user);

#endif
