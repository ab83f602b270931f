#include "controller/spawner/webhook_payload.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define SPACE " \t\r\n"

static struct json_slice trimmed(const char *bytes, size_t size)
{
    while (size > 0 && strchr(SPACE, bytes[0]) != NULL) {
        bytes++;
        size--;
    }
    while (size > 0 && strchr(SPACE, bytes[size - 1]) != NULL)
        size--;
    return (struct json_slice){bytes, size};
}

static void keep_if(struct json_slice *value, char first)
{
    if (!json_slice_begins(*value, first))
        *value = (struct json_slice){NULL, 0};
}

static bool is_short(struct json_slice object, const char *key)
{
    return object.bytes == NULL || json_slice_get(object, key).size <= WEBHOOK_TEXT_BYTES_MAX;
}

/* So that what is made of a body stays small beside it. */
static bool are_short(const struct webhook_payload *payload)
{
    return payload->action.size <= WEBHOOK_TEXT_BYTES_MAX && is_short(payload->issue, "number") &&
           is_short(payload->issue, "title") && is_short(payload->issue, "body") &&
           is_short(payload->issue, "html_url") && is_short(payload->repository, "full_name");
}

bool webhook_payload_read(const void *body, size_t size, struct webhook_payload *ret_payload,
                          struct error *err)
{
    struct webhook_payload found = {0};
    const struct json_member members[] = {
        {"action",     &found.action    },
        {"issue",      &found.issue     },
        {"repository", &found.repository},
        {"label",      &found.label     },
    };
    struct json_slice object;

    if (!json_check(body, size, WEBHOOK_BODY_BYTES_MAX, err))
        return false;
    object = trimmed(body, size);
    if (!json_slice_begins(object, '{'))
        return error_set(err, ERROR_INVALID, "not an object");
    json_slice_find(object, members, ARRAY_SIZE(members));
    keep_if(&found.action, '"');
    keep_if(&found.issue, '{');
    keep_if(&found.repository, '{');
    keep_if(&found.label, '{');
    if (!are_short(&found))
        return error_set(err, ERROR_TOO_LARGE, "a text is longer than %zu bytes",
                         WEBHOOK_TEXT_BYTES_MAX);
    *ret_payload = found;
    return true;
}

char *webhook_payload_text(struct json_slice object, const char *key)
{
    char *text = object.bytes == NULL ? NULL : json_slice_text_mended(json_slice_get(object, key));

    return text == NULL ? xstrdup("") : text;
}

/* Whether an object's name is that. */
static bool is_named(struct json_slice object, const char *name)
{
    char *text = webhook_payload_text(object, "name");
    bool same = text_equal(text, name);

    free(text);
    return same;
}

bool webhook_payload_has_label(const struct webhook_payload *payload, bool just_added,
                               const char *label)
{
    struct json_slice labels;
    struct json_slice item;
    size_t next = 0;

    if (payload->issue.bytes == NULL)
        return false;
    if (just_added)
        return is_named(payload->label, label);
    labels = json_slice_get(payload->issue, "labels");
    if (!json_slice_begins(labels, '['))
        return false;
    while (json_slice_next(labels, &next, &item))
        if (json_slice_begins(item, '{') && is_named(item, label))
            return true;
    return false;
}

/* The number's digits as they stand; "" for what is no integer. */
static char *number_text(struct json_slice object, const char *key)
{
    struct json_slice value = json_slice_get(object, key);
    size_t sign = json_slice_begins(value, '-');

    if (value.bytes == NULL)
        return xstrdup("");
    for (size_t i = sign; i < value.size; i++)
        if (value.bytes[i] < '0' || value.bytes[i] > '9')
            return xstrdup("");
    return xmemdup(value.bytes, value.size);
}

struct parameters {
    struct agent_parameter *items;
    size_t count;
};

/* Sets one, in the place of one of that name. Takes ownership of value. */
static void set(struct parameters *parameters, const char *name, char *value)
{
    for (size_t i = 0; i < parameters->count; i++) {
        if (text_equal(parameters->items[i].name, name)) {
            free(parameters->items[i].value);
            parameters->items[i].value = value;
            return;
        }
    }
    parameters->items[parameters->count++] =
        (struct agent_parameter){.name = xstrdup(name), .value = value};
}

static bool is_credential(const char *name)
{
    return text_equal(name, "git_credential") || text_equal(name, "git_credential_url");
}

/* How many overlay() may add. */
#define OVERLAY_COUNT 5

static void overlay(struct parameters *parameters, const struct webhook_payload *payload)
{
    struct json_slice issue = payload->issue;

    if (issue.bytes != NULL) {
        set(parameters, "issue_number", number_text(issue, "number"));
        set(parameters, "issue_title", webhook_payload_text(issue, "title"));
        set(parameters, "issue_body", webhook_payload_text(issue, "body"));
        set(parameters, "issue_url", webhook_payload_text(issue, "html_url"));
    }
    if (payload->repository.bytes != NULL)
        set(parameters, "repo", webhook_payload_text(payload->repository, "full_name"));
}

void webhook_payload_parameters(const struct webhook_payload *payload,
                                const struct agent_parameter *own, size_t own_count,
                                struct agent_parameter **ret_items, size_t *ret_count)
{
    struct parameters made = {
        .items = xcalloc(own_count + OVERLAY_COUNT, sizeof(*made.items)),
    };

    for (size_t i = 0; i < own_count; i++)
        if (!is_credential(own[i].name))
            made.items[made.count++] = (struct agent_parameter){.name = xstrdup(own[i].name),
                                                                .value = xstrdup(own[i].value)};
    overlay(&made, payload);
    *ret_items = made.items;
    *ret_count = made.count;
}
