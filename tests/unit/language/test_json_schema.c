/* The tree's copy of the schema is what the tables give. */
#include "scenarios/language/json_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COPY "scenarios/language/scenario.schema.json"
#define SCHEMA_BYTES_MAX (1024 * 1024)

static void test_the_copy_in_the_tree_is_the_schema(void **state)
{
    struct buffer copy = BUFFER_INIT(SCHEMA_BYTES_MAX);
    struct buffer made = BUFFER_INIT(SCHEMA_BYTES_MAX);
    struct json_object *schema = json_schema_make();
    FILE *file = fopen(COPY, "rb");
    char piece[4096];
    size_t size;

    (void)state;
    assert_non_null(file);
    while ((size = fread(piece, 1, sizeof(piece), file)) > 0)
        buffer_append(&copy, piece, size);
    (void)fclose(file);
    json_append_pretty(&made, schema);
    buffer_append_char(&made, '\n');
    if (strcmp(buffer_text(&copy), buffer_text(&made)) != 0)
        fail_msg("%s is old; build/bin/scenario explain --schema > %s", COPY, COPY);
    (void)json_object_put(schema);
    buffer_release(&copy);
    buffer_release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_copy_in_the_tree_is_the_schema)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
