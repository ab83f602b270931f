/* journal - a ring of requests that were answered. */
#include "fakeapi/admin/journal.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/faults/glob.h"

struct entry {
    struct rest_note note; /* its texts are in texts */
    char *texts;
};

struct journal {
    struct entry *entries; /* JOURNAL_ENTRIES_MAX; NULL before the first */
    uint64_t first;        /* number of the oldest that is kept, from 1 */
    uint64_t next;         /* number of the next one */
};

struct journal *journal_new(void)
{
    struct journal *journal = xcalloc(1, sizeof(*journal));

    journal->first = 1;
    journal->next = 1;
    return journal;
}

static struct entry *entry_at(const struct journal *journal, uint64_t number)
{
    return &journal->entries[number % JOURNAL_ENTRIES_MAX];
}

void journal_clear(struct journal *journal)
{
    for (; journal->first < journal->next; journal->first++) {
        free(entry_at(journal, journal->first)->texts);
        entry_at(journal, journal->first)->texts = NULL;
    }
}

void journal_free(struct journal *journal)
{
    if (journal == NULL)
        return;
    journal_clear(journal);
    free(journal->entries);
    free(journal);
}

/* The texts of a note, so that they can be walked through. */
#define NOTE_TEXTS 9

static void list_texts(struct rest_note *note, const char **texts[NOTE_TEXTS])
{
    const char **const all[NOTE_TEXTS] = {&note->user, &note->user_agent, &note->peer,
                                          &note->verb, &note->resource,   &note->namespace,
                                          &note->name, &note->fault,      &note->fault_action};

    memcpy(texts, all, sizeof(all));
}

static size_t cut_size(const char *text)
{
    return strnlen(text_or(text, ""), JOURNAL_TEXT_MAX);
}

/* One piece of memory for all texts of an entry. */
static void keep_texts(struct entry *entry)
{
    const char **texts[NOTE_TEXTS];
    size_t size = 0;
    char *room;

    list_texts(&entry->note, texts);
    for (size_t i = 0; i < NOTE_TEXTS; i++)
        size += cut_size(*texts[i]) + 1;
    entry->texts = xcalloc(1, size);
    room = entry->texts;
    for (size_t i = 0; i < NOTE_TEXTS; i++) {
        size_t text_size = cut_size(*texts[i]);

        memcpy(room, text_or(*texts[i], ""), text_size);
        *texts[i] = room;
        room += text_size + 1;
    }
}

void journal_add(struct journal *journal, const struct rest_note *note)
{
    struct entry *entry;

    if (journal->entries == NULL)
        journal->entries = xcalloc(JOURNAL_ENTRIES_MAX, sizeof(*journal->entries));
    if (journal->next - journal->first == JOURNAL_ENTRIES_MAX) {
        free(entry_at(journal, journal->first)->texts);
        journal->first++;
    }
    entry = entry_at(journal, journal->next++);
    entry->note = *note;
    keep_texts(entry);
}

static bool is_like(const char *pattern, const char *text)
{
    return pattern == NULL || glob_matches(pattern, text);
}

static bool is_wanted(const struct rest_note *note, const struct journal_filter *filter)
{
    return (filter->status == 0 || filter->status == note->status) &&
           is_like(filter->user, note->user) && is_like(filter->user_agent, note->user_agent) &&
           is_like(filter->verb, note->verb) && is_like(filter->resource, note->resource) &&
           is_like(filter->namespace, note->namespace) && is_like(filter->name, note->name) &&
           is_like(filter->fault, note->fault);
}

static void set_given(struct json_object *tree, const char *key, const char *text)
{
    if (!text_is_empty(text))
        json_set_text(tree, key, text);
}

struct json_object *journal_note_to_json(const struct rest_note *note, uint64_t number)
{
    struct json_object *tree = json_object_new_object();
    char at[TIME_TEXT_SIZE];

    time_format_micro(note->at_us, at);
    if (number > 0)
        json_set_int64(tree, "number", (int64_t)number);
    json_set_text(tree, "time", at);
    set_given(tree, "user", note->user);
    set_given(tree, "userAgent", note->user_agent);
    set_given(tree, "peer", note->peer);
    json_set_text(tree, "verb", note->verb);
    json_set_text(tree, "resource", note->resource);
    set_given(tree, "namespace", note->namespace);
    set_given(tree, "name", note->name);
    json_set_int64(tree, "status", note->status);
    json_set_int64(tree, "microseconds", note->took_us);
    set_given(tree, "fault", note->fault);
    set_given(tree, "faultAction", note->fault_action);
    return tree;
}

/* The number before the first one that is given out. */
static uint64_t find_start(const struct journal *journal, const struct journal_filter *filter)
{
    uint64_t number = journal->next;
    size_t found = 0;

    while (number > journal->first && number - 1 > filter->after &&
           (filter->count_max == 0 || found < filter->count_max))
        found += is_wanted(&entry_at(journal, --number)->note, filter);
    return number;
}

struct json_object *journal_to_json(const struct journal *journal,
                                    const struct journal_filter *filter)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *requests = json_object_new_array();

    for (uint64_t i = find_start(journal, filter); i < journal->next; i++) {
        const struct rest_note *note = &entry_at(journal, i)->note;

        if (is_wanted(note, filter))
            json_add(requests, journal_note_to_json(note, i));
    }
    json_set_int64(tree, "total", (int64_t)(journal->next - 1));
    json_set_int64(tree, "forgotten", (int64_t)(journal->first - 1));
    json_set(tree, "requests", requests);
    return tree;
}
