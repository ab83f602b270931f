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

void delivery_remember(const struct text_list *memory, const char *const *ids, size_t count,
                       int64_t now_minute, struct text_list *ret_memory)
{
    size_t kept = 0;
    size_t excess;

    for (size_t i = 0; i < memory->count; i++)
        kept += is_kept(memory->items[i], now_minute);
    excess = kept + count > DELIVERY_MEMORY_MAX ? kept + count - DELIVERY_MEMORY_MAX : 0;
    for (size_t i = 0; i < memory->count; i++) {
        if (!is_kept(memory->items[i], now_minute))
            continue;
        if (excess > 0)
            excess--;
        else
            text_list_add(ret_memory, memory->items[i]);
    }
    for (size_t i = excess; i < count; i++) {
        char hex[HASH_HEX_SIZE + 1];
        char entry[ENTRY_SIZE];

        hash_of(ids[i], hex);
        snprintf(entry, sizeof(entry), "%s:%" PRId64, hex, now_minute);
        text_list_add(ret_memory, entry);
    }
}
