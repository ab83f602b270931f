/* seam - what the live runtime costs as a server, plain and over TLS: requests per second on kept
 * connections, memory for each sleeping watcher, and how soon one event has reached all of them.
 *
 * The server is this process, so its memory is its own; the clients are a child. Both share the
 * machine, so the requests per second are of the pair. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/certificate.h"
#include "controller/runtime/live.h"

#define WATCHERS 1000
#define ASKERS 32
#define ASK_US (3 * US_PER_SECOND)
#define LOOK_US (1 * US_PER_MS)
#define SMALL_BYTES 512
#define EVENT_BYTES 600
/* None may be cut by the idle limit, which passes more than once in this time. */
#define IDLE_LIMIT_US (1 * US_PER_SECOND)
#define SLEEP_US (3 * US_PER_SECOND)

static void check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench seam: %s\n", what);
    exit(1);
}

/* --- what parent and child tell each other: a letter each --- */

enum word {
    ASKED = 'q',   /* child: its requests are answered */
    ASLEEP = 'a',  /* child: every watcher has its head */
    REACHED = 'r', /* child: every watcher has it */
    LOST = 'l',    /* child: a watcher ended */
};

struct ends {
    int in;
    int out;
};

static void say(const struct ends *ends, enum word word)
{
    char letter = (char)word;

    check(write(ends->out, &letter, 1) == 1, "the other side is gone");
}

static bool hears(const struct ends *ends, enum word *ret_word)
{
    char letter;

    ssize_t size = read(ends->in, &letter, 1);

    check(size != 0, "the other side is gone");
    if (size < 0)
        return false;
    *ret_word = (enum word)letter;
    return true;
}

/* --- the child: clients --- */

struct clients {
    struct live_runtime *live;
    struct runtime *rt;
    struct ends ends;
    struct http_request request;
    char *url;
    uint64_t answered;
    unsigned under_way;
    bool asking;
    unsigned asleep;
    unsigned reached;
    struct exchange *watches[WATCHERS];
};

struct asker {
    struct clients *clients;
};

static void ask(struct asker *asker);

static void on_answer(void *arg, enum exchange_end end, const char *detail)
{
    struct asker *asker = arg;

    if (end != EXCHANGE_COMPLETE)
        fprintf(stderr, "%s\n", detail);
    check(end == EXCHANGE_COMPLETE, "a request failed");
    asker->clients->answered++;
    asker->clients->under_way--;
    if (asker->clients->asking)
        ask(asker);
}

static void ask(struct asker *asker)
{
    static const struct exchange_events events = {NULL, NULL, on_answer};

    asker->clients->under_way++;
    (void)runtime_request(asker->clients->rt, &asker->clients->request, &events, asker);
}

static void on_time(void *arg)
{
    *(bool *)arg = false;
}

static void run_askers(struct clients *clients, const char *name)
{
    struct asker askers[ASKERS];
    int64_t before_us = runtime_elapsed_us(clients->rt);
    int64_t took_us;

    clients->asking = true;
    for (size_t i = 0; i < ASKERS; i++) {
        askers[i].clients = clients;
        ask(&askers[i]);
    }
    runtime_after(clients->rt, ASK_US, on_time, &clients->asking);
    while (clients->asking)
        live_step(clients->live);
    took_us = runtime_elapsed_us(clients->rt) - before_us;
    printf("seam  %-6s requests/s %8.0f   (%d connections, %d byte answers)\n", name,
           (double)clients->answered * (double)US_PER_SECOND / (double)took_us, ASKERS,
           SMALL_BYTES);
    fflush(stdout);
    while (clients->under_way > 0) /* the last ones */
        live_step(clients->live);
}

static void on_watch_head(void *arg, const struct response_head *head)
{
    struct clients *clients = arg;

    check(head->status == 200, "a watch was refused");
    if (++clients->asleep == WATCHERS)
        say(&clients->ends, ASLEEP);
}

static void on_watch_body(void *arg, const void *bytes, size_t size)
{
    struct clients *clients = arg;

    (void)bytes;
    check(size == EVENT_BYTES, "an event came in pieces");
    if (++clients->reached == WATCHERS)
        say(&clients->ends, REACHED);
}

static void on_watch_end(void *arg, enum exchange_end end, const char *detail)
{
    struct clients *clients = arg;

    (void)end;
    fprintf(stderr, "a watch ended: %s\n", detail);
    say(&clients->ends, LOST);
}

static void run_watchers(struct clients *clients)
{
    static const struct exchange_events events = {on_watch_head, on_watch_body, on_watch_end};
    char *url = xprintf("%s?watch=1", clients->url);

    clients->request.url = url;
    for (size_t i = 0; i < WATCHERS; i++)
        clients->watches[i] = runtime_request(clients->rt, &clients->request, &events, clients);
    free(url);
    while (clients->reached < WATCHERS)
        live_step(clients->live);
}

static void run_child(const struct ends *ends, uint16_t port, const char *ca_pem)
{
    struct clients *clients = xcalloc(1, sizeof(*clients));
    struct tls_client tls = {.ca_pem = ca_pem};

    clients->live = live_new(live_client());
    clients->rt = live_runtime(clients->live);
    clients->ends = *ends;
    clients->url = xprintf("%s://127.0.0.1:%u/", ca_pem == NULL ? "http" : "https", port);
    clients->request = (struct http_request){.method = "GET",
                                             .url = clients->url,
                                             .tls = ca_pem == NULL ? NULL : &tls,
                                             .response_bytes_max = 1024 * 1024};
    run_askers(clients, ca_pem == NULL ? "plain" : "tls");
    say(ends, ASKED);
    run_watchers(clients);
    live_free(clients->live);
    free(clients->url);
    free(clients);
}

/* --- the parent: the server --- */

struct server {
    struct live_runtime *live;
    struct runtime *rt;
    struct ends ends;
    struct bytes *small;
    struct request *watches[WATCHERS];
    bool has_event[WATCHERS];
    size_t watch_count;
    enum word heard;
    bool done;
};

struct served {
    struct server *server;
    struct request *request;
    size_t watch;
};

static enum body_pull pull_event(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct served *served = arg;
    bool *has_event = &served->server->has_event[served->watch];

    (void)room_size;
    if (!*has_event)
        return BODY_WAIT;
    *has_event = false;
    memset(room, 'e', EVENT_BYTES);
    *ret_size = EVENT_BYTES;
    return BODY_BYTES;
}

static void on_closed(void *arg, bool delivered)
{
    (void)delivered;
    free(arg);
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {NULL, NULL, on_closed};
    static const struct body_source source = {pull_event};
    struct server *server = arg;
    struct served *served = xcalloc(1, sizeof(*served));
    struct http_response response = {.status = 200, .shared = server->small};

    served->server = server;
    served->request = request;
    request_accept(request, &events, served);
    if (text_equal(head->target, "/?watch=1")) {
        check(server->watch_count < WATCHERS, "too many watches");
        served->watch = server->watch_count++;
        server->watches[served->watch] = request;
        response.shared = NULL;
        response.source = &source;
        response.source_arg = served;
    }
    request_respond(request, &response);
}

static void on_look(void *arg)
{
    struct server *server = arg;

    runtime_after(server->rt, LOOK_US, on_look, server);
    (void)hears(&server->ends, &server->heard);
}

static void await(struct server *server, enum word word)
{
    while (server->heard != word) {
        check(server->heard != LOST, "a watcher was cut off");
        live_step(server->live);
    }
}

static void pass(struct server *server, int64_t time_us)
{
    bool waiting = true;

    runtime_after(server->rt, time_us, on_time, &waiting);
    while (waiting)
        live_step(server->live);
    check(server->heard != LOST, "a watcher was cut off");
}

static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    check(file != NULL && fscanf(file, "%*u %lu", &pages) == 1, "no /proc/self/statm");
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void run_parent(struct server *server, const char *name)
{
    double before;
    double after;
    int64_t woken_us;

    await(server, ASKED);
    before = resident_bytes();
    await(server, ASLEEP);
    after = resident_bytes();
    pass(server, SLEEP_US);
    woken_us = runtime_elapsed_us(server->rt);
    for (size_t i = 0; i < WATCHERS; i++) {
        server->has_event[i] = true;
        request_wake(server->watches[i]);
    }
    await(server, REACHED);
    printf("seam  %-6s %d sleeping watchers: %.1f KiB each; one event to all in %.1f ms\n", name,
           WATCHERS, (after - before) / 1024 / WATCHERS,
           (double)(runtime_elapsed_us(server->rt) - woken_us) / 1000);
    fflush(stdout);
}

static void serve(const struct ends *ends, const struct certificate *certificate)
{
    static const struct http_service service = {on_request};
    struct server *server = xcalloc(1, sizeof(*server));
    struct tls_server tls = {0};
    struct listen_options options = {.address = "127.0.0.1", .idle_timeout_us = IDLE_LIMIT_US};
    struct listener *listener = NULL;
    struct error err = ERROR_INIT;
    char *small = xcalloc(1, SMALL_BYTES);
    uint16_t port;

    if (certificate != NULL) {
        tls = (struct tls_server){certificate->certificate_pem, certificate->key_pem, NULL};
        options.tls = &tls;
    }
    memset(small, 's', SMALL_BYTES);
    server->small = bytes_new(small, SMALL_BYTES);
    server->live = live_new(live_client());
    server->rt = live_runtime(server->live);
    server->ends = *ends;
    (void)fcntl(ends->in, F_SETFL, O_NONBLOCK);
    check(runtime_listen(server->rt, &options, &service, server, &listener, &err), err.text);
    port = listener_port(listener);
    check(write(ends->out, &port, sizeof(port)) == (ssize_t)sizeof(port), "the child is gone");
    runtime_after(server->rt, LOOK_US, on_look, server);
    run_parent(server, certificate == NULL ? "plain" : "tls");
    listener_stop(listener);
    live_free(server->live);
    bytes_unref(server->small);
    free(small);
    free(server);
}

static void run_pair(const struct certificate *certificate, const char *ca_pem)
{
    int up[2];
    int down[2];
    uint16_t port = 0;
    int status = 0;
    pid_t child;

    check(pipe(up) == 0 && pipe(down) == 0, "no pipes");
    child = fork();
    check(child >= 0, "no child");
    if (child == 0) {
        const struct ends ends = {down[0], up[1]};

        check(read(down[0], &port, sizeof(port)) == (ssize_t)sizeof(port), "no port");
        run_child(&ends, port, ca_pem);
        _exit(0);
    }
    close(up[1]);
    close(down[0]);
    serve(&(const struct ends){up[0], down[1]}, certificate);
    check(waitpid(child, &status, 0) == child && status == 0, "the child failed");
    close(up[0]);
    close(down[1]);
}

/* Each pair in a process of its own, so that no memory that the other freed is used again. */
static void run_apart(const struct certificate *certificate, const char *ca_pem)
{
    int status = 0;
    pid_t child = fork();

    check(child >= 0, "no child");
    if (child == 0) {
        run_pair(certificate, ca_pem);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        exit(1);
}

static void issue(struct certificate *ret_authority, struct certificate *ret_server)
{
    static const char *const names[] = {"127.0.0.1"};
    struct certificate_options options = {.common_name = "authority",
                                          .not_after_us = INT64_C(4000000000) * US_PER_SECOND};
    struct error err = ERROR_INIT;

    check(certificate_issue(&options, NULL, ret_authority, &err), err.text);
    options.common_name = "server";
    options.names = names;
    options.name_count = ARRAY_SIZE(names);
    check(certificate_issue(&options, ret_authority, ret_server, &err), err.text);
}

int main(void)
{
    struct rlimit files;
    struct certificate authority;
    struct certificate server;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    issue(&authority, &server);
    run_apart(NULL, NULL);
    run_apart(&server, authority.certificate_pem);
    certificate_release(&server);
    certificate_release(&authority);
    return 0;
}
