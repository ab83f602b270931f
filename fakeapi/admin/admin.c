/* admin - the life of a request to the door: who may, which path, the body, the answer. */
#include "fakeapi/admin/admin.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/admin/parts.h"

/* Largest answer: a journal or a dump. */
#define ANSWER_BYTES_MAX ((size_t)1024 * 1024 * 1024)

/* --- answers --- */

static void respond(struct admin_call *call, unsigned status, const char *content_type,
                    const char *bytes, size_t size)
{
    const struct http_header headers[] = {
        {"Content-Type",           content_type},
        {"X-Content-Type-Options", "nosniff"   },
        {"Cache-Control",          "no-store"  },
    };
    const struct http_response response = {.status = status,
                                           .headers = headers,
                                           .header_count = ARRAY_SIZE(headers),
                                           .body = bytes,
                                           .body_size = size};

    call->answered = true;
    request_respond(call->request, &response);
}

void admin_answer(struct admin_call *call, unsigned status, struct json_object *tree)
{
    struct buffer body = BUFFER_INIT(ANSWER_BYTES_MAX);

    json_append_pretty(&body, tree);
    buffer_append_char(&body, '\n');
    respond(call, status, "application/json", body.bytes, body.size);
    buffer_release(&body);
    json_object_put(tree);
}

void admin_answer_text(struct admin_call *call, const char *content_type, const char *text,
                       size_t size)
{
    respond(call, 200, content_type, text, size);
}

void admin_answer_error(struct admin_call *call, const struct error *err)
{
    static const unsigned statuses[] = {
        [ERROR_USAGE] = 400,     [ERROR_MALFORMED] = 400, [ERROR_INVALID] = 400,
        [ERROR_TOO_LARGE] = 400, [ERROR_NOT_FOUND] = 404, [ERROR_EXISTS] = 400,
        [ERROR_CONFLICT] = 409,  [ERROR_GONE] = 410,      [ERROR_DENIED] = 403,
        [ERROR_INTERNAL] = 500,
    };
    struct json_object *tree = json_object_new_object();
    unsigned status = err->kind < ARRAY_SIZE(statuses) ? statuses[err->kind] : 0;

    json_set_text(tree, "error", err->text);
    admin_answer(call, status == 0 ? 500 : status, tree);
}

static void refuse(struct admin_call *call, unsigned status, const char *why)
{
    struct json_object *tree = json_object_new_object();

    json_set_text(tree, "error", why);
    admin_answer(call, status, tree);
}

/* --- who may --- */

static const char *header(const struct admin_call *call, const char *name)
{
    return http_header_get(call->head->headers, call->head->header_count, name);
}

static bool has_token(const struct admin_call *call)
{
    static const char scheme[] = "Bearer ";
    const char *given = text_or(header(call, "Authorization"), "");

    if (!text_starts_with(given, scheme))
        return false;
    given += sizeof(scheme) - 1;
    return digest_equal(given, strlen(given), call->admin->token, strlen(call->admin->token));
}

/* A name that a page from elsewhere could have made to lead here is none of ours. */
static bool is_for_us(const struct admin_call *call)
{
    const char *host = text_or(header(call, "Host"), "");
    size_t size = strcspn(host, host[0] == '[' ? "]" : ":");
    char *name = xmemdup(host, size);
    bool ours = text_equal(name, "localhost") || name[0] == '[' ||
                (size > 0 && strspn(name, "0123456789.") == size) || call->head->peer == NULL ||
                text_equal(call->head->peer, "unix");

    free(name);
    return ours;
}

static bool check_caller(struct admin_call *call)
{
    if (call->admin->token != NULL) {
        if (has_token(call))
            return true;
        refuse(call, 401, "a bearer token is wanted");
        return false;
    }
    if (header(call, "Origin") == NULL && is_for_us(call))
        return true;
    refuse(call, 403, "not for pages in a browser, nor under another name than this machine's");
    return false;
}

/* --- which path --- */

static bool path_matches(struct admin_call *call, const struct admin_path *path)
{
    size_t size = strlen(path->path);

    if (path->path[size - 1] != '*')
        return strcmp(path->path, call->target) == 0;
    if (strncmp(path->path, call->target, size - 1) != 0)
        return false;
    call->rest = call->target + size - 1;
    return true;
}

static void find_path(struct admin_call *call)
{
    bool known = false;

    for (size_t i = 0; i < admin_path_count; i++) {
        if (!path_matches(call, &admin_paths[i]))
            continue;
        known = true;
        if (strcmp(admin_paths[i].method, call->head->method) == 0) {
            call->path = &admin_paths[i];
            return;
        }
    }
    if (known)
        refuse(call, 405, "not with this method; GET / lists what there is");
    else
        refuse(call, 404, "no such path; GET / lists what there is");
}

/* --- the life of a request --- */

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct admin_call *call = arg;

    if (call->answered)
        return;
    buffer_append(&call->body, bytes, size);
    if (call->body.overflowed)
        refuse(call, 413, "the body is too large");
}

static void on_body_end(void *arg)
{
    struct admin_call *call = arg;

    if (!call->answered)
        call->path->serve(call);
}

static void call_free(struct admin_call *call)
{
    clock_forget(call->admin->clock, call);
    DL_DELETE(call->admin->calls, call);
    buffer_release(&call->body);
    free(call->target);
    free(call->query);
    free(call);
}

static void on_closed(void *arg, bool delivered)
{
    (void)delivered;
    call_free(arg);
}

static const struct request_events request_events = {on_body, on_body_end, on_closed};

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    struct admin *admin = arg;
    struct admin_call *call = xcalloc(1, sizeof(*call));
    size_t size = strcspn(head->target, "?");

    call->admin = admin;
    call->request = request;
    call->head = head;
    call->target = xmemdup(head->target, size);
    if (head->target[size] == '?')
        call->query = xstrdup(head->target + size + 1);
    DL_APPEND(admin->calls, call);
    request_accept(request, &request_events, call);
    if (check_caller(call))
        find_path(call);
    call->body = BUFFER_INIT(call->path == NULL ? 0 : call->path->body_bytes_max);
}

static const struct http_service service = {on_request};

const struct http_service *admin_service(void)
{
    return &service;
}

/* --- the door --- */

struct admin *admin_new(const struct admin_options *options)
{
    struct admin *admin = xcalloc(1, sizeof(*admin));

    admin->rt = options->rt;
    admin->clock = options->clock;
    admin->faults = options->faults;
    admin->token = xstrdup(options->token);
    admin->host = options->host;
    admin->host_arg = options->host_arg;
    admin->journal = journal_new();
    return admin;
}

void admin_free(struct admin *admin)
{
    if (admin == NULL)
        return;
    while (admin->calls != NULL)
        call_free(admin->calls);
    journal_free(admin->journal);
    free(admin->token);
    free(admin);
}

static void keep_note(void *arg, const struct rest_note *note)
{
    journal_add(arg, note);
}

void admin_set_parts(struct admin *admin, struct store *store, struct rest *rest)
{
    admin->store = store;
    admin->rest_api = rest;
    rest_set_journal(rest, keep_note, admin->journal);
}
