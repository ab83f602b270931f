/* checking - adding what is wrong with the fields of one object, at the place where one is. */
#ifndef FAKEAPI_REST_CHECKING_H
#define FAKEAPI_REST_CHECKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"

/* A step down to a member, to an item of a list or to a value of a map. */
struct checking_step {
    const struct checking_step *up;
    const char *member;  /* NULL: an item */
    const char *map_key; /* of a value; NULL: the member itself */
    size_t index;        /* of an item */
};

/* Where one is stays a chain of steps until something is wrong: almost nothing ever is. */
struct checking {
    struct field_errors *errors;
    const char *place;              /* where the chain begins */
    const struct checking_step *at; /* the last step to the object that is checked; NULL: none */
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
/** The text is not in the set *names (an object, made with its first), and is from now on. */
void checking_unique(struct checking *c, const char *key, const char *text,
                     struct json_object **names);
/** Whether it is in a set, which may be NULL. */
bool checking_holds(const struct json_object *names, const char *text);

/** Goes into a member: its items (a list's) or itself (an object). */
void checking_each(struct checking *c, const struct json_object *object, const char *key,
                   void (*check)(struct checking *c, const struct json_object *item,
                                 const void *arg),
                   const void *arg);

#endif
