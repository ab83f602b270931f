/* The classes of MUSEUM.md part 2 in simulation: our own client, a fakeapi, no socket.
 *
 * The same classes over real sockets with other clients: classes.py, actors.py. What our client
 * cannot send (PUT, plain queries) is told there; what needs a moment in time chosen exactly is
 * told here. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/faults/faults.h"
#include "tests/conformance/complaints/story.h"

static void test_c1_field_selectors(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        CREATE("a", ""),
        CREATE("b", ""),
        {"matches only",         KUBE_LIST, &configmaps, NULL, "fieldSelector=metadata.name%3Db", NULL, 200,
                   "\"b\"",                                                                                                      "\"a\"", NULL},
        {"an unsupported field", KUBE_LIST, &configmaps, NULL, "fieldSelector=data.k%3Dv",        NULL,
                   400,                                                                                                "data.k", NULL,    NULL},
    };
    static const struct ask_line custom[] = {
        {"red",          KUBE_CREATE, &widgets, NULL, NULL,
         "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"r\"},"
         "\"spec\":{\"colour\":\"red\"}}",                                                     201, NULL, NULL,       NULL},
        {"blue",         KUBE_CREATE, &widgets, NULL, NULL,
         "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"b\"},"
         "\"spec\":{\"colour\":\"blue\"}}",                                                    201, NULL, NULL,       NULL},
        {"declared",     KUBE_LIST,   &widgets, NULL, "fieldSelector=spec.colour%3Dred", NULL, 200,
         "\"red\"",                                                                                       "\"blue\"", NULL},
        {"not declared", KUBE_LIST,   &widgets, NULL, "fieldSelector=status.phase%3Dx",  NULL, 400,
         "field label not supported",                                                                     NULL,       NULL},
    };

    TELL(story, lines);
    install_widgets(story);
    TELL(story, custom);
}

static void test_c2_generate_name(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        {"a base",  KUBE_CREATE, &configmaps, NULL, NULL,
         "{\"metadata\":{\"generateName\":\"base-\"}}",                        201, "\"name\":\"base-", NULL, NULL},
        {"no name", KUBE_CREATE, &configmaps, NULL, NULL, "{\"metadata\":{}}", 422,
         "name or generateName is required",                                                            NULL, NULL},
    };

    TELL(story, lines);
}

/* The server's random numbers, for a while: `repeats` times 0, and then 1, 2, 3... */
static struct {
    struct runtime_ops ops;
    unsigned repeats;
    unsigned drawn;
} scripted;

static uint64_t scripted_random(struct runtime *rt)
{
    (void)rt;
    if (scripted.drawn++ < scripted.repeats)
        return 0;
    return scripted.drawn - scripted.repeats;
}

static void script_random(struct story *story, unsigned repeats)
{
    struct runtime *rt = sim_process_runtime(story->server.api);

    scripted.ops = *rt->ops;
    scripted.ops.random = scripted_random;
    scripted.repeats = repeats;
    scripted.drawn = 0;
    rt->ops = &scripted.ops;
}

/* A request draws some numbers, then one for each attempt at a name (C11), and two for its uid. */
static void test_c2_collisions(void **state)
{
    struct story *story = *state;
    static const char body[] =
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":"
        "{\"generateName\":\"g-\"}}";
    static const struct ask_line first[] = {
        {"the first", KUBE_CREATE, &widgets, NULL, NULL, body, 201, "\"g-bbbbb\"", NULL, NULL}
    };
    static const struct ask_line seven[] = {
        {"seven collisions", KUBE_CREATE, &widgets, NULL, NULL, body, 201, "\"g-cbbbb\"", NULL,
         NULL}
    };
    static const struct ask_line eight = {
        "eight collisions", KUBE_CREATE, &widgets, NULL, NULL, body, 409, NULL, NULL, NULL};
    struct outcome outcome;
    unsigned before;

    install_widgets(story);
    script_random(story, UINT_MAX);
    TELL(story, first);
    before = scripted.drawn - 1 - 2;
    script_random(story, before + 7);
    TELL(story, seven);
    script_random(story, before + 8);
    outcome = ask(story, &eight);
    assert_int_equal(outcome.status, 409);
    assert_int_equal(outcome.retry_after_s, 1);
    assert_string_equal(outcome.text,
                        "AlreadyExists: widgets.example.com \"g-bbbbb\" already exists, the server "
                        "was not able to generate a unique name for the object");
    free(outcome.text);
}

static void test_c4_versions(void **state)
{
    struct story *story = *state;
    static const struct ask_line first[] = {CREATE("a", ""), CREATE("b", "")};
    static const struct ask_line nothing[] = {
        {"no change", KUBE_MERGE_PATCH, &configmaps, "b", NULL, "{\"metadata\":{}}", 200, NULL,
         NULL, NULL}
    };
    long long a;
    long long b;

    TELL(story, first);
    a = version_of(story, &configmaps, "a");
    b = version_of(story, &configmaps, "b");
    assert_true(a > 1 && b == a + 1);
    TELL(story, nothing);
    assert_int_equal(version_of(story, &configmaps, "b"), b);
    assert_int_equal(version_of(story, &configmaps, NULL), b);
}

static void test_c5_stale_writes(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        CREATE("a", ""),
        {"old, merge",      KUBE_MERGE_PATCH, &configmaps, "a", NULL,
                   "{\"metadata\":{\"resourceVersion\":\"1\"},\"data\":{\"k\":\"v\"}}",                     409, "Conflict", NULL,
                   NULL                                                                                                                },
        {"old, JSON patch", KUBE_JSON_PATCH,  &configmaps, "a", NULL,
                   "[{\"op\":\"test\",\"path\":\"/metadata/resourceVersion\",\"value\":\"1\"},"
         "{\"op\":\"add\",\"path\":\"/data\",\"value\":{\"k\":\"v\"}}]",                                    422, "Invalid",  NULL, NULL},
        {"none given",      KUBE_MERGE_PATCH, &configmaps, "a", NULL, "{\"data\":{\"k\":\"v\"}}", 200,
                   NULL,                                                                                                     NULL, NULL},
    };

    TELL(story, lines);
}

static void test_c6_delete_preconditions(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        CREATE("a", ""),
        {"another uid",     KUBE_DELETE, &configmaps, "a", NULL,
                   "{\"preconditions\":{\"uid\":\"00000000-0000-4000-8000-000000000000\"}}",         409, "Conflict",
                   NULL,                                                                                                    NULL},
        {"another version", KUBE_DELETE, &configmaps, "a", NULL,
                   "{\"preconditions\":{\"resourceVersion\":\"1\"}}",                                409, "Conflict", NULL, NULL},
        {"dry",             KUBE_DELETE, &configmaps, "a", NULL, "{\"dryRun\":[\"All\"]}", 200, NULL,       NULL,
                   NULL                                                                                                         },
        {"it is there",     KUBE_GET,    &configmaps, "a", NULL, NULL,                     200, NULL,       NULL, NULL},
        {"no condition",    KUBE_DELETE, &configmaps, "a", NULL, NULL,                     200, NULL,       NULL, NULL},
        {"it is gone",      KUBE_GET,    &configmaps, "a", NULL, NULL,                     404, NULL,       NULL, NULL},
    };

    TELL(story, lines);
}

static void test_c7_finalizers(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        CREATE("a", ",\"finalizers\":[\"example.com/f\"]"),
        {"stamped",          KUBE_DELETE,     &configmaps, "a", NULL, NULL,                    200, "deletionTimestamp", NULL,
                                                      NULL                                                                                                                      },
        {"a new one",        KUBE_JSON_PATCH, &configmaps, "a", NULL,
                                                      "[{\"op\":\"add\",\"path\":\"/metadata/finalizers/-\",\"value\":\"example.com/g\"}]", 422,
                                                      "no new finalizers can be added",                                                                               NULL, NULL},
        {"the last one out", KUBE_JSON_PATCH, &configmaps, "a", NULL,
                                                      "[{\"op\":\"remove\",\"path\":\"/metadata/finalizers/0\"}]",                          200, NULL,                NULL, NULL},
        {"gone",             KUBE_GET,        &configmaps, "a", NULL, NULL,                    404, NULL,                NULL, NULL},
    };
    struct stream stream;

    stream_open(story, &stream, &configmaps, NULL, version_of(story, &configmaps, NULL), false);
    TELL(story, lines);
    assert_types(story, &stream, "AMD");
    stream_close(&stream);
}

static void test_c8_server_set_metadata(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        {"not the client's", KUBE_CREATE, &configmaps, NULL, NULL,
         "{\"metadata\":{\"name\":\"a\",\"uid\":\"mine\",\"creationTimestamp\":"
         "\"2001-01-01T00:00:00Z\"}}", 201, "\"creationTimestamp\":\"2024-06-01T00:00:", "mine", NULL},
    };

    TELL(story, lines);
}

/* Every interleaving of five writes with a LIST and the watch from its version. */
static void test_c9_between_list_and_watch(void **state)
{
    struct story *story = *state;
    static const struct ask_line writes[] = {
        CREATE("a", ""),
        {"change", KUBE_MERGE_PATCH, &configmaps, "a", NULL, "{\"data\":{\"k\":\"v\"}}", 200, NULL,
                   NULL,                                                                                            NULL},
        CREATE("b", ""),
        {"delete", KUBE_DELETE,      &configmaps, "a", NULL, NULL,                       200, NULL, NULL, NULL},
        {"delete", KUBE_DELETE,      &configmaps, "b", NULL, NULL,                       200, NULL, NULL, NULL},
    };
    static const char types[] = "AMADD";

    for (size_t listed = 0; listed <= ARRAY_SIZE(writes); listed++)
        for (size_t opened = listed; opened <= ARRAY_SIZE(writes); opened++) {
            struct stream stream;
            long long from;

            tell(story, writes, listed);
            from = version_of(story, &configmaps, NULL);
            tell(story, writes + listed, opened - listed);
            stream_open(story, &stream, &configmaps, NULL, from, false);
            tell(story, writes + opened, ARRAY_SIZE(writes) - opened);
            assert_types(story, &stream, types + listed);
            for (size_t i = 0; i < stream.count; i++)
                assert_int_equal(stream.events[i].version, from + 1 + (long long)i);
            stream_close(&stream);
        }
}

struct listing {
    size_t items;
    size_t pages;
    bool ended;
    bool ok;
    long long version;
};

static bool on_item(void *arg, const struct kube_item *item)
{
    (void)item;
    ((struct listing *)arg)->items++;
    return true;
}

static void on_restart(void *arg)
{
    ((struct listing *)arg)->items = 0;
}

static void on_list_end(void *arg, const struct kube_list_result *result)
{
    struct listing *listing = arg;

    listing->ended = true;
    listing->ok = result->ok;
    listing->pages = result->pages;
    listing->version = strtoll(result->resource_version, NULL, 10);
}

static bool is_listing(void *arg)
{
    return !((const struct listing *)arg)->ended;
}

/* A page that expires half-way: our pager gets all that is there, in the end. */
static void test_c11_paging(void **state)
{
    static const struct kube_list_events list_events = {on_item, on_restart, on_list_end};
    static const char *const columns[] = {"Name"};
    struct story *story = *state;
    struct listing listing = {0};
    const struct kube_lister_options options = {.resource = &configmaps,
                                                .namespace_name = "default",
                                                .columns = columns,
                                                .column_count = ARRAY_SIZE(columns)};
    struct kube_lister *lister;
    struct sim *sim = story->server.sim;

    for (size_t i = 0; i < 1200; i++) {
        char body[64];
        struct ask_line line = {"fill", KUBE_CREATE, &configmaps, NULL, NULL,
                                body,   201,         NULL,        NULL, NULL};

        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"c%zu\"}}", i);
        tell(story, &line, 1);
    }
    lister = kube_lister_new(story->kube, &options, &list_events, &listing);
    kube_lister_start(lister);
    sim_run_while(sim, sim_now_us(sim) + STORY_PATIENCE_US, is_listing, &listing);
    assert_true(listing.ok);
    assert_true(listing.pages > 1);
    assert_int_equal(listing.items, 1200);
    assert_int_equal(listing.version, version_of(story, &configmaps, NULL));
    kube_lister_free(lister);
}

static void test_c12_deletecollection(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        CREATE("a", ",\"labels\":{\"l\":\"1\"}"),
        CREATE("b", ",\"labels\":{\"l\":\"1\"},\"finalizers\":[\"example.com/h\"]"),
        CREATE("c", ""),
        {"what matches",      KUBE_DELETE, &configmaps, NULL, "labelSelector=l%3D1", NULL, 200,
                   "\"kind\":\"ConfigMapList\"",                                                                               "\"name\":\"c\"", NULL},
        {"it goes",           KUBE_GET,    &configmaps, "a",  NULL,                  NULL, 404, NULL,                NULL,             NULL},
        {"a finalizer holds", KUBE_GET,    &configmaps, "b",  NULL,                  NULL, 200, "deletionTimestamp",
                   NULL,                                                                                                                         NULL},
        {"the others stay",   KUBE_GET,    &configmaps, "c",  NULL,                  NULL, 200, NULL,                NULL,             NULL},
    };

    TELL(story, lines);
}

/* The actors of a cluster behind the story's server. cluster_free() it before the story ends. */
static struct cluster *begin_cluster(struct story *story)
{
    void *root = server_root(&story->server);
    const struct cluster_options options = {.rt = sim_process_runtime(story->server.api),
                                            .store = fakeapi_store(root),
                                            .rest = fakeapi_rest(root)};

    return cluster_new(&options);
}

static void create_owned(struct story *story, const char *name, const char *owner,
                         const char *owner_uid)
{
    char *body =
        xprintf("{\"metadata\":{\"name\":\"%s\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
                "\"kind\":\"ConfigMap\",\"name\":\"%s\",\"uid\":\"%s\"}]}}",
                name, owner, owner_uid);
    const struct ask_line line = {
        .what = name, .verb = KUBE_CREATE, .resource = &configmaps, .body = body, .status = 201};

    tell(story, &line, 1);
    free(body);
}

/* Nothing is collected without the actor; with it what lost its owner goes, by uid. */
static void test_c13_garbage_collection(void **state)
{
    struct story *story = *state;
    static const struct ask_line before[] = {CREATE("owner", ""), CREATE("living", "")};
    static const struct ask_line lost[] = {
        {"the owner goes", KUBE_DELETE, &configmaps, "owner", NULL, NULL, 200, NULL, NULL, NULL},
    };
    static const struct ask_line kept[] = {
        {"nobody collects", KUBE_GET, &configmaps, "child", NULL, NULL, 200, NULL, NULL, NULL},
    };
    static const struct ask_line after[] = {
        {"a lost owner", KUBE_GET, &configmaps, "child",    NULL, NULL, 404, NULL, NULL, NULL},
        {"another uid",  KUBE_GET, &configmaps, "stranger", NULL, NULL, 404, NULL, NULL, NULL},
        {"what lives",   KUBE_GET, &configmaps, "living",   NULL, NULL, 200, NULL, NULL, NULL},
    };
    struct store_resource *stored =
        store_find_resource(fakeapi_store(server_root(&story->server)), "", "configmaps");
    struct cluster *cluster;

    TELL(story, before);
    create_owned(story, "child", "owner", store_get(stored, "default", "owner")->uid);
    create_owned(story, "stranger", "living", "11111111-1111-4111-8111-111111111111");
    TELL(story, lost);
    server_run(&story->server, 60 * US_PER_SECOND);
    TELL(story, kept);
    cluster = begin_cluster(story);
    server_run(&story->server, 60 * US_PER_SECOND);
    TELL(story, after);
    cluster_free(cluster);
}

/* Whom a rule means is refused as often as it says; a wrong key is an error with its place. */
static void test_c19_faults(void **state)
{
    struct story *story = *state;
    struct faults *faults = fakeapi_faults(server_root(&story->server));
    static const char wrong[] =
        "- match: {verb: create, resuorce: configmaps}\n  do: {status: 503}\n";
    static const char busy[] =
        "- match: {verb: create, resource: configmaps}\n"
        "  when: {nth: 2}\n  do: {status: 403, reason: Forbidden, message: not now}\n";
    static const struct ask_line lines[] = {
        CREATE("a", ""),
        {"the second",   KUBE_CREATE, &configmaps, NULL, NULL, "{\"metadata\":{\"name\":\"a\"}}", 403,
                   "not now",                                                                                          NULL, NULL},
        {"the third",    KUBE_CREATE, &configmaps, NULL, NULL, "{\"metadata\":{\"name\":\"a\"}}", 409,
                   "AlreadyExists",                                                                                    NULL, NULL},
        {"another verb", KUBE_GET,    &configmaps, "a",  NULL, NULL,                              200, NULL, NULL, NULL},
    };
    struct error err = ERROR_INIT;

    assert_false(faults_load(faults, wrong, strlen(wrong), &err));
    assert_non_null(strstr(err.text, "line 1, column 25"));
    assert_true(faults_load(faults, busy, strlen(busy), &err));
    TELL(story, lines);
}

/* Many pods that end in one instant: each once, and nothing waits behind them. */
static void test_c23_many_due_together(void **state)
{
    struct story *story = *state;
    struct cluster *cluster = begin_cluster(story);
    struct waiting *waiting;
    struct stream stream;
    size_t ended = 0;

    for (int i = 0; i < 20; i++) {
        char *body =
            xprintf("{\"metadata\":{\"name\":\"p%d\",\"annotations\":{\"fakeapi/run-seconds\":"
                    "\"60\"}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":"
                    "\"c\",\"image\":\"i\"}]}}",
                    i);
        const struct ask_line line = {
            .what = "a pod", .verb = KUBE_CREATE, .resource = &pods, .body = body, .status = 201};

        tell(story, &line, 1);
        free(body);
    }
    server_run(&story->server, 10 * US_PER_SECOND);
    stream_open(story, &stream, &pods, NULL, version_of(story, &pods, NULL), false);
    server_run(&story->server, 120 * US_PER_SECOND);
    for (size_t i = 0; i < stream.count; i++)
        ended += strstr(stream.events[i].object, "\"phase\":\"Succeeded\"") != NULL;
    assert_int_equal(ended, 20);
    assert_int_equal(stream.count, 20);
    stream_close(&stream);
    waiting = cluster_waiting(cluster);
    for (size_t i = 0; i < waiting_count(waiting); i++)
        assert_string_equal(waiting_at(waiting, i)->actor, "events");
    waiting_free(waiting);
    cluster_free(cluster);
}

static void test_c14_namespaces(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        {"a mismatch",    KUBE_CREATE, &configmaps, NULL,      NULL,
         "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}",            400,
         "does not match the namespace sent on the request",                                 NULL, NULL},
        {"default stays", KUBE_DELETE, &namespaces, "default", NULL, NULL, 403, "Forbidden", NULL,
         NULL                                                                                          },
    };

    TELL(story, lines);
}

static void test_c15_status(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        {"made",           KUBE_CREATE,      &widgets,    NULL, NULL,
         "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\"},"
         "\"spec\":{\"colour\":\"red\"},\"status\":{\"phase\":\"early\"}}",  201, NULL,   "early", NULL    },
        {"a main write",   KUBE_MERGE_PATCH, &widgets,    "a",  NULL,
         "{\"spec\":{\"colour\":\"blue\"},\"status\":{\"phase\":\"main\"}}", 200, "blue", "main",
         NULL                                                                                              },
        {"a status write", KUBE_MERGE_PATCH, &widgets,    "a",  NULL,
         "{\"spec\":{\"colour\":\"green\"},\"status\":{\"phase\":\"sub\"}}", 200,
         "\"phase\":\"sub\"",                                                             "green", "status"},
        {"a kind without", KUBE_MERGE_PATCH, &configmaps, "a",  NULL, "{}",  404, NULL,   NULL,
         "status"                                                                                          },
    };

    install_widgets(story);
    TELL(story, lines);
}

/* C1, C16: selectors on watches, and watchers beside each other. */
static void test_c16_watchers(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        CREATE("a", ",\"labels\":{\"l\":\"1\"}"),
        {"leaves",     KUBE_MERGE_PATCH, &configmaps, "a", NULL,
                                            "{\"metadata\":{\"labels\":{\"l\":\"2\"}}}", 200, NULL, NULL, NULL},
        {"comes back", KUBE_MERGE_PATCH, &configmaps, "a", NULL,
                                            "{\"metadata\":{\"labels\":{\"l\":\"1\"}}}", 200, NULL, NULL, NULL},
    };
    struct stream all;
    struct stream some[20];
    long long from = version_of(story, &configmaps, NULL);

    stream_open(story, &all, &configmaps, NULL, from, true);
    for (size_t i = 0; i < ARRAY_SIZE(some); i++)
        stream_open(story, &some[i], &configmaps, "l=1", from, false);
    TELL(story, lines);
    assert_types(story, &all, "AMM");
    for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
        assert_types(story, &some[i], "ADA");
        stream_close(&some[i]);
    }
    server_run(&story->server, 70 * US_PER_SECOND);
    assert_types(story, &all, "AMMB"); /* a quiet minute ends in a bookmark, where asked for */
    stream_close(&all);
}

static void test_c20_versions_gone_stay_gone(void **state)
{
    struct story story;
    static const struct ask_line lines[] = {
        {"change", KUBE_MERGE_PATCH, &configmaps, "a", NULL, "{\"data\":{\"k\":\"1\"}}", 200, NULL,
         NULL, NULL},
        {"change", KUBE_MERGE_PATCH, &configmaps, "a", NULL, "{\"data\":{\"k\":\"2\"}}", 200, NULL,
         NULL, NULL},
    };
    static const struct ask_line first[] = {CREATE("a", "")};
    struct stream stream;
    long long from;

    (void)state;
    open_story(&story, "--history", "10");
    from = version_of(&story, &configmaps, NULL);
    TELL(&story, first);
    for (size_t i = 0; i < 20; i++)
        TELL(&story, lines);
    for (size_t i = 0; i < 3; i++) {
        stream_open(&story, &stream, &configmaps, NULL, from, false);
        assert_true(stream.ended && stream.end == KUBE_WATCH_GONE && stream.count == 0);
        stream_close(&stream);
    }
    close_story(&story);
}

static void test_c21_leases(void **state)
{
    struct story *story = *state;
    static const struct ask_line lines[] = {
        {"six digits",       KUBE_CREATE,      &leases, NULL, NULL,
         "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"a\",\"renewTime\":"
         "\"2026-01-01T00:00:00.123456Z\"}}",                                                          201, "\"2026-01-01T00:00:00.123456Z\"", NULL, NULL},
        {"a second",         KUBE_CREATE,      &leases, NULL, NULL, "{\"metadata\":{\"name\":\"l\"}}", 409,
         "AlreadyExists",                                                                                                                      NULL, NULL},
        {"a stale takeover", KUBE_MERGE_PATCH, &leases, "l",  NULL,
         "{\"metadata\":{\"resourceVersion\":\"1\"},\"spec\":{\"holderIdentity\":\"b\"}}",             409,
         "Conflict",                                                                                                                           NULL, NULL},
    };

    TELL(story, lines);
}

static int setup(void **state)
{
    struct story *story = xcalloc(1, sizeof(*story));

    open_story(story, NULL, NULL);
    *state = story;
    return 0;
}

static int teardown(void **state)
{
    struct story *story = *state;

    close_story(story);
    free(story);
    return 0;
}

#define CLASS(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLASS(c1_field_selectors),
        CLASS(c2_generate_name),
        CLASS(c2_collisions),
        CLASS(c4_versions),
        CLASS(c5_stale_writes),
        CLASS(c6_delete_preconditions),
        CLASS(c7_finalizers),
        CLASS(c8_server_set_metadata),
        CLASS(c9_between_list_and_watch),
        CLASS(c11_paging),
        CLASS(c12_deletecollection),
        CLASS(c13_garbage_collection),
        CLASS(c14_namespaces),
        CLASS(c15_status),
        CLASS(c16_watchers),
        CLASS(c19_faults),
        cmocka_unit_test(test_c20_versions_gone_stay_gone),
        CLASS(c21_leases),
        CLASS(c23_many_due_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
