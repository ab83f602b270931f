#include "controller/base/json_keys.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/json_gate.h"
#include "controller/base/memory.h"

/* Up to here comparing pairs beats a table. */
#define PAIRS_COUNT_MAX 16

/* Steps per key in the table past which its hashes are taken to be chosen to collide. */
#define PROBES_PER_KEY_MAX 8

void json_keys_push(struct json_keys *keys, const char *inside, size_t size, bool escaped)
{
    struct json_key *key;

    if (keys->count == keys->capacity) {
        keys->capacity = keys->capacity == 0 ? 64 : keys->capacity * 2;
        keys->keys = xrealloc(keys->keys, keys->capacity * sizeof(*keys->keys));
    }
    key = &keys->keys[keys->count++];
    key->inside = inside;
    key->text = inside;
    key->escaped = NULL;
    key->size = size;
    if (escaped) {
        key->escaped = xmemdup(inside, size); /* for its room */
        key->size = json_unescape(inside, size, key->escaped);
        key->text = key->escaped;
    }
    key->hash = digest_quick64(key->text, key->size);
}

static bool same_key(const struct json_key *a, const struct json_key *b)
{
    return a->hash == b->hash && a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static const char *find_by_pairs(const struct json_key *keys, size_t count)
{
    uint64_t seen = 0; /* by six bits of their hashes: most keys need no comparison */

    for (size_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << (keys[i].hash & 63);

        for (size_t j = 0; (seen & bit) != 0 && j < i; j++) {
            if (same_key(&keys[i], &keys[j]))
                return keys[i].inside;
        }
        seen |= bit;
    }
    return NULL;
}

static int compare_keys(const void *left, const void *right)
{
    const struct json_key *a = left;
    const struct json_key *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return memcmp(a->text, b->text, a->size);
}

static const char *find_by_sorting(struct json_key *keys, size_t count)
{
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (size_t i = 1; i < count; i++) {
        if (same_key(&keys[i - 1], &keys[i]))
            return keys[i].inside > keys[i - 1].inside ? keys[i].inside : keys[i - 1].inside;
    }
    return NULL;
}

/* False when the hashes collide too much for this way; else *ret_found may be NULL. */
static bool find_by_table(struct json_keys *keys, size_t first, const char **ret_found)
{
    size_t probes_left = (keys->count - first) * PROBES_PER_KEY_MAX;
    size_t slot_count = 4 * PAIRS_COUNT_MAX;

    while (slot_count < 2 * (keys->count - first))
        slot_count *= 2;
    if (slot_count > keys->slot_capacity) {
        free(keys->slots);
        keys->slots = xcalloc(slot_count, sizeof(*keys->slots));
        keys->slot_capacity = slot_count;
    } else {
        memset(keys->slots, 0, slot_count * sizeof(*keys->slots));
    }
    for (size_t i = first; i < keys->count; i++) {
        size_t slot = keys->keys[i].hash % slot_count;

        for (; keys->slots[slot] != 0; slot = (slot + 1) % slot_count) {
            if (same_key(&keys->keys[keys->slots[slot] - 1], &keys->keys[i])) {
                *ret_found = keys->keys[i].inside;
                return true;
            }
            if (probes_left-- == 0)
                return false;
        }
        keys->slots[slot] = (uint32_t)(i + 1);
    }
    *ret_found = NULL;
    return true;
}

const char *json_keys_close(struct json_keys *keys, size_t first)
{
    size_t count = keys->count - first;
    const char *found = NULL;

    if (count == 0)
        return NULL;
    if (count <= PAIRS_COUNT_MAX)
        found = find_by_pairs(keys->keys + first, count);
    else if (!find_by_table(keys, first, &found))
        found = find_by_sorting(keys->keys + first, count);
    while (keys->count > first)
        free(keys->keys[--keys->count].escaped);
    return found;
}

void json_keys_release(struct json_keys *keys)
{
    while (keys->count > 0)
        free(keys->keys[--keys->count].escaped);
    free(keys->keys);
    free(keys->slots);
    *keys = (struct json_keys){0};
}
