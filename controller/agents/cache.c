#include "controller/agents/cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "controller/agents/uids.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kinds/text_list.h"

/* One name. agent is NULL for a name that only the listing under way knows. */
struct entry {
    char *name;
    struct agent *agent;
    struct roster_place place; /* at its Station */
    uint64_t touched;          /* serial of the last change that was not a listing's */
    char *awaited;     /* the version that the stream has yet to bring; NULL: it is not behind */
    uint64_t digest;   /* of the listed bytes that agent was decoded from */
    bool has_digest;   /* ... if it was */
    bool listed;       /* in the listing under way */
    struct agent *row; /* what that says, where it differs */
    uint64_t row_digest;
    UT_hash_handle hh;
};

/* A write of ours that has not been answered. */
struct write {
    char *name;
    struct text_list seen; /* versions of it that the stream brought meanwhile */
    size_t taken;          /* of these, up to the last one that was not dropped */
    struct write *prev;
    struct write *next;
};

struct agent_cache {
    struct entry *entries; /* by agent name */
    size_t count;          /* of entries with an agent */
    struct rosters *rosters;
    uint64_t serial;
    char *newest; /* the greatest decimal version told, or NULL */
    char *listed; /* the version of the last listing, or NULL */
    bool listing;
    uint64_t list_serial; /* when the listing was sent */
    struct uids deleted;  /* by what the stream said while the listing was under way */
    struct uids leaving;  /* we have sent their deletion, and wait for the answer */
    struct uids sent;     /* their Job was sent for, and may land yet: in later terms too */
    struct write *writes; /* a few at most: those in flight */
};

struct agent_cache *agent_cache_new(void)
{
    struct agent_cache *cache = xcalloc(1, sizeof(*cache));

    cache->rosters = rosters_new();
    return cache;
}

static struct entry *find(const struct agent_cache *cache, const char *name)
{
    struct entry *entry;

    HASH_FIND_STR(cache->entries, name, entry);
    return entry;
}

static void set_row(struct entry *entry, struct agent *row)
{
    agent_free(entry->row);
    entry->row = row;
}

static void free_entry(struct agent_cache *cache, struct entry *entry)
{
    rosters_set(cache->rosters, &entry->place, NULL);
    agent_free(entry->agent);
    agent_free(entry->row);
    free(entry->awaited);
    free(entry->name);
    free(entry);
}

/* The entry of that name, made empty where there is none. */
static struct entry *ensure_entry(struct agent_cache *cache, const char *name)
{
    struct entry *entry = find(cache, name);

    if (entry != NULL)
        return entry;
    entry = xcalloc(1, sizeof(*entry));
    entry->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, cache->entries, entry->name, strlen(entry->name), entry);
    return entry;
}

static void touch(struct agent_cache *cache, struct entry *entry)
{
    entry->touched = ++cache->serial;
}

/* The version that the stream has yet to bring; NULL: it is not behind. */
static void await(struct entry *entry, const char *version)
{
    free(entry->awaited);
    entry->awaited = xstrdup(version);
}

static struct write *find_write(const struct agent_cache *cache, const char *name)
{
    struct write *write;

    DL_FOREACH (cache->writes, write) {
        if (text_equal(write->name, name))
            return write;
    }
    return NULL;
}

static void free_write(struct agent_cache *cache, struct write *write)
{
    DL_DELETE(cache->writes, write);
    text_list_release(&write->seen);
    free(write->name);
    free(write);
}

static void drop_sent(struct agent_cache *cache, const struct agent *agent)
{
    if (agent != NULL)
        uids_set(&cache->sent, agent->uid, false);
}

/* What the server tells of a Pending Agent says nothing of its Job; that of one which ran, as if
 * the store had been set back, is looked for first. */
static bool has_begun(const struct agent_cache *cache, const struct agent *before,
                      const struct agent *agent)
{
    bool known = before != NULL && text_equal(agent->uid, before->uid);

    return agent->phase == AGENT_PENDING &&
           (agent->begun || uids_has(&cache->sent, agent->uid) ||
            (known && (before->begun || before->phase == AGENT_RUNNING)));
}

static void set_agent(struct agent_cache *cache, struct entry *entry, struct agent *agent)
{
    bool same = agent != NULL && entry->agent != NULL && text_equal(agent->uid, entry->agent->uid);

    if (agent != NULL)
        agent->begun = has_begun(cache, entry->agent, agent);
    if (agent != NULL && agent->phase != AGENT_PENDING)
        drop_sent(cache, agent);
    if (!same)
        drop_sent(cache, entry->agent);
    cache->count += (size_t)(agent != NULL) - (size_t)(entry->agent != NULL);
    agent_free(entry->agent);
    entry->agent = agent;
    rosters_set(cache->rosters, &entry->place, agent);
    entry->has_digest = false;
}

static void remove_entry(struct agent_cache *cache, struct entry *entry)
{
    drop_sent(cache, entry->agent);
    HASH_DEL(cache->entries, entry);
    cache->count -= entry->agent != NULL;
    free_entry(cache, entry);
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

bool agent_cache_is_older(const char *version, const char *other)
{
    if (!is_number(version) || !is_number(other))
        return false;
    version += strspn(version, "0");
    other += strspn(other, "0");
    if (strlen(version) != strlen(other))
        return strlen(version) < strlen(other);
    return strcmp(version, other) < 0;
}

void agent_cache_note_version(struct agent_cache *cache, const char *version)
{
    if (!is_number(version))
        return;
    if (cache->newest != NULL && !agent_cache_is_older(cache->newest, version))
        return;
    free(cache->newest);
    cache->newest = xstrdup(version);
}

const char *agent_cache_newest(const struct agent_cache *cache)
{
    return cache->newest;
}

void agent_cache_forget_newest(struct agent_cache *cache)
{
    free(cache->newest);
    cache->newest = NULL;
}

void agent_cache_clear(struct agent_cache *cache)
{
    struct entry *entry;
    struct entry *next = NULL;

    HASH_ITER (hh, cache->entries, entry, next) {
        HASH_DEL(cache->entries, entry);
        free_entry(cache, entry);
    }
    uids_release(&cache->deleted);
    uids_release(&cache->leaving);
    while (cache->writes != NULL)
        free_write(cache, cache->writes);
    free(cache->listed);
    cache->listed = NULL;
    cache->count = 0;
    cache->listing = false;
}

void agent_cache_free(struct agent_cache *cache)
{
    if (cache == NULL)
        return;
    agent_cache_clear(cache);
    uids_release(&cache->sent);
    rosters_free(cache->rosters);
    free(cache->newest);
    free(cache);
}

const struct agent *agent_cache_get(const struct agent_cache *cache, const char *name)
{
    const struct entry *entry = find(cache, name);

    return entry == NULL ? NULL : entry->agent;
}

const struct agent *agent_cache_next(const struct agent_cache *cache, struct agent_cursor *cursor)
{
    const struct entry *last = cursor->entry;
    const struct entry *entry = last == NULL ? cache->entries : last->hh.next;

    while (entry != NULL && entry->agent == NULL)
        entry = entry->hh.next;
    if (entry == NULL)
        return NULL;
    cursor->entry = entry;
    return entry->agent;
}

static int compare_names(const void *a, const void *b)
{
    const struct agent *const *left = a;
    const struct agent *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

const struct agent **agent_cache_sorted(const struct agent_cache *cache, size_t *ret_count)
{
    const struct agent **agents = xcalloc(cache->count + 1, sizeof(const struct agent *));
    size_t count = 0;

    for (const struct entry *entry = cache->entries; entry != NULL; entry = entry->hh.next) {
        if (entry->agent != NULL)
            agents[count++] = entry->agent;
    }
    qsort(agents, count, sizeof(const struct agent *), compare_names);
    *ret_count = count;
    return agents;
}

size_t agent_cache_count_at(const struct agent_cache *cache, const char *station,
                            enum roster_part part)
{
    return rosters_count(cache->rosters, station, part);
}

const struct roster_place *agent_cache_first_at(const struct agent_cache *cache,
                                                const char *station, enum roster_part part)
{
    return rosters_first(cache->rosters, station, part);
}

void agent_cache_ended(const struct agent_cache *cache, struct text_list *stations)
{
    rosters_ended(cache->rosters, stations);
}

/* --- the watch stream --- */

/* Whether the stream has yet to bring what we know. It may have stood still while two listings told
 * more: a smaller version tells of that. */
static bool is_behind(const struct entry *entry, const char *version)
{
    if (entry->awaited != NULL && !text_equal(entry->awaited, version))
        return true;
    return agent_cache_is_older(version, entry->agent->resource_version);
}

static enum cache_event upsert_known(struct agent_cache *cache, struct entry *entry,
                                     struct agent *agent)
{
    bool same = text_equal(entry->agent->uid, agent->uid) &&
                text_equal(entry->agent->resource_version, agent->resource_version);

    if (is_behind(entry, agent->resource_version)) {
        agent_free(agent);
        return CACHE_OUTDATED;
    }
    await(entry, NULL);
    if (same) {
        agent_free(agent); /* ours may say more: that it is being deleted */
        return CACHE_SAME;
    }
    set_agent(cache, entry, agent);
    touch(cache, entry);
    return CACHE_CHANGED;
}

static enum cache_event upsert(struct agent_cache *cache, struct agent *agent)
{
    struct entry *entry = find(cache, agent->name);

    if (entry != NULL && entry->agent != NULL)
        return upsert_known(cache, entry, agent);
    if (cache->listed != NULL && agent_cache_is_older(agent->resource_version, cache->listed)) {
        agent_free(agent); /* the listing knows that it has gone since */
        return CACHE_OUTDATED;
    }
    entry = ensure_entry(cache, agent->name);
    set_agent(cache, entry, agent);
    touch(cache, entry);
    return CACHE_CHANGED;
}

enum cache_event agent_cache_upsert(struct agent_cache *cache, struct agent *agent)
{
    struct write *write = find_write(cache, agent->name);
    enum cache_event event;

    agent_cache_note_version(cache, agent->resource_version);
    if (write != NULL)
        text_list_add(&write->seen, agent->resource_version);
    event = upsert(cache, agent);
    if (write != NULL && event != CACHE_OUTDATED)
        write->taken = write->seen.count;
    return event;
}

bool agent_cache_remove(struct agent_cache *cache, const char *name, const char *uid,
                        const char *version)
{
    struct entry *entry = find(cache, name);

    if (cache->listing && uid != NULL)
        uids_set(&cache->deleted, uid, true);
    if (entry == NULL || entry->agent == NULL)
        return false;
    if (uid != NULL && !text_equal(uid, entry->agent->uid) &&
        is_behind(entry, text_or(version, "")))
        return false; /* the end of a namesake from before what we know */
    if (cache->listing && entry->listed && entry->row != NULL)
        set_agent(cache, entry, NULL);
    else
        remove_entry(cache, entry);
    return true;
}

/* --- our own requests --- */

void agent_cache_begin_write(struct agent_cache *cache, const char *name)
{
    struct write *write = xcalloc(1, sizeof(*write));

    assert(find_write(cache, name) == NULL);
    write->name = xstrdup(name);
    DL_APPEND(cache->writes, write);
}

/* When the stream brought that version while we wrote it, from 1; 0: it has yet to. */
static size_t write_position(const struct write *write, const char *version)
{
    for (size_t i = 0; i < write->seen.count; i++) {
        if (text_equal(write->seen.items[i], version))
            return i + 1;
    }
    return 0;
}

void agent_cache_end_write(struct agent_cache *cache, const char *name, struct agent *agent)
{
    struct write *write = find_write(cache, name);
    size_t position;
    bool overtaken;

    assert(write != NULL);
    position = agent == NULL ? 0 : write_position(write, agent->resource_version);
    overtaken = position > 0 && write->taken >= position;
    free_write(cache, write);
    if (agent == NULL)
        return;
    if (overtaken) {
        agent_free(agent); /* what the stream brought is this or newer */
        return;
    }
    agent_cache_put(cache, agent);
    if (position > 0)
        await(find(cache, agent->name), NULL); /* it brought this, and we did not take it */
}

void agent_cache_put(struct agent_cache *cache, struct agent *agent)
{
    struct entry *entry = ensure_entry(cache, agent->name);
    bool known = entry->agent != NULL && text_equal(entry->agent->uid, agent->uid) &&
                 text_equal(entry->agent->resource_version, agent->resource_version);

    agent_cache_note_version(cache, agent->resource_version);
    set_agent(cache, entry, agent);
    touch(cache, entry);
    if (!known)
        await(entry, agent->resource_version);
}

/* The entry of an Agent that something became of; NULL when it is gone. */
static struct entry *find_run(struct agent_cache *cache, const char *name, const char *uid)
{
    struct entry *entry = find(cache, name);

    if (entry == NULL || entry->agent == NULL || !text_equal(entry->agent->uid, uid))
        return NULL;
    return entry;
}

bool agent_cache_set_begun(struct agent_cache *cache, const char *name, const char *uid, bool begun)
{
    struct entry *entry = find_run(cache, name, uid);

    if (entry == NULL)
        return false;
    entry->agent->begun =
        entry->agent->phase == AGENT_PENDING && (begun || uids_has(&cache->sent, uid));
    rosters_set(cache->rosters, &entry->place, entry->agent);
    return entry->agent->begun;
}

void agent_cache_set_sent(struct agent_cache *cache, const char *uid, bool sent)
{
    uids_set(&cache->sent, uid, sent);
}

bool agent_cache_is_sent(const struct agent_cache *cache, const char *uid)
{
    return uids_has(&cache->sent, uid);
}

void agent_cache_mark_deleting(struct agent_cache *cache, const char *name, const char *uid)
{
    struct entry *entry = find_run(cache, name, uid);

    if (entry == NULL)
        return;
    entry->agent->deleting = true;
    rosters_set(cache->rosters, &entry->place, entry->agent);
    entry->has_digest = false; /* the next listing tells anew */
    touch(cache, entry);
}

void agent_cache_set_leaving(struct agent_cache *cache, const char *uid, bool leaving)
{
    uids_set(&cache->leaving, uid, leaving);
}

bool agent_cache_is_leaving(const struct agent_cache *cache, const char *uid)
{
    return uids_has(&cache->leaving, uid);
}

/* --- listings --- */

void agent_cache_list_abandon(struct agent_cache *cache)
{
    struct entry *entry;
    struct entry *next = NULL;

    HASH_ITER (hh, cache->entries, entry, next) {
        entry->listed = false;
        if (entry->agent == NULL)
            remove_entry(cache, entry);
        else
            set_row(entry, NULL);
    }
    uids_release(&cache->deleted);
    cache->listing = false;
}

void agent_cache_list_begin(struct agent_cache *cache)
{
    if (cache->listing)
        agent_cache_list_abandon(cache);
    cache->listing = true;
    cache->list_serial = cache->serial;
}

bool agent_cache_list_same(struct agent_cache *cache, const char *name, uint64_t digest)
{
    struct entry *entry = find(cache, name);

    if (entry == NULL || !entry->has_digest || entry->digest != digest)
        return false;
    entry->listed = true;
    return true;
}

void agent_cache_list_item(struct agent_cache *cache, struct agent *agent, uint64_t digest)
{
    struct entry *entry = ensure_entry(cache, agent->name);

    set_row(entry, agent);
    entry->listed = true;
    entry->row_digest = digest;
}

/* Moves the listed row into an entry that nothing has touched since the listing was sent. */
static void take_row(struct agent_cache *cache, struct entry *entry, bool starts_stream)
{
    struct agent *row = entry->row;
    bool changed =
        entry->agent == NULL || !text_equal(entry->agent->resource_version, row->resource_version);

    entry->row = NULL;
    set_agent(cache, entry, row);
    entry->digest = entry->row_digest;
    entry->has_digest = true;
    await(entry, changed && !starts_stream ? row->resource_version : NULL);
}

/* Whether the listing's word counts less than what came after it was sent. */
static bool is_touched(const struct agent_cache *cache, const struct entry *entry)
{
    return entry->agent != NULL && entry->touched > cache->list_serial;
}

static void apply_entry(struct agent_cache *cache, struct entry *entry, bool starts_stream)
{
    const struct agent *row = entry->row;

    if (is_touched(cache, entry)) {
        if (starts_stream && row != NULL &&
            text_equal(row->resource_version, entry->agent->resource_version))
            await(entry, NULL);
        set_row(entry, NULL);
    } else if (row != NULL && !uids_has(&cache->deleted, row->uid)) {
        take_row(cache, entry, starts_stream);
    } else if (row == NULL && entry->listed) {
        await(entry, NULL); /* the same bytes as last time */
    } else {
        remove_entry(cache, entry);
        return;
    }
    entry->listed = false;
}

/* Those that are there no more: they went while nobody followed them. */
static void drop_sent_of_gone(struct agent_cache *cache)
{
    struct uids left = {0};

    for (const struct entry *entry = cache->entries; entry != NULL; entry = entry->hh.next) {
        if (uids_has(&cache->sent, entry->agent->uid))
            uids_set(&left, entry->agent->uid, true);
    }
    uids_release(&cache->sent);
    cache->sent = left;
}

void agent_cache_list_apply(struct agent_cache *cache, const char *version, bool starts_stream)
{
    struct entry *entry;
    struct entry *next = NULL;
    char *listed = xstrdup(version);

    assert(cache->listing);
    free(cache->listed);
    cache->listed = listed;
    HASH_ITER (hh, cache->entries, entry, next)
        apply_entry(cache, entry, starts_stream);
    if (!uids_is_empty(&cache->sent))
        drop_sent_of_gone(cache);
    uids_release(&cache->deleted);
    cache->listing = false;
}
