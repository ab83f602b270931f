/* refusals - Status answers, as the table of WIRE.md section 0 has them (T9 to T12).
 *
 * A Status is its body; its code is in it. Causes are a list of {reason, message, field}. */
#ifndef TESTS_MODEL_REFUSALS_H
#define TESTS_MODEL_REFUSALS_H

#include "tests/model/kinds.h"

/** Adds {reason, body, field}. */
void cause(struct json_object *causes, const char *reason, const char *field, const char *body, ...)
    __attribute__((format(printf, 4, 5)));

/** "field: message" of each, every one once; several in brackets (T11). free() it. */
char *joined_causes(const struct json_object *causes);

/** A Status without details; reason NULL: none. */
struct json_object *refuse(int code, const char *reason, const char *message, ...)
    __attribute__((format(printf, 3, 4)));
struct json_object *refuse_bad(const char *message, ...) __attribute__((format(printf, 1, 2)));
/** "Operation cannot be fulfilled on ..." */
struct json_object *refuse_conflict(const struct kind *kind, const char *name, const char *message,
                                    ...) __attribute__((format(printf, 3, 4)));
struct json_object *refuse_missing(const struct kind *kind, const char *name);
struct json_object *refuse_existing(const struct kind *kind, const char *name, bool ending);
struct json_object *refuse_namespace_missing(const char *namespace);
struct json_object *refuse_namespace_ending(const struct kind *kind, const char *name,
                                            const char *namespace);
struct json_object *refuse_forbidden(const struct kind *kind, const char *name, const char *why);
/** 422; takes causes over. "<causes>" at the end of its message stands for what the causes say, in
 * whatever order they come: the real server's is that of Go's maps. */
struct json_object *refuse_invalid(const struct kind *kind, const char *name,
                                   struct json_object *causes);
/** 422 of options such as ListOptions; takes causes over. */
struct json_object *refuse_options(const char *options, struct json_object *causes);
/** 504 (G1) */
struct json_object *refuse_future(uint64_t revision, uint64_t current);
/** Adds details: name, group, kind (the plural). */
void add_details(struct json_object *status, const struct kind *kind, const char *name);

#endif
