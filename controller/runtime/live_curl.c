/* live_curl - one request as libcurl sees it: options in, bytes out, results read. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/base/url.h"
#include "controller/runtime/live_client.h"

/* Kept connections older than this are not used again: servers close theirs after a while, and a
 * request that meets the closing is lost. */
#define CONNECTION_AGE_MAX_S 60L

/* --- what libcurl calls --- */

static size_t fail(struct live_exchange *exchange, enum exchange_end end, const char *detail)
{
    /* Not live_exchange_end(): libcurl must return first. live_curl_end() finds it. */
    if (exchange->detail == NULL) {
        exchange->end = end;
        exchange->detail = xstrdup(detail);
    }
    return 0;
}

static size_t on_header(char *line, size_t one, size_t size, void *arg)
{
    struct live_exchange *exchange = arg;

    (void)one;
    exchange->active_us = live_elapsed_us();
    if (exchange->head_ready)
        return size; /* a trailer */
    exchange->head_total += size;
    if (exchange->head_total > EXCHANGE_HEADER_BYTES_MAX)
        return fail(exchange, EXCHANGE_TOO_LARGE, "headers of the answer too large");
    if (!live_head_line(exchange, line, size))
        return fail(exchange, EXCHANGE_MALFORMED, "the head of the answer is malformed");
    if (exchange->head_bytes.overflowed)
        return fail(exchange, EXCHANGE_TOO_LARGE, "headers of the answer too large");
    if (exchange->head_ready)
        live_exchange_notify(exchange);
    return size;
}

static size_t on_body(char *bytes, size_t one, size_t size, void *arg)
{
    struct live_exchange *exchange = arg;

    (void)one;
    exchange->active_us = live_elapsed_us();
    if (exchange->paused) {
        exchange->curl_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (size > exchange->received_max - exchange->received)
        return fail(exchange, EXCHANGE_TOO_LARGE, "answer larger than its limit");
    exchange->received += size;
    buffer_append(&exchange->pending, bytes, size);
    live_exchange_notify(exchange);
    return size;
}

/* On a kept connection there must be nothing left to read: libcurl would take it for the answer,
 * and sends into one of which TLS has said that it is closed. Nothing was sent yet, so a new one
 * serves.
 *
 * libcurl sends a request again, on a new connection, when a kept one turns out to be closed
 * before a byte of the answer came. The server may have acted on the first copy: so only what
 * changes nothing may go out twice. */
static int on_send(void *arg, char *peer, char *local, int peer_port, int local_port)
{
    struct live_exchange *exchange = arg;
    long made = 0;

    (void)peer;
    (void)local;
    exchange->active_us = live_elapsed_us();
    curl_easy_getinfo(exchange->easy, CURLINFO_NUM_CONNECTS, &made);
    exchange->stale = made == 0 && live_pool_has_unread(exchange->pool, local_port, peer_port);
    if (exchange->stale)
        return CURL_PREREQFUNC_ABORT;
    if (exchange->sent_count++ == 0 || exchange->resend)
        return CURL_PREREQFUNC_OK;
    (void)fail(exchange, EXCHANGE_RESET, "a kept connection was closed under the request");
    return CURL_PREREQFUNC_ABORT;
}

/* libcurl tells of the body's way out while it sends, and once a second. */
static int on_progress(void *arg, curl_off_t to_come, curl_off_t come, curl_off_t to_go,
                       curl_off_t gone)
{
    struct live_exchange *exchange = arg;

    (void)to_come;
    (void)come;
    (void)to_go;
    if (gone != exchange->uploaded)
        exchange->active_us = live_elapsed_us();
    exchange->uploaded = gone;
    return 0;
}

/* --- options --- */

#define SET(option, value)                                                                         \
    do {                                                                                           \
        CURLcode set_code = curl_easy_setopt(exchange->easy, option, value);                       \
        assert(set_code == CURLE_OK || set_code == CURLE_OUT_OF_MEMORY);                           \
    } while (0)

static void set_transfer(struct live_exchange *exchange, const struct http_request *request)
{
    int64_t connect_us =
        request->connect_timeout_us > 0 ? request->connect_timeout_us : EXCHANGE_CONNECT_TIMEOUT_US;

    SET(CURLOPT_PRIVATE, exchange);
    SET(CURLOPT_ERRORBUFFER, exchange->curl_detail);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, exchange);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, exchange);
    SET(CURLOPT_PREREQFUNCTION, on_send);
    SET(CURLOPT_PREREQDATA, exchange);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, exchange);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TCP_NODELAY, 1L);
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_MAXAGE_CONN, CONNECTION_AGE_MAX_S);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)((connect_us + US_PER_MS - 1) / US_PER_MS));
    if (request->fresh) {
        SET(CURLOPT_FRESH_CONNECT, 1L);
        SET(CURLOPT_FORBID_REUSE, 1L);
    }
    if (request->gzip)
        SET(CURLOPT_ACCEPT_ENCODING, "gzip");
    if (request->unix_socket != NULL)
        SET(CURLOPT_UNIX_SOCKET_PATH, request->unix_socket);
}

static bool method_has_body(const char *method)
{
    return text_equal(method, "POST") || text_equal(method, "PUT") || text_equal(method, "PATCH");
}

static void set_method(struct live_exchange *exchange, const struct http_request *request)
{
    if (text_equal(request->method, "HEAD"))
        SET(CURLOPT_NOBODY, 1L);
    if (request->body != NULL || method_has_body(request->method)) {
        exchange->body = xmemdup(request->body, request->body_size);
        exchange->body_size = request->body_size;
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, exchange->body);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body_size);
    }
    SET(CURLOPT_CUSTOMREQUEST, request->method);
}

static void add_line(struct live_exchange *exchange, char *line)
{
    struct curl_slist *lines = curl_slist_append(exchange->header_lines, line);

    assert(lines != NULL);
    exchange->header_lines = lines;
    free(line);
}

/* Headers that libcurl would add by itself; "Name:" tells it not to. */
static void suppress_defaults(struct live_exchange *exchange, const struct http_request *request)
{
    static const char *const names[] = {"Accept", "Content-Type", "Expect"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (http_header_get(request->headers, request->header_count, names[i]) == NULL)
            add_line(exchange, xprintf("%s:", names[i]));
}

static void set_headers(struct live_exchange *exchange, const struct http_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        const struct http_header *header = &request->headers[i];

        add_line(exchange, *header->value == '\0' ? xprintf("%s;", header->name)
                                                  : xprintf("%s: %s", header->name, header->value));
    }
    suppress_defaults(exchange, request);
}

static void set_blob(struct live_exchange *exchange, CURLoption option, const char *pem)
{
    struct curl_blob blob = {.flags = CURL_BLOB_COPY};

    if (pem == NULL)
        return;
    blob.data = xstrdup(pem);
    blob.len = strlen(pem);
    SET(option, &blob);
    free(blob.data);
}

static void set_tls(struct live_exchange *exchange, const struct tls_client *tls)
{
    if (tls == NULL)
        return;
    set_blob(exchange, CURLOPT_CAINFO_BLOB, tls->ca_pem);
    if (tls->ca_pem != NULL)
        SET(CURLOPT_CAPATH, NULL); /* those of the system must not count as well */
    set_blob(exchange, CURLOPT_SSLCERT_BLOB, tls->certificate_pem);
    set_blob(exchange, CURLOPT_SSLKEY_BLOB, tls->key_pem);
    if (tls->skip_verify) {
        SET(CURLOPT_SSL_VERIFYPEER, 0L);
        SET(CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

/* "host:port", the host in brackets where it has colons. */
static char *authority(const char *host, uint16_t port)
{
    return xprintf(strchr(host, ':') == NULL ? "%s:%u" : "[%s]:%u", host, (unsigned)port);
}

/* The URL names another server than the connection goes to; libcurl has no option of its own for
 * that. */
static void set_connect_to(struct live_exchange *exchange, const char *peer)
{
    char *line = xprintf("::%s", peer);

    add_line(exchange, xprintf("Host: %s", peer));
    exchange->connect_to = curl_slist_append(NULL, line);
    assert(exchange->connect_to != NULL);
    SET(CURLOPT_CONNECT_TO, exchange->connect_to);
    free(line);
}

static bool is_host(const char *name)
{
    char *url = xprintf("https://%s", name);
    struct url parts;
    bool ok = url_parse(url, &parts, NULL);

    if (ok) {
        ok = text_equal_ignoring_case(parts.host, name);
        url_release(&parts);
    }
    free(url);
    return ok;
}

/* What libcurl is given is made anew of the parts that url_parse() found: its own parser is not
 * asked what the text means, which takes user info, "http:///host" and escapes in hosts. */
static bool set_url(struct live_exchange *exchange, const struct http_request *request,
                    struct error *err)
{
    const char *server_name = request->tls == NULL ? NULL : request->tls->server_name;
    struct url parts;
    char *peer;
    char *url;

    if (server_name != NULL && !is_host(server_name))
        return error_set(err, ERROR_MALFORMED, "the server name is no host");
    if (!url_parse(request->url, &parts, err))
        return error_prefix(err, "URL");
    peer = authority(parts.host, parts.port);
    if (parts.tls && server_name != NULL) {
        url = xprintf("https://%s:%u", server_name, (unsigned)parts.port);
        set_connect_to(exchange, peer);
    } else {
        url = xprintf("%s://%s", parts.tls ? "https" : "http", peer);
    }
    SET(CURLOPT_URL, url);
    SET(CURLOPT_REQUEST_TARGET, parts.target);
    url_release(&parts);
    free(peer);
    free(url);
    return true;
}

bool live_curl_setup(struct live_exchange *exchange, const struct http_request *request,
                     struct error *err)
{
    const char *fault = http_request_fault(request);

    assert(request->response_bytes_max > 0);
    exchange->easy = curl_easy_init();
    assert(exchange->easy != NULL);
    set_transfer(exchange, request);
    if (fault != NULL)
        return error_set(err, ERROR_MALFORMED, "%s", fault);
    set_method(exchange, request);
    set_headers(exchange, request);
    if (!set_url(exchange, request, err))
        return false;
    set_tls(exchange, request->tls);
    SET(CURLOPT_HTTPHEADER, exchange->header_lines);
    return true;
}

bool live_curl_renew(struct live_exchange *exchange)
{
    if (!exchange->stale)
        return false;
    exchange->stale = false;
    SET(CURLOPT_FRESH_CONNECT, 1L);
    return true;
}

void live_curl_release(struct live_exchange *exchange)
{
    if (exchange->easy != NULL)
        curl_easy_cleanup(exchange->easy);
    exchange->easy = NULL;
    curl_slist_free_all(exchange->header_lines);
    exchange->header_lines = NULL;
    curl_slist_free_all(exchange->connect_to);
    exchange->connect_to = NULL;
    free(exchange->body);
    exchange->body = NULL;
}

/* --- results --- */

/* With TLS 1.3 a server refuses a client's certificate after the handshake: libcurl then says
 * "receiving failed", and only OpenSSL's text tells an alert from a broken connection. */
static bool is_tls_alert(const struct live_exchange *exchange)
{
    return strstr(exchange->curl_detail, "SSL_") != NULL &&
           strstr(exchange->curl_detail, "alert") != NULL;
}

enum exchange_end live_curl_end(const struct live_exchange *exchange, CURLcode code)
{
    static const struct {
        CURLcode code;
        enum exchange_end end;
    } rows[] = {
        {CURLE_OK,                       EXCHANGE_COMPLETE  },
        {CURLE_COULDNT_RESOLVE_HOST,     EXCHANGE_UNRESOLVED},
        {CURLE_COULDNT_CONNECT,          EXCHANGE_REFUSED   },
        {CURLE_OPERATION_TIMEDOUT,       EXCHANGE_TIMED_OUT },
        {CURLE_SSL_CONNECT_ERROR,        EXCHANGE_TLS       },
        {CURLE_PEER_FAILED_VERIFICATION, EXCHANGE_TLS       },
        {CURLE_SSL_CERTPROBLEM,          EXCHANGE_TLS       },
        {CURLE_SSL_CIPHER,               EXCHANGE_TLS       },
        {CURLE_SSL_CACERT_BADFILE,       EXCHANGE_TLS       },
        {CURLE_SSL_ISSUER_ERROR,         EXCHANGE_TLS       },
        {CURLE_SSL_INVALIDCERTSTATUS,    EXCHANGE_TLS       },
        {CURLE_SSL_CLIENTCERT,           EXCHANGE_TLS       },
        {CURLE_SSL_ENGINE_INITFAILED,    EXCHANGE_TLS       },
        {CURLE_OUT_OF_MEMORY,            EXCHANGE_TOO_LARGE }, /* a header line past 100 KiB */
        {CURLE_WEIRD_SERVER_REPLY,       EXCHANGE_MALFORMED },
        {CURLE_UNSUPPORTED_PROTOCOL,     EXCHANGE_MALFORMED }, /* an answer without a status line */
        {CURLE_BAD_CONTENT_ENCODING,     EXCHANGE_MALFORMED },
        {CURLE_URL_MALFORMAT,            EXCHANGE_MALFORMED },
    };

    if (exchange->detail != NULL) /* one of our own callbacks stopped it */
        return exchange->end;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].code == code)
            return rows[i].end;
    return is_tls_alert(exchange) ? EXCHANGE_TLS : EXCHANGE_RESET;
}
