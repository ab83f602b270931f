/* live_gate - refuses heads that two servers could read in two ways, before anybody acts on them.
 *
 * libmicrohttpd 0.9.75 takes two Content-Lengths, Content-Length next to chunked, two Hosts and
 * spaces in names, and it hides more: a NUL cuts a value short, a folded line is glued to the name
 * of its header, a bare line feed ends a line. What it hides shows in where its texts lie: it
 * parses in place, so in a clean head every name starts where the line before it ended. One thing
 * does not show: a NUL just before a bare line feed looks like CR LF; it means the same, too. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/runtime/live_server.h"

#define LINE_END_SIZE 2 /* CR LF, both made NUL by libmicrohttpd */
#define HEADERS_MAX 1024

struct walk {
    struct live_request *request;
    const char *expected; /* where the next line has to start */
    size_t text_size;     /* of names and values with their ends */
    size_t count;
    bool clean;
};

static bool is_name_character(char character)
{
    return isalnum((unsigned char)character) ||
           (character != '\0' && strchr("!#$%&'*+-.^_`|~", character) != NULL);
}

static bool is_name(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_name_character(text[i]))
            return false;
    return size > 0;
}

static bool is_value(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
            return false;
    return true;
}

/* Nothing but a colon (made NUL) and blanks between a name and its value. */
static bool is_gap(const char *from, const char *to)
{
    if (to <= from || *from != '\0')
        return false;
    for (from++; from < to; from++)
        if (*from != ' ' && *from != '\t')
            return false;
    return true;
}

static enum MHD_Result check_header(void *arg, enum MHD_ValueKind kind, const char *name,
                                    size_t name_size, const char *value, size_t value_size)
{
    struct walk *walk = arg;

    (void)kind;
    if (value == NULL)
        value = "";
    walk->clean = name == walk->expected && is_name(name, name_size) &&
                  is_gap(name + name_size, value) && is_value(value, value_size) &&
                  walk->count < HEADERS_MAX;
    walk->expected = value + value_size + LINE_END_SIZE;
    walk->text_size += name_size + value_size + 2;
    walk->count++;
    return walk->clean ? MHD_YES : MHD_NO;
}

static enum MHD_Result copy_header(void *arg, enum MHD_ValueKind kind, const char *name,
                                   size_t name_size, const char *value, size_t value_size)
{
    struct walk *walk = arg;
    struct live_request *request = walk->request;
    char *at = request->header_bytes + walk->text_size;
    struct http_header *header = &request->headers[walk->count++];

    (void)kind;
    while (value_size > 0 && (value[value_size - 1] == ' ' || value[value_size - 1] == '\t'))
        value_size--;
    memcpy(at, name, name_size); /* the buffer is zeroed: ends are there */
    memcpy(at + name_size + 1, value, value_size);
    header->name = at;
    header->value = at + name_size + 1;
    walk->text_size += name_size + value_size + 2;
    return MHD_YES;
}

static bool check_request_line(const struct live_request *request, const char *method_at,
                               const char *version_at)
{
    const char *target = request->target;

    for (const char *at = target; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7f)
            return false;
    return is_name(method_at, strlen(method_at)) &&
           request->target_at == method_at + strlen(method_at) + 1 &&
           version_at == request->target_at + request->target_size + 1 &&
           (*target == '/' || text_equal(target, "*") || text_starts_with(target, "http://") ||
            text_starts_with(target, "https://"));
}

static size_t count_headers(const struct live_request *request, const char *name,
                            const char **ret_value)
{
    size_t count = 0;

    for (size_t i = 0; i < request->head.header_count; i++) {
        if (!text_equal_ignoring_case(request->headers[i].name, name))
            continue;
        *ret_value = request->headers[i].value;
        count++;
    }
    return count;
}

static bool is_length(const char *text)
{
    uint64_t length;

    return isdigit((unsigned char)*text) && text_to_uint64(text, &length) &&
           length <= (uint64_t)INT64_MAX;
}

/* One Host; one Content-Length or chunked, never both; no other coding. */
static bool check_framing(struct live_request *request)
{
    const char *host = "";
    const char *length = NULL;
    const char *coding = NULL;
    size_t hosts = count_headers(request, "Host", &host);
    size_t lengths = count_headers(request, "Content-Length", &length);
    size_t codings = count_headers(request, "Transfer-Encoding", &coding);

    if (hosts > 1 || (hosts == 0 && !request->http_10) || strpbrk(host, " \t,/@?#") != NULL)
        return false;
    if (lengths > 1 || codings > 1 || (lengths == 1 && codings == 1))
        return false;
    if (length != NULL && !is_length(length))
        return false;
    if (coding != NULL && (request->http_10 || !text_equal_ignoring_case(coding, "chunked")))
        return false;
    request->has_body = coding != NULL || (length != NULL && strspn(length, "0") < strlen(length));
    return true;
}

static void copy_headers(struct live_request *request, struct MHD_Connection *mhd,
                         const struct walk *checked)
{
    struct walk walk = {.request = request};

    request->headers = xcalloc(checked->count, sizeof(*request->headers));
    request->header_bytes = xcalloc(1, checked->text_size);
    (void)MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, copy_header, &walk);
}

static void fill_head(struct live_request *request, size_t header_count)
{
    request->head.method = request->method;
    request->head.target = request->target;
    request->head.headers = request->headers;
    request->head.header_count = header_count;
    request->head.peer = request->peer->text;
    request->head.certificate = request->peer->has_certificate ? &request->peer->certificate : NULL;
    request->head.tls = request->connection->listener->tls;
}

unsigned live_gate_check(struct live_request *request, struct MHD_Connection *mhd,
                         const char *method_at, const char *version_at)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    size_t head_size = info->header_size;
    struct walk walk = {.clean = true};

    if (!check_request_line(request, method_at, version_at))
        return 400;
    request->http_10 = text_equal(version_at, "HTTP/1.0");
    if (!request->http_10 && !text_equal(version_at, "HTTP/1.1"))
        return 505;
    walk.expected = version_at + strlen(version_at) + LINE_END_SIZE;
    (void)MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, check_header, &walk);
    if (walk.count >= HEADERS_MAX ||
        head_size > request->connection->listener->options.header_bytes_max)
        return 431;
    if (!walk.clean || walk.expected + LINE_END_SIZE != method_at + head_size)
        return 400;
    request->method = xstrdup(method_at);
    copy_headers(request, mhd, &walk);
    fill_head(request, walk.count);
    return check_framing(request) ? 0 : 400;
}
