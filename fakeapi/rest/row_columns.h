/* row_columns - how rows of built-in kinds write down their columns and fields. */
#ifndef FAKEAPI_REST_ROW_COLUMNS_H
#define FAKEAPI_REST_ROW_COLUMNS_H

#include "controller/base/attributes.h"
#include "fakeapi/rest/kinds.h"

/* Name and Age of every kind, so that tables say the same. */
#define COLUMN_NAME                                                                                \
    {                                                                                              \
        .name = "Name", .type = "string", .format = "name",                                        \
        .description = "Name must be unique within a namespace."                                   \
    }
#define COLUMN_AGE                                                                                 \
    {                                                                                              \
        .name = "Age", .type = "string",                                                           \
        .description = "CreationTimestamp is the server time when this object was created."        \
    }
#define COLUMN_CREATED_AT                                                                          \
    {                                                                                              \
        .name = "Created At", .type = "date",                                                      \
        .description = "CreationTimestamp is the server time when this object was created."        \
    }
#define COLUMN(title)                                                                              \
    {                                                                                              \
        .name = (title), .type = "string"                                                          \
    }
#define COLUMN_INTEGER(title)                                                                      \
    {                                                                                              \
        .name = (title), .type = "integer"                                                         \
    }
#define COLUMN_BOOLEAN(title)                                                                      \
    {                                                                                              \
        .name = (title), .type = "boolean"                                                         \
    }
#define COLUMN_WIDE(title)                                                                         \
    {                                                                                              \
        .name = (title), .type = "string", .priority = 1                                           \
    }

#define FIELDS(array) .fields = (array), .field_count = ARRAY_SIZE(array)
#define COLUMNS(array) .columns = (array), .column_count = ARRAY_SIZE(array)

#endif
