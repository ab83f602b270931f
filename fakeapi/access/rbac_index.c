/* rbac_index - kept up by watches of the store: nothing is told, each question looks first. */
#include "fakeapi/access/rbac_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/access/rbac.h"

struct role {
    char *key; /* as of role_key() */
    bool cluster;
    struct rules rules;
    UT_hash_handle hh;
};

/* The bindings of one user or group in one namespace. */
struct holder {
    char *key; /* as of holder_key() */
    struct binding **bindings;
    size_t count;
    UT_hash_handle hh;
};

/* The sources, in the order of the watches. */
enum source { ROLES, CLUSTER_ROLES, ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS, SOURCE_COUNT };

struct rbac_index {
    struct store *store;
    struct store_watch *watches[SOURCE_COUNT]; /* NULL: nothing was read yet */
    struct role *roles;
    struct binding *bindings[SOURCE_COUNT]; /* of the two sources that have them, by key */
    struct holder *holders;
    struct binding **found; /* by the question at hand, in the order of their names */
    size_t found_count;
    size_t found_capacity;
    uint64_t visit;
};

static const char *const plurals[] = {
    [ROLES] = "roles",
    [CLUSTER_ROLES] = "clusterroles",
    [ROLE_BINDINGS] = "rolebindings",
    [CLUSTER_ROLE_BINDINGS] = "clusterrolebindings",
};

/* --- keys; with the size of what comes first, since names may hold anything --- */

static char *role_key(bool cluster, const char *namespace, const char *name)
{
    if (cluster)
        return xprintf("cluster %s", name);
    return xprintf("%zu %s %s", strlen(namespace), namespace, name);
}

static char *holder_key(const char *namespace, bool group, const char *name)
{
    return xprintf("%zu %s %s %s", strlen(namespace), namespace, group ? "group" : "user", name);
}

/* --- roles --- */

static void drop_role(struct rbac_index *index, const char *key)
{
    struct role *role;

    HASH_FIND_STR(index->roles, key, role);
    if (role == NULL)
        return;
    HASH_DEL(index->roles, role);
    rules_release(&role->rules);
    free(role->key);
    free(role);
}

static void change_role(struct rbac_index *index, enum source source,
                        const struct store_object *object, bool deleted)
{
    char *key = role_key(source == CLUSTER_ROLES, object->namespace, object->name);
    struct json_object *tree;
    struct role *role;

    drop_role(index, key);
    if (deleted) {
        free(key);
        return;
    }
    tree = store_object_parse(object);
    role = xcalloc(1, sizeof(*role));
    role->key = key;
    role->cluster = source == CLUSTER_ROLES;
    role->rules = rules_parse(json_get(tree, "rules"));
    json_object_put(tree);
    HASH_ADD_KEYPTR(hh, index->roles, role->key, strlen(role->key), role);
}

/* --- bindings --- */

static void release_subject(struct subject *subject)
{
    free(subject->kind);
    free(subject->name);
    free(subject->namespace);
}

static void binding_free(struct binding *binding)
{
    for (size_t i = 0; i < binding->subject_count; i++)
        release_subject(&binding->subjects[i]);
    free(binding->subjects);
    free(binding->key);
    free(binding->namespace);
    free(binding->name);
    free(binding->role_kind);
    free(binding->role_name);
    free(binding);
}

static struct binding *parse_binding(const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);
    struct json_object *ref = json_get_object(tree, "roleRef");
    struct json_object *subjects = json_get_array(tree, "subjects");
    size_t count = subjects == NULL ? 0 : json_object_array_length(subjects);
    struct binding *binding = xcalloc(1, sizeof(*binding));

    binding->key = xstrdup(object->key);
    binding->namespace = xstrdup(object->namespace);
    binding->name = xstrdup(object->name);
    binding->role_kind = xstrdup(text_or(json_get_text(ref, "kind"), ""));
    binding->role_name = xstrdup(text_or(json_get_text(ref, "name"), ""));
    binding->subjects = xcalloc(count, sizeof(*binding->subjects));
    binding->subject_count = count;
    for (size_t i = 0; i < count; i++) {
        struct json_object *subject = json_object_array_get_idx(subjects, i);

        binding->subjects[i] = (struct subject){
            .kind = xstrdup(text_or(json_get_text(subject, "kind"), "")),
            .name = xstrdup(text_or(json_get_text(subject, "name"), "")),
            .namespace = xstrdup(text_or(json_get_text(subject, "namespace"), ""))};
    }
    json_object_put(tree);
    return binding;
}

const char *binding_account_namespace(const struct binding *binding, const struct subject *subject)
{
    return subject->namespace[0] != '\0' ? subject->namespace : binding->namespace;
}

char *binding_subject_user(const struct binding *binding, const struct subject *subject)
{
    const char *namespace = binding_account_namespace(binding, subject);

    if (strcmp(subject->kind, "User") == 0)
        return xstrdup(subject->name);
    if (strcmp(subject->kind, "ServiceAccount") == 0 && namespace[0] != '\0')
        return access_user_name_of_account(namespace, subject->name);
    return NULL;
}

static char *subject_key(const struct binding *binding, const struct subject *subject)
{
    char *user;
    char *key;

    if (strcmp(subject->kind, "Group") == 0)
        return holder_key(binding->namespace, true, subject->name);
    user = binding_subject_user(binding, subject);
    if (user == NULL)
        return NULL;
    key = holder_key(binding->namespace, false, user);
    free(user);
    return key;
}

static void add_to_holder(struct rbac_index *index, const char *key, struct binding *binding)
{
    struct holder *holder;

    HASH_FIND_STR(index->holders, key, holder);
    if (holder == NULL) {
        holder = xcalloc(1, sizeof(*holder));
        holder->key = xstrdup(key);
        HASH_ADD_KEYPTR(hh, index->holders, holder->key, strlen(holder->key), holder);
    }
    if (holder->count > 0 && holder->bindings[holder->count - 1] == binding)
        return; /* it names the same subject twice */
    holder->bindings = xrealloc(holder->bindings, (holder->count + 1) * sizeof(struct binding *));
    holder->bindings[holder->count++] = binding;
}

static void drop_from_holder(struct rbac_index *index, const char *key,
                             const struct binding *binding)
{
    struct holder *holder;
    size_t kept = 0;

    HASH_FIND_STR(index->holders, key, holder);
    if (holder == NULL)
        return;
    for (size_t i = 0; i < holder->count; i++)
        if (holder->bindings[i] != binding)
            holder->bindings[kept++] = holder->bindings[i];
    holder->count = kept;
    if (kept > 0)
        return;
    HASH_DEL(index->holders, holder);
    free(holder->bindings);
    free(holder->key);
    free(holder);
}

static void drop_binding(struct rbac_index *index, enum source source, const char *key)
{
    struct binding *binding;

    HASH_FIND_STR(index->bindings[source], key, binding);
    if (binding == NULL)
        return;
    for (size_t i = 0; i < binding->subject_count; i++) {
        char *holder = subject_key(binding, &binding->subjects[i]);

        if (holder != NULL)
            drop_from_holder(index, holder, binding);
        free(holder);
    }
    HASH_DEL(index->bindings[source], binding);
    binding_free(binding);
}

static void change_binding(struct rbac_index *index, enum source source,
                           const struct store_object *object, bool deleted)
{
    struct binding *binding;

    drop_binding(index, source, object->key);
    if (deleted)
        return;
    binding = parse_binding(object);
    HASH_ADD_KEYPTR(hh, index->bindings[source], binding->key, strlen(binding->key), binding);
    for (size_t i = 0; i < binding->subject_count; i++) {
        char *holder = subject_key(binding, &binding->subjects[i]);

        if (holder != NULL)
            add_to_holder(index, holder, binding);
        free(holder);
    }
}

/* --- following the store --- */

static void change(struct rbac_index *index, enum source source, const struct store_object *object,
                   bool deleted)
{
    if (source == ROLES || source == CLUSTER_ROLES)
        change_role(index, source, object, deleted);
    else
        change_binding(index, source, object, deleted);
}

static void forget(struct rbac_index *index, enum source source)
{
    struct role *role;
    struct role *next_role;
    struct binding *binding;
    struct binding *next_binding;

    if (source == ROLES || source == CLUSTER_ROLES)
        HASH_ITER (hh, index->roles, role, next_role)
            if (role->cluster == (source == CLUSTER_ROLES))
                drop_role(index, role->key);
    HASH_ITER (hh, index->bindings[source], binding, next_binding)
        drop_binding(index, source, binding->key);
}

static void on_wake(void *arg)
{
    (void)arg; /* the next question looks */
}

/* Reads a source from its beginning: at first, and where its history is lost. */
static void read_all(struct rbac_index *index, enum source source)
{
    struct store_resource *resource =
        store_find_resource(index->store, RBAC_GROUP, plurals[source]);
    struct store_snapshot *snapshot = store_snapshot_new(resource);
    struct error err = ERROR_INIT;
    bool ok;

    forget(index, source);
    for (size_t i = 0; i < store_snapshot_count(snapshot); i++)
        change(index, source, store_snapshot_object(snapshot, i), false);
    store_watch_free(index->watches[source]);
    ok = store_watch_new(resource, store_snapshot_revision(snapshot), on_wake, NULL,
                         &index->watches[source], &err);
    assert(ok); /* nothing is older than now */
    store_snapshot_free(snapshot);
}

/* Whether there was anything new. */
static bool follow(struct rbac_index *index, enum source source)
{
    const struct store_event *event;
    enum store_watch_next next = STORE_WATCH_GONE;
    bool changed = false;

    if (index->watches[source] != NULL)
        while ((next = store_watch_next(index->watches[source], &event)) == STORE_WATCH_EVENT) {
            change(index, source, event->object, event->change == STORE_DELETED);
            changed = true;
        }
    if (next == STORE_WATCH_IDLE)
        return changed;
    read_all(index, source);
    return true;
}

bool rbac_index_follow(struct rbac_index *index)
{
    bool changed = false;

    for (enum source source = ROLES; source < SOURCE_COUNT; source++)
        if (follow(index, source))
            changed = changed || source == CLUSTER_ROLES;
    return changed;
}

struct rbac_index *rbac_index_new(struct store *store)
{
    struct rbac_index *index = xcalloc(1, sizeof(*index));

    index->store = store;
    return index;
}

void rbac_index_free(struct rbac_index *index)
{
    if (index == NULL)
        return;
    for (enum source source = ROLES; source < SOURCE_COUNT; source++) {
        forget(index, source);
        store_watch_free(index->watches[source]);
    }
    free(index->found);
    free(index);
}

/* --- the bindings of a user --- */

static void find_holder(struct rbac_index *index, const char *namespace, bool group,
                        const char *name)
{
    char *key = holder_key(namespace, group, name);
    struct holder *holder;

    HASH_FIND_STR(index->holders, key, holder);
    free(key);
    for (size_t i = 0; holder != NULL && i < holder->count; i++) {
        struct binding *binding = holder->bindings[i];

        if (binding->visit == index->visit)
            continue;
        binding->visit = index->visit;
        if (index->found_count == index->found_capacity) {
            index->found_capacity = 2 * index->found_capacity + 8;
            index->found = xrealloc(index->found, index->found_capacity * sizeof(struct binding *));
        }
        index->found[index->found_count++] = binding;
    }
}

static int compare_names(const void *a, const void *b)
{
    const struct binding *const *left = a;
    const struct binding *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

struct binding *const *rbac_index_bindings(struct rbac_index *index, const struct access_user *user,
                                           const char *namespace, size_t *ret_count)
{
    index->visit++;
    index->found_count = 0;
    find_holder(index, namespace, false, access_user_name(user));
    for (size_t i = 0; i < user->groups.count; i++)
        find_holder(index, namespace, true, user->groups.items[i]);
    if (index->found_count > 1)
        qsort(index->found, index->found_count, sizeof(struct binding *), compare_names);
    *ret_count = index->found_count;
    return index->found;
}

const struct rules *rbac_index_role(const struct rbac_index *index, const char *kind,
                                    const char *namespace, const char *name)
{
    bool cluster = strcmp(kind, "ClusterRole") == 0;
    struct role *role;
    char *key;

    if (!cluster && strcmp(kind, "Role") != 0)
        return NULL;
    key = role_key(cluster, namespace, name);
    HASH_FIND_STR(index->roles, key, role);
    free(key);
    return role == NULL ? NULL : &role->rules;
}
