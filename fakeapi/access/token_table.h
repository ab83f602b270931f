/* token_table - static bearer tokens and whose they are; the token file of kube-apiserver.
 *
 * Tokens are kept and looked for by their digests, so that no comparison of secrets takes a time
 * that tells of them. */
#ifndef FAKEAPI_ACCESS_TOKEN_TABLE_H
#define FAKEAPI_ACCESS_TOKEN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "fakeapi/access/user.h"

/** Largest token file, most lines of it, longest token. */
#define TOKEN_FILE_BYTES_MAX ((size_t)1024 * 1024)
#define TOKEN_FILE_LINES_MAX 10000
#define TOKEN_BYTES_MAX ((size_t)8 * 1024)

struct token_table;

struct token_table *token_table_new(void) MUST_CHECK;
void token_table_free(struct token_table *table);
/** Takes user over. False with ERROR_INVALID when the token is empty or taken; user is released. */
bool token_table_add(struct token_table *table, const char *token, struct access_user *user,
                     struct error *err) MUST_CHECK;
/** Adds the lines of a CSV text (RFC 4180): token,user,uid and perhaps "group1,group2" or some more
 * columns that are groups each. Empty lines and those that begin with '#' are none. ERROR_MALFORMED
 * or ERROR_TOO_LARGE with the line; never with what stands there. */
bool token_table_load(struct token_table *table, const char *text, size_t size,
                      struct error *err) MUST_CHECK;
/** Whose token it is, borrowed; NULL when it is nobody's. */
const struct access_user *token_table_find(const struct token_table *table, const char *token,
                                           size_t size);

#endif
