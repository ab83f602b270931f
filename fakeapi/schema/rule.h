/* rule - x-kubernetes-validations: reading and compiling them. */
#ifndef FAKEAPI_SCHEMA_RULE_H
#define FAKEAPI_SCHEMA_RULE_H

#include "fakeapi/schema/node.h"
#include "fakeapi/schema/path.h"

/** Most rules of one schema node. */
#define SCHEMA_RULES_MAX 100

/** Reads the rules of from into schema, whose children are whole already. uncorrelatable is the
 * place below which old values cannot be found, "" where they can. */
void schema_read_rules(const struct json_object *from, bool root, const char *uncorrelatable,
                       struct path *path, struct schema *schema, struct field_errors *errors);

void schema_free_rules(struct schema *schema);

#endif
