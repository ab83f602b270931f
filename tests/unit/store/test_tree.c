/* The persistent tree against a sorted array: content, order, counts, and roots held aside. */
#include "fakeapi/store/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "fakeapi/store/object.h"

#define KEYS 300
#define STEPS 20000

static const struct store_object *make(unsigned number)
{
    struct json_object *tree = json_object_new_object();
    const struct store_object *object = NULL;
    char *name = xprintf("n%03u", number);

    json_set_text(json_ensure_object(tree, "metadata"), "name", name);
    assert_true(object_new(tree, 1, NULL, 0, &object, NULL));
    json_object_put(tree);
    free(name);
    return object;
}

static void check(const struct tree *root, const bool *present, const char *what)
{
    size_t index = 0;
    char key[8];

    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof(key), "n%03u", i);
        if (tree_find(root, key) != index)
            fail_msg("%s: %s is at %zu, not %zu", what, key, tree_find(root, key), index);
        if ((tree_get(root, key) != NULL) != present[i])
            fail_msg("%s: %s present?", what, key);
        if (!present[i])
            continue;
        assert_string_equal(tree_at(root, index)->key, key);
        index++;
    }
    assert_int_equal(tree_count(root), index);
}

static void test_random_writes(void **state)
{
    struct tree *root = NULL;
    struct tree *held = NULL;
    bool present[KEYS] = {false};
    bool present_then[KEYS] = {false};
    uint64_t random = 1;

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned number;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        number = (unsigned)(random >> 33) % KEYS;
        if (present[number] && random >> 63) {
            char key[8];

            snprintf(key, sizeof(key), "n%03u", number);
            root = tree_remove(root, key);
            present[number] = false;
        } else {
            const struct store_object *object = make(number);

            root = tree_set(root, object);
            store_object_unref(object);
            present[number] = true;
        }
        if (step % 997 == 0) {
            tree_unref(held);
            held = tree_ref(root);
            memcpy(present_then, present, sizeof(present));
        }
        if (step % 499 == 0) {
            check(root, present, "now");
            check(held, present_then, "held");
        }
    }
    tree_unref(root);
    check(held, present_then, "held alone");
    tree_unref(held);
}

static void test_empty(void **state)
{
    (void)state;
    assert_int_equal(tree_count(NULL), 0);
    assert_null(tree_get(NULL, "a"));
    assert_int_equal(tree_find(NULL, "a"), 0);
    assert_null(tree_remove(NULL, "a"));
    tree_unref(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_random_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
