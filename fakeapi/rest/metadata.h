/* metadata - the rules of ObjectMeta, the same for every kind (WIRE.md C13 to C16, U6, U7). */
#ifndef FAKEAPI_REST_METADATA_H
#define FAKEAPI_REST_METADATA_H

#include <stdbool.h>

#include "controller/base/json.h"
#include "fakeapi/rest/kinds.h"
#include "fakeapi/schema/field_error.h"

/** Drops owners that say the same as one before them; appends their uids, ", " between (C15). */
void metadata_drop_repeated_owners(struct json_object *metadata, struct buffer *uids);

/** Checks a complete metadata, as it would be stored. */
void metadata_check(const struct json_object *metadata, const struct kind *kind,
                    struct field_errors *errors);

/** Checks what an update changes, system fields having been restored: immutable ones, and new
 * finalizers of an object that is being deleted. Most kinds check that themselves too and tell it
 * two times (T11). */
void metadata_check_update(const struct json_object *metadata, const struct json_object *old,
                           int times, struct field_errors *errors);

/** Whether text is a DNS-1123 subdomain, or label, or DNS-1035 label. */
bool metadata_is_subdomain(const char *text);
bool metadata_is_label(const char *text);
bool metadata_is_dns1035(const char *text);
/** Whether it is a label's value: empty, or at most 63 of its alphabet. */
bool metadata_is_label_value(const char *text);
/** Whether it is a qualified name: "prefix/name" or "name". */
bool metadata_is_qualified_name(const char *text);

/* What a wrong one of these is told. */
extern const char metadata_subdomain_message[];
extern const char metadata_dns1035_message[];
extern const char metadata_label_value_message[];
extern const char metadata_qualified_name_message[];
/** Of a text whose form is not a label's. */
const char *metadata_label_message(const char *text);

/** "Invalid value: "v": detail" for a text. */
void metadata_add_invalid(struct field_errors *errors, const char *path, const char *value,
                          const char *detail);
/** The same for any value; value may be NULL. */
void metadata_add_invalid_value(struct field_errors *errors, const char *path,
                                const struct json_object *value, const char *detail);

#endif
