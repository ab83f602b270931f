#include "controller/spawner/delivery_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/text.h"

/* An entry: the first bytes of a digest in hex, a colon, and a minute. */
#define HASH_BYTES 8
#define HASH_HEX_SIZE (2 * HASH_BYTES)
#define ENTRY_SIZE (HASH_HEX_SIZE + 32)

static void hash_of(const char *id, char hex[HASH_HEX_SIZE + 1])
{
    uint8_t digest[SHA256_SIZE];

    digest_sha256(id, strlen(id), digest);
    digest_hex(digest, HASH_BYTES, hex);
}

static bool entry_parse(const char *entry, int64_t *ret_minute)
{
    return strlen(entry) > HASH_HEX_SIZE && entry[HASH_HEX_SIZE] == ':' &&
           strspn(entry, "0123456789abcdef") == HASH_HEX_SIZE &&
           text_to_int64(entry + HASH_HEX_SIZE + 1, ret_minute);
}

bool delivery_is_known(const struct text_list *memory, const char *id)
{
    char prefix[HASH_HEX_SIZE + 2];

    hash_of(id, prefix);
    prefix[HASH_HEX_SIZE] = ':';
    prefix[HASH_HEX_SIZE + 1] = '\0';
    for (size_t i = 0; i < memory->count; i++)
        if (text_starts_with(memory->items[i], prefix))
            return true;
    return false;
}

/* A clock that was wrong may have written a minute that is still to come: it is kept. */
static bool is_kept(const char *entry, int64_t now_minute)
{
    int64_t minute;

    return entry_parse(entry, &minute) && minute >= now_minute - DELIVERY_MEMORY_MINUTES;
}

static void append(const char *id, int64_t minute, struct text_list *memory)
{
    char hex[HASH_HEX_SIZE + 1];
    char entry[ENTRY_SIZE];

    hash_of(id, hex);
    snprintf(entry, sizeof(entry), "%s:%" PRId64, hex, minute);
    text_list_add(memory, entry);
}

bool delivery_remember(const struct text_list *memory, const char *const *ids, size_t count,
                       int64_t now_minute, struct text_list *ret_memory)
{
    struct text_list all = {0};
    size_t before;
    bool any;

    for (size_t i = 0; i < memory->count; i++)
        if (is_kept(memory->items[i], now_minute))
            text_list_add(&all, memory->items[i]);
    before = all.count;
    for (size_t i = 0; i < count; i++)
        if (!delivery_is_known(&all, ids[i]))
            append(ids[i], now_minute, &all);
    any = all.count > before;
    for (size_t i = all.count > DELIVERY_MEMORY_MAX ? all.count - DELIVERY_MEMORY_MAX : 0;
         i < all.count; i++)
        text_list_add(ret_memory, all.items[i]);
    text_list_release(&all);
    return any;
}
