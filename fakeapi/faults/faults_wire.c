/* faults_wire - fault rules as people write them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/faults/faults.h"
#include "fakeapi/faults/glob.h"

/* Most rules that one file adds is FAULT_RULES_MAX; seconds of a Retry-After: a day. */
#define RETRY_AFTER_SECONDS_MAX 86400

/* What is being read, and who is told of mistakes. */
struct reading {
    struct fault_rule rule;
    size_t actions; /* how many of those that exclude each other */
    fault_mistake_fn *mistake;
    void *arg;
};

static bool fail(struct reading *r, unsigned line, unsigned column, const char *format, ...)
    PRINTF_LIKE(4, 5);

static bool fail(struct reading *r, unsigned line, unsigned column, const char *format, ...)
{
    char what[ERROR_TEXT_SIZE / 2];
    va_list values;

    va_start(values, format);
    vsnprintf(what, sizeof(what), format, values);
    va_end(values);
    r->mistake(r->arg, line, column, what);
    return false;
}

static bool fail_at(struct reading *r, const struct yaml_node *node, const char *what)
{
    return fail(r, node->line, node->column, "%s", what);
}

/* --- values --- */

static bool read_count(struct reading *r, const struct yaml_node *node, uint64_t least,
                       uint64_t most, uint64_t *ret_value)
{
    if (node->kind != YAML_SCALAR || !text_to_uint64(node->text, ret_value) || *ret_value < least ||
        *ret_value > most)
        return fail(r, node->line, node->column, "a whole number from %llu to %llu is wanted",
                    (unsigned long long)least, (unsigned long long)most);
    return true;
}

static bool read_duration(struct reading *r, const struct yaml_node *node, int64_t *ret_us)
{
    if (node->kind != YAML_SCALAR || !duration_parse(node->text, ret_us) || *ret_us < 0)
        return fail_at(r, node, "a duration such as 1m30s is wanted");
    return true;
}

static bool read_text(struct reading *r, const struct yaml_node *node, const char **ret_text)
{
    if (node->kind != YAML_SCALAR)
        return fail_at(r, node, "a text is wanted");
    *ret_text = node->text;
    return true;
}

/* A matcher is one pattern or a list of them. */
static const struct yaml_node *pattern_at(const struct yaml_node *node, size_t index)
{
    return node->kind == YAML_SEQUENCE ? node->members[index].value : node;
}

static bool read_patterns(struct reading *r, const struct yaml_node *node,
                          struct fault_patterns *patterns)
{
    size_t count = node->kind == YAML_SEQUENCE ? node->member_count : 1;
    bool ok = true;

    if (count > FAULT_PATTERNS_MAX || count == 0)
        return fail(r, node->line, node->column, "from 1 to %d patterns are wanted",
                    FAULT_PATTERNS_MAX);
    for (size_t i = 0; i < count; i++)
        ok = read_text(r, pattern_at(node, i), &patterns->items[i]) && ok;
    patterns->count = count;
    return ok;
}

/* Only "true": what is not wanted is left out. */
static bool read_true(struct reading *r, const struct yaml_node *node)
{
    return (node->kind == YAML_SCALAR && node->plain && text_equal(node->text, "true")) ||
           fail_at(r, node, "only true can be said here");
}

/* --- keys --- */

/* One key of a mapping, and what reads its value. */
struct key {
    const char *name;
    bool (*read)(struct reading *r, const struct yaml_node *node);
};

#define KEYS_MAX 24

static bool fail_unknown(struct reading *r, const struct yaml_member *member,
                         const struct key *keys, size_t key_count)
{
    const char *names[KEYS_MAX];
    const char *closest;

    for (size_t i = 0; i < key_count && i < KEYS_MAX; i++)
        names[i] = keys[i].name;
    closest = text_closest(member->key, names, key_count);
    if (closest == NULL)
        return fail(r, member->key_line, member->key_column, "unknown key '%s'", member->key);
    return fail(r, member->key_line, member->key_column, "unknown key '%s'; did you mean '%s'?",
                member->key, closest);
}

static bool read_member(struct reading *r, const struct yaml_member *member, const struct key *keys,
                        size_t key_count)
{
    for (size_t i = 0; i < key_count; i++)
        if (strcmp(keys[i].name, member->key) == 0)
            return keys[i].read(r, member->value);
    return fail_unknown(r, member, keys, key_count);
}

static bool read_mapping(struct reading *r, const struct yaml_node *node, const struct key *keys,
                         size_t key_count)
{
    bool ok = true;

    if (node->kind != YAML_MAPPING)
        return fail_at(r, node, "a mapping is wanted");
    for (size_t i = 0; i < node->member_count; i++)
        ok = read_member(r, &node->members[i], keys, key_count) && ok;
    return ok;
}

/* --- match --- */

static bool read_caller(struct reading *r, const struct yaml_node *node)
{
    return read_patterns(r, node, &r->rule.caller);
}

static bool read_peer(struct reading *r, const struct yaml_node *node)
{
    return read_patterns(r, node, &r->rule.peer);
}

static bool read_user(struct reading *r, const struct yaml_node *node)
{
    return read_patterns(r, node, &r->rule.user);
}

static bool read_account(struct reading *r, const struct yaml_node *node)
{
    bool ok = read_patterns(r, node, &r->rule.account);

    for (size_t i = 0; i < r->rule.account.count; i++) {
        const struct yaml_node *item = pattern_at(node, i);

        if (item->kind == YAML_SCALAR && strchr(item->text, '/') == NULL)
            ok = fail(r, item->line, item->column, "a service account is wanted as namespace/name");
    }
    return ok;
}

/* A pattern that no request's verb is like would never act. */
static bool check_verb(struct reading *r, const struct yaml_node *node)
{
    static const char *const verbs[] = {
        "get",  "list", "watch", "create", "update", "patch", "delete", "deletecollection",
        "post", "put",  "head",  "options"}; /* methods on paths that are no resource */
    const char *closest = text_closest(node->text, verbs, ARRAY_SIZE(verbs));

    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
        if (glob_matches(node->text, verbs[i]))
            return true;
    if (closest != NULL)
        return fail(r, node->line, node->column, "unknown verb '%s'; did you mean '%s'?",
                    node->text, closest);
    return fail(r, node->line, node->column,
                "unknown verb '%s'; want get, list, watch, create, update, patch, delete or "
                "deletecollection",
                node->text);
}

static bool read_verb(struct reading *r, const struct yaml_node *node)
{
    bool ok = read_patterns(r, node, &r->rule.verb);

    for (size_t i = 0; i < r->rule.verb.count; i++)
        if (pattern_at(node, i)->kind == YAML_SCALAR)
            ok = check_verb(r, pattern_at(node, i)) && ok;
    return ok;
}

static bool read_resource(struct reading *r, const struct yaml_node *node)
{
    return read_patterns(r, node, &r->rule.resource);
}

static bool read_namespace(struct reading *r, const struct yaml_node *node)
{
    return read_patterns(r, node, &r->rule.namespace);
}

static bool read_object(struct reading *r, const struct yaml_node *node)
{
    return read_patterns(r, node, &r->rule.object);
}

static const struct key match_keys[] = {
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
    return read_count(r, node, 1, UINT64_MAX, &r->rule.nth);
}

static bool read_every(struct reading *r, const struct yaml_node *node)
{
    return read_count(r, node, 1, UINT64_MAX, &r->rule.every);
}

static bool read_limit(struct reading *r, const struct yaml_node *node)
{
    return read_count(r, node, 1, UINT64_MAX, &r->rule.count);
}

static bool read_from(struct reading *r, const struct yaml_node *node)
{
    return read_duration(r, node, &r->rule.from_us);
}

static bool read_until(struct reading *r, const struct yaml_node *node)
{
    if (!read_duration(r, node, &r->rule.until_us))
        return false;
    return r->rule.until_us > 0 || fail_at(r, node, "until must be after the start");
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
    return fail_at(r, node, "a number from 0 to 1 is wanted");
}

static bool read_seed(struct reading *r, const struct yaml_node *node)
{
    return read_count(r, node, 1, INT64_MAX, &r->rule.seed);
}

static const struct key when_keys[] = {
    {"seed",        read_seed       },
    {"nth",         read_nth        },
    {"every",       read_every      },
    {"probability", read_probability},
    {"from",        read_from       },
    {"until",       read_until      },
    {"count",       read_limit      },
};

/* --- do --- */

static bool read_action(struct reading *r, const struct yaml_node *node, enum fault_action action)
{
    r->rule.effect.action = action;
    r->actions++;
    return r->actions == 1 || fail_at(r, node, "a second action; a rule has one");
}

static bool read_refuse(struct reading *r, const struct yaml_node *node)
{
    return read_true(r, node) && read_action(r, node, FAULT_REFUSE);
}

static bool read_silent(struct reading *r, const struct yaml_node *node)
{
    return read_true(r, node) && read_action(r, node, FAULT_SILENT);
}

static bool read_drop_answer(struct reading *r, const struct yaml_node *node)
{
    return read_true(r, node) && read_action(r, node, FAULT_DROP_ANSWER);
}

static bool read_close_watch(struct reading *r, const struct yaml_node *node)
{
    return read_true(r, node) && read_action(r, node, FAULT_WATCH_CLOSE);
}

static bool read_stall_watch(struct reading *r, const struct yaml_node *node)
{
    return read_true(r, node) && read_action(r, node, FAULT_WATCH_STALL);
}

static bool read_swallow_event(struct reading *r, const struct yaml_node *node)
{
    return read_true(r, node) && read_action(r, node, FAULT_WATCH_SWALLOW);
}

static bool read_compact(struct reading *r, const struct yaml_node *node)
{
    r->rule.effect.compact = true;
    return read_true(r, node);
}

static bool read_status(struct reading *r, const struct yaml_node *node)
{
    uint64_t status = 0;

    if (!read_count(r, node, 400, 599, &status))
        return false;
    r->rule.effect.status = (unsigned)status;
    return read_action(r, node, FAULT_STATUS);
}

static bool read_reason(struct reading *r, const struct yaml_node *node)
{
    return read_text(r, node, &r->rule.effect.reason);
}

static bool read_message(struct reading *r, const struct yaml_node *node)
{
    return read_text(r, node, &r->rule.effect.message);
}

static bool read_retry_after(struct reading *r, const struct yaml_node *node)
{
    uint64_t seconds = 0;

    if (!read_count(r, node, 1, RETRY_AFTER_SECONDS_MAX, &seconds))
        return false;
    r->rule.effect.retry_after_seconds = (int64_t)seconds;
    return true;
}

static bool read_cut(struct reading *r, const struct yaml_node *node)
{
    return read_count(r, node, 0, UINT64_MAX, &r->rule.effect.cut_at) &&
           read_action(r, node, FAULT_CUT);
}

static bool read_delay(struct reading *r, const struct yaml_node *node)
{
    return read_duration(r, node, &r->rule.effect.delay_us);
}

static bool read_revision(struct reading *r, const struct yaml_node *node)
{
    return read_count(r, node, 1, UINT64_MAX, &r->rule.effect.stale_revision);
}

static bool read_age(struct reading *r, const struct yaml_node *node)
{
    return read_duration(r, node, &r->rule.effect.stale_age_us);
}

static const struct key stale_keys[] = {
    {"revision", read_revision},
    {"age",      read_age     },
};

static bool read_stale(struct reading *r, const struct yaml_node *node)
{
    return read_mapping(r, node, stale_keys, ARRAY_SIZE(stale_keys)) &&
           read_action(r, node, FAULT_STALE);
}

static const struct key do_keys[] = {
    {"refuse",        read_refuse       },
    {"silent",        read_silent       },
    {"delay",         read_delay        },
    {"status",        read_status       },
    {"reason",        read_reason       },
    {"message",       read_message      },
    {"retry_after",   read_retry_after  },
    {"drop_answer",   read_drop_answer  },
    {"cut_at",        read_cut          },
    {"stale",         read_stale        },
    {"close_watch",   read_close_watch  },
    {"stall_watch",   read_stall_watch  },
    {"swallow_event", read_swallow_event},
    {"compact",       read_compact      },
};

/* --- rules --- */

static bool read_name(struct reading *r, const struct yaml_node *node)
{
    return read_text(r, node, &r->rule.name);
}

static bool read_match(struct reading *r, const struct yaml_node *node)
{
    return read_mapping(r, node, match_keys, ARRAY_SIZE(match_keys));
}

static bool read_when(struct reading *r, const struct yaml_node *node)
{
    return read_mapping(r, node, when_keys, ARRAY_SIZE(when_keys));
}

static bool read_do(struct reading *r, const struct yaml_node *node)
{
    const struct fault_effect *effect = &r->rule.effect;

    if (!read_mapping(r, node, do_keys, ARRAY_SIZE(do_keys)))
        return false;
    if (effect->action != FAULT_STATUS &&
        (effect->reason != NULL || effect->message != NULL || effect->retry_after_seconds != 0))
        return fail_at(r, node, "reason, message and retry_after go with a status");
    if (effect->action == FAULT_NONE)
        r->rule.effect.action = effect->delay_us > 0 ? FAULT_DELAY
                                : effect->compact    ? FAULT_COMPACT
                                                     : FAULT_NONE;
    return true;
}

static const struct key rule_keys[] = {
    {"name",  read_name },
    {"match", read_match},
    {"when",  read_when },
    {"do",    read_do   },
};

/* A rule that was read may still not make sense; a trial adds it nowhere else. */
static bool check(struct reading *r, const struct yaml_node *node)
{
    struct faults *trial = faults_new();
    struct error why = ERROR_INIT;
    bool ok = faults_add(trial, &r->rule, NULL, &why);

    faults_free(trial);
    return ok || fail(r, node->line, node->column, "%s", why.text);
}

bool fault_rule_parse_all(const struct yaml_node *node, struct fault_rule *ret_rule,
                          fault_mistake_fn *mistake, void *arg)
{
    struct reading r = {.mistake = mistake, .arg = arg};

    if (!read_mapping(&r, node, rule_keys, ARRAY_SIZE(rule_keys)) || !check(&r, node))
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
