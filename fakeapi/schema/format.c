/* format - the formats of strings that the server enforces. */
#include "fakeapi/schema/format.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/digest.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* Longest host name (RFC 1123) and its longest label. */
#define HOSTNAME_BYTES_MAX 255
#define LABEL_BYTES_MAX 63

static bool is_hex(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isxdigit((unsigned char)text[i]))
            return false;
    return true;
}

/* Whether text is like a picture: 'x' a hex digit, '9' a digit, all else itself. */
static bool is_like(const char *text, const char *picture)
{
    for (; *picture != '\0'; picture++, text++) {
        if (*picture == 'x'   ? !isxdigit((unsigned char)*text)
            : *picture == '9' ? !isdigit((unsigned char)*text)
                              : *picture != *text)
            return false;
    }
    return *text == '\0';
}

static bool is_bsonobjectid(const char *text, size_t size)
{
    return size == 24 && is_hex(text, size);
}

static bool is_byte(const char *text, size_t size)
{
    size_t decoded_size;
    char *decoded = base64_decode(text, false, &decoded_size);

    (void)size;
    free(decoded);
    return decoded != NULL;
}

static bool is_ipv4(const char *text, size_t size)
{
    struct in_addr address;

    (void)size;
    return inet_pton(AF_INET, text, &address) == 1;
}

static bool is_ipv6(const char *text, size_t size)
{
    struct in6_addr address;

    (void)size;
    return inet_pton(AF_INET6, text, &address) == 1;
}

static bool is_cidr(const char *text, size_t size)
{
    char address[64];
    const char *slash = strchr(text, '/');
    uint64_t bits;

    if (slash == NULL || (size_t)(slash - text) >= sizeof(address))
        return false;
    memcpy(address, text, (size_t)(slash - text));
    address[slash - text] = '\0';
    if (!text_to_uint64(slash + 1, &bits) || (slash[1] == '0' && slash[2] != '\0'))
        return false;
    return (is_ipv4(address, size) && bits <= 32) || (is_ipv6(address, size) && bits <= 128);
}

static bool luhn(const char *digits)
{
    unsigned sum = 0;
    bool twice = false;

    for (size_t i = strlen(digits); i > 0; i--, twice = !twice) {
        unsigned digit = (unsigned)(digits[i - 1] - '0');

        if (twice)
            digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
        sum += digit;
    }
    return sum % 10 == 0;
}

/* Copies the characters but spaces and dashes; false when that is more than room holds. */
static bool bare(const char *text, char *room, size_t room_size)
{
    size_t used = 0;

    for (; *text != '\0'; text++) {
        if (*text == ' ' || *text == '-')
            continue;
        if (used + 1 == room_size)
            return false;
        room[used++] = *text;
    }
    room[used] = '\0';
    return true;
}

static bool is_creditcard(const char *text, size_t size)
{
    char digits[20];
    size_t count;

    (void)size;
    if (!bare(text, digits, sizeof(digits)))
        return false;
    count = strlen(digits);
    return count >= 13 && count <= 19 && strspn(digits, "0123456789") == count && luhn(digits);
}

static bool is_date(const char *text, size_t size)
{
    char instant[TIME_TEXT_SIZE];
    int64_t at_us;

    if (size != 10)
        return false;
    snprintf(instant, sizeof(instant), "%.10sT00:00:00Z", text);
    return time_parse(instant, &at_us);
}

/* As the server's library has it: a date, 't', a time of day, 'z' or an offset, in any case. */
static bool is_date_time(const char *text, size_t size)
{
    char date[11];
    const char *rest;

    if (size < 20 || tolower((unsigned char)text[10]) != 't')
        return false;
    snprintf(date, sizeof(date), "%.10s", text);
    if (!is_date(date, 10))
        return false;
    snprintf(date, sizeof(date), "%.8s", text + 11);
    if (!is_like(date, "99:99:99") || strncmp(date, "23", 2) > 0 ||
        strncmp(date + 3, "59", 2) > 0 || strncmp(date + 6, "59", 2) > 0)
        return false;
    rest = text + 19;
    if (*rest == '.') {
        size_t digits = strspn(rest + 1, "0123456789");

        if (digits == 0)
            return false;
        rest += 1 + digits;
    }
    return is_like(rest, "z") || is_like(rest, "Z") || is_like(rest, "+99:99") ||
           is_like(rest, "-99:99");
}

/* Go's form, or a count and a unit in words. */
static bool is_duration(const char *text, size_t size)
{
    static const char *const units[] = {
        "ns",  "us",     "ms",      "s",   "m",    "h",      "d",       "w",
        "sec", "second", "seconds", "min", "mins", "minute", "minutes", "hr",
        "hrs", "hour",   "hours",   "day", "days", "week",   "weeks",
    };
    size_t digits = strspn(text, "0123456789");
    int64_t duration_us;

    (void)size;
    if (duration_parse(text, &duration_us))
        return true;
    if (digits == 0)
        return false;
    text += digits;
    text += strspn(text, " ");
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(text, units[i]) == 0)
            return true;
    return false;
}

static bool is_label(const char *text, size_t size)
{
    if (size == 0 || size > LABEL_BYTES_MAX || text[0] == '-' || text[size - 1] == '-')
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
            return false;
    return true;
}

static bool is_hostname(const char *text, size_t size)
{
    if (size == 0 || size > HOSTNAME_BYTES_MAX)
        return false;
    if (text[size - 1] == '.')
        size--;
    for (;;) {
        const char *dot = memchr(text, '.', size);
        size_t label = dot == NULL ? size : (size_t)(dot - text);

        if (!is_label(text, label))
            return false;
        if (dot == NULL)
            return true;
        text += label + 1;
        size -= label + 1;
    }
}

static bool is_email(const char *text, size_t size)
{
    const char *at = strrchr(text, '@');

    if (at == NULL || at == text || at[1] == '\0')
        return false;
    if (strcspn(text, " \t\r\n<>()[],;:\\\"") < size || strchr(text, '@') != at)
        return false;
    return text[0] != '.' && at[-1] != '.' && strstr(text, "..") == NULL;
}

static bool is_hexcolor(const char *text, size_t size)
{
    if (text[0] == '#') {
        text++;
        size--;
    }
    return (size == 3 || size == 6) && is_hex(text, size);
}

static bool is_rgbcolor(const char *text, size_t size)
{
    unsigned red;
    unsigned green;
    unsigned blue;
    int used = -1;

    if (sscanf(text, "rgb( %3u , %3u , %3u )%n", &red, &green, &blue, &used) < 3 || used < 0)
        return false;
    return (size_t)used == size && red <= 255 && green <= 255 && blue <= 255;
}

static bool is_isbn10(const char *text, size_t size)
{
    char digits[14];
    unsigned sum = 0;

    (void)size;
    if (!bare(text, digits, sizeof(digits)) || strlen(digits) != 10 ||
        strspn(digits, "0123456789") < 9)
        return false;
    for (unsigned i = 0; i < 9; i++)
        sum += (i + 1) * (unsigned)(digits[i] - '0');
    if (digits[9] == 'X')
        sum += 100;
    else if (isdigit((unsigned char)digits[9]))
        sum += 10 * (unsigned)(digits[9] - '0');
    else
        return false;
    return sum % 11 == 0;
}

static bool is_isbn13(const char *text, size_t size)
{
    char digits[15];
    unsigned sum = 0;

    (void)size;
    if (!bare(text, digits, sizeof(digits)) || strlen(digits) != 13 ||
        strspn(digits, "0123456789") != 13)
        return false;
    for (unsigned i = 0; i < 13; i++)
        sum += (i % 2 == 0 ? 1 : 3) * (unsigned)(digits[i] - '0');
    return sum % 10 == 0;
}

static bool is_isbn(const char *text, size_t size)
{
    return is_isbn10(text, size) || is_isbn13(text, size);
}

static bool is_mac(const char *text, size_t size)
{
    (void)size;
    return is_like(text, "xx:xx:xx:xx:xx:xx") || is_like(text, "xx-xx-xx-xx-xx-xx") ||
           is_like(text, "xxxx.xxxx.xxxx") || is_like(text, "xx:xx:xx:xx:xx:xx:xx:xx") ||
           is_like(text, "xx-xx-xx-xx-xx-xx-xx-xx") || is_like(text, "xxxx.xxxx.xxxx.xxxx");
}

static bool is_anything(const char *text, size_t size)
{
    (void)text;
    (void)size;
    return true;
}

static bool is_ssn(const char *text, size_t size)
{
    (void)size;
    return is_like(text, "999-99-9999") || is_like(text, "999 99 9999") ||
           is_like(text, "999999999");
}

/* Absolute, or an absolute path, as Go's url.ParseRequestURI. */
static bool is_uri(const char *text, size_t size)
{
    size_t scheme = 0;

    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f ||
            (text[i] == '%' && (size - i < 3 || !is_hex(text + i + 1, 2))))
            return false;
    if (text[0] == '/')
        return true;
    if (!isalpha((unsigned char)text[0]))
        return false;
    while (isalnum((unsigned char)text[scheme]) ||
           (text[scheme] != '\0' && strchr("+-.", text[scheme]) != NULL))
        scheme++;
    return text[scheme] == ':' && text[scheme + 1] != '\0';
}

static bool is_uuid(const char *text, size_t size)
{
    (void)size;
    return is_like(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") ||
           (size == 32 && is_hex(text, size));
}

static bool is_uuid_of(const char *text, size_t size, char version, bool variant)
{
    bool dashed = size == 36;
    char of_variant = text[0] == '\0' || !is_uuid(text, size) ? 'z' : text[dashed ? 19 : 16];

    if (of_variant == 'z' || text[dashed ? 14 : 12] != version)
        return false;
    return !variant || strchr("89abAB", of_variant) != NULL;
}

static bool is_uuid3(const char *text, size_t size)
{
    return is_uuid_of(text, size, '3', false);
}

static bool is_uuid4(const char *text, size_t size)
{
    return is_uuid_of(text, size, '4', true);
}

static bool is_uuid5(const char *text, size_t size)
{
    return is_uuid_of(text, size, '5', true);
}

static const struct known {
    const char *name;
    bool (*matches)(const char *text, size_t size);
} formats[] = {
    [FORMAT_NONE] = {"",             is_anything    },
    [FORMAT_BSONOBJECTID] = {"bsonobjectid", is_bsonobjectid},
    [FORMAT_BYTE] = {"byte",         is_byte        },
    [FORMAT_CIDR] = {"cidr",         is_cidr        },
    [FORMAT_CREDITCARD] = {"creditcard",   is_creditcard  },
    [FORMAT_DATE] = {"date",         is_date        },
    [FORMAT_DATE_TIME] = {"date-time",    is_date_time   },
    [FORMAT_DURATION] = {"duration",     is_duration    },
    [FORMAT_EMAIL] = {"email",        is_email       },
    [FORMAT_HEXCOLOR] = {"hexcolor",     is_hexcolor    },
    [FORMAT_HOSTNAME] = {"hostname",     is_hostname    },
    [FORMAT_IPV4] = {"ipv4",         is_ipv4        },
    [FORMAT_IPV6] = {"ipv6",         is_ipv6        },
    [FORMAT_ISBN] = {"isbn",         is_isbn        },
    [FORMAT_ISBN10] = {"isbn10",       is_isbn10      },
    [FORMAT_ISBN13] = {"isbn13",       is_isbn13      },
    [FORMAT_MAC] = {"mac",          is_mac         },
    [FORMAT_PASSWORD] = {"password",     is_anything    },
    [FORMAT_RGBCOLOR] = {"rgbcolor",     is_rgbcolor    },
    [FORMAT_SSN] = {"ssn",          is_ssn         },
    [FORMAT_URI] = {"uri",          is_uri         },
    [FORMAT_UUID] = {"uuid",         is_uuid        },
    [FORMAT_UUID3] = {"uuid3",        is_uuid3       },
    [FORMAT_UUID4] = {"uuid4",        is_uuid4       },
    [FORMAT_UUID5] = {"uuid5",        is_uuid5       },
    [FORMAT_INT32] = {"int32",        is_anything    },
    [FORMAT_INT64] = {"int64",        is_anything    },
    [FORMAT_FLOAT] = {"float",        is_anything    },
    [FORMAT_DOUBLE] = {"double",       is_anything    },
};

enum format format_of(const char *name)
{
    if (name == NULL)
        return FORMAT_NONE;
    for (size_t i = 1; i < ARRAY_SIZE(formats); i++)
        if (text_equal(formats[i].name, name))
            return (enum format)i;
    return text_equal(name, "datetime") ? FORMAT_DATE_TIME : FORMAT_NONE;
}

const char *format_name(enum format format)
{
    return formats[format].name;
}

bool format_matches(enum format format, const char *text, size_t size)
{
    return strlen(text) == size && formats[format].matches(text, size);
}
