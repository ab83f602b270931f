/* Properties of the server as a whole: whatever is asked, every request ends, every answer in JSON
 * is JSON, and the server ends as it should.
 *
 * Input: requests, parted by lines "%%". The first line of each is "METHOD TARGET CONTENT-TYPE",
 * the rest its body; one that begins with '!' goes to the admin. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/fakeapi.h"
#include "fuzz/harness.h"
#include "scenarios/sim/sim.h"

/* Most requests of one input: what comes behind them is left. */
#define REQUESTS_MAX 16
#define ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)
/* Virtual time that one request may take; a watch and a silent fault are left then. */
#define PATIENCE_US (10 * US_PER_SECOND)
/* 2024-06-01T00:00:00Z */
#define START_US INT64_C(1717200000000000)

struct reply {
    struct exchange *exchange;
    struct buffer body;
    bool json;
    bool ended;
    bool whole;
};

static void on_head(void *arg, const struct response_head *head)
{
    struct reply *reply = arg;

    assert(head->status >= 200 && head->status <= 999);
    reply->json = text_equal(http_header_get(head->headers, head->header_count, "Content-Type"),
                             "application/json");
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct reply *reply = arg;

    buffer_append(&reply->body, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct reply *reply = arg;

    (void)detail;
    reply->exchange = NULL;
    reply->ended = true;
    reply->whole = end == EXCHANGE_COMPLETE;
}

static bool is_pending(void *arg)
{
    return !((const struct reply *)arg)->ended;
}

static void await(struct sim *sim, struct runtime *rt, const struct http_request *request)
{
    static const struct exchange_events events = {on_head, on_body, on_end};
    struct reply reply = {.body = BUFFER_INIT(ANSWER_BYTES_MAX)};

    reply.exchange = runtime_request(rt, request, &events, &reply);
    sim_run_while(sim, sim_now_us(sim) + PATIENCE_US, is_pending, &reply);
    if (reply.whole && reply.json && strcmp(request->method, "HEAD") != 0 &&
        strstr(request->url, "watch") == NULL)
        assert(json_check(reply.body.bytes, reply.body.size, ANSWER_BYTES_MAX, NULL));
    exchange_cancel(reply.exchange);
    buffer_release(&reply.body);
}

/* The word at *at, which moves behind it and the blank that ends it. */
static char *take_word(char **at)
{
    char *word = *at;
    size_t size = strcspn(word, " ");

    *at += size + (word[size] == ' ');
    word[size] = '\0';
    return word;
}

static void ask(struct sim *sim, struct sim_process *api, struct sim_process *client, char *text)
{
    bool admin = text[0] == '!';
    size_t line_size = strcspn(text, "\n");
    const char *body = text + line_size + (text[line_size] == '\n');
    char *at = text + admin;
    struct http_header type = {"Content-Type", NULL};
    struct http_request request = {.headers = &type,
                                   .header_count = 1,
                                   .body = body,
                                   .body_size = strlen(body),
                                   .response_bytes_max = ANSWER_BYTES_MAX};
    char *url;

    text[line_size] = '\0';
    request.method = take_word(&at);
    url = xprintf("http://%s%s", admin ? "127.0.0.1:81" : "api:80", take_word(&at));
    request.url = url;
    type.value = at;
    if (text_is_empty(at))
        request.header_count = 0;
    if (request.method[0] != '\0')
        await(sim, sim_process_runtime(admin ? api : client), &request);
    free(url);
}

static void ask_all(struct sim *sim, struct sim_process *api, struct sim_process *client,
                    char *text)
{
    for (int i = 0; i < REQUESTS_MAX && text != NULL; i++) {
        char *next = strstr(text, "\n%%\n");

        if (next != NULL) {
            *next = '\0';
            next += strlen("\n%%\n");
        }
        ask(sim, api, client, text);
        text = next;
    }
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    static const char *const flags[] = {"--listen",  "0.0.0.0:80", "--admin", "127.0.0.1:81",
                                        "--history", "50",         "--open"};
    static const struct sim_options options = {.seed = 1, .start_wall_us = START_US};
    static const struct sim_process_options api_options = {.name = "api",
                                                           .program = &fakeapi_program,
                                                           .arguments = flags,
                                                           .argument_count = ARRAY_SIZE(flags)};
    static const struct sim_process_options client_options = {.name = "client"};
    struct sim *sim = sim_new(&options);
    struct sim_process *api = sim_process_new(sim, &api_options);
    struct sim_process *client = sim_process_new(sim, &client_options);
    char *text = xmemdup(bytes, size);

    sim_process_start(api);
    sim_process_start(client);
    (void)sim_run_until(sim, sim_now_us(sim));
    ask_all(sim, api, client, text);
    sim_free(sim);
    free(text);
    return 0;
}
