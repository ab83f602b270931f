#include "controller/jobs/prompt.h"

#include <string.h>

#include "controller/base/buffer.h"

static bool is_token_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

/* The length of the token whose '{' is at text, braces included; 0 when there is none. */
static size_t token_size(const char *text)
{
    size_t size = 1;

    while (is_token_character(text[size]))
        size++;
    return size > 1 && text[size] == '}' ? size + 1 : 0;
}

bool prompt_render(const char *template_text, const struct agent_spec *spec, char **ret_prompt,
                   struct error *err)
{
    struct buffer prompt = BUFFER_INIT(PROMPT_BYTES_MAX);
    const char *at = template_text;
    size_t size;

    while (*at != '\0') {
        size_t plain = strcspn(at, "{");
        size_t token;
        const char *value;

        buffer_append(&prompt, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        token = token_size(at);
        value = token == 0 ? NULL : agent_spec_parameter(spec, at + 1, token - 2);
        if (token == 0)
            token = 1;
        if (value == NULL)
            buffer_append(&prompt, at, token);
        else
            buffer_append_text(&prompt, value);
        at += token;
    }
    if (!buffer_check(&prompt, err)) {
        buffer_release(&prompt);
        return error_prefix(err, "rendered prompt");
    }
    *ret_prompt = buffer_take(&prompt, &size);
    return true;
}
