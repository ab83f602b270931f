/* targets - which object is meant: kind, apiVersion, namespace, name. */
#ifndef SCENARIOS_LANGUAGE_TARGETS_H
#define SCENARIOS_LANGUAGE_TARGETS_H

#include "scenarios/language/scenario.h"

/** What read_manifests(), read_claims() and read_faults() take, described. */
extern const struct key_table manifest_table;
extern const struct key_table claim_table;
extern const struct key_table fault_table;
extern const struct key_table binding_table; /* a value of 'bind' */

struct target_texts {
    const char *kind;
    const char *api_version; /* NULL: the kind's own */
    const char *namespace;   /* NULL: the scenario's */
    const char *name;        /* NULL: any */
};

/** Resolves a kind. False after a problem at node. */
bool target_resolve(struct reader *reader, const struct yaml_node *node,
                    const struct target_texts *texts, struct target *ret_target);

/** "/apis/GROUP/VERSION/namespaces/NAMESPACE/agents", with "/NAME" and "/status" where given, and
 * the query behind it. free() it. */
char *target_path(const struct target *target, const char *name, bool status,
                  const char *query) MUST_CHECK;
/** "?propagationPolicy=Foreground", or "". free() it. */
char *delete_query(const struct delete_action *deletion) MUST_CHECK;

/** Checks a process name or role; false after a problem. */
bool process_name_check(struct reader *reader, const struct yaml_node *node, const char *name);

/** "hooks.example": a name that a server's host can have. */
bool process_name_is_host(const char *name);
/** A name that a person or another controller can have: letters, digits and '-', and nobody's. */
bool process_name_is_free(const char *name);

/** Reads 'match' and 'when' of a mapping, as those of a fault, into rule. False after a problem. */
bool read_trigger(struct reader *reader, const struct yaml_node *node, struct fault_rule *rule);

/** Checks the fields of a merge patch (NULL: there is none) of that kind. */
void patch_check(struct reader *reader, const struct yaml_node *merge, const char *kind);

/** VALUE_CUSTOM readers. */
void read_manifests(struct reader *reader, const struct yaml_node *node, void *field);
void read_claims(struct reader *reader, const struct yaml_node *node, void *field);
void read_process_names(struct reader *reader, const struct yaml_node *node, void *field);
void read_process_pair(struct reader *reader, const struct yaml_node *node, void *field);
void read_faults(struct reader *reader, const struct yaml_node *node, void *field);
void read_mark(struct reader *reader, const struct yaml_node *node, void *field);
void read_bindings(struct reader *reader, const struct yaml_node *node, void *field);
/** Names for fields of an answer's body: {uid: metadata.uid}. In the reader's arena. */
struct binding *read_answer_bindings(struct reader *reader, const struct yaml_node *node,
                                     size_t *ret_count);
void read_json(struct reader *reader, const struct yaml_node *node, void *field);

/** What to write instead of a member that a kind does not have: "; write status: {phase: ...}". */
const char *field_hint(struct reader *reader, const char *kind, const char *written,
                       const char *const *known, size_t known_count);

/** As read_json(), of a JSON patch. */
void read_operations(struct reader *reader, const struct yaml_node *node, void *field);

/** The default Station and recipe, where objects has none of those names. */
void add_default_objects(struct reader *reader, struct manifests *objects);

#endif
