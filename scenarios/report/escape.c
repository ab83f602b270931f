/* escape - see escape.h. */
#include "scenarios/report/escape.h"

#include <stdint.h>
#include <string.h>

#include "controller/base/text.h"

/** Longest text that one call takes; longer ones are cut by the buffer's own limit. */
#define TEXT_BYTES_MAX ((size_t)256 * 1024 * 1024)
#define REPLACEMENT "\xef\xbf\xbd"

static uint32_t decode(const char *text, size_t size)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & lead[size];

    for (size_t i = 1; i < size; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

/** Controls of ASCII and of Latin-1, marks that turn or hide text, and what no XML can hold. */
static bool is_shown(uint32_t code)
{
    if (code == '\n' || code == '\t')
        return false;
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0xfeff || (code & 0xfffe) == 0xfffe;
}

void plain_append(struct buffer *buffer, const char *text)
{
    size_t left = text == NULL ? 0 : strlen(text);

    while (left > 0) {
        size_t size = text_utf8_size(text, left);
        uint32_t code = size == 0 ? 0 : decode(text, size);

        if (size == 0)
            buffer_append_text(buffer, REPLACEMENT);
        else if (!is_shown(code))
            buffer_append(buffer, text, size);
        else
            buffer_append_format(buffer, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
        text += size == 0 ? 1 : size;
        left -= size == 0 ? 1 : size;
    }
}

/** Appends the plain text with each of the characters replaced by the word of the same place. */
static void append_replaced(struct buffer *buffer, const char *text, const char *characters,
                            const char *const *words)
{
    struct buffer plain = BUFFER_INIT(TEXT_BYTES_MAX);

    plain_append(&plain, text);
    for (const char *at = buffer_text(&plain); *at != '\0'; at++) {
        const char *found = strchr(characters, *at);

        if (found == NULL)
            buffer_append_char(buffer, *at);
        else
            buffer_append_text(buffer, words[found - characters]);
    }
    buffer_release(&plain);
}

void plain_append_line(struct buffer *buffer, const char *text)
{
    static const char *const words[] = {" ", " "};

    append_replaced(buffer, text, "\n\t", words);
}

void xml_append(struct buffer *buffer, const char *text)
{
    static const char *const words[] = {"&lt;", "&gt;", "&amp;"};

    append_replaced(buffer, text, "<>&", words);
}

void xml_append_attribute(struct buffer *buffer, const char *name, const char *text)
{
    static const char *const words[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#10;", "&#9;"};

    buffer_append_format(buffer, " %s=\"", name);
    append_replaced(buffer, text, "<>&\"\n\t", words);
    buffer_append_char(buffer, '"');
}

void github_append_property(struct buffer *buffer, const char *text)
{
    static const char *const words[] = {"%25", "%0A", "%3A", "%2C"};

    append_replaced(buffer, text, "%\n:,", words);
}

void github_append_message(struct buffer *buffer, const char *text)
{
    static const char *const words[] = {"%25", "%0A"};

    append_replaced(buffer, text, "%\n", words);
}

void shell_append(struct buffer *buffer, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./=@%+,:-";

    if (*word != '\0' && word[strspn(word, safe)] == '\0') {
        buffer_append_text(buffer, word);
        return;
    }
    buffer_append_char(buffer, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            buffer_append_text(buffer, "'\\''");
        else
            buffer_append_char(buffer, *word);
    }
    buffer_append_char(buffer, '\'');
}
