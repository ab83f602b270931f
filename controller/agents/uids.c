#include "controller/agents/uids.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"

struct uid_entry {
    char *uid;
    UT_hash_handle hh;
};

static struct uid_entry *find(const struct uids *uids, const char *uid)
{
    struct uid_entry *entry;

    HASH_FIND_STR(uids->all, uid, entry);
    return entry;
}

static void drop(struct uids *uids, struct uid_entry *entry)
{
    HASH_DEL(uids->all, entry);
    free(entry->uid);
    free(entry);
}

void uids_release(struct uids *uids)
{
    struct uid_entry *entry;
    struct uid_entry *next = NULL;

    HASH_ITER (hh, uids->all, entry, next)
        drop(uids, entry);
}

void uids_set(struct uids *uids, const char *uid, bool in)
{
    struct uid_entry *entry = find(uids, uid);

    if (in == (entry != NULL))
        return;
    if (!in) {
        drop(uids, entry);
        return;
    }
    entry = xcalloc(1, sizeof(*entry));
    entry->uid = xstrdup(uid);
    HASH_ADD_KEYPTR(hh, uids->all, entry->uid, strlen(entry->uid), entry);
}

bool uids_has(const struct uids *uids, const char *uid)
{
    return find(uids, uid) != NULL;
}

bool uids_is_empty(const struct uids *uids)
{
    return uids->all == NULL;
}
