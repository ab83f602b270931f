/* metadata - names, labels, annotations, owners and finalizers. */
#include "fakeapi/rest/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"

/* Kubernetes' limits. */
#define SUBDOMAIN_MAX 253
#define LABEL_MAX 63
#define ANNOTATIONS_BYTES_MAX ((size_t)262144)
/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)

const char metadata_subdomain_message[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
static const char label_message[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const char metadata_dns1035_message[] =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const char metadata_label_value_message[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const char metadata_qualified_name_message[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/* --- alphabets --- */

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alphanumeric(char c)
{
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? over size characters. */
static bool is_label_of(const char *text, size_t size)
{
    if (size == 0 || !is_lower_or_digit(text[0]) || !is_lower_or_digit(text[size - 1]))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!is_lower_or_digit(text[i]) && text[i] != '-')
            return false;
    return true;
}

static bool has_subdomain_form(const char *text)
{
    for (;;) {
        size_t size = strcspn(text, ".");

        if (!is_label_of(text, size))
            return false;
        if (text[size] == '\0')
            return true;
        text += size + 1;
    }
}

bool metadata_is_subdomain(const char *text)
{
    return strlen(text) <= SUBDOMAIN_MAX && has_subdomain_form(text);
}

bool metadata_is_label(const char *text)
{
    return strlen(text) <= LABEL_MAX && is_label_of(text, strlen(text));
}

const char *metadata_label_message(const char *text)
{
    return has_subdomain_form(text) ? "must not contain dots" : label_message;
}

bool metadata_is_dns1035(const char *text)
{
    return metadata_is_label(text) && text[0] >= 'a' && text[0] <= 'z';
}

/* [A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])? */
static bool has_name_form(const char *text)
{
    size_t size = strlen(text);

    if (size == 0 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[size - 1]))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!is_alphanumeric(text[i]) && strchr("-_.", text[i]) == NULL)
            return false;
    return true;
}

bool metadata_is_label_value(const char *text)
{
    return text[0] == '\0' || (strlen(text) <= LABEL_MAX && has_name_form(text));
}

bool metadata_is_qualified_name(const char *text)
{
    const char *slash = strchr(text, '/');
    char *prefix;
    bool ok;

    if (slash == NULL)
        return strlen(text) <= LABEL_MAX && has_name_form(text);
    prefix = xmemdup(text, (size_t)(slash - text));
    ok =
        metadata_is_subdomain(prefix) && strlen(slash + 1) <= LABEL_MAX && has_name_form(slash + 1);
    free(prefix);
    return ok;
}

/* --- adding errors --- */

void metadata_add_invalid_value(struct field_errors *errors, const char *path,
                                const struct json_object *value, const char *detail)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (field_errors_skip(errors))
        return;
    field_error_append_value(&shown, value);
    field_errors_add(errors, FIELD_INVALID, path, "Invalid value: %s: %s", buffer_text(&shown),
                     detail);
    buffer_release(&shown);
}

void metadata_add_invalid(struct field_errors *errors, const char *path, const char *value,
                          const char *detail)
{
    struct json_object *text = json_object_new_string(value);

    metadata_add_invalid_value(errors, path, text, detail);
    json_object_put(text);
}

/* --- names (C12, C13) --- */

static void check_subdomain(const char *name, struct field_errors *errors)
{
    if (strlen(name) > SUBDOMAIN_MAX)
        metadata_add_invalid(errors, "metadata.name", name, "must be no more than 253 characters");
    if (!has_subdomain_form(name))
        metadata_add_invalid(errors, "metadata.name", name, metadata_subdomain_message);
}

static void check_short_name(const char *name, bool has_form, const char *message,
                             struct field_errors *errors)
{
    if (strlen(name) > LABEL_MAX)
        metadata_add_invalid(errors, "metadata.name", name, "must be no more than 63 characters");
    if (!has_form)
        metadata_add_invalid(errors, "metadata.name", name, message);
}

static void check_path_segment(const char *name, struct field_errors *errors)
{
    if (strcmp(name, ".") == 0)
        metadata_add_invalid(errors, "metadata.name", name, "may not be '.'");
    if (strcmp(name, "..") == 0)
        metadata_add_invalid(errors, "metadata.name", name, "may not be '..'");
    if (strchr(name, '/') != NULL)
        metadata_add_invalid(errors, "metadata.name", name, "may not contain '/'");
    if (strchr(name, '%') != NULL)
        metadata_add_invalid(errors, "metadata.name", name, "may not contain '%'");
}

static void check_name(const char *name, enum name_rule rule, struct field_errors *errors)
{
    size_t size;

    if (text_is_empty(name)) {
        field_errors_add(errors, FIELD_REQUIRED, "metadata.name",
                         "Required value: name or generateName is required");
        return;
    }
    size = strlen(name);
    switch (rule) {
    case NAME_SUBDOMAIN:
        check_subdomain(name, errors);
        break;
    case NAME_LABEL:
        check_short_name(name, is_label_of(name, size), metadata_label_message(name), errors);
        break;
    case NAME_DNS1035:
        check_short_name(name, is_label_of(name, size) && name[0] >= 'a' && name[0] <= 'z',
                         metadata_dns1035_message, errors);
        break;
    case NAME_PATH_SEGMENT:
        check_path_segment(name, errors);
        break;
    }
}

/* --- labels and annotations (C14) --- */

static void check_key(const char *path, const char *key, const char *shown,
                      struct field_errors *errors)
{
    if (!metadata_is_qualified_name(key))
        metadata_add_invalid(errors, path, shown, metadata_qualified_name_message);
}

static void check_labels(struct json_object *labels, struct field_errors *errors)
{
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (labels == NULL)
        return;
    at = json_object_iter_begin(labels);
    end = json_object_iter_end(labels);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        const char *value = text_or(json_text(json_object_iter_peek_value(&at)), "");

        check_key("metadata.labels", key, key, errors);
        if (!metadata_is_label_value(value))
            metadata_add_invalid(errors, "metadata.labels", value,
                                 strlen(value) > LABEL_MAX ? "must be no more than 63 characters"
                                                           : metadata_label_value_message);
    }
}

static void check_annotations(struct json_object *annotations, struct field_errors *errors)
{
    struct json_object_iterator at;
    struct json_object_iterator end;
    size_t total = 0;

    if (annotations == NULL)
        return;
    at = json_object_iter_begin(annotations);
    end = json_object_iter_end(annotations);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        char *lower = xstrdup(key);

        for (char *c = lower; *c != '\0'; c++)
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c + ('a' - 'A'));
        check_key("metadata.annotations", lower, key, errors);
        free(lower);
        total += strlen(key) + strlen(text_or(json_text(json_object_iter_peek_value(&at)), ""));
    }
    if (total > ANNOTATIONS_BYTES_MAX)
        field_errors_add(errors, FIELD_TOO_LONG, "metadata.annotations",
                         "Too long: may not be more than %zu bytes", ANNOTATIONS_BYTES_MAX);
}

/* --- owners and finalizers (C15, C16) --- */

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

/* As add_invalid_value, where the real server shows a struct or a typed list. */
static void add_invalid_go(struct field_errors *errors, const char *path,
                           void (*append)(struct buffer *shown, const struct json_object *value),
                           const struct json_object *value, const char *detail)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (field_errors_skip(errors))
        return;
    append(&shown, value);
    field_errors_add(errors, FIELD_INVALID, path, "Invalid value: %s: %s", buffer_text(&shown),
                     detail);
    buffer_release(&shown);
}

/* A pointer to a bool; where it points to is nobody's business. */
static void append_flag(struct buffer *shown, const struct json_object *owner, const char *key)
{
    buffer_append_text(shown,
                       json_get(owner, key) == NULL ? "(*bool)(nil)" : "(*bool)(0xc000000000)");
}

static void append_owner(struct buffer *shown, const struct json_object *owner)
{
    static const struct {
        const char *name;
        const char *key;
    } members[] = {
        {"APIVersion", "apiVersion"},
        {"Kind",       "kind"      },
        {"Name",       "name"      },
        {"UID",        "uid"       }
    };

    buffer_append_text(shown, "v1.OwnerReference{");
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        const char *text = text_or(json_get_text(owner, members[i].key), "");

        buffer_append_format(shown, "%s:", members[i].name);
        field_error_append_quoted(shown, text);
        buffer_append_text(shown, ", ");
    }
    buffer_append_text(shown, "Controller:");
    append_flag(shown, owner, "controller");
    buffer_append_text(shown, ", BlockOwnerDeletion:");
    append_flag(shown, owner, "blockOwnerDeletion");
    buffer_append_char(shown, '}');
}

static void append_owners(struct buffer *shown, const struct json_object *owners)
{
    buffer_append_text(shown, "[]v1.OwnerReference{");
    for (size_t i = 0; i < list_count(owners) && !shown->overflowed; i++) {
        if (i > 0)
            buffer_append_text(shown, ", ");
        append_owner(shown, json_object_array_get_idx(owners, i));
    }
    buffer_append_char(shown, '}');
}

static void check_owner(const struct json_object *owner, struct field_errors *errors)
{
    static const char path[] = "metadata.ownerReferences";
    static const struct {
        const char *key;
        const char *field;
        const char *message;
    } required[] = {
        {"apiVersion", "metadata.ownerReferences.apiVersion", "version must not be empty"},
        {"kind",       "metadata.ownerReferences.kind",       "kind must not be empty"   },
        {"name",       "metadata.ownerReferences.name",       "name must not be empty"   },
        {"uid",        "metadata.ownerReferences.uid",        "uid must not be empty"    },
    };

    for (size_t i = 0; i < ARRAY_SIZE(required); i++)
        if (text_is_empty(json_get_text(owner, required[i].key)))
            metadata_add_invalid(errors, required[i].field, "", required[i].message);
    if (text_equal(json_get_text(owner, "kind"), "Event") &&
        text_equal(json_get_text(owner, "apiVersion"), "v1"))
        add_invalid_go(errors, path, append_owner, owner,
                       "/v1, Kind=Event is disallowed from being an owner");
}

static void check_owners(const struct json_object *owners, struct field_errors *errors)
{
    const struct json_object *controller = NULL;

    for (size_t i = 0; i < list_count(owners); i++) {
        const struct json_object *owner = json_object_array_get_idx(owners, i);

        check_owner(owner, errors);
        if (!json_get_bool(owner, "controller", false))
            continue;
        if (controller != NULL) {
            char *detail = xprintf("Only one reference can have Controller set to true. Found "
                                   "\"true\" in references for %s/%s and %s/%s",
                                   text_or(json_get_text(controller, "kind"), ""),
                                   text_or(json_get_text(controller, "name"), ""),
                                   text_or(json_get_text(owner, "kind"), ""),
                                   text_or(json_get_text(owner, "name"), ""));

            add_invalid_go(errors, "metadata.ownerReferences", append_owners, owners, detail);
            free(detail);
        }
        controller = owner;
    }
}

static bool holds(const struct json_object *list, const char *text)
{
    for (size_t i = 0; i < list_count(list); i++)
        if (text_equal(json_text(json_object_array_get_idx(list, i)), text))
            return true;
    return false;
}

/* Those without a domain, but for what the server itself knows; Leases and custom kinds may. */
static void check_domains(const struct json_object *finalizers, struct field_errors *errors)
{
    for (size_t i = 0; i < list_count(finalizers); i++) {
        const char *name = text_or(json_text(json_object_array_get_idx(finalizers, i)), "");
        char *field;

        if (strchr(name, '/') != NULL || strcmp(name, "kubernetes") == 0 ||
            strcmp(name, "orphan") == 0 || strcmp(name, "foregroundDeletion") == 0)
            continue;
        field = xprintf("metadata.finalizers[%zu]", i);
        metadata_add_invalid(errors, field, name,
                             "name is neither a standard finalizer name nor is it fully qualified");
        free(field);
    }
}

static void check_finalizers(const struct json_object *finalizers, struct field_errors *errors)
{
    for (size_t i = 0; i < list_count(finalizers); i++) {
        const char *name = text_or(json_text(json_object_array_get_idx(finalizers, i)), "");

        if (!metadata_is_qualified_name(name))
            metadata_add_invalid(errors, "metadata.finalizers", name,
                                 metadata_qualified_name_message);
    }
    if (holds(finalizers, "orphan") && holds(finalizers, "foregroundDeletion"))
        add_invalid_go(errors, "metadata.finalizers", field_error_append_texts, finalizers,
                       "finalizer orphan and foregroundDeletion cannot be both set");
}

/* --- owners that are named twice (C15) --- */

struct owner {
    char *key; /* all that it says */
    size_t index;
    bool repeats;
};

static int compare_owners(const void *left, const void *right)
{
    const struct owner *a = left;
    const struct owner *b = right;
    int order = strcmp(a->key, b->key);

    if (order != 0)
        return order;
    return a->index < b->index ? -1 : 1;
}

static int compare_places(const void *left, const void *right)
{
    const struct owner *a = left;
    const struct owner *b = right;

    return a->index < b->index ? -1 : 1;
}

static char *owner_key(const struct json_object *owner)
{
    static const char *const keys[] = {"apiVersion", "kind",       "name",
                                       "uid",        "controller", "blockOwnerDeletion"};
    struct buffer text = BUFFER_INIT(SHOWN_BYTES_MAX);

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        json_append(&text, json_get(owner, keys[i]));
        buffer_append_char(&text, ',');
    }
    return buffer_take(&text, NULL);
}

static void drop_repeats(struct json_object *list, struct owner *owners, size_t count,
                         struct buffer *uids)
{
    qsort(owners, count, sizeof(*owners), compare_places);
    for (size_t i = 0; i < count; i++) {
        const char *uid = json_get_text(json_object_array_get_idx(list, i), "uid");

        if (owners[i].repeats)
            buffer_append_format(uids, "%s%s", uids->size > 0 ? ", " : "", text_or(uid, ""));
    }
    for (size_t i = count; i > 0; i--)
        if (owners[i - 1].repeats)
            json_object_array_del_idx(list, i - 1, 1);
}

void metadata_drop_repeated_owners(struct json_object *metadata, struct buffer *uids)
{
    struct json_object *list = json_get_array(metadata, "ownerReferences");
    size_t count = list_count(list);
    struct owner *owners;
    bool any = false;

    if (count < 2)
        return;
    owners = xcalloc(count, sizeof(*owners));
    for (size_t i = 0; i < count; i++)
        owners[i] = (struct owner){owner_key(json_object_array_get_idx(list, i)), i, false};
    qsort(owners, count, sizeof(*owners), compare_owners);
    for (size_t i = 1; i < count; i++) {
        owners[i].repeats = strcmp(owners[i].key, owners[i - 1].key) == 0;
        any = any || owners[i].repeats;
    }
    if (any)
        drop_repeats(list, owners, count, uids);
    for (size_t i = 0; i < count; i++)
        free(owners[i].key);
    free(owners);
}

void metadata_check(const struct json_object *metadata, const struct kind *kind,
                    struct field_errors *errors)
{
    check_name(json_get_text(metadata, "name"), kind->name_rule, errors);
    if (json_get_int64(metadata, "generation", 0) < 0)
        metadata_add_invalid_value(errors, "metadata.generation", json_get(metadata, "generation"),
                                   "must be greater than or equal to 0");
    check_labels(json_get_object(metadata, "labels"), errors);
    check_annotations(json_get_object(metadata, "annotations"), errors);
    check_owners(json_get_array(metadata, "ownerReferences"), errors);
    check_finalizers(json_get_array(metadata, "finalizers"), errors);
    if (kind->row != NULL && (kind->row->flags & KIND_FREE_FINALIZERS) == 0)
        check_domains(json_get_array(metadata, "finalizers"), errors);
}

/* --- updates (U6, U7) --- */

/* As a set is shown: each once, sorted. */
static void check_new_finalizers(const struct json_object *metadata, const struct json_object *old,
                                 struct field_errors *errors)
{
    const struct json_object *now = json_get_array(metadata, "finalizers");
    const struct json_object *before = json_get_array(old, "finalizers");
    struct json_object *known = json_object_new_object();
    struct json_object *set = json_object_new_object();
    struct buffer added = BUFFER_INIT(SHOWN_BYTES_MAX);
    struct sorted_keys names;

    for (size_t i = 0; i < list_count(before); i++)
        json_set_bool(known, text_or(json_text(json_object_array_get_idx(before, i)), ""), true);
    for (size_t i = 0; i < list_count(now); i++) {
        const char *name = text_or(json_text(json_object_array_get_idx(now, i)), "");

        if (json_get(known, name) == NULL)
            json_set_bool(set, name, true);
    }
    names = sorted_keys_of(set);
    for (size_t i = 0; i < names.count; i++) {
        if (i > 0)
            buffer_append_text(&added, ", ");
        field_error_append_quoted(&added, names.items[i]);
    }
    sorted_keys_release(&names);
    json_object_put(set);
    json_object_put(known);
    if (added.size > 0)
        field_errors_add(errors, FIELD_FORBIDDEN, "metadata.finalizers",
                         "Forbidden: no new finalizers can be added if the object is being "
                         "deleted, found new finalizers []string{%s}",
                         buffer_text(&added));
    buffer_release(&added);
}

/* "2030-01-01 00:00:00 +0000 UTC", as Go shows it. */
static void add_immutable_time(struct field_errors *errors, const char *path, const char *time)
{
    const char *rest = strchr(time, 'T');
    int date_size = rest == NULL ? 0 : (int)(rest - time);

    rest = rest == NULL ? time : rest + 1;
    field_errors_add(errors, FIELD_INVALID, path,
                     "Invalid value: %.*s %.*s +0000 UTC: field is immutable", date_size, time,
                     (int)strcspn(rest, "Z"), rest);
}

static void check_immutable(const struct json_object *metadata, const struct json_object *old,
                            struct field_errors *errors)
{
    static const struct {
        const char *key;
        const char *path;
    } immutable[] = {
        {"name",                       "metadata.name"                      },
        {"namespace",                  "metadata.namespace"                 },
        {"uid",                        "metadata.uid"                       },
        {"deletionTimestamp",          "metadata.deletionTimestamp"         },
        {"deletionGracePeriodSeconds", "metadata.deletionGracePeriodSeconds"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(immutable); i++) {
        const struct json_object *value = json_get(metadata, immutable[i].key);
        const char *time = json_get_text(metadata, "deletionTimestamp");

        if (json_equal(value, json_get(old, immutable[i].key)))
            continue;
        if (time != NULL && text_equal(json_text(value), time))
            add_immutable_time(errors, immutable[i].path, time);
        else
            metadata_add_invalid_value(errors, immutable[i].path, value, "field is immutable");
    }
}

void metadata_check_update(const struct json_object *metadata, const struct json_object *old,
                           int times, struct field_errors *errors)
{
    for (int i = 0; i < times; i++) {
        check_immutable(metadata, old, errors);
        if (json_get(old, "deletionTimestamp") != NULL)
            check_new_finalizers(metadata, old, errors);
    }
}
