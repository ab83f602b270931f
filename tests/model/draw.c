#include "tests/model/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/bodies.h"

static const char *const namespaces[] = {"default", "default", "red", "red",
                                         "blue",    "ending",  "gone"};
static const char wrong_uid[] = "00000000-0000-4000-8000-000000000000";

static char *copy(const char *text)
{
    return text == NULL ? NULL : format("%s", text);
}

static char *number(uint64_t value)
{
    return format("%" PRIu64, value);
}

static enum verb draw_verb(struct random *random)
{
    static const struct {
        enum verb verb;
        size_t weight;
    } weights[] = {
        {VERB_GET,        120},
        {VERB_LIST,       160},
        {VERB_WATCH,      50 },
        {VERB_CREATE,     240},
        {VERB_UPDATE,     160},
        {VERB_MERGE,      100},
        {VERB_PATCH,      60 },
        {VERB_DELETE,     80 },
        {VERB_DELETE_ALL, 6  },
        {VERB_COMPACT,    4  },
        {VERB_WAIT,       20 },
    };
    size_t at = random_below(random, 1000);

    for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
        if (at < weights[i].weight)
            return weights[i].verb;
        at -= weights[i].weight;
    }
    return VERB_GET;
}

static const struct kind *draw_kind(struct random *random)
{
    static const size_t chosen[] = {CONFIGMAP, CONFIGMAP, CONFIGMAP, SECRET,   LEASE,
                                    POD,       POD,       GADGET,    GADGET,   GADGET,
                                    GADGET,    PLAIN,     PLAIN,     NAMESPACE};

    return &kinds[RANDOM_PICK(random, chosen)];
}

/* What is stored where the request goes; NULL when nothing is. */
static const struct json_object *target_of(const struct model *model, const struct ask *ask)
{
    const struct event *event = model_find(
        model, ask->kind, ask->namespace == NULL ? "" : ask->namespace, ask->name, model->revision);

    return event == NULL ? NULL : event->object;
}

/* The object's revision, an earlier one, or none. */
static char *draw_precondition(struct random *random, const struct json_object *object)
{
    const char *revision = value_text(object, "metadata.resourceVersion");
    uint64_t current = strtoull(revision, NULL, 10);

    if (random_is(random, 700))
        return copy(revision);
    return number(random_is(random, 800) && current > 1 ? current - 1 : current + 1);
}

/* --- reads --- */

static void draw_selectors(struct random *random, struct ask *ask)
{
    static const char *const labels[] = {"app=one",
                                         "app!=one",
                                         "app in (one,two)",
                                         "app notin (one)",
                                         "tier",
                                         "!tier",
                                         "num>3",
                                         "num<7",
                                         "app=one,tier!=two",
                                         "example.com/x==three",
                                         " app = two ",
                                         "tier in (one, )"};
    static const char *const fields[] = {"metadata.name=a", "metadata.name!=b",
                                         "metadata.namespace=red", "metadata.name==c",
                                         "metadata.name=a,metadata.namespace!=red"};
    static const char *const values[] = {"red", "1", "Opaque", "Pending", "node-1", "Active", ""};

    if (random_is(random, 300))
        ask->labels = copy(RANDOM_PICK(random, labels));
    if (random_is(random, 120))
        ask->fields = copy(RANDOM_PICK(random, fields));
    else if (random_is(random, 150) && ask->kind->fields[0] != NULL)
        ask->fields = format(
            "%s%s%s", ask->kind->fields[random_is(random, 400) && ask->kind->fields[1] != NULL],
            random_is(random, 700) ? "=" : "!=", RANDOM_PICK(random, values));
    else if (random_is(random, 20))
        ask->fields = copy("spec.bad=x");
}

/* A revision of the past, since the world was found; or one that is forgotten. */
static uint64_t draw_past(struct random *random, const struct model *model)
{
    uint64_t range = model->revision - model->first + 1;
    uint64_t back = random_is(random, 700) ? range < 40 ? range : 40 : range;
    uint64_t revision = model->revision - random_below(random, (size_t)back);

    return revision;
}

static char *draw_revision(struct random *random, const struct model *model)
{
    switch (random_below(random, 20)) {
    case 0:
    case 1:
        return copy("0");
    case 2:
        return number(model->revision);
    case 3:
    case 4:
    case 5:
    case 6:
        return number(draw_past(random, model));
    case 7:
        return random_is(random, 500) ? number(model->revision + 1 + random_below(random, 3))
                                      : copy("odd");
    default:
        return NULL;
    }
}

static void draw_page(struct random *random, const struct model *model, struct ask *ask)
{
    static const char *const matches[] = {"Exact", "Exact", "NotOlderThan", "Odd"};
    const struct token *token = &model->tokens[random_below(random, TOKENS_MAX)];

    if (random_is(random, 400))
        ask->limit = number(1 + random_below(random, 4));
    if (random_is(random, 250) && token->text != NULL) {
        ask->kind = token->kind;
        free(ask->namespace);
        ask->namespace = token->namespace[0] == '\0' ? NULL : copy(token->namespace);
        ask->other_version = false;
        ask->token = copy(token->text);
    } else if (random_is(random, 10)) {
        ask->token = copy("no token");
    }
    if (ask->token == NULL || random_is(random, 50))
        ask->revision = draw_revision(random, model);
    if (random_is(random, ask->revision == NULL ? 20 : 200))
        ask->match = copy(RANDOM_PICK(random, matches));
}

static void draw_list(struct random *random, const struct model *model, struct ask *ask)
{
    free(ask->name);
    ask->name = NULL;
    if (random_is(random, 400)) {
        free(ask->namespace);
        ask->namespace = NULL;
    }
    draw_page(random, model, ask);
    draw_selectors(random, ask);
}

static void draw_watch(struct random *random, const struct model *model, struct ask *ask)
{
    free(ask->name);
    ask->name = NULL;
    if (random_is(random, 500)) {
        free(ask->namespace);
        ask->namespace = NULL;
    }
    draw_selectors(random, ask);
    ask->revision = random_is(random, 350) ? number(model->revision) : draw_revision(random, model);
    ask->bookmarks = random_is(random, 400);
    if (random_is(random, 150)) {
        ask->initial = copy(random_is(random, 700) ? "true" : "false");
        if (random_is(random, 900))
            ask->match = copy("NotOlderThan");
    } else if (random_is(random, 20)) {
        ask->match = copy("NotOlderThan");
    }
    if (random_is(random, 200))
        ask->timeout = number(1 + random_below(random, 20));
}

/* --- writes --- */

static void draw_write_options(struct random *random, struct ask *ask)
{
    static const char *const validations[] = {"Ignore", "Warn", "Strict"};

    if (random_is(random, 100))
        ask->dry_run = copy(random_is(random, 950) ? "All" : "Some");
    if (random_is(random, 100))
        ask->validation = copy(random_is(random, 950) ? RANDOM_PICK(random, validations) : "Odd");
}

static void draw_create(struct random *random, struct ask *ask)
{
    struct json_object *metadata;

    ask->body = draw_object(random, ask->kind);
    metadata = value_within(ask->body, "metadata");
    if (random_is(random, 100) && !ask->kind->is_namespace)
        value_put_text(metadata, "generateName", "made-");
    else if (random_is(random, 990))
        value_put_text(metadata, "name", ask->name);
    if (random_is(random, 300) && ask->namespace != NULL)
        value_put_text(metadata, "namespace",
                       random_is(random, 900) ? ask->namespace : "elsewhere");
    if (random_is(random, 20) && ask->dry_run == NULL)
        value_put_text(metadata, "resourceVersion", random_is(random, 700) ? "5" : "0");
    if (random_is(random, 20))
        value_put_text(metadata, "uid", wrong_uid);
    free(ask->name);
    ask->name = NULL;
}

/* What is there as it would be sent back, or something new in its place. */
static struct json_object *draw_base(struct random *random, const struct model *model,
                                     const struct ask *ask)
{
    const struct json_object *stored = target_of(model, ask);
    struct json_object *object;

    if (stored != NULL && (random_is(random, 700) || ask->sub != NULL || ask->kind == &kinds[POD]))
        return shown(ask->kind, ask->other_version, stored);
    object = draw_object(random, ask->kind);
    value_put_text(value_within(object, "metadata"), "name", ask->name);
    return object;
}

static void draw_finalize(struct random *random, const struct model *model, struct ask *ask)
{
    struct json_object *object = shown(ask->kind, false, target_of(model, ask));

    ask->sub = "finalize";
    value_put(value_within(object, "spec"), "finalizers",
              value_of(random_is(random, 800) ? "[]" : "['kubernetes']"));
    ask->body = object;
}

static void draw_update(struct random *random, const struct model *model, struct ask *ask)
{
    const struct json_object *stored = target_of(model, ask);
    struct json_object *metadata;
    char *revision;

    if (ask->kind->is_namespace && value_at(stored, "metadata.deletionTimestamp") != NULL &&
        random_is(random, 600)) {
        draw_finalize(random, model, ask);
        return;
    }
    if (ask->kind->custom && random_is(random, 250))
        ask->sub = "status";
    ask->body = draw_base(random, model, ask);
    draw_change(random, ask->kind, ask->body);
    metadata = value_within(ask->body, "metadata");
    revision = draw_precondition(random, stored);
    if (random_is(random, 150))
        value_drop(metadata, "resourceVersion");
    else if (stored != NULL || ask->kind->update_creates)
        value_put_text(metadata, "resourceVersion", revision);
    free(revision);
    if (random_is(random, 150))
        value_drop(metadata, "uid");
    else if (random_is(random, 50))
        value_put_text(metadata, "uid", wrong_uid);
    if (random_is(random, 20))
        value_put_text(metadata, "name", "other");
    else if (random_is(random, 10))
        value_drop(metadata, "name");
    if (random_is(random, 20) && ask->namespace != NULL)
        value_put_text(metadata, "namespace", "elsewhere");
}

static void draw_patch(struct random *random, const struct model *model, struct ask *ask)
{
    const struct json_object *stored = target_of(model, ask);
    char *revision = draw_precondition(random, stored);
    struct json_object *metadata;

    if ((ask->kind->custom || ask->kind == &kinds[POD]) && random_is(random, 400))
        ask->sub = "status";
    if (ask->sub != NULL && ask->kind == &kinds[POD])
        ask->verb = VERB_MERGE;
    if (ask->validation != NULL && strcmp(ask->validation, "Strict") == 0)
        value_put(value_within(ask->body = json_object_new_object(), "metadata"), "labels",
                  value_of("{'app':'two'}"));
    else if (ask->verb == VERB_PATCH)
        ask->body = draw_operations(random, ask->kind, ask->sub, revision);
    else
        ask->body = draw_merge(random, ask->kind, ask->sub);
    if (ask->validation != NULL && strcmp(ask->validation, "Strict") == 0)
        ask->verb = VERB_MERGE;
    if (ask->verb == VERB_MERGE && stored != NULL && random_is(random, 200)) {
        metadata = value_within(ask->body, "metadata");
        value_put_text(metadata, "resourceVersion", revision);
    }
    if (ask->verb == VERB_MERGE && random_is(random, 20))
        value_put_text(value_within(ask->body, "metadata"), random_is(random, 500) ? "uid" : "name",
                       wrong_uid);
    free(revision);
}

static void draw_delete(struct random *random, const struct model *model, struct ask *ask)
{
    static const char *const policies[] = {"Background", "Background", "Foreground", "Orphan",
                                           "Odd"};
    const struct json_object *stored = ask->name == NULL ? NULL : target_of(model, ask);
    const char *policy = random_is(random, 300) ? RANDOM_PICK(random, policies) : NULL;
    bool dry = random_is(random, 80);
    struct json_object *preconditions = json_object_new_object();

    if (ask->kind->is_namespace) {
        policy = NULL;
        stored = NULL;
    }
    if (random_is(random, 500)) {
        ask->policy = copy(policy);
        ask->dry_run = copy(dry ? "All" : NULL);
        json_object_put(preconditions);
        return;
    }
    ask->body = json_object_new_object();
    if (policy != NULL)
        value_put_text(ask->body, "propagationPolicy", policy);
    if (policy == NULL ? random_is(random, 150) : random_is(random, 20))
        value_put(ask->body, "orphanDependents", json_object_new_boolean(random_is(random, 400)));
    if (dry)
        value_put(ask->body, "dryRun", value_of("['All']"));
    if (random_is(random, 300))
        value_put_int(ask->body, "gracePeriodSeconds", (int64_t)random_below(random, 20) - 1);
    if (stored != NULL && random_is(random, 300))
        value_put_text(preconditions, "uid",
                       random_is(random, 800) ? value_text(stored, "metadata.uid") : wrong_uid);
    if (stored != NULL && random_is(random, 300)) {
        char *revision = draw_precondition(random, stored);

        value_put_text(preconditions, "resourceVersion", revision);
        free(revision);
    }
    value_put(ask->body, "preconditions", preconditions);
    value_drop_if_empty(ask->body, "preconditions");
}

static void draw_delete_all(struct random *random, const struct model *model, struct ask *ask)
{
    free(ask->name);
    ask->name = NULL;
    draw_selectors(random, ask);
    if (random_is(random, 200))
        ask->limit = number(1 + random_below(random, 3));
    draw_delete(random, model, ask);
}

/* --- --- */

/* Mostly at what is there, wherever it is. */
static void aim(struct random *random, const struct model *model, struct ask *ask)
{
    const struct event **events;
    size_t count;

    if (!random_is(random, 750))
        return;
    events = calloc(model->event_count + 1, sizeof(*events));
    count = model_objects(model, ask->kind, "", model->revision, events);
    if (count > 0) {
        const struct json_object *object = events[random_below(random, count)]->object;

        free(ask->name);
        ask->name = copy(value_text(object, "metadata.name"));
        free(ask->namespace);
        ask->namespace =
            ask->kind->namespaced ? copy(value_text(object, "metadata.namespace")) : NULL;
    }
    free(events);
}

static void draw_rest(struct random *random, const struct model *model, struct ask *ask)
{
    switch (ask->verb) {
    case VERB_GET:
        if (random_is(random, 100))
            ask->revision = draw_revision(random, model);
        if (ask->kind->custom && random_is(random, 100))
            ask->sub = "status";
        break;
    case VERB_LIST:
        draw_list(random, model, ask);
        break;
    case VERB_WATCH:
        draw_watch(random, model, ask);
        break;
    case VERB_CREATE:
        draw_write_options(random, ask);
        draw_create(random, ask);
        break;
    case VERB_UPDATE:
        draw_write_options(random, ask);
        draw_update(random, model, ask);
        break;
    case VERB_MERGE:
    case VERB_PATCH:
        draw_write_options(random, ask);
        draw_patch(random, model, ask);
        break;
    case VERB_DELETE:
        draw_delete(random, model, ask);
        break;
    case VERB_DELETE_ALL:
        draw_delete_all(random, model, ask);
        break;
    case VERB_WAIT:
        ask->wait_us =
            random_is(random, 100) ? INT64_C(61000000) : (int64_t)random_below(random, 3000000);
        break;
    case VERB_COMPACT:
    case VERB_COUNT:
        break;
    }
}

void draw(struct random *random, const struct model *model, struct ask *ask)
{
    *ask = (struct ask){.verb = draw_verb(random), .kind = draw_kind(random)};
    if (ask->kind->namespaced)
        ask->namespace = copy(RANDOM_PICK(random, namespaces));
    ask->name = copy(draw_name(random, ask->kind));
    ask->other_version = ask->kind->other_version != NULL && random_is(random, 200);
    if (ask->verb != VERB_CREATE && ask->verb != VERB_LIST && ask->verb != VERB_WATCH)
        aim(random, model, ask);
    draw_rest(random, model, ask);
}
