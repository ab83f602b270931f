#include "tests/unit/kube/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define TOLD_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define BODY_BYTES_MAX ((size_t)128 * 1024 * 1024)

/* One request on its way through the server. */
struct script_exchange {
    struct script *script;
    struct script_exchange *prev, *next;
    struct request *request;
    const struct request_head *head;
    struct buffer body;
    struct script_reply reply;
    struct timer *delay;
    struct buffer pending; /* of a stream: what the peer has not taken */
    struct buffer kept;    /* the body of an answer that is delayed */
    bool streaming, aside, ended, broken;
};

static const struct sim_link plain_link = {.latency_us = 0, .reset_after_bytes = -1};

void script_tell(struct script *script, const char *format, ...)
{
    va_list values;
    int64_t now_us = sim_now_us(script->sim);

    buffer_append_format(&script->told, "%lld.%03lld ", (long long)(now_us / US_PER_SECOND),
                         (long long)(now_us % US_PER_SECOND / US_PER_MS));
    va_start(values, format);
    buffer_append_format_list(&script->told, format, values);
    va_end(values);
    buffer_append_char(&script->told, '\n');
}

void script_check(struct script *script, const char *want)
{
    assert_string_equal(buffer_text(&script->told), want);
    buffer_clear(&script->told);
}

/* --- the server --- */

static enum body_pull pull(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct script_exchange *exchange = arg;
    size_t size = exchange->pending.size < room_size ? exchange->pending.size : room_size;

    if (size == 0) {
        if (exchange->broken)
            return BODY_RESET;
        return exchange->ended ? BODY_END : BODY_WAIT;
    }
    memcpy(room, exchange->pending.bytes, size);
    buffer_drop(&exchange->pending, size);
    *ret_size = size;
    return BODY_BYTES;
}

static void respond(struct script_exchange *exchange)
{
    static const struct body_source source = {pull};
    const struct script_reply *reply = &exchange->reply;
    const struct http_header headers[] = {
        {"Content-Type", text_or(reply->content_type, "application/json")},
        {"Retry-After",  text_or(reply->retry_after,  "")                },
    };
    struct http_response response = {
        .status = reply->status,
        .headers = headers,
        .header_count = reply->retry_after == NULL ? 1 : 2,
    };
    size_t size = reply->body_size > 0 ? reply->body_size : strlen(text_or(reply->body, ""));

    if (reply->stream) {
        buffer_append(&exchange->pending, reply->body, size);
        response.source = &source;
        response.source_arg = exchange;
        exchange->streaming = true;
        exchange->aside = reply->aside;
    } else {
        response.body = reply->body;
        response.body_size = size;
    }
    request_respond(exchange->request, &response);
}

/* The handler may use its text for the next answer before this one is sent. */
static void keep_body(struct script_exchange *exchange)
{
    struct script_reply *reply = &exchange->reply;
    const char *body = text_or(reply->body, "");

    buffer_append(&exchange->kept, body, reply->body_size > 0 ? reply->body_size : strlen(body));
    reply->body = buffer_text(&exchange->kept);
    reply->body_size = exchange->kept.size;
}

static void on_delay(void *arg)
{
    struct script_exchange *exchange = arg;

    exchange->delay = NULL;
    respond(exchange);
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct script_exchange *exchange = arg;

    buffer_append(&exchange->body, bytes, size);
}

static void on_body_end(void *arg)
{
    struct script_exchange *exchange = arg;
    struct script *script = exchange->script;
    const struct script_request request = {exchange->head->method, exchange->head->target,
                                           exchange->head, buffer_text(&exchange->body)};

    if (!script->quiet)
        script_tell(script, "%s %s%s%s", request.method, request.target,
                    exchange->body.size > 0 ? " " : "", request.body);
    exchange->reply = (struct script_reply){.status = 200};
    script->handle(script->arg, &request, &exchange->reply);
    if (exchange->reply.silent)
        return;
    if (exchange->reply.delay_us <= 0) {
        respond(exchange);
        return;
    }
    keep_body(exchange);
    exchange->delay =
        runtime_after(exchange->request->rt, exchange->reply.delay_us, on_delay, exchange);
}

static void exchange_free(struct script_exchange *exchange)
{
    timer_cancel(exchange->delay);
    DL_DELETE(exchange->script->exchanges, exchange);
    buffer_release(&exchange->body);
    buffer_release(&exchange->pending);
    buffer_release(&exchange->kept);
    free(exchange);
}

static void on_closed(void *arg, bool delivered)
{
    (void)delivered;
    exchange_free(arg);
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {on_body, on_body_end, on_closed};
    struct script *script = arg;
    struct script_exchange *exchange = xcalloc(1, sizeof(*exchange));

    exchange->script = script;
    exchange->request = request;
    exchange->head = head;
    exchange->body = BUFFER_INIT(BODY_BYTES_MAX);
    exchange->pending = BUFFER_INIT(BODY_BYTES_MAX);
    exchange->kept = BUFFER_INIT(BODY_BYTES_MAX);
    DL_APPEND(script->exchanges, exchange);
    request_accept(request, &events, exchange);
}

/* --- streams --- */

static struct script_exchange *open_stream(const struct script *script, bool aside)
{
    struct script_exchange *exchange, *found = NULL;

    DL_FOREACH (script->exchanges, exchange)
        if (exchange->streaming && exchange->aside == aside && !exchange->ended &&
            !exchange->broken)
            found = exchange;
    return found;
}

static struct script_exchange *must_have_stream(const struct script *script)
{
    struct script_exchange *exchange = open_stream(script, false);

    assert_non_null(exchange);
    return exchange;
}

static void write_to(struct script_exchange *exchange, const char *text)
{
    buffer_append_text(&exchange->pending, text);
    request_wake(exchange->request);
}

void script_write(struct script *script, const char *text)
{
    write_to(must_have_stream(script), text);
}

void script_write_aside(struct script *script, const char *text)
{
    struct script_exchange *exchange = open_stream(script, true);

    assert_non_null(exchange);
    write_to(exchange, text);
}

void script_end(struct script *script)
{
    struct script_exchange *exchange = must_have_stream(script);

    exchange->ended = true;
    request_wake(exchange->request);
}

void script_break(struct script *script)
{
    struct script_exchange *exchange = must_have_stream(script);

    exchange->broken = true;
    request_wake(exchange->request);
}

size_t script_open_count(const struct script *script)
{
    struct script_exchange *exchange;
    size_t count = 0;

    DL_FOREACH (script->exchanges, exchange)
        count++;
    return count;
}

/* --- the world --- */

static struct sim_process *start_process(struct sim *sim, const char *name,
                                         const struct sim_setting *settings, size_t setting_count)
{
    struct sim_process *process = sim_process_new(
        sim, &(struct sim_process_options){
                 .name = name, .settings = settings, .setting_count = setting_count});

    sim_process_start(process);
    assert_true(sim_run_until(sim, 0));
    return process;
}

static void listen_as_api(struct script *script)
{
    static const struct http_service service = {on_request};
    const struct listen_options options = {.address = "0.0.0.0", .port = 8001};
    struct error err = ERROR_INIT;

    if (!runtime_listen(sim_process_runtime(script->api), &options, &service, script,
                        &script->listener, &err))
        fail_msg("%s", err.text);
}

void script_init(struct script *script,
                 void (*handle)(void *arg, const struct script_request *request,
                                struct script_reply *reply),
                 void *arg)
{
    static const struct sim_setting settings[] = {
        {"KUBE_API_URL",   "http://api:8001"},
        {"KUBE_API_TOKEN", "s3cret-token"   }
    };
    const struct sim_options options = {.seed = 1, .start_wall_us = INT64_C(1709208000000000)};
    struct kube_config *config;
    struct error err = ERROR_INIT;

    *script = (struct script){.handle = handle, .arg = arg, .told = BUFFER_INIT(TOLD_BYTES_MAX)};
    script->sim = sim_new(&options);
    sim_set_default_link(script->sim, &plain_link);
    script->api = start_process(script->sim, "api", NULL, 0);
    script->ctl = start_process(script->sim, "ctl", settings, ARRAY_SIZE(settings));
    script->rt = sim_process_runtime(script->ctl);
    listen_as_api(script);
    if (!kube_config_load(script->rt, &(struct kube_config_options){0}, &config, &err))
        fail_msg("%s", err.text);
    script->kube = kube_new(script->rt, config, NULL);
}

void script_release(struct script *script)
{
    kube_free(script->kube);
    while (script->exchanges != NULL)
        exchange_free(script->exchanges);
    sim_free(script->sim);
    buffer_release(&script->told);
}

void script_run(struct script *script, double until_s)
{
    assert_true(sim_run_until(script->sim, (int64_t)(until_s * 1e6)));
}
