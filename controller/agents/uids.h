/* uids - a set of uids. Plain bookkeeping for the cache. */
#ifndef CONTROLLER_AGENTS_UIDS_H
#define CONTROLLER_AGENTS_UIDS_H

#include <stdbool.h>

struct uid_entry;

/** Begins as {0}, empty. */
struct uids {
    struct uid_entry *all;
};

/** Empties it. */
void uids_release(struct uids *uids);
/** The uid, which is copied, is in it from now on, or is not. */
void uids_set(struct uids *uids, const char *uid, bool in);
bool uids_has(const struct uids *uids, const char *uid);
bool uids_is_empty(const struct uids *uids);

#endif
