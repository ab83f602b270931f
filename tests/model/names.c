#include "tests/model/names.h"

#include <ctype.h>
#include <string.h>

#define SUBDOMAIN_MAX 253
#define LABEL_MAX 63

const char subdomain_words[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const char label_words[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const char label_value_words[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const char label_name_words[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const char config_key_words[] =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

static bool lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* One part of a domain name: lower case letters and digits, '-' inside. */
static bool is_part(const char *text, size_t size)
{
    if (size == 0 || !lower(text[0]) || !lower(text[size - 1]))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!lower(text[i]) && text[i] != '-')
            return false;
    return true;
}

bool is_dns_label(const char *text)
{
    return strlen(text) <= LABEL_MAX && is_part(text, strlen(text));
}

static bool are_parts(const char *text, size_t size)
{
    for (size_t start = 0;;) {
        size_t end = start;

        while (end < size && text[end] != '.')
            end++;
        if (!is_part(text + start, end - start))
            return false;
        if (end == size)
            return true;
        start = end + 1;
    }
}

bool is_subdomain(const char *text)
{
    return strlen(text) <= SUBDOMAIN_MAX && are_parts(text, strlen(text));
}

static bool is_word(const char *text)
{
    size_t size = strlen(text);

    if (size == 0 || size > LABEL_MAX || !isalnum((unsigned char)text[0]) ||
        !isalnum((unsigned char)text[size - 1]))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isalnum((unsigned char)text[i]) && strchr("-_.", text[i]) == NULL)
            return false;
    return true;
}

bool is_label_value(const char *text)
{
    return text[0] == '\0' || is_word(text);
}

bool is_label_key(const char *text)
{
    const char *slash = strchr(text, '/');

    if (slash == NULL)
        return is_word(text);
    return slash - text <= SUBDOMAIN_MAX && are_parts(text, (size_t)(slash - text)) &&
           is_word(slash + 1);
}

bool is_config_key(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("-_.", *at) == NULL)
            return false;
    return text[0] != '\0';
}
