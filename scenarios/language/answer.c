/* answer - see answer.h. */
#include "scenarios/language/answer.h"

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/verdict.h"

struct json_object *answer_body(const struct answer *answer)
{
    struct json_object *body = NULL;
    struct error err = ERROR_INIT;

    if (answer->body->size == 0 ||
        !json_parse(answer->body->bytes, answer->body->size, ANSWER_BODY_BYTES_MAX, &body, &err))
        return NULL;
    return body;
}

char *answer_message(const struct answer *answer)
{
    struct json_object *body = answer_body(answer);
    char *message = body == NULL ? xprintf("%.200s", buffer_text(answer->body))
                                 : xstrdup(text_or(json_get_text(body, "message"), ""));

    (void)json_object_put(body);
    return message;
}

/** The answer as 'answer' speaks of it: code, body; of a Status reason, message and causes. */
static struct json_object *said_by(const struct answer *answer)
{
    struct json_object *said = json_object_new_object();
    struct json_object *body = answer_body(answer);

    json_set_int64(said, "code", answer->status);
    if (body != NULL && answer->status >= 300) {
        struct json_object *causes = json_walk(body, "details", "causes", NULL);

        json_set_text(said, "reason", text_or(json_get_text(body, "reason"), ""));
        json_set_text(said, "message", text_or(json_get_text(body, "message"), ""));
        if (causes != NULL)
            json_set(said, "causes", json_copy(causes));
    }
    if (body != NULL)
        json_set(said, "body", body);
    return said;
}

static bool matches(const struct step *step, const struct answer *answer,
                    struct differences *differences)
{
    struct json_object *said = said_by(answer);
    bool right = shape_match(step->answer.shape, said, differences);

    (void)json_object_put(said);
    return right;
}

bool answer_is_wanted(const struct step *step, const struct answer *answer)
{
    if (step->optional)
        return true;
    if (step->answer.shape != NULL)
        return matches(step, answer, NULL);
    if (step->answer.code > 0)
        return answer->status == (unsigned)step->answer.code;
    return answer->status >= 200 && answer->status < 300;
}

void answer_append_differences(const struct step *step, const struct answer *answer,
                               const char *path, struct buffer *why)
{
    struct differences differences = {0};

    if (step->answer.shape == NULL)
        return;
    (void)matches(step, answer, &differences);
    differences_append(&differences, path, why);
    differences_release(&differences);
}
