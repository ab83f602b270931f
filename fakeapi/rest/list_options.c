/* list_options - queries of reads into structs. */
#include "fakeapi/rest/list_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/continue_token.h"

static void forbid(struct field_errors *errors, const char *path, const char *detail)
{
    field_errors_add(errors, FIELD_FORBIDDEN, path, "Forbidden: %s", detail);
}

static void check_match(const char *match, const char *revision, bool continued,
                        struct field_errors *errors)
{
    static const char path[] = "resourceVersionMatch";

    if (text_is_empty(match))
        return;
    if (text_is_empty(revision))
        forbid(errors, path,
               "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (continued)
        forbid(errors, path, "resourceVersionMatch is forbidden when continue is provided");
    if (strcmp(match, "Exact") != 0 && strcmp(match, "NotOlderThan") != 0)
        field_errors_add(
            errors, FIELD_NOT_SUPPORTED, path,
            "Unsupported value: \"%s\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
            match);
    if (strcmp(match, "Exact") == 0 && text_equal(revision, "0"))
        forbid(errors, path,
               "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
}

/* What does not go together (L4). */
static bool check_options(const char *match, const char *revision, bool continued,
                          const char *initial, struct rest_status *status)
{
    const struct rest_subject subject = {
        .group = "meta.k8s.io", .plural = "", .kind = "ListOptions", .name = ""};
    struct field_errors errors = FIELD_ERRORS_INIT;
    bool ok;

    check_match(match, revision, continued, &errors);
    if (initial != NULL)
        forbid(&errors, "sendInitialEvents", "sendInitialEvents is forbidden for list");
    ok = errors.count == 0 || rest_status_invalid(status, &subject, &errors);
    field_errors_release(&errors);
    return ok;
}

static bool read_revision(const char *text, struct list_request *list, struct rest_status *status)
{
    if (text_is_empty(text))
        return true;
    if (!text_to_uint64(text, &list->revision))
        return rest_status_untyped(status,
                                   "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: "
                                   "parsing \"%s\": invalid syntax",
                                   text, text);
    list->revision_given = true;
    return true;
}

static bool read_continue(const char *token, const char *revision, struct list_request *list,
                          struct rest_status *status)
{
    if (text_is_empty(token))
        return true;
    if (!continue_token_read(token, &list->token_revision, &list->start, status))
        return false;
    if (!text_is_empty(revision) && strcmp(revision, "0") != 0)
        return rest_status_bad_request(
            status, "specifying resource version is not allowed when using continue");
    return true;
}

/* Only tables ask for it. */
static bool read_include(const char *include, struct list_request *list, struct rest_status *status)
{
    if (list->accept.form != FORM_TABLE || text_is_empty(include) ||
        strcmp(include, "Metadata") == 0)
        list->object = EMIT_METADATA;
    else if (strcmp(include, "Object") == 0)
        list->object = EMIT_WHOLE;
    else if (strcmp(include, "None") == 0)
        list->object = EMIT_NOTHING;
    else
        return rest_status_bad_request(status,
                                       "Unable to convert to Table as requested: includeObject: "
                                       "Invalid value: \"%s\": must be 'Metadata', 'Object', "
                                       "'None', or empty",
                                       include);
    return true;
}

/* In the order in which the real server finds fault. */
static bool read_texts(struct call *call, char *const *texts, struct list_request *list,
                       struct rest_status *status)
{
    bool continued = !text_is_empty(texts[3]);

    list->limit = 0;
    if (!text_is_empty(texts[0]) && !text_to_uint64(texts[0], &list->limit))
        return rest_status_bad_request(status, "strconv.ParseInt: parsing \"%s\": invalid syntax",
                                       texts[0]);
    if (!selector_parse_labels(texts[4], &list->selector, status) ||
        !check_options(texts[2], texts[1], continued, texts[7], status) ||
        !selector_parse_fields(texts[5], call->kind, &list->selector, status) ||
        !read_continue(texts[3], texts[1], list, status) ||
        !read_revision(texts[1], list, status) || !read_include(texts[6], list, status))
        return false;
    list->exact = text_is_empty(texts[2]) ? list->limit > 0 && list->revision > 0
                                          : strcmp(texts[2], "Exact") == 0;
    /* All of it, from any state (L5). */
    if (list->revision_given && list->revision == 0 && !continued)
        list->limit = 0;
    return true;
}

bool list_options_read(struct call *call, struct list_request *list, struct rest_status *status)
{
    static const char *const names[] = {"limit",         "resourceVersion",  "resourceVersionMatch",
                                        "continue",      "labelSelector",    "fieldSelector",
                                        "includeObject", "sendInitialEvents"};
    char *texts[ARRAY_SIZE(names)];
    bool ok;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        texts[i] = route_query(&call->route, names[i]);
    ok = read_texts(call, texts, list, status);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        free(texts[i]);
    return ok;
}

void list_options_release(struct list_request *list)
{
    selector_release(&list->selector);
    free(list->start);
}

bool list_options_refuse_future(struct rest_status *status, uint64_t revision, uint64_t current)
{
    rest_status_set(status, 504, "Timeout",
                    "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64, revision,
                    current);
    rest_status_cause(status, "ResourceVersionTooLarge", "Too large resource version", NULL);
    status->retry_after_seconds = 1;
    return false;
}

bool list_options_read_get(struct call *call, struct list_request *get, struct rest_status *status)
{
    char *revision = route_query(&call->route, "resourceVersion");
    char *include = route_query(&call->route, "includeObject");
    uint64_t current = store_revision(call->rest->store);
    bool ok = false;

    if (route_query_flag(&call->route, "export"))
        rest_status_bad_request(
            status, "the export parameter, deprecated since v1.14, is no longer supported");
    else
        ok = read_revision(revision, get, status) && read_include(include, get, status);
    if (ok && get->revision_given && get->revision > current)
        ok = list_options_refuse_future(status, get->revision, current);
    free(revision);
    free(include);
    return ok;
}
