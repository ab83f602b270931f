/* The table is whole: every kind that is served is in it, and every name in it is found. */
#include "fakeapi/types/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fakeapi/rest/kinds.h"
#include "fakeapi/types/types.h"

static void test_every_row_has_a_type_and_one_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < kind_row_count; i++) {
        const struct kind_row *row = kind_rows[i];
        char api_version[128];

        snprintf(api_version, sizeof(api_version), "%s%s%s", row->group,
                 row->group[0] == '\0' ? "" : "/", row->version);
        if (types_find(api_version, row->kind) == NULL)
            fail_msg("%s %s has no fields", api_version, row->kind);
        for (size_t k = 0; k < i; k++)
            if (strcmp(kind_rows[k]->plural, row->plural) == 0 &&
                strcmp(kind_rows[k]->group, row->group) == 0)
                fail_msg("%s stands twice", row->plural);
    }
}

static void test_every_kind_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < type_kind_count; i++)
        assert_ptr_equal(
            types_find(type_texts + type_kinds[i].api_version, type_texts + type_kinds[i].kind),
            &type_messages[type_kinds[i].message]);
    assert_null(types_find("v1", "Agent"));
    assert_null(types_find("v2", "Pod"));
    assert_null(types_find("", ""));
}

/* Every field that is not inlined, and no other: a message ends where the next begins. */
static void test_every_field_is_found(void **state)
{
    const struct type_message *pod_spec;

    (void)state;
    for (size_t i = 0; i < type_kind_count; i++) {
        const struct type_message *message = &type_messages[type_kinds[i].message];

        for (size_t k = 0; k < message->count; k++) {
            const struct type_field *field = &type_fields[message->first + k];

            assert_ptr_equal(types_field(message, type_texts + field->name), field);
            assert_int_equal(strlen(type_texts + field->name), field->name_size);
            assert_true(field->number > 0);
        }
        assert_null(types_field(message, ""));
        assert_null(types_field(message, "kind"));
    }
    pod_spec = &type_messages[types_field(types_find("v1", "Pod"), "spec")->message];
    assert_int_equal(types_field(pod_spec, "containers")->number, 2);
    assert_int_equal(types_field(pod_spec, "containers")->shape, SHAPE_LIST);
    assert_null(types_field(pod_spec, "container"));
    assert_null(types_field(pod_spec, "containerz"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_has_a_type_and_one_place),
        cmocka_unit_test(test_every_kind_is_found),
        cmocka_unit_test(test_every_field_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
