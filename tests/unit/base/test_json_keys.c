/* Duplicate keys: few, many, and with hashes that were chosen to collide. */
#include "controller/base/json_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"

#define KEY_SIZE 16

struct key_set {
    char (*keys)[KEY_SIZE];
    size_t count;
};

static const char *find(const struct key_set *set)
{
    struct json_keys keys = {0};
    const char *found;

    for (size_t i = 0; i < set->count; i++)
        json_keys_push(&keys, set->keys[i], KEY_SIZE, false);
    found = json_keys_close(&keys, 0);
    assert_int_equal(keys.count, 0);
    json_keys_release(&keys);
    return found;
}

static struct key_set plain_keys(size_t count)
{
    struct key_set set = {.keys = xcalloc(count, KEY_SIZE), .count = count};

    for (size_t i = 0; i < count; i++) {
        char text[64];

        snprintf(text, sizeof(text), "key-%012zu", i);
        memcpy(set.keys[i], text, KEY_SIZE);
    }
    return set;
}

/* The hash takes eight bytes at a time: a second word can undo what the first one did. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

static struct key_set colliding_keys(size_t count)
{
    struct key_set set = {.keys = xcalloc(count, KEY_SIZE), .count = count};

    for (size_t i = 0; i < count; i++) {
        uint64_t words[2] = {i + 1, mix(KEY_SIZE, i + 1)};

        memcpy(set.keys[i], words, KEY_SIZE);
    }
    return set;
}

static void test_they_do_collide(void **state)
{
    struct key_set set = colliding_keys(3);
    struct json_keys keys = {0};

    (void)state;
    for (size_t i = 0; i < set.count; i++)
        json_keys_push(&keys, set.keys[i], KEY_SIZE, false);
    assert_true(keys.keys[0].hash == keys.keys[1].hash);
    assert_true(keys.keys[0].hash == keys.keys[2].hash);
    json_keys_release(&keys);
    free(set.keys);
}

/* Around the number from which a table is used, and far more. */
static const size_t counts[] = {1, 2, 11, 12, 13, 14, 100, 30000};

static void check_set(struct key_set set)
{
    const char *found = find(&set);

    if (found != NULL)
        fail_msg("%zu different keys: one is found twice", set.count);
    for (size_t i = 1; i < set.count; i = i * 2 + 1) {
        char saved[KEY_SIZE];

        memcpy(saved, set.keys[i], KEY_SIZE);
        memcpy(set.keys[i], set.keys[i / 2], KEY_SIZE);
        found = find(&set);
        if (found != set.keys[i])
            fail_msg("%zu keys: number %zu is not found", set.count, i);
        memcpy(set.keys[i], saved, KEY_SIZE);
    }
    free(set.keys);
}

static void test_plain_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        check_set(plain_keys(counts[i]));
}

/* Quadratic work would not end here: 30,000 equal hashes, time and again. */
static void test_colliding_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        check_set(colliding_keys(counts[i]));
}

static void test_nested(void **state)
{
    struct json_keys keys = {0};

    (void)state;
    json_keys_push(&keys, "a", 1, false);
    json_keys_push(&keys, "b", 1, false);
    json_keys_push(&keys, "a", 1, false); /* an object inside b's value */
    json_keys_push(&keys, "b", 1, false);
    assert_null(json_keys_close(&keys, 2));
    assert_int_equal(keys.count, 2);
    json_keys_push(&keys, "a", 1, false);
    assert_non_null(json_keys_close(&keys, 0));
    assert_null(json_keys_close(&keys, 0));
    json_keys_release(&keys);
}

static void test_escaped(void **state)
{
    static const char plain[] = "a/b";
    static const char escaped[] = "\\u0061\\/b";
    struct json_keys keys = {0};

    (void)state;
    json_keys_push(&keys, escaped, sizeof(escaped) - 1, true);
    json_keys_push(&keys, plain, sizeof(plain) - 1, false);
    assert_ptr_equal(json_keys_close(&keys, 0), plain);
    json_keys_push(&keys, plain, sizeof(plain) - 1, false);
    json_keys_push(&keys, escaped, sizeof(escaped) - 1, true);
    assert_ptr_equal(json_keys_close(&keys, 0), escaped);
    json_keys_push(&keys, escaped, sizeof(escaped) - 1, true);
    json_keys_release(&keys); /* frees what was not closed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_do_collide), cmocka_unit_test(test_plain_keys),
        cmocka_unit_test(test_colliding_keys),  cmocka_unit_test(test_nested),
        cmocka_unit_test(test_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
