/* A kept connection that the server closes just as the next request is sent: libcurl sends that
 * again by itself. Only what changes nothing may go out twice. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/live.h"

#define LOOK_US 500
#define PATIENCE_US (20 * US_PER_SECOND)

/* Answers the first request of a connection and keeps it; closes it when a second one comes. */
struct fickle {
    struct runtime *rt;
    int listen_fd;
    int fd;
    unsigned on_this;  /* requests on the connection that is open */
    unsigned requests; /* in all */
    struct timer *timer;
    bool unasked; /* sends one answer more than was asked for */
    bool sent_unasked;
};

static void answer_unasked(struct fickle *fickle)
{
    static const char answer[] = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";

    (void)send(fickle->fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
    fickle->sent_unasked = true;
}

static void look(void *arg)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    struct fickle *fickle = arg;
    char bytes[4096];
    ssize_t size;

    fickle->timer = runtime_after(fickle->rt, LOOK_US, look, fickle);
    if (fickle->fd < 0) {
        fickle->fd = accept(fickle->listen_fd, NULL, NULL);
        fickle->on_this = 0;
    }
    size = fickle->fd < 0 ? -1 : recv(fickle->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (size > 0 && ++fickle->requests > 0 && fickle->on_this++ == 0) {
        (void)send(fickle->fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
    } else if (size >= 0) {
        close(fickle->fd);
        fickle->fd = -1;
    } else if (fickle->unasked && !fickle->sent_unasked && fickle->on_this > 0) {
        answer_unasked(fickle);
    }
}

static uint16_t fickle_open(struct fickle *fickle, struct runtime *rt)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);

    *fickle = (struct fickle){.rt = rt, .fd = -1};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fickle->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fickle->listen_fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fickle->listen_fd, 8), 0);
    assert_int_equal(getsockname(fickle->listen_fd, (struct sockaddr *)&address, &size), 0);
    fickle->timer = runtime_after(rt, LOOK_US, look, fickle);
    return ntohs(address.sin_port);
}

struct outcome {
    bool ended;
    enum exchange_end end;
    unsigned status;
};

static void on_head(void *arg, const struct response_head *head)
{
    ((struct outcome *)arg)->status = head->status;
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct outcome *outcome = arg;

    (void)detail;
    outcome->ended = true;
    outcome->end = end;
}

static struct outcome fetch(struct live_runtime *live, const char *method, const char *url,
                            const char *body)
{
    static const struct exchange_events events = {on_head, NULL, on_end};
    const struct http_request request = {.method = method,
                                         .url = url,
                                         .body = body,
                                         .body_size = body == NULL ? 0 : strlen(body),
                                         .total_timeout_us = PATIENCE_US,
                                         .response_bytes_max = 1000};
    struct outcome outcome = {.ended = false};

    (void)runtime_request(live_runtime(live), &request, &events, &outcome);
    while (!outcome.ended)
        assert_true(live_step(live));
    return outcome;
}

static const struct row {
    const char *method;
    const char *body;
    enum exchange_end end;
    unsigned requests; /* with the one before that made the connection */
} rows[] = {
    {"GET",    NULL, EXCHANGE_COMPLETE, 3},
    {"HEAD",   NULL, EXCHANGE_COMPLETE, 3},
    {"POST",   "{}", EXCHANGE_RESET,    2},
    {"POST",   NULL, EXCHANGE_RESET,    2},
    {"PUT",    "{}", EXCHANGE_RESET,    2},
    {"PATCH",  "{}", EXCHANGE_RESET,    2},
    {"DELETE", NULL, EXCHANGE_RESET,    2},
};

static void test_resend(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct live_runtime *live = live_new(live_client());
        struct fickle fickle;
        uint16_t port = fickle_open(&fickle, live_runtime(live));
        char *url = xprintf("http://127.0.0.1:%u/", port);
        enum exchange_end end;

        assert_int_equal(fetch(live, "GET", url, NULL).end, EXCHANGE_COMPLETE);
        end = fetch(live, rows[i].method, url, rows[i].body).end;
        if (end != rows[i].end || fickle.requests != rows[i].requests)
            fail_msg("%s: %s after %u requests", rows[i].method, exchange_end_name(end),
                     fickle.requests);
        free(url);
        live_free(live);
        close(fickle.listen_fd);
        if (fickle.fd >= 0)
            close(fickle.fd);
    }
}

/* What lies there unread on a kept connection is no answer to the next request. */
static void test_unread(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct live_runtime *live = live_new(live_client());
        struct fickle fickle;
        uint16_t port = fickle_open(&fickle, live_runtime(live));
        char *url = xprintf("http://127.0.0.1:%u/", port);
        struct outcome outcome;

        fickle.unasked = true;
        assert_int_equal(fetch(live, "GET", url, NULL).status, 200);
        while (!fickle.sent_unasked)
            assert_true(live_step(live));
        outcome = fetch(live, rows[i].method, url, rows[i].body);
        if (outcome.end != EXCHANGE_COMPLETE || outcome.status != 200 || fickle.requests != 2)
            fail_msg("%s: %s, %u after %u requests", rows[i].method, exchange_end_name(outcome.end),
                     outcome.status, fickle.requests);
        free(url);
        live_free(live);
        close(fickle.listen_fd);
        if (fickle.fd >= 0)
            close(fickle.fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resend),
        cmocka_unit_test(test_unread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
