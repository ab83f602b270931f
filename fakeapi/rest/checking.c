/* checking - adding what is wrong with the fields of one object. */
#include "fakeapi/rest/checking.h"

#include <stdarg.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/metadata.h"
#include "fakeapi/schema/path.h"

/* Kubernetes' limits. */
#define PORT_MAX 65535
#define PORT_NAME_MAX 15
/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)

void checking_init(struct checking *c, const char *place, struct field_errors *errors)
{
    *c = (struct checking){.errors = errors, .place = place};
}

static void append_step(struct path *path, const struct checking_step *step)
{
    if (step == NULL)
        return;
    append_step(path, step->up);
    if (step->member == NULL)
        path_index(path, step->index);
    else if (step->map_key == NULL)
        path_member(path, step->member);
    else
        path_keyed(path, step->member, step->map_key);
}

void checking_add(struct checking *c, const char *key, enum field_error_type type,
                  const char *format, ...)
{
    struct buffer body = BUFFER_INIT(2 * SHOWN_BYTES_MAX);
    struct path path;
    va_list values;

    va_start(values, format);
    buffer_append_format_list(&body, format, values);
    va_end(values);
    path_init(&path, c->place);
    append_step(&path, c->at);
    if (key != NULL)
        path_member(&path, key);
    field_errors_add(c->errors, type, path.text, "%s", buffer_text(&body));
    buffer_release(&body);
}

void checking_required(struct checking *c, const char *key, const char *why)
{
    checking_add(c, key, FIELD_REQUIRED, "Required value%s%s", why == NULL ? "" : ": ",
                 text_or(why, ""));
}

void checking_forbidden(struct checking *c, const char *key, const char *why)
{
    checking_add(c, key, FIELD_FORBIDDEN, "Forbidden: %s", why);
}

void checking_invalid(struct checking *c, const char *key, const struct json_object *value,
                      const char *why)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (field_errors_skip(c->errors))
        return;
    field_error_append_value(&shown, value);
    checking_add(c, key, FIELD_INVALID, "Invalid value: %s: %s", buffer_text(&shown), why);
    buffer_release(&shown);
}

void checking_invalid_text(struct checking *c, const char *key, const char *value, const char *why)
{
    struct json_object *text = json_object_new_string(value);

    checking_invalid(c, key, text, why);
    json_object_put(text);
}

void checking_unsupported(struct checking *c, const char *key, const char *value,
                          const char *const *values, size_t count)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    field_error_append_quoted(&shown, value);
    buffer_append_text(&shown, ": supported values: ");
    for (size_t i = 0; i < count; i++)
        buffer_append_format(&shown, "%s\"%s\"", i == 0 ? "" : ", ", values[i]);
    checking_add(c, key, FIELD_NOT_SUPPORTED, "Unsupported value: %s", buffer_text(&shown));
    buffer_release(&shown);
}

static bool is_there(const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_string:
        return json_object_get_string_len(value) > 0;
    case json_type_array:
        return json_object_array_length(value) > 0;
    case json_type_object:
        return json_object_object_length(value) > 0;
    case json_type_int:
        return json_object_get_int64(value) != 0;
    default:
        return value != NULL;
    }
}

bool checking_is_there(struct checking *c, const struct json_object *object, const char *key)
{
    if (is_there(json_get(object, key)))
        return true;
    checking_required(c, key, NULL);
    return false;
}

void checking_one_of(struct checking *c, const struct json_object *object, const char *key,
                     const char *const *values, size_t count)
{
    const char *text = json_get_text(object, key);

    for (size_t i = 0; i < count; i++)
        if (text == NULL || strcmp(text, values[i]) == 0)
            return;
    checking_unsupported(c, key, text, values, count);
}

void checking_not_negative(struct checking *c, const struct json_object *object, const char *key)
{
    if (json_get_int64(object, key, 0) < 0)
        checking_invalid(c, key, json_get(object, key), "must be greater than or equal to 0");
}

void checking_port_number(struct checking *c, const struct json_object *object, const char *key)
{
    int64_t port = json_get_int64(object, key, 0);

    if (port < 1 || port > PORT_MAX)
        checking_invalid(c, key, json_get(object, key), "must be between 1 and 65535, inclusive");
}

bool checking_port_name(struct checking *c, const struct json_object *object, const char *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const struct json_object *value = json_get(object, key);
    const char *name = text_or(json_text(value), "");
    size_t size = strlen(name);
    size_t before = c->errors->count;

    if (size > PORT_NAME_MAX)
        checking_invalid(c, key, value, "must be no more than 15 characters");
    if (size == 0 || strspn(name, alphabet) < size)
        checking_invalid(c, key, value,
                         "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (strpbrk(name, letters) == NULL)
        checking_invalid(c, key, value, "must contain at least one letter (a-z)");
    if (strstr(name, "--") != NULL)
        checking_invalid(c, key, value, "must not contain consecutive hyphens");
    if (size > 0 && (name[0] == '-' || name[size - 1] == '-'))
        checking_invalid(c, key, value, "must not begin or end with a hyphen");
    return c->errors->count == before;
}

void checking_label(struct checking *c, const struct json_object *object, const char *key)
{
    const char *text = text_or(json_get_text(object, key), "");

    if (checking_is_there(c, object, key) && !metadata_is_label(text))
        checking_invalid(c, key, json_get(object, key), metadata_label_message(text));
}

bool checking_holds(const struct json_object *names, const char *text)
{
    return names != NULL && json_object_object_get_ex(names, text, NULL);
}

void checking_unique(struct checking *c, const char *key, const char *text,
                     struct json_object **names)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (*names == NULL)
        *names = json_object_new_object();
    if (!checking_holds(*names, text)) {
        json_set(*names, text, NULL);
        return;
    }
    field_error_append_quoted(&shown, text);
    checking_add(c, key, FIELD_DUPLICATE, "Duplicate value: %s", buffer_text(&shown));
    buffer_release(&shown);
}

void checking_each(struct checking *c, const struct json_object *object, const char *key,
                   void (*check)(struct checking *c, const struct json_object *item,
                                 const void *arg),
                   const void *arg)
{
    const struct json_object *value = json_get(object, key);
    const struct checking_step *here = c->at;
    struct checking_step member = {.up = here, .member = key};
    struct checking_step item = {.up = &member};

    if (json_is(value, json_type_object)) {
        c->at = &member;
        check(c, value, arg);
    } else if (json_is(value, json_type_array)) {
        for (; item.index < json_object_array_length(value); item.index++) {
            c->at = &item;
            check(c, json_object_array_get_idx(value, item.index), arg);
        }
    }
    c->at = here;
}
