/* Stored objects: canonical bytes, the places within them, and the header. */
#include "fakeapi/store/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

static struct json_object *parse(const char *text)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(text, strlen(text), 1 << 24, &tree, &err))
        fail_msg("%s", err.text);
    return tree;
}

static const struct {
    const char *name;
    const char *tree;
    const char *bytes; /* at revision 42 */
} rows[] = {
    {"smallest",                                         "{\"metadata\":{\"name\":\"a\"}}",
     "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"42\"}}"                                                                                                                                           },
    {"head first, the rest sorted",
     "{\"spec\":{\"b\":1,\"a\":[{\"y\":null,\"x\":\"/\"}]},\"metadata\":{\"name\":\"a\"},"
     "\"data\":true,\"kind\":\"K\",\"apiVersion\":\"v1\"}",                                                                       "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"a\","
     "\"resourceVersion\":\"42\"},\"data\":true,\"spec\":{\"a\":[{\"x\":\"/\",\"y\":null}],"
     "\"b\":1}}"                                                                                                                                 },
    {"a resourceVersion there is replaced in its place",
     "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"7\",\"name\":\"a\"}}",                                                   "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"42\",\"uid\":\"u\"}}"},
    {"escapes",                                          "{\"metadata\":{\"name\":\"a\",\"labels\":{\"q\\\"\":\"\\u00e9\\n\"}}}",
     "{\"metadata\":{\"labels\":{\"q\\\"\":\"\xc3\xa9\\n\"},\"name\":\"a\","
     "\"resourceVersion\":\"42\"}}"                                                                                                                                                                         },
};

static void test_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *tree = parse(rows[i].tree);
        const struct store_object *object = NULL;
        const char *data;

        assert_true(object_new(tree, 42, NULL, 0, &object, NULL));
        data = object->bytes->data;
        if (strcmp(data, rows[i].bytes) != 0)
            fail_msg("%s: got %s", rows[i].name, data);
        assert_memory_equal(data + object->at.members_offset, "\"metadata\":{", 12);
        assert_int_equal(data[object->at.metadata_offset], '{');
        assert_int_equal(data[object->at.metadata_offset + object->at.metadata_size - 1], '}');
        assert_int_equal(object->at.revision_size, 2);
        assert_memory_equal(data + object->at.revision_offset, "42\"", 3);
        store_object_unref(object);
        json_object_put(tree);
    }
}

static void test_header(void **state)
{
    static const char *const paths[] = {"spec.nodeName", "spec.hostNetwork", "status.n",
                                        "spec.missing.deeper", "spec"};
    struct json_object *tree =
        parse("{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"u-1\",\"generation\":3,"
              "\"creationTimestamp\":\"2024-02-29T12:00:00Z\","
              "\"deletionTimestamp\":\"2024-02-29T12:00:30Z\",\"finalizers\":[\"a/b\",\"c\"],"
              "\"labels\":{\"app\":\"x\",\"empty\":\"\"},"
              "\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\","
              "\"uid\":\"u-0\",\"controller\":true}]},"
              "\"spec\":{\"nodeName\":\"n1\",\"hostNetwork\":true},\"status\":{\"n\":5}}");
    const struct store_object *object = NULL;
    struct json_object *again;

    (void)state;
    assert_true(object_new(tree, 9, paths, ARRAY_SIZE(paths), &object, NULL));
    assert_string_equal(object->key, "ns/p");
    assert_string_equal(object->namespace, "ns");
    assert_string_equal(object->name, "p");
    assert_string_equal(object->uid, "u-1");
    assert_int_equal(object->generation, 3);
    assert_true(object->deleting);
    assert_int_equal(object->deleted_at_us - object->created_at_us, 30 * 1000000);
    assert_int_equal(object->label_count, 2);
    assert_string_equal(store_object_label(object, "app"), "x");
    assert_string_equal(store_object_label(object, "empty"), "");
    assert_null(store_object_label(object, "none"));
    assert_int_equal(object->owner_count, 1);
    assert_string_equal(object->owners[0].kind, "Job");
    assert_string_equal(object->owners[0].uid, "u-0");
    assert_true(object->owners[0].controller);
    assert_false(object->owners[0].block_owner_deletion);
    assert_true(store_object_has_finalizer(object, "a/b"));
    assert_false(store_object_has_finalizer(object, "a"));
    assert_int_equal(object->field_count, ARRAY_SIZE(paths));
    assert_string_equal(object->fields[0], "n1");
    assert_string_equal(object->fields[1], "true");
    assert_string_equal(object->fields[2], "5");
    assert_string_equal(object->fields[3], "");
    assert_string_equal(object->fields[4], "");
    again = store_object_parse(object);
    assert_string_equal(json_get_text(json_get_object(again, "metadata"), "resourceVersion"), "9");
    json_object_put(again);
    store_object_unref(object);
    json_object_put(tree);
}

static void test_too_large(void **state)
{
    const size_t text_size[] = {OBJECT_BYTES_MAX - 200, OBJECT_BYTES_MAX};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(text_size); i++) {
        struct json_object *tree = parse("{\"metadata\":{\"name\":\"a\"}}");
        const struct store_object *object = NULL;
        struct error err = ERROR_INIT;
        char *text = xcalloc(1, text_size[i] + 1);

        memset(text, 'x', text_size[i]);
        json_set_text(tree, "data", text);
        assert_int_equal(object_new(tree, 1, NULL, 0, &object, &err), i == 0);
        if (i > 0)
            assert_int_equal(err.kind, ERROR_TOO_LARGE);
        store_object_unref(object);
        json_object_put(tree);
        free(text);
    }
}

/* An update by parts makes what an update with all of it would have made. */
static const struct {
    const char *name;
    const char *old;
    const char *parts;
    const char *key;   /* of the spec */
    const char *whole; /* what it comes to */
} part_rows[] = {
    {"status alone",               "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"n\":1},\"status\":{}}",
     "{\"status\":{\"b\":2,\"a\":1}}",                                                                                                                                            NULL,
     "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"n\":1},\"status\":{\"b\":2,\"a\":1}}"                                                                                                                                                                                                   },
    {"status, no spec",            "{\"kind\":\"K\",\"metadata\":{\"name\":\"a\"},\"z\":1,\"status\":{}}",
     "{\"status\":{\"b\":2}}",                                                                                                                                                    NULL,
     "{\"kind\":\"K\",\"metadata\":{\"name\":\"a\"},\"status\":{\"b\":2},\"z\":1}"                                                                                                                                                                                                       },
    {"status, all metadata stays",
     "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"
     "\"ns\",\"uid\":\"u-1\",\"generation\":3,\"creationTimestamp\":\"2024-02-29T12:00:00Z\","
     "\"deletionTimestamp\":\"2024-02-29T12:00:30Z\",\"finalizers\":[\"a/"
     "b\",\"c\"],\"labels\":{\"app\":"
     "\"x\",\"empty\":\"\"},\"ownerReferences\":[{\"apiVersion\":\"batch/"
     "v1\",\"kind\":\"Job\",\"name\":\"j\","
     "\"uid\":\"u-0\",\"controller\":true}]},\"a\":[],\"spec\":{\"nodeName\":\"x\",\"n\":1},"
     "\"status\":{}}",                                                                                      "{\"status\":{\"b\":2}}",                                             NULL,
     "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"
     "\"ns\",\"uid\":\"u-1\",\"generation\":3,\"creationTimestamp\":\"2024-02-29T12:00:00Z\","
     "\"deletionTimestamp\":\"2024-02-29T12:00:30Z\",\"finalizers\":[\"a/"
     "b\",\"c\"],\"labels\":{\"app\":"
     "\"x\",\"empty\":\"\"},\"ownerReferences\":[{\"apiVersion\":\"batch/"
     "v1\",\"kind\":\"Job\",\"name\":\"j\","
     "\"uid\":\"u-0\",\"controller\":true}]},\"a\":[],\"spec\":{\"nodeName\":\"x\",\"n\":1},"
     "\"status\":{\"b\":2}}"                                                                                                                                                                                                                                                             },
    {"a new status, no spec",      "{\"metadata\":{\"name\":\"a\"}}",                                       "{\"status\":{\"b\":2}}",                                             NULL,
     "{\"metadata\":{\"name\":\"a\"},\"status\":{\"b\":2}}"                                                                                                                                                                                                                              },
    {"a new status between",
     "{\"metadata\":{\"name\":\"a\"},\"alpha\":[1],\"spec\":{\"n\":1},\"statut\":{},\"statusx\":{},"
     "\"z\":1}",                                                                                            "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"status\":{\"b\":2}}", NULL,
     "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"alpha\":[1],\"spec\":{\"n\":1},\"statut\":{},"
     "\"status\":{\"b\":2},\"statusx\":{},\"z\":1}"                                                                                                                                                                                                                                      },
    {"a new status in front",      "{\"metadata\":{\"name\":\"a\"},\"z\":1}",                               "{\"status\":{\"b\":2}}",
     NULL,                                                                                                                                                                                    "{\"metadata\":{\"name\":\"a\"},\"status\":{\"b\":2},\"z\":1}"                             },
    {"labels, no status",          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"n\":1},\"alpha\":1}",
     "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}}}",                                                                                                                  NULL,
     "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}},\"spec\":{\"n\":1},"
     "\"alpha\":1}"                                                                                                                                                                                                                                                                      },
    {"metadata and status",        "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"status\":{\"b\":1}}",
     "{\"metadata\":{\"name\":\"a\"},\"status\":{\"b\":2}}",                                                                                                                      NULL,
     "{\"metadata\":{\"name\":\"a\"},\"status\":{\"b\":2}}"                                                                                                                                                                                                                              },
    {"a key between",              "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"n\":[{\"k\":1}],\"o\":{}}}", "{}",
     "nodeName",                                                                                                                                                                              "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"n\":[{\"k\":1}],\"nodeName\":\"it\",\"o\":{}}}"},
    {"a key at the end",           "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"b\":1,\"node\":2}}",
     "{\"metadata\":{\"name\":\"a\"}}",                                                                                                                                           "nodeName",
     "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"b\":1,\"node\":2,\"nodeName\":\"it\"}}"                                                                                                                                                                                                 },
    {"a key at the front",         "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"o\\n\":1,\"z\":2}}",
     "{\"metadata\":{\"name\":\"a\"}}",                                                                                                                                           "nodeName",
     "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"it\",\"o\\n\":1,\"z\":2}}"                                                                                                                                                                                                 },
    {"a key replaced",             "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":{},\"z\":2}}",    "{}",
     "nodeName",                                                                                                                                                                              "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"it\",\"z\":2}}"                   },
    {"a key in nothing",           "{\"metadata\":{\"name\":\"a\"},\"spec\":{}}",                           "{}",                                                                 "nodeName",
     "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"it\"}}"                                                                                                                                                                                                                    },
};

static const char *const paths[] = {"spec.nodeName", "spec.n", "status.b", "special",
                                    "metadata.uid"};

static const struct store_object *make(const char *text, uint64_t revision)
{
    struct json_object *tree = parse(text);
    const struct store_object *object = NULL;

    assert_true(object_new(tree, revision, paths, ARRAY_SIZE(paths), &object, NULL));
    json_object_put(tree);
    return object;
}

static void compare_headers(const struct store_object *got, const struct store_object *want)
{
    assert_memory_equal(&got->at, &want->at, sizeof(got->at));
    assert_string_equal(got->key, want->key);
    assert_string_equal(got->namespace, want->namespace);
    assert_string_equal(got->name, want->name);
    assert_string_equal(got->uid, want->uid);
    assert_int_equal(got->generation, want->generation);
    assert_int_equal(got->created_at_us, want->created_at_us);
    assert_int_equal(got->deleted_at_us, want->deleted_at_us);
    assert_int_equal(got->deleting, want->deleting);
    assert_int_equal(got->label_count, want->label_count);
    for (size_t i = 0; i < want->label_count; i++)
        assert_string_equal(store_object_label(got, want->labels[i].key), want->labels[i].value);
    assert_int_equal(got->owner_count, want->owner_count);
    for (size_t i = 0; i < want->owner_count; i++) {
        assert_string_equal(got->owners[i].uid, want->owners[i].uid);
        assert_string_equal(got->owners[i].kind, want->owners[i].kind);
        assert_int_equal(got->owners[i].controller, want->owners[i].controller);
    }
    assert_int_equal(got->finalizer_count, want->finalizer_count);
    for (size_t i = 0; i < want->finalizer_count; i++)
        assert_string_equal(got->finalizers[i], want->finalizers[i]);
    assert_int_equal(got->field_count, want->field_count);
    for (size_t i = 0; i < want->field_count; i++)
        assert_string_equal(got->fields[i], want->fields[i]);
}

/* Parsing parts leaves out the rest. */
static void check_parsed_parts(const struct store_object *object)
{
    struct json_object *whole = store_object_parse(object);

    for (int with_status = 0; with_status < 2; with_status++) {
        struct json_object *parts = store_object_parse_parts(object, with_status != 0);

        assert_true(json_equal(json_get(parts, "metadata"), json_get(whole, "metadata")));
        assert_true(json_equal(json_get(parts, "kind"), json_get(whole, "kind")));
        assert_true(json_equal(json_get(parts, "status"),
                               with_status != 0 ? json_get(whole, "status") : NULL));
        assert_null(json_get(parts, "spec"));
        json_object_put(parts);
    }
    json_object_put(whole);
}

static void test_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(part_rows); i++) {
        const struct store_object *old = make(part_rows[i].old, 7);
        const struct store_object *want = make(part_rows[i].whole, 1234);
        const struct store_object *got = NULL;
        struct json_object *tree = parse(part_rows[i].parts);
        const struct store_parts parts = {json_get(tree, "metadata"), json_get(tree, "status"),
                                          part_rows[i].key, "it"};

        assert_true(object_new_parts(old, &parts, 1234, paths, ARRAY_SIZE(paths), &got, NULL));
        if (strcmp(got->bytes->data, want->bytes->data) != 0)
            fail_msg("%s: got %s", part_rows[i].name, got->bytes->data);
        assert_int_equal(got->bytes->size, want->bytes->size);
        compare_headers(got, want);
        check_parsed_parts(got);
        json_object_put(tree);
        store_object_unref(want);
        store_object_unref(got);
        store_object_unref(old);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
