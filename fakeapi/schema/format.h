/* format - the formats of strings that the server enforces (fakeapi/WIRE.md R17). */
#ifndef FAKEAPI_SCHEMA_FORMAT_H
#define FAKEAPI_SCHEMA_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum format {
    FORMAT_NONE, /* and every format that is not enforced */
    FORMAT_BSONOBJECTID,
    FORMAT_BYTE,
    FORMAT_CIDR,
    FORMAT_CREDITCARD,
    FORMAT_DATE,
    FORMAT_DATE_TIME,
    FORMAT_DURATION,
    FORMAT_EMAIL,
    FORMAT_HEXCOLOR,
    FORMAT_HOSTNAME,
    FORMAT_IPV4,
    FORMAT_IPV6,
    FORMAT_ISBN,
    FORMAT_ISBN10,
    FORMAT_ISBN13,
    FORMAT_MAC,
    FORMAT_PASSWORD,
    FORMAT_RGBCOLOR,
    FORMAT_SSN,
    FORMAT_URI,
    FORMAT_UUID,
    FORMAT_UUID3,
    FORMAT_UUID4,
    FORMAT_UUID5,
    /* of numbers */
    FORMAT_INT32,
    FORMAT_INT64,
    FORMAT_FLOAT,
    FORMAT_DOUBLE,
};

/** The format of that name, dashes ignored as the server does; FORMAT_NONE for unknown ones. */
enum format format_of(const char *name);

/** "date-time"; "" for FORMAT_NONE. */
const char *format_name(enum format format);

/** Whether a string has the format; true for formats of numbers. text has a NUL behind it. */
bool format_matches(enum format format, const char *text, size_t size);

#endif
