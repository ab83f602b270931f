/* faults_wire - fault rules as people write them. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/faults/faults.h"
#include "fakeapi/faults/glob.h"
#include "fakeapi/faults/reading.h"

/* --- match --- */

static bool read_caller(struct reading *r, const struct yaml_node *node)
{
    return reading_patterns(r, node, &r->rule.caller);
}

static bool read_peer(struct reading *r, const struct yaml_node *node)
{
    return reading_patterns(r, node, &r->rule.peer);
}

static bool read_user(struct reading *r, const struct yaml_node *node)
{
    return reading_patterns(r, node, &r->rule.user);
}

static bool read_account(struct reading *r, const struct yaml_node *node)
{
    bool ok = reading_patterns(r, node, &r->rule.account);

    for (size_t i = 0; i < r->rule.account.count; i++) {
        const struct yaml_node *item = reading_pattern_at(node, i);

        if (item->kind == YAML_SCALAR && strchr(item->text, '/') == NULL)
            ok = reading_fail(r, item->line, item->column,
                              "a service account is wanted as namespace/name");
    }
    return ok;
}

static const char *const verbs[] = {
    "get",  "list", "watch", "create", "update", "patch", "delete", "deletecollection",
    "post", "put",  "head",  "options"}; /* methods on paths that are no resource */

/* A pattern that no request's verb is like would never act. */
static bool check_verb(struct reading *r, const struct yaml_node *node)
{
    const char *closest = text_closest(node->text, verbs, ARRAY_SIZE(verbs));

    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
        if (glob_matches(node->text, verbs[i]))
            return true;
    if (closest != NULL)
        return reading_fail(r, node->line, node->column, "unknown verb '%s'; did you mean '%s'?",
                            node->text, closest);
    return reading_fail(
        r, node->line, node->column,
        "unknown verb '%s'; want get, list, watch, create, update, patch, delete or "
        "deletecollection",
        node->text);
}

static bool read_verb(struct reading *r, const struct yaml_node *node)
{
    bool ok = reading_patterns(r, node, &r->rule.verb);

    for (size_t i = 0; i < r->rule.verb.count; i++)
        if (reading_pattern_at(node, i)->kind == YAML_SCALAR)
            ok = check_verb(r, reading_pattern_at(node, i)) && ok;
    return ok;
}

static bool read_resource(struct reading *r, const struct yaml_node *node)
{
    return reading_patterns(r, node, &r->rule.resource);
}

static bool read_namespace(struct reading *r, const struct yaml_node *node)
{
    return reading_patterns(r, node, &r->rule.namespace);
}

static bool read_object(struct reading *r, const struct yaml_node *node)
{
    return reading_patterns(r, node, &r->rule.object);
}

static const struct reading_key match_keys[] = {
    {"caller",          read_caller   },
    {"service_account", read_account  },
    {"peer",            read_peer     },
    {"user",            read_user     },
    {"verb",            read_verb     },
    {"resource",        read_resource },
    {"namespace",       read_namespace},
    {"name",            read_object   },
};

/* --- when --- */

static bool read_nth(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, UINT64_MAX, &r->rule.nth);
}

static bool read_every(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, UINT64_MAX, &r->rule.every);
}

static bool read_limit(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, UINT64_MAX, &r->rule.count);
}

static bool read_from(struct reading *r, const struct yaml_node *node)
{
    return reading_duration(r, node, &r->rule.from_us);
}

static bool read_until(struct reading *r, const struct yaml_node *node)
{
    if (!reading_duration(r, node, &r->rule.until_us))
        return false;
    return r->rule.until_us > 0 || reading_fail_at(r, node, "until must be after the start");
}

static bool read_probability(struct reading *r, const struct yaml_node *node)
{
    char *end;

    if (node->kind == YAML_SCALAR && strspn(node->text, "0123456789.eE+-") == strlen(node->text) &&
        node->text[0] != '\0') {
        r->rule.has_probability = true;
        r->rule.probability = strtod(node->text, &end);
        if (*end == '\0' && r->rule.probability >= 0 && r->rule.probability <= 1)
            return true;
    }
    return reading_fail_at(r, node, "a number from 0 to 1 is wanted");
}

static bool read_seed(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, INT64_MAX, &r->rule.seed);
}

static const struct reading_key when_keys[] = {
    {"seed",        read_seed       },
    {"nth",         read_nth        },
    {"every",       read_every      },
    {"probability", read_probability},
    {"from",        read_from       },
    {"until",       read_until      },
    {"count",       read_limit      },
};

/* --- rules --- */

static bool read_name(struct reading *r, const struct yaml_node *node)
{
    return reading_text(r, node, &r->rule.name);
}

static bool read_match(struct reading *r, const struct yaml_node *node)
{
    return reading_mapping(r, node, match_keys, ARRAY_SIZE(match_keys));
}

static bool read_when(struct reading *r, const struct yaml_node *node)
{
    return reading_mapping(r, node, when_keys, ARRAY_SIZE(when_keys));
}

static const struct reading_key rule_keys[] = {
    {"name",  read_name   },
    {"match", read_match  },
    {"when",  read_when   },
    {"do",    reading_deed},
};

/* A rule that was read may still not make sense; a trial adds it nowhere else. */
static bool check(struct reading *r, const struct yaml_node *node)
{
    struct faults *trial = faults_new();
    struct error why = ERROR_INIT;
    bool ok = faults_add(trial, &r->rule, NULL, &why);

    faults_free(trial);
    return ok || reading_fail(r, node->line, node->column, "%s", why.text);
}

/* An action that can happen to none of the verbs asked for never would. */
static bool check_verbs(struct reading *r, const struct yaml_node *node)
{
    const struct fault_patterns *patterns = &r->rule.verb;
    enum fault_action action = r->rule.effect.action;
    const struct yaml_node *match = yaml_get(node, "match");

    for (size_t i = 0; i < patterns->count; i++)
        for (size_t j = 0; j < ARRAY_SIZE(verbs); j++)
            if (glob_matches(patterns->items[i], verbs[j]) && fault_action_suits(action, verbs[j]))
                return true;
    if (patterns->count == 0)
        return true;
    match = yaml_get(match, "verb");
    return reading_fail(r, match->line, match->column, "%s never happens to a '%s'; it is for %s",
                        fault_action_key(action), patterns->items[0],
                        fault_action_is_of_watch(action) ? "events of a watch" : "get and list");
}

bool fault_rule_parse_all(const struct yaml_node *node, struct fault_rule *ret_rule,
                          fault_mistake_fn *mistake, void *arg)
{
    struct reading r = {.mistake = mistake, .arg = arg};

    if (!reading_mapping(&r, node, rule_keys, ARRAY_SIZE(rule_keys)) || !check(&r, node) ||
        !check_verbs(&r, node))
        return false;
    *ret_rule = r.rule;
    return true;
}

/* The first mistake. */
struct first {
    bool found;
    unsigned line;
    unsigned column;
    struct error *err;
};

static void keep_first(void *arg, unsigned line, unsigned column, const char *what)
{
    struct first *first = arg;

    if (first->found)
        return;
    *first = (struct first){true, line, column, first->err};
    (void)error_set(first->err, ERROR_INVALID, "line %u, column %u: %s", line, column, what);
}

bool fault_rule_parse(const struct yaml_node *node, struct fault_rule *ret_rule, unsigned *ret_line,
                      unsigned *ret_column, struct error *err)
{
    struct first first = {.err = err};

    if (fault_rule_parse_all(node, ret_rule, keep_first, &first))
        return true;
    if (ret_line != NULL)
        *ret_line = first.line;
    if (ret_column != NULL)
        *ret_column = first.column;
    return false;
}

/* --- files --- */

static void append_mistake(void *arg, unsigned line, unsigned column, const char *what)
{
    struct buffer *mistakes = arg;

    buffer_append_format(mistakes, "%sline %u, column %u: %s", mistakes->size > 0 ? "; " : "", line,
                         column, what);
}

/* Reads on behind a mistake, so that all are told; what was added is *added. */
static bool load_rules(struct faults *faults, const struct yaml_node *root, uint64_t *ids,
                       size_t *added, struct error *err)
{
    struct buffer mistakes = BUFFER_INIT(FAULT_FILE_BYTES_MAX);
    bool ok = true;

    for (size_t i = 0; ok && i < root->member_count; i++) {
        struct fault_rule rule;

        if (!fault_rule_parse_all(root->members[i].value, &rule, append_mistake, &mistakes) ||
            mistakes.size > 0)
            continue;
        ok = faults_add(faults, &rule, &ids[*added], err);
        *added += ok;
    }
    if (ok && mistakes.size > 0)
        ok = error_set(err, ERROR_INVALID, "%s", buffer_text(&mistakes));
    buffer_release(&mistakes);
    return ok;
}

bool faults_load(struct faults *faults, const void *bytes, size_t size, struct error *err)
{
    struct yaml_document *document;
    const struct yaml_node *root;
    uint64_t *ids = NULL;
    size_t added = 0;
    bool ok = true;

    if (!yaml_parse(bytes, size, FAULT_FILE_BYTES_MAX, &document, NULL, NULL, err))
        return false;
    root = yaml_root(document);
    if (root != NULL && root->kind != YAML_SEQUENCE) {
        ok = error_set(err, ERROR_INVALID, "line %u, column %u: a list of rules is wanted",
                       root->line, root->column);
    } else if (root != NULL) {
        ids = xcalloc(root->member_count, sizeof(*ids));
        ok = load_rules(faults, root, ids, &added, err);
    }
    for (size_t i = 0; !ok && i < added; i++)
        faults_remove(faults, ids[i]);
    free(ids);
    yaml_free(document);
    return ok;
}
