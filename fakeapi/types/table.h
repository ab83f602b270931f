/* table - what is made from the field tables (*.fields) by cmake/field_tables.py: constants without
 * a pointer in them, so that they cost a start nothing. All texts are offsets into type_texts. */
#ifndef FAKEAPI_TYPES_TABLE_H
#define FAKEAPI_TYPES_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum type {
    TYPE_TEXT,
    TYPE_BYTES, /* base64 in JSON */
    TYPE_BOOL,
    TYPE_INT32,
    TYPE_INT64,
    TYPE_DOUBLE,
    TYPE_TIME,
    TYPE_MICRO_TIME,
    TYPE_QUANTITY,
    TYPE_INT_OR_STRING,
    TYPE_RAW,   /* any JSON */
    TYPE_TEXTS, /* a list of texts, where it is the value of a map */
    TYPE_SCHEMA_OR_ARRAY,
    TYPE_SCHEMA_OR_BOOL,
    TYPE_SCHEMA_OR_TEXTS,
    TYPE_MESSAGE,
};

enum shape { SHAPE_ONE, SHAPE_LIST, SHAPE_MAP };

enum field_flag {
    FIELD_INLINE = 1 << 0,  /* its members stand in JSON where it would stand */
    FIELD_POINTER = 1 << 1, /* kept though zero, since it may be absent too */
    FIELD_KEPT = 1 << 2,    /* kept though zero or empty, since the real server always shows it */
};

struct type_field {
    uint16_t name;
    uint16_t item_type;  /* the Go type, in messages; of a list or map that of its items */
    uint16_t whole_type; /* the Go type of a list or map; "" else */
    uint16_t message;    /* of TYPE_MESSAGE: index into type_messages */
    uint8_t number;      /* in protobuf */
    uint8_t name_size;
    uint8_t type;  /* enum type */
    uint8_t shape; /* enum shape */
    uint8_t flags; /* of enum field_flag */
};

#define TYPE_NO_MESSAGE UINT16_MAX

struct type_message {
    uint16_t go_type; /* "v1.PodSpec" */
    uint16_t first;   /* of its fields in type_fields, by size of the name and then by name */
    uint16_t count;   /* without the inlined one, which stands behind them */
    uint16_t inlined; /* index of the message whose members stand among its own; or none */
};

struct type_kind {
    uint16_t api_version;
    uint16_t kind;
    uint16_t message;
};

extern const char type_texts[];
extern const struct type_field type_fields[];
extern const struct type_message type_messages[];
extern const struct type_kind type_kinds[]; /* by kind and apiVersion */
extern const size_t type_kind_count;
extern const size_t type_object_meta;
extern const size_t type_json_schema;

/** The field of that JSON name, inlined ones too; NULL when there is none. */
const struct type_field *types_field(const struct type_message *message, const char *key);

#endif
