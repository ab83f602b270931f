/* write_steps - the steps that creates, updates and deletes have in common. */
#ifndef FAKEAPI_REST_WRITE_STEPS_H
#define FAKEAPI_REST_WRITE_STEPS_H

#include "fakeapi/rest/parts.h"
#include "fakeapi/rest/write.h"

/** The namespace of the body: filled in, compared, or cleared (C8). */
bool write_fix_namespace(struct write *write, struct json_object *metadata) MUST_CHECK;
/** The namespace must be there, for creates alive (C9, C10). */
bool write_check_namespace(struct write *write, const char *name, bool create) MUST_CHECK;
/** Fills in defaults and checks all but the store's preconditions; 422 (C13 to C16, U6, U9, R10).
 * old is NULL on create. */
bool write_default_and_check(struct write *write, struct json_object *tree,
                             const struct json_object *old) MUST_CHECK;
/** A tree of the same members, which are shared: for a write that changes none, but may put others
 * in their place. */
struct json_object *write_share_members(const struct json_object *tree) MUST_CHECK;
/** Adds to a tree of parts what of old it does not hold. */
void write_complete(const struct write *write, const struct store_object *old,
                    struct json_object *tree);
/** Makes tree, which replaces old (NULL on create), the answer of a dry run or of a write that
 * ended the object. */
void write_answer_tree(struct write *write, const struct store_object *old,
                       struct json_object *tree);
/** Holds the object for the answer. */
void write_answer_object(struct write *write, const struct store_object *object);
/** A failure of the store as the wire says it (S11). */
bool write_store_failed(struct write *write, const char *name, const struct error *err);
/** Puts tree in the place of old, as one event. */
bool write_commit(struct write *write, const struct store_object *old,
                  struct json_object *tree) MUST_CHECK;
/** Now, as a Kubernetes Time. */
void write_set_now(struct write *write, struct json_object *object, const char *key);
/** In the version it is stored in. */
void write_set_stored_version(const struct write *write, struct json_object *tree);
/** Whether nothing holds the object any more: no finalizer, of the namespace's kind neither. */
bool write_is_unheld(const struct write *write, const struct json_object *tree);

#endif
