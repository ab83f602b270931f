/* The decision on a webhook delivery with a body of 10 KiB, its HMAC included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/spawner/webhook_decide.h"

#define KEY "it-is-a-secret-to-everybody"
#define BODY_BYTES (10 * 1024)
#define ROUNDS 20000
/* Microseconds that a decision may take. */
#define BAR_US 80.0

static const char spawner_text[] =
    "{\"metadata\":{\"name\":\"hook\",\"uid\":\"u\",\"resourceVersion\":\"1\"},\"spec\":{"
    "\"stationRef\":\"s\",\"github\":{\"secretRef\":\"k\",\"events\":[\"issues.opened\"],"
    "\"label\":\"go\",\"repository\":\"octo/hello\"}}}";

static void make_body(struct buffer *body)
{
    buffer_append_text(body, "{\"action\":\"opened\",\"repository\":{\"full_name\":\"octo/hello\"},"
                             "\"sender\":{");
    for (size_t i = 0; body->size < BODY_BYTES - 3000; i++)
        buffer_append_format(body, "%s\"key_%zu\":\"https://api.github.com/users/octocat/%zu\"",
                             i == 0 ? "" : ",", i, i);
    buffer_append_text(body, "},\"issue\":{\"number\":7,\"title\":\"It breaks\",\"labels\":[{"
                             "\"name\":\"go\"}],\"html_url\":\"https://x/7\",\"body\":\"");
    while (body->size < BODY_BYTES - 3)
        buffer_append_char(body, body->size % 64 == 0 ? ' ' : 'x');
    buffer_append_text(body, "\"}}");
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double measure(const struct webhook_delivery *delivery, const struct spawner *spawner)
{
    double began_us = now_us();

    for (size_t i = 0; i < ROUNDS; i++) {
        struct webhook_decision decision = {0};

        webhook_decide(delivery, spawner, KEY, sizeof(KEY) - 1, &decision);
        if (decision.verdict != WEBHOOK_CREATE)
            abort();
        webhook_decision_release(&decision);
    }
    return (now_us() - began_us) / ROUNDS;
}

int main(void)
{
    struct buffer body = BUFFER_INIT(2 * (size_t)BODY_BYTES);
    struct spawner *spawner = NULL;
    uint8_t digest[SHA256_SIZE];
    char value[8 + SHA256_HEX_SIZE] = "sha256=";
    const struct http_header headers[] = {
        {"X-GitHub-Event",      "issues"                              },
        {"X-GitHub-Delivery",   "72d3162e-cc78-11e3-81ab-4c9367dc0958"},
        {"X-Hub-Signature-256", value                                 },
    };
    struct webhook_delivery delivery = {.headers = headers, .header_count = ARRAY_SIZE(headers)};
    double each_us;

    make_body(&body);
    delivery.body = body.bytes;
    delivery.body_size = body.size;
    digest_hmac_sha256(KEY, sizeof(KEY) - 1, body.bytes, body.size, digest);
    digest_hex(digest, sizeof(digest), value + strlen(value));
    if (!spawner_read((struct json_slice){spawner_text, sizeof(spawner_text) - 1}, &spawner, NULL))
        abort();
    each_us = measure(&delivery, spawner);
    printf("decision, body of %zu bytes: %.1f us (bar %.0f)\n", body.size, each_us, BAR_US);
    spawner_free(spawner);
    buffer_release(&body);
    return each_us > BAR_US;
}
