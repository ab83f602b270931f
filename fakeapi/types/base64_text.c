/* base64_text - Go's base64.StdEncoding: padded, blind for line ends. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "fakeapi/types/scalars.h"

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

static size_t behind_line_ends(const char *given, size_t size, size_t at)
{
    while (at < size && is_line_end(given[at]))
        at++;
    return at;
}

/* What stands behind count letters of the last four: padding, and then nothing more. */
static bool ends_there(const char *given, size_t size, size_t at, unsigned count, size_t *ret_bad)
{
    *ret_bad = at;
    if (count < 2)
        return false;
    at++;
    if (count == 2) {
        at = behind_line_ends(given, size, at);
        if (at == size || given[at] != '=') {
            *ret_bad = at == size ? size : at - 1;
            return false;
        }
        at++;
    }
    *ret_bad = behind_line_ends(given, size, at);
    return *ret_bad == size;
}

/* Its letters and padding without line ends, with no bit set behind the last byte. */
static char *canonical_text(const char *given, size_t size)
{
    struct buffer text = BUFFER_INIT(size + 1);
    size_t letters = 0;

    for (size_t i = 0; i < size; i++)
        if (!is_line_end(given[i]))
            buffer_append_char(&text, given[i]);
    while (letters < text.size && text.bytes[letters] != '=')
        letters++;
    if (letters < text.size) {
        static const char alphabet[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        unsigned unused = text.size - letters == 2 ? 0x0f : 0x03;

        text.bytes[letters - 1] = alphabet[(unsigned)value_of(text.bytes[letters - 1]) & ~unused];
    }
    return buffer_take(&text, &size);
}

bool scalar_base64(const char *given, size_t size, char **ret_canonical, size_t *ret_bad)
{
    unsigned count = 0; /* letters of the current four */
    bool plain = true;
    int last = 0;
    size_t i;

    for (i = 0; i < size; i++) {
        int value = value_of(given[i]);

        if (value >= 0) {
            last = value;
            count = (count + 1) % 4;
        } else if (is_line_end(given[i])) {
            plain = false;
        } else {
            break;
        }
    }
    if (i == size) {
        *ret_bad = size - count;
        if (count != 0)
            return false;
    } else if (given[i] != '=') {
        *ret_bad = i;
        return false;
    } else if (!ends_there(given, size, i, count, ret_bad)) {
        return false;
    } else {
        plain = plain && (last & (count == 2 ? 0x0f : 0x03)) == 0 && size % 4 == 0;
    }
    if (!plain)
        *ret_canonical = canonical_text(given, size);
    return true;
}
