/* Faults that wait for no answer of the API server: what processes, clocks and links do while one
 * lasts, and after it. Each runs idle replicas for 40 s, and the fault is from 9 s on for 10 s. */
#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/runtime.h"
#include "scenarios/world/world.h"
#include "tests/unit/rows.h"

#define START_WALL_US (INT64_C(1748851200) * US_PER_SECOND)
#define SECONDS(number) ((int64_t)((number)*1000000))
#define NAME_SIZE 24
/** More than any of these runs tells. */
#define EVENTS_MAX 100000

struct event {
    int64_t at_us;
    int64_t exchange;
    int64_t number;
    int64_t bytes;
    char kind[NAME_SIZE];
    char process[NAME_SIZE];
    char peer[NAME_SIZE];
    char text[NAME_SIZE];
};

struct story {
    struct event *events;
    size_t count;
};

/** What is looked for; NULL and 0 match all. */
struct query {
    const char *kind;
    const char *process;
    const char *peer;
    int64_t from_us;
    int64_t until_us;
    int64_t exchange;
};

static bool fits(const struct query *query, const struct event *event)
{
    return (query->kind == NULL || strcmp(query->kind, event->kind) == 0) &&
           (query->process == NULL || strcmp(query->process, event->process) == 0) &&
           (query->peer == NULL || strcmp(query->peer, event->peer) == 0) &&
           event->at_us >= query->from_us &&
           (query->until_us == 0 || event->at_us < query->until_us) &&
           (query->exchange == 0 || event->exchange == query->exchange);
}

static const struct event *next(const struct story *story, const struct query *query,
                                const struct event *after)
{
    for (size_t i = after == NULL ? 0 : (size_t)(after - story->events) + 1; i < story->count;
         i++) {
        if (fits(query, &story->events[i]))
            return &story->events[i];
    }
    return NULL;
}

static size_t count(const struct story *story, const struct query *query)
{
    size_t found = 0;

    for (const struct event *at = NULL; (at = next(story, query, at)) != NULL;)
        found++;
    return found;
}

/** Of one kind and process between two times. */
static size_t between(const struct story *story, const char *kind, const char *process,
                      double from_s, double until_s)
{
    return count(story, &(struct query){.kind = kind,
                                        .process = process,
                                        .from_us = SECONDS(from_s),
                                        .until_us = SECONDS(until_s)});
}

static void copy(char *into, const struct json_object *tree, const char *key)
{
    const char *text = text_or(json_get_text(tree, key), "");
    size_t size = strnlen(text, NAME_SIZE - 1);

    memcpy(into, text, size);
    into[size] = '\0';
}

static int64_t number(const struct json_object *tree, const char *key)
{
    return json_object_get_int64(json_get(tree, key));
}

static void read_line(struct story *story, const char *line, size_t size)
{
    struct json_object *tree;
    struct error err = ERROR_INIT;
    struct event *event = &story->events[story->count];

    assert_true(story->count < EVENTS_MAX);
    if (!json_parse(line, size, 1024 * 1024, &tree, &err))
        fail_msg("%s", err.text);
    story->count++;
    event->at_us = number(tree, "at_us");
    event->exchange = number(tree, "exchange");
    event->number = number(tree, "number");
    event->bytes = number(tree, "bytes");
    copy(event->kind, tree, "event");
    copy(event->process, tree, "process");
    copy(event->peer, tree, "peer");
    copy(event->text, tree, "text");
    (void)json_object_put(tree);
}

static struct story run(const char *faults)
{
    struct world_kit *kit = world_kit_new();
    const struct world_options options = {.kit = kit, .seed = 1, .trace = true};
    struct problems problems = {0};
    struct story story = {xcalloc(EVENTS_MAX, sizeof(*story.events)), 0};
    char *text = xprintf("description: x\nfaults:\n%s\nsteps:\n- advance: 40s\n", faults);
    struct scenario *scenario = scenario_read("a/b.yaml", text, strlen(text), &problems);
    struct outcome outcome;

    if (scenario == NULL)
        fail_msg("%s: %s", faults, problems.items[0].text);
    world_run(scenario, &options, &outcome);
    if (!outcome.passed)
        fail_msg("%s: %s\n%s", faults, outcome.reason, outcome.story);
    for (const char *line = outcome.trace; *line != '\0'; line = strchr(line, '\n') + 1)
        read_line(&story, line, (size_t)(strchr(line, '\n') - line));
    outcome_release(&outcome);
    world_kit_free(kit);
    scenario_free(scenario);
    problems_release(&problems);
    free(text);
    return story;
}

/* --- links --- */

static void check_cut(const struct story *story)
{
    assert_int_equal(
        count(story, &(struct query){"request", "api", "ctl-0", SECONDS(9.1), SECONDS(19), 0}), 0);
    assert_true(between(story, "request sent", "ctl-0", 9.1, 19) > 0);
    assert_true(count(story, &(struct query){"request", "api", "ctl-0", SECONDS(19.1), SECONDS(40),
                                             0}) > 0);
    assert_true(
        count(story, &(struct query){"request", "api", "ctl-1", SECONDS(9.1), SECONDS(19), 0}) > 0);
}

/** The other way: what is asked arrives, what is answered does not. */
static void check_cut_back(const struct story *story)
{
    assert_true(
        count(story, &(struct query){"request", "api", "ctl-0", SECONDS(9.1), SECONDS(19), 0}) > 0);
    assert_int_equal(between(story, "response", "ctl-0", 9.1, 19), 0);
    assert_true(between(story, "response", "ctl-0", 19.1, 40) > 0);
}

static void check_partition(const struct story *story)
{
    check_cut(story);
    assert_int_equal(between(story, "response", "ctl-0", 9.1, 19), 0);
}

/** How long each request of a process takes to arrive, and its answer to come back. */
static void ways(const struct story *story, const char *process, double from_s, double until_s,
                 int64_t ret_there[2], int64_t ret_back[2])
{
    const struct query sent = {"request sent", process, NULL, SECONDS(from_s), SECONDS(until_s), 0};

    ret_there[0] = ret_back[0] = INT64_MAX;
    ret_there[1] = ret_back[1] = -1;
    for (const struct event *at = NULL; (at = next(story, &sent, at)) != NULL;) {
        int64_t id = at->exchange;
        const struct event *there =
            next(story, &(struct query){.kind = "request", .exchange = id}, at);
        const struct event *left =
            next(story, &(struct query){.kind = "response sent", .exchange = id}, at);
        const struct event *back =
            next(story, &(struct query){.kind = "response", .exchange = id}, at);

        if (there == NULL || left == NULL || back == NULL || back->at_us > SECONDS(until_s))
            continue;
        ret_there[0] =
            there->at_us - at->at_us < ret_there[0] ? there->at_us - at->at_us : ret_there[0];
        ret_there[1] =
            there->at_us - at->at_us > ret_there[1] ? there->at_us - at->at_us : ret_there[1];
        ret_back[0] =
            back->at_us - left->at_us < ret_back[0] ? back->at_us - left->at_us : ret_back[0];
        ret_back[1] =
            back->at_us - left->at_us > ret_back[1] ? back->at_us - left->at_us : ret_back[1];
    }
    assert_true(ret_there[1] >= 0);
}

static void check_latency(const struct story *story)
{
    int64_t there[2];
    int64_t back[2];

    ways(story, "ctl-0", 9.1, 19, there, back);
    assert_true(there[0] >= SECONDS(1) && there[1] < SECONDS(3));
    assert_true(back[1] < SECONDS(0.1));
    ways(story, "ctl-0", 21, 40, there, back);
    assert_true(there[1] < SECONDS(0.1));
}

static void check_latency_both(const struct story *story)
{
    int64_t there[2];
    int64_t back[2];

    ways(story, "ctl-0", 9.1, 19, there, back);
    assert_true(there[0] >= SECONDS(1) && back[0] >= SECONDS(1));
}

static void check_jitter(const struct story *story)
{
    int64_t there[2];
    int64_t back[2];

    ways(story, "ctl-0", 9.1, 19, there, back);
    assert_true(there[1] > SECONDS(0.05) && there[1] <= SECONDS(1.1));
    assert_true(back[1] < SECONDS(0.1));
}

/** 200 bytes a second: no answer of any size comes at once. */
static void check_bandwidth(const struct story *story)
{
    const struct query sent = {"response sent", "api", "ctl-0", SECONDS(9.1), SECONDS(19), 0};
    size_t seen = 0;

    for (const struct event *at = NULL; (at = next(story, &sent, at)) != NULL;) {
        const struct event *end =
            next(story,
                 &(struct query){.kind = "end", .process = "ctl-0", .exchange = at->exchange}, at);

        if (end == NULL || at->bytes == 0 || end->number != 0)
            continue;
        assert_true(end->at_us - at->at_us >= at->bytes * US_PER_SECOND / 200 ||
                    end->at_us > SECONDS(19));
        seen++;
    }
    assert_true(seen > 0);
}

static void check_pieces(const struct story *story)
{
    const struct query bodies = {"body", "ctl-0", NULL, SECONDS(9.1), SECONDS(19), 0};
    size_t seen = 0;

    for (const struct event *at = NULL; (at = next(story, &bodies, at)) != NULL; seen++)
        assert_true(at->bytes <= 7);
    assert_true(seen > 10);
}

static size_t count_ends(const struct story *story, const char *process, enum exchange_end end,
                         double from_s, double until_s)
{
    const struct query query = {"end", process, NULL, SECONDS(from_s), SECONDS(until_s), 0};
    size_t found = 0;

    for (const struct event *at = NULL; (at = next(story, &query, at)) != NULL;)
        found += at->number == (int64_t)end;
    return found;
}

static void check_refused(const struct story *story)
{
    assert_true(count_ends(story, "ctl-0", EXCHANGE_REFUSED, 9, 19) > 0);
    assert_int_equal(count_ends(story, "ctl-0", EXCHANGE_REFUSED, 19.1, 40), 0);
    assert_int_equal(count_ends(story, "ctl-1", EXCHANGE_REFUSED, 9, 40), 0);
}

static void check_reset_after(const struct story *story)
{
    const struct query query = {"end", "ctl-0", NULL, SECONDS(9.1), SECONDS(19), 0};
    size_t seen = 0;

    for (const struct event *at = NULL; (at = next(story, &query, at)) != NULL;) {
        const struct query bodies = {.kind = "body", .process = "ctl-0", .exchange = at->exchange};
        int64_t bytes = 0;

        if (at->number != EXCHANGE_RESET)
            continue;
        for (const struct event *body = NULL; (body = next(story, &bodies, body)) != NULL;)
            bytes += body->bytes;
        assert_int_equal(bytes, 10);
        seen++;
    }
    assert_true(seen > 0);
}

static void check_strand(const struct story *story)
{
    const struct query before = {"request sent", "ctl-0", NULL, 0, SECONDS(9), 0};

    for (const struct event *at = NULL; (at = next(story, &before, at)) != NULL;)
        assert_int_equal(
            count(story, &(struct query){"body", "ctl-0", NULL, SECONDS(9.1), 0, at->exchange}), 0);
    assert_true(between(story, "response", "ctl-0", 9.1, 40) > 0);
}

static void check_reset_connections(const struct story *story)
{
    assert_true(count_ends(story, "ctl-0", EXCHANGE_RESET, 9, 9.1) > 0);
    assert_int_equal(count_ends(story, "ctl-1", EXCHANGE_RESET, 9, 9.1), 0);
    assert_true(between(story, "response", "ctl-0", 9.1, 19) > 0);
}

/* --- the request itself --- */

/** What became of the request that the fault hit. */
struct fate {
    int64_t late_us;
    size_t arrived;
    size_t answered;
    int64_t bytes; /* of the answer's body */
    int64_t end;   /* -1: none */
};

static struct fate fate_of(const struct story *story)
{
    const struct event *fault = next(story, &(struct query){.kind = "fault"}, NULL);
    const struct event *sent = next(story, &(struct query){.kind = "request sent"}, fault);
    struct fate fate = {.end = -1};
    struct query of = {.process = "ctl-0"};

    assert_non_null(sent);
    of.exchange = sent->exchange;
    for (const struct event *at = sent; (at = next(story, &of, at)) != NULL;) {
        fate.answered += strcmp(at->kind, "response") == 0;
        fate.bytes += strcmp(at->kind, "body") == 0 ? at->bytes : 0;
        fate.end = strcmp(at->kind, "end") == 0 ? at->number : fate.end;
    }
    of = (struct query){.kind = "request", .process = "api", .exchange = sent->exchange};
    fate.arrived = count(story, &of);
    if (fate.arrived > 0)
        fate.late_us = next(story, &of, NULL)->at_us - sent->at_us;
    return fate;
}

static void check_lost_request(const struct story *story)
{
    struct fate fate = fate_of(story);

    assert_int_equal(fate.arrived, 0);
    assert_int_equal(fate.answered, 0);
}

static void check_lost_answer(const struct story *story)
{
    struct fate fate = fate_of(story);

    assert_int_equal(fate.arrived, 1);
    assert_int_equal(fate.answered, 0);
}

static void check_reset_request(const struct story *story)
{
    struct fate fate = fate_of(story);

    assert_int_equal(fate.end, EXCHANGE_RESET);
    assert_int_equal(fate.answered, 0);
}

static void check_reset_answer(const struct story *story)
{
    struct fate fate = fate_of(story);

    assert_int_equal(fate.end, EXCHANGE_RESET);
    assert_int_equal(fate.answered, 1);
    assert_int_equal(fate.bytes, 10);
}

static void check_unreachable(const struct story *story)
{
    struct fate fate = fate_of(story);

    assert_int_equal(fate.end, EXCHANGE_REFUSED);
    assert_int_equal(fate.arrived, 0);
}

static void check_late(const struct story *story)
{
    struct fate fate = fate_of(story);

    assert_int_equal(fate.arrived, 1);
    assert_true(fate.late_us >= SECONDS(3) && fate.late_us < SECONDS(3.1));
}

/* --- processes --- */

static void check_crash(const struct story *story)
{
    assert_int_equal(between(story, "crashed", "ctl-0", 9, 9.001), 1);
    assert_int_equal(between(story, NULL, "ctl-0", 9.1, 19), 0);
    assert_int_equal(between(story, "started", "ctl-0", 19, 19.001), 1);
}

static void check_restart(const struct story *story)
{
    assert_int_equal(between(story, "crashed", "ctl-0", 9, 9.001), 1);
    assert_int_equal(between(story, "started", "ctl-0", 9, 9.001), 1);
}

/** As a crash, but nobody hears of it: the server's side of its watches stays open. */
static void check_power_off(const struct story *story)
{
    check_crash(story);
    assert_int_equal(count(story, &(struct query){"request closed", "api", "ctl-0", SECONDS(9.1),
                                                  SECONDS(19), 0}),
                     0);
}

static void check_pause(const struct story *story)
{
    assert_int_equal(between(story, "request sent", "ctl-0", 9.001, 19), 0);
    assert_int_equal(between(story, "resumed", "ctl-0", 19, 19.001), 1);
    assert_int_equal(between(story, "started", "ctl-0", 9, 40), 0);
}

static void check_terminate(const struct story *story)
{
    assert_int_equal(between(story, "signalled", "ctl-0", 9, 9.001), 1);
    assert_int_equal(between(story, "crashed", "ctl-0", 9, 40), 0);
    assert_int_equal(between(story, "exited", "ctl-0", 9, 40), 1);
    assert_int_equal(between(story, "started", "ctl-0", 19, 19.001), 1);
}

/** The grace is over before its last write is answered. */
static void check_terminate_hard(const struct story *story)
{
    assert_int_equal(between(story, "crashed", "ctl-0", 9.0002, 9.0004), 1);
}

/* --- clocks --- */

/** By how much readings of a clock of ctl-0 are wrong: the least and the most. */
static void wrong_by(const struct story *story, const char *clock, double from_s, double until_s,
                     int64_t ret[2])
{
    const struct query query = {"clock", "ctl-0", NULL, SECONDS(from_s), SECONDS(until_s), 0};

    ret[0] = INT64_MAX;
    ret[1] = INT64_MIN;
    for (const struct event *at = NULL; (at = next(story, &query, at)) != NULL;) {
        int64_t wrong = at->number - at->at_us;

        if (strcmp(at->text, clock) != 0)
            continue;
        ret[0] = wrong < ret[0] ? wrong : ret[0];
        ret[1] = wrong > ret[1] ? wrong : ret[1];
    }
    assert_true(ret[0] <= ret[1]);
}

static void check_wall(const struct story *story, double from_s, double until_s, int64_t least_us,
                       int64_t most_us)
{
    int64_t wrong[2];

    wrong_by(story, "wall", from_s, until_s, wrong);
    assert_true(wrong[0] - START_WALL_US >= least_us);
    assert_true(wrong[1] - START_WALL_US <= most_us);
}

static void check_jump(const struct story *story)
{
    check_wall(story, 0, 9, 0, 0);
    check_wall(story, 9.001, 40, SECONDS(-5), SECONDS(-5));
}

static void check_skew(const struct story *story)
{
    check_wall(story, 9.001, 19, SECONDS(5), SECONDS(5));
    check_wall(story, 19.001, 40, 0, 0);
}

static void check_drift(const struct story *story)
{
    int64_t wrong[2];

    check_wall(story, 9.001, 19, 0, SECONDS(1));
    wrong_by(story, "wall", 15, 19, wrong);
    assert_true(wrong[1] - START_WALL_US > SECONDS(0.5));
    check_wall(story, 19.001, 40, 0, 0);
}

static void check_freeze(const struct story *story)
{
    const struct query query = {"clock", "ctl-0", NULL, SECONDS(9.001), SECONDS(19), 0};

    for (const struct event *at = NULL; (at = next(story, &query, at)) != NULL;) {
        if (strcmp(at->text, "wall") == 0)
            assert_int_equal(at->number, START_WALL_US + SECONDS(9));
    }
    check_wall(story, 19.001, 40, 0, 0);
}

static void check_timers(const struct story *story)
{
    int64_t before[2];
    int64_t after[2];

    wrong_by(story, "elapsed", 5, 9, before);
    wrong_by(story, "elapsed", 19.001, 40, after);
    assert_int_equal(before[0], before[1]);
    assert_int_equal(after[0], after[1]);
    assert_int_equal(after[0] - before[0], SECONDS(-2));
}

/* --- the API server --- */

static void check_api_crash(const struct story *story)
{
    assert_true(count_ends(story, "ctl-0", EXCHANGE_RESET, 9, 9.1) > 0);
    assert_true(count_ends(story, "ctl-0", EXCHANGE_REFUSED, 9.1, 19.1) > 0);
    assert_int_equal(between(story, "request", "api", 9.001, 19), 0);
    assert_true(between(story, "response", "ctl-0", 19, 40) > 0);
}

static void check_api_restart(const struct story *story)
{
    assert_true(count_ends(story, "ctl-0", EXCHANGE_RESET, 9, 9.1) > 0);
    assert_true(between(story, "request", "api", 9.1, 19) > 0);
}

/** Nobody is reached by what was said before it. */
static void check_rewind(const struct story *story)
{
    assert_true(count_ends(story, "ctl-0", EXCHANGE_RESET, 9, 9.1) > 0);
    assert_true(between(story, "request", "api", 9.1, 20) > 0);
    assert_true(between(story, "response", "ctl-0", 9.1, 20) > 0);
}

/* --- all of them --- */

#define FROM "- when: {from: 9s}\n  do: "
#define WINDOW "- when: {from: 9s, until: 19s}\n  do: "
#define RENEWAL "- match: {peer: ctl-0, verb: patch, resource: leases}\n  when: {nth: 2}\n  do: "

static const struct row {
    const char *faults;
    void (*check)(const struct story *story);
} rows[] = {
    {FROM "{cut: [ctl-0, api], for: 10s}",                                                       check_cut              },
    {WINDOW "{cut: [leader, api]}",                                                              check_cut              },
    {FROM "{cut: [api, ctl-0], for: 10s}",                                                       check_cut_back         },
    {FROM "{cut: [api, ctl-0], both: true, for: 10s}",                                           check_partition        },
    {FROM "{partition: [api, ctl-0], for: 10s}",                                                 check_partition        },
    {FROM "{latency: [ctl-0, api], by: 1s, for: 10s}",                                           check_latency          },
    {FROM "{latency: [ctl-0, api], by: 1s, both: true, for: 10s}",                               check_latency_both     },
    {FROM "{jitter: [ctl-0, api], by: 1s, for: 10s}",                                            check_jitter           },
    {FROM "{bandwidth: [api, ctl-0], bytes: 200, for: 10s}",                                     check_bandwidth        },
    {FROM "{pieces: [api, ctl-0], bytes: 7, for: 10s}",                                          check_pieces           },
    {FROM "{reset_connections: [ctl-0, api]}\n" FROM "{refuse_connect: [ctl-0, api], for: 10s}",
     check_refused                                                                                                      },
    {FROM "{reset_after: [api, ctl-0], bytes: 10, for: 10s}",                                    check_reset_after      },
    {FROM "{strand: [ctl-0, api]}",                                                              check_strand           },
    {FROM "{reset_connections: [ctl-0, api]}",                                                   check_reset_connections},
    {RENEWAL "{lose_request: true}",                                                             check_lost_request     },
    {RENEWAL "{lose_answer: true}",                                                              check_lost_answer      },
    {RENEWAL "{reset_request: 10}",                                                              check_reset_request    },
    {RENEWAL "{reset_answer: 10}",                                                               check_reset_answer     },
    {RENEWAL "{unreachable: true}",                                                              check_unreachable      },
    {RENEWAL "{late: 3s}",                                                                       check_late             },
    {FROM "{crash: ctl-0, for: 10s}",                                                            check_crash            },
    {FROM "{restart: ctl-0}",                                                                    check_restart          },
    {FROM "{power_off: ctl-0, for: 10s}",                                                        check_power_off        },
    {FROM "{pause: ctl-0, for: 10s}",                                                            check_pause            },
    {FROM "{terminate: ctl-0, for: 10s}",                                                        check_terminate        },
    {FROM "{terminate: ctl-0, grace: 300us, for: 10s}",                                          check_terminate_hard   },
    {FROM "{clock_jump: ctl-0, by: -5s}",                                                        check_jump             },
    {FROM "{clock_skew: ctl-0, by: 5s, for: 10s}",                                               check_skew             },
    {FROM "{clock_drift: ctl-0, ppm: 100000, for: 10s}",                                         check_drift            },
    {FROM "{clock_freeze: ctl-0, for: 10s}",                                                     check_freeze           },
    {FROM "{timers_drift: ctl-0, ppm: -200000, for: 10s}",                                       check_timers           },
    {FROM "{crash: api, for: 10s}",                                                              check_api_crash        },
    {FROM "{rewind: 5s}",                                                                        check_rewind           },
    {FROM "{rewind: 3}",                                                                         check_rewind           },
    {FROM "{restart: api}",                                                                      check_api_restart      },
};

static void test_row(void **state)
{
    const struct row *row = *state;
    struct story story = run(row->faults);

    row->check(&story);
    free(story.events);
}

/** Two that overlap: each ends for itself. */
static void test_overlap(void **state)
{
    struct story story = run("- when: {from: 9s}\n  do: {cut: [ctl-0, api], for: 5s}\n"
                             "- when: {from: 11s}\n  do: {cut: [ctl-0, api], for: 8s}");

    (void)state;
    check_cut(&story);
    free(story.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) + ROWS_RUN(rows, test_row);
}
