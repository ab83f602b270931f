#include "controller/spawner/webhook_decide.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "controller/base/digest.h"
#include "controller/base/text.h"
#include "controller/spawner/delivery_memory.h"
#include "controller/spawner/spawn.h"

#define DELIVERY_ID_BYTES_MAX 63

/* --- step 0: the path --- */

/* Copies up to the next '/' or the end; NULL when it is empty or longer than the room. */
static const char *take_segment(const char *at, char *into, size_t room)
{
    size_t size = strcspn(at, "/?");

    if (size == 0 || size >= room)
        return NULL;
    memcpy(into, at, size);
    into[size] = '\0';
    return at + size;
}

static const char *skip_text(const char *at, const char *text)
{
    return at != NULL && text_starts_with(at, text) ? at + strlen(text) : NULL;
}

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* The reference pattern of RULES.md 1: labels between dots, no '-' at their ends. */
static bool is_reference(const char *name)
{
    for (size_t i = 0; name[i] != '\0'; i++) {
        char before = i == 0 ? '.' : name[i - 1];
        char after = name[i + 1] == '\0' ? '.' : name[i + 1];

        if (is_lower_or_digit(name[i]))
            continue;
        if (name[i] == '-'
                ? before == '.' || after == '.'
                : name[i] != '.' || !is_lower_or_digit(before) || !is_lower_or_digit(after))
            return false;
    }
    return name[0] != '\0';
}

bool webhook_target_read(const char *target, struct webhook_target *ret_target)
{
    struct webhook_target found;
    const char *at = skip_text(target, "/v1/namespaces/");

    if (at != NULL)
        at = take_segment(at, found.namespace_name, sizeof(found.namespace_name));
    at = skip_text(at, "/agentspawners/");
    if (at != NULL)
        at = take_segment(at, found.spawner, sizeof(found.spawner));
    at = skip_text(at, "/github");
    if (at == NULL || (*at != '\0' && *at != '?') || !text_is_dns_label(found.namespace_name) ||
        !is_reference(found.spawner))
        return false;
    *ret_target = found;
    return true;
}

/* --- step 3: the signature --- */

/* The only value of that name; NULL when there is none, or more than one. */
static const char *only_header(const struct webhook_delivery *delivery, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < delivery->header_count; i++) {
        if (!text_equal_ignoring_case(delivery->headers[i].name, name))
            continue;
        if (value != NULL)
            return NULL;
        value = delivery->headers[i].value;
    }
    return value;
}

static bool is_signed(const struct webhook_delivery *delivery, const void *key, size_t key_size)
{
    static const char prefix[] = "sha256=";
    const char *header = only_header(delivery, "X-Hub-Signature-256");
    uint8_t claimed[SHA256_SIZE];
    uint8_t right[SHA256_SIZE];

    if (header == NULL || !text_starts_with(header, prefix) ||
        !digest_from_hex(header + sizeof(prefix) - 1, claimed, sizeof(claimed)))
        return false;
    digest_hmac_sha256(key, key_size, delivery->body, delivery->body_size, right);
    return digest_equal(claimed, sizeof(claimed), right, sizeof(right));
}

/* --- step 4: headers and payload --- */

static bool is_form(const struct webhook_delivery *delivery)
{
    for (size_t i = 0; i < delivery->header_count; i++) {
        const struct http_header *header = &delivery->headers[i];
        static const char form[] = "application/x-www-form-urlencoded";

        if (text_equal_ignoring_case(header->name, "Content-Type") &&
            strncasecmp(header->value, form, sizeof(form) - 1) == 0)
            return true;
    }
    return false;
}

static bool is_delivery_id(const char *id)
{
    size_t size = strlen(id);

    if (size == 0 || size > DELIVERY_ID_BYTES_MAX || id[0] == '-' || id[size - 1] == '-')
        return false;
    for (size_t i = 0; i < size; i++)
        if (!is_lower_or_digit(id[i]) && !(id[i] >= 'A' && id[i] <= 'Z') && id[i] != '-')
            return false;
    return true;
}

/* What step 4 finds. */
struct reading {
    const char *event;
    const char *id;
    struct webhook_payload payload;
    char *action;     /* "" when there is none */
    char *repository; /* full_name, or "" */
};

static bool refuse(struct webhook_decision *decision, enum webhook_verdict verdict,
                   const char *reason)
{
    decision->verdict = verdict;
    decision->reason = reason;
    return false;
}

static bool read_delivery(const struct webhook_delivery *delivery, struct reading *reading,
                          struct webhook_decision *decision)
{
    reading->event = only_header(delivery, "X-GitHub-Event");
    reading->id = only_header(delivery, "X-GitHub-Delivery");
    if (is_form(delivery))
        return refuse(decision, WEBHOOK_UNSUPPORTED, "form-encoded: choose application/json");
    if (text_is_empty(reading->event))
        return refuse(decision, WEBHOOK_MALFORMED, "no X-GitHub-Event, or several");
    if (reading->id == NULL || !is_delivery_id(reading->id))
        return refuse(decision, WEBHOOK_MALFORMED, "X-GitHub-Delivery is no delivery id");
    if (!webhook_payload_read(delivery->body, delivery->body_size, &reading->payload, NULL))
        return refuse(decision, WEBHOOK_MALFORMED, "the body is no JSON object");
    reading->action = json_slice_text_mended(reading->payload.action);
    reading->repository = webhook_payload_text(reading->payload.repository, "full_name");
    return true;
}

/* --- steps 5 to 6a --- */

static bool is_event(const char *wanted, const char *event, const char *action)
{
    const char *rest = skip_text(wanted, event);

    if (rest == NULL || text_is_empty(action))
        return rest != NULL && *rest == '\0';
    return *rest == '.' && text_equal(rest + 1, action);
}

static bool is_wanted(const struct text_list *events, const struct reading *reading)
{
    for (size_t i = 0; i < events->count; i++)
        if (is_event(events->items[i], reading->event, reading->action))
            return true;
    return false;
}

/* Why nothing is to be done; NULL when something is. */
static const char *why_ignored(const struct spawner *spawner, const struct reading *reading)
{
    const struct spawner_github *github = spawner->github;
    bool just_added = is_event("issues.labeled", reading->event, reading->action);

    if (spawner->suspend)
        return "suspended";
    if (!is_wanted(&github->events, reading))
        return "event";
    if (github->repository[0] != '\0' &&
        !text_equal_ignoring_case(github->repository, reading->repository))
        return "repository";
    if (github->label[0] != '\0' &&
        !webhook_payload_has_label(&reading->payload, just_added, github->label))
        return "label";
    return NULL;
}

static void judge(const struct spawner *spawner, struct reading *reading,
                  struct webhook_decision *decision)
{
    const char *ignored = why_ignored(spawner, reading);

    decision->id = reading->id;
    if (ignored != NULL) {
        refuse(decision, WEBHOOK_IGNORED, ignored);
        return;
    }
    spawn_delivery_name(spawner->name, reading->id, decision->agent);
    if (delivery_is_known(&spawner->deliveries, reading->id)) {
        decision->verdict = WEBHOOK_DUPLICATE;
        return;
    }
    decision->verdict = WEBHOOK_CREATE;
    decision->target_repo = reading->repository;
    reading->repository = NULL;
    webhook_payload_parameters(&reading->payload, spawner->parameters, spawner->parameter_count,
                               &decision->parameters, &decision->parameter_count);
}

void webhook_decide(const struct webhook_delivery *delivery, const struct spawner *spawner,
                    const void *key, size_t key_size, struct webhook_decision *ret_decision)
{
    struct webhook_decision decision = {.verdict = WEBHOOK_UNSIGNED};
    struct reading reading = {0};

    if (is_signed(delivery, key, key_size) && read_delivery(delivery, &reading, &decision))
        judge(spawner, &reading, &decision);
    free(reading.action);
    free(reading.repository);
    *ret_decision = decision;
}

void webhook_decision_release(struct webhook_decision *decision)
{
    parameters_free(decision->parameters, decision->parameter_count);
    free(decision->target_repo);
    *decision = (struct webhook_decision){0};
}
