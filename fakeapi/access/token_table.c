/* token_table - static tokens. */
#include "fakeapi/access/token_table.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "fakeapi/access/csv.h"

struct entry {
    uint8_t digest[SHA256_SIZE];
    struct access_user user;
    UT_hash_handle hh;
};

struct token_table {
    struct entry *entries;
};

struct token_table *token_table_new(void)
{
    return xcalloc(1, sizeof(struct token_table));
}

void token_table_free(struct token_table *table)
{
    struct entry *entry;
    struct entry *next;

    if (table == NULL)
        return;
    HASH_ITER (hh, table->entries, entry, next) {
        HASH_DEL(table->entries, entry);
        access_user_release(&entry->user);
        free(entry);
    }
    free(table);
}

static struct entry *find(const struct token_table *table, const char *token, size_t size)
{
    uint8_t digest[SHA256_SIZE];
    struct entry *entry;

    digest_sha256(token, size, digest);
    HASH_FIND(hh, table->entries, digest, SHA256_SIZE, entry);
    return entry;
}

bool token_table_add(struct token_table *table, const char *token, struct access_user *user,
                     struct error *err)
{
    size_t size = strlen(token);
    struct entry *entry;

    if (size == 0 || size > TOKEN_BYTES_MAX || find(table, token, size) != NULL) {
        access_user_release(user);
        return error_set(err, ERROR_INVALID, "%s",
                         size == 0                ? "an empty token"
                         : size > TOKEN_BYTES_MAX ? "the token is too long"
                                                  : "the token is another's already");
    }
    entry = xcalloc(1, sizeof(*entry));
    digest_sha256(token, size, entry->digest);
    entry->user = *user;
    *user = (struct access_user){0};
    HASH_ADD(hh, table->entries, digest, SHA256_SIZE, entry);
    return true;
}

const struct access_user *token_table_find(const struct token_table *table, const char *token,
                                           size_t size)
{
    const struct entry *entry;

    if (table->entries == NULL || size == 0 || size > TOKEN_BYTES_MAX)
        return NULL;
    entry = find(table, token, size);
    return entry == NULL ? NULL : &entry->user;
}

/* --- the file --- */

/* "a, b" adds two groups. */
static void add_groups(struct words *groups, const char *list)
{
    while (*list != '\0') {
        size_t size = strcspn(list, ",");
        size_t blanks = strspn(list, " ");
        char *group;

        if (blanks > size)
            blanks = size;
        group = xmemdup(list + blanks, size - blanks);
        if (group[0] != '\0')
            words_add(groups, group);
        free(group);
        list += size + (list[size] == ',');
    }
}

static bool add_line(struct token_table *table, const struct words *fields, unsigned line,
                     struct error *err)
{
    struct access_user user = {0};

    if (fields->count < 3)
        return error_set(err, ERROR_MALFORMED, "line %u: want at least 3 columns: token, user, uid",
                         line);
    user = access_user_named(fields->items[1], NULL);
    user.uid = xstrdup(fields->items[2]);
    for (size_t i = 3; i < fields->count; i++)
        add_groups(&user.groups, fields->items[i]);
    if (access_user_name(&user)[0] == '\0') {
        access_user_release(&user);
        return error_set(err, ERROR_MALFORMED, "line %u: the user is empty", line);
    }
    if (token_table_add(table, fields->items[0], &user, err))
        return true;
    error_prefix(err, "line %u", line);
    return false;
}

bool token_table_load(struct token_table *table, const char *text, size_t size, struct error *err)
{
    struct csv csv = {.at = text, .end = text + size};
    bool end = false;
    bool ok = true;

    while (ok && !end) {
        struct words fields = {0};

        ok = csv_next(&csv, &fields, &end, err);
        if (ok && !end && csv.line > TOKEN_FILE_LINES_MAX)
            ok = error_set(err, ERROR_TOO_LARGE, "more than %d lines", TOKEN_FILE_LINES_MAX);
        if (ok && !end)
            ok = add_line(table, &fields, csv.line, err);
        words_release(&fields);
    }
    return ok;
}
