/* The decision on a webhook delivery with a body of 10 KiB, its HMAC included; and the receiver as
 * a process, against the API server as another: deliveries that create, and such as are refused for
 * their signature. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/spawner/webhook_decide.h"
#include "tests/bench/child.h"
#include "tests/bench/http_load.h"

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

static bool bench_decision(void)
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
    return each_us <= BAR_US;
}

/* --- the receiver --- */

#define HEALTH_PORT 18081
#define WEBHOOK_PORT 18083
#define PATH "/v1/namespaces/ai-agents/agentspawners/hook/github"
#define CONNECTIONS 64
#define CREATED_COUNT 5000
#define CREATED_BAR 1000.0
#define REFUSED_COUNT 50000
#define REFUSED_BAR 10000.0
#define FILE_SIZE 64

static const char small_body[] = "{\"action\":\"opened\"}";

static const char objects[] =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: agent-secrets, namespace: ai-agents}\n"
    "data: {k: aXQtaXMtYS1zZWNyZXQtdG8tZXZlcnlib2R5}\n---\n"
    "apiVersion: agents.re-cinq.com/v1beta1\nkind: AgentSpawner\n"
    "metadata: {name: hook, namespace: ai-agents}\n"
    "spec: {stationRef: nowhere, github: {secretRef: k, events: [issues.opened]}}\n";

static void make_delivery(void *arg, size_t index, struct buffer *out)
{
    const char *signature = arg;
    char *headers = xprintf("X-GitHub-Event: issues\r\nX-GitHub-Delivery: bench-%zu\r\n"
                            "X-Hub-Signature-256: sha256=%s\r\n",
                            index, signature);

    load_append_request(out, "POST", PATH, headers, small_body, sizeof(small_body) - 1);
    free(headers);
}

static bool bench_load(const char *what, const struct child *receiver, size_t count,
                       unsigned status, char *signature, double bar)
{
    const struct load load = {.port = WEBHOOK_PORT,
                              .connections = CONNECTIONS,
                              .count = count,
                              .status = status,
                              .make = make_delivery,
                              .arg = signature};
    double cpu_us = child_cpu_us(receiver);
    double seconds = load_run(&load, NULL);
    double rate;

    cpu_us = child_cpu_us(receiver) - cpu_us;
    rate = (double)count / (cpu_us / 1e6);
    printf("%s: %.0f a second, %.0f a second of its own processor time (bar %.0f)\n", what,
           (double)count / seconds, rate, bar);
    return rate >= bar;
}

static void start_api(struct child *api, const char *kubeconfig, const char *file)
{
    const char *argv[] = {"build/bin/fakeapi",
                          "--listen",
                          "127.0.0.1:0",
                          "--kubeconfig-out",
                          kubeconfig,
                          "--load",
                          "controller/deploy/crds",
                          "--load",
                          "controller/deploy/examples/00-namespace.yaml",
                          "--load",
                          file,
                          NULL};
    FILE *out = fopen(file, "w");

    bench_check(out != NULL && fputs(objects, out) >= 0 && fclose(out) == 0, "objects not written");
    child_start(api, argv);
    load_await_answer(child_read_port(api), "/readyz");
}

static void start_receiver(struct child *receiver, const char *kubeconfig)
{
    char port[FILE_SIZE];
    const char *argv[] = {"build/bin/agent-controller",
                          "--kubeconfig",
                          kubeconfig,
                          "--namespace",
                          "ai-agents",
                          "--health-port",
                          port,
                          NULL};

    snprintf(port, sizeof(port), "%d", HEALTH_PORT);
    setenv("WEBHOOKS_ENABLED", "true", 1);
    setenv("LOG_LEVEL", "error", 1);
    snprintf(port, sizeof(port), "%d", WEBHOOK_PORT);
    setenv("WEBHOOK_PORT", port, 1);
    snprintf(port, sizeof(port), "%d", HEALTH_PORT);
    child_start(receiver, argv);
    load_await_answer(HEALTH_PORT, "/readyz");
}

static bool bench_receiver(void)
{
    char kubeconfig[FILE_SIZE];
    char file[FILE_SIZE];
    char right[SHA256_HEX_SIZE];
    char wrong[SHA256_HEX_SIZE];
    uint8_t digest[SHA256_SIZE];
    struct child api;
    struct child receiver;
    bool ok;

    snprintf(kubeconfig, sizeof(kubeconfig), "build/bench/webhook-%d.kubeconfig", (int)getpid());
    snprintf(file, sizeof(file), "build/bench/webhook-%d.yaml", (int)getpid());
    digest_hmac_sha256(KEY, sizeof(KEY) - 1, small_body, sizeof(small_body) - 1, digest);
    digest_hex(digest, sizeof(digest), right);
    digest[0] ^= 1;
    digest_hex(digest, sizeof(digest), wrong);
    start_api(&api, kubeconfig, file);
    start_receiver(&receiver, kubeconfig);
    ok = bench_load("refused", &receiver, REFUSED_COUNT, 401, wrong, REFUSED_BAR);
    ok = bench_load("created", &receiver, CREATED_COUNT, 201, right, CREATED_BAR) && ok;
    child_stop(&receiver);
    child_stop(&api);
    (void)unlink(kubeconfig);
    (void)unlink(file);
    return ok;
}

int main(void)
{
    bool decision = bench_decision();
    bool receiver = bench_receiver();

    return !decision || !receiver;
}
