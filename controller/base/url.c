#include "controller/base/url.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "controller/base/memory.h"

#define HOST_BYTES_MAX 255

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool is_letter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static bool is_hex(char character)
{
    return is_digit(character) || (character >= 'a' && character <= 'f') ||
           (character >= 'A' && character <= 'F');
}

static bool is_unreserved(char character)
{
    return is_letter(character) || is_digit(character) ||
           (character != '\0' && strchr("-._~", character) != NULL);
}

static bool parse_scheme(const char **at, struct url *url, struct error *err)
{
    if (strncasecmp(*at, "https://", 8) == 0) {
        url->tls = true;
        url->port = 443;
        *at += 8;
        return true;
    }
    if (strncasecmp(*at, "http://", 7) == 0) {
        url->tls = false;
        url->port = 80;
        *at += 7;
        return true;
    }
    return error_set(err, ERROR_MALFORMED, "must begin with http:// or https://");
}

static bool is_host(const char *host, size_t size, bool bracketed)
{
    if (size == 0 || size > HOST_BYTES_MAX)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (bracketed ? !is_hex(host[i]) && host[i] != ':' && host[i] != '.'
                      : !is_unreserved(host[i]))
            return false;
    }
    return !bracketed || memchr(host, ':', size) != NULL;
}

static char *lower_case(const char *text, size_t size)
{
    char *copy = xmemdup(text, size);

    for (size_t i = 0; i < size; i++) {
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] - 'A' + 'a');
    }
    return copy;
}

/* Up to the port, if any. */
static bool parse_host(const char **at, const char *end, struct url *url, struct error *err)
{
    const char *host = *at;
    const char *host_end = host;
    bool bracketed = host < end && *host == '[';

    if (bracketed) {
        host++;
        host_end = memchr(host, ']', (size_t)(end - host));
        if (host_end == NULL)
            return error_set(err, ERROR_MALFORMED, "the host's '[' is not closed");
        *at = host_end + 1;
    } else {
        while (host_end < end && *host_end != ':')
            host_end++;
        *at = host_end;
    }
    if (!is_host(host, (size_t)(host_end - host), bracketed))
        return error_set(err, ERROR_MALFORMED, "the host is empty or malformed");
    url->host = lower_case(host, (size_t)(host_end - host));
    return true;
}

/* ":6443", ":" or nothing. */
static bool parse_port(const char *at, const char *end, struct url *url, struct error *err)
{
    unsigned port = 0;

    if (at == end)
        return true;
    if (*at != ':')
        return error_set(err, ERROR_MALFORMED, "something other than a port follows the host");
    if (++at == end)
        return true;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return error_set(err, ERROR_MALFORMED, "the port is not a number");
        port = port * 10 + (unsigned)(*at - '0');
        if (port > UINT16_MAX)
            return error_set(err, ERROR_MALFORMED, "the port is above 65535");
    }
    if (port == 0)
        return error_set(err, ERROR_MALFORMED, "the port is 0");
    url->port = (uint16_t)port;
    return true;
}

bool url_parse(const char *text, struct url *ret_url, struct error *err)
{
    struct url url = {0};
    const char *at = text;
    const char *end;

    for (const char *check = text; *check != '\0'; check++) {
        if ((unsigned char)*check <= ' ' || (unsigned char)*check >= 0x7f)
            return error_set(err, ERROR_MALFORMED,
                             "byte %zu is a space, a control character or not ASCII",
                             (size_t)(check - text));
    }
    if (!parse_scheme(&at, &url, err))
        return false;
    end = at + strcspn(at, "/?#");
    if (memchr(at, '@', (size_t)(end - at)) != NULL)
        return error_set(err, ERROR_MALFORMED, "user info before the host is not taken");
    if (!parse_host(&at, end, &url, err) || !parse_port(at, end, &url, err)) {
        url_release(&url);
        return false;
    }
    url.target =
        xprintf("%s%.*s", *end == '/' ? "" : "/", (int)strcspn(end, "#"), end); /* "?a" is "/?a" */
    *ret_url = url;
    return true;
}

void url_release(struct url *url)
{
    free(url->host);
    free(url->target);
    *url = (struct url){0};
}

void url_append_encoded(struct buffer *buffer, const char *text)
{
    for (; *text != '\0'; text++) {
        if (is_unreserved(*text))
            buffer_append_char(buffer, *text);
        else
            buffer_append_format(buffer, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

static unsigned hex_value(char digit)
{
    if (is_digit(digit))
        return (unsigned)(digit - '0');
    return (unsigned)((digit | 0x20) - 'a') + 10;
}

char *url_decode(const char *text, size_t size, bool plus_is_space)
{
    char *decoded = xmemdup(text, size);
    char *out = decoded;

    for (size_t i = 0; i < size; i++) {
        char character = text[i];

        if (character == '%') {
            if (size - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))
                goto refuse;
            character = (char)(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
            i += 2;
        } else if (character == '+' && plus_is_space) {
            character = ' ';
        }
        if (character == '\0')
            goto refuse;
        *out++ = character;
    }
    *out = '\0';
    return decoded;
refuse:
    free(decoded);
    return NULL;
}

/* One "name=value"; the value to *ret_value when the name is the wanted one, else NULL. */
static bool read_parameter(const char *pair, size_t size, const char *name, char **ret_value)
{
    const char *equals = memchr(pair, '=', size);
    size_t name_size = equals == NULL ? size : (size_t)(equals - pair);
    const char *raw_value = equals == NULL ? pair + size : equals + 1;
    char *decoded = url_decode(pair, name_size, true);
    char *value = url_decode(raw_value, (size_t)(pair + size - raw_value), true);
    bool ok = decoded != NULL && value != NULL;

    *ret_value = NULL;
    if (ok && strcmp(decoded, name) == 0) {
        *ret_value = value;
        value = NULL;
    }
    free(decoded);
    free(value);
    return ok;
}

bool url_query_get(const char *query, const char *name, char **ret_value)
{
    char *found = NULL;

    while (query != NULL && *query != '\0') {
        size_t size = strcspn(query, "&");
        char *value;

        if (size > 0 && !read_parameter(query, size, name, &value)) {
            free(found);
            return false;
        }
        if (size > 0 && found == NULL)
            found = value;
        else if (size > 0)
            free(value);
        query += size + (query[size] == '&' ? 1 : 0);
    }
    *ret_value = found;
    return true;
}

bool url_query_is_whole(const char *query)
{
    char *value;
    bool whole = url_query_get(query, "", &value);

    if (whole)
        free(value);
    return whole;
}
