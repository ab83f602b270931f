/* checking - adding what is wrong with the fields of one object, at the place where one is. */
#ifndef FAKEAPI_REST_CHECKING_H
#define FAKEAPI_REST_CHECKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"
#include "fakeapi/schema/path.h"

struct checking {
    struct field_errors *errors;
    struct path at; /* of the object whose members are checked */
};

/** place is the object's: "spec.template.spec". */
void checking_init(struct checking *c, const char *place, struct field_errors *errors);

/* Each adds an error at a member of the object; at the object itself where key is NULL. */
void checking_add(struct checking *c, const char *key, enum field_error_type type,
                  const char *format, ...) PRINTF_LIKE(4, 5);
/** why may be NULL. */
void checking_required(struct checking *c, const char *key, const char *why);
void checking_forbidden(struct checking *c, const char *key, const char *why);
/** value may be NULL: "null". */
void checking_invalid(struct checking *c, const char *key, const struct json_object *value,
                      const char *why);
void checking_invalid_text(struct checking *c, const char *key, const char *value, const char *why);
void checking_unsupported(struct checking *c, const char *key, const char *value,
                          const char *const *values, size_t count);

/* Each looks at a member of object, and adds what is wrong with it. */
/** True when it is there: a text, or a list, object or number that is not empty or 0. */
bool checking_is_there(struct checking *c, const struct json_object *object, const char *key);
/** A text that is there is one of these. */
void checking_one_of(struct checking *c, const struct json_object *object, const char *key,
                     const char *const *values, size_t count);
void checking_not_negative(struct checking *c, const struct json_object *object, const char *key);
/** A number from 1 to 65535. */
void checking_port_number(struct checking *c, const struct json_object *object, const char *key);
/** True when the text, which is there, is right as a port's name. */
bool checking_port_name(struct checking *c, const struct json_object *object, const char *key);
/** A DNS label that is there. */
void checking_label(struct checking *c, const struct json_object *object, const char *key);
/** The text is not among names (an object used as a set), and is from now on. */
void checking_unique(struct checking *c, const char *key, const char *text,
                     struct json_object *names);

/** Goes into a member: its items (a list's) or itself (an object). */
void checking_each(struct checking *c, const struct json_object *object, const char *key,
                   void (*check)(struct checking *c, const struct json_object *item,
                                 const void *arg),
                   const void *arg);

#endif
