/* races - a LIST and a watch from its version, while another client writes: paused at every point.
 *
 * One client writes ten times; another lists, then watches from where the list ends. The world is
 * run again and again, and each time somebody is held up for a second at another event of the
 * network: the reader, the server, or nobody, but history is compacted there. Whatever happens in
 * between, list and lines together are what the model says: every later change once and in order;
 * or the watch is refused with 410, stays refused, and a new list mends it (museum C9, C20). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/compare.h"
#include "tests/model/dock.h"
#include "tests/model/model.h"
#include "tests/model/watches.h"

#define END_US INT64_C(6000000)
#define PAUSE_US INT64_C(1000000)
/** More events than any world here has. */
#define POINTS_MAX 5000
#define WIDTH 3000

static const struct {
    enum verb verb;
    const char *name;
    const char *body;
} writes[] = {
    {VERB_CREATE, "a", "{'metadata':{'name':'a','labels':{'app':'one'}}}"                    },
    {VERB_CREATE, "b", "{'metadata':{'name':'b'}}"                                           },
    {VERB_MERGE,  "b", "{'metadata':{'labels':{'app':'one'}}}"                               },
    {VERB_UPDATE, "a", "{'metadata':{'name':'a','labels':{'app':'one'}},'data':{'k':'1'}}"   },
    {VERB_DELETE, "a", NULL                                                                  },
    {VERB_CREATE, "a", "{'metadata':{'name':'a'}}"                                           },
    {VERB_MERGE,  "a", "{'metadata':{'labels':{'app':'one'},'finalizers':['example.com/x']}}"},
    {VERB_DELETE, "a", NULL                                                                  },
    {VERB_MERGE,  "b", "{'metadata':{'labels':null}}"                                        },
    {VERB_MERGE,  "a", "{'metadata':{'finalizers':null}}"                                    },
};
#define WRITES (sizeof(writes) / sizeof(writes[0]))

/** What is done at a point of the run. */
enum deed { HOLD_READER, HOLD_SERVER, COMPACT, DEED_COUNT };

static const char *const deed_names[DEED_COUNT] = {"the reader is held up", "the server is held up",
                                                   "compaction"};

enum stage { STAGE_LIST, STAGE_WATCH, STAGE_AGAIN };

struct race {
    enum deed deed;
    size_t point;
    const char *labels; /* the reader's selector; NULL: none */
    const char *limit;  /* of its pages; NULL: no pages */
    struct dock dock;   /* of the reader */
    struct dock writer;
    struct model model;
    size_t written;
    bool writing;
    struct ask write;
    struct answer want;
    struct reply answer;
    struct ask ask; /* of the reader */
    struct reply reply;
    enum stage stage;
    struct json_object *items; /* of the pages so far */
    char *version;             /* of the list */
    char *token;
    size_t gone; /* 410s met */
    char *why;
};

static void fail(struct race *race, const char *what, const char *detail)
{
    if (race->why == NULL)
        race->why = format("%s: %.*s", what, WIDTH, detail);
}

static const char *json(struct json_object *tree)
{
    return json_object_to_json_string_ext(tree, JSON_C_TO_STRING_PLAIN);
}

/* --- the writer --- */

static void write_next(struct race *race)
{
    const char *body = writes[race->written].body;
    enum verb verb = writes[race->written].verb;

    race->write =
        (struct ask){.verb = verb,
                     .kind = &kinds[CONFIGMAP],
                     .namespace = format("default"),
                     .name = verb == VERB_CREATE ? NULL : format("%s", writes[race->written].name),
                     .body = body == NULL ? NULL : value_of(body)};
    race->model.now_us = dock_now_us(&race->dock);
    dock_send(&race->writer, &race->write, &race->answer);
    race->writing = true;
}

/* The answer has come. Its times may be a second on, which the model cannot know: it takes the
 * server's, since a write and its answer are not at one instant here. */
static void finish_write(struct race *race)
{
    struct json_object *got = value_parse(buffer_text(&race->answer.body), race->answer.body.size);
    const char *created = value_text(got, "metadata.creationTimestamp");
    const char *deleted = value_text(got, "metadata.deletionTimestamp");
    struct bindings bindings = {0};
    char why[512];

    if (created[0] != '\0')
        race->model.now_us = time_of(deleted[0] != '\0' ? deleted : created) * 1000000;
    model_ask(&race->model, &race->write, &race->want);
    if ((int)race->answer.status != race->want.code ||
        !compare(race->want.body, got, &bindings, why))
        fail(race, "a write", buffer_text(&race->answer.body));
    model_learn(&race->model, bindings.uid, "", "");
    json_object_put(got);
    answer_release(&race->want);
    reply_release(&race->answer);
    ask_release(&race->write);
    race->writing = false;
    race->written++;
}

static void poke_writer(struct race *race)
{
    if (race->writing && race->answer.ended)
        finish_write(race);
    if (!race->writing && race->written < WRITES)
        write_next(race);
}

/* --- the reader --- */

static char *copy(const char *text)
{
    return text == NULL ? NULL : format("%s", text);
}

static void ask_again(struct race *race, enum verb verb)
{
    reply_release(&race->reply);
    ask_release(&race->ask);
    race->ask = (struct ask){.verb = verb,
                             .kind = &kinds[CONFIGMAP],
                             .namespace = format("default"),
                             .labels = copy(race->labels)};
    if (verb == VERB_WATCH) {
        race->ask.revision = copy(race->version);
    } else {
        race->ask.limit = copy(race->limit);
        race->ask.token = copy(race->token);
    }
    dock_send(&race->dock, &race->ask, &race->reply);
    buffer_append_text(&race->reply.body, "");
}

static void start_list(struct race *race)
{
    json_object_put(race->items);
    race->items = json_object_new_array();
    free(race->token);
    race->token = NULL;
    race->stage = STAGE_LIST;
    ask_again(race, VERB_LIST);
}

/* A page has come: the next one, or the watch; a token that is too old begins anew. */
static void take_page(struct race *race)
{
    struct json_object *page = value_parse(buffer_text(&race->reply.body), race->reply.body.size);
    struct json_object *items = value_get(page, "items");
    const char *token = value_text(page, "metadata.continue");

    if (race->reply.status == 410) {
        race->gone++;
        start_list(race);
    } else if (race->reply.status != 200) {
        fail(race, "a page", buffer_text(&race->reply.body));
    } else {
        for (size_t i = 0; i < value_length(items); i++)
            value_add(race->items, value_copy(value_item(items, i)));
        free(race->version);
        race->version = copy(value_text(page, "metadata.resourceVersion"));
        free(race->token);
        race->token = token[0] == '\0' ? NULL : copy(token);
        if (race->token == NULL)
            race->stage = STAGE_WATCH;
        ask_again(race, race->token == NULL ? VERB_WATCH : VERB_LIST);
    }
    json_object_put(page);
}

static bool is_gone(const struct race *race)
{
    return strstr(buffer_text(&race->reply.body), "{\"type\":\"ERROR\"") != NULL;
}

/* 410: asked once more it is 410 again (C20), and then a new list is due. */
static void take_gone(struct race *race)
{
    race->gone++;
    if (race->stage == STAGE_AGAIN) {
        start_list(race);
        return;
    }
    race->stage = STAGE_AGAIN;
    ask_again(race, VERB_WATCH);
}

static void poke_reader(struct race *race)
{
    if (sim_process_state(race->dock.client) != SIM_PROCESS_RUNNING)
        return;
    if (race->stage == STAGE_LIST && race->reply.ended)
        take_page(race);
    else if (race->stage != STAGE_LIST && race->reply.ended && is_gone(race))
        take_gone(race);
    else if (race->stage == STAGE_WATCH && race->reply.ended)
        fail(race, "the watch ended", buffer_text(&race->reply.body));
    else if (race->stage == STAGE_AGAIN && race->reply.status == 200 && !is_gone(race) &&
             race->reply.body.size > 0)
        fail(race, "410, and then not", buffer_text(&race->reply.body));
}

/* --- what must hold at the end --- */

static void check_list(struct race *race)
{
    const struct event **events = calloc(race->model.event_count + 1, sizeof(*events));
    struct json_object *want = json_object_new_array();
    uint64_t revision = strtoull(race->version, NULL, 10);
    size_t count = model_objects(&race->model, &kinds[CONFIGMAP], "default", revision, events);
    struct bindings bindings = {0};
    char why[512];

    for (size_t i = 0; i < count; i++) {
        struct json_object *item = value_copy(events[i]->object);

        value_drop(item, "apiVersion");
        value_drop(item, "kind");
        if (is_wanted(item, NULL, race->labels, NULL))
            value_add(want, json_object_get(item));
        json_object_put(item);
    }
    if (!compare(want, race->items, &bindings, why))
        fail(race, "the list", json(race->items));
    json_object_put(want);
    free(events);
}

static void check_lines(struct race *race)
{
    struct watcher watcher;
    struct answer answer = {0};
    struct json_object *want = watcher_begin(&race->model, &race->ask, &watcher, &answer);
    struct json_object *got = json_object_new_array();
    const char *text = buffer_text(&race->reply.body);
    struct bindings bindings = {0};
    char why[512];

    for (size_t size; *text != '\0'; text += size + (text[size] == '\n')) {
        size = strcspn(text, "\n");
        value_add(got, value_parse(text, size));
    }
    if (!compare(want, got, &bindings, why)) {
        char *both = format("%s\n  expected %s\n  got      %s", why, json(want),
                            buffer_text(&race->reply.body));

        fail(race, "the lines", both);
        free(both);
    }
    json_object_put(want);
    json_object_put(got);
}

/* --- a run --- */

static void end_hold(void *arg)
{
    sim_process_resume(arg);
}

static void do_deed(struct race *race)
{
    struct sim_process *held = race->deed == HOLD_READER ? race->dock.client : race->dock.api;

    if (race->deed == COMPACT) {
        dock_compact(&race->dock);
        return;
    }
    sim_process_pause(held);
    (void)sim_at(race->dock.sim, sim_now_us(race->dock.sim) + PAUSE_US, end_hold, held);
}

static void start(struct race *race)
{
    const struct sim_process_options writer = {.name = "writer"};
    const struct ask list = {.verb = VERB_LIST, .kind = &kinds[CONFIGMAP]};
    const struct ask namespaces = {.verb = VERB_LIST, .kind = &kinds[NAMESPACE]};
    const struct ask *const found[] = {&namespaces, &list};

    dock_start(&race->dock, 1, 10000, 98);
    race->writer = race->dock;
    race->writer.client = sim_process_new(race->dock.sim, &writer);
    sim_process_start(race->writer.client);
    dock_run(&race->dock, 0);
    model_init(&race->model, 10000);
    for (size_t i = 0; i < 2; i++) {
        struct reply reply;
        struct json_object *tree;

        (void)dock_call(&race->dock, found[i], &reply);
        tree = value_parse(buffer_text(&reply.body), reply.body.size);
        race->model.revision = strtoull(value_text(tree, "metadata.resourceVersion"), NULL, 10);
        for (size_t k = 0; k < value_length(value_get(tree, "items")); k++)
            model_found(&race->model, found[i]->kind, value_item(value_get(tree, "items"), k));
        json_object_put(tree);
        reply_release(&reply);
    }
    sim_set_default_link(race->dock.sim, &sim_link_default);
}

static void finish(struct race *race)
{
    reply_release(&race->reply);
    reply_release(&race->answer);
    answer_release(&race->want);
    ask_release(&race->ask);
    ask_release(&race->write);
    json_object_put(race->items);
    free(race->version);
    free(race->token);
    model_release(&race->model);
    dock_free(&race->dock);
}

/* Plays it to the end. Returns how many events it had until the last write was seen. */
static size_t run(struct race *race)
{
    size_t events = 0;
    size_t last = 0;

    start(race);
    poke_writer(race);
    start_list(race);
    while (race->why == NULL && sim_next_us(race->dock.sim) <= END_US && sim_step(race->dock.sim)) {
        events++;
        if (events == race->point)
            do_deed(race);
        poke_writer(race);
        poke_reader(race);
        if (race->written < WRITES)
            last = events + 1;
    }
    if (race->why == NULL && (race->written < WRITES || race->stage != STAGE_WATCH))
        fail(race, "it did not end", "");
    if (race->why == NULL)
        check_list(race);
    if (race->why == NULL)
        check_lines(race);
    finish(race);
    return last;
}

int main(void)
{
    static const char *const selectors[] = {NULL, "app=one", "!app"};
    static const char *const limits[] = {NULL, "1"};
    size_t runs = 0;
    size_t gone = 0;

    for (size_t i = 0; i < 3 * 2 * DEED_COUNT; i++) {
        size_t points = POINTS_MAX;

        for (size_t point = 0; point <= points; point++) {
            struct race race = {.deed = (enum deed)(i % DEED_COUNT),
                                .point = point,
                                .labels = selectors[i / DEED_COUNT % 3],
                                .limit = limits[i / DEED_COUNT / 3]};
            size_t last = run(&race);

            if (race.why != NULL) {
                printf("%s at event %zu, selector %s, limit %s:\n%s\n", deed_names[race.deed],
                       point, race.labels == NULL ? "none" : race.labels,
                       race.limit == NULL ? "none" : race.limit, race.why);
                free(race.why);
                return 1;
            }
            if (point == 0)
                points = last;
            runs++;
            gone += race.gone;
        }
    }
    printf("%zu runs, %zu times 410\n", runs, gone);
    return runs > 500 && gone > 50 ? 0 : 1;
}
