#include "tests/model/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/compare.h"
#include "tests/model/dock.h"
#include "tests/model/draw.h"
#include "tests/model/model.h"
#include "tests/model/random.h"
#include "tests/model/watches.h"

#define WATCHES_MAX 6
#define WIDTH 4000 /* of what is printed of an answer */

/** A watch that both follow. */
struct watch {
    struct ask ask;
    struct reply reply;
    struct watcher watcher;
    int64_t ends_at_us;
    uint64_t bookmark; /* the last one's revision */
    bool open;
    bool paused; /* reads nothing for a while */
};

struct world {
    const struct plan *plan;
    struct dock dock;
    struct model model;
    struct watch watches[WATCHES_MAX];
    bool begun;         /* the first step was taken */
    size_t watch_count; /* begun so far; a new one takes the place of the oldest */
    struct census *census;
    char *why;
};

/* --- differences --- */

static const char *json(const struct json_object *tree)
{
    struct json_object *copy;

    memcpy(&copy, &tree, sizeof(copy));
    return copy == NULL ? "(none)"
                        : json_object_to_json_string_ext(copy, JSON_C_TO_STRING_PLAIN |
                                                                   JSON_C_TO_STRING_NOSLASHESCAPE);
}

static char *request_text(const struct ask *ask)
{
    char *target = ask_target(ask);
    char *text;

    if (ask->verb == VERB_WAIT)
        text = format("(%" PRId64 " us go by)", ask->wait_us);
    else if (ask->verb == VERB_COMPACT)
        text = format("(compaction)");
    else
        text = format("%s %s%s%s", ask_method(ask), target, ask->body == NULL ? "" : "\n    ",
                      ask->body == NULL ? "" : json(ask->body));
    free(target);
    return text;
}

/* Two texts may need the same room of json-c's: the second is made after the first was copied. */
static bool differ(struct world *world, const struct ask *ask, const char *where,
                   const struct json_object *want, const char *got)
{
    char *request = request_text(ask);

    if (world->why == NULL)
        world->why = format("%s\n  differs at %s\n  expected %.*s\n  got      %.*s", request, where,
                            WIDTH, json(want), WIDTH, got);
    free(request);
    return false;
}

/* --- watches --- */

static uint64_t revision_of(const struct json_object *line)
{
    return strtoull(value_text(line, "object.metadata.resourceVersion"), NULL, 10);
}

static bool is_plain_bookmark(const struct json_object *line)
{
    return strcmp(value_text(line, "type"), "BOOKMARK") == 0 &&
           value_at(line, "object.metadata.annotations") == NULL;
}

/* W6: asked for, and saying what is true: no later than now, no earlier than what was said. */
static bool check_bookmark(struct world *world, struct watch *watch, const struct json_object *line)
{
    uint64_t revision = revision_of(line);

    if (!watch->ask.bookmarks || revision < watch->bookmark || revision > watch->watcher.cursor)
        return differ(world, &watch->ask, "a bookmark", NULL, json(line));
    watch->bookmark = revision;
    return true;
}

/* The lines that have come, but bookmarks; NULL when they are no JSON. */
static struct json_object *take_lines(struct world *world, struct watch *watch)
{
    struct json_object *lines = json_object_new_array();
    const char *text = buffer_text(&watch->reply.body);
    bool good = true;

    while (good && *text != '\0') {
        size_t size = strcspn(text, "\n");
        struct json_object *line = value_parse(text, size);

        good = line != NULL && text[size] == '\n';
        if (good && world->census != NULL) {
            census_line(world->census, value_text(line, "type"));
            world->census->bytes += size;
        }
        if (good && is_plain_bookmark(line)) {
            good = check_bookmark(world, watch, line);
            json_object_put(line);
        } else {
            value_add(lines, line);
        }
        text += size + (text[size] == '\n');
    }
    if (!good)
        (void)differ(world, &watch->ask, "a line", NULL, buffer_text(&watch->reply.body));
    buffer_clear(&watch->reply.body);
    buffer_append_text(&watch->reply.body, "");
    return lines;
}

/* Whether the lines that came are those wanted, which is taken over; and the end, if it is time. */
static bool check_lines(struct world *world, struct watch *watch, struct json_object *want)
{
    bool over = watch->watcher.over || dock_now_us(&world->dock) >= watch->ends_at_us;
    struct json_object *got = take_lines(world, watch);
    struct bindings bindings = {0};
    char why[512];
    bool good = world->why == NULL;

    if (good && !compare(want, got, &bindings, why))
        good = differ(world, &watch->ask, why, want, json(got));
    if (good && (watch->reply.ended != over || (over && !watch->reply.whole)))
        good = differ(world, &watch->ask, over ? "its end" : "an end that came early", want, "");
    if (watch->reply.ended)
        watch->open = false;
    json_object_put(want);
    json_object_put(got);
    return good;
}

static void close_watch(struct watch *watch)
{
    reply_release(&watch->reply);
    ask_release(&watch->ask);
    *watch = (struct watch){0};
}

static bool check_watches(struct world *world)
{
    bool good = true;

    for (size_t i = 0; i < WATCHES_MAX && good; i++) {
        struct watch *watch = &world->watches[i];

        if (!watch->open || watch->paused)
            continue;
        good = check_lines(world, watch, watcher_follow(&world->model, &watch->watcher));
    }
    return good;
}

/* One watch reads nothing from now on, or reads on: nothing is lost meanwhile. One that is about to
 * end by itself is left alone. */
static void turn(struct world *world, struct random *random)
{
    struct watch *watch = &world->watches[random_below(random, WATCHES_MAX)];

    if (!watch->open || watch->ends_at_us != INT64_MAX)
        return;
    watch->paused = !watch->paused;
    if (watch->paused)
        exchange_pause(watch->reply.exchange);
    else
        exchange_resume(watch->reply.exchange);
    dock_run(&world->dock, 0);
}

/* --- requests --- */

static bool check_warnings(struct world *world, const struct ask *ask, const struct answer *want,
                           const struct reply *reply)
{
    bool same = value_length(want->warnings) == value_length(reply->warnings);

    for (size_t i = 0; i < value_length(want->warnings); i++)
        same = same && value_lists(reply->warnings, value_string(value_item(want->warnings, i)));
    return same || differ(world, ask, "warnings", want->warnings, json(reply->warnings));
}

static bool check_answer(struct world *world, const struct ask *ask, const struct answer *want,
                         const struct reply *reply)
{
    struct json_object *got = value_parse(buffer_text(&reply->body), reply->body.size);
    struct bindings bindings = {0};
    char why[512];
    bool good;

    if (world->census != NULL)
        census_answer(world->census, ask, (int)reply->status, reply->body.size);
    if (!reply->ended || !reply->whole || !reply->json)
        good =
            differ(world, ask, "the answer's end or type", want->body, buffer_text(&reply->body));
    else if ((int)reply->status != want->code)
        good = differ(world, ask, "status", want->body, buffer_text(&reply->body));
    else if (!compare(want->body, got, &bindings, why))
        good = differ(world, ask, why, want->body, buffer_text(&reply->body));
    else
        good = check_warnings(world, ask, want, reply);
    model_learn(&world->model, bindings.uid, bindings.name, bindings.token);
    json_object_put(got);
    return good;
}

static bool begin_watch(struct world *world, struct ask *ask)
{
    struct watch *watch = &world->watches[world->watch_count++ % WATCHES_MAX];
    struct answer answer = {0};
    struct json_object *lines;
    bool good;

    close_watch(watch);
    watch->ask = *ask;
    *ask = (struct ask){0};
    lines = watcher_begin(&world->model, &watch->ask, &watch->watcher, &answer);
    dock_send(&world->dock, &watch->ask, &watch->reply);
    buffer_append_text(&watch->reply.body, "");
    dock_run(&world->dock, 0);
    if (lines == NULL) {
        good = check_answer(world, &watch->ask, &answer, &watch->reply);
    } else if (watch->reply.status != 200) {
        good = differ(world, &watch->ask, "status", lines, buffer_text(&watch->reply.body));
        json_object_put(lines);
    } else {
        watch->open = true;
        watch->ends_at_us =
            watch->ask.timeout == NULL
                ? INT64_MAX
                : dock_now_us(&world->dock) + strtoll(watch->ask.timeout, NULL, 10) * 1000000;
        if (world->census != NULL)
            census_answer(world->census, &watch->ask, 200, 0);
        good = check_lines(world, watch, lines);
    }
    answer_release(&answer);
    return good;
}

static bool settle(struct world *world, const struct ask *ask, struct reply *reply)
{
    struct answer answer = {0};
    bool good;

    model_ask(&world->model, ask, &answer);
    if (world->plan->told && world->begun)
        printf("  %u %.*s\n", reply->status, 300, buffer_text(&reply->body));
    good = check_answer(world, ask, &answer, reply);
    answer_release(&answer);
    return good;
}

static bool is_write(const struct ask *ask)
{
    return ask->verb >= VERB_CREATE && ask->verb <= VERB_DELETE_ALL;
}

/* A write may be sent twice at once: the second finds what the first has done (S3). */
static bool request(struct world *world, const struct ask *ask, bool twice)
{
    struct reply first;
    struct reply second;
    bool good;

    if (twice) {
        dock_send(&world->dock, ask, &first);
        (void)dock_call(&world->dock, ask, &second);
    } else {
        (void)dock_call(&world->dock, ask, &first);
    }
    good = settle(world, ask, &first);
    if (twice) {
        good = good && settle(world, ask, &second);
        reply_release(&second);
    }
    reply_release(&first);
    return good;
}

static bool take(struct world *world, struct ask *ask, bool twice)
{
    struct answer answer = {0};
    bool good = true;

    world->model.now_us = dock_now_us(&world->dock);
    if (ask->verb == VERB_WAIT) {
        dock_run(&world->dock, ask->wait_us);
    } else if (ask->verb == VERB_COMPACT) {
        dock_compact(&world->dock);
        model_ask(&world->model, ask, &answer);
    } else if (ask->verb == VERB_WATCH) {
        good = begin_watch(world, ask);
    } else {
        good = request(world, ask, twice);
    }
    dock_run(&world->dock, 0);
    return good && check_watches(world);
}

/* --- a world --- */

/* What is there before the first step: the CRDs, and what a new server has. */
static bool find_kind(struct world *world, const struct kind *kind)
{
    const struct ask ask = {.verb = VERB_LIST, .kind = kind};
    struct reply reply;
    struct json_object *list = NULL;
    struct json_object *items;

    if (dock_call(&world->dock, &ask, &reply) && reply.status == 200)
        list = value_parse(buffer_text(&reply.body), reply.body.size);
    items = value_get(list, "items");
    world->model.revision = strtoull(value_text(list, "metadata.resourceVersion"), NULL, 10);
    for (size_t i = 0; i < value_length(items); i++) {
        value_drop(value_get(value_item(items, i), "metadata"), "managedFields");
        model_found(&world->model, kind, value_item(items, i));
    }
    if (list == NULL)
        world->why =
            format("list of %s: %u %s", kind->plural, reply.status, buffer_text(&reply.body));
    json_object_put(list);
    reply_release(&reply);
    return list != NULL;
}

static bool find_world(struct world *world)
{
    static const char target[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    for (size_t i = 0; definitions[i] != NULL; i++) {
        struct json_object *definition = value_of(definitions[i]);
        struct reply reply;

        if (!dock_post(&world->dock, target, json(definition), &reply) || reply.status != 201)
            world->why = format("definition: %u %s", reply.status, buffer_text(&reply.body));
        json_object_put(definition);
        reply_release(&reply);
    }
    dock_run(&world->dock, INT64_C(3000000));
    for (size_t i = 0; i < KIND_COUNT && world->why == NULL; i++)
        if (!find_kind(world, &kinds[i]))
            return false;
    world->model.first = world->model.revision;
    return world->why == NULL;
}

/* Namespaces to write to: two that are there, one that is ending. */
static bool furnish(struct world *world)
{
    static const char *const names[] = {"red", "blue", "ending", "ending"};
    bool good = true;

    for (size_t i = 0; i < 4 && good; i++) {
        struct ask ask = {.verb = i < 3 ? VERB_CREATE : VERB_DELETE, .kind = &kinds[NAMESPACE]};

        if (i < 3) {
            ask.body = json_object_new_object();
            value_put_text(value_within(ask.body, "metadata"), "name", names[i]);
        } else {
            ask.name = format("%s", names[i]);
        }
        good = take(world, &ask, false);
        ask_release(&ask);
    }
    return good;
}

static bool take_step(struct world *world, size_t number)
{
    struct random random = {world->plan->seed ^ (UINT64_C(0x51ed2701) * (number + 1))};
    struct ask ask;
    bool twice;
    bool good;

    world->begun = true;
    if (random_is(&random, 60))
        turn(world, &random);
    draw(&random, &world->model, &ask);
    twice = is_write(&ask) && random_is(&random, 60);
    if (world->plan->told) {
        char *text = request_text(&ask);

        printf("%zu:%s %s\n", number, twice ? " twice" : "", text);
        free(text);
    }
    if (world->census != NULL)
        world->census->steps++;
    if (world->census != NULL && (ask.verb == VERB_WAIT || ask.verb == VERB_COMPACT))
        census_answer(world->census, &ask, 0, 0);
    good = take(world, &ask, twice);
    ask_release(&ask);
    return good;
}

/* Short and long histories; counters that soon have another digit, or more than 53 bits (C20). */
static void begin(struct world *world)
{
    static const uint64_t histories[] = {10000, 60, 10000};
    static const uint64_t firsts[] = {1, 8, 98, (UINT64_C(1) << 53) - 2};
    uint64_t seed = world->plan->seed;
    uint64_t history = histories[seed % 3];

    dock_start(&world->dock, seed, history, firsts[seed % 4]);
    model_init(&world->model, history);
    world->model.compacted = firsts[seed % 4];
}

bool world_play(const struct plan *plan, struct census *census, char **ret_why, size_t *ret_taken)
{
    struct world world = {.plan = plan, .census = census};
    bool good;
    size_t taken = 0;

    begin(&world);
    good = find_world(&world) && furnish(&world);
    while (good && taken < plan->step_count)
        good = take_step(&world, plan->steps[taken++]);
    for (size_t i = 0; i < WATCHES_MAX; i++)
        close_watch(&world.watches[i]);
    model_release(&world.model);
    dock_free(&world.dock);
    if (census != NULL)
        census->worlds++;
    *ret_why = world.why;
    *ret_taken = taken;
    return good;
}
