/* reads - what a GET and a LIST answer (WIRE.md G1 to G3, L1 to L10). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/model.h"
#include "tests/model/refusals.h"
#include "tests/model/selector.h"

static const char expired_words[] =
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

/* A resourceVersion; false when it is no number. */
static bool read_number(const char *text, uint64_t *number)
{
    *number = strtoull(text, NULL, 10);
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

static struct json_object *refuse_number(const char *text)
{
    return refuse(500, NULL,
                  "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\": "
                  "invalid syntax",
                  text, text);
}

static void get(const struct model *model, const struct ask *ask, struct answer *answer)
{
    const struct event *event;
    uint64_t revision = 0;

    if (ask->sub != NULL && !ask->kind->status) { /* U12: there is no such path */
        answer_refuse(answer, refuse_missing(ask->kind, ask->name));
        return;
    }
    if (ask->revision != NULL && !read_number(ask->revision, &revision)) {
        answer_refuse(answer, refuse_number(ask->revision));
        return;
    }
    if (revision > model->revision) {
        answer_refuse(answer, refuse_future(revision, model->revision));
        return;
    }
    event = model_find(model, ask->kind, ask->namespace == NULL ? "" : ask->namespace, ask->name,
                       model->revision);
    if (event == NULL)
        answer_refuse(answer, refuse_missing(ask->kind, ask->name));
    else
        answer->body = shown(ask->kind, ask->other_version, event->object);
}

/* --- lists --- */

/** What a list shows. */
struct page {
    uint64_t revision;
    uint64_t limit;   /* 0: all */
    const char *last; /* only what is behind this key; NULL: from the first */
};

static void forbid(struct json_object *causes, const char *detail)
{
    cause(causes, "FieldValueForbidden", "resourceVersionMatch", "Forbidden: %s", detail);
}

/* L4 */
static struct json_object *check_match(const struct ask *ask)
{
    struct json_object *causes = json_object_new_array();
    const char *match = ask->match == NULL ? "" : ask->match;
    bool exact = strcmp(match, "Exact") == 0;

    if (ask->match != NULL && ask->revision == NULL)
        forbid(causes, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (ask->match != NULL && ask->token != NULL)
        forbid(causes, "resourceVersionMatch is forbidden when continue is provided");
    if (ask->match != NULL && !exact && strcmp(match, "NotOlderThan") != 0)
        cause(causes, "FieldValueNotSupported", "resourceVersionMatch",
              "Unsupported value: \"%s\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
              match);
    if (exact && ask->revision != NULL && strcmp(ask->revision, "0") == 0)
        forbid(causes, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    if (value_length(causes) > 0)
        return refuse_options("ListOptions", causes);
    json_object_put(causes);
    return NULL;
}

/* The same text may come from two collections. */
static const struct token *find_token(const struct model *model, const struct ask *ask)
{
    const char *namespace = ask->namespace == NULL ? "" : ask->namespace;

    for (size_t i = 0; i < TOKENS_MAX; i++) {
        const struct token *token = &model->tokens[i];

        if (token->text != NULL && strcmp(token->text, ask->token) == 0 &&
            token->kind == ask->kind && strcmp(token->namespace, namespace) == 0)
            return token;
    }
    return NULL;
}

static void await_token(struct model *model, const struct ask *ask, uint64_t revision,
                        const char *last)
{
    model->pending =
        (struct token){.kind = ask->kind,
                       .namespace = format("%s", ask->namespace == NULL ? "" : ask->namespace),
                       .revision = revision,
                       .last = format("%s", last)};
}

/* L6, L7 */
static struct json_object *go_on(struct model *model, const struct ask *ask, struct page *page)
{
    const struct token *token = find_token(model, ask);
    struct json_object *status;

    if (token == NULL)
        return refuse_bad("invalid continue token: continue key is not valid: <any>");
    if (ask->revision != NULL && strcmp(ask->revision, "0") != 0)
        return refuse_bad("specifying resource version is not allowed when using continue");
    page->last = token->last;
    if (token->revision != 0)
        page->revision = token->revision;
    if (token->revision == 0 || token->revision >= model_oldest(model))
        return NULL;
    status = refuse(410, "Expired", "%s", expired_words);
    value_put_text(value_within(status, "metadata"), "continue", "<token>");
    await_token(model, ask, 0, token->last);
    return status;
}

/* L3, L5: from which state, and how much of it. */
static struct json_object *choose(struct model *model, const struct ask *ask, struct page *page)
{
    uint64_t revision = 0;
    struct json_object *status;

    page->revision = model->revision;
    page->limit = ask->limit == NULL ? 0 : strtoull(ask->limit, NULL, 10);
    status = check_match(ask);
    if (status == NULL)
        status = check_selectors(ask);
    if (status != NULL)
        return status;
    if (ask->token != NULL)
        return go_on(model, ask, page);
    if (ask->revision != NULL && !read_number(ask->revision, &revision))
        return refuse_number(ask->revision);
    if (revision > model->revision)
        return refuse_future(revision, model->revision);
    if (ask->revision != NULL && revision == 0)
        page->limit = 0;
    if (revision > 0 && ((ask->match != NULL && strcmp(ask->match, "Exact") == 0) ||
                         (ask->match == NULL && page->limit > 0)))
        page->revision = revision;
    if (page->revision < model_oldest(model))
        return refuse(410, "Expired", "The resourceVersion for the provided list is too old.");
    return NULL;
}

static void add_item(struct json_object *items, const struct ask *ask,
                     const struct json_object *object)
{
    struct json_object *item = shown(ask->kind, ask->other_version, object);

    if (!ask->kind->custom) { /* G3 */
        value_drop(item, "apiVersion");
        value_drop(item, "kind");
    }
    value_add(items, item);
}

/* Whether a selector names the one object that can match, which is then all that is looked at
 * (L10). */
static bool is_single(const struct ask *ask)
{
    char name[64];

    return ask->fields != NULL && asks_one_name(ask->fields, name, sizeof(name)) &&
           (ask->namespace != NULL || !ask->kind->namespaced);
}

static struct json_object *list_of(const struct ask *ask, uint64_t revision,
                                   struct json_object *items)
{
    struct json_object *list = json_object_new_object();
    char text[64];

    (void)snprintf(text, sizeof(text), "%sList", ask->kind->kind);
    value_put_text(list, "kind", text);
    value_put_text(list, "apiVersion", api_version(ask->kind, ask->other_version, text));
    (void)snprintf(text, sizeof(text), "%" PRIu64, revision);
    value_put_text(value_within(list, "metadata"), "resourceVersion", text);
    if (ask->kind->custom)
        value_put_text(value_get(list, "metadata"), "continue", ""); /* G3 */
    value_put(list, "items", items);
    return list;
}

/* What is left behind the page: that there is more, and how much if nothing was left out (L5). */
static void say_more(struct model *model, const struct ask *ask, const struct page *page,
                     const char *last, size_t left, struct json_object *list)
{
    struct json_object *metadata = value_get(list, "metadata");

    value_put_text(metadata, "continue", "<token>");
    if (ask->labels == NULL && ask->fields == NULL)
        value_put_int(metadata, "remainingItemCount", (int64_t)left);
    await_token(model, ask, page->revision, last);
}

static struct json_object *fill(struct model *model, const struct ask *ask, const struct page *page)
{
    const struct event **events = calloc(model->event_count + 1, sizeof(*events));
    struct json_object *items = json_object_new_array();
    struct json_object *list = list_of(ask, page->revision, items);
    size_t count = model_objects(model, ask->kind, ask->namespace, page->revision, events);

    for (size_t i = 0; i < count; i++) {
        const struct json_object *object = events[i]->object;
        char *key = key_of(object);
        bool wanted = (page->last == NULL || strcmp(key, page->last) > 0) &&
                      is_wanted(object, NULL, ask->labels, ask->fields);
        bool full = false;

        if (wanted) {
            add_item(items, ask, object);
            full = value_length(items) == page->limit;
        }
        if (full && i + 1 < count && !is_single(ask))
            say_more(model, ask, page, key, count - i - 1, list);
        free(key);
        if (full)
            break;
    }
    free(events);
    return list;
}

static void list(struct model *model, const struct ask *ask, struct answer *answer)
{
    struct page page = {0};
    struct json_object *status = choose(model, ask, &page);

    if (status != NULL)
        answer_refuse(answer, status);
    else
        answer->body = fill(model, ask, &page);
}

void model_read(struct model *model, const struct ask *ask, struct answer *answer)
{
    if (ask->verb == VERB_GET)
        get(model, ask, answer);
    else
        list(model, ask, answer);
}
