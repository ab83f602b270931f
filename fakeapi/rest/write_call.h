/* write_call - what the requests that write have in common: creates, updates and patches here,
 * deletes in delete_call.c. */
#ifndef FAKEAPI_REST_WRITE_CALL_H
#define FAKEAPI_REST_WRITE_CALL_H

#include "fakeapi/rest/call.h"
#include "fakeapi/rest/write.h"

/** The write that a request asks for, its options not read yet. */
struct write write_call_begin(struct call *call);
/** fieldManager, dryRun and fieldValidation of the query; 422 in the name of options_kind. */
bool write_call_read_options(struct call *call, const char *options_kind,
                             struct write *write) MUST_CHECK;
/** Whether a content type is this one, parameters aside. */
bool write_call_is_type(const char *header, const char *type);
/** Reads a dryRun; 422 in the name of options_kind when it is none. text may be NULL. */
bool write_call_read_dry_run(const char *text, const char *options_kind,
                             struct write *write) MUST_CHECK;
/** The body by its content type; 400 or 415. */
bool write_call_read_body(struct call *call, struct write *write,
                          struct json_object **ret_tree) MUST_CHECK;
/** The options of a PATCH and the patch, by its content type; 400, 415 or 422. */
bool write_call_read_patch(struct call *call, struct write *write, enum patch_form *ret_form,
                           struct json_object **ret_patch) MUST_CHECK;
/** Answers with what came of the write, or with its failure, and releases it. */
void write_call_finish(struct call *call, bool ok, const struct accept *accept,
                       struct write *write);
/** Reads the options and the body of a create that stores nothing, as write's kind. False:
 * write->status. *ret_tree is to be put after, in either case. */
bool write_call_read_create(struct call *call, struct write *write,
                            struct json_object **ret_tree) MUST_CHECK;

#endif
