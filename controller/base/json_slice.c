#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/json_gate.h"
#include "controller/base/lanes.h"
#include "controller/base/memory.h"

/* All texts here have passed the gate; the checks against end only keep a caller's mistake from
 * reading past it. */

/* at is on the opening quote. Returns the byte behind the closing one. */
static const char *skip_string(const char *at, const char *end)
{
    at++;
    while (at < end) {
        at = json_skip_plain(at, end);
        if (at == end || *at == '"')
            break;
        at += *at == '\\' ? 2 : 1;
    }
    return at < end ? at + 1 : end;
}

#define BLOCK_BYTES 64

/* What of a block's bytes is what: a bit for each, that of the first byte the lowest. */
struct block {
    uint64_t quotes;
    uint64_t escapes;
    uint64_t opening;
    uint64_t closing;
};

static struct block read_block(const char *at)
{
    struct block block = {0};

    for (unsigned i = 0; i < BLOCK_BYTES; i += sizeof(lanes)) {
        lanes bytes = lanes_load(at + i);
        lanes folded = bytes | 0x20; /* '[' and ']' are '{' and '}' without that bit */

        block.quotes |= (uint64_t)lanes_bits((lanes)(bytes == '"')) << i;
        block.escapes |= (uint64_t)lanes_bits((lanes)(bytes == '\\')) << i;
        block.opening |= (uint64_t)lanes_bits((lanes)(folded == '{')) << i;
        block.closing |= (uint64_t)lanes_bits((lanes)(folded == '}')) << i;
    }
    return block;
}

/* Ones from each odd quote up to the even one behind it. */
static uint64_t between_quotes(uint64_t quotes)
{
    for (unsigned shift = 1; shift < BLOCK_BYTES; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

/* Where one is on the way through a container. */
struct walk {
    const char *at;
    size_t depth;
    bool in_string;
};

/* Walks byte by byte up to end, or one beyond it; true once the container is closed. */
static bool walk_bytes(struct walk *walk, const char *end)
{
    while (walk->at < end) {
        if (walk->in_string)
            walk->at = json_skip_plain(walk->at, end);
        if (walk->at >= end)
            return false;
        switch (*walk->at++) {
        case '"':
            walk->in_string = !walk->in_string;
            break;
        case '\\':
            walk->at++;
            break;
        case '{':
        case '[':
            walk->depth += !walk->in_string;
            break;
        case '}':
        case ']':
            if (!walk->in_string && --walk->depth == 0)
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

/* Walks over one block; true once the container is closed. */
static bool walk_block(struct walk *walk)
{
    struct block block = read_block(walk->at);
    uint64_t strings;
    uint64_t brackets;

    if (block.escapes != 0)
        return walk_bytes(walk, walk->at + BLOCK_BYTES);
    strings = between_quotes(block.quotes) ^ (walk->in_string ? UINT64_MAX : 0);
    brackets = (block.opening | block.closing) & ~strings;
    walk->in_string = strings >> (BLOCK_BYTES - 1) != 0;
    for (; brackets != 0; brackets &= brackets - 1) {
        if ((block.opening & brackets & -brackets) != 0) {
            walk->depth++;
        } else if (--walk->depth == 0) {
            walk->at += __builtin_ctzll(brackets) + 1;
            return true;
        }
    }
    walk->at += BLOCK_BYTES;
    return false;
}

static const char *skip_container(const char *at, const char *end)
{
    struct walk walk = {.at = at};

    while (end - walk.at >= BLOCK_BYTES)
        if (walk_block(&walk))
            return walk.at;
    return walk_bytes(&walk, end) ? walk.at : end;
}

const char *json_skip_value(const char *at, const char *end)
{
    if (at == end)
        return end;
    if (*at == '"')
        return skip_string(at, end);
    if (*at == '{' || *at == '[')
        return skip_container(at, end);
    while (at < end && *at != ',' && *at != '}' && *at != ']' && (unsigned char)*at > ' ')
        at++;
    return at;
}

static struct json_slice slice_between(const char *start, const char *end)
{
    return (struct json_slice){.bytes = start, .size = (size_t)(end - start)};
}

/* Where the next item or member begins; NULL at the end, or when text is no such container. */
static const char *next_start(struct json_slice container, char open, size_t next)
{
    const char *end;
    const char *at;

    if (container.bytes == NULL)
        return NULL;
    end = container.bytes + container.size;
    at = json_skip_space(container.bytes + next, end);
    if (next == 0) {
        if (at == end || *at != open)
            return NULL;
        at = json_skip_space(at + 1, end);
    } else if (at < end && *at == ',') {
        at = json_skip_space(at + 1, end);
    }
    if (at == end || *at == '}' || *at == ']')
        return NULL;
    return at;
}

bool json_slice_next(struct json_slice array, size_t *next, struct json_slice *ret_item)
{
    const char *at = next_start(array, '[', *next);
    const char *behind;

    if (at == NULL)
        return false;
    behind = json_skip_value(at, array.bytes + array.size);
    *ret_item = slice_between(at, behind);
    *next = (size_t)(behind - array.bytes);
    return true;
}

bool json_slice_next_member(struct json_slice object, size_t *next, struct json_slice *ret_key,
                            struct json_slice *ret_value)
{
    const char *key = next_start(object, '{', *next);
    const char *end;
    const char *value;
    const char *behind;

    if (key == NULL || *key != '"')
        return false;
    end = object.bytes + object.size;
    behind = skip_string(key, end);
    value = json_skip_space(behind, end);
    if (value < end && *value == ':')
        value++;
    value = json_skip_space(value, end);
    *ret_key = slice_between(key, behind);
    behind = json_skip_value(value, end);
    *ret_value = slice_between(value, behind);
    *next = (size_t)(behind - object.bytes);
    return true;
}

static bool is_string(struct json_slice value)
{
    return value.bytes != NULL && value.size >= 2 && value.bytes[0] == '"';
}

/* Whether a quoted key is that text. */
static bool key_is(struct json_slice quoted, const char *key, size_t key_size)
{
    const char *inside = quoted.bytes + 1;
    size_t size = quoted.size - 2;
    char *text;
    bool same;

    if (memchr(inside, '\\', size) == NULL)
        return size == key_size && memcmp(inside, key, size) == 0;
    text = json_slice_text(quoted);
    same = text != NULL && strcmp(text, key) == 0;
    free(text);
    return same;
}

struct json_slice json_slice_get(struct json_slice object, const char *key)
{
    size_t key_size = strlen(key);
    size_t next = 0;
    struct json_slice found;
    struct json_slice value;

    while (json_slice_next_member(object, &next, &found, &value)) {
        if (is_string(found) && key_is(found, key, key_size))
            return value;
    }
    return (struct json_slice){.bytes = NULL, .size = 0};
}

void json_slice_find(struct json_slice object, const struct json_member *wanted, size_t count)
{
    size_t next = 0;
    size_t missing = count;
    struct json_slice key;
    struct json_slice value;

    for (size_t i = 0; i < count; i++)
        *wanted[i].value = (struct json_slice){.bytes = NULL, .size = 0};
    while (missing > 0 && json_slice_next_member(object, &next, &key, &value)) {
        for (size_t i = 0; i < count && is_string(key); i++) {
            if (wanted[i].value->bytes == NULL &&
                key_is(key, wanted[i].key, strlen(wanted[i].key))) {
                *wanted[i].value = value;
                missing--;
            }
        }
    }
}

static char *unescaped(struct json_slice value, size_t *ret_size)
{
    char *text = xmemdup(value.bytes + 1, value.size - 2);

    *ret_size = json_unescape(value.bytes + 1, value.size - 2, text);
    text[*ret_size] = '\0';
    return text;
}

char *json_slice_text(struct json_slice value)
{
    char *text;
    size_t size;

    if (!is_string(value))
        return NULL;
    text = unescaped(value, &size);
    if (memchr(text, '\0', size) != NULL) {
        free(text);
        return NULL;
    }
    return text;
}

char *json_slice_text_mended(struct json_slice value)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *text;
    size_t size;

    if (!is_string(value))
        return NULL;
    text = unescaped(value, &size);
    if (memchr(text, '\0', size) == NULL)
        return text;

    struct buffer mended = BUFFER_INIT(size * (sizeof(replacement) - 1));

    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0')
            buffer_append_text(&mended, replacement);
        else
            buffer_append_char(&mended, text[i]);
    free(text);
    return buffer_take(&mended, &size);
}
