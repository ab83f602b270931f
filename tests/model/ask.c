#include "tests/model/ask.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *verb_name(enum verb verb)
{
    static const char *const names[VERB_COUNT] = {
        [VERB_GET] = "get",         [VERB_LIST] = "list",
        [VERB_WATCH] = "watch",     [VERB_CREATE] = "create",
        [VERB_UPDATE] = "update",   [VERB_MERGE] = "merge patch",
        [VERB_PATCH] = "patch",     [VERB_DELETE] = "delete",
        [VERB_WAIT] = "wait",       [VERB_DELETE_ALL] = "delete all",
        [VERB_COMPACT] = "compact",
    };

    return names[verb];
}

const char *ask_method(const struct ask *ask)
{
    static const char *const methods[VERB_COUNT] = {
        [VERB_GET] = "GET",       [VERB_LIST] = "GET",           [VERB_WATCH] = "GET",
        [VERB_CREATE] = "POST",   [VERB_UPDATE] = "PUT",         [VERB_MERGE] = "PATCH",
        [VERB_PATCH] = "PATCH",   [VERB_DELETE] = "DELETE",      [VERB_DELETE_ALL] = "DELETE",
        [VERB_COMPACT] = "(now)", [VERB_WAIT] = "(time goes by)"};

    return methods[ask->verb];
}

const char *ask_content_type(const struct ask *ask)
{
    if (ask->body == NULL)
        return NULL;
    if (ask->verb == VERB_MERGE)
        return "application/merge-patch+json";
    return ask->verb == VERB_PATCH ? "application/json-patch+json" : "application/json";
}

/* name=value, what is special in the value as %XX. */
static void add(char **target, const char *name, const char *value)
{
    char *coded;
    size_t size = 0;
    char *whole;

    if (value == NULL)
        return;
    coded = calloc(3 * strlen(value) + 1, 1);
    if (coded == NULL)
        abort();
    for (const char *at = value; *at != '\0'; at++)
        size += (size_t)snprintf(
            coded + size, 4,
            isalnum((unsigned char)*at) || strchr("-._~", *at) != NULL ? "%c" : "%%%02X",
            (unsigned char)*at);
    whole = format("%s%c%s=%s", *target, strchr(*target, '?') == NULL ? '?' : '&', name, coded);
    free(coded);
    free(*target);
    *target = whole;
}

static char *path(const struct ask *ask)
{
    char version[64];
    const char *namespace = ask->namespace == NULL ? "" : ask->namespace;

    return format("%s%s%s%s/%s%s%s%s%s", ask->kind->group[0] == '\0' ? "/api/" : "/apis/",
                  api_version(ask->kind, ask->other_version, version),
                  namespace[0] == '\0' ? "" : "/namespaces/", namespace, ask->kind->plural,
                  ask->name == NULL ? "" : "/", ask->name == NULL ? "" : ask->name,
                  ask->sub == NULL ? "" : "/", ask->sub == NULL ? "" : ask->sub);
}

char *ask_target(const struct ask *ask)
{
    char *target = path(ask);

    if (ask->verb == VERB_WATCH)
        add(&target, "watch", "true");
    add(&target, "labelSelector", ask->labels);
    add(&target, "fieldSelector", ask->fields);
    add(&target, "resourceVersion", ask->revision);
    add(&target, "resourceVersionMatch", ask->match);
    add(&target, "limit", ask->limit);
    add(&target, "continue", ask->token);
    add(&target, "dryRun", ask->dry_run);
    add(&target, "fieldValidation", ask->validation);
    add(&target, "propagationPolicy", ask->policy);
    add(&target, "sendInitialEvents", ask->initial);
    add(&target, "timeoutSeconds", ask->timeout);
    add(&target, "allowWatchBookmarks", ask->bookmarks ? "true" : NULL);
    return target;
}

void ask_release(struct ask *ask)
{
    free(ask->namespace);
    free(ask->name);
    free(ask->labels);
    free(ask->fields);
    free(ask->revision);
    free(ask->match);
    free(ask->limit);
    free(ask->token);
    free(ask->dry_run);
    free(ask->validation);
    free(ask->policy);
    free(ask->initial);
    free(ask->timeout);
    json_object_put(ask->body);
    *ask = (struct ask){0};
}
