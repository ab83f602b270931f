/* json_keys - finds an object's duplicate keys, in linear time and never in quadratic.
 *
 * For json_gate.c alone. Keys are pushed as they are met; closing an object takes its keys off
 * again. */
#ifndef CONTROLLER_BASE_JSON_KEYS_H
#define CONTROLLER_BASE_JSON_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_key {
    uint64_t hash;
    const char *text; /* resolved: points into the input, or to escaped */
    char *escaped;    /* owned; NULL for a key without escapes */
    const char *inside;
    size_t size;
};

struct json_keys {
    struct json_key *keys; /* of all objects that are open, the innermost's last */
    size_t count;
    size_t capacity;
    uint32_t *slots; /* a hash table for one large object, made when it is closed */
    size_t slot_capacity;
};

/** A key's inside as it was written. */
void json_keys_push(struct json_keys *keys, const char *inside, size_t size, bool escaped);

/** Takes off the keys from number first on. Returns where the inside of one that repeats an earlier
 * one begins, or NULL. */
const char *json_keys_close(struct json_keys *keys, size_t first);

void json_keys_release(struct json_keys *keys);

#endif
