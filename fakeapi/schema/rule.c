/* rule - x-kubernetes-validations: reading and compiling them (fakeapi/WIRE.md R19). */
#include "fakeapi/schema/rule.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Longest expression that is repeated in an error. */
#define SHOWN_BYTES_MAX (2 * CEL_BYTES_MAX)

static void say(struct path *path, const char *member, struct field_errors *errors,
                enum field_error_type type, const char *body)
{
    size_t here = path_member(path, member);

    field_errors_add(errors, type, path->text, "%s", body);
    path_back(path, here);
}

static void append_text(struct buffer *body, const char *name, const struct json_object *from,
                        const char *member)
{
    const char *text = text_or(json_get_text(from, member), "");

    buffer_append_format(body, "%s:", name);
    field_error_append_quoted(body, text);
    buffer_append_text(body, ", ");
}

/* A rule as Go shows its struct; what are pointers there only when they are nil. */
static void append_rule(struct buffer *body, const struct json_object *from)
{
    buffer_append_text(body, "apiextensions.ValidationRule{");
    append_text(body, "Rule", from, "rule");
    append_text(body, "Message", from, "message");
    append_text(body, "MessageExpression", from, "messageExpression");
    buffer_append_text(body, "Reason:(*apiextensions.FieldValueErrorReason)(nil), ");
    append_text(body, "FieldPath", from, "fieldPath");
    buffer_append_text(body, "OptionalOldSelf:(*bool)(nil)}");
}

/* The expression, and a mark where the error is. */
static void append_marked(struct buffer *body, const char *text, const char *error)
{
    size_t column;

    if (sscanf(error, "ERROR: <input>:1:%zu:", &column) != 1 || column == 0 ||
        column > strlen(text) + 1 || strpbrk(text, "\r\n") != NULL)
        return;
    buffer_append_format(body, "\n | %s\n | ", text);
    while (--column > 0)
        buffer_append_char(body, '.');
    buffer_append_char(body, '^');
}

static bool compile_expression(const struct json_object *from, const char *member,
                               enum cel_result result, bool root, struct path *path,
                               const struct schema *schema, struct cel_program **ret_program,
                               struct field_errors *errors)
{
    const char *text = json_get_text(from, member);
    struct buffer body = BUFFER_INIT(SHOWN_BYTES_MAX);
    struct error err = ERROR_INIT;

    if (text_is_empty(text)) {
        say(path, member, errors, FIELD_REQUIRED, "Required value: is not specified");
        return false;
    }
    if (cel_compile(text, schema, root, result, ret_program, &err))
        return true;
    buffer_append_text(&body, "Invalid value: ");
    append_rule(&body, from);
    buffer_append_format(&body, ": compilation failed: %s", err.text);
    append_marked(&body, text, err.text);
    say(path, member, errors, FIELD_INVALID, buffer_text(&body));
    buffer_release(&body);
    return false;
}

static enum field_error_type reason_of(const struct json_object *from, struct path *path,
                                       struct field_errors *errors)
{
    static const enum field_error_type allowed[] = {FIELD_INVALID, FIELD_FORBIDDEN, FIELD_REQUIRED,
                                                    FIELD_DUPLICATE};
    const char *name = json_get_text(from, "reason");

    if (name == NULL)
        return FIELD_INVALID;
    for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
        if (text_equal(name, field_error_reason(allowed[i])))
            return allowed[i];
    say(path, "reason", errors, FIELD_NOT_SUPPORTED,
        "Unsupported value: supported values: \"FieldValueRequired\", \"FieldValueInvalid\", "
        "\"FieldValueForbidden\", \"FieldValueDuplicate\"");
    return FIELD_INVALID;
}

/* ".a.b", each a field that the schema knows. */
static const char *field_path_of(const struct json_object *from, const struct schema *schema,
                                 struct path *path, struct field_errors *errors)
{
    const char *text = json_get_text(from, "fieldPath");
    char *copy;
    char *next;

    if (text_is_empty(text))
        return "";
    copy = xstrdup(text);
    next = copy;
    while (schema != NULL && *next == '.') {
        char *name = next + 1;
        size_t size = strcspn(name, ".");
        bool last = name[size] == '\0';

        name[size] = '\0';
        schema = schema_member(schema, name);
        if (last)
            break;
        name[size] = '.';
        next = name + size;
    }
    if (schema == NULL || text[0] != '.') {
        say(path, "fieldPath", errors, FIELD_INVALID,
            "Invalid value: fieldPath must be a valid path to a field");
        text = "";
    }
    free(copy);
    return text;
}

static bool read_rule(const struct json_object *from, bool root, struct path *path,
                      const struct schema *schema, struct schema_rule *rule,
                      struct field_errors *errors)
{
    if (json_get_bool(from, "optionalOldSelf", false)) {
        say(path, "optionalOldSelf", errors, FIELD_NOT_SUPPORTED,
            "Unsupported value: true: this server knows rules with an old value only");
        return false;
    }
    if (!compile_expression(from, "rule", CEL_GIVES_BOOL, root, path, schema, &rule->program,
                            errors))
        return false;
    if (json_get(from, "messageExpression") != NULL &&
        !compile_expression(from, "messageExpression", CEL_GIVES_STRING, root, path, schema,
                            &rule->message_from, errors))
        return false;
    rule->text = xstrdup(json_get_text(from, "rule"));
    rule->message = xstrdup(json_get_text(from, "message"));
    rule->reason = reason_of(from, path, errors);
    rule->field_path = xstrdup(field_path_of(from, schema, path, errors));
    return true;
}

static void free_rule(struct schema_rule *rule)
{
    cel_free(rule->program);
    cel_free(rule->message_from);
    free(rule->text);
    free(rule->message);
    free(rule->field_path);
}

/* The old value of self cannot be found everywhere. */
static bool check_old_self(const struct schema_rule *rule, const char *uncorrelatable,
                           struct path *path, struct field_errors *errors)
{
    struct buffer body = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (uncorrelatable[0] == '\0' || !cel_uses_old_self(rule->program))
        return true;
    buffer_append_text(&body, "Invalid value: ");
    field_error_append_quoted(&body, rule->text);
    buffer_append_format(
        &body, ": oldSelf cannot be used on the uncorrelatable portion of the schema within %s",
        uncorrelatable);
    say(path, "rule", errors, FIELD_INVALID, buffer_text(&body));
    buffer_release(&body);
    return false;
}

void schema_read_rules(const struct json_object *from, bool root, const char *uncorrelatable,
                       struct path *path, struct schema *schema, struct field_errors *errors)
{
    struct json_object *rules = json_get_array(from, "x-kubernetes-validations");
    size_t count = rules == NULL ? 0 : json_object_array_length(rules);

    if (count > SCHEMA_RULES_MAX ||
        (rules == NULL && json_get(from, "x-kubernetes-validations") != NULL)) {
        say(path, "x-kubernetes-validations", errors, FIELD_INVALID,
            "Invalid value: must be a list of at most 100 rules");
        return;
    }
    if (count == 0)
        return;
    schema->rules = xcalloc(count, sizeof(*schema->rules));
    for (size_t i = 0; i < count; i++) {
        size_t here = path_numbered(path, "x-kubernetes-validations", i);
        struct schema_rule *rule = &schema->rules[schema->rule_count];

        if (read_rule(json_object_array_get_idx(rules, i), root, path, schema, rule, errors) &&
            check_old_self(rule, uncorrelatable, path, errors))
            schema->rule_count++;
        else
            free_rule(rule);
        path_back(path, here);
    }
}

void schema_free_rules(struct schema *schema)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        free_rule(&schema->rules[i]);
    free(schema->rules);
}
