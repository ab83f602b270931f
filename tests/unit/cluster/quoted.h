/* quoted - JSON in tests, written with ' for ". */
#ifndef TESTS_UNIT_CLUSTER_QUOTED_H
#define TESTS_UNIT_CLUSTER_QUOTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"

static inline struct json_object *quoted(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    char *json = xstrdup(text);

    for (char *at = json; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    if (!json_parse(json, strlen(json), 1024 * 1024, &value, &err))
        fail_msg("%s: %s", text, err.text);
    free(json);
    return value;
}

#endif
