/* write - one write to one object: the rules between a decoded body and the store. Over plain
 * trees and structs; used by requests (call.h) and by actors in this process (verbs.h). */
#ifndef FAKEAPI_REST_WRITE_H
#define FAKEAPI_REST_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/access/user.h"
#include "fakeapi/rest/kinds.h"
#include "fakeapi/rest/status.h"
#include "fakeapi/rest/verbs.h"
#include "fakeapi/store/store.h"

/** What becomes of fields that nobody knows (C4). */
enum field_validation { VALIDATE_WARN, VALIDATE_STRICT, VALIDATE_IGNORE };

enum subresource { SUB_NONE, SUB_STATUS, SUB_FINALIZE };

/** Most warnings of one answer. */
#define WARNINGS_MAX 32

/** One write. The caller fills the first part; release it after. */
struct write {
    struct rest *rest;
    struct kind *kind;
    const struct kind_version *version;
    const char *namespace; /* "" for cluster-scoped */
    const char *name;      /* of the URL; "" for a create */
    enum subresource subresource;
    const struct access_user *user; /* who writes; NULL: an actor, who may do everything */
    bool dry_run;
    bool unanswered; /* nobody reads write.tree */
    bool loaded;     /* from a file: its uid stays, and nobody is asked whether there is room */
    enum field_validation validation;
    struct buffer strict; /* what strict decoding minds, ", " between: see decode_note() */

    /* on its way */
    bool by_parts;         /* the trees of this write hold metadata, and perhaps status: all else */
    const char *spec_key;  /* stays as it is stored, but for this member of the spec, which */
    const char *spec_text; /* becomes this text; NULL: the spec stays too */

    /* what came of it */
    struct rest_status status;         /* filled when a call returned false */
    unsigned code;                     /* 200 or 201 */
    const struct store_object *object; /* the object now, held; NULL when there is none: */
    uint64_t gone_revision;            /* of the deletion, when this write took it out; or 0 */
    struct json_object *tree; /* dry run, or gone with this write (X6): what it would be; or NULL */
    char *warnings[WARNINGS_MAX];
    size_t warning_count;
};

void write_release(struct write *write);
void write_warn(struct write *write, const char *format, ...) PRINTF_LIKE(2, 3);

/** What its messages are about; name as given, for it may be generated. */
struct rest_subject write_subject(const struct write *write, const char *name);

/** Checks a body's apiVersion and kind against the endpoint, fills them in, decodes it into its
 * type and deals with unknown fields (C2 to C4, R10, R11). Its metadata is an object after that. */
bool write_accept_body(struct write *write, struct json_object *tree) MUST_CHECK;

/** Each takes a decoded body, which it changes. False: see status. */
bool write_create(struct write *write, struct json_object *tree) MUST_CHECK;
bool write_update(struct write *write, struct json_object *tree) MUST_CHECK;

enum patch_form { PATCH_OPERATIONS, PATCH_MERGE, PATCH_STRATEGIC };
/** Applies a patch to a document; 400, 413 or 422. */
bool write_apply_patch(struct write *write, enum patch_form form,
                       const struct json_object *document, const struct json_object *patch,
                       struct json_object **ret_tree) MUST_CHECK;
/** patch as decoded; body errors were found before. */
bool write_patch(struct write *write, enum patch_form form,
                 const struct json_object *patch) MUST_CHECK;

/** What a DELETE asks for. */
struct delete_request {
    struct rest_delete_options options;
    bool orphan_dependents_false; /* said explicitly: 202 when it is not gone at once (X4) */
};

/** What a deletion answers with. */
enum delete_outcome {
    DELETE_GONE,    /* with a Status, or the object where the kind shows it (X3) */
    DELETE_WAITING, /* with the object: finalizers or a grace period hold it (X4, X8) */
};

/** Sets write->object to the object as the answer shows it. */
bool write_delete(struct write *write, const struct delete_request *request,
                  enum delete_outcome *ret_outcome) MUST_CHECK;

/** A new object's uid, in the server's form. Room for 37 bytes. */
void write_new_uid(struct rest *rest, char uid[37]);

#endif
