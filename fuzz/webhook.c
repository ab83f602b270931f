/* Properties of webhook deliveries: without the right signature nothing is looked at; with it,
 * whatever headers and body say, either there is a constant reason, or an Agent whose name, labels
 * and parameters the API server can hold, which never gets the git credentials, and which the same
 * delivery does not start again once it is remembered. The input is header lines, an empty line and
 * the body; its first line is tried as a request's target, too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/spawner/delivery_memory.h"
#include "controller/spawner/spawn.h"
#include "controller/spawner/webhook_decide.h"
#include "fuzz/harness.h"

#define KEY "it-is-a-secret-to-everybody"
#define HEADERS_MAX 16
#define OBJECT_BYTES_MAX (16 * FUZZ_BYTES_MAX)

static const char spawner_text[] =
    "{\"metadata\":{\"name\":\"hook\",\"uid\":\"u\",\"resourceVersion\":\"1\"},\"spec\":{"
    "\"stationRef\":\"s\",\"parameters\":{\"git_credential\":\"c\",\"tone\":\"dry\",\"repo\":\"r\"}"
    ","
    "\"github\":{\"secretRef\":\"k\",\"events\":[\"issues.opened\",\"issues.labeled\",\"push\"]}}}";

static struct spawner *spawner_new(void)
{
    struct spawner *spawner = NULL;
    struct error err = ERROR_INIT;
    struct json_slice text = {spawner_text, sizeof(spawner_text) - 1};

    assert(spawner_read(text, &spawner, &err));
    return spawner;
}

/* Splits the text in place, up to an empty line; returns what is behind it. */
static char *split(char *text, struct http_header *headers, size_t *ret_count)
{
    while (*text != '\0' && *text != '\n' && *ret_count < HEADERS_MAX) {
        char *end = text + strcspn(text, "\n");
        char *colon;

        if (*end == '\n')
            *end++ = '\0';
        colon = strstr(text, ": ");
        if (colon != NULL) {
            *colon = '\0';
            headers[(*ret_count)++] = (struct http_header){text, colon + 2};
        }
        text = end;
    }
    return *text == '\n' ? text + 1 : text;
}

static void check_target(const char *target)
{
    struct webhook_target found;

    if (!webhook_target_read(target, &found))
        return;
    assert(text_is_dns_label(found.namespace_name));
    assert(found.spawner[0] != '\0' && found.spawner[0] != '.' && found.spawner[0] != '-');
}

static void check_object(const struct spawner *spawner, const struct webhook_decision *decision)
{
    const struct spawn spawn = {
        .spawner = spawner,
        .name = decision->agent,
        .delivery = decision->id,
        .target_repo = decision->target_repo,
        .parameters = decision->parameters,
        .parameter_count = decision->parameter_count,
    };
    struct buffer object = BUFFER_INIT(OBJECT_BYTES_MAX);
    struct error err = ERROR_INIT;

    spawn_write(&spawn, &object);
    assert(json_check(object.bytes, object.size, OBJECT_BYTES_MAX, &err));
    buffer_release(&object);
    for (size_t i = 0; i < decision->parameter_count; i++) {
        assert(!text_starts_with(decision->parameters[i].name, "git_credential"));
        assert(text_is_utf8(decision->parameters[i].value, strlen(decision->parameters[i].value)));
    }
    for (const char *at = decision->agent; *at != '\0'; at++)
        assert((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '-');
}

/* Remembered, it is a duplicate. */
static void check_again(const struct webhook_delivery *delivery, struct spawner *spawner,
                        const char *id)
{
    struct webhook_decision decision = {0};

    assert(delivery_remember(&(struct text_list){0}, &id, 1, 1, &spawner->deliveries));
    webhook_decide(delivery, spawner, KEY, sizeof(KEY) - 1, &decision);
    assert(decision.verdict == WEBHOOK_DUPLICATE);
    webhook_decision_release(&decision);
}

static void check_signed(const struct webhook_delivery *delivery)
{
    struct spawner *spawner = spawner_new();
    struct webhook_decision decision = {0};

    webhook_decide(delivery, spawner, KEY, sizeof(KEY) - 1, &decision);
    assert(decision.verdict != WEBHOOK_UNSIGNED);
    assert((decision.reason == NULL) ==
           (decision.verdict == WEBHOOK_CREATE || decision.verdict == WEBHOOK_DUPLICATE));
    if (decision.verdict == WEBHOOK_CREATE) {
        check_object(spawner, &decision);
        check_again(delivery, spawner, decision.id);
    }
    webhook_decision_release(&decision);
    spawner_free(spawner);
}

/* With another key nothing is said but that. */
static void check_unsigned(const struct webhook_delivery *delivery)
{
    struct spawner *spawner = spawner_new();
    struct webhook_decision decision = {0};

    webhook_decide(delivery, spawner, "another", 7, &decision);
    assert(decision.verdict == WEBHOOK_UNSIGNED && decision.reason == NULL);
    webhook_decision_release(&decision);
    spawner_free(spawner);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    char *text = xmemdup(bytes, size);
    struct http_header headers[HEADERS_MAX + 1];
    struct webhook_delivery delivery = {.headers = headers};
    size_t count = 0;
    uint8_t digest[SHA256_SIZE];
    char value[8 + SHA256_HEX_SIZE] = "sha256=";
    char *body = split(text, headers, &count);

    check_target(text);
    delivery.body = body;
    delivery.body_size = size - (size_t)(body - text);
    delivery.header_count = count;
    check_unsigned(&delivery);
    for (size_t i = 0; i < count; i++)
        if (text_equal_ignoring_case(headers[i].name, "X-Hub-Signature-256"))
            headers[i].name = "X-Other";
    digest_hmac_sha256(KEY, sizeof(KEY) - 1, delivery.body, delivery.body_size, digest);
    digest_hex(digest, sizeof(digest), value + strlen(value));
    headers[delivery.header_count++] = (struct http_header){"X-Hub-Signature-256", value};
    check_signed(&delivery);
    free(text);
    return 0;
}
