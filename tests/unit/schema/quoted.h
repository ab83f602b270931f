/* quoted - JSON in tests, written with ' for ". */
#ifndef TESTS_UNIT_SCHEMA_QUOTED_H
#define TESTS_UNIT_SCHEMA_QUOTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "fakeapi/schema/schema.h"

#define TEXT_BYTES_MAX (1024 * 1024)

static inline struct json_object *quoted(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    char *json = xstrdup(text);

    for (char *at = json; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    if (!json_parse(json, strlen(json), TEXT_BYTES_MAX, &value, &err))
        fail_msg("%s: %s", text, err.text);
    free(json);
    return value;
}

/* The message of the errors, which are released; free() it. */
static inline char *message_of(struct field_errors *errors)
{
    struct buffer buffer = BUFFER_INIT(TEXT_BYTES_MAX);

    field_errors_append_message(errors, &buffer);
    field_errors_release(errors);
    return buffer_take(&buffer, NULL);
}

/* A schema that must compile. */
static inline struct schema *schema_of(const char *text)
{
    struct json_object *openapi = quoted(text);
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct schema *schema = NULL;

    if (!schema_compile(openapi, "S", &schema, &errors))
        fail_msg("%s: %s", text, message_of(&errors));
    json_object_put(openapi);
    return schema;
}

#endif
