/* structure - the checks of an openAPIV3Schema as a document, before it is compiled, as the files
 * that make them share them. */
#ifndef FAKEAPI_SCHEMA_STRUCTURE_H
#define FAKEAPI_SCHEMA_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"
#include "fakeapi/schema/path.h"

/** Longest message, which may repeat a value. */
#define STRUCTURE_BYTES_MAX (2 * 1024 * 1024)

struct structure {
    struct field_errors *errors;
    struct path path;
    bool skip_any_of; /* of the next nested schema: it is the pattern of int-or-string */

    /* of structure_check_standard() */
    bool in_meta;                /* below metadata, kind or apiVersion */
    const char *without_default; /* why nothing here may have a default; NULL: it may */
};

/** Whether it is structural; errors sorted by their text, as the real server has them. Finds
 * nothing in schemas that say what is not supported at all. */
void structure_check_structural(struct structure *s, const struct json_object *openapi);
/** Whether it says nothing that is not supported, and list types and rules what they must. */
void structure_check_standard(struct structure *s, const struct json_object *openapi);

size_t structure_count(const struct json_object *list);
bool structure_flag(const struct json_object *from, const char *name);
void structure_say(struct structure *s, enum field_error_type type, const char *member,
                   const char *body);
/** "Invalid value: V: detail" */
void structure_say_value(struct structure *s, const char *member, const struct json_object *value,
                         const char *detail);
/** Goes on with a member that is a schema, or each of a list of schemas. */
void structure_below(struct structure *s, const struct json_object *from, const char *member,
                     void (*check)(struct structure *s, const struct json_object *from));
void structure_each(struct structure *s, const struct json_object *from, const char *member,
                    void (*check)(struct structure *s, const struct json_object *from));

#endif
