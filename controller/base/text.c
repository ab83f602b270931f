#include "controller/base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DNS_LABEL_BYTES_MAX 63

/* Names longer than this are no typing mistakes of one another worth computing. */
#define CLOSEST_SIZE_MAX 64
#define CLOSEST_DISTANCE_MAX 3

bool text_equal(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

bool text_equal_ignoring_case(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcasecmp(a, b) == 0;
}

bool text_starts_with(const char *text, const char *prefix)
{
    return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
    size_t text_size = text == NULL ? 0 : strlen(text);
    size_t suffix_size = strlen(suffix);

    if (text == NULL || suffix_size > text_size)
        return false;
    return strcmp(text + text_size - suffix_size, suffix) == 0;
}

bool text_is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

int text_compare_items(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *text_or(const char *text, const char *fallback)
{
    return text_is_empty(text) ? fallback : text;
}

bool text_to_uint64(const char *text, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (text_is_empty(text))
        return false;
    for (; *text != '\0'; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';

        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret_value = value;
    return true;
}

bool text_to_int64(const char *text, int64_t *ret_value)
{
    bool negative = text != NULL && text[0] == '-';
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t magnitude;

    if (!text_to_uint64(negative ? text + 1 : text, &magnitude) || magnitude > limit)
        return false;
    if (negative)
        *ret_value = magnitude == limit ? INT64_MIN : -(int64_t)magnitude;
    else
        *ret_value = (int64_t)magnitude;
    return true;
}

size_t text_utf8_size(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    unsigned char second_min = 0x80;
    unsigned char second_max = 0xbf;
    size_t need;

    if (size == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    need = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (size < need)
        return 0;
    if (at[0] == 0xe0)
        second_min = 0xa0; /* overlong */
    else if (at[0] == 0xed)
        second_max = 0x9f; /* surrogates */
    else if (at[0] == 0xf0)
        second_min = 0x90; /* overlong */
    else if (at[0] == 0xf4)
        second_max = 0x8f; /* past U+10FFFF */
    if (at[1] < second_min || at[1] > second_max)
        return 0;
    for (size_t i = 2; i < need; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return need;
}

bool text_is_utf8(const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        size_t step = text_utf8_size(at, size);

        if (step == 0)
            return false;
        at += step;
        size -= step;
    }
    return true;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edits that turn a into b, ignoring case: insert, drop, replace a byte, or swap two neighbours. */
static unsigned edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    unsigned rows[3][CLOSEST_SIZE_MAX + 1];

    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_size; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *two_above = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_size; j++) {
            bool same = same_letter(a[i - 1], b[j - 1]);

            row[j] = least(above[j - 1] + (same ? 0 : 1), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

const char *text_closest(const char *written, const char *const *candidates, size_t count)
{
    const char *closest = NULL;
    unsigned closest_distance = CLOSEST_DISTANCE_MAX + 1;
    size_t written_size = strlen(written);

    if (written_size > CLOSEST_SIZE_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(candidates[i]);
        size_t longer = size > written_size ? size : written_size;
        unsigned distance;

        if (size > CLOSEST_SIZE_MAX)
            continue;
        distance = edit_distance(written, written_size, candidates[i], size);
        if (distance <= longer / 3 && distance < closest_distance) {
            closest = candidates[i];
            closest_distance = distance;
        }
    }
    return closest;
}

const char *text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

bool text_is_dns_label(const char *text)
{
    size_t size = text == NULL ? 0 : strlen(text);

    if (size == 0 || size > DNS_LABEL_BYTES_MAX || text[0] == '-' || text[size - 1] == '-')
        return false;
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == size;
}
