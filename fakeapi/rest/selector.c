/* selector - the two small grammars, and matching. */
#include "fakeapi/rest/selector.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/metadata.h"

/* Longest text about what is wrong with a selector. */
#define MESSAGE_BYTES_MAX ((size_t)256 * 1024)

static void release_requirements(struct requirement *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(items[i].key);
        for (size_t k = 0; k < items[i].value_count; k++)
            free(items[i].values[k]);
        free(items[i].values);
    }
    free(items);
}

void selector_release(struct selector *selector)
{
    release_requirements(selector->labels, selector->label_count);
    release_requirements(selector->fields, selector->field_count);
    *selector = (struct selector){0};
}

bool selector_is_empty(const struct selector *selector)
{
    return selector->label_count == 0 && selector->field_count == 0;
}

static void add_value(struct requirement *requirement, char *value)
{
    requirement->values = xrealloc(requirement->values,
                                   (requirement->value_count + 1) * sizeof(*requirement->values));
    requirement->values[requirement->value_count++] = value;
}

/* --- label selectors --- */

enum token { TOKEN_END, TOKEN_WORD, TOKEN_SYMBOL };

/* Where the parser stands: the token at hand. */
struct reader {
    const char *at;
    enum token token;
    const char *start; /* of the token */
    size_t size;
    struct rest_status *status;
};

static void next_token(struct reader *reader)
{
    static const char symbols[] = "!=<>(),";

    reader->at += strspn(reader->at, " \t\r\n");
    reader->start = reader->at;
    if (*reader->at == '\0') {
        reader->token = TOKEN_END;
        reader->size = 0;
    } else if (strchr(symbols, *reader->at) != NULL) {
        bool two = (*reader->at == '!' || *reader->at == '=') && reader->at[1] == '=';

        reader->token = TOKEN_SYMBOL;
        reader->size = two ? 2 : 1;
    } else {
        reader->token = TOKEN_WORD;
        reader->size = strcspn(reader->at, " \t\r\n!=<>(),");
    }
    reader->at += reader->size;
}

static bool is_token(const struct reader *reader, const char *text)
{
    return reader->token != TOKEN_END && strlen(text) == reader->size &&
           strncmp(reader->start, text, reader->size) == 0;
}

/* Where a requirement begins or ends. */
static bool refuse(struct reader *reader, const char *expected)
{
    return rest_status_bad_request(reader->status, "found '%.*s', expected: %s", (int)reader->size,
                                   reader->start, expected);
}

/* Within a requirement. */
static bool refuse_within(struct reader *reader, const char *expected)
{
    return rest_status_bad_request(
        reader->status, "unable to parse requirement: found '%.*s'%s expected: %s",
        (int)reader->size, reader->start, strcmp(expected, "'('") == 0 ? "" : ",", expected);
}

static char *take_word(struct reader *reader)
{
    char *word = xmemdup(reader->start, reader->size);

    next_token(reader);
    return word;
}

/* (a, b): one value at least, which may be empty. */
static bool read_set(struct reader *reader, struct requirement *requirement)
{
    bool first = true;

    if (!is_token(reader, "("))
        return refuse_within(reader, "'('");
    next_token(reader);
    for (;; first = false) {
        if (reader->token == TOKEN_WORD)
            add_value(requirement, take_word(reader));
        else if (is_token(reader, ",") || is_token(reader, ")"))
            add_value(requirement, xstrdup(""));
        else
            return refuse_within(reader, first ? "',', ')' or identifier" : "',', or identifier");
        if (is_token(reader, ")"))
            break;
        if (!is_token(reader, ","))
            return refuse_within(reader, "',' or ')'");
        next_token(reader);
    }
    next_token(reader);
    return true;
}

static bool read_one_value(struct reader *reader, struct requirement *requirement)
{
    if (reader->token == TOKEN_WORD)
        add_value(requirement, take_word(reader));
    else if (reader->token == TOKEN_END || is_token(reader, ","))
        add_value(requirement, xstrdup(""));
    else
        return refuse_within(reader, "identifier");
    return true;
}

static bool read_operator(struct reader *reader, struct requirement *requirement)
{
    static const struct {
        const char *token;
        enum selector_operator op;
        bool set;
    } operators[] = {
        {"=",     SELECT_IN,      false},
        {"==",    SELECT_IN,      false},
        {"!=",    SELECT_NOT_IN,  false},
        {"in",    SELECT_IN,      true },
        {"notin", SELECT_NOT_IN,  true },
        {">",     SELECT_GREATER, false},
        {"<",     SELECT_LESS,    false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
        if (!is_token(reader, operators[i].token))
            continue;
        requirement->op = operators[i].op;
        next_token(reader);
        return operators[i].set ? read_set(reader, requirement)
                                : read_one_value(reader, requirement);
    }
    return refuse_within(reader, "in, notin, =, ==, !=, gt, lt");
}

/* Sorted, as messages count them, each once. */
static void sort_values(struct requirement *requirement)
{
    size_t kept = 0;

    if (requirement->value_count == 0)
        return;
    qsort(requirement->values, requirement->value_count, sizeof(*requirement->values),
          text_compare_items);
    for (size_t i = 1; i < requirement->value_count; i++) {
        if (strcmp(requirement->values[i], requirement->values[kept]) == 0)
            free(requirement->values[i]);
        else
            requirement->values[++kept] = requirement->values[i];
    }
    requirement->value_count = kept + 1;
}

static void check_values(const struct requirement *requirement, struct field_errors *errors)
{
    bool number = requirement->op == SELECT_GREATER || requirement->op == SELECT_LESS;
    int64_t ignored;

    for (size_t i = 0; i < requirement->value_count; i++) {
        const char *value = requirement->values[i];
        char *path = xprintf("values[%zu]", i);
        char *keyed = xprintf("%s[%s]", path, requirement->key);

        if (number && !text_to_int64(value, &ignored))
            metadata_add_invalid(errors, path, value,
                                 "for 'Gt', 'Lt' operators, the value must be an integer");
        if (!metadata_is_label_value(value))
            metadata_add_invalid(errors, keyed, value, metadata_label_value_message);
        free(path);
        free(keyed);
    }
}

static bool refuse_invalid(struct reader *reader, struct field_errors *errors)
{
    struct buffer message = BUFFER_INIT(MESSAGE_BYTES_MAX);
    bool ok = errors->count == 0;

    if (!ok) {
        field_errors_append_message(errors, &message);
        rest_status_bad_request(reader->status, "unable to parse requirement: %s",
                                buffer_text(&message));
    }
    buffer_release(&message);
    field_errors_release(errors);
    return ok;
}

static bool check_key(struct reader *reader, const char *key)
{
    struct field_errors errors = FIELD_ERRORS_INIT;

    if (!metadata_is_qualified_name(key))
        metadata_add_invalid(&errors, "<nil>", key, metadata_qualified_name_message);
    return refuse_invalid(reader, &errors);
}

static bool read_requirement(struct reader *reader, struct requirement *requirement)
{
    struct field_errors errors = FIELD_ERRORS_INIT;
    bool absent = is_token(reader, "!");

    if (absent)
        next_token(reader);
    if (reader->token != TOKEN_WORD)
        return absent ? refuse_within(reader, "identifier")
                      : refuse(reader, "!, identifier, or 'end of string'");
    requirement->key = take_word(reader);
    if (!check_key(reader, requirement->key))
        return false;
    if (absent || reader->token == TOKEN_END || is_token(reader, ",")) {
        requirement->op = absent ? SELECT_ABSENT : SELECT_EXISTS;
        return true;
    }
    if (!read_operator(reader, requirement))
        return false;
    sort_values(requirement);
    check_values(requirement, &errors);
    return refuse_invalid(reader, &errors);
}

static struct requirement *grow(struct requirement **items, size_t *count)
{
    *items = xrealloc(*items, (*count + 1) * sizeof(**items));
    (*items)[*count] = (struct requirement){0};
    return &(*items)[(*count)++];
}

bool selector_parse_labels(const char *text, struct selector *selector, struct rest_status *status)
{
    struct reader reader = {.at = text, .status = status};

    if (text_is_empty(text))
        return true;
    next_token(&reader);
    while (reader.token != TOKEN_END) {
        if (selector->label_count == SELECTOR_REQUIREMENTS_MAX)
            return rest_status_bad_request(status, "more than %d requirements",
                                           SELECTOR_REQUIREMENTS_MAX);
        if (!read_requirement(&reader, grow(&selector->labels, &selector->label_count)))
            return false;
        if (reader.token == TOKEN_END)
            break;
        if (!is_token(&reader, ","))
            return refuse(&reader, "',' or 'end of string'");
        next_token(&reader);
        if (reader.token != TOKEN_WORD && !is_token(&reader, "!"))
            return refuse(&reader, "identifier after ','");
    }
    return true;
}

/* --- field selectors --- */

static bool refuse_field(const char *label, const struct kind *kind, struct rest_status *status)
{
    if (kind->flags & KIND_STRICT_FIELDS)
        return rest_status_bad_request(status,
                                       "\"%s\" is not a known field selector: only "
                                       "\"metadata.name\", \"metadata.namespace\"",
                                       label);
    if (kind->row != NULL && kind->row->selected_as != NULL)
        return rest_status_bad_request(status, "field label \"%s\" not supported for %s", label,
                                       kind->row->selected_as);
    return rest_status_bad_request(status, "field label not supported: %s", label);
}

static bool find_field(const struct kind *kind, struct requirement *requirement,
                       struct rest_status *status)
{
    if (strcmp(requirement->key, "metadata.name") == 0) {
        requirement->source = FIELD_OF_NAME;
        return true;
    }
    if (strcmp(requirement->key, "metadata.namespace") == 0 &&
        !(kind->flags & KIND_NO_NAMESPACE_FIELD)) {
        requirement->source = FIELD_OF_NAMESPACE;
        return true;
    }
    for (size_t i = 0; i < kind->field_count; i++) {
        if (strcmp(kind->fields[i].label, requirement->key) != 0)
            continue;
        requirement->source = FIELD_OF_KIND;
        requirement->field_index = i;
        requirement->missing = kind->fields[i].missing;
        return true;
    }
    return refuse_field(requirement->key, kind, status);
}

/* The value with its escapes undone; NULL after a 400. */
static char *unescape(const char *text, size_t size, struct rest_status *status)
{
    char *value = xmemdup(text, size);
    size_t used = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\') {
            i++;
            if (i == size || strchr("\\,=", text[i]) == NULL) {
                rest_status_bad_request(status,
                                        "invalid field selector: invalid escape sequence: \\%.*s",
                                        i == size ? 0 : 1, text + i);
                goto refused;
            }
        } else if (text[i] == '=') {
            rest_status_bad_request(
                status, "invalid field selector: unescaped character in value: %d", '=');
            goto refused;
        }
        value[used++] = text[i];
    }
    value[used] = '\0';
    return value;
refused:
    free(value);
    return NULL;
}

static size_t term_size(const char *text)
{
    size_t size = 0;

    while (text[size] != '\0' && text[size] != ',')
        size += text[size] == '\\' && text[size + 1] != '\0' ? 2 : 1;
    return size;
}

/* whole is the selector that the term is of. */
static bool read_term(const char *whole, const char *term, size_t size, const struct kind *kind,
                      struct requirement *requirement, struct rest_status *status)
{
    size_t at = 0;
    size_t operator_size = 1;
    char *value;

    while (at < size && term[at] != '=' && !(term[at] == '!' && term[at + 1] == '='))
        at++;
    if (at == size)
        return rest_status_bad_request(status, "invalid selector: '%s'; can't understand '%.*s'",
                                       whole, (int)size, term);
    requirement->op = term[at] == '!' ? SELECT_NOT_IN : SELECT_IN;
    if (at + 1 < size && term[at + 1] == '=')
        operator_size = 2;
    requirement->key = xmemdup(term, at);
    value = unescape(term + at + operator_size, size - at - operator_size, status);
    if (value == NULL)
        return false;
    add_value(requirement, value);
    return find_field(kind, requirement, status);
}

bool selector_parse_fields(const char *text, const struct kind *kind, struct selector *selector,
                           struct rest_status *status)
{
    const char *whole = text;

    while (text != NULL && *text != '\0') {
        size_t size = term_size(text);

        if (selector->field_count == SELECTOR_REQUIREMENTS_MAX)
            return rest_status_bad_request(status, "more than %d requirements",
                                           SELECTOR_REQUIREMENTS_MAX);
        if (size > 0 && !read_term(whole, text, size, kind,
                                   grow(&selector->fields, &selector->field_count), status))
            return false;
        text += size + (text[size] == ',');
    }
    return true;
}

/* --- matching --- */

static bool holds_value(const struct requirement *requirement, const char *value)
{
    for (size_t i = 0; i < requirement->value_count; i++)
        if (strcmp(requirement->values[i], value) == 0)
            return true;
    return false;
}

static bool compare_numbers(const struct requirement *requirement, const char *value)
{
    int64_t have;
    int64_t want;

    if (!text_to_int64(value, &have) || !text_to_int64(requirement->values[0], &want))
        return false;
    return requirement->op == SELECT_GREATER ? have > want : have < want;
}

/* value is NULL when there is none. */
static bool requirement_holds(const struct requirement *requirement, const char *value)
{
    switch (requirement->op) {
    case SELECT_EXISTS:
        return value != NULL;
    case SELECT_ABSENT:
        return value == NULL;
    case SELECT_IN:
        return value != NULL && holds_value(requirement, value);
    case SELECT_NOT_IN:
        return value == NULL || !holds_value(requirement, value);
    case SELECT_GREATER:
    case SELECT_LESS:
        return value != NULL && compare_numbers(requirement, value);
    }
    return false;
}

static const char *field_value(const struct requirement *requirement,
                               const struct store_object *object)
{
    const char *value;

    switch (requirement->source) {
    case FIELD_OF_NAME:
        return object->name;
    case FIELD_OF_NAMESPACE:
        return object->namespace;
    case FIELD_OF_KIND:
        break;
    }
    value = requirement->field_index < object->field_count
                ? object->fields[requirement->field_index]
                : "";
    return value[0] == '\0' ? requirement->missing : value;
}

bool selector_matches(const struct selector *selector, const struct store_object *object)
{
    for (size_t i = 0; i < selector->field_count; i++)
        if (!requirement_holds(&selector->fields[i], field_value(&selector->fields[i], object)))
            return false;
    for (size_t i = 0; i < selector->label_count; i++)
        if (!requirement_holds(&selector->labels[i],
                               store_object_label(object, selector->labels[i].key)))
            return false;
    return true;
}

const char *selector_name(const struct selector *selector)
{
    for (size_t i = 0; i < selector->field_count; i++)
        if (selector->fields[i].source == FIELD_OF_NAME && selector->fields[i].op == SELECT_IN)
            return selector->fields[i].values[0];
    return NULL;
}
